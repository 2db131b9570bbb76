package argsgen

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A drawing is one value that is being drawn.
type drawing struct {
	*schema
	*rapid.T
	depth, values int
	small         bool // only what is required is drawn
}

// A schema that contains itself has values without end. Past the first of these,
// only what is required is drawn, and past the others nothing that fits.
const (
	deep, deepest    = 5, 20
	many, mostValues = 200, 1000
)

func (d *drawing) brief() bool { return d.small || d.depth > deep || d.values > many }

// value draws a value. What comes of parts that contradict each other is held
// against the schema later, with everything else.
func (d *drawing) value(want all, label string) any {
	d.depth++
	defer func() { d.depth-- }()
	if d.values++; d.depth > deepest || d.values > mostValues {
		return nil
	}
	want = d.choose(want)
	if left, ok := want.choices(); ok {
		if len(left) == 0 {
			return nil
		}
		return rapid.SampledFrom(left).Draw(d.T, label)
	}
	types := want.types()
	if len(types) == 0 {
		return nil
	}
	if flat := slices.DeleteFunc(slices.Clone(types), nested); d.brief() && len(flat) > 0 {
		types = flat
	}
	switch rapid.SampledFrom(types).Draw(d.T, label+" type") {
	case "object":
		return d.object(want, label)
	case "array":
		return d.array(want, label)
	case "string":
		return d.string(want, label)
	case "integer":
		return d.number(want, label, true)
	case "number":
		return d.number(want, label, false)
	case "boolean":
		return rapid.Bool().Draw(d.T, label)
	}
	return nil
}

func nested(kind string) bool { return kind == "object" || kind == "array" }

// choose takes one branch of each anyOf, oneOf and if.
func (d *drawing) choose(want all) all {
	want = slices.Clone(want)
	for i := 0; i < len(want); i++ { // what is appended is looked at too
		for _, k := range []string{"anyOf", "oneOf"} {
			if branches, ok := want[i][k].([]any); ok && len(branches) > 0 {
				if ends := slices.DeleteFunc(slices.Clone(branches), d.nests); d.brief() && len(ends) > 0 {
					branches = ends
				}
				want = append(want, d.flat(rapid.SampledFrom(branches).Draw(d.T, k))...)
			}
		}
		if condition, ok := want[i]["if"]; ok {
			if rapid.Bool().Draw(d.T, "if") {
				want = append(want, d.flat(condition, want[i]["then"])...)
			} else {
				want = append(want, d.flat(want[i]["else"])...)
			}
		}
	}
	return want
}

func (d *drawing) nests(branch any) bool {
	return !slices.ContainsFunc(d.flat(branch).types(), flatType)
}

func flatType(kind string) bool { return !nested(kind) }

func (d *drawing) object(want all, label string) any {
	chosen := map[string]bool{}
	for _, name := range want.required() {
		chosen[name] = true
	}
	least, greatest := count(want.lower("minProperties"), 0), count(want.upper("maxProperties"), most)
	for _, name := range want.properties() {
		if !chosen[name] && len(chosen) < greatest && (len(chosen) < least || !d.brief() && rapid.Bool().Draw(d.T, label+"."+name+"?")) {
			chosen[name] = true
		}
	}
	d.depend(want, chosen)
	wanted := least
	if free := want.free(); free && !d.brief() {
		wanted = max(least, min(greatest, len(chosen)+rapid.IntRange(0, 2).Draw(d.T, label+" more")))
	}
	for tries := 0; len(chosen) < wanted && tries < 2*wanted; tries++ {
		chosen[d.name(want, label)] = true
	}
	object := map[string]any{}
	for _, name := range names(chosen) {
		object[name] = d.value(d.property(want, name), label+"."+name)
	}
	return object
}

// depend adds the names that others bring with them.
func (d *drawing) depend(want all, chosen map[string]bool) {
	for again := true; again; {
		again = false
		for _, p := range want {
			dependencies, _ := p["dependencies"].(part)
			for _, name := range names(dependencies) {
				list, _ := dependencies[name].([]any)
				for _, other := range list {
					if text, ok := other.(string); ok && chosen[name] && !chosen[text] {
						chosen[text], again = true, true
					}
				}
			}
		}
	}
}

// free reports whether the schema speaks of names beyond those it lists: where it
// says nothing of them, none are drawn, for few tools expect any.
func (w all) free() bool {
	spoken := false
	for _, p := range w {
		switch p["additionalProperties"].(type) {
		case bool:
			if p["additionalProperties"] == false && p["patternProperties"] == nil {
				return false
			}
			spoken = true
		case part:
			spoken = true
		}
		if _, ok := p["patternProperties"]; ok {
			spoken = true
		}
	}
	return spoken
}

// name draws one that is not listed.
func (d *drawing) name(want all, label string) string {
	for _, p := range want {
		if patterns, ok := p["patternProperties"].(part); ok && len(patterns) > 0 {
			return rapid.StringMatching(rapid.SampledFrom(names(patterns)).Draw(d.T, label+" pattern")).Draw(d.T, label+" name")
		}
	}
	var rules []any
	for _, p := range want {
		if rule, ok := p["propertyNames"]; ok {
			rules = append(rules, rule)
		}
	}
	if rules != nil {
		if name, ok := d.value(append(d.flat(rules...), part{"type": "string"}), label+" name").(string); ok {
			return name
		}
	}
	return rapid.StringMatching(`[a-z]{1,8}`).Draw(d.T, label+" name")
}

func (d *drawing) array(want all, label string) any {
	least, greatest := count(want.lower("minItems"), 0), count(want.upper("maxItems"), most)
	var held []any
	for _, p := range want {
		if inner, ok := p["contains"]; ok {
			held = append(held, inner)
		}
	}
	least = max(least, len(held))
	n := least
	if more := min(greatest, least+3); more > least && !d.brief() {
		n = rapid.IntRange(least, more).Draw(d.T, label+" length")
	}
	unique := want.is("uniqueItems")
	array := []any{}
	for i := range n {
		item := d.item(want, i)
		if i < len(held) {
			item = append(item, d.flat(held[i])...)
		}
		v := d.value(item, label+"[]")
		for tries := 0; unique && holds(array, v) && tries < 10; tries++ {
			v = d.value(item, label+"[]")
		}
		if unique && holds(array, v) && len(array) >= least {
			break
		}
		array = append(array, v)
	}
	return array
}

func holds(list []any, v any) bool {
	return slices.ContainsFunc(list, func(other any) bool { return reflect.DeepEqual(v, other) })
}

// formats are examples of the formats that the validator knows. What it does not
// know is a remark, and any string will do.
var formats = map[string][]string{
	"date":                  {"2024-02-29", "1999-12-31"},
	"time":                  {"10:30:00Z", "23:59:59+02:00"},
	"date-time":             {"2024-02-29T10:30:00Z", "1999-12-31T23:59:59.5+02:00"},
	"hostname":              {"example.org", "a.b-c.example"},
	"email":                 {"a@example.org", "first.last+tag@example.org"},
	"idn-email":             {"a@example.org", "grüße@example.org"},
	"ipv4":                  {"127.0.0.1", "192.0.2.255"},
	"ipv6":                  {"::1", "2001:db8::8a2e:370:7334"},
	"uri":                   {"https://example.org/", "file:///tmp/a%20b?c=d#e"},
	"uri-reference":         {"/a/b", "https://example.org/"},
	"iri":                   {"https://example.org/", "https://example.org/ü"},
	"iri-reference":         {"/ü", "https://example.org/"},
	"uri-template":          {"https://example.org/{id}"},
	"uuid":                  {"00000000-0000-4000-8000-000000000000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
	"regex":                 {"a+", "^[a-z]*$"},
	"json-pointer":          {"/a/0", ""},
	"relative-json-pointer": {"0", "1/a"},
}

// texts are such as have been misread before; they are drawn more often than chance would.
var texts = []string{"", " ", "0", "é", "\u0110", "\u2028", "\x00", "\r\n", "\U0001f7e2", `"\/`, "<&>", "{}"}

func (d *drawing) string(want all, label string) any {
	if expr := want.text("pattern"); expr != "" {
		return rapid.StringMatching(expr).Draw(d.T, label)
	}
	if examples := formats[want.text("format")]; examples != nil {
		return rapid.SampledFrom(examples).Draw(d.T, label)
	}
	least, greatest := count(want.lower("minLength"), 0), count(want.upper("maxLength"), most)
	if least > greatest {
		return ""
	}
	fitting := slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
		n := utf8.RuneCountInString(s)
		return n < least || n > greatest
	})
	plain := rapid.StringN(least, min(greatest, least+100), -1)
	if len(fitting) == 0 {
		return plain.Draw(d.T, label)
	}
	return rapid.OneOf(plain, plain, rapid.SampledFrom(fitting)).Draw(d.T, label)
}

// Whole numbers are drawn as far as every decoder keeps them.
const exact = 1<<53 - 1

func (d *drawing) number(want all, label string, whole bool) any {
	lo, hi := d.limits(want)
	step := want.lower("multipleOf")
	if step != nil && step.Sign() <= 0 {
		return nil
	}
	if step == nil && (whole || rapid.Bool().Draw(d.T, label+" whole?")) {
		step = rat(1)
	}
	if step != nil {
		first, last := up(new(big.Rat).Quo(lo, step)), down(new(big.Rat).Quo(hi, step))
		if first <= last {
			n := rapid.Int64Range(first, last).Draw(d.T, label)
			return decimal(new(big.Rat).Mul(rat(n), step))
		}
		if whole {
			return nil
		}
	}
	low, _ := lo.Float64()
	high, _ := hi.Float64()
	if low > high {
		return nil
	}
	return json.Number(strconv.FormatFloat(rapid.Float64Range(low, high).Draw(d.T, label), 'g', -1, 64))
}

// limits are the smallest and the greatest number. An excluded one is kept away
// from by a sliver.
func (d *drawing) limits(want all) (lo, hi *big.Rat) {
	lo, hi = want.lower("minimum"), want.upper("maximum")
	if n := want.lower("exclusiveMinimum"); n != nil && (lo == nil || n.Cmp(lo) >= 0) {
		lo = n.Add(n, sliver)
	}
	if n := want.upper("exclusiveMaximum"); n != nil && (hi == nil || n.Cmp(hi) <= 0) {
		hi = n.Sub(n, sliver)
	}
	// The fourth draft has true in place of a number.
	if lo != nil && want.is("exclusiveMinimum") {
		lo.Add(lo, sliver)
	}
	if hi != nil && want.is("exclusiveMaximum") {
		hi.Sub(hi, sliver)
	}
	switch {
	case lo == nil && hi == nil:
		return rat(-exact), rat(exact)
	case lo == nil:
		lo = rat(-exact)
		if hi.Cmp(lo) < 0 {
			lo.Add(lo, hi)
		}
	case hi == nil:
		hi = rat(exact)
		if lo.Cmp(hi) > 0 {
			hi.Add(hi, lo)
		}
	}
	return lo, hi
}

// sliver is by how much an excluded limit is kept away from.
var sliver = big.NewRat(1, 1<<20)

// up and down are the next whole numbers.
func up(r *big.Rat) int64 { return -down(new(big.Rat).Neg(r)) }

func down(r *big.Rat) int64 {
	n := new(big.Int).Div(r.Num(), r.Denom()) // rounds down, for the denominator is positive
	if !n.IsInt64() {
		return int64(n.Sign()) * exact
	}
	return n.Int64()
}

// decimal writes a number without rounding, as far as a decimal can.
func decimal(r *big.Rat) json.Number {
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	digits, ok := r.FloatPrec()
	if !ok {
		f, _ := r.Float64()
		return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return json.Number(r.FloatString(digits))
}
