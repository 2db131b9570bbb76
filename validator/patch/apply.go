package patch

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// apply lays the hunks over content where their old sides say, byte for byte.
func (s *section) apply(content string) (after string, problems []Problem) {
	src := lines(content)
	var out strings.Builder
	done := 0      // lines of src already written
	var prev *hunk // the hunk before
	for i := range s.hunks {
		h := &s.hunks[i]
		at := h.before()
		if len(src) == 0 && h.oldCount == 0 {
			at = 0 // an empty file has no line to name: tools take -0,0 and -1,0
		}
		if prev != nil && at < done {
			return content, append(problems, disorder(*prev, *h))
		}
		prev = h
		old := h.side('-')
		if at+len(old) > len(src) || !slices.Equal(src[at:at+len(old)], old) {
			if problems = append(problems, h.explain(src, at)); len(problems) == maxProblems {
				break
			}
			continue // the other hunks are judged, nothing is written
		}
		for _, l := range src[done:at] {
			out.WriteString(l)
		}
		for _, l := range h.side('+') {
			out.WriteString(l)
		}
		done = at + len(old)
	}
	if len(problems) > 0 {
		return content, problems
	}
	for _, l := range src[done:] {
		out.WriteString(l)
	}
	return out.String(), nil
}

// disorder tells hunks that share lines from hunks in the wrong order.
func disorder(prev, h hunk) Problem {
	if h.before()+h.oldCount <= prev.before() {
		return found("hunks-out-of-order", h.line, "this hunk (old line %d) stands after the one for old line %d; tools disagree: git apply takes it, GNU patch refuses", h.oldStart, prev.oldStart)
	}
	last := func(h hunk) int { return h.before() + h.oldCount }
	return found("overlapping-hunks", h.line, "old ranges %d-%d and %d-%d overlap; tools disagree: git apply refuses, GNU patch takes it",
		prev.oldStart, last(prev), h.oldStart, last(h)).expecting("", h.header)
}

// differences are what two texts may differ in and still look the same, with
// the line as it is without that. The first that fits is the one to name.
var differences = []struct {
	kind, words string
	without     func(string) string
}{
	{"final-newline", "only in the newline at the end of the file", func(s string) string { return s }},
	{"carriage-return", `only in \r`, func(s string) string { return strings.ReplaceAll(s, "\r", "") }},
	{"trailing-space", "only in white space at their ends", func(s string) string { return strings.TrimRight(s, " \t\r\v\f") }},
	{"mark-in-content", "only in a byte order mark (U+FEFF)", func(s string) string { return strings.TrimPrefix(s, "\ufeff") }},
	{"tabs-and-spaces", "only in tabs and spaces", func(s string) string { return strings.Join(strings.Fields(s), " ") }},
}

// plain applies without to each line and drops line ends.
func plain(ls []string, without func(string) string) []string {
	out := make([]string, len(ls))
	for i, l := range ls {
		out[i] = without(strings.TrimSuffix(l, "\n"))
	}
	return out
}

// explain says why the old side of h is not what stands at line index at.
func (h *hunk) explain(src []string, at int) Problem {
	old := h.side('-')
	here := src[min(at, len(src)):min(at+len(old), len(src))]
	i := 0 // the first line that differs
	for i < len(here) && here[i] == old[i] {
		i++
	}
	about := func(kind, format string, args ...any) Problem {
		p := found(kind, h.line, format, args...)
		if i < len(old) {
			p.Line = h.oldLine(i)
			p.Got = clip(old[i])
		}
		if i < len(here) {
			p.Expected = clip(here[i])
		}
		return p
	}
	if i < len(here) {
		if r, ok := splitAt(here[i], old[i]); ok {
			return about("split-at-separator", "line %d of the file holds %U, which ends no line in a patch; here it was split there", at+i+1, r)
		}
	}
	if len(here) == len(old) {
		for _, d := range differences {
			if slices.Equal(plain(here, d.without), plain(old, d.without)) {
				p := about(d.kind, "line %d of the file and this line differ %s", at+i+1, d.words)
				p.Expected, p.Got = tail(here[i]), tail(old[i]) // what differs is mostly there and unseen
				if d.kind == "final-newline" && strings.HasSuffix(old[i], "\n") {
					p.Message += `: the marker "\ No newline at end of file" is missing after it`
				}
				return p
			}
		}
	}
	if to, ok := nearest(src, old, at); ok {
		p := found("wrong-position", h.line, "matches at line %d, not %d", to+1, at+1)
		fixed := *h
		fixed.oldStart, fixed.newStart = h.oldStart+to-at, h.newStart+to-at
		if r, n := foreignEnds(src[:to]); n > 0 && n == at-to {
			p.Message += fmt.Sprintf(": %U and the like, %d before it, were counted as line ends", r, n)
		}
		return p.expecting(fixed.String(), h.header)
	}
	if at+len(old) > len(src) {
		return about("past-end", "the hunk needs lines %d-%d, the file has %d lines", at+1, at+len(old), len(src))
	}
	return about("context-mismatch", "line %d of the file is not what this line says", at+i+1)
}

// tail quotes the end of a line.
func tail(s string) string {
	const most = 60
	if len(s) > most {
		return "…" + fmt.Sprintf("%q", strings.ToValidUTF8(s[len(s)-most:], ""))
	}
	return fmt.Sprintf("%q", s)
}

// oldLine is the line of the patch that holds line i of the old side.
func (h *hunk) oldLine(i int) int {
	for _, b := range h.body {
		if b.op != '+' {
			if i == 0 {
				return b.line
			}
			i--
		}
	}
	return h.line
}

// splitAt tells whether part is what line leaves when it is split at a
// character that ends no line here, and which one.
func splitAt(line, part string) (rune, bool) {
	part = strings.TrimSuffix(part, "\n")
	rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), part)
	if !ok || rest == "" {
		return 0, false
	}
	after, _ := utf8.DecodeRuneInString(rest)
	before, _ := utf8.DecodeLastRuneInString(part)
	for _, r := range []rune{after, before} {
		// A lone \r counts too, but not that of \r\n.
		if strings.ContainsRune(separators, r) || r == '\r' && rest != "\r" {
			return r, true
		}
	}
	return 0, false
}

// foreignEnds counts the characters that some languages end lines at.
func foreignEnds(ls []string) (r rune, n int) {
	for _, l := range ls {
		for _, c := range l {
			if strings.ContainsRune(separators, c) {
				r, n = c, n+1
			}
		}
	}
	return r, n
}

// nearest finds the place closest to at where old stands in src. One search
// over the joined text keeps it linear.
func nearest(src, old []string, at int) (line int, ok bool) {
	if len(old) == 0 || len(old) > len(src) {
		return 0, false
	}
	content, want := "\n"+strings.Join(src, ""), "\n"+strings.Join(old, "")
	best, start := -1, len(strings.Join(src[:min(at, len(src))], "")) // start: the newline before line at
	switch i := strings.Index(content[start:], want); {
	case !strings.HasSuffix(want, "\n"): // only the end of the file can match
		if strings.HasSuffix(content, want) {
			best = len(content) - len(want)
		}
	case i >= 0:
		best = start + i
		fallthrough
	default:
		before := strings.LastIndex(content[:min(len(content), start+len(want)-1)], want)
		if before >= 0 && (best < 0 || start-before < best-start) {
			best = before
		}
	}
	if best < 0 {
		return 0, false
	}
	return strings.Count(content[:best], "\n"), true
}
