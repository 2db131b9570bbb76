package literal

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A Manifest is a manifest literal as it was found in a source.
type Manifest struct {
	Value Value
	// Start and End are the byte span of the literal, from its { to behind its }.
	Start, End int
	// Line and Column are the place of Start, counted as in Error.
	Line, Column int
}

// Find returns the one manifest of a source. The error is an *Error.
//
// The literal has to be the whole value: an operator behind it is an error, also
// on the next line where JavaScript goes on there. A comma with further
// declarations may follow. What else follows is only searched for a second
// manifest, as far as it can be told apart into tokens.
func Find(source []byte) (*Manifest, error) {
	f := finder{scanner: newScanner(source)}
	err := f.run()
	if f.found == nil && err == nil {
		// Leaps see less of what may be wrong, so the reason is looked for without.
		f = finder{scanner: newScanner(source)}
		f.noLeap = len(source) + 1
		err = f.run()
	}
	switch {
	case err != nil:
		return nil, err
	case f.found == nil:
		return nil, f.missing()
	}
	return f.found, nil
}

// A finder looks at the exports among the tokens of a source.
type finder struct {
	*scanner
	found *Manifest
	// What comes nearest to a manifest, for the case that there is none.
	near     string
	nearAt   int
	nearArgs []any
}

// run goes over the source until there is nothing more to find.
func (f *finder) run() *Error {
	for {
		f.leap()
		switch f.step() {
		case ended:
			return nil
		case exports:
			if err := f.export(); err != nil {
				return err
			}
		case declares:
			f.hint("not-exported", f.cursor)
		}
	}
}

// nearness lists what can be there in place of a manifest, the best hint first.
var nearness = []string{"not-const", "export-list", "nested", "not-exported", "export-default", ""}

// hint notes something that could have been meant as the manifest, if that is the
// name at the cursor given.
func (f *finder) hint(class string, c cursor, args ...any) {
	if c.skip() && string(c.wordHere()) == "manifest" {
		f.closer(class, c.at, args...)
	}
}

func (f *finder) closer(class string, at int, args ...any) {
	if slices.Index(nearness, class) < slices.Index(nearness, f.near) {
		f.near, f.nearAt, f.nearArgs = class, at, args
	}
}

// missing says why there is no manifest.
func (f *finder) missing() *Error {
	switch {
	case f.fault != "" && (f.near == "" || f.near == "export-default"):
		return faultAt(f.src, f.fault, f.at)
	case f.near != "":
		return faultAt(f.src, f.near, f.nearAt, f.nearArgs...)
	}
	return &Error{Code: NotData, Class: "not-found", Message: messages["not-found"]}
}

// export looks at what stands behind the word export.
func (f *finder) export() *Error {
	at, ahead := f.at-len("export"), f.cursor
	if !ahead.skip() {
		return nil
	}
	switch word := ahead.nextWord(); string(word) {
	case "const":
		return f.constant(at, ahead)
	case "let", "var", "class", "function":
		f.hint("not-const", ahead, string(word))
	case "default":
		f.closer("export-default", at)
	case "":
		f.list(ahead)
	}
	return nil
}

// constant looks at the name of an exported constant.
func (f *finder) constant(at int, ahead cursor) *Error {
	switch {
	case string(ahead.nextWord()) != "manifest":
		return nil
	case len(f.open) > 1:
		f.closer("nested", at)
		return nil
	case f.found != nil:
		return faultAt(f.src, "twice", at)
	}
	return f.literal(ahead)
}

// list looks for the manifest among the names of an export in braces.
func (f *finder) list(c cursor) {
	for more := c.peek(0) == '{'; more; more = c.peek(0) == ',' {
		c.at++
		name, at := c.nextWord(), c.at
		if string(name) != "manifest" && string(c.nextWord()) == "as" {
			name, at = c.nextWord(), c.at
		}
		if string(name) == "manifest" {
			f.closer("export-list", at-len(name))
		}
		c.skip()
	}
}

// literal reads what stands behind the name manifest and goes on behind it.
func (f *finder) literal(c cursor) *Error {
	r := reader{cursor: c}
	switch {
	case !r.skip():
		return r.fault("unterminated-comment", r.at)
	case r.peek(0) == ':':
		return r.fault("typescript", r.at)
	case r.peek(0) != '=':
		return r.fault("no-equals", r.at)
	}
	if r.at++; !r.skip() {
		return r.fault("unterminated-comment", r.at)
	}
	start := r.at
	v, err := r.value()
	if err != nil {
		return err
	}
	end := r.at
	if r.skip() {
		if class := r.joins(""); class != "" {
			return r.fault(class, r.at)
		}
	}
	if v.Kind != Object {
		return r.fault("not-object", start, v.Kind)
	}
	if err := r.checkUTF8(r.src[start:end], start); err != nil {
		return err
	}
	line, column := place(r.src, start)
	f.found = &Manifest{Value: v, Start: start, End: end, Line: line, Column: column}
	f.at, f.state = end, operand
	if !anotherIn(r.src[end:]) {
		f.at = len(r.src)
	}
	return nil
}

// anotherIn reports whether a second manifest may be in the rest of a source. Most
// often this saves going over it: the name does not come again, or only behind
// something that can be neither the word const nor a comment or line before it.
func anotherIn(rest []byte) bool {
	name := []byte("manifest")
	for i := bytes.Index(rest, name); i >= 0; i = bytes.Index(rest, name) {
		before := bytes.TrimRight(rest[:i], " \t")
		if len(before) == 0 {
			return true
		}
		if b := before[len(before)-1]; b == 't' || b == '/' || b >= utf8.RuneSelf || classes[b]&(isSpace|isLineEnd) != 0 {
			return true
		}
		rest = rest[i+len(name):]
	}
	return false
}
