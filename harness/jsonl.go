package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plugcheck/fixtures"
	"plugcheck/reports"
	"plugcheck/validator"
)

// jsonlWire is one request line in, one response line out: a process for each exchange.
var jsonlWire = wire{
	name:     "jsonl",
	rules:    slices.Concat(asChecks(true, validator.ManifestRules()), asChecks(false, validator.ExchangeRules())),
	ofSchema: []string{"jsonl.response.schema"},
	steps:    func() []step { return jsonlSteps },
	claims: func(fields map[string]any) bool {
		_, ok := fields["kind"]
		return ok
	},
	read: readJSONL,
	bare: bareJSONL,
	open: openJSONL,

	executable: "jsonl.manifest.executable", answers: "jsonl.one-line", inTime: "jsonl.in-time", concurrent: "jsonl.concurrent", orphans: "jsonl.no-orphans",
}

// jsonl is the driver of the wire.
type jsonl struct {
	*session
	manifest  *validator.Manifest
	rules     []validator.Rule[*validator.Trial]
	cases     []fixtures.Case
	elsewhere string // a folder that is nobody's own, with a file in it
	// plain is the ordinary request and its reply, to which others are compared.
	plain ask
	usual *reply
	// unknown is set for a bare executable that did nothing it was asked for.
	unknown bool
}

// A jsonlScenario is what the steps of a scenario share.
type jsonlScenario struct {
	*scenario
	session *jsonl
	asks    []ask
	replies []*reply
}

func (s *jsonl) scenario(sc *scenario) any {
	state := &jsonlScenario{scenario: sc, session: s}
	sc.release = func() { state.asks, state.replies = nil, nil }
	return state
}

// readJSONL makes a target of a manifest.
func readJSONL(d discovery, path, file string, text []byte) (*Target, error) {
	m := validator.ReadManifest(file, text)
	t := &Target{Path: path, Wire: "jsonl", Name: m.Name, Version: m.Version, Source: file, Manifest: m, Args: m.Args}
	dir := filepath.Dir(file)
	var err error
	if t.Config, err = loadConfig(d.config, dir); err != nil {
		return nil, err
	}
	if t.Executable = m.Executable; t.Executable != "" && !filepath.IsAbs(t.Executable) {
		// Not what the document asks for, as a rule will say; the rest can be judged all the same.
		if t.Executable, err = filepath.Abs(filepath.Join(dir, t.Executable)); err != nil {
			return nil, err
		}
	}
	for _, name := range m.Unknown {
		t.Notes = append(t.Notes, fmt.Sprintf("the manifest has a field %q that the document does not; hosts ignore it", name))
	}
	m.File = t.inspect()
	return t, nil
}

// bareJSONL is an executable without a manifest.
func bareJSONL(d discovery, path string) (*Target, error) {
	m := &validator.Manifest{Executable: path}
	t := &Target{Path: path, Wire: "jsonl", Executable: path, Manifest: m}
	var err error
	if t.Config, err = loadConfig(d.config, filepath.Dir(path)); err != nil {
		return nil, err
	}
	own := t.Config.Plugin
	m.Kind, m.Languages, m.Capabilities = own.Kind, own.Languages, own.Capabilities
	m.File = t.inspect()
	return t, nil
}

func openJSONL(s *session) (driver, error) {
	d := &jsonl{session: s, manifest: s.target.Manifest, rules: validator.ExchangeRules()}
	for _, p := range s.catalogue.packs {
		d.manifest.Known = append(d.manifest.Known, p.Capability)
		d.rules = append(slices.Clip(d.rules), validator.SchemaRules(p.Contract, s.wire.ofSchema)...)
	}
	s.limit = d.manifest.Timeout()
	if o := s.options.Timeout; o > 0 && (o < s.limit || s.target.Bare()) {
		s.limit = o
	}
	builtin, err := fixtures.Embedded()
	if err != nil {
		return nil, err
	}
	d.cases = append(builtin, s.target.Config.cases...)
	d.elsewhere = filepath.Join(s.work.Path(), "elsewhere")
	if err := os.Mkdir(d.elsewhere, 0o755); err != nil {
		return nil, err
	}
	return d, os.WriteFile(filepath.Join(d.elsewhere, "README"), []byte("Another working folder.\n"), 0o644)
}

// ready asks the plugin the ordinary request that others are compared with. A
// bare executable is first asked what it is.
func (s *jsonl) ready(ctx context.Context) (string, error) {
	switch {
	case s.manifest.Executable == "":
		return "not run: the manifest names no executable", nil
	case s.manifest.File.Trouble != "":
		return notStarted, nil
	}
	err := s.firstContact(ctx)
	var start *StartError
	if errors.As(err, &start) {
		s.manifest.File = validator.FileFacts{Exists: true, Class: string(start.Kind), Trouble: start.Message, Fix: start.Fix}
		delete(s.runs, contact)
		return notStarted, nil
	}
	return "", err
}

const notStarted = "not run: the executable cannot be started"

func (s *jsonl) firstContact(ctx context.Context) error {
	sc := &jsonlScenario{session: s, scenario: &scenario{session: s.session, ctx: ctx, run: s.begin(contact, nil)}}
	if s.target.Bare() && s.manifest.Kind == "" {
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

func (s *jsonl) static() ([]validator.Outcome, []reports.Line) {
	m := s.manifest
	var shown []reports.Line
	if len(m.Text) > 0 {
		shown = []reports.Line{line(0, "manifest", m.Text, int64(len(m.Text)))}
	}
	return validator.Judge(validator.ManifestRules(), &validator.Trial{Manifest: m}), shown
}

func (s *jsonl) close() error { return nil }

// concerns leaves out what the manifest does not declare.
func (s *jsonl) concerns(k *Check) *outcome {
	m := s.manifest
	contract, err := s.catalogue.contracts.Get(k.Contract)
	if err != nil { // an author's own contract concerns the plugin
		return nil
	}
	switch {
	case k.Static && s.target.Bare() && k.ID != s.wire.executable:
		return skip("there is no manifest: a bare executable was given")
	case k.ID == "jsonl.response.sensor-analysis" && m.Kind != validator.Sensor,
		k.ID == "jsonl.manifest.sensor-without-capabilities" && m.Kind != validator.Sensor:
		return skip("it is no sensor")
	case s.unknown && contract.Capability != "":
		return cannotTest("it is not known whether the plugin promises this: there is no manifest, and it did nothing that it was asked for")
	case contract.Capability != "" && !m.Declares(contract.Capability),
		k.ID == "jsonl.large-output" && !m.Declares("rename-symbol"):
		capability := contract.Capability
		if capability == "" {
			capability = "rename-symbol"
		}
		if s.target.Bare() {
			return skip("it was not found to do %s, and no manifest declares it", capability)
		}
		return skip("the manifest does not declare %s", capability)
	}
	return nil
}

func (s *jsonl) unjudged(c *Check) string {
	switch {
	case c.ID == "jsonl.response.sensor-analysis":
		return "the sensor refused every request: name an operation it does under [sensor] in " + ConfigName
	case strings.HasSuffix(c.ID, ".success-is-diff") && c.Contract != "rename-symbol@1.0":
		return "no request of this run succeeded, and no document says which one would: write a case of class success and name it in " + ConfigName
	}
	return ""
}

// sensorOperation is what a sensor is asked for when its author does not say.
const sensorOperation = "analyze"

// plainAsk is an ordinary request for what the plugin declares.
func (s *jsonl) plainAsk() ask {
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
func (s *jsonl) forOperation(a ask, operation string) ask {
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
func (s *jsonl) renameAsk() ask {
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
func (s *jsonl) languages() []string {
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
func (s *jsonl) language() (fixtures.Language, bool) {
	for _, name := range s.languages() {
		if l, ok := fixtures.LanguageNamed(name); ok {
			return l, true
		}
	}
	return fixtures.Language{}, false
}

// extension is that of the plugin's language: of the plain case in it, which for a
// language that the kit does not know its author wrote.
func (s *jsonl) extension() string { return filepath.Ext(s.renameAsk().request.Files[0].Path) }
