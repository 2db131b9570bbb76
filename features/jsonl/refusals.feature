@wire:jsonl @contract:jsonl-exchange/1.0
Feature: What cannot be done is refused in the ordinary way
  A refusal is an answer like any other: success false, a diagnostic that says why, exit status 0.

  @must @id:jsonl.refuse.unknown-operation
  Scenario: An operation that nobody knows
    Why: Hosts grow operations; a plugin that crashes on a new one, or does another in its place, breaks with the next host.
    Spec: Weaver, Plugin system, "Refusal reason codes" (operation_not_supported)
    Fix: Compare the operation with those you know and refuse every other one.
    Given a request for the operation "paint-it-blue"
    And a refusal is due, with "operation_not_supported"
    When the host asks
    Then it refuses

  @must @id:jsonl.refuse.undeclared-capability
  Scenario: A capability that the manifest does not declare
    Why: The daemon routes by the manifest. A plugin that does what it does not declare is not what was reviewed and chosen.
    Spec: Weaver, Plugin system, "Plugin capabilities" and "Refusal reason codes" (operation_not_supported)
    Fix: Refuse every capability that the manifest does not declare, or declare it.
    Given a request for a capability that the manifest does not declare
    And a refusal is due, with "operation_not_supported"
    When the host asks
    Then it refuses

  @must @id:jsonl.refuse.garbage
  Scenario: A line that is no JSON
    Why: A crash leaves the host with an empty pipe and the user without a reason.
    Spec: Weaver, Plugin system, "Refusal reason codes" (when a plugin cannot perform, it returns a failure response)
    Fix: Catch the parse error and answer a refusal with its text as message.
    Given "garbage" in place of a request
    And a refusal is due
    When the host asks
    Then it refuses

  @must @id:jsonl.refuse.empty-line
  Scenario: An empty line
    Why: A crash leaves the host with an empty pipe and the user without a reason.
    Spec: Weaver, Plugin system, "Refusal reason codes" (when a plugin cannot perform, it returns a failure response)
    Fix: Treat an empty line as what it is, no request, and answer a refusal.
    Given "an empty line" in place of a request
    And a refusal is due
    When the host asks
    Then it refuses

  @must @id:jsonl.refuse.no-input
  Scenario: No input at all
    Why: When the host fails between start and write, the plugin sees the end of stdin at once; it must end, and say so.
    Spec: Weaver, Plugin system, "Refusal reason codes" (when a plugin cannot perform, it returns a failure response)
    Fix: Answer a refusal when stdin ends before a line came.
    Given "nothing" in place of a request
    And a refusal is due
    When the host asks
    Then it refuses

  @must @id:jsonl.refuse.not-an-object
  Scenario: JSON that is no object
    Why: Code that takes the parsed value for an object crashes on an array.
    Spec: Weaver, Plugin system, "Refusal reason codes" (when a plugin cannot perform, it returns a failure response)
    Fix: Check that the parsed value is an object before you look into it.
    Given each of these in place of a request
      | an array  |
      | a string  |
      | null      |
    And a refusal is due
    When the host asks
    Then it refuses

  @must @id:jsonl.refuse.truncated
  Scenario: A request that is cut off
    Why: A host that dies while it writes leaves half a line; acting on half a request is worse than refusing it.
    Spec: Weaver, Plugin system, "Refusal reason codes" (when a plugin cannot perform, it returns a failure response)
    Fix: Catch the parse error and answer a refusal with its text as message.
    Given "half a request" in place of a request
    And a refusal is due
    When the host asks
    Then it refuses

  @should @id:jsonl.refuse.deep-nesting
  Scenario: JSON nested 10,000 levels deep
    Why: Recursive parsers run out of stack on it, and the process dies without a word.
    Spec: Weaver, Plugin system, "Refusal reason codes" (when a plugin cannot perform, it returns a failure response)
    Fix: Catch the parser's depth error (RecursionError in Python), or use a parser with a limit on depth.
    Given "10,000 levels" in place of a request
    And a refusal is due
    When the host asks
    Then it refuses

  @must @id:jsonl.tolerate.unknown-fields
  Scenario: Unknown fields in the request are ignored
    Why: A minor version adds fields. A plugin that rejects what it does not know breaks with every one of them.
    Spec: Weaver, Plugin system, "Contract versioning" (the same major version is compatible)
    Fix: Take the fields you know and ignore the others; no deny_unknown_fields, no additionalProperties false.
    Given a plain request
    And the request, its files and its arguments carry fields that nobody knows
    When the host asks
    Then it gives the answer it gives otherwise
