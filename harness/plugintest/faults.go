package plugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"plugcheck/harness/plugintest/rename"
)

// A Fault is a reference plugin with one thing wrong.
type Fault struct {
	Name    string
	Catches string // the check that is to catch it
	// Also holds globs of checks that cannot but fail with it.
	Also  []string
	About string
	Kind  string // the reference plugin that is spoilt; "" is rename

	Languages []string
	Config    string                                   // added to plugcheck.toml
	Manifest  func(dir string, m map[string]any)       // spoils the manifest
	Lay       func(dir string, m map[string]any) error // lays further files

	// The steps of the exchange, in their order.
	Start  func()
	Line   func([]byte) []byte
	Answer func(*request, *response)
	Bytes  func(*request, response, []byte) []byte
	End    func(response) int // returns the exit status
}

// Faults lists every fault. Each check of the catalogue has at least one.
func Faults() []Fault {
	return slices.Concat(manifestFaults, processFaults, responseFaults, refusalFaults, renameFaults, draftFaults, realFaults)
}

// Named finds a fault.
func Named(name string) (Fault, bool) {
	for _, f := range slices.Concat(Faults(), Hostile()) {
		if f.Name == name {
			return f, true
		}
	}
	return Fault{}, false
}

// Reference is the reference plugin that the fault spoils.
func (f Fault) Reference() Plugin {
	for _, p := range References() {
		if p.Kind == f.Kind || f.Kind == "" && p.Kind == "rename" {
			return p
		}
	}
	panic("fault " + f.Name + " spoils no reference plugin")
}

// Write lays the faulty plugin into a folder.
func (f Fault) Write(dir string) error { return f.Reference().Lay(dir, f) }

func set(key string, value any) func(string, map[string]any) {
	return func(_ string, m map[string]any) { m[key] = value }
}

var manifestFaults = []Fault{
	{Name: "manifest-without-version", Catches: "jsonl.manifest.shape", About: "the manifest lacks its version",
		Manifest: func(_ string, m map[string]any) { delete(m, "version") }},
	{Name: "manifest-unknown-capability", Catches: "jsonl.manifest.known-capabilities", About: "the manifest declares a capability that is none",
		Manifest: set("capabilities", []string{"rename-symbol", "rename_everything"})},
	{Name: "sensor-with-capability", Catches: "jsonl.manifest.sensor-without-capabilities", Kind: "sensor", About: "a sensor declares a capability",
		Manifest: set("capabilities", []string{"rename-symbol"})},
	{Name: "manifest-relative-executable", Catches: "jsonl.manifest.executable", About: "the executable is a relative path",
		Lay: func(dir string, m map[string]any) error {
			self := m["executable"].(string)
			m["executable"] = "plugin" + filepath.Ext(self)
			return os.Symlink(self, filepath.Join(dir, "plugin"+filepath.Ext(self)))
		}},
	{Name: "manifest-language-twice", Catches: "jsonl.manifest.languages", About: "a language is listed twice, in another case",
		Manifest: set("languages", []string{"python", "Python"})},
}

// helper starts a process that outlives the plugin.
func helper(holdStdout bool) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, start, "sleeper")
	if holdStdout {
		cmd.Stdout = os.Stdout
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// sleep is what a process does that has nothing more to do and does not leave.
func sleep() { time.Sleep(time.Hour) }

func prefix(text string) func(*request, response, []byte) []byte {
	return func(_ *request, _ response, b []byte) []byte { return append([]byte(text), b...) }
}

func suffix(text string) func(*request, response, []byte) []byte {
	return func(_ *request, _ response, b []byte) []byte { return append(b, text...) }
}

// remark adds a diagnostic that changes nothing.
func remark(text string) func(*request, *response) {
	return func(_ *request, resp *response) {
		resp.Diagnostics = append(resp.Diagnostics, diagnostic{Severity: "info", Message: text})
	}
}

// refuseIf refuses when something about the request or the surroundings is so.
func refuseIf(is func(*request) bool) func(*request, *response) {
	return func(r *request, resp *response) {
		if is(r) {
			*resp = refusal("symbol_not_found", "the symbol was not found")
		}
	}
}

func content(r *request) string {
	if len(r.files) == 0 {
		return ""
	}
	return r.files[len(r.files)-1].Content
}

var processFaults = []Fault{
	{Name: "hangs-after-answer", Catches: "jsonl.in-time", About: "it answers and does not leave",
		Manifest: set("timeout_secs", 1), End: func(response) int { sleep(); return 0 }},
	{Name: "helper-holds-stdout", Catches: "jsonl.closes-stdout", About: "a helper that it started holds stdout after it has left",
		End: func(response) int { helper(true); return 0 }},
	{Name: "leaves-a-helper", Catches: "jsonl.no-orphans", About: "a helper that it started is left running",
		End: func(response) int { helper(false); return 0 }},
	{Name: "log-line-before", Catches: "jsonl.one-line", About: "a log line precedes the answer", Bytes: prefix("INFO ready\n")},
	{Name: "exit-1-on-refusal", Catches: "jsonl.exit-zero", About: "it leaves with status 1 when it refuses",
		End: func(r response) int {
			if r.Success {
				return 0
			}
			return 1
		}},
	{Name: "byte-order-mark", Catches: "jsonl.clean-bytes", About: "the output begins with a byte order mark", Bytes: prefix("\xef\xbb\xbf")},
	{Name: "no-final-newline", Catches: "jsonl.final-newline", About: "the line does not end",
		Bytes: func(_ *request, _ response, b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) }},
	{Name: "name-twice", Catches: "jsonl.strict-json", About: "the answer has the name success twice",
		Bytes: func(_ *request, _ response, b []byte) []byte { return append([]byte(`{"success":true,`), b[1:]...) }},
	{Name: "writes-before-reading", Catches: "jsonl.waits-for-input", About: "it begins its answer before it has read the request",
		Start: func() { os.Stdout.WriteString("{") },
		Bytes: func(_ *request, _ response, b []byte) []byte { return b[1:] }},
	{Name: "needs-stderr", Catches: "jsonl.stderr-flood", About: "it logs a megabyte, and fails when the log goes nowhere",
		Start: func() {
			os.Stderr.Write(bytes.Repeat([]byte("debug: nothing to see here\n"), 40_000))
			if info, err := os.Stderr.Stat(); err != nil || info.Mode()&os.ModeDevice != 0 {
				os.Exit(1)
			}
		}},
	{Name: "reads-64-kib", Catches: "jsonl.large-input", About: "it reads 64 KiB of its request and not more",
		Line: func(line []byte) []byte { return line[:min(len(line), 64<<10)] }, Also: []string{"jsonl.large-output"}},
	{Name: "no-large-answers", Catches: "jsonl.large-output", About: "it refuses when its answer would be large",
		Answer: func(r *request, resp *response) {
			if len(resp.Output.Content) > 60<<10 {
				*resp = refusal("incomplete_payload", "the answer would be too large")
			}
		}},
	{Name: "temporary-file", Catches: "jsonl.no-filesystem", About: "it needs a temporary file",
		Answer: refuseIf(func(*request) bool {
			f, err := os.CreateTemp("", "plugin")
			if err != nil {
				return true
			}
			f.Close()
			os.Remove(f.Name())
			return false
		})},
	{Name: "needs-home", Catches: "jsonl.environment", About: "it needs HOME",
		Answer: refuseIf(func(*request) bool { return os.Getenv("HOME") == "" })},
	{Name: "trusts-git-dir", Catches: "jsonl.user-config", About: "it looks for the file in GIT_DIR",
		Answer: refuseIf(func(*request) bool { return os.Getenv("GIT_DIR") != "" })},
	{Name: "random-order", Catches: "jsonl.deterministic", About: "its answer holds the time",
		Answer: func(r *request, resp *response) {
			remark(fmt.Sprintf("answered at %d", time.Now().UnixNano()))(r, resp)
		}},
	{Name: "shared-lock", Catches: "jsonl.concurrent", About: "it refuses while another one works",
		Answer: refuseIf(func(*request) bool {
			lock := filepath.Join(os.TempDir(), "plugin.lock")
			f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return os.IsExist(err)
			}
			f.Close()
			time.Sleep(30 * time.Millisecond)
			os.Remove(lock)
			return false
		})},
}

var responseFaults = []Fault{
	{Name: "unknown-kind", Catches: "jsonl.response.schema", About: "the output is of the kind patch",
		Bytes: func(_ *request, _ response, b []byte) []byte {
			return bytes.Replace(b, []byte(`"kind":"diff"`), []byte(`"kind":"patch"`), 1)
		}},
	{Name: "sensor-answers-empty", Catches: "jsonl.response.sensor-analysis", Kind: "sensor", About: "a sensor's success is empty",
		Answer: func(_ *request, resp *response) {
			if resp.Success {
				resp.Output = output{Kind: "empty"}
			}
		}},
	{Name: "unknown-reason-code", Catches: "jsonl.response.known-reason-codes", About: "it refuses with a code of its own",
		Answer: func(_ *request, resp *response) {
			if !resp.Success {
				resp.Diagnostics[0].ReasonCode = "not_found"
			}
		}},
	{Name: "refuses-in-silence", Catches: "jsonl.response.failure-has-diagnostic", About: "it refuses and does not say why",
		Answer: func(_ *request, resp *response) {
			if !resp.Success {
				resp.Diagnostics = []diagnostic{}
			}
		}},
	{Name: "refuses-with-a-diff", Catches: "jsonl.response.failure-is-empty", About: "it refuses and sends a diff all the same",
		Answer: func(_ *request, resp *response) {
			if !resp.Success {
				resp.Output = output{Kind: "diff"}
			}
		}},
	{Name: "blank-message", Catches: "jsonl.response.messages-for-people", About: "its message is blank",
		Answer: func(_ *request, resp *response) {
			if !resp.Success {
				resp.Diagnostics[0].Message = " "
			}
		}},
	{Name: "no-reason-code", Catches: "jsonl.refuse.reason-code", About: "it refuses without a reason code",
		Answer: func(_ *request, resp *response) {
			if !resp.Success {
				resp.Diagnostics[0].ReasonCode = ""
			}
		}},
}

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

var word = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// wordAt is the word at a position or the next one behind it.
func wordAt(text string, at int) string {
	at = max(0, min(at, len(text)))
	for _, m := range word.FindAllStringIndex(text, -1) {
		if m[1] > at {
			return text[m[0]:m[1]]
		}
	}
	return ""
}

// careless replaces every word that is the one at the position, wherever it stands.
func careless(r *request, to string) response {
	var at int
	fmt.Sscanf(r.argument("position"), "%d", &at)
	i := slices.IndexFunc(r.files, func(f rename.File) bool { return strings.HasSuffix(r.argument("uri"), f.Path) })
	i = max(i, 0)
	old := wordAt(r.files[i].Content, at)
	after := slices.Clone(r.files)
	after[i].Content = word.ReplaceAllStringFunc(after[i].Content, func(w string) string {
		if w == old {
			return to
		}
		return w
	})
	return success(r.files, after)
}

// carelessIf replaces words where the reference plugin does something else.
func carelessIf(is func(r *request, resp *response) bool) func(*request, *response) {
	return func(r *request, resp *response) {
		if r.operation == "rename-symbol" && len(r.files) > 0 && is(r, resp) {
			*resp = careless(r, r.argument("new_name"))
		}
	}
}

func refusedWith(code string) func(*request, *response) bool {
	return func(_ *request, resp *response) bool { return !resp.Success && resp.Diagnostics[0].ReasonCode == code }
}

// inRange reports whether the position is a byte offset in the file.
func inRange(r *request) bool {
	at := -1
	fmt.Sscanf(r.argument("position"), "%d", &at)
	return at >= 0 && at <= len(content(r)) && !strings.Contains(r.argument("position"), ":")
}

// countsIn reads the position in another unit.
func countsIn(bytesBefore func(text string, at int) int) func(*request, *response) {
	return func(r *request, resp *response) {
		at, err := strconv.Atoi(r.argument("position"))
		if err != nil || at < 0 || len(r.files) != 1 || r.operation != "rename-symbol" || at > len(content(r)) {
			return
		}
		args := map[string]json.RawMessage{}
		for k, v := range r.arguments {
			args[k] = v
		}
		args["position"] = json.RawMessage(fmt.Sprintf(`"%d"`, bytesBefore(content(r), at)))
		after, refused := rename.Rename(r.files, args)
		if refused != nil {
			*resp = refusedBecause(r, refused)
			return
		}
		*resp = success(r.files, after)
	}
}

func characters(text string, at int) int {
	n := 0
	for i := range text {
		if n == at {
			return i
		}
		n++
	}
	return len(text)
}

func utf16Units(text string, at int) int {
	n := 0
	for i, r := range text {
		if n >= at {
			return i
		}
		n++
		if r > 0xffff {
			n++
		}
	}
	return len(text)
}

// firstLine takes the position for a column of the first line, as a plugin does
// that hands it to a language server as {line: 0, character: position}.
func firstLine(text string, at int) int {
	line, _, _ := strings.Cut(text, "\n")
	return min(at, len(line))
}

// diffOf changes the text of a successful patch.
func diffOf(change func(r *request, diff string) string) func(*request, *response) {
	return func(r *request, resp *response) {
		// A file without a final newline is left to the faults that are about it.
		if resp.Success && resp.Output.Kind == "diff" && strings.HasSuffix(content(r), "\n") {
			resp.Output.Content = change(r, resp.Output.Content)
		}
	}
}

// afterOf changes the files after a successful rename.
func afterOf(change func(r *request, after string) string) func(*request, *response) {
	return func(r *request, resp *response) {
		if !resp.Success || r.operation != "rename-symbol" {
			return
		}
		after, refused := rename.Rename(r.files, r.arguments)
		if refused != nil {
			return
		}
		last := len(after) - 1
		after[last].Content = change(r, after[last].Content)
		*resp = success(r.files, after)
	}
}

var hunkHeader = regexp.MustCompile(`(?m)^@@ -(\d+),(\d+)`)

var renameFaults = []Fault{
	{Name: "success-without-diff", Catches: "rename.success-is-diff", About: "a success is empty",
		Answer: func(_ *request, resp *response) {
			if resp.Success {
				resp.Output = output{Kind: "empty"}
			}
		}},
	{Name: "whole-file", Catches: "rename.patch.format", About: "it sends the whole file in place of a patch",
		Answer: func(r *request, resp *response) {
			if resp.Success && len(r.files) > 0 {
				resp.Output.Content = strings.ReplaceAll(content(r), wordAt(content(r), 0), "changed")
			}
		}},
	{Name: "wrong-counts", Catches: "rename.patch.counts", About: "hunk headers count one line too many",
		Answer: diffOf(func(_ *request, d string) string {
			return hunkHeader.ReplaceAllStringFunc(d, func(h string) string { return h + "9" })
		})},
	{Name: "path-outside", Catches: "rename.patch.paths", About: "the patch names a file above the workspace",
		Answer: diffOf(func(r *request, d string) string {
			lines := strings.SplitAfter(d, "\n")
			if len(lines) > 2 {
				lines[0], lines[1] = "--- a/../outside\n", "+++ b/../outside\n"
			}
			return strings.Join(lines, "")
		})},
	{Name: "wrong-context", Catches: "rename.patch.applies", About: "the patch is made from another text",
		Answer: diffOf(func(_ *request, d string) string { return strings.ReplaceAll(d, "\n-", "\n-stale ") })},
	{Name: "changes-nothing", Catches: "rename.patch.changes", About: "the patch changes nothing",
		Answer: diffOf(func(_ *request, d string) string {
			var b strings.Builder
			for line := range strings.Lines(d) {
				switch {
				case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++"):
				case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---"):
					b.WriteString(line + "+" + line[1:])
				default:
					b.WriteString(line)
				}
			}
			return b.String()
		})},
	{Name: "reformats", Catches: "rename.elsewhere-untouched", About: "it takes white space away at line ends and elsewhere",
		Answer: afterOf(func(_ *request, after string) string { return strings.ReplaceAll(after, "(", "( ") })},
	{Name: "renames-half", Catches: "rename.renames", About: "it leaves the last occurrence as it was", Also: everyWantedText,
		Answer: afterOf(func(r *request, after string) string {
			to := r.argument("new_name")
			if i := strings.LastIndex(after, to); strings.Count(after, to) > 1 {
				var at int
				fmt.Sscanf(r.argument("position"), "%d", &at)
				return after[:i] + wordAt(content(r), at) + after[i+len(to):]
			}
			return after
		})},
	{Name: "counts-characters", Catches: "rename.byte-offset", About: "it takes the position for characters", Also: multiByte, Answer: countsIn(characters)},
	{Name: "counts-utf-16", Catches: "rename.byte-offset", About: "it takes the position for UTF-16 units", Also: multiByte, Answer: countsIn(utf16Units)},
	{Name: "counts-columns", Catches: "rename.byte-offset", About: "it takes the position for a column of the first line", Also: append([]string{"jsonl.refuse.reason-code", "rename.ambiguous"}, everyWantedText...), Answer: countsIn(firstLine)},
	{Name: "not-with-crlf", Catches: "rename.crlf", About: "it finds nothing in a file with CRLF", Answer: refuseIf(func(r *request) bool { return strings.Contains(content(r), "\r\n") })},
	{Name: "not-without-newline", Catches: "rename.no-final-newline", About: "it finds nothing in a file without a final newline", Answer: refuseIf(func(r *request) bool { return len(r.files) > 0 && !strings.HasSuffix(content(r), "\n") })},
	{Name: "not-with-tabs", Catches: "rename.tabs", About: "it finds nothing in a file with tabs", Answer: refuseIf(func(r *request) bool { return strings.Contains(content(r), "\t") })},
	{Name: "not-with-bom", Catches: "rename.bom", About: "it finds nothing behind a byte order mark", Answer: refuseIf(func(r *request) bool { return strings.HasPrefix(content(r), "\ufeff") })},
	{Name: "not-with-unicode-path", Catches: "rename.unicode-path", About: "it does not decode the uri", Answer: refuseIf(func(r *request) bool {
		return len(r.files) > 0 && strings.ContainsFunc(r.files[0].Path, func(c rune) bool { return c > 127 })
	})},
	{Name: "not-with-spaces", Catches: "rename.path-with-spaces", About: "it cuts the path at a space", Answer: refuseIf(func(r *request) bool { return len(r.files) > 0 && strings.Contains(r.files[0].Path, " ") })},
	{Name: "renames-mentions", Catches: "rename.scopes", About: "it renames every word that looks like the symbol",
		Answer: carelessIf(func(_ *request, resp *response) bool { return resp.Success })},
	{Name: "changes-the-other-file", Catches: "rename.two-files", About: "it changes a file that the uri does not name",
		Answer: func(r *request, resp *response) {
			if resp.Success && len(r.files) > 1 {
				after := slices.Clone(r.files)
				after[0].Content = strings.Replace(after[0].Content, "unrelated", "changed", 1)
				*resp = success(r.files, after)
			}
		}},
	{Name: "writes-forbidden-name", Catches: "rename.locks", About: "it writes a name that the lock forbids", Also: append([]string{"rename.elsewhere-untouched"}, everyWantedText...),
		Config: "lock = \"! grep -rq forbidden_name .\"\n",
		Answer: afterOf(func(r *request, after string) string {
			return word.ReplaceAllStringFunc(after, func(w string) string {
				if w == r.argument("new_name") {
					return "forbidden_name"
				}
				return w
			})
		})},
	{Name: "forgets-uses-of-some", Catches: "rename.property.round-trip", About: "it renames the declaration of some names and not their uses",
		Answer: afterOf(func(r *request, after string) string {
			var at int
			fmt.Sscanf(r.argument("position"), "%d", &at)
			old, to := wordAt(content(r), at), r.argument("new_name")
			if old != "omega_2" && old != "sigmaTwo" && old != "kappa" {
				return after
			}
			i := strings.Index(after, to) + len(to)
			return after[:i] + strings.ReplaceAll(after[i:], to, old)
		})},
	{Name: "breaks-own-promise", Catches: "rename.own-cases", About: "it does not do what its author's case says",
		Answer: refuseIf(func(r *request) bool { return strings.Contains(content(r), "packet = 1") })},
	{Name: "defaults-uri", Catches: "rename.missing.uri", About: "it takes the first file when no uri is given", Answer: succeedIf(lacks("uri"))},
	{Name: "defaults-position", Catches: "rename.missing.position", About: "it takes the first symbol when no position is given", Answer: succeedIf(lacks("position"))},
	{Name: "defaults-new-name", Catches: "rename.missing.new_name", About: "it makes up a name when none is given", Answer: succeedIf(lacks("new_name"))},
	{Name: "takes-blank-uri", Catches: "rename.blank.uri", About: "it takes a blank uri", Answer: succeedIf(blank("uri"))},
	{Name: "takes-blank-position", Catches: "rename.blank.position", About: "it takes a blank position", Answer: succeedIf(blank("position"))},
	{Name: "takes-blank-name", Catches: "rename.blank.new_name", About: "it takes a blank name", Answer: succeedIf(blank("new_name"))},
	{Name: "takes-uri-list", Catches: "rename.not-a-string.uri", About: "it takes a list for a uri", Answer: succeedIf(notAString("uri"))},
	{Name: "takes-position-number", Catches: "rename.not-a-string.position", About: "it takes a number for a position", Answer: succeedIf(notAString("position"))},
	{Name: "takes-name-list", Catches: "rename.not-a-string.new_name", About: "it takes a list for a name", Answer: succeedIf(notAString("new_name"))},
	{Name: "takes-negative", Catches: "rename.position.negative", About: "it counts a negative position from the end", Answer: succeedIf(position(func(p string) bool { return strings.HasPrefix(p, "-") }))},
	{Name: "takes-line-and-column", Catches: "rename.position.not-a-number", About: "it takes line and column", Answer: succeedIf(position(func(p string) bool { return strings.Contains(p, ":") }))},
	{Name: "clamps-position", Catches: "rename.position.past-end", About: "it clamps a position past the end",
		Answer: succeedIf(renameWith(func(r *request) bool {
			at := 0
			fmt.Sscanf(r.argument("position"), "%d", &at)
			return len(r.files) > 0 && at > len(content(r))+500
		}))},
	{Name: "needs-no-file", Catches: "rename.no-file", About: "it reports success without a file", Answer: succeedIf(func(r *request) bool {
		return r.operation == "rename-symbol" && r.files == nil && len(r.arguments) == 3 && bytes.Contains(r.line, []byte(`"files":[]`))
	})},
	{Name: "does-any-language", Catches: "rename.other-language", About: "it renames in a language that it does not list", Answer: carelessIf(refusedWith("unsupported_language"))},
	{Name: "renames-the-nearest", Catches: "rename.no-symbol-here", About: "it renames the nearest word", Answer: carelessIf(func(r *request, resp *response) bool {
		return refusedWith("symbol_not_found")(r, resp) && inRange(r) && word.MatchString(content(r))
	})},
	{Name: "ignores-conflicts", Catches: "rename.conflict", About: "it does not look whether the name is taken", Answer: carelessIf(func(r *request, resp *response) bool {
		return refusedWith("name_conflict")(r, resp) && !sameName(r)
	})},
	{Name: "takes-same-name", Catches: "rename.same-name", About: "it reports success when nothing is to change", Answer: succeedIf(sameName)},
	{Name: "writes-any-name", Catches: "rename.bad-identifier", About: "it writes a name that is no identifier", Answer: carelessIf(func(r *request, resp *response) bool {
		to := r.argument("new_name")
		return !resp.Success && inRange(r) && strings.TrimSpace(to) != "" && !rename.Identifier("python", to)
	})},
	{Name: "renames-macros", Catches: "rename.macro", About: "it renames what a macro writes", Languages: []string{"rust"}, Answer: carelessIf(refusedWith("macro_generated"))},
	{Name: "picks-one", Catches: "rename.ambiguous", About: "it picks one of several meanings", Answer: carelessIf(refusedWith("ambiguous_references"))},
}

func sameName(r *request) bool {
	if r.operation != "rename-symbol" || !inRange(r) || r.argument("new_name") == "" {
		return false
	}
	var at int
	fmt.Sscanf(r.argument("position"), "%d", &at)
	return wordAt(content(r), at) == r.argument("new_name")
}

// everyWantedText lists the checks that compare the text after the patch.
var everyWantedText = []string{"rename.renames", "rename.byte-offset", "rename.crlf", "rename.no-final-newline", "rename.tabs", "rename.bom",
	"rename.unicode-path", "rename.path-with-spaces", "rename.scopes", "rename.two-files", "rename.property.round-trip", "rename.locks",
	"jsonl.large-output", "jsonl.large-input"}

// multiByte lists the checks whose texts hold multi-byte characters before the symbol.
var multiByte = []string{"rename.bom", "rename.scopes", "rename.property.round-trip", "rename.no-symbol-here", "rename.ambiguous", "rename.conflict"}

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

// Hostile are plugins that mean harm, or act as if they did. They are kept
// apart from the faults: what they break is the kit, if anything.
func Hostile() []Fault {
	return []Fault{
		{Name: "endless-output", About: "it never stops writing", Start: func() {
			for chunk := bytes.Repeat([]byte("x"), 1<<16); ; {
				if _, err := os.Stdout.Write(chunk); err != nil {
					os.Exit(1)
				}
			}
		}},
		{Name: "ten-gigabytes", About: "its answer has 10 GB", Bytes: func(_ *request, _ response, b []byte) []byte {
			os.Stdout.WriteString(`{"success":true,"output":{"kind":"diff","content":"`)
			chunk := bytes.Repeat([]byte("y"), 1<<20)
			for range 10 << 10 {
				if _, err := os.Stdout.Write(chunk); err != nil {
					os.Exit(1)
				}
			}
			return []byte("\"}}\n")
		}},
		{Name: "fork-storm", About: "it starts a hundred sleepers", End: func(response) int {
			for range 100 {
				helper(false)
			}
			return 0
		}},
		{Name: "ignores-sigterm", About: "it ignores SIGTERM and never leaves", Manifest: set("timeout_secs", 1), Start: func() { ignoreTerm(); sleep() }},
		{Name: "closes-stdout", About: "it closes stdout and lives on", Manifest: set("timeout_secs", 1), End: func(response) int { os.Stdout.Close(); sleep(); return 0 }},
		{Name: "never-reads", About: "it never reads", Manifest: set("timeout_secs", 1), Start: sleep},
		{Name: "leaves-at-once", About: "it leaves before it has read anything", Start: func() { os.Exit(0) }},
		{Name: "floods-stderr", About: "it never stops logging", Manifest: set("timeout_secs", 1), Start: func() {
			for chunk := bytes.Repeat([]byte("x"), 1<<16); ; {
				os.Stderr.Write(chunk)
			}
		}},
		{Name: "deletes-its-folder", About: "it deletes what it can reach", End: func(response) int {
			dir, _ := os.Getwd()
			os.RemoveAll(dir)
			os.RemoveAll(os.Getenv("HOME"))
			return 0
		}},
	}
}
