package patch

import "strings"

// A section is what a patch says of one file.
type section struct {
	line     int    // of the first header
	git      string // what follows "diff --git "
	old, new string // what follows "--- " and "+++ "
	named    bool   // --- and +++ were seen
	extended []bodyLine
	hunks    []hunk
	path     string // the file meant, once resolved
}

// extendedHeaders are git's lines between diff --git and ---, with the kind of
// problem that each is here.
var extendedHeaders = []struct{ prefix, kind string }{
	{"index ", ""}, {"similarity index ", ""}, {"dissimilarity index ", ""},
	{"rename from ", "renames-file"}, {"rename to ", "renames-file"},
	{"copy from ", "renames-file"}, {"copy to ", "renames-file"},
	{"new file mode ", "creates-file"}, {"deleted file mode ", "deletes-file"},
	{"old mode ", "changes-mode"}, {"new mode ", "changes-mode"},
}

type scanner struct {
	lines    []string
	files    []File
	at       int // index of the line to look at
	sections []section
	free     int // index of the line after the last header or hunk
	fence    int // line number of a Markdown fence before the headers
	hunks    int // seen so far, good or bad
	last     int // index of the last line that is not blank
	problems []Problem
	stopped  bool // by a problem of format
}

// scan reads a unified diff. Lines in a hunk are taken by the header's counts,
// so that a removed "-- x", which shows as "--- x", is no file header. It stops
// at the first problem of format and goes on after one of counts.
func scan(text string, files []File) ([]section, []Problem) {
	s := &scanner{lines: lines(text), files: files}
	s.last = strings.Count(strings.TrimSpace("."+text), "\n") // the dot keeps blank lines in front
	for s.at < len(s.lines) && len(s.problems) < maxProblems && !s.stopped {
		s.step()
	}
	s.close()
	switch {
	case s.stopped:
	case len(s.sections) == 0:
		if path, ok := wholeFile(s.lines, files); ok {
			s.add(found("whole-file", 1, "this looks like the text of %s, not like a patch: there are no --- and +++ headers and no @@ hunks", clip(path)))
		} else {
			s.add(found("not-a-diff", 1, "there are no --- and +++ headers and no @@ hunks").expecting("--- a/NAME", s.lines[0]))
		}
	case s.fence > 0:
		s.add(found("markdown-fence", s.fence, "the patch stands in a Markdown fence").expecting("", s.get(s.fence-1)))
	default:
		s.strayText("there is text after the last hunk")
	}
	return s.sections, s.problems
}

// add notes a problem. One of format ends the scan; after one of counts it is
// most likely its consequence and not noted.
func (s *scanner) add(p Problem) {
	if s.stopped = s.stopped || p.Group == "format"; p.Group != "format" || len(s.problems) == 0 {
		s.problems = append(s.problems, p)
	}
}

// get gives line i, or nothing beyond the end.
func (s *scanner) get(i int) string {
	if i < 0 || i >= len(s.lines) {
		return ""
	}
	return s.lines[i]
}

func (s *scanner) current() *section {
	if len(s.sections) == 0 {
		return nil
	}
	return &s.sections[len(s.sections)-1]
}

// pair tells whether --- and +++ stand at i.
func (s *scanner) pair(i int) bool {
	return strings.HasPrefix(s.get(i), "--- ") && strings.HasPrefix(s.get(i+1), "+++ ")
}

// signature tells whether git format-patch's last two lines stand at i.
func (s *scanner) signature(i int) bool {
	return strings.TrimRight(s.get(i), "\r\n") == "-- " && s.last <= i+1
}

// step takes one header, hunk or line of free text.
func (s *scanner) step() {
	line, cur := strings.TrimRight(s.lines[s.at], "\n"), s.current()
	number := s.at + 1
	_, isExtended := extended(line)
	if p, ok := s.foreign(line); ok {
		s.add(p)
		return
	}
	switch {
	case strings.HasPrefix(line, "diff --git "):
		s.open(line)
		s.current().git = line[len("diff --git "):]
		s.free = s.at + 1
	case s.pair(s.at):
		if cur == nil || cur.git == "" || cur.named || len(cur.hunks) > 0 {
			s.open(line)
		}
		plus := strings.TrimRight(s.lines[s.at+1], "\n")
		if strings.HasSuffix(line, "\r") || strings.HasSuffix(plus, "\r") {
			s.carriageReturn(number)
			return
		}
		cur = s.current()
		cur.old, cur.new, cur.named = line[4:], plus[4:], true
		s.at++
		s.free = s.at + 1
	case strings.HasPrefix(line, "@@"):
		s.hunk(line)
		return
	case cur != nil && cur.git != "" && !cur.named && len(cur.hunks) == 0 && isExtended:
		cur.extended = append(cur.extended, bodyLine{text: line, line: number})
		s.free = s.at + 1
	case s.hunks == 0 && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
		s.fence = number
	}
	s.at++
}

// extended tells whether a line is an extended header, and what is wrong with it.
func extended(line string) (kind string, ok bool) {
	for _, e := range extendedHeaders {
		if strings.HasPrefix(line, e.prefix) {
			return e.kind, true
		}
	}
	return "", false
}

// strayText blames the first line that is neither header nor hunk nor blank.
// Text before another file's headers is none: tools read over it.
func (s *scanner) strayText(words string) {
	for i := s.free; i < len(s.lines) && !s.signature(i); i++ {
		if strings.TrimSpace(s.lines[i]) != "" {
			s.add(found("stray-text", i+1, "%s", words).expecting("", s.lines[i]))
			return
		}
	}
}

func (s *scanner) carriageReturn(line int) {
	s.add(found("carriage-return-header", line,
		`the headers end with \r\n; git apply takes that, GNU patch then strips every \r`).expecting("", s.get(line-1)))
}

// open begins a section at the current line.
func (s *scanner) open(line string) {
	s.close()
	s.sections = append(s.sections, section{line: s.at + 1})
	if strings.HasSuffix(line, "\r") {
		s.carriageReturn(s.at + 1)
	}
}

// close ends the current section: headers that no hunk follows say nothing.
func (s *scanner) close() {
	cur := s.current()
	if cur == nil || len(cur.hunks) > 0 || len(s.problems) > 0 {
		return
	}
	for _, e := range cur.extended {
		if kind, _ := extended(e.text); kind != "" {
			return // judged with the paths
		}
	}
	s.add(found("no-hunks", cur.line, "there are file headers without any hunk").expecting("@@ -START,COUNT +START,COUNT @@", s.get(cur.line-1)))
}

// hunk takes a header and the lines that it counts.
func (s *scanner) hunk(line string) {
	cur := s.current()
	switch before := s.get(s.at - 1); {
	case cur == nil, !cur.named, s.at != s.free && (strings.HasPrefix(before, "--- ") || strings.HasPrefix(before, "+++ ")):
		s.add(found("hunk-without-header", s.at+1, "no pair of --- and +++ lines stands before this hunk, so no tool knows its file for certain").expecting("--- a/NAME, then +++ b/NAME", before))
		return
	case s.at != s.free:
		s.add(found("stray-text", s.free+1, "a line stands between the headers or hunk before and this hunk: git apply refuses the hunk").expecting(line, s.lines[s.free]))
		return
	}
	h, ok := parseHunk(line)
	if h.line = s.at + 1; !ok {
		s.add(found("bad-hunk-header", h.line, "this hunk header cannot be read").expecting("@@ -START,COUNT +START,COUNT @@", line))
		return
	}
	if h.heading == "\r" {
		s.carriageReturn(h.line)
		return
	}
	s.hunks++
	s.at++
	from := s.at
	full := s.body(&h)
	if s.stopped {
		return
	}
	if !full || s.bodyGoesOn(h) {
		s.at = s.miscount(h, from)
		h.body = nil
	}
	s.free, cur.hunks = s.at, append(cur.hunks, h)
	if len(s.problems) > 0 {
		return
	}
	if len(h.body) > 0 {
		s.ending(h.body[len(h.body)-1])
	}
	if len(s.problems) == 0 && strings.Trim(h.ops(), " ") == "" {
		s.add(found("context-only-hunk", h.line, "this hunk has no - and no + lines: git apply and GNU patch call it corrupt").expecting("", line))
	}
}

// body takes the lines that the header of h counts and tells whether all were there.
func (s *scanner) body(h *hunk) (full bool) {
	oldLeft, newLeft := h.oldCount, h.newCount
	for ; s.at < len(s.lines); s.at++ {
		l := s.lines[s.at]
		if isMarker(l) {
			// git and GNU patch take the marker only where a side ends.
			n := len(h.body)
			if n == 0 || h.body[n-1].op != '+' && oldLeft > 0 || h.body[n-1].op != '-' && newLeft > 0 || !strings.HasSuffix(h.body[n-1].text, "\n") {
				s.add(found("misplaced-marker", s.at+1, "this marker does not stand after the last line of a side").expecting("", l))
				return false
			}
			h.body[n-1].text = strings.TrimSuffix(h.body[n-1].text, "\n")
			continue
		}
		b := bodyLine{l[0], l[1:], s.at + 1}
		if l == "\n" { // GNU diff and editors drop the space of an empty context line
			b = bodyLine{' ', "\n", s.at + 1}
		}
		takesOld, takesNew := b.op == ' ' || b.op == '-', b.op == ' ' || b.op == '+'
		if !takesOld && !takesNew || takesOld && oldLeft == 0 || takesNew && newLeft == 0 {
			break
		}
		if takesOld {
			oldLeft--
		}
		if takesNew {
			newLeft--
		}
		h.body = append(h.body, b)
	}
	return oldLeft+newLeft == 0
}

// bodyGoesOn tells whether the lines after a hunk that is full look like more of it.
func (s *scanner) bodyGoesOn(h hunk) bool {
	next, n := s.get(s.at), len(h.body)
	if strings.HasPrefix(next, "@@ -") && n > 1 && strings.HasSuffix(h.ops(), "-+") &&
		strings.HasPrefix(h.body[n-2].text, "-- ") && strings.HasPrefix(h.body[n-1].text, "++ ") {
		return true // the count took in the next file's headers
	}
	if strings.HasPrefix(next, "+++ ") && n > 0 && joinedHeader(h.body[n-1].text) {
		return true // the count is right, but the next file's header hangs on the last line
	}
	half := (strings.HasPrefix(next, "--- ") || strings.HasPrefix(next, "+++ ")) && strings.HasPrefix(s.get(s.at+1), "@@ -")
	return startsWithAny(next, " -+") && strings.TrimSpace(next) != "" &&
		!s.pair(s.at) && !half && !s.signature(s.at)
}

// ending checks that the patch goes on or ends with a newline after a body line.
func (s *scanner) ending(last bodyLine) {
	if raw := s.lines[last.line-1]; strings.HasSuffix(raw, "\n") {
		return
	} else if path := s.current().guess(s.files); path != "" && !strings.HasSuffix(contentOf(s.files, path), "\n") {
		s.add(found("missing-no-newline-marker", last.line, "%s ends without a newline and so does this line, but no marker follows", clip(path)).
			expecting(`\ No newline at end of file`, raw))
	} else {
		s.add(found("cut-off", last.line, "the last line of the patch has no newline: git apply and GNU patch call it corrupt").expecting(raw+`\n`, raw))
	}
}
