package harness_test

import (
	"os/exec"
	"path/filepath"
	"testing"

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
