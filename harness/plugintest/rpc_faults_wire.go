package plugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

var rpcWireFaults = []RPCFault{
	// rpc.lines
	{Name: "rpc-banner", Catches: "rpc.lines", About: "it prints a line of text before its first message",
		Start: func(p *rpcPlugin) { p.out.Write([]byte("STDIO server started\n")) }},
	{Name: "rpc-log-in-the-middle", Catches: "rpc.lines", About: "a library prints an object over three lines while a tool is called",
		Answer: onMethod("tool.call", func(b []byte) []byte { return append([]byte("[Breadcrumb] {\n  message: 'x'\n}\n"), b...) })},
	{Name: "rpc-pretty-printed", Catches: "rpc.lines", About: "its answers to tool.call are indented", Config: impatient,
		Also: also(), // none of those answers is read by anybody
		Answer: onMethod("tool.call", func(b []byte) []byte {
			var out bytes.Buffer
			_ = json.Indent(&out, b, "", "  ") // it was just encoded
			return out.Bytes()
		})},
	{Name: "rpc-content-length", Catches: "rpc.lines", About: "it sends a Content-Length header before each answer", With: []string{"rpc.tool.answers"},
		Answer: func(_ *rpcPlugin, _ *rpcMessage, b []byte) []byte {
			return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(b)-1), b...)
		}},
	{Name: "rpc-newline-apart", Catches: "rpc.lines", About: "a thread writes its message between another's message and newline",
		Answer: func(p *rpcPlugin, m *rpcMessage, b []byte) []byte {
			if m.method != "command.invoke" {
				return b
			}
			toast := []byte(`{"jsonrpc":"2.0","method":"host.toast","params":{"kind":"info","text":"done"}}`)
			return append(append(bytes.TrimSpace(b), toast...), "\n\n"...)
		}},
	{Name: "rpc-blank-line", Catches: "rpc.lines", About: "an empty line follows each answer",
		Answer: func(_ *rpcPlugin, _ *rpcMessage, b []byte) []byte { return append(b, '\n') }},
	// rpc.strict-json
	{Name: "rpc-nan", Catches: "rpc.strict-json", About: "the result of sum has NaN",
		Answer: onMethod("tool.call", func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"result":{"sum":`), []byte(`"result":{"mean":NaN,"sum":`), 1)
		}), Also: also(), Config: impatient},
	{Name: "rpc-name-twice", Catches: "rpc.strict-json", About: "its answers have the id twice",
		Answer: func(_ *rpcPlugin, m *rpcMessage, b []byte) []byte {
			return append([]byte(`{"id":`+string(m.ID)+`,`), b[1:]...)
		}},
	{Name: "rpc-byte-order-mark", Catches: "rpc.strict-json", About: "each of its messages begins with a byte order mark",
		Bytes: func(_ *rpcPlugin, b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }},
	{Name: "rpc-latin-1", Catches: "rpc.strict-json", About: "a snippet has a byte of Latin-1", With: []string{"rpc.context.answers"},
		Answer: onMethod("context.provide", func(b []byte) []byte {
			return bytes.Replace(b, []byte("The prompt"), []byte("Caf\xe9: the prompt"), 1)
		})},
	// the members of a message
	{Name: "rpc-without-version", Catches: "rpc.version", About: "its messages do not say jsonrpc", Bytes: replaced(`"jsonrpc":"2.0",`, ``)},
	{Name: "rpc-version-number", Catches: "rpc.version", About: "it writes 2.0 as a number", Bytes: replaced(`"jsonrpc":"2.0"`, `"jsonrpc":2.0`)},
	{Name: "rpc-id-as-string", Catches: "rpc.id-echo", About: "it answers command.invoke with the id as a string", Config: impatient,
		Also: also(), // none of those answers is one
		Answer: func(_ *rpcPlugin, m *rpcMessage, b []byte) []byte {
			if m.method == "command.invoke" {
				return bytes.Replace(b, []byte(`"id":`+string(m.ID)), []byte(`"id":"`+string(m.ID)+`"`), 1)
			}
			return b
		}},
	{Name: "rpc-id-as-float", Catches: "rpc.id-echo", About: "it reads ids as 32-bit floats, so that large ones come back as others", Config: impatient, With: []string{"rpc.concurrent"},
		Also: also("rpc.initialize"),
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			if n, err := strconv.ParseFloat(string(m.ID), 64); err == nil && m.Method != nil {
				m.ID = json.RawMessage(strconv.FormatInt(int64(float32(n)), 10))
			}
			return false
		}},
	{Name: "rpc-result-and-error", Catches: "rpc.result-xor-error", About: "an answer with an error has the result null as well",
		Answer: func(_ *rpcPlugin, _ *rpcMessage, b []byte) []byte {
			return bytes.Replace(b, []byte(`,"error":`), []byte(`,"result":null,"error":`), 1)
		}},
	{Name: "rpc-neither", Catches: "rpc.result-xor-error", About: "where there is nothing to return it leaves out the result",
		Answer: func(_ *rpcPlugin, _ *rpcMessage, b []byte) []byte {
			return bytes.Replace(b, []byte(`,"result":null`), nil, 1)
		}},
	{Name: "rpc-error-text", Catches: "rpc.error-shape", About: "its errors are strings", Also: []string{"rpc.error-code", "rpc.tool.bad-args", "rpc.unknown-method", "rpc.invalid-request", "rpc.missing-version", "rpc.garbage-line", "rpc.batch"},
		Answer: func(_ *rpcPlugin, _ *rpcMessage, b []byte) []byte {
			before, after, ok := bytes.Cut(b, []byte(`,"error":`))
			if !ok {
				return b
			}
			var e rpcError
			_ = json.NewDecoder(bytes.NewReader(after)).Decode(&e) // it was just encoded
			return []byte(string(before) + `,"error":` + encodeJSON(e.Message) + "}\n")
		}},
	{Name: "rpc-error-code-0", Catches: "rpc.error-code", About: "the code of its errors about what it does not have is 0", With: []string{"rpc.tool.unknown"},
		Outcome: func(_ *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if e != nil && strings.HasPrefix(e.Message, "there is no tool") {
				e.Code = 0
			}
			return result, e
		}},
	// who answers what
	{Name: "rpc-answers-events", Catches: "rpc.no-reply-to-notification", About: "it answers events",
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if m.method == "event.fire" && m.ID == nil {
				p.send([]byte(`{"jsonrpc":"2.0","id":null,"result":null}` + "\n"))
			}
			return false
		}},
	{Name: "rpc-answers-twice", Catches: "rpc.no-unknown-reply", About: "it answers each command twice", Also: []string{"rpc.property.interleave"},
		Answer: onMethod("command.invoke", func(b []byte) []byte { return append(b, b...) })},
	{Name: "rpc-answers-the-one-before", Catches: "rpc.no-unknown-reply", About: "after a call that failed, the next success answers that one again", Config: impatient,
		Also: also(), With: []string{"rpc.tool.*", "rpc.command.*", "rpc.bad-params", "rpc.children-leave-stdin"},
		Answer: func(p *rpcPlugin, m *rpcMessage, b []byte) []byte {
			if m.method != "tool.call" && m.method != "command.invoke" {
				return b
			}
			p.memory.Lock()
			defer p.memory.Unlock()
			id := m.ID
			if p.memory.id != nil {
				id = p.memory.id
			}
			p.memory.id = nil
			if bytes.Contains(b, []byte(`,"error":`)) {
				p.memory.id = m.ID
				return b
			}
			return bytes.Replace(b, []byte(`"id":`+string(m.ID)), []byte(`"id":`+string(id)), 1)
		}},
	// the plugin's own calls
	{Name: "rpc-string-ids", Catches: "rpc.plugin-ids", About: "the ids of its own calls are strings", ID: func(n int) string { return fmt.Sprintf(`"call-%d"`, n) }},
	{Name: "rpc-same-id", Catches: "rpc.plugin-ids", About: "all its own calls have the same id", ID: func(int) string { return "1" }, With: []string{"rpc.reentrant"}, Also: also("rpc.no-unknown-reply")},
	{Name: "rpc-calls-host-log", Catches: "rpc.unknown-host-method", About: "it calls a method that the host does not have",
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if m.method == "tool.call" {
				p.tell("host.log", map[string]any{"text": "a tool was called"})
			}
			return false
		}},
	{Name: "rpc-toast-without-kind", Catches: "rpc.host-params", About: "its toasts have no kind",
		Params: func(_ *rpcPlugin, method string, params any) (string, any) {
			if method == "host.toast" {
				delete(params.(map[string]any), "kind")
			}
			return method, params
		}},
}
