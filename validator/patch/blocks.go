package patch

import "strings"

const searchMark, middleMark, replaceMark = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"

// A block is one SEARCH/REPLACE pair.
type block struct {
	path            string
	line            int
	search, replace string
}

// mark tells whether a line is one of the marks; CRLF writers end it with \r.
func mark(line, m string) bool { return strings.TrimRight(line, " \t\r\n") == m }

// blockMark gives the number of the first line that opens a block, 0 if none.
func blockMark(text string) int {
	if !strings.Contains(text, searchMark) {
		return 0
	}
	for i, l := range lines(text) {
		if mark(l, searchMark) {
			return i + 1
		}
	}
	return 0
}

// judgeBlocks judges diff --git lines with SEARCH/REPLACE blocks. A SEARCH text
// is whole lines, and stands exactly once in its file as the blocks before have
// left it: tools search from the start or from the block before, and only then
// do they agree. The first ======= line ends SEARCH, the first >>>>>>> REPLACE
// line ends the block.
func judgeBlocks(text string, files []File) (after []File, problems []Problem) {
	blocks, problems := readBlocks(text, files)
	if len(problems) > 0 {
		return files, firstGroup(problems)
	}
	contents := map[string]string{}
	for _, b := range blocks {
		content, ok := contents[b.path]
		if !ok {
			content = contentOf(files, b.path)
		}
		next, p, ok := b.apply(content)
		if !ok {
			if problems = append(problems, p); len(problems) == maxProblems {
				break
			}
		}
		contents[b.path] = next
	}
	if len(problems) > 0 {
		return files, firstGroup(problems)
	}
	after, changed := replaced(files, contents)
	if !changed {
		return after, []Problem{found("noop-patch", blocks[0].line, "a no-op: the blocks apply and change nothing")}
	}
	return after, nil
}

func readBlocks(text string, files []File) (blocks []block, problems []Problem) {
	var (
		sections []section
		counts   []int  // blocks of each section
		part     string // the mark that opened the part we are in
		b        block
		owner    []int // section of each block
		at, from int   // offsets in text of this line and of the part we are in
	)
	fail := func(kind string, line int, format string, args ...any) ([]block, []Problem) {
		return nil, []Problem{found(kind, line, format, args...)}
	}
	for i, l := range lines(text) {
		next := at + len(l)
		switch {
		case mark(l, searchMark):
			if part != "" {
				return fail("unterminated-block", b.line, "the block is not ended when the next one opens on line %d", i+1)
			}
			if len(sections) == 0 {
				return fail("block-without-file", i+1, "no diff --git line says which file this block is for")
			}
			part, b, from = searchMark, block{line: i + 1}, next
		case part == searchMark && mark(l, middleMark):
			part, b.search, from = middleMark, text[from:at], next
		case part == middleMark && mark(l, replaceMark):
			if strings.TrimSpace(b.search) == "" {
				return fail("empty-search", b.line, "the SEARCH part holds no text, so it stands everywhere and nowhere")
			}
			b.replace = text[from:at]
			part, blocks, owner = "", append(blocks, b), append(owner, len(sections)-1)
			counts[len(counts)-1]++
		case part != "": // a line of the part
		case strings.HasPrefix(l, "diff --git "):
			sections, counts = append(sections, section{line: i + 1, git: strings.TrimRight(l[len("diff --git "):], "\r\n")}), append(counts, 0)
		case strings.TrimSpace(l) != "" && len(sections) > 0:
			return fail("text-between-blocks", i+1, "this line belongs to no block: %s", clip(l))
		}
		at = next
	}
	if part != "" {
		return fail("unterminated-block", b.line, "the block is not ended at the end of the patch")
	}
	for i, n := range counts {
		if n == 0 {
			return fail("no-hunks", sections[i].line, "there is a diff --git line without any block")
		}
	}
	if problems = resolveAll(sections, files); len(problems) > 0 {
		return nil, problems
	}
	for i := range blocks {
		blocks[i].path = sections[owner[i]].path
	}
	return blocks, nil
}

// apply replaces the one place where SEARCH stands in content.
func (b block) apply(content string) (string, Problem, bool) {
	text, search, replace := "\n"+content, "\n"+b.search, "\n"+b.replace
	// A last line without newline stays so: a block has no way to say it.
	open := content != "" && !strings.HasSuffix(content, "\n")
	if open {
		text += "\n"
	}
	i := strings.Index(text, search)
	if i < 0 {
		return content, b.explain(content), false
	}
	if j := strings.Index(text[i+1:], search); j >= 0 {
		first := 1 + strings.Count(text[:i], "\n")
		return content, found("search-ambiguous", b.line, "the SEARCH text stands at lines %d and %d of %s", first, first+strings.Count(text[i:i+1+j], "\n"), clip(b.path)), false
	}
	next := (text[:i] + replace + text[i+len(search):])[1:]
	if open {
		next = strings.TrimSuffix(next, "\n")
	}
	return next, Problem{}, true
}

// explain says why SEARCH is not found.
func (b block) explain(content string) Problem {
	src, search := lines(content), lines(b.search)
	for _, d := range differences {
		where := "\n" + strings.Join(plain(src, d.without), "\n") + "\n"
		if strings.Contains(where, "\n"+strings.Join(plain(search, d.without), "\n")+"\n") {
			return found(d.kind, b.line, "the SEARCH text and %s differ %s", clip(b.path), d.words)
		}
	}
	return found("search-not-found", b.line, "the SEARCH text does not stand in %s", clip(b.path)).expecting("", search[0])
}
