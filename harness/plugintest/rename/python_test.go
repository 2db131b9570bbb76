package rename_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plugcheck/fixtures"
	"plugcheck/harness/plugintest/rename"
)

// script returns the reference plugin in Python, with the interpreter to run it.
func script(t *testing.T) (python, plugin string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so the Python reference plugin cannot be tried")
	}
	plugin, err = filepath.Abs("../../../fixtures/plugins/rename-py/rename.py")
	if err != nil {
		t.Fatal(err)
	}
	return python, plugin
}

type response struct {
	Success bool
	Output  struct {
		Kind    string
		Content string
	}
	Diagnostics []struct {
		Severity, Message, File string
		Line                    int
		Code                    string `json:"reason_code"`
	}
}

// exchange writes input to the plugin and reads its one line.
func exchange(t *testing.T, input string) response {
	t.Helper()
	python, plugin := script(t)
	cmd := exec.Command(python, plugin)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if bytes.Count(out, []byte("\n")) != 1 || !bytes.HasSuffix(out, []byte("\n")) {
		t.Fatalf("not one line: %q", out)
	}
	var r response
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	if r.Success != (r.Output.Kind == "diff") || r.Success != (len(r.Diagnostics) == 0) || !r.Success && r.Output.Kind != "empty" {
		t.Fatalf("an answer that contradicts itself: %s", out)
	}
	return r
}

func line(t *testing.T, c fixtures.Case) string {
	t.Helper()
	files, args := request(c)
	b, err := json.Marshal(map[string]any{"operation": c.Operation, "files": files, "arguments": args, "later": []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func TestPythonPluginFixtures(t *testing.T) {
	script(t)
	for _, c := range cases(t) {
		if c.Language != "python" && c.Class != "other-language" && c.Class != "plain" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r := exchange(t, line(t, c))
			if c.Language != "python" {
				if r.Success || r.Diagnostics[0].Code != "unsupported_language" {
					t.Errorf("got %+v, want a refusal with unsupported_language", r)
				}
				return
			}
			var refusal *rename.Refusal
			if !r.Success {
				d := r.Diagnostics[0]
				refusal = &rename.Refusal{Code: d.Code, Message: d.Message, File: d.File, Line: d.Line}
			}
			judge(t, c, r.Output.Content, refusal)
		})
	}
}

func TestPythonPluginRefusals(t *testing.T) {
	script(t)
	request := func(change func(r map[string]any)) string {
		r := map[string]any{
			"operation": "rename-symbol",
			"files":     []any{map[string]any{"path": "a.py", "content": "x = 1\n"}},
			"arguments": map[string]any{"uri": "file:///w/a.py", "position": "0", "new_name": "y"},
		}
		change(r)
		b, _ := json.Marshal(r)
		return string(b) + "\n"
	}
	argument := func(name string, value any) string {
		return request(func(r map[string]any) {
			if r["arguments"].(map[string]any)[name] = value; value == nil {
				delete(r["arguments"].(map[string]any), name)
			}
		})
	}
	content := func(s string) string {
		return request(func(r map[string]any) { r["files"] = []any{map[string]any{"path": "a.py", "content": s}} })
	}
	valid := request(func(map[string]any) {})
	if r := exchange(t, valid); !r.Success {
		t.Fatalf("the valid request was refused: %+v", r)
	}
	tests := []struct{ name, input, code string }{
		{"no input", "", "incomplete_payload"},
		{"empty line", "\n", "incomplete_payload"},
		{"garbage", "}{\x00\xff\n", "incomplete_payload"},
		{"truncated", valid[:40], "incomplete_payload"},
		{"array", "[1]\n", "incomplete_payload"},
		{"number", "1\n", "incomplete_payload"},
		{"NaN", strings.Replace(valid, `"0"`, "NaN", 1), "incomplete_payload"},
		{"invalid UTF-8", strings.Replace(valid, "x = 1", "x = '\xff'", 1), "incomplete_payload"},
		{"byte order mark", "\ufeff" + valid, "incomplete_payload"},
		{"half a surrogate pair", strings.Replace(valid, "x = 1", `x = '\ud800'`, 1), "incomplete_payload"},
		{"half a surrogate pair in the path", strings.Replace(valid, "a.py", `\ud800.py`, 1), "incomplete_payload"},
		{"deep nesting", strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + "\n", "incomplete_payload"},
		{"deep nesting in a field", `{"x":` + strings.Repeat(`{"a":`, 10000) + "1" + strings.Repeat("}", 10000) + "}\n", "incomplete_payload"},
		{"unknown operation", request(func(r map[string]any) { r["operation"] = "make-coffee" }), "operation_not_supported"},
		{"undeclared capability", request(func(r map[string]any) { r["operation"] = "extract-method" }), "operation_not_supported"},
		{"no operation", request(func(r map[string]any) { delete(r, "operation") }), "incomplete_payload"},
		{"no arguments", request(func(r map[string]any) { delete(r, "arguments") }), "incomplete_payload"},
		{"arguments of a wrong kind", request(func(r map[string]any) { r["arguments"] = "x" }), "incomplete_payload"},
		{"no files", request(func(r map[string]any) { r["files"] = []any{} }), "incomplete_payload"},
		{"files absent", request(func(r map[string]any) { delete(r, "files") }), "incomplete_payload"},
		{"file without content", request(func(r map[string]any) { r["files"] = []any{map[string]any{"path": "a.py"}} }), "incomplete_payload"},
		{"no uri", argument("uri", nil), "incomplete_payload"},
		{"blank uri", argument("uri", " "), "incomplete_payload"},
		{"other uri", argument("uri", "file:///w/b.py"), "incomplete_payload"},
		{"no file uri", argument("uri", "https://x.test/a.py"), "incomplete_payload"},
		{"position as a number", argument("position", 0), "incomplete_payload"},
		{"negative position", argument("position", "-1"), "incomplete_payload"},
		{"position that is no number", argument("position", "1:0"), "incomplete_payload"},
		{"position past the end", argument("position", "6"), "symbol_not_found"},
		{"huge position", argument("position", strings.Repeat("9", 5000)), "symbol_not_found"},
		{"null name", argument("new_name", []any{}), "incomplete_payload"},
		{"blank name", argument("new_name", "\t"), "incomplete_payload"},
		{"same name", argument("new_name", "x"), "name_conflict"},
		{"keyword", argument("new_name", "class"), "incomplete_payload"},
		{"no Python", content("x = = 1\n"), "symbol_not_found"},
		{"NUL in the text", content("x = 1\x00\n"), "symbol_not_found"},
		{"deep code", content("x = " + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000) + "\n"), "symbol_not_found"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := exchange(t, test.input)
			if r.Success || r.Diagnostics[0].Code != test.code || strings.TrimSpace(r.Diagnostics[0].Message) == "" {
				t.Errorf("got %+v, want a refusal with %s", r, test.code)
			}
		})
	}
}

// many answers each request line in one process, with the script's own functions.
const many = `
import sys, json
sys.path.insert(0, sys.argv[1])
import rename
for line in sys.stdin.buffer:
    try:
        print(json.dumps({"diff": rename.answer(line)}))
    except rename.Refusal as r:
        print(json.dumps({"code": r.diagnostic["reason_code"], "message": str(r)}))
`

// Both reference plugins answer alike at every byte of the Python fixtures and
// of the programs here. They share no code, so what both say is likely right.
func TestPythonPluginsAgree(t *testing.T) {
	python, plugin := script(t)
	programs := []string{pythonProgram}
	for _, c := range cases(t) {
		if s := string(c.Files[c.Target].Content); c.Language == "python" && !slices.Contains(programs, s) {
			programs = append(programs, s)
		}
	}
	type answer struct{ Diff, Code, Message string }
	var input bytes.Buffer
	var want []answer
	var where []string
	for n, source := range programs {
		for at := range len(source) + 1 {
			if at > 1 && at < len(source) && letter(source[at]) && letter(source[at-1]) && letter(source[at-2]) {
				continue // a third letter of a name tells nothing new
			}
			for _, name := range []string{"fresh_name", "x"} {
				files := []rename.File{{Path: "a.py", Content: source}}
				args := arguments("a.py", at, name)
				a := answer{}
				after, refusal := rename.Rename(files, args)
				if a.Diff = rename.Diff(files, after); refusal != nil {
					a.Code, a.Message = refusal.Code, refusal.Message
				}
				want = append(want, a)
				where = append(where, fmt.Sprintf("program %d, byte %d, to %s", n, at, name))
				b, _ := json.Marshal(map[string]any{"operation": "rename-symbol", "files": files, "arguments": args})
				input.Write(append(b, '\n'))
			}
		}
	}
	cmd := exec.Command(python, "-B", "-c", many, filepath.Dir(plugin))
	cmd.Stdin = &input
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(out))
	for i, w := range want {
		var got answer
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.Diff != w.Diff || got.Code != w.Code {
			t.Errorf("%s: the script says %q %q\n%s\nthe package %q %q\n%s", where[i], got.Code, got.Message, got.Diff, w.Code, w.Message, w.Diff)
		}
	}
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' }

const pythonProgram = `import os.path as p, sys
from a import (b, # b
   c as d)
x = 1
def f(x: x = x, *, k=2) -> x:
    """x"""
    def g():
        nonlocal x
        x = 5
    print(f"é{x}{x!r:>{x}} {{x}} {x=}" f'{x + (lambda x: x)(1)}{"x"}' "x")
    return [x for x in x if x] + [y for y in (x, k)]
class C:
    x = 2
    def m(self): return x, self.x, p.m, sys
f(x=3, k=4).m()
with open(b) as (x, [w, *v]), f(d) as d.e: pass
try: pass
except (OSError) as x: print(x)
for x in x: x += 1
total = last = 0; n: int = (lambda q, r=total: q + r)(1)
async def h(*args, **kwargs):
    global total, made
    total, made = [args
], {kwargs: y for y, z in args for z in y if (last2 := z)}
    return r"\{x}", rb'x', rf"\{total}", (yield), last2
if x: a = b; \
    e = a
@f(k=1)
class D(C, metaclass=C):
    def __init__(self, size): self.size = size; self.size += x
    def m2(self): self.size, y = 1, 2
print(D(size=1).size, made, a, e, h, n, w, v)
`
