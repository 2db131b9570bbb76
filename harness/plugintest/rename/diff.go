package rename

import (
	"fmt"
	"strings"
)

const contextLines = 3

// Diff writes a unified diff of the files that changed, in the order of
// before, with three lines around each change, as "git apply" and GNU patch
// read it. Files are matched by path; it neither creates nor deletes any.
func Diff(before, after []File) string {
	now := map[string]string{}
	for _, f := range after {
		now[f.Path] = f.Content
	}
	var out strings.Builder
	for _, f := range before {
		if content, ok := now[f.Path]; ok && content != f.Content {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", header("a/"+f.Path), header("b/"+f.Path))
			hunks(&out, lines(f.Content), lines(content))
		}
	}
	return out.String()
}

// header quotes a name as git does, and marks its end where it has a space.
func header(name string) string {
	var out strings.Builder
	quoted := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		k := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c)
		switch {
		case k >= 0:
			out.WriteByte('\\')
			out.WriteByte(`abtnvfr"\`[k])
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&out, "\\%03o", c)
		default:
			out.WriteByte(c)
			continue
		}
		quoted = true
	}
	s := out.String()
	if quoted {
		s = `"` + s + `"`
	}
	if strings.Contains(name, " ") {
		s += "\t"
	}
	return s
}

// lines cuts at line feeds alone and keeps them, and every other byte.
func lines(s string) []string {
	l := strings.SplitAfter(s, "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

// A change says that the lines from to to become others.
type change struct{ from, to, newFrom, newTo int }

// changes compares line by line when the number of lines is the same, as it
// is after a rename; else all between the common start and end is one change.
func changes(a, b []string) []change {
	if len(a) != len(b) {
		start, end := 0, 0
		for start < min(len(a), len(b)) && a[start] == b[start] {
			start++
		}
		for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
			end++
		}
		return []change{{start, len(a) - end, start, len(b) - end}}
	}
	var all []change
	for i := range a {
		switch n := len(all) - 1; {
		case a[i] == b[i]:
		case n >= 0 && all[n].to == i:
			all[n].to, all[n].newTo = i+1, i+1
		default:
			all = append(all, change{i, i + 1, i, i + 1})
		}
	}
	return all
}

func hunks(out *strings.Builder, a, b []string) {
	all := changes(a, b)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].from-all[n-1].to <= 2*contextLines {
			n++
		}
		hunk(out, a, b, all[:n])
		all = all[n:]
	}
}

func hunk(out *strings.Builder, a, b []string, c []change) {
	last := c[len(c)-1]
	from := max(0, c[0].from-contextLines)
	to := min(len(a), last.to+contextLines)
	newFrom := c[0].newFrom - (c[0].from - from)
	newTo := last.newTo + (to - last.to)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(from, to), span(newFrom, newTo))
	for _, x := range c {
		side(out, ' ', a[from:x.from])
		side(out, '-', a[x.from:x.to])
		side(out, '+', b[x.newFrom:x.newTo])
		from = x.to
	}
	side(out, ' ', a[from:to])
}

func span(from, to int) string {
	if from == to { // an empty range is named by the line before it
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func side(out *strings.Builder, mark byte, l []string) {
	for _, s := range l {
		out.WriteByte(mark)
		out.WriteString(s)
		if !strings.HasSuffix(s, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
