@wire:jsonl @contract:NAME/1.0
Feature: NAME

  @must @id:NAME.does-it
  Scenario: It does what the cases want
    Why: This is what the capability is for.
    Spec: name the document and the place in it
    Fix: Run the command below; it shows the request and the lines that differ.
    Given the cases for "NAME"
    When the host asks
    Then it does what each case wants
