package patch

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// separators are where Python's splitlines ends a line besides \n and \r.
const separators = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// miscount says why the header of h does not fit the lines from index from on,
// and gives the index where they end.
func (s *scanner) miscount(h hunk, from int) (end int) {
	actual := s.recount(h, from)
	end = from + len(actual.body)
	content := lines(contentOf(s.files, s.current().guess(s.files)))
	open := "" // the last line of a file without final newline
	if n := len(content); n > 0 && !strings.HasSuffix(content[n-1], "\n") {
		open = content[n-1]
	}
	declared := fmt.Sprintf("the header declares -%d +%d, the body holds -%d +%d", h.oldCount, h.newCount, actual.oldCount, actual.newCount)
	for _, b := range actual.body {
		if b.joined(open) {
			s.add(found("missing-no-newline-marker", b.line, "two lines are joined here: the file ends without a newline, and the marker for it is missing (%s)", declared).
				expecting(string(b.op)+open+`⏎\ No newline at end of file⏎`+strings.TrimPrefix(b.text, open), string(b.op)+b.text))
			return end
		}
	}
	for _, b := range actual.body {
		if i := strings.IndexAny(b.text, separators); i >= 0 {
			r, size := utf8.DecodeRuneInString(b.text[i:])
			if startsWithAny(b.text[i+size:], "+- ") {
				s.add(found("joined-at-separator", b.line, "the text was split at %U, which ends no line in a patch (%s)", r, declared).expecting(actual.String(), h.header))
				return end
			}
		}
	}
	next := s.get(end)
	if next != "" && (actual.oldCount < h.oldCount || actual.newCount < h.newCount) &&
		(slices.Contains(content, next) || next != "\n" && strings.TrimSpace(next) == "") {
		s.add(found("unmarked-line", end+1, "this line of a hunk starts with none of space, - and + (%s)", declared).expecting(" "+next, next))
		for end < len(s.lines) && !s.header(end) {
			end++ // the rest of the hunk has the same cause
		}
		return end
	}
	s.add(found("count-mismatch", h.line, "%s", declared).expecting(actual.String(), h.header))
	return end
}

// recount gives h with the lines that its body has by their looks.
func (s *scanner) recount(h hunk, from int) hunk {
	h.oldCount, h.newCount, h.body = 0, 0, nil
	for i := from; i <= s.last && !s.header(i) && !s.signature(i) && startsWithAny(s.lines[i], " -+\\\n"); i++ {
		h.body = append(h.body, bodyLine{s.lines[i][0], s.lines[i][1:], i + 1})
	}
	for n := len(h.body); n > 0 && strings.TrimSpace(s.lines[from+n-1]) == ""; n-- {
		h.body = h.body[:n-1] // blank lines after a hunk are no part of it
	}
	for _, b := range h.body {
		if b.op != '+' && b.op != '\\' {
			h.oldCount++
		}
		if b.op != '-' && b.op != '\\' {
			h.newCount++
		}
	}
	return h
}

// header tells whether line i looks like a header, even amid a hunk.
func (s *scanner) header(i int) bool {
	return strings.HasPrefix(s.lines[i], "@@") || strings.HasPrefix(s.lines[i], "diff --git ") ||
		s.pair(i) && strings.HasPrefix(s.get(i+2), "@@ -")
}

// joined tells whether another line hangs on this one: a file's last line
// without newline, given as open, or the next file's header.
func (b bodyLine) joined(open string) bool {
	rest, ok := strings.CutPrefix(b.text, open)
	return ok && open != "" && b.op != '+' && startsWithAny(rest, "+- @d") || joinedHeader(b.text)
}

func joinedHeader(text string) bool {
	return strings.Index(text, "diff --git a/") > 0 || strings.Index(text, "--- a/") > 0
}

func startsWithAny(s, chars string) bool { return s != "" && strings.IndexByte(chars, s[0]) >= 0 }
