@wire:jsonl
Feature: What this plugin promises beside the contracts

  @must
  Scenario: It counts the lines of what it is sent
    Why: This is what it is for.
    Fix: Look at the exchange that is shown, and at count in the source.
    Given the request:
      """
      {"operation": "count-lines", "files": [{"path": "src/one.py", "content": "a = 1\nprint(a)\n"}]}
      """
    When the host asks
    Then it succeeds
    And the output is of kind "analysis"
