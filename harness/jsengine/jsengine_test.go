package jsengine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plugcheck/validator/literal"
)

// patient are limits for what comes to an end by itself, on any machine, and has
// used up its memory soon.
var patient = Limits{Time: time.Minute, Memory: 12 << 20, Depth: DefaultLimits.Depth}

// TestDataIsWhatItReads has the engine and the reader of literals agree.
func TestDataIsWhatItReads(t *testing.T) {
	for _, value := range []string{
		`{}`,
		`{ a: 1, "b c": [true, false, null, [], {}], 'd': { e: "f" }, }`,
		`{ constructor: "x", toString: 1, __defineGetter__: 2, get: 3, async: 4 }`,
		`{ a: -0, b: 1e21, c: 0x1F, d: 0o17, e: 0b11, f: 1_000, g: .5, h: 5., i: 1e-7, j: 5e-324, k: 1.7976931348623157e308 }`,
		`{ a: "\n\t\r\b\f\v\0\x41\u00e9\u{1F600}\ud83d\ude00\
continued", b: 'it\'s "so"' }`,
		"{ a: `a\r\nb\rc\nd`, b: `$ {x} \\${y}` }",
		"{ é: 1, 𝒳: 2, $_: '\u2028\u2029\ufeff' }",
		"{ a: " + strings.Repeat("[", 63) + strings.Repeat("]", 63) + " }",
	} {
		for _, before := range []string{"", "#!/usr/bin/env node\n", "\ufeff", "\ufeff#!x\n// y\n"} {
			source := []byte(before + "export const manifest = " + value + " // the end")
			read, err := literal.Find(source)
			if err != nil {
				t.Errorf("%s: %v", source, err)
				continue
			}
			if r := Evaluate(source, patient); r.Fault != nil || !r.Manifest.Equal(read.Value) {
				t.Errorf("%s\nreads   %v\nbut is  %v\nor else %v", source, read.Value, r.Manifest, r.Fault)
			}
		}
	}
}

// values draws data, in JSON, which JavaScript takes for what it is but for the one
// name that JavaScript has another use for.
func values() *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(),
		rapid.Float64().AsAny(), rapid.Int32().AsAny())
	return rapid.OneOf(leaf, rapid.SliceOfN(leaf, 0, 5).AsAny(),
		rapid.MapOfN(rapid.String().Filter(func(s string) bool { return s != "__proto__" }),
			rapid.OneOf(leaf, rapid.SliceOfN(leaf, 0, 3).AsAny()), 0, 5).AsAny())
}

func TestDataComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(map[string]any{"it": values().Draw(t, "value")})
		if err != nil {
			t.Fatal(err)
		}
		r := Evaluate(append([]byte("export const manifest = "), text...), patient)
		if r.Fault != nil {
			t.Fatalf("%s: %v", text, r.Fault)
		}
		if want := decoded(t, text); !r.Manifest.Equal(want) {
			t.Fatalf("%s\ncomes back as %v", text, r.Manifest)
		}
	})
}

// decoded is what the library for JSON makes of a text.
func decoded(t *rapid.T, text []byte) literal.Value {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return valueOf(v)
}

func valueOf(v any) literal.Value {
	switch v := v.(type) {
	case bool:
		return literal.Value{Kind: literal.Bool, Bool: v}
	case float64:
		return literal.Value{Kind: literal.Number, Number: v}
	case string:
		return literal.Value{Kind: literal.String, String: v}
	case []any:
		a := literal.Value{Kind: literal.Array}
		for _, item := range v {
			a.Items = append(a.Items, valueOf(item))
		}
		return a
	case map[string]any:
		o := literal.Value{Kind: literal.Object}
		for name, value := range v {
			o.Fields = append(o.Fields, literal.Field{Name: name, Value: valueOf(value)})
		}
		return o
	}
	return literal.Value{}
}

// TestCodeBehindTheManifest has modules that turn the manifest into {a: 2} after it
// was written as {a: 1}, and none that manage to look otherwise.
func TestCodeBehindTheManifest(t *testing.T) {
	for _, code := range []string{
		`manifest.a = 2`,
		`Object.defineProperty(manifest, "a", { value: 2 })`,
		`Object.freeze(Object.assign(manifest, { a: 2 }))`,
		`await 1; manifest.a = 2`,
		`Promise.resolve().then(async () => { await 1; manifest.a = 2 })`,
		`manifest.a = 1 + [1].map(Math.abs).length; import.meta.x = 1`,
		`console.log("hello"); console.error(1); manifest.a = 2`,
		`manifest.a = Date.now() + +new Date() + 2`,
		`manifest.a = +new (class extends Date {})(2)`,
		`manifest.a = Date.parse("1970-01-01T00:00:00.002Z")`,
		`manifest.a = new Date(2) instanceof Date ? new Date(2).constructor === Date ? 2 : 3 : 4`,
		`manifest.a = Date().startsWith("Thu Jan 01 1970") ? 2 : 3`,
		`manifest.a = Math.random() !== Math.random() ? 2 : 3`,
		`manifest.a = typeof fetch + typeof std + typeof os + typeof require + typeof process + typeof performance + typeof setTimeout + typeof Worker === "undefined".repeat(8) ? 2 : 3`,
		`manifest.a = 2; Object.prototype.toString = Array.prototype.map = JSON.stringify = Object.keys = Reflect.ownKeys = Object.getOwnPropertyDescriptor = () => { throw 1 }; globalThis.Object = globalThis.Array = globalThis.Reflect = null`,
		`manifest.a = 2; Array.prototype.last = function () { return this.at(-1) }`,
		`manifest.a = 2; Promise.reject(1)`,
		`manifest.a = 2; try { "x".repeat(2 ** 29) } catch {}`,
		`manifest.a = 2; (function f() { try { f() } catch {} })()`,
		`manifest.a = 2; new FinalizationRegistry(() => { for (;;) {} }).register({}, 1)`,
		`manifest.a = 2; class A { #x = 1; static { A.y = 2 } }; export default A`,
	} {
		r := Evaluate([]byte("export const manifest = { a: 1 };"+code), patient)
		if r.Fault != nil {
			t.Errorf("%s: %v", code, r.Fault)
		} else if want := valueOf(map[string]any{"a": 2.0}); !r.Manifest.Equal(want) {
			t.Errorf("%s: the manifest is %v", code, r.Manifest)
		}
	}
}

// TestTheSameEachTime shows that there is no chance in it.
func TestTheSameEachTime(t *testing.T) {
	source := []byte("export const manifest = { a: Math.random(), b: `${new Date()}` }")
	first := Evaluate(source, patient)
	if second := Evaluate(source, patient); first.Fault != nil || !cmp.Equal(first, second) {
		t.Error(cmp.Diff(first, second), first.Fault)
	}
}

func TestExports(t *testing.T) {
	r := Evaluate([]byte(`
		export const manifest = { get a() { return 1 } }
		export function onRequest() {}
		export const onReplyText = async () => {}
		export let onReplyTextEnd = new Proxy(() => {}, {}), onToolCall
		export class C {}
		export default 1
		export const n = null, s = "x", t = ("x" + Math.random()).padEnd(9), b = false, y = Symbol(), i = 1n, f = 1.5
	`), patient)
	want := []Export{{"C", "function"}, {"b", "boolean"}, {"default", "number"}, {"f", "number"}, {"i", "bigint"},
		{"manifest", "object"}, {"n", "object"}, {"onReplyText", "function"}, {"onReplyTextEnd", "function"},
		{"onRequest", "function"}, {"onToolCall", "undefined"}, {"s", "string"}, {"t", "string"}, {"y", "symbol"}}
	if diff := cmp.Diff(want, r.Exports); diff != "" {
		t.Error(diff)
	}
	if r.Fault == nil || r.Fault.Class != Getter {
		t.Errorf("the fault is %v", r.Fault)
	}
	if a, b := r.Type("onRequest"), r.Type("nothing"); a != "function" || b != "" {
		t.Errorf("the types are %q and %q", a, b)
	}
}

// faulty are modules with their fault: the class, the place and a part of the
// message. They all come to an end by themselves.
var faulty = []struct{ source, class, place, part string }{
	{"export const manifest = { a: 1", Syntax, "1:31", "valid JavaScript"},
	{"/* 🟢 */\r\rlet x\r\n  = 'é' 5", Syntax, "4:9", "expecting ';'"},
	{"export { manifest }", Syntax, "0:0", "manifest"},
	{"export const manifest = {}; export const manifest = {}", Syntax, "1:51", "redefinition"},
	{"export const manifest = {}\x00}", Syntax, "1:27", ""},
	{"export const manifest = '\xff'", Syntax, "0:0", "UTF-8"},
	{"export const manifest = " + strings.Repeat("[", 20000), Recursion, "1:690", "brackets"},

	{"export const manifest = {}\n\n  null.x", Throws, "3:7", "TypeError: cannot read property 'x'"},
	{"let f = () => { throw new RangeError('é\x1b\\u0000') }\nf()", Throws, "1:37", "RangeError: é��"},
	{"throw 'x\\n'", Throws, "0:0", `the string "x�"`},
	{"throw null", Throws, "0:0", "null"},
	{"throw { name: 'N', get message() { for (;;) {} }, stack: 'plugin.js:1' }", Throws, "0:0", "N: "},
	{"throw { stack: 'plugin.js:2000000000:1' }", Throws, "0:0", "object"},
	{"throw { stack: 'plugin.js:1:2000000000' }", Throws, "1:42", "object"},
	{"throw Object.create(new Proxy({}, { get() { for (;;) {} } }))", Throws, "0:0", "object"},
	{"throw new Error('x'.repeat(1e6))", Throws, "1:16", strings.Repeat("x", maxText) + "…"},
	{"await Promise.reject(new Error('later'))", Throws, "1:31", "later"},
	{"export const manifest = { [`a${x}`]: 1 }; let x", Throws, "1:32", "x"},
	{"Object.setPrototypeOf(Object.prototype, { x: 1 })", Throws, "1:22", "immutable"},
	{"Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)", Throws, "1:13", "block"},

	{"import x from 'fs'", Import, "0:0", `"fs"`},
	{"import './plugin.js'", Import, "0:0", `"./plugin.js"`},
	{"import 'plugin.js'", Import, "0:0", `"plugin.js"`},
	{"import x from './x.json' with { type: 'json' }", Import, "0:0", `"./x.json"`},
	{"export * from 'os'", Import, "0:0", `"os"`},
	{"export { x as manifest } from 'std'", Import, "0:0", `"std"`},
	{"export const manifest = {}; import('a').catch(() => {}); import('b').catch(() => {})", Import, "0:0", `"a"`},
	{"export const manifest = {}; eval('import(\"x\")')", Import, "0:0", `"x"`},

	{"function f() { f() }; f()", Recursion, "1:17", "calls"},
	{"let o = { toString() { return '' + o } }; '' + o", Recursion, "1:34", "calls"},
	{"'x'.repeat(2 ** 29)", Memory, "1:11", "memory"},
	{"let s = 'x'; for (;;) s += s", Memory, "1:25", "memory"},
	{"new Uint8Array(2 ** 30)", Memory, "1:15", "memory"},
	{"let a = []; for (;;) a.push(new ArrayBuffer(1e6))", Memory, "1:44", "memory"},
	{"let m = new Map(); for (let i = 0;; i++) m.set(i, i)", Memory, "0:0", "memory"},
	{"export const manifest = {}; await new Promise(() => {})", NotSettled, "0:0", "awaits"},

	{"export const other = {}", NoExport, "0:0", "no manifest"},
	{"export default { manifest: {} }", NoExport, "0:0", "no manifest"},
	{"", NoExport, "0:0", "no manifest"},
	{"export const manifest = { a: [0, { get b() { return 1 } }] }", Getter, "0:0", "manifest.a[1].b is a getter"},
	{"export const manifest = []; Object.defineProperty(manifest, 0, { set(x) {}, enumerable: true })", Getter, "0:0", "manifest[0]"},
	{"export const manifest = new Proxy({}, {})", Proxy, "0:0", "manifest is a Proxy"},
	{"const { proxy, revoke } = Proxy.revocable([], {}); export const manifest = { proxy }; revoke()", Proxy, "0:0", "manifest.proxy"},
	{"export const manifest = { a: new Proxy(() => {}, {}) }", Proxy, "0:0", "manifest.a"},
	{"export const manifest = {}; Object.prototype.on_error = 'skip'", Prototype, "0:0", `"on_error" to Object.prototype`},
	{"export const manifest = {}; delete Object.prototype.__lookupGetter__; Object.defineProperty(Object.prototype, 'on_error', { get() {} })", Prototype, "0:0", "on_error"},
	{"export const manifest = {}; Array.prototype[3] = 1", Prototype, "0:0", "Array.prototype"},
	{"export const manifest = {}; Array.prototype.toJSON = () => 1", Prototype, "0:0", "toJSON"},
	{"export const manifest = {}; Object.setPrototypeOf(Array.prototype, null)", Prototype, "0:0", "inherit"},

	{"export let manifest", NotPlain, "0:0", "manifest is undefined"},
	{"export const manifest = { a: undefined }", NotPlain, "0:0", "undefined"},
	{"export function manifest() {}", NotPlain, "0:0", "function"},
	{"export const manifest = { a: Symbol() }", NotPlain, "0:0", "symbol"},
	{"export const manifest = { a: 1n, b: 2n ** 99n }", NotPlain, "0:0", "BigInt"},
	{"export const manifest = { b: 2n ** 99n }", NotPlain, "0:0", "BigInt"},
	{"export const manifest = { a: NaN }", NotPlain, "0:0", "not finite"},
	{"export const manifest = { a: -1 / 0 }", NotPlain, "0:0", "not finite"},
	{"export const manifest = { a: '\\ud83d' + 'x' }", NotPlain, "0:0", "surrogate"},
	{"export const manifest = { '\\udc00': 1 }", NotPlain, "0:0", "name"},
	{"export const manifest = { [Symbol.iterator]: 1 }", NotPlain, "0:0", "name"},
	{"export const manifest = Object.defineProperty({}, 'a', { value: 1 })", NotPlain, "0:0", "manifest.a is hidden"},
	{"export const manifest = [1, , 3]", NotPlain, "0:0", "holes"},
	{"export const manifest = []; manifest.length = 2 ** 32 - 1", NotPlain, "0:0", "holes"},
	{"export const manifest = [1]; manifest.x = 1", NotPlain, "0:0", "names beside"},
	{"export const manifest = [1]; manifest[Symbol()] = 1", NotPlain, "0:0", "names beside"},
	{"export const manifest = Object.create(null)", NotPlain, "0:0", "prototype"},
	{"export const manifest = { __proto__: { a: 1 } }", NotPlain, "0:0", "prototype"},
	{"export const manifest = new (class { a = 1 })", NotPlain, "0:0", "prototype"},
	{"export const manifest = new (class extends Array {})", NotPlain, "0:0", "prototype"},
	{"export const manifest = Object.setPrototypeOf([], null)", NotPlain, "0:0", "prototype"},
	{"export const manifest = new Date(0)", NotPlain, "0:0", "class"},
	{"export const manifest = new String('x')", NotPlain, "0:0", "class"},
	{"export const manifest = (function () { return arguments })(1)", NotPlain, "0:0", "class"},
	{"export const manifest = Object.setPrototypeOf(new Map(), Object.prototype)", NotPlain, "0:0", "class"},
	{"export const manifest = { a: { b: [] } }; manifest.a.b.push(manifest.a)", NotPlain, "0:0", "manifest.a.b[0] is an object that contains itself"},
	{"let a = []; for (let i = 0; i < 64; i++) a = [a]; export { a as manifest }", NotPlain, "0:0", "64 levels"},
	{"let a = 'x'; for (let i = 0; i < 40; i++) a = [a, a]; export { a as manifest }", Memory, "0:0", "4 MiB"},
	{"export const manifest = 'x'.repeat(5e6)", Memory, "0:0", "4 MiB"},
	{"export const manifest = { ['x'.repeat(5e6)]: 1 }", Memory, "0:0", "4 MiB"},
	{"export const manifest = new Array(1e5).fill(0)", Memory, "0:0", "4 MiB"},
}

func TestFaults(t *testing.T) {
	for _, test := range faulty {
		if raced && test.class == Memory {
			continue
		}
		f := Evaluate([]byte(test.source), patient).Fault
		if f == nil {
			f = &Fault{}
		}
		place := fmt.Sprintf("%d:%d", f.Line, f.Column)
		if f.Class != test.class || place != test.place || !strings.Contains(f.Message, test.part) {
			t.Errorf("%.200s\nhas the fault %q at %s: %q\nnot           %q at %s: … %.50q …",
				test.source, f.Class, place, f.Message, test.class, test.place, test.part)
		}
	}
}

func TestLargeFiles(t *testing.T) {
	if raced {
		t.Skip(slow)
	}
	head := "export const manifest = {}\n//"
	if r := Evaluate([]byte(head+strings.Repeat("x", maxSource-len(head))), patient); r.Fault != nil {
		t.Error(r.Fault)
	}
	if r := Evaluate(make([]byte, maxSource+1), patient); r.Fault == nil || r.Fault.Class != Memory {
		t.Error(r.Fault)
	}
}

// TestScrambledModules has the engine survive whatever comes.
func TestScrambledModules(t *testing.T) {
	words := rapid.SampledFrom(strings.Fields("export const let manifest = { } [ ] ( ) ; , . ... => : ? a 'b' `c` ${ 1 1n null " +
		"async await function* class extends get set new Proxy Object.prototype Symbol() throw yield /x/g delete typeof in of for import with try catch finally"))
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOf(words).Draw(t, "words"), " ")
		if rapid.Bool().Draw(t, "a manifest first") {
			source = "export const manifest = {};" + source
		}
		r := Evaluate([]byte(source), Limits{Time: 50 * time.Millisecond, Memory: patient.Memory, Depth: patient.Depth})
		if (r.Fault == nil) != (r.Manifest != nil) || r.Fault != nil && r.Fault.Class == Crash {
			t.Fatalf("%s: %v, %v", source, r.Manifest, r.Fault)
		}
	})
}
