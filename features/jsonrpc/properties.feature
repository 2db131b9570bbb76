@wire:jsonrpc @contract:jsonrpc-plugin/0.1
Feature: What holds for every conversation
  Drawn at random; what fails is shrunk to the shortest conversation that still fails.

  @must @id:rpc.property.tool-args
  Scenario: Any arguments that a tool's schema allows are answered
    Why: A model sends what the schema allows, not what its author had in mind: empty lists, long texts, numbers at the edge.
    Spec: Overkill, Package plugin, type ToolDecl (args_schema)
    Fix: Say more in the schema, or answer with an error that says what is wrong; run the command below, which repeats the smallest arguments that failed.
    Then any arguments that its schema allows are answered

  @must @id:rpc.property.interleave
  Scenario: In any order of calls, events and host answers every call is answered once
    Why: A host does not wait. What only works in one order breaks on a slow day.
    Spec: Overkill, Package plugin, type Conn ("a bidirectional JSON-RPC 2.0 framer")
    Fix: Let one loop read, hand answers to the calls that wait by their ids, and run handlers beside it.
    Then any order of calls, events and host answers has every call answered once

  @should @id:rpc.property.noise
  Scenario: Any JSON in place of a message leaves it alive
    Why: Whatever comes, the next call has to be served.
    Spec: JSON-RPC 2.0, section 5.1 (-32600)
    Fix: Check the type of each member before you use it, and catch what goes wrong in the loop.
    Then any JSON in place of a message leaves it alive
