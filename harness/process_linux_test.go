package harness

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plugcheck/validator"
)

func init() {
	leftovers = func() (left []string) {
		pids, _ := filepath.Glob("/proc/[0-9]*")
		mine := fmt.Appendf(nil, "%s%d.", marker, os.Getpid())
		for _, name := range pids {
			pid, _ := strconv.Atoi(filepath.Base(name))
			s, _ := statOf(pid)
			ours := bytes.Contains(readProc(pid, "environ", 4<<20), mine) || s.parent == os.Getpid()
			if ours && (s.session != orphanage.session || s.state == 'Z') {
				left = append(left, fmt.Sprintf("%d %s", pid, command(pid)))
			}
		}
		return left
	}
}

func commands(survivors []validator.Survivor) (names []string) {
	for _, s := range survivors {
		names = append(names, s.Command)
	}
	slices.Sort(names)
	return names
}

func TestStrays(t *testing.T) {
	const quiet = ">/dev/null 2>&1 </dev/null &"
	tests := []struct {
		name, script string
		left, held   []string
	}{
		{"none", "true & wait", nil, nil},
		{"a late one that ends", "sleep 0.02 &", nil, nil},
		{"a late one in another session", "setsid sleep 0.02 " + quiet, nil, nil},
		{"holds stdout", "sleep 1001 &", []string{"sleep 1001"}, []string{"sleep 1001"}},
		{"holds stderr", "sleep 1001 >/dev/null &", []string{"sleep 1001"}, nil},
		{"in the background", "sleep 1001 " + quiet, []string{"sleep 1001"}, nil},
		{"its own session", "setsid sleep 1001 " + quiet, []string{"sleep 1001"}, nil},
		{"double fork", "(setsid sleep 1001 " + quiet + ")", []string{"sleep 1001"}, nil},
		{"no marker", "(env -i setsid sleep 1001 " + quiet + ")", []string{"sleep 1001"}, nil},
		{"no marker, holds stdout", "(env -i setsid sleep 1001 &)", []string{"sleep 1001"}, []string{"sleep 1001"}},
		{"one holds, one not", "sleep 1001 & sleep 1002 " + quiet, []string{"sleep 1001", "sleep 1002"}, []string{"sleep 1001"}},
		{"a tree", "setsid sh -c 'trap \"\" TERM; env -i setsid sleep 1001 & exec sleep 1002' " + quiet, []string{"sleep 1001", "sleep 1002"}, nil},
		{"stopped", `sleep 1001 >/dev/null 2>&1 & while [ "$(cat /proc/$!/comm)" != sleep ]; do :; done; kill -STOP $!`, []string{"sleep 1001"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := exchange(t, shell(t, tt.script), nil)
			if !slices.Equal(commands(got.LeftRunning), tt.left) || !slices.Equal(commands(got.HeldStdout), tt.held) {
				t.Errorf("left %q, want %q; held by %q, want %q", got.LeftRunning, tt.left, got.HeldStdout, tt.held)
			}
			if !got.Exit.Clean() {
				t.Errorf("%v: %s", got.Exit, got.Stderr)
			}
			nothingLeft(t)
		})
	}
}

func TestForkStorms(t *testing.T) {
	const quiet = "</dev/null >/dev/null 2>&1"
	const hundred = `i=0; while [ $i -lt 100 ]; do case $((i % 4)) in
		0) sleep 1000 & ;; 1) setsid sleep 1000 & ;; 2) (setsid sleep 1000 &) ;; 3) (env -i sleep 1000 &) ;;
		esac; i=$((i+1)); done ` + quiet
	t.Run("a hundred sleepers", func(t *testing.T) {
		if got := exchange(t, shell(t, hundred), nil); len(got.LeftRunning) != 100 {
			t.Errorf("%d left running", len(got.LeftRunning))
		}
		nothingLeft(t)
	})
	t.Run("a hundred sleepers at the deadline", func(t *testing.T) {
		s := shell(t, "trap '' TERM; echo ready; "+hundred+"; sleep 1000")
		s.Limit = 500 * time.Millisecond
		if got := exchange(t, s, nil); !got.TimedOut || got.Exit.Ended != "SIGKILL" || got.LeftRunning != nil {
			t.Errorf("timed out %v, %v, left %v", got.TimedOut, got.Exit, got.LeftRunning)
		}
		nothingLeft(t)
	})
	t.Run("never stops forking", func(t *testing.T) {
		s := shell(t, "trap '' TERM; while :; do (setsid sleep 1000 &); done "+quiet)
		s.Limit = 300 * time.Millisecond
		exchange(t, s, nil)
		nothingLeft(t)
	})
	t.Run("runs away from session to session", func(t *testing.T) {
		script := filepath.Join(t.TempDir(), "runner")
		if err := os.WriteFile(script, []byte("setsid sh \"$0\" "+quiet+" &\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		s := shell(t, "")
		s.Args = []string{script}
		begun := time.Now()
		got := exchange(t, s, nil)
		if len(got.LeftRunning) == 0 || time.Since(begun) > stubborn {
			t.Errorf("%v left, took %v", got.LeftRunning, time.Since(begun))
		}
		nothingLeft(t)
	})
	t.Run("runs away without a marker", func(t *testing.T) {
		script := filepath.Join(t.TempDir(), "runner")
		if err := os.WriteFile(script, []byte("env -i PATH=$PATH setsid sh \"$0\" "+quiet+" &\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		s := shell(t, "")
		s.Args = []string{script}
		exchange(t, s, nil)
		nothingLeft(t)
	})
}

func TestStraysOfManyAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := fmt.Sprintf("sleep 100%d", i)
			script := []string{name + " &", "setsid " + name + " &", "(setsid " + name + " &)", name + " >/dev/null 2>&1 &"}[i%4]
			got := exchange(t, shell(t, script), nil)
			if !slices.Equal(commands(got.LeftRunning), []string{name}) || (got.HeldStdout == nil) != (i%4 == 3) {
				t.Errorf("exchange %d: left %v, held %v", i, got.LeftRunning, got.HeldStdout)
			}
		})
	}
	wg.Wait()
	nothingLeft(t)
}

// What cannot be told to be the one's or the other's is ended, but held against neither.
func TestDoubtfulStray(t *testing.T) {
	other := start(t, shell(t, "read x"))
	got := exchange(t, shell(t, "(env -i setsid sleep 1001 >/dev/null 2>&1 &)"), nil)
	if got.LeftRunning != nil {
		t.Errorf("left %v", got.LeftRunning)
	}
	if left := leftovers(); len(left) != 2 {
		t.Errorf("running beside the other exchange: %q", left)
	}
	other.CloseStdin()
	if got := other.Wait(); got.LeftRunning != nil {
		t.Errorf("the other left %v", got.LeftRunning)
	}
	nothingLeft(t)
}

// A child that is not a plugin's, started by other code, is none of our business.
func TestOtherChildrenAreLeftAlone(t *testing.T) {
	child, err := os.StartProcess("/bin/sleep", []string{"sleep", "1000"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	exchange(t, shell(t, "sleep 1001 &"), nil)
	if err := child.Kill(); err != nil {
		t.Errorf("it was ended: %v", err)
	}
	if _, err := child.Wait(); err != nil {
		t.Errorf("it was reaped: %v", err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip(err)
	}
	for range 3 {
		exchange(t, helperSpec(t, "flood"), nil)
		exchange(t, helperSpec(t, "log", strconv.Itoa(64<<20)), nil)
	}
	for line := range strings.Lines(string(readProc(os.Getpid(), "status", 1<<20))) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			t.Logf("peak resident memory %d MiB", kib>>10)
			if kib > 256<<10 && !raceEnabled() {
				t.Errorf("peak resident memory %d MiB", kib>>10)
			}
		}
	}
}

// raceEnabled reports whether the race detector is on, which takes memory of its own.
func raceEnabled() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func TestSandbox(t *testing.T) {
	if err := SandboxAvailable(); err != nil {
		t.Skip(err)
	}
	dir, plugins := t.TempDir(), t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("hidden"), 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	path := os.Getenv("PATH")
	run := func(name, script string) validator.Transcript {
		t.Helper()
		file := filepath.Join(plugins, name)
		if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		p := start(t, Spec{
			Path: file, Env: []string{"PATH=" + path, "SECRET=" + secret, "WRITE=" + filepath.Join(dir, "new"), "PORT=" + strconv.Itoa(port)},
			Dir: dir, Limit: time.Minute, Sandbox: &Sandbox{Read: InstallPaths(file, path)},
		})
		p.CloseStdin()
		return p.Wait()
	}
	t.Run("sh", func(t *testing.T) {
		got := run("sh.sh", `#!/bin/sh
cat "$SECRET" && echo read
{ echo > "$WRITE"; } && echo wrote
echo > /dev/null && echo null
cat /etc/passwd > /dev/null && echo etc
echo "$0"
`)
		if want := "null\netc\n" + filepath.Join(plugins, "sh.sh") + "\n"; string(got.Stdout) != want {
			t.Errorf("stdout %q, want %q; stderr %s", got.Stdout, want, got.Stderr)
		}
	})
	t.Run("python", func(t *testing.T) {
		if findProgram("python3", path) == "" {
			t.Skip("no python3")
		}
		got := run("py.py", `#!/usr/bin/env python3
import json, os, signal, socket
def tries(what):
    try: what()
    except OSError: return "denied"
    return "done"
print(json.dumps([
    tries(lambda: open(os.environ["SECRET"])),
    tries(lambda: open(os.environ["WRITE"], "w")),
    tries(lambda: socket.create_connection(("127.0.0.1", int(os.environ["PORT"])))),
]))
`)
		if want := `["denied", "denied", "denied"]` + "\n"; string(got.Stdout) != want || !got.Exit.Clean() {
			t.Errorf("stdout %q, %v; stderr %s", got.Stdout, got.Exit, got.Stderr)
		}
	})
	t.Run("node", func(t *testing.T) {
		if findProgram("node", path) == "" {
			t.Skip("no node")
		}
		got := run("n.js", `#!/usr/bin/env node
const fs = require("fs"); let r = "done"
try { fs.readFileSync(process.env.SECRET) } catch (e) { r = e.code }
console.log(r)
`)
		if string(got.Stdout) != "EACCES\n" || !got.Exit.Clean() {
			t.Errorf("stdout %q, %v; stderr %s", got.Stdout, got.Exit, got.Stderr)
		}
	})
	t.Run("strays", func(t *testing.T) {
		if got := run("s.sh", "#!/bin/sh\n(setsid sleep 1001 &)\n"); !slices.Equal(commands(got.HeldStdout), []string{"sleep 1001"}) {
			t.Errorf("held by %v", got.HeldStdout)
		}
	})
	t.Run("start failures", func(t *testing.T) {
		file := filepath.Join(plugins, "text")
		if err := os.WriteFile(file, []byte("hello"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := Start(t.Context(), Spec{Path: file, Sandbox: &Sandbox{Read: []string{"/usr", plugins}}})
		var e *StartError
		if !errors.As(err, &e) || e.Kind != ExecFormat {
			t.Errorf("a plugin that cannot run: %v", err)
		}
		_, err = Start(t.Context(), Spec{Path: "/bin/true", Sandbox: &Sandbox{Read: []string{plugins}}})
		if err == nil || errors.As(err, &e) {
			t.Errorf("a sandbox that is too tight is the plugin's fault: %v", err)
		}
	})
	nothingLeft(t)
}

func TestInstallPaths(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	bin := filepath.Join(home, "env", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(bin, "interp")); err != nil {
		t.Fatal(err)
	}
	plugin := filepath.Join(home, "plugin")
	if err := os.WriteFile(plugin, []byte("#!/usr/bin/env interp\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := InstallPaths(plugin, bin+":"+filepath.Join(home, "bin")+":/bin:relative:")
	for _, want := range []string{"/usr", "/etc", plugin, filepath.Join(home, "env"), filepath.Join(home, "bin")} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among %q", want, got)
		}
	}
	for _, bad := range []string{"/", home, filepath.Dir(home), ""} {
		if slices.Contains(got, bad) {
			t.Errorf("%q is among %q", bad, got)
		}
	}
}
