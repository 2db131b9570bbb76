package gen

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"plugcheck/validator/literal"
)

// gaps can stand between any two tokens where a line may end, and blanks where
// none may.
var (
	gaps = rapid.SampledFrom([]string{
		"", "", "", "", " ", " ", "\n", "\r\n", "\r", "\t", "\u2028", "\u00A0\uFEFF\u3000", "\v\f", "\n    ",
		"/**/", "/* } */", "/* ' \" ` ] ) */", "/*\n * }\n */", "/* 😀 // */", "// }\n", "// ' export const manifest = {}\r\n", "//`\r", "// /* \u2029",
	})
	blanks = rapid.SampledFrom([]string{" ", " ", "  ", "\t", " \u00A0", "/**/", " /* } */ ", "/* ' */", "/* 😀 */ "})
)

// Literal draws one of the ways in which JavaScript can say a value.
func Literal(v literal.Value) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := speller{t: t}
		s.value(v)
		return s.String()
	})
}

// A speller writes a value in a way it draws.
type speller struct {
	t *rapid.T
	strings.Builder
}

func (s *speller) chance(label string) bool { return rapid.Bool().Draw(s.t, label) }

func (s *speller) pick(label string, options ...string) string {
	return rapid.SampledFrom(options).Draw(s.t, label)
}

func (s *speller) write(parts ...string) {
	for _, p := range parts {
		s.WriteString(p)
	}
}

func (s *speller) gap() { s.write(gaps.Draw(s.t, "gap")) }

func (s *speller) value(v literal.Value) {
	switch v.Kind {
	case literal.Null:
		s.write("null")
	case literal.Bool:
		s.write(strconv.FormatBool(v.Bool))
	case literal.Number:
		s.number(v.Number)
	case literal.String:
		s.text(v.String, s.pick("quote", `"`, `'`, "`"))
	case literal.Array:
		s.list("[", "]", len(v.Items), func(i int) { s.value(v.Items[i]) })
	case literal.Object:
		s.list("{", "}", len(v.Fields), func(i int) { s.field(v.Fields[i]) })
	}
}

func (s *speller) list(open, closing string, n int, item func(int)) {
	s.write(open)
	s.gap()
	for i := range n {
		item(i)
		s.gap()
		if i < n-1 || s.chance("trailing comma") {
			s.write(",")
			s.gap()
		}
	}
	s.write(closing)
}

func (s *speller) field(f literal.Field) {
	if isName(f.Name) && s.chance("bare key") {
		s.write(f.Name)
	} else {
		s.text(f.Name, s.pick("quote", `"`, `'`))
	}
	s.gap()
	s.write(":")
	s.gap()
	s.value(f.Value)
}

// isName reports whether a key can stand without quotes. It knows fewer names than
// JavaScript does.
func isName(key string) bool {
	for i, c := range key {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (i == 0 || !unicode.In(c, unicode.Nd, unicode.Mn) && c != '\u200d') {
			return false
		}
	}
	return key != ""
}

// number writes a number: a minus where it has one, and then its digits.
func (s *speller) number(n float64) {
	if math.Signbit(n) {
		s.write("-")
		s.gap()
		n = -n
	}
	s.write(rapid.SampledFrom(spellings(n)).Draw(s.t, "number")(s, n))
}

type spelling func(*speller, float64) string

// spellings are the ways in which a number can be written that is not negative.
func spellings(n float64) []spelling {
	all := []spelling{shortest, fixed, scientific, shifted}
	if n == math.Trunc(n) {
		all = append(all, based)
	}
	return all
}

// shortest is how most people write it.
func shortest(_ *speller, n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// fixed has no exponent; a zero that says nothing is left out or put in.
func fixed(s *speller, n float64) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(n, 'f', -1, 64), ".")
	if s.chance("zeros behind") {
		fraction += s.pick("zeros", "0", "00")
	}
	if whole == "0" && fraction != "" && s.chance("no zero before") {
		whole = ""
	} else {
		whole = s.separated(whole)
	}
	if fraction == "" && !s.chance("point behind") {
		return whole
	}
	return whole + "." + s.separated(fraction)
}

func scientific(s *speller, n float64) string {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'e', -1, 64), "e")
	return digits + s.exponent(exponent)
}

// shifted has a whole number in front of its exponent.
func shifted(s *speller, n float64) string {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(n, 'e', -1, 64), "e")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = whole + fraction
	shift, err := strconv.Atoi(exponent)
	if err != nil || whole == "0" {
		return shortest(s, n) // a number as it stands has no zero in front
	}
	return s.separated(digits) + s.exponent(strconv.Itoa(shift-len(fraction)))
}

// exponent writes it with what JavaScript leaves open.
func (s *speller) exponent(digits string) string {
	sign, digits := digits[:1], strings.TrimLeft(digits, "+-")
	if sign != "-" {
		sign = s.pick("sign", "", "+")
	}
	return s.pick("e", "e", "E") + sign + s.pick("zeros", "", "0") + digits
}

// based writes a whole number in base 2, 8 or 16.
func based(s *speller, n float64) string {
	base := rapid.SampledFrom([]int{16, 8, 2}).Draw(s.t, "base")
	whole, _ := big.NewFloat(n).Int(nil)
	digits := whole.Text(base)
	if s.chance("capitals") {
		digits = strings.ToUpper(digits)
	}
	letter := map[int][]string{16: {"x", "X"}, 8: {"o", "O"}, 2: {"b", "B"}}[base]
	return "0" + s.pick("letter", letter...) + s.pick("zeros", "", "0") + s.separated(digits)
}

// separated puts an underscore between two digits, or none.
func (s *speller) separated(digits string) string {
	if len(digits) < 2 || digits[0] == '0' || !s.chance("separated") {
		return digits
	}
	at := rapid.IntRange(1, len(digits)-1).Draw(s.t, "underscore")
	return digits[:at] + "_" + digits[at:]
}

// escapes are the short ones.
var escapes = map[rune]string{'\n': `\n`, '\t': `\t`, '\r': `\r`, '\b': `\b`, '\f': `\f`, '\v': `\v`}

// text writes a string or, in backticks, a template.
func (s *speller) text(text, quote string) {
	s.write(quote)
	chars := []rune(text)
	for i, c := range chars {
		next := rune(-1)
		if i+1 < len(chars) {
			next = chars[i+1]
		}
		s.write(rapid.SampledFrom(s.ways(c, next, quote)).Draw(s.t, "character"))
		if rapid.IntRange(0, 20).Draw(s.t, "continuation") == 20 {
			s.write(`\` + s.lineEnd(next))
		}
	}
	s.write(quote)
}

// lineEnd ends a line. A \r must not come to stand in front of a \n.
func (s *speller) lineEnd(next rune) string {
	if next == '\n' {
		return s.pick("line end", "\n", "\r\n", "\u2028")
	}
	return s.pick("line end", "\n", "\r\n", "\r", "\u2028", "\u2029")
}

// ways are those in which a character can be written. One that can stand as it is
// does so most often.
func (s *speller) ways(c, next rune, quote string) []string {
	var ways []string
	switch {
	case quote == "`" && c == '\n':
		ways = []string{"\n", "\r\n"}
		if next != '\n' {
			ways = append(ways, "\r")
		}
	case c == '\\' || string(c) == quote || c == '\r' || quote != "`" && c == '\n' || quote == "`" && c == '$' && next == '{':
	default:
		ways = []string{string(c), string(c), string(c), string(c), string(c), string(c)}
	}
	if short, ok := escapes[c]; ok {
		ways = append(ways, short)
	} else if c == 0 && (next < '0' || next > '9') {
		ways = append(ways, `\0`)
	} else if !strings.ContainsRune("0123456789xubfnrtv\u2028\u2029", c) {
		ways = append(ways, `\`+string(c))
	}
	if c <= 0xff {
		ways = append(ways, fmt.Sprintf(`\x%02x`, c), fmt.Sprintf(`\x%02X`, c))
	}
	ways = append(ways, fmt.Sprintf(`\u{%x}`, c), fmt.Sprintf(`\u{%06X}`, c))
	if c < utf8.RuneSelf || utf16.RuneLen(c) == 1 {
		return append(ways, fmt.Sprintf(`\u%04x`, c))
	}
	high, low := utf16.EncodeRune(c)
	return append(ways, fmt.Sprintf(`\u%04x\u%04X`, high, low), fmt.Sprintf(`\u{%x}\u%04x`, high, low), fmt.Sprintf("\\u%04x\\\n\\u{%x}", high, low))
}
