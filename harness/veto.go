package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"plugcheck/fixtures"
	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/veto"
)

// vetoWire is one event object in, and a verdict or nothing out.
var vetoWire = wire{
	name:  "veto",
	rules: slices.Concat(asChecks(true, veto.ManifestRules()), asChecks(false, veto.EventRules())),
	steps: func() []step { return slices.Concat(eventSteps, verdictSteps) },
	claims: func(fields map[string]any) bool {
		_, ok := fields["command"]
		return ok
	},
	source:  "plugin.json",
	folders: []string{".tasks/plugins", "plugins"},
	read:    readVeto,
	open:    func(s *session) (driver, error) { return openEvents(s, veto.ManifestRules(), veto.EventRules()) },

	executable: "veto.manifest.command", answers: "veto.answers", inTime: "veto.answers", concurrent: "veto.concurrent", orphans: "veto.no-orphans",
}

// events is the driver of veto plugins and of shell hooks, which get the same
// events in the same way.
type events struct {
	*session
	manifest    *veto.Manifest
	staticRules []validator.Rule[*veto.Trial]
	rules       []validator.Rule[*veto.Trial]
	all         []delivery // the events of the fixtures
	heard       []delivery // those that the host would send it
	folder      string     // the plugin's, of which each exchange gets a copy
	inPlace     bool       // the folder is too large to be copied
	// vetoed and passed are what came of the first event that it vetoes and of the
	// first that it lets pass; nil where none was found.
	vetoed, passed *sighting
	varies         atomic.Bool // its reason is not the same each time
}

// An eventScenario is what the steps of a scenario share.
type eventScenario struct {
	*scenario
	session    *events
	deliveries []delivery
	sightings  []*sighting
}

func (s *events) scenario(sc *scenario) any {
	state := &eventScenario{scenario: sc, session: s}
	sc.release = func() { state.deliveries, state.sightings = nil, nil }
	return state
}

// readVeto makes a target of a plugin.json.
func readVeto(d discovery, path, file string, text []byte) (*Target, error) {
	m := veto.ReadManifest(file, text)
	t := &Target{Path: path, Wire: "veto", Name: m.Name, Source: file, Veto: m}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if t.Config, err = loadConfig(d.config, dir); err != nil {
		return nil, err
	}
	if m.Known, err = knownEvents(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(t.Name) == "" {
		t.Name = filepath.Base(dir) // as the host does
	}
	for _, name := range m.Unknown {
		t.Notes = append(t.Notes, fmt.Sprintf("plugin.json has a field %q that the document does not; the host ignores it", name))
	}
	for _, name := range m.Events {
		if !slices.Contains(m.Known, name) {
			t.Notes = append(t.Notes, fmt.Sprintf("it subscribes to %q, an event that plugcheck does not know of; it is asked for it with the members of another", name))
		}
	}
	if !m.AgentSafe {
		t.Notes = append(t.Notes, "in agent mode (CORVEE_AGENT_MODE=1) the host skips it: plugin.json does not say \"agent_safe\": true")
	}
	if m.Command != "" {
		t.Executable = filepath.Join(dir, filepath.FromSlash(m.Command))
		if filepath.IsAbs(m.Command) {
			t.Executable = m.Command
		}
		m.Outside = outside(dir, t.Executable)
	}
	m.File = t.inspect()
	return t, nil
}

// knownEvents are the names of the events that there are fixtures of.
func knownEvents() ([]string, error) {
	all, err := builtInEvents()
	var names []string
	for _, d := range all {
		if d.class == "plain" {
			names = append(names, d.event.Name())
		}
	}
	return names, err
}

func openEvents(s *session, static, rules []validator.Rule[*veto.Trial]) (driver, error) {
	d := &events{session: s, manifest: s.target.Veto, staticRules: static, rules: rules}
	most := veto.Seconds(rules[0].Contract, "answer_secs")
	if s.limit <= 0 || s.limit > most {
		s.limit = most
	}
	var err error
	if d.all, err = builtInEvents(); err != nil {
		return nil, err
	}
	d.heard = heardBy(d.manifest, d.all)
	if s.target.Executable == "" {
		return d, nil
	}
	d.folder = filepath.Dir(s.target.Executable)
	if s.target.Source != "" {
		if d.folder, err = filepath.Abs(filepath.Dir(s.target.Source)); err != nil {
			return nil, err
		}
	}
	if d.inPlace, err = tooLarge(d.folder); err != nil {
		return nil, err
	}
	note := fmt.Sprintf("its folder is larger than %d MiB or %d files, so it ran in the folder itself and not in a copy; what it wrote there stays", maxCopied>>20, maxCopiedFiles)
	if d.inPlace && !slices.Contains(s.target.Notes, note) {
		s.target.Notes = append(s.target.Notes, note)
	}
	return d, nil
}

// builtInEvents are those of the fixtures. The plain ones come first, as they are
// what the others are compared with, and then those that a guard may veto.
func builtInEvents() ([]delivery, error) {
	list, err := fixtures.Events()
	if err != nil {
		return nil, err
	}
	order := []string{"plain", "guard", "unicode"}
	slices.SortStableFunc(list, func(a, b fixtures.Event) int { return slices.Index(order, a.Class) - slices.Index(order, b.Class) })
	var all []delivery
	for _, f := range list {
		e, err := veto.ParseEvent(f.Text)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", f.Name, err)
		}
		all = append(all, delivery{name: "event " + f.Name, class: f.Class, event: e})
	}
	return all, nil
}

// heardBy are the events that the host sends to a plugin. One that the fixtures do
// not have has the members of one that they do.
func heardBy(m *veto.Manifest, all []delivery) []delivery {
	var heard []delivery
	for _, d := range all {
		if m.Hears(d.event.Name()) {
			heard = append(heard, d)
		}
	}
	for _, name := range m.Events {
		if !slices.Contains(m.Known, name) {
			heard = append(heard, delivery{name: fmt.Sprintf("event %q", name), class: "plain", event: plainEvent(all, name)})
		}
	}
	return heard
}

// ready looks for an event that the plugin vetoes and one that it lets pass,
// first among those that its author expects something of.
func (s *events) ready(ctx context.Context) (string, error) {
	switch {
	case s.target.Executable == "":
		return "not run: there is no command to start", nil
	case s.manifest.File.Trouble != "":
		return notStarted, nil
	}
	err := s.search(ctx)
	var start *StartError
	var stop *outcome
	switch {
	case errors.As(err, &start):
		s.manifest.File = validator.FileFacts{Exists: true, Class: string(start.Kind), Trouble: start.Message, Fix: start.Fix}
		delete(s.runs, contact)
		return notStarted, nil
	case errors.As(err, &stop): // it hangs on what it was asked first, as the rules will say
		return "", nil
	}
	return "", err
}

func (s *events) search(ctx context.Context) error {
	sc := &eventScenario{session: s, scenario: &scenario{session: s.session, ctx: ctx, run: s.begin(contact, nil)}}
	known := slices.DeleteFunc(s.expected(), func(d delivery) bool { return d.special }) // what the host never sends tells nothing
	for _, d := range append(known, s.heard...) {
		sighting, err := sc.send(d)
		if err != nil {
			return err
		}
		switch {
		case sighting.Vetoed() && s.vetoed == nil:
			s.vetoed = sighting
		case !sighting.Vetoed() && s.passed == nil && sighting.Failure() == nil:
			s.passed = sighting
		}
		if s.vetoed != nil && s.passed != nil {
			break
		}
	}
	return nil
}

// sides are the events that it vetoes and lets pass, as far as they were found.
func (s *events) sides() []*sighting {
	return slices.DeleteFunc([]*sighting{s.vetoed, s.passed}, func(x *sighting) bool { return x == nil })
}

func (s *events) static() ([]validator.Outcome, []reports.Line) {
	text := s.manifest.Text
	return validator.Judge(s.staticRules, &veto.Trial{Manifest: s.manifest}), []reports.Line{line(0, "manifest", text, int64(len(text)))}
}

func (s *events) concerns(k *Check) *outcome {
	if k.ID == "veto.agent.answers" && !s.manifest.AgentSafe {
		return skip("plugin.json does not say \"agent_safe\": true, so the host skips it in agent mode")
	}
	if k.ID == "veto.agent.skipped" && s.manifest.AgentSafe {
		return skip("it is agent_safe, so it is asked in agent mode too")
	}
	return nil
}

func (s *events) unjudged(*Check) string { return "" }

func (s *events) close() error { return nil }
