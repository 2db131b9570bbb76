package harness

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plugcheck/validator"
)

const fionread = unix.TIOCINQ

// Orphans are handed to the nearest subreaper, which plugcheck makes itself. So
// however a plugin hides a process, once its parents are gone it is our child.
// What must be told apart then is which plugin it came from.
var orphanage struct {
	once     sync.Once
	err      error
	session  int
	children *os.File // lists ours; kept open, since every exchange looks; nil where the kernel has none

	// mu is held while a plugin is started, so that a child of ours that is not
	// in running is never a plugin.
	mu      sync.Mutex
	running map[*tree]bool
	// doubtful are orphans that more than one exchange can have started.
	doubtful map[proc]bool
}

// A tree is a plugin and all its descendants.
type tree struct {
	proc   *os.Process
	reaped atomic.Bool

	marker []byte
	born   uint64
	// sessions are those that only processes of this tree are in.
	sessions map[int]bool
}

// A proc identifies a process for good: its number alone may be used again.
type proc struct {
	pid  int
	born uint64 // clock ticks after boot
}

type procStat struct {
	proc
	state                 byte
	parent, pgrp, session int
}

func adopt() error {
	o := &orphanage
	o.once.Do(func() {
		o.session, _ = unix.Getsid(0)
		o.running, o.doubtful = map[*tree]bool{}, map[proc]bool{}
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			o.err = fmt.Errorf("become the reaper of orphans: %w", err)
		}
		// Orphans are handed to the first thread that lives: to the main one, which Go never ends.
		o.children, _ = os.Open(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	})
	return o.err
}

func launch(path string, argv []string, attr os.ProcAttr) (*tree, error) {
	if err := adopt(); err != nil {
		return nil, err
	}
	t := &tree{marker: []byte("\x00" + attr.Env[len(attr.Env)-1] + "\x00"), sessions: map[int]bool{}}
	attr.Sys = ownSession()

	o := &orphanage
	o.mu.Lock()
	defer o.mu.Unlock()
	t.born = bootTicks()
	var err error
	if t.proc, err = os.StartProcess(path, argv, &attr); err != nil {
		return nil, err
	}
	t.sessions[t.proc.Pid] = true
	o.running[t] = true
	return t, nil
}

// newPipe is [os.Pipe], except that only an end we read from is in Go's poller.
// That is a dozen system calls less a pipe, and no waking of idle threads.
func newPipe(toPlugin bool) (ours, theirs *os.File, err error) {
	var fd [2]int
	if err := unix.Pipe2(fd[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	if toPlugin {
		ours, theirs = os.NewFile(uintptr(fd[1]), "|1"), os.NewFile(uintptr(fd[0]), "|0")
		unix.SetNonblock(fd[1], true)
		return ours, theirs, nil
	}
	unix.SetNonblock(fd[0], true)
	return os.NewFile(uintptr(fd[0]), "|0"), os.NewFile(uintptr(fd[1]), "|1"), nil
}

// polled puts an end we write to in Go's poller, now that a write has to wait.
func polled(f *os.File) (*os.File, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return f, err
	}
	fd := 0
	conn.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return f, err
	}
	f.Close()
	return os.NewFile(uintptr(fd), "|1"), nil
}

func (t *tree) close() {
	orphanage.mu.Lock()
	defer orphanage.mu.Unlock()
	delete(orphanage.running, t)
}

// sweep ends every orphan there is, and names them. It does nothing while a
// plugin is running, whose own they might be.
func sweep() (swept []validator.Survivor) {
	o := &orphanage
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.children == nil || len(o.running) > 0 {
		return nil
	}
	seen := map[proc]bool{}
	for deadline := time.Now().Add(stubborn); time.Now().Before(deadline); {
		alive := false
		for _, pid := range ownChildren() {
			s, ok := statOf(pid)
			if !ok || !isOrphan(s) || s.state == 'Z' && reap(s) {
				continue
			}
			alive = true
			if !seen[s.proc] && s.state != 'Z' {
				seen[s.proc] = true
				swept = append(swept, validator.Survivor{PID: pid, Command: command(pid)})
			}
			if s.pgrp > 1 {
				syscall.Kill(-s.pgrp, syscall.SIGKILL)
			}
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if !alive {
			break
		}
	}
	return swept
}

// left returns what runs of the tree, its plugin having ended.
func (t *tree) left() (left []stray) {
	// Nearly always there are no children at all; that must cost next to nothing.
	if len(ownChildren()) == 0 {
		return nil
	}
	orphanage.mu.Lock()
	defer orphanage.mu.Unlock()
	found, unclear := t.strays()
	maps.Copy(unclear, found)
	for _, pid := range slices.Sorted(maps.Keys(unclear)) {
		_, ours := found[pid]
		left = append(left, stray{
			validator.Survivor{PID: pid, Command: command(pid)},
			ours && !orphanage.doubtful[unclear[pid].proc],
		})
	}
	return left
}

// kill sends SIGKILL to all of the tree that runs and reports whether there was
// any. It must be called until there is none: a process that forks between the
// look and the signal leaves a child, which is an orphan by the next time.
func (t *tree) kill() bool {
	orphanage.mu.Lock()
	defer orphanage.mu.Unlock()
	found, _ := t.strays()
	if !t.reaped.Load() {
		// Still, so that the walk sees all of it.
		syscall.Kill(-t.proc.Pid, syscall.SIGSTOP)
		if s, ok := statOf(t.proc.Pid); ok {
			t.claim(s, found)
		}
	}
	// By group: a fork cannot slip out of a signal to its whole group.
	for _, s := range found {
		if s.pgrp > 1 {
			syscall.Kill(-s.pgrp, syscall.SIGKILL)
		}
	}
	return len(found) > 0
}

// strays returns the tree's orphans and their descendants, and those that may
// be its own or another's. It reaps the dead.
func (t *tree) strays() (found, unclear map[int]procStat) {
	found, unclear = map[int]procStat{}, map[int]procStat{}
	// The children of one that is gone are ours by now, and so may be missing
	// from the list it was in.
	for gone, tries := true, 0; gone && tries < 1000; tries++ {
		gone = false
		for _, pid := range ownChildren() {
			s, ok := statOf(pid)
			if !ok || s.state == 'Z' && isOrphan(s) && reap(s) {
				gone = true
			} else if isOrphan(s) {
				switch owners := ownersOf(s); {
				case len(owners) == 1 && owners[0] == t:
					t.claim(s, found)
				case len(owners) > 1 && slices.Contains(owners, t):
					unclear[pid] = s
					orphanage.doubtful[s.proc] = true
				}
			}
		}
	}
	return found, unclear
}

// isOrphan tells orphans from our own children: those are plugins, or started by
// other code, in our session then, which nothing that a plugin starts can join.
func isOrphan(s procStat) bool {
	for t := range orphanage.running {
		if t.proc.Pid == s.pid && !t.reaped.Load() {
			return false
		}
	}
	return s.session != orphanage.session
}

// reap reports whether a process is dead and buried; its main thread alone may be dead.
func reap(s procStat) bool {
	if n, _ := syscall.Wait4(s.pid, nil, syscall.WNOHANG, nil); n != s.pid {
		return false
	}
	delete(orphanage.doubtful, s.proc)
	return true
}

// ownersOf returns the trees that an orphan can be of.
func ownersOf(s procStat) (able []*tree) {
	environ := append([]byte{0}, readProc(s.pid, "environ", 4<<20)...)
	for other := range orphanage.running {
		if other.sessions[s.session] || bytes.Contains(environ, other.marker) {
			delete(orphanage.doubtful, s.proc)
			return []*tree{other}
		}
		if other.born <= s.born {
			able = append(able, other)
		}
	}
	// It left its session and cleared its environment, or is between two programs
	// and has none at the moment.
	return able
}

// claim adds a process and those below it to found, and learns their sessions
// if there is no doubt about them.
func (t *tree) claim(s procStat, found map[int]procStat) {
	if _, known := found[s.pid]; known {
		return
	}
	found[s.pid] = s
	doubtful := orphanage.doubtful[s.proc]
	if !doubtful {
		t.sessions[s.session] = true
	}
	for _, pid := range childrenOf(s.pid) {
		if child, ok := statOf(pid); ok && child.state != 'Z' {
			if doubtful {
				orphanage.doubtful[child.proc] = true
			}
			t.claim(child, found)
		}
	}
}

// holders returns those that have the other end of a pipe open, which makes
// them this tree's beyond doubt.
func (t *tree) holders(left []stray, pipe *os.File) []validator.Survivor {
	found := holding(left, pipe)
	for _, s := range found {
		t.adoptSession(s.PID)
	}
	return found
}

// holding returns those that have an end of a pipe open.
func holding(list []stray, pipe *os.File) (found []validator.Survivor) {
	info, err := pipe.Stat()
	if err != nil {
		return nil
	}
	name := fmt.Sprintf("pipe:[%d]", info.Sys().(*syscall.Stat_t).Ino)
	for _, s := range list {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.PID))
		if slices.ContainsFunc(fds, func(fd string) bool {
			target, _ := os.Readlink(fd)
			return target == name
		}) {
			found = append(found, s.Survivor)
		}
	}
	return found
}

func (t *tree) adoptSession(pid int) {
	orphanage.mu.Lock()
	defer orphanage.mu.Unlock()
	if s, ok := statOf(pid); ok {
		t.sessions[s.session] = true
	}
}

// ownChildren lists our children that the main thread started, and all orphans.
func ownChildren() []int {
	if orphanage.children == nil {
		return childrenByScan(os.Getpid())
	}
	list, _ := io.ReadAll(io.NewSectionReader(orphanage.children, 0, 1<<30))
	return parsePIDs(nil, list)
}

func childrenOf(pid int) (pids []int) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, file := range files {
		list, _ := os.ReadFile(file)
		pids = parsePIDs(pids, list)
	}
	return pids
}

func parsePIDs(pids []int, list []byte) []int {
	for field := range bytes.FieldsSeq(list) {
		if n, err := strconv.Atoi(string(field)); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// childrenByScan is for kernels that are built without the children files.
func childrenByScan(parent int) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		if s, ok := statOf(pid); ok && s.parent == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// command returns the start of a process's command line, on one line.
func command(pid int) string {
	line := bytes.TrimRight(readProc(pid, "cmdline", 120), "\x00")
	if len(line) == 0 {
		line = bytes.TrimSpace(readProc(pid, "comm", 120))
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return ' '
		}
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, string(line))
}

func statOf(pid int) (s procStat, ok bool) {
	line := readProc(pid, "stat", 4<<10)
	// The command is in parentheses and may contain some itself.
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(f) < 20 {
		return s, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(string(f[i])); return n }
	return procStat{
		proc:    proc{pid, uint64(number(19))},
		state:   f[0][0],
		parent:  number(1),
		pgrp:    number(2),
		session: number(3),
	}, true
}

func readProc(pid int, name string, limit int64) []byte {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/" + name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, limit))
	return b
}

// bootTicks is the present as /proc/PID/stat counts it: in hundredths of a
// second on every architecture Go runs on.
func bootTicks() uint64 {
	var now unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	return uint64(now.Nano() / 1e7)
}

// usage returns how much processor time and memory the plugin itself has used.
func (t *tree) usage() (cpu time.Duration, memory int64) {
	line := readProc(t.proc.Pid, "stat", 4<<10)
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(f) < 22 {
		return 0, 0
	}
	number := func(i int) int64 { n, _ := strconv.ParseInt(string(f[i]), 10, 64); return n }
	return time.Duration(number(11)+number(12)) * (time.Second / 100), number(21) * int64(os.Getpagesize())
}

// readers returns the descendants of the plugin that have a pipe open, apart from
// the plugin itself.
func (t *tree) readers(pipe *os.File) (found []validator.Survivor) {
	var below func(pid int)
	var list []stray
	below = func(pid int) {
		for _, child := range childrenOf(pid) {
			if len(list) < maxReaders {
				list = append(list, stray{Survivor: validator.Survivor{PID: child, Command: command(child)}})
				below(child)
			}
		}
	}
	below(t.proc.Pid)
	return holding(list, pipe)
}

// maxReaders bounds how many descendants are looked at.
const maxReaders = 200
