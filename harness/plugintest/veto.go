package plugintest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A VetoFault is the reference guard with one thing wrong.
type VetoFault struct {
	Name, Catches, About string
	Also, With           []string
	Timeout              time.Duration

	Config   string
	Manifest func(m map[string]any)
	Lay      func(dir string) error // spoils what was laid

	// The steps of the exchange, in their order.
	Input   func() []byte
	Event   func(text []byte, e map[string]any)
	Verdict func(e map[string]any, v *verdict)
	Bytes   func(v verdict, text []byte) []byte
	End     func(v verdict) int // returns the exit status
}

// verdict is what the guard says. One that is not spoken is no output at all.
type verdict struct {
	veto, spoken bool
	reason       string
}

// guard is the reference plugin as a process: it vetoes what is done during a
// freeze. Its argument names a fault.
func guard(args []string) int {
	var f VetoFault
	if len(args) > 0 {
		i := slices.IndexFunc(vetoFaults, func(f VetoFault) bool { return f.Name == args[0] })
		if i < 0 {
			fmt.Fprintf(os.Stderr, "there is no fault %q\n", args[0])
			return 2
		}
		f = vetoFaults[i]
	}
	read := f.Input
	if read == nil {
		read = func() []byte { return readUpTo(1 << 30) }
	}
	text := read()
	var e map[string]any
	if err := json.Unmarshal(text, &e); err != nil {
		e = nil
		fmt.Fprintln(os.Stderr, "this is no event:", err) // the host that is gone needs no verdict
	}
	if f.Event != nil {
		f.Event(text, e)
	}
	metadata, _ := e["metadata"].(map[string]any)
	freeze, _ := metadata["freeze"].(bool)
	v := verdict{veto: freeze, spoken: freeze || e["event"] == "completed"}
	if freeze {
		v.reason = "code freeze in effect"
	}
	if f.Verdict != nil {
		f.Verdict(e, &v)
	}
	out := v.encode()
	if f.Bytes != nil {
		out = f.Bytes(v, out)
	}
	os.Stdout.Write(out) // a host that is gone needs no verdict
	if f.End != nil {
		return f.End(v)
	}
	return 0
}

func (v verdict) encode() []byte {
	if !v.spoken {
		return nil
	}
	fields := map[string]any{"veto": v.veto}
	if v.reason != "" {
		fields["reason"] = v.reason
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // a boolean and a string always encode
	}
	return append(text, '\n')
}

func readUpTo(n int64) []byte {
	text, err := io.ReadAll(io.LimitReader(os.Stdin, n))
	if err != nil {
		return nil
	}
	return text
}

// guardExpects is what the guard's own author expects.
const guardExpects = `
[[expect]]
event = { event = "completed", metadata = { freeze = true } }
veto = true
reason = "freeze"

[[expect]]
event = { event = "status_changed" }
veto = false
`

// Write lays the guard into a folder, with the fault.
func (f VetoFault) Write(dir string) error {
	manifest := map[string]any{"name": "reference-guard", "description": "Forbids what is done during a freeze.", "command": "guard",
		"events": []string{"status_changed", "completed", "commented"}, "agent_safe": true}
	if f.Manifest != nil {
		f.Manifest(manifest)
	}
	args := []string{"veto"}
	if f.Name != "" {
		args = append(args, f.Name)
	}
	if err := layEventPlugin(dir, manifest, f.Config, args...); err != nil || f.Lay == nil {
		return err
	}
	return f.Lay(dir)
}

// layEventPlugin writes a plugin.json and, as its command, a script that starts this
// binary: the command has to stand in the plugin's own folder.
func layEventPlugin(dir string, manifest map[string]any, config string, args ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := manifest["command"].(string)
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' %s %s\n", strings.ReplaceAll(self, "'", `'\''`), start, strings.Join(args, " "))
	if runtime.GOOS == "windows" {
		command += ".cmd"
		manifest["command"] = command
		script = fmt.Sprintf("@\"%s\" %s %s\r\n", self, start, strings.Join(args, " "))
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	err = errors.Join(os.WriteFile(filepath.Join(dir, "plugin.json"), text, 0o644), os.WriteFile(filepath.Join(dir, command), []byte(script), 0o755))
	if config += environment; config != "" {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "plugcheck.toml"), []byte(config), 0o644))
	}
	return err
}

// vetoSample is a workspace with two plugins: a guard, and one that only watches and
// wants somebody in front of it.
func vetoSample(dir string) error {
	plugins := filepath.Join(dir, ".tasks", "plugins")
	return errors.Join(
		VetoFault{Config: guardExpects}.Write(filepath.Join(plugins, "10-guard")),
		layEventPlugin(filepath.Join(plugins, "20-watcher"), map[string]any{"name": "reference-watcher", "command": "watch"}, "", "watcher"),
	)
}

// watch is a plugin that has nothing to say.
func watch([]string) int {
	io.Copy(io.Discard, os.Stdin) // a host that is gone needs nobody to watch
	return 0
}

func vetoSpecimens() []Specimen {
	var list []Specimen
	for _, f := range vetoFaults {
		with := f.With
		if with == nil {
			with = []string{"veto.verdict.both"}
		}
		good := VetoFault{}
		if f.Catches == "veto.agent.skipped" {
			good.Manifest = func(m map[string]any) { delete(m, "agent_safe") }
		}
		list = append(list, Specimen{Wire: "veto", Name: f.Name, About: f.About, Catches: f.Catches, Also: f.Also, With: with, Timeout: f.Timeout,
			Write: f.Write, Good: good.Write})
	}
	return list
}
