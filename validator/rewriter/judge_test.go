package rewriter

import (
	"strings"
	"testing"

	"plugcheck/validator"
	"plugcheck/validator/literal"
)

// plugin is a file in which bytes, UTF-16 units and characters all differ, in
// front of the literal and inside it.
const plugin = "/* 🟢é */ export const manifest = { v: \"é🟢\", on_error: \"skip\" };\nexport function onRequest() {}\n"

func found(t *testing.T, source string) *literal.Manifest {
	t.Helper()
	m, err := literal.Find([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func reply(t *testing.T, line string) *Reply {
	t.Helper()
	r, f := Read([]byte(line))
	if f != nil {
		t.Fatalf("%s: %s", line, f.Message)
	}
	return r
}

// wrote is the answer to rewrite with a source.
func wrote(source string) *Reply { return ptr(done(Rewritten{source})) }

func ptr[T any](v T) *T { return &v }

// expect holds that a finding has a class and what its message has to tell; an
// empty class is for none.
func expect(t *testing.T, f *validator.Finding, class string, tells ...string) {
	t.Helper()
	switch {
	case f == nil && class == "":
		return
	case f == nil || f.Class != class:
		t.Fatalf("finding %+v, want the class %q", f, class)
	case f.Expected == "" || f.Got == "":
		t.Errorf("%s does not say what was expected and what came: %+v", class, f)
	}
	for _, part := range tells {
		if !strings.Contains(f.Message, part) {
			t.Errorf("%s does not tell %q: %s", class, part, f.Message)
		}
	}
}

// TestEveryJudgementWantsTheShape gives each judgement what is no answer to its operation.
func TestEveryJudgementWantsTheShape(t *testing.T) {
	source, m := []byte(plugin), found(t, plugin)
	judges := map[string]struct {
		judge func(*Reply) *validator.Finding
		odd   []string
	}{
		"find": {func(r *Reply) *validator.Finding { return JudgeFind(source, m, r) }, []string{
			`{"Start":1,"End":2,"Line":1,"Column":1,"Value":{}}`, `{"start":1,"end":2,"line":1,"column":1}`, `{"start":1,"end":2,"line":0,"column":1,"value":{}}`,
			`{"start":1,"end":2.5,"line":1,"column":1,"value":{}}`, `{"start":1,"end":2,"line":1,"column":1,"value":{"a":1e999}}`, `{"start":1,"end":99999999999999999999,"line":1,"column":1,"value":{}}`}},
		"outside":      {func(r *Reply) *validator.Finding { return JudgeOutside(source, m, r) }, []string{`{"Source":""}`, `{"source":null}`}},
		"reads back":   {func(r *Reply) *validator.Finding { return JudgeReadBack(source, m.Value, r) }, []string{`{"source":1}`}},
		"style":        {func(r *Reply) *validator.Finding { return JudgeStyle(source, r) }, []string{`{"source":["a"]}`}},
		"same":         {func(r *Reply) *validator.Finding { return JudgeSame(nil, r) }, []string{`{"SOURCE":""}`}},
		"class":        {func(r *Reply) *validator.Finding { return JudgeClass(literal.DataOnly, r) }, []string{`{"change":"data-only"}`, `{"change":"data","confirmation":true}`}},
		"confirmation": {func(r *Reply) *validator.Finding { return JudgeConfirmation(literal.Confirmation{}, r) }, []string{`{"confirmation":false}`, `{"change":null,"confirmation":0}`}},
	}
	for name, j := range judges {
		t.Run(name, func(t *testing.T) {
			for _, ok := range append(j.odd, `{}`) {
				expect(t, j.judge(reply(t, `{"ok":`+ok+`}`)), "shape", "another shape")
			}
			expect(t, j.judge(reply(t, `{"error":{"code":"bad_request"}}`)), "refused", "bad_request")
		})
	}
}

func TestJudgeFind(t *testing.T) {
	source, m := []byte(plugin), found(t, plugin)
	good := Found{m.Start, m.End, m.Line, m.Column, m.Value}
	for _, c := range []struct {
		class string
		spoil func(*Found)
		tells string
	}{
		{"", func(*Found) {}, ""},
		{"", func(f *Found) { f.Value.Fields = []literal.Field{m.Value.Fields[1], m.Value.Fields[0]} }, ""},
		{"span", func(f *Found) { f.End++ }, "bytes 37 to"},
		{"span-utf16", func(f *Found) { f.Start, f.End = f.Start-3, f.End-6 }, "UTF-16"},
		{"span-characters", func(f *Found) { f.Start, f.End = f.Start-4, f.End-8 }, "characters"},
		{"value", func(f *Found) { f.Value = literal.Value{Kind: literal.Object} }, "another value"},
		{"place", func(f *Found) { f.Column++ }, "another place"},
		{"place", func(f *Found) { f.Line++ }, "another place"},
	} {
		f := good
		c.spoil(&f)
		expect(t, JudgeFind(source, m, ptr(done(f))), c.class, c.tells)
	}
}

// TestJudgeFindNamesOneUnit has a file where UTF-16 units and characters are the
// same: one of them is named.
func TestJudgeFindNamesOneUnit(t *testing.T) {
	const source = "/* é */ export const manifest = {};"
	m := found(t, source)
	f := JudgeFind([]byte(source), m, ptr(done(Found{m.Start - 1, m.End - 1, 1, m.Column, m.Value})))
	expect(t, f, "span-utf16")
	if strings.Count(f.Message, "it counted") != 1 {
		t.Error(f.Message)
	}
}

func TestJudgeError(t *testing.T) {
	want := Fault{literal.NotDataAt, 2, 3}
	expect(t, JudgeError(want, reply(t, `{"error":{"code":"manifest_not_data_at","line":2,"column":3}}`)), "")
	expect(t, JudgeError(want, reply(t, `{"error":{"code":"manifest_not_data_at","line":2,"column":4}}`)), "place", "line 2, column 4", "line 2, column 3")
	expect(t, JudgeError(want, reply(t, `{"error":{"code":"manifest_not_data"}}`)), "code", "manifest_not_data,")
	expect(t, JudgeError(want, reply(t, `{"ok":{}}`)), "accepted", "line 2, column 3")
	expect(t, JudgeError(Fault{Code: literal.SettingType}, reply(t, `{"error":{"code":"setting_type","line":null}}`)), "")
}

func TestJudgeOutside(t *testing.T) {
	source, m := []byte(plugin), found(t, plugin)
	front, tail := plugin[:m.Start], plugin[m.End:]
	const put = "{\n  v: \"new\",\n}"
	utf16, characters := units[0], units[1]
	// splice puts the literal where a mistaken rewriter would.
	splice := func(start, end int) string { return plugin[:start] + put + plugin[end:] }
	for _, c := range []struct {
		name, out, class string
		tells            []string
	}{
		{"the literal alone", front + put + tail, "", nil},
		{"what cannot be read", front + "{ ...a }" + tail, "", nil},
		{"a space in front", " " + front + put + tail, "outside", []string{"byte 0 ", "in front of"}},
		{"another word in front", strings.Replace(front, "const", "Const", 1) + put + tail, "outside", []string{"byte 20 ", "in front of"}},
		{"a comment before the literal", front + "/**/" + put + tail, "outside", []string{"byte 37 ", "in front of"}},
		{"another word behind", front + put + strings.Replace(tail, "onR", "onr", 1), "outside", []string{"byte 90 ", "behind"}},
		{"a line more", front + put + tail + "\n", "outside", []string{"byte 103 ", "behind"}},
		{"no last newline", front + put + strings.TrimSuffix(tail, "\n"), "outside", []string{"byte 102 ", "behind"}},
		{"a statement more behind", front + put + ";\n" + tail, "outside", []string{"byte 72 ", "behind"}},
		{"nothing", "", "outside", []string{"byte 0 "}},
		{"cut off behind the front", front, "outside", []string{"behind"}},
		{"UTF-16 offsets as bytes", splice(utf16.count(source[:m.Start]), utf16.count(source[:m.End])), "outside-utf16", []string{"UTF-16 units were taken for bytes", "byte 37 was cut at 34"}},
		{"characters as bytes", splice(characters.count(source[:m.Start]), characters.count(source[:m.End])), "outside-characters", []string{"characters were taken for bytes", "cut at 33"}},
		{"bytes as UTF-16 offsets", splice(utf16.at(source, m.Start), utf16.at(source, m.End)), "outside-utf16", []string{"bytes were taken for UTF-16 units", "byte 37 was cut at 4"}},
		{"bytes as characters", splice(characters.at(source, m.Start), characters.at(source, m.End)), "outside-characters", []string{"bytes were taken for characters"}},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, JudgeOutside(source, m, wrote(c.out)), c.class, c.tells...) })
	}
}

func TestJudgeReadBack(t *testing.T) {
	source, m := []byte(plugin), found(t, plugin)
	expect(t, JudgeReadBack(source, m.Value, wrote("export const manifest = { on_error: 'skip', v: 'é🟢' };")), "")
	expect(t, JudgeReadBack(source, m.Value, wrote("export const manifest = { v };")), "unreadable", "line 1, column 27")
	expect(t, JudgeReadBack(source, m.Value, wrote("export const manifest = { v: 'é🟢' };")), "read-back")
}

func TestJudgeStyleAndSame(t *testing.T) {
	source := []byte(plugin)
	expect(t, JudgeStyle(source, wrote(plugin)), "")
	expect(t, JudgeStyle(source, wrote(plugin+" ")), "style")
	expect(t, JudgeSame(source, wrote(plugin)), "")
	expect(t, JudgeSame(source, wrote("")), "changed")
}

func TestJudgeClassAndConfirmation(t *testing.T) {
	for _, said := range []literal.Save{literal.SameBytes, literal.DataOnly, literal.CodeChange} {
		class := "class"
		if said == literal.DataOnly {
			class = ""
		}
		expect(t, JudgeClass(literal.DataOnly, ptr(done(Classified{&said, false}))), class, string(said))
	}
	expect(t, JudgeClass(literal.DataOnly, ptr(done(Classified{}))), "class", "nothing")

	needed := literal.Confirmation{Needed: true, Reason: "for this reason"}
	expect(t, JudgeConfirmation(needed, ptr(done(Classified{nil, true}))), "")
	expect(t, JudgeConfirmation(literal.Confirmation{}, ptr(done(Classified{}))), "")
	expect(t, JudgeConfirmation(needed, ptr(done(Classified{}))), "confirmation", "is not needed, and it is needed", "for this reason")
	expect(t, JudgeConfirmation(literal.Confirmation{}, ptr(done(Classified{nil, true}))), "confirmation", "is needed, and it is not needed")
}

func TestNewSource(t *testing.T) {
	if out, ok := NewSource(wrote("")); !ok || len(out) != 0 {
		t.Errorf("an empty source: %q %v", out, ok)
	}
	for _, line := range []string{`{"ok":{}}`, `{"error":{"code":"setting_type"}}`} {
		if out, ok := NewSource(reply(t, line)); ok {
			t.Errorf("%s is a source: %q", line, out)
		}
	}
}
