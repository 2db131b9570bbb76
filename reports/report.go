// Package reports holds what a run found, as a model of its own, and the
// printers that turn it into text for people, JSON for programs and JUnit for
// CI servers. It imports nothing else of plugcheck: whoever can fill in a
// Report can print one.
package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Schema names the JSON shape. Within /1 fields are only added.
const Schema = "plugcheck-report/1"

// A Level says how much a check weighs, in the words of RFC 2119.
type Level int

// The levels, the weightiest first. The zero value is the strictest on purpose.
const (
	Must Level = iota
	Should
	May
)

var levelNames = []string{"MUST", "SHOULD", "MAY"}

func (l Level) String() string { return name(levelNames, int(l)) }

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Level) UnmarshalText(b []byte) error { return parse(levelNames, string(b), (*int)(l)) }

// A Status is what became of one check. Its zero value is untested: nothing
// that was never run can look like a pass.
type Status int

// The statuses of a check.
const (
	StatusUntested Status = iota
	Pass
	Fail
	Skip
	Waived
)

var statusNames = []string{"untested", "pass", "fail", "skip", "waived"}

func (s Status) String() string { return name(statusNames, int(s)) }

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(b []byte) error { return parse(statusNames, string(b), (*int)(s)) }

// A Verdict is what a contract, a plugin or a whole run comes to. Its zero
// value is untested.
type Verdict int

// The verdicts, in the order in which a worse one overrides a better one.
const (
	Untested Verdict = iota
	Conformant
	Nonconformant
	Error
)

var verdictNames = []string{"untested", "conformant", "nonconformant", "error"}

func (v Verdict) String() string { return name(verdictNames, int(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Verdict) UnmarshalText(b []byte) error { return parse(verdictNames, string(b), (*int)(v)) }

func name(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("invalid(%d)", i)
	}
	return names[i]
}

func parse(names []string, s string, into *int) error {
	for i, n := range names {
		if n == s {
			*into = i
			return nil
		}
	}
	return fmt.Errorf("%q is none of %v", s, names)
}

// A Report is the whole of one run.
type Report struct {
	Schema     string    `json:"schema"`
	Tool       Tool      `json:"tool"`
	Started    time.Time `json:"started"`
	DurationMS int64     `json:"duration_ms"`
	Seed       uint64    `json:"seed"`
	Verdict    Verdict   `json:"verdict"`
	// Gate is the level that fails the run: checks below it are told and do not count.
	Gate    Level    `json:"gate"`
	Plugins []Plugin `json:"plugins"`
	// Errors are what the kit could not do, apart from any one plugin.
	Errors []string `json:"errors,omitempty"`
	// Interrupted is set when the run was ended before its time; what was seen until then is told.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Tool names the program that wrote the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Plugin is what came of one plugin.
type Plugin struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Wire    string `json:"wire"`
	// Guess says how wire and manifest were found where nothing declared them.
	Guess   string  `json:"guess,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Errors are what the kit could not do for this plugin; they are never its fault.
	Errors []string `json:"errors,omitempty"`
	// Notes are worth a look and fail nothing.
	Notes         []string        `json:"notes,omitempty"`
	Contracts     []Contract      `json:"contracts"`
	Compatibility []Compatibility `json:"compatibility"`
	Checks        []Check         `json:"checks"`
}

// A Contract is the sum of the checks of one contract version.
type Contract struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Verdict Verdict `json:"verdict"`
	Must    Tally   `json:"must"`
	Should  Tally   `json:"should"`
	May     Tally   `json:"may"`
}

// A Tally counts the checks of one level.
type Tally struct {
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	Skipped  int `json:"skipped"`
	Waived   int `json:"waived"`
	Untested int `json:"untested"`
}

// Compatibility says for one major version of a contract whether the plugin keeps it.
type Compatibility struct {
	Contract string `json:"contract"`
	Major    int    `json:"major"`
	Verdict  string `json:"verdict"`
	// Version is the highest version of that major which was kept, or tried.
	Version string `json:"version"`
	// Message says what stands in the way, where something does.
	Message string `json:"message,omitempty"`
	// Tried is every version of the major that was tried, the oldest first, where
	// there are several.
	Tried []Tried `json:"tried,omitempty"`
}

// Tried is what one version of a contract came to.
type Tried struct {
	Version string `json:"version"`
	Verdict string `json:"verdict"`
	Message string `json:"message,omitempty"`
}

// A Check is one line of the catalogue and what came of it.
type Check struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Level     Level  `json:"level"`
	Contract  string `json:"contract"` // name@version
	Status    Status `json:"status"`
	Exchanges int    `json:"exchanges"`
	// Message says in plain words what was wrong, or why the check was skipped or could not be tested.
	Message  string `json:"message,omitempty"`
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	// Diff shows expected against got where both are long.
	Diff string `json:"diff,omitempty"`
	// Why says what breaks for a user when the check is not kept.
	Why        string `json:"why,omitempty"`
	Fix        string `json:"fix,omitempty"`
	Spec       string `json:"spec,omitempty"`
	DurationMS int64  `json:"duration_ms"`
	// Cause is equal in all failed checks of a plugin that fail for one reason. Its part before "/" is the
	// id of the check that names the reason.
	Cause      string `json:"cause,omitempty"`
	Transcript []Line `json:"transcript,omitempty"`
	Reproduce  string `json:"reproduce,omitempty"`
	// Scenario is the one whose exchange broke a rule, where a rule failed.
	Scenario string `json:"scenario,omitempty"`
	// Flaky is set when the check came out differently when it was repeated.
	Flaky bool `json:"flaky,omitempty"`
	// Notes are what was measured or noticed without failing the check.
	Notes []string `json:"notes,omitempty"`
}

// A Line is one piece of a transcript. Data that is not valid UTF-8 is written
// with \xHH escapes (a backslash as \\) and Escaped is set.
type Line struct {
	MS      float64 `json:"ms"`
	From    string  `json:"from"` // host, plugin, stderr, mark (a step of the host), exit or manifest
	Data    string  `json:"data"`
	Escaped bool    `json:"escaped,omitempty"`
	// Omitted counts the bytes left out of the middle of Data.
	Omitted int64 `json:"omitted,omitempty"`
}

// Settle computes every tally and verdict from the statuses of the checks and
// the errors. gate is the level that fails a run.
func (r *Report) Settle(gate Level) {
	r.Gate = gate
	r.Verdict = Untested
	conformant := len(r.Plugins) > 0
	for i := range r.Plugins {
		p := &r.Plugins[i]
		p.settle(gate)
		if p.Verdict > r.Verdict && p.Verdict > Conformant {
			r.Verdict = p.Verdict
		}
		conformant = conformant && p.Verdict == Conformant
	}
	switch {
	case len(r.Errors) > 0:
		r.Verdict = Error
	case r.Verdict == Untested && conformant && !r.Interrupted:
		r.Verdict = Conformant
	}
}

func (p *Plugin) settle(gate Level) {
	for i := range p.Contracts {
		c := &p.Contracts[i]
		c.Must, c.Should, c.May = Tally{}, Tally{}, Tally{}
		for _, k := range p.Checks {
			if k.Contract != c.Name+"@"+c.Version {
				continue
			}
			levelTally(k.Level, &c.Must, &c.Should, &c.May).add(k.Status)
		}
		c.Verdict = verdict(gate, c.Must, c.Should, c.May)
	}
	var must, should, may Tally
	for _, k := range p.Checks {
		levelTally(k.Level, &must, &should, &may).add(k.Status)
	}
	p.Verdict = verdict(gate, must, should, may)
	if len(p.Errors) > 0 {
		p.Verdict = Error
	}
	for i := range p.Compatibility {
		k := &p.Compatibility[i]
		versions := k.Tried
		if len(versions) == 0 {
			versions = []Tried{{k.Version, k.Verdict, k.Message}}
		}
		for j := range versions {
			// A version without checks in the report keeps what was found out otherwise.
			versions[j].Verdict = cmp.Or(versions[j].Verdict, compatibility(Untested))
			for _, c := range p.Contracts {
				if c.Name == k.Contract && c.Version == versions[j].Version {
					own := slices.DeleteFunc(slices.Clone(p.Checks), func(k Check) bool { return k.Contract != c.Name+"@"+c.Version })
					versions[j] = tried(c.Version, c.Verdict, own, gate)
				}
			}
		}
		k.sum(versions)
	}
}

// Try is what a version of a contract comes to that is not among those of the
// report: its checks are no part of it.
func Try(version string, checks []Check, gate Level) Tried {
	var must, should, may Tally
	for _, k := range checks {
		levelTally(k.Level, &must, &should, &may).add(k.Status)
	}
	t := tried(version, verdict(gate, must, should, may), checks, gate)
	for _, k := range checks {
		if t.Message != "" && k.Status == Fail && k.Level <= gate {
			t.Message += ": " + clip(k.Message) // it is told nowhere else
			break
		}
	}
	return t
}

// clip shortens a message to what fits beside others.
func clip(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func tried(version string, v Verdict, checks []Check, gate Level) Tried {
	t := Tried{Version: version, Verdict: compatibility(v)}
	if v == Nonconformant {
		t.Message = inTheWay(checks, gate)
	}
	return t
}

// sum is the highest version that is kept, and what stops the next; or where none
// is, what stops the first.
func (k *Compatibility) sum(versions []Tried) {
	first := versions[0]
	k.Version, k.Verdict, k.Message = first.Version, first.Verdict, first.Message
	for i, t := range versions {
		if t.Verdict != compatibility(Conformant) {
			continue
		}
		k.Version, k.Verdict, k.Message = t.Version, t.Verdict, ""
		if i+1 < len(versions) && versions[i+1].Message != "" {
			k.Message = versions[i+1].Version + " is stopped by " + versions[i+1].Message
		}
	}
}

// inTheWay names the checks that failed and count.
func inTheWay(checks []Check, gate Level) string {
	var ids []string
	for _, k := range checks {
		if k.Status == Fail && k.Level <= gate {
			ids = append(ids, k.ID)
		}
	}
	if len(ids) > 3 {
		ids = append(ids[:3], fmt.Sprintf("and %d more", len(ids)-3))
	}
	return strings.Join(ids, ", ")
}

func levelTally(l Level, must, should, may *Tally) *Tally {
	switch l {
	case Must:
		return must
	case Should:
		return should
	}
	return may
}

func (t *Tally) add(s Status) {
	switch s {
	case Pass:
		t.Passed++
	case Fail:
		t.Failed++
	case Skip:
		t.Skipped++
	case Waived:
		t.Waived++
	default:
		t.Untested++
	}
}

// verdict weighs the tallies of the levels, the weightiest first. One failure
// down to the gate is enough to fail, one thing down to it that could not be
// tested is enough not to pass, and where nothing was tested nothing was shown.
func verdict(gate Level, levels ...Tally) Verdict {
	var shown, failed, untested int
	for l, t := range levels {
		shown += t.Passed
		if Level(l) <= gate {
			failed += t.Failed
			untested += t.Untested
		} else {
			shown += t.Failed // it was tested, and does not count
		}
	}
	switch {
	case failed > 0:
		return Nonconformant
	case untested > 0 || shown == 0:
		return Untested
	}
	return Conformant
}

func compatibility(v Verdict) string {
	switch v {
	case Conformant:
		return "compatible"
	case Nonconformant:
		return "incompatible"
	}
	return "untested"
}

// ExitStatus is the same whatever the format: 0 conformant, 1 not conformant,
// 2 when nothing was shown or the kit itself failed, 130 when interrupted.
func (r *Report) ExitStatus() int {
	switch {
	case r.Interrupted:
		return 130
	case r.Verdict == Conformant:
		return 0
	case r.Verdict == Nonconformant:
		return 1
	}
	return 2
}
