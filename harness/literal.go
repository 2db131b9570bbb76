package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plugcheck/harness/jsengine"
	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/literal"
)

// literalWire is a JavaScript file whose manifest a host reads as data and
// rewrites in place. The host's own rewriter is judged on the same wire.
var literalWire = wire{
	name:    "literal",
	rules:   asChecks(true, literal.Rules()),
	steps:   func() []step { return literalSteps },
	file:    literalFile,
	open:    openLiteral,
	answers: answersCheck,
	inTime:  answersCheck,
}

// modules are the extensions of JavaScript modules.
var modules = []string{".js", ".mjs"}

// maxSource bounds what is read as a plugin's file; a real one has some kilobytes.
const maxSource = 16 << 20

// literalFile makes a target of a module. One without a manifest is a plugin when
// the wire was named, when it cannot be anything else, or when it speaks of a manifest:
// that it has none the host can read is then what is wrong with it.
func literalFile(d discovery, path string, named bool) (*Target, error) {
	if !slices.Contains(modules, strings.ToLower(filepath.Ext(path))) {
		if d.wire == "literal" && named {
			return nil, fmt.Errorf("%s is no JavaScript module: its name ends in none of %s", path, strings.Join(modules, ", "))
		}
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, fmt.Errorf("%s is no plugin: it is not a file, or larger than %d MiB", path, maxSource>>20)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &Target{Path: path, Wire: "literal", Name: filepath.Base(path), Source: path, Module: literal.NewTrial(source)}
	if err := t.Module.Err; err != nil && err.Missing() && d.wire == "" && (named && runnable(info) || !named && !strings.Contains(string(source), "manifest")) {
		return nil, nil
	}
	if found := t.Module.Found; found != nil {
		if name, ok := found.Value.Get("name"); ok && name.Kind == literal.String {
			t.Name = name.String
		}
	}
	t.Config, err = loadConfig(d.config, filepath.Dir(path))
	return t, err
}

// Rewriter is a host's rewriter as a target: a command that answers JSON lines.
func Rewriter(argv []string) (*Target, error) {
	path, err := lookPath(argv[0])
	if err != nil {
		return nil, err
	}
	return &Target{Path: strings.Join(argv, " "), Wire: literalWire.name, Name: filepath.Base(path), Executable: path, Command: argv,
		Config: Config{Rewriter: argv}}, nil
}

// JudgesRewriter reports whether a rewriter is judged, and no plugin.
func (t *Target) JudgesRewriter() bool { return t.Wire == literalWire.name && t.Module == nil }

// module is the driver of the wire.
type module struct {
	*session
	// trial is the file, nil where only a rewriter is judged.
	trial  *literal.Trial
	engine *jsengine.Engine
	host   *rewriting
}

func openLiteral(s *session) (driver, error) {
	d := &module{session: s, trial: s.target.Module, engine: jsengine.New()}
	var err error
	d.host, err = newRewriting(s)
	return d, err
}

// A moduleScenario is what the steps of a scenario share.
type moduleScenario struct {
	*scenario
	session *module
}

func (s *module) scenario(sc *scenario) any { return &moduleScenario{scenario: sc, session: s} }

// ready evaluates the file, once: every rule looks at what came of it.
func (s *module) ready(ctx context.Context) (string, error) {
	if s.trial == nil {
		return "", nil
	}
	r, err := s.engine.Load(ctx, s.trial.Source)
	if err != nil {
		return "", err
	}
	s.trial.Evaluated = evaluation(r)
	if s.trial.Found == nil {
		return "not run: there is no manifest that can be rewritten", nil
	}
	return "", nil
}

// evaluation is what the engine found, as the rules look at it.
func evaluation(r jsengine.Result) *literal.Evaluation {
	e := &literal.Evaluation{Exports: map[string]string{}}
	for _, x := range r.Exports {
		e.Exports[x.Name] = x.Type
	}
	if r.Manifest != nil {
		e.Value = *r.Manifest
	}
	if f := r.Fault; f != nil {
		e.Fault = &literal.Error{Class: f.Class, Message: f.Message, Line: f.Line, Column: f.Column}
	}
	return e
}

func (s *module) close() error {
	s.engine.Close()
	return s.host.close()
}

func (s *module) static() ([]validator.Outcome, []reports.Line) {
	if s.trial == nil {
		return nil, nil
	}
	return validator.Judge(literal.Rules(), s.trial), []reports.Line{excerpt(s.trial)}
}

// excerpt is what is shown of a file: its manifest, or its beginning.
func excerpt(t *literal.Trial) reports.Line {
	text := t.Source
	if t.Found != nil {
		text = text[t.Found.Start:t.Found.End]
	}
	return line(0, "manifest", text, int64(len(text)))
}

// shown is an excerpt as evidence of what stands there.
type shown []reports.Line

func (s shown) transcript() []reports.Line { return s }

func (shown) sent() []byte { return nil }

func (s *module) concerns(k *Check) *outcome {
	switch {
	case s.trial == nil && k.Static:
		return skip("a rewriter is judged, and no plugin")
	case s.host.builtin() && strings.HasPrefix(k.ID, "literal.rewriter."):
		return skip("no rewriter is named in %s: saves are made by the built-in one", ConfigName)
	}
	return nil
}

func (s *module) unjudged(*Check) string { return "" }
