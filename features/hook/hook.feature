@wire:hook @contract:hook-event/1.0
Feature: What a shell hook is told
  A hook gets the same event as a plugin, and CORVEE_HOOK_EVENT; what it prints is read by nobody.

  @should @id:hook.tolerates
  Scenario: It survives every event of its name, whatever members it lacks
    Why: A script that stops at the first missing field does half of its work, and a line in a log is all that tells of it.
    Spec: Corvee, Plugin protocol, "Shell hooks" (same stdin payload) and "Event payload"
    Fix: Take every field with a default (jq -r '.from // ""'), quote every variable, and end with exit 0.
    Given the "plain" events
    And each of these members is lacking, one at a time
      | from     | absent |
      | from     | null   |
      | to       | absent |
      | to       | null   |
      | actor    | absent |
      | actor    | null   |
      | metadata | absent |
      | metadata | null   |
    When the host sends it
    Then it ends well

  @should @id:hook.large
  Scenario: An event of 300 KB does not break it
    Why: An event does not fit on a command line or into a variable of the environment when it grows.
    Spec: Corvee, Plugin protocol, "Event payload" (the plugin should read stdin to EOF)
    Fix: Read stdin with cat or jq, and hand it on by a pipe and not as an argument.
    Given an event
    And its metadata is padded to 300 KiB
    When the host sends it in two pieces
    Then it ends well
