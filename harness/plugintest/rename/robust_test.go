package rename_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plugcheck/fixtures"
	"plugcheck/harness/plugintest/rename"
)

var paths = []string{"a.py", "a.rs", "a.go", "a.ts", "a.js"}

// pieces make up texts that are nearly programs.
var pieces = strings.Fields(`a b a b x ( ) [ ] { } < > | || , ; : :: := = => -> == . ... ? ?. ! # #[ & * / // /* */ ' " """ \ $ ${ @ - + 1 1.5 0..n
	f" f' r#" r" b' {a} {{ fn func def class function const let var match case if else for in of while impl trait struct enum interface type
	import from as export use mod lambda async global nonlocal with except try catch => macro_rules! println!( select switch range return
	æ 名 🚲 \u{1}`) // and white space, see below

func text(t *rapid.T) string {
	all := append([]string{" ", "\n", "\r\n", "\t", "    ", "\n    ", "\n\t", "`", "\x00", "\xff", "\ufeff", "\u2028"}, pieces...)
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(all), 0, 60).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
}

// Any text gets an answer, the answer's diff leads to the answer's text, and
// nothing but the old name goes away.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		content := text(t)
		at := rapid.IntRange(-1, len(content)+1).Draw(t, "at")
		files := []rename.File{{Path: path, Content: content}}
		after, refusal := rename.Rename(files, arguments(path, at, rapid.SampledFrom([]string{"b", "fresh"}).Draw(t, "to")))
		if (refusal == nil) == (after == nil) {
			t.Fatalf("both or neither: %v %v", after, refusal)
		}
		if refusal == nil && rename.Diff(files, after) == "" {
			t.Fatal("a success without a change")
		}
	})
}

// Renaming there and back restores the bytes, from any occurrence of any
// name of the fixtures' programs.
func TestRoundTrip(t *testing.T) {
	all := cases(t)
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(all).Draw(t, "case")
		if c.Class == "other-language" {
			return
		}
		f := c.Files[c.Target]
		at := rapid.IntRange(0, len(f.Content)-1).Draw(t, "at")
		files := []rename.File{{Path: f.Path, Content: string(f.Content)}}
		there, refusal := rename.Rename(files, arguments(f.Path, at, "somethingElse"))
		if refusal != nil {
			return
		}
		at = strings.Index(there[0].Content, "somethingElse")
		old := ""
		for end := at; end <= min(at+40, len(f.Content)); end++ {
			if name := string(f.Content[at:end]); rename.Identifier(c.Language, name) {
				old = name
			}
		}
		back, refusal := rename.Rename(there, arguments(f.Path, at, old))
		if refusal != nil {
			t.Fatalf("not back: %+v", refusal)
		}
		if back[0] != files[0] {
			t.Fatalf("it came back as\n%s", back[0].Content)
		}
	})
}

func TestLarge(t *testing.T) {
	within := func(limit time.Duration, path, content, symbol, last string) {
		t.Helper()
		files := []rename.File{{Path: path, Content: content}}
		start := time.Now()
		after, refusal := rename.Rename(files, arguments(path, strings.Index(content, symbol), "fresh"))
		diff := rename.Diff(files, after)
		if took := time.Since(start); took > limit {
			t.Errorf("%s: took %v, more than %v", path, took, limit)
		}
		if refusal != nil || !strings.Contains(diff, last) {
			t.Errorf("%s: %+v", path, refusal)
		}
	}
	for _, l := range fixtures.Languages() {
		within(2*time.Second, "a"+l.Extension, string(l.Large(4<<20, "symbol")), "symbol", "+"+strings.Replace(l.Call, "NAME", "fresh", 1))
		within(time.Second, "a"+l.Extension, string(l.ManyUses("symbol", 2000)), "symbol", "+"+strings.Replace(l.Call, "NAME", "fresh", 1))
	}
}

// deep holds beginnings that are repeated without an end.
var deep = []string{
	"(", "[", "{", "{a", "a{", ")", "}", "f(", "`${", "f'{", "f\"\"\"{", "/*", "/[", "'", "\"", "|a| ", "||", "a => ", "(a) => ", "(a = ",
	"lambda a: ", "lambda ", "fn f(a) {", "func f(a int) {", "def f(a):\n", "function f(a) {", "if a {", "if (a) {", "match a { a => ",
	"for a in ", "[a for a in ", "let a = ", "a := ", "a, ", "a.", "a::", "a<", "class a {", "class a:\n ", "case a:", "x = a\n",
	"impl a { fn a(", "macro_rules! a {", "println!(\"{a}\"", "write!(a, \"{a}\", ", "{a}", "import a, ", "export {a, ", "type a = ", "#[a", "a\n", "\n\t",
	"global a\n", "a = ", "a(a=", "[a", "\\", "r#", "? ",
}

// Deep or broken texts take neither the stack nor much time.
func TestDeep(t *testing.T) {
	const times = 3000
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for _, piece := range deep {
				content := "a = a\n" + strings.Repeat(piece, times)
				start := time.Now()
				rename.Rename([]rename.File{{Path: path, Content: content}}, arguments(path, 0, "fresh"))
				rename.Rename([]rename.File{{Path: path, Content: content}}, arguments(path, len(content)-2, "fresh"))
				if took := time.Since(start); took > 5*time.Second {
					t.Errorf("%q: took %v", piece, took)
				}
			}
		})
	}
}

func TestIdentifier(t *testing.T) {
	for _, c := range []struct {
		language, name string
		want           bool
	}{
		{"python", "x", true}, {"Python", "été", true}, {"python", "名", true}, {"python", "1x", false}, {"python", "a b", false},
		{"python", "", false}, {"python", "class", false}, {"python", "match", true}, {"python", "x$", false}, {"python", "a\xff", false},
		{"javascript", "$x", true}, {"javascript", "let", false}, {"typescript", "type", true}, {"go", "_", false}, {"go", "func", false},
		{"go", "_x", true}, {"rust", "_", false}, {"rust", "self", false}, {"rust", "r#fn", false}, {"rust", "x1", true}, {"cobol", "x", false},
	} {
		if got := rename.Identifier(c.language, c.name); got != c.want {
			t.Errorf("Identifier(%q, %q) = %v", c.language, c.name, got)
		}
	}
}

// git and GNU patch take every diff, and come to the same bytes.
func TestDiffAppliesWithOtherTools(t *testing.T) {
	for _, tool := range [][]string{{"git", "apply", "--whitespace=nowarn", "-"}, {"patch", "-p1", "--binary", "-s", "-F0"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("%s is not installed, so its judgement is missing", tool[0])
			continue
		}
		for _, c := range cases(t) {
			if c.Refuse != nil {
				continue
			}
			dir := t.TempDir()
			for _, f := range c.Files {
				name := filepath.Join(dir, filepath.FromSlash(f.Path))
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, f.Content, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			files, args := request(c)
			after, _ := rename.Rename(files, args)
			cmd := exec.Command(tool[0], tool[1:]...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			cmd.Stdin = strings.NewReader(rename.Diff(files, after))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v\n%s", c.Name, tool[0], err, out)
				continue
			}
			for _, f := range c.Want {
				got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
				if err != nil || string(got) != string(f.Content) {
					t.Errorf("%s, %s: %v %q", c.Name, tool[0], err, got)
				}
			}
		}
	}
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"no change", "a\n", "a\n", ""},
		{"no final newline", "a", "b", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"},
		{"final newline goes", "a\n", "a", "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n"},
		{"CR LF", "a\r\nb\r\n", "x\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+x\r\n b\r\n"},
		{"other separators", "a\u2028\fb\r\n", "x\u2028\fb\r\n", "@@ -1,1 +1,1 @@\n-a\u2028\fb\r\n+x\u2028\fb\r\n"},
		{"dashes", "-- a\n", "++ a\n", "@@ -1,1 +1,1 @@\n--- a\n+++ a\n"},
		{"two hunks", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "x\n1\n2\n3\n4\n5\n6\n7\ny\n",
			"@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+y\n"},
		{"one hunk", "a\n1\n2\n3\n4\n5\n6\nb\n", "x\n1\n2\n3\n4\n5\n6\ny\n", "@@ -1,8 +1,8 @@\n-a\n+x\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+y\n"},
		{"lines added", "a\nb\n", "a\nc\nd\nb\n", "@@ -1,2 +1,4 @@\n a\n+c\n+d\n b\n"},
		{"from nothing", "", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
	} {
		got := rename.Diff([]rename.File{{Path: "f", Content: c.before}}, []rename.File{{Path: "f", Content: c.after}})
		want := c.want
		if want != "" {
			want = "--- a/f\n+++ b/f\n" + want
		}
		if got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
	for path, want := range map[string]string{
		"a b/c.py":   "--- a/a b/c.py\t\n+++ b/a b/c.py\t\n",
		"ü 名.py":     "--- \"a/\\303\\274 \\345\\220\\215.py\"\t\n+++ \"b/\\303\\274 \\345\\220\\215.py\"\t\n",
		"a\"\\\n.py": "--- \"a/a\\\"\\\\\\n.py\"\n+++ \"b/a\\\"\\\\\\n.py\"\n",
	} {
		got := rename.Diff([]rename.File{{Path: path, Content: "a\n"}}, []rename.File{{Path: path, Content: "b\n"}})
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
