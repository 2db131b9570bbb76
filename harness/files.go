package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"plugcheck/contracts"
	"plugcheck/validator"
)

// A FileFinding is what is wrong at one place of a file.
type FileFinding struct {
	File         string `json:"file"`
	Line, Column int    // from 1, the column in characters
	Check        string `json:"check"`
	Message      string `json:"message"`
}

// A Judged is what a file was taken for, and what is wrong with it.
type Judged struct {
	Kind     string
	Items    int // how many messages, manifests or files were judged
	Findings []FileFinding
}

// A messageKind is one JSON message as it is told from others: by its fields.
type messageKind struct {
	name, contract, message string
	fields                  []string
}

// messageKinds lists the messages that can be judged on their own. Of two whose
// fields are there the first is meant.
var messageKinds = []messageKind{
	{"transcript line", "", "", []string{"ms", "from"}},
	{"request", "jsonl-exchange", "request", []string{"operation"}},
	{"response", "jsonl-exchange", "response", []string{"success"}},
	{"event", "veto-event", "event", []string{"event", "item_id"}},
	{"verdict", "veto-event", "verdict", []string{"veto"}},
	{"rewriter request", "literal-rewriter", "request", []string{"op"}},
	{"rewriter reply", "literal-rewriter", "reply", []string{"ok"}},
}

// kindOf tells what a message is.
func kindOf(text []byte) *messageKind {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil
	}
	for i := range messageKinds {
		if !slices.ContainsFunc(messageKinds[i].fields, func(f string) bool { _, ok := fields[f]; return !ok }) {
			return &messageKinds[i]
		}
	}
	return nil
}

// IsConversation reports whether a file is a recorded conversation.
func IsConversation(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	k := kindOf(first)
	return k != nil && k.contract == ""
}

// ValidatePath judges what stands on disk: a manifest, a module, a plugin's folder
// or a contract pack. Nothing is started.
func ValidatePath(path string) (*Judged, error) {
	if _, err := os.Stat(filepath.Join(path, "contract.json")); err == nil {
		packs, err := contracts.OpenPacks(path)
		if err != nil {
			return nil, err
		}
		for _, p := range packs {
			defer p.Close()
			if _, err := CheckPack(p); err != nil {
				return nil, err
			}
		}
		return &Judged{Kind: "contract pack", Items: len(packs)}, nil
	}
	targets, err := Discover([]string{path}, "", "")
	if err != nil {
		return nil, err
	}
	catalogue, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	j := &Judged{Items: len(targets)}
	for _, t := range targets {
		if t.Err != nil {
			return nil, t.Err
		}
		if t.Bare() {
			return nil, fmt.Errorf("%s: an executable has to be run to be judged: plugcheck run %s", path, path)
		}
		s, err := newSession(t, Options{}, catalogue)
		if err != nil {
			return nil, err
		}
		outcomes, _ := s.driver.static()
		if err := s.close(); err != nil {
			return nil, err
		}
		j.Kind = t.Wire + " plugin"
		text, err := os.ReadFile(t.Source)
		if err != nil {
			return nil, err
		}
		for _, o := range outcomes {
			for _, f := range o.Findings {
				line, column := placeIn(text, f)
				message := strings.TrimPrefix(f.Message, fmt.Sprintf("line %d, column %d: ", line, column))
				j.Findings = append(j.Findings, FileFinding{t.Source, line, column, o.Check.ID, message})
			}
		}
	}
	return j, nil
}

var (
	saidPlace = regexp.MustCompile(`line (\d+), column (\d+)`)
	fieldPath = regexp.MustCompile(`^(?:in the manifest, )?([\w.\[\]-]+): `)
)

// placeIn finds where in a manifest's text a finding is: where its message says,
// or where the field stands that it begins with.
func placeIn(text []byte, f validator.Finding) (line, column int) {
	if m := saidPlace.FindStringSubmatch(f.Message); m != nil {
		fmt.Sscan(m[1], &line)
		fmt.Sscan(m[2], &column)
		return line, column
	}
	for _, path := range []string{f.Class, firstOf(fieldPath.FindStringSubmatch(f.Message))} {
		if line, column, ok := locate(text, path); ok {
			return line, column
		}
	}
	return 1, 1
}

func firstOf(match []string) string {
	if len(match) < 2 {
		return ""
	}
	return match[1]
}

// locate finds the field that a path such as output.kind leads to, or the nearest
// one around it that is there.
func locate(text []byte, path string) (line, column int, ok bool) {
	if path == "" {
		return 0, 0, false
	}
	steps := strings.Split(path, ".")
	if json.Valid(text) {
		for n := len(steps); n > 0; n-- {
			if at, ok := contracts.OffsetOf(text, jsontext.Pointer("/"+strings.Join(steps[:n], "/"))); ok {
				line, column = lineAndColumn(text, at)
				return line, column, true
			}
		}
		return 0, 0, false
	}
	m := regexp.MustCompile(`(?m)^[ \t]*(` + regexp.QuoteMeta(steps[0]) + `)["']?[ \t]*[=:]`).FindSubmatchIndex(text)
	if m == nil {
		return 0, 0, false
	}
	line, column = lineAndColumn(text, m[2])
	return line, column, true
}

// lineAndColumn is the place of an offset.
func lineAndColumn(text []byte, at int) (line, column int) {
	before := text[:min(at, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// ValidateMessages judges JSON messages, one a line or one over several lines.
func ValidateMessages(name string, text []byte) (*Judged, error) {
	j := &Judged{}
	if whole := bytes.TrimSpace(text); json.Valid(whole) && bytes.Contains(whole, []byte("\n")) {
		return j, j.message(name, text, 0)
	}
	for at := 0; at < len(text); {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		if len(bytes.TrimSpace(line)) > 0 {
			if err := j.message(name, text[:at+len(line)], at); err != nil {
				return nil, err
			}
		}
		at += len(line) + 1
	}
	if j.Items == 0 {
		return nil, fmt.Errorf("%s: there is nothing in it", name)
	}
	return j, nil
}

// message judges one message, which is the end of text from an offset on.
func (j *Judged) message(name string, text []byte, at int) error {
	one := text[at:]
	add := func(offset int, check, message string) {
		line, column := lineAndColumn(text, at+offset)
		j.Findings = append(j.Findings, FileFinding{name, line, column, check, message})
	}
	j.Items++
	if f := validator.StrictJSON(bytes.TrimSpace(one)); f != nil {
		add(0, "json", f.Message)
		return nil
	}
	k := kindOf(one)
	if k == nil {
		var names []string
		for _, known := range messageKinds[1:] {
			names = append(names, fmt.Sprintf("%s (%s)", known.name, strings.Join(known.fields, ", ")))
		}
		add(0, "kind", "it is no message that is known: "+strings.Join(names, "; "))
		return nil
	}
	if k.contract == "" {
		return fmt.Errorf("%s: a recorded conversation stands between other messages", name)
	}
	j.Kind = k.name
	contract := contracts.MustGet(k.contract)
	for _, v := range contract.Schema(k.message).Validate(one) {
		offset := 0
		for steps := strings.Split(v.Path, "."); len(steps) > 0 && v.Path != ""; steps = steps[:len(steps)-1] {
			if o, ok := contracts.OffsetOf(one, jsontext.Pointer("/"+strings.Join(steps, "/"))); ok {
				offset = o
				break
			}
		}
		add(offset, contract.ID()+" "+k.message, v.String())
	}
	return nil
}
