package harness

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"plugcheck/harness/prelude"
)

// launchSandboxed starts the plugin through the shim. The shim's report is at
// its end, with nothing in it, at the moment the plugin itself is running.
func launchSandboxed(argv []string, attr os.ProcAttr, s *Sandbox) (*tree, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, &shimError{err.Error()}
	}
	report, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer report.Close()
	attr.Files = append(attr.Files, theirs)
	args := append([]string{self, prelude.ShimName}, s.Read...)
	args = append(append(args, "--"), argv...)
	t, err := launch(self, args, attr)
	theirs.Close()
	if err != nil {
		return nil, &shimError{err.Error()}
	}
	text, err := io.ReadAll(report)
	if err == nil && len(text) == 0 {
		return t, nil
	}
	t.kill()
	t.proc.Wait()
	t.reaped.Store(true)
	t.close()
	if errno, ok := strings.CutPrefix(string(text), "exec "); ok {
		if n, err := strconv.Atoi(errno); err == nil {
			return nil, syscall.Errno(n)
		}
	}
	return nil, &shimError{string(text)}
}
