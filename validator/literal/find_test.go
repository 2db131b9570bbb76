package literal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const sample = "{ a: 1 }"

// marked takes the mark out of a text and says where it stood.
func marked(t *testing.T, text string) (source string, at int) {
	t.Helper()
	before, after, ok := strings.Cut(text, "⟦")
	if !ok {
		t.Fatalf("no place is marked in %q", text)
	}
	return before + after, len(before)
}

// counted is the place of an offset, counted one character after the other.
func counted(source string, at int) (line, column int) {
	line, column = 1, 1
	for i, c := range source[:at] {
		switch {
		case i == 0 && c == '\uFEFF':
		case c == '\n' && i > 0 && source[i-1] == '\r': // the \r has ended the line
		case c == '\n' || c == '\r':
			line, column = line+1, 1
		default:
			column++
		}
	}
	return line, column
}

// wantError checks that a source has no manifest for a reason and at a place.
func wantError(t *testing.T, source, code, class string, at int) {
	t.Helper()
	m, err := Find([]byte(source))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: found %v, want an error of class %s", source, m, class)
	}
	want := Error{Code: code, Class: class, Message: e.Message, Offset: at}
	if code == NotDataAt {
		want.Line, want.Column = counted(source, at)
	}
	if diff := cmp.Diff(want, *e); diff != "" {
		t.Errorf("%q:\n%s", source, diff)
	}
	if e.Message == "" || strings.Contains(e.Message, "%!") || !strings.HasSuffix(e.Error(), e.Message) {
		t.Errorf("%q: the message is %q", source, e)
	}
}

func TestFind(t *testing.T) {
	for name, text := range map[string]string{
		"alone":                    "export const manifest = ⟦{ a: 1 }",
		"no white space":           "export const manifest=⟦{ a: 1 };",
		"lines":                    "export\nconst\r\nmanifest\r=\u2028⟦{ a: 1 }\u2029;",
		"all white space":          "export\t\v\f \u00a0\ufeffconst\u1680\u2000\u200a manifest\u202f\u205f\u3000=⟦{ a: 1 }",
		"comments":                 "export/**/const/*\n*//**/manifest//\n/* = { */ = // {\n⟦{ a: 1 }",
		"byte order mark":          "\ufeffexport const manifest = ⟦{ a: 1 }",
		"interpreter line":         "#!/usr/bin/env node\nexport const manifest/* = { */ = ⟦{ a: 1 };",
		"mark and interpreter":     "\ufeff#!/usr/bin/env node '\nexport const manifest = ⟦{ a: 1 };",
		"interpreter line with \r": "#!/bin/sh `\rexport const manifest = ⟦{ a: 1 };",
		"after code":               "import x from 'x'\nexport { x }\nx.y()\nexport const manifest = ⟦{ a: 1 }",
		"four-byte characters":     "/* 🟢 */ export const manifest = ⟦{ a: 1 };",
		"bad bytes elsewhere":      "// \xff\n'\xfe'; a\xfd; export const manifest = ⟦{ a: 1 }; \xc3",
		"more declarations":        "export const manifest = ⟦{ a: 1 }, other = { b: 2 };",
		"declared again deeper":    "export const manifest = ⟦{ a: 1 };\nfunction f(manifest) { const manifest = {}; }",
		"hooks behind":             "export const manifest = ⟦{ a: 1 }\nexport function onRequest() { return manifest.a }",
		"comment behind":           "export const manifest = ⟦{ a: 1 } // .x",
		"open comment behind":      "export const manifest = ⟦{ a: 1 } /* ",
		"increment on next line":   "export const manifest = ⟦{ a: 1 }\n++x",
		"negation on next line":    "export const manifest = ⟦{ a: 1 }\n!x",
		"as on next line":          "export const manifest = ⟦{ a: 1 }\nas\nconst",
		"no code behind":           "export const manifest = ⟦{ a: 1 }; ' ` /* ) manifest",
		"mentions behind":          "export const manifest = ⟦{ a: 1 };\n// export const manifest = {}\nf`export const manifest = {}`",
	} {
		t.Run(name, func(t *testing.T) {
			source, at := marked(t, text)
			m, err := Find([]byte(source))
			if err != nil {
				t.Fatalf("%q: %v", source, err)
			}
			line, column := counted(source, at)
			want := &Manifest{Value: obj("a", num(1)), Start: at, End: at + len(sample), Line: line, Column: column}
			if diff := cmp.Diff(want, m); diff != "" {
				t.Errorf("%q:\n%s", source, diff)
			}
		})
	}
}

// What only looks like the manifest, or hides it, and stands before the real one.
var lookAlikes = []string{
	`"export const manifest = {}";`,
	`'export const manifest = { \' }';`,
	"'\\\nexport const manifest = {}';",
	"`\nexport const manifest = {}\n`;",
	"`${\"`\"}export const manifest = {}${'}'}`;",
	"`${ `${ `\nexport const manifest = {}` }` /* ` */ }`;",
	"`${ { a: { b: `}` } }.a }\nexport const manifest = {}`;",
	"`$`; `\\${`; `$$`; `{`;",
	"const v=`${\"x\".replace(/[`].*$/,\"\")}`;",
	"`${ a / b }`; `${ /}`/ }`;",
	"// export const manifest = {}\n",
	"// export const manifest = {}\r",
	"// '\u2028// `\u2029",
	"/* export const manifest = {} // */",
	"/**\n * export const manifest = { '\n */",
	"/export const manifest = {}/;",
	"/[/]export const manifest = {}[^/\\]]/g;",
	"/\\/export const manifest = {}'/;",
	"x.export; x?.export; x\n.export\nconst\nmanifest\n= {};",
	"const o = { export: 1, const: 2, manifest: {} };",
	"class A { export\nconst\nmanifest = {} }",
	"class A { export() {} static export = 1; #export }",
	"import { export as e, const as c, manifest as m } from './manifest.js';",
	"const e = { export() {}, get const() { return '}' }, manifest: '{' };",
	"exported; const exports = 1, $export = 2, export_ = 3, éexport = 4, exporté = 5;",
	"export const manifesto = {}; export const manifest2 = {}; export const manifesté = {};",
	"export const Manifest = {}; export default { manifest: {} };",
	"export function manifestOf(manifest) { return { manifest } }",
	"if (a) /[}\"]/.test('x');",
	"const q=({} / 2);",
	"o.if / 2; o.return / 2; '/'",
	"a <!-- b\nc;",
	"a\n--> b;",
	"reexport\nconst manifest2 = {}; réexport\nx\u0061export; x. /* . */ export\nx. // .\n\texport\nx = 0.\n",
	"\\u0065xport; ex\\u{70}ort;",
}

func TestLookAlikes(t *testing.T) {
	const export = "export const manifest = "
	for _, code := range lookAlikes {
		sources := []string{
			code + "\n" + export + sample + ";\n" + code,
			code + "\r\n" + export + sample + "\r\n;" + code,
		}
		if !strings.HasPrefix(code, "import ") && !strings.HasPrefix(code, "export ") { // which stand at the top only
			sources = append(sources,
				"if (x) {"+code+"\n}"+export+sample,
				"f(`${ x => {"+code+"\n} }`, class { m() {"+code+"\n} });"+export+sample)
		}
		for _, source := range sources {
			wantSpan(t, code, source, strings.Index(source, export+sample)+len(export))
		}
	}
}

// wantSpan checks where the sample is found, with leaps and without.
func wantSpan(t *testing.T, name, source string, start int) {
	t.Helper()
	for _, leaps := range []bool{true, false} {
		f := finder{scanner: newScanner([]byte(source))}
		if !leaps {
			f.noLeap = len(source) + 1
		}
		if err := f.run(); err != nil || f.found == nil {
			t.Errorf("%s, leaps %v: %v, stopped at %d\n%q", name, leaps, err, f.at, source)
		} else if m := f.found; m.Start != start || m.End != start+len(sample) {
			t.Errorf("%s, leaps %v: found %d to %d, not from %d\n%q", name, leaps, m.Start, m.End, start, source)
		}
	}
}

func TestNoManifest(t *testing.T) {
	for _, c := range []struct{ class, text string }{
		{"not-const", "export let ⟦manifest = {}"},
		{"not-const", "export var ⟦manifest = {}"},
		{"not-const", "export function ⟦manifest() {}"},
		{"not-const", "\r\n\texport class ⟦manifest {}"},
		{"export-list", "const manifest = {}\nexport { ⟦manifest }"},
		{"export-list", "const m = {}\nexport { other, m as ⟦manifest, more }"},
		{"export-list", "export { /* , */ a as b, ⟦manifest as default } from 'x'"},
		{"export-default", "⟦export default { name: 'x' }"},
		{"not-exported", "const ⟦manifest = {}"},
		{"not-exported", "const ⟦manifest = {}; export default manifest"},
		{"not-exported", "let ⟦manifest = {}"},
		{"nested", "if (a) { ⟦export const manifest = {} }"},
		{"nested", "function f() {\n  ⟦export const manifest = {}\n"},
		{"twice", "export const manifest = {}\n⟦export const manifest = {}"},
		{"twice", "export const manifest = {}; manifest.a; a = 'manifest' /* */; /* 🟢 */ ⟦export/**/const// x\nmanifest"},
		{"twice", "export const manifest = {}\r\n⟦export const\u2028manifest = {}"},
		{"no-equals", "export const manifest⟦"},
		{"no-equals", "export const manifest⟦;"},
		{"typescript", "export const manifest⟦: Manifest = {}"},
		{"typescript", "export const manifest = {} ⟦as const"},
		{"typescript", "export const manifest = {} /**/ ⟦satisfies M"},
		{"no-value", "export const manifest = ⟦"},
		{"no-value", "export const manifest =⟦= {}"},
		{"not-object", "export const manifest = ⟦[{}]"},
		{"not-object", "export const manifest = ⟦'{}'"},
		{"not-object", "export const manifest = ⟦null"},
		{"variable", "export const manifest = ⟦other"},
		{"call", "export const manifest = ⟦Object.freeze({})"},
		{"parentheses", "export const manifest = ⟦({})"},
		{"class", "export const manifest = ⟦class {}"},
		{"expression", "export const manifest = {}⟦.a"},
		{"expression", "export const manifest = {}\n⟦?.a"},
		{"expression", "export const manifest = {}\n⟦[0]"},
		{"expression", "export const manifest = {}\n⟦/ 2 /g"},
		{"expression", "export const manifest = {} ⟦|| other"},
		{"expression", "export const manifest = {}\n⟦+x"},
		{"expression", "export const manifest = {} ⟦++"},
		{"expression", "export const manifest = {}\n⟦in other"},
		{"expression", "export const manifest = {} ⟦!== other"},
		{"expression", "export const manifest = 'a' ⟦+ b"},
		{"call", "export const manifest = {}\n⟦(function () {})()"},
		{"tagged-template", "export const manifest = {}\n⟦`x`"},
		{"unterminated-string", "a = ⟦'x\n'; export const manifest = {}"},
		{"unterminated-string", "a = ⟦\"export const manifest = {}"},
		{"unterminated-template", "a = ⟦`export const manifest = {}"},
		{"unterminated-template", "a = `${ b ⟦}export const manifest = {}"},
		{"unterminated-comment", "⟦/* export const manifest = {}"},
		{"unterminated-comment", "export const manifest ⟦/* = {}"},
		{"unterminated-comment", "export const manifest = ⟦/* {}"},
		{"unterminated-regexp", "a = ⟦/export\nconst manifest = {}/"},
		{"unterminated-regexp", "a = ⟦/[/\u2028]/"},
		{"unterminated-regexp", "a = ⟦/\\"},
		{"unterminated-string", "export default 1; ⟦'"},
		{"not-const", "export let ⟦manifest; '"},
		{"bracket", "a = (b⟦]; const manifest = {}"},
		{"bracket", "⟦} export const manifest = {}"},
	} {
		source, at := marked(t, c.text)
		wantError(t, source, NotDataAt, c.class, at)
	}
	for _, source := range []string{
		"", "\ufeff", "#!", "a", "export", "export const", "export const other = {}", "export {}", "export { a as b, c }",
		"const { manifest } = x", "manifest = {}", "export\nconst", "// export const manifest = {}",
	} {
		wantError(t, source, NotData, "not-found", 0)
	}
}

// pieces are what hostile and broken sources are put together from.
var pieces = []string{
	"export ", "const ", "manifest", "=", "{", "}", "[", "]", "(", ")", "'", `"`, "`", "${", "/", "//", "/*", "*/", `\`, "\n", "\r", "\u2028",
	" ", "\ufeff", "a", ":", ",", ";", "?", ".", "...", "=>", "1", "0x", "1n", ".5", "e", "_", "-", "+", "*", "#", "@", "<", "\x00", "\xff", "é", "🟢",
	"class ", "function ", "async ", "return ", "if", "for", "of ", "in ", "import ", "from ", "as ", "default ", "get ", "new ", "yield ", "await ",
	"export const manifest = ", sample, `\u`, `\x`, `\u{`, "__proto__", "true", "null", "undefined", "NaN",
}

func TestFindTakesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(pieces), rapid.SampledFrom(lookAlikes))).Draw(t, "parts")
		checkFind(t, []byte(strings.Join(parts, "")))
	})
}

func TestFindTakesMutations(t *testing.T) {
	source := []byte(strings.Join(lookAlikes, "\n") + "\nexport const manifest = {\n  a: 'x\\u{41}', b: [1, -.5, `t`],\n  'c d': { e: null },\n}\n")
	checkFind(t, source)
	rapid.Check(t, func(t *rapid.T) {
		b := append([]byte(nil), source...)
		for range rapid.IntRange(1, 4).Draw(t, "mutations") {
			at := rapid.IntRange(0, len(b)).Draw(t, "at")
			piece := rapid.SampledFrom(pieces).Draw(t, "piece")
			end := min(len(b), at+rapid.IntRange(0, 3).Draw(t, "removed"))
			b = append(b[:at:at], append([]byte(piece), b[end:]...)...)
		}
		checkFind(t, b)
	})
}

// checkFind checks what has to hold of every source.
func checkFind(t interface {
	Helper()
	Fatalf(string, ...any)
}, source []byte) {
	t.Helper()
	m, err := Find(source)
	if err != nil {
		var e *Error
		switch {
		case m != nil, !errors.As(err, &e):
			t.Fatalf("%q: %v with %v", source, m, err)
		case e.Message == "" || strings.Contains(e.Message, "%!"):
			t.Fatalf("%q: the message is %q", source, e.Message)
		case e.Code == NotData && (e.Line != 0 || e.Column != 0 || e.Offset != 0):
			t.Fatalf("%q: %v has a place", source, e)
		case e.Code == NotDataAt && (e.Line < 1 || e.Column < 1 || e.Offset < 0 || e.Offset > len(source)):
			t.Fatalf("%q: the place of %v is outside", source, e)
		}
		return
	}
	if m.Start < 0 || m.End > len(source) || m.Start >= m.End || source[m.Start] != '{' || source[m.End-1] != '}' {
		t.Fatalf("%q: the span is %d to %d", source, m.Start, m.End)
	}
	if !utf8.Valid(source[m.Start:m.End]) || m.Value.Kind != Object || m.Line < 1 || m.Column < 1 {
		t.Fatalf("%q: found %+v", source, m)
	}
	again, err := Find([]byte("export const manifest =" + string(source[m.Start:m.End])))
	if err != nil || !again.Value.Equal(m.Value) {
		t.Fatalf("%q: the literal alone is %v, %v", source, again, err)
	}
}

// Sources of a megabyte that a careless reader takes quadratic time or a deep stack for.
func TestFindIsLinear(t *testing.T) {
	const size = 1 << 20
	for _, c := range []struct{ head, repeated string }{
		{"", "("}, {"", "["}, {"", "{"}, {"", "`${"}, {"", "a?"}, {"", "class "}, {"", "/*"}, {"", "/**/"}, {"", "//"}, {"", "<!--"},
		{"", "export{a{"}, {"", "export{a,"}, {"", "export const "}, {"", "export/**/"}, {"", "const\n"}, {"", "if("}, {"", "=>{"}, {"", "{'"}, {"", "{a)/ "}, {"", "{>/"}, {"", "{`${"}, {"", "{}"}, {"", "{/*"},
		{"", "/a/ "}, {"", "a/"}, {"", `\u{`}, {"", "'"}, {"", "é"}, {"", "\ufeff"}, {"", "\r"},
		{"export const manifest = ", "{a:"}, {"export const manifest = {a:", "["}, {"export const manifest = {a:", "("}, {"export const manifest = {a:", "a."},
		{"export const manifest = {a:", "-"}, {"export const manifest = {a:'", `\u{41}`}, {"export const manifest = {a:'", `\u{0`}, {"export const manifest = {a:'", "\\\n"},
		{"export const manifest = {a:", "9"}, {"export const manifest = {a:0x", "f"}, {"export const manifest = {a:0b", "0"}, {"export const manifest = {a:1", "_1"}, {"export const manifest = {a:[", "1,"}, {"export const manifest = {", "é"},
		{"export const manifest = {a:async", "("}, {"export const manifest = {};", "manifest "}, {"export const manifest = {};", " "}, {"export const manifest = {};", "const manifest "},
	} {
		source := []byte(c.head + strings.Repeat(c.repeated, size/len(c.repeated)))
		start := time.Now()
		checkFind(t, source)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s%s… took %v", c.head, c.repeated, d)
		}
	}
}

func TestManyKeys(t *testing.T) {
	const keys = 100_000
	source := []byte("export const manifest = {")
	for i := range keys {
		source = fmt.Appendf(source, "k%d: 1,", i)
	}
	m, err := Find(append(source, '}'))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.Value.Fields); n != keys || !m.Value.Equal(m.Value) {
		t.Errorf("%d keys were read", n)
	}
	wantError(t, string(source)+"k1: 2}", NotDataAt, "repeated-key", len(source))
}
