package harness

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"plugcheck/validator"
	"plugcheck/validator/argsgen"
	"plugcheck/validator/rpc"
)

// ask sends a request and keeps it for what has to come of it.
func (sc *jsonrpcScenario) ask(d *dialogue, r request) error {
	call := d.ask(r)
	if sc.unhurried {
		d.mu.Lock()
		call.Limit = sc.limit()
		d.mu.Unlock()
	}
	sc.calls = append(sc.calls, sentCall{call, r.about})
	sc.did = r.about
	return nil
}

// askEach sends requests one by one, each once the one before was answered, so
// that what goes wrong is told of the right one.
func (sc *jsonrpcScenario) askEach(list []request) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := sc.ask(d, r); err != nil {
			return err
		}
		if err := sc.awaitLast(1); err != nil {
			return err
		}
	}
	return nil
}

// limit is how long a call may take with this host, which may be slow itself.
func (sc *jsonrpcScenario) limit() time.Duration {
	if sc.manner.late > 0 {
		return sc.wire.answerLimit() + 5*sc.manner.late
	}
	return sc.wire.answerLimit()
}

// awaitLast waits for the answers to the last n calls.
func (sc *jsonrpcScenario) awaitLast(n int) error {
	last := sc.calls[len(sc.calls)-n:]
	var calls []*rpc.Call
	for _, c := range last {
		calls = append(calls, c.Call)
	}
	open := sc.talk.missing(sc.limit(), calls...)
	if open == nil {
		return nil
	}
	o := sc.talk.unanswered(open)
	i := slices.IndexFunc(last, func(c sentCall) bool { return c.Call == open })
	o.finding.Message = last[i].about + ": " + o.finding.Message
	return o
}

func (sc *jsonrpcScenario) callsWith(method, params string) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	if !json.Valid([]byte(params)) {
		return fmt.Errorf("the params of %s are no JSON: %s", method, params)
	}
	return sc.ask(d, request{method, method, json.RawMessage(params)})
}

func (sc *jsonrpcScenario) callsTools() error {
	if _, err := sc.session(); err != nil {
		return err
	}
	list, why := sc.wire.toolRequests(true)
	if err := sc.askEach(list); err != nil {
		return err
	}
	return why
}

// badly is how many broken arguments are drawn for each tool.
const badly = 5

func (sc *jsonrpcScenario) callsToolsBadly() error {
	if _, err := sc.session(); err != nil {
		return err
	}
	tools, why := sc.wire.tools()
	if why != nil {
		return why
	}
	var list []request
	for _, t := range tools {
		if bytesNull(t.schema) {
			continue
		}
		gen, err := argsgen.Invalid(t.schema)
		if err != nil {
			continue // a schema that allows everything, or one that rpc.tool.answers tells about
		}
		for i := range badly {
			b := gen.Example(i + 1)
			r := toolRequest(t, b.Value)
			r.about += fmt.Sprintf(", where %s %s", b.Place, b.What)
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return skip("no tool has an args_schema that arguments could break")
	}
	return sc.askEach(list)
}

func (sc *jsonrpcScenario) invokesCommands() error {
	if _, err := sc.session(); err != nil {
		return err
	}
	list := append(sc.wire.invocations(""), sc.wire.invocations("some words --and=this 'quoted'")...)
	if len(list) == 0 {
		return skip("it registers no command that may be invoked")
	}
	return sc.askEach(list)
}

func (sc *jsonrpcScenario) asksForContext() error {
	if _, err := sc.session(); err != nil {
		return err
	}
	if !sc.wire.usual.context {
		return skip("it registers no context provider")
	}
	return sc.askEach([]request{contextRequest(""), contextRequest("How do I begin?"), contextRequest(strings.Repeat("A long talk. ", 1000))})
}

// usesAll is a tour through all that the plugin offers.
func (sc *jsonrpcScenario) usesAll() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	for _, e := range sc.wire.usual.events {
		d.notify(rpc.EventFire, eventParams(e, map[string]any{"text": "an ordinary payload"}))
	}
	list := sc.wire.usable()
	if sc.manner.late > 0 || sc.manner.asksBack { // a host that is slow itself must not make context late
		list = calls(list)
	}
	if len(list)+len(sc.wire.usual.events) == 0 {
		return skip("it registers nothing that could be used, or answers none of it")
	}
	if sc.manner.late > 0 { // one by one they would wait for each other
		for _, r := range list {
			if err := sc.ask(d, r); err != nil {
				return err
			}
		}
		if err := sc.eachAnswered(); err != nil {
			return err
		}
	} else if err := sc.askEach(list); err != nil {
		return err
	}
	// Its handlers of events may have calls open.
	sc.calm(d)
	return nil
}

// calm waits until the plugin has nothing more to say.
func (sc *jsonrpcScenario) calm(d *dialogue) {
	d.await(sc.limit(), func() bool {
		return !slices.ContainsFunc(d.conv.Owed(), func(o rpc.Debt) bool { return o.By == validator.FromHost })
	})
}

func eventParams(event string, payload any) map[string]any {
	return map[string]any{"event": event, "payload": payload}
}

// callsToolsInPairs sends a second request while one is worked on, and a third once
// it is done; neither must be lost.
func (sc *jsonrpcScenario) callsToolsInPairs() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	list := calls(sc.wire.offers())
	if len(list) == 0 {
		return skip("it registers neither tools nor commands")
	}
	for _, r := range list {
		if err := sc.ask(d, r); err != nil {
			return err
		}
		first := sc.calls[len(sc.calls)-1]
		d.missing(asideTime, first.Call)
		second := sc.wire.probe
		second.about += ", sent behind " + r.about
		if err := sc.ask(d, second); err != nil {
			return err
		}
		if err := sc.awaitLast(2); err != nil {
			return err
		}
	}
	return nil
}

func (sc *jsonrpcScenario) badParams() error {
	if _, err := sc.session(); err != nil {
		return err
	}
	var list []request
	if len(sc.wire.usual.tools) > 0 {
		list = append(list, request{"tool.call whose name is a number", rpc.ToolCall, map[string]any{"name": 7, "args": map[string]any{}}},
			request{"tool.call without a name", rpc.ToolCall, map[string]any{}})
	}
	if len(sc.wire.usual.commands) > 0 {
		list = append(list, request{"command.invoke whose id is a number", rpc.CommandInvoke, map[string]any{"id": 7}},
			request{"command.invoke without an id", rpc.CommandInvoke, map[string]any{}})
	}
	if len(list) == 0 {
		return skip("it registers neither tools nor commands, and has no params that could be wrong")
	}
	return sc.askEach(list)
}

func (sc *jsonrpcScenario) inFlight(n int) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	list := append(calls(sc.wire.usable()), sc.wire.probe)
	for i := range n {
		if err := sc.ask(d, list[i%len(list)]); err != nil {
			return err
		}
	}
	return nil
}

const (
	// everyKind has characters of one to four bytes, some that combine, and some
	// that old code pages have elsewhere or nowhere.
	everyKind = "é Đ ß ø 日本語 🟢 𝒳 e\u0301 \u200d Ж \u00a0 ﷽"
	// separators are what some languages take for the end of a line. \v and \f can
	// only be sent as escapes.
	separators = "a\u2028b\u2029c\u0085d\ve\ff"
	large      = 1 << 20
	// plainText is the text whose answer tells whether a request gives back what it is given.
	plainText = "plugcheck sends a text"
)

// texts are what can be sent wherever a text can be.
var texts = map[string]string{
	"characters of every kind": everyKind,
	"line separators":          separators,
	"1 MiB of text":            strings.Repeat("0123456789abcdef", large/16),
}

// sendsText sends a text in every place that can have one. A request that gives
// back plain text has to give back characters of every kind too.
func (sc *jsonrpcScenario) sendsText(what string) error {
	text, ok := texts[what]
	if !ok {
		return fmt.Errorf("there is no text called %q", what)
	}
	d, err := sc.session()
	if err != nil {
		return err
	}
	sc.unhurried = true // it is about the text and not about the time
	for _, carry := range sc.wire.carriers() {
		if err := sc.askEach([]request{carry(plainText), carry(text)}); err != nil {
			return err
		}
		n := len(sc.calls)
		before, after := sc.calls[n-2], sc.calls[n-1]
		if text != everyKind || !mentions(before.Answer(), plainText) || mentions(after.Answer(), text) {
			continue
		}
		return d.fail(validator.Finding{Class: "garbled", Message: fmt.Sprintf("%s: plain text came back as it was sent, and %q did not", after.about, text),
			Expected: text, Got: validator.Quote(after.Answer().Raw, 300),
			Fix: "Read and write UTF-8 whatever the locale says: in Python, sys.stdin.reconfigure(encoding=\"utf-8\") and the same for stdout."})
	}
	for _, e := range sc.wire.usual.events {
		d.notify(rpc.EventFire, eventParams(e, map[string]any{"text": text}))
	}
	sc.did = what + " was sent"
	return nil
}

// mentions reports whether a text stands in any string of an answer's result.
func mentions(m *rpc.Message, text string) bool {
	var v any
	return m != nil && json.Unmarshal(m.Result, &v) == nil && holds(v, text)
}

func holds(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return holds(e, text) })
	case map[string]any:
		for _, e := range v {
			if holds(e, text) {
				return true
			}
		}
	}
	return false
}

// oddPayloads are what an event may carry; the document does not say.
var oddPayloads = []struct {
	about   string
	payload any
}{
	{"an empty payload", map[string]any{}},
	{"the payload null", nil},
	{"a payload that is a list", []any{1, "two", nil}},
	{"a payload that is a text", "text"},
	{"a payload that is a number", -1.5e300},
	{"a large payload", map[string]any{"text": strings.Repeat("x", 256<<10)}},
	{"a deep payload", json.RawMessage(strings.Repeat(`{"a":[`, 50) + strings.Repeat(`]}`, 50))},
	{"a payload with every kind of character", map[string]any{everyKind: everyKind}},
}

func (sc *jsonrpcScenario) firesEvents() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	if len(sc.wire.usual.events) == 0 {
		return skip("it subscribes to no event")
	}
	for _, e := range sc.wire.usual.events {
		for _, odd := range oddPayloads {
			d.notify(rpc.EventFire, eventParams(e, odd.payload))
			if err := d.serves(fmt.Sprintf("the event %s with %s", e, odd.about)); err != nil {
				return err
			}
		}
		d.notify(rpc.EventFire, map[string]any{"event": e})
	}
	sc.did = "an event without a payload"
	return nil
}

// firesInARow fires events that can be told apart by a word in their payload.
func (sc *jsonrpcScenario) firesInARow(n int) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	if len(sc.wire.usual.events) == 0 {
		return skip("it subscribes to no event")
	}
	for i := range n {
		word := fmt.Sprintf("event-%04d", i+1)
		d.notify(rpc.EventFire, eventParams(sc.wire.usual.events[0], map[string]any{"text": word, "plugcheck": word}))
	}
	sc.did = strconv.Itoa(n) + " events"
	if err := d.serves(sc.did); err != nil {
		return err
	}
	told := -1
	for told != d.saidSoFar() { // whoever answers events in the background tells of them later
		told = d.saidSoFar()
		d.await(calmTime, func() bool { return len(d.host.said) > told })
	}
	return nil
}

func (d *dialogue) saidSoFar() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.host.said)
}

var eventWord = regexp.MustCompile(`event-(\d{4})`)

func (sc *jsonrpcScenario) inOrder() error {
	d := sc.talk
	d.mu.Lock()
	said := slices.Clone(d.host.said)
	d.mu.Unlock()
	last, any := 0, false
	for _, m := range said {
		for _, word := range eventWord.FindAllSubmatch(m.Params, -1) {
			n, _ := strconv.Atoi(string(word[1]))
			if n < last {
				return d.fail(validator.Finding{Class: "out-of-order", Message: fmt.Sprintf("it told of event %d after it had told of event %d, which was fired later", n, last),
					Expected: "event " + strconv.Itoa(n) + " first", Got: validator.Quote(m.Raw, 200)})
			}
			last, any = n, true
		}
	}
	if !any {
		return skip("nothing that it says to the host tells the events apart")
	}
	return nil
}

// sendsLines sends lines that are no messages, each with an ordinary call behind it.
func (sc *jsonrpcScenario) sendsLines(table *godog.Table) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	for _, row := range table.Rows {
		text, err := unescaped(row.Cells[0].Value)
		if err != nil {
			return err
		}
		d.send([]byte(text))
		sc.did = "the line " + validator.Quote([]byte(text), 60)
		if err := d.serves(sc.did); err != nil {
			return err
		}
	}
	return nil
}

// unescaped reads the escapes of a cell as Go's strings have them.
func unescaped(cell string) (string, error) {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(cell, `"`, `\"`) + `"`)
	if err != nil {
		return "", fmt.Errorf("the cell %s: its escapes are not those of a Go string: %w", cell, err)
	}
	return text, nil
}

// sendsRequests sends requests as they are written in the table.
func (sc *jsonrpcScenario) sendsRequests(table *godog.Table) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	for _, row := range table.Rows {
		d.mu.Lock()
		m := d.write([]byte(strings.ReplaceAll(row.Cells[0].Value, "ID", string(d.nextID()))))
		d.mu.Unlock()
		if m.Call == nil {
			return fmt.Errorf("the line %s is no request with an id", m.Raw)
		}
		sc.did = "the line " + string(m.Raw)
		sc.calls = append(sc.calls, sentCall{m.Call, string(m.Raw)})
		if err := sc.awaitLast(1); err != nil {
			return err
		}
	}
	return nil
}

func (sc *jsonrpcScenario) sendsBatch() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	d.mu.Lock()
	p := sc.wire.probe
	one := func() string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, d.nextID(), encoded(p.method), encoded(p.params))
	}
	m := d.write([]byte("[" + one() + "," + one() + "]"))
	d.mu.Unlock()
	for _, inner := range m.Batch {
		sc.calls = append(sc.calls, sentCall{inner.Call, "a batch of two calls"})
	}
	sc.did = "a batch of two calls"
	return nil
}

func (sc *jsonrpcScenario) sendsCRLF() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	d.mu.Lock()
	p := sc.wire.probe
	m := d.write([]byte(fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":%s,\"params\":%s}\r", d.nextID(), encoded(p.method), encoded(p.params))))
	d.mu.Unlock()
	sc.did = "a call that ends in CRLF"
	sc.calls = append(sc.calls, sentCall{m.Call, sc.did})
	return nil
}
