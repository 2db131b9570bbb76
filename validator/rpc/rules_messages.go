package rpc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"plugcheck/contracts"
	"plugcheck/validator"
)

var messageRules = []rule{
	{
		Check: validator.Check{ID: "rpc.version", Level: validator.Must, Contract: contractID,
			Title: "Each message says \"jsonrpc\":\"2.0\"",
			Why:   "It is what tells version 2.0 from 1.0, and strict peers drop a message without it.",
			Spec:  specJSONRPC + "section 4 (\"MUST be exactly \\\"2.0\\\"\")",
			Fix:   "Put \"jsonrpc\":\"2.0\", the string, into every request, notification and response."},
		Applies: (*Conversation).Spoke,
		Judge: func(c *Conversation) []validator.Finding {
			return judgeEach(c, func(m *Message) *validator.Finding {
				if m.versioned() {
					return nil
				}
				return &validator.Finding{Class: shown(m.Version), Message: fmt.Sprintf("%s has jsonrpc %s", m, shown(m.Version)),
					Expected: `"jsonrpc":"2.0"`, Got: shown(m.Version)}
			})
		},
	},
	{
		Check: validator.Check{ID: "rpc.id-echo", Level: validator.Must, Contract: contractID,
			Title: "An answer carries the request's id, the same value of the same type",
			Why:   "The id is all by which the host finds the call that an answer belongs to: with another one the call waits for ever.",
			Spec:  specWire + "; JSON-RPC 2.0, section 5 (\"MUST be the same as the value of the id member in the Request\")",
			Fix:   "Keep the id as it was read, without converting it: as a raw JSON value, or as an integer of 64 bits where the host sends numbers."},
		Applies: answered,
		Judge:   func(c *Conversation) []validator.Finding { return strays(c, wrongID) },
	},
	{
		Check: validator.Check{ID: "rpc.result-xor-error", Level: validator.Must, Contract: contractID,
			Title: "An answer has exactly one of result and error",
			Why:   "With both the host cannot tell success from failure, and with neither it has no answer.",
			Spec:  specJSONRPC + "section 5 (\"Either the result member or error member MUST be included, but both members MUST NOT be included\")",
			Fix:   "Leave the other member out; null is not absent. Where there is nothing to say, answer \"result\":null."},
		Applies: answered,
		Judge: func(c *Conversation) []validator.Finding {
			return judgeEach(c, func(m *Message) *validator.Finding {
				switch {
				case m.Kind != Response:
				case m.Result != nil && m.Error != nil:
					return &validator.Finding{Class: "both", Message: m.String() + " has both a result and an error", Expected: "one of the two", Got: "result " + shown(m.Result) + ", error " + shown(m.Error)}
				case m.Result == nil && m.Error == nil:
					return &validator.Finding{Class: "neither", Message: m.String() + " has neither a result nor an error", Expected: "one of the two", Got: validator.Quote(m.Raw, 200),
						Fix: "Answer \"result\":null where there is nothing to say: encoders leave undefined and empty values out."}
				}
				return nil
			})
		},
	},
	{
		Check: validator.Check{ID: "rpc.error-shape", Level: validator.Must, Contract: contractID,
			Title: "An error is an object with an integer code and a message",
			Why:   "The host decodes it into these two fields; what does not fit makes the whole answer unreadable.",
			Spec:  "Overkill, Package plugin, type RPCError; JSON-RPC 2.0, section 5.1",
			Fix:   "Answer \"error\":{\"code\":-32603,\"message\":\"…\"}, the code a number and the message a string."},
		Idle:    "it never answers with an error",
		Applies: refused,
		Judge: func(c *Conversation) []validator.Finding {
			var found []validator.Finding
			for m := range c.messages(validator.FromPlugin) {
				if !m.refuses() {
					continue
				}
				for _, f := range violations("the error of "+m.String()+": ", m.errorViolations()) {
					f.Got += ", in " + validator.Quote(m.Error, 200)
					found = append(found, f)
				}
			}
			return found
		},
	},
	{
		Check: validator.Check{ID: "rpc.error-code", Level: validator.Should, Contract: contractID,
			Title: "An error's code means something: not 0, and of the reserved ones only those that are defined",
			Why:   "Hosts and users tell failures apart by the code. 0 is what a decoder makes of a code that is missing.",
			Spec:  "Overkill, Package plugin, Constants (ErrCode…); JSON-RPC 2.0, section 5.1 (-32768 to -32000 are reserved)",
			Fix:   "Use -32602 for wrong params, -32603 for an internal failure, and codes outside of -32768 to -32000 for your own."},
		Idle:    "it never answers with an error",
		Applies: refused,
		Judge: func(c *Conversation) []validator.Finding {
			return judgeEach(c, func(m *Message) *validator.Finding {
				code, ok := m.Code()
				if !m.refuses() || !ok || code != 0 && (code < -32768 || code > -32100 || slices.Contains(codes, code)) {
					return nil
				}
				return &validator.Finding{Class: fmt.Sprint(code), Message: fmt.Sprintf("%s has the error code %d, which nothing defines", m, code),
					Expected: "a code of the document, or one outside of the reserved range", Got: validator.Quote(m.Error, 200)}
			})
		},
	},
	{
		Check: validator.Check{ID: "rpc.no-reply-to-notification", Level: validator.Must, Contract: contractID,
			Title: "A notification is never answered",
			Why:   "The host has no call that such an answer could belong to, and a strict one takes it for a broken plugin.",
			Spec:  specWire + "; JSON-RPC 2.0, section 4.1 (\"The Server MUST NOT reply to a Notification\")",
			Fix:   "Look whether the message has an id before you answer: without one there is no answer, not even an error."},
		Idle:    "it subscribes to no event, and so is sent no notification",
		Applies: func(c *Conversation) bool { return c.notified },
		Judge:   func(c *Conversation) []validator.Finding { return strays(c, toNotification) },
	},
	{
		Check: validator.Check{ID: "rpc.no-unknown-reply", Level: validator.Must, Contract: contractID,
			Title: "No answer to an id that was never sent, and none twice",
			Why:   "The second answer to a call, or one to no call, is taken for that of another or ends the connection.",
			Spec:  specWire,
			Fix:   "Answer each request once, with its own id. Keep the id with the call, not in a variable that calls share."},
		Applies: answered,
		Judge:   func(c *Conversation) []validator.Finding { return strays(c, toNothing, twice) },
	},
	{
		Check: validator.Check{ID: "rpc.plugin-ids", Level: validator.Should, Contract: contractID,
			Title: "The ids of its own requests are whole numbers, each unique while it is open",
			Why:   "The host of this contract decodes ids as numbers, and two open calls with one id get each other's answers.",
			Spec:  specWire,
			Fix:   "Count your own requests up from 1."},
		Idle:    "it never calls the host",
		Applies: func(c *Conversation) bool { return c.asked },
		Judge: func(c *Conversation) []validator.Finding {
			return judgeEach(c, func(m *Message) *validator.Finding {
				if m.Kind != Request {
					return nil
				}
				f := &validator.Finding{Expected: "a whole number that no open call has", Got: shown(m.ID)}
				switch n, ok := whole(string(m.ID)); {
				case m.twin != nil:
					f.Class, f.Message = "twice", fmt.Sprintf("%s has the id of its own %s, which is still open", m, m.twin)
				case !numeric(m.ID):
					f.Class, f.Message = "type", fmt.Sprintf("the id of %s is %s, which is no number", m.Method, shown(m.ID))
				case !ok || n > 1<<53-1 || n < -(1<<53-1):
					f.Class, f.Message = "number", fmt.Sprintf("the id of %s is %s, which not every decoder gives back as it is", m.Method, shown(m.ID))
				default:
					return nil
				}
				return f
			})
		},
	},
	{
		Check: validator.Check{ID: "rpc.unknown-host-method", Level: validator.Should, Contract: contractID,
			Title: "It calls only methods that the host has",
			Why:   "The host refuses any other with -32601, so whatever the plugin wanted does not happen.",
			Spec:  "Overkill, Package plugin, Overview (host.register_tool, host.toast, host.config_get, etc.); host: the eight host.* methods",
			Fix:   "Call the methods as the document writes them: " + strings.Join(HostMethods, ", ") + "."},
		Idle:    "it never calls the host",
		Applies: called,
		Judge: func(c *Conversation) []validator.Finding {
			return judgeEach(c, func(m *Message) *validator.Finding {
				if m.Method == "" || slices.Contains(HostMethods, m.Method) {
					return nil
				}
				f := &validator.Finding{Class: m.Method, Message: fmt.Sprintf("it sent the %s %q, which the host does not have", m.Kind, m.Method),
					Expected: "one of " + strings.Join(HostMethods, ", "), Got: validator.Quote(m.Raw, 200)}
				if near := contracts.Nearest(m.Method, HostMethods); near != "" {
					f.Message += fmt.Sprintf("; it has %q", near)
				}
				return f
			})
		},
	},
	{
		Check: validator.Check{ID: "rpc.host-params", Level: validator.Must, Contract: contractID,
			Title: "Its calls to the host carry the params that the method has",
			Why:   "The host answers -32602 and does nothing, or does it with an empty text.",
			Spec:  "host: host.subscribe {event}, host.context_provider {name?}, host.toast {kind,text}, host.session_get {}, host.config_get {key}, host.call_tool {name,args}",
			Fix:   "Send params as an object with the members of the method, each of its type."},
		Idle:    "it never calls the host",
		Applies: called,
		Judge: func(c *Conversation) []validator.Finding {
			var found []validator.Finding
			for m := range c.messages(validator.FromPlugin) {
				if m.Method == RegisterTool || m.Method == RegisterCommand || !slices.Contains(HostMethods, m.Method) {
					continue // told by the rules about them
				}
				for _, f := range violations("the params of "+m.String()+": ", m.paramViolations()) {
					f.Class = m.Method + " " + f.Class
					found = append(found, f)
				}
			}
			return found
		},
	},
}

// codes are those of the reserved range that the document defines.
var codes = []int{CodeParse, CodeInvalidRequest, CodeMethodNotFound, CodeInvalidParams, CodeInternal}

func (m *Message) String() string {
	switch m.Kind {
	case Request:
		return fmt.Sprintf("the request %s (id %s)", m.Method, shown(m.ID))
	case Notification:
		return "the notification " + m.Method
	case Response:
		if m.Call != nil {
			return "the answer to " + m.Call.String()
		}
		return "the answer with the id " + shown(m.ID)
	}
	return "the " + m.Kind.String()
}

// judgeEach judges the messages of the plugin one by one.
func judgeEach(c *Conversation, judge func(*Message) *validator.Finding) []validator.Finding {
	var found []validator.Finding
	for m := range c.messages(validator.FromPlugin) {
		if f := judge(m); f != nil {
			found = append(found, *f)
		}
	}
	return found
}

func some(c *Conversation, want func(*Message) bool) bool {
	for m := range c.messages(validator.FromPlugin) {
		if want(m) {
			return true
		}
	}
	return false
}

func answered(c *Conversation) bool {
	return some(c, func(m *Message) bool { return m.Kind == Response })
}
func called(c *Conversation) bool  { return some(c, func(m *Message) bool { return m.Method != "" }) }
func refused(c *Conversation) bool { return some(c, (*Message).refuses) }

// refuses reports whether a response is an error and nothing else.
func (m *Message) refuses() bool { return m.Kind == Response && m.Error != nil && m.Result == nil }

// Code is the code of a response's error, where it has one that can be read.
func (m *Message) Code() (int, bool) {
	var e struct {
		Code *int `json:"code"`
	}
	if null(m.Error) || json.Unmarshal(m.Error, &e) != nil || e.Code == nil {
		return 0, false
	}
	return *e.Code, true
}

func (m *Message) errorViolations() []contracts.Violation {
	list := validate("error", m.Error)
	var e struct {
		Code json.RawMessage `json:"code"`
	}
	if len(list) == 0 && json.Unmarshal(m.Error, &e) == nil {
		if _, ok := whole(string(e.Code)); !ok { // 1.0 is an integer to JSON Schema, and none to the host
			list = append(list, contracts.Violation{Path: "code", Wanted: "an integer without fraction or exponent", Got: "the number " + shown(e.Code)})
		}
	}
	return list
}

func (m *Message) paramViolations() []contracts.Violation {
	params := m.Params
	if params == nil {
		params = json.RawMessage("null")
		if m.Method != SessionGet && m.Method != ContextProvider {
			params = json.RawMessage("{}") // so that what is missing is named
		}
	}
	return validate(m.Method, params)
}

// maxValidated is how large a part of a message may be to be held against its
// schema: decoded, and with a violation at each of its items, it takes a thousand
// times its memory.
const maxValidated = 256 << 10

// validate holds a part of a message against the contract's schema for it.
func validate(schema string, part json.RawMessage) []contracts.Violation {
	if len(part) > maxValidated {
		return nil
	}
	return contract().Schema(schema).Validate(part)
}

// A strayKind says what a response is that answers no open call.
type strayKind int

const (
	wrongID strayKind = iota
	toNotification
	toNothing
	twice
)

func (m *Message) stray() strayKind {
	switch {
	case m.twin != nil:
		return twice
	case m.like != nil && (m.like.Answer() == nil || alike(m.like.Request.ID, m.ID)):
		return wrongID
	case null(m.ID) && m.afterNotification:
		return toNotification
	}
	return toNothing
}

// strays tells the responses to nothing of some kinds.
func strays(c *Conversation, kinds ...strayKind) []validator.Finding {
	var found []validator.Finding
	for m := range c.messages(validator.FromPlugin) {
		if m.Kind != Response || m.Call != nil || m.excused {
			continue
		}
		kind := m.stray()
		if !slices.Contains(kinds, kind) {
			continue
		}
		f := validator.Finding{Got: validator.Quote(m.Raw, 200)}
		switch kind {
		case wrongID:
			f.Class = kindOf(m.like.Request.ID) + " to " + kindOf(m.ID)
			f.Message = fmt.Sprintf("%s was answered with the id %s (%s)", m.like, shown(m.ID), kindOf(m.ID))
			f.Expected = fmt.Sprintf("the id %s (%s)", shown(m.like.Request.ID), kindOf(m.like.Request.ID))
		case toNotification:
			f.Class, f.Message = "answered", "it answered a notification: the answer has the id "+shown(m.ID)+", and no request of the host is without one"
			f.Expected = "no answer"
		case toNothing:
			f.Class, f.Message = "unknown", fmt.Sprintf("it answered with the id %s (%s), which the host never sent", shown(m.ID), kindOf(m.ID))
			f.Expected = "an id of an open request"
		case twice:
			f.Class, f.Message = "twice", fmt.Sprintf("%s was answered a second time", m.twin)
			f.Expected = "one answer to each request"
			if open := c.unansweredBeside(m.twin); open != nil {
				f.Message += fmt.Sprintf(", and %s not at all", open)
				f.Class = "twice-and-never"
			}
		}
		found = append(found, f)
	}
	return found
}

// unansweredBeside is a host's call of the same method that has no answer.
func (c *Conversation) unansweredBeside(k *Call) *Call {
	for _, d := range c.Owed() {
		if d.By == validator.FromPlugin && d.Call.Request.Method == k.Request.Method {
			return d.Call
		}
	}
	return nil
}

func kindOf(raw json.RawMessage) string {
	switch {
	case raw == nil:
		return "no id at all"
	case raw[0] == '"':
		return "a string"
	case raw[0] == '{' || raw[0] == '[':
		return "a structure"
	case string(raw) == "null":
		return "null"
	case numeric(raw):
		return "a number"
	}
	return "a boolean"
}
