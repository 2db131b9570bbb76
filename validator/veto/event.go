package veto

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"plugcheck/validator"
)

// An Event is the object that a host writes. It keeps the order of its members,
// and any of them can be absent or of any kind.
type Event []Member

// A Member is one name of an object and its value.
type Member struct {
	Name  string
	Value jsontext.Value
}

// ParseEvent reads an object of strict JSON.
func ParseEvent(text []byte) (Event, error) {
	if f := validator.StrictJSON(text); f != nil {
		return nil, fmt.Errorf("it is not strict JSON: %s", f.Message)
	}
	members, ok := membersOf(text)
	if !ok {
		return nil, fmt.Errorf("it is not an object: %s", validator.Quote(text, 80))
	}
	for i := range members {
		if err := members[i].Value.Compact(); err != nil {
			return nil, err
		}
	}
	return members, nil
}

// membersOf lists the members of an object, as lenient decoders read it: names
// may come twice, and bytes may be no UTF-8. It reports whether text is one.
func membersOf(text []byte) (list []Member, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return nil, false
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		m := Member{Name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		m.Value = value.Clone()
		list = append(list, m)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	return list, len(bytes.TrimSpace(text[dec.InputOffset():])) == 0
}

// With returns the event with a member set: in its place if there is one of the
// name, and at the end otherwise.
func (e Event) With(name string, value any) Event {
	text, err := jsonv2.Marshal(value, jsonv2.Deterministic(true))
	if err != nil {
		panic(err) // plain values always encode
	}
	e = slices.Clone(e)
	if i := e.index(name); i >= 0 {
		e[i].Value = text
		return e
	}
	return append(e, Member{name, text})
}

// Without returns the event without a member.
func (e Event) Without(name string) Event {
	return slices.DeleteFunc(slices.Clone(e), func(m Member) bool { return m.Name == name })
}

func (e Event) index(name string) int {
	return slices.IndexFunc(e, func(m Member) bool { return m.Name == name })
}

// Has reports whether there is a member of a name.
func (e Event) Has(name string) bool { return e.index(name) >= 0 }

// Text is the value of a member that is a string, and otherwise empty.
func (e Event) Text(name string) (text string) {
	if i := e.index(name); i >= 0 {
		_ = jsonv2.Unmarshal(e[i].Value, &text) // another kind has no text
	}
	return text
}

// Name says which event it is.
func (e Event) Name() string { return e.Text("event") }

// Metadata are the members of the metadata; none where it is no object.
func (e Event) Metadata() map[string]any {
	fields := map[string]any{}
	if i := e.index("metadata"); i >= 0 {
		_ = jsonv2.Unmarshal(e[i].Value, &fields) // what is no object has no members
	}
	if fields == nil {
		fields = map[string]any{}
	}
	return fields
}

// Line encodes the event as the host does, on one line with a newline behind it.
func (e Event) Line() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range e {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := jsontext.AppendQuote(nil, m.Name)
		if err != nil {
			panic(err) // names were read from JSON or are the kit's own
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// Respelled is the event in other words of JSON: the members in reverse order,
// every letter an escape, on many lines. It means the same.
func (e Event) Respelled() []byte {
	e = slices.Clone(e)
	slices.Reverse(e)
	var b bytes.Buffer
	b.WriteString("\n\t{")
	for i, m := range e {
		if i > 0 {
			b.WriteString(" ,")
		}
		b.WriteString("\r\n\t" + escaped(m.Name) + "\t: ")
		dec := jsontext.NewDecoder(bytes.NewReader(m.Value))
		respell(&b, dec)
	}
	b.WriteString("\n}  ")
	return b.Bytes()
}

// respell writes one value of the decoder with its strings escaped.
func respell(b *bytes.Buffer, dec *jsontext.Decoder) {
	token, err := dec.ReadToken()
	if err != nil {
		panic(err) // it was read from JSON, or encoded here
	}
	switch token.Kind() {
	case '"':
		b.WriteString(escaped(token.String()))
	case '{', '[':
		end := token.Kind() + 2 // as it is in ASCII
		b.WriteString(token.String())
		for i := 0; dec.PeekKind() != end; i++ {
			if i > 0 {
				b.WriteString(" , ")
			}
			respell(b, dec)
			if end == '}' {
				b.WriteString(" : ")
				respell(b, dec)
			}
		}
		respell(b, dec)
	default:
		b.WriteString(token.String())
	}
}

func escaped(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, `\u%04X`, unit)
	}
	b.WriteByte('"')
	return b.String()
}
