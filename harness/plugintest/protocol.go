// Package plugintest holds the reference plugins and their faults. A plugin is
// the running binary itself, started again with other arguments, so that the
// kit is tried on real processes wherever it was built.
package plugintest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"plugcheck/harness/plugintest/rename"
)

// start is the argument that turns the binary into a plugin.
const start = "__plugin"

// roles are what the binary can be started as, by the second argument. The rest of
// the arguments is the role's own.
var roles = map[string]func(args []string) int{
	"sleeper":   func([]string) int { sleep(); return 0 },
	"lock":      func([]string) int { return lock() },
	"rename":    oneShot("rename"),
	"transform": oneShot("transform"),
	"sensor":    oneShot("sensor"),
	"veto":      guard,
	"watcher":   watch,
	"rewriter":  rewriterRole,
	"rpc":       rpcRole,
	"eater":     func([]string) int { return eat() },
}

// A process that was started as a plugin becomes one here and never gets to
// main. Doing it this early spares it the start-up of what plugins do not use;
// the faults of this package are set up by then.
func init() {
	if len(os.Args) < 3 || os.Args[1] != start {
		return
	}
	role, ok := roles[os.Args[2]]
	if !ok {
		fmt.Fprintf(os.Stderr, "there is no plugin %q\n", os.Args[2])
		os.Exit(2)
	}
	os.Exit(role(os.Args[3:]))
}

// oneShot is a JSONL plugin of a kind. Its argument names a fault.
func oneShot(kind string) func([]string) int {
	return func(args []string) int {
		p := plugin{kind: kind}
		if len(args) > 0 {
			f, ok := Named(args[0])
			if !ok {
				fmt.Fprintf(os.Stderr, "there is no fault %q\n", args[0])
				return 2
			}
			p.fault = f
		}
		return p.serve()
	}
}

// A plugin is one process: it reads a request, answers it and leaves.
type plugin struct {
	kind  string // rename, transform or sensor
	fault Fault
}

// request is what a plugin looks at. Everything is kept raw until it is needed,
// so that a value of the wrong type is refused and not misread.
type request struct {
	Operation json.RawMessage `json:"operation"`
	Files     json.RawMessage `json:"files"`
	Arguments json.RawMessage `json:"arguments"`
	operation string
	files     []rename.File
	arguments map[string]json.RawMessage
	line      []byte
}

type response struct {
	Success     bool         `json:"success"`
	Output      output       `json:"output"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type output struct {
	Kind    string
	Content string
	Data    any
}

// MarshalJSON writes the fields that the kind has.
func (o output) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"kind": o.Kind}
	switch o.Kind {
	case "diff":
		fields["content"] = o.Content
	case "analysis":
		fields["data"] = o.Data
	}
	return json.Marshal(fields)
}

type diagnostic struct {
	Severity   string `json:"severity"`
	Message    string `json:"message"`
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	ReasonCode string `json:"reason_code,omitempty"`
}

func refusal(code, message string) response {
	return response{Output: output{Kind: "empty"}, Diagnostics: []diagnostic{{Severity: "error", Message: message, ReasonCode: code}}}
}

// serve is the whole exchange. Each step can be spoilt by the fault.
func (p plugin) serve() int {
	f := p.fault
	if f.Start != nil {
		f.Start()
	}
	line, err := io.ReadAll(os.Stdin)
	if err != nil {
		line = nil
	}
	if f.Line != nil {
		line = f.Line(line)
	}
	r, resp := p.answer(line)
	if f.Answer != nil {
		f.Answer(r, &resp)
	}
	text := encode(resp)
	if f.Bytes != nil {
		text = f.Bytes(r, resp, text)
	}
	os.Stdout.Write(text) // a host that is gone needs no answer
	if f.End != nil {
		return f.End(resp)
	}
	return 0
}

func encode(resp response) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(resp); err != nil {
		panic(err) // strings and numbers always encode
	}
	return b.Bytes()
}

func (p plugin) answer(line []byte) (*request, response) {
	r, err := parse(line)
	if err != nil {
		return r, refusal("incomplete_payload", err.Error())
	}
	switch {
	case p.kind == "rename" && r.operation == "rename-symbol":
		return r, renameSymbol(r)
	case p.kind == "transform" && transforms[r.operation] != nil:
		return r, transform(r)
	case p.kind == "sensor" && r.operation == "analyze":
		return r, analyze(r)
	}
	return r, refusal("operation_not_supported", fmt.Sprintf("this plugin does not do %q", r.operation))
}

// parse reads a request, and fails on what is none.
func parse(line []byte) (*request, error) {
	r := &request{line: line}
	if len(bytes.TrimSpace(line)) == 0 {
		return r, errors.New("there is no request")
	}
	if err := json.Unmarshal(line, r); err != nil {
		return r, fmt.Errorf("the request cannot be read: %w", err)
	}
	if line = bytes.TrimSpace(line); line[0] != '{' {
		return r, errors.New("the request is not an object")
	}
	if !text(r.Operation, &r.operation) {
		return r, errors.New("operation is missing or not a string")
	}
	var files []map[string]json.RawMessage
	if json.Unmarshal(r.Files, &files) != nil || files == nil {
		return r, errors.New("files is missing or not a list of objects")
	}
	for i, f := range files {
		var file rename.File
		if !text(f["path"], &file.Path) || !text(f["content"], &file.Content) {
			return r, fmt.Errorf("file %d has no path or no content", i+1)
		}
		r.files = append(r.files, file)
	}
	if len(r.Arguments) > 0 && (json.Unmarshal(r.Arguments, &r.arguments) != nil || r.arguments == nil) {
		return r, errors.New("arguments is not an object")
	}
	return r, nil
}

// text reads a JSON string, and nothing else: null is none.
func text(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

func (r *request) argument(name string) string {
	var s string
	text(r.arguments[name], &s)
	return s
}

func renameSymbol(r *request) response {
	after, refused := rename.Rename(r.files, r.arguments)
	if refused != nil {
		return refusedBecause(r, refused)
	}
	return success(r.files, after)
}

func refusedBecause(r *request, refused *rename.Refusal) response {
	resp := refusal(refused.Code, refused.Message)
	resp.Diagnostics[0].File, resp.Diagnostics[0].Line = refused.File, refused.Line
	return resp
}

func success(before, after []rename.File) response {
	return response{Success: true, Output: output{Kind: "diff", Content: rename.Diff(before, after)}, Diagnostics: []diagnostic{}}
}

// analyze counts, which is enough of an analysis to be judged.
func analyze(r *request) response {
	if len(r.files) == 0 {
		return refusal("incomplete_payload", "there is no file to analyze")
	}
	type fileData struct {
		Path  string `json:"path"`
		Lines int    `json:"lines"`
		Words int    `json:"words"`
	}
	var data []fileData
	for _, f := range r.files {
		data = append(data, fileData{f.Path, strings.Count(f.Content, "\n"), len(strings.Fields(f.Content))})
	}
	return response{Success: true, Output: output{Kind: "analysis", Data: map[string]any{"files": data}}, Diagnostics: []diagnostic{}}
}

// A transformation edits the lines of a Python file around the marked one. It
// returns nil when that line is not what it works on.
var transforms = map[string]func(lines []string, at int, r *request) []string{
	"replace-body": func(lines []string, at int, r *request) []string {
		body := r.argument("body")
		if body == "" || !strings.HasPrefix(strings.TrimSpace(lines[at]), "def ") {
			return nil
		}
		in := indent(lines[at]) + "    "
		return slices.Concat(lines[:at+1], []string{in + body}, lines[blockEnd(lines, at):])
	},
	"extract-method": func(lines []string, at int, r *request) []string {
		name, statement := r.argument("name"), strings.TrimSpace(lines[at])
		if name == "" || !strings.HasSuffix(statement, ")") || strings.Contains(statement, "=") {
			return nil
		}
		in := indent(lines[at])
		return slices.Concat(lines[:at], []string{in + "def " + name + "():", in + "    " + statement, in + name + "()"}, lines[at+1:])
	},
	"extract-predicate": func(lines []string, at int, r *request) []string {
		name := r.argument("name")
		condition, ok := strings.CutPrefix(strings.TrimSpace(lines[at]), "if ")
		condition, colon := strings.CutSuffix(condition, ":")
		if name == "" || !ok || !colon {
			return nil
		}
		in := indent(lines[at])
		return slices.Concat(lines[:at], []string{in + "def " + name + "():", in + "    return " + condition, in + "if " + name + "():"}, lines[at+1:])
	},
	// It also moves the lines to another file, see transform.
	"extricate-symbol": func(lines []string, at int, _ *request) []string {
		if !strings.HasPrefix(lines[at], "def ") {
			return nil
		}
		return slices.Concat(lines[:at], lines[blockEnd(lines, at):])
	},
}

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// blockEnd is the first line behind the block that a line opens.
func blockEnd(lines []string, at int) int {
	end := at + 1
	for end < len(lines) && strings.HasPrefix(lines[end], indent(lines[at])+"    ") {
		end++
	}
	return end
}

func transform(r *request) response {
	if len(r.files) == 0 {
		return refusal("incomplete_payload", "there is no file to work on")
	}
	var position int
	if _, err := fmt.Sscanf(r.argument("position"), "%d", &position); err != nil || position < 0 || position > len(r.files[0].Content) {
		return refusal("incomplete_payload", "position is not a byte offset in the file")
	}
	if !strings.HasSuffix(r.files[0].Path, ".py") {
		return refusal("unsupported_language", "this plugin works on Python")
	}
	content := r.files[0].Content
	lines := strings.Split(content, "\n")
	at := strings.Count(content[:position], "\n")
	changed := transforms[r.operation](lines, at, r)
	if changed == nil {
		return refusal("incomplete_payload", "the position and the arguments do not fit "+r.operation)
	}
	after := slices.Clone(r.files)
	after[0].Content = strings.Join(changed, "\n")
	if r.operation == "extricate-symbol" {
		to := slices.IndexFunc(r.files, func(f rename.File) bool {
			return f.Path != r.files[0].Path && strings.HasSuffix(r.argument("to"), f.Path)
		})
		if to < 0 {
			return refusal("incomplete_payload", "to names no other file of the request")
		}
		after[to].Content += strings.Join(lines[at:blockEnd(lines, at)], "\n") + "\n"
	}
	return success(r.files, after)
}
