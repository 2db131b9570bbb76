// Package gen draws random manifests, ways to write them and modules around them,
// for tests and for the kit's own trials of a rewriter. All of it is made with
// rapid, so a failing draw shrinks to a small one.
package gen

import (
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"plugcheck/validator/literal"
)

// pieces are what texts are put together from: whatever a writer may forget to
// escape, a reader may misread, or a tokenizer may fall for.
var pieces = []string{
	"a", "é", "e\u0301", "😀", "👩\u200d👧", "\U0010FFFF", "\uFFFD", "\uFFFF", "\uFEFF", " ", "\u00A0",
	`"`, `'`, "`", `\`, "$", "{", "}", "${", "`${x}`", "\n", "\r", "\r\n", "\t", "\b\f\v",
	"\x00", "\x01", "\x1b", "\x7f", "\u0085", "\u2028", "\u2029", "0", "8", "u{41}", `\u0041`, "x41", "n",
	"*/", "/*", "//", "</script>", "<!--", "-->", "export const manifest = {}", "__proto__",
}

var (
	texts = joined(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 3, -1)))
	// plainTexts go without what a line of text does not hold.
	plainTexts = joined(rapid.SampledFrom(slices.DeleteFunc(slices.Clone(pieces), func(p string) bool {
		return strings.ContainsAny(p, "\n\r\t\b\f\v\x00\x01\x1b\x7f\u0085\u2028\u2029")
	})))
)

func joined(piece *rapid.Generator[string]) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(piece, 0, 4), func(parts []string) string { return strings.Join(parts, "") })
}

// words are keys that are names to JavaScript, though not to every tool.
var words = []string{
	"a", "b1", "_", "$", "if", "class", "true", "null", "get", "set", "async", "static", "constructor", "toString", "hasOwnProperty",
	"undefined", "export", "manifest", "é", "ünï", "𝒳", "a\u0301", "a\u200d", "__proto", "prototype",
}

// names are the keys of data. __proto__ is not among them, as it makes no member.
// Quoted numbers are: JavaScript puts such members first, but they are the same data.
var names = rapid.OneOf(
	rapid.SampledFrom(words),
	rapid.SampledFrom([]string{"", " ", "a b", "a-b", "1", "01", "-1", "1e3", "é é", "a.b", "\n", "\x00"}),
	texts,
).Filter(func(s string) bool { return s != "__proto__" })

// edges are the numbers at which spellings change or precision ends.
var edges = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 0.1, 0.3, 255, 1e3, 123.456, 1e-6, 1e-7, 9.5e-7, 1e20, 1e21, 123456789012345680000, 1.5e300,
	1 << 53, 1<<53 - 1, 1<<53 + 2, 1 << 63, 5e-324, 2.2250738585072014e-308, math.MaxFloat64, math.MaxInt32, math.MinInt32, math.Pi,
}

var numbers = rapid.OneOf(rapid.SampledFrom(edges), rapid.Map(rapid.IntRange(-1000, 1000), func(n int) float64 { return float64(n) }), rapid.Float64())

var (
	nulls    = rapid.Just(literal.Value{})
	booleans = rapid.Map(rapid.Bool(), func(b bool) literal.Value { return literal.Value{Kind: literal.Bool, Bool: b} })
	floats   = rapid.Map(numbers, number)
	strs     = rapid.Map(texts, text)
)

func number(n float64) literal.Value { return literal.Value{Kind: literal.Number, Number: n} }
func text(s string) literal.Value    { return literal.Value{Kind: literal.String, String: s} }

var data = nested(3)

// Data draws any value that a manifest can hold.
func Data() *rapid.Generator[literal.Value] { return data }

// Object draws an object of any data.
func Object() *rapid.Generator[literal.Value] { return objects(names, data, 5) }

// nested draws values of up to some levels.
func nested(levels int) *rapid.Generator[literal.Value] {
	leaves := rapid.OneOf(nulls, booleans, floats, strs)
	if levels == 0 {
		return leaves
	}
	below := nested(levels - 1)
	arrays := rapid.Map(rapid.SliceOfN(below, 0, 4), func(items []literal.Value) literal.Value {
		return literal.Value{Kind: literal.Array, Items: items}
	})
	return rapid.OneOf(leaves, arrays, objects(names, below, 4))
}

// objects draws objects of up to some members.
func objects(names *rapid.Generator[string], values *rapid.Generator[literal.Value], most int) *rapid.Generator[literal.Value] {
	fields := rapid.Custom(func(t *rapid.T) literal.Field {
		return literal.Field{Name: names.Draw(t, "name"), Value: values.Draw(t, "value")}
	})
	distinct := rapid.SliceOfNDistinct(fields, 0, most, func(f literal.Field) string { return f.Name })
	return rapid.Map(distinct, func(fields []literal.Field) literal.Value {
		return literal.Value{Kind: literal.Object, Fields: fields}
	})
}
