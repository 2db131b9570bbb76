package literal

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValues(t *testing.T) {
	for text, want := range map[string]Value{
		`{}`:                           obj(),
		`{a:1}`:                        obj("a", num(1)),
		"{ a : 1 , }":                  obj("a", num(1)),
		`[]`:                           arr(),
		`[1, [2,], {},]`:               arr(num(1), arr(num(2)), obj()),
		`true`:                         yes(),
		`false`:                        {Kind: Bool},
		`null`:                         null(),
		`/**/[//]` + "\n1/*]*/\u2028]": arr(num(1)),

		// keys
		`{ if: 1, true: 2, get: 3, async: 4, static: 5 }`:          obj("if", num(1), "true", num(2), "get", num(3), "async", num(4), "static", num(5)),
		"{ $: 1, _: 2, é: 3, 𝒳: 4, a\u0301: 5, a\u200d: 6, ℘: 7 }": obj("$", num(1), "_", num(2), "é", num(3), "𝒳", num(4), "a\u0301", num(5), "a\u200d", num(6), "℘", num(7)),
		`{ "": 1, 'a b': 2, "1": 3, "\u0061": 4, 'it\'s': 5 }`:     obj("", num(1), "a b", num(2), "1", num(3), "a", num(4), "it's", num(5)),
		`{ constructor: 'x', toString: 1, hasOwnProperty: 2 }`:     obj("constructor", str("x"), "toString", num(1), "hasOwnProperty", num(2)),
		`{ a: 'How } works', b: "{{" }`:                            obj("a", str("How } works"), "b", str("{{")),
		`{ empty: '', home: 'https://x.test/a//b', u: "//c" }`:     obj("empty", str(""), "home", str("https://x.test/a//b"), "u", str("//c")),
		`{ __proto: 1, proto__: 2, "__PROTO__": 3 }`:               obj("__proto", num(1), "proto__", num(2), "__PROTO__", num(3)),

		// strings
		`"a'b` + "`" + `$ {}"`:           str("a'b`$ {}"),
		`'a"b'`:                          str(`a"b`),
		`"\n\t\r\b\f\v\0"`:               str("\n\t\r\b\f\v\x00"),
		`"\'\"\\\` + "`" + `\/\a\q\é\🟢"`: str("'\"\\`/aqé🟢"),
		`"\x41\xe9\u00E9\u{e9}\u{1F600}\u{000041}\u{10ffff}"`: str("Aééé😀A\U0010ffff"),
		`"\ud83d\ude00 \u{D83D}\u{DE00} \uD83D\u{de00}"`:      str("😀 😀 😀"),
		"'\\ud83d\\\n\\ude00'":                                str("😀"),
		"'a\\\nb\\\r\nc\\\rd\\\u2028e\\\u2029f'":              str("abcdef"),
		"'\u2028\u2029\x00\x7f\ufeff'":                        str("\u2028\u2029\x00\x7f\ufeff"),
		`"\0a\0"`:                                             str("\x00a\x00"),

		// templates
		"``":                           str(""),
		"`a'\"$ $$ {} \\`\\${}`":       str("a'\"$ $$ {} `${}"),
		"`a\nb\r\nc\rd\r\re`":          str("a\nb\nc\nd\n\ne"),
		"`a\\\nb\\\r\nc\\r\\u{1F600}`": str("abc\r😀"),
		"`\\ud83d\\\r\n\\ude00`":       str("😀"),

		// numbers
		`0`: num(0), `-0`: num(math.Copysign(0, -1)), `12.50`: num(12.5), `.5`: num(.5), `5.`: num(5), `5.e1`: num(50), `-.5`: num(-.5),
		"- /**/\n1": num(-1), `1e3`: num(1000), `1E+3`: num(1000), `25e-1`: num(2.5), `0e0`: num(0), `0.0`: num(0),
		`0x1F`: num(31), `0XfF`: num(255), `0o17`: num(15), `0O7`: num(7), `0b101`: num(5), `0B1`: num(1), `-0x10`: num(-16),
		`1_000.000_1e1_0`: num(1000.0001e10), `0xf_f`: num(255), `0b1_0`: num(2), `0o1_7`: num(15),
		`9007199254740993`:                        num(9007199254740992),
		`0x20000000000003`:                        num(9007199254740996),
		`0x20000000000001`:                        num(9007199254740992),
		`1.7976931348623157e308`:                  num(math.MaxFloat64),
		`5e-324`:                                  num(5e-324),
		`1e-999`:                                  num(0),
		`0x` + strings.Repeat("0", 2000) + `1`:    num(1),
		`0x1` + strings.Repeat("0", 255):          num(math.Ldexp(1, 1020)),
		`0b1` + strings.Repeat("0", 1023):         num(math.Ldexp(1, 1023)),
		`1` + strings.Repeat("0", 308):            num(1e308),
		`0.` + strings.Repeat("0", 400) + `1e401`: num(1),
		"[1\u00a0,2\ufeff]":                       arr(num(1), num(2)),
	} {
		source := "export const manifest = { v: " + text + " }"
		m, err := Find([]byte(source))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(obj("v", want), m.Value); diff != "" || m.End != len(source) {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestDepth(t *testing.T) {
	deepest := strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1)
	if _, err := Find([]byte("export const manifest = {a:" + deepest + ",b:" + deepest + "}")); err != nil {
		t.Error(err)
	}
	source, at := marked(t, "export const manifest = {a:"+strings.Repeat("[", maxDepth-1)+"⟦{")
	wantError(t, source, NotDataAt, "too-deep", at)
}

// notData holds every construct that is no data, by its class. The mark stands
// where the error has to be.
var notData = map[string][]string{
	"variable": {
		"{ a: ⟦x }", "{ a: [1, ⟦x.y] }", "{ a: ⟦x?.y.if }", "{ a: ⟦x[0] }", "{ a: ⟦this }", "{ a: ⟦async }", "{ a: ⟦é, }", "{ a: ⟦of }", "{ a: ⟦x", "{ a: ⟦x /*",
	},
	"call": {"{ a: ⟦f() }", "{ a: ⟦Object.freeze({}) }", "{ a: ⟦x /**/ . y\n?.z (1) }", "{ a: 'x' ⟦('y') }", "{ a: ⟦import('x') }", "{ a: ⟦async(1) }", "{ a: ⟦f?.() }"},
	"expression": {
		"{ a: 1 ⟦+ 2 }", "{ a: 'x' ⟦+ y }", "{ a: ⟦x + 1 }", "{ a: ⟦+1 }", "{ a: ⟦!0 }", "{ a: ⟦~1 }", "{ a: ⟦-x }", "{ a: ⟦- -1 }", "{ a: ⟦-'1' }", "{ a: ⟦--x }",
		"{ a: 1 ⟦? 2 : 3 }", "{ a: ⟦x ? 2 : 3 }", "{ a: ⟦x ?? 1 }", "{ a: ⟦x = 1 }", "{ a: 1 ⟦/ 2 }", "{ a: [1 ⟦** 2] }", "{ a: 1 ⟦in x }", "{ a: {} ⟦instanceof X }",
		"{ a: ⟦typeof x }", "{ a: ⟦void 0 }", "{ a: ⟦delete x }", "{ a: ⟦await x }", "{ a: ⟦yield }", "{ a: 1 ⟦== 1 }", "{ a: 1 ⟦!== 2 }", "{ a: 1 ⟦&& 2 }", "{ a: 'x'⟦.length }",
		"{ a: 'x' ⟦[0] }", "{ a: []⟦?.[0] }", "{ a: 1.⟦.toString() }", "{ a: ⟦x++ }", "{ a: true ⟦| 1 }", "{ a: ⟦x\n+ 1 }",
	},
	"parentheses":    {"{ a: ⟦(1) }", "{ a: [⟦('x')] }", "{ a: ⟦({ b: ')' }) }", "{ a: ⟦("},
	"spread":         {"{ ⟦...b, a: 1 }", "{ a: [⟦...b] }", "{ a: ⟦...b }", "{ a: 1, ⟦...{} }"},
	"computed-key":   {"{ ⟦[k]: 1 }", "{ a: 1, ⟦['b']: 2 }", `{ ⟦["__proto__"]: {} }`, "{ ⟦[k]() {} }"},
	"method":         {"{ ⟦a() {} }", "{ ⟦'a b'() {} }", "{ ⟦get() {} }", "{ ⟦async /**/ () {} }", "{ ⟦if(x) {} }"},
	"getter":         {"{ ⟦get a() { return 1 } }", "{ ⟦get 'a'() {} }", "{ ⟦get [a]() {} }", "{ ⟦get 1() {} }"},
	"setter":         {"{ ⟦set a(x) {} }", "{ b: 1, ⟦set\nif(x) {} }"},
	"async":          {"{ ⟦async a() {} }", "{ ⟦async *a() {} }", "{ a: ⟦async function () {} }", "{ a: ⟦async x => x }", "{ a: ⟦async (x, y = ')') => x }"},
	"generator":      {"{ ⟦*a() {} }"},
	"shorthand":      {"{ ⟦a }", "{ a: 1, ⟦b, c: 2 }", "{ ⟦a = 1 }", "{ ⟦async }", "{ a: { ⟦true } }"},
	"regexp":         {"{ a: ⟦/}/ }", "{ a: [⟦/[/]/g] }"},
	"function":       {"{ a: ⟦function () {} }", "{ a: ⟦function* f() {} }"},
	"arrow-function": {"{ a: ⟦() => 1 }", "{ a: ⟦x => x }", "{ a: [⟦({ b }, [c] = ')', ...d) /**/ => {}] }"},
	"class":          {"{ a: ⟦class {} }", "{ a: ⟦class A extends B {} }"},
	"new":            {"{ a: ⟦new Date() }", "{ a: ⟦new.target }"},
	"bigint":         {"{ a: ⟦1n }", "{ a: ⟦0n }", "{ a: ⟦0x1Fn }", "{ a: -⟦1n }", "{ a: ⟦1_000n }"},
	"undefined":      {"{ a: ⟦undefined }", "{ a: [1, ⟦undefined] }"},
	"nan":            {"{ a: ⟦NaN }"},
	"infinity":       {"{ a: ⟦Infinity }", "{ a: ⟦-Infinity }", "{ a: ⟦- /**/ Infinity }"},
	"hole":           {"{ a: [⟦,] }", "{ a: [1, ⟦, 2] }", "{ a: [1,⟦,] }"},
	"proto":          {"{ ⟦__proto__: { admin: true }, a: 1 }", "{ ⟦'__proto__': 1 }", `{ a: { ⟦"\x5f_proto__": null } }`},
	"numeric-key":    {"{ ⟦1: 1 }", "{ a: 1, ⟦0x1: 1 }", "{ ⟦.5: 1 }", "{ ⟦1n: 1 }"},
	"escape-in-name": {`{ ⟦\u0061: 1 }`, `{ a⟦\u{62}: 1 }`, `{ a: tru⟦\u0065 }`, `{ a: ⟦\u0061 }`},
	"repeated-key":   {"{ a: 1, ⟦a: 1 }", "{ 'a': 1, b: 2, ⟦a: 3 }", `{ a: { b: 1, ⟦"\x62": 1 } }`},
	"octal-escape":   {`{ a: '⟦\1' }`, `{ a: "x⟦\08" }`, `{ a: '⟦\8' }`, `{ a: '⟦\9' }`, "{ a: `⟦\\1` }", "{ a: `⟦\\00` }", `{ '⟦\7': 1 }`},
	"leading-zero":   {"{ a: ⟦010 }", "{ a: ⟦09 }", "{ a: ⟦08.5 }", "{ a: -⟦00 }", "{ a: ⟦010n }"},
	"bad-number": {
		"{ a: ⟦1__0 }", "{ a: ⟦1_ }", "{ a: ⟦0_1 }", "{ a: ⟦1_.5 }", "{ a: ⟦1._5 }", "{ a: ⟦1e_5 }", "{ a: ⟦1e5_ }", "{ a: ⟦0x_1 }", "{ a: ⟦0x1_ }", "{ a: ⟦0x }", "{ a: ⟦0b2 }", "{ a: ⟦0b12 }", "{ a: ⟦0o8 }", "{ a: ⟦0xg }",
		"{ a: ⟦1e }", "{ a: ⟦1e+ }", "{ a: ⟦3in }", "{ a: ⟦1px }", "{ a: ⟦1é }", `{ a: ⟦1\u0061 }`, "{ a: ⟦1.5n }", "{ a: ⟦.5n }", "{ a: ⟦1e3n }",
	},
	"not-finite":            {"{ a: ⟦1e999 }", "{ a: -⟦1e309 }", "{ a: ⟦1" + strings.Repeat("0", 309) + " }", "{ a: ⟦0x1" + strings.Repeat("0", 256) + " }", "{ a: ⟦0b" + strings.Repeat("1", 1024) + " }"},
	"lone-surrogate":        {`{ a: '⟦\ud83d' }`, `{ a: '⟦\uDE00' }`, `{ a: '⟦\ud83dx\ude00' }`, `{ a: '⟦\ud83d\n' }`, `{ a: '⟦\ud83d\ud83d\ude00' }`, `{ a: '\ud83d\ude00⟦\ude00' }`, "{ a: `⟦\\u{d83d}` }", `{ a: '⟦\ud83d\q' }`},
	"template-substitution": {"{ a: `⟦${1}` }", "{ a: `x\n\t⟦${y} z` }", "{ a: `\\${⟦${` }"},
	"tagged-template":       {"{ a: ⟦f`x` }", "{ a: ⟦String.raw`x` }", "{ a: 'x' ⟦`y` }"},
	"line-break-in-string":  {"{ a: 'x⟦\ny' }", "{ a: \"x⟦\r\ny\" }", "{ 'x⟦\n': 1 }"},
	"bad-escape":            {`{ a: '⟦\xZ' }`, `{ a: 'a⟦\x4' }`, `{ a: '⟦\u12' }`, `{ a: '⟦\u{}' }`, `{ a: '⟦\u{110000}' }`, `{ a: '⟦\u{fffffffffff}' }`, `{ a: '⟦\u{1' }`, `{ a: '⟦\u{ 1}' }`, "{ a: `⟦\\u{g}` }"},
	"not-utf8":              {"{ a: 'x⟦\xff' }", "{ a: `é⟦\xc3` }", "{ /* ⟦\xe2\x80 */ }", "{ a: 1 // ⟦\xfe\n }", "{ a⟦\xff: 1 }", "{ a: '\xe2\x80\xa8⟦\xe2\x80' }", "{ a: '\\n⟦\xed\xa0\x80' }"},
	"unterminated-string":   {"{ a: ⟦'x }", "{ a: ⟦\"x\\\" }", "{ ⟦'a: 1 }", "{ a: ⟦'\\"},
	"unterminated-template": {"{ a: ⟦`x }", "{ a: ⟦`x\\` }", "{ a: ⟦`\\"},
	"unterminated-comment":  {"{ ⟦/* }", "{ a ⟦/*: 1 }", "{ a: ⟦/* 1 }", "{ a: 1 ⟦/* }", "{ a: [⟦/*/ ] }", "{ a: - ⟦/* 1 }"},
	"unterminated":          {"⟦{", "⟦{ a", "⟦{ a:", "⟦{ a: 1", "⟦{ a: 1, // }", "{ a: ⟦[", "{ a: ⟦[1, 2"},
	"missing-comma":         {"{ a: 1 ⟦b: 2 }", "{ a: 'x'\n⟦'b': 2 }", "{ a: [1 ⟦2] }", "{ a: [{}\n⟦{}] }", "{ a: 1⟦; b: 2 }", "{ a: [1⟦: 2] }", "{ a: [1⟦} }", "{ a: 1⟦) }", "{ a: 1\n⟦as number }"},
	"missing-colon":         {"{ ⟦a 1 }", "{ ⟦'a' }", "{ ⟦'a', b: 1 }", "{ ⟦a; b }", "{ ⟦a b: 1 }", "{ ⟦'get' a() {} }"},
	"no-key":                {"{ ⟦, }", "{ a: 1, ⟦, }", "{ ⟦`a`: 1 }", "{ ⟦-1: 1 }", "{ ⟦(a): 1 }", "{ ⟦@a b }", "{ ⟦] }"},
	"no-value":              {"{ a: ⟦, }", "{ a: ⟦} }", "{ a: ⟦: }", "{ a: [1, ⟦}] }", "{ a: ⟦<b/> }", "{ a: ⟦@ }", "{ a: ⟦\x00 }", "{ a: ⟦=> }"},
	"private-name":          {"{ ⟦#a: 1 }", "{ a: ⟦#a }", "{ a: ⟦#a in b }"},
	"character":             {"{ ⟦🟢: 1 }", "{ a⟦€: 1 }", "{ a: ⟦… }", "{ ⟦\u0301a: 1 }", "{ ⟦\u2e2f: 1 }"},
	"typescript":            {"{ a: 1 ⟦as number }", "{ a: ['x' ⟦satisfies string] }"},
}

func TestNotData(t *testing.T) {
	for _, class := range slices.Sorted(maps.Keys(notData)) {
		for _, text := range notData[class] {
			for _, before := range []string{"", "\ufeff", "a\r\nb\rc\n\t", "/* 🟢é\u2028 */ ", "x = `${'}'}`\n\n"} {
				source, at := marked(t, before+"export const manifest = "+text)
				wantError(t, source, NotDataAt, class, at)
			}
		}
	}
}

// Every class that can come is in one of the tables.
func TestEveryClassIsTested(t *testing.T) {
	elsewhere := []string{
		"too-deep", "not-found", "twice", "not-object", "not-const", "not-exported", "export-list", "export-default", "nested", "no-equals",
		"bracket", "unterminated-regexp",
	}
	for class := range messages {
		if notData[class] == nil && !slices.Contains(elsewhere, class) {
			t.Errorf("nothing is of class %s", class)
		}
	}
}
