package harness

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plugcheck/validator"
)

const helperName = "__helper"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == helperName {
		helper(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		// Tests that wait for plugins may be more than there are processors.
		if err := f.Value.Set("6"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// helper is what the test binary does when it is started as a plugin.
func helper(mode string, args []string) {
	count := 1 << 62
	if len(args) > 0 {
		count, _ = strconv.Atoi(args[0])
	}
	switch mode {
	case "flood":
		for b := bytes.Repeat([]byte("x"), 64<<10); count > 0; count -= len(b) {
			if _, err := os.Stdout.Write(b[:min(count, len(b))]); err != nil {
				return
			}
		}
	case "log":
		os.Stderr.Write(bytes.Repeat([]byte("e"), count))
	case "drip":
		for i := range count {
			os.Stdout.Write([]byte{byte('a' + i%26)})
		}
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "deaf":
		time.Sleep(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "mute":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "environ":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "exit":
		os.Exit(count)
	default:
		panic("no helper mode " + mode)
	}
}

func helperSpec(t testing.TB, args ...string) Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Path: self, Args: append([]string{helperName}, args...),
		Env:   []string{"GORACE=atexit_sleep_ms=0"}, // the race detector delays every exit by a second
		Limit: time.Minute, Grace: 50 * time.Millisecond,
	}
}

func shell(t testing.TB, script string) Spec {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	return Spec{
		Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")},
		Limit: time.Minute, Grace: 50 * time.Millisecond,
	}
}

func start(t testing.TB, s Spec) *Process {
	t.Helper()
	p, err := Start(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exchange starts a plugin, sends it all of input and waits for its end.
func exchange(t testing.TB, s Spec, input []byte) validator.Transcript {
	t.Helper()
	p := start(t, s)
	p.Write(input)
	p.CloseStdin()
	return p.Wait()
}

// leftovers lists what exchanges of this process still run; only Linux can tell.
var leftovers = func() []string { return nil }

func nothingLeft(t *testing.T) {
	t.Helper()
	if left := leftovers(); len(left) > 0 {
		t.Errorf("still running: %q", left)
	}
}

func TestExchange(t *testing.T) {
	input := bytes.Repeat([]byte("0123456789abcde\n"), 4<<20/16)
	got := exchange(t, helperSpec(t, "echo"), input)
	if !got.Exit.Clean() || got.TimedOut || got.Flooded || got.HeldStdout != nil || got.LeftRunning != nil {
		t.Errorf("a clean exchange is not: %v %+v", got.Exit, got.LeftRunning)
	}
	if !bytes.Equal(got.Stdin, input) || got.Unsent != 0 || !bytes.Equal(got.Stdout, input) || got.StdoutBytes != int64(len(input)) {
		t.Errorf("sent %d, unsent %d, got %d of %d bytes", len(got.Stdin), got.Unsent, len(got.Stdout), len(input))
	}
	if got.Started.IsZero() || got.Elapsed <= 0 || got.Limit != time.Minute {
		t.Errorf("times: %v %v %v", got.Started, got.Elapsed, got.Limit)
	}
	ends := map[validator.Source]int{}
	for _, e := range got.Events {
		if e.Start != ends[e.From] {
			t.Fatalf("event %+v does not continue at %d", e, ends[e.From])
		}
		ends[e.From] = e.End
	}
	if ends[validator.FromHost] != len(input) || ends[validator.FromPlugin] != len(input) {
		t.Errorf("events cover %v of %d bytes", ends, len(input))
	}
	if got.Events[0].From != validator.FromHost || got.Events[len(got.Events)-1].From != validator.FromExit {
		t.Errorf("the question is not first or the exit not last")
	}
	nothingLeft(t)
}

func TestConversation(t *testing.T) {
	p := start(t, helperSpec(t, "echo"))
	for _, line := range []string{"one", "", "three"} {
		p.Write([]byte(line + "\n"))
		if got, ok := p.ReadLine(time.Minute); !ok || string(got) != line {
			t.Errorf("ReadLine = %q, %v; want %q", got, ok, line)
		}
	}
	if !p.WaitOutput(0) {
		t.Error("WaitOutput saw nothing")
	}
	if line, ok := p.ReadLine(time.Millisecond); ok {
		t.Errorf("ReadLine = %q out of nothing", line)
	}
	p.Write([]byte("no newline"))
	p.CloseStdin()
	if line, ok := p.ReadLine(time.Minute); ok {
		t.Errorf("ReadLine = %q without a newline", line)
	}
	if got := p.Wait(); string(got.Stdout) != "one\n\nthree\nno newline" {
		t.Errorf("stdout %q", got.Stdout)
	}
}

func TestWaitOutput(t *testing.T) {
	p := start(t, helperSpec(t, "echo"))
	if p.WaitOutput(time.Millisecond) {
		t.Error("WaitOutput saw what is not there")
	}
	p.CloseStdin()
	if !p.WaitOutput(time.Minute) {
		t.Error("WaitOutput missed the end")
	}
	p.Wait()
}

func TestEnvironmentIsExact(t *testing.T) {
	t.Setenv("PLUGCHECK_SECRET", "1")
	s := helperSpec(t, "environ")
	s.Env = []string{"A=1", "B="}
	lines := strings.Split(strings.TrimSpace(string(exchange(t, s, nil).Stdout)), "\n")
	if runtime.GOOS != "windows" && (len(lines) != 3 || lines[0] != "A=1" || lines[1] != "B=" || !strings.HasPrefix(lines[2], marker)) {
		t.Errorf("environment %q", lines)
	}
	if strings.Contains(strings.Join(lines, "\n"), "SECRET") {
		t.Errorf("inherited: %q", lines)
	}
}

func TestHostile(t *testing.T) {
	const much = 4 << 20
	short := func(s Spec) Spec { s.Limit = 300 * time.Millisecond; return s }
	tests := []struct {
		name  string
		spec  Spec
		input int
		check func(t *testing.T, got validator.Transcript)
	}{
		{"endless stdout", helperSpec(t, "flood"), 0, func(t *testing.T, got validator.Transcript) {
			if !got.Flooded || got.TimedOut || len(got.Stdout) != DefaultCap || got.StdoutBytes <= DefaultCap || got.Exit.Ended != "SIGKILL" {
				t.Errorf("flooded %v, timed out %v, kept %d, %v", got.Flooded, got.TimedOut, len(got.Stdout), got.Exit)
			}
		}},
		{"ten gigabytes", helperSpec(t, "flood", strconv.Itoa(10<<30)), 0, func(t *testing.T, got validator.Transcript) {
			if !got.Flooded || got.StdoutBytes > 1<<30 {
				t.Errorf("flooded %v after %d bytes", got.Flooded, got.StdoutBytes)
			}
		}},
		{"exactly the cap", helperSpec(t, "flood", strconv.Itoa(DefaultCap)), 0, func(t *testing.T, got validator.Transcript) {
			if got.Flooded || len(got.Stdout) != DefaultCap || !got.Exit.Clean() {
				t.Errorf("flooded %v, kept %d, %v", got.Flooded, len(got.Stdout), got.Exit)
			}
		}},
		{"one byte at a time", helperSpec(t, "drip", "20000"), 0, func(t *testing.T, got validator.Transcript) {
			if len(got.Stdout) != 20000 || len(got.Events) > maxEvents+1 || got.Events[len(got.Events)-2].End != 20000 {
				t.Errorf("%d bytes in %d events", len(got.Stdout), len(got.Events))
			}
		}},
		{"much on stderr", helperSpec(t, "log", "1048576"), 0, func(t *testing.T, got validator.Transcript) {
			if len(got.Stderr) != 1<<20 || !got.Exit.Clean() {
				t.Errorf("%d bytes, %v", len(got.Stderr), got.Exit)
			}
		}},
		{"more on stderr than is kept", helperSpec(t, "log", strconv.Itoa(DefaultCap+1)), 0, func(t *testing.T, got validator.Transcript) {
			if len(got.Stderr) != keptLog || got.StderrBytes != DefaultCap+1 || got.Flooded || !got.Exit.Clean() {
				t.Errorf("%d of %d bytes, %v", len(got.Stderr), got.StderrBytes, got.Exit)
			}
		}},
		{"does not read", short(helperSpec(t, "deaf")), much, func(t *testing.T, got validator.Transcript) {
			if !got.TimedOut || got.Unsent != much || len(got.Stdin) != 0 || len(got.Events) != 1 {
				t.Errorf("timed out %v, unsent %d, %d events", got.TimedOut, got.Unsent, len(got.Events))
			}
		}},
		{"leaves without reading", helperSpec(t, "exit", "3"), much, func(t *testing.T, got validator.Transcript) {
			if got.Exit != (validator.Exit{Code: 3}) || got.Unsent != much {
				t.Errorf("%v, unsent %d", got.Exit, got.Unsent)
			}
		}},
		{"leaves without reading little", helperSpec(t, "exit", "0"), 100, func(t *testing.T, got validator.Transcript) {
			if !got.Exit.Clean() || got.Unsent != 100 {
				t.Errorf("%v, unsent %d", got.Exit, got.Unsent)
			}
		}},
		{"closes stdout and lives on", patient(short(helperSpec(t, "mute"))), 0, func(t *testing.T, got validator.Transcript) {
			if !got.TimedOut || got.Exit.Ended != "SIGTERM" || got.HeldStdout != nil {
				t.Errorf("timed out %v, %v, held by %v", got.TimedOut, got.Exit, got.HeldStdout)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && (tt.input > 0 || strings.HasPrefix(tt.name, "closes")) {
				t.Skip("Windows neither counts what is unread nor has signals")
			}
			tt.check(t, exchange(t, tt.spec, make([]byte, tt.input)))
			nothingLeft(t)
		})
	}
}

func TestNullStderr(t *testing.T) {
	s := helperSpec(t, "log", "1000")
	s.NullStderr = true
	if got := exchange(t, s, nil); !got.Exit.Clean() || got.StderrBytes != 0 {
		t.Errorf("%v, %d bytes", got.Exit, got.StderrBytes)
	}
}

// climbs starts a helper and waits until it is ready to be ended.
func climbs(t *testing.T, ctx context.Context, s Spec) *Process {
	t.Helper()
	p, err := Start(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.ReadLine(time.Minute); !ok {
		t.Fatal("not ready")
	}
	return p
}

// patient gives a plugin that obeys a step of the ladder more time than it takes on
// a busy machine.
func patient(s Spec) Spec {
	s.Grace = 1500 * time.Millisecond
	return s
}

func TestCloseLadder(t *testing.T) {
	tests := []struct {
		name, script string
		want         validator.Exit
	}{
		{"stdin", "echo ready; read x; exit 4", validator.Exit{Code: 4}},
		{"SIGTERM", "echo ready; sleep 1000", validator.Exit{Code: -1, Signal: "terminated", Ended: "SIGTERM"}},
		{"SIGTERM handled", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done", validator.Exit{Code: 5, Ended: "SIGTERM"}},
		{"SIGKILL", "trap '' TERM; echo ready; sleep 1000", validator.Exit{Code: -1, Signal: "killed", Ended: "SIGKILL"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := shell(t, tt.script)
			s.Limit = 200 * time.Millisecond
			if tt.want.Ended != "SIGKILL" {
				s = patient(s)
			}
			got := climbs(t, t.Context(), s).Wait()
			if !got.TimedOut || got.Exit != tt.want {
				t.Errorf("timed out %v, %+v; want %+v", got.TimedOut, got.Exit, tt.want)
			}
			nothingLeft(t)
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := helperSpec(t, "stubborn")
	s.Grace = time.Hour
	p := climbs(t, ctx, s)
	cancel()
	if got := p.Wait(); got.TimedOut || got.Exit.Ended != "SIGKILL" {
		t.Errorf("timed out %v, %v", got.TimedOut, got.Exit)
	}
	nothingLeft(t)
	if _, err := Start(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("Start with a cancelled context: %v", err)
	}
}

func TestSignalDeath(t *testing.T) {
	got := exchange(t, shell(t, "ulimit -c 0; kill -SEGV $$"), nil)
	if got.Exit.Signal != "segmentation fault" || got.Exit.Code != -1 || got.Exit.Ended != "" {
		t.Errorf("%+v", got.Exit)
	}
}

func TestWriteAfterTheEnd(t *testing.T) {
	p := start(t, helperSpec(t, "exit", "0"))
	<-p.exited
	p.Write(make([]byte, 1<<20))
	p.Wait()
	p.Write([]byte("to nobody"))
}

func TestManyAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			line := fmt.Appendf(nil, "exchange %d\n", i)
			if got := exchange(t, shell(t, "cat; exit "+strconv.Itoa(i)), line); !bytes.Equal(got.Stdout, line) || got.Exit.Code != i || got.LeftRunning != nil {
				t.Errorf("exchange %d: %q %v %v", i, got.Stdout, got.Exit, got.LeftRunning)
			}
		})
	}
	wg.Wait()
	nothingLeft(t)
}

func TestStartFailures(t *testing.T) {
	shell(t, "") // skips where there is none
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	otherELF := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00\xf7\x00" + strings.Repeat("\x00", 44) // BPF
	tests := []struct {
		path string
		kind StartKind
		says string
	}{
		{filepath.Join(dir, "missing"), NotFound, "does not exist"},
		{link, NotFound, "link to nowhere"},
		{dir, IsADirectory, "folder"},
		{write("norun", "#!/bin/sh\n", 0o644), NoRunBit, "no run permission"},
		{write("nointerp", "#! /no/such/python -u\n", 0o755), MissingInterpreter, "/no/such/python,"},
		{write("crlf", "#!/bin/sh\r\necho\r\n", 0o755), CRLFShebang, `"/bin/sh\r"`},
		{write("crlfenv", "#!/usr/bin/env sh\r\n", 0o755), CRLFShebang, `"sh\r"`},
		{write("noenv", "#!/usr/bin/env no-such-python\n", 0o755), MissingInterpreter, `"no-such-python"`},
		{write("envargs", "#!/usr/bin/env -S X=1 no-such-python -u\n", 0o755), MissingInterpreter, `"no-such-python"`},
		{write("noshebang", "echo hello\n", 0o755), ExecFormat, "text file without a #! line"},
		{write("bom", "\xef\xbb\xbf#!/bin/sh\n", 0o755), ExecFormat, "byte order mark"},
		{write("empty", "", 0o755), ExecFormat, "empty file"},
		{write("noname", "#!\n", 0o755), ExecFormat, "names no interpreter"},
		{write("elf", otherELF, 0o755), ExecFormat, "ELF program"},
		{write("macho", "\xcf\xfa\xed\xfe\x07\x00\x00\x01", 0o755), ExecFormat, "Mach-O"},
		{write("pe", "MZ\x90\x00", 0o755), ExecFormat, "Windows"},
		{write("garbage", "\x01\x02\x00\x03", 0o755), ExecFormat, "binary of an unknown format"},
	}
	env := []string{"PATH=/usr/bin:/bin"}
	for _, tt := range tests {
		t.Run(filepath.Base(tt.path), func(t *testing.T) {
			if tt.says == "Mach-O" && runtime.GOOS == "darwin" {
				t.Skip("it is at home here")
			}
			got := Diagnose(tt.path, "/usr/bin:/bin")
			if got == nil || got.Kind != tt.kind || !strings.Contains(got.Message, tt.says) || got.Fix == "" {
				t.Fatalf("Diagnose = %+v, want %s: … %s …", got, tt.kind, tt.says)
			}
			p, err := Start(t.Context(), Spec{Path: tt.path, Env: env})
			if err == nil { // env was started, and it is env that does not find the program
				if got := p.Wait(); !strings.Contains(tt.path, "env") || got.Exit.Clean() {
					t.Errorf("started: %v %s", got.Exit, got.Stderr)
				}
				return
			}
			var e *StartError
			if !errors.As(err, &e) || e.Kind != tt.kind || e.Message != got.Message {
				t.Errorf("Start: %v, want %v", err, got)
			}
		})
	}
	for _, path := range []string{"/bin/sh", write("good", "#!/usr/bin/env -S sh -e\nexit 0\n", 0o755)} {
		if e := Diagnose(path, "/usr/bin:/bin"); e != nil {
			t.Errorf("Diagnose(%s) = %v", path, e)
		}
	}
	if _, err := Start(t.Context(), Spec{Path: "/bin/sh", Dir: filepath.Join(dir, "missing")}); err == nil || errors.As(err, new(*StartError)) {
		t.Errorf("a missing working folder is blamed on the plugin: %v", err)
	}
	nothingLeft(t)
}

func TestKitFailsToStart(t *testing.T) {
	for _, errno := range []error{syscall.EMFILE, syscall.EAGAIN, syscall.ENOMEM} {
		err := startFailure(Spec{Path: "/bin/sh"}, &os.PathError{Op: "fork/exec", Path: "/bin/sh", Err: errno})
		if errors.As(err, new(*StartError)) || !errors.Is(err, errno) {
			t.Errorf("%v became %v", errno, err)
		}
	}
}

func TestWorkdirs(t *testing.T) {
	w, err := NewWorkdirs()
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	use := func(script string) (Workdir, []string) {
		t.Helper()
		d, err := w.Get()
		if err != nil {
			t.Fatal(err)
		}
		s := shell(t, script)
		s.Dir, s.Env = d.Dir, append(s.Env, "HOME="+d.Home, "OUTSIDE="+outside)
		got := exchange(t, s, nil)
		if !got.Exit.Clean() {
			t.Fatalf("%v: %s", got.Exit, got.Stderr)
		}
		w.Put(d, &got)
		return d, got.Wrote
	}
	first, wrote := use(":")
	if wrote != nil {
		t.Errorf("wrote %q out of nothing", wrote)
	}
	if second, _ := use(":"); second != first {
		t.Errorf("an empty pair was not used again")
	}
	for script, want := range map[string]string{
		"touch a; mkdir ~/.cache; touch ~/.cache/b": "a ~/.cache/ ~/.cache/b",
		`ln -s "$OUTSIDE" link`:                     "link",
		"mkdir x x/y; touch x/y/z; chmod 0 x/y x":   "x/ x/y/ x/y/z",
		"chmod 500 .":  ". (permissions changed)",
		`rmdir "$PWD"`: ". (removed)",
		`d=$PWD; rmdir "$d"; ln -s "$OUTSIDE" "$d"`: ". (replaced)",
	} {
		d, wrote := use(script)
		if got := strings.Join(wrote, " "); got != want {
			t.Errorf("%s: wrote %q, want %q", script, got, want)
		}
		if next, _ := use(":"); next == d {
			t.Errorf("%s: was used again", script)
		}
	}
	_, wrote = use(`i=0; while [ $i -lt 200 ]; do mkdir d; cd d; i=$((i+1)); done; j=0; while [ $j -lt 300 ]; do : > f$j; j=$((j+1)); done`)
	if len(wrote) != maxWrote {
		t.Errorf("%d names, want %d", len(wrote), maxWrote)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if pathExists(w.Path()) {
		t.Error("the root is still there")
	}
	if !pathExists(filepath.Join(outside, "kept")) {
		t.Error("a symbolic link was followed")
	}
}
