package harness

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plugcheck/validator/veto"
)

// hookWire is a shell hook: the same event on stdin, and an output that nobody reads.
var hookWire = wire{
	name:    hookName,
	rules:   slices.Concat(asChecks(true, veto.HookFileRules()), asChecks(false, veto.HookRules())),
	steps:   func() []step { return eventSteps },
	folders: []string{hookFolder},
	file:    hookFile,
	open:    func(s *session) (driver, error) { return openEvents(s, veto.HookFileRules(), veto.HookRules()) },

	executable: "hook.executable", answers: "hook.survives", inTime: "hook.survives",
}

const hookName = "hook"

// hookFolder is where a workspace has its hooks.
const hookFolder = ".tasks/hooks"

// everyEvent is the name of the hook that is run on every event.
const everyEvent = "all"

// hookFile makes a target of <event>.sh. Elsewhere than in a workspace's folder of
// hooks, a script is one only when the wire is named.
func hookFile(d discovery, path string, _ bool) (*Target, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(full)
	event, ok := strings.CutSuffix(base, ".sh")
	home := strings.HasSuffix(filepath.ToSlash(filepath.Clean(dir)), "/"+hookFolder)
	if info, err := os.Lstat(full); !ok || err != nil || info.IsDir() || !home && d.wire != hookName {
		return nil, nil
	}
	m := &veto.Manifest{Name: base, Command: base, Text: head(full)}
	if m.Known, err = knownEvents(); err != nil {
		return nil, err
	}
	t := &Target{Path: path, Wire: hookName, Name: base, Executable: full, Veto: m}
	if t.Config, err = loadConfig(d.config, dir); err != nil {
		return nil, err
	}
	if event != everyEvent {
		m.Events = []string{event}
		if !slices.Contains(m.Known, event) {
			t.Notes = append(t.Notes, fmt.Sprintf("plugcheck knows of no event %q; those that it knows are %s", event, strings.Join(m.Known, ", ")))
		}
	}
	m.File = t.inspect()
	return t, nil
}

// head is the beginning of a file, as it is shown to people; nothing where it
// cannot be read, as it may be run all the same.
func head(name string) []byte {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 200))
	if err != nil {
		return nil
	}
	return text
}
