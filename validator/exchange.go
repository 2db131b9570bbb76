package validator

import (
	"bytes"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"plugcheck/contracts"
	"plugcheck/validator/patch"
)

// A Request is one request line of the JSONL exchange.
type Request struct {
	Operation string         `json:"operation"`
	Files     []File         `json:"files"`
	Arguments map[string]any `json:"arguments,omitempty"`
	// Extra are further names beside the known ones, as a later minor version may add.
	Extra map[string]any `json:",embed"`
}

// A File is a file of the request, in-band.
type File struct {
	Path    string         `json:"path"`
	Content string         `json:"content"`
	Extra   map[string]any `json:",embed"`
}

// Line encodes the request as the host writes it, with its newline.
func (r Request) Line() []byte {
	b, err := jsonv2.Marshal(r, jsonv2.Deterministic(true))
	if err != nil {
		panic(err) // strings and maps of plain values always encode
	}
	return append(b, '\n')
}

// A Response is one response line, decoded once it is known to keep the schema.
type Response struct {
	Success     bool         `json:"success"`
	Output      Output       `json:"output"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Output is what an operation came to.
type Output struct {
	Kind    string         `json:"kind"` // diff, analysis or empty
	Content string         `json:"content"`
	Data    jsontext.Value `json:"data"`
}

// A Diagnostic is a remark of the plugin.
type Diagnostic struct {
	Severity   string  `json:"severity"`
	Message    string  `json:"message"`
	File       *string `json:"file"`
	Line       *uint32 `json:"line"`
	ReasonCode *string `json:"reason_code"`
}

// Codes lists the reason codes of all diagnostics.
func (r *Response) Codes() []string {
	var codes []string
	for _, d := range r.Diagnostics {
		if d.ReasonCode != nil {
			codes = append(codes, *d.ReasonCode)
		}
	}
	return codes
}

// AnyCode, as the only wanted code, leaves it to the plugin which one it gives.
const AnyCode = "any"

// A Trial is what a rule of the wire looks at: a plugin's manifest and, but for the
// rules about the manifest itself, one exchange with the plugin.
type Trial struct {
	Manifest *Manifest
	Exchange *Exchange
}

type rule = Rule[*Trial]

// An Exchange is one request, what was expected of it, and all that came.
type Exchange struct {
	// Name tells people which request this was.
	Name string
	// Request is what was asked; nil when what was sent is no request at all.
	Request *Request
	// Refuse lists the reason codes of which a refusal should carry one. It is
	// nil where the plugin may well succeed.
	Refuse []string
	// Want holds the files after the change, where that is known.
	Want []patch.File
	// Contact marks the first requests of a run, which nothing makes special: a
	// plugin that is silent even then is silent as such.
	Contact bool
	// Symbol and NewName are the identifiers of a rename.
	Symbol, NewName string
	// Style is the form of patch that the author chose.
	Style patch.Style

	Transcript Transcript

	seen facts
}

// facts is what Read finds in a transcript, once, for all rules.
type facts struct {
	line       []byte                // the one line that is the answer
	lines      *Finding              // why there is not exactly one
	json       *Finding              // why it is not strict JSON
	violations []contracts.Violation // where it does not keep the schema
	response   *Response             // decoded, when it does
	after      []patch.File
	problems   []patch.Problem // of its patch
}

// Read looks at the transcript. Each step needs the one before: a line that is
// no JSON has no fields, and a patch that was not understood is not applied.
func (e *Exchange) Read() {
	e.seen = facts{}
	s := &e.seen
	s.line, s.lines = answerLine(&e.Transcript)
	if s.lines != nil {
		return
	}
	if s.json = StrictJSON(s.line); s.json != nil {
		return
	}
	core, content := s.skeleton()
	s.violations = append(contracts.MustGet("jsonl-exchange").Schema("response").Validate(core), floatLines(core)...)
	if len(s.violations) > 0 {
		return
	}
	var r Response
	if err := jsonv2.Unmarshal(core, &r); err != nil {
		s.violations = []contracts.Violation{{Wanted: "a response", Got: err.Error()}}
		return
	}
	if content != "" {
		r.Output.Content = content
	}
	s.response = &r
	if r.Success && r.Output.Kind == "diff" && e.Request != nil {
		s.after, s.problems = patch.Judge(r.Output.Content, e.Files(), e.Style)
	}
}

// Response is the answer, or nil where there is none that can be read.
func (e *Exchange) Response() *Response { return e.seen.response }

// After holds the files with the patch applied, or nil where there is no patch that applies.
func (e *Exchange) After() []patch.File {
	if len(e.seen.problems) > 0 {
		return nil
	}
	return e.seen.after
}

// Files are the files of the request as the patch judge takes them.
func (e *Exchange) Files() []patch.File {
	if e.Request == nil {
		return nil
	}
	files := make([]patch.File, len(e.Request.Files))
	for i, f := range e.Request.Files {
		files[i] = patch.File{Path: f.Path, Content: []byte(f.Content)}
	}
	return files
}

// Refused reports whether the answer is a refusal.
func (e *Exchange) Refused() bool { return e.seen.response != nil && !e.seen.response.Success }

// Succeeded reports whether the answer is a success.
func (e *Exchange) Succeeded() bool { return e.seen.response != nil && e.seen.response.Success }

// carries reports whether the refusal carries one of the wanted codes.
func (e *Exchange) carries(wanted []string) bool {
	return slices.ContainsFunc(e.seen.response.Codes(), func(c string) bool { return slices.Contains(wanted, c) })
}

// Trim lets go of an answer larger than limit, once it was judged: a run holds
// a few answers in memory and not all of them.
func (e *Exchange) Trim(limit int) {
	s := &e.seen
	if len(s.line) <= limit {
		return
	}
	s.line, s.after = nil, nil
	if s.response != nil {
		s.response.Output.Content, s.response.Output.Data = "", nil
		s.response.Diagnostics = slices.Clone(s.response.Diagnostics[:min(len(s.response.Diagnostics), 10)])
	}
}

// judgedDiagnostics is how many diagnostics are looked at: nobody reads more, and
// an answer can hold millions.
const judgedDiagnostics = 1000

// skeleton is the answer without what may be large and has no shape to judge: a
// long text, the data of an analysis, the diagnostics past the first thousand.
// Small answers are judged as they are.
func (s *facts) skeleton() (core []byte, content string) {
	const small = 64 << 10
	if len(s.line) <= small {
		return s.line, ""
	}
	var fields, output map[string]jsontext.Value
	if jsonv2.Unmarshal(s.line, &fields) != nil {
		return s.line[:min(len(s.line), small)], "" // no object, as the schema will say of what is left
	}
	if jsonv2.Unmarshal(fields["output"], &output) == nil {
		if raw := output["content"]; len(raw) > 0 && raw[0] == '"' && jsonv2.Unmarshal(raw, &content) == nil {
			output["content"] = jsontext.Value(`""`)
		}
		if len(output["data"]) > small {
			output["data"] = jsontext.Value(`{}`)
		}
		fields["output"] = encode(output)
	}
	if raw := fields["diagnostics"]; len(raw) > small {
		fields["diagnostics"] = firstItems(raw, judgedDiagnostics)
	}
	for name, raw := range fields { // what the contract does not know is ignored
		if !slices.Contains([]string{"success", "output", "diagnostics"}, name) && len(raw) > small {
			delete(fields, name)
		}
	}
	return encode(fields), content
}

func encode(fields map[string]jsontext.Value) []byte {
	b, err := jsonv2.Marshal(fields, jsonv2.Deterministic(true))
	if err != nil {
		panic(err) // it was JSON before
	}
	return b
}

// firstItems is an array with no more than its first n items.
func firstItems(array jsontext.Value, n int) jsontext.Value {
	dec := jsontext.NewDecoder(bytes.NewReader(array))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '[' {
		return array[:min(len(array), 100)]
	}
	for range n {
		if dec.PeekKind() == ']' {
			return array
		}
		if dec.SkipValue() != nil {
			return array
		}
	}
	return append(bytes.Clone(array[:dec.InputOffset()]), ']')
}
