package jsengine

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// What is said of a module that exceeds a limit.
const (
	timeout = "it does not come to an end in time"
	tooMuch = "it wants more memory than a plugin gets"
	tooDeep = "its calls, or the brackets of its text, nest too deep"
)

// complaints are the engine's about a limit.
var complaints = []struct{ part, class, message string }{
	{"out of memory", Memory, tooMuch},
	{"string too long", Memory, tooMuch},
	{"stack overflow", Recursion, tooDeep},
}

// thrown is the fault behind a value that was thrown. The class, Syntax or Throws,
// is the one that it has if there is nothing else behind it.
func (m *machine) thrown(v lib.TJSValue, class string) *Fault {
	if m.late {
		return fault(Endless, timeout) // the engine does not keep the place of every loop
	}
	var f Fault
	f.Class, f.Message = m.blame(v, class)
	f.Line, f.Column = m.place(m.peek(v, "stack"))
	return &f
}

func (m *machine) blame(v lib.TJSValue, class string) (string, string) {
	kind, message := m.peek(v, "name"), m.peek(v, "message")
	switch {
	case m.asked:
		return Import, fmt.Sprintf("it imports %s, but a plugin is a single file that cannot load another", shown(m.imported))
	case m.refused && tag(v) == lib.EJS_TAG_NULL:
		return Memory, tooMuch
	case kind == "InternalError", kind == "SyntaxError":
		for _, c := range complaints {
			if strings.Contains(message, c.part) {
				return c.class, c.message
			}
		}
	}
	switch {
	case class == Syntax:
		return Syntax, "it is not valid JavaScript: " + clip(message)
	case kind != "" || message != "":
		return Throws, fmt.Sprintf("it throws %s: %s", clip(kind), clip(message))
	case isString(v):
		text, _ := m.text(v, maxText)
		return Throws, "it throws the string " + shown(text)
	case tag(v) == lib.EJS_TAG_NULL:
		return Throws, "it throws null"
	}
	return Throws, "it throws a value that is no error, of type " + m.typeOf(v)
}

// peek is a text that an object has or inherits, if nothing of the module needs to
// run to get it.
func (m *machine) peek(v lib.TJSValue, name string) string {
	text, err := libc.CString(name)
	if err != nil {
		panic(err)
	}
	defer libc.Xfree(m.tls, text)
	atom := lib.XJS_NewAtomLen(m.tls, m.ctx, text, lib.Tsize_t(len(name)))
	defer lib.XJS_FreeAtom(m.tls, m.ctx, atom)
	for range maxDepth {
		if c := m.class(v); c == lib.MJS_INVALID_CLASS_ID || c == lib.EJS_CLASS_PROXY {
			break
		}
		if p, ok := m.property(v, atom); ok {
			text, _ := m.text(p.Fvalue, maxPeek)
			return strings.ToValidUTF8(text, "")
		}
		v = m.prototype(v)
	}
	return ""
}

// maxPeek is how much of a text is looked at, in bytes.
const maxPeek = 4096

// place is the first place in a stack trace that is in the module. To the engine,
// \n alone ends a line.
func (m *machine) place(stack string) (line, column int) {
	_, at, ok := strings.Cut(stack, file+":")
	if _, err := fmt.Sscanf(at, "%d:%d", &line, &column); !ok || err != nil {
		return 0, 0
	}
	rest := m.source
	for range line - 1 {
		if _, rest, ok = bytes.Cut(rest, []byte("\n")); !ok {
			return 0, 0
		}
	}
	for range column - 1 {
		_, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		if n == 0 {
			break
		}
	}
	before := string(m.source[:len(m.source)-len(rest)])
	before = strings.ReplaceAll(strings.ReplaceAll(before, "\r\n", "\n"), "\r", "\n")
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
}
