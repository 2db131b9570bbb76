// Package rpc judges conversations of plugins that speak JSON-RPC 2.0 over
// stdio, both ways, one message a line. It starts nothing: whoever saw the lines
// adds them to a [Conversation], which finds out who owes whom an answer, and the
// rules say what is wrong with it.
package rpc

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"plugcheck/validator"
)

// A Kind says what a line is.
type Kind int

// The kinds of line. A note is no part of the wire: stderr, a step of the host,
// the end of the process.
const (
	Broken Kind = iota
	Note
	Request
	Notification
	Response
	Batch
)

var kindNames = [...]string{"broken line", "note", "request", "notification", "response", "batch"}

func (k Kind) String() string { return kindNames[k] }

// A Message is one line, with what it was understood to be. The parts are pieces
// of Raw, as they stand; nil is absent, which is not the same as null.
type Message struct {
	At   time.Duration
	From validator.Source
	Raw  []byte // without its newline
	Kind Kind

	ID, Version, Params, Result, Error json.RawMessage
	Method                             string
	// Batch holds the members of an array, and the values that stand on one line
	// one behind the other.
	Batch []*Message

	// Unfinished is set for the end of a stream that has no newline.
	Unfinished bool

	// Call is what a request opened, or what a response answers; nil for a response
	// to nothing.
	Call *Call

	// framing says why this is not one message on one line, and strict why it is
	// not JSON as everybody reads it.
	framing, strict *validator.Finding
	// odd is set where a request is not as it should be, so that it may be refused
	// with the id null.
	odd bool
	// twin is the call that already had the id of this message when it came: open,
	// for a request, and answered, for a response.
	twin *Call
	// like is the open call that a response with a wrong id most likely answers.
	like *Call
	// number counts the lines of its side, from 1, and during is the call of the
	// other side that was open when a line came that is no message.
	number int
	during *Call
	// afterNotification is set for a response to nothing when the host had sent one.
	afterNotification bool
	// excused is set for a refusal with the id null that broken lines account for.
	excused bool
}

// read finds out what a line is.
func (m *Message) read(dec *jsontext.Decoder) {
	text := bytes.TrimPrefix(m.Raw, []byte("\xef\xbb\xbf"))
	if len(text) < len(m.Raw) {
		m.strict = &validator.Finding{Class: "bom", Message: "the line begins with a byte order mark (EF BB BF), which a JSON decoder refuses", Expected: "the line to begin with {"}
	}
	text = bytes.Trim(text, " \t\r")
	switch {
	case len(text) == 0:
		m.framing = &validator.Finding{Class: "blank-line", Message: "a blank line, which is no message"}
	case text[0] == '{':
		m.readObjects(dec, text)
	case text[0] == '[':
		m.readBatch(dec, text)
	default:
		m.noMessage(text)
	}
	if m.Unfinished && m.framing == nil && m.Kind != Broken {
		m.framing = &validator.Finding{Class: "no-newline", Message: "the message has no newline behind it, so a host that reads lines waits for it",
			Fix: "End every message with \\n, and flush."}
	}
}

// readObjects reads an object; where more stand behind it, all of them.
func (m *Message) readObjects(dec *jsontext.Decoder, text []byte) {
	end, ok := m.readObject(dec, text)
	if !ok {
		m.noMessage(text)
		return
	}
	rest := bytes.Trim(text[end:], " \t\r")
	if len(rest) == 0 {
		return
	}
	first := *m
	first.framing, first.strict = nil, nil
	second := &Message{At: m.At, From: m.From, Raw: rest}
	second.read(dec)
	*m = Message{At: m.At, From: m.From, Raw: m.Raw, Kind: Batch, Batch: []*Message{&first}, strict: m.strict}
	if second.Kind == Broken {
		m.framing = &validator.Finding{Class: "text-after", Message: "behind the message, on its line, stands more text: " + validator.Quote(rest, 80)}
		return
	}
	m.framing = &validator.Finding{Class: "two-values", Message: "two JSON values stand on one line, the second at byte " + decimal(len(m.Raw)-len(rest)) + "; a host that decodes line by line refuses both",
		Fix: "Write a message and its newline in one call, and let one thread write at a time."}
	m.Batch = append(m.Batch, second)
}

// readBatch reads an array.
func (m *Message) readBatch(dec *jsontext.Decoder, text []byte) {
	var items []json.RawMessage
	if json.Unmarshal(text, &items) != nil {
		m.noMessage(text)
		return
	}
	if m.strict == nil {
		m.strict = validator.StrictJSON(text)
	}
	m.Kind, m.odd = Batch, true
	for _, item := range items {
		inner := &Message{At: m.At, From: m.From, Raw: item, odd: true}
		inner.read(dec)
		inner.strict = nil
		m.Batch = append(m.Batch, inner)
	}
}

// readObject reads the object at the beginning of text as leniently as a common
// decoder would, so that a slip in one place does not hide what was meant. It
// returns where the object ends.
func (m *Message) readObject(dec *jsontext.Decoder, text []byte) (end int, ok bool) {
	end, ok = m.members(dec, text)
	if !ok {
		lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
		if end, ok = m.members(dec, text, lenient...); !ok {
			return 0, false
		}
		m.strict = validator.StrictJSON(text[:end])
	}
	m.classify()
	return end, true
}

// members finds the six members that a message can have.
func (m *Message) members(dec *jsontext.Decoder, text []byte, options ...jsontext.Options) (end int, ok bool) {
	m.ID, m.Version, m.Params, m.Result, m.Error, m.Method = nil, nil, nil, nil, nil, ""
	dec.Reset(bytes.NewBuffer(text), options...)
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return 0, false
	}
	for dec.PeekKind() != '}' {
		raw, err := dec.ReadValue()
		if err != nil {
			return 0, false
		}
		var into *json.RawMessage
		var method json.RawMessage
		switch string(unquoted(raw)) {
		case "id":
			into = &m.ID
		case "jsonrpc":
			into = &m.Version
		case "method":
			into = &method
		case "params":
			into = &m.Params
		case "result":
			into = &m.Result
		case "error":
			into = &m.Error
		}
		value, err := dec.ReadValue()
		if err != nil {
			return 0, false
		}
		if into == nil {
			continue
		}
		at := int(dec.InputOffset())
		*into = json.RawMessage(text[at-len(value) : at : at])
		if method != nil {
			m.takeMethod(method)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return 0, false
	}
	m.ID = plainID(m.ID)
	return int(dec.InputOffset()), true
}

// plainID writes an id as all that say the same value write it: decoders keep neither
// escapes nor spaces nor the order of members. Whole numbers stay as they are: 7.0 is
// not what reads as an integer, and large ones are told apart by each digit.
func plainID(raw json.RawMessage) json.RawMessage {
	switch {
	case raw == nil || raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0:
		return raw
	case numeric(raw):
		if f, err := strconv.ParseFloat(string(raw), 64); err != nil || f == math.Trunc(f) {
			return raw
		}
	}
	plain := jsontext.Value(bytes.Clone(raw))
	if plain.Canonicalize() != nil { // a name twice, or no UTF-8
		return raw
	}
	return json.RawMessage(plain)
}

func (m *Message) takeMethod(raw json.RawMessage) {
	if raw[0] == '"' {
		m.Method = string(unquoted(raw))
	}
	m.framing = nil
	if m.Method == "" {
		m.framing = &validator.Finding{Class: "method", Message: "the method is " + validator.Quote(raw, 40) + ", which names nothing", Expected: "a string that is not empty"}
	}
}

// unquoted is the text of a JSON string.
func unquoted(raw []byte) []byte {
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil { // it holds bytes that are no UTF-8, and is looked at all the same
		return raw[1 : len(raw)-1]
	}
	return text
}

// classify says what an object is. What has a method is a request or a
// notification, whatever else it has.
func (m *Message) classify() {
	switch {
	case m.framing != nil: // the method is none
		m.Kind = Broken
	case m.Method != "" && m.ID != nil:
		m.Kind = Request
	case m.Method != "":
		m.Kind = Notification
	case m.ID != nil || m.Result != nil || m.Error != nil:
		m.Kind = Response
	default:
		m.Kind = Broken
		m.framing = &validator.Finding{Class: "no-message", Message: "the object has neither a method nor a result nor an error: it is no JSON-RPC message"}
	}
	m.odd = m.odd || m.Kind == Broken || !m.versioned() || m.Params != nil && m.Params[0] != '{' && m.Params[0] != '[' ||
		m.ID != nil && m.ID[0] != '"' && !numeric(m.ID)
}

func (m *Message) versioned() bool { return string(m.Version) == `"2.0"` }

// noMessage names what a line is that is no JSON object.
func (m *Message) noMessage(text []byte) {
	m.Kind = Broken
	m.odd = true
	if text[0] == '{' {
		m.strict = validator.StrictJSON(text)
		return
	}
	m.framing = &validator.Finding{Class: "not-json", Message: "a line that is no JSON: " + validator.Quote(m.Raw, 40)}
	if json.Valid(text) {
		m.framing = &validator.Finding{Class: "not-object", Message: "a line that is JSON and no object: " + validator.Quote(m.Raw, 40)}
	}
}

// numeric reports whether a raw JSON value is a number.
func numeric(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// null reports whether an id says nothing.
func null(id []byte) bool { return id == nil || string(id) == "null" }
