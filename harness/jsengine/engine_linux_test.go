package jsengine

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
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
		t.Skip(slow)
	}
	e := newEngine(t)
	generous := patient
	generous.Memory = DefaultLimits.Memory
	for _, source := range []string{
		"let a = []; for (;;) a.push(new Array(1000).fill(1))",
		"let a = []; for (;;) a.push(new Uint8Array(1e5))",
		"let a = {}; for (;;) a = { a }",
		"new Array(2 ** 32 - 1).fill(0)",
		"/(?:a|a)*b/.test('a'.repeat(1e6))",
		"[].fill.call({ length: 2 ** 53 - 1 })",
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
		_, w := attack(t, e, generous, source)
		if most := w.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; most > 128<<10 {
			t.Errorf("%s: it had %d MiB", source, most>>10)
		}
	}
}

// asKit makes the test binary a kit that has a module which never ends loaded.
const asKit = "JSENGINE_TEST_KIT"

func TestMain(m *testing.M) {
	if os.Getenv(asKit) == "" {
		os.Exit(m.Run())
	}
	e := New()
	if _, err := e.Load(context.Background(), []byte(good)); err != nil {
		panic(err)
	}
	source := []byte("[].indexOf.call({ length: 2 ** 53 - 1 }, 1)")
	soon := Limits{500 * time.Millisecond, patient.Memory, patient.Depth}
	if err := binary.Write(e.worker.in, binary.BigEndian, request{soon, int64(len(source))}); err != nil {
		panic(err)
	}
	if _, err := e.worker.in.Write(source); err != nil {
		panic(err)
	}
	fmt.Println(e.worker.cmd.Process.Pid)
	io.Copy(io.Discard, os.Stdin) // until it is killed
}

// TestNoProcessOutlivesTheKit kills a kit in the midst of a load.
func TestNoProcessOutlivesTheKit(t *testing.T) {
	kit := exec.Command("/proc/self/exe")
	kit.Env = []string{asKit + "=1"}
	in, err := kit.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
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
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(worker), Events: unix.POLLIN}}, 20_000); n != 1 || err != nil {
		t.Errorf("the process is still there: %v", err)
	}
}
