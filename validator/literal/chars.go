package literal

import (
	"unicode"
	"unicode/utf8"
)

// What a byte can be; a byte can be several of these.
const (
	isSpace     = uint16(1) << iota // white space that ends no line
	isLineEnd                       // \n and \r
	isNameStart                     // may begin a name, or begins a character that has to be looked at
	isNamePart
	isWord // goes on with a name and needs no further look
	isDigit
	isTextStop // means something in a string or a template
	isX
	isLeapStop   // matters to where a closing brace is
	isRegexpStop // means something in a regular expression
)

// classes holds what each byte can be. All bytes of characters beyond ASCII
// count as parts of names here: the few that are white space are told apart
// where a name would begin or go on.
var classes = func() (t [256]uint16) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$':
			t[c] |= isNameStart | isNamePart | isWord
		case c == '\\', c >= utf8.RuneSelf:
			t[c] |= isNameStart | isNamePart
		case c >= '0' && c <= '9':
			t[c] |= isDigit | isNamePart | isWord
		}
	}
	mark := func(chars string, class uint16) {
		for i := range len(chars) {
			t[chars[i]] |= class
		}
	}
	mark(" \t\v\f", isSpace)
	mark("\n\r", isLineEnd)
	mark("\\\n\r\"'`$", isTextStop)
	mark("x", isX)
	mark("{}'\"`/", isLeapStop)
	mark("\\\n\r/[]\xe2", isRegexpStop)
	return t
}()

// blank reports whether a character beyond ASCII is white space to JavaScript,
// and whether it ends a line.
func blank(r rune) (space, lineEnd bool) {
	lineEnd = r == '\u2028' || r == '\u2029'
	return lineEnd || r == '\uFEFF' || unicode.Is(unicode.Zs, r), lineEnd
}

// beginsName and continuesName say which characters a name is made of.
func beginsName(r rune) bool {
	return r == '$' || r == '_' ||
		unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) && !unicode.Is(unicode.Pattern_Syntax, r)
}

func continuesName(r rune) bool {
	return beginsName(r) || r == '\u200C' || r == '\u200D' ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
