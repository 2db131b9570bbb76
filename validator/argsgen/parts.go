package argsgen

import (
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A part is one schema, and all are several that a value has to meet together. A
// schema with allOf, references and a chosen anyOf is such a list, and nothing
// has to be merged: each keyword is looked for in every part.
type (
	part = map[string]any
	all  []part
)

// never is the schema that nothing meets.
var never = part{"enum": []any{}}

// flat follows references and allOf. The schema compiles, so none of them leads
// back to itself for the same value.
func (s *schema) flat(schemas ...any) all {
	var list all
	for _, v := range schemas {
		p, ok := v.(part)
		if !ok {
			if v == false {
				list = append(list, never)
			}
			continue
		}
		list = append(list, p)
		if ref, ok := p["$ref"].(string); ok {
			list = append(list, s.flat(s.resolve(ref))...)
		}
		if inner, ok := p["allOf"].([]any); ok {
			list = append(list, s.flat(inner...)...)
		}
	}
	return list
}

// resolve follows a reference within the schema.
func (s *schema) resolve(ref string) any {
	at := s.root
	for _, step := range strings.Split(ref, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := at.(type) {
		case part:
			at = v[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
				at = v[i]
			}
		}
	}
	return at
}

// kinds are the types of JSON, with the keywords that say something about them.
var kinds = []struct {
	name  string
	about []string
}{
	{"object", []string{"properties", "required", "additionalProperties", "patternProperties", "minProperties", "propertyNames"}},
	{"array", []string{"items", "minItems", "contains", "uniqueItems"}},
	{"string", []string{"minLength", "maxLength", "pattern", "format"}},
	{"integer", nil},
	{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
	{"boolean", nil},
	{"null", nil},
}

// types are those that the parts agree on; where they state none, those that
// their keywords are about, and where there are no such either, the plain ones.
func (w all) types() []string {
	stated := false
	var agreed, about []string
	for _, k := range kinds {
		in, named := true, false
		for _, p := range w {
			if p["type"] != nil {
				stated = true
				in = in && allowsType(p["type"], k.name)
			}
			named = named || slices.ContainsFunc(k.about, func(keyword string) bool { _, ok := p[keyword]; return ok })
		}
		if in {
			agreed = append(agreed, k.name)
		}
		if named {
			about = append(about, k.name)
		}
	}
	switch {
	case stated:
		return agreed
	case about != nil:
		return about
	}
	return []string{"string", "integer", "boolean", "null"}
}

// allowsType reads the keyword type, which is a name or a list of them.
func allowsType(stated any, kind string) bool {
	switch t := stated.(type) {
	case string:
		return t == kind || t == "number" && kind == "integer"
	case []any:
		return slices.ContainsFunc(t, func(one any) bool { return allowsType(one, kind) })
	}
	return false
}

// choices are the values that enum and const leave; ok is false where there is neither.
func (w all) choices() (left []any, ok bool) {
	for _, p := range w {
		list, has := p["enum"].([]any)
		if c, is := p["const"]; is {
			list, has = []any{c}, true
		}
		if !has {
			continue
		}
		if !ok {
			left, ok = list, true
			continue
		}
		left = slices.DeleteFunc(slices.Clone(left), func(v any) bool {
			return !slices.ContainsFunc(list, func(other any) bool { return reflect.DeepEqual(v, other) })
		})
	}
	return left, ok
}

// lower and upper are the tightest of the limits that a keyword sets; nil where it sets none.
func (w all) lower(keyword string) *big.Rat { return w.tightest(keyword, 1) }
func (w all) upper(keyword string) *big.Rat { return w.tightest(keyword, -1) }

func (w all) tightest(keyword string, sign int) *big.Rat {
	var found *big.Rat
	for _, p := range w {
		if n := number(p[keyword]); n != nil && (found == nil || n.Cmp(found) == sign) {
			found = n
		}
	}
	return found
}

// count is a limit that is a size, or what stands for none.
func count(n *big.Rat, none int) int {
	if n == nil {
		return none
	}
	if n.Cmp(rat(most)) > 0 {
		return most
	}
	f, _ := n.Float64()
	return int(f)
}

// text is the first string that a keyword has.
func (w all) text(keyword string) string {
	for _, p := range w {
		if s, ok := p[keyword].(string); ok {
			return s
		}
	}
	return ""
}

func (w all) is(keyword string) bool {
	return slices.ContainsFunc(w, func(p part) bool { return p[keyword] == true })
}

// properties are the names that the parts have schemas for, and required those
// that must be there; both sorted.
func (w all) properties() []string {
	set := map[string]bool{}
	for _, p := range w {
		if props, ok := p["properties"].(part); ok {
			for name := range props {
				set[name] = true
			}
		}
	}
	return names(set)
}

func (w all) required() []string {
	set := map[string]bool{}
	for _, p := range w {
		list, _ := p["required"].([]any)
		for _, name := range list {
			if text, ok := name.(string); ok {
				set[text] = true
			}
		}
	}
	return names(set)
}

// property is what the value of a name has to meet.
func (s *schema) property(w all, name string) all {
	var list []any
	for _, p := range w {
		known := false
		if props, ok := p["properties"].(part); ok {
			if inner, ok := props[name]; ok {
				list, known = append(list, inner), true
			}
		}
		if patterns, ok := p["patternProperties"].(part); ok {
			for _, expr := range names(patterns) {
				if regexp.MustCompile(expr).MatchString(name) { // the schema compiles, so this does
					list, known = append(list, patterns[expr]), true
				}
			}
		}
		if rest, ok := p["additionalProperties"]; ok && !known {
			list = append(list, rest)
		}
	}
	return s.flat(list...)
}

// item is what the value at an index has to meet.
func (s *schema) item(w all, i int) all {
	var list []any
	for _, p := range w {
		switch items := p["items"].(type) {
		case []any:
			if i < len(items) {
				list = append(list, items[i])
			} else if rest, ok := p["additionalItems"]; ok {
				list = append(list, rest)
			}
		case nil:
		default:
			list = append(list, items)
		}
	}
	return s.flat(list...)
}

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// number reads a JSON number exactly; nil is none.
func number(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok || len(n) > 100 {
		return nil
	}
	// An exponent of a million digits is no limit that anything has to be drawn for.
	if f, err := n.Float64(); err != nil || f != 0 && (f > 1e30 || f < -1e30) {
		return nil
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return nil
	}
	return r
}

func rat(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
