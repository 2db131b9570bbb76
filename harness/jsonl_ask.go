package harness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"plugcheck/fixtures"
	"plugcheck/validator"
	"plugcheck/validator/patch"
)

// An ask is one request that is going to be sent, and what is expected of it.
type ask struct {
	name    string
	request *validator.Request
	raw     []byte // sent in place of the request's line where request is nil
	refuse  []string
	want    []patch.File

	symbol, newName string
	offset          int
	source          *fixtures.Case // the case it is made from, if one

	around     surroundings
	hold       time.Duration // the request is cut in two and the second half held back
	nullStderr bool
	contact    bool     // nothing is special about it
	doubtful   bool     // it may make no sense in its language, so a refusal says nothing
	shared     *Workdir // folders shared with other exchanges
}

// A reply is what became of an ask.
type reply struct {
	*validator.Exchange
	ask      ask
	outcomes []validator.Outcome
	digest   [sha256.Size]byte // of all that it wrote to stdout
	effect   string            // what the answer comes to, see effectOf
	early    []byte            // what came while the second half was held back
}

// workspaceRoot is where the files of requests seem to be. Nothing is there:
// content comes in-band.
const workspaceRoot = "/workspace/"

// fileURI is the file URI of a path of the workspace.
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: workspaceRoot + path}).String()
}

// rename builds a rename-symbol request.
func rename(name string, files []validator.File, target, offset int, symbol, newName string) ask {
	return ask{
		name: name, symbol: symbol, newName: newName, offset: offset,
		request: &validator.Request{
			Operation: "rename-symbol",
			Files:     files,
			Arguments: map[string]any{
				"uri":      fileURI(files[target].Path),
				"position": strconv.Itoa(offset),
				"new_name": newName,
			},
		},
	}
}

// fromCase turns a fixture into an ask.
func fromCase(c fixtures.Case) ask {
	var files []validator.File
	for _, f := range c.Files {
		files = append(files, validator.File{Path: f.Path, Content: string(f.Content)})
	}
	a := rename("case "+c.Name, files, c.Target, c.Offset, c.Symbol, c.NewName)
	a.source = &c
	a.request.Operation = c.Operation
	if c.Operation != "rename-symbol" {
		// Other operations have the arguments that their author gives, and the
		// place of the mark.
		a.symbol = ""
		delete(a.request.Arguments, "new_name")
	}
	for k, v := range c.Args {
		a.request.Arguments[k] = v
	}
	a.refuse = c.Refuse
	for _, f := range c.Want {
		a.want = append(a.want, patch.File{Path: f.Path, Content: f.Content})
	}
	return a
}

// clone copies what steps change.
func (a ask) clone() ask {
	if a.request != nil {
		r := *a.request
		r.Files = slices.Clone(r.Files)
		r.Arguments = map[string]any{}
		for k, v := range a.request.Arguments {
			r.Arguments[k] = v
		}
		a.request = &r
	}
	return a
}

// bytes is what goes over the wire.
func (a ask) bytes() []byte {
	if a.request != nil {
		return a.request.Line()
	}
	return a.raw
}

// Surroundings are what a plugin finds around it when it is started.
type surroundings struct {
	name string
	// env changes the environment, a list of NAME=value.
	env func(env []string, dirs Workdir) []string
	// prepare lays files into the folders; restore takes them away again.
	prepare, restore func(dirs Workdir) error
	elsewhere        bool // another working folder, one that holds files
	sandbox          bool
}

// allSurroundings lists the surroundings that a step can name.
var allSurroundings = []surroundings{
	{name: "nothing but PATH in the environment", env: func(env []string, _ Workdir) []string {
		return keep(env, "PATH", "SYSTEMROOT")
	}},
	{name: "HOME is not set", env: func(env []string, _ Workdir) []string { return drop(env, "HOME", "USERPROFILE") }},
	{name: "another working folder", elsewhere: true},
	{name: "the locale C", env: locale("C")},
	{name: "the locale tr_TR.UTF-8", env: locale("tr_TR.UTF-8")},
	{name: "a hostile ~/.gitconfig", prepare: hostileGitConfig, restore: func(dirs Workdir) error {
		return os.Remove(filepath.Join(dirs.Home, ".gitconfig"))
	}},
	{name: "GIT_DIR points elsewhere", env: func(env []string, dirs Workdir) []string {
		elsewhere := filepath.Join(dirs.Home, "no-such-repository")
		return append(env, "GIT_DIR="+elsewhere, "GIT_WORK_TREE="+elsewhere, "GIT_INDEX_FILE="+elsewhere)
	}},
	{name: "no files but its own install, and no network", sandbox: true},
}

func locale(name string) func([]string, Workdir) []string {
	return func(env []string, _ Workdir) []string {
		return append(drop(env, "LANG", "LC_ALL"), "LANG="+name, "LC_ALL="+name)
	}
}

func hostileGitConfig(dirs Workdir) error {
	const text = `[core]
	autocrlf = true
	eol = crlf
	quotepath = false
	pager = false
[diff]
	noprefix = true
	mnemonicPrefix = true
	external = false
	context = 0
	renames = copies
	wsErrorHighlight = all
[color]
	ui = always
	diff = always
[alias]
	diff = !false
	apply = !false
`
	return os.WriteFile(filepath.Join(dirs.Home, ".gitconfig"), []byte(text), 0o600)
}

// exchange starts the plugin, sends it the ask and waits for its end.
func (s *jsonl) exchange(ctx context.Context, a ask) (*reply, error) {
	dirs, err := s.folders(a)
	if err != nil {
		return nil, err
	}
	spec := Spec{
		Path: s.target.Executable, Args: s.target.Args, Dir: dirs.Dir, Env: s.environment(dirs),
		Limit: s.limit + a.hold, NullStderr: a.nullStderr, // what the host holds back is not the plugin's time
	}
	if a.shared != nil {
		spec.Cap = DefaultCap / 8 // there may be eight of them at once
	}
	if a.around.elsewhere {
		spec.Dir = s.elsewhere
	}
	if a.around.env != nil {
		spec.Env = a.around.env(spec.Env, dirs)
	}
	if a.around.prepare != nil {
		if err := a.around.prepare(dirs); err != nil {
			return nil, err
		}
	}
	if a.around.sandbox {
		spec.Sandbox = &Sandbox{Read: s.install()}
	}
	r := &reply{ask: a, Exchange: &validator.Exchange{
		Name: a.name, Request: a.request, Refuse: a.refuse, Want: a.want, Symbol: a.symbol, NewName: a.newName, Contact: a.contact, Style: s.target.Config.style,
	}}
	line := a.bytes()
	p, err := Start(ctx, spec)
	if err == nil {
		if a.hold > 0 {
			p.Write(line[:len(line)/2])
			if p.WaitOutput(a.hold) {
				r.early = bytes.TrimSpace(p.Output())
			}
			line = line[len(line)/2:]
		}
		p.Write(line)
		p.CloseStdin()
		r.Transcript = p.Wait()
	}
	if a.around.restore != nil {
		if undo := a.around.restore(dirs); !errors.Is(undo, fs.ErrNotExist) { // or the plugin did it
			err = errors.Join(err, undo)
		}
	}
	if a.shared == nil {
		s.work.Put(dirs, &r.Transcript)
	}
	if _, gone := os.Stat(dirs.Dir); err != nil && a.shared != nil && gone != nil {
		return nil, &outcome{finding: validator.Finding{Class: "deletes-folder", Message: a.name + ": another process of the plugin had deleted the working folder that they share"}}
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err // the process was ended by us, so what it said means nothing
	}
	r.Read()
	r.digest, r.effect = sha256.Sum256(r.Transcript.Stdout), effectOf(r.Exchange)
	if len(r.effect) > keptBytes {
		r.effect = fmt.Sprintf("%s… (sha256 %x)", r.effect[:200], sha256.Sum256([]byte(r.effect)))
	}
	r.outcomes = validator.Judge(s.rules, &validator.Trial{Manifest: s.manifest, Exchange: r.Exchange})
	if err := s.save(r.Name, &r.Transcript); err != nil {
		return nil, err
	}
	return r, nil
}

// send makes one exchange and lets every rule judge it.
func (sc *jsonlScenario) send(a ask) (*reply, error) {
	s := sc.session
	if err := sc.hung(); err != nil {
		return nil, err
	}
	r, err := s.exchange(sc.ctx, a)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sc.run.record(r.Name, r, r.outcomes, sc.check, s.options.Examples)
	sc.run.slowest = max(sc.run.slowest, r.Transcript.Elapsed)
	if r.Transcript.TimedOut && r.Request != nil {
		sc.run.hung++
	}
	r.trim()
	return r, nil
}

// install is what belongs to the plugin: what its executable needs, the folder of
// its manifest, the folders of scripts among its arguments, and what its
// configuration adds.
func (s *jsonl) install() []string {
	t := s.target
	paths := append(InstallPaths(t.Executable, os.Getenv("PATH")), t.Config.Sandbox.Read...)
	if !t.Bare() {
		paths = append(paths, filepath.Dir(t.Source))
	}
	for _, arg := range t.Args {
		if info, err := os.Stat(arg); err == nil && filepath.IsAbs(arg) {
			if !info.IsDir() {
				arg = filepath.Dir(arg)
			}
			paths = append(paths, arg)
		}
	}
	return paths
}

func (s *jsonl) folders(a ask) (Workdir, error) {
	if a.shared != nil {
		return *a.shared, nil
	}
	return s.work.Get()
}

// keptBytes is how much of each stream is kept once an exchange was judged.
const keptBytes = 64 << 10

func (r *reply) sent() []byte { return r.ask.bytes() }

// trim lets go of the bytes that nobody looks at any more, so that a run holds
// a few answers in memory and not all of them.
func (r *reply) trim() {
	trimStreams(&r.Transcript)
	r.Trim(keptAnswer)
}

func trimStreams(t *validator.Transcript) {
	for _, b := range []*[]byte{&t.Stdin, &t.Stdout, &t.Stderr} {
		if len(*b) > keptBytes {
			*b = slices.Clone((*b)[:keptBytes])
		}
	}
}

// keptAnswer is how large an answer may be and still be kept as a whole: larger
// ones are no wanted text of any case.
const keptAnswer = 1 << 20

// broken returns the finding of the first rule that did not hold, of those that
// choose picks, as a reason why the scenario cannot be kept.
func (r *reply) broken(choose func(*validator.Check) bool) *outcome {
	for _, o := range r.outcomes {
		if len(o.Findings) == 0 || !choose(o.Check) {
			continue
		}
		f := o.Findings[0]
		f.Message = r.Name + ": " + f.Message
		if f.Fix == "" {
			f.Fix = o.Check.Fix
		}
		return &outcome{finding: f, cause: o.Check.ID, seen: r}
	}
	return nil
}

// readable picks the rules without which there is no answer to speak of.
func readable(r *validator.Check) bool {
	return r.Level == validator.Must && r.ID != "jsonl.closes-stdout" &&
		(strings.HasPrefix(r.Contract, "jsonl-exchange@") || strings.HasPrefix(r.Contract, "reason-codes@"))
}

// usable picks the rules without which a success cannot be applied.
func usable(r *validator.Check) bool {
	return readable(r) || r.Level == validator.Must && strings.HasPrefix(r.Contract, "rename-symbol@") || strings.HasSuffix(r.ID, ".success-is-diff")
}

// fail makes the outcome of a failed expectation about one reply.
func (r *reply) fail(f validator.Finding) *outcome {
	f.Message = r.Name + ": " + f.Message
	return &outcome{finding: f, seen: r}
}
