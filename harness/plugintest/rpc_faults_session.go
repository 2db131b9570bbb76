package plugintest

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

var rpcSessionFaults = []RPCFault{
	// the handshake
	{Name: "rpc-initialize-refused", Catches: "rpc.initialize", About: "it answers plugin.initialize with an error",
		Outcome: func(_ *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if m.method == "plugin.initialize" {
				return nil, rpcRefusal(rpcInternal, "no database")
			}
			return result, e
		}},
	{Name: "rpc-initialize-unanswered", Catches: "rpc.initialize", About: "it never answers plugin.initialize", Config: impatient,
		Answer: onMethod("plugin.initialize", never)},
	{Name: "rpc-nameless", Catches: "rpc.initialize.identity", About: "plugin.initialize says no name", Identity: func(who map[string]any) { delete(who, "name") }},
	{Name: "rpc-name-with-colon", Catches: "rpc.initialize.identity", About: "its name has a colon", Identity: func(who map[string]any) { who["name"] = "acme:" + rpcName },
		Manifest: func(m map[string]any) { m["name"] = "acme:" + rpcName }},
	{Name: "rpc-early-toast", Catches: "rpc.silent-before-initialize", About: "it sends a toast before it answers plugin.initialize",
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if m.method == "plugin.initialize" && !p.greeted {
				p.tell("host.toast", map[string]any{"kind": "info", "text": "Starting"})
			}
			return false
		}},
	{Name: "rpc-unknown-capability", Catches: "rpc.initialize.unknown-capability", About: "it refuses a host with a capability that it does not know", Also: []string{"rpc.initialize"},
		Outcome: refusesInitialize(func(m *rpcMessage) bool { return bytes.Contains(m.Params, []byte("unknown")) })},
	{Name: "rpc-newer-host", Catches: "rpc.initialize.host-version", About: "it refuses any host but 0.1.0", Also: []string{"rpc.initialize"},
		Outcome: refusesInitialize(func(m *rpcMessage) bool { return !bytes.Contains(m.Params, []byte(`"0.1.0"`)) })},
	// registrations
	{Name: "rpc-schema-broken", Catches: "rpc.register.tool", About: "an args_schema has a type that there is not",
		Registrations: registering("host.register_tool", "args_schema", map[string]any{"type": "struct"}), Also: []string{"rpc.tool.*"}},
	{Name: "rpc-tool-twice", Catches: "rpc.register.tool", About: "it registers a tool twice",
		Registrations: func(list []rpcRegistration) []rpcRegistration { return append(list, list[0]) }},
	{Name: "rpc-tool-with-colon", Catches: "rpc.register.tool", About: "a tool's name has a colon",
		Registrations: func(list []rpcRegistration) []rpcRegistration {
			return append(list, rpcRegistration{"host.register_tool", map[string]any{"name": "text:upper", "description": "Makes capitals", "risk_level": "low"}})
		}},
	{Name: "rpc-command-without-title", Catches: "rpc.register.command", About: "a command's title is blank", Registrations: registering("host.register_command", "title", " ")},
	{Name: "rpc-undescribed", Catches: "rpc.register.described", About: "a tool has no description", Registrations: registering("host.register_tool", "description", "")},
	{Name: "rpc-undeclared-event", Catches: "rpc.subscribe.declared", About: "it subscribes to an event that it does not declare",
		Registrations: func(list []rpcRegistration) []rpcRegistration {
			return append(list, rpcRegistration{"host.subscribe", map[string]any{"event": "compact"}})
		}},
	{Name: "rpc-unknown-event", Catches: "rpc.subscribe.known", About: "it subscribes to an event that the host does not have",
		Registrations: func(list []rpcRegistration) []rpcRegistration {
			return append(list, rpcRegistration{"host.subscribe", map[string]any{"event": "message"}})
		}},
	{Name: "rpc-undeclared-config", Catches: "rpc.config.declared", About: "it reads a config key that it does not declare",
		Params: func(_ *rpcPlugin, method string, params any) (string, any) {
			if method == "host.config_get" {
				return method, map[string]any{"key": "api_key"}
			}
			return method, params
		}, Also: []string{"rpc.unused-permission"}},
	{Name: "rpc-undeclared-tool", Catches: "rpc.call-tool.declared", About: "it calls a tool of the host that it does not declare",
		Params: func(_ *rpcPlugin, method string, params any) (string, any) {
			if method == "host.call_tool" {
				params.(map[string]any)["name"] = "shell"
			}
			return method, params
		}, Also: []string{"rpc.unused-permission"}},
	{Name: "rpc-unused-permission", Catches: "rpc.unused-permission", About: "it declares a config key that it never reads",
		Identity: func(who map[string]any) {
			who["permissions"].(map[string]any)["config_keys"] = []string{"greeting", "api_key"}
		},
		Manifest: func(m map[string]any) {
			m["permissions"].(map[string]any)["config_keys"] = []string{"greeting", "api_key"}
		}},
}

func refusesInitialize(when func(*rpcMessage) bool) func(*rpcPlugin, *rpcMessage, any, *rpcError) (any, *rpcError) {
	return func(_ *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
		if m.method == "plugin.initialize" && when(m) {
			return nil, rpcRefusal(rpcInvalidParams, "this host is not supported")
		}
		return result, e
	}
}

// mentionsTool tells calls of one tool.
func mentionsTool(m *rpcMessage, name string) bool {
	return m.method == "tool.call" && bytes.Contains(m.Params, []byte(`"name":"`+name+`"`))
}

// unknownThing tells refusals of what the plugin does not have.
func unknownThing(e *rpcError) bool { return e != nil && strings.HasPrefix(e.Message, "there is no ") }

var rpcCallFaults = []RPCFault{
	{Name: "rpc-tool-silent", Catches: "rpc.tool.answers", About: "it never answers the tool sum", Config: impatient, Also: also(),
		Answer: func(_ *rpcPlugin, m *rpcMessage, b []byte) []byte {
			if mentionsTool(m, "sum") {
				return nil
			}
			return b
		}},
	{Name: "rpc-tool-kills", Catches: "rpc.tool.answers", About: "the tool sum kills it", Also: also("rpc.shutdown"),
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			if mentionsTool(m, "sum") {
				die("runtime error: index out of range [1] with length 1")
			}
			return false
		}},
	{Name: "rpc-waits-where-it-reads", Catches: "rpc.tool.answers", About: "the tool greet waits for the host on the thread that reads", Config: impatient, Also: also(),
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if !mentionsTool(m, "greet") {
				return false
			}
			result, e := p.call(m)
			p.answer(m, result, e)
			return true
		}},
	{Name: "rpc-unknown-tool-served", Catches: "rpc.tool.unknown", About: "a tool that it does not have is answered with null",
		Outcome: func(_ *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if m.method == "tool.call" && unknownThing(e) {
				return nil, nil
			}
			return result, e
		}},
	{Name: "rpc-args-unchecked", Catches: "rpc.tool.bad-args", About: "it serves arguments that its args_schema forbids",
		Outcome: func(_ *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if m.method == "tool.call" && e != nil && e.Code == rpcInvalidParams && strings.Contains(e.Message, "numbers is wanted") {
				return map[string]any{"sum": "0"}, nil
			}
			return result, e
		}},
	{Name: "rpc-command-silent", Catches: "rpc.command.answers", About: "it never answers a command, for it returns nothing", Config: impatient, Also: also(),
		Answer: onMethod("command.invoke", func(b []byte) []byte {
			if bytes.Contains(b, []byte(`,"result":`)) {
				return nil
			}
			return b
		})},
	{Name: "rpc-unknown-command-served", Catches: "rpc.command.unknown", About: "a command that it does not have is answered with null",
		Outcome: func(_ *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if m.method == "command.invoke" && unknownThing(e) {
				return nil, nil
			}
			return result, e
		}},
	{Name: "rpc-null-payload-kills", Catches: "rpc.event.survives", About: "an event with the payload null kills it",
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			if m.method == "event.fire" && bytes.Contains(m.Params, []byte(`"payload":null`)) {
				die("'NoneType' object is not subscriptable")
			}
			return false
		}},
	{Name: "rpc-context-silent", Catches: "rpc.context.answers", About: "it never answers context.provide", Config: impatient, Also: also(),
		Answer: onMethod("context.provide", never)},
	{Name: "rpc-snippets-object", Catches: "rpc.context.shape", About: "snippets is an object", With: []string{"rpc.context.answers"},
		Outcome: outcomeOf("context.provide", map[string]any{"snippets": map[string]any{"title": "t", "content": "c"}})},
	{Name: "rpc-context-late", Catches: "rpc.context.in-time", About: "context.provide takes longer than 2 s", With: []string{"rpc.context.answers"}, Also: []string{"rpc.line-separators", "rpc.large-message", "rpc.unicode"},
		Answer: onMethod("context.provide", func(b []byte) []byte { time.Sleep(2200 * time.Millisecond); return b })},
	{Name: "rpc-context-long", Catches: "rpc.context.limits", About: "a snippet has more than 8,000 characters", With: []string{"rpc.context.answers"},
		Outcome: outcomeOf("context.provide", map[string]any{"snippets": []any{map[string]any{"title": "All of it", "content": strings.Repeat("word ", 2000)}}})},
	{Name: "rpc-unknown-method-internal", Catches: "rpc.unknown-method", About: "a method that it does not have is answered with -32603, as the published Go SDK does",
		Outcome: func(_ *rpcPlugin, _ *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if e != nil && e.Code == rpcUnknownMethod {
				e.Code = rpcInternal
			}
			return result, e
		}},
	{Name: "rpc-bad-params-kill", Catches: "rpc.bad-params", About: "a call without its params kills it",
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			var params map[string]json.RawMessage
			if m.method == "tool.call" && json.Unmarshal(m.Params, &params) == nil && params["name"] == nil {
				die("KeyError: 'name'")
			}
			return false
		}},
	{Name: "rpc-one-code-for-all", Catches: "rpc.bad-params.code", About: "it answers whatever is wrong with -32601", Also: []string{"rpc.tool.bad-args", "rpc.invalid-request", "rpc.batch", "rpc.no-unknown-reply"},
		Outcome: func(_ *rpcPlugin, _ *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if e != nil {
				e.Code = rpcUnknownMethod
			}
			return result, e
		}},
}
