@wire:jsonrpc
Feature: What this plugin promises beside the contracts

  @must
  Scenario: Its tools answer what their schemas allow
    Why: A model calls them with anything that the schema allows.
    Fix: Look at the call that is shown.
    When it is initialized
    And the host calls "tool.call" with {"name":"count_words","args":{"text":"two words"}}
    Then each call is answered
    And it still serves
