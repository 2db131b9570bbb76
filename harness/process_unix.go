//go:build unix

package harness

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// countsUnread says that [unread] works here, and that holding the plugin's end
// of stdin does no harm: a blocked write can be called off.
const countsUnread = true

// unread returns how many bytes are still in a pipe.
func unread(f *os.File) int {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), fionread) })
	return n
}

// tryWrite writes what a pipe has room for.
func tryWrite(f *os.File, b []byte) (n int) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	conn.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), b)
		return true
	})
	return n
}

func exitOf(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, "unknown"
	}
	if w := state.Sys().(syscall.WaitStatus); w.Signaled() {
		return -1, w.Signal().String()
	}
	return state.ExitCode(), ""
}

// ownSession gives the plugin a session of its own: its process group can be
// ended at once, it has no terminal to write to, and nothing in another session
// can join it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// terminate asks the plugin's process group to leave.
func (t *tree) terminate() bool {
	syscall.Kill(-t.proc.Pid, syscall.SIGTERM)
	return true
}

// pristine reports whether a folder is as it was made. Asked twice an exchange,
// it does without [os.File] and its dozen system calls.
func pristine(dir string) bool {
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || uint32(st.Mode)&0o7777 != 0o700 {
		return false
	}
	var buf [4 << 10]byte
	n, err := unix.ReadDirent(fd, buf[:])
	if err != nil {
		return false
	}
	_, count, _ := unix.ParseDirent(buf[:n], 1, nil)
	return count == 0
}
