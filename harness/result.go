package harness

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"plugcheck/contracts"
	"plugcheck/reports"
	"plugcheck/validator"
)

// report puts together what the selected checks came to, in the order of the
// catalogue: it is the same however many exchanges ran side by side.
func (s *session) report(selected map[string]bool) reports.Plugin {
	t := s.target
	p := reports.Plugin{
		Path: t.Path, Name: s.name(), Version: t.Version, Wire: t.Wire, Guess: t.Guess, Notes: t.Notes,
		Contracts: []reports.Contract{}, Compatibility: []reports.Compatibility{}, Checks: []reports.Check{},
	}
	s.cutOff()
	orders := s.orders()
	for _, order := range orders {
		run := s.runs[order]
		if run.kit != nil {
			p.Errors = append(p.Errors, run.kit.Error())
		}
	}
	outcomes, shown := s.driver.static()
	static := map[string]validator.Outcome{}
	for _, o := range outcomes {
		static[o.Check.ID] = o
	}
	var others []reports.Check
	for _, c := range s.catalogue.Checks {
		if !selected[c.ID] && !s.others[c.ID] {
			continue
		}
		k := s.check(c, static, shown, orders)
		if selected[c.ID] {
			p.Checks = append(p.Checks, k)
		} else if k.Status != reports.Skip {
			others = append(others, k)
		}
	}
	crashes(p.Checks, s.wire.answers)
	p.Contracts, p.Compatibility = contractsOf(p.Checks)
	s.otherVersions(&p, others)
	s.redactAll(&p)
	return p
}

// check is one line of the report.
func (s *session) check(c *Check, static map[string]validator.Outcome, shown []reports.Line, orders []int) reports.Check {
	k := reports.Check{ID: c.ID, Title: c.Title, Contract: c.Contract, Why: c.Why, Fix: c.Fix, Spec: c.Spec}
	if err := k.Level.UnmarshalText([]byte(c.Level)); err != nil {
		panic(c.ID + ": " + err.Error()) // the catalogue holds no other level
	}
	if s.catalogue.late(c) && !s.options.Strict {
		k.Level = reports.May
		k.Notes = append(k.Notes, fmt.Sprintf("plugcheck %s added it to %s, which was out already: it counts from the contract's next version on, or with --strict", c.Since, c.Contract))
	}
	reason := s.driver.concerns(c)
	outcome, judged := static[c.ID]
	switch {
	case reason != nil:
		k.Status, k.Message = reason.reported(), reason.finding.Message
	case judged:
		s.fillStatic(&k, outcome, shown)
	case c.Static:
		k.Message = s.whyNotJudgedStatic(c, static)
		leaveOut(&k, c, nothingStatic)
	case s.idle != "":
		k.Message = s.idle
	case c.IsRule():
		s.fillRule(&k, c, orders)
	default:
		s.fillScenario(&k, s.runs[c.order])
	}
	if k.Status == reports.Fail && s.options.Command != nil {
		// A rule needs the scenario that brought its breach out.
		only := []string{c.ID}
		if k.Scenario != "" {
			only = append(only, k.Scenario)
		}
		k.Reproduce = s.options.Command(s.target, s.options.Seed, only, k.Level)
	}
	return k
}

// otherVersions adds to the table what versions came to whose checks are no part
// of the report.
func (s *session) otherVersions(p *reports.Plugin, others []reports.Check) {
	byContract := map[string][]reports.Check{}
	for _, k := range others {
		byContract[k.Contract] = append(byContract[k.Contract], k)
	}
	for id, checks := range byContract {
		name, text, _ := strings.Cut(id, "@")
		version, err := contracts.ParseVersion(text)
		if err != nil {
			continue
		}
		tried := reports.Try(text, checks, s.options.Gate)
		i := slices.IndexFunc(p.Compatibility, func(c reports.Compatibility) bool { return c.Contract == name && c.Major == version.Major })
		if i < 0 {
			p.Compatibility = append(p.Compatibility, reports.Compatibility{Contract: name, Major: version.Major, Version: text, Tried: []reports.Tried{tried}})
			continue
		}
		row := &p.Compatibility[i]
		if len(row.Tried) == 0 {
			row.Tried = []reports.Tried{{Version: row.Version}}
		}
		row.Tried = append(row.Tried, tried)
	}
	place := map[string]int{} // of a contract, as they come
	for i, row := range slices.Backward(p.Compatibility) {
		place[row.Contract] = i
		slices.SortFunc(row.Tried, func(a, b reports.Tried) int {
			v, _ := contracts.ParseVersion(a.Version) // it was read before
			w, _ := contracts.ParseVersion(b.Version)
			return v.Compare(w)
		})
	}
	slices.SortFunc(p.Compatibility, func(a, b reports.Compatibility) int {
		return cmp.Or(cmp.Compare(place[a.Contract], place[b.Contract]), cmp.Compare(a.Major, b.Major))
	})
}

// orders are the scenarios that ran, in the order of the catalogue.
func (s *session) orders() []int {
	var list []int
	for o := range s.runs {
		list = append(list, o)
	}
	slices.Sort(list)
	return list
}

// cutOff takes back what ran beside the last of the hung scenarios only because
// several ran at once, so that the report does not depend on how many.
func (s *session) cutOff() {
	hung := 0
	for _, o := range s.orders() {
		run := s.runs[o]
		if hung >= maxHung && o > contact && (run.outcome == nil || run.outcome.status != skipped) {
			run.outcome = cannotTest("not run: %d requests before it hung until their time limit of %s", maxHung, s.limit)
			run.kit, run.exchanges, run.verdicts = nil, 0, nil
			continue
		}
		hung += run.hung
	}
}

// fillStatic tells all that a rule found in what stands on disk.
func (s *session) fillStatic(k *reports.Check, o validator.Outcome, shown []reports.Line) {
	k.Status = reports.Pass
	if len(o.Findings) > 0 || s.options.Examples {
		k.Transcript = shown
	}
	if len(o.Findings) == 0 {
		return
	}
	k.Status = reports.Fail
	fillFinding(k, o.Findings[0])
	for i, f := range o.Findings[1:] {
		if i == 4 {
			k.Message += fmt.Sprintf("; and %d more", len(o.Findings)-i-1)
			break
		}
		k.Message += "; " + f.Message
	}
}

func fillFinding(k *reports.Check, f validator.Finding) {
	k.Message, k.Expected, k.Got, k.Diff = f.Message, f.Expected, f.Got, f.Diff
	if f.Fix != "" {
		k.Fix = f.Fix
	}
}

// whyNotJudgedStatic says which breach kept a static rule from judging.
func (s *session) whyNotJudgedStatic(c *Check, static map[string]validator.Outcome) string {
	for _, need := range c.Needs {
		o, judged := static[need]
		if judged && len(o.Findings) > 0 {
			return "nothing to judge: " + need + " does not hold"
		}
		if k, ok := s.catalogue.Find(need); ok && !judged {
			return s.whyNotJudgedStatic(k, static)
		}
	}
	return nothingStatic
}

const nothingStatic = "the manifest does not hold what this check looks at"

// fillRule sums up what a rule said of all exchanges.
func (s *session) fillRule(k *reports.Check, c *Check, orders []int) {
	var first *located
	var classes []string
	times := map[string]int{}
	said := map[string]string{}
	var slowest time.Duration
	for _, o := range orders {
		run := s.runs[o]
		slowest = max(slowest, run.slowest)
		t := run.verdicts[c.ID]
		if t == nil {
			continue
		}
		k.Exchanges += t.judged
		if k.Transcript == nil {
			k.Transcript = t.example
		}
		for i := range t.findings {
			f := &t.findings[i]
			if first == nil {
				first = f
			}
			if times[f.Class] == 0 {
				classes = append(classes, f.Class)
				said[f.Class] = f.exchange + ": " + f.Message
			}
			times[f.Class] += f.times
		}
	}
	if c.ID == s.wire.inTime && k.Exchanges > 0 {
		k.Notes = append(k.Notes, fmt.Sprintf("the slowest exchange took %s of %s", slowest.Round(time.Millisecond), s.limit))
	}
	switch {
	case first != nil:
		k.Status = reports.Fail
		fillFinding(k, first.Finding)
		k.Transcript, k.Cause, k.Scenario = first.lines, k.ID, first.scenario
		if crashed(first.Class) {
			k.Cause = "/" + first.Class // completed by crashes
		}
		k.Message = ""
		for i, class := range classes {
			if i == 4 {
				k.Message += fmt.Sprintf("; and %d other kinds", len(classes)-i)
				break
			}
			if i > 0 {
				k.Message += "; "
			}
			k.Message += said[class]
			if n := times[class] - 1; n > 0 {
				k.Message += fmt.Sprintf(" (and in %d more exchanges)", n)
			}
		}
	case k.Exchanges > 0:
		k.Status = reports.Pass
	default:
		k.Message = s.whyNotJudged(c, orders)
		leaveOut(k, c, noExchange)
	}
}

// leaveOut makes a rule that had nothing to judge one that does not concern the
// plugin, where a good one may do without what it judges.
func leaveOut(k *reports.Check, c *Check, nothing string) {
	if k.Message == nothing && c.Idle != "" {
		k.Status, k.Message = reports.Skip, c.Idle
	}
}

// whyNotJudged says which breach kept a rule from having anything to judge.
func (s *session) whyNotJudged(c *Check, orders []int) string {
	for _, need := range c.Needs {
		for _, o := range orders {
			if t := s.runs[o].verdicts[need]; t != nil && len(t.findings) > 0 {
				return "nothing to judge: " + need + " does not hold"
			}
		}
		if k, ok := s.catalogue.Find(need); ok && k.IsRule() {
			if why := s.whyNotJudged(k, orders); why != noExchange {
				return why
			}
		}
	}
	if why := s.driver.unjudged(c); why != "" {
		return why
	}
	return noExchange
}

const noExchange = "no exchange of this run had what this check looks at"

func (s *session) fillScenario(k *reports.Check, run *scenarioRun) {
	if run == nil {
		k.Message = "not run"
		if s.interrupted {
			k.Message = "the run was interrupted before it"
		}
		return
	}
	k.Exchanges, k.DurationMS = run.exchanges, run.elapsed.Milliseconds()
	k.Status = run.status()
	k.Transcript = run.example
	o := run.outcome
	switch {
	case run.kit != nil:
		k.Message = "plugcheck could not finish it: " + run.kit.Error()
	case !run.finished:
		k.Message = "the run was interrupted in the middle of it"
	case k.Status == reports.Fail:
		fillFinding(k, o.finding)
		k.Cause = o.cause
		if o.cause == "" && crashed(o.finding.Class) {
			k.Cause = "/" + o.finding.Class // completed by crashes
		}
		if o.seen != nil {
			k.Transcript = o.seen.transcript()
		}
	case o != nil:
		k.Message = o.finding.Message
	}
}

func crashed(class string) bool {
	return strings.HasPrefix(class, "no-answer") || strings.HasPrefix(class, "crash")
}

// crashes names one cause for all scenarios in which the plugin died with the
// same words: the first of them, or the rule that it answers at all.
func crashes(checks []reports.Check, answers string) {
	first := map[string]string{}
	for _, k := range checks {
		if k.ID == answers && k.Status == reports.Fail && strings.HasPrefix(k.Cause, "/") {
			first[k.Cause] = k.ID
		}
	}
	for i := range checks {
		k := &checks[i]
		if k.Status != reports.Fail || !strings.HasPrefix(k.Cause, "/") {
			continue
		}
		// The same last words with other things to mend are told apart.
		key := k.Cause
		if first[key] == "" {
			key += "\x00" + k.Fix
		}
		if first[key] == "" {
			first[key] = k.ID
		}
		k.Cause = first[key] + k.Cause
	}
}

func contractsOf(checks []reports.Check) ([]reports.Contract, []reports.Compatibility) {
	list, table := []reports.Contract{}, []reports.Compatibility{}
	for _, k := range checks {
		name, version, _ := strings.Cut(k.Contract, "@")
		if slices.ContainsFunc(list, func(c reports.Contract) bool { return c.Name == name && c.Version == version }) {
			continue
		}
		list = append(list, reports.Contract{Name: name, Version: version})
		if v, err := contracts.ParseVersion(version); err == nil {
			table = append(table, reports.Compatibility{Contract: name, Major: v.Major, Version: version})
		}
	}
	return list, table
}

// shownBytes is how much of one piece of a transcript goes into a report.
const shownBytes = 2 << 10

func (r *reply) transcript() []reports.Line { return shownExchange(&r.Transcript, r.ask.bytes()) }

// shownExchange puts an exchange of one process into the report's form, long pieces
// shortened in the middle.
func shownExchange(t *validator.Transcript, request []byte) []reports.Line {
	var lines []reports.Line
	if len(t.Stdin) == 0 && len(request) > 0 {
		l := line(0, string(validator.FromHost), request, int64(len(request)))
		lines = append(lines, l) // what it should have read
	}
	for _, e := range pieces(t.Events) {
		stream := t.Stdin
		switch e.From {
		case validator.FromPlugin:
			stream = t.Stdout
		case validator.FromStderr:
			stream = t.Stderr
		case validator.FromExit:
			continue // said at the end, in words
		}
		data := stream[min(e.Start, len(stream)):min(e.End, len(stream))]
		lines = append(lines, line(e.At, string(e.From), data, int64(e.End-e.Start)))
		if len(lines) == maxLines {
			break
		}
	}
	last := t.Elapsed
	if n := len(t.Events); n > 0 {
		last = max(last, t.Events[n-1].At)
	}
	end := t.Exit.String()
	if t.Unsent > 0 {
		end += fmt.Sprintf("; %d bytes of the request were never taken", t.Unsent)
	}
	return append(lines, line(last, string(validator.FromExit), []byte(end), int64(len(end))))
}

const maxLines = 50

// pieces joins what came in one go and was only cut by the size of a pipe.
func pieces(events []validator.Event) []validator.Event {
	const pipe = 4 << 10
	var list []validator.Event
	for _, e := range events {
		if n := len(list); n > 0 && list[n-1].From == e.From && list[n-1].End == e.Start && e.Start-list[n-1].Start >= pipe {
			list[n-1].End = e.End
			continue
		}
		list = append(list, e)
	}
	return list
}

func line(at time.Duration, from string, data []byte, size int64) reports.Line {
	l := reports.Line{MS: milliseconds(at), From: from}
	if len(data) > shownBytes {
		head, tail := shownBytes/2, len(data)-shownBytes/2
		for head > 0 && !utf8.RuneStart(data[head]) { // no character is cut
			head--
		}
		for tail < len(data) && !utf8.RuneStart(data[tail]) {
			tail++
		}
		data = slices.Concat(data[:head], data[tail:])
	}
	l.Data = string(data)
	l.Omitted = size - int64(len(data))
	return l
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// writeTranscript writes one exchange as JSON lines, each byte that was kept.
func (s *session) writeTranscript(name string, t *validator.Transcript) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range t.Events {
		if e.From == validator.FromExit {
			continue
		}
		stream := map[validator.Source][]byte{validator.FromHost: t.Stdin, validator.FromPlugin: t.Stdout, validator.FromStderr: t.Stderr}[e.From]
		l := reports.Line{MS: milliseconds(e.At), From: string(e.From), Data: s.redact(string(stream[min(e.Start, len(stream)):min(e.End, len(stream))]))}
		if err := enc.Encode(l.Escape()); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	err = enc.Encode(reports.Line{MS: milliseconds(t.Elapsed), From: string(validator.FromExit), Data: t.Exit.String()})
	return errors.Join(err, w.Flush(), file.Close())
}

// A transcriptFile takes a long session line by line. Nil takes nothing.
type transcriptFile struct {
	session *session
	file    *os.File
	w       *bufio.Writer
	err     error
}

// newTranscriptFile begins one, if the user wants transcripts.
func (s *session) newTranscriptFile(name string) (*transcriptFile, error) {
	if s.options.Transcripts == "" {
		return nil, nil
	}
	if err := os.MkdirAll(s.options.Transcripts, 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(s.transcriptName(name))
	if err != nil {
		return nil, err
	}
	return &transcriptFile{session: s, file: file, w: bufio.NewWriter(file)}, nil
}

func (t *transcriptFile) line(at time.Duration, from validator.Source, data []byte) {
	if t == nil || t.err != nil {
		return
	}
	enc := json.NewEncoder(t.w)
	enc.SetEscapeHTML(false)
	l := reports.Line{MS: milliseconds(at), From: string(from), Data: t.session.redact(string(data))}
	t.err = enc.Encode(l.Escape())
}

// message takes a line of the wire, which is kept without its newline.
func (t *transcriptFile) message(at time.Duration, from validator.Source, raw []byte) {
	if t != nil {
		t.line(at, from, slices.Concat(raw, []byte("\n")))
	}
}

func (t *transcriptFile) close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.err, t.w.Flush(), t.file.Close())
}

// secretName matches the names of variables whose values are nobody's business.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth|cookie|private`)

// redact takes the values of secret-looking variables out of what is told.
func (s *session) redact(text string) string {
	for name, value := range s.target.Config.Env {
		if len(value) < 4 || !secretName.MatchString(name) {
			continue
		}
		hidden := "[" + name + "]"
		for _, form := range []string{value, strings.Trim(strconv.Quote(value), `"`)} {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return text
}

// redactAll takes them out of a whole report.
func (s *session) redactAll(p *reports.Plugin) {
	if len(s.target.Config.Env) == 0 {
		return
	}
	texts := []*string{&p.Guess, &p.Name, &p.Version}
	for i := range p.Errors {
		texts = append(texts, &p.Errors[i])
	}
	for i := range p.Notes {
		texts = append(texts, &p.Notes[i])
	}
	for i := range p.Checks {
		k := &p.Checks[i]
		texts = append(texts, &k.Message, &k.Expected, &k.Got, &k.Diff, &k.Cause)
		for j := range k.Transcript {
			texts = append(texts, &k.Transcript[j].Data)
		}
	}
	for _, t := range texts {
		*t = s.redact(*t)
	}
}
