// Package rewriter is the protocol by which the kit asks a host's own rewriter,
// one JSON line for each request, and the judgement of its answers. It starts
// nothing. The README of the contract literal-rewriter describes it.
package rewriter

import (
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"plugcheck/contracts"
	"plugcheck/validator"
	"plugcheck/validator/literal"
)

// Contract is the version of the protocol.
const Contract = "literal-rewriter@1.0"

// The operations.
const (
	Find     = "find"
	Rewrite  = "rewrite"
	Classify = "classify"
)

// The codes of errors beside those of package literal.
const (
	UnknownOp  = "unknown_op"
	BadRequest = "bad_request"
)

// A Request is one line that a rewriter is asked.
type Request struct {
	Op string `json:"op"`
	// Source is the file, for find and rewrite.
	Source string `json:"-"` // an empty file is one too, so wire says when it is sent
	// OnError, Match and Settings are the change, for rewrite.
	OnError  *string                  `json:"on_error,omitzero"`
	Match    map[string][]string      `json:"match,omitzero"`
	Settings map[string]literal.Value `json:"settings,omitzero"`
	// Action, Old and New are for classify. What an action has none of is left out.
	Action literal.Action `json:"action,omitzero"`
	Old    *string        `json:"old,omitzero"`
	New    *string        `json:"new,omitzero"`
}

// wire is a request as it is encoded.
type wire struct {
	Request
	Source *string `json:"source,omitzero"`
}

// Asking makes the request for a change.
func Asking(source []byte, c literal.Change) Request {
	return Request{Op: Rewrite, Source: string(source), OnError: c.OnError, Match: c.Match, Settings: c.Settings}
}

// Line encodes the request, with its newline.
func (r Request) Line() []byte {
	w := wire{Request: r}
	if r.Op != Classify {
		w.Source = &r.Source
	}
	text, err := jsonv2.Marshal(w, jsonv2.Deterministic(true))
	if err != nil {
		panic(err) // sources are UTF-8, and values always encode
	}
	return append(text, '\n')
}

// ReadRequest decodes a request line. A nil request comes with the error that is
// due.
func ReadRequest(line []byte) (*Request, *Fault) {
	var w wire
	switch err := jsonv2.Unmarshal(line, &w); {
	case err != nil || w.Op == "":
		return nil, &Fault{Code: BadRequest}
	case w.Op != Find && w.Op != Rewrite && w.Op != Classify:
		return nil, &Fault{Code: UnknownOp}
	case w.Source != nil:
		w.Request.Source = *w.Source
	case w.Op != Classify:
		return nil, &Fault{Code: BadRequest}
	}
	return &w.Request, nil
}

// A Reply is one answer. Exactly one of its fields is set.
type Reply struct {
	OK    json.RawMessage `json:"ok,omitempty"`
	Error *Fault          `json:"error,omitempty"`
}

// A Fault is why a rewriter does not do what it was asked, with the place where
// there is one.
type Fault struct {
	Code   string `json:"code"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.Code
	}
	return fmt.Sprintf("%s at line %d, column %d", f.Code, f.Line, f.Column)
}

// What the operations answer. Each knows the name of its schema.
type (
	// Found is the answer to find: Start and End count bytes.
	Found struct {
		Start  int           `json:"start"`
		End    int           `json:"end"`
		Line   int           `json:"line"`
		Column int           `json:"column"`
		Value  literal.Value `json:"value"`
	}
	// Rewritten is the answer to rewrite.
	Rewritten struct {
		Source string `json:"source"`
	}
	// Classified is the answer to classify. Change is nil where there are no two sources.
	Classified struct {
		Change       *literal.Save `json:"change"`
		Confirmation bool          `json:"confirmation"`
	}
)

func (Found) schema() string      { return "found" }
func (Rewritten) schema() string  { return "rewritten" }
func (Classified) schema() string { return "classified" }

// Read decodes an answer line. The finding says what is wrong with it.
func Read(line []byte) (*Reply, *validator.Finding) {
	if f := validator.StrictJSON(line); f != nil {
		return nil, f
	}
	if v := contracts.MustGet(Contract).Schema("reply").Validate(line); len(v) > 0 {
		return nil, &validator.Finding{Class: "shape", Message: "the answer is no reply: " + v[0].String(), Expected: v[0].Wanted, Got: v[0].Got}
	}
	var r Reply
	if err := jsonv2.Unmarshal(line, &r); err != nil { // names are case-sensitive here
		return nil, &validator.Finding{Class: "shape", Message: "the answer is no reply: " + err.Error()}
	}
	return &r, nil
}

// Answer is the built-in rewriter behind the protocol.
func Answer(line []byte) []byte {
	text, err := json.Marshal(answer(line))
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return append(text, '\n')
}

func answer(line []byte) Reply {
	r, fault := ReadRequest(line)
	if fault != nil {
		return Reply{Error: fault}
	}
	switch r.Op {
	case Find:
		m, err := literal.Find([]byte(r.Source))
		if err != nil {
			return failed(err)
		}
		return done(Found{m.Start, m.End, m.Line, m.Column, m.Value})
	case Rewrite:
		out, err := literal.Rewrite([]byte(r.Source), literal.Change{OnError: r.OnError, Match: r.Match, Settings: r.Settings})
		if err != nil {
			return failed(err)
		}
		return done(Rewritten{string(out)})
	default:
		c, err := literal.NeedsConfirmation(r.Action, bytesOf(r.Old), bytesOf(r.New))
		if err != nil {
			return Reply{Error: &Fault{Code: BadRequest}}
		}
		answer := Classified{Confirmation: c.Needed}
		if r.Old != nil && r.New != nil {
			saved := literal.Classify([]byte(*r.Old), []byte(*r.New))
			answer.Change = &saved
		}
		return done(answer)
	}
}

func bytesOf(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

func done(ok any) Reply {
	text, err := json.Marshal(ok)
	if err != nil {
		panic(err) // it holds texts, numbers and values
	}
	return Reply{OK: text}
}

func failed(err error) Reply {
	e := err.(*literal.Error) // as Find and Rewrite promise
	return Reply{Error: &Fault{e.Code, e.Line, e.Column}}
}
