package plugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plugcheck/harness/plugintest/rename"
)

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
	{Name: "changes-the-other-file", Catches: "rename.two-files", Also: []string{"rename.elsewhere-untouched"}, About: "it changes a file that the uri does not name",
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
	{Name: "renames-the-nearest", Catches: "rename.no-symbol-here", Also: []string{"rename.own-cases"}, About: "it renames the nearest word", Answer: carelessIf(func(r *request, resp *response) bool {
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
	"rename.own-cases", "jsonl.large-output", "jsonl.large-input"}

// multiByte lists the checks whose texts hold multi-byte characters before the symbol.
var multiByte = []string{"rename.bom", "rename.scopes", "rename.property.round-trip", "rename.no-symbol-here", "rename.ambiguous", "rename.conflict"}
