package rename_test

import (
	"strings"
	"testing"

	"plugcheck/harness/plugintest/rename"
)

// In each program all occurrences of one symbol are marked, and no others of
// its name. Asked at any of them, exactly these are renamed.
var symbols = []struct{ name, path, source string }{
	{"python global", "a.py", "«x» = 1\ndef f(x: «x» = «x») -> «x»:\n    x = 2\ndef g():\n    global «x»\n    «x» = 3\nprint(f'x {«x»!r:>{«x»}} {{x}}', 'x')\n"},
	{"python nonlocal", "a.py", "def f():\n    def g():\n        nonlocal «n»\n        «n» += 1\n    «n» = 0\n    return g, [n for n in «n»]\nn = f(n=1)\n"},
	{"python comprehension", "a.py", "x = [1]\ny = [«x» + 1 for «x» in x if «x»] + x\n"},
	{"python parameter and its argument", "a.py", "def f(«size», n=1):\n    return lambda size: size, «size»\nf(«size»=1, n=f(2, «size»=3))\ng(size=1)\nsize = 2\n"},
	{"python constructor", "a.py", "class C:\n    def __init__(self, «size»):\n        self.size = «size»\nC(«size»=1).size\n"},
	{"python method", "a.py", "import os\nclass C:\n    def «run»(self):\n        run = 1\n        return self.«run»() + run\ndef f(c):\n    return c.«run»() + os.run() + C.«run»\n"},
	{"python class scope", "a.py", "x = 1\nclass C:\n    «x» = 2\n    y = «x»\n    def f(self):\n        return x + self.«x»\n"},
	{"python targets", "a.py", "import b\n«x» = b.x = c[«x»] = 1\nwith open(1) as («x», y), z as b.x: pass\ntry: pass\nexcept E as «x»: print(«x»)\nfor y, [«x», *z] in a: del «x»\nx2: «x» = 1; «x» += 1\nif (y := «x»): pass\n"},
	{"python match", "a.py", "match p:\n    case Point(x=«x», y=0) if «x»: print(«x», p.x)\n    case {'x': «x», **z} | [«x», *_]: pass\n"},
	{"python one line", "a.py", "def f(x): y = x; return y\n«y» = 2\nif «y»: «y» = 3\n"},
	{"python byte order mark and tabs", "a.py", "\uFEFFdef f():\r\n\tif 1:\r\n\t\t«é» = 1\r\n        \r\n\treturn «é»\r\né = 2"},

	{"go short declarations", "a.go", "package a\nfunc f(x int) int {\n\tif «x» := x + 1; «x» > 0 {\n\t\treturn «x»\n\t} else {\n\t\t«x» = 2\n\t\tx := «x»\n\t\t_ = x\n\t}\n\treturn x\n}\n"},
	{"go assigned again", "a.go", "package a\nfunc f() {\n\t«a», err := g()\n\tb, «a» := h(«a»)\n\tfor a := range «a» {\n\t\t_ = a\n\t}\n\t{\n\t\ta := «a»\n\t\t_ = a\n\t}\n}\n"},
	{"go cases", "a.go", "package a\nfunc f(v any) {\n\tswitch x := v.(type) {\n\tcase int:\n\t\ty := x\n\t\t_ = y\n\tcase string:\n\t\t«y» := x + \"y\"\n\t\t_ = «y»\n\tdefault:\n\t}\n\tselect {\n\tcase y, ok := <-c:\n\t\t_ = y\n\t}\n}\n"},
	{"go fields and keys", "a.go", "package a\ntype P struct {\n\tname, other string\n\tq struct{ name int }\n}\nfunc f(«name» string) any {\n\tm := map[string]P{«name»: {name: «name»}}\n\treturn []P{{name: «name»}, P{name: m[«name»].name}}\n}\n"},
	{"go closures and results", "a.go", "package a\nfunc f(cb func(n int) int) («n» int, err error) {\n\tg := func(n int) int { return n }\n\tdefer func() { «n»++ }()\n\tif «n» = cb(g(«n»)); «n» > 1 {\n\t\tgoto n\n\t}\nn:\n\treturn\n}\n"},
	{"go parameter types", "a.go", "package a\nimport \"net/url\"\nfunc f(«url» url.URL) string { return «url».Path }\n"},
	{"go generic function", "a.go", "package a\nfunc «Map»[T, U any](s []T, f func(T) U) []U { return nil }\nvar x = «Map»[int, int](nil, nil)\nvar y = p.Map\n"},
	{"go method", "a.go", "package a\nimport \"strings\"\ntype S[T any] struct{ Len int }\nfunc (s *S[T]) «Join»(a ...T) string { return strings.Join(nil, s.«Join»()) }\n"},
	{"go runes and raw strings", "a.go", "package a\nvar «q» = '\\'' + '\"' // q\nvar r = `q \" ` + \"q\" /* q */ + «q»\n"},

	{"rust bound again", "a.rs", "fn f(n: i32) -> i32 {\n    let n = n + 1;\n    let «n» = { let n = n * 2; n };\n    if let Some(n) = g(«n») { n } else { «n» }\n}\n"},
	{"rust match", "a.rs", "fn f(n: Option<i32>) -> i32 {\n    match n {\n        Some(n) if n > 1 => n,\n        Some(«n») | Other { x: «n» } => { «n» }\n        None => n,\n    }\n}\n"},
	{"rust closures", "a.rs", "fn f(a: i32) -> i32 {\n    let add = |«a»: i32, b: i32| «a» + b;\n    let or = a | b | |a| a;\n    xs.map(|a| a + 1).fold(0, move |b, a| { a | b }) + add(a, 2)\n}\n"},
	{"rust captured names", "a.rs", "fn f(«name»: &str) {\n    println!(\"{«name»:>4} {{name}} name {}\", \"name {name}\");\n    write!(out, \"{:«name»$} {«name»:?}\", «name»);\n}\n"},
	{"rust shorthand fields", "a.rs", "struct P { x: i32 }\nfn f(x: i32) -> P {\n    let P { x: «y» } = P { x };\n    g(P { x: «y», ..p }).x + «y»\n}\n"},
	{"rust modules", "a.rs", "mod util {\n    pub fn «go»() {}\n    fn g() { «go»(); self::«go»(); other::go(); }\n}\nfn f() { util::«go»(); go!(); x.go() }\n"},
	{"rust type and lifetimes", "a.rs", "struct «a»<'a>(&'a str);\nimpl<'a> «a»<'a> { fn f(x: «a»<'a>) -> char { 'a' } }\n// a\n/* a /* a */ a */\n"},
	{"rust method", "a.rs", "impl S {\n    fn «size»(&self) -> usize { let size = self.«size»(); Self::«size»(self) + S::«size»(self) + Other::size() + size }\n}\n"},
	{"rust raw strings", "a.rs", "static «s»: &str = r##\"s \"# s\"##;\nfn f(c: char) -> bool { c == '\"' && «s» == b's' && r#try == s!(1) }\n"},
	{"rust generic bounds", "a.rs", "fn f<F: Fn(i32) -> i32, T>(«g»: F, h: T) -> i32 where T: Into<i32> { «g»(h.into().g) }\n"},

	{"javascript var and blocks", "a.js", "function f() {\n  if (x) { var «v» = 1; }\n  for (let v of [1]) { g(v) }\n  { const v = 2; g(v); }\n  try { g(«v») } catch (v) { g(v) }\n  return «v»;\n}\nvar v = f;\n"},
	{"javascript no semicolons", "a.js", "const f = x => x + 1\nconst «g» = y => f(y)\nlet a = 1\n«g»(a), h(b => b.g)\n  .catch(g => { g() })\nclass C { g = «g»\n  static g() { return «g» }\n  get x() { return this.g } }\nlabel: for (;;) break label\n"},
	{"javascript templates and expressions", "a.js", "const «t» = /[/t\"]t/.test(`t ${ «t» + `${«t»}t` } \\${t}`) ? { t: «t»[t2] / 2 } : «t» / t2 / 3;\nconst u = { 't': 1, t() { return «t» }, get t() {}, ...«t» }.t;\n"},
	{"javascript parameters", "a.js", "const f = ({ a: «b», b: c = «b» }, [d, ...e], g = (b) => b) => ({ b: «b» });\nasync function* b() {}\nnew class { m(b) { return b } };\n"},
	{"javascript case", "a.js", "function f(x) {\n  switch (x) {\n    case y: { let «k» = 1; return «k»; }\n    case k: return { k: 1 };\n    default: k;\n  }\n}\n"},
	{"typescript types", "a.ts", "interface «Box»<T> { Box: T; get(box: string): «Box»<T> }\ntype X = { Box?: «Box»<number>; f(Box: X): void };\nclass C implements «Box»<string> { private Box: string = ''; constructor(readonly x: «Box»<X>) {} }\nconst m = new Map<string, «Box»<X>>(), Y = x as unknown as «Box»<X>;\n"},
	{"typescript functions", "a.ts", "function f<T>(«p»: T, q?: { p: string }): { p: T } {\n  const g = (p: number): string => `${p}`;\n  return q ? { p: «p» } : (h(«p»), i);\n}\nabstract class C { abstract m(p: string): void\n  n(p = 1): void { p } }\n"},
	{"typescript shadowing in arrows", "a.ts", "const r = c ? («x», y) => («x» < y ? «x» : y) : (x, y) => (x < y ? x : y);\n"},
}

func TestSymbols(t *testing.T) {
	for _, s := range symbols {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			pieces := strings.Split(s.source, "«")
			content, want := pieces[0], pieces[0]
			var at []int
			for _, piece := range pieces[1:] {
				old, rest, _ := strings.Cut(piece, "»")
				at = append(at, len(content))
				content += old + rest
				want += "fresh" + rest
			}
			for _, position := range at {
				files := []rename.File{{Path: s.path, Content: content}}
				after, refusal := rename.Rename(files, arguments(s.path, position, "fresh"))
				if refusal != nil {
					t.Fatalf("at byte %d of %q: %+v", position, content, *refusal)
				}
				if after[0].Content != want {
					t.Fatalf("at byte %d:\n%s\nwant\n%s", position, after[0].Content, want)
				}
			}
		})
	}
}

func TestSpellings(t *testing.T) {
	for _, s := range []struct{ path, source, want string }{
		{"a.py", "import «os»\nos.x\n", "import os as fresh\nfresh.x\n"},
		{"a.py", "from a import («b», # b\n  c as d)\nb(d)\n", "from a import (b as fresh, # b\n  c as d)\nfresh(d)\n"},
		{"a.rs", "use a::{b, «c»};\nfn f() { c() }\n", "use a::{b, c as fresh};\nfn f() { fresh() }\n"},
		{"a.rs", "fn f(«x»: i32) -> P { P { x, y: x } }\n", "fn f(fresh: i32) -> P { P { x: fresh, y: fresh } }\n"},
		{"a.rs", "fn f(P { «x», .. }: P) -> i32 { x }\n", "fn f(P { x: fresh, .. }: P) -> i32 { fresh }\n"},
		{"a.go", "package a\nimport «f» \"fmt\"\nvar x = f.Sprint\n", "package a\nimport fresh \"fmt\"\nvar x = fresh.Sprint\n"},
		{"a.js", "const {«a», b = a} = c; f({a, b})\n", "const {a: fresh, b = fresh} = c; f({a: fresh, b})\n"},
		{"a.js", "import d, {«a»} from 'a'\nexport {a, d as e}\n", "import d, {a as fresh} from 'a'\nexport {fresh as a, d as e}\n"},
		{"a.ts", "import type { «A», B as C } from 'a';\nlet x: A;\n", "import type { A as fresh, B as C } from 'a';\nlet x: fresh;\n"},
	} {
		at := strings.Index(s.source, "«")
		content := strings.NewReplacer("«", "", "»", "").Replace(s.source)
		after, refusal := rename.Rename([]rename.File{{Path: s.path, Content: content}}, arguments(s.path, at, "fresh"))
		if refusal != nil || after[0].Content != s.want {
			t.Errorf("%q: %+v %+v, want %q", content, after, refusal, s.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, s := range []struct{ path, source, to, code string }{
		{"a.py", "«a» = 1\nb = 2\n", "b", "name_conflict"},
		{"a.py", "«a» = 1\ndef f():\n    b = 2\n    return a + b\n", "b", "name_conflict"},
		{"a.py", "b = 1\ndef f(«a»):\n    return a + b\n", "b", "name_conflict"},
		{"a.py", "def f(«a»):\n    print(a)\n", "print", "name_conflict"},
		{"a.py", "def f(«a»):\n    global b\n    b = a\n", "b", "name_conflict"},
		{"a.py", "class A:\n    def «f»(self): pass\n    def g(self): pass\n", "g", "name_conflict"},
		{"a.py", "«a» = 1\n", "a", "name_conflict"},
		{"a.py", "«print»(1)\n", "b", "symbol_not_found"},
		{"a.py", "import a.b\n«a».b\n", "c", "symbol_not_found"},
		{"a.py", "a.«b»\n", "c", "symbol_not_found"},
		{"a.py", "'«a»'\n", "c", "symbol_not_found"},
		{"a.py", "class A:\n    def f(self): pass\nclass B:\n    f = 1\nx.«f»()\n", "g", "ambiguous_references"},
		{"a.py", "a = «1»\n", "c", "symbol_not_found"},
		{"a.py", "«a» = 1\n", "c\n", "incomplete_payload"},
		{"a.py", "«a» = 1\n", "c-d", "incomplete_payload"},
		{"a.go", "package a\nfunc f(«a» int) {\n\tb := a\n\t_ = b\n}\n", "b", "name_conflict"},
		{"a.go", "package a\nvar «a» = 1\nfunc f() {\n\tif b := 2; a > b {\n\t}\n}\n", "b", "name_conflict"},
		{"a.go", "package a\ntype A struct{ «x» int }\n", "y", "symbol_not_found"},
		{"a.go", "package a\nfunc (a A) F() {}\nfunc (b B) F() {}\nvar c = x.«F»\n", "G", "ambiguous_references"},
		{"a.go", "package a\nvar «a» = 1\n", "_", "incomplete_payload"},
		{"a.rs", "fn f(«a»: i32) -> i32 { let b = 1; a + b }\n", "b", "name_conflict"},
		{"a.rs", "fn f() -> i32 { let «a» = 1; { let b = 2; a + b } }\n", "b", "name_conflict"},
		{"a.rs", "fn f() -> i32 { let «a» = 1; let b = 2; a + b }\n", "b", "name_conflict"},
		{"a.rs", "fn f() { let («a», b) = c; }\n", "b", "name_conflict"},
		{"a.rs", "macro_rules! m { ($n:ident) => { fn $n() {} } }\nm!(made);\nfn f() { «made»() }\n", "b", "macro_generated"},
		{"a.rs", "macro_rules! m { () => { fn made() {} } }\nm!();\nfn f() { «made»() }\n", "b", "macro_generated"},
		{"a.rs", "macro_rules! m { () => { let «made» = 1; } }\n", "b", "macro_generated"},
		{"a.rs", "fn f<'«a»>(x: &'a str) {}\n", "b", "symbol_not_found"},
		{"a.js", "const «a» = 1, b = a;\n", "b", "name_conflict"},
		{"a.js", "const «a» = 1; (b) => a + b;\n", "b", "name_conflict"},
		{"a.js", "x = { «a»: 1 }\n", "b", "symbol_not_found"},
		{"a.js", "let «a»\n", "await", "incomplete_payload"},
		{"a.ts", "class A { f() {} }\nclass B { f(): void {} }\nx.«f»();\n", "g", "ambiguous_references"},
		{"a.ts", "class A { «f»() {}\n  g() {} }\n", "g", "name_conflict"},
		{"a.tsx", "let «a» = 1\n", "b", "unsupported_language"},
		{"a", "let «a» = 1\n", "b", "unsupported_language"},
		{"/a.js", "let «a» = 1\n", "b", "incomplete_payload"},
		{"../a.js", "let «a» = 1\n", "b", "incomplete_payload"},
	} {
		at := strings.Index(s.source, "«")
		content := strings.NewReplacer("«", "", "»", "").Replace(s.source)
		after, refusal := rename.Rename([]rename.File{{Path: s.path, Content: content}}, arguments(s.path, at, s.to))
		if refusal == nil || refusal.Code != s.code || strings.TrimSpace(refusal.Message) == "" {
			t.Errorf("%s %q to %s: %+v %+v, want %s", s.path, content, s.to, after, refusal, s.code)
		}
	}
}
