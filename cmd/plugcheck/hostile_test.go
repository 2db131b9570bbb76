//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plugcheck/harness/plugintest"
	"plugcheck/reports"
)

// A harm is what has to be said of a plugin that means it: the check that fails,
// and a part of its message. Without a check all is well.
type harm struct{ check, says string }

// TestHostilePlugins runs each plugin that means harm together with one that
// does not, in a process of plugcheck's own, whose memory can then be told.
func TestHostilePlugins(t *testing.T) {
	expected := map[string]harm{
		"endless-output":     {"jsonl.one-line", "it wrote more than 16 MiB to stdout and was ended"},
		"ten-gigabytes":      {"jsonl.one-line", "it wrote more than 16 MiB to stdout and was ended"},
		"fork-storm":         {"jsonl.no-orphans", "and 95 more"},
		"ignores-sigterm":    {"jsonl.in-time", "it did not read its request"},
		"closes-stdout":      {"jsonl.in-time", "it wrote its output and did not exit in 1s"},
		"never-reads":        {"jsonl.in-time", "it did not read its request"},
		"leaves-at-once":     {"jsonl.one-line", "it wrote nothing to stdout"},
		"floods-stderr":      {"jsonl.in-time", "it did not read its request"},
		"deletes-its-folder": {},
	}
	for _, f := range plugintest.Hostile() {
		f.Languages = []string{"python"}
		good := plugintest.Fault{Languages: f.Languages}
		survives(t, f.Name, expected, f.Write, good.Write, "jsonl.in-time", "jsonl.one-line", "jsonl.no-orphans", "jsonl.refuse.*", "jsonl.large-input", "rename.renames")
	}
}

func TestHostileRPCPlugins(t *testing.T) {
	expected := map[string]harm{
		"rpc-endless-line":          {"rpc.lines", "it wrote a line of more than 16 MiB"},
		"rpc-endless-messages":      {"rpc.lines", "that nothing settled"},
		"rpc-endless-calls":         {"rpc.lines", "of answers unread"},
		"rpc-endless-registrations": {"rpc.lines", "it registered more than 1,000"},
		"rpc-ten-gigabytes":         {"rpc.lines", "it wrote a line of more than 16 MiB"},
		"rpc-deep":                  {"rpc.tool.answers", "is no message"},
		"rpc-tangled-schema":        {"rpc.register.tool", "refers to itself"},
		"rpc-fork-storm":            {"rpc.no-orphans", "100 of them"},
		"rpc-never-leaves":          {"rpc.shutdown.gone", "it was still running"},
		"rpc-never-reads":           {"rpc.initialize", "it did not answer plugin.initialize"},
		"rpc-leaves-at-once":        {"rpc.initialize", "it ended (exit status 0)"},
		"rpc-closes-stdout":         {"rpc.initialize", "it did not answer plugin.initialize"},
		"rpc-floods-stderr":         {},
		"rpc-deletes-its-folder":    {},
	}
	for _, f := range plugintest.RPCHostile() {
		survives(t, f.Name, expected, f.Write, plugintest.RPCFault{}.Write, "rpc.lines", "rpc.initialize", "rpc.register.tool", "rpc.tool.answers", "rpc.shutdown.gone", "rpc.no-orphans")
	}
}

// survives has plugcheck judge a hostile plugin and a good one by some checks, and
// looks at what it says and what is left.
func survives(t *testing.T, name string, expected map[string]harm, bad, good func(dir string) error, checks ...string) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		want, ok := expected[name]
		if !ok {
			t.Fatal("no expectation is written for it")
		}
		dir, temp := t.TempDir(), t.TempDir()
		if err := errors.Join(bad(filepath.Join(dir, "a-hostile")), good(filepath.Join(dir, "b-good"))); err != nil {
			t.Fatal(err)
		}
		args := []string{"run", "--jobs", "2", "--level", "should", "--format", "json"}
		for _, id := range checks {
			args = append(args, "--only", id)
		}
		cmd := plugcheck(t, append(args, dir)...)
		cmd.Env = append(cmd.Env, "TMPDIR="+temp)
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		err := cmd.Run()
		if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss / 1024; peak > 256 && !raceEnabled {
			t.Errorf("it took %d MiB", peak)
		}
		var r reports.Report
		if jsonErr := json.Unmarshal(out.Bytes(), &r); jsonErr != nil {
			t.Fatalf("%v; %v: %s", err, jsonErr, log.String())
		}
		if len(r.Plugins) != 2 || r.Plugins[1].Verdict != reports.Conformant {
			t.Errorf("the good plugin was not judged: %s", out.String())
		}
		failed, found := "", want.check == ""
		for _, k := range r.Plugins[0].Checks {
			if k.Status == reports.Fail && k.ID == want.check {
				failed, found = k.Message, true
			}
		}
		if !found || !strings.Contains(failed, want.says) {
			t.Errorf("%s says %q, wanted %q", want.check, failed, want.says)
		}
		if want.check == "" && r.Plugins[0].Verdict != reports.Conformant {
			t.Errorf("it is %s", r.Plugins[0].Verdict)
		}
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("left in the temporary folder: %v", left)
		}
		if pids := running(name); len(pids) > 0 {
			t.Errorf("still running: %v", pids)
		}
	})
}

// plugcheck is this test binary, as the command.
func plugcheck(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// running finds processes by a word of their command line.
func running(word string) (pids []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err == nil && bytes.Contains(line, []byte("\x00"+word+"\x00")) {
			pids = append(pids, strings.Split(name, "/")[2])
		}
	}
	return pids
}

// TestInterrupt ends a run in the middle: the plugin is ended, what was seen is
// reported, and the status is 130.
func TestInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(fmt.Sprint(signal), func(t *testing.T) {
			dir, temp := t.TempDir(), t.TempDir()
			started := filepath.Join(t.TempDir(), "started")
			script := filepath.Join(dir, "plugin")
			// It answers until it is asked to refuse garbage, and hangs then.
			text := fmt.Sprintf("#!/bin/sh\nread -r line\ncase $line in '}{'*) : > '%s'; exec sleep 1000;; esac\necho '%s'\n", started,
				`{"success":false,"output":{"kind":"empty"},"diagnostics":[{"severity":"error","message":"no","reason_code":"operation_not_supported"}]}`)
			if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := plugcheck(t, "run", "--jobs", "1", "--format", "json", "--only", "jsonl.refuse.*", script)
			cmd.Env = append(cmd.Env, "TMPDIR="+temp)
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(20 * time.Second); ; {
				if _, err := os.Stat(started); err == nil {
					break
				}
				if time.Now().After(deadline) {
					cmd.Process.Kill()
					t.Fatal("the plugin was never started")
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != 130 {
				t.Errorf("exit status %d, wanted 130", status)
			}
			var r reports.Report
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			if !r.Interrupted || r.Verdict == reports.Conformant {
				t.Errorf("interrupted %v, verdict %s", r.Interrupted, r.Verdict)
			}
			seen := map[string]reports.Status{}
			for _, k := range r.Plugins[0].Checks {
				seen[k.ID] = k.Status
			}
			if seen["jsonl.refuse.unknown-operation"] != reports.Pass || seen["jsonl.refuse.garbage"] != reports.StatusUntested {
				t.Errorf("what was seen before is not told: %v", seen)
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left in the temporary folder: %v", left)
			}
		})
	}
}
