package rename

import (
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	word    kind = iota // an identifier
	keyword             // a word of the language
	punct               // an operator or bracket; "${" and "}$" enclose code in a string
	text                // a string or a piece of one, a number, a regular expression, a lifetime
)

// A token is one piece of code; comments and white space are left out. A Go
// file also has the semicolons that its newlines stand for, a Python file a
// "\n" at the end of each logical line.
type token struct {
	kind  kind
	first bool // nothing but white space and comments before it on its line
	pair  int  // of a bracket: the index of its other half; else, or without one, -1
	start int
	text  string
}

const bom = "\uFEFF"

// operators are tried in this order; what is none of them is one character.
var operators = strings.Fields(`>>>= ... ..= === !== <<= >>= **= //= &&= ||= ??= => -> :: := == != <= >= && || ?? ?. ++ --
	+= -= *= /= %= &= |= ^= @= <- .. **`)

// A quote is a string being read.
type quote struct {
	close     string
	escapes   bool
	multiline bool
	code      string // what opens code in it: "${", "{" in an f-string, "{}" for Rust's captured names
	depth     int    // how many brackets are open in its code, its own included
	braces    int    // and how many braces
	spec      bool   // in the format specification of an f-string's field
}

type lexer struct {
	lang   *language
	src    string
	pos    int
	first  bool
	toks   []token
	opens  []int   // the brackets that are open
	braces int     // how many of them are { or ${
	quotes []quote // the strings whose code is being read, the innermost last
	// noRegex ends a stretch that holds no regular expression.
	noRegex int
}

// scan cuts a source text into tokens. Any text will do.
func scan(lang *language, src string) []token {
	x := &lexer{lang: lang, src: src, first: true}
	if strings.HasPrefix(src, bom) {
		x.pos = len(bom)
	}
	if rest := src[x.pos:]; strings.HasPrefix(rest, "#!") && !strings.HasPrefix(rest, "#![") {
		x.skipLine()
	}
	for x.pos < len(src) {
		x.next()
	}
	x.newline()
	return x.toks
}

func (x *lexer) at(s string) bool { return strings.HasPrefix(x.src[x.pos:], s) }

func (x *lexer) peek(n int) byte {
	if x.pos+n < len(x.src) {
		return x.src[x.pos+n]
	}
	return 0
}

func (x *lexer) last(n int) token {
	if len(x.toks) < n {
		return token{kind: punct}
	}
	return x.toks[len(x.toks)-n]
}

// add appends a token; s need not be the source's own text.
func (x *lexer) add(k kind, start int, s string) {
	t := token{kind: k, first: x.first, pair: -1, start: start, text: s}
	i := len(x.toks)
	if k == punct {
		switch s {
		case "(", "[", "{", "${":
			x.opens = append(x.opens, i)
			if s == "{" || s == "${" {
				x.braces++
			}
		case ")", "]":
			x.close(i, opening(s), &t)
		case "}", "}$":
			// A brace ends what was left open inside it.
			for x.braces > 0 && !strings.HasSuffix(x.toks[x.opens[len(x.opens)-1]].text, "{") {
				x.opens = x.opens[:len(x.opens)-1]
			}
			if x.close(i, opening(s), &t) {
				x.braces--
			}
		}
	}
	x.toks = append(x.toks, t)
	x.first = false
}

func opening(bracket string) string {
	switch bracket {
	case ")":
		return "("
	case "]":
		return "["
	case "}$":
		return "${"
	}
	return "{"
}

// close pairs the bracket at i with the innermost open one, if they fit.
func (x *lexer) close(i int, open string, t *token) bool {
	if len(x.opens) == 0 || x.toks[x.opens[len(x.opens)-1]].text != open {
		return false
	}
	t.pair = x.opens[len(x.opens)-1]
	x.toks[t.pair].pair = i
	x.opens = x.opens[:len(x.opens)-1]
	return true
}

// newline adds what the end of a line means in the language.
func (x *lexer) newline() {
	last := x.last(1)
	switch {
	case x.lang.newlines:
		if len(x.opens) == 0 && len(x.toks) > 0 && last.text != "\n" {
			x.add(punct, x.pos, "\n")
		}
	case x.lang.semicolons:
		switch last.text {
		case ")", "]", "}", "++", "--", "break", "continue", "fallthrough", "return":
			x.add(punct, x.pos, ";")
		default:
			if last.kind == word || last.kind == text {
				x.add(punct, x.pos, ";")
			}
		}
	}
	x.first = true
}

func (x *lexer) skipLine() {
	if n := strings.IndexByte(x.src[x.pos:], '\n'); n >= 0 {
		x.pos += n
	} else {
		x.pos = len(x.src)
	}
}

func (x *lexer) skipBlock() {
	from, depth := x.pos, 1
	x.pos += len(x.lang.blockOpen)
	for x.pos < len(x.src) && depth > 0 {
		switch {
		case x.at(x.lang.blockClose):
			x.pos += len(x.lang.blockClose)
			depth--
		case x.lang.nested && x.at(x.lang.blockOpen):
			x.pos += len(x.lang.blockOpen)
			depth++
		default:
			x.pos++
		}
	}
	if strings.Contains(x.src[from:x.pos], "\n") && !x.lang.newlines {
		x.newline()
	}
}

func (x *lexer) next() {
	c := x.src[x.pos]
	l := x.lang
	if len(x.quotes) > 0 {
		q := x.quotes[len(x.quotes)-1]
		if c == '}' && x.braces <= q.braces ||
			len(x.opens) <= q.depth && q.code == "{" && (c == ':' || c == '!' && x.peek(1) != '=') {
			x.quotes = x.quotes[:len(x.quotes)-1]
			x.add(punct, x.pos, "}$")
			q.spec = c != '}'
			start := x.pos
			x.pos++
			x.quoted(start, q)
			return
		}
	}
	switch {
	case c == '\n':
		x.newline()
		x.pos++
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		x.pos++
	case c == '\\' && x.peek(1) == '\n':
		x.pos += 2
	case c == '\\' && x.at("\\\r\n"):
		x.pos += 3
	case x.at(l.lineComment):
		x.skipLine()
	case l.blockOpen != "" && x.at(l.blockOpen):
		x.skipBlock()
	case c >= '0' && c <= '9' || c == '.' && digit(x.peek(1)) && x.last(1).text != ".":
		x.number()
	case c == '"' || c == '\'' || c == '`':
		x.stringAt(x.pos, "")
	case c == '/' && l.template && x.regexAllowed() && x.regex():
	case c == '#' && l.template && x.name(1) > 0:
		n := 1 + x.name(1)
		x.add(word, x.pos, x.src[x.pos:x.pos+n])
		x.pos += n
	default:
		if n := x.name(0); n > 0 {
			x.wordOf(n)
			return
		}
		for _, op := range operators {
			if x.at(op) {
				x.add(punct, x.pos, op)
				x.pos += len(op)
				return
			}
		}
		_, n := utf8.DecodeRuneInString(x.src[x.pos:])
		x.add(punct, x.pos, x.src[x.pos:x.pos+n])
		x.pos += n
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// name returns the length of the identifier at pos+n, 0 when there is none.
func (x *lexer) name(n int) int {
	s := x.src[x.pos+n:]
	for i, r := range s {
		if r == utf8.RuneError || i == 0 && !x.lang.start(r) || !x.lang.inside(r) {
			return i
		}
	}
	return len(s)
}

func (x *lexer) wordOf(n int) {
	start := x.pos
	w := x.src[start : start+n]
	x.pos += n
	if x.lang.prefixes != "" && n <= 2 && strings.Trim(w, x.lang.prefixes) == "" {
		switch c := x.peek(0); {
		case c == '"' || c == '\'' && (x.lang.triple || w == "b"):
			x.stringAt(start, w)
			return
		case c == '#' && x.lang.lifetimes && strings.HasSuffix(w, "r"):
			hashes := 1
			for hashes < 256 && x.peek(hashes) == '#' {
				hashes++
			}
			if x.peek(hashes) == '"' {
				x.pos += hashes + 1
				x.quoted(start, quote{close: `"` + strings.Repeat("#", hashes), multiline: true, code: x.captures()})
				return
			}
			if n := x.name(1); n > 0 && w == "r" && hashes == 1 {
				x.pos += 1 + n
				x.add(word, start, x.src[start:x.pos])
				return
			}
		}
	}
	k := word
	if x.lang.keywords[w] {
		k = keyword
	}
	x.add(k, start, w)
}

func (x *lexer) number() {
	start := x.pos
	for x.pos < len(x.src) {
		if n := x.name(0); n > 0 {
			x.pos += n
		} else if c := x.src[x.pos]; digit(c) || c == '.' && digit(x.peek(1)) {
			x.pos++
		} else {
			break
		}
	}
	x.add(text, start, x.src[start:x.pos])
}

// stringAt reads a string whose prefix starts at start and whose quote is at pos.
func (x *lexer) stringAt(start int, prefix string) {
	l, c := x.lang, x.src[x.pos:x.pos+1]
	q := quote{close: c, escapes: true}
	switch {
	case l.triple && c != "`":
		if strings.ContainsAny(prefix, "fFtT") {
			q.code = "{"
		}
		if t := strings.Repeat(c, 3); x.at(t) {
			q.close, q.multiline = t, true
		}
	case l.lifetimes && c == `"`:
		q.multiline, q.escapes, q.code = true, !strings.Contains(prefix, "r"), x.captures()
	case l.lifetimes && c == "'":
		_, n := utf8.DecodeRuneInString(x.src[x.pos+1:])
		if x.peek(1) != '\\' && x.peek(1+n) != '\'' {
			n = max(1, x.name(1)+1)
			x.pos += n
			x.add(text, start, x.src[start:x.pos])
			return
		}
		if x.peek(1) != '\\' { // the character may be a quote itself
			x.pos += 2 + n
			x.add(text, start, x.src[start:min(x.pos, len(x.src))])
			x.pos = min(x.pos, len(x.src))
			return
		}
	case c == "`" && l.rawTick:
		q.multiline, q.escapes = true, false
	case c == "`" && l.template:
		q.multiline, q.code = true, "${"
	case c == "`":
		x.add(punct, start, c)
		x.pos++
		return
	}
	x.pos += len(q.close)
	x.quoted(start, q)
}

// quoted reads on in a string, up to its end or to the code in it.
func (x *lexer) quoted(start int, q quote) {
	emit := func() {
		if x.pos > start {
			x.add(text, start, x.src[start:x.pos])
		}
	}
	for x.pos < len(x.src) {
		c := x.src[x.pos]
		switch {
		case c == q.close[0] && x.at(q.close):
			x.pos += len(q.close)
			emit()
			return
		case c == '\\' && q.escapes:
			switch n := x.peek(1); {
			case q.code == "{" && n == 'N' && x.peek(2) == '{':
				x.pos += 3
			case q.code == "{" && (n == '{' || n == '}'):
				x.pos++
			case n == '\r' && x.peek(2) == '\n':
				x.pos += 3
			default:
				x.pos = min(x.pos+2, len(x.src))
			}
		case c == '\n' && !q.multiline:
			emit()
			return
		case c == '}' && q.spec:
			q.spec = false
			x.pos++
		case c == '{' && q.code == "{}":
			start = x.captured(start)
		case c == '{' && q.code == "{" && x.peek(1) == '{' && !q.spec:
			x.pos += 2
		case q.code != "" && q.code != "{}" && c == q.code[0] && x.at(q.code):
			emit()
			x.add(punct, x.pos, "${")
			x.pos += len(q.code)
			q.depth, q.braces = len(x.opens), x.braces
			x.quotes = append(x.quotes, q)
			return
		default:
			x.pos++
		}
	}
	emit()
}

// formats are the Rust macros whose format string captures names, with the
// number of arguments before it.
var formats = map[string]int{
	"format": 0, "print": 0, "println": 0, "eprint": 0, "eprintln": 0, "panic": 0, "todo": 0, "unimplemented": 0,
	"unreachable": 0, "format_args": 0, "trace": 0, "debug": 0, "info": 0, "warn": 0, "error": 0,
	"write": 1, "writeln": 1, "assert": 1, "debug_assert": 1, "assert_eq": 2, "assert_ne": 2,
}

// captures returns "{}" when the string that comes is a format string.
func (x *lexer) captures() string {
	if len(x.opens) == 0 {
		return ""
	}
	o := x.opens[len(x.opens)-1]
	if o < 2 || x.toks[o-1].text != "!" || len(x.toks)-o > 500 {
		return ""
	}
	want, ok := formats[x.toks[o-2].text]
	commas := 0
	for i := o + 1; i < len(x.toks); i++ {
		switch t := x.toks[i]; {
		case t.pair > i:
			i = t.pair
		case t.text == ",":
			commas++
		}
	}
	if !ok || commas != want || commas > 0 && x.last(1).text != "," || commas == 0 && len(x.toks) != o+1 {
		return ""
	}
	return "{}"
}

// captured reads one {…} of a format string and gives each name in it a token
// of its own. It returns where the string's next piece starts.
func (x *lexer) captured(start int) int {
	if x.peek(1) == '{' {
		x.pos += 2
		return start
	}
	x.pos++
	for begin := x.pos; x.pos < len(x.src) && x.src[x.pos] != '}' && x.src[x.pos] != '"'; {
		n := x.name(0)
		if n > 0 && (x.pos == begin || x.peek(n) == '$') {
			x.add(text, start, x.src[start:x.pos])
			k := word
			if w := x.src[x.pos : x.pos+n]; x.lang.keywords[w] {
				k = keyword
			}
			x.add(k, x.pos, x.src[x.pos:x.pos+n])
			start = x.pos + n
		}
		x.pos += max(n, 1)
	}
	return start
}

// regexAllowed reports whether a slash starts a regular expression here.
func (x *lexer) regexAllowed() bool {
	t := x.last(1)
	switch t.kind {
	case word, text:
		return false
	case keyword:
		switch t.text {
		case "this", "super", "null", "true", "false":
			return false
		}
		return x.last(2).text != "." && x.last(2).text != "?."
	}
	switch t.text {
	case "]", "++", "--":
		return false
	case ")":
		if t.pair > 0 {
			switch x.toks[t.pair-1].text {
			case "if", "while", "for", "with":
				return true
			}
		}
		return false
	case "}":
		if t.pair <= 0 {
			return true
		}
		b := x.toks[t.pair-1]
		switch b.text {
		case ")", ";", "{", "}", "=>", "else", "do", "try", "finally":
			return true
		}
		return b.kind == word
	}
	return true
}

// regex reads a regular expression, if its line holds the end of one.
func (x *lexer) regex() bool {
	if x.pos < x.noRegex {
		return false
	}
	class := false
	for i := x.pos + 1; i < len(x.src); i++ {
		switch c := x.src[i]; {
		case c == '\n' || i == len(x.src)-1 && (c != '/' || class):
			x.noRegex = i
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			start := x.pos
			x.pos = i + 1
			x.pos += x.name(0)
			x.add(text, start, x.src[start:x.pos])
			return true
		}
	}
	return false
}
