package plugintest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// RPCHostile are JSON-RPC plugins that mean harm, or act as if they did. What they
// break is the kit, if anything.
func RPCHostile() []RPCFault {
	list := []RPCFault{
		{Name: "rpc-endless-line", About: "it never stops writing, and no line ends", Start: func(*rpcPlugin) { forever(bytes.Repeat([]byte("x"), 1<<16)) }},
		{Name: "rpc-endless-messages", About: "it never stops sending good messages", Start: func(*rpcPlugin) {
			forever(bytes.Repeat([]byte(`{"jsonrpc":"2.0","method":"host.toast","params":{"kind":"info","text":"again"}}`+"\n"), 100))
		}},
		{Name: "rpc-endless-calls", About: "once it is initialized it calls the host without end and reads no answer",
			Message: func(p *rpcPlugin, m *rpcMessage) bool {
				if m.method != "plugin.initialize" {
					return false
				}
				result, e := p.initialize(m)
				p.answer(m, result, e)
				for n := 100; ; n++ {
					_, err := fmt.Fprintf(p.out, `{"jsonrpc":"2.0","id":%d,"method":"host.session_get","params":{}}`+"\n", n)
					if err != nil {
						os.Exit(1)
					}
				}
			}},
		{Name: "rpc-endless-registrations", About: "it registers one tool after the other",
			Message: func(p *rpcPlugin, m *rpcMessage) bool {
				for n := 0; m.method == "plugin.initialize"; n++ {
					p.tell("host.register_tool", map[string]any{"name": fmt.Sprint("tool-", n), "description": strings.Repeat("long ", 1000)})
				}
				return false
			}},
		{Name: "rpc-ten-gigabytes", About: "its answer to a tool has 10 GB",
			Answer: onMethod("tool.call", func(b []byte) []byte {
				os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"result":"`)
				chunk := bytes.Repeat([]byte("y"), 1<<20)
				for range 10 << 10 {
					if _, err := os.Stdout.Write(chunk); err != nil {
						os.Exit(1)
					}
				}
				return []byte("\"}\n")
			})},
		{Name: "rpc-deep", About: "its answers to tools are nested a hundred thousand times",
			Answer: func(_ *rpcPlugin, m *rpcMessage, b []byte) []byte {
				if m.method != "tool.call" {
					return b
				}
				return []byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}\n")
			}},
		{Name: "rpc-tangled-schema", About: "an args_schema refers to itself without end",
			Registrations: registering("host.register_tool", "args_schema", map[string]any{"allOf": []any{map[string]any{"$ref": "#"}, map[string]any{"$ref": "#"}}})},
		{Name: "rpc-fork-storm", About: "it starts a hundred sleepers", Start: func(*rpcPlugin) {
			for range 100 {
				helper(false)
			}
		}},
		{Name: "rpc-never-leaves", About: "it ignores plugin.shutdown, the end of stdin and SIGTERM", StaysAfterShutdown: true,
			Start: func(*rpcPlugin) { ignoreTerm() }, End: func(*rpcPlugin) { sleep() }},
		{Name: "rpc-never-reads", About: "it never reads", Start: func(*rpcPlugin) { sleep() }},
		{Name: "rpc-leaves-at-once", About: "it leaves before it has read anything", Start: func(*rpcPlugin) { os.Exit(0) }},
		{Name: "rpc-closes-stdout", About: "it closes stdout and lives on", Start: func(*rpcPlugin) { os.Stdout.Close() }},
		{Name: "rpc-floods-stderr", About: "it never stops logging", Start: func(*rpcPlugin) {
			go func() {
				for chunk := bytes.Repeat([]byte("x"), 1<<16); ; {
					os.Stderr.Write(chunk)
				}
			}()
		}},
		{Name: "rpc-deletes-its-folder", About: "it deletes what it can reach", Start: func(*rpcPlugin) {
			dir, _ := os.Getwd()
			os.RemoveAll(dir)
			os.RemoveAll(os.Getenv("HOME"))
		}},
	}
	for i := range list {
		list[i].Config = impatient
	}
	return list
}

// forever writes until nobody reads.
func forever(chunk []byte) {
	for {
		if _, err := os.Stdout.Write(chunk); err != nil {
			os.Exit(1)
		}
	}
}
