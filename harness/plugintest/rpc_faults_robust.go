package plugintest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// dies ends the plugin at a line that is so.
func dies(reason string, at func(line []byte) bool) func(*rpcPlugin, []byte) [][]byte {
	return func(_ *rpcPlugin, line []byte) [][]byte {
		if at(line) {
			die("%s", reason)
		}
		return [][]byte{line}
	}
}

// ignores drops messages that are so.
func ignores(when func(m *rpcMessage) bool) func(*rpcPlugin, *rpcMessage) bool {
	return func(_ *rpcPlugin, m *rpcMessage) bool { return when(m) }
}

var rpcRobustnessFaults = []RPCFault{
	{Name: "rpc-garbage-kills", Catches: "rpc.garbage-line", About: "a line that is no JSON ends it, with status 0", Also: []string{"rpc.blank-line"},
		Line: func(_ *rpcPlugin, line []byte) [][]byte {
			if text := bytes.TrimSpace(line); len(text) > 0 && !json.Valid(text) {
				os.Exit(0)
			}
			return [][]byte{line}
		}},
	{Name: "rpc-invalid-ignored", Catches: "rpc.invalid-request", About: "it says nothing to a request whose method is no string", Config: impatient,
		Message: ignores(func(m *rpcMessage) bool { return m.Method != nil && m.Method[0] != '"' })},
	{Name: "rpc-batch-ignored", Catches: "rpc.batch", About: "it says nothing to a batch", Config: impatient,
		Line: func(_ *rpcPlugin, line []byte) [][]byte {
			if bytes.HasPrefix(line, []byte("[")) && json.Valid(line) {
				return nil
			}
			return [][]byte{line}
		}},
	{Name: "rpc-batch-no-json", Catches: "rpc.batch", Config: impatient, About: "it answers a batch as if it were no JSON",
		Outcome: func(_ *rpcPlugin, _ *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if e != nil && e.Message == "the message is no object" {
				e.Code = rpcParseError
			}
			return result, e
		}},
	{Name: "rpc-64-kib", Catches: "rpc.large-message", About: "a line of more than 64 KiB ends it", Also: []string{"rpc.event.survives"},
		Line: dies("bufio.Scanner: token too long", func(line []byte) bool { return len(line) > 1<<16 })},
	{Name: "rpc-code-page", Catches: "rpc.unicode", About: "it reads its input as Windows-1252, and cannot read some characters", Config: impatient, Also: []string{"rpc.tool.answers"},
		Line: func(_ *rpcPlugin, line []byte) [][]byte {
			if at := bytes.IndexAny(line, "\u0110"); at >= 0 {
				fmt.Fprintf(os.Stderr, "'charmap' codec can't decode byte 0x90 in position %d\n", at)
				return nil
			}
			return [][]byte{line}
		}},
	{Name: "rpc-ascii", Catches: "rpc.unicode", About: "what is not ASCII it gives back as question marks",
		Bytes: func(_ *rpcPlugin, b []byte) []byte {
			return bytes.Map(func(r rune) rune {
				if r > 126 {
					return '?'
				}
				return r
			}, b)
		}},
	{Name: "rpc-one-at-a-time", Catches: "rpc.concurrent", About: "of calls that are in flight together, all are answered with the id of the last", Config: impatient,
		Also: also("rpc.no-unknown-reply"),
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if m.method == "tool.call" || m.method == "command.invoke" {
				p.memory.Lock()
				p.memory.id = m.ID
				p.memory.Unlock()
			}
			return false
		},
		Outcome: func(p *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError) {
			if m.method == "tool.call" || m.method == "command.invoke" {
				time.Sleep(10 * time.Millisecond)
				p.memory.Lock()
				m.ID = p.memory.id
				p.memory.Unlock()
			}
			return result, e
		}},
	{Name: "rpc-waits-blindly", Catches: "rpc.reentrant", About: "while it waits for the host it drops what the host asks", Config: impatient,
		Also: also(),
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			p.memory.Lock()
			defer p.memory.Unlock()
			return m.Method != nil && p.memory.n > 0
		},
		Waiting: func(p *rpcPlugin, wait chan rpcMessage) {
			p.count(1)
			m := <-wait
			p.count(-1)
			wait <- m
		}},
	{Name: "rpc-host-error-kills", Catches: "rpc.host-error", About: "an error of the host ends it",
		Heard: func(m rpcMessage) {
			if m.Error != nil && !bytes.Contains(m.Error, []byte("-32001")) {
				die("unhandled rejection: the host answered with an error")
			}
		}},
	{Name: "rpc-denial-kills", Catches: "rpc.denied", About: "a denial of the host ends it",
		Heard: func(m rpcMessage) {
			if bytes.Contains(m.Error, []byte("-32001")) {
				die("PermissionError: permission denied")
			}
		}},
	{Name: "rpc-slow-host-kills", Catches: "rpc.slow-host", About: "it waits for the host no longer than half a second, and ends then",
		Waiting: func(_ *rpcPlugin, wait chan rpcMessage) {
			select {
			case m := <-wait:
				wait <- m
			case <-time.After(500 * time.Millisecond):
				die("TimeoutError: the host did not answer")
			}
		}},
	{Name: "rpc-null-kills", Catches: "rpc.null-result", About: "the result null of the host ends it",
		Heard: func(m rpcMessage) {
			if string(m.Result) == "null" || bytes.Contains(m.Result, []byte(`"value":null`)) {
				die("TypeError: Cannot read properties of null")
			}
		}},
	{Name: "rpc-stderr-kills", Catches: "rpc.stderr-flood", About: "where its log goes nowhere it does not start", Also: []string{"rpc.initialize"},
		Start: func(*rpcPlugin) {
			if info, err := os.Stderr.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
				os.Exit(1)
			}
		}},
	{Name: "rpc-not-flushed", Catches: "rpc.flushes", About: "it writes its messages once stdin is closed", Config: impatient, Also: also("rpc.initialize"),
		Start: func(p *rpcPlugin) { p.out = bufio.NewWriterSize(p.out, 1<<20) },
		End:   func(p *rpcPlugin) { p.out.(*bufio.Writer).Flush() }},
	{Name: "rpc-takes-request-for-answer", Catches: "rpc.id-collision", About: "a request of the host with the id of its own open call is taken for the answer", Config: impatient,
		Also: also(),
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			p.mu.Lock()
			wait := p.pending[string(m.ID)]
			p.mu.Unlock()
			if m.ID == nil || wait == nil || m.Method == nil || !p.greeted {
				return false
			}
			m.Result = m.Params
			p.answered(*m)
			return true
		}},
	{Name: "rpc-child-eats", Catches: "rpc.children-leave-stdin", About: "a process that it starts for the tool sum reads its stdin", Config: impatient,
		Also: also(),
		Message: func(p *rpcPlugin, m *rpcMessage) bool {
			if !mentionsTool(m, "sum") {
				return false
			}
			result, e := p.call(m)
			p.answer(m, result, e)
			self, err := os.Executable()
			if err != nil {
				die("%v", err)
			}
			child := exec.Command(self, start, "eater")
			child.Stdin = os.Stdin
			child.Run()
			return true
		}},
	{Name: "rpc-events-disordered", Catches: "rpc.ordered-events", About: "it tells of two events in the wrong order",
		Params: func(p *rpcPlugin, method string, params any) (string, any) {
			if m, ok := params.(map[string]any); ok && method == "host.toast" && strings.HasPrefix(m["text"].(string), "chat_message") || ok && method == "host.toast" && strings.HasPrefix(m["text"].(string), "tool_call") {
				p.memory.Lock()
				defer p.memory.Unlock()
				words := m["text"].(string)
				if p.memory.n++; p.memory.n%2 == 1 { // told after the next
					p.memory.words = append(p.memory.words, words)
					return "", nil
				}
				m["text"] = words + " after " + p.memory.words[0]
				p.memory.words = nil
			}
			return method, params
		}},
	{Name: "rpc-splits-lines", Catches: "rpc.line-separators", About: "it takes U+2028 and the like for the end of a line", Config: impatient, Also: []string{"rpc.unicode", "rpc.tool.answers", "rpc.id-echo"},
		Line: func(_ *rpcPlugin, line []byte) [][]byte {
			return bytes.FieldsFunc(line, func(r rune) bool { return slices.Contains([]rune("\u2028\u2029\u0085"), r) })
		}},
	{Name: "rpc-crlf-kills", Catches: "rpc.crlf", About: "a request that ends in CRLF ends it", Line: dies("trailing characters", func(line []byte) bool { return bytes.HasSuffix(line, []byte("\r\n")) })},
	{Name: "rpc-blank-line-kills", Catches: "rpc.blank-line", About: "a blank line ends it",
		Line: dies("unexpected end of JSON input", func(line []byte) bool { return len(line) > 0 && len(bytes.TrimSpace(line)) == 0 })},
	{Name: "rpc-versionless-ignored", Catches: "rpc.missing-version", About: "it says nothing to a request without jsonrpc", Config: impatient, Also: []string{"rpc.invalid-request"},
		Message: ignores(func(m *rpcMessage) bool { return m.Version == nil && m.Method != nil })},
}

// count keeps how many of the plugin's own calls are waited for.
func (p *rpcPlugin) count(by int) {
	p.memory.Lock()
	defer p.memory.Unlock()
	p.memory.n += by
}
