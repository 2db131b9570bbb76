package harness

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"plugcheck/validator"
)

// A blocked write to a pipe cannot be called off on Windows, it fails when the
// plugin's end is gone. So the kit must not hold that end.
const countsUnread = false

func unread(*os.File) int { return 0 }

func tryWrite(*os.File, []byte) int { return 0 }

func exitOf(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, "unknown"
	}
	return state.ExitCode(), ""
}

var ntResumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// A tree is a job object: whatever the plugin starts is in it too, and ends
// with it at the latest.
type tree struct {
	proc   *os.Process
	job    windows.Handle
	reaped atomic.Bool
}

func launch(path string, argv []string, attr os.ProcAttr) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	t := &tree{job: job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		t.close()
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	// It must be in the job before it can start anything.
	attr.Sys = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED}
	if t.proc, err = os.StartProcess(path, argv, &attr); err != nil {
		t.close()
		return nil, err
	}
	held := t.proc.WithHandle(func(h uintptr) {
		if err = windows.AssignProcessToJobObject(job, windows.Handle(h)); err == nil {
			ntResumeProcess.Call(h)
		}
	})
	if err == nil {
		err = held
	}
	if err != nil {
		t.proc.Kill()
		t.proc.Wait()
		t.close()
		return nil, os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return t, nil
}

// terminate does nothing: Windows has no SIGTERM.
func (t *tree) terminate() bool { return false }

func (t *tree) left() (left []stray) {
	var list struct {
		assigned, listed uint32
		pids             [1024]uintptr
	}
	windows.QueryInformationJobObject(t.job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	for _, pid := range list.pids[:list.listed] {
		left = append(left, stray{validator.Survivor{PID: int(pid), Command: command(uint32(pid))}, true})
	}
	return left
}

func command(pid uint32) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "unknown"
	}
	defer windows.CloseHandle(h)
	var name [windows.MAX_PATH]uint16
	size := uint32(len(name))
	if windows.QueryFullProcessImageName(h, 0, &name[0], &size) != nil {
		return "unknown"
	}
	return windows.UTF16ToString(name[:size])
}

func (t *tree) kill() (alive bool) {
	alive = len(t.left()) > 0
	windows.TerminateJobObject(t.job, 1)
	return alive
}

func (t *tree) holders(left []stray, _ *os.File) (found []validator.Survivor) {
	for _, s := range left {
		found = append(found, s.Survivor)
	}
	return found
}

func (t *tree) close() { windows.CloseHandle(t.job) }

func newPipe(toPlugin bool) (ours, theirs *os.File, err error) {
	r, w, err := os.Pipe()
	if toPlugin {
		return w, r, err
	}
	return r, w, err
}

func polled(f *os.File) (*os.File, error) { return f, nil }

// pristine reports whether a folder is as it was made.
func pristine(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// sweep has nothing to find: orphans are handed to others here.
func sweep() []validator.Survivor { return nil }

// usage is not known here.
func (t *tree) usage() (cpu time.Duration, memory int64) { return 0, 0 }

// readers are not known here.
func (t *tree) readers(*os.File) []validator.Survivor { return nil }
