package literal

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// width is how many columns a line may have, the comma behind it counted.
const width = 80

// Write prints an object as a manifest literal in the one fixed style: its own
// fields one a line, what is nested on one line where that fits. indent is the
// white space in front of the line on which the literal begins.
//
// The same data always prints the same. A column is a character, a tab too.
func Write(v Value, indent, newline string) string {
	w := writer{newline: newline + indent, limit: math.MaxInt}
	w.broken(v, 0)
	return w.String()
}

// A writer prints values. newline ends a line and indents the next. No line is
// begun once there are more bytes than the limit.
type writer struct {
	strings.Builder
	newline string
	limit   int
}

// broken prints the items of a value one a line.
func (w *writer) broken(v Value, depth int) {
	left, right := "{", "}"
	if v.Kind == Array {
		left, right = "[", "]"
	}
	if len(v.Fields)+len(v.Items) == 0 {
		w.WriteString(left + right)
		return
	}
	w.WriteString(left)
	for _, f := range v.Fields {
		w.item(key(f.Name)+": ", f.Value, depth+1)
	}
	for _, item := range v.Items {
		w.item("", item, depth+1)
	}
	if w.line(depth) {
		w.WriteString(right)
	}
}

// item prints one item on a line of its own, or on several where it has to.
func (w *writer) item(key string, v Value, depth int) {
	if !w.line(depth) {
		return
	}
	w.WriteString(key)
	indent := strings.TrimLeft(w.newline, "\r\n")
	room := width - utf8.RuneCountInString(indent) - 2*depth - utf8.RuneCountInString(key) - len(",")
	if v.Kind != Array && v.Kind != Object {
		w.WriteString(scalar(v))
	} else if text, fits := inline(v, room); fits {
		w.WriteString(text)
	} else {
		w.broken(v, depth)
	}
	w.WriteByte(',')
}

func (w *writer) line(depth int) bool {
	if w.full() {
		return false
	}
	w.WriteString(w.newline)
	w.WriteString(strings.Repeat("  ", depth))
	return true
}

func (w *writer) full() bool { return w.Len() > w.limit }

// inline prints a list or an object on one line, if it fits into the room.
func inline(v Value, room int) (text string, fits bool) {
	l := liner{limit: room * utf8.UTFMax}
	l.value(v)
	return l.String(), !l.full && utf8.RuneCountInString(l.String()) <= room
}

// A liner prints on one line and gives up beyond its limit of bytes: what is
// nested is tried at every level, and must not be printed whole each time.
type liner struct {
	strings.Builder
	limit int
	full  bool
}

// takes reports whether so many bytes more can still fit.
func (l *liner) takes(n int) bool {
	l.full = l.full || l.Len()+n > l.limit
	return !l.full
}

func (l *liner) value(v Value) {
	if !l.takes(len(v.String) + len(v.Items) + len(v.Fields)) {
		return
	}
	switch v.Kind {
	case Array:
		l.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				l.WriteString(", ")
			}
			l.value(item)
		}
		l.WriteByte(']')
	case Object:
		if len(v.Fields) == 0 {
			l.WriteString("{}")
			return
		}
		for i, f := range v.Fields {
			if !l.takes(len(f.Name)) {
				return
			}
			l.WriteString([...]string{"{ ", ", "}[min(i, 1)])
			l.WriteString(key(f.Name))
			l.WriteString(": ")
			l.value(f.Value)
		}
		l.WriteString(" }")
	default:
		l.WriteString(scalar(v))
	}
}

// scalar prints a value that holds no others.
func scalar(v Value) string {
	switch v.Kind {
	case Bool:
		return strconv.FormatBool(v.Bool)
	case Number:
		return number(v.Number)
	case String:
		return quote(v.String)
	}
	return "null"
}

// key prints a name, in quotes where it is not one of ASCII letters.
func key(name string) string {
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '$' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// escapes are the characters that have a short escape.
var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`, '\v': `\v`}

// quote prints a string in double quotes.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		short, ok := escapes[c]
		switch {
		case ok:
			b.WriteString(short)
		case c < 0x20 || 0x7f <= c && c < 0xa0: // C0, DEL and C1
			fmt.Fprintf(&b, `\x%02x`, c)
		case c == '\u2028' || c == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// number prints a number as JavaScript does: the shortest digits that read back,
// with an exponent from 1e21 on and below 1e-6.
func number(n float64) string {
	if n == 0 {
		return "0" // -0 too
	}
	if a := math.Abs(n); 1e-6 <= a && a < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	// Go writes exponents with two digits at least, and large ones have two.
	return strings.Replace(strconv.FormatFloat(n, 'e', -1, 64), "e-0", "e-", 1)
}

// JSON prints a value as JSON.
func (v Value) JSON() string {
	var b strings.Builder
	writeJSON(&b, v)
	return b.String()
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return []byte(v.JSON()), nil }

func writeJSON(b *strings.Builder, v Value) {
	switch v.Kind {
	case String:
		writeJSONString(b, v.String)
	case Array:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, f := range v.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, f.Name)
			b.WriteByte(':')
			writeJSON(b, f.Value)
		}
		b.WriteByte('}')
	default:
		b.WriteString(scalar(v))
	}
}

func writeJSONString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < 0x20 || c == 0x7f || c == '\u2028' || c == '\u2029':
			fmt.Fprintf(b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
}

// Format returns a source with its literal in the fixed style. Comments inside
// the literal are not kept. The error is an *Error.
func Format(source []byte) ([]byte, error) {
	m, err := Find(source)
	if err != nil {
		return nil, err
	}
	return m.replace(source, m.Value)
}

// maxLiteral bounds what a literal is written into. Nesting and the indentation
// of its line can make it many times as large as it was; what a manifest may hold
// takes less than half of this.
const maxLiteral = 4 << 20

// replace puts a value in place of the literal, and leaves every other byte.
func (m *Manifest) replace(source []byte, v Value) ([]byte, error) {
	w := writer{newline: newlineOf(source) + indentation(source, m.Start), limit: maxLiteral}
	w.broken(v, 0)
	if w.full() {
		return nil, &Error{Code: NotData, Class: "too-large", Message: fmt.Sprintf("the manifest is too large: written out it has more than %d MiB", maxLiteral>>20)}
	}
	return slices.Concat(source[:m.Start], []byte(w.String()), source[m.End:]), nil
}

// indentation is the white space at the beginning of the line of a place.
func indentation(source []byte, at int) string {
	line := source[bytes.LastIndexAny(source[:at], "\r\n")+1 : at]
	line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// newlineOf is how the lines of a source end: as the first one does.
func newlineOf(source []byte) string {
	i := bytes.IndexAny(source, "\r\n")
	switch {
	case i < 0 || source[i] == '\n':
		return "\n"
	case i+1 < len(source) && source[i+1] == '\n':
		return "\r\n"
	}
	return "\r"
}
