package literal

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// written is a value as the one member of an object, without that object.
func written(v Value) string {
	text := Write(obj("k", v), "", "\n")
	return strings.TrimSuffix(strings.TrimPrefix(text, "{\n  k: "), ",\n}")
}

func TestWriteLayout(t *testing.T) {
	v := obj(
		"name", str("Lists"),
		"permissions", arr(str("reply.text")),
		"match", obj("clients", arr(), "models", arr(str("gpt-*"), str("claude-*"))),
		"empty", obj(),
		"settings", obj(
			"bullet", obj("type", str("string"), "label", str("What stands in front of an item"), "value", str("-")),
			"limit", obj("type", str("number"), "value", num(40))),
	)
	want := `{
  name: "Lists",
  permissions: ["reply.text"],
  match: { clients: [], models: ["gpt-*", "claude-*"] },
  empty: {},
  settings: {
    bullet: {
      type: "string",
      label: "What stands in front of an item",
      value: "-",
    },
    limit: { type: "number", value: 40 },
  },
}`
	if diff := cmp.Diff(want, Write(v, "", "\n")); diff != "" {
		t.Error(diff)
	}
	indented := strings.ReplaceAll(Write(obj("a", num(1), "b", arr(str(strings.Repeat("x", 80)))), "\t ", "\r\n"), strings.Repeat("x", 80), "x")
	if diff := cmp.Diff("{\r\n\t   a: 1,\r\n\t   b: [\r\n\t     \"x\",\r\n\t   ],\r\n\t }", indented); diff != "" {
		t.Error(diff)
	}
	if got := Write(obj(), "  ", "\n"); got != "{}" {
		t.Errorf("nothing is written as %q", got)
	}
}

// A list or an object is broken where the line, with its comma, would have 81
// columns, whatever makes it so long.
func TestWriteWidth(t *testing.T) {
	for name, c := range map[string]struct {
		indent string
		key    string
		value  func(fill string) Value
	}{
		"list":            {"", "k", func(fill string) Value { return arr(num(1), str(fill)) }},
		"object":          {"", "k", func(fill string) Value { return obj("a", obj("b", str(fill))) }},
		"long name":       {"", "a_long_name_of_a_member", func(fill string) Value { return obj(fill, null()) }},
		"quoted name":     {"", "é è", func(fill string) Value { return arr(str(fill)) }},
		"indented":        {"    ", "k", func(fill string) Value { return arr(str(fill)) }},
		"tabs":            {"\t\t", "k", func(fill string) Value { return arr(str(fill)) }},
		"four bytes each": {"", "k", func(fill string) Value { return arr(str(strings.ReplaceAll(fill, "a", "🟢"))) }},
		"many":            {"", "k", func(fill string) Value { return arr(str(fill), arr(), obj(), yes(), num(1.5)) }},
	} {
		t.Run(name, func(t *testing.T) {
			longest, broken := 0, false
			for n := range 90 {
				text := Write(obj(c.key, c.value(strings.Repeat("a", n))), c.indent, "\n")
				lines := strings.Split(text, "\n")
				switch columns := utf8.RuneCountInString(lines[1]); {
				case len(lines) == 3 && broken:
					t.Fatalf("%d columns are on one line, and fewer were not", columns)
				case len(lines) == 3:
					longest = columns
				default:
					broken = true
				}
			}
			if longest != 80 || !broken {
				t.Errorf("the longest line has %d columns", longest)
			}
		})
	}
}

// A string is on its line, however long.
func TestWriteLongString(t *testing.T) {
	long := strings.Repeat("a", 200)
	if got := written(str(long)); got != `"`+long+`"` {
		t.Errorf("wrote %s", got)
	}
}

func TestWriteStrings(t *testing.T) {
	for text, want := range map[string]string{
		"":                      `""`,
		"plain 'text' `x` ${y}": "\"plain 'text' `x` ${y}\"",
		`"\`:                    `"\"\\"`,
		"\n\r\t\b\f\v":          `"\n\r\t\b\f\v"`,
		"\x00":                  `"\x00"`,
		"\x001\x1f\x7f":         `"\x001\x1f\x7f"`,
		"\u0080\u0085\u009f":    `"\x80\x85\x9f"`,
		"\u00a0\u2027\ufeff":    "\"\u00a0\u2027\ufeff\"",
		"a\u2028\u2029b":        `"a\u2028\u2029b"`,
		"é日本🟢/*</script>":       `"é日本🟢/*</script>"`,
		"\ufffd":                "\"\ufffd\"",
	} {
		if got := written(str(text)); got != want {
			t.Errorf("%q is written %s, wanted %s", text, got, want)
		}
	}
}

func TestWriteKeys(t *testing.T) {
	for key, want := range map[string]string{
		"a": `a`, "_": `_`, "$": `$`, "A9z_$": `A9z_$`, "if": `if`, "constructor": `constructor`, "async": `async`,
		"": `""`, "9a": `"9a"`, "1": `"1"`, "a-b": `"a-b"`, "a b": `"a b"`, "é": `"é"`, "日本": `"日本"`, "@": `"@"`, "[": `"["`, "`": "\"`\"", "{": `"{"`,
		"a\nb": `"a\nb"`, `"`: `"\""`,
	} {
		if got := Write(obj(key, num(1)), "", "\n"); got != "{\n  "+want+": 1,\n}" {
			t.Errorf("%q is written %s, wanted %s", key, got, want)
		}
	}
}

// The numbers are those at which JavaScript changes how it prints them.
func TestWriteNumbers(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", -zero(): "0", 1: "1", -1: "-1", 0.5: "0.5", -0.25: "-0.25", 0.1 + zero() + 0.2: "0.30000000000000004",
		1e5: "100000", 1e20: "100000000000000000000", 123456789012345680000: "123456789012345680000",
		999999999999999900000: "999999999999999900000", 1e21: "1e+21", -1.5e21: "-1.5e+21", 1e100: "1e+100",
		1e-6: "0.000001", 1.25e-6: "0.00000125", 9.9e-7: "9.9e-7", 1e-7: "1e-7", -1e-10: "-1e-10", 1e-100: "1e-100",
		math.SmallestNonzeroFloat64: "5e-324", math.MaxFloat64: "1.7976931348623157e+308",
		1<<53 - 1: "9007199254740991", 1 << 53: "9007199254740992", 4294967296: "4294967296",
	} {
		if got := written(num(n)); got != want {
			t.Errorf("%g is written %s, wanted %s", n, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	v := obj("a", num(1e21), "b", arr(null(), yes(), str("\x00\"\\\u2028\x7fé")), "é\n", obj())
	want := `{"a":1e+21,"b":[null,true,"\u0000\"\\\u2028\u007fé"],"é\u000a":{}}`
	if diff := cmp.Diff(want, v.JSON()); diff != "" {
		t.Error(diff)
	}
	var back Value
	if err := back.UnmarshalJSON([]byte(want)); err != nil || !back.Equal(v) {
		t.Errorf("it reads back as %s (%v)", back.JSON(), err)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"all around stays",
			"\ufeff#! x\n// é {\nexport /* a */ const manifest /*b*/ = // c\n {a:'1', /* gone */ b:[1,2,],} ;  f( `{` )\n",
			"\ufeff#! x\n// é {\nexport /* a */ const manifest /*b*/ = // c\n {\n   a: \"1\",\n   b: [1, 2],\n } ;  f( `{` )\n"},
		{"the indentation of its line", "if (x) {}\n\t  export const manifest = {a: 1}", "if (x) {}\n\t  export const manifest = {\n\t    a: 1,\n\t  }"},
		{"on a line of its own", "export const manifest =\n    {a: 1};\n", "export const manifest =\n    {\n      a: 1,\n    };\n"},
		{"a mark is no indentation", "\ufeff  export const manifest = {a: 1}", "\ufeff  export const manifest = {\n    a: 1,\n  }"},
		{"CRLF", "'use strict';\r\nexport const manifest = {\r\na: 1 };\r\n", "'use strict';\r\nexport const manifest = {\r\n  a: 1,\r\n};\r\n"},
		{"CR", "// x\rexport const manifest = { a: 1 };\r", "// x\rexport const manifest = {\r  a: 1,\r};\r"},
		{"the first newline counts", "// x\nexport const manifest = { a: 1 };\r\n", "// x\nexport const manifest = {\n  a: 1,\n};\r\n"},
		{"a newline behind counts", "export const manifest = { a: 1 };\r\n", "export const manifest = {\r\n  a: 1,\r\n};\r\n"},
		{"no newline", "export const manifest = { a: 1 }", "export const manifest = {\n  a: 1,\n}"},
		{"empty", "export const manifest = {\n\n};", "export const manifest = {};"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Format([]byte(c.source))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if again, err := Format(got); err != nil || string(again) != string(got) {
				t.Errorf("formatted again it is %q (%v)", again, err)
			}
		})
	}
	if _, err := Format([]byte("export const manifest = { ...a };")); err == nil {
		t.Error("what is no data is formatted")
	}
}

// What nesting and indentation blow up is refused before it fills the memory.
func TestFormatTooLarge(t *testing.T) {
	deep := strings.Repeat("[", 60)
	for name, source := range map[string]string{
		"nesting":     "export const manifest = { a: " + deep + strings.Repeat("1,", 100_000) + strings.Repeat("]", 60) + " };",
		"indentation": strings.Repeat(" ", 1<<20) + "export const manifest = { " + strings.ReplaceAll("a: 1, b: 1, c: 1, d: 1, e: 1, f: 1", ",", ",\n") + " };",
		"length":      "export const manifest = { a: '" + strings.Repeat("a", maxLiteral) + "' };",
	} {
		_, err := Format([]byte(source))
		if e, ok := err.(*Error); !ok || e.Class != "too-large" || e.Code != NotData {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What does not fit on a line is not printed to the end to find that out: it is
// tried anew at every level.
func TestInlineGivesUp(t *testing.T) {
	long, many := strings.Repeat("a", 1000), make([]Value, 1000)
	for name, v := range map[string]Value{
		"string": arr(num(1), str(long)), "name": obj("a", num(1), long, num(1)), "items": arr(arr(many...)),
		"after": arr(str(long[:90]), str(long[:90]), str(long[:90]), str(long[:90])),
	} {
		l := liner{limit: 100}
		l.value(v)
		if !l.full || l.Len() > 200 {
			t.Errorf("%s: %d bytes were printed, and 100 can fit", name, l.Len())
		}
	}
}
