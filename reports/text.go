package reports

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// each rewrites a string character by character. A byte that is not part of
// valid UTF-8 comes as the rune -1.
func each(s string, rewrite func(r rune, raw string) string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			r = -1
		}
		b.WriteString(rewrite(r, s[:n]))
		s = s[n:]
	}
	return b.String()
}

// visible turns whatever does not print into an escape a reader can see, so
// that nothing a plugin wrote can steer a terminal, reorder a line or break an
// XML document: control characters, bidi overrides, invisible spaces, bytes
// that are not UTF-8. Newlines stay. paint, where given, colours the escapes.
func visible(s string, paint func(string) string) string {
	return each(s, func(r rune, raw string) string {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			return raw
		case r < 0:
			raw = fmt.Sprintf(`\x%02x`, raw[0])
		default:
			raw = strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		}
		if paint != nil {
			raw = paint(raw)
		}
		return raw
	})
}

// one is visible for what must stay on one line: a plugin's name cannot start
// a line of its own and pose as a verdict.
func one(s string) string { return strings.ReplaceAll(visible(s, nil), "\n", `\n`) }

// shorten cuts long data in the middle to about limit bytes and says how many
// bytes are gone. already counts those which never reached the report.
func shorten(s string, limit int, already int64) string {
	if len(s) <= limit {
		if already > 0 {
			s += fmt.Sprintf(" … %d bytes in the middle were left out", already)
		}
		return s
	}
	head, tail := limit/2, len(s)-limit/2
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(s[head]); i++ {
		head--
	}
	for i := 0; i < utf8.UTFMax && tail < len(s) && !utf8.RuneStart(s[tail]); i++ {
		tail++
	}
	return fmt.Sprintf("%s … %d bytes left out … %s", s[:head], int64(tail-head)+already, s[tail:])
}

// wrap breaks prose into lines of at most width characters, except where one
// word is longer. Zero does not wrap. A line that fits is left as it was.
func wrap(s string, width int) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if width <= 0 {
		return lines
	}
	var out []string
	for _, line := range lines {
		if utf8.RuneCountInString(line) <= width {
			out = append(out, line)
			continue
		}
		current, length := "", 0
		for word := range strings.FieldsSeq(line) {
			n := utf8.RuneCountInString(word)
			switch {
			case length == 0:
				current, length = word, n
			case length+1+n > width:
				out = append(out, current)
				current, length = word, n
			default:
				current, length = current+" "+word, length+1+n
			}
		}
		out = append(out, current)
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
