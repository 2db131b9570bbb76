package rewriter

import (
	"bytes"
	"fmt"
	"unicode/utf16"

	jsonv2 "github.com/go-json-experiment/json"

	"plugcheck/contracts"
	"plugcheck/validator"
	"plugcheck/validator/literal"
	"plugcheck/validator/patch"
)

// value decodes the answer of an operation that had to succeed.
func value[T interface{ schema() string }](r *Reply) (T, *validator.Finding) {
	var ok T
	if r.Error != nil {
		return ok, &validator.Finding{Class: "refused", Message: "it answered with an error: " + r.Error.String(), Expected: "ok", Got: r.Error.String()}
	}
	if v := contracts.MustGet(Contract).Schema(ok.schema()).Validate(r.OK); len(v) > 0 {
		return ok, &validator.Finding{Class: "shape", Message: "what it says is ok has another shape: " + v[0].String(), Expected: v[0].Wanted, Got: v[0].Got}
	}
	if err := jsonv2.Unmarshal(r.OK, &ok); err != nil {
		return ok, &validator.Finding{Class: "shape", Message: "what it says is ok has another shape: " + err.Error(), Expected: "values that can be read", Got: validator.Quote(r.OK, 200)}
	}
	return ok, nil
}

// JudgeFind compares what a rewriter found with what is there.
func JudgeFind(source []byte, want *literal.Manifest, r *Reply) *validator.Finding {
	got, f := value[Found](r)
	switch {
	case f != nil:
		return f
	case got.Start != want.Start || got.End != want.End:
		f := &validator.Finding{Class: "span", Message: fmt.Sprintf("it found the literal at bytes %d to %d, and it stands at %d to %d", got.Start, got.End, want.Start, want.End),
			Expected: fmt.Sprintf("%d to %d", want.Start, want.End), Got: fmt.Sprintf("%d to %d", got.Start, got.End)}
		for _, u := range units {
			if got.Start == u.count(source[:want.Start]) && got.End == u.count(source[:want.End]) {
				f.Class = "span-" + u.class
				f.Message += "; it counted " + u.name
				f.Fix = "Count bytes of the UTF-8 source, and not " + u.name + "."
				return f
			}
		}
		return f
	case !got.Value.Equal(want.Value):
		return &validator.Finding{Class: "value", Message: "it read another value out of the literal", Expected: validator.Quote([]byte(want.Value.JSON()), 300), Got: validator.Quote([]byte(got.Value.JSON()), 300)}
	case got.Line != want.Line || got.Column != want.Column:
		return &validator.Finding{Class: "place", Message: "it gives the literal another place",
			Expected: fmt.Sprintf("line %d, column %d", want.Line, want.Column), Got: fmt.Sprintf("line %d, column %d", got.Line, got.Column)}
	}
	return nil
}

// units are what offsets are counted in by mistake.
var units = []unit{
	{"utf16", "UTF-16 units", utf16.RuneLen},
	{"characters", "characters", func(rune) int { return 1 }},
}

type unit struct {
	class, name string
	size        func(rune) int
}

// count is how many units a text has.
func (u unit) count(text []byte) (n int) {
	for _, r := range string(text) {
		n += u.size(r)
	}
	return n
}

// at is the offset in bytes at which so many units have passed.
func (u unit) at(text []byte, n int) int {
	for i, r := range string(text) {
		if n <= 0 {
			return i
		}
		n -= u.size(r)
	}
	return len(text)
}

// JudgeError compares an error with the one that is due.
func JudgeError(want Fault, r *Reply) *validator.Finding {
	if r.Error == nil {
		return &validator.Finding{Class: "accepted", Message: "it did what has to be refused with " + want.String(), Expected: want.String(), Got: validator.Quote(r.OK, 200)}
	}
	if *r.Error == want {
		return nil
	}
	f := &validator.Finding{Class: "code", Message: fmt.Sprintf("its error is %s, and %s is due", r.Error, want), Expected: want.String(), Got: r.Error.String()}
	if r.Error.Code == want.Code {
		f.Class = "place"
	}
	return f
}

// JudgeOutside compares the bytes around the literal with those before the change.
func JudgeOutside(source []byte, m *literal.Manifest, r *Reply) *validator.Finding {
	got, f := value[Rewritten](r)
	if f != nil {
		return f
	}
	out := []byte(got.Source)
	at, where, differs := outside(source, m, out)
	if !differs {
		return nil
	}
	f = &validator.Finding{Class: "outside", Message: fmt.Sprintf("it changed bytes outside the literal, the first of them byte %d of the file, %s the literal", at, where),
		Expected: "the same bytes", Got: "other bytes", Diff: patch.Unified("plugin.js", source, out)}
	for _, u := range units {
		if how := u.misplaced(source, m, out); how != "" {
			f.Class = "outside-" + u.class
			f.Message += "; " + how
			f.Fix = "Give offsets and take them in one unit. In this protocol they count bytes of the UTF-8 source."
			return f
		}
	}
	return f
}

// outside finds the first byte of a source, in front of its literal or behind it,
// that is another one after a change.
func outside(source []byte, m *literal.Manifest, out []byte) (at int, where string, differs bool) {
	n, err := literal.Find(out)
	front := common(source[:m.Start], out)
	if front < m.Start || err == nil && n.Start != m.Start {
		return front, "in front of", true
	}
	tail := source[m.End:]
	end := max(m.Start, len(out)-len(tail)) // where it cannot be read: that is told elsewhere
	if err == nil {
		end = n.End
	}
	behind := common(tail, out[end:])
	return m.End + behind, "behind", behind < max(len(tail), len(out)-end)
}

// common is how many bytes at the beginning of two texts are the same.
func common(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// misplaced says how a literal came to stand elsewhere, if it was this unit that
// was mixed up with bytes, and by how much it is off.
func (u unit) misplaced(source []byte, m *literal.Manifest, out []byte) string {
	for _, s := range []struct {
		how        string
		start, end int
	}{
		{"offsets in " + u.name + " were taken for bytes", u.count(source[:m.Start]), u.count(source[:m.End])},
		{"offsets in bytes were taken for " + u.name, u.at(source, m.Start), u.at(source, m.End)},
	} {
		if (s.start != m.Start || s.end != m.End) && spliced(source, s.start, s.end, out) {
			return fmt.Sprintf("%s, so that byte %d was cut at %d, and byte %d at %d", s.how, m.Start, s.start, m.End, s.end)
		}
	}
	return ""
}

// spliced reports whether a literal was put in place of a span.
func spliced(source []byte, start, end int, out []byte) bool {
	rest, ok := bytes.CutPrefix(out, source[:start])
	put, cut := bytes.CutSuffix(rest, source[end:])
	return ok && cut && bytes.HasPrefix(put, []byte("{")) && bytes.HasSuffix(put, []byte("}"))
}

// JudgeReadBack reads the literal again and compares it with what was to be saved.
func JudgeReadBack(source []byte, want literal.Value, r *Reply) *validator.Finding {
	got, f := value[Rewritten](r)
	if f != nil {
		return f
	}
	m, err := literal.Find([]byte(got.Source))
	if err != nil {
		return &validator.Finding{Class: "unreadable", Message: "what it wrote cannot be read: " + err.Error(), Expected: "pure data", Got: err.Error(), Diff: patch.Unified("plugin.js", source, []byte(got.Source))}
	}
	if m.Value.Equal(want) {
		return nil
	}
	return &validator.Finding{Class: "read-back", Message: "what it wrote reads back as another value than was to be saved", Expected: validator.Quote([]byte(want.JSON()), 300), Got: validator.Quote([]byte(m.Value.JSON()), 300)}
}

// JudgeStyle compares the literal with the one style in which it is written.
func JudgeStyle(want []byte, r *Reply) *validator.Finding {
	got, f := value[Rewritten](r)
	if f != nil || got.Source == string(want) {
		return f
	}
	return &validator.Finding{Class: "style", Message: "it wrote the literal in another style, or its fields in another order", Expected: "the lines marked - below", Got: "the lines marked + below", Diff: patch.Unified("plugin.js", want, []byte(got.Source))}
}

// JudgeSame asks for a source that is the same, byte for byte.
func JudgeSame(source []byte, r *Reply) *validator.Finding {
	got, f := value[Rewritten](r)
	if f != nil || got.Source == string(source) {
		return f
	}
	return &validator.Finding{Class: "changed", Message: "it changed bytes where there was nothing to change", Expected: "the same bytes", Got: "other bytes", Diff: patch.Unified("plugin.js", source, []byte(got.Source))}
}

// JudgeClass compares how a save is classified.
func JudgeClass(want literal.Save, r *Reply) *validator.Finding {
	got, f := value[Classified](r)
	if f != nil {
		return f
	}
	if got.Change != nil && *got.Change == want {
		return nil
	}
	said := "nothing"
	if got.Change != nil {
		said = string(*got.Change)
	}
	return &validator.Finding{Class: "class", Message: fmt.Sprintf("it calls the save %s, and it is %s", said, want), Expected: string(want), Got: said}
}

// JudgeConfirmation compares whether a request has to be confirmed.
func JudgeConfirmation(want literal.Confirmation, r *Reply) *validator.Finding {
	got, f := value[Classified](r)
	if f != nil || got.Confirmation == want.Needed {
		return f
	}
	said := map[bool]string{true: "needed", false: "not needed"}
	return &validator.Finding{Class: "confirmation", Message: fmt.Sprintf("it says that a confirmation is %s, and it is %s: %s", said[got.Confirmation], said[want.Needed], want.Reason),
		Expected: said[want.Needed], Got: said[got.Confirmation]}
}

// NewSource is the source of an answer to rewrite, where there is one.
func NewSource(r *Reply) ([]byte, bool) {
	got, f := value[Rewritten](r)
	return []byte(got.Source), f == nil
}
