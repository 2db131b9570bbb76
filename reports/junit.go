package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// writeJUnit writes a suite for each plugin and contract and a case for each
// check. CI servers paint a run red for a failure or an error, so there is one
// exactly where the exit status is not 0: what does not count is "skipped".
func writeJUnit(w io.Writer, r *Report, _ Options) error {
	all := junit.Testsuites{Name: "plugcheck", Time: seconds(r.DurationMS)}
	for i := range r.Plugins {
		p := &r.Plugins[i]
		before := all.Failures + all.Errors
		for _, g := range p.groups() {
			all.AddSuite(r.suite(p, g))
		}
		own := r.newSuite(p, p.title()+" plugcheck")
		for n, e := range p.Errors {
			own.AddTestcase(kitError(fmt.Sprintf("error %d", n+1), visible(e, nil)))
		}
		if p.Verdict != Conformant && all.Failures+all.Errors+own.Errors == before {
			own.AddTestcase(kitError("verdict", p.Verdict.String()+": no check that counts was passed"))
		}
		if own.Tests > 0 {
			all.AddSuite(own)
		}
	}
	own := r.newSuite(&Plugin{}, "plugcheck")
	for n, e := range r.Errors {
		own.AddTestcase(kitError(fmt.Sprintf("error %d", n+1), visible(e, nil)))
	}
	if r.Interrupted {
		own.AddTestcase(kitError("interrupted", "the run was ended before its time"))
	}
	if r.ExitStatus() != 0 && all.Failures+all.Errors+own.Errors == 0 {
		own.AddTestcase(kitError("verdict", r.Verdict.String()+": nothing was run"))
	}
	if own.Tests > 0 {
		all.AddSuite(own)
	}
	for i := range all.Suites {
		all.Suites[i].ID = i
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return all.WriteXML(w)
}

func (r *Report) newSuite(p *Plugin, name string) junit.Testsuite {
	s := junit.Testsuite{Name: name, Time: seconds(0)}
	if !r.Started.IsZero() {
		s.SetTimestamp(r.Started)
	}
	for _, prop := range [][2]string{{"path", p.Path}, {"wire", p.Wire}, {"plugcheck", r.Tool.Version}, {"seed", fmt.Sprint(r.Seed)}} {
		if prop[1] != "" {
			s.AddProperty(prop[0], one(prop[1]))
		}
	}
	for _, k := range p.Compatibility {
		s.AddProperty(one(fmt.Sprintf("compatibility %s %d", k.Contract, k.Major)), one(strings.TrimSpace(cmp.Or(k.Verdict, Untested.String())+" "+k.Message)))
	}
	return s
}

func (r *Report) suite(p *Plugin, g *group) junit.Testsuite {
	s := r.newSuite(p, strings.TrimSpace(p.title()+" "+one(g.contract)))
	var ms int64
	for _, k := range g.checks {
		ms += k.DurationMS
		s.AddTestcase(r.testcase(k))
	}
	if len(g.checks) == 0 {
		s.AddTestcase(junit.Testcase{
			Name: "nothing was run", Classname: one(g.contract),
			Skipped: &junit.Result{Message: "no check of this contract was run"},
		})
	}
	s.Time = seconds(ms)
	return s
}

func (r *Report) testcase(k *Check) junit.Testcase {
	t := junit.Testcase{
		Name: one(k.ID), Classname: one(cmp.Or(k.Contract, "plugcheck")),
		Time: seconds(k.DurationMS), Status: k.Status.String(),
	}
	result := &junit.Result{
		Message: visible(cmp.Or(k.Message, k.Title), nil),
		Type:    k.Level.String(),
	}
	var out []string
	for _, n := range k.Notes {
		out = append(out, visible(n, nil))
	}
	if k.Flaky {
		out = append(out, "flaky: came out differently when repeated")
	}
	switch counts := k.Level <= r.Gate; {
	case k.Status == Pass:
	case k.Status == Fail && counts:
		t.Failure = result
		result.Data = plainDetails(k)
	case k.Status == StatusUntested && counts:
		t.Error = result
	case k.Status == Fail || k.Status == StatusUntested:
		result.Message = fmt.Sprintf("%s, below %s and so not counted: %s", k.Status, r.Gate, result.Message)
		t.Skipped = result
		if k.Status == Fail {
			out = append(out, plainDetails(k))
		}
	default:
		result.Message = k.Status.String() + ": " + result.Message
		t.Skipped = result
	}
	if len(out) > 0 {
		t.SystemOut = &junit.Output{Data: strings.Join(out, "\n")}
	}
	return t
}

// plainDetails is what the report for people says of a failed check.
func plainDetails(k *Check) string {
	p := &pretty{r: &Report{}}
	p.about("", k.Title)
	p.details(k)
	return "\n" + p.String()
}

func kitError(name, message string) junit.Testcase {
	return junit.Testcase{
		Name: name, Classname: "plugcheck", Time: seconds(0),
		Error: &junit.Result{Message: message, Type: "plugcheck"},
	}
}

func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }
