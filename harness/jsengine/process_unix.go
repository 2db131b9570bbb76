//go:build unix

package jsengine

import "syscall"

// apart keeps what a terminal sends to the kit from the worker, which the kit ends.
var apart = &syscall.SysProcAttr{Setpgid: true}
