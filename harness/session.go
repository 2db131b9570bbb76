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

	"plugcheck/contracts"
	"plugcheck/fixtures"
	"plugcheck/reports"
	"plugcheck/validator"
)

// A session is the run of the checks over one plugin.
type session struct {
	target    *Target
	options   Options
	catalogue *Catalogue
	rules     []validator.Rule
	cases     []fixtures.Case
	work      *Workdirs
	elsewhere string // a folder that is nobody's own, with a file in it
	limit     time.Duration
	// plain is the ordinary request and its reply, to which others are compared.
	plain ask
	usual *reply
	// unknown is set for a bare executable that did nothing it was asked for.
	unknown bool

	mu   sync.Mutex
	runs map[int]*scenarioRun // by the order of the check; contact is -1
	seq  int                  // of saved transcripts

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

func newSession(ctx context.Context, t *Target, o Options, c *Catalogue) (*session, error) {
	s := &session{target: t, options: o, catalogue: c, runs: map[int]*scenarioRun{}, rules: validator.ExchangeRules()}
	s.limit = t.Manifest.Timeout()
	if o.Timeout > 0 && (o.Timeout < s.limit || t.Bare()) {
		s.limit = o.Timeout
	}
	builtin, err := fixtures.Embedded()
	if err != nil {
		return nil, err
	}
	s.cases = append(builtin, t.Config.cases...)
	if s.work, err = NewWorkdirs(); err != nil {
		return nil, err
	}
	s.elsewhere = filepath.Join(s.work.Path(), "elsewhere")
	if err := os.Mkdir(s.elsewhere, 0o755); err != nil {
		return nil, errors.Join(err, s.work.Close())
	}
	err = os.WriteFile(filepath.Join(s.elsewhere, "README"), []byte("Another working folder.\n"), 0o644)
	if err != nil {
		return nil, errors.Join(err, s.work.Close())
	}
	return s, nil
}

// run drives the plugin through the selected checks.
func (s *session) run(ctx context.Context, selected map[string]bool) (reports.Plugin, error) {
	if s.target.Manifest.File.Trouble == "" && s.target.Executable != "" {
		err := s.firstContact(ctx)
		var start *StartError
		switch {
		case err == nil:
			selected = s.part(selected)
			s.scenarios(ctx, selected)
		case errors.As(err, &start):
			s.target.Manifest.File = validator.FileFacts{Exists: true, Class: string(start.Kind), Trouble: start.Message, Fix: start.Fix}
			delete(s.runs, contact)
		case ctx.Err() == nil:
			return reports.Plugin{}, err
		}
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
		case s.notDeclared(k) != "":
			mine[k.ID] = shard.Index == 0
		default:
			mine[k.ID] = n%shard.Total == shard.Index
			n++
		}
	}
	return mine
}

// afterAll is the order of what is found when all scenarios have ended.
const afterAll = 1 << 30

// lastOrphans ends what is still running when no exchange is: processes that
// hid so well that nobody can say which request started them.
func (s *session) lastOrphans() {
	const id = "jsonl.no-orphans"
	swept := sweep()
	if len(swept) == 0 {
		return
	}
	f := validator.Finding{Class: "hidden", Expected: "nothing left running", Got: fmt.Sprintf("%d left running; plugcheck ended them", len(swept)),
		Message: fmt.Sprintf("%d processes had left their session and their environment and were still running, such as process %s", len(swept), swept[0])}
	run := s.begin(afterAll, nil)
	run.verdicts[id] = &ruleTally{judged: 1, findings: []located{{Finding: f, exchange: "after the last request", times: 1}}}
}

// firstContact asks the plugin the ordinary request that others are compared
// with. A bare executable is first asked what it is.
func (s *session) firstContact(ctx context.Context) error {
	sc := &scenario{session: s, ctx: ctx, run: s.begin(contact, nil)}
	if s.target.Bare() && s.target.Manifest.Kind == "" {
		if err := sc.guess(); err != nil {
			return err
		}
	}
	s.plain = s.plainAsk()
	first := s.plain
	first.contact = true
	r, err := sc.send(first)
	if err != nil {
		return err
	}
	s.usual = r
	return nil
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
		if k.Rule == nil && selected[k.ID] {
			stimuli[k.ID] = true
		}
	}
	if len(stimuli) == 0 {
		for _, k := range s.catalogue.Checks {
			if k.Rule == nil {
				stimuli[k.ID] = true
			}
		}
	}
	if start := s.options.Progress.Start; start != nil {
		start(len(stimuli))
	}
	// A plugin that cannot be run twice at once would fail anywhere, by chance.
	// So this is found out first, and what it cannot is not asked of it again.
	const concurrent = "jsonl.concurrent"
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
			g.Before(sc.before(stimuli))
			g.After(sc.after)
			for _, step := range steps {
				g.Step(step.pattern, step.bind(sc))
			}
		},
		Options: &godog.Options{Format: quietFormat, Concurrency: jobs, FeatureContents: files, Strict: true, NoColors: true},
	}
	if len(files) > 0 {
		suite.Run()
	}
}

// sensorOperation is what a sensor is asked for when its author does not say.
const sensorOperation = "analyze"

// plainAsk is an ordinary request for what the plugin declares.
func (s *session) plainAsk() ask {
	m := s.target.Manifest
	operation := ""
	switch {
	case m.Kind == validator.Sensor:
		operation = s.target.Config.Sensor.Operation
		if operation == "" {
			operation = sensorOperation
		}
	case m.Declares("rename-symbol"), len(m.Capabilities) == 0:
		operation = "rename-symbol"
	default:
		operation = m.Capabilities[0]
	}
	a := s.renameAsk()
	if operation != "rename-symbol" {
		a = s.forOperation(a, operation)
	}
	a.name = "a plain request"
	return a
}

// forOperation turns a rename into a request for another operation on the same place.
func (s *session) forOperation(a ask, operation string) ask {
	a = a.clone()
	a.name, a.symbol, a.want, a.refuse = "a request for "+operation, "", nil, nil
	// All that a rename needs stays: a plugin that does not look at the operation
	// must not refuse for want of something else.
	a.request.Operation = operation
	if operation == "extricate-symbol" {
		a.request.Arguments["to"] = fileURI("src/elsewhere" + filepath.Ext(a.request.Files[0].Path))
	}
	if s.target.Manifest.Kind == validator.Sensor {
		a.request.Arguments = s.target.Config.Sensor.Arguments
	}
	return a
}

// renameAsk is the plain case of the first declared language that has one. A
// plugin for other languages gets a small text of no language.
func (s *session) renameAsk() ask {
	for _, l := range s.languages() {
		for _, c := range s.cases {
			if c.Class == "plain" && c.Language == l && c.Operation == "rename-symbol" {
				return fromCase(c)
			}
		}
	}
	const text = "alpha = 1\nbeta = alpha\n"
	return rename("a plain rename", []validator.File{{Path: "src/sample.txt", Content: text}}, 0, 0, "alpha", "gamma")
}

// languages are those of the manifest, by the name the fixtures use.
func (s *session) languages() []string {
	var names []string
	for _, l := range s.target.Manifest.Languages {
		if l = strings.ToLower(strings.TrimSpace(l)); l == "" {
			continue
		}
		if known, ok := fixtures.LanguageNamed(l); ok {
			l = known.Name
		}
		if !slices.Contains(names, l) {
			names = append(names, l)
		}
	}
	return names
}

// language is the first declared language that the kit can write programs in.
func (s *session) language() (fixtures.Language, bool) {
	for _, name := range s.languages() {
		if l, ok := fixtures.LanguageNamed(name); ok {
			return l, true
		}
	}
	return fixtures.Language{}, false
}

// extension is that of the plugin's language: of the plain case in it, which for a
// language that the kit does not know its author wrote.
func (s *session) extension() string { return filepath.Ext(s.renameAsk().request.Files[0].Path) }

// save writes a transcript to the folder that the user asked for.
func (s *session) save(r *reply) error {
	dir := s.options.Transcripts
	if dir == "" {
		return nil
	}
	s.mu.Lock()
	s.seq++
	n := s.seq
	s.mu.Unlock()
	name := filepath.Join(dir, fmt.Sprintf("%s-%04d-%s.jsonl", slug(s.name()), n, slug(r.Name)))
	return s.writeTranscript(name, &r.Transcript)
}

func (s *session) name() string {
	if n := strings.TrimSpace(s.target.Manifest.Name); n != "" {
		return n
	}
	for _, arg := range s.target.Args { // python3 plugin.py is plugin.py
		if info, err := os.Stat(arg); err == nil && s.target.Bare() && info.Mode().IsRegular() {
			return filepath.Base(arg)
		}
	}
	return filepath.Base(s.target.Executable)
}

// notDeclared says why a check does not concern this plugin, or "".
func (s *session) notDeclared(k *Check) string {
	m := s.target.Manifest
	contract, err := contracts.Get(k.Contract)
	if err != nil { // an author's own contract concerns the plugin
		return ""
	}
	switch {
	case k.Rule != nil && strings.HasPrefix(k.ID, "jsonl.manifest.") && s.target.Bare() && k.ID != "jsonl.manifest.executable":
		return "there is no manifest: a bare executable was given"
	case k.ID == "jsonl.response.sensor-analysis" && m.Kind != validator.Sensor,
		k.ID == "jsonl.manifest.sensor-without-capabilities" && m.Kind != validator.Sensor:
		return "it is no sensor"
	case s.unknown && contract.Capability != "":
		return "" // nobody knows, and nobody can test it
	case contract.Capability != "" && !m.Declares(contract.Capability),
		k.ID == "jsonl.large-output" && !m.Declares("rename-symbol"):
		capability := contract.Capability
		if capability == "" {
			capability = "rename-symbol"
		}
		if s.target.Bare() {
			return "it was not found to do " + capability + ", and no manifest declares it"
		}
		return "the manifest does not declare " + capability
	}
	return ""
}
