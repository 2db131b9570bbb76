package literal

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// leap goes on to the next export outside all braces without looking at every
// token: in code that is right only braces, quotes, backticks and slashes matter
// to where that is. It gives up where what stands in front of a slash on its line
// does not tell a division from a regular expression, and is not tried again up to
// there, so that nothing is gone over more than twice.
func (s *scanner) leap() {
	if s.at < s.noLeap || len(s.open) > 1 || s.state == dot {
		return
	}
	l := leaper{cursor: s.cursor, open: s.open[len(s.open):]}
	for l.step() {
		if l.found {
			s.at, s.state = l.at, statement
			return
		}
	}
	s.noLeap = l.at + 1
}

// A leaper is on its way to an export.
type leaper struct {
	cursor
	open  []frame // the braces and substitutions around it
	found bool    // it stands in front of an export, or there is none
}

// step goes over something that matters, and what does not matter before it.
func (l *leaper) step() bool {
	l.plain()
	switch l.peek(0) {
	case 'x':
		return l.export()
	case '{':
		l.at++
		l.open = append(l.open, block)
	case '}':
		return l.close()
	case '`':
		l.at++
		return l.templateText()
	case '"', '\'':
		return l.quoted()
	case '/':
		return l.slash()
	default: // the end
		l.found = len(l.open) == 0
		return l.found
	}
	return true
}

// plain goes over what does not matter. Outside braces an x does, which is what
// tells the word export from others soonest.
func (l *leaper) plain() {
	stops := isLeapStop
	if len(l.open) == 0 {
		stops |= isX
	}
	for i, b := range l.src[l.at:] {
		if classes[b]&stops != 0 {
			l.at += i
			return
		}
	}
	l.at = len(l.src)
}

// export looks whether the x is that of an export. It fails where that could be
// a property.
func (l *leaper) export() bool {
	start := max(0, l.at-1)
	l.at++
	if !bytes.HasPrefix(l.src[start:], []byte("export")) {
		return true
	}
	if start > 0 {
		switch b := l.src[start-1]; {
		case classes[b]&isWord != 0:
			return true
		case classes[b]&isNamePart != 0 || afterDot(l.src[:start]):
			return false
		}
	}
	l.at, l.found = start, true
	return true
}

// afterDot reports whether the last thing in code is a dot.
func afterDot(code []byte) bool {
	code = bytes.TrimRight(code, " \t\v\f\r\n")
	return len(code) > 0 && code[len(code)-1] == '.'
}

// close takes a closing brace.
func (l *leaper) close() bool {
	if len(l.open) == 0 {
		return false
	}
	f := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	l.at++
	return f != substitution || l.templateText()
}

// templateText goes over text of a template.
func (l *leaper) templateText() bool {
	code, ok := l.template()
	if code {
		l.open = append(l.open, substitution)
	}
	return ok
}

// slash goes over a comment, a regular expression or the slash of a division. It
// fails where it cannot tell which that is, and behind a dot, which is looked for
// in front of an export.
func (l *leaper) slash() bool {
	switch next := l.peek(1); {
	case next != '/' && next != '*':
		return l.operator()
	case afterDot(l.src[:l.at]):
		return false
	case next == '*':
		return l.blockComment()
	}
	l.lineComment()
	return true
}

// operator goes over a regular expression or the slash of a division.
func (l *leaper) operator() bool {
	before := bytes.TrimRight(l.src[:l.at], " \t")
	if len(before) == 0 {
		return false
	}
	b := before[len(before)-1]
	switch {
	case strings.IndexByte("(,=:[!&|?{;<>", b) >= 0:
		return l.regexp()
	case b == ']', b == '"', b == '\'', b == '`', endsInName(before):
		l.at++
		return true
	}
	return false
}

// endsInName reports whether code ends in a name or a number, and certainly so.
func endsInName(code []byte) bool {
	start := len(code)
	for start > 0 && classes[code[start-1]]&isWord != 0 {
		start--
	}
	word := code[start:]
	r, _ := meaning(word)
	return len(word) > 0 && r == name && string(word) != "of" && (start == 0 || code[start-1] < utf8.RuneSelf)
}
