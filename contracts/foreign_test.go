package contracts

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCompileSchema(t *testing.T) {
	doubling := `{"$ref":"#/definitions/d0","definitions":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/definitions/d%d"},{"$ref":"#/definitions/d%d"}]},`, i, i+1, i+1)
	}
	doubling += `"d40":true}}`
	const fine, unsupported = "", "unsupported"
	for _, c := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, fine},
		{`true`, fine},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.org/x","type":"object"}`, fine},
		{`{"properties":{"next":{"$ref":"#"},"id":{"type":"string"}}}`, fine},
		{`{"properties":{"a":{"$ref":"#/definitions/b~1c"}},"definitions":{"b/c":{"enum":[1]}}}`, fine},
		{`{"properties":{"a":{"pattern":"(?=x)"}}}`, unsupported},
		{`{"properties":{"a":{"$ref":"http://127.0.0.1:1/other.json"}}}`, unsupported},
		{`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, unsupported},
		{doubling, unsupported},
		{strings.Repeat(`{"not":`, 300) + "{}" + strings.Repeat("}", 300), unsupported},
		{`{"description":"` + strings.Repeat("x", maxForeign) + `"}`, unsupported},
		{`{"$ref":"#"}`, "never ends"},
		{`{"properties":{"a":{"anyOf":[{"$ref":"#/properties/a"}]}}}`, "never ends"},
		{`{"type":"objekt"}`, "objekt"},
		{`{"properties":[]}`, "properties"},
		{`{"properties":{"a":{"$ref":"#/definitions/none"}}}`, "definitions"},
		{`"object"`, "a schema is an object"},
		{`{"type":`, "unexpected end"},
	} {
		s, err := CompileSchema([]byte(c.schema))
		switch c.want {
		case fine:
			if err != nil {
				t.Errorf("%.80s: %v", c.schema, err)
			} else {
				s.Validate([]byte(`{"a":1,"next":{"next":{}}}`)) // has to come back
			}
		case unsupported:
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("%.80s: %v, wanted that it cannot be judged", c.schema, err)
			}
		default:
			if err == nil || errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%.80s: %v, wanted something about %q", c.schema, err, c.want)
			}
		}
	}
}
