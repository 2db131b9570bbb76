package plugintest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

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
