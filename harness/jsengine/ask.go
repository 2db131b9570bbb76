package jsengine

import (
	"unsafe"

	lib "modernc.org/libquickjs"
)

// A list is names of properties, as the engine gives them.
type list struct {
	start uintptr
	count lib.Tuint32_t
}

// names are an object's own properties. They keep their meaning until the machine
// is closed, also when the object has lost them.
func (m *machine) names(object lib.TJSValue) ([]lib.TJSPropertyEnum, *Fault) {
	l := &m.out.list
	if lib.XJS_GetOwnPropertyNames(m.tls, m.ctx, address(&l.start), address(&l.count), object, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_SYMBOL_MASK) < 0 {
		return nil, m.thrown(m.exception(), Throws)
	}
	m.lists = append(m.lists, *l)
	return unsafe.Slice(at[lib.TJSPropertyEnum](l.start), l.count), nil
}

// name is a property's name, and whether it is one: a symbol is not.
func (m *machine) name(p lib.TJSPropertyEnum) (string, bool) {
	v := lib.XJS_AtomToValue(m.tls, m.ctx, p.Fatom)
	defer lib.XFreeValue(m.tls, m.ctx, v)
	return m.text(v, maxSize)
}

// property is an object's own property. Nothing of the module runs for it, unless
// the object is a Proxy.
func (m *machine) property(object lib.TJSValue, name lib.TJSAtom) (p lib.TJSPropertyDescriptor, ok bool) {
	if n := lib.XJS_GetOwnProperty(m.tls, m.ctx, address(&m.out.property), object, name); n <= 0 {
		if n < 0 {
			m.exception()
		}
		return p, false
	}
	p = m.out.property
	m.hold(p.Fvalue)
	m.hold(p.Fgetter)
	m.hold(p.Fsetter)
	return p, true
}

func (m *machine) prototype(object lib.TJSValue) lib.TJSValue {
	return m.hold(lib.XJS_GetPrototype(m.tls, m.ctx, object))
}

func (m *machine) class(v lib.TJSValue) lib.TJSClassID { return lib.XJS_GetClassID(m.tls, v) }

func isString(v lib.TJSValue) bool {
	return tag(v) == lib.EJS_TAG_STRING || tag(v) == lib.EJS_TAG_STRING_ROPE
}

// text is a string, or its first so many bytes. Half a surrogate pair is no valid
// UTF-8 in it.
func (m *machine) text(v lib.TJSValue, most int) (string, bool) {
	if !isString(v) {
		return "", false
	}
	s := lib.XJS_ToCStringLen2(m.tls, m.ctx, address(&m.out.length), v, 0)
	if s == 0 {
		m.exception()
		return "", false
	}
	defer lib.XJS_FreeCString(m.tls, m.ctx, s)
	return string(unsafe.Slice(at[byte](s), min(int(m.out.length), most))), true
}
