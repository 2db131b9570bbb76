package rpc

// The error codes of the contract.
const (
	CodeParse            = -32700
	CodeInvalidRequest   = -32600
	CodeMethodNotFound   = -32601
	CodeInvalidParams    = -32602
	CodeInternal         = -32603
	CodePermissionDenied = -32001
	CodeUnknownPlugin    = -32002
)

// The methods that a host calls.
const (
	Initialize     = "plugin.initialize"
	ToolCall       = "tool.call"
	CommandInvoke  = "command.invoke"
	EventFire      = "event.fire"
	ContextProvide = "context.provide"
	Shutdown       = "plugin.shutdown"
)

// The methods that a plugin calls.
const (
	RegisterTool    = "host.register_tool"
	RegisterCommand = "host.register_command"
	Subscribe       = "host.subscribe"
	ContextProvider = "host.context_provider"
	Toast           = "host.toast"
	SessionGet      = "host.session_get"
	ConfigGet       = "host.config_get"
	CallTool        = "host.call_tool"
)

// HostMethods lists what a plugin can call.
var HostMethods = []string{RegisterTool, RegisterCommand, Subscribe, ContextProvider, Toast, SessionGet, ConfigGet, CallTool}
