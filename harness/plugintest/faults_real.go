package plugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"plugcheck/harness/plugintest/rename"
)

// drafts are the capabilities without a published contract.
var drafts = []string{"extricate-symbol", "extract-method", "replace-body", "extract-predicate"}

var draftFaults = func() []Fault {
	var list []Fault
	for _, operation := range drafts {
		list = append(list,
			// The first capability is the one that plain requests ask for: it must not be this one.
			Fault{Name: "crashes-on-" + operation, Kind: "transform", Manifest: func(_ string, m map[string]any) {
				rest := slices.DeleteFunc(slices.Clone(drafts), func(d string) bool { return d == operation })
				m["capabilities"] = append(rest, operation)
			}, Catches: operation + ".answers", About: "a request for " + operation + " kills it",
				Line: crashIf(func(l []byte) bool { return bytes.Contains(l, []byte(`"operation":"`+operation+`"`)) }), Also: []string{operation + ".success-is-diff"}},
			Fault{Name: "no-diff-for-" + operation, Kind: "transform", Catches: operation + ".success-is-diff", About: "a success of " + operation + " is an analysis",
				Answer: func(r *request, resp *response) {
					if resp.Success && r.operation == operation {
						resp.Output = output{Kind: "analysis", Data: 1}
					}
				}})
	}
	return list
}()

// onSuccess spoils the bytes of successes only.
func onSuccess(change func([]byte) []byte) func(*request, response, []byte) []byte {
	return func(_ *request, resp response, b []byte) []byte {
		if resp.Success {
			return change(b)
		}
		return b
	}
}

// realFaults were seen in plugins of others; the checks above catch them too.
var realFaults = []Fault{
	{Name: "search-replace", Catches: "rename.patch.format", About: "its patch is a diff --git line with SEARCH/REPLACE blocks, as two published plugins send it",
		Answer: func(r *request, resp *response) {
			if !resp.Success || r.operation != "rename-symbol" {
				return
			}
			after, refused := rename.Rename(r.files, r.arguments)
			if refused != nil {
				return
			}
			resp.Output.Content = SearchReplace(r.files, after)
		}},
	{Name: "log-line-after", Catches: "jsonl.one-line", About: "a log line follows the answer", Bytes: suffix("done in 3 ms\n")},
	{Name: "pretty-printed", Catches: "jsonl.one-line", About: "the answer is spread over several lines",
		Bytes: func(_ *request, _ response, b []byte) []byte {
			var out bytes.Buffer
			json.Indent(&out, b, "", "  ")
			return out.Bytes()
		}},
	{Name: "two-answers", Catches: "jsonl.one-line", About: "it answers twice",
		Bytes: func(_ *request, _ response, b []byte) []byte { return append(b, b...) }},
	{Name: "two-answers-one-line", Catches: "jsonl.one-line", About: "it answers twice on one line",
		Bytes: func(_ *request, _ response, b []byte) []byte { return append(bytes.TrimSpace(b), b...) }},
	{Name: "refusal-on-stderr", Catches: "jsonl.refuse.unknown-operation", About: "a refusal goes to stderr and nothing to stdout", Also: []string{"jsonl.refuse.*", "rename.*"},
		Bytes: func(_ *request, resp response, b []byte) []byte {
			if resp.Success {
				return b
			}
			os.Stderr.Write(b)
			return nil
		}},
	{Name: "python-repr", Catches: "jsonl.strict-json", About: "it prints a dict and not JSON",
		Bytes: func(*request, response, []byte) []byte {
			return []byte("{'success': False, 'output': {'kind': 'empty'}, 'diagnostics': []}\n")
		}},
	{Name: "nan", Catches: "jsonl.strict-json", Kind: "sensor", About: "a score is NaN",
		Bytes: onSuccess(func(b []byte) []byte { return bytes.Replace(b, []byte(`"files"`), []byte(`"score":NaN,"files"`), 1) })},
	{Name: "cut-at-64-kib", Catches: "jsonl.strict-json", About: "it leaves before the rest of a large answer was written", Also: []string{"jsonl.large-output"},
		Bytes: func(_ *request, _ response, b []byte) []byte { return b[:min(len(b), 64<<10)] }},
	{Name: "colours", Catches: "jsonl.clean-bytes", About: "it colours its output", Bytes: prefix("\x1b[32m")},
	{Name: "latin-1", Catches: "jsonl.clean-bytes", About: "a byte of its output is Latin-1",
		Answer: remark("caf\u00e9"),
		Bytes: func(_ *request, _ response, b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("caf\u00e9"), []byte("caf\xe9"))
		}},
	{Name: "utf-16", Catches: "jsonl.clean-bytes", About: "its output is UTF-16", Also: []string{"jsonl.one-line"},
		Bytes: func(_ *request, _ response, b []byte) []byte {
			out := []byte{0xff, 0xfe}
			for _, c := range b {
				out = append(out, c, 0)
			}
			return out
		}},
	{Name: "capital-letters", Catches: "jsonl.response.schema", About: "it writes Success with a capital letter",
		Bytes: func(_ *request, _ response, b []byte) []byte {
			return bytes.Replace(b, []byte(`"success"`), []byte(`"Success"`), 1)
		}},
	{Name: "line-as-float", Catches: "jsonl.response.schema", About: "a line number has a fraction",
		Answer: func(r *request, resp *response) {
			if !resp.Success && len(r.files) > 0 {
				resp.Diagnostics[0].File, resp.Diagnostics[0].Line = r.files[0].Path, 1
			}
		},
		Bytes: func(_ *request, _ response, b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(`"line":1`), []byte(`"line":1.0`))
		}},
	{Name: "crlf-to-lf", Catches: "rename.patch.applies", About: "it reads CRLF as LF", Also: []string{"rename.crlf"},
		Answer: diffOf(func(_ *request, d string) string { return strings.ReplaceAll(d, "\r\n", "\n") })},
	{Name: "converts-crlf", Catches: "rename.elsewhere-untouched", About: "it writes LF where CRLF stood", Also: []string{"rename.crlf"},
		Answer: afterOf(func(_ *request, after string) string { return strings.ReplaceAll(after, "\r\n", "\n") })},
	{Name: "difflib-without-marker", Catches: "rename.patch.counts", About: "the marker of a missing final newline is missing", Also: []string{"rename.no-final-newline"},
		Answer: func(_ *request, resp *response) {
			resp.Output.Content = strings.ReplaceAll(resp.Output.Content, "\n\\ No newline at end of file\n", "")
		}},
	{Name: "absolute-path", Catches: "rename.patch.paths", About: "its patch names the absolute path",
		Answer: diffOf(func(_ *request, d string) string {
			return strings.NewReplacer("--- a/", "--- /workspace/", "+++ b/", "+++ /workspace/").Replace(d)
		})},
	{Name: "wrong-file-named", Catches: "jsonl.response.messages-for-people", About: "a diagnostic names a file of the plugin's own",
		Answer: func(_ *request, resp *response) {
			if !resp.Success {
				resp.Diagnostics[0].File = "/usr/lib/plugin/main.py"
			}
		}},
}

// SearchReplace writes the changes as blocks of whole files.
func SearchReplace(before, after []rename.File) string {
	var b strings.Builder
	for i, f := range before {
		if f.Content == after[i].Content {
			continue
		}
		fmt.Fprintf(&b, "diff --git a/%s b/%s\n<<<<<<< SEARCH\n%s=======\n%s>>>>>>> REPLACE\n", f.Path, f.Path, ended(f.Content), ended(after[i].Content))
	}
	return b.String()
}

func ended(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
