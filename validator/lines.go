package validator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"plugcheck/contracts"
)

// answerLine finds the one line of JSON that a plugin owes, or says what it
// wrote instead. A byte order mark and colour codes are the matter of another
// rule, so they are looked past here.
func answerLine(t *Transcript) ([]byte, *Finding) {
	out := t.Stdout
	if t.Flooded {
		return nil, &Finding{Class: "flood", Message: fmt.Sprintf(
			"it wrote more than %d MiB to stdout and was ended; an answer is one line", int64(len(out))>>20),
			Got: Quote(out, 200)}
	}
	if len(out) == 0 {
		f := Silence(t)
		return nil, &f
	}
	text := ansi.ReplaceAll(bytes.TrimPrefix(out, []byte("\xef\xbb\xbf")), nil)
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &Finding{Class: "blank", Message: "it wrote nothing but white space", Got: Quote(out, 80)}
	}
	if len(rest) == 0 && looksLikeJSON(first) {
		// Two objects with no newline between them are still two answers.
		if n := values(first); n > 1 {
			return nil, &Finding{Class: "second-answer", Message: fmt.Sprintf("%d JSON values stand on one line; the host reads one", n), Got: Quote(out, 300)}
		}
		if n, end := firstValue(first); n && len(bytes.TrimSpace(first[end:])) > 0 {
			return nil, &Finding{Class: "text-after", Message: "behind the answer, on its line, stands more text: " + Quote(bytes.TrimSpace(first[end:]), 80),
				Expected: "one line of JSON and nothing else", Got: Quote(out, 300), Fix: "Send logs and banners to stderr."}
		}
		return first, nil
	}
	return nil, severalLines(text, first, rest)
}

// Silence says how a plugin ended that wrote nothing to stdout.
func Silence(t *Transcript) Finding {
	f := Finding{Class: "no-answer", Message: "it wrote nothing to stdout and ended with " + t.Exit.String()}
	if t.Exit.Signal != "" {
		f.Class = "crash"
		f.Message = "it crashed before it answered (" + t.Exit.String() + ")"
	}
	if tail := LastLine(t.Stderr); tail != "" {
		f.Message += "; its stderr says: " + tail
		f.Class += "/" + ClassOf(tail)
		if len(t.Stderr) > 0 && looksLikeJSON(bytes.TrimSpace(t.Stderr)) {
			f.Fix = "The answer stands on stderr. Write it to stdout."
		}
	}
	return f
}

// severalLines tells apart the ways of writing more than one line.
func severalLines(text, first, rest []byte) *Finding {
	f := &Finding{Expected: "one line of JSON and nothing else", Got: Quote(text, 400)}
	switch {
	case len(bytes.TrimSpace(first)) == 0:
		f.Class, f.Message = "blank-line", "a blank line stands before the answer; the host takes it for the answer"
		f.Fix = "Write the answer first, and nothing else."
	case looksLikeJSON(first) && values(first) > 0 && len(bytes.TrimSpace(rest)) == 0:
		f.Class, f.Message = "blank-line", "a blank line stands behind the answer"
		f.Fix = "End the line once: print adds a newline of its own, so the text must not end in one."
	case looksLikeJSON(first) && values(first) == 0 && values(text) == 1:
		f.Class = "pretty-printed"
		f.Message = fmt.Sprintf("the answer is JSON spread over %d lines; the host reads the first line only, which is no JSON", 1+bytes.Count(bytes.TrimSpace(text), []byte("\n")))
		f.Fix = "Write compact JSON: json.dumps(answer) without indent, JSON.stringify(answer) without a third argument."
	case looksLikeJSON(first) && values(first) > 0 && values(rest) > 0:
		f.Class, f.Message = "second-answer", "a second answer stands behind the first; the host reads one"
		f.Fix = "Answer once and exit."
	case looksLikeJSON(first) && values(first) > 0:
		f.Class, f.Message = "text-after", "behind the answer stands more text: "+Quote(bytes.TrimSpace(rest), 80)
		f.Fix = "Send logs and banners to stderr."
	case anyJSON(rest):
		f.Class, f.Message = "text-before", "before the answer stands a line that is no JSON: "+Quote(first, 80)+"; the host takes it for the answer"
		f.Fix = "Send logs and banners to stderr; a library's prints too (in Python: contextlib.redirect_stdout(sys.stderr) around it)."
	default:
		f.Class, f.Message = "not-json", "what it wrote is no JSON object: "+Quote(text, 80)
		f.Fix = "Write one JSON object on one line to stdout, and everything else to stderr."
	}
	return f
}

// firstValue reports whether text begins with a whole JSON object or array, and where that ends.
func firstValue(text []byte) (ok bool, end int64) {
	dec := json.NewDecoder(bytes.NewReader(text))
	var v json.RawMessage
	err := dec.Decode(&v)
	return err == nil, dec.InputOffset()
}

// looksLikeJSON reports whether a line means to be an object or array, kept or not.
func looksLikeJSON(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && (line[0] == '{' || line[0] == '[') && !logPrefix.Match(line)
}

// values counts the JSON values that stand one behind the other in text; 0 if it is anything else.
func values(text []byte) int {
	dec := json.NewDecoder(bytes.NewReader(text))
	n := 0
	for {
		var v json.RawMessage
		err := dec.Decode(&v)
		if err != nil {
			if len(bytes.TrimSpace(text[dec.InputOffset():])) > 0 {
				return 0
			}
			return n
		}
		n++
	}
}

// anyJSON looks for JSON among the lines behind the first. It looks at some lines
// only: what is further down is no answer that anybody would find.
func anyJSON(rest []byte) bool {
	for range 50 {
		line, after, more := bytes.Cut(rest, []byte("\n"))
		if looksLikeJSON(line) {
			return values(line) > 0 || values(rest) > 0
		}
		if rest = after; !more {
			break
		}
	}
	return false
}

var (
	// logPrefix matches the head of a log line such as "[INFO] ready" or "[12:00:01] ready".
	logPrefix = regexp.MustCompile(`^\[[^\]"{\[]*[A-Za-z:][^\]"{\[]*\]\s*[^\s,\]}]`)
	ansi      = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	number    = regexp.MustCompile(`^-?[0-9.eE+-]+$`)
	lastWords = regexp.MustCompile(`(?m)^(panic|fatal error|[A-Za-z.]*(Error|Exception)): .*`)
	digits    = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+`)
)

// ClassOf reduces a message to what stays the same when it comes again.
func ClassOf(s string) string {
	s = digits.ReplaceAllString(s, "N")
	if len(s) > 60 {
		s = s[:60]
	}
	return strings.ToValidUTF8(s, "")
}

// LastLine is the line of a log that says why: the panic of a Go program or the
// error of another, behind which a stack may come, and otherwise the last.
func LastLine(b []byte) string {
	b = bytes.TrimSpace(b)
	if m := lastWords.Find(b[:min(len(b), 64<<10)]); m != nil {
		return strings.ToValidUTF8(string(m), "\uFFFD")
	}
	if len(b) > 4096 {
		b = b[len(b)-4096:]
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(b[bytes.LastIndexByte(b, '\n')+1:])), "\uFFFD")
}

// floatLines finds line numbers written as 3.0 or 3e0, which JSON Schema takes
// for integers and a host that decodes into an unsigned 32-bit number does not.
func floatLines(line []byte) []contracts.Violation {
	var r struct {
		Diagnostics []struct {
			Line json.RawMessage `json:"line"`
		} `json:"diagnostics"`
	}
	if json.Unmarshal(line, &r) != nil {
		return nil
	}
	var found []contracts.Violation
	for i, d := range r.Diagnostics {
		if number.Match(d.Line) && bytes.ContainsAny(d.Line, ".eE") {
			found = append(found, contracts.Violation{
				Path: fmt.Sprintf("diagnostics.%d.line", i), Wanted: "an integer without fraction or exponent", Got: "the number " + string(d.Line)})
		}
	}
	return found
}
