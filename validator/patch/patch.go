// Package patch judges a patch text against the files that were sent: is it a
// unified diff, does it count right, does it name only those files, does it
// apply as it stands, does it change anything.
//
// "Applies" is stricter than any one tool, because the tools disagree: git
// apply refuses overlapping hunks and looks for a hunk where its new side says,
// GNU patch refuses a new file headed -1,0, hunks out of order and CRLF in file
// headers. A patch passes when both take it without fuzz and without offset, but
// for one thing: a hunk may have as little context as its writer likes, which
// the tools take for a hint at the end of the file.
// The tests hold the package against git, GNU patch and go-gitdiff; the
// scanner is our own since those parsers hide the counts, positions and names
// that a plugin author has to be told.
package patch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A File is one file of the request.
type File struct {
	Path    string
	Content []byte
}

// A Style says which patch texts are accepted.
type Style int

const (
	// UnifiedOnly accepts unified diffs.
	UnifiedOnly Style = iota
	// SearchReplace accepts diff --git lines followed by SEARCH/REPLACE blocks too.
	SearchReplace
)

// A Problem is one thing wrong with a patch, in words for a plugin author.
type Problem struct {
	Kind          string // a key of Kinds
	Group         string // one of Groups
	Line          int    // line of the patch, from 1; 0 when no line is to blame
	Message       string
	Expected, Got string
	Fix           string
}

// Groups are the classes of problems in the order they are judged. After a
// problem in one group the later ones are not judged: one cause, one problem.
var Groups = []string{"format", "counts", "paths", "applies", "changes"}

// maxProblems bounds what is said of one patch.
const maxProblems = 20

// Judge parses text, counts its lines, checks its paths and applies it to the
// files. It returns the files as they are afterwards, in the order they were
// given; they are as before when there is a problem short of the group
// "changes".
func Judge(text string, files []File, style Style) (after []File, problems []Problem) {
	if most := mostText(files); len(text) > most {
		return files, []Problem{found("too-large", 0, "the patch has %d bytes, far more than a patch of these files can need (%d)", len(text), most)}
	}
	if style == SearchReplace && blockMark(text) > 0 {
		return judgeBlocks(text, files)
	}
	if p, ok := notADiff(text, files); ok {
		return files, []Problem{p}
	}
	sections, problems := scan(text, files)
	if len(problems) == 0 {
		for i := range sections {
			problems = append(problems, sections[i].positions()...)
		}
	}
	if len(problems) > 0 {
		return files, firstGroup(problems)
	}
	if problems = resolveAll(sections, files); len(problems) > 0 {
		return files, firstGroup(problems)
	}
	contents := map[string]string{}
	for _, s := range sections {
		content, ps := s.apply(contentOf(files, s.path))
		contents[s.path] = content
		problems = append(problems, ps...)
	}
	if len(problems) > 0 {
		return files, firstGroup(problems)
	}
	after, changed := replaced(files, contents)
	if !changed {
		return after, []Problem{found("noop-patch", sections[0].line,
			"a no-op: the patch applies and changes nothing")}
	}
	return after, nil
}

// mostText is more than any patch of the files has: each line once removed and
// once added, with a header and context of its own. It bounds what is judged.
func mostText(files []File) int {
	most := 256 << 10
	for _, f := range files {
		most += 16 * len(f.Content)
	}
	return most
}

// found makes a problem; group and mending come from Kinds.
func found(kind string, line int, format string, args ...any) Problem {
	k, ok := Kinds[kind]
	if !ok {
		panic("patch: unknown kind " + kind)
	}
	return Problem{Kind: kind, Group: k.Group, Line: line, Message: fmt.Sprintf(format, args...), Fix: k.Fix}
}

func (p Problem) expecting(expected, got string) Problem {
	p.Expected, p.Got = clip(expected), clip(got)
	return p
}

// firstGroup keeps the problems of the earliest group that has any.
func firstGroup(problems []Problem) []Problem {
	for _, g := range Groups {
		var of []Problem
		for _, p := range problems {
			if p.Group == g && len(of) < maxProblems {
				of = append(of, p)
			}
		}
		if of != nil {
			return of
		}
	}
	return nil
}

func contentOf(files []File, path string) string {
	for _, f := range files {
		if f.Path == path {
			return string(f.Content)
		}
	}
	return ""
}

// replaced puts new contents in place and tells whether any differs.
func replaced(files []File, contents map[string]string) (after []File, changed bool) {
	after = slices.Clone(files)
	for i, f := range after {
		if c, ok := contents[f.Path]; ok && c != string(f.Content) {
			after[i].Content, changed = []byte(c), true
		}
	}
	return after, changed
}

// lines splits after each \n and nothing else, as patch tools do: \r, form
// feeds and U+2028 are part of a line.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	ls := strings.SplitAfter(s, "\n")
	if ls[len(ls)-1] == "" {
		ls = ls[:len(ls)-1]
	}
	return ls
}

// clip shortens what is shown and makes control characters and bad bytes visible.
func clip(s string) string {
	s = strings.TrimSuffix(s, "\n")
	const most = 120
	cut := len(s) > most
	if cut {
		s = strings.ToValidUTF8(s[:most], "")
	}
	q := strconv.Quote(s)
	s = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(q[1 : len(q)-1])
	if cut {
		s += "…"
	}
	return s
}
