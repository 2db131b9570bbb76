//go:build !linux

package harness

import (
	"os"

	"plugcheck/harness/prelude"
)

func launchSandboxed([]string, os.ProcAttr, *Sandbox) (*tree, error) {
	return nil, &shimError{prelude.SandboxAvailable().Error()}
}
