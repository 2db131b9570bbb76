package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// lint finds what is wrong with the schemas of a pack before any is used: a
// reference that leaves the file would be fetched, and one that only leads back
// to itself would never end.
func (p *Pack) lint() error {
	for _, m := range p.Messages() {
		s := p.Schema(m)
		var root any
		dec := json.NewDecoder(bytes.NewReader(s.source))
		if err := dec.Decode(&root); err != nil {
			return atLine(s.name, s.source, dec.InputOffset(), err)
		}
		if err := references(root, root); err != nil {
			return s.at(err)
		}
		if err := s.Compile(); err != nil {
			return s.at(err)
		}
	}
	return nil
}

// badReference is a reference that cannot be followed.
type badReference struct{ ref, why string }

func (b *badReference) Error() string { return fmt.Sprintf("the reference %q %s", b.ref, b.why) }

// at adds the file, and for a reference the line in which it stands.
func (s *Schema) at(err error) error {
	var bad *badReference
	if errors.As(err, &bad) {
		quoted, _ := json.Marshal(bad.ref) // a string always encodes
		if i := bytes.Index(s.source, quoted); i >= 0 {
			return atLine(s.name, s.source, int64(i), err)
		}
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// inPlace are the keywords whose schemas judge the same value, and not a part of it.
var inPlace = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

// asData are the keywords that hold values and no schemas.
var asData = []string{"enum", "const", "examples", "default"}

// references tries every reference of a schema.
func references(root, v any) error {
	switch v := v.(type) {
	case []any:
		for _, w := range v {
			if err := references(root, w); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := follow(root, v, nil); err != nil {
			return err
		}
		for key, w := range v {
			if !slices.Contains(asData, key) {
				if err := references(root, w); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// follow goes along all that judges the same value again. trail holds the
// references that led here.
func follow(root, v any, trail []string) error {
	switch v := v.(type) {
	case []any:
		for _, w := range v {
			if err := follow(root, w, trail); err != nil {
				return err
			}
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			switch {
			case !strings.HasPrefix(ref, "#"):
				return &badReference{ref, "leaves the file: schemas are never fetched"}
			case slices.Contains(trail, ref):
				return &badReference{ref, "leads back to itself"}
			}
			target := pointed(root, ref)
			if target == nil {
				return &badReference{ref, "leads nowhere"}
			}
			return follow(root, target, append(slices.Clip(trail), ref))
		}
		for _, key := range inPlace {
			if err := follow(root, v[key], trail); err != nil {
				return err
			}
		}
	}
	return nil
}

// atLine says in which line of a file an error was found.
func atLine(file string, data []byte, offset int64, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = syntax.Offset
	}
	line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	return fmt.Errorf("%s:%d: %w", file, line, err)
}
