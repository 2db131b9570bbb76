package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/xeipuuv/gojsonschema"
)

// A Schema judges the shape of one message. It is compiled once, when first used.
type Schema struct {
	name    string // of its file
	source  []byte
	compile func() (*gojsonschema.Schema, error)
}

func newSchema(name string, source []byte) *Schema {
	return &Schema{name, source, sync.OnceValues(func() (*gojsonschema.Schema, error) {
		return gojsonschema.NewSchema(gojsonschema.NewBytesLoader(source))
	})}
}

// Compile reports whether the schema is one.
func (s *Schema) Compile() error {
	_, err := s.compile()
	return err
}

// A Violation is one place of a message that the schema does not allow.
type Violation struct {
	Path   string // as in "output.kind"; empty for the message itself
	Wanted string // in words, "one of \"diff\", \"analysis\", \"empty\""
	Got    string // in words, "the string \"patch\""
}

func (v Violation) String() string {
	at := v.Path
	if at == "" {
		at = "the message"
	}
	return fmt.Sprintf("%s: wanted %s, got %s", at, v.Wanted, v.Got)
}

// Validate judges a message that is known to be JSON, and returns what is
// wrong with it in a steady order.
func (s *Schema) Validate(message []byte) []Violation {
	schema, err := s.compile()
	if err != nil {
		panic(fmt.Sprintf("the schema does not compile: %v", err)) // a test compiles each
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(message))
	if err != nil {
		return []Violation{{Wanted: "JSON", Got: err.Error()}}
	}
	seen := map[Violation]bool{}
	for _, e := range result.Errors() {
		if v, ok := violation(e); ok {
			seen[v] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b Violation) int { return strings.Compare(a.String(), b.String()) })
}

// violation puts a schema error into words. The errors that only say that a
// part of a compound did not fit are left out: the part itself is told.
func violation(e gojsonschema.ResultError) (Violation, bool) {
	v := Violation{Path: strings.TrimPrefix(strings.TrimPrefix(e.Context().String(), "(root)"), "."), Got: Describe(e.Value())}
	d := e.Details()
	switch e.Type() {
	case "condition_then", "condition_else", "number_all_of", "invalid_property_name":
		return v, false
	case "required":
		name := fmt.Sprint(d["property"])
		if v.Path != "" {
			v.Path += "."
		}
		v.Path += name
		v.Wanted, v.Got = "a value", "nothing"
		if m, ok := e.Value().(map[string]any); ok {
			for k := range m {
				if strings.EqualFold(k, name) {
					v.Got = fmt.Sprintf("the name %q, and names are case-sensitive", k)
				}
			}
		}
	case "invalid_type":
		v.Wanted = article(fmt.Sprint(d["expected"]))
	case "enum", "const":
		v.Wanted = "one of " + fmt.Sprint(d["allowed"])
	case "pattern":
		v.Wanted = fmt.Sprintf("a string that matches %v", d["pattern"])
		if fmt.Sprint(d["pattern"]) == `\S` {
			v.Wanted = "a string that is not blank"
		}
	case "string_gte", "array_min_items", "array_min_properties":
		v.Wanted = fmt.Sprintf("%v or more %s", d["min"], counted[e.Type()])
	case "string_lte", "array_max_items", "array_max_properties":
		v.Wanted = fmt.Sprintf("%v %s at most", d["max"], counted[e.Type()])
	default:
		v.Wanted = "a value that is " + strings.TrimPrefix(strings.ToLower(e.Description()), "must be ")
	}
	return v, true
}

// counted is what the bounds of a length count.
var counted = map[string]string{
	"string_gte": "characters", "string_lte": "characters", "array_min_items": "items", "array_max_items": "items",
	"array_min_properties": "fields", "array_max_properties": "fields",
}

// article turns gojsonschema's "[integer or null]" into "an integer or null".
func article(types string) string {
	names := strings.FieldsFunc(types, func(r rune) bool { return strings.ContainsRune(",[] ", r) })
	names = slices.DeleteFunc(names, func(n string) bool { return n == "or" || n == "a" })
	for i, n := range names {
		switch n {
		case "null":
		case "array", "object", "integer":
			names[i] = "an " + n
		default:
			names[i] = "a " + n
		}
	}
	return strings.Join(names, " or ")
}

// Describe says what kind of JSON value v is and shows it, shortened.
func Describe(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte(fmt.Sprint(v))
	}
	if len(text) > 60 {
		text = append(text[:57:57], "..."...)
	}
	shown := strings.ToValidUTF8(string(text), "")
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return shown
	case string:
		return "the string " + shown
	case []any:
		return "the array " + shown
	case map[string]any:
		return "the object " + shown
	}
	return "the number " + shown
}
