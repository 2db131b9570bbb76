package harness

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Landlock restricts only the process that asks for it. So the plugin is
// started through this very binary, which restricts itself and then becomes the
// plugin: the same process, with the same environment.
const (
	shimName     = "__sandbox"
	shimReportFD = 3
)

// SandboxAvailable returns nil if a plugin can be sandboxed here, or else why not.
func SandboxAvailable() error {
	version, err := landlocksys.LandlockGetABIVersion()
	switch {
	case errors.Is(err, syscall.EOPNOTSUPP):
		return errors.New("this kernel has Landlock but it is not enabled (boot with lsm=landlock,…)")
	case err != nil:
		return fmt.Errorf("this kernel has no Landlock: %w", err)
	case version < 1:
		return errors.New("this kernel has no Landlock")
	}
	return nil
}

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
	args := append([]string{self, shimName}, s.Read...)
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

// RunShim must be called first thing in main, and in TestMain of tests that
// use a [Sandbox]. It returns unless this process is to become a sandboxed plugin.
func RunShim() {
	if len(os.Args) < 2 || os.Args[1] != shimName {
		return
	}
	report := os.NewFile(shimReportFD, "report")
	syscall.CloseOnExec(shimReportFD)
	fmt.Fprint(report, becomePlugin(os.Args[2:]))
	os.Exit(125)
}

// becomePlugin returns only when it fails, and then why.
func becomePlugin(args []string) string {
	var rules []landlock.Rule
	for len(args) > 0 && args[0] != "--" {
		// A rule for a file must not have the rights that only folders have.
		if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
			rules = append(rules, landlock.RODirs(args[0]))
		} else if err == nil {
			rules = append(rules, landlock.ROFiles(args[0]))
		}
		args = args[1:]
	}
	if len(args) < 2 {
		return "it was not told what to run"
	}
	if err := SandboxAvailable(); err != nil {
		return err.Error()
	}
	rules = append(rules, landlock.RWFiles(os.DevNull))
	if err := landlock.V9.BestEffort().Restrict(rules...); err != nil {
		return err.Error()
	}
	err := syscall.Exec(args[1], args[1:], os.Environ())
	return fmt.Sprintf("exec %d", err)
}
