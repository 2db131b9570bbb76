package patch

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A side is one file name of a header as it can be understood.
type side struct {
	name  string // as written, unquoted, without what follows a TAB
	dated string // name without a date after a space; often the same
	bad   bool   // the quoting is broken
}

const devNull = "/dev/null"

// GNU diff separates name and date by a TAB, some writers by spaces.
var dateAfterName = regexp.MustCompile(`\s+(\d{4}-\d\d-\d\d|(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z][a-z] +\d).*$`)

// readName understands what follows "--- " or "+++ ".
func readName(field string) side {
	if strings.HasPrefix(field, `"`) {
		name, _, ok := unquote(field)
		return side{name, name, !ok}
	}
	name, _, _ := strings.Cut(field, "\t")
	name = strings.TrimRight(name, "\r\n")
	return side{name: name, dated: dateAfterName.ReplaceAllString(name, "")}
}

// likely is the name to show and to judge when nothing sent bears it.
func (s side) likely(prefix string) string { return strings.TrimPrefix(s.dated, prefix) }

// meanings are the paths that a name can stand for, the usual one first.
func (s side) meanings(prefix string) []string {
	other := map[string]string{"a/": "b/", "b/": "a/"}[prefix]
	var all []string
	for _, n := range []string{s.name, s.dated} {
		all = append(all, strings.TrimPrefix(n, prefix), n, strings.TrimPrefix(n, other))
	}
	return all
}

// names gives the old and the new name of a section.
func (s *section) names() (old, new side) {
	if s.named {
		return readName(s.old), readName(s.new)
	}
	return readGitNames(s.git)
}

// creates tells whether the section makes a new file.
func (s *section) creates() bool {
	old, _ := s.names()
	return old.dated == devNull || slices.ContainsFunc(s.extended, func(b bodyLine) bool { return strings.HasPrefix(b.text, "new file mode ") })
}

// guess is the sent file that a section means, "" when none.
func (s *section) guess(files []File) string {
	old, new := s.names()
	return common(old, new, files)
}

// common is the sent path that both names can mean.
func common(old, new side, files []File) string {
	theirs := new.meanings("b/")
	for _, p := range old.meanings("a/") {
		if slices.Contains(theirs, p) && sent(files, p) {
			return p
		}
	}
	return ""
}

func sent(files []File, p string) bool {
	return slices.ContainsFunc(files, func(f File) bool { return f.Path == p })
}

func resolveAll(sections []section, files []File) (problems []Problem) {
	seen := map[string]int{}
	for i := range sections {
		s := &sections[i]
		p, bad := s.resolve(files)
		if bad {
			problems = append(problems, p)
		} else if first := seen[s.path]; first > 0 {
			problems = append(problems, found("same-file-twice", s.line, "%s is headed a second time; the first header is on line %d", clip(s.path), first))
		} else {
			seen[s.path] = s.line
		}
		if len(problems) == maxProblems {
			break
		}
	}
	return problems
}

// resolve finds the sent file that the section means, or says why none may be meant.
func (s *section) resolve(files []File) (Problem, bool) {
	for _, e := range s.extended {
		if kind, _ := extended(e.text); kind != "" {
			return found(kind, e.line, "the patch does more than edit a file: %s", clip(e.text)).expecting("", e.text), true
		}
	}
	old, new := s.names()
	oldName, newName := old.likely("a/"), new.likely("b/")
	shown := s.old + " → " + s.new
	if !s.named {
		shown = s.git
	}
	at := func(kind, format string, args ...any) (Problem, bool) {
		return found(kind, s.line, format, args...).expecting(sentPaths(files), shown), true
	}
	switch {
	case old.bad || new.bad:
		return at("bad-quoting", "a quoted file name cannot be read: %s", clip(shown))
	case old.dated == devNull:
		return at("creates-file", "the old side is /dev/null: the patch creates %s", clip(newName))
	case new.dated == devNull:
		return at("deletes-file", "the new side is /dev/null: the patch deletes %s", clip(oldName))
	}
	for _, n := range []string{oldName, newName} {
		switch {
		case strings.HasPrefix(n, "/") || len(n) > 2 && n[1] == ':' && (n[2] == '\\' || n[2] == '/'):
			return at("absolute-path", "the name understood is %s, an absolute path", clip(n))
		case slices.Contains(strings.FieldsFunc(n, func(r rune) bool { return r == '/' || r == '\\' }), ".."):
			return at("dot-dot", "the name understood is %s, which holds ..", clip(n))
		}
	}
	if s.path = common(old, new, files); s.path == "" {
		bare := func(n string) string { return n[strings.Index(n, "/")+1:] } // without its first folder or prefix
		switch {
		case oldName != newName && (bare(old.dated) != bare(new.dated) || sent(files, oldName) || sent(files, newName)):
			return at("renames-file", "the names understood differ: %s and %s", clip(oldName), clip(newName))
		case strings.Contains(newName, `\`):
			return at("backslash", `the name understood is %s, with \ in it`, clip(newName))
		case sent(files, bare(old.dated)):
			return at("prefix", "the names understood are %s and %s; their prefixes are not a/ and b/", clip(old.dated), clip(new.dated))
		case sent(files, path.Clean(newName)):
			return at("unknown-path", "the name understood is %s; write %s", clip(newName), clip(path.Clean(newName)))
		}
		return at("unknown-path", "the name understood is %s, which was not sent; sent were: %s", clip(newName), sentPaths(files))
	}
	if s.git != "" {
		// A line that names with spaces leave ambiguous is not judged.
		if o, n := readGitNames(s.git); o.bad || o.name != "" && common(o, n, []File{{Path: s.path}}) == "" {
			return at("git-header-disagrees", "diff --git names %s, --- and +++ name %s", clip(s.git), clip(s.path))
		}
	}
	return Problem{}, false
}

// sentPaths lists what was sent, in short.
func sentPaths(files []File) string {
	var ps []string
	for i, f := range files {
		if i == 10 {
			ps = append(ps, "…")
			break
		}
		ps = append(ps, clip(f.Path))
	}
	return strings.Join(ps, ", ")
}

// readGitNames splits what follows "diff --git ". Unquoted names may hold
// spaces; then the split is where both are the same but for the prefix, as git
// does it. Without such a split and with several spaces both names are empty.
func readGitNames(field string) (old, new side) {
	field = strings.TrimRight(field, "\r\n")
	if strings.HasPrefix(field, `"`) {
		name, rest, ok := unquote(field)
		return side{name, name, !ok}, readName(strings.TrimPrefix(rest, " "))
	}
	spaces := strings.Count(field, " ")
	for i := range len(field) {
		if field[i] != ' ' {
			continue
		}
		o, n := side{name: field[:i], dated: field[:i]}, side{name: field[i+1:], dated: field[i+1:]}
		if strings.HasPrefix(n.name, `"`) {
			n = readName(n.name)
		}
		if spaces == 1 || o.likely("a/") == n.likely("b/") {
			return o, n
		}
	}
	return side{}, side{}
}

const escapes, escaped = "abtnvfr\"\\", "\a\b\t\n\v\f\r\"\\"

// unquote reads a name quoted as git does it, and gives what follows.
func unquote(s string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c != '\\':
			b.WriteByte(c)
		case i+3 < len(s) && s[i+1] >= '0' && s[i+1] <= '3' && isOctal(s[i+2]) && isOctal(s[i+3]):
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
		case i+1 < len(s) && strings.IndexByte(escapes, s[i+1]) >= 0:
			b.WriteByte(escaped[strings.IndexByte(escapes, s[i+1])])
			i++
		default:
			return "", "", false
		}
	}
	return "", "", false
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }
