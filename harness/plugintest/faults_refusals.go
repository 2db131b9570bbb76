package plugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// crashIf dies with a traceback on a line that is so.
func crashIf(is func([]byte) bool) func([]byte) []byte {
	return func(line []byte) []byte {
		if is(line) {
			fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\nValueError: no request")
			os.Exit(1)
		}
		return line
	}
}

// succeedIf reports a success, of a sort, on what should be refused.
func succeedIf(is func(*request) bool) func(*request, *response) {
	return func(r *request, resp *response) {
		if !resp.Success && is(r) {
			*resp = response{Success: true, Output: output{Kind: "diff"}, Diagnostics: []diagnostic{}}
		}
	}
}

func operationIs(name string) func(*request) bool {
	return func(r *request) bool { return r.operation == name }
}

// lacks and the like look at an argument of a rename.
func lacks(name string) func(*request) bool {
	return renameWith(func(r *request) bool { _, ok := r.arguments[name]; return r.arguments != nil && !ok })
}

func blank(name string) func(*request) bool {
	return renameWith(func(r *request) bool {
		var s string
		return text(r.arguments[name], &s) && s != "" && strings.TrimSpace(s) == ""
	})
}

func notAString(name string) func(*request) bool {
	return renameWith(func(r *request) bool {
		raw := r.arguments[name]
		return len(raw) > 0 && strings.ContainsRune("[0123456789", rune(raw[0]))
	})
}

func position(is func(string) bool) func(*request) bool {
	return renameWith(func(r *request) bool { return len(r.files) > 0 && is(r.argument("position")) })
}

// renameWith looks at requests that are whole but for their arguments.
func renameWith(is func(*request) bool) func(*request) bool {
	return func(r *request) bool { return r.operation == "rename-symbol" && is(r) }
}

var refusalFaults = []Fault{
	{Name: "does-any-operation", Catches: "jsonl.refuse.unknown-operation", About: "it reports success for an operation that nobody knows", Answer: succeedIf(operationIs("paint-it-blue"))},
	{Name: "does-undeclared", Catches: "jsonl.refuse.undeclared-capability", About: "it reports success for a capability that it does not declare", Answer: succeedIf(operationIs("extricate-symbol"))},
	{Name: "crashes-on-garbage", Catches: "jsonl.refuse.garbage", About: "a line that is no JSON kills it", Line: crashIf(func(l []byte) bool { return bytes.HasPrefix(l, []byte("}")) })},
	{Name: "crashes-on-empty-line", Catches: "jsonl.refuse.empty-line", About: "an empty line kills it", Line: crashIf(func(l []byte) bool { return string(l) == "\n" })},
	{Name: "crashes-on-no-input", Catches: "jsonl.refuse.no-input", About: "the end of stdin kills it", Line: crashIf(func(l []byte) bool { return len(l) == 0 })},
	{Name: "crashes-on-a-list", Catches: "jsonl.refuse.not-an-object", About: "a list kills it", Line: crashIf(func(l []byte) bool { return bytes.HasPrefix(l, []byte("[")) })},
	{Name: "crashes-on-half", Catches: "jsonl.refuse.truncated", About: "half a request kills it", Line: crashIf(func(l []byte) bool { return bytes.HasPrefix(l, []byte("{")) && !bytes.HasSuffix(l, []byte("\n")) })},
	{Name: "crashes-on-depth", Catches: "jsonl.refuse.deep-nesting", About: "deep nesting kills it", Line: crashIf(func(l []byte) bool { return bytes.Contains(l, []byte("[[[[[[[[")) })},
	{Name: "rejects-unknown-fields", Catches: "jsonl.tolerate.unknown-fields", About: "it refuses a request with a field that it does not know",
		Answer: refuseIf(func(r *request) bool { return bytes.Contains(r.line, []byte(`"x_unknown"`)) })},
	{Name: "crashes-on-short-files", Catches: "jsonl.property.valid-requests", About: "a file of a few bytes kills it",
		Line: crashIf(func(l []byte) bool {
			r, err := parse(l)
			return err == nil && r.operation == "rename-symbol" && len(r.files) == 1 && len(r.files[0].Content) < 9
		})},
	{Name: "guesses-at-broken-files", Catches: "jsonl.property.invalid-requests", About: "it makes up what a broken request lacks",
		Answer: succeedIf(func(r *request) bool {
			var v map[string]json.RawMessage
			return json.Unmarshal(r.line, &v) == nil && v != nil && (r.operation == "" || r.files == nil && string(v["files"]) != "[]")
		})},
}
