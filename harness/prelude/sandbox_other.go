//go:build !linux

package prelude

import "errors"

// SandboxAvailable returns nil if a plugin can be sandboxed here, or else why not.
func SandboxAvailable() error {
	return errors.New("only Linux has a sandbox for plugins (Landlock)")
}

func becomePlugin() {}
