@wire:jsonl @contract:jsonl-exchange/1.0
Feature: What holds for every request
  Requests drawn at random; what fails is shrunk to the smallest request that still fails.

  @must @id:jsonl.property.valid-requests
  Scenario: Any valid request gets a valid answer
    Why: Real files are stranger than fixtures: empty ones, no line end, characters of every plane, positions everywhere.
    Spec: Weaver, Plugin system, "IPC protocol"
    Fix: Run the command below: it repeats the smallest request that failed.
    Then any valid request gets a valid answer

  @must @id:jsonl.property.invalid-requests
  Scenario: Any request that is broken in one way is refused
    Why: A required field that is missing or of another type must never be guessed at.
    Spec: Weaver, Plugin system, "Refusal reason codes" (incomplete_payload: required fields are missing)
    Fix: Check every required field and its type before you work, and refuse with incomplete_payload.
    Then any request broken in one way is refused
