package prelude

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Landlock restricts only the process that asks for it. So a plugin is started
// through this very binary, which restricts itself and then becomes the plugin:
// the same process, with the same environment.
const (
	// ShimName is the first argument of a process that is to become a sandboxed plugin.
	ShimName = "__sandbox"
	// shimReportFD is where it says why it could not.
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

// becomePlugin returns unless this process is to become a sandboxed plugin.
func becomePlugin() {
	if len(os.Args) < 2 || os.Args[1] != ShimName {
		return
	}
	report := os.NewFile(shimReportFD, "report")
	syscall.CloseOnExec(shimReportFD)
	fmt.Fprint(report, restrictAndExec(os.Args[2:]))
	os.Exit(125)
}

// restrictAndExec returns only when it fails, and then why.
func restrictAndExec(args []string) string {
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
