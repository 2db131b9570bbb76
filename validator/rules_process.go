package validator

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// spoke reports whether there is any output to judge.
func spoke(t *Trial) bool { return t.Exchange.Transcript.StdoutBytes > 0 }

var processRules = []rule{
	{
		Check: Check{ID: "jsonl.in-time", Level: Must, Contract: exchangeContract,
			Title: "It answers and exits within timeout_secs",
			Why:   "The host ends a plugin that takes longer, and the request fails.",
			Spec:  specManifest + " (timeout_secs, default 30)",
			Fix:   "Exit once the answer is written. Do not wait for stdin to bring more, or for threads that have nothing to do; raise timeout_secs only where the work takes that long."},
		Judge: func(t *Trial) []Finding {
			tr := &t.Exchange.Transcript
			if !tr.TimedOut {
				return nil
			}
			f := Finding{Class: "hung", Expected: "the end of the process within " + tr.Limit.String(),
				Got: "still running after " + tr.Elapsed.Round(time.Millisecond).String() + ", " + tr.Exit.String()}
			switch {
			case tr.StdoutBytes == 0 && tr.Unsent > 0:
				f.Class, f.Message = "hung-not-reading", fmt.Sprintf("it did not read its request: %d bytes were never taken, nothing was answered", tr.Unsent)
			case tr.StdoutBytes == 0:
				f.Message = "it wrote no answer in " + tr.Limit.String() + " and was still running"
			default:
				f.Class, f.Message = "hung-after-answer", "it wrote its output and did not exit in "+tr.Limit.String()
			}
			return []Finding{f}
		},
	},
	{
		Check: Check{ID: "jsonl.closes-stdout", Level: Must, Contract: exchangeContract,
			Title: "Nothing it started still holds stdout after it exits",
			Why:   "The host reads until the pipe is closed, so a helper that inherited stdout keeps it waiting for as long as that helper lives.",
			Spec:  specIPC + ", step 2 (writes one line and exits)",
			Fix:   "Start helpers with stdout redirected (stdout=subprocess.DEVNULL), or wait for them before you exit."},
		Needs: []string{"jsonl.in-time"},
		Judge: func(t *Trial) []Finding {
			return survivors("holds-stdout", "it exited after %s, and stdout was still held by %s", t.Exchange.Transcript.HeldStdout, t)
		},
	},
	{
		Check: Check{ID: "jsonl.no-orphans", Level: Should, Contract: exchangeContract,
			Title: "It leaves no process behind",
			Why:   "A request is one process; whatever outlives it piles up on the user's machine, one for each request.",
			Spec:  specIPC + ", step 2 (exits)",
			Fix:   "Wait for the processes you start, or end them, before you exit."},
		Needs: []string{"jsonl.closes-stdout"},
		Judge: func(t *Trial) []Finding {
			return survivors("orphans", "it exited after %s and left running: %s", t.Exchange.Transcript.LeftRunning, t)
		},
	},
	{
		Check: Check{ID: "jsonl.one-line", Level: Must, Contract: exchangeContract,
			Title: "It writes exactly one line of JSON to stdout, and nothing else",
			Why:   "The host reads one line. What stands before the answer is taken for it, and what stands behind it is lost.",
			Spec:  specIPC + ", step 2 (one JSONL response line)",
			Fix:   "Write the answer as one line of compact JSON to stdout, and everything else to stderr."},
		Needs: []string{"jsonl.in-time"},
		// A scenario that makes something special of its request judges silence itself.
		Applies: func(t *Trial) bool { return t.Exchange.Contact || spoke(t) },
		Judge: func(t *Trial) []Finding {
			if f := t.Exchange.seen.lines; f != nil {
				return []Finding{*f}
			}
			return nil
		},
	},
	{
		Check: Check{ID: "jsonl.exit-zero", Level: Must, Contract: exchangeContract,
			Title: "It exits with status 0, on success and on refusal",
			Why:   "The host takes any other status for a broken plugin, and drops the answer however good it was.",
			Spec:  "host: a status other than 0 is an error even when the line was good, refusals included",
			Fix:   "Say in the answer that the request was refused (success false), and exit with 0."},
		Needs:   []string{"jsonl.in-time"},
		Applies: func(t *Trial) bool { return spoke(t) && !t.Exchange.Transcript.Flooded },
		Judge: func(t *Trial) []Finding {
			exit := t.Exchange.Transcript.Exit
			if exit.Clean() {
				return nil
			}
			kind := "answer"
			if t.Exchange.Refused() {
				kind = "refusal"
			}
			f := Finding{Class: "status", Message: "it wrote its " + kind + ", and then: " + exit.String(), Expected: "exit status 0", Got: exit.String()}
			if exit.Signal != "" {
				f.Class = "signal"
			}
			return []Finding{f}
		},
	},
	{
		Check: Check{ID: "jsonl.clean-bytes", Level: Must, Contract: exchangeContract,
			Title: "Its output is clean UTF-8: no byte order mark, no colour codes, no NUL",
			Why:   "A strict decoder refuses the line, and a lenient one changes what it says.",
			Spec:  specIPC + ", step 2 (JSONL is UTF-8 JSON, one value a line)",
			Fix:   "Write UTF-8 without a byte order mark, and colour nothing on stdout: it is no terminal."},
		Applies: spoke,
		Judge: func(t *Trial) []Finding {
			out := t.Exchange.Transcript.Stdout
			whole := out
			if t.Exchange.Transcript.Flooded { // the cap may cut a character
				whole = out[:bytes.LastIndexByte(out, '\n')+1]
			}
			switch at := invalidUTF8(whole); {
			case bytes.HasPrefix(out, []byte{0xff, 0xfe}) || bytes.HasPrefix(out, []byte{0xfe, 0xff}):
				return []Finding{{Class: "utf-16", Message: "the output is UTF-16", Expected: "UTF-8", Got: Quote(out, 40)}}
			case bytes.HasPrefix(out, []byte("\xef\xbb\xbf")):
				return []Finding{{Class: "bom", Message: "the output begins with a byte order mark (EF BB BF)", Expected: "the line to begin with {", Got: Quote(out, 40)}}
			case bytes.IndexByte(out, 0) >= 0:
				return []Finding{{Class: "nul", Message: fmt.Sprintf("a NUL stands at byte %d of the output", bytes.IndexByte(out, 0)), Got: around(out, bytes.IndexByte(out, 0))}}
			case at >= 0:
				return []Finding{{Class: "invalid-utf-8", Message: fmt.Sprintf("byte %d of the output is 0x%02x, which is not UTF-8", at, out[at]),
					Expected: "UTF-8 (Latin-1 and Windows code pages are not)", Got: around(out, at)}}
			case bytes.IndexByte(out, 0x1b) >= 0:
				at := bytes.IndexByte(out, 0x1b)
				return []Finding{{Class: "ansi", Message: fmt.Sprintf("an ANSI escape stands at byte %d of the output", at), Got: around(out, at)}}
			}
			return nil
		},
	},
	{
		Check: Check{ID: "jsonl.strict-json", Level: Must, Contract: exchangeContract,
			Title: "The line is strict JSON: no name twice, no NaN, no trailing comma, nothing cut off",
			Why:   "Decoders differ in what they make of it, and a strict one makes nothing of it.",
			Spec:  specIPC + ", step 2 (JSONL)",
			Fix:   "Build the answer as data and let the language's JSON encoder write it; flush stdout before you exit."},
		Needs: []string{"jsonl.one-line", "jsonl.clean-bytes"},
		Judge: func(t *Trial) []Finding {
			f := t.Exchange.seen.json
			if f == nil {
				return nil
			}
			found := *f
			if found.Class == "cut-off" {
				found.Fix = "Flush stdout before you exit, and write all of it: an exit before the pipe was drained cuts the answer at the pipe's size (64 KiB)."
			}
			if found.Got == "" {
				found.Got = Quote(t.Exchange.seen.line, 200)
			}
			return []Finding{found}
		},
	},
	{
		Check: Check{ID: "jsonl.final-newline", Level: Should, Contract: exchangeContract,
			Title: "The line ends in a newline",
			Why:   "This host accepts the end of the stream in its place; a host that reads lines waits for it.",
			Spec:  specIPC + ", step 2 (one line); host: a missing final newline is accepted",
			Fix:   "End the answer with \\n."},
		Needs: []string{"jsonl.strict-json"},
		Judge: func(t *Trial) []Finding {
			out := t.Exchange.Transcript.Stdout
			if bytes.HasSuffix(out, []byte("\n")) {
				return nil
			}
			return []Finding{{Class: "missing", Message: "the output does not end in a newline", Expected: `\n at the end`, Got: "… " + Quote(out[max(0, len(out)-20):], 40)}}
		},
	},
}

func survivors(class, format string, list []Survivor, t *Trial) []Finding {
	if len(list) == 0 {
		return nil
	}
	names := make([]string, 0, 5)
	for _, s := range list {
		if len(names) == 5 {
			names = append(names, fmt.Sprintf("and %d more", len(list)-5))
			break
		}
		names = append(names, "process "+s.String())
	}
	return []Finding{{Class: class, Message: fmt.Sprintf(format, t.Exchange.Transcript.Elapsed.Round(time.Millisecond), strings.Join(names, ", ")),
		Expected: "nothing left running", Got: fmt.Sprintf("%d left running; plugcheck ended them", len(list))}}
}

func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func around(b []byte, at int) string {
	return "… " + Quote(b[max(0, at-20):min(len(b), at+20)], 60)
}
