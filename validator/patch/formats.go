package patch

import (
	"encoding/json"
	"regexp"
	"strings"
)

var normalDiff = regexp.MustCompile(`^\d+(,\d+)?[acd](\d+(,\d+)?)?\r?$`)

// notADiff tells texts that need no scanning to see what they are.
func notADiff(text string, files []File) (Problem, bool) {
	trimmed := strings.TrimSpace(text)
	switch {
	case text == "":
		return found("empty", 0, "the patch is empty"), true
	case trimmed == "":
		return found("empty", 0, "the patch is only white space"), true
	}
	for _, f := range files {
		if strings.TrimSpace(string(f.Content)) == trimmed {
			return found("whole-file", 1, "this is the whole of %s, not a patch", clip(f.Path)), true
		}
	}
	switch {
	case startsWithAny(trimmed, `{["`) && json.Valid([]byte(trimmed)):
		return found("json", 1, "this is JSON, not a patch").expecting("--- a/NAME", trimmed), true
	case strings.Contains(text, `\n@@ -`) && !strings.Contains(text, "\n@@ -"):
		return found("escaped-newlines", 1, `the patch holds the two characters \n where its lines should end: it was encoded twice`), true
	case strings.HasPrefix(text, "\ufeff"):
		return found("byte-order-mark", 1, "the patch starts with a byte order mark (U+FEFF)"), true
	}
	return Problem{}, false
}

// wholeFile names the sent file whose lines make up most of the text.
func wholeFile(text []string, files []File) (string, bool) {
	for _, f := range files {
		have := map[string]bool{}
		for _, l := range lines(string(f.Content)) {
			have[strings.TrimSpace(l)] = true
		}
		all, same := 0, 0
		for _, l := range text {
			if l = strings.TrimSpace(l); l != "" {
				all++
				if have[l] {
					same++
				}
			}
		}
		if same > 0 && same*2 >= all {
			return f.Path, true
		}
	}
	return "", false
}

// foreign knows other formats by their lines outside of hunks.
func (s *scanner) foreign(line string) (Problem, bool) {
	next, number := s.get(s.at+1), s.at+1
	switch {
	case blockMark(line) > 0:
		return found("search-replace-blocks", number, "these are SEARCH/REPLACE blocks under a diff --git line, as published Weaver plugins emit them, not a unified diff").expecting("@@ -START,COUNT +START,COUNT @@", line), true
	case strings.HasPrefix(line, "@@@ "), strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
		return found("combined-diff", number, "this is a combined diff, as git shows merges; no tool applies it").expecting("@@ -START,COUNT +START,COUNT @@", line), true
	case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ"):
		return found("binary-patch", number, "the change is given as binary").expecting("@@ -START,COUNT +START,COUNT @@", line), true
	case strings.HasPrefix(line, "*** ") && strings.HasPrefix(next, "--- "), strings.HasPrefix(line, "***************"):
		return found("context-diff", number, "this is a context diff (*** and ---), not a unified one (--- and +++)").expecting("--- a/NAME", line), true
	case s.hunks == 0 && normalDiff.MatchString(line) && (strings.HasPrefix(next, "< ") || strings.HasPrefix(next, "> ") || !strings.ContainsAny(line[:len(line)-1], "acd")):
		return found("normal-diff", number, "this is a diff without -u (or an ed script): it holds neither names nor context").expecting("--- a/NAME", line), true
	}
	return Problem{}, false
}
