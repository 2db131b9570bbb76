package plugintest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// vetoed is a fault of what is printed with a veto; passed one of what is printed without.
func vetoed(change func(text string) string) func(verdict, []byte) []byte {
	return func(v verdict, text []byte) []byte {
		if !v.veto {
			return text
		}
		return []byte(change(strings.TrimSpace(string(text))))
	}
}

func passed(text string) func(verdict, []byte) []byte {
	return func(v verdict, b []byte) []byte {
		if v.veto {
			return b
		}
		return []byte(text)
	}
}

// instead prints a text in place of a veto.
func instead(text string) func(verdict, []byte) []byte {
	return vetoed(func(string) string { return text })
}

func setting(name string, value any) func(map[string]any) {
	return func(m map[string]any) { m[name] = value }
}

// lets takes a veto back when something is so.
func lets(is func(e map[string]any) bool) func(map[string]any, *verdict) {
	return func(e map[string]any, v *verdict) {
		if is(e) {
			v.veto, v.reason = false, ""
		}
	}
}

// crashes ends the process as an exception does, when something is so.
func crashes(is func(text []byte, e map[string]any) bool) func([]byte, map[string]any) {
	return func(text []byte, e map[string]any) {
		if is(text, e) {
			fmt.Fprintln(os.Stderr, "TypeError: this was not foreseen")
			os.Exit(1)
		}
	}
}

func metadataOf(e map[string]any) map[string]any {
	m, _ := e["metadata"].(map[string]any)
	return m
}

func inAgentMode() bool { return os.Getenv("CORVEE_AGENT_MODE") == "1" }

// quick is the time limit of faults that hang.
const quick = 2 * time.Second

// utf16LE is a text as PowerShell writes it.
func utf16LE(text string) string {
	var b bytes.Buffer
	for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		binary.Write(&b, binary.LittleEndian, unit) // a buffer takes everything
	}
	return b.String()
}

var vetoFaults = slices.Concat(lostVetoes, []VetoFault{
	{Name: "veto-events-text", Catches: "veto.manifest.shape", About: "events is a string", Manifest: setting("events", "completed")},
	{Name: "veto-command-outside", Catches: "veto.manifest.command", About: "the command is a link out of the plugin's folder",
		Lay: func(dir string) error {
			elsewhere, err := exec.LookPath("cat")
			if err != nil {
				return err
			}
			command := filepath.Join(dir, "guard")
			return errors.Join(os.Remove(command), os.Symlink(elsewhere, command))
		}, Also: []string{"veto.single-object", "veto.strict-json"}},
	{Name: "veto-event-misspelt", Catches: "veto.manifest.events", About: "an event is written in another way",
		Manifest: setting("events", []string{"status_changed", "completed", "Item-Created"})},
	{Name: "veto-agent-safe-misspelt", Catches: "veto.agent.skipped", About: "agent_safe has another name, which means nothing",
		Manifest: func(m map[string]any) { delete(m, "agent_safe"); m["agentSafe"] = true }},

	{Name: "veto-crashes", Catches: "veto.answers", About: "it crashes on events that are completed",
		Event: crashes(func(_ []byte, e map[string]any) bool { return e["event"] == "completed" }), Also: []string{"veto.tolerate.*"}},
	{Name: "veto-slow", Catches: "veto.fast", About: "it takes 5.1 seconds for some events", With: []string{"veto.tolerate.unicode"},
		Event: func(_ []byte, e map[string]any) {
			if metadataOf(e)["titel"] != nil {
				time.Sleep(5100 * time.Millisecond)
			}
		}},
	{Name: "veto-leaves-a-helper", Catches: "veto.no-orphans", About: "a helper that it started is left running",
		End: func(verdict) int { helper(false); return 0 }},

	{Name: "veto-true-in-quotes", Catches: "veto.boolean", About: "veto is the string true", Bytes: instead(`{"veto":"true","reason":"code freeze in effect"}`)},
	{Name: "veto-false-in-quotes", Catches: "veto.boolean", About: "veto is the string false", Bytes: passed(`{"veto":"false"}`)},
	{Name: "veto-one", Catches: "veto.boolean", About: "veto is 1", Bytes: instead(`{"veto":1,"reason":"code freeze in effect"}`)},
	{Name: "veto-null", Catches: "veto.boolean", About: "veto is null beside a reason", Bytes: instead(`{"veto":null,"reason":"code freeze in effect"}`)},
	{Name: "veto-reason-list", Catches: "veto.reason-string", About: "the reason is a list", Bytes: instead(`{"veto":true,"reason":["code freeze"]}`)},
	{Name: "veto-no-reason", Catches: "veto.reason-given", About: "it vetoes without a reason", Bytes: instead(`{"veto":true}`)},
	{Name: "veto-blank-reason", Catches: "veto.reason-given", About: "the reason is blank", Bytes: instead(`{"veto":true,"reason":"  "}`)},
	{Name: "veto-exit-1", Catches: "veto.exit-with-veto", About: "it leaves with status 1 when it vetoes",
		End: func(v verdict) int {
			if v.veto {
				return 1
			}
			return 0
		}},
	{Name: "veto-mark", Catches: "veto.clean-bytes", About: "what is no veto begins with a byte order mark", Bytes: passed("\xef\xbb\xbf{\"veto\":false}\n")},
	{Name: "veto-says-ok", Catches: "veto.single-object", About: "it prints OK when there is no veto", Bytes: passed("OK\n")},
	{Name: "veto-nan", Catches: "veto.strict-json", About: "what is no veto holds NaN", Bytes: passed(`{"veto":false,"score":NaN}`)},
	{Name: "veto-capitals", Catches: "veto.case", About: "it writes Veto and Reason", Bytes: instead(`{"Veto":true,"Reason":"code freeze in effect"}`)},

	{Name: "veto-everything", Catches: "veto.verdict.both", About: "it vetoes whatever it is told of",
		Verdict: func(e map[string]any, v *verdict) { *v = verdict{true, e != nil, "not today"} }},
	{Name: "veto-reads-a-mebibyte", Catches: "veto.reads-to-eof", About: "it reads 1 MiB of its event and not more",
		Input: func() []byte { return readUpTo(1 << 20) }},
	{Name: "veto-needs-stderr", Catches: "veto.stderr-free", About: "it lets everything pass when its log goes nowhere",
		Verdict: lets(func(map[string]any) bool {
			info, err := os.Stderr.Stat()
			return err != nil || info.Mode()&os.ModeDevice != 0
		})},
	{Name: "veto-needs-home", Catches: "veto.environment", About: "it looks for its rules in HOME",
		Verdict: lets(func(map[string]any) bool { return os.Getenv("HOME") == "" })},
	{Name: "veto-once", Catches: "veto.deterministic", About: "it vetoes the same thing once", Also: []string{"veto.concurrent"},
		Verdict: func(_ map[string]any, v *verdict) {
			const seen = "seen"
			if _, err := os.Stat(seen); err == nil {
				v.veto, v.reason = false, ""
			} else if v.veto {
				os.WriteFile(seen, nil, 0o600) // where it cannot, it vetoes again
			}
		}},
	{Name: "veto-lock", Catches: "veto.concurrent", About: "it lets everything pass while another one works",
		Verdict: lets(func(map[string]any) bool {
			f, err := os.OpenFile("lock", os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return os.IsExist(err)
			}
			f.Close()
			time.Sleep(100 * time.Millisecond)
			os.Remove("lock")
			return false
		})},
	{Name: "veto-asks-the-terminal", Catches: "veto.agent.answers", About: "in agent mode it opens the terminal to ask",
		Event: func([]byte, map[string]any) {
			if !inAgentMode() {
				return
			}
			f, err := os.Open("/dev/tty")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			f.Close()
		}},
	{Name: "veto-waits-for-a-key", Catches: "veto.agent.answers", About: "in agent mode it waits for a key", Timeout: quick,
		Event: func([]byte, map[string]any) {
			if inAgentMode() {
				sleep()
			}
		}},
	{Name: "veto-opens-a-browser", Catches: "veto.agent.answers", About: "it opens a browser",
		Event: func([]byte, map[string]any) {
			program := os.Getenv("BROWSER")
			if program == "" {
				program = "xdg-open"
			}
			exec.Command(program, "https://example.org/review").Run() // where there is none, none opens
		}},

	{Name: "veto-null-metadata", Catches: "veto.tolerate.null-metadata", About: "it crashes when metadata is null",
		Event: crashes(func(_ []byte, e map[string]any) bool { _, ok := e["metadata"]; return ok && e["metadata"] == nil })},
	{Name: "veto-needs-an-actor", Catches: "veto.tolerate.missing", About: "it crashes when nobody is named as the actor",
		Event: crashes(func(_ []byte, e map[string]any) bool { return e != nil && e["actor"] == nil })},
	{Name: "veto-strict-members", Catches: "veto.tolerate.unknown-fields", About: "it lets pass what has members that it does not know",
		Verdict: lets(func(e map[string]any) bool { return len(e) > 7 })},
	{Name: "veto-unknown-event", Catches: "veto.tolerate.unknown-event", About: "it crashes on events outside its list",
		Event: crashes(func(_ []byte, e map[string]any) bool {
			return e != nil && !slices.Contains([]any{"status_changed", "completed", "commented"}, e["event"])
		})},
	{Name: "veto-ascii", Catches: "veto.tolerate.unicode", About: "it reads ASCII only",
		Event: crashes(func(text []byte, _ map[string]any) bool {
			return bytes.ContainsFunc(text, func(r rune) bool { return r > 126 })
		})},
	{Name: "veto-reads-64-kib", Catches: "veto.tolerate.large", About: "it reads 64 KiB of its event and lets pass what it cannot parse",
		Input: func() []byte { return readUpTo(64 << 10) }, Also: []string{"veto.reads-to-eof"}},
	{Name: "veto-greps", Catches: "veto.tolerate.spelling", About: "it looks for words in the raw event",
		Event: func(text []byte, e map[string]any) {
			if m := metadataOf(e); m != nil && !bytes.Contains(text, []byte(`"freeze":true`)) {
				delete(m, "freeze")
			}
		}},
	{Name: "veto-hangs-on-garbage", Catches: "veto.tolerate.garbage", About: "it waits for better input when it cannot parse what came", Timeout: quick,
		Event: func(text []byte, e map[string]any) {
			if e == nil && len(text) > 0 {
				sleep()
			}
		}},
	{Name: "veto-hangs-on-nothing", Catches: "veto.tolerate.no-input", About: "it waits for an event when stdin has ended", Timeout: quick,
		Event: func(text []byte, _ map[string]any) {
			if len(text) == 0 {
				sleep()
			}
		}},
	{Name: "veto-empty-id", Catches: "veto.property.events", About: "it crashes when item_id is empty",
		Event: crashes(func(_ []byte, e map[string]any) bool { return e["item_id"] == "" })},
	{Name: "veto-freeze-no-boolean", Catches: "veto.property.metadata", About: "it crashes when metadata.freeze is no boolean",
		Event: crashes(func(_ []byte, e map[string]any) bool {
			freeze, given := metadataOf(e)["freeze"]
			_, ok := freeze.(bool)
			return given && !ok
		})},
})

// lostVetoes are the ways of printing a veto that no host hears.
var lostVetoes = []VetoFault{
	lost("veto-log-line", "a log line stands before the veto", vetoed(func(veto string) string { return "checking the freeze\n" + veto })),
	lost("veto-log-behind", "a log line stands behind the veto", vetoed(func(veto string) string { return veto + "\ndone\n" })),
	lost("veto-and-no-veto", "it prints a veto, and then a second object", vetoed(func(veto string) string { return veto + "\n{\"veto\":false}\n" })),
	lost("veto-in-an-array", "the veto stands in an array", vetoed(func(veto string) string { return "[" + veto + "]" })),
	lost("veto-encoded-twice", "the veto is JSON in a JSON string", instead(`"{\"veto\": true, \"reason\": \"code freeze\"}"`)),
	lost("veto-python-repr", "it prints a Python dict", instead(`{'veto': True, 'reason': 'code freeze'}`)),
	lost("veto-unquoted", "the names have no quotes", instead(`{veto: true, reason: "code freeze"}`)),
	lost("veto-raw-newline", "a raw newline stands in the reason", instead("{\"veto\":true,\"reason\":\"bad:\nx\"}")),
	lost("veto-with-nan", "NaN stands beside the veto", instead(`{"veto":true,"reason":"code freeze","score":NaN}`)),
	lost("veto-given-twice", "veto is given twice, at last as false", instead(`{"veto":true,"reason":"x","veto":false}`)),
	lost("veto-with-mark", "a byte order mark stands before the veto", vetoed(func(veto string) string { return "\xef\xbb\xbf" + veto })),
	lost("veto-in-utf-16", "the veto is UTF-16", vetoed(utf16LE)),
	lost("veto-in-colour", "the veto is coloured", vetoed(func(veto string) string { return "\x1b[31m" + veto + "\x1b[0m" })),
	lost("veto-cut-off", "the veto is cut off", vetoed(func(veto string) string { return strings.TrimSuffix(veto, "}") })),
	lost("veto-decision-block", "it speaks another system's words", instead(`{"decision":"block","reason":"code freeze"}`)),
	lost("veto-nested", "the veto stands inside another object", vetoed(func(veto string) string { return `{"response":` + veto + `}` })),
	{Name: "veto-on-stderr", Catches: "veto.lost", About: "the veto goes to stderr", Also: []string{"veto.stderr-free"},
		Bytes: func(v verdict, text []byte) []byte {
			if !v.veto {
				return text
			}
			os.Stderr.Write(text)
			return nil
		}},
}

func lost(name, about string, change func(verdict, []byte) []byte) VetoFault {
	return VetoFault{Name: name, Catches: "veto.lost", About: about, Bytes: change}
}
