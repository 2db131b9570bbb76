package jsengine

import "syscall"

// apart keeps what a console sends to the kit from the worker, which the kit ends.
var apart = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
