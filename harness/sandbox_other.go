//go:build !linux

package harness

import (
	"errors"
	"os"
)

var errNoSandbox = errors.New("only Linux has a sandbox for plugins (Landlock)")

// SandboxAvailable returns nil if a plugin can be sandboxed here, or else why not.
func SandboxAvailable() error { return errNoSandbox }

// RunShim does nothing: there is no sandbox here.
func RunShim() {}

func launchSandboxed([]string, os.ProcAttr, *Sandbox) (*tree, error) {
	return nil, &shimError{errNoSandbox.Error()}
}
