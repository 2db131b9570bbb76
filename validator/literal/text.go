package literal

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// A textReader puts together what a string or template means.
type textReader struct {
	*reader
	out []byte
	// high is the first half of a pair of surrogates that waits for its second,
	// and highAt its place. In JavaScript they are a pair however each was written.
	high   rune
	highAt int
}

// text reads a string in quotes, or a template that has no code in it.
func (r *reader) text() (string, *Error) {
	open, quote := r.at, r.src[r.at]
	t := textReader{reader: r}
	r.at++
	for start := r.at; r.at < len(r.src); {
		b := r.src[r.at]
		if classes[b]&isTextStop == 0 {
			r.at++
			continue
		}
		run := r.src[start:r.at]
		if b == quote && t.out == nil && t.high == 0 {
			r.at++
			return string(run), t.checkUTF8(run, start)
		}
		err := t.write(run, start)
		if err == nil && b == quote {
			r.at++
			return string(t.out), t.flush()
		}
		if err == nil {
			err = t.special(b, quote, open)
		}
		if err != nil {
			return "", err
		}
		start = r.at
	}
	return "", r.fault(unterminated(quote), open)
}

func unterminated(quote byte) string {
	if quote == '`' {
		return "unterminated-template"
	}
	return "unterminated-string"
}

// write takes characters as they stand.
func (t *textReader) write(run []byte, at int) *Error {
	if len(run) == 0 {
		return nil
	}
	if err := t.flush(); err != nil {
		return err
	}
	t.out = append(t.out, run...)
	return t.checkUTF8(run, at)
}

func (r *reader) checkUTF8(run []byte, at int) *Error {
	if i := invalidAt(run); i >= 0 {
		return r.fault("not-utf8", at+i)
	}
	return nil
}

// invalidAt is where the first byte stands that is no UTF-8, or -1.
func invalidAt(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}

// special takes a character that means something in texts, though not always in
// this kind of text.
func (t *textReader) special(b, quote byte, open int) *Error {
	switch {
	case b == '\\':
		return t.escape(open)
	case quote == '`' && b == '$' && t.peek(1) == '{':
		return t.fault("template-substitution", t.at)
	case quote == '`' && b == '\r':
		t.lineEnd()
		return t.write([]byte("\n"), 0)
	case quote != '`' && (b == '\n' || b == '\r'):
		return t.fault("line-break-in-string", t.at)
	}
	t.at++
	return t.write([]byte{b}, 0)
}

// lineEnd goes over \n, \r or \r\n.
func (r *reader) lineEnd() {
	if r.startsWith("\r\n") {
		r.at++
	}
	r.at++
}

// simpleEscapes are the letters that stand for another character. Any other
// character that is no digit stands for itself.
var simpleEscapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}

// escape takes a backslash and what belongs to it.
func (t *textReader) escape(open int) *Error {
	at, b := t.at, t.peek(1)
	if t.at++; t.at == len(t.src) {
		return t.fault(unterminated(t.src[open]), open)
	}
	switch {
	case b == '\n' || b == '\r':
		t.lineEnd()
		return nil
	case t.atSeparator():
		t.at += len("\u2028")
		return nil
	case b == 'x' || b == 'u':
		return t.codeEscape(at)
	case b == '0' && classes[t.peek(1)]&isDigit == 0:
		t.at++
		return t.write([]byte{0}, at)
	case classes[b]&isDigit != 0:
		return t.fault("octal-escape", at)
	case b >= utf8.RuneSelf:
		return nil // the character is one of the next run
	}
	t.at++
	if c, ok := simpleEscapes[b]; ok {
		b = c
	}
	return t.write([]byte{b}, at)
}

// codeEscape takes \xHH, \uHHHH and \u{…}; the cursor stands behind the backslash.
func (t *textReader) codeEscape(at int) *Error {
	digits, after := 4, 0
	switch {
	case t.peek(0) == 'x':
		digits = 2
	case t.peek(1) == '{':
		t.at++
		digits, after = bytes.IndexByte(t.src[t.at+1:], '}'), 1
	}
	t.at++
	c, ok := hex(t.src[t.at:], digits)
	if !ok {
		return t.fault("bad-escape", at)
	}
	t.at += digits + after
	return t.code(c, at)
}

// hex reads a number of hexadecimal digits, which have to be those of a character.
func hex(b []byte, digits int) (c rune, ok bool) {
	if digits < 1 || digits > len(b) {
		return 0, false
	}
	for _, b := range b[:digits] {
		d := digit(b)
		if d >= 16 {
			return 0, false
		}
		if c = c<<4 | rune(d); c > utf8.MaxRune {
			return 0, false
		}
	}
	return c, true
}

// digit is what a byte is worth as a digit, 16 or more if it is none.
func digit(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		return int(b|0x20-'a') + 10
	}
	return 16
}

// code takes a character that is written as a number.
func (t *textReader) code(c rune, at int) *Error {
	if pair := utf16.DecodeRune(t.high, c); t.high != 0 && pair != utf8.RuneError {
		t.high, c = 0, pair
	}
	switch {
	case c >= 0xD800 && c < 0xDC00:
		err := t.flush()
		t.high, t.highAt = c, at
		return err
	case c >= 0xDC00 && c < 0xE000:
		if err := t.flush(); err != nil {
			return err
		}
		return t.fault("lone-surrogate", at)
	}
	return t.write(utf8.AppendRune(nil, c), at)
}

// flush is called where a first half can no longer get its second.
func (t *textReader) flush() *Error {
	if t.high != 0 {
		return t.fault("lone-surrogate", t.highAt)
	}
	return nil
}
