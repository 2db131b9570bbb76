package harness

import (
	"context"
	"errors"
	"fmt"

	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

// jsonrpcWire is a long-lived process that speaks JSON-RPC with its host, both ways.
var jsonrpcWire = wire{
	name:  "jsonrpc",
	rules: slices.Concat(asChecks(true, rpc.ManifestRules()), asChecks(false, rpc.Rules())),
	steps: func() []step { return jsonrpcSteps },
	claims: func(fields map[string]any) bool {
		_, ok := fields["entry"]
		return ok
	},
	read: readJSONRPC,
	bare: bareJSONRPC,

	loose: true, recognizes: recognizeJSONRPC,
	open: openJSONRPC,

	executable: "rpc.manifest.executable", answers: "rpc.initialize", orphans: "rpc.no-orphans",
}

// jsonrpc is the driver of the wire.
type jsonrpc struct {
	*session
	manifest *rpc.Manifest // nil for a bare executable
	rules    []validator.Rule[*rpc.Conversation]

	// usual is what the plugin registers when nothing is special, and barren why it
	// could not be found out.
	usual  registry
	barren *outcome
	// probe is a request that it is known to answer.
	probe request
	// settled is set once usual is known.
	settled bool
	// mute holds what was not answered on first contact, by its key: it is told by the
	// checks that are about it, and not used by the others.
	mute map[string]bool
	// silences counts the calls that were not answered by a plugin that lived on.
	silences atomic.Int32
	// floods counts the sessions that were ended since the plugin said too much.
	floods atomic.Int32
	// lingers is set once it was seen not to leave when it was asked to: then
	// sessions are ended without asking.
	lingers atomic.Bool
}

// A request is what a host can ask of a plugin.
type request struct {
	about  string // in a finding: "the tool echo"
	method string
	params any
}

// key is what the request is for, whatever its arguments.
func (r request) key() string {
	params, _ := r.params.(map[string]any)
	return fmt.Sprint(r.method, " ", params["name"], params["id"])
}

const (
	// answerTime is what a call may take when neither the document nor the user says.
	answerTime = 5 * time.Second
	// The host's own limits.
	initializeTime = 10 * time.Second
	contextTime    = 2 * time.Second
	shutdownTime   = 2 * time.Second
	sigtermTime    = 3 * time.Second
)

// readJSONRPC makes a target of a plugin.toml.
func readJSONRPC(d discovery, path, file string, text []byte) (*Target, error) {
	m := rpc.ReadManifest(file, text)
	t := &Target{Path: path, Wire: "jsonrpc", Name: m.Name, Version: m.Version, Source: file, Static: m, Args: m.Args}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if t.Config, err = loadConfig(d.config, dir); err != nil {
		return nil, err
	}
	if m.Entry != "" {
		t.Executable = m.Entry
		if !filepath.IsAbs(t.Executable) {
			t.Executable = filepath.Join(dir, t.Executable)
		}
		m.Outside = outside(dir, t.Executable)
	}
	for _, name := range m.Unknown {
		t.Notes = append(t.Notes, fmt.Sprintf("plugin.toml has a field %q that the document does not; hosts ignore it", name))
	}
	m.File = t.inspect()
	return t, nil
}

// bareJSONRPC is an executable without a plugin.toml.
func bareJSONRPC(d discovery, path string) (*Target, error) {
	t := &Target{Path: path, Wire: "jsonrpc", Executable: path}
	var err error
	t.Config, err = loadConfig(d.config, filepath.Dir(path))
	return t, err
}

// recognizeTime is how long an executable has to show that it speaks JSON-RPC.
const recognizeTime = 2 * time.Second

// recognizeJSONRPC sends plugin.initialize and closes stdin, which what reads its
// request to the end needs to answer. Whoever speaks JSON-RPC says so in its first words.
func recognizeJSONRPC(t *Target) (why string, err error) {
	work, err := NewWorkdirs()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, work.Close()) }()
	dirs, err := work.Get()
	if err != nil {
		return "", err
	}
	s := &session{target: t}
	p, err := Start(context.Background(), Spec{Path: t.Executable, Args: t.Args, Dir: dirs.Dir, Env: s.environment(dirs), Limit: recognizeTime})
	if err != nil {
		return "", nil // whoever judges it will say what is wrong
	}
	p.Write(slices.Concat([]byte(`{"jsonrpc":"2.0","id":1,"method":"plugin.initialize","params":`), encoded((&manner{}).greeting()), []byte("}\n")))
	p.CloseStdin()
	c := rpc.New("", nil)
	for end := time.Now().Add(recognizeTime); why == "" && time.Now().Before(end); {
		line, ok := p.ReadLine(time.Until(end))
		if !ok {
			break
		}
		if m := c.Add(0, validator.FromPlugin, line); m.Version != nil {
			why = "there is no manifest; sent plugin.initialize it answered in JSON-RPC"
		}
	}
	p.Kill()
	p.Wait()
	return why, nil
}

func openJSONRPC(s *session) (driver, error) {
	s.limit = answerTime
	if t := s.target.Config.Host.timeout; t > 0 {
		s.limit = t
	}
	if s.options.Timeout > 0 {
		s.limit = s.options.Timeout
	}
	return &jsonrpc{session: s, manifest: s.target.Static, rules: rpc.Rules(), mute: map[string]bool{}}, nil
}

const (
	// maxSilences is how often a plugin may be silent until the limit, and shortTime
	// what it gets then: one that answers little must not take a run's whole time.
	maxSilences = 3
	shortTime   = time.Second
	// maxFloods is in how many sessions a plugin may say too much before no more are begun.
	maxFloods = 5
)

// answerLimit is how long a call may take.
func (s *jsonrpc) answerLimit() time.Duration {
	if s.silences.Load() >= maxSilences {
		return min(s.limit, shortTime)
	}
	return s.limit
}

// within is a limit of the host, or less where the user wants to wait less.
func (s *jsonrpc) within(limit time.Duration) time.Duration {
	if s.options.Timeout > 0 || s.target.Config.Host.timeout > 0 {
		return min(limit, s.limit)
	}
	return limit
}

// ready makes the plugin's acquaintance: what it registers, whether two of it can
// run at once, and which request it can be known to answer.
func (s *jsonrpc) ready(ctx context.Context) (string, error) {
	if s.manifest != nil {
		switch {
		case s.manifest.Entry == "":
			return "not run: plugin.toml names no entry", nil
		case s.manifest.Outside != "":
			return "not run: the entry leads out of the plugin's folder, and no host starts it", nil
		case s.manifest.File.Trouble != "":
			return notStarted, nil
		}
	}
	sc := &jsonrpcScenario{wire: s, scenario: &scenario{session: s.session, ctx: ctx, run: s.begin(contact, nil)}}
	defer sc.closeAll()
	err := sc.acquaint()
	var start *StartError
	var o *outcome
	switch {
	case errors.As(err, &start):
		delete(s.runs, contact)
		if s.manifest == nil {
			return "not run: " + start.Message, nil
		}
		s.manifest.File = validator.FileFacts{Exists: true, Class: string(start.Kind), Trouble: start.Message, Fix: start.Fix}
		return notStarted, nil
	case errors.As(err, &o):
		s.barren = o
		return "", nil
	}
	return "", err
}

// acquaint is the first contact.
func (sc *jsonrpcScenario) acquaint() error {
	s := sc.wire
	first, err := sc.start("first contact", manner{})
	if err != nil {
		return err
	}
	if err := first.initialize(); err != nil {
		return err
	}
	s.usual, s.settled = first.registered(), true
	if who := first.identity(); s.manifest == nil && who != nil {
		s.target.Name, s.target.Version = who.Name, who.Version
	}
	if err := sc.findProbe(first); err != nil {
		return err
	}
	// What it locks or listens on may not be there for a second one: no host
	// starts two.
	second, err := sc.start("a second one beside the first", manner{})
	if err != nil {
		return err
	}
	if second.initialize() != nil {
		s.options.Jobs = 1
	}
	return nil
}

// findProbe looks for a request that the plugin is known to answer, the harmless
// ones first, and for what it does not answer although nothing is special.
func (sc *jsonrpcScenario) findProbe(d *dialogue) error {
	s := sc.wire
	candidates := append([]request{unknownTool()}, s.offers()...)
	candidates = append(candidates, unknownMethod())
	s.probe = candidates[0]
	found := false
	for _, c := range candidates {
		if s.floods.Load() >= maxFloods { // each of the others would be one more
			s.mute[c.key()] = true
			continue
		}
		if d.hung || d.over() {
			var err error
			if d, err = sc.start("first contact, again", manner{}); err != nil {
				return err
			}
			if err := d.initialize(); err != nil {
				return err
			}
		}
		if d.missing(s.answerLimit(), d.ask(c)) != nil {
			s.mute[c.key()], d.hung = true, true
			if !d.over() {
				s.silences.Add(1)
			}
			continue
		}
		if !found {
			s.probe, found = c, true
		}
	}
	return nil
}

func (s *jsonrpc) static() ([]validator.Outcome, []reports.Line) {
	m := s.manifest
	if m == nil {
		return nil, nil
	}
	return validator.Judge(rpc.ManifestRules(), m), []reports.Line{line(0, "manifest", m.Text, int64(len(m.Text)))}
}

func (s *jsonrpc) close() error { return nil }

func (s *jsonrpc) unjudged(*Check) string { return "" }

func (s *jsonrpc) concerns(k *Check) *outcome {
	if k.Static && s.manifest == nil {
		return skip("there is no plugin.toml: a bare executable was given")
	}
	return nil
}

func (s *jsonrpc) environment(dirs Workdir) []string {
	env := s.session.environment(dirs)
	if s.manifest != nil {
		for k, v := range s.manifest.Env {
			if k != "" && !strings.ContainsAny(k+v, "\x00") && !strings.Contains(k, "=") {
				env = append(env, k+"="+v)
			}
		}
	}
	return env
}
