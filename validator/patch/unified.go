package patch

import (
	"fmt"
	"slices"
	"strings"
)

const (
	contextLines = 3
	// mostEdits bounds the search for the shortest diff: its cost grows with the
	// square of the edits. Beyond it the part that differs becomes one hunk.
	mostEdits = 1500
)

// Unified writes the unified diff from before to after as git would: three
// lines of context, markers for a missing final newline, git's quoting of
// names. It is empty when nothing differs.
func Unified(path string, before, after []byte) string {
	if string(before) == string(after) {
		return ""
	}
	a, b := lines(string(before)), lines(string(after))
	var out strings.Builder
	out.WriteString("--- " + quote("a/"+path) + "\n+++ " + quote("b/"+path) + "\n")
	edits := diff(a, b)
	for len(edits) > 0 {
		n := 1 // edits whose contexts touch share a hunk
		for n < len(edits) && edits[n].a-edits[n-1].aEnd <= 2*contextLines {
			n++
		}
		writeHunk(&out, a, b, edits[:n])
		edits = edits[n:]
	}
	return out.String()
}

// An edit replaces lines a to aEnd of the old text by lines b to bEnd of the new.
type edit struct{ a, aEnd, b, bEnd int }

func writeHunk(out *strings.Builder, a, b []string, edits []edit) {
	first, last := edits[0], edits[len(edits)-1]
	lead := min(contextLines, first.a)
	trail := min(contextLines, len(a)-last.aEnd)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(first.a-lead, last.aEnd+trail), span(first.b-lead, last.bEnd+trail))
	write := func(op string, ls []string) {
		for _, l := range ls {
			out.WriteString(op + l)
			if !strings.HasSuffix(l, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	at := first.a - lead
	for _, e := range edits {
		write(" ", a[at:e.a])
		write("-", a[e.a:e.aEnd])
		write("+", b[e.b:e.bEnd])
		at = e.aEnd
	}
	write(" ", a[at:last.aEnd+trail])
}

// span writes the range of lines from index i to end; an empty one names the line before.
func span(i, end int) string {
	switch end - i {
	case 0:
		return fmt.Sprintf("%d,0", i)
	case 1:
		return fmt.Sprint(i + 1)
	}
	return fmt.Sprintf("%d,%d", i+1, end-i)
}

// quote writes a name as git does in --- and +++ lines: in C quotes when it
// holds quotes, backslashes, control or non-ASCII bytes, else with a TAB after
// it when it holds a space.
func quote(name string) string {
	var b strings.Builder
	odd := false
	for i := range len(name) {
		switch c := name[i]; {
		case strings.IndexByte(escaped, c) >= 0:
			b.WriteString(`\` + string(escapes[strings.IndexByte(escaped, c)]))
			odd = true
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
			odd = true
		default:
			b.WriteByte(c)
		}
	}
	switch {
	case odd:
		return `"` + b.String() + `"`
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}

// diff gives the edits that make b of a: Myers' greedy search between the
// common beginning and end.
func diff(a, b []string) []edit {
	start, aEnd, bEnd := 0, len(a), len(b)
	for start < aEnd && start < bEnd && a[start] == b[start] {
		start++
	}
	for aEnd > start && bEnd > start && a[aEnd-1] == b[bEnd-1] {
		aEnd, bEnd = aEnd-1, bEnd-1
	}
	// Numbers compare faster than lines.
	numbers := map[string]int{}
	number := func(ls []string) []int {
		ns := make([]int, len(ls))
		for i, l := range ls {
			if _, ok := numbers[l]; !ok {
				numbers[l] = len(numbers)
			}
			ns[i] = numbers[l]
		}
		return ns
	}
	edits := shortest(number(a[start:aEnd]), number(b[start:bEnd]))
	for i := range edits {
		edits[i].a += start
		edits[i].aEnd += start
		edits[i].b += start
		edits[i].bEnd += start
	}
	return edits
}

// shortest finds, for each number of edits d, how far each diagonal k = x-y
// gets; what was reached is kept to walk back from the end.
func shortest(a, b []int) []edit {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return []edit{{0, n, 0, m}}
	}
	var reached [][]int32
	for d := 0; d <= min(mostEdits, n+m); d++ {
		row := make([]int32, 2*d+1) // row[k+d] is the furthest x on diagonal k
		for k := -d; k <= d; k += 2 {
			x := int32(0)
			if d > 0 {
				x, _ = step(reached[d-1], d-1, k)
			}
			for int(x) < n && int(x)-k < m && int(x)-k >= 0 && a[x] == b[int(x)-k] {
				x++
			}
			row[k+d] = x
			if int(x) >= n && int(x)-k >= m {
				return walkBack(append(reached, row), n, m)
			}
		}
		reached = append(reached, row)
	}
	return []edit{{0, n, 0, m}}
}

// step gives the x where diagonal k is entered from the row of d edits, and
// whether that is by inserting a line of b.
func step(row []int32, d, k int) (x int32, inserts bool) {
	up, left := int32(-1), int32(-1) // from k+1 by an insertion, from k-1 by a deletion
	if k+1 <= d {
		up = row[k+1+d]
	}
	if k-1 >= -d {
		left = row[k-1+d] + 1
	}
	if up >= left {
		return up, true
	}
	return left, false
}

// walkBack follows the search from its end and joins single edits that touch.
func walkBack(reached [][]int32, x, y int) []edit {
	var back []edit
	for d := len(reached) - 1; d > 0; d-- {
		k := x - y
		at, inserts := step(reached[d-1], d-1, k)
		x = int(at)
		y = x - k
		e := edit{x - 1, x, y, y}
		if inserts {
			e = edit{x, x, y - 1, y}
		}
		if n := len(back); n > 0 && back[n-1].a == e.aEnd && back[n-1].b == e.bEnd {
			back[n-1].a, back[n-1].b = e.a, e.b
		} else {
			back = append(back, e)
		}
		x, y = e.a, e.b
	}
	slices.Reverse(back)
	return back
}
