package harness

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"plugcheck/validator"
	"plugcheck/validator/patch"
)

func (s *jsonl) lock() string {
	if s.options.Lock != "" {
		return s.options.Lock
	}
	return s.target.Config.Lock
}

// lockPasses lays the files into a folder and runs the lock there: first as
// they were sent, where it has to pass for the trial to mean anything, and then
// as the patch makes them.
func (sc *jsonlScenario) lockPasses() error {
	return sc.each(func(r *reply) *outcome {
		if o := r.wantedAny(); o != nil {
			return o
		}
		if out, err := sc.runLock(r.Files()); err != nil {
			return cannotTest("the lock does not pass on the files as they were sent (%s), so it cannot judge the patch: %v: %s", r.Name, err, validator.Quote(out, 300))
		}
		out, err := sc.runLock(r.After())
		if err == nil {
			return nil
		}
		f := validator.Finding{Class: "lock", Message: "the lock passes on the files as they were sent and fails after the patch: " + err.Error(), Expected: "the lock to pass", Got: validator.Quote(out, 600)}
		for i, before := range r.Files() {
			f.Diff += patch.Unified(before.Path, before.Content, r.After()[i].Content)
		}
		return r.fail(f)
	})
}

// runLock runs the lock command in a folder that holds the files. It is the
// author's own, so it sees the environment; it is held to the same limits as a
// plugin, and nothing of it is left running.
func (sc *jsonlScenario) runLock(files []patch.File) ([]byte, error) {
	dir, err := os.MkdirTemp(sc.session.work.Path(), "lock")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		// The paths are those of the request; the patch rules hold that no other came.
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, f.Content, 0o644); err != nil {
			return nil, err
		}
	}
	shell, flag := "/bin/sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = os.Getenv("COMSPEC"), "/c"
	}
	p, err := Start(sc.ctx, Spec{Path: shell, Args: []string{flag, sc.session.lock()}, Env: os.Environ(), Dir: dir, Limit: sc.session.limit, Cap: 1 << 20})
	if err != nil {
		return nil, err
	}
	p.CloseStdin()
	t := p.Wait()
	if t.TimedOut || !t.Exit.Clean() {
		err = errors.New(t.Exit.String())
	}
	return append(t.Stdout, t.Stderr...), err
}
