// Package argsgen draws arguments for a tool from its args_schema: some that the
// schema allows, and some that it does not because of one place.
package argsgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"plugcheck/contracts"
)

// ErrNothingToBreak says that a schema allows every object.
var ErrNothingToBreak = errors.New("the schema allows every object")

// A Flaw is a value that a schema does not allow, because of one place.
type Flaw struct {
	Value any
	Place string // as in "args.files[2].path"
	What  string // in words, "a number where a string is wanted"
}

// Valid returns a generator of values that the schema allows; where it allows an
// object, only of objects, as arguments are. They are what encoding/json decodes
// into, but for numbers: those are raw, so that no encoder rounds or quotes them.
// An error that is a [contracts.ErrUnsupported] says that the schema may be good,
// and what in it cannot be followed.
func Valid(source []byte) (*rapid.Generator[any], error) {
	s, err := read(source)
	if err != nil {
		return nil, err
	}
	return rapid.Map(s.valid, rawNumbers), nil
}

// Invalid returns a generator of values that the schema does not allow, each a
// valid one that was changed in one place. Its errors are those of [Valid], and
// [ErrNothingToBreak].
func Invalid(source []byte) (*rapid.Generator[Flaw], error) {
	s, err := read(source)
	if err != nil {
		return nil, err
	}
	g := rapid.Custom(func(t *rapid.T) Flaw {
		f := s.breaks(t, s.valid.Draw(t, "args"))
		f.Value = rawNumbers(f.Value)
		return f
	})
	isFlaw := func(f Flaw) bool { return f.What != "" }
	if !often(g, isFlaw) {
		return nil, ErrNothingToBreak
	}
	return g.Filter(isFlaw), nil
}

// rawNumbers takes a value that it may share with the schema, and copies it.
func rawNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return json.RawMessage(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = rawNumbers(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, value := range v {
			object[name] = rawNumbers(value)
		}
		return object
	}
	return v
}

// A schema is one that values can be drawn from.
type schema struct {
	root   any
	judge  *contracts.Schema
	valid  *rapid.Generator[any]
	object bool // only objects are drawn
}

func read(source []byte) (*schema, error) {
	judge, err := contracts.CompileSchema(source)
	if err != nil {
		return nil, err
	}
	s := &schema{judge: judge}
	dec := json.NewDecoder(bytes.NewReader(source))
	dec.UseNumber()
	if err := dec.Decode(&s.root); err != nil {
		return nil, err
	}
	if err := s.follows("#", s.root); err != nil {
		return nil, err
	}
	// What was drawn is held against the schema, so that the generator need not
	// know every way in which its parts hold together.
	drawn := rapid.Custom(func(t *rapid.T) any {
		d := &drawing{schema: s, T: t, small: !rapid.Bool().Draw(t, "all of it")}
		return d.value(s.start(), "args")
	})
	s.valid = drawn.Filter(s.allows)
	for _, s.object = range []bool{true, false} {
		if often(drawn, s.allows) {
			return s, nil
		}
	}
	return nil, s.unfound(drawn)
}

// start is what the arguments as a whole have to meet.
func (s *schema) start() all {
	want := s.flat(s.root)
	if s.object {
		want = append(want, part{"type": "object"})
	}
	return want
}

func (s *schema) allows(v any) bool { return len(s.violations(v)) == 0 }

func (s *schema) violations(v any) []contracts.Violation {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of what JSON has
	}
	return s.judge.Validate(text)
}

// unfound says where the values that were drawn do not fit.
func (s *schema) unfound(drawn *rapid.Generator[any]) error {
	v, ok := example(drawn, 0)
	if !ok {
		return fmt.Errorf("%w: no value was found that a pattern of it matches", contracts.ErrUnsupported)
	}
	place := ""
	if list := s.violations(v); len(list) > 0 {
		place = ": " + list[0].String()
	}
	return fmt.Errorf("%w: no value was found that it allows%s", contracts.ErrUnsupported, place)
}

const (
	// tries is how many values are drawn to see what comes of a schema, and enough
	// how many of them have to fit: rapid tries five times for each.
	tries  = 50
	enough = 5
)

// often reports whether enough of the values that are drawn fit.
func often[V any](g *rapid.Generator[V], fits func(V) bool) bool {
	fit := 0
	for seed := 0; seed < tries && fit < enough; seed++ {
		if v, ok := example(g, seed); ok && fits(v) {
			fit++
		}
	}
	return fit == enough
}

// example draws a value outside of a test. rapid panics where it finds none in a
// thousand tries.
func example[V any](g *rapid.Generator[V], seed int) (v V, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return g.Example(seed), true
}

// unfollowed are keywords of later drafts than the validator's, which would take
// them for nothing and allow what they forbid.
var unfollowed = []string{"prefixItems", "unevaluatedItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas",
	"minContains", "maxContains", "$dynamicRef", "$recursiveRef"}

// most bounds what a schema can ask for: longer strings and lists are no arguments to try a tool with.
const most = 1 << 16

// follows looks for what values cannot be drawn from.
func (s *schema) follows(at string, v any) error {
	p, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	for _, k := range unfollowed {
		if _, ok := p[k]; ok {
			return fmt.Errorf("%w: at %s, the keyword %s is not followed", contracts.ErrUnsupported, at, k)
		}
	}
	for _, k := range []string{"minLength", "minItems", "minProperties"} {
		if n := number(p[k]); n != nil && n.Cmp(rat(most)) > 0 {
			return fmt.Errorf("%w: at %s, %s is %s, and nothing of that size is made", contracts.ErrUnsupported, at, k, n.RatString())
		}
	}
	for _, k := range names(p) {
		if slices.Contains(literals, k) {
			continue
		}
		switch inner := p[k].(type) {
		case map[string]any:
			if !slices.Contains(holders, k) {
				if err := s.follows(at+"/"+k, inner); err != nil {
					return err
				}
				continue
			}
			for _, name := range names(inner) {
				if err := s.follows(at+"/"+k+"/"+name, inner[name]); err != nil {
					return err
				}
			}
		case []any:
			for i, item := range inner {
				if err := s.follows(fmt.Sprintf("%s/%s/%d", at, k, i), item); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// holders are keywords whose values hold schemas by names of the author's own, and
// literals those that hold values and no schemas.
var (
	holders  = []string{"properties", "patternProperties", "definitions", "$defs", "dependencies"}
	literals = []string{"enum", "const", "default", "examples", "required"}
)
