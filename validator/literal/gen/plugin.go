package gen

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"plugcheck/validator/literal"
)

// A Source is a plugin's file, and what is to be found in it.
type Source struct {
	Text       []byte
	Start, End int // the span of the literal in bytes
	Value      literal.Value
}

var (
	beginnings = rapid.SampledFrom([]string{"", "", "\uFEFF", "#!/usr/bin/env node '\n", "\uFEFF#!/bin/sh `\r\n", "#!\u2028"})
	// unfinished are statements that only the word export ends, or that must not be
	// taken for unfinished.
	unfinished = rapid.SampledFrom([]string{
		"", "", "let open = 1\n", "var open = {}\n", "let open = x => {}\n", "let open = /}/\n", "var open = `}`\r", "let open = 1 / 2 /* \n */",
		"open: {}", "do ; while (0) ", "const open = class {}\n", "let open = async\nvar async;",
	})
	endings = rapid.SampledFrom([]string{
		";", ";\n", "\n;", " /* } */ ;", ", tail = { a: /}/ } / 2;", "\nlet tail;", "\r\nfunction tail() {}", "// .x\nclass tail {}", "\n++tail;\nvar tail;", "\n!function () {}();",
	})
	hookForms = rapid.SampledFrom([]string{
		"export function %s(x) { return x }", "export async function %s() {}", "export const %s = () => /}/;", "function %s() {}\nexport { %[1]s };",
	})
)

// Plugin draws a module around a manifest, with the hooks that its permissions
// need. It evaluates without errors and leaves the manifest as it is.
func Plugin(manifest *rapid.Generator[literal.Value]) *rapid.Generator[Source] {
	return rapid.Custom(func(t *rapid.T) Source {
		s := Source{Value: manifest.Draw(t, "manifest")}
		ends := lineEnds.Draw(t, "line ends").Replace
		before := ends(beginnings.Draw(t, "beginning") + Code("b").Draw(t, "before") + unfinished.Draw(t, "unfinished") + header(t))
		text := ends(Literal(s.Value).Draw(t, "literal"))
		behind := ends(endings.Draw(t, "ending") + Code("c").Draw(t, "behind") + rapid.SampledFrom(defaults).Draw(t, "default") + hooks(t, s.Value))
		s.Start, s.End = len(before), len(before)+len(text)
		s.Text = []byte(before + text + behind)
		return s
	})
}

// lineEnds leave a text as it was drawn, or give all its lines one end. What a
// manifest says does not change with that.
var lineEnds = rapid.SampledFrom([]*strings.Replacer{
	strings.NewReplacer(), strings.NewReplacer("\r\n", "\n"), strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n"),
})

// header writes what stands in front of the literal.
func header(t *rapid.T) string {
	var b strings.Builder
	for _, word := range []string{"export", "const", "manifest", "="} {
		b.WriteString(word)
		if word == "export" || word == "const" {
			b.WriteString(blanks.Draw(t, "blank"))
		}
		b.WriteString(gaps.Draw(t, "gap"))
	}
	return b.String()
}

func hooks(t *rapid.T, manifest literal.Value) string {
	var b strings.Builder
	for _, name := range hooksFor(manifest) {
		b.WriteString("\n" + fmt.Sprintf(hookForms.Draw(t, "hook"), name))
	}
	return b.String()
}

// Mutate draws a source with a few bytes changed, taken away or put in.
func Mutate(source []byte) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		out := slices.Clone(source)
		for range rapid.IntRange(1, 4).Draw(t, "mutations") {
			at := rapid.IntRange(0, len(out)).Draw(t, "at")
			end := min(len(out), at+rapid.IntRange(0, 4).Draw(t, "removed"))
			out = slices.Concat(out[:at], []byte(breaks.Draw(t, "inserted")), out[end:])
		}
		return out
	})
}

// breaks are what changes most of what stands behind it.
var breaks = rapid.OneOf(rapid.SampledFrom([]string{
	"", "'", `"`, "`", "${", "{", "}", "[", "]", "(", ")", "/", "/*", "*/", "//", `\`, ":", ",", ".", "...", "=>", "0", "-", "\r", "\n", "\x00", "\xff", "\xe2\x80",
	"async ", "get ", "export const manifest = ", "__proto__",
}), rapid.SampledFrom(pieces))
