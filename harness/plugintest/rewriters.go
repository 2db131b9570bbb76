package plugintest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"plugcheck/validator/literal"
	"plugcheck/validator/rewriter"
)

// A rewriterFault is the built-in rewriter with one thing wrong.
type rewriterFault struct {
	name, catches, about string
	also                 []string
	// file makes the file that brings the fault out of the usual one. To do it
	// twice comes to the same.
	file func(string) string
	// answer spoils the answer to a request.
	answer func(r rewriter.Request, line []byte) []byte
	// serve takes the place of the whole loop.
	serve func(in *bufio.Reader, out io.Writer) int
}

// rewritten spoils the source of an answer to rewrite.
func rewritten(spoil func(r rewriter.Request, source string) string) func(rewriter.Request, []byte) []byte {
	return func(r rewriter.Request, line []byte) []byte {
		var reply struct {
			OK *rewriter.Rewritten `json:"ok"`
		}
		if r.Op != rewriter.Rewrite || json.Unmarshal(line, &reply) != nil || reply.OK == nil {
			return line
		}
		return ok(rewriter.Rewritten{Source: spoil(r, reply.OK.Source)})
	}
}

// classified spoils an answer to classify.
func classified(spoil func(r rewriter.Request, c *rewriter.Classified)) func(rewriter.Request, []byte) []byte {
	return func(r rewriter.Request, line []byte) []byte {
		var reply struct {
			OK *rewriter.Classified `json:"ok"`
		}
		if r.Op != rewriter.Classify || json.Unmarshal(line, &reply) != nil || reply.OK == nil {
			return line
		}
		spoil(r, reply.OK)
		return ok(*reply.OK)
	}
}

func ok(v any) []byte {
	text, err := json.Marshal(map[string]any{"ok": v})
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return append(text, '\n')
}

// changes reports whether a rewrite came to another source.
func changes(r rewriter.Request, source string) bool { return r.Source != source }

// crlf gives all lines of a file the ends that they have on Windows.
var crlf = strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n")

// lengthInJS is the length that JavaScript gives a text: it counts UTF-16 units.
func lengthInJS(text string) int { return len(utf16.Encode([]rune(text))) }

// Blanks at the ends of patterns are hidden from the rewriter, which would take
// them off, and shown again in the line that it answers.
var (
	hideBlanks = strings.NewReplacer(" ", "\ue000", "\t", "\ue001", "\n", "\ue002", "\r", "\ue003", "\u00a0", "\ue004")
	showBlanks = strings.NewReplacer("\ue000", " ", "\ue001", `\\t`, "\ue002", `\\n`, "\ue003", `\\r`, "\ue004", "\u00a0")
)

var rewriterFaults = []rewriterFault{
	{name: "rewriter-normalizes-newlines", catches: "literal.rewrite.outside-untouched", about: "a rewrite turns every CRLF of the file into LF, and takes the spaces off the ends of lines",
		also: []string{"literal.rewriter.style", "literal.rewrite.idempotent", "literal.rewrite.no-op"},
		file: crlf.Replace,
		answer: rewritten(func(r rewriter.Request, source string) string {
			return strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), " \n", "\n")
		})},
	{name: "rewriter-adds-final-newline", catches: "literal.rewrite.outside-untouched", about: "a rewrite adds a line to the end of the file",
		also: []string{"literal.rewriter.*", "literal.rewrite.idempotent"},
		answer: rewritten(func(r rewriter.Request, source string) string {
			if changes(r, source) {
				source += "\n"
			}
			return source
		})},
	{name: "rewriter-loses-bom", catches: "literal.rewrite.outside-untouched", about: "a file is read without its byte order mark, and written without one",
		also: []string{"literal.rewriter.style", "literal.rewrite.no-op"},
		file: func(good string) string { return "\ufeff" + strings.TrimPrefix(good, "\ufeff") },
		answer: rewritten(func(_ rewriter.Request, source string) string {
			return strings.TrimPrefix(source, "\ufeff")
		})},
	{name: "rewriter-splices-at-utf16", catches: "literal.rewrite.outside-untouched", about: "the literal is put at offsets that count UTF-16 units",
		also: []string{"literal.rewriter.style", "literal.rewrite.*"},
		file: func(good string) string { return "/* 🟢 */ " + good },
		answer: rewritten(func(r rewriter.Request, source string) string {
			was, err := literal.Find([]byte(r.Source))
			is, err2 := literal.Find([]byte(source))
			if err != nil || err2 != nil || !changes(r, source) {
				return source
			}
			return r.Source[:lengthInJS(r.Source[:was.Start])] + source[is.Start:is.End] + r.Source[lengthInJS(r.Source[:was.End]):]
		})},
	{name: "rewriter-keeps-blanks", catches: "literal.rewriter.errors", about: "patterns are saved with the blanks around them, and as nothing but blanks",
		also: []string{"literal.rewriter.style", "literal.rewrite.reads-back", "literal.rewrite.reloads"},
		answer: func(r rewriter.Request, line []byte) []byte {
			for _, patterns := range r.Match {
				for i, p := range patterns {
					patterns[i] = hideBlanks.Replace(p)
				}
			}
			if r.Match == nil {
				return line
			}
			return []byte(showBlanks.Replace(string(rewriter.Answer(r.Line()))))
		}},
	{name: "rewriter-adds-defaults", catches: "literal.rewrite.reads-back", about: "a save adds on_error where its default is meant",
		also: []string{"literal.rewriter.style", "literal.rewrite.reloads"},
		file: func(good string) string { return strings.Replace(good, "  on_error: \"skip\",\n", "", 1) },
		answer: rewritten(func(r rewriter.Request, source string) string {
			m, err := literal.Find([]byte(source))
			if err != nil || !changes(r, source) {
				return source
			}
			if _, there := m.Value.Get("on_error"); there {
				return source
			}
			for _, word := range []string{"skip", "reject"} { // what is there stays there
				out, err := literal.Rewrite([]byte(source), literal.Change{OnError: &word})
				if err != nil {
					return source
				}
				source = string(out)
			}
			return source
		})},
	{name: "rewriter-loses-a-setting", catches: "literal.rewrite.reads-back", about: "a rewrite forgets the values of settings",
		also: []string{"literal.rewrite.reloads", "literal.rewriter.*", "literal.rewrite.idempotent"},
		answer: func(r rewriter.Request, line []byte) []byte {
			if r.Op == rewriter.Rewrite && r.Settings != nil && (r.Match != nil || r.OnError != nil) {
				r.Settings = nil
				return rewriter.Answer(r.Line())
			}
			return line
		}},
	{name: "rewriter-toggles-a-comma", catches: "literal.rewrite.idempotent", about: "each rewrite takes the last comma away, or puts it there again",
		also: []string{"literal.rewriter.style", "literal.rewrite.no-op"},
		answer: rewritten(func(r rewriter.Request, source string) string {
			if m, err := literal.Find([]byte(source)); err == nil && len(m.Value.Fields) > 0 {
				body := strings.TrimRight(source[m.Start:m.End-1], " \t\r\n")
				space := source[m.Start+len(body) : m.End-1]
				if now, was := strings.HasSuffix(body, ","), strings.Contains(r.Source, body); now && was {
					return source[:m.Start] + body[:len(body)-1] + space + source[m.End-1:]
				}
			}
			return source
		})},
	{name: "rewriter-drops-comments", catches: "literal.rewrite.no-op", about: "a rewrite writes the literal anew where nothing changes, and drops its comments",
		also: []string{"literal.rewriter.style"},
		answer: rewritten(func(r rewriter.Request, source string) string {
			if formatted, err := literal.Format([]byte(source)); err == nil {
				return string(formatted)
			}
			return source
		})},
	{name: "rewriter-quotes-keys", catches: "literal.rewriter.style", about: "the literal is written as JSON",
		answer: rewritten(func(r rewriter.Request, source string) string {
			m, err := literal.Find([]byte(source))
			if err != nil || !changes(r, source) {
				return source
			}
			return source[:m.Start] + m.Value.JSON() + source[m.End:]
		}), also: []string{"literal.rewrite.idempotent"}},
	{name: "rewriter-breaks-lines-its-way", catches: "literal.rewriter.style", about: "in a file with CRLF the lines of the literal end in LF",
		file: crlf.Replace,
		answer: rewritten(func(r rewriter.Request, source string) string {
			m, err := literal.Find([]byte(source))
			if err != nil || !changes(r, source) {
				return source
			}
			return source[:m.Start] + strings.ReplaceAll(source[m.Start:m.End], "\r\n", "\n") + source[m.End:]
		})},
	{name: "rewriter-changes-on-load", catches: "literal.rewrite.reloads", about: "a rewrite leaves a line that sets a value once the file is loaded",
		also: []string{"literal.rewrite.outside-untouched", "literal.rewrite.idempotent", "literal.rewriter.*"},
		answer: rewritten(func(r rewriter.Request, source string) string {
			if changes(r, source) {
				source += "\nmanifest.api = 2;\n"
			}
			return source
		})},
	{name: "rewriter-calls-code-data", catches: "literal.classify", about: "a save that changes the permissions is called data-only", also: []string{"literal.confirmation"},
		answer: classified(func(r rewriter.Request, c *rewriter.Classified) {
			if c.Change != nil && *c.Change == literal.CodeChange {
				data := literal.DataOnly
				c.Change = &data
			}
		})},
	{name: "rewriter-approves-alone", catches: "literal.confirmation", about: "what is found on disk is approved without a confirmation",
		answer: classified(func(r rewriter.Request, c *rewriter.Classified) {
			if r.Action == literal.Approve {
				c.Confirmation = false
			}
		})},
	{name: "rewriter-counts-utf16", catches: "literal.rewriter.finds", about: "offsets count UTF-16 units", also: []string{"literal.rewriter.finds-any"},
		answer: func(r rewriter.Request, line []byte) []byte {
			var reply struct {
				OK *rewriter.Found `json:"ok"`
			}
			if r.Op != rewriter.Find || json.Unmarshal(line, &reply) != nil || reply.OK == nil {
				return line
			}
			reply.OK.Start, reply.OK.End = lengthInJS(r.Source[:reply.OK.Start]), lengthInJS(r.Source[:reply.OK.End])
			return ok(reply.OK)
		}},
	{name: "rewriter-takes-the-first", catches: "literal.rewriter.finds", about: "the first text that looks like a manifest is taken for it", also: []string{"literal.rewriter.refuses", "literal.rewriter.finds-any"},
		answer: func(r rewriter.Request, line []byte) []byte {
			const text = "export const manifest = {"
			at := strings.Index(r.Source, text)
			if r.Op != rewriter.Find || at < 0 || !bytes.Contains(line, []byte(`"ok"`)) {
				return line
			}
			start := at + len(text) - 1
			if m, err := literal.Find([]byte(r.Source)); err != nil || m.Start == start {
				return line
			}
			return ok(rewriter.Found{Start: start, End: start + 1, Line: 1, Column: 1, Value: literal.Value{Kind: literal.Object}})
		}},
	{name: "rewriter-reads-in-pieces", catches: "literal.rewriter.finds-any", about: "a file is read in pieces of 512 bytes, and offsets count from the last one",
		answer: func(r rewriter.Request, line []byte) []byte {
			var reply struct {
				OK *rewriter.Found `json:"ok"`
			}
			if r.Op != rewriter.Find || json.Unmarshal(line, &reply) != nil || reply.OK == nil {
				return line
			}
			reply.OK.Start, reply.OK.End = reply.OK.Start%512, reply.OK.End%512
			return ok(reply.OK)
		}},
	{name: "rewriter-reads-getters", catches: "literal.rewriter.refuses", about: "a manifest that is not data is read in part", also: []string{"literal.rewriter.finds-any"},
		answer: func(r rewriter.Request, line []byte) []byte {
			if r.Op == rewriter.Find && bytes.Contains(line, []byte(`"manifest_not_data_at"`)) {
				return ok(rewriter.Found{End: len(r.Source), Line: 1, Column: 1, Value: literal.Value{Kind: literal.Object}})
			}
			return line
		}},
	{name: "rewriter-without-places", catches: "literal.rewriter.refuses", about: "an error has no place", also: []string{"literal.rewriter.survives"},
		answer: func(r rewriter.Request, line []byte) []byte {
			var reply rewriter.Reply
			if json.Unmarshal(line, &reply) != nil || reply.Error == nil {
				return line
			}
			return []byte(fmt.Sprintf("{\"error\":{\"code\":%q}}\n", reply.Error.Code))
		}},
	{name: "rewriter-takes-any-setting", catches: "literal.rewriter.errors", about: "a value of another type is saved",
		answer: func(r rewriter.Request, line []byte) []byte {
			if bytes.Contains(line, []byte(`"setting_type"`)) {
				return ok(rewriter.Rewritten{Source: r.Source})
			}
			return line
		}},
	{name: "rewriter-answers-twice", catches: "literal.rewriter.answers", about: "every answer is written twice", also: []string{"literal.*"},
		answer: func(_ rewriter.Request, line []byte) []byte { return append(line, line...) }},
	{name: "rewriter-logs-to-stdout", catches: "literal.rewriter.answers", about: "a line is logged before the first answer", also: []string{"literal.*"},
		serve: func(in *bufio.Reader, out io.Writer) int {
			fmt.Fprintln(out, "rewriter is ready")
			return serveRewriter(in, out, nil)
		}},
	{name: "rewriter-lags", catches: "literal.rewriter.answers", about: "each answer is that to the request before", also: []string{"literal.*"},
		serve: func(in *bufio.Reader, out io.Writer) int {
			var held []byte
			for {
				line, err := in.ReadBytes('\n')
				if err != nil {
					return 0
				}
				answer := rewriter.Answer(line)
				if held == nil {
					held = answer
				}
				if _, err := out.Write(held); err != nil {
					return 0
				}
				held = answer
			}
		}},
	{name: "rewriter-tires", catches: "literal.rewriter.answers", about: "it leaves at the third request", also: []string{"literal.*"},
		serve: func(in *bufio.Reader, out io.Writer) int {
			for range 2 {
				line, err := in.ReadBytes('\n')
				if err != nil {
					return 0
				}
				if _, err := out.Write(rewriter.Answer(line)); err != nil {
					return 0
				}
			}
			return 1
		}},
	{name: "rewriter-hangs", catches: "literal.rewriter.answers", about: "it reads and never answers", also: []string{"literal.*"},
		serve: func(in *bufio.Reader, _ io.Writer) int {
			for {
				time.Sleep(time.Hour)
			}
		}},
	{name: "rewriter-dies-of-garbage", catches: "literal.rewriter.survives", about: "it leaves when a source cannot be read as a whole",
		serve: func(in *bufio.Reader, out io.Writer) int {
			for {
				line, err := in.ReadBytes('\n')
				if err != nil {
					return 0
				}
				if reply := rewriter.Answer(line); bytes.Contains(line, []byte(`\u0000`)) {
					return 1
				} else if _, err := out.Write(reply); err != nil {
					return 0
				}
			}
		}},
}

// serveRewriter answers line by line until the end of its input.
func serveRewriter(in *bufio.Reader, out io.Writer, spoil func(rewriter.Request, []byte) []byte) int {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		answer := rewriter.Answer(line)
		if r, fault := rewriter.ReadRequest(line); spoil != nil && fault == nil {
			answer = spoil(*r, answer)
		}
		if _, err := out.Write(answer); err != nil {
			return 0
		}
	}
}

// rewriterRole is the binary as a rewriter. Its argument names a fault, or "none".
func rewriterRole(args []string) int {
	f := rewriterFault{}
	if len(args) > 0 && args[0] != "none" {
		i := slices.IndexFunc(rewriterFaults, func(f rewriterFault) bool { return f.name == args[0] })
		if i < 0 {
			fmt.Fprintf(os.Stderr, "there is no rewriter %q\n", args[0])
			return 2
		}
		f = rewriterFaults[i]
	}
	in := bufio.NewReader(os.Stdin)
	if f.serve != nil {
		return f.serve(in, os.Stdout)
	}
	return serveRewriter(in, os.Stdout, f.answer)
}

// Rewriter is the command line of the built-in rewriter, as a process.
func Rewriter() ([]string, error) {
	self, err := os.Executable()
	return []string{self, start, "rewriter", "none"}, err
}
