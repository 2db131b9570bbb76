@wire:jsonl
Feature: Capabilities without a published contract
  The document gives them an identifier and says of every actuator that it produces unified diffs.

  @must @id:extricate-symbol.answers @contract:extricate-symbol/0.1
  Scenario: A request for extricate-symbol gets a normal answer
    Why: What the manifest declares is routed to the plugin; it must answer, if only with a refusal.
    Spec: Weaver, Plugin system, "Manifest capability declarations"
    Fix: Answer the operation with a diff, or refuse it with a diagnostic.
    Given a request for the capability "extricate-symbol", and the author's cases for it
    When the host asks
    Then it answers

  @must @id:extract-method.answers @contract:extract-method/0.1
  Scenario: A request for extract-method gets a normal answer
    Why: What the manifest declares is routed to the plugin; it must answer, if only with a refusal.
    Spec: Weaver, Plugin system, "Manifest capability declarations"
    Fix: Answer the operation with a diff, or refuse it with a diagnostic.
    Given a request for the capability "extract-method", and the author's cases for it
    When the host asks
    Then it answers

  @must @id:replace-body.answers @contract:replace-body/0.1
  Scenario: A request for replace-body gets a normal answer
    Why: What the manifest declares is routed to the plugin; it must answer, if only with a refusal.
    Spec: Weaver, Plugin system, "Manifest capability declarations"
    Fix: Answer the operation with a diff, or refuse it with a diagnostic.
    Given a request for the capability "replace-body", and the author's cases for it
    When the host asks
    Then it answers

  @must @id:extract-predicate.answers @contract:extract-predicate/0.1
  Scenario: A request for extract-predicate gets a normal answer
    Why: What the manifest declares is routed to the plugin; it must answer, if only with a refusal.
    Spec: Weaver, Plugin system, "Manifest capability declarations"
    Fix: Answer the operation with a diff, or refuse it with a diagnostic.
    Given a request for the capability "extract-predicate", and the author's cases for it
    When the host asks
    Then it answers
