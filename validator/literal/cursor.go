package literal

import (
	"bytes"
	"unicode/utf8"
)

// A cursor walks over a source. Its methods go over one thing that stands at the
// cursor and stay in front of it when it has no end.
type cursor struct {
	src     []byte
	at      int
	newline bool // a line ended in the white space and comments gone over last
}

// peek is the byte n places on, or 0 behind the end.
func (c *cursor) peek(n int) byte {
	if c.at+n < len(c.src) {
		return c.src[c.at+n]
	}
	return 0
}

func (c *cursor) startsWith(s string) bool {
	return len(c.src)-c.at >= len(s) && string(c.src[c.at:c.at+len(s)]) == s
}

// skip goes over white space and comments. It fails in front of a comment that
// has no end.
func (c *cursor) skip() bool {
	c.newline = false
	for {
		c.spaces()
		switch b := c.peek(0); {
		case b == '/' && c.peek(1) == '/':
			c.lineComment()
		case b == '/' && c.peek(1) == '*':
			if !c.blockComment() {
				return false
			}
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(c.src[c.at:])
			space, lineEnd := blank(r)
			if !space {
				return true
			}
			c.newline = c.newline || lineEnd
			c.at += size
		default:
			return true
		}
	}
}

// spaces goes over white space of ASCII.
func (c *cursor) spaces() {
	i, all := c.at, uint16(0)
	for ; i < len(c.src); i++ {
		class := classes[c.src[i]]
		if class&(isSpace|isLineEnd) == 0 {
			break
		}
		all |= class
	}
	c.at = i
	c.newline = c.newline || all&isLineEnd != 0
}

// lineComment goes up to the end of the line.
func (c *cursor) lineComment() {
	for c.at < len(c.src) && classes[c.src[c.at]]&isLineEnd == 0 && !c.atSeparator() {
		c.at++
	}
}

// atSeparator reports whether U+2028 or U+2029 stands here, which end lines too.
func (c *cursor) atSeparator() bool {
	return c.src[c.at] == 0xE2 && c.peek(1) == 0x80 && c.peek(2)&^1 == 0xA8
}

func (c *cursor) blockComment() bool {
	end := bytes.Index(c.src[c.at+2:], []byte("*/"))
	if end < 0 {
		return false
	}
	comment := c.src[c.at+2 : c.at+2+end]
	c.newline = c.newline || bytes.IndexByte(comment, '\n') >= 0 || bytes.IndexByte(comment, '\r') >= 0 ||
		bytes.Contains(comment, []byte("\u2028")) || bytes.Contains(comment, []byte("\u2029"))
	c.at += end + 4
	return true
}

// name goes over a name and reports whether an escape stands in it.
func (c *cursor) name() (escaped bool) {
	for {
		i := c.at
		for i < len(c.src) && classes[c.src[i]]&isWord != 0 {
			i++
		}
		c.at = i
		switch b := c.peek(0); {
		case b == '\\':
			escaped = true
			c.nameEscape()
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(c.src[c.at:])
			if space, _ := blank(r); space {
				return escaped
			}
			c.at += size
		default:
			return escaped
		}
	}
}

// nameEscape goes over the backslash, and over the braces of \u{…}, which are
// no brackets.
func (c *cursor) nameEscape() {
	braced := c.startsWith(`\u{`)
	c.at++
	if !braced {
		return
	}
	c.at += 2
	for classes[c.peek(0)]&isNamePart != 0 && c.peek(0) != '\\' {
		c.at++
	}
	if c.peek(0) == '}' {
		c.at++
	}
}

// quoted goes over a string in quotes.
func (c *cursor) quoted() bool {
	quote := c.src[c.at]
	for i := c.at + 1; i < len(c.src); i++ {
		b := c.src[i]
		switch {
		case classes[b]&isTextStop == 0:
		case b == quote:
			c.at = i + 1
			return true
		case b == '\n', b == '\r':
			return false
		case b == '\\':
			i++
			if i+1 < len(c.src) && c.src[i] == '\r' && c.src[i+1] == '\n' {
				i++
			}
		}
	}
	return false
}

// template goes over the text of a template up to behind its closing backtick
// or the ${ of its next substitution. It reports whether code comes, and whether
// either was there.
func (c *cursor) template() (code, ok bool) {
	for i := c.at; i < len(c.src); i++ {
		b := c.src[i]
		switch {
		case classes[b]&isTextStop == 0:
		case b == '\\':
			i++
		case b == '`':
			c.at = i + 1
			return false, true
		case b == '$' && i+1 < len(c.src) && c.src[i+1] == '{':
			c.at = i + 2
			return true, true
		}
	}
	return false, false
}

// regexp goes over a regular expression and its flags.
func (c *cursor) regexp() bool {
	start, inClass := c.at, false
	for c.at++; c.at < len(c.src); c.at++ {
		b := c.src[c.at]
		if classes[b]&isRegexpStop == 0 {
			continue
		}
		if b == '\\' && c.at+1 < len(c.src) {
			c.at++
			b = 0
		}
		switch {
		case classes[c.src[c.at]]&isLineEnd != 0 || c.atSeparator():
			c.at = start
			return false
		case b == '[':
			inClass = true
		case b == ']':
			inClass = false
		case b == '/' && !inClass:
			c.at++
			c.name()
			return true
		}
	}
	c.at = start
	return false
}

// number goes over a number as far as code that is not data needs it: what is
// wrong with a number is not asked.
func (c *cursor) number() {
	if c.peek(0) == '0' && c.peek(1)|0x20 >= 'a' {
		c.name() // 0x1F, 0b1, 0o7n
		return
	}
	c.digits()
	if c.peek(0) == '.' {
		c.at++
		c.digits()
	}
	if c.peek(0)|0x20 == 'e' {
		c.at++
		if b := c.peek(0); b == '+' || b == '-' {
			c.at++
		}
		c.digits()
	}
	if c.peek(0) == 'n' {
		c.at++
	}
}

// digits goes over digits and the separators between them.
func (c *cursor) digits() {
	for b := c.peek(0); classes[b]&isDigit != 0 || b == '_'; b = c.peek(0) {
		c.at++
	}
}

// wordHere is the name at the cursor, which stays there.
func (c cursor) wordHere() []byte {
	return c.nextWord()
}

// nextWord goes over white space, comments and a name, and gives the name.
func (c *cursor) nextWord() []byte {
	if !c.skip() {
		return nil
	}
	start := c.at
	c.name()
	return c.src[start:c.at]
}
