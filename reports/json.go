package reports

import (
	"bytes"
	"cmp"
	_ "embed" // for the schema
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

//go:embed report.schema.json
var schema []byte

// JSONSchema is the JSON Schema (draft-07) every JSON report keeps.
func JSONSchema() []byte { return bytes.Clone(schema) }

func writeJSON(w io.Writer, r *Report, _ Options) error {
	var plain Report
	copyPlain(reflect.ValueOf(&plain).Elem(), reflect.ValueOf(r).Elem())
	plain.Schema = Schema
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(plain); err != nil {
		return fmt.Errorf("write the report as JSON: %w", err)
	}
	_, err := io.WriteString(w, quoteUnprintable(b.String()))
	return err
}

// copyPlain copies a value so that JSON can hold it: no list is null, and bytes
// that are not UTF-8 are escaped, which is marked where a line has a mark.
func copyPlain(to, from reflect.Value) {
	switch v := from.Interface().(type) {
	case time.Time:
		to.Set(from)
		return
	case Compatibility:
		v.Verdict = cmp.Or(v.Verdict, Untested.String())
		from = reflect.ValueOf(v)
	case Line:
		from = reflect.ValueOf(v.Escape())
	}
	switch from.Kind() {
	case reflect.String:
		to.SetString(escapeBytes(from.String()))
	case reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyPlain(to.Index(i), from.Index(i))
		}
	case reflect.Struct:
		for i := range from.NumField() {
			copyPlain(to.Field(i), from.Field(i))
		}
	default:
		to.Set(from)
	}
}

// Escape returns the line as JSON can hold it: unchanged where Data is UTF-8,
// and otherwise with \xHH escapes, and marked.
func (l Line) Escape() Line {
	if !l.Escaped && !utf8.ValidString(l.Data) {
		l.Data, l.Escaped = escapeBytes(strings.ReplaceAll(l.Data, `\`, `\\`)), true
	}
	return l
}

// escapeBytes writes each byte that is not part of valid UTF-8 as \xHH.
func escapeBytes(s string) string {
	return each(s, func(r rune, raw string) string {
		if r < 0 {
			return fmt.Sprintf(`\x%02x`, raw[0])
		}
		return raw
	})
}

// quoteUnprintable writes what a terminal might obey as \uXXXX. In a JSON text
// such characters stand only inside strings, so its meaning stays the same.
func quoteUnprintable(text string) string {
	return each(text, func(r rune, raw string) string {
		if r == '\n' || unicode.IsPrint(r) {
			return raw
		}
		s := ""
		for _, unit := range utf16.AppendRune(nil, r) {
			s += fmt.Sprintf(`\u%04x`, unit)
		}
		return s
	})
}
