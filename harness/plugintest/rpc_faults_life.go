package plugintest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"time"
)

var rpcLifeFaults = []RPCFault{
	{Name: "rpc-shutdown-unanswered", Catches: "rpc.shutdown", About: "it leaves at plugin.shutdown and does not answer it", Also: []string{"rpc.shutdown.*"},
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			if m.method == "plugin.shutdown" {
				os.Exit(0)
			}
			return false
		}},
	{Name: "rpc-stays-after-shutdown", Catches: "rpc.shutdown.exits", About: "it answers plugin.shutdown and stays", StaysAfterShutdown: true},
	{Name: "rpc-status-after-shutdown", Catches: "rpc.shutdown.exits", About: "after plugin.shutdown it leaves with status 1",
		Answer: func(p *rpcPlugin, m *rpcMessage, b []byte) []byte {
			if m.method == "plugin.shutdown" {
				p.memory.n = -1
			}
			return b
		},
		End: func(p *rpcPlugin) {
			if p.memory.n == -1 {
				os.Exit(1)
			}
		}},
	{Name: "rpc-survives-eof", Catches: "rpc.stdin-eof", About: "it stays when stdin ends", Also: []string{"rpc.stdin-eof-at-once"},
		End: func(p *rpcPlugin) {
			if p.memory.n != -1 {
				sleep()
			}
		},
		Answer: func(p *rpcPlugin, m *rpcMessage, b []byte) []byte {
			if m.method == "plugin.shutdown" {
				p.memory.n = -1
			}
			return b
		}},
	{Name: "rpc-survives-early-eof", Catches: "rpc.stdin-eof-at-once", About: "it stays when stdin ends before it was initialized",
		End: func(p *rpcPlugin) {
			if !p.greeted {
				sleep()
			}
		}},
	{Name: "rpc-spins-at-eof", Catches: "rpc.stdin-eof", About: "when stdin ends it reads on and on", Also: []string{"rpc.stdin-eof-at-once"},
		End: func(p *rpcPlugin) {
			for buffer := make([]byte, 1); p.memory.n != -1; {
				os.Stdin.Read(buffer)
			}
		},
		Answer: func(p *rpcPlugin, m *rpcMessage, b []byte) []byte {
			if m.method == "plugin.shutdown" {
				p.memory.n = -1
			}
			return b
		}},
	{Name: "rpc-ignores-sigterm", Catches: "rpc.sigterm", About: "it ignores SIGTERM", Start: func(*rpcPlugin) { ignoreTerm() }},
	{Name: "rpc-ignores-everything", Catches: "rpc.shutdown.gone", About: "after plugin.shutdown it stays, and ignores SIGTERM as well", StaysAfterShutdown: true,
		Start: func(*rpcPlugin) { ignoreTerm() }, Also: []string{"rpc.shutdown.*", "rpc.sigterm"}},
	{Name: "rpc-drops-accepted", Catches: "rpc.accepted-are-answered", About: "at the end of stdin it leaves at once, whatever was asked of it", Config: impatient,
		Outcome: func(_ *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if m.method == "tool.call" {
				time.Sleep(20 * time.Millisecond)
			}
			return result, e
		},
		End: func(*rpcPlugin) { os.Exit(0) }},
	{Name: "rpc-helper-holds-stdout", Catches: "rpc.no-orphans", About: "a helper that it started is left running, and holds stdout",
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			if m.method == "plugin.initialize" {
				helper(true)
			}
			return false
		}},
	{Name: "rpc-orphan", Catches: "rpc.no-orphans", About: "a helper that it started is left running",
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			if m.method == "plugin.initialize" {
				helper(false)
			}
			return false
		}},
	{Name: "rpc-registers-otherwise", Catches: "rpc.restart", About: "each time it registers another title", Also: []string{"rpc.initialize.*"},
		Registrations: func(list []rpcRegistration) []rpcRegistration {
			return registering("host.register_command", "title", fmt.Sprintf("Say hello (since %d)", time.Now().UnixNano()))(list)
		}},
	{Name: "rpc-second-initialize-kills", Catches: "rpc.second-initialize", About: "a second plugin.initialize ends it",
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if m.method == "plugin.initialize" && p.greeted {
				die("assertion failed: !initialized")
			}
			return false
		}},
	{Name: "rpc-leaks", Catches: "rpc.memory", About: "it keeps 100 KB of every call",
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if m.ID != nil && m.Method != nil {
				p.memory.Lock()
				p.memory.kept = append(p.memory.kept, bytes.Repeat([]byte("x"), 100_000))
				p.memory.Unlock()
			}
			return false
		}},
	// properties
	{Name: "rpc-negative-kills", Catches: "rpc.property.tool-args", About: "the numbers that sum is given must not be negative, or it ends", Also: also("rpc.shutdown"),
		Message: func(_ *rpcPlugin, m *rpcMessage) bool {
			if mentionsTool(m, "sum") && bytes.Contains(m.Params, []byte("-")) {
				die("assertion failed: n >= 0")
			}
			return false
		}},
	{Name: "rpc-event-cancels", Catches: "rpc.property.interleave", About: "an event makes it forget which calls it has not answered yet", Config: impatient,
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			p.memory.Lock()
			defer p.memory.Unlock()
			switch {
			case m.method == "event.fire":
				p.memory.words = nil
			case m.ID != nil && m.method != "":
				p.memory.words = append(p.memory.words, string(m.ID))
			}
			return false
		},
		Answer: func(p *rpcPlugin, m *rpcMessage, b []byte) []byte {
			p.memory.Lock()
			defer p.memory.Unlock()
			i := slices.Index(p.memory.words, string(m.ID))
			if i < 0 && m.method != "" {
				return nil
			}
			p.memory.words = slices.Delete(p.memory.words, max(i, 0), i+1)
			return b
		}},
	{Name: "rpc-number-kills", Catches: "rpc.property.noise", About: "a message that is a number ends it", Also: []string{"rpc.garbage-line", "rpc.invalid-request"},
		Line: dies("TypeError: argument of type 'int' is not iterable", func(line []byte) bool {
			text := bytes.TrimSpace(line)
			return len(text) > 0 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9')
		})},
}
