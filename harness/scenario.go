package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"

	"plugcheck/reports"
	"plugcheck/validator"
)

// A scenario is one scenario that is being run, whatever its wire. What its steps
// share is the wire's own.
type scenario struct {
	session *session
	ctx     context.Context
	check   *Check
	run     *scenarioRun
	started time.Time
	release func() // lets go of what the steps shared; may be nil
}

// before is the scenario's first hook: it leaves out what was not selected and
// what does not concern the plugin.
func (sc *scenario) before(selected map[string]bool) godog.BeforeScenarioHook {
	return func(ctx context.Context, p *godog.Scenario) (context.Context, error) {
		sc.check = sc.session.catalogue.checkOf(p)
		if sc.check == nil || !selected[sc.check.ID] {
			sc.check = nil
			return ctx, errNotSelected
		}
		s := sc.session
		sc.started = time.Now()
		sc.run = s.begin(sc.check.order, sc.check)
		if begin := s.options.Progress.Begin; begin != nil {
			begin(sc.check.ID)
		}
		switch o := s.driver.concerns(sc.check); {
		case o != nil:
			return ctx, o
		case sc.ctx.Err() != nil:
			return ctx, cannotTest("the run was interrupted before it")
		case s.hungBefore(sc.check.order) >= maxHung:
			return ctx, cannotTest("not run: %d requests before it hung until their time limit of %s", maxHung, s.limit)
		}
		return ctx, nil
	}
}

var errNotSelected = errors.New("not selected")

// after is the scenario's last hook: it keeps the outcome.
func (sc *scenario) after(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
	if sc.check == nil {
		return ctx, nil
	}
	sc.run.elapsed, sc.run.finished = time.Since(sc.started), true
	var o *outcome
	switch {
	case err == nil:
	case errors.As(err, &o):
		sc.run.outcome = o
	case sc.ctx.Err() != nil:
		sc.run.outcome = cannotTest("the run was interrupted in the middle of it")
	default:
		var start *StartError
		if errors.As(err, &start) {
			sc.run.outcome = &outcome{finding: validator.Finding{Class: string(start.Kind), Message: start.Message, Fix: start.Fix}, cause: sc.session.wire.executable}
			break
		}
		sc.run.kit = fmt.Errorf("%s: %w", sc.check.ID, err)
	}
	if done := sc.session.options.Progress.Done; done != nil {
		done(sc.check.ID, sc.run.status())
	}
	if sc.release != nil {
		sc.release()
	}
	return ctx, nil
}

// hung is the reason not to send anything more: the plugin does not answer.
func (sc *scenario) hung() error {
	s := sc.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if sc.run.hung < maxHung {
		return nil
	}
	return &outcome{cause: s.wire.inTime, finding: validator.Finding{Class: "hung",
		Message: fmt.Sprintf("%d requests hung until their time limit of %s; the others were not sent", maxHung, s.limit)}}
}

// status is the outcome in the report's words.
func (run *scenarioRun) status() reports.Status {
	switch {
	case run.kit != nil || !run.finished:
		return reports.StatusUntested
	case run.outcome == nil:
		return reports.Pass
	}
	return run.outcome.reported()
}

// record adds what the rules said of something that was seen.
func (run *scenarioRun) record(name string, seen evidence, outcomes []validator.Outcome, check *Check, examples bool) {
	var example []reports.Line
	if examples {
		example = seen.transcript()
	}
	if run.example == nil {
		run.example = example
	}
	run.exchanges++
	for _, o := range outcomes {
		t := run.verdicts[o.Check.ID]
		if t == nil {
			t = &ruleTally{example: example}
			run.verdicts[o.Check.ID] = t
		}
		t.judged++
		for _, f := range o.Findings {
			t.add(f, name, seen, check)
		}
	}
}

// add keeps the first finding of each class, and counts the others.
func (t *ruleTally) add(f validator.Finding, name string, seen evidence, check *Check) {
	for i := range t.findings {
		if t.findings[i].Class == f.Class {
			t.findings[i].times++
			return
		}
	}
	l := located{Finding: f, exchange: name, lines: seen.transcript(), times: 1}
	if check != nil {
		l.scenario = check.ID
	}
	t.findings = append(t.findings, l)
}

// checkOf finds the check of a pickle by its feature file, and its id or name.
func (c *Catalogue) checkOf(p *messages.Pickle) *Check {
	wanted := p.Name
	for _, tag := range p.Tags {
		if id, ok := strings.CutPrefix(tag.Name, "@id:"); ok {
			wanted = id
		}
	}
	i := slices.IndexFunc(c.Checks, func(k *Check) bool { return k.Feature == p.Uri && k.tag == wanted })
	if i < 0 {
		return nil
	}
	return c.Checks[i]
}

// godog reports through our own report; its formatter says nothing.
const quietFormat = "plugcheck"

func init() {
	godog.Format(quietFormat, "says nothing: plugcheck reports", func(string, io.Writer) godog.Formatter { return quiet{} })
}

type quiet struct{}

func (quiet) TestRunStarted()                                                             {}
func (quiet) Feature(*messages.GherkinDocument, string, []byte)                           {}
func (quiet) Pickle(*messages.Pickle)                                                     {}
func (quiet) Defined(*messages.Pickle, *messages.PickleStep, *godog.StepDefinition)       {}
func (quiet) Passed(*messages.Pickle, *messages.PickleStep, *godog.StepDefinition)        {}
func (quiet) Skipped(*messages.Pickle, *messages.PickleStep, *godog.StepDefinition)       {}
func (quiet) Undefined(*messages.Pickle, *messages.PickleStep, *godog.StepDefinition)     {}
func (quiet) Pending(*messages.Pickle, *messages.PickleStep, *godog.StepDefinition)       {}
func (quiet) Summary()                                                                    {}
func (quiet) Failed(*messages.Pickle, *messages.PickleStep, *godog.StepDefinition, error) {}
func (quiet) Ambiguous(*messages.Pickle, *messages.PickleStep, *godog.StepDefinition, error) {
}
