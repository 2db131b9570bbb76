package rpc

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"plugcheck/validator"
)

// A Call is a request and what came of it.
type Call struct {
	Request *Message
	// Answers holds the answer. What came besides with the same id are breaches.
	Answers []*Message
	// Limit is how long the asker waits; zero where the contract says it or nobody does.
	Limit time.Duration

	// odd is the message whose shape lets the call be refused with the id null.
	odd *Message
	// earlier is a call with the same id that was open when this one was made.
	earlier *Call
}

// next is the call that an answer with the id is for: the oldest that is open, or
// the last where all are answered.
func (k *Call) next() *Call {
	found := k
	for e := k; e != nil; e = e.earlier {
		if e.Answer() == nil {
			found = e
		}
	}
	return found
}

// Answer is what counts as the answer, or nil.
func (k *Call) Answer() *Message {
	if len(k.Answers) == 0 {
		return nil
	}
	return k.Answers[0]
}

// A Conversation is what was seen in one session with one process. It is filled
// line by line, in the order in which things happened, from one goroutine; a line
// of the host is added before it is written, or its answer could come first.
type Conversation struct {
	// Name tells people which session this was.
	Name string
	// Static is the manifest on disk; nil where there is none.
	Static *Manifest
	// Messages are all lines, in the order in which they came, but for those that
	// were let go of; see Left.
	Messages []*Message
	// Overflow is set when a plugin said more than is kept, none of it settled:
	// whoever drives it ends it.
	Overflow bool
	// Flood says in words what was too much, where the process was ended for it.
	Flood string
	// Left counts the messages that were settled, had nothing wrong with them and
	// are no longer kept.
	Left int

	// Closed is when the host closed the plugin's stdin; zero while it is open.
	Closed time.Duration
	// Exit is how the process ended; nil while it runs.
	Exit *validator.Exit
	// Ended is when.
	Ended time.Duration
	// Asked is when the host asked the process to shut down, and Cut when it waited
	// no longer: it closed stdin or sent a signal. Zero is never.
	Asked, Cut time.Duration
	// LeftRunning names the processes that it left behind.
	LeftRunning []validator.Survivor
	// Stderr is the end of what the process logged.
	Stderr []byte

	calls   map[validator.Source]map[string]*Call // the newest with each id
	settled map[validator.Source]*idSet           // ids of answered calls that are no longer kept
	lines   map[validator.Source]int
	// batched and notified are set once the host has sent a batch, and a
	// notification; asked once the plugin has sent a request.
	batched, notified, asked bool
	opening                  *Call      // the first initialize
	identity                 *Identity  // what it came to
	earning                  []*Message // odd messages of the host that may yet be refused with the id null
	logged                   int        // bytes of stderr
	dec                      *jsontext.Decoder
	since, bytes             int // see tidy
}

// New returns an empty conversation.
func New(name string, static *Manifest) *Conversation {
	return &Conversation{
		Name: name, Static: static, dec: new(jsontext.Decoder),
		lines:   map[validator.Source]int{},
		calls:   map[validator.Source]map[string]*Call{validator.FromHost: {}, validator.FromPlugin: {}},
		settled: map[validator.Source]*idSet{validator.FromHost: {}, validator.FromPlugin: {}},
	}
}

// Add takes the next line, without its newline, and returns what it is. The
// conversation keeps raw.
func (c *Conversation) Add(at time.Duration, from validator.Source, raw []byte) *Message {
	return c.add(&Message{At: at, From: from, Raw: raw})
}

// AddRest takes what stands at the end of a stream without a newline.
func (c *Conversation) AddRest(at time.Duration, from validator.Source, raw []byte) *Message {
	return c.add(&Message{At: at, From: from, Raw: raw, Unfinished: true})
}

func (c *Conversation) add(m *Message) *Message {
	m.read(c.dec)
	c.lines[m.From]++
	m.number = c.lines[m.From]
	if m.Kind == Broken || m.framing != nil {
		m.during = c.newest(peer(m.From))
	}
	c.Messages = append(c.Messages, m)
	c.match(m)
	c.tidy(m)
	return m
}

// Spoke reports whether the plugin said anything.
func (c *Conversation) Spoke() bool { return c.lines[validator.FromPlugin] > 0 }

// newest is the youngest call of a side that is open.
func (c *Conversation) newest(asker validator.Source) *Call {
	var found *Call
	for _, k := range c.calls[asker] {
		if k.Answer() == nil && (found == nil || k.Request.number > found.Request.number) {
			found = k
		}
	}
	return found
}

// match brings requests and responses together.
func (c *Conversation) match(m *Message) {
	switch {
	case m.From == validator.FromHost && m.ID != nil && null(m.ID):
		m.odd = true // its answer cannot be told from a refusal of any other odd message
	case m.Kind == Batch:
		for _, inner := range m.Batch {
			c.match(inner)
			if m.odd && inner.Call != nil && inner.Kind == Request {
				inner.Call.odd = m
			}
		}
	case m.Kind == Response && c.expects(m):
		c.answer(m)
	case m.Kind == Response:
		// The host never answers what was not asked, but to see what becomes of it:
		// for the plugin it is a request without a method, and may be refused as one.
		m.odd = true
		c.open(m)
	case m.ID != nil && (m.Kind == Request || m.From == validator.FromHost):
		c.open(m)
	}
	if m.From == validator.FromHost && m.odd {
		c.earning = append(c.earning, m)
	}
	if m.From != validator.FromHost {
		return
	}
	switch {
	case m.Method == Shutdown:
		c.Asked = max(m.At, 1)
	case m.Kind == Batch:
		c.batched = true
	case m.Kind == Notification:
		c.notified = true
	}
}

// expects reports whether a response may be one to a call: the plugin's always,
// and the host's when such a call of the plugin is open.
func (c *Conversation) expects(m *Message) bool {
	call := c.calls[validator.FromPlugin][string(m.ID)]
	return m.From == validator.FromPlugin || m.ID == nil || call != nil && call.next().Answer() == nil
}

func (c *Conversation) open(m *Message) {
	id := string(m.ID)
	m.Call = &Call{Request: m}
	if before := c.calls[m.From][id]; before != nil && before.next().Answer() == nil {
		m.twin, m.Call.earlier = before, before
	}
	c.asked = c.asked || m.From == validator.FromPlugin
	if m.odd {
		m.Call.odd = m
	}
	c.calls[m.From][id] = m.Call
	if m.From == validator.FromHost && m.Method == Initialize && c.opening == nil {
		c.opening = m.Call
	}
}

func (c *Conversation) answer(m *Message) {
	asker := peer(m.From)
	id := string(m.ID)
	call, ok := c.calls[asker][id]
	if ok {
		call = call.next()
	}
	switch {
	case ok && call.Answer() == nil:
		m.Call = call
		call.Answers = append(call.Answers, m)
		c.introduce(call, m)
	case ok && call.Answer().excused:
		// The refusal with the id null was one of another odd message, then.
		call.Answer().Call = nil
		m.Call = call
		call.Answers[0] = m
		c.introduce(call, m)
	case ok:
		m.twin = call
	case c.settled[asker].has(id):
		m.twin = &Call{Request: &Message{From: asker, ID: m.ID}}
	case m.From == validator.FromPlugin && null(m.ID) && c.earned(m.Error) != nil:
		c.excuse(m, c.earned(m.Error))
	default:
		m.like = c.likely(asker, m.ID)
		m.afterNotification = c.notified
	}
}

// earned is the odd message of the host that a refusal with the id null is for: a
// request that waits for it, if there is one, and with a parse error rather a line
// that is none. Nil is none.
func (c *Conversation) earned(refusal json.RawMessage) *Message {
	code := refusesBroken(refusal)
	if code == 0 {
		return nil
	}
	// Another code is the wrong one for what is JSON and no request, and the id still
	// right; the checks that are about such lines tell the code.
	other := code != CodeParse && code != CodeInvalidRequest
	var first *Message
	for _, odd := range c.earning {
		if other && !json.Valid(odd.Raw) {
			continue
		}
		if (code == CodeParse) == (odd.Kind == Broken && odd.ID == nil) && (code == CodeParse || c.waiting(odd)) {
			return odd
		}
		if first == nil {
			first = odd
		}
	}
	return first
}

// excuse lets a refusal with the id null stand for an odd message of the host.
func (c *Conversation) excuse(m, odd *Message) {
	c.earning = slices.DeleteFunc(c.earning, func(o *Message) bool { return o == odd })
	m.excused = true
	for _, k := range c.calls[peer(m.From)] {
		if k.odd == odd && k.Answer() == nil {
			k.Answers = append(k.Answers, m)
			m.Call = k
		}
	}
}

// waiting reports whether an odd message opened a call that has no answer.
func (c *Conversation) waiting(odd *Message) bool {
	for _, k := range c.calls[odd.From] {
		if k.odd == odd && k.Answer() == nil {
			return true
		}
	}
	return false
}

// refusesBroken is the code of an error by which a line may be refused that is no
// request, for then the id cannot be known; otherwise 0. What has no code that can be
// read may be meant as an invalid request.
func refusesBroken(raw json.RawMessage) int {
	var e struct {
		Code int `json:"code"`
	}
	switch {
	case null(raw):
		return 0
	case json.Unmarshal(raw, &e) != nil:
		return CodeInvalidRequest
	}
	return e.Code
}

// likely is the open call that a response with an unknown id most likely
// answers: one whose id says the same in another way, and otherwise the only one.
func (c *Conversation) likely(asker validator.Source, id json.RawMessage) *Call {
	var only *Call
	n := 0
	for _, k := range c.calls[asker] {
		if k.Answer() != nil {
			continue
		}
		if alike(k.Request.ID, id) {
			return k
		}
		only = k
		n++
	}
	if n == 1 {
		return only
	}
	return nil
}

// peer is the other side.
func peer(side validator.Source) validator.Source {
	if side == validator.FromHost {
		return validator.FromPlugin
	}
	return validator.FromHost
}

// Note takes what is no part of the wire: a step of the host (FromMark), the end
// of the process in words (FromExit), what it logged.
func (c *Conversation) Note(at time.Duration, from validator.Source, text []byte) {
	if from == validator.FromStderr {
		c.Stderr = append(c.Stderr, text...)
		if over := len(c.Stderr) - keptLog; over > keptLog {
			c.Stderr = append([]byte(nil), c.Stderr[over:]...)
		}
		if c.logged += len(text); c.logged > keptLog { // only its end is looked at any more
			return
		}
	}
	m := &Message{At: at, From: from, Kind: Note, Raw: text}
	c.Messages = append(c.Messages, m)
	c.tidy(m)
}

// CloseStdin notes that the host closed the plugin's stdin.
func (c *Conversation) CloseStdin(at time.Duration) {
	c.Closed = max(at, 1)
	c.cut(at)
	c.Note(at, validator.FromMark, []byte(MarkClosed))
}

// Signal notes that the host sent a signal.
func (c *Conversation) Signal(at time.Duration, name string) {
	c.cut(at)
	c.Note(at, validator.FromMark, []byte(MarkSent+name))
}

// Leave notes how the process ended.
func (c *Conversation) Leave(at time.Duration, exit validator.Exit) {
	c.Exit, c.Ended = &exit, at
	c.Note(at, validator.FromExit, []byte(exit.String()))
}

func (c *Conversation) cut(at time.Duration) {
	if c.Cut == 0 {
		c.Cut = max(at, 1)
	}
}

// The words of the marks in a transcript.
const (
	MarkClosed = "stdin closed"
	MarkSent   = "sent "
)

// keptLog is how much of the end of stderr is kept.
const keptLog = 32 << 10

// A Debt is an answer that is owed.
type Debt struct {
	By    validator.Source
	Call  *Call
	Since time.Duration
}

// Owed lists who owes which answer since when, the oldest first.
func (c *Conversation) Owed() []Debt {
	var list []Debt
	for _, asker := range []validator.Source{validator.FromHost, validator.FromPlugin} {
		for _, k := range c.calls[asker] {
			if k.Answer() == nil {
				list = append(list, Debt{peer(asker), k, k.Request.At})
			}
		}
	}
	slices.SortFunc(list, func(a, b Debt) int { return cmp.Compare(a.Since, b.Since) })
	return list
}

func decimal(n int) string { return strconv.Itoa(n) }
