package argsgen

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"

	"plugcheck/contracts"
)

// breaks changes a valid value in one place so that the schema does not allow it.
// The flaw is empty where nothing does.
func (s *schema) breaks(t *rapid.T, valid any) Flaw {
	b := &breaking{schema: s}
	b.at(s.flat(s.root), valid, "args", func(v any) any { return v })
	if len(b.flaws) == 0 {
		return Flaw{}
	}
	for _, f := range rapid.Permutation(b.flaws).Draw(t, "broken") {
		if !s.allows(f.Value) {
			return f
		}
	}
	return Flaw{}
}

// breaking collects ways to break a value, those that a plugin should notice first coming first.
type breaking struct {
	*schema
	flaws []Flaw
}

// at looks for ways to break the value v. put returns the arguments with another
// value in its place.
func (b *breaking) at(want all, v any, place string, put func(any) any) {
	add := func(changed any, place, what string, args ...any) {
		b.flaws = append(b.flaws, Flaw{put(changed), place, fmt.Sprintf(what, args...)})
	}
	switch v := v.(type) {
	case map[string]any:
		b.object(want, v, place, put)
	case []any:
		b.array(want, v, place, put)
	case string:
		b.string(want, v, func(changed, what string) { add(changed, place, "%s", what) })
	case json.Number:
		b.number(want, func(changed *big.Rat, what string) { add(decimal(changed), place, "%s", what) })
	}
	if left, ok := want.choices(); ok {
		add("none of them", place, "a value that is not among the %d of the enum", len(left))
	}
	if other, what, ok := want.otherType(); ok {
		add(other, place, "%s where %s is wanted", what, strings.Join(want.types(), " or "))
	}
}

// otherType is a value of a type that is not wanted.
func (w all) otherType() (v any, what string, ok bool) {
	if !slices.ContainsFunc(w, func(p part) bool { return p["type"] != nil }) {
		return nil, "", false
	}
	types := w.types()
	for _, other := range []struct {
		kind, what string
		value      any
	}{
		{"string", "a string", "not of this type"},
		{"array", "an array", []any{"not", "of", "this", "type"}},
		{"object", "an object", map[string]any{"not": "of this type"}},
		{"number", "a number", json.Number("0.5")},
	} {
		if !slices.Contains(types, other.kind) {
			return other.value, other.what, true
		}
	}
	return nil, "", false
}

func (b *breaking) object(want all, v map[string]any, place string, put func(any) any) {
	with := func(name string, value any) any {
		m := maps.Clone(v)
		m[name] = value
		return put(m)
	}
	for _, name := range want.required() {
		if _, ok := v[name]; ok {
			m := maps.Clone(v)
			delete(m, name)
			b.flaws = append(b.flaws, Flaw{put(m), place + "." + name, "missing, and it is required"})
		}
	}
	for _, name := range names(v) {
		b.at(b.property(want, name), v[name], place+"."+name, func(changed any) any { return with(name, changed) })
	}
	const stranger = "a_name_that_is_not_declared"
	if slices.ContainsFunc(want, func(p part) bool { return p["additionalProperties"] == false }) {
		b.flaws = append(b.flaws, Flaw{with(stranger, true), place + "." + stranger, "a name that the schema does not have, and it allows no others"})
	}
}

func (b *breaking) array(want all, v []any, place string, put func(any) any) {
	if least := count(want.lower("minItems"), 0); least > 0 {
		b.flaws = append(b.flaws, Flaw{put(v[:least-1]), place, fmt.Sprintf("%d items where at least %d are wanted", least-1, least)})
	}
	if greatest := count(want.upper("maxItems"), most); greatest < most && len(v) > 0 {
		long := slices.Clone(v)
		for len(long) <= greatest {
			long = append(long, v[0])
		}
		b.flaws = append(b.flaws, Flaw{put(long), place, fmt.Sprintf("%d items where at most %d are wanted", greatest+1, greatest)})
	}
	if want.is("uniqueItems") && len(v) > 0 {
		b.flaws = append(b.flaws, Flaw{put(append(slices.Clone(v), v[0])), place, "an item twice, and items have to differ"})
	}
	for i := range v {
		b.at(b.item(want, i), v[i], fmt.Sprintf("%s[%d]", place, i), func(changed any) any {
			list := slices.Clone(v)
			list[i] = changed
			return put(list)
		})
	}
}

func (b *breaking) string(want all, v string, add func(changed, what string)) {
	if least := count(want.lower("minLength"), 0); least > 0 && least <= utf8.RuneCountInString(v) {
		add(string([]rune(v)[:least-1]), fmt.Sprintf("%d characters where at least %d are wanted", least-1, least))
	}
	if greatest := count(want.upper("maxLength"), most); greatest < most {
		add(v+strings.Repeat("x", greatest+1-utf8.RuneCountInString(v)), fmt.Sprintf("%d characters where at most %d are wanted", greatest+1, greatest))
	}
	if expr := want.text("pattern"); expr != "" {
		matches := regexp.MustCompile(expr) // the schema compiles, so this does
		for _, other := range []string{"", "!", "none of this matches \u00fc", "0"} {
			if !matches.MatchString(other) {
				add(other, fmt.Sprintf("%s, which does not match %s", contracts.Describe(other), expr))
				break
			}
		}
	}
}

func (b *breaking) number(want all, add func(changed *big.Rat, what string)) {
	one := rat(1)
	if n := want.lower("multipleOf"); n != nil {
		one = n
		half := new(big.Rat).Mul(n, big.NewRat(1, 2))
		add(half, fmt.Sprintf("%s, which is no multiple of %s", decimal(half), decimal(n)))
	}
	for _, k := range []struct {
		keyword string
		n       *big.Rat
		beyond  int64
	}{
		{"minimum", want.lower("minimum"), -1},
		{"maximum", want.upper("maximum"), 1},
		{"exclusiveMinimum", want.lower("exclusiveMinimum"), 0},
		{"exclusiveMaximum", want.upper("exclusiveMaximum"), 0},
	} {
		if k.n != nil {
			n := new(big.Rat).Add(k.n, new(big.Rat).Mul(one, rat(k.beyond)))
			add(n, fmt.Sprintf("%s, and %s is %s", decimal(n), k.keyword, decimal(k.n)))
		}
	}
	if types := want.types(); slices.Contains(types, "integer") && !slices.Contains(types, "number") {
		half := big.NewRat(1, 2)
		add(half, "0.5 where a whole number is wanted")
	}
}
