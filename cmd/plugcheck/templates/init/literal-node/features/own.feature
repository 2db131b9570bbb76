@wire:literal
Feature: What this plugin promises beside the contracts

  @must
  Scenario: Any setting can be saved
    Why: The user may enter anything.
    Fix: Read settings in the hooks, and take any value of the right type.
    Then after any allowed change the file loads with the new values
