//go:build unix && !linux

package harness

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"plugcheck/validator"
)

const fionread = 0x4004667f // FIONREAD, the same on macOS and the BSDs

// A tree is a plugin and its process group. What leaves the group is out of
// reach here: only Linux hands orphans to a process of one's choice.
type tree struct {
	proc   *os.Process
	reaped atomic.Bool
}

func launch(path string, argv []string, attr os.ProcAttr) (*tree, error) {
	attr.Sys = ownSession()
	proc, err := os.StartProcess(path, argv, &attr)
	if err != nil {
		return nil, err
	}
	return &tree{proc: proc}, nil
}

func (t *tree) left() []stray {
	if syscall.Kill(-t.proc.Pid, 0) != nil {
		return nil
	}
	return []stray{{validator.Survivor{PID: t.proc.Pid, Command: "its process group"}, true}}
}

func (t *tree) kill() (alive bool) {
	return syscall.Kill(-t.proc.Pid, syscall.SIGKILL) == nil
}

func (t *tree) holders(left []stray, _ *os.File) (found []validator.Survivor) {
	for _, s := range left {
		found = append(found, s.Survivor)
	}
	return found
}

func (t *tree) close() {}

func newPipe(toPlugin bool) (ours, theirs *os.File, err error) {
	r, w, err := os.Pipe()
	if toPlugin {
		return w, r, err
	}
	return r, w, err
}

func polled(f *os.File) (*os.File, error) { return f, nil }

// sweep has nothing to find: orphans are handed to others here.
func sweep() []validator.Survivor { return nil }

// usage is not known here.
func (t *tree) usage() (cpu time.Duration, memory int64) { return 0, 0 }

// readers are not known here.
func (t *tree) readers(*os.File) []validator.Survivor { return nil }
