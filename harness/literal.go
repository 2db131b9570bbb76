package harness

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

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

// maxSource bounds what is read of a plugin's file; a real one has some kilobytes,
// and the engine refuses far smaller ones.
const maxSource = 16 << 20

// maxRewritten bounds what is rewritten again and again where it does not load
// anyway.
const maxRewritten = 256 << 10

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
	source, info, err := readModule(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir() && !named:
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no plugin: it is not a file", path)
	}
	t := &Target{Path: path, Wire: "literal", Name: filepath.Base(path), Source: path, Module: literal.NewTrial(source)}
	if err := t.Module.Err; err != nil && err.Missing() && d.wire == "" && (named && runnable(info) || !named && !strings.Contains(string(source), "manifest")) {
		return nil, nil
	}
	t.Module.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if found := t.Module.Found; found != nil {
		for _, name := range literal.Unknown(found.Value) {
			t.Notes = append(t.Notes, fmt.Sprintf("the manifest has a field %q that the document does not; hosts ignore it", name))
		}
		if name, ok := found.Value.Get("name"); ok && name.Kind == literal.String {
			t.Name = name.String
		}
	}
	if info.Size() > maxSource {
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d MiB of the file were read", maxSource>>20))
	}
	t.Config, err = loadConfig(d.config, filepath.Dir(path))
	return t, err
}

// readModule reads a file, or its beginning where it is too large to be a plugin:
// the engine refuses that much. Of what is no file nothing is read, also where it
// took the place of one just now.
func readModule(path string) ([]byte, os.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // or a FIFO would wait for a writer
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, info, err
	}
	source, err := io.ReadAll(io.LimitReader(file, maxSource))
	return source, info, err
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
	switch {
	case !utf8.Valid(s.trial.Source): // the manifest is, or it would not have been found
		return "not run: the file is not valid UTF-8, and a rewriter is asked in JSON", nil
	case s.trial.Evaluated.Fault != nil && len(s.trial.Source) > maxRewritten:
		return fmt.Sprintf("not run: the file does not load, and with more than %d KiB it is too large to be rewritten over and over for that", maxRewritten>>10), nil
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
