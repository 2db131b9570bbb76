// Package prelude is what has to happen before anything else in the process. It
// imports little, so that it is initialized ahead of the libraries.
package prelude

import "os"

// path is the PATH that the process was started with.
var path, hadPath = os.LookupEnv("PATH")

// One of the libraries asks the go command for its folder while it is
// initialized, by way of PATH: that would start a stranger's process on every
// start of the kit, in a plugin's HOME even where the kit is about to become
// that plugin. So there is no PATH until [Restore].
func init() {
	becomePlugin()
	os.Unsetenv("PATH")
}

// Restore gives PATH back.
func Restore() {
	if hadPath {
		os.Setenv("PATH", path)
	}
}
