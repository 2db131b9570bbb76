package literal

import (
	"fmt"
	"unicode/utf8"
)

// maxDepth is how many levels of objects and arrays a manifest may have.
const maxDepth = 64

// A reader reads pure data. It stops at the first character that cannot stay.
type reader struct {
	cursor
	depth int
}

// fault is the error for a construct that begins at an offset.
func (r *reader) fault(class string, at int, args ...any) *Error {
	return faultAt(r.src, class, at, args...)
}

func faultAt(src []byte, class string, at int, args ...any) *Error {
	line, column := place(src, at)
	return &Error{Code: NotDataAt, Class: class, Message: fmt.Sprintf(messages[class], args...),
		Line: line, Column: column, Offset: at}
}

// gap goes over white space and comments to what comes next, which the object or
// array that was opened at an offset still needs.
func (r *reader) gap(open int) *Error {
	switch {
	case !r.skip():
		return r.fault("unterminated-comment", r.at)
	case r.at == len(r.src):
		return r.fault("unterminated", open, r.src[open:open+1])
	}
	return nil
}

// value reads what stands at the cursor.
func (r *reader) value() (Value, *Error) {
	b := r.peek(0)
	switch class := classes[b]; {
	case b == '{' || b == '[':
		return r.nested(b)
	case b == '"' || b == '\'' || b == '`':
		s, err := r.text()
		return Value{Kind: String, String: s}, err
	case class&isDigit != 0, b == '.' && classes[r.peek(1)]&isDigit != 0:
		return r.number()
	case b == '-':
		return r.negative()
	case class&isNameStart != 0:
		return r.literalWord()
	}
	return Value{}, r.noValue(b)
}

// nested reads an object or an array.
func (r *reader) nested(b byte) (v Value, err *Error) {
	if r.depth == maxDepth {
		return Value{}, r.fault("too-deep", r.at, maxDepth)
	}
	r.depth++
	if b == '{' {
		v, err = r.object()
	} else {
		v, err = r.array()
	}
	r.depth--
	return v, err
}

func (r *reader) object() (Value, *Error) {
	open, v, seen := r.at, Value{Kind: Object}, keys{}
	for r.at++; ; {
		if err := r.gap(open); err != nil {
			return Value{}, err
		}
		if r.peek(0) == '}' {
			r.at++
			return v, nil
		}
		at := r.at
		name, err := r.key(open)
		switch {
		case err != nil:
			return Value{}, err
		case name == "__proto__":
			return Value{}, r.fault("proto", at)
		case !seen.add(name, v.Fields):
			return Value{}, r.fault("repeated-key", at, clip(name))
		}
		if err := r.gap(open); err != nil {
			return Value{}, err
		}
		value, err := r.value()
		if err == nil {
			v.Fields = append(v.Fields, Field{name, value})
			err = r.separator(open, '}')
		}
		if err != nil {
			return Value{}, err
		}
	}
}

func (r *reader) array() (Value, *Error) {
	open, v := r.at, Value{Kind: Array}
	for r.at++; ; {
		if err := r.gap(open); err != nil {
			return Value{}, err
		}
		switch {
		case r.peek(0) == ']':
			r.at++
			return v, nil
		case r.peek(0) == ',':
			return Value{}, r.fault("hole", r.at)
		case r.startsWith("..."):
			return Value{}, r.fault("spread", r.at)
		}
		item, err := r.value()
		if err == nil {
			v.Items = append(v.Items, item)
			err = r.separator(open, ']')
		}
		if err != nil {
			return Value{}, err
		}
	}
}

// separator goes over the comma behind a value, or up to the closing bracket.
func (r *reader) separator(open int, closer byte) *Error {
	if err := r.gap(open); err != nil {
		return err
	}
	switch r.peek(0) {
	case ',':
		r.at++
		return nil
	case closer:
		return nil
	}
	return r.fault(r.joins("missing-comma"), r.at)
}

// key reads a key and the colon behind it.
func (r *reader) key(open int) (string, *Error) {
	at, b := r.at, r.peek(0)
	quoted := b == '"' || b == '\''
	var name string
	var err *Error
	switch {
	case quoted:
		name, err = r.text()
	case classes[b]&isNameStart != 0:
		name, err = r.identifier()
	default:
		err = r.noKey(b)
	}
	if err == nil {
		err = r.gap(open)
	}
	switch {
	case err != nil:
		return "", err
	case r.peek(0) != ':':
		return "", r.noColon(at, name, quoted)
	}
	r.at++
	return name, nil
}

// identifier reads a name that has no escapes in it.
func (r *reader) identifier() (string, *Error) {
	at := r.at
	for r.at < len(r.src) && classes[r.src[r.at]]&isNamePart != 0 {
		if r.src[r.at] < utf8.RuneSelf && r.src[r.at] != '\\' {
			r.at++
			continue
		}
		c, size := utf8.DecodeRune(r.src[r.at:])
		switch space, _ := blank(c); {
		case space:
			return string(r.src[at:r.at]), nil
		case c == '\\':
			return "", r.fault("escape-in-name", r.at)
		case c == utf8.RuneError && size == 1:
			return "", r.fault("not-utf8", r.at)
		case r.at == at && !beginsName(c), !continuesName(c):
			return "", r.fault("character", r.at, string(c))
		}
		r.at += size
	}
	return string(r.src[at:r.at]), nil
}

// fewKeys is up to how many keys looking through them beats a map.
const fewKeys = 16

// keys remembers the keys of a large object.
type keys map[string]bool

// add notes a name and reports whether it is new. The fields are those read so far.
func (k *keys) add(name string, fields []Field) bool {
	if len(fields) < fewKeys {
		_, known := Value{Fields: fields}.Get(name)
		return !known
	}
	if len(*k) == 0 {
		*k = make(keys)
		for _, f := range fields {
			(*k)[f.Name] = true
		}
	}
	known := (*k)[name]
	(*k)[name] = true
	return !known
}
