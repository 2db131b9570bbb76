package contracts

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// ErrUnsupported marks a schema that may be a good one and that cannot be judged
// here: it leads to another document, or has a pattern in a dialect of its own.
var ErrUnsupported = errors.New("it cannot be judged here")

// What a stranger's schema may be and still be judged; a real one is far below.
const (
	maxForeign      = 1 << 20 // bytes
	maxForeignDepth = 200     // schemas within each other
)

// CompileSchema compiles a schema that a stranger wrote. Nothing is fetched for
// it, and one whose validation would never end is refused. The error says in
// plain words what is wrong with it, or is an [ErrUnsupported].
func CompileSchema(source []byte) (*Schema, error) {
	if len(source) > maxForeign {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrUnsupported, maxForeign)
	}
	var root any
	if err := json.Unmarshal(source, &root); err != nil {
		return nil, err
	}
	switch root.(type) {
	case bool, map[string]any:
	default:
		return nil, fmt.Errorf("a schema is an object, and this is %s", Describe(root))
	}
	f := foreign{root: root, paths: map[string]int{}}
	if err := f.look("#", root, 0); err != nil {
		return nil, err
	}
	plain, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	compiled, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(plain))
	if err != nil {
		return nil, err
	}
	if err := f.endless("#", root); err != nil {
		return nil, err
	}
	return &Schema{source: source, compile: func() (*gojsonschema.Schema, error) { return compiled, nil }}, nil
}

// foreign looks through a stranger's schema.
type foreign struct {
	root any
	// paths counts the ways through the schemas that hold for one and the same
	// value, by the place of the first, or marks it as being counted.
	paths map[string]int
}

const (
	being = -1
	// tangled is how many ways there may be. A schema that doubles them at each of
	// thirty steps is a handful of lines and takes years to validate.
	tangled = 10_000
)

// Keywords that hold schemas, by how they hold them. Those in sameValue are for
// the value that the schema itself is for.
var (
	oneSchema   = []string{"not", "if", "then", "else", "additionalItems", "additionalProperties", "contains", "propertyNames", "items"}
	listSchemas = []string{"allOf", "anyOf", "oneOf", "items"}
	mapSchemas  = []string{"properties", "patternProperties", "definitions", "$defs", "dependencies"}
	sameValue   = map[string]bool{"not": true, "if": true, "then": true, "else": true, "allOf": true, "anyOf": true, "oneOf": true, "dependencies": true}
)

// within calls visit for each schema that stands directly in another.
func within(at string, schema map[string]any, visit func(keyword, at string, inner any) error) error {
	for _, k := range oneSchema {
		if inner, ok := schema[k]; ok {
			if _, list := inner.([]any); list {
				continue
			}
			if err := visit(k, at+"/"+k, inner); err != nil {
				return err
			}
		}
	}
	for _, k := range listSchemas {
		list, _ := schema[k].([]any)
		for i, inner := range list {
			if err := visit(k, fmt.Sprintf("%s/%s/%d", at, k, i), inner); err != nil {
				return err
			}
		}
	}
	for _, k := range mapSchemas {
		named, _ := schema[k].(map[string]any)
		for name, inner := range named {
			if err := visit(k, at+"/"+k+"/"+escapePointer.Replace(name), inner); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// look finds what this validator cannot follow, and takes away the names that
// documents go by: all references lead within this one.
func (f *foreign) look(at string, schema any, depth int) error {
	if depth > maxForeignDepth {
		return fmt.Errorf("%w: it is more than %d schemas deep", ErrUnsupported, maxForeignDepth)
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return nil // a boolean, or a mistake that compiling will find
	}
	if ref, ok := s["$ref"].(string); ok && ref != "#" && !strings.HasPrefix(ref, "#/") {
		return fmt.Errorf("%w: at %s, the reference %q leads out of the schema or to a name", ErrUnsupported, at, ref)
	}
	for _, name := range []string{"$id", "id", "$schema"} {
		if _, ok := s[name].(string); ok {
			delete(s, name)
		}
	}
	patterns := []string{}
	if p, ok := s["pattern"].(string); ok {
		patterns = append(patterns, p)
	}
	if named, ok := s["patternProperties"].(map[string]any); ok {
		for p := range named {
			patterns = append(patterns, p)
		}
	}
	for _, p := range patterns {
		if _, err := regexp.Compile(p); err != nil {
			return fmt.Errorf("%w: at %s, the pattern %q is none that Go's regexp knows", ErrUnsupported, at, p)
		}
	}
	return within(at, s, func(_, at string, inner any) error { return f.look(at, inner, depth+1) })
}

// endless refuses a schema that leads to itself without a step into the value.
func (f *foreign) endless(at string, schema any) error {
	_, err := f.ways(at, schema)
	if err != nil {
		return err
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	return within(at, s, func(_, at string, inner any) error { return f.endless(at, inner) })
}

// ways counts the schemas that a value is held against, beginning with this one.
func (f *foreign) ways(at string, schema any) (int, error) {
	switch n := f.paths[at]; {
	case n == being:
		return 0, fmt.Errorf("at %s, the schema refers to itself for one and the same value: validating never ends", at)
	case n > 0:
		return n, nil
	}
	f.paths[at] = being
	n := 1
	add := func(at string, inner any) error {
		more, err := f.ways(at, inner)
		if n += more; err == nil && n > tangled {
			err = fmt.Errorf("%w: at %s, it has more than %d ways through it", ErrUnsupported, at, tangled)
		}
		return err
	}
	if s, ok := schema.(map[string]any); ok {
		if ref, ok := s["$ref"].(string); ok {
			if to, found := f.resolve(ref); found {
				if err := add(ref, to); err != nil {
					return 0, err
				}
			}
		}
		err := within(at, s, func(keyword, at string, inner any) error {
			if !sameValue[keyword] {
				return nil
			}
			return add(at, inner)
		})
		if err != nil {
			return 0, err
		}
	}
	f.paths[at] = n
	return n, nil
}

// resolve follows a reference within the document.
func (f *foreign) resolve(ref string) (any, bool) {
	at := f.root
	for _, step := range strings.Split(ref, "/")[1:] {
		switch v := at.(type) {
		case map[string]any:
			at = v[unescapePointer.Replace(step)]
		case []any:
			i := -1
			if _, err := fmt.Sscan(step, &i); err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, at != nil
}
