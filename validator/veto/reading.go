package veto

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"plugcheck/validator"
)

// A Verdict is what comes of an event.
type Verdict struct {
	Veto   bool
	Reason string
}

func (v Verdict) String() string {
	switch {
	case v.Veto && v.Reason == "":
		return "a veto without a reason"
	case v.Veto:
		return "a veto, with the reason " + validator.Quote([]byte(v.Reason), 200)
	}
	return "no veto"
}

// A Reading is an output as the host understands it and as the plugin meant it.
// Where the two differ, a veto is lost.
type Reading struct {
	Host, Meant Verdict

	spoke bool // it is more than white space
	// members are those of the one object that the output is; nil where it is none.
	members []Member

	// What is wrong, at most one of each. A lost veto says all that there is to say
	// of the form.
	lost, bytes, form, json, boolean, reason *validator.Finding
}

// Spoke reports whether there was any output.
func (r *Reading) Spoke() bool { return r.spoke }

// Read reads an output, and a log where the verdict may have gone instead.
func Read(stdout, stderr []byte) Reading {
	r := Reading{spoke: len(bytes.TrimSpace(stdout)) > 0}
	r.Host = hostReads(stdout)
	text, bytesFault := clean(stdout)
	r.bytes = bytesFault
	r.read(text)
	if !r.spoke {
		r.readLog(stderr)
	}
	if r.Meant.Veto && !r.Host.Veto && r.boolean == nil && r.reason == nil {
		r.lose(stdout)
	}
	return r
}

// hostReads is the host's own decoder: one JSON value, by the rules of
// encoding/json. It ignores case, takes the last of two names, and gives up on a
// field of another type.
func hostReads(stdout []byte) Verdict {
	var v struct {
		Veto   bool   `json:"veto"`
		Reason string `json:"reason"`
	}
	if json.Unmarshal(stdout, &v) != nil {
		return Verdict{}
	}
	return Verdict{v.Veto, v.Reason}
}

// read finds out what a text means, and what is wrong with its form.
func (r *Reading) read(text []byte) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if members, ok := membersOf(text); ok {
		r.members = members
		if f := validator.StrictJSON(text); f != nil {
			r.json = f
		}
		r.object(members)
		return
	}
	fault := validator.StrictJSON(text)
	if fault == nil { // JSON, and no object
		r.other(text)
		return
	}
	if len(text) > maxGuessed { // a verdict stands at the beginning or at the end
		text = slices.Concat(text[:maxGuessed/2], []byte("\n"), text[len(text)-maxGuessed/2:])
	}
	if r.scattered(text) {
		return
	}
	// Not one object anywhere: what it means can only be guessed from its words.
	if m := written.FindSubmatch(text); m != nil {
		r.Meant.Veto = true
		if reason := writtenReason.FindSubmatch(text); reason != nil {
			r.Meant.Reason = string(reason[1])
		}
	}
	if first := bytes.TrimSpace(text)[0]; first == '{' || first == '[' && r.Meant.Veto {
		r.json = fault
		return
	}
	r.form = &validator.Finding{Class: "not-json", Message: "it is no JSON", Fix: "Send logs to stderr."}
}

var (
	// written matches a veto in what is nearly JSON: Python, JavaScript, YAML, a string that was never closed. It
	// begins a line or a member: in the middle of a sentence it is talk.
	written       = regexp.MustCompile(`(?im)(?:^|[{,])\s*['"“]?veto['"”]?\s*[:=]\s*['"“]?(?:true|yes|on|1)\b`)
	writtenReason = regexp.MustCompile(`(?is)reason['"”]?\s*[:=]\s*['"“]?([^'"“”}]{1,200})`)
)

// object reads the members of an object.
func (r *Reading) object(members []Member) {
	v, class, say := meaning(members, maxNested)
	r.Meant = v
	for _, m := range members {
		kind := m.Value.Kind()
		switch {
		case strings.EqualFold(m.Name, "veto") && kind != 't' && kind != 'f':
			r.boolean = &validator.Finding{Class: "veto-" + kindOf(m.Value), Expected: "true or false", Got: shown(m.Value),
				Message: fmt.Sprintf("veto is %s %s, and not a boolean: the host understands no veto, so the operation goes through", kindOf(m.Value), shown(m.Value))}
		case strings.EqualFold(m.Name, "reason") && kind != '"' && kind != 'n':
			r.reason = &validator.Finding{Class: "reason-" + kindOf(m.Value), Expected: "a string", Got: shown(m.Value),
				Message: fmt.Sprintf("reason is %s %s, and not a string: the host cannot decode the verdict and drops all of it", kindOf(m.Value), shown(m.Value))}
			if v.Veto {
				r.reason.Message += ", so the veto is lost and the operation goes through"
			}
		}
	}
	if class != "" {
		r.form = &validator.Finding{Class: class, Message: say}
	}
}

// kindOf names the kind of a value.
func kindOf(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return "the string"
	case '0':
		return "the number"
	case '[':
		return "the array"
	case '{':
		return "the object"
	}
	return "the literal"
}

func shown(v jsontext.Value) string {
	if len(v) > 60 {
		return strings.ToValidUTF8(string(v[:57]), "") + "…"
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}

// lookalikes are names under which other systems say what here is veto, and what
// their values are then.
var lookalikes = []struct {
	names  string
	values string
}{
	{" veto vetoed block blocked deny denied reject rejected refuse refused abort ", truish},
	{" allow allowed approve approved permit permitted proceed continue ", ` false "false" "no" 0 `},
	{" decision verdict permissiondecision action outcome ", ` "block" "deny" "denied" "reject" "veto" "refuse" "abort" `},
}

// truish are the values by which people mean true where they do not write it.
const truish = ` true "true" "yes" "y" "on" "1" "veto" 1 1.0 `

// maxNested is how deep in other objects a veto is looked for.
const maxNested = 3

// meaning is what an object means by its members; class and say tell in which
// other words than the document's.
func meaning(members []Member, depth int) (v Verdict, class, say string) {
	named := false
	for _, m := range members {
		switch {
		case strings.EqualFold(m.Name, "veto"):
			named = true
			v.Veto = v.Veto || in(truish, strings.ToLower(string(m.Value)))
		case letters(m.Name) == "reason" || letters(m.Name) == "message" && v.Reason == "":
			_ = jsonv2.Unmarshal(m.Value, &v.Reason) // another kind is no reason
		}
	}
	for _, m := range members { // null is nothing, but a reason is one for a veto
		if strings.EqualFold(m.Name, "veto") && m.Value.Kind() == 'n' && strings.TrimSpace(v.Reason) != "" {
			v.Veto = true
		}
	}
	if named {
		return v, "", ""
	}
	for _, m := range members {
		for _, l := range lookalikes {
			if in(l.names, letters(m.Name)) && in(l.values, strings.ToLower(string(m.Value))) {
				v.Veto = true
				return v, "look-alike", fmt.Sprintf("it says %q: %s, and the host looks for \"veto\" only", m.Name, shown(m.Value))
			}
		}
	}
	for _, m := range members {
		if inner, ok := membersOf(m.Value); ok && depth > 0 {
			deeper, class, _ := meaning(inner, depth-1)
			if deeper.Veto && (class != "look-alike" || letters(m.Name) == "hookspecificoutput") {
				return deeper, "nested", fmt.Sprintf("the veto stands inside %q, and the host looks at the outer object only", m.Name)
			}
		}
	}
	return v, "", ""
}

func in(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// other reads a JSON value that is no object.
func (r *Reading) other(text []byte) {
	value := jsontext.Value(bytes.TrimSpace(text))
	r.form = &validator.Finding{Class: "no-object", Message: "it is " + kindOf(value) + " " + shown(value) + ", and not an object"}
	switch value.Kind() {
	case '[':
		var items []jsontext.Value
		if jsonv2.Unmarshal(value, &items) == nil {
			for _, item := range items[:min(len(items), 100)] {
				r.take(item)
			}
		}
		if r.Meant.Veto {
			r.form = &validator.Finding{Class: "array", Message: "the verdict stands in an array", Fix: "Print the object itself, without brackets around it."}
		}
	case '"':
		var inner string
		if jsonv2.Unmarshal(value, &inner) == nil {
			r.take([]byte(inner))
		}
		if r.Meant.Veto {
			r.form = &validator.Finding{Class: "encoded-twice", Message: "the verdict is JSON inside a JSON string",
				Fix: "Encode once: json.dumps of the dict, not of its json.dumps."}
		}
	}
}

// take adds what a text means if it is an object that says so by name.
func (r *Reading) take(text []byte) bool {
	members, ok := membersOf(text)
	if !ok {
		return false
	}
	if v, class, _ := meaning(members, 0); v.Veto && class == "" && !r.Meant.Veto {
		r.Meant = v
	}
	return true
}

// jsonSpace is what may stand around a JSON value. Other white space may not.
const jsonSpace = " \t\r\n"

// maxGuessed is how much of an output that is no JSON is looked at.
const maxGuessed = 256 << 10

// manyMisses is at how many places an object may seem to begin where none does.
const manyMisses = 500

// scattered looks for objects in a text that holds more than one JSON value, and
// reports whether there are any.
func (r *Reading) scattered(text []byte) bool {
	var before, between, only []byte
	found, at := 0, 0
	for missed := 0; missed < manyMisses; {
		next := bytes.IndexByte(text[at:], '{')
		if next < 0 {
			break
		}
		next += at
		dec := jsontext.NewDecoder(bytes.NewReader(text[next:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		value, err := dec.ReadValue()
		if err != nil {
			if len(bytes.TrimSpace(text[:next])) == 0 {
				return false // it means to be one object
			}
			between = append(between, text[at:next+1]...)
			at = next + 1
			missed++
			continue
		}
		between = append(between, text[at:next]...)
		if found++; found == 1 {
			before, between = between, nil
		}
		r.take(value)
		only = value
		at = next + len(value)
	}
	if found == 0 {
		return false
	}
	if members, ok := membersOf(only); ok && found == 1 && !r.Meant.Veto { // as it would be read alone
		r.Meant, _, _ = meaning(members, maxNested)
	}
	after := append(between, text[at:]...)
	f := &validator.Finding{}
	switch before, after = bytes.Trim(before, jsonSpace), bytes.Trim(after, jsonSpace); {
	case len(before) > 0:
		f.Class, f.Message = "text-before", "before the object stands "+validator.Quote(before, 80)
		f.Fix = "Send logs to stderr; a library's and a shell's prints too. Print the object and nothing else."
	case found > 1:
		f.Class, f.Message = "several", fmt.Sprintf("there are %d objects, and the host reads one", found)
		f.Fix = "Collect what there is to say and print one object at the end."
	default:
		f.Class, f.Message = "text-after", "behind the object stands "+validator.Quote(after, 80)
		f.Fix = "Send logs to stderr, and print the object last and alone."
	}
	r.form = f
	return true
}

// readLog looks for a verdict that went to stderr.
func (r *Reading) readLog(stderr []byte) {
	for line := range bytes.Lines(stderr[:min(len(stderr), 64<<10)]) {
		if r.take(line); r.Meant.Veto {
			r.form = &validator.Finding{Class: "on-stderr", Message: "the verdict stands on stderr, and the host reads stdout", Fix: "Print the verdict to stdout."}
			return
		}
	}
}

// lose tells of a lost veto: what was meant, what the host makes of it and why.
func (r *Reading) lose(stdout []byte) {
	f := &validator.Finding{Class: "unheard", Message: "veto is given more than once, in letters of another case, and the host takes the last"}
	for _, cause := range []*validator.Finding{r.form, r.json, r.bytes} {
		if cause != nil {
			*f = *cause
		}
	}
	f.Message = fmt.Sprintf("it means %s, and the host understands none: %s. The operation would go through, and nobody would know", r.Meant, f.Message)
	want, err := jsonv2.Marshal(map[string]any{"veto": true, "reason": r.Meant.Reason}, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // a boolean and a string always encode
	}
	f.Expected, f.Got = string(want)+" and nothing else", validator.Quote(stdout, 300)
	r.lost = f
	r.form, r.json, r.bytes = nil, nil, nil
}

var ansi = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)

// clean takes out of an output what is none of its text, and says what it was.
func clean(out []byte) ([]byte, *validator.Finding) {
	at := bytes.IndexByte(out, 0)
	switch {
	case bytes.HasPrefix(out, []byte{0xff, 0xfe}), bytes.HasPrefix(out, []byte{0xfe, 0xff}), at >= 0 && at < 2 && len(out) > 3:
		return fromUTF16(out), &validator.Finding{Class: "utf-16", Message: "the output is UTF-16", Expected: "UTF-8", Got: validator.Quote(out, 40),
			Fix: "Write UTF-8; in PowerShell set [Console]::OutputEncoding to UTF-8."}
	case bytes.HasPrefix(out, []byte(bom)):
		return bytes.TrimPrefix(out, []byte(bom)), &validator.Finding{Class: "bom", Message: "the output begins with a byte order mark (EF BB BF)",
			Expected: "the output to begin with {", Got: validator.Quote(out, 40)}
	case at >= 0:
		return bytes.ReplaceAll(out, []byte{0}, nil), &validator.Finding{Class: "nul", Message: fmt.Sprintf("a NUL stands at byte %d of the output", at), Got: validator.Quote(out[max(0, at-20):], 60)}
	case ansi.Match(out):
		return ansi.ReplaceAll(out, nil), &validator.Finding{Class: "ansi", Message: "there are colour codes (ANSI escapes) in the output", Got: validator.Quote(out, 60)}
	case !utf8.Valid(out):
		return bytes.ToValidUTF8(out, []byte("\uFFFD")), &validator.Finding{Class: "invalid-utf-8", Message: "the output is not UTF-8", Expected: "UTF-8 (Latin-1 and Windows code pages are not)", Got: validator.Quote(out, 80)}
	}
	return out, nil
}

const bom = "\xef\xbb\xbf"

func fromUTF16(b []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 0xfe || b[0] == 0 {
		order = binary.BigEndian
	}
	var units []uint16
	for ; len(b) > 1; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}
