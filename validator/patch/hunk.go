package patch

import (
	"fmt"
	"regexp"
	"strconv"
)

// A hunk is one @@ header and its lines.
type hunk struct {
	line                                   int
	header                                 string
	oldStart, oldCount, newStart, newCount int
	heading                                string // what follows the second @@
	body                                   []bodyLine
}

// A bodyLine is one line of a hunk: op is ' ', '-' or '+', and text ends with
// \n unless the marker for a missing one follows.
type bodyLine struct {
	op   byte
	text string
	line int
}

// side gives the lines of the old ('-') or new ('+') side.
func (h hunk) side(op byte) []string {
	var ls []string
	for _, b := range h.body {
		if b.op == ' ' || b.op == op {
			ls = append(ls, b.text)
		}
	}
	return ls
}

func (h hunk) String() string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@%s", h.oldStart, h.oldCount, h.newStart, h.newCount, h.heading)
}

// before is the number of lines that stand before the hunk, on the old side.
func (h hunk) before() int {
	if h.oldCount == 0 {
		return h.oldStart // an empty range names the line before it
	}
	return h.oldStart - 1
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)$`)

func (h hunk) ops() string {
	ops := make([]byte, len(h.body))
	for i, b := range h.body {
		ops[i] = b.op
	}
	return string(ops)
}

func parseHunk(line string) (h hunk, ok bool) {
	m := hunkHeader.FindStringSubmatch(line)
	if m == nil {
		return hunk{}, false
	}
	number := func(s string) int {
		if s == "" {
			return 1 // a count that is left out
		}
		n, _ := strconv.Atoi(s) // at most nine digits
		return n
	}
	return hunk{header: line, oldStart: number(m[1]), oldCount: number(m[2]), newStart: number(m[3]), newCount: number(m[4]), heading: m[5]}, true
}

// isMarker knows "\ No newline at end of file" in any language, by git's rule.
func isMarker(l string) bool { return len(l) >= 12 && l[:2] == `\ ` }

// positions checks the starts of a section's hunks against each other.
func (s *section) positions() (problems []Problem) {
	delta, end := 0, 0
	for _, h := range s.hunks {
		fixed := h
		switch {
		case h.oldCount == 0 && h.oldStart != 0 && s.creates():
			// git apply takes -1,0 here, GNU patch does not; both take -0,0.
			fixed.oldStart = 0
			return []Problem{found("new-file-range", h.line, "the hunk of a new file is headed -%d,0; tools disagree: git apply takes it, GNU patch refuses", h.oldStart).expecting(fixed.String(), h.header)}
		case h.oldCount > 0 && h.oldStart == 0, h.newCount > 0 && h.newStart == 0:
			fixed.oldStart, fixed.newStart = max(1, h.oldStart), max(1, h.newStart)
			return []Problem{found("start-zero", h.line, "a range that holds lines starts at line 0").expecting(fixed.String(), h.header)}
		case h.before() < end:
			return nil // overlapping or out of order: said when applying
		}
		// git apply begins its search where the new side says: it finds the hunk at
		// an offset, or a twin of it first. GNU patch does not read the new start.
		want := h.before() + delta + min(1, h.newCount)
		loose := h.oldCount == 0 || h.newCount == 0 // writers differ by one on empty ranges, tools take both
		if h.newStart != want && !(loose && (h.newStart == want+1 || h.newStart == want-1)) {
			fixed.newStart = want
			return []Problem{found("new-start", h.line, "the new side starts at %d, but the old start and the hunks before make it %d; git apply looks there and finds the hunk at an offset", h.newStart, want).expecting(fixed.String(), h.header)}
		}
		delta += h.newCount - h.oldCount
		end = h.before() + h.oldCount
	}
	return nil
}
