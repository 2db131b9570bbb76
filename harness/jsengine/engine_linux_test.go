package jsengine

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMemory has modules that want all the memory there is, and measures what the
// process got at most.
func TestMemory(t *testing.T) {
	if raced {
		t.Skip("the race detector needs memory of its own")
	}
	e := newEngine(t)
	for _, source := range []string{
		"let a = []; for (;;) a.push(new Array(1000).fill(1))",
		"let a = []; for (;;) a.push(new Uint8Array(1e5))",
		"let a = []; for (;;) a = [...a, ...a, 1]",
		"let a = {}; for (;;) a = { a }",
		"let m = new Map(); for (let i = 0;; i++) m.set(i, i)",
		"new Array(2 ** 32 - 1).fill(0)",
		"/(?:a|a)*b/.test('a'.repeat(1e6))",
		"[].fill.call({ length: 2 ** 53 - 1 })",
		"new Array(1e6).fill(0).map(Math.random).sort()",
		"'x'.repeat(1e6).split('').map(x => x + 1)",
		"throw new Error('x'.repeat(1e7))",
		"export const manifest = 'x'.repeat(5e6)",
		"export const manifest = []; for (let i = 0; i < 1e5; i++) manifest.push({})",
		"let f = () => [1].map(f); f()",
		"let f = () => Reflect.construct(f, []), o = { get a() { return this.a } }; o.a",
		"function* g() { yield* g() }; [...g()]",
		"let p = {}; for (let i = 0; i < 20000; i++) p = new Proxy(p, {}); p.x",
		"eval('['.repeat(1e6))",
		"eval('a => '.repeat(1e6))",
		"new RegExp('(?:'.repeat(1e6))",
		"JSON.parse('['.repeat(1e6))",
	} {
		_, w := attack(t, e, patient, source)
		if most := w.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; most > 128<<10 {
			t.Errorf("%s: it had %d MiB", source, most>>10)
		}
	}
}

// asKit makes the test binary a kit that loads a module which never ends.
const asKit = "JSENGINE_TEST_KIT"

func TestMain(m *testing.M) {
	if os.Getenv(asKit) == "" {
		os.Exit(m.Run())
	}
	e := New()
	if _, err := e.Load(context.Background(), []byte(good)); err != nil {
		panic(err)
	}
	fmt.Println(e.worker.cmd.Process.Pid)
	e.Load(context.Background(), []byte("[].indexOf.call({ length: 2 ** 53 - 1 }, 1)"))
}

// TestNoProcessOutlivesTheKit kills a kit in the midst of a load.
func TestNoProcessOutlivesTheKit(t *testing.T) {
	kit := exec.Command("/proc/self/exe")
	kit.Env = []string{asKit + "=1"}
	out, err := kit.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := kit.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	_, err = fmt.Fscan(bufio.NewReader(out), &pid)
	worker, openErr := unix.PidfdOpen(pid, 0)
	kit.Process.Kill()
	kit.Wait()
	if err != nil || openErr != nil {
		t.Fatal(err, openErr)
	}
	defer unix.Close(worker)
	limit := (DefaultLimits.Time + 20*time.Second).Milliseconds()
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(worker), Events: unix.POLLIN}}, int(limit)); n != 1 || err != nil {
		t.Errorf("the process is still there: %v", err)
	}
}
