package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plugcheck/harness"
	"plugcheck/reports"
)

// TestScriptsOfTheJSONRPCWire runs the reference plugins in other languages through
// the checks.
func TestScriptsOfTheJSONRPCWire(t *testing.T) {
	for name, interpreter := range map[string]string{"rpc-py": "python3", "rpc-node": "node"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits more than it works
			if _, err := exec.LookPath(interpreter); err != nil {
				t.Skipf("there is no %s here", interpreter)
			}
			r := judge(t, filepath.Join("..", "fixtures", "plugins", name), harness.Options{Gate: reports.Should, Checks: 3, Skip: []string{"rpc.slow-host"}})
			if r.Verdict == reports.Conformant {
				return
			}
			for _, k := range r.Plugins[0].Checks {
				if k.Status == reports.Fail || k.Status == reports.StatusUntested {
					t.Errorf("%s: %s: %s", k.ID, k.Status, k.Message)
				}
			}
			t.Errorf("it is %s: %v", r.Verdict, r.Plugins[0].Errors)
		})
	}
}

// serialPlugin does one thing at a time, and takes its time for a tool; an array it
// takes for a method that it does not have.
const serialPlugin = `#!/usr/bin/env python3
import json, sys, time

def say(**m): print(json.dumps(dict(m, jsonrpc="2.0")), flush=True)

for line in sys.stdin.buffer:
    try: m = json.loads(line)
    except ValueError: continue
    if not isinstance(m, dict):
        say(id=None, error={"code": -32601, "message": "no such method"})
        continue
    method, params = m.get("method"), m.get("params")
    if "id" not in m or "method" not in m: continue
    if method == "plugin.initialize":
        say(id=m["id"], result={"name": "serial", "version": "1", "manifest": {"permissions": {}}})
        say(id=1, method="host.register_tool", params={"name": "think", "description": "It thinks."})
    elif method == "plugin.shutdown":
        say(id=m["id"], result=None)
        break
    elif method == "tool.call" and isinstance(params, dict) and params.get("name") == "think":
        time.sleep(0.15)
        say(id=m["id"], result="Hm.")
    elif method == "tool.call":
        say(id=m["id"], error={"code": -32602, "message": "no such tool"})
    else:
        say(id=m["id"], error={"code": -32601, "message": "no such method"})
`

// TestOneCallAtATime holds that a plugin may work on its calls one after the other,
// even where all of them together take longer than one may.
func TestOneCallAtATime(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	file := filepath.Join(t.TempDir(), "serial")
	if err := os.WriteFile(file, []byte(serialPlugin), 0o700); err != nil {
		t.Fatal(err)
	}
	only := []string{"rpc.concurrent", "rpc.batch", "rpc.accepted-are-answered", "rpc.property.interleave", "rpc.memory", "rpc.flushes", "rpc.no-unknown-reply", "rpc.shutdown"}
	r := judge(t, file, harness.Options{Only: only, Checks: 4, Timeout: time.Second})
	for _, k := range r.Plugins[0].Checks {
		want := reports.Pass
		if k.ID == "rpc.memory" {
			want = reports.Skip
		}
		if k.ID != "rpc.batch" && k.Status != want {
			t.Errorf("%s: %s: %s", k.ID, k.Status, k.Message)
		}
	}
}

// TestAPluginThatFloodsIsNotBegunAgainAndAgain bounds the time that it takes.
func TestAPluginThatFloodsIsNotBegunAgainAndAgain(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	for name, flood := range map[string]string{
		"lines":         `while True: sys.stdout.write("x" * 1000000)`,
		"registrations": `for n in range(10**9): say(id=n + 2, method="host.register_tool", params={"name": "tool%d" % n})`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "flood")
			script := strings.Replace(serialPlugin, "if method ==", "if method != \"plugin.initialize\":\n        "+flood+"\n    if method ==", 1)
			if err := os.WriteFile(file, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			r := judge(t, file, harness.Options{})
			failed, unbegun := false, 0
			for _, k := range r.Plugins[0].Checks {
				failed = failed || k.ID == "rpc.lines" && k.Status == reports.Fail
				if k.Status == reports.StatusUntested && strings.Contains(k.Message, "saying too much, see rpc.lines") {
					unbegun++
				}
			}
			if !failed || unbegun < 10 {
				t.Errorf("rpc.lines failed: %v; %d checks were not begun", failed, unbegun)
			}
		})
	}
}
