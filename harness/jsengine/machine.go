package jsengine

import (
	"time"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// A machine is an engine for one module. It asks the engine about values from below
// the language, where nothing that a script has put in place of the language's own
// functions can lie to it.
type machine struct {
	tls     *libc.TLS
	rt, ctx uintptr
	source  []byte
	// What to give back at the end.
	values []lib.TJSValue
	lists  []list
	// The prototypes of objects and arrays.
	object, array lib.TJSValue

	deadline time.Time
	late     bool // it was stopped at the deadline
	refused  bool // it was refused memory
	asked    bool // it asked for another module
	imported string

	// The engine knows these by address only, so they have to live as long as it.
	interrupt func(tls *libc.TLS, rt, opaque uintptr) int32
	resolve   func(tls *libc.TLS, ctx, base, name, opaque uintptr) uintptr
	malloc    func(tls *libc.TLS, state uintptr, size lib.Tsize_t) uintptr
	realloc   func(tls *libc.TLS, state, block uintptr, size lib.Tsize_t) uintptr
	out       *answers
}

// answers is where the engine puts what it cannot return, in memory of its own kind.
type answers struct {
	length   lib.Tsize_t
	list     list
	number   float64
	property lib.TJSPropertyDescriptor
}

// file is what the module is called in the engine's messages.
const file = "plugin.js"

// surroundings are what a plugin finds. It has no clock: to it, it is always the
// start of 1970. Dates can be reckoned with nevertheless. What it logs is heard by
// nobody: no document says whether a host has a console, and a line that is
// logged is no reason not to load.
const surroundings = `{
	globalThis.console = Object.fromEntries(["debug", "error", "info", "log", "trace", "warn"].map((name) => [name, () => {}]))
	const real = Date, { construct } = Reflect
	real.now = () => 0
	globalThis.Date = new Proxy(real, {
		construct: (date, args, target) => construct(date, args.length ? args : [0], target),
		apply: () => new real(0).toString(),
	})
	real.prototype.constructor = Date
}`

func newMachine(source []byte, l Limits) *machine {
	tls := libc.NewTLS()
	m := &machine{tls: tls, rt: lib.XJS_NewRuntime(tls), source: source, deadline: time.Now().Add(l.Time)}
	m.out = at[answers](libc.Xcalloc(tls, 1, lib.Tsize_t(unsafe.Sizeof(answers{}))))
	m.limit(l)
	m.refuseImports()
	if m.ctx = lib.XJS_NewContext(tls, m.rt); m.ctx == 0 {
		panic("there is not enough memory for it")
	}
	at[lib.TJSContext](m.ctx).Frandom_state = 1 // or it would be the time
	m.hold(m.compile(surroundings, lib.MJS_EVAL_TYPE_GLOBAL))
	m.object = m.hold(lib.XJS_GetClassProto(tls, m.ctx, lib.EJS_CLASS_OBJECT))
	m.array = m.hold(lib.XJS_GetClassProto(tls, m.ctx, lib.EJS_CLASS_ARRAY))
	return m
}

// at is what stands at an address of the engine's, and address is the way back. A
// function has the address that the variable holds.
func at[T any](p uintptr) *T              { return *(**T)(unsafe.Pointer(&p)) }
func address[T any](p *T) uintptr         { return uintptr(unsafe.Pointer(p)) }
func functionAt[F any](p uintptr) F       { return *(*F)(unsafe.Pointer(&p)) }
func functionAddress[F any](f *F) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// objectAddress is where an object, or a module, is.
func objectAddress(v lib.TJSValue) uintptr { return *(*uintptr)(unsafe.Pointer(&v)) }

func same(v, w lib.TJSValue) bool { return tag(v) == tag(w) && objectAddress(v) == objectAddress(w) }

func isException(v lib.TJSValue) bool { return tag(v) == lib.EJS_TAG_EXCEPTION }

func (m *machine) limit(l Limits) {
	lib.XJS_SetMaxStackSize(m.tls, m.rt, lib.Tsize_t(l.Depth))
	lib.XJS_SetMemoryLimit(m.tls, m.rt, lib.Tsize_t(l.Memory))
	m.interrupt = func(*libc.TLS, uintptr, uintptr) int32 {
		if m.overdue() {
			return 1
		}
		return 0
	}
	lib.XJS_SetInterruptHandler(m.tls, m.rt, functionAddress(&m.interrupt), 0)
	// When there is no memory left, there can be none for an exception that says
	// so; the engine throws null then.
	heap := &at[lib.TJSRuntime](m.rt).Fmalloc_ctx.Fmf
	malloc := functionAt[func(*libc.TLS, uintptr, lib.Tsize_t) uintptr](heap.Fjs_malloc)
	realloc := functionAt[func(*libc.TLS, uintptr, uintptr, lib.Tsize_t) uintptr](heap.Fjs_realloc)
	m.malloc = func(tls *libc.TLS, state uintptr, size lib.Tsize_t) uintptr {
		block := malloc(tls, state, size)
		m.refused = m.refused || block == 0
		return block
	}
	m.realloc = func(tls *libc.TLS, state, block uintptr, size lib.Tsize_t) uintptr {
		block = realloc(tls, state, block, size)
		m.refused = m.refused || block == 0 && size > 0
		return block
	}
	heap.Fjs_malloc, heap.Fjs_realloc = functionAddress(&m.malloc), functionAddress(&m.realloc)
}

func (m *machine) overdue() bool {
	m.late = m.late || time.Now().After(m.deadline)
	return m.late
}

// refuseImports notes the first module that is asked for. Nothing is there to load
// it, so that the engine refuses it after that.
func (m *machine) refuseImports() {
	m.resolve = func(tls *libc.TLS, ctx, _, name, _ uintptr) uintptr {
		if !m.asked {
			m.asked, m.imported = true, libc.GoString(name)
		}
		return lib.Xjs_strdup(tls, ctx, name)
	}
	lib.XJS_SetModuleLoaderFunc(m.tls, m.rt, functionAddress(&m.resolve), 0, 0)
}

// used is the size of the engine's heap.
func (m *machine) used() int {
	return int(at[lib.TJSRuntime](m.rt).Fmalloc_ctx.Fmalloc_state.Fmalloc_size)
}

func (m *machine) close() {
	for _, l := range m.lists {
		lib.XJS_FreePropertyEnum(m.tls, m.ctx, l.start, l.count)
	}
	for _, v := range m.values {
		lib.XFreeValue(m.tls, m.ctx, v)
	}
	lib.XJS_FreeContext(m.tls, m.ctx)
	lib.XJS_FreeRuntime(m.tls, m.rt)
	libc.Xfree(m.tls, address(m.out))
	m.tls.Close()
}

// hold has a value given back at the end.
func (m *machine) hold(v lib.TJSValue) lib.TJSValue {
	m.values = append(m.values, v)
	return v
}

// exception takes what was thrown last.
func (m *machine) exception() lib.TJSValue {
	return m.hold(lib.XJS_GetException(m.tls, m.ctx))
}

// compile returns a module, or the value of a script.
func (m *machine) compile(source string, flags int32) lib.TJSValue {
	name, err := libc.CString(file)
	if err != nil {
		panic(err)
	}
	defer libc.Xfree(m.tls, name)
	text, err := libc.CString(source)
	if err != nil {
		panic(err)
	}
	defer libc.Xfree(m.tls, text)
	return lib.XJS_Eval(m.tls, m.ctx, text, lib.Tsize_t(len(source)), name, flags)
}

// toRead is the memory for asking the engine about values, in bytes, however much
// the module has used up.
const toRead = 8 << 20

// load runs the module until nothing of it is left to run, and reads what it exports.
func (m *machine) load() Result {
	before := m.inherited()
	module := m.compile(string(m.source), lib.MJS_EVAL_TYPE_MODULE|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	if isException(module) {
		return Result{Fault: m.thrown(m.exception(), Syntax)}
	}
	promise := m.hold(lib.XJS_EvalFunction(m.tls, m.ctx, module))
	if isException(promise) {
		return Result{Fault: m.thrown(m.exception(), Syntax)}
	}
	m.settle()
	lib.XJS_SetMemoryLimit(m.tls, m.rt, lib.Tsize_t(m.used()+toRead))
	reason := m.hold(lib.XJS_PromiseResult(m.tls, m.ctx, promise))
	switch state := lib.XJS_PromiseState(m.tls, m.ctx, promise); {
	case m.late || m.asked || state == lib.EJS_PROMISE_REJECTED:
		return Result{Fault: m.thrown(reason, Throws)}
	case state == lib.EJS_PROMISE_PENDING:
		return failed(NotSettled, "the module never gets ready: it awaits what does not come")
	}
	return m.read(m.hold(lib.XJS_GetModuleNamespace(m.tls, m.ctx, objectAddress(module))), before)
}

// settle does what the module has put off, and what that puts off.
func (m *machine) settle() {
	for !m.overdue() {
		switch n := lib.XJS_ExecutePendingJob(m.tls, m.rt, 0); {
		case n == 0:
			return
		case n < 0:
			m.exception() // nobody is there to catch it
		}
	}
}
