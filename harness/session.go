package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"plugcheck/reports"
	"plugcheck/validator"
)

// A session is the run of the checks over one plugin. What the wire of the
// plugin adds is in its driver.
type session struct {
	target    *Target
	options   Options
	catalogue *Catalogue
	wire      *wire
	driver    driver
	work      *Workdirs
	limit     time.Duration // of one exchange

	mu   sync.Mutex
	runs map[int]*scenarioRun // by the order of the check; contact is -1
	seq  int                  // of saved transcripts

	idle string // why no scenario could be run
	// others are checks of other versions of the contracts, for the table of compatibility.
	others      map[string]bool
	interrupted bool
}

// A scenarioRun is what became of one scenario and of all its exchanges.
type scenarioRun struct {
	check     *Check // nil for the first contact
	outcome   *outcome
	kit       error // what the kit could not do
	exchanges int
	hung      int // how many of its requests the plugin did not answer in time
	elapsed   time.Duration
	slowest   time.Duration // of its exchanges
	finished  bool
	verdicts  map[string]*ruleTally
	example   []reports.Line // the first exchange, where examples are wanted
}

// A ruleTally is what one rule said of the exchanges of one scenario.
type ruleTally struct {
	judged   int
	findings []located
	example  []reports.Line
}

// located is a finding with the exchange it was made in.
type located struct {
	validator.Finding
	exchange string
	lines    []reports.Line
	scenario string
	times    int
}

// maxHung is how many well-formed requests in a row of scenarios may hang
// before the rest is not tried: a plugin that never answers would otherwise
// take its full timeout for every request of the run.
const maxHung = 3

// contact is the order of the first requests, ahead of all scenarios.
const contact = -1

func newSession(t *Target, o Options, c *Catalogue) (*session, error) {
	w, err := wireNamed(t.Wire)
	if err != nil {
		return nil, err
	}
	s := &session{target: t, options: o, catalogue: c, wire: w, limit: o.Timeout, runs: map[int]*scenarioRun{}}
	if s.work, err = NewWorkdirs(); err != nil {
		return nil, err
	}
	if s.driver, err = w.open(s); err != nil {
		return nil, errors.Join(err, s.work.Close())
	}
	return s, nil
}

// close ends what the session holds.
func (s *session) close() error { return errors.Join(s.driver.close(), s.work.Close()) }

// run drives the plugin through the selected checks.
func (s *session) run(ctx context.Context, selected map[string]bool) (reports.Plugin, error) {
	o := s.options
	s.others = s.catalogue.ofWire(s.catalogue.others(selected, len(o.Only)+len(o.Contracts)+len(o.Skip) == 0 && o.Shard.Total < 2), s.wire.name)
	selected = s.catalogue.ofWire(selected, s.wire.name)
	var err error
	s.idle, err = s.driver.ready(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		return reports.Plugin{}, err
	case err == nil && s.idle == "":
		selected = s.part(selected)
		s.scenarios(ctx, selected)
	}
	s.interrupted = ctx.Err() != nil
	s.lastOrphans()
	return s.report(selected), nil
}

// part is this run's share of the checks, where several runs share them. Those
// that do not concern the plugin are all told in the first part, so that every
// other has something to show.
func (s *session) part(selected map[string]bool) map[string]bool {
	shard := s.options.Shard
	if shard.Total < 2 {
		return selected
	}
	mine := map[string]bool{}
	n := 0
	for _, k := range s.catalogue.Checks {
		switch {
		case !selected[k.ID]:
		case s.skips(k):
			mine[k.ID] = shard.Index == 0
		default:
			mine[k.ID] = n%shard.Total == shard.Index
			n++
		}
	}
	return mine
}

// skips reports whether a check does not concern the plugin.
func (s *session) skips(k *Check) bool {
	o := s.driver.concerns(k)
	return o != nil && o.status == skipped
}

// afterAll is the order of what is found when all scenarios have ended.
const afterAll = 1 << 30

// lastOrphans ends what is still running when no exchange is: processes that
// hid so well that nobody can say which request started them.
func (s *session) lastOrphans() {
	id := s.wire.orphans
	swept := sweep()
	if len(swept) == 0 {
		return
	}
	f := validator.Finding{Class: "hidden", Expected: "nothing left running", Got: fmt.Sprintf("%d left running; plugcheck ended them", len(swept)),
		Message: fmt.Sprintf("%d processes had left their session and their environment and were still running, such as process %s", len(swept), swept[0])}
	run := s.begin(afterAll, nil)
	run.verdicts[id] = &ruleTally{judged: 1, findings: []located{{Finding: f, exchange: "after the last request", times: 1}}}
}

func (s *session) begin(order int, check *Check) *scenarioRun {
	run := &scenarioRun{check: check, verdicts: map[string]*ruleTally{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[order] = run
	return run
}

// hungBefore counts the hung requests of the scenarios ahead of one.
func (s *session) hungBefore(order int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for o, r := range s.runs {
		if o < order {
			n += r.hung
		}
	}
	return n
}

// scenarios runs the selected scenarios through godog, as many side by side as
// the options say.
func (s *session) scenarios(ctx context.Context, selected map[string]bool) {
	// A rule judges the exchanges of all scenarios. When nothing but rules is
	// selected every scenario runs, to have exchanges to judge.
	stimuli := map[string]bool{}
	for _, k := range s.catalogue.Checks {
		if !k.IsRule() && (selected[k.ID] || s.others[k.ID]) {
			stimuli[k.ID] = true
		}
	}
	if len(stimuli) == 0 && s.judgesExchanges(selected) {
		for _, k := range s.catalogue.Checks {
			if !k.IsRule() && k.Wire == s.wire.name {
				stimuli[k.ID] = true
			}
		}
	}
	if start := s.options.Progress.Start; start != nil {
		start(len(stimuli))
	}
	// A plugin that cannot be run twice at once would fail anywhere, by chance.
	// So this is found out first, and what it cannot is not asked of it again.
	concurrent := s.wire.concurrent
	jobs := max(1, s.options.Jobs)
	if stimuli[concurrent] {
		delete(stimuli, concurrent)
		s.suite(ctx, map[string]bool{concurrent: true}, 1)
		if k, ok := s.catalogue.Find(concurrent); ok && s.runs[k.order] != nil && s.runs[k.order].status() == reports.Fail {
			jobs = 1
		}
	}
	s.suite(ctx, stimuli, jobs)
}

// judgesExchanges reports whether a selected rule needs something to be done.
func (s *session) judgesExchanges(selected map[string]bool) bool {
	return slices.ContainsFunc(s.catalogue.Checks, func(k *Check) bool { return selected[k.ID] && k.IsRule() && !k.Static })
}

// suite runs some scenarios through godog, as many side by side as jobs says.
func (s *session) suite(ctx context.Context, stimuli map[string]bool, jobs int) {
	var files []godog.Feature
	for _, f := range s.catalogue.features {
		if slices.ContainsFunc(s.catalogue.Checks, func(k *Check) bool { return k.Feature == f.name && stimuli[k.ID] }) {
			files = append(files, godog.Feature{Name: f.name, Contents: f.text})
		}
	}
	suite := godog.TestSuite{
		Name: "plugcheck",
		ScenarioInitializer: func(g *godog.ScenarioContext) {
			sc := &scenario{session: s, ctx: ctx}
			state := s.driver.scenario(sc)
			g.Before(sc.before(stimuli))
			g.After(sc.after)
			for _, step := range s.wire.steps() {
				g.Step(step.pattern, step.bind(state))
			}
		},
		Options: &godog.Options{Format: quietFormat, Concurrency: jobs, FeatureContents: files, Strict: true, NoColors: true},
	}
	if len(files) > 0 {
		suite.Run()
	}
}

// save writes a transcript to the folder that the user asked for.
func (s *session) save(name string, t *validator.Transcript) error {
	if s.options.Transcripts == "" {
		return nil
	}
	return s.writeTranscript(s.transcriptName(name), t)
}

// transcriptName is a new name in the folder of the transcripts.
func (s *session) transcriptName(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return filepath.Join(s.options.Transcripts, fmt.Sprintf("%s-%04d-%s.jsonl", slug(s.name()), s.seq, slug(name)))
}

// name is what the plugin is called in reports.
func (s *session) name() string {
	if n := strings.TrimSpace(s.target.Name); n != "" {
		return n
	}
	for _, arg := range s.target.Args { // python3 plugin.py is plugin.py
		if info, err := os.Stat(arg); err == nil && s.target.Bare() && info.Mode().IsRegular() {
			return filepath.Base(arg)
		}
	}
	if s.target.Executable == "" {
		return filepath.Base(s.target.Path)
	}
	return filepath.Base(s.target.Executable)
}
