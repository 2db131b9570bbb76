package plugintest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// rpcRole is the JSON-RPC plugin. Its argument names a fault.
func rpcRole(args []string) int {
	p := newRPCPlugin()
	if len(args) > 0 {
		all := slices.Concat(RPCFaults(), RPCHostile())
		i := slices.IndexFunc(all, func(f RPCFault) bool { return f.Name == args[0] })
		if i < 0 {
			fmt.Fprintf(os.Stderr, "there is no fault %q\n", args[0])
			return 2
		}
		p.fault = all[i]
	}
	return p.serve(os.Stdin, os.Stdout)
}

// An rpcPlugin is one process that serves its host until that leaves. One
// goroutine reads; each request has one of its own, so that it can call the host.
type rpcPlugin struct {
	fault RPCFault

	write sync.Mutex // a message is written in one piece
	out   io.Writer

	mu      sync.Mutex
	pending map[string]chan rpcMessage // the plugin's own open calls, by their id
	calls   int                        // how many there were
	greeted bool

	work sync.WaitGroup // the host's calls that are worked on
	gone chan struct{}  // closed once nothing will be read any more

	memory rpcMemory
}

func newRPCPlugin() *rpcPlugin {
	return &rpcPlugin{pending: map[string]chan rpcMessage{}, gone: make(chan struct{})}
}

// An rpcMessage is one line. Everything is kept raw until it is needed.
type rpcMessage struct {
	Version json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	method string
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func rpcRefusal(code int, format string, args ...any) *rpcError {
	return &rpcError{Code: code, Message: fmt.Sprintf(format, args...)}
}

const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
	rpcUnknownMethod  = -32601
	rpcInvalidParams  = -32602
	rpcInternal       = -32603
	rpcDenied         = -32001
)

// serve reads until the host leaves or shuts the plugin down, and finishes what
// was asked of it.
func (p *rpcPlugin) serve(stdin io.Reader, stdout io.Writer) int {
	p.out = stdout
	if p.fault.Start != nil {
		p.fault.Start(p)
	}
	in := bufio.NewReaderSize(stdin, 1<<16)
	for on := true; on; {
		line, err := in.ReadBytes('\n')
		for _, piece := range p.pieces(line) {
			on = on && p.take(piece)
		}
		on = on && err == nil
	}
	if p.fault.End != nil {
		p.fault.End(p)
	}
	close(p.gone)
	p.work.Wait()
	return 0
}

// pieces are the messages of a line: itself.
func (p *rpcPlugin) pieces(line []byte) [][]byte {
	if p.fault.Line != nil {
		return p.fault.Line(p, line)
	}
	return [][]byte{line}
}

// take deals with one line, and reports whether to go on.
func (p *rpcPlugin) take(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return true
	}
	var m rpcMessage
	if err := json.Unmarshal(line, &m); err != nil {
		e := rpcRefusal(rpcParseError, "the line is no JSON: %v", err)
		if json.Valid(line) {
			e = rpcRefusal(rpcInvalidRequest, "the message is no object")
		}
		p.refuse(&m, e)
		return true
	}
	isString := text(m.Method, &m.method)
	if f := p.fault.Message; f != nil && f(p, &m) {
		return true
	}
	switch {
	case m.Method == nil && m.ID != nil && (m.Result != nil || m.Error != nil):
		p.answered(m)
		return true
	case string(m.Version) != `"2.0"`, !isString, m.ID != nil && !numberOrString(m.ID):
		p.refuse(&m, rpcRefusal(rpcInvalidRequest, "this is no JSON-RPC 2.0 request"))
		return true
	case m.ID == nil:
		p.notified(&m)
		return true
	case m.method == "plugin.initialize":
		result, e := p.initialize(&m)
		p.answer(&m, result, e)
		return true
	case m.method == "plugin.shutdown":
		p.answer(&m, map[string]any{}, nil)
		return p.fault.StaysAfterShutdown
	}
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		result, e := p.call(&m)
		p.answer(&m, result, e)
	}()
	return true
}

func numberOrString(id json.RawMessage) bool {
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// refuse answers what is no request, with its id where it has one that can be.
func (p *rpcPlugin) refuse(m *rpcMessage, e *rpcError) {
	if m.ID == nil || !numberOrString(m.ID) {
		m.ID = json.RawMessage("null")
	}
	p.answer(m, nil, e)
}

// answer sends what came of a request.
func (p *rpcPlugin) answer(m *rpcMessage, result any, e *rpcError) {
	if f := p.fault.Outcome; f != nil {
		result, e = f(p, m, result, e)
	}
	b := []byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + encodeJSON(result) + "}\n")
	if e != nil {
		b = []byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":` + encodeJSON(e) + "}\n")
	}
	if f := p.fault.Answer; f != nil {
		b = f(p, m, b)
	}
	p.send(b)
}

func encodeJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // what a plugin says is made of strings and numbers
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// send writes one message.
func (p *rpcPlugin) send(b []byte) {
	if f := p.fault.Bytes; f != nil {
		b = f(p, b)
	}
	p.write.Lock()
	defer p.write.Unlock()
	p.out.Write(b) // a host that is gone needs no answer
}

// tell calls the host and does not wait for what comes of it.
func (p *rpcPlugin) tell(method string, params any) chan rpcMessage {
	if f := p.fault.Params; f != nil {
		method, params = f(p, method, params)
	}
	if method == "" {
		return nil
	}
	p.mu.Lock()
	p.calls++
	id := fmt.Sprint(p.calls)
	if f := p.fault.ID; f != nil {
		id = f(p.calls)
	}
	answer := make(chan rpcMessage, 1)
	p.pending[id] = answer
	p.mu.Unlock()
	p.send([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":` + encodeJSON(method) + `,"params":` + encodeJSON(params) + "}\n"))
	return answer
}

// ask calls the host and reads the result into a value; null leaves it as it is.
func (p *rpcPlugin) ask(method string, params, into any) error {
	wait := p.tell(method, params)
	if p.fault.Waiting != nil {
		p.fault.Waiting(p, wait)
	}
	select {
	case m := <-wait:
		if f := p.fault.Heard; f != nil {
			f(m)
		}
		if m.Error != nil {
			var e rpcError
			_ = json.Unmarshal(m.Error, &e) // an error that cannot be read is one all the same
			return fmt.Errorf("the host refused %s: %s", method, e.Message)
		}
		return json.Unmarshal(m.Result, into)
	case <-p.gone:
		return errors.New("the host is gone")
	}
}

// answered hands the host's answer to whoever waits for it.
func (p *rpcPlugin) answered(m rpcMessage) {
	p.mu.Lock()
	wait := p.pending[string(m.ID)]
	delete(p.pending, string(m.ID))
	p.mu.Unlock()
	if wait != nil {
		wait <- m
	}
}

// An rpcRegistration is a call of the host that offers something.
type rpcRegistration struct {
	method string
	params map[string]any
}

// rpcIdentity is what the plugin says of itself.
func rpcIdentity() map[string]any {
	return map[string]any{"name": rpcName, "version": rpcVersion, "description": "The reference plugin of the JSON-RPC wire",
		"permissions": rpcPermissions()}
}

const rpcName, rpcVersion = "reference-rpc", "1.0.0"

func rpcPermissions() map[string]any {
	return map[string]any{"config_keys": []string{"greeting"}, "tools_call": []string{"search"}, "events": []string{"tool_call", "chat_message"}}
}

func (p *rpcPlugin) initialize(m *rpcMessage) (any, *rpcError) {
	var params struct {
		HostVersion  *string                    `json:"host_version"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(m.Params, &params) != nil || params.HostVersion == nil {
		return nil, rpcRefusal(rpcInvalidParams, "plugin.initialize needs a host_version")
	}
	if p.greeted {
		return nil, rpcRefusal(rpcInvalidRequest, "it is initialized already")
	}
	p.greeted = true
	registrations := rpcRegistrations()
	if f := p.fault.Registrations; f != nil {
		registrations = f(registrations)
	}
	for _, r := range registrations {
		p.tell(r.method, r.params)
	}
	who := rpcIdentity()
	if f := p.fault.Identity; f != nil {
		f(who)
	}
	return map[string]any{"name": who["name"], "version": who["version"], "manifest": who}, nil
}

func rpcRegistrations() []rpcRegistration {
	var list []rpcRegistration
	for _, t := range rpcTools {
		list = append(list, rpcRegistration{"host.register_tool", map[string]any{
			"name": t.name, "description": t.about, "risk_level": "low", "args_schema": json.RawMessage(t.schema)}})
	}
	return append(list,
		rpcRegistration{"host.register_command", map[string]any{"id": "hello", "title": "Say hello", "description": "Says hello in a toast"}},
		rpcRegistration{"host.register_command", map[string]any{"id": "count", "title": "Count", "description": "Says how many messages the session has"}},
		rpcRegistration{"host.subscribe", map[string]any{"event": "tool_call"}},
		rpcRegistration{"host.subscribe", map[string]any{"event": "chat_message"}},
		rpcRegistration{"host.context_provider", map[string]any{"name": rpcName}},
	)
}

// An rpcTool is one that the plugin offers. What its schema forbids it refuses.
type rpcTool struct {
	name, about, schema string
	call                func(p *rpcPlugin, args json.RawMessage) (any, *rpcError)
}

var rpcTools = []rpcTool{
	{"echo", "Returns the text",
		`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`,
		func(_ *rpcPlugin, raw json.RawMessage) (any, *rpcError) {
			var args struct{ Text *string }
			if !rpcArgs(raw, &args) || args.Text == nil {
				return nil, rpcRefusal(rpcInvalidParams, "text is wanted, as a string")
			}
			return map[string]any{"text": *args.Text}, nil
		}},
	{"sum", "Adds numbers up",
		`{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer","minimum":-1000,"maximum":1000},"minItems":1,"maxItems":100},` +
			`"base":{"enum":["decimal","hex"]}},"required":["numbers"],"additionalProperties":false}`,
		func(_ *rpcPlugin, raw json.RawMessage) (any, *rpcError) {
			var args struct {
				Numbers []*int
				Base    json.RawMessage
			}
			bad := func(n *int) bool { return n == nil || *n < -1000 || *n > 1000 }
			if !rpcArgs(raw, &args) || len(args.Numbers) == 0 || len(args.Numbers) > 100 || slices.ContainsFunc(args.Numbers, bad) {
				return nil, rpcRefusal(rpcInvalidParams, "numbers is wanted, 1 to 100 whole numbers from -1000 to 1000")
			}
			format := map[string]string{"": "%d", `"decimal"`: "%d", `"hex"`: "%x"}[string(args.Base)]
			if format == "" {
				return nil, rpcRefusal(rpcInvalidParams, "base is decimal or hex")
			}
			sum := 0
			for _, n := range args.Numbers {
				sum += *n
			}
			return map[string]any{"sum": fmt.Sprintf(format, sum)}, nil
		}},
	{"greet", "Greets with the words that the user has configured",
		`{"type":"object","properties":{"name":{"type":"string","maxLength":40}},"additionalProperties":false}`,
		func(p *rpcPlugin, raw json.RawMessage) (any, *rpcError) {
			var args struct{ Name json.RawMessage }
			name := "you"
			if !rpcArgs(raw, &args) || args.Name != nil && !text(args.Name, &name) || utf8.RuneCountInString(name) > 40 {
				return nil, rpcRefusal(rpcInvalidParams, "name is a string of up to 40 characters")
			}
			var config struct{ Value any }
			if err := p.ask("host.config_get", map[string]any{"key": "greeting"}, &config); err != nil {
				return nil, rpcRefusal(rpcInternal, "%v", err)
			}
			words, ok := config.Value.(string)
			if !ok {
				words = "Hello"
			}
			return map[string]any{"text": words + ", " + name}, nil
		}},
	{"look", "Searches with the host's own tool",
		`{"type":"object","properties":{"query":{"type":"string","minLength":1}},"required":["query"],"additionalProperties":false}`,
		func(p *rpcPlugin, raw json.RawMessage) (any, *rpcError) {
			var args struct{ Query *string }
			if !rpcArgs(raw, &args) || args.Query == nil || *args.Query == "" {
				return nil, rpcRefusal(rpcInvalidParams, "query is wanted, a string that is not empty")
			}
			var found any
			if err := p.ask("host.call_tool", map[string]any{"name": "search", "args": map[string]any{"query": *args.Query}}, &found); err != nil {
				return nil, rpcRefusal(rpcInternal, "%v", err)
			}
			return map[string]any{"found": found}, nil
		}},
}

// rpcArgs reads a tool's arguments, and nothing but an object with names that it knows.
func rpcArgs(raw json.RawMessage, into any) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return len(raw) > 0 && raw[0] == '{' && dec.Decode(into) == nil
}

// call does what the host asks for.
func (p *rpcPlugin) call(m *rpcMessage) (any, *rpcError) {
	var params map[string]json.RawMessage
	if m.Params != nil && (json.Unmarshal(m.Params, &params) != nil || params == nil) {
		return nil, rpcRefusal(rpcInvalidParams, "the params are no object")
	}
	name, known := map[string]string{"tool.call": "name", "command.invoke": "id", "context.provide": "prompt_so_far"}[m.method]
	if !known {
		return nil, rpcRefusal(rpcUnknownMethod, "there is no method %q", m.method)
	}
	var value string
	if !text(params[name], &value) {
		return nil, rpcRefusal(rpcInvalidParams, "%s needs the string %s", m.method, name)
	}
	switch m.method {
	case "tool.call":
		i := slices.IndexFunc(rpcTools, func(t rpcTool) bool { return t.name == value })
		if i < 0 {
			return nil, rpcRefusal(rpcInvalidParams, "there is no tool %q", value)
		}
		args := params["args"]
		if args == nil {
			args = json.RawMessage("{}")
		}
		return rpcTools[i].call(p, args)
	case "command.invoke":
		return p.command(value, params["args"])
	}
	return map[string]any{"snippets": []any{map[string]any{"title": "Length of the prompt", "content": fmt.Sprintf("The prompt has %d characters so far.", utf8.RuneCountInString(value))}}}, nil
}

func (p *rpcPlugin) command(id string, args json.RawMessage) (any, *rpcError) {
	var words string
	if args != nil && !text(args, &words) {
		return nil, rpcRefusal(rpcInvalidParams, "args is no string")
	}
	switch id {
	case "hello":
		p.tell("host.toast", map[string]any{"kind": "info", "text": "Hello"})
		return nil, nil
	case "count":
		var session struct {
			Count int `json:"message_count"`
		}
		if err := p.ask("host.session_get", map[string]any{}, &session); err != nil {
			return nil, rpcRefusal(rpcInternal, "%v", err)
		}
		p.tell("host.toast", map[string]any{"kind": "info", "text": fmt.Sprintf("%d messages", session.Count)})
		return nil, nil
	}
	return nil, rpcRefusal(rpcInvalidParams, "there is no command %q", id)
}

// notified tells the user of an event. It is called in the order in which they come.
func (p *rpcPlugin) notified(m *rpcMessage) {
	var params struct {
		Event   string
		Payload json.RawMessage
	}
	if m.method != "event.fire" || json.Unmarshal(m.Params, &params) != nil || !slices.Contains([]string{"tool_call", "chat_message"}, params.Event) {
		return
	}
	payload := []rune(string(params.Payload))
	p.tell("host.toast", map[string]any{"kind": "info", "text": params.Event + ": " + string(payload[:min(len(payload), 80)])})
}
