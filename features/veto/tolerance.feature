@wire:veto @contract:veto-event/1.0
Feature: What an event may look like
  A plugin that breaks on an event does not veto it: every failure is a warning, and the operation goes through.

  @must @id:veto.tolerate.missing
  Scenario: from, to, actor and metadata may be absent, the first three null
    Why: Not every event has them: what is created comes from nowhere. A plugin that crashes on null vetoes nothing.
    Spec: Corvee, Plugin protocol, "Event payload"; host: members without a value are left out or null
    Fix: Take every member with a default, for null too: event.get("from") or "" in Python.
    Given the "plain" events
    And each of these members is lacking, one at a time
      | from     | absent |
      | from     | null   |
      | to       | absent |
      | to       | null   |
      | actor    | absent |
      | actor    | null   |
      | metadata | absent |
    When the host sends it
    Then it answers

  @should @id:veto.tolerate.null-metadata
  Scenario: metadata may be null
    Why: A host that writes an empty map as null is one line of code away; a plugin that crashes on it vetoes nothing.
    Spec: Corvee, Plugin protocol, "Event payload" (metadata); its own sample takes metadata that is absent
    Fix: Take it with a default for null too: (event.get("metadata") or {}) in Python.
    Given the "plain" events
    And each of these members is lacking, one at a time
      | metadata | null |
    When the host sends it
    Then it answers

  @must @id:veto.tolerate.unknown-fields
  Scenario: Members that nobody knows change nothing
    Why: A later host sends more. A plugin that rejects what it does not know loses every veto with it.
    Spec: Corvee, Plugin protocol, "Event payload"
    Fix: Take the members you know and ignore the others.
    Given an event that it vetoes and one that it lets pass
    And it has members that nobody knows
    When the host sends it
    Then it gives the verdict that it gives otherwise

  @must @id:veto.tolerate.unknown-event
  Scenario: An event outside its list does not crash it
    Why: Hosts learn new events, and a list that is empty means all of them.
    Spec: Corvee, Plugin protocol, "plugin.json schema" (events; empty is all)
    Fix: Compare the event with those you know, and print nothing for every other one.
    Given an event outside its list
    When the host sends it
    Then it answers

  @must @id:veto.tolerate.unicode
  Scenario: Text of every plane is read
    Why: Titles and names are written by people. Reading them in the system's own encoding crashes on the first that is not ASCII.
    Spec: Corvee, Plugin protocol, "Event payload" (JSON, which is UTF-8)
    Fix: Read stdin as UTF-8 and write stdout as UTF-8, whatever the locale: sys.stdin.buffer in Python.
    Given the "unicode" events
    When the host sends it
    Then it answers

  @must @id:veto.tolerate.large
  Scenario: An event of 300 KB gets the verdict of a small one
    Why: A pipe holds 64 KiB. Who reads once gets a part, cannot parse it, and lets pass what it would have vetoed.
    Spec: Corvee, Plugin protocol, "Event payload" (the plugin should read stdin to EOF before responding)
    Fix: Read until the end of stdin; one read call is not enough.
    Given an event that it vetoes and one that it lets pass
    And its metadata is padded to 300 KiB
    When the host sends it in two pieces
    Then it gives the verdict that it gives otherwise

  @should @id:veto.tolerate.spelling
  Scenario: The same event in other words of JSON gets the same verdict
    Why: Escapes, spaces and the order of members mean nothing in JSON. Who looks for text in the raw event misses what another host writes.
    Spec: Corvee, Plugin protocol, "Event payload" (one JSON object)
    Fix: Parse the event and compare values; grep and regular expressions on raw JSON are not enough (in a shell: jq).
    Given an event that it vetoes and one that it lets pass
    And it is spelled in other ways of JSON
    When the host sends it
    Then it gives the verdict that it gives otherwise

  @should @id:veto.tolerate.garbage
  Scenario: What is no event does not hang it
    Why: A host that dies while it writes leaves half an event behind; a plugin that waits for the rest stays in memory for good.
    Spec: Corvee, Plugin protocol, "Plugin response (optional)" (errors from the plugin are logged)
    Fix: Exit when the event cannot be parsed; with which status is yours to choose.
    Given "garbage" in place of an event
    And "half an event" in place of an event
    And "an array" in place of an event
    When the host sends it
    Then it ends

  @should @id:veto.tolerate.no-input
  Scenario: No input does not hang it
    Why: When the host fails between start and write, the plugin sees the end of stdin at once, and must end too.
    Spec: Corvee, Plugin protocol, "Event payload" (read stdin to EOF)
    Fix: Exit when stdin ends before an event came.
    Given "nothing" in place of an event
    When the host sends it
    Then it ends

  @must @id:veto.property.events
  Scenario: Any event ends in a valid verdict
    Why: Real items are stranger than fixtures: empty names, text of every plane, members that are not there.
    Spec: Corvee, Plugin protocol, "Event payload"
    Fix: Run the command below: it repeats the smallest event that failed.
    Then any event ends in a valid verdict

  @must @id:veto.property.metadata
  Scenario: Any metadata ends in a valid verdict
    Why: No document fixes what metadata holds, so any JSON may be in it, under the names that the plugin reads too.
    Spec: Corvee, Plugin protocol, "Event payload" (metadata)
    Fix: Check the type of everything that you take out of metadata before you use it.
    Then an event with any metadata ends in a valid verdict
