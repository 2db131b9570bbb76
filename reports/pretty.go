package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	dataLimit  = 600  // bytes shown of one piece of a transcript
	diffLimit  = 4000 // bytes shown of a diff
	lineLimit  = 40   // pieces shown of a transcript
	labelWidth = 10   // of "expected" and "got"
)

const (
	bold   = 1
	dim    = 2
	red    = 31
	green  = 32
	yellow = 33
)

var marks = []string{"?", "✓", "✗", "-", "~"}
var statusColors = []int{yellow, green, red, dim, yellow}

// pretty writes the report for people. Every string of the report passes
// through visible, one, prose or data on its way out.
type pretty struct {
	strings.Builder
	o Options
	r *Report
}

func writePretty(w io.Writer, r *Report, o Options) error {
	p := &pretty{o: o, r: r}
	if !o.Quiet {
		for i := range r.Plugins {
			p.plugin(&r.Plugins[i])
		}
	}
	p.failures()
	p.untested()
	p.errors()
	if !o.Quiet {
		p.remarks()
		p.summary()
	}
	p.verdicts()
	_, err := io.WriteString(w, strings.TrimLeft(p.String(), "\n"))
	return err
}

func (p *pretty) paint(color int, s string) string {
	if !p.o.Color || s == "" {
		return s
	}
	off := 39
	if color <= dim {
		off = 22
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[%dm", color, s, off)
}

func (p *pretty) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *pretty) section(color int, title string) {
	p.line("\n%s", p.paint(color, p.paint(bold, title)))
}

// prose writes wrapped text after first, which is clean already, further lines
// indented by rest columns. A label before the text is bold.
func (p *pretty) prose(first string, rest int, label, text string) {
	width := p.o.Width
	if width > 0 {
		width = max(width-rest, 24)
	}
	for i, s := range wrap(label+visible(text, nil), width) {
		if after, ok := strings.CutPrefix(s, label); ok && i == 0 {
			s = p.paint(bold, label) + after
		}
		p.line("%s", strings.TrimRight(first+s, " "))
		first = indent(rest)
	}
}

func indent(n int) string { return strings.Repeat(" ", n) }

// about writes a labelled paragraph, where there is anything to say.
func (p *pretty) about(label, text string) {
	if text != "" {
		p.prose(indent(4), 4, label, text)
	}
}

// data writes what went over a wire, line by line and never wrapped; end, which
// is clean already, follows it.
func (p *pretty) data(first string, rest int, data, end string, color func(line string) int) {
	lines := strings.Split(data, "\n")
	for i, s := range lines {
		s = visible(s, func(escape string) string { return p.paint(dim, escape) })
		if body, ok := strings.CutSuffix(s, " "); ok && body != "" {
			s = body + p.paint(dim, `\x20`)
		}
		if color != nil && color(s) != 0 {
			s = p.paint(color(s), s)
		}
		if i == len(lines)-1 {
			s += end
		}
		p.line("%s", strings.TrimRight(first+s, " "))
		first = indent(rest)
	}
}

func (p *pretty) plugin(pl *Plugin) {
	about := []string{"plugin " + p.paint(bold, pl.title())}
	for _, s := range []string{pl.Wire, pl.Path} {
		if s != "" {
			about = append(about, one(s))
		}
	}
	p.line("\n%s", strings.Join(about, "  "))
	if pl.Guess != "" {
		p.prose("  ", 4, "guessed: ", pl.Guess)
	}
	width := 0
	for _, k := range pl.Checks {
		width = max(width, utf8.RuneCountInString(one(k.ID)))
	}
	for _, g := range pl.groups() {
		p.line("\n  %s", p.paint(bold, one(cmp.Or(g.contract, "general"))))
		crowds := g.crowds()
		for _, k := range g.checks {
			n, crowded := crowds[k.outcome()]
			switch {
			case !crowded:
				p.check(k, width)
			case n > 0:
				p.prose(fmt.Sprintf("    %s %s %s: ", p.status(k.Status), plural(n, "check"), map[Status]string{Skip: "skipped", StatusUntested: "untested"}[k.Status]), 6, "", k.Message)
				crowds[k.outcome()] = 0 // said once
			}
		}
		if len(g.checks) == 0 {
			p.line("    %s", p.paint(yellow, "? nothing was run"))
		}
	}
	if len(pl.groups()) == 0 {
		p.line("  %s", p.paint(yellow, "? nothing was run"))
	}
}

func (p *pretty) check(k *Check, width int) {
	text, id := k.Title, one(k.ID)
	switch {
	case k.Status == Pass:
	case k.Status == Fail || k.Message == "":
		text = k.Status.String() + ": " + text
	default:
		text = k.Status.String() + ": " + k.Message // why it was not judged says more than what it asks
	}
	if k.Flaky {
		text += " (flaky)"
	}
	if p.o.Verbose {
		text += fmt.Sprintf(" [%s, %d ms]", plural(k.Exchanges, "exchange"), k.DurationMS)
	}
	pad := indent(width - utf8.RuneCountInString(id))
	first := fmt.Sprintf("    %s %s%s  %-6s  ", p.status(k.Status), id, pad, k.Level)
	if k.Status == Pass || k.Status == Fail {
		p.line("%s", strings.TrimRight(first+one(text), " ")) // a title is short; the rest has a block of its own
		return
	}
	p.prose(first, 6+width+10, "", strings.ReplaceAll(text, "\n", " "))
}

func (p *pretty) status(s Status) string { return p.paint(statusColors[s], marks[s]) }

func (p *pretty) failures() {
	var before *cause
	for _, c := range p.r.causes() {
		switch counts := c.level <= p.r.Gate; {
		case counts && before == nil:
			p.section(red, "FAILURES")
		case !counts && (before == nil || before.level <= p.r.Gate):
			p.section(yellow, fmt.Sprintf("FAILURES THAT DO NOT COUNT: below %s, the level of this run", p.r.Gate))
		}
		p.failure(c)
		before = c
	}
}

func (p *pretty) failure(c *cause) {
	k := c.head
	title := fmt.Sprintf("%s %s  %s  %s", p.status(Fail), p.paint(bold, one(k.ID)), k.Level, one(k.Contract))
	if len(p.r.Plugins) > 1 {
		title += "  " + c.plugin.title()
	}
	p.line("\n%s", strings.TrimRight(title, " "))
	p.about("", k.Title)
	p.details(k)
	if len(c.others) == 0 {
		return
	}
	var ids []string
	for _, o := range c.others {
		id := one(o.ID)
		if o.Contract != k.Contract {
			id += " (" + one(o.Contract) + ")"
		}
		if o.Level != k.Level {
			id += " (" + o.Level.String() + ")"
		}
		ids = append(ids, id)
	}
	verb := "fail"
	if len(ids) == 1 {
		verb = "fails"
	}
	p.about(fmt.Sprintf("%s %s for the same reason: ", plural(len(ids), "other check"), verb), strings.Join(ids, ", "))
	if p.o.Verbose {
		for _, o := range c.others {
			p.prose(indent(6), 8, "", one(o.ID)+": "+cmp.Or(o.Message, o.Title))
		}
	}
}

// details writes all that is known of a failed check but its name.
func (p *pretty) details(k *Check) {
	p.about("", k.Message)
	p.about("Why it matters: ", k.Why)
	p.transcript(k.Transcript)
	switch {
	case k.Diff != "":
		p.line("    %s", p.paint(bold, "Expected (-) against got (+):"))
		p.data(indent(6), 6, strings.TrimRight(shorten(k.Diff, diffLimit, 0), "\n"), "", diffColor)
	default:
		if k.Expected != "" {
			p.value("expected", k.Expected, green)
		}
		if k.Expected != "" || k.Got != "" {
			p.value("got", k.Got, red)
		}
	}
	p.about("How to mend it: ", k.Fix)
	p.about("In the document: ", k.Spec)
	if k.Reproduce != "" {
		p.line("    %s%s", p.paint(bold, "To run just this: "), one(k.Reproduce))
	}
}

func diffColor(line string) int {
	switch {
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return dim
	}
	return 0
}

// value writes what was expected or got, a newline at its end shown as such.
func (p *pretty) value(label, s string, color int) {
	label = p.paint(color, fmt.Sprintf("%-*s", labelWidth, label))
	s, newline := strings.CutSuffix(shorten(cmp.Or(s, "(nothing)"), dataLimit, 0), "\n")
	end := ""
	if newline {
		end = p.paint(dim, `\n`)
	}
	p.data(indent(4)+label, 4+labelWidth, s, end, nil)
}

func (p *pretty) transcript(lines []Line) {
	if len(lines) == 0 {
		return
	}
	p.line("    %s", p.paint(bold, "The exchange:"))
	for i, l := range lines {
		if hidden := len(lines) - lineLimit; hidden > 0 && i >= lineLimit/2 && i < len(lines)-lineLimit/2 {
			if i == lineLimit/2 {
				p.line("      %s", p.paint(dim, fmt.Sprintf("… %d pieces left out …", hidden)))
			}
			continue
		}
		from := map[string]string{"host": "host →", "plugin": "plugin ←"}[l.From]
		first := fmt.Sprintf("      %9.1f ms  %-8s  ", l.MS, cmp.Or(from, one(l.From)))
		data, end := shorten(strings.TrimSuffix(l.Data, "\n"), dataLimit, l.Omitted), ""
		if l.Escaped {
			end = p.paint(dim, `  (not UTF-8: bytes are shown as \xHH, \ as \\)`)
		}
		p.data(p.paint(dim, first), utf8.RuneCountInString(first), data, end, nil)
	}
}

// untested names what kept the run from a verdict.
func (p *pretty) untested() {
	first := true
	for _, pl := range p.r.Plugins {
		var reasons []string
		ids := map[string][]string{}
		for _, k := range pl.Checks {
			if k.Status != StatusUntested || k.Level > p.r.Gate {
				continue
			}
			reason := cmp.Or(k.Message, "no reason was given")
			if ids[reason] == nil {
				reasons = append(reasons, reason)
			}
			ids[reason] = append(ids[reason], one(k.ID))
		}
		for _, reason := range reasons {
			if first {
				p.section(yellow, "UNTESTED: without these nothing can be called conformant")
				first = false
			}
			p.prose("  "+p.status(StatusUntested)+" ", 4, "", strings.Join(ids[reason], ", ")+p.of(&pl)+": "+reason)
		}
	}
}

// of names the plugin where there are several.
func (p *pretty) of(pl *Plugin) string {
	if len(p.r.Plugins) < 2 {
		return ""
	}
	return " of " + pl.title()
}

func (p *pretty) errors() {
	texts := slices.Clone(p.r.Errors)
	for i := range p.r.Plugins {
		pl := &p.r.Plugins[i]
		for _, e := range pl.Errors {
			texts = append(texts, pl.title()+": "+e)
		}
	}
	if len(texts) == 0 {
		return
	}
	p.section(red, "ERRORS: plugcheck could not do all of its work, which is no fault of a plugin's")
	for _, e := range texts {
		p.prose("  "+p.paint(red, "!")+" ", 4, "", e)
	}
}

// remarks are the notes and the flaky checks: worth a look, failing nothing.
func (p *pretty) remarks() {
	var notes, flaky []string
	for i := range p.r.Plugins {
		pl := &p.r.Plugins[i]
		for _, n := range pl.Notes {
			notes = append(notes, pl.title()+": "+n)
		}
		for _, k := range pl.Checks {
			for _, n := range k.Notes {
				notes = append(notes, one(k.ID)+p.of(pl)+": "+n)
			}
			if k.Flaky {
				flaky = append(flaky, one(k.ID)+p.of(pl))
			}
		}
	}
	if len(notes) > 0 {
		p.section(bold, "NOTES")
	}
	for _, n := range notes {
		p.prose("  · ", 4, "", n)
	}
	if len(flaky) > 0 {
		p.section(yellow, "FLAKY: came out differently when repeated")
		p.prose("  ~ ", 4, "", strings.Join(flaky, ", "))
	}
}

var verdictWords = []string{"untested", "conformant", "not conformant", "error"}
var verdictColors = []int{yellow, green, red, red}

func (p *pretty) verdict(v Verdict) string { return p.paint(verdictColors[v], verdictWords[v]) }

func (p *pretty) summary() {
	p.section(bold, "SUMMARY")
	for i := range p.r.Plugins {
		pl := p.r.Plugins[i].run()
		p.line("  %s", pl.title())
		width := 0
		for _, c := range pl.Contracts {
			width = max(width, utf8.RuneCountInString(one(c.Name+" "+c.Version)))
		}
		for _, c := range pl.Contracts {
			name := one(c.Name + " " + c.Version)
			pad := indent(width - utf8.RuneCountInString(name))
			s := fmt.Sprintf("    %s%s  %s%s", name, pad, p.verdict(c.Verdict), indent(14-len(verdictWords[c.Verdict])))
			for l, t := range []Tally{c.Must, c.Should, c.May} {
				if counts := t.words(); counts != "" {
					s += fmt.Sprintf("  %s %s", Level(l), counts)
				}
			}
			p.line("%s", strings.TrimRight(s, " "))
		}
		for _, k := range pl.Compatibility {
			s := fmt.Sprintf("%s %d.x: %s", k.Contract, k.Major, cmp.Or(k.Verdict, Untested.String()))
			if k.Version != "" {
				s += " (" + k.Version + ")"
			}
			if k.Message != "" {
				s += ": " + k.Message
			}
			p.prose(indent(4), 6, "", one(s))
		}
	}
	p.line("  seed %d", p.r.Seed)
}

func (t Tally) words() string {
	return words("", " ", count{t.Passed, "passed"}, count{t.Failed, "failed"}, count{t.Skipped, "skipped"},
		count{t.Waived, "waived"}, count{t.Untested, "untested"})
}

// A count is how many checks came to what the word says.
type count struct {
	n    int
	word string
}

// words tells the counts that are not zero, the first with what is counted.
func words(what, between string, counts ...count) string {
	var s []string
	for _, c := range counts {
		number := fmt.Sprint(c.n)
		if what != "" && len(s) == 0 {
			number = plural(c.n, what)
		}
		if c.n != 0 {
			s = append(s, number+" "+c.word)
		}
	}
	return strings.Join(s, between)
}

// verdicts end the report: a line for every plugin where there are several,
// and the last line for the run.
func (p *pretty) verdicts() {
	p.line("")
	conformant := 0
	for i := range p.r.Plugins {
		pl := &p.r.Plugins[i]
		if pl.Verdict == Conformant {
			conformant++
		}
		if len(p.r.Plugins) > 1 {
			p.line("  %s: %s: %s", pl.title(), p.verdict(pl.Verdict), p.counts(*pl))
		}
	}
	s := p.verdict(p.r.Verdict)
	switch {
	case p.r.Interrupted && p.r.Verdict == Untested:
		s = p.paint(yellow, "interrupted")
	case p.r.Interrupted:
		s = p.paint(yellow, "interrupted") + ", so far " + s
	}
	if p.r.Verdict == Error {
		s += ": plugcheck could not do all of its work"
	}
	if len(p.r.Plugins) > 1 {
		s += fmt.Sprintf(": %d of %d plugins conformant", conformant, len(p.r.Plugins))
	}
	p.line("%s: %s (%.1fs)", s, p.counts(p.r.Plugins...), float64(p.r.DurationMS)/1000)
}

// counts says in words what came of the checks, failures first.
func (p *pretty) counts(plugins ...Plugin) string {
	var n [5]int
	lenient := 0
	for _, pl := range plugins {
		for _, k := range pl.Checks {
			if k.Status == Fail && k.Level > p.r.Gate {
				lenient++
			} else {
				n[k.Status]++
			}
		}
	}
	said := words("check", ", ", count{n[Fail], "failed"}, count{n[Pass], "passed"},
		count{lenient, "failed below " + p.r.Gate.String()},
		count{n[Skip], "skipped"}, count{n[Waived], "waived"}, count{n[StatusUntested], "untested"})
	return cmp.Or(said, "nothing was run")
}
