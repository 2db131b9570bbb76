package jsengine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	lib "modernc.org/libquickjs"

	"plugcheck/validator/literal"
)

// inherited are the names that every object and every array has.
func (m *machine) inherited() map[lib.TJSAtom]bool {
	known := map[lib.TJSAtom]bool{}
	for _, v := range []lib.TJSValue{m.object, m.array} {
		names, _ := m.names(v)
		for _, n := range names {
			known[n.Fatom] = true
		}
	}
	return known
}

// read reads the exports of a module that has run. Known is what was inherited before.
func (m *machine) read(module lib.TJSValue, known map[lib.TJSAtom]bool) Result {
	names, f := m.names(module)
	if f != nil {
		return Result{Fault: f}
	}
	r := reader{machine: m}
	var result Result
	var manifest *lib.TJSValue
	for _, n := range names {
		name, ok := m.name(n)
		if !ok {
			continue // the symbol that every module has
		}
		export, _ := m.property(module, n.Fatom)
		result.Exports = append(result.Exports, Export{name, m.typeOf(export.Fvalue)})
		if name == "manifest" {
			manifest = &export.Fvalue
		}
		if f := r.grow(len(name)); f != nil {
			return Result{Fault: f}
		}
	}
	if manifest == nil {
		result.Fault = fault(NoExport, "it exports no manifest")
		return result
	}
	if result.Fault = m.polluted(known); result.Fault != nil {
		return result
	}
	v, f := r.value(*manifest)
	if result.Fault = f; f == nil {
		result.Manifest = &v
	}
	return result
}

// polluted says whether the objects and arrays of a manifest show more than they
// have: what the module has given to all of them. With arrays, only what could be
// taken for data counts; they may be given functions.
func (m *machine) polluted(known map[lib.TJSAtom]bool) *Fault {
	for _, holder := range []struct {
		name string
		v    lib.TJSValue
	}{{"Object.prototype", m.object}, {"Array.prototype", m.array}} {
		names, f := m.names(holder.v)
		if f != nil {
			return f
		}
		for _, n := range names {
			if known[n.Fatom] {
				continue
			}
			name, _ := m.name(n)
			if _, err := strconv.ParseUint(name, 10, 32); err == nil || name == "toJSON" || same(holder.v, m.object) {
				return fault(Prototype, "it adds %s to %s, so that the manifest seems to have it", shown(name), holder.name)
			}
		}
	}
	if !same(m.prototype(m.array), m.object) {
		return fault(Prototype, "it has all arrays inherit from an object of its own")
	}
	return nil
}

// shown is a name in a message.
func shown(name string) string { return strconv.Quote(clip(name)) }

func (m *machine) typeOf(v lib.TJSValue) string {
	switch tag(v) {
	case lib.EJS_TAG_NULL:
		return "object"
	case lib.EJS_TAG_OBJECT:
		if lib.XJS_IsFunction(m.tls, m.ctx, v) != 0 {
			return "function"
		}
		return "object"
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		return "string"
	case lib.EJS_TAG_INT, lib.EJS_TAG_FLOAT64:
		return "number"
	case lib.EJS_TAG_BOOL:
		return "boolean"
	case lib.EJS_TAG_SYMBOL:
		return "symbol"
	case lib.EJS_TAG_BIG_INT, lib.EJS_TAG_SHORT_BIG_INT:
		return "bigint"
	}
	return "undefined"
}

// A reader makes data of a value.
type reader struct {
	*machine
	path []string       // to the value at hand, from the manifest on
	open []lib.TJSValue // the objects that it is in
	size int            // of what was read, in bytes
}

const (
	maxDepth = 64 // of objects and arrays, as in a literal
	maxSize  = 4 << 20
	perThing = 64 // about what one takes up besides its text
)

// grow counts one more thing that was read, with so much text. An object that is in
// several places is read in each, so that a small script can make very much.
func (r *reader) grow(text int) *Fault {
	if r.size += text + perThing; r.size > maxSize {
		return fault(Memory, "what it exports is larger than %d MiB", maxSize>>20)
	}
	return nil
}

// is says of the value at hand what it is.
func (r *reader) is(class, format string, args ...any) *Fault {
	return fault(class, "%s is %s", clip("manifest"+strings.Join(r.path, "")), fmt.Sprintf(format, args...))
}

func (r *reader) value(v lib.TJSValue) (literal.Value, *Fault) {
	if f := r.grow(0); f != nil {
		return literal.Value{}, f
	}
	switch tag(v) {
	case lib.EJS_TAG_NULL:
		return literal.Value{}, nil
	case lib.EJS_TAG_BOOL:
		return literal.Value{Kind: literal.Bool, Bool: lib.XJS_ToBool(r.tls, r.ctx, v) != 0}, nil
	case lib.EJS_TAG_INT, lib.EJS_TAG_FLOAT64:
		return r.number(v)
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		return r.string(v)
	case lib.EJS_TAG_OBJECT:
		return r.container(v)
	}
	what := map[string]string{"undefined": "undefined", "symbol": "a symbol", "bigint": "a BigInt"}[r.typeOf(v)]
	return literal.Value{}, r.is(NotPlain, "%s, which is no data", what)
}

func (r *reader) number(v lib.TJSValue) (literal.Value, *Fault) {
	lib.XJS_ToFloat64(r.tls, r.ctx, address(&r.out.number), v)
	n := r.out.number
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return literal.Value{}, r.is(NotPlain, "the number %v, which is not finite", n)
	}
	return literal.Value{Kind: literal.Number, Number: n}, nil
}

func (r *reader) string(v lib.TJSValue) (literal.Value, *Fault) {
	s, ok := r.text(v, maxSize)
	if !ok {
		return literal.Value{}, fault(Memory, "there is no memory left to read the manifest")
	}
	if f := r.grow(int(r.out.length)); f != nil {
		return literal.Value{}, f
	}
	if !utf8.ValidString(s) {
		return literal.Value{}, r.is(NotPlain, "a string with half of a surrogate pair, which no text encoding has")
	}
	return literal.Value{Kind: literal.String, String: s}, nil
}

// container reads an object or an array, and nothing that only looks like one.
func (r *reader) container(v lib.TJSValue) (literal.Value, *Fault) {
	class := r.class(v)
	isArray := class == lib.EJS_CLASS_ARRAY
	switch {
	case class == lib.EJS_CLASS_PROXY:
		return literal.Value{}, r.is(Proxy, "a Proxy, which can answer differently each time it is read")
	case r.typeOf(v) == "function":
		return literal.Value{}, r.is(NotPlain, "a function, which is no data")
	case isArray && !same(r.prototype(v), r.array),
		class == lib.EJS_CLASS_OBJECT && !same(r.prototype(v), r.object),
		!isArray && class != lib.EJS_CLASS_OBJECT:
		return literal.Value{}, r.is(NotPlain, "an object with a class or prototype of its own")
	case len(r.open) == maxDepth:
		return literal.Value{}, r.is(NotPlain, "more than %d levels deep", maxDepth)
	}
	for _, outer := range r.open {
		if same(outer, v) {
			return literal.Value{}, r.is(NotPlain, "an object that contains itself")
		}
	}
	names, f := r.names(v)
	if f != nil {
		return literal.Value{}, f
	}
	r.open = append(r.open, v)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	if isArray {
		return r.items(v, names)
	}
	return r.fields(v, names)
}

func (r *reader) fields(object lib.TJSValue, names []lib.TJSPropertyEnum) (literal.Value, *Fault) {
	v := literal.Value{Kind: literal.Object}
	for _, n := range names {
		name, ok := r.name(n)
		if f := r.grow(len(name)); f != nil {
			return literal.Value{}, f
		}
		if !ok || !utf8.ValidString(name) {
			return literal.Value{}, r.is(NotPlain, "an object with a name that is no text")
		}
		value, f := r.member(object, n, "."+name)
		if f != nil {
			return literal.Value{}, f
		}
		v.Fields = append(v.Fields, literal.Field{Name: name, Value: value})
	}
	return v, nil
}

// items reads the items of an array. Its names are the indices, in order, and then
// "length": any others are of another object than brackets make.
func (r *reader) items(array lib.TJSValue, names []lib.TJSPropertyEnum) (literal.Value, *Fault) {
	v := literal.Value{Kind: literal.Array}
	for i, n := range names {
		if n.Fatom != lib.MJS_ATOM_TAG_INT|lib.TJSAtom(i) {
			break
		}
		item, f := r.member(array, n, "["+strconv.Itoa(i)+"]")
		if f != nil {
			return literal.Value{}, f
		}
		v.Items = append(v.Items, item)
	}
	length, _ := r.property(array, lib.EJS_ATOM_length)
	lib.XJS_ToFloat64(r.tls, r.ctx, address(&r.out.number), length.Fvalue)
	if r.out.number != float64(len(v.Items)) || len(names) != len(v.Items)+1 {
		return literal.Value{}, r.is(NotPlain, "an array with holes or with names beside its items")
	}
	return v, nil
}

// member reads a property, whose step is how the path goes on to it.
func (r *reader) member(object lib.TJSValue, n lib.TJSPropertyEnum, step string) (literal.Value, *Fault) {
	r.path = append(r.path, step)
	defer func() { r.path = r.path[:len(r.path)-1] }()
	p, ok := r.property(object, n.Fatom)
	switch {
	case !ok:
		return literal.Value{}, fault(Memory, "there is no memory left to read the manifest")
	case p.Fflags&lib.MJS_PROP_GETSET != 0:
		return literal.Value{}, r.is(Getter, "a getter or setter, so that its value is not in the file")
	case p.Fflags&lib.MJS_PROP_ENUMERABLE == 0:
		return literal.Value{}, r.is(NotPlain, "hidden: it is not enumerable")
	}
	return r.value(p.Fvalue)
}
