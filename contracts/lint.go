package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// lint finds what is wrong with the schemas of a pack before any is used.
func (p *Pack) lint() error {
	for _, m := range p.Messages() {
		s := p.Schema(m)
		if _, err := CompileSchema(s.source); err != nil {
			return s.at(err)
		}
	}
	return nil
}

// pointedAt finds the place in a message about a schema.
var pointedAt = regexp.MustCompile(`at #(\S*),`)

// at adds the file, and the line where that is known.
func (s *Schema) at(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return atLine(s.name, s.source, syntax.Offset, err)
	}
	if m := pointedAt.FindStringSubmatch(err.Error()); m != nil {
		if offset, ok := OffsetOf(s.source, jsontext.Pointer(m[1])); ok {
			return atLine(s.name, s.source, int64(offset), err)
		}
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// OffsetOf is where the value stands in a JSON text that a pointer leads to, or its
// name where it is a member of an object.
func OffsetOf(text []byte, pointer jsontext.Pointer) (int, bool) {
	for d := jsontext.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.ReadToken()
		if err != nil {
			return 0, err == io.EOF && pointer == ""
		}
		if d.StackPointer() == pointer {
			end := int(d.InputOffset())
			switch token.Kind() {
			case '{', '[':
				return end - 1, true
			case '"':
				return bytes.LastIndexByte(text[:end-1], '"'), true
			}
			return end - len(token.String()), true
		}
	}
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
