package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"unicode/utf8"

	"plugcheck/validator"
)

var lineRules = []rule{
	{
		Check: validator.Check{ID: "rpc.lines", Level: validator.Must, Contract: contractID,
			Title: "Every line of its stdout is one JSON-RPC object",
			Why:   "The host reads a message from each line. A log line there is taken for one, and a message over several lines is none.",
			Spec:  specWire,
			Fix:   "Write compact JSON, one object and one newline in one call, and everything else to stderr; a library's prints too."},
		Applies: func(c *Conversation) bool { return c.Spoke() || c.Flood != "" },
		Judge:   judgeLines,
	},
	{
		Check: validator.Check{ID: "rpc.strict-json", Level: validator.Must, Contract: contractID,
			Title: "Each message is strict JSON in UTF-8: no name twice, no NaN, no byte order mark, nothing cut off",
			Why:   "Decoders differ in what they make of it, and a strict one drops the message and the call with it.",
			Spec:  specJSONRPC + "section 4 (JSON, RFC 8259)",
			Fix:   "Build the message as data and let the language's JSON encoder write it, as UTF-8 without a byte order mark."},
		Applies: (*Conversation).Spoke,
		Judge: func(c *Conversation) []validator.Finding {
			var found []validator.Finding
			spread := c.spread()
			for m := range c.said() {
				if m.strict == nil || spread[m] != nil {
					continue
				}
				f := *m.strict
				f.Message = m.place() + f.Message
				if f.Got == "" {
					f.Got = validator.Quote(m.Raw, 200)
				}
				if at := invalidUTF8(m.Raw); at >= 0 {
					f.Class, f.Message = "invalid-utf-8", fmt.Sprintf("%sbyte %d is 0x%02x, which is not UTF-8", m.place(), at, m.Raw[at])
					f.Expected = "UTF-8 (Latin-1 and Windows code pages are not)"
				}
				found = append(found, f)
			}
			return found
		},
	},
}

var (
	contentLength = regexp.MustCompile(`(?i)^content-(length|type):`)
	isLog         = regexp.MustCompile(`^\[[^\]"{\[]*[A-Za-z:][^\]"{\[]*\]`)
)

func judgeLines(c *Conversation) []validator.Finding {
	var found []validator.Finding
	if c.Flood != "" {
		found = append(found, validator.Finding{Class: "flood", Message: c.Flood + ", and was ended for it", Expected: "messages that end, and that wait for answers", Got: c.Flood})
	}
	spread := c.spread()
	headers := c.headers()
	if headers != nil {
		found = append(found, validator.Finding{Class: "content-length",
			Message:  headers.place() + "a Content-Length header: its messages are framed as in the Language Server Protocol, and this host takes the header for a message",
			Expected: "one JSON object a line, no headers", Got: validator.Quote(headers.Raw, 80), Fix: "Write each message as one line of JSON with \\n behind it, without headers."})
	}
	for m := range c.said() {
		lines := spread[m]
		switch {
		case lines != nil && lines[0] != m: // told with the first of its lines
		case lines != nil:
			found = append(found, validator.Finding{Class: "pretty-printed",
				Message:  fmt.Sprintf("%sa message is spread over %d lines; the host reads each as a message of its own, and none is one", m.place(), len(lines)),
				Expected: "one line for each message", Got: validator.Quote(joined(lines), 300),
				Fix: "Write compact JSON: json.dumps(message) without indent, JSON.stringify(message) without a third argument."})
		case headers != nil && (contentLength.Match(m.Raw) || m.framing != nil && (m.framing.Class == "blank-line" || m.framing.Class == "text-after")):
		case m.framing != nil:
			f := *m.framing
			f.Message = m.place() + f.Message
			if f.Expected == "" {
				f.Expected = "one JSON-RPC object and nothing else"
			}
			f.Got = validator.Quote(m.Raw, 200)
			found = append(found, f)
		case m.Kind == Batch && !c.batched:
			found = append(found, validator.Finding{Class: "batch", Message: m.place() + "an array of messages, and the host sent none: it reads one object from each line",
				Expected: "one JSON-RPC object", Got: validator.Quote(m.Raw, 200), Fix: "Write each message on a line of its own."})
		}
	}
	return found
}

// place says where a line stands, for a finding to begin with.
func (m *Message) place() string {
	s := fmt.Sprintf("line %d of its stdout", m.number)
	if m.during != nil {
		s += fmt.Sprintf(", while %s was open", m.during)
	}
	return s + ": "
}

func (k *Call) String() string {
	method := k.Request.Method
	if method == "" {
		method = "a request"
	}
	return fmt.Sprintf("%s (id %s)", method, shown(k.Request.ID))
}

// shown is a raw JSON value, shortened.
func shown(raw []byte) string {
	switch {
	case raw == nil:
		return "none"
	case len(raw) > 60 || !utf8.Valid(raw):
		return validator.Quote(raw, 60)
	}
	return string(raw)
}

// headers is the first line that is a header of another framing, or nil.
func (c *Conversation) headers() *Message {
	for m := range c.said() {
		if m.Kind != Response && contentLength.Match(bytes.TrimSpace(m.Raw)) {
			return m
		}
	}
	return nil
}

// maxSpread is how many lines one message may be spread over to be seen as such.
const maxSpread = 200

// spread finds the messages that were written over several lines, and gives for
// each of their lines all of them.
func (c *Conversation) spread() map[*Message][]*Message {
	found := map[*Message][]*Message{}
	var run []*Message
	end := func() {
		for i := 0; i < len(run); i++ {
			if lines := oneValue(run[i:]); lines != nil {
				for _, m := range lines {
					found[m] = lines
				}
				i += len(lines) - 1
			}
		}
		run = nil
	}
	for m := range c.said() {
		// A number or a string alone on its line may be an item of an array.
		if m.Kind == Broken {
			run = append(run, m)
			continue
		}
		end()
	}
	end()
	return found
}

// oneValue returns the lines, the first of which comes first, that together are one object or array.
func oneValue(lines []*Message) []*Message {
	first := bytes.TrimSpace(lines[0].Raw)
	if len(first) == 0 || first[0] != '{' && first[0] != '[' || isLog.Match(first) {
		return nil
	}
	text := joined(lines[:min(len(lines), maxSpread)])
	dec := json.NewDecoder(bytes.NewReader(text))
	var value json.RawMessage
	if dec.Decode(&value) != nil {
		return nil
	}
	end := int(dec.InputOffset())
	n := bytes.Count(text[:end], []byte("\n")) + 1
	if n < 2 || len(bytes.TrimSpace(text[end:len(joined(lines[:n]))])) > 0 {
		return nil
	}
	return lines[:n]
}

func joined(lines []*Message) []byte {
	var all []byte
	for _, m := range lines {
		all = append(append(all, m.Raw...), '\n')
	}
	return all
}

// said yields every line of the plugin.
func (c *Conversation) said() func(yield func(*Message) bool) {
	return func(yield func(*Message) bool) {
		for _, m := range c.Messages {
			if m.From == validator.FromPlugin && m.Kind != Note && !yield(m) {
				return
			}
		}
	}
}

// messages yields the messages of one side, those of an array one by one.
func (c *Conversation) messages(from validator.Source) func(yield func(*Message) bool) {
	return func(yield func(*Message) bool) {
		for _, m := range c.Messages {
			switch {
			case m.From != from || m.Kind == Note || m.Kind == Broken:
			case m.Kind == Batch:
				for _, inner := range m.Batch {
					if inner.Kind != Broken && inner.Kind != Batch && !yield(inner) {
						return
					}
				}
			case !yield(m):
				return
			}
		}
	}
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
