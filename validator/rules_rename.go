package validator

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"plugcheck/validator/patch"
)

// renamed applies to the successes of rename-symbol. A success where a refusal
// was wanted is the matter of the scenario that asked.
func renamed(t *Trial) bool {
	e := t.Exchange
	return e.Request != nil && e.Request.Operation == "rename-symbol" && t.Manifest.Kind != Sensor && e.Succeeded() && e.Refuse == nil
}

var renameRules = []rule{
	{
		Check: Check{ID: "rename.success-is-diff", Level: Must, Contract: renameContract,
			Title: "A success carries diff output",
			Why:   "Weaver refuses a success of any other shape, exits with status 1 and changes nothing.",
			Spec:  specRename,
			Fix:   "Answer {\"kind\":\"diff\",\"content\":\"--- a/…\"} when the rename succeeds, and refuse when it does not."},
		Needs:   []string{"jsonl.response.schema"},
		Applies: renamed,
		Judge:   func(t *Trial) []Finding { return wantDiff(t.Exchange) },
	},
	patchRule("format", "success-is-diff", "The diff is a unified diff",
		"The host parses unified diffs and nothing else; any other text is a patch that changes nothing.",
		"Write --- a/path, +++ b/path and @@ hunks; difflib.unified_diff and similar writers do it.", specRename),
	patchRule("counts", "patch.format", "Every hunk header counts its lines right",
		"The counts say where a hunk ends: git and GNU patch refuse a hunk whose body has other ones.",
		"Let the diff writer count, and do not edit its output afterwards.", specRename),
	patchRule("paths", "patch.counts", "The patch names files of the request, and nothing else",
		"A patch that reaches a file that was not sent, or one outside the workspace, is an attack or a mistake; the host refuses both.",
		"Write the path as the request gave it, with a/ and b/ in front or bare.", specLocks),
	patchRule("applies", "patch.paths", "The patch applies cleanly to the bytes that were sent",
		"The host applies it strictly: context that differs in one byte, a carriage return included, is a refused patch.",
		"Make the diff from the exact content of the request: read no file from disk, and convert no line endings.", specLocks),
	patchRule("changes", "patch.applies", "The patch changes something",
		"A success that changes nothing tells the user that the rename is done, and it is not.",
		"Refuse when there is nothing to change.", specRename),
	{
		Check: Check{ID: "rename.elsewhere-untouched", Level: Must, Contract: renameContract,
			Title: "No byte outside the identifier's occurrences changes",
			Why:   "Whoever asks for a rename gets a rename: reformatted lines and changed line endings land in the user's commit.",
			Spec:  specIdentifiers + " (rename-symbol: rename a symbol)",
			Fix:   "Replace the identifier's bytes in the content of the request and leave all others as they are; do not print the file anew from a syntax tree."},
		Needs:   []string{"rename.patch.changes"},
		Applies: func(t *Trial) bool { return t.Exchange.Symbol != "" },
		Judge:   elsewhere,
	},
}

// patchRule makes the rule for one group of problems of a patch.
func patchRule(group, needs, title, why, fix, spec string) rule {
	return rule{
		Check: Check{ID: "rename.patch." + group, Level: Must, Contract: renameContract, Title: title, Why: why, Fix: fix, Spec: spec},
		Needs: []string{"rename." + needs},
		Judge: func(t *Trial) []Finding { return patchProblems(t.Exchange, group) },
	}
}

// patchProblems puts the problems of a group into findings; "" is every group.
func patchProblems(e *Exchange, group string) []Finding {
	var found []Finding
	for _, p := range e.seen.problems {
		if group != "" && p.Group != group {
			continue
		}
		message := p.Message
		if p.Line > 0 {
			message = fmt.Sprintf("line %d of the patch: %s", p.Line, message)
		}
		f := Finding{Class: p.Kind, Message: message, Expected: p.Expected, Got: p.Got, Fix: p.Fix}
		if f.Got == "" {
			f.Got = Quote([]byte(e.seen.response.Output.Content), 300)
		}
		found = append(found, f)
	}
	return found
}

func wantDiff(e *Exchange) []Finding {
	if kind := e.seen.response.Output.Kind; kind != "diff" {
		return []Finding{{Class: kind, Message: "it reports success with output of kind " + kind, Expected: "diff", Got: kind}}
	}
	return nil
}

// elsewhere compares the files before and after, word by word. Only a word that
// is the old name may differ, and only by being the new one. Where the wanted
// text is known and was reached, that is what counts: some languages need more
// than a replaced word (a field's shorthand is spelt out). And where it is known
// and was not reached because another word was taken for the symbol, throughout,
// that is told by the scenario that wanted it.
func elsewhere(t *Trial) []Finding {
	e := t.Exchange
	if SameFiles(e.Want, e.seen.after) {
		return nil
	}
	from := e.Symbol
	if len(e.Want) > 0 {
		from = ""
	}
	for i, before := range e.Files() {
		if f := firstForeignChange(before, e.seen.after[i].Content, from, e.NewName); f != nil {
			return []Finding{*f}
		}
	}
	return nil
}

// firstForeignChange finds the first place that a rename of from does not
// explain; without from, any one word may be what was renamed.
func firstForeignChange(file patch.File, after []byte, from, to string) *Finding {
	a, b := file.Content, after
	at := 0
	for len(a) > 0 || len(b) > 0 {
		x, y := nextWord(a), nextWord(b)
		if !bytes.Equal(x, y) {
			if from == "" && isWord(x) {
				from = string(x)
			}
			if string(x) != from || string(y) != to {
				f := &Finding{Message: fmt.Sprintf("%s changes at byte %d (line %d), where the renamed symbol does not stand", file.Path, at, 1+bytes.Count(file.Content[:at], []byte("\n"))),
					Diff: shortDiff(file.Path, file.Content, after), Expected: "every other byte as it was sent"}
				f.Class, f.Got = kindOfChange(file.Content, after)
				f.Message += ": " + f.Got
				return f
			}
		}
		a, b = a[len(x):], b[len(y):]
		at += len(x)
	}
	return nil
}

// shortDiff is a diff for people, who do not read megabytes.
func shortDiff(path string, before, after []byte) string {
	const enough = 1 << 20
	if len(before)+len(after) > enough {
		return ""
	}
	return patch.Unified(path, before, after)
}

// kindOfChange names the usual ways of changing more than was asked.
func kindOfChange(before, after []byte) (class, say string) {
	count := func(b []byte, s string) int { return bytes.Count(b, []byte(s)) }
	switch {
	case count(before, "\r\n") != count(after, "\r\n"):
		return "line-endings", "line endings were converted"
	case bytes.HasPrefix(before, []byte("\xef\xbb\xbf")) != bytes.HasPrefix(after, []byte("\xef\xbb\xbf")):
		return "bom", "the byte order mark was taken away or added"
	case count(before, "\n") == count(after, "\n")-1 && !bytes.HasSuffix(before, []byte("\n")):
		return "final-newline", "a final newline was added"
	case count(before, "\t") != count(after, "\t"):
		return "tabs", "tabs were converted"
	case count(before, "\n") != count(after, "\n"):
		return "lines", fmt.Sprintf("the file had %d lines and now has %d", count(before, "\n"), count(after, "\n"))
	case bytes.Equal(squeeze(before), squeeze(after)):
		return "white-space", "white space was changed"
	}
	return "text", "other text was changed"
}

func squeeze(b []byte) []byte { return bytes.Join(bytes.Fields(b), nil) }

// nextWord is the run of identifier characters, or of others, that text begins with.
func nextWord(text []byte) []byte {
	r, n := utf8.DecodeRune(text)
	in := wordRune(r)
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if wordRune(r) != in {
			break
		}
		n += size
	}
	return text[:n]
}

func wordRune(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func isWord(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return len(b) > 0 && wordRune(r)
}

// SameFiles reports whether the patched files are the wanted ones, to the byte.
func SameFiles(want, got []patch.File) bool {
	if len(want) == 0 || len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i].Path != got[i].Path || !bytes.Equal(want[i].Content, got[i].Content) {
			return false
		}
	}
	return true
}

// ChangedWords lists the distinct words that a rename changed, as they were before.
func ChangedWords(before, after []byte) []string {
	var list []string
	seen := map[string]bool{}
	for len(before) > 0 && len(after) > 0 {
		x, y := nextWord(before), nextWord(after)
		if !bytes.Equal(x, y) && !seen[string(x)] {
			seen[string(x)] = true
			list = append(list, string(x))
		}
		before, after = before[len(x):], after[len(y):]
	}
	return list
}
