package argsgen_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"plugcheck/contracts"
	"plugcheck/validator/argsgen"
)

// schemas are what authors write, and each keyword that values are drawn for.
var schemas = map[string]string{
	"plain": `{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer","minimum":1}},"required":["path"]}`,
	"closed": `{"type":"object","additionalProperties":false,"required":["a"],
		"properties":{"a":{"type":"boolean"},"b":{"type":"null"},"c":{"type":["string","number"]}}}`,
	"limits": `{"type":"object","required":["i","j","k","n","m","s","d4"],"properties":{
		"i":{"type":"integer","minimum":-3,"maximum":3},"j":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":2},
		"k":{"type":"integer","minimum":1e17},"n":{"type":"number","minimum":0.25,"exclusiveMaximum":0.5},
		"m":{"type":"number","multipleOf":0.01,"maximum":1},"s":{"type":"string","minLength":2,"maxLength":3},
		"d4":{"type":"integer","minimum":1,"exclusiveMinimum":true,"maximum":3,"exclusiveMaximum":true}}}`,
	"below":    `{"type":"object","required":["k","n"],"properties":{"k":{"type":"integer","maximum":-1e17},"n":{"type":"number","exclusiveMaximum":-1e18}}}`,
	"patterns": `{"type":"object","required":["id","free"],"properties":{"id":{"type":"string","pattern":"^[a-z]{2}-\\d+$"},"free":{"pattern":"x|y"}}}`,
	"formats": `{"type":"object","required":["d","t","u","v"],"properties":{"d":{"type":"string","format":"date"},"t":{"format":"date-time"},
		"u":{"type":"string","format":"uuid"},"v":{"type":"string","format":"int32"}}}`,
	"enums": `{"type":"object","required":["e","c"],"properties":{"e":{"enum":["a",1,null,{"b":[1.5]}]},"c":{"const":7},
		"both":{"allOf":[{"enum":[1,2,3]},{"enum":[3,4]}]}}}`,
	"lists": `{"type":"object","required":["l","u","t","c"],"properties":{"l":{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":2},
		"u":{"type":"array","items":{"type":"boolean"},"uniqueItems":true},
		"t":{"items":[{"type":"string"},{"type":"integer"}],"additionalItems":false,"minItems":2},
		"c":{"type":"array","contains":{"const":"here"},"items":{"type":"string"}}}}`,
	"nested": `{"type":"object","required":["o"],"properties":{"o":{"type":"object","required":["p"],
		"properties":{"p":{"type":"array","minItems":1,"items":{"type":"object","required":["q"],"properties":{"q":{"type":"integer"}}}}}}}}`,
	"maps": `{"type":"object","minProperties":1,"maxProperties":3,"additionalProperties":{"type":"integer"},"properties":{"x":{"type":"string"}}}`,
	"names": `{"type":"object","required":["headers"],"properties":{"headers":{"type":"object","minProperties":1,"additionalProperties":false,
		"patternProperties":{"^X-[A-Z]{1,4}$":{"type":"string"}}},"env":{"type":"object","additionalProperties":true,"propertyNames":{"pattern":"^[A-Z]+$"}}}}`,
	"any-of": `{"type":"object","required":["v"],"properties":{"v":{"anyOf":[{"type":"string","maxLength":3},{"type":"integer","minimum":5},{"type":"null"}]}}}`,
	"one-of": `{"oneOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"string"}},"additionalProperties":false},
		{"type":"object","required":["b"],"properties":{"b":{"type":"integer"}},"additionalProperties":false}]}`,
	"all-of":       `{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":2}}},{"properties":{"a":{"maximum":4}},"required":["b"]}]}`,
	"conditional":  `{"type":"object","required":["k"],"properties":{"k":{"enum":["file","url"]}},"if":{"properties":{"k":{"const":"file"}}},"then":{"required":["path"]},"else":{"required":["url"]}}`,
	"dependencies": `{"type":"object","properties":{"user":{"type":"string"},"password":{"type":"string"}},"dependencies":{"user":["password"]}}`,
	"not":          `{"type":"object","required":["a"],"properties":{"a":{"type":"string","not":{"const":""}}}}`,
	"definitions":  `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["p"],"properties":{"p":{"$ref":"#/$defs/a~1b"}},"$defs":{"a/b":{"type":"integer","multipleOf":3}}}`,
	"recursive": `{"type":"object","required":["tree","list"],"properties":{"tree":{"$ref":"#/definitions/tree"},"list":{"$ref":"#/definitions/list"}},"definitions":{
		"tree":{"type":"object","required":["children"],"properties":{"children":{"type":"array","items":{"$ref":"#/definitions/tree"}}}},
		"list":{"anyOf":[{"type":"object","required":["next"],"properties":{"next":{"$ref":"#/definitions/list"}}},{"type":"null"}]}}}`,
	"untyped":     `{"properties":{"a":{"minLength":1},"b":{"minimum":1},"c":{"minItems":1},"d":{}},"required":["a","b","c","d"]}`,
	"no object":   `{"type":"string","minLength":1}`,
	"true within": `{"type":"object","required":["a"],"properties":{"a":true}}`,
}

// encoded uses the encoder that does not know encoding/json's own types.
func encoded(t interface{ Fatal(...any) }, v any) []byte {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestValuesFitTheirSchema(t *testing.T) {
	for name, source := range schemas {
		t.Run(name, func(t *testing.T) {
			schema, err := contracts.CompileSchema([]byte(source))
			if err != nil {
				t.Fatal(err)
			}
			valid, err := argsgen.Valid([]byte(source))
			if err != nil {
				t.Fatal(err)
			}
			different := map[string]bool{}
			rapid.Check(t, func(t *rapid.T) {
				text := encoded(t, valid.Draw(t, "args"))
				if wrong := schema.Validate(text); len(wrong) > 0 {
					t.Fatalf("%s: %v", text, wrong)
				}
				if name != "no object" && text[0] != '{' {
					t.Fatalf("%s is no object", text)
				}
				different[string(text)] = true
			})
			if len(different) < 2 {
				t.Errorf("only one value is drawn: %v", different)
			}
		})
	}
}

func TestFlawsDoNotFit(t *testing.T) {
	for name, source := range schemas {
		t.Run(name, func(t *testing.T) {
			schema, err := contracts.CompileSchema([]byte(source))
			if err != nil {
				t.Fatal(err)
			}
			invalid, err := argsgen.Invalid([]byte(source))
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				f := invalid.Draw(t, "flaw")
				text := encoded(t, f.Value)
				if len(schema.Validate(text)) == 0 {
					t.Fatalf("%s fits, and %s is said to be %s", text, f.Place, f.What)
				}
				if !strings.HasPrefix(f.Place, "args") || f.What == "" {
					t.Fatalf("%s: nothing is said of it: %+v", text, f)
				}
			})
		})
	}
}

// TestEachKeywordIsBroken looks for the ways in which arguments can be wrong:
// each is found at its place, and there alone.
func TestEachKeywordIsBroken(t *testing.T) {
	for _, c := range []struct{ schema, place, what string }{
		{"plain", "args.path", "missing, and it is required"},
		{"plain", "args.path", "an array where string is wanted"},
		{"plain", "args.lines", "0, and minimum is 1"},
		{"plain", "args.lines", "0.5 where a whole number is wanted"},
		{"plain", "args", "a string where object is wanted"},
		{"closed", "args.a_name_that_is_not_declared", "a name that the schema does not have"},
		{"limits", "args.i", "4, and maximum is 3"},
		{"limits", "args.j", "0, and exclusiveMinimum is 0"},
		{"limits", "args.j", "2, and exclusiveMaximum is 2"},
		{"limits", "args.m", "0.005, which is no multiple of 0.01"},
		{"limits", "args.s", "1 characters where at least 2 are wanted"},
		{"limits", "args.s", "4 characters where at most 3 are wanted"},
		{"patterns", "args.id", "which does not match ^[a-z]{2}"},
		{"enums", "args.e", "among the 4 of the enum"},
		{"lists", "args.l", "0 items where at least 1 are wanted"},
		{"lists", "args.l", "3 items where at most 2 are wanted"},
		{"lists", "args.u", "an item twice"},
		{"nested", "args.o.p[0].q", "a string where integer is wanted"},
	} {
		invalid, err := argsgen.Invalid([]byte(schemas[c.schema]))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for seed := 0; seed < 500 && !found; seed++ {
			f := invalid.Example(seed)
			found = f.Place == c.place && strings.Contains(f.What, c.what)
		}
		if !found {
			t.Errorf("%s: %s is never %s", c.schema, c.place, c.what)
		}
	}
}

func TestWhatCannotBeDrawnIsSaid(t *testing.T) {
	for _, c := range []struct {
		schema, says string
		unsupported  bool
	}{
		{`{"type":"object","properties":{"a":{"prefixItems":[{"type":"string"}]}}}`, "at #/properties/a, the keyword prefixItems is not followed", true},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^a$","minLength":3}}}`, "no value was found that it allows: a: wanted", true},
		{`{"type":"object","required":["a"],"properties":{"a":false}}`, "no value was found", true},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":1000000000}}}`, "minLength is 1000000000, and nothing of that size is made", true},
		{`{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`, "none that Go's regexp knows", true},
		{`{"type":"obj"}`, "type", false},
		{`[]`, "a schema is an object", false},
	} {
		_, err := argsgen.Valid([]byte(c.schema))
		if err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, contracts.ErrUnsupported) != c.unsupported {
			t.Errorf("%s: %v; wanted %q, unsupported %v", c.schema, err, c.says, c.unsupported)
		}
	}
	// What can only be drawn without end is given up before long.
	began := time.Now()
	endless := `{"$ref":"#/definitions/n","definitions":{"n":{"type":"object","required":["a","b","c"],
		"properties":{"a":{"$ref":"#/definitions/n"},"b":{"$ref":"#/definitions/n"},"c":{"$ref":"#/definitions/n"}}}}}`
	if _, err := argsgen.Valid([]byte(endless)); !errors.Is(err, contracts.ErrUnsupported) || time.Since(began) > 20*time.Second {
		t.Errorf("an endless schema: %v, after %s", err, time.Since(began))
	}
	// An author's own names are none of the keywords, wherever they stand.
	for _, schema := range []string{`{"properties":{"prefixItems":{"type":"string"}}}`, `{"default":{"minContains":1}}`, `true`} {
		if _, err := argsgen.Valid([]byte(schema)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	for _, schema := range []string{`true`, `{}`, `{"properties":{"a":{}}}`} {
		if _, err := argsgen.Invalid([]byte(schema)); !errors.Is(err, argsgen.ErrNothingToBreak) {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// TestTheSameSeedDrawsTheSame holds because maps are walked in order.
func TestTheSameSeedDrawsTheSame(t *testing.T) {
	for name, source := range schemas {
		var before []byte
		for range 3 {
			invalid, err := argsgen.Invalid([]byte(source))
			if err != nil {
				t.Fatal(err)
			}
			text := encoded(t, invalid.Example(7))
			if before != nil && !bytes.Equal(before, text) {
				t.Errorf("%s: %s, then %s", name, before, text)
			}
			before = text
		}
	}
}
