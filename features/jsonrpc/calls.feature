@wire:jsonrpc @contract:jsonrpc-plugin/0.1
Feature: What the host calls
  Tools, commands, events and context, as the plugin registered them.

  @must @id:rpc.tool.answers
  Scenario: Each tool answers arguments that its schema allows
    Why: A model fills in the arguments by the schema. A tool without an answer holds up the whole conversation.
    Spec: Overkill, Package plugin, func (*Client) CallTool; type ToolDecl (args_schema)
    Fix: Answer with a result, or with an error that says what is missing; catch what goes wrong inside the tool.
    When the host calls each tool
    Then each call is answered
    And it still serves

  @must @id:rpc.tool.unknown
  Scenario: A tool that was never registered gets an error
    Why: A host may still hold a tool of the plugin's last version. Without an error its caller waits for ever, or takes something else for the answer.
    Spec: Overkill, Package plugin, type RPCError; JSON-RPC 2.0, section 5.1
    Fix: Look the name up, and answer an unknown one with an error (-32602 or -32601).
    When the host calls "tool.call" with {"name":"plugcheck_no_such_tool","args":{}}
    Then each call gets an error
    And it still serves

  @should @id:rpc.tool.bad-args
  Scenario: Arguments that break the tool's own schema get -32602
    Why: The model learns from the error what to send. A tool that guesses does something that nobody asked for.
    Spec: Overkill, Package plugin, Constants (ErrCodeInvalidParams = -32602); type ToolDecl (args_schema)
    Fix: Validate the arguments by your args_schema before you work, and answer -32602 with the place that is wrong.
    When the host calls each tool with arguments that break its schema
    Then each call gets the error -32602
    And it still serves

  @must @id:rpc.command.answers
  Scenario: Each command is answered
    Why: The user has typed it and waits.
    Spec: Overkill, Package plugin, func (*Client) InvokeCommand
    Fix: Answer each command.invoke, with "result":null where there is nothing to say.
    When the host invokes each command
    Then each call is answered
    And it still serves

  @must @id:rpc.command.unknown
  Scenario: A command that was never registered gets an error
    Why: The user waits for a command that does nothing, and is not told.
    Spec: Overkill, Package plugin, func (*Client) InvokeCommand; type RPCError
    Fix: Look the id up, and answer an unknown one with an error (-32602).
    When the host calls "command.invoke" with {"id":"plugcheck_no_such_command","args":""}
    Then each call gets an error
    And it still serves

  @must @id:rpc.event.survives
  Scenario: It survives each event that it subscribed to, whatever its payload
    Why: An event's payload is the host's own, empty or large or null; a plugin that dies of one takes its tools with it.
    Spec: Overkill, Package plugin, func (*Client) FireEvent (payload any)
    Fix: Look at each field of the payload before you use it, and catch what goes wrong in a handler.
    When the host fires each subscribed event with odd payloads
    Then it still serves

  @should @id:rpc.ordered-events
  Scenario: Events are handled in their order
    Why: A session that was switched before it was compacted is another one: the order is what events tell.
    Spec: Overkill, Package plugin, func (*Client) FireEvent
    Fix: Handle events one after the other, in the order in which they were read.
    When the host fires 20 events in a row
    Then what it tells of them is in their order

  @must @id:rpc.context.answers
  Scenario: Context is answered for any prompt
    Why: Every prompt of the user goes through here, the empty one and the long one.
    Spec: Overkill, Package plugin, func (*Client) Provide
    Fix: Answer {"snippets":[]} where there is nothing to add, and catch what goes wrong.
    When the host asks for context
    Then each call is answered
    And it still serves

  @must @id:rpc.unknown-method
  Scenario: A method that no plugin has gets -32601
    Why: Hosts find out by this code what a plugin does not have yet. Another code says that something broke, and silence that nothing is there.
    Spec: Overkill, Package plugin, Constants (ErrCodeMethodNotFound = -32601); JSON-RPC 2.0, section 5.1
    Fix: Answer {"code":-32601,"message":"method not found"}. A published Go SDK answers -32603 here: return your own error with the code -32601 in place of a plain one.
    When the host calls "plugcheck.no_such_method" with {}
    Then each call gets the error -32601
    And it still serves

  @must @id:rpc.bad-params
  Scenario: Params that cannot be right get an error
    Why: A plugin that guesses runs the wrong tool, and one that dies of it takes its tools with it.
    Spec: Overkill, Package plugin, Constants (ErrCodeInvalidParams = -32602)
    Fix: Check the params of each method, and answer -32602 where a name or an id is missing or no string.
    When the host sends params that cannot be right
    Then each call gets an error
    And it still serves

  @should @id:rpc.bad-params.code
  Scenario: Params that cannot be right are not told as "method not found"
    Why: By this code hosts find out what a plugin does not have: one that says so of a method that it has may never be asked again.
    Spec: Overkill, Package plugin, Constants (ErrCodeInvalidParams = -32602)
    Fix: Answer -32602 where a name or an id is missing or no string.
    When the host sends params that cannot be right
    Then no call gets the error -32601

  @must @id:rpc.null-result
  Scenario: An answer of null is an answer
    Why: A host that has nothing to say answers null: to a toast, to a registration, for a config key without a value.
    Spec: Overkill, Package plugin, type HostBridge, ConfigValue ("Returning (nil, nil) is treated as key exists but no value"); JSON-RPC 2.0, section 5
    Fix: Look whether the member result is there, not whether it is true or holds something.
    Given a host that answers null
    When the host uses all that it registered
    Then each call is answered
    And it still serves
