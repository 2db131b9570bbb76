package patch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The files of the tables: f has twelve lines, crlf ends them with \r\n, open
// has no final newline.
var sentFiles = []File{
	{"f", []byte(numbered("%d\n", 12))},
	{"src/crlf.py", []byte(numbered("%d\r\n", 12))},
	{"open", []byte("a\nb")},
	{"crlf2", []byte("a\r\n\r\nb\r\n")},
	{"a b", []byte("1\n2\n")},
	{"ü.py", []byte("1\n2\n")},
	{"dashes", []byte("a\n-- x\nb\n")},
	{"seps", []byte("x\u2028y\none\ntwo\nthree\nfour\n")},
	{"ws", []byte("\tone\ntwo \n\ufeffthree\n")},
	{"bom", []byte("\ufeffone\ntwo\n")},
	{"empty", nil},
	{"twins", []byte("q\nr\nq\nr\n")},
	{"json", []byte("{\n}\n")},
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

const (
	head = "--- a/f\n+++ b/f\n"
	good = head + "@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n"
	open = "<<<<<<< SEARCH\n"
	mid  = "=======\n"
	end  = ">>>>>>> REPLACE\n"
)

func headed(old, new string) string {
	return "--- " + old + "\n+++ " + new + "\n@@ -1,2 +1,2 @@\n-1\n+x\n 2\n"
}

// Each row has one fault, and exactly one problem of its kind is wanted.
var faults = []struct {
	name, text string
	kind       string
	line       int
	says       string // in the message or in what was expected
}{
	{"nothing", "", "empty", 0, "empty"},
	{"white space", " \n\t\n", "empty", 0, "white space"},
	{"blocks", "diff --git a/f b/f\n" + open + "5\n" + mid + "x\n" + end, "search-replace-blocks", 2, "SEARCH/REPLACE"},
	{"context diff", "*** a/f\n--- b/f\n***************\n*** 5,7 ****\n  5\n! 6\n  7\n--- 5,7 ----\n  5\n! x\n  7\n", "context-diff", 1, "context diff"},
	{"normal diff", "6c6\n< 6\n---\n> x\n", "normal-diff", 1, ""},
	{"ed script", "6c\nx\n.\n", "normal-diff", 1, "ed"},
	{"combined diff", "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -5,1 -5,1 +5,1 @@@\n--5\n -6\n++x\n", "combined-diff", 1, ""},
	{"combined hunk", head + "@@@ -5,1 -5,1 +5,1 @@@\n--5\n -6\n++x\n", "combined-diff", 3, ""},
	{"binary", "diff --git a/f b/f\nindex 1..2 100644\nGIT binary patch\nliteral 3\n", "binary-patch", 3, ""},
	{"binary files", "diff --git a/f b/f\nindex 1..2 100644\nBinary files a/f and b/f differ\n", "binary-patch", 3, ""},
	{"the file itself", numbered("%d\n", 12), "whole-file", 1, "whole of f"},
	{"the file changed", strings.Replace(numbered("%d\n", 12), "6", "x", 1), "whole-file", 1, "text of f"},
	{"JSON", `{"diff":"--- a/f\n+++ b/f\n"}`, "json", 1, ""},
	{"JSON string", `"--- a/f\n+++ b/f\n@@ -5 +5 @@\n"`, "json", 1, ""},
	{"encoded twice", `--- a/f\n+++ b/f\n@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n`, "escaped-newlines", 1, ""},
	{"fence", "```diff\n" + good + "```\n", "markdown-fence", 1, ""},
	{"text and fence", "Here it is:\n\n```\n" + good, "markdown-fence", 3, ""},
	{"BOM", "\ufeff" + good, "byte-order-mark", 1, "U+FEFF"},
	{"prose", "I renamed it for you.\n", "not-a-diff", 1, ""},
	{"headers only", head, "no-hunks", 1, ""},
	{"git header only", "diff --git a/f b/f\n", "no-hunks", 1, ""},
	{"second without hunks", good + "--- a/open\n+++ b/open\n", "no-hunks", 8, ""},
	{"hunk only", "@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "hunk-without-header", 1, ""},
	{"half a header", "--- a/f\n@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "hunk-without-header", 2, ""},
	{"second half a header", good + "+++ b/open\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n", "hunk-without-header", 9, ""},
	{"git header without names", "diff --git a/f b/f\n@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "hunk-without-header", 2, ""},
	{"dots for numbers", head + "@@ ... @@\n 5\n-6\n+x\n 7\n", "bad-hunk-header", 3, ""},
	{"number too long", head + "@@ -99999999999,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "bad-hunk-header", 3, ""},
	{"context only", head + "@@ -5,3 +5,3 @@\n 5\n 6\n 7\n", "context-only-hunk", 3, "corrupt"},
	{"no lines", head + "@@ -5,0 +5,0 @@\n", "context-only-hunk", 3, ""},
	{"CRLF headers", "--- a/src/crlf.py\r\n+++ b/src/crlf.py\r\n@@ -5,3 +5,3 @@\r\n 5\r\n-6\r\n+x\r\n 7\r\n", "carriage-return-header", 1, `\r`},
	{"CRLF git header", "diff --git a/f b/f\r\n" + good, "carriage-return-header", 1, ""},
	{"CRLF hunk header", head + "@@ -5,3 +5,3 @@\r\n 5\n-6\n+x\n 7\n", "carriage-return-header", 3, ""},
	{"marker in the middle", head + "@@ -5,3 +5,3 @@\n 5\n-6\n\\ No newline at end of file\n+x\n 7\n", "misplaced-marker", 6, ""},
	{"marker first", head + "@@ -5,3 +5,3 @@\n\\ No newline at end of file\n 5\n-6\n+x\n 7\n", "misplaced-marker", 4, ""},
	{"marker twice", "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n\\ No newline at end of file\n", "misplaced-marker", 9, ""},
	{"trimmed", strings.TrimSpace(good), "cut-off", 7, "newline"},
	{"chat after", good + "That is all.\n", "stray-text", 8, ""},
	{"fence after", good + "```\n", "stray-text", 8, ""},
	{"blank line before a hunk", head + "\n@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "stray-text", 3, "git apply"},
	{"text between hunks", good + "and\n@@ -10,3 +10,3 @@\n 10\n-11\n+y\n 12\n", "stray-text", 8, "between"},

	{"too few declared", head + "@@ -5 +5 @@\n-5\n-6\n+x\n", "count-mismatch", 3, "@@ -5,2 +5,1 @@"},
	{"declared and found", head + "@@ -5 +5 @@\n-5\n-6\n+x\n", "count-mismatch", 3, "declares -1 +1, the body holds -2 +1"},
	{"too many declared", head + "@@ -5,4 +5,5 @@ def f\n 5\n-6\n+x\n 7\n", "count-mismatch", 3, "@@ -5,3 +5,3 @@ def f"},
	{"too many before another file", head + "@@ -5,4 +5,4 @@\n 5\n-6\n+x\n 7\n--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n", "count-mismatch", 3, "@@ -5,3 +5,3 @@"},
	{"too many before another hunk", head + "@@ -3,4 +3,4 @@\n 3\n-4\n+x\n 5\n@@ -10,3 +10,3 @@\n 10\n-11\n+y\n 12\n", "count-mismatch", 3, "@@ -3,3 +3,3 @@"},
	{"too many declared, then blank lines", head + "@@ -5,6 +5,6 @@\n 5\n-6\n+x\n 7\n\n\n", "count-mismatch", 3, "@@ -5,3 +5,3 @@"},
	{"one context line short", head + "@@ -5,2 +5,2 @@\n 5\n-6\n+x\n 7\n", "count-mismatch", 3, "@@ -5,3 +5,3 @@"},
	{"too few with -- x", "--- a/dashes\n+++ b/dashes\n@@ -1,2 +1,2 @@\n a\n--- x\n+++ y\n b\n", "count-mismatch", 3, "@@ -1,3 +1,3 @@"},
	{"only the header's lines are missing", head + "@@ -5,3 +5,3 @@\n", "count-mismatch", 3, "-0 +0"},
	{"joined by difflib", "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n a\n-b+c", "missing-no-newline-marker", 5, "joined"},
	{"joined with the next header", "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n-a\n+c\n b--- a/f\n+++ b/f\n@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "missing-no-newline-marker", 6, "joined"},
	{"context at the end, no marker", "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n-a\n+c\n b", "missing-no-newline-marker", 6, "marker"},
	{"splitlines kept ends", "--- a/seps\n+++ b/seps\n@@ -1,4 +1,4 @@\n x\u2028 y\n-one\n+uno\n two\n", "joined-at-separator", 4, "U+2028"},
	{"empty CRLF context without space", "--- a/crlf2\n+++ b/crlf2\n@@ -1,3 +1,3 @@\n-a\r\n+x\r\n\r\n b\r\n", "unmarked-line", 6, ""},
	{"context without space", head + "@@ -5,3 +5,3 @@\n5\n-6\n+x\n7\n", "unmarked-line", 4, " 5"},
	{"from zero", head + "@@ -0,3 +0,3 @@\n 1\n-2\n+x\n 3\n", "start-zero", 3, "@@ -1,3 +1,3 @@"},
	{"new start wrong", head + "@@ -5,3 +9,3 @@\n 5\n-6\n+x\n 7\n", "new-start", 3, "@@ -5,3 +5,3 @@"},
	{"new start ignores the hunk before", head + "@@ -2,3 +2,4 @@\n 2\n-3\n+x\n+y\n 4\n@@ -10,3 +10,3 @@\n 10\n-11\n+y\n 12\n", "new-start", 9, "+11,3"},
	{"new file from 1", "--- /dev/null\n+++ b/g\n@@ -1,0 +1,1 @@\n+hello\n", "new-file-range", 3, "@@ -0,0 +1,1 @@"},

	{"open quote", headed(`"a/f`, `"b/f`), "bad-quoting", 1, ""},
	{"unknown escape", headed(`"a/\x66"`, `"b/\x66"`), "bad-quoting", 1, ""},
	{"absolute", headed("/home/me/f", "/home/me/f"), "absolute-path", 1, "/home/me/f"},
	{"absolute under a/", headed("a//etc/passwd", "b//etc/passwd"), "absolute-path", 1, "/etc/passwd"},
	{"drive", headed(`C:\x\f`, `C:\x\f`), "absolute-path", 1, ""},
	{"parent", headed("a/../f", "b/../f"), "dot-dot", 1, ""},
	{"backslashes", headed(`a/src\crlf.py`, `b/src\crlf.py`), "backslash", 1, ""},
	{"mnemonic prefix", headed("i/f", "w/f"), "prefix", 1, "i/f"},
	{"not sent", headed("a/g", "b/g"), "unknown-path", 1, "sent were: f, src/crlf.py, open"},
	{"not sent, dated", headed("a/g 2024-01-01", "b/g 2024-01-02"), "unknown-path", 1, "understood is g,"},
	{"not sent, quoted", headed(`"a/\303\266.py"`, `"b/\303\266.py"`), "unknown-path", 1, "understood is ö.py,"},
	{"dot", headed("a/./f", "b/./f"), "unknown-path", 1, "write f"},
	{"two names", headed("a/f", "b/g"), "renames-file", 1, "f and g"},
	{"two sent names", headed("f", "open"), "renames-file", 1, ""},
	{"git rename", "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n", "renames-file", 3, ""},
	{"git copy", "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n", "renames-file", 3, ""},
	{"new file", "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+hello\n", "creates-file", 1, "g"},
	{"git new file", "diff --git a/g b/g\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+hello\n", "creates-file", 2, ""},
	{"delete", "--- a/open\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n", "deletes-file", 1, "open"},
	{"git delete", "diff --git a/f b/f\ndeleted file mode 100644\nindex 1..0\n", "deletes-file", 2, ""},
	{"mode", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "changes-mode", 2, ""},
	{"git header names another", "diff --git a/open b/open\n" + good, "git-header-disagrees", 1, "open"},
	{"twice", good + head + "@@ -10,3 +10,3 @@\n 10\n-11\n+y\n 12\n", "same-file-twice", 8, "line 1"},

	{"overlap", head + "@@ -3,4 +3,4 @@\n 3\n-4\n+x\n 5\n 6\n@@ -6,3 +6,3 @@\n 6\n-7\n+y\n 8\n", "overlapping-hunks", 9, "old ranges 3-6 and 6-8 overlap"},
	{"out of order", head + "@@ -9,3 +9,3 @@\n 9\n-10\n+x\n 11\n@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "hunks-out-of-order", 8, ""},
	{"off by two", head + "@@ -7,3 +7,3 @@\n 5\n-6\n+x\n 7\n", "wrong-position", 3, "matches at line 5, not 7"},
	{"U+2028 counted as a line", "--- a/seps\n+++ b/seps\n@@ -4,3 +4,3 @@\n two\n-three\n+x\n four\n", "wrong-position", 3, "U+2028"},
	{"beyond the end", head + "@@ -12,3 +12,3 @@\n 12\n-13\n+x\n 14\n", "past-end", 5, "has 12 lines"},
	{"other text", head + "@@ -5,3 +5,3 @@\n 5\n-six\n+x\n 7\n", "context-mismatch", 5, "line 6"},
	{"LF for CRLF", "--- a/src/crlf.py\n+++ b/src/crlf.py\n@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n", "carriage-return", 4, `\r`},
	{"CRLF for LF", head + "@@ -5,3 +5,3 @@\n 5\r\n-6\r\n+x\r\n 7\r\n", "carriage-return", 4, `\r`},
	{"no marker", "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "final-newline", 5, "marker"},
	{"marker too much", head + "@@ -10,3 +10,3 @@\n 10\n-11\n+x\n 12\n\\ No newline at end of file\n", "final-newline", 7, ""},
	{"trimmed lines", "--- a/ws\n+++ b/ws\n@@ -1,3 +1,3 @@\n-\tone\n+\tuno\n two\n \ufeffthree\n", "trailing-space", 6, ""},
	{"spaces for a tab", "--- a/ws\n+++ b/ws\n@@ -1,3 +1,3 @@\n-    one\n+    uno\n two \n \ufeffthree\n", "tabs-and-spaces", 4, ""},
	{"BOM lost", "--- a/bom\n+++ b/bom\n@@ -1,2 +1,2 @@\n-one\n+uno\n two\n", "mark-in-content", 4, "U+FEFF"},
	{"splitlines dropped ends", "--- a/seps\n+++ b/seps\n@@ -1,4 +1,4 @@\n x\n y\n-one\n+uno\n two\n", "split-at-separator", 4, "U+2028"},

	{"nothing changes", head + "@@ -5,3 +5,3 @@\n 5\n-6\n+6\n 7\n", "noop-patch", 1, "changes nothing"},
}

var blockFaults = []struct{ name, text, kind, says string }{
	{"no file", open + "5\n" + mid + "x\n" + end, "block-without-file", ""},
	{"not ended", "diff --git a/f b/f\n" + open + "5\n" + mid + "x\n", "unterminated-block", "end of the patch"},
	{"no divider", "diff --git a/f b/f\n" + open + "5\n" + end, "unterminated-block", ""},
	{"next begins", "diff --git a/f b/f\n" + open + "5\n" + mid + "x\n" + open + "6\n" + mid + "y\n" + end, "unterminated-block", "line 6"},
	{"empty SEARCH", "diff --git a/f b/f\n" + open + mid + "x\n" + end, "empty-search", ""},
	{"text between", "diff --git a/f b/f\n" + open + "5\n" + mid + "x\n" + end + "and\n" + open + "6\n" + mid + "y\n" + end, "text-between-blocks", "and"},
	{"file without block", "diff --git a/open b/open\ndiff --git a/f b/f\n" + open + "5\n" + mid + "x\n" + end, "no-hunks", ""},
	{"unknown file", "diff --git a/g b/g\n" + open + "5\n" + mid + "x\n" + end, "unknown-path", "g"},
	{"rename", "diff --git a/f b/g\n" + open + "5\n" + mid + "x\n" + end, "renames-file", ""},
	{"not there", "diff --git a/f b/f\n" + open + "55\n" + mid + "x\n" + end, "search-not-found", ""},
	{"part of a line", "diff --git a/ws b/ws\n" + open + "one\n" + mid + "x\n" + end, "tabs-and-spaces", ""},
	{"twice there", "diff --git a/twins b/twins\n" + open + "q\nr\n" + mid + "x\n" + end, "search-ambiguous", "lines 1 and 3"},
	{"LF for CRLF", "diff --git a/src/crlf.py b/src/crlf.py\n" + open + "5\n" + mid + "x\n" + end, "carriage-return", `\r`},
	{"nothing changes", "diff --git a/f b/f\n" + open + "5\n" + mid + "5\n" + end, "noop-patch", ""},
}

func TestEveryKindIsToldApart(t *testing.T) {
	seen := map[string]bool{}
	judge := func(t *testing.T, text string, style Style, kind, says string) Problem {
		seen[kind] = true
		after, problems := Judge(text, sentFiles, style)
		if len(problems) != 1 || problems[0].Kind != kind {
			t.Fatalf("want one problem of kind %s, got %+v\n%s", kind, problems, text)
		}
		p := problems[0]
		if p.Group != Kinds[kind].Group || p.Message == "" || p.Fix == "" {
			t.Errorf("incomplete problem %+v", p)
		}
		if !strings.Contains(p.Message+" "+p.Expected, says) {
			t.Errorf("%+v does not say %q", p, says)
		}
		if p.Group != "changes" && !cmp.Equal(after, sentFiles) {
			t.Errorf("files were changed in spite of %s", kind)
		}
		return p
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			if p := judge(t, f.text, UnifiedOnly, f.kind, f.says); p.Line != f.line {
				t.Errorf("line %d, want %d: %s", p.Line, f.line, p.Message)
			}
		})
	}
	for _, f := range blockFaults {
		t.Run("blocks/"+f.name, func(t *testing.T) { judge(t, f.text, SearchReplace, f.kind, f.says) })
	}
	t.Run("too large", func(t *testing.T) {
		judge(t, good+strings.Repeat("diff of nothing\n", 1<<16), UnifiedOnly, "too-large", "far more")
	})
	for kind, k := range Kinds {
		if !seen[kind] {
			t.Errorf("no row for kind %s", kind)
		}
		if !slices.Contains(Groups, k.Group) {
			t.Errorf("%s is of unknown group %s", kind, k.Group)
		}
	}
}

func TestGoodPatches(t *testing.T) {
	f := strings.Replace(numbered("%d\n", 12), "6", "x", 1)
	hunk := "@@ -5,3 +5,3 @@\n 5\n-6\n+x\n 7\n"
	rows := []struct{ name, text, path, want string }{
		{"plain", good, "f", f},
		{"one of two hunks changes nothing", good + "@@ -10,3 +10,3 @@\n 10\n-11\n+11\n 12\n", "f", f},
		{"no context", head + "@@ -6 +6 @@\n-6\n+x\n", "f", f},
		{"less context after", head + "@@ -4,4 +4,4 @@\n 4\n 5\n-6\n+x\n 7\n", "f", f},
		{"bare names", "--- f\n+++ f\n" + hunk, "f", f},
		{"git headers", "diff --git a/f b/f\nindex 1..2 100644\n" + good, "f", f},
		{"preamble", "From 1234\nSubject: x\n---\n f | 2 +-\n\n" + good + "-- \n2.39.5\n\n", "f", f},
		{"blank lines after", good + "\n\n", "f", f},
		{"two files, text between", good + "\ndiff -u a/open b/open\n--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n", "open", "a\nc\n"},
		{"date after TAB", "--- a/f\t2024-01-01 10:00:00 +0200\n+++ b/f\t2024-01-01\n" + hunk, "f", f},
		{"date after space", "--- f 2024-01-01\n+++ f 2024-01-01\n" + hunk, "f", f},
		{"space and TAB", headed("a/a b\t", "b/a b\t"), "a b", "x\n2\n"},
		{"space without TAB", "diff --git a/a b b/a b\n" + headed("a/a b", "b/a b"), "a b", "x\n2\n"},
		{"quoted", `diff --git "a/\303\274.py" "b/\303\274.py"` + "\n" + headed(`"a/\303\274.py"`, `"b/\303\274.py"`), "ü.py", "x\n2\n"},
		{"raw UTF-8", headed("a/ü.py", "b/ü.py"), "ü.py", "x\n2\n"},
		{"-- x and ++ y", "--- a/dashes\n+++ b/dashes\n@@ -1,3 +1,3 @@\n a\n--- x\n+++ y\n b\n", "dashes", "a\n++ y\nb\n"},
		{"-- x, then another file", "--- a/dashes\n+++ b/dashes\n@@ -1,3 +1,2 @@\n a\n--- x\n b\n" + good, "f", f},
		{"empty file, -0,0", "--- a/empty\n+++ b/empty\n@@ -0,0 +1 @@\n+x\n", "empty", "x\n"},
		{"empty file, -1,0", "--- a/empty\n+++ b/empty\n@@ -1,0 +1 @@\n+x\n", "empty", "x\n"},
		{"append without context", head + "@@ -12,0 +13 @@\n+x\n", "f", numbered("%d\n", 12) + "x\n"},
		{"all lines go", "--- a/a b\t\n+++ b/a b\t\n@@ -1,2 +0,0 @@\n-1\n-2\n", "a b", ""},
		{"CRLF", "--- a/src/crlf.py\n+++ b/src/crlf.py\n@@ -1,2 +1,2 @@ x\r\n-1\r\n+x\r\n 2\r\n", "src/crlf.py", strings.Replace(numbered("%d\r\n", 12), "1", "x", 1)},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			after, problems := Judge(r.text, sentFiles, SearchReplace) // unified diffs are good there too
			if len(problems) > 0 {
				t.Fatalf("%+v\n%s", problems, r.text)
			}
			if got := contentOf(after, r.path); got != r.want {
				t.Errorf("got %q, want %q", got, r.want)
			}
			if contentOf(sentFiles, r.path) == r.want {
				t.Error("the input was overwritten")
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	text := "diff --git a/f b/f\n" + open + "5\n6\n" + mid + "x\n" + end + open + "x\n7\n" + mid + end +
		"\ndiff --git a/open b/open\n" + open + "b\n" + mid + "c\n" + end +
		"diff --git a/src/crlf.py b/src/crlf.py\n" + open + "1\r\n" + mid + "x\r\n" + end
	after, problems := Judge(text, sentFiles, SearchReplace)
	if len(problems) > 0 {
		t.Fatalf("%+v", problems)
	}
	for path, want := range map[string]string{
		"f": "1\n2\n3\n4\n8\n9\n10\n11\n12\n", "open": "a\nc", "src/crlf.py": strings.Replace(numbered("%d\r\n", 12), "1", "x", 1),
	} {
		if got := contentOf(after, path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestUnified(t *testing.T) {
	rows := []struct{ name, path, before, after, want string }{
		{"same", "f", "a\n", "a\n", ""},
		{"two hunks", "f", numbered("%d\n", 20), strings.NewReplacer("2\n3", "two\n3", "18", "x").Replace(numbered("%d\n", 20)),
			"--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -15,6 +15,6 @@\n 15\n 16\n 17\n-18\n+x\n 19\n 20\n"},
		{"no final newline", "f", "a\nb", "a\nc", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{"from nothing", "a b", "", "x\n", "--- a/a b\t\n+++ b/a b\t\n@@ -0,0 +1 @@\n+x\n"},
		{"to nothing", "ü.py", "x\n", "", "--- \"a/\\303\\274.py\"\n+++ \"b/\\303\\274.py\"\n@@ -1 +0,0 @@\n-x\n"},
		{"odd name", "a\"\\\t b", "x\n", "y\n", "--- \"a/a\\\"\\\\\\t b\"\n+++ \"b/a\\\"\\\\\\t b\"\n@@ -1 +1 @@\n-x\n+y\n"},
	}
	for _, r := range rows {
		if diff := cmp.Diff(r.want, Unified(r.path, []byte(r.before), []byte(r.after))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.name, diff)
		}
	}
}

// Half the lines of a large file change: over the bound, one hunk, still right.
func TestUnifiedIsBounded(t *testing.T) {
	before := []byte(numbered("line %d\n", 5000))
	for name, after := range map[string][]byte{
		"few":  []byte(strings.ReplaceAll(string(before), "7\n", "seven\n")),
		"many": []byte(strings.ReplaceAll(strings.ReplaceAll(string(before), "2\n", "two\n"), "4", "four")),
		"all":  []byte(strings.ReplaceAll(string(before), "line", "row")),
	} {
		start := time.Now()
		text := Unified("f", before, after)
		t.Logf("%s: %v, %d hunks", name, time.Since(start), strings.Count(text, "\n@@ "))
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		got, problems := Judge(text, []File{{"f", before}}, UnifiedOnly)
		if len(problems) > 0 || string(got[0].Content) != string(after) {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

var anyLine = rapid.SampledFrom([]string{"a", "b", "c", "", " ", "-- x", "++ y", "- ", "-- a/f", "++ b/f", "@@ -1 +1 @@", "diff --git a/f b/f",
	"\\ No newline at end of file", "<<<<<<< SEARCH", "x\u2028y", "x\fy", "x\ry", "\ufeff", "\xff", "\tz", "-- "})

var anyText = rapid.Custom(func(t *rapid.T) string {
	ls := rapid.SliceOfN(anyLine, 0, 25).Draw(t, "lines")
	ends := rapid.SampledFrom([]string{"\n", "\r\n"})
	var b strings.Builder
	for i, l := range ls {
		b.WriteString(l)
		if i < len(ls)-1 || rapid.IntRange(0, 3).Draw(t, "final newline") > 0 {
			b.WriteString(ends.Draw(t, "end"))
		}
	}
	return b.String()
})

// edited is a text and what a few edits make of it.
func edited(t *rapid.T) (before, after string) {
	before = anyText.Draw(t, "before")
	ls := lines(before)
	for range rapid.IntRange(1, 4).Draw(t, "edits") {
		i := rapid.IntRange(0, len(ls)).Draw(t, "at")
		j := rapid.IntRange(i, min(len(ls), i+2)).Draw(t, "to")
		ls = slices.Concat(ls[:i], lines(anyText.Draw(t, "new")), ls[j:])
	}
	return before, strings.Join(ls, "")
}

var anyPath = rapid.SampledFrom([]string{"f", "a b", "ü.py", "src/a/b.py", "a/f", "q\"\\", "f 2024-01-01"})

func TestJudgeTakesWhatUnifiedWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := edited(t)
		path := anyPath.Draw(t, "path")
		if before == after {
			return
		}
		text := Unified(path, []byte(before), []byte(after))
		got, problems := Judge(text, []File{{"other", nil}, {path, []byte(before)}}, UnifiedOnly)
		if len(problems) > 0 || string(got[1].Content) != after {
			t.Fatalf("%+v\n%q\n%q\n%s", problems, before, after, text)
		}
	})
}

var numberInHeader = regexp.MustCompile(`[0-9]+`)

// mutated is a text and a diff of it that something was done to.
var mutated = rapid.Custom(func(t *rapid.T) [2]string {
	before, after := edited(t)
	ls := lines(Unified("f", []byte(before), []byte(after)))
	for range rapid.IntRange(1, 3).Draw(t, "mutations") {
		i := rapid.IntRange(0, len(ls)).Draw(t, "at")
		if i < len(ls) && strings.HasPrefix(ls[i], "@@ -") {
			number := rapid.SampledFrom([]string{"0", "1", "2", "3", "5"}).Draw(t, "number")
			which := rapid.IntRange(0, 3).Draw(t, "which")
			ls[i] = numberInHeader.ReplaceAllStringFunc(ls[i], func(n string) string {
				if which--; which == -1 {
					return number
				}
				return n
			})
			continue
		}
		j := rapid.IntRange(i, min(len(ls), i+2)).Draw(t, "to")
		op := rapid.SampledFrom([]string{"", " ", "-", "+", "@@ -1,2 +1,2 @@", "--- a/f\n+++ b/f"}).Draw(t, "op")
		ls = slices.Concat(ls[:i], []string{op + anyLine.Draw(t, "line") + "\n"}, ls[j:])
	}
	return [2]string{before, strings.Join(ls, "")}
})

// Whatever is done to a diff, Judge does not panic, and the parser of go-gitdiff
// agrees with each patch that it takes.
func TestMutatedDiffs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mutated.Draw(t, "text and diff")
		before, text := m[0], m[1]
		Judge(text, []File{{"f", []byte(before)}}, SearchReplace)
		got, problems := Judge(text, []File{{"f", []byte(before)}}, UnifiedOnly)
		if len(problems) > 0 || strings.Contains(text, ",0 ") { // go-gitdiff inserts before line n at -n,0, not after
			return
		}
		parsed, _, err := gitdiff.Parse(strings.NewReader(text))
		if err != nil || len(parsed) == 0 {
			t.Fatalf("go-gitdiff: %v\n%s", err, text)
		}
		var theirs strings.Builder
		if err := gitdiff.Apply(&theirs, strings.NewReader(before), parsed[len(parsed)-1]); err != nil || theirs.String() != string(got[0].Content) {
			t.Fatalf("go-gitdiff: %v %q, Judge: %q\n%s", err, theirs.String(), got[0].Content, text)
		}
	})
}

// Long texts of one sort of line must not take long, whatever is wrong with them.
func TestJudgeIsLinear(t *testing.T) {
	const n = 50_000
	file := File{"f", []byte(strings.Repeat("a\n", n))}
	for _, l := range []string{"-- \n", " a\n", "-a\n", "+++ b/f\n", "--- a/f\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n", "@@ -1 +1 @@\n-a\n+b\n", "diff --git a/f b/f\n", "\\ No newline at end of file\n", "\n", "```\n", "*** \n", "diff --git " + strings.Repeat(" ", 50) + "\n"} {
		for _, start := range []string{"", head, head + "@@ -1,9 +1,8 @@\n", head + "@@ -5,100000 +5,100000 @@\n", "diff --git a/f b/f\n" + open} {
			begin := time.Now()
			Judge(start+strings.Repeat(l, n), []File{file}, SearchReplace)
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("%q and many %q: %v", start, l, took)
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, r := range faults {
		f.Add(r.text)
	}
	for _, r := range blockFaults {
		f.Add(r.text)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, text string) {
		for _, style := range []Style{UnifiedOnly, SearchReplace} {
			after, problems := Judge(text, sentFiles, style)
			if len(after) != len(sentFiles) || len(problems) > maxProblems {
				t.Fatalf("%d files, %d problems", len(after), len(problems))
			}
		}
	})
}

// tool runs git apply or patch on the content of path and gives what comes out.
func tool(t testing.TB, name, path, content, text string) (string, error) {
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "w", path)
	for p, c := range map[string]string{file: content, filepath.Join(dir, "p"): text} {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(c), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "../p")
	if name == "patch" {
		cmd = exec.Command("patch", "-p1", "-F0", "--binary", "--no-backup-if-mismatch", "-i", "../p")
	}
	cmd.Dir = filepath.Join(dir, "w")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+dir, "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err == nil && (strings.Contains(string(out), "offset") || strings.Contains(string(out), "fuzz")) {
		err = fmt.Errorf("not where it says")
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	after, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		err = nil // patch removes a file that becomes empty
	}
	return string(after), err
}

// evenContext leaves out what the tools take for the end of the file: hunks with
// less context behind the change than before it, or none. How much context a
// plugin writes is its own choice: Judge takes the hunk where it says it belongs.
func evenContext(text, content string) bool {
	sections, problems := scan(text, []File{{"f", []byte(content)}})
	for _, s := range sections {
		for _, h := range s.hunks {
			ops := h.ops()
			leading, trailing := len(ops)-len(strings.TrimLeft(ops, " ")), len(ops)-len(strings.TrimRight(ops, " "))
			if trailing < max(1, leading) && h.before()+h.oldCount < len(lines(content)) {
				return false
			}
		}
	}
	return len(problems) == 0
}

// Both tools take what Unified writes and what Judge takes, without fuzz and
// offset, and make the same of it.
func TestToolsAgree(t *testing.T) {
	for _, name := range []string{"git", "patch"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agree := func(path, before, after, text string) {
				t.Helper()
				if got, err := tool(t, name, path, before, text); err != nil || got != after {
					t.Errorf("%v\nbefore %q\nafter %q\ngot %q\n%s", err, before, after, got, text)
				}
			}
			pairs := rapid.Custom(func(t *rapid.T) [2]string { a, b := edited(t); return [2]string{a, b} })
			for i := range 40 {
				before, after, path := pairs.Example(i)[0], pairs.Example(i)[1], anyPath.Example(i)
				if before != after {
					agree(path, before, after, Unified(path, []byte(before), []byte(after)))
				}
			}
			for i := range 2000 {
				m := mutated.Example(i)
				if got, problems := Judge(m[1], []File{{"f", []byte(m[0])}}, UnifiedOnly); len(problems) == 0 && evenContext(m[1], m[0]) {
					agree("f", m[0], string(got[0].Content), m[1])
				}
			}
		})
	}
}
