package harness

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/veto"
)

// A delivery is one event that is going to be sent.
type delivery struct {
	name  string
	class string // of the fixture it is, if one
	event veto.Event
	raw   []byte // sent in place of the event's line
	// usual is what came of the same event, when nothing was special about it.
	usual *sighting
	// special is set when something about the event, or about how it is sent, is;
	// changed when the plugin may well give another reason.
	// exact is set when the reason has to be the same letter by letter.
	special, changed, exact bool
	want                    *Expectation

	around     surroundings
	agent      bool          // in agent mode
	traps      bool          // a browser that is started is noticed
	hold       time.Duration // the event is cut in two and the second half held back
	nullStderr bool
	shared     *place
}

func (d *delivery) bytes() []byte {
	if d.raw != nil || d.event == nil {
		return d.raw
	}
	return d.event.Line()
}

// A sighting is what became of a delivery.
type sighting struct {
	*veto.Exchange
	delivery delivery
	outcomes []validator.Outcome
	opened   []string // what it started of the programs that wait for people
}

func (r *sighting) transcript() []reports.Line {
	return shownExchange(&r.Transcript, r.delivery.bytes())
}

func (r *sighting) sent() []byte { return r.delivery.bytes() }

// A place is where an exchange happens: a copy of the plugin's folder, which the
// plugin may do with as it likes.
type place struct {
	Workdir
	dir        string // where the plugin is started
	executable string
}

// What is copied for each exchange, at most.
const (
	maxCopied      = 8 << 20
	maxCopiedFiles = 1000
)

// tooLarge reports whether a folder is too large to be copied for each exchange.
func tooLarge(dir string) (bool, error) {
	size, files := int64(0), 0
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		if files++; size > maxCopied || files > maxCopiedFiles {
			return fs.SkipAll
		}
		return nil
	})
	return size > maxCopied || files > maxCopiedFiles, err
}

// copyFolder copies files and folders. A link keeps its target, but for one that
// leads out of the folder by a relative path: it is made absolute.
func copyFolder(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(name)
			if err != nil {
				return err
			}
			if !filepath.IsAbs(link) && !filepath.IsLocal(filepath.Join(filepath.Dir(rel), link)) {
				link = filepath.Join(filepath.Dir(name), link)
			}
			return os.Symlink(link, target)
		case info.Mode().IsRegular():
			return copyFile(name, target, info.Mode().Perm())
		}
		return nil // sockets, pipes and devices are no part of a plugin
	})
}

func copyFile(from, to string, mode fs.FileMode) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, 2*maxCopied)) // it may be growing
	return errors.Join(err, out.Close())
}

// place lends a place until done.
func (s *events) place() (*place, error) {
	dirs, err := s.work.Get()
	if err != nil {
		return nil, err
	}
	p := &place{Workdir: dirs, dir: s.folder, executable: s.target.Executable}
	if s.manifest.Source == "" { // a hook runs in its workspace
		p.dir = dirs.Dir
	}
	if s.inPlace {
		return p, nil
	}
	copied := filepath.Join(dirs.Dir, filepath.Base(s.folder))
	if s.manifest.Source == "" {
		copied = filepath.Join(dirs.Dir, filepath.FromSlash(hookFolder))
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			return nil, err
		}
	} else {
		p.dir = copied
	}
	if rel, err := filepath.Rel(s.folder, s.target.Executable); err == nil && filepath.IsLocal(rel) {
		p.executable = filepath.Join(copied, rel)
	}
	return p, copyFolder(s.folder, copied)
}

// done takes a place back.
func (s *events) done(p *place) { s.work.Put(p.Workdir, &validator.Transcript{}) }

// exchange starts the plugin, sends it the event and waits for its end.
func (s *events) exchange(ctx context.Context, d delivery) (*sighting, error) {
	p := d.shared
	if p == nil {
		var err error
		if p, err = s.place(); err != nil {
			return nil, err
		}
		defer s.done(p)
	}
	spec := Spec{Path: p.executable, Dir: p.dir, Env: s.eventEnvironment(d, p.Workdir), Limit: s.limit + d.hold, NullStderr: d.nullStderr}
	if d.shared != nil {
		spec.Cap = DefaultCap / 8 // there may be eight of them at once
	}
	if d.around.env != nil {
		spec.Env = d.around.env(spec.Env, p.Workdir)
	}
	record := ""
	if d.traps {
		var err error
		if record, err = layTraps(p.Workdir, &spec); err != nil {
			return nil, err
		}
	}
	r := &sighting{delivery: d, Exchange: &veto.Exchange{Name: d.name, Event: d.event, Special: d.special, Hook: s.manifest.Source == ""}}
	text := d.bytes()
	process, err := Start(ctx, spec)
	if err != nil {
		if d.shared != nil {
			return nil, spoiled(d, p, err)
		}
		return nil, err
	}
	if d.hold > 0 {
		process.Write(text[:len(text)/2])
		process.WaitOutput(d.hold)
		text = text[len(text)/2:]
	}
	process.Write(text)
	process.CloseStdin()
	r.Transcript = process.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err // the process was ended by us, so what it said means nothing
	}
	if record != "" {
		if r.opened, err = readTraps(record); err != nil {
			return nil, err
		}
	}
	r.Read()
	r.outcomes = validator.Judge(s.rules, &veto.Trial{Manifest: s.manifest, Exchange: r.Exchange})
	return r, s.save(r.Name, &r.Transcript)
}

// spoiled tells why a plugin that could be started cannot be started again: an
// earlier process of it left the folder so.
func spoiled(d delivery, p *place, err error) error {
	f := validator.Finding{Class: "deletes-folder", Message: d.name + ": another process of the plugin had deleted the folder that they share",
		Fix: "Delete only what the plugin itself created."}
	var start *StartError
	if _, gone := os.Stat(p.dir); gone == nil {
		if !errors.As(err, &start) {
			return err
		}
		f.Class, f.Message = "spoils-command", d.name+": another process of the plugin had changed the command, which cannot be started any more: "+start.Message
		f.Fix = "Leave the plugin's own files as they are."
	}
	return &outcome{finding: f}
}

// eventEnvironment is the environment of the document: agent mode is on or not at
// all, and nobody sits in front of it.
func (s *events) eventEnvironment(d delivery, dirs Workdir) []string {
	env := drop(s.environment(dirs), agentMode, "DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
	if d.agent {
		env = append(env, agentMode+"=1")
	}
	if s.manifest.Source == "" {
		env = append(env, "CORVEE_HOOK_EVENT="+d.event.Name())
	}
	return env
}

// agentMode is the variable that says that an agent, and nobody else, reads what comes.
const agentMode = "CORVEE_AGENT_MODE"

// send makes one exchange and lets every rule judge it.
func (sc *eventScenario) send(d delivery) (*sighting, error) {
	s := sc.session
	if err := sc.hung(); err != nil {
		return nil, err
	}
	r, err := s.exchange(sc.ctx, d)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sc.run.record(r.Name, r, r.outcomes, sc.check, s.options.Examples)
	sc.run.slowest = max(sc.run.slowest, r.Transcript.Elapsed)
	if r.Transcript.TimedOut && r.Event != nil {
		sc.run.hung++
	}
	trimStreams(&r.Transcript)
	return r, nil
}

// broken returns the finding of the first rule that did not hold of those without
// which there is no verdict to speak of.
func (r *sighting) broken() *outcome {
	for _, o := range r.outcomes {
		if len(o.Findings) == 0 || o.Check.Level != validator.Must {
			continue
		}
		f := o.Findings[0]
		f.Message = r.Name + ": " + f.Message
		if f.Fix == "" {
			f.Fix = o.Check.Fix
		}
		cause := o.Check.ID
		if crashed(f.Class) {
			cause = "" // it is found by the class, with those that no rule judged
		}
		return &outcome{finding: f, cause: cause, seen: r}
	}
	return nil
}

// fail makes the outcome of a failed expectation about one event.
func (r *sighting) fail(f validator.Finding) *outcome {
	f.Message = r.Name + ": " + f.Message
	return &outcome{finding: f, seen: r}
}

// Programs that a plugin starts to show something to people, or to ask them.
var forPeople = []string{
	"xdg-open", "open", "gnome-open", "kde-open", "wslview", "sensible-browser", "x-www-browser", "www-browser",
	"firefox", "google-chrome", "chromium", "zenity", "kdialog",
}

const opener = "browser" // what BROWSER is set to

// layTraps puts programs of these names in front of PATH, and into BROWSER, that do
// nothing but write down that they were started. It returns where.
func layTraps(dirs Workdir, spec *Spec) (string, error) {
	dir := filepath.Join(dirs.Dir, ".plugcheck-traps")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	record := filepath.Join(dir, "started.log")
	text := "#!/bin/sh\nprintf '%s\\n' \"${0##*/} $*\" >> '" + strings.ReplaceAll(record, "'", `'\''`) + "'\n"
	for _, name := range append(slices.Clone(forPeople), opener) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	path := dir + string(filepath.ListSeparator) + variable(spec.Env, "PATH")
	spec.Env = append(drop(spec.Env, "PATH", "BROWSER"), "PATH="+path, "BROWSER="+filepath.Join(dir, opener))
	return record, nil
}

// readTraps lists what was started.
func readTraps(record string) ([]string, error) {
	text, err := os.ReadFile(record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Split(strings.TrimSpace(string(text[:min(len(text), shownBytes)])), "\n"), err
}
