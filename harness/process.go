// Package harness starts plugins, talks to them and holds on to everything
// they start, so that no plugin, however hostile, outlives the exchange.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"plugcheck/validator"
)

// What a zero field of a [Spec] stands for.
const (
	DefaultCap   = 16 << 20
	DefaultLimit = 10 * time.Second
	DefaultGrace = 500 * time.Millisecond
)

const (
	// linger is what descendants may take to end after the plugin itself: a
	// pipeline's last process is often a few milliseconds behind.
	linger = 200 * time.Millisecond
	// stubborn bounds every wait for something that was sent SIGKILL.
	stubborn = 5 * time.Second
	// haste replaces Spec.Grace when the user wants to stop.
	haste = 50 * time.Millisecond

	maxEvents = 1000
	// keptLog is what is kept of stderr, which nobody judges: it is read to its
	// end and counted whatever comes.
	keptLog   = 1 << 20
	chunkSize = 64 << 10

	marker = "PLUGCHECK_EXCHANGE="
)

var exchanges atomic.Int64

// A Spec says what to start and what it is allowed.
type Spec struct {
	Path string // a file, never looked up in PATH
	Args []string
	Env  []string // the whole environment: nothing is inherited
	Dir  string

	// Heard takes what comes on stdout and stderr, each stream from one goroutine,
	// and nothing of what goes either way is kept then: a long session is judged as
	// it goes on. What is heard is only good until Heard returns.
	Heard func(from validator.Source, text []byte)

	Limit time.Duration // from the start to the end of the exchange
	Cap   int64         // bytes kept of each stream; going over it on stdout is a flood
	Grace time.Duration // between two steps of the close ladder

	NullStderr bool     // stderr is the null device, not a pipe
	Sandbox    *Sandbox // nil for none
}

// A Process is a started plugin together with all that it starts. The methods
// that write and those that read may be used from two goroutines at once.
type Process struct {
	spec Spec
	tree *tree

	stdin, stdout, stderr *os.File
	// stdinTail is the plugin's own end of stdin. What is left in the pipe can
	// then be counted in the end, so that Unsent does not depend on whether the
	// plugin left just before or just after it was written to.
	stdinTail *os.File

	mu      sync.Mutex
	in      []byte // all of Write
	sent    int    // how much of it the pipe took
	feeding bool   // a goroutine is writing the rest
	closing bool
	scanned int // how much of stdout ReadLine has searched, and
	read    int // handed out
	t       validator.Transcript

	news      chan struct{} // something came on stdout
	flooded   chan struct{}
	fed       chan struct{} // stdin is closed
	stdoutEOF chan struct{}
	stderrEOF chan struct{}
	exited    chan struct{}
	done      chan struct{} // the transcript is complete

	ending, concluding sync.Once
	limit              *time.Timer
	uncancel           func() bool
}

// Start starts a plugin. The error is a [*StartError] when something is wrong
// with the plugin's executable, any other error is the kit's own. Every process
// started must be waited for.
func Start(ctx context.Context, s Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	if s.Path, err = filepath.Abs(s.Path); err != nil {
		return nil, err
	}
	s.Limit = defaultTo(s.Limit, DefaultLimit)
	s.Cap = defaultTo(s.Cap, DefaultCap)
	s.Grace = defaultTo(s.Grace, DefaultGrace)

	p := &Process{
		spec:      s,
		news:      make(chan struct{}, 1),
		flooded:   make(chan struct{}),
		fed:       make(chan struct{}),
		stdoutEOF: make(chan struct{}),
		stderrEOF: make(chan struct{}),
		exited:    make(chan struct{}),
		done:      make(chan struct{}),
	}
	if err := p.launch(); err != nil {
		closeAll(p.stdin, p.stdinTail, p.stdout, p.stderr)
		return nil, err
	}
	p.t.Started, p.t.Limit = time.Now(), s.Limit
	go p.drain(p.stdout, validator.FromPlugin, &p.t.Stdout, &p.t.StdoutBytes, p.stdoutEOF)
	if s.NullStderr {
		close(p.stderrEOF)
	} else {
		go p.drain(p.stderr, validator.FromStderr, &p.t.Stderr, &p.t.StderrBytes, p.stderrEOF)
	}
	p.mu.Lock() // either may come at once
	p.limit = time.AfterFunc(s.Limit, p.timeOut)
	p.uncancel = context.AfterFunc(ctx, func() { p.end(min(s.Grace, haste)) })
	p.mu.Unlock()
	go p.tend()
	return p, nil
}

func defaultTo[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close() // a nil file only returns an error
	}
}

// launch makes the pipes and starts the process on them.
func (p *Process) launch() (err error) {
	var stdout, stderr *os.File
	defer func() { closeAll(stdout, stderr) }()
	if p.stdin, p.stdinTail, err = newPipe(true); err != nil {
		return err
	}
	if p.stdout, stdout, err = newPipe(false); err != nil {
		return err
	}
	if p.spec.NullStderr {
		stderr, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	} else {
		p.stderr, stderr, err = newPipe(false)
	}
	if err != nil {
		return err
	}
	id := fmt.Sprintf("%s%d.%d", marker, os.Getpid(), exchanges.Add(1))
	attr := os.ProcAttr{
		Dir:   p.spec.Dir,
		Env:   append(slices.Clip(p.spec.Env), id),
		Files: []*os.File{p.stdinTail, stdout, stderr},
	}
	argv := append([]string{p.spec.Path}, p.spec.Args...)

	// A plugin that was written a moment ago may still be open for writing in
	// some other child between its fork and its exec.
	for pause := time.Millisecond; ; pause *= 2 {
		if p.spec.Sandbox != nil {
			p.tree, err = launchSandboxed(argv, attr, p.spec.Sandbox)
		} else {
			p.tree, err = launch(argv[0], argv, attr)
		}
		if pause > linger || !errors.Is(err, syscall.ETXTBSY) {
			break
		}
		time.Sleep(pause)
	}
	if err != nil {
		return startFailure(p.spec, err)
	}
	if !countsUnread {
		p.stdinTail.Close()
	}
	return nil
}

// Write sends b to the plugin without ever blocking the caller. What the plugin
// did not take by its end is counted as Unsent.
func (p *Process) Write(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in = append(p.in, b...)
	p.push()
}

// CloseStdin closes the plugin's stdin once all that was written is sent.
func (p *Process) CloseStdin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	p.push()
}

// cutStdin closes the plugin's stdin now.
func (p *Process) cutStdin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	p.stdin.SetWriteDeadline(time.Now())
	p.push()
}

// push writes what the pipe has room for, which is nearly always all, and
// leaves the rest to a goroutine. It is called with p.mu held.
func (p *Process) push() {
	if p.feeding || isClosed(p.fed) {
		return
	}
	if p.sent < len(p.in) {
		if n := tryWrite(p.stdin, p.in[p.sent:]); n > 0 {
			p.note(validator.FromHost, p.sent, p.sent+n)
			p.sent += n
		}
	}
	if p.spec.Heard != nil && p.sent == len(p.in) {
		p.in, p.sent = p.in[:0], 0
	}
	var err error
	if p.sent < len(p.in) {
		if p.stdin, err = polled(p.stdin); err == nil {
			p.feeding = true
			go p.feed()
			return
		}
	}
	if p.closing || err != nil {
		p.stdin.Close()
		close(p.fed)
	}
}

// feed writes to the plugin until it has taken everything.
func (p *Process) feed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for p.sent < len(p.in) && err == nil {
		chunk := p.in[p.sent:min(len(p.in), p.sent+chunkSize)]
		// Noted beforehand, or the answer could come before the question.
		p.note(validator.FromHost, p.sent, p.sent+len(chunk))
		p.mu.Unlock()
		var n int
		n, err = p.stdin.Write(chunk)
		p.mu.Lock()
		p.sent += n
		if p.spec.Heard != nil && p.sent > DefaultCap/4 { // nobody looks back at it
			p.in, p.sent = p.in[:copy(p.in, p.in[p.sent:])], 0
		}
	}
	p.feeding = false
	if p.closing || err != nil {
		p.stdin.Close()
		close(p.fed)
	}
}

// drain reads a stream to its end, whatever comes, and keeps what fits.
func (p *Process) drain(f *os.File, from validator.Source, kept *[]byte, seen *int64, eof chan struct{}) {
	defer close(eof)
	defer f.Close()
	if p.spec.Heard != nil {
		p.hear(f, from)
		return
	}
	var spill []byte
	most := p.spec.Cap
	if from == validator.FromStderr {
		most = min(most, keptLog)
	}
	buf := make([]byte, 0, 4<<10)
	for {
		if len(buf) == cap(buf) && int64(len(buf)) < most {
			buf = slices.Grow(buf, len(buf))
		}
		room := buf[len(buf):min(int64(cap(buf)), most)]
		full := len(room) == 0
		if full {
			if spill == nil {
				spill = make([]byte, chunkSize)
			}
			room = spill
		}
		n, err := f.Read(room)
		if n > 0 {
			p.mu.Lock()
			*seen += int64(n)
			if !full {
				buf = buf[:len(buf)+n]
				*kept = buf
				p.note(from, len(buf)-n, len(buf))
			} else if from == validator.FromPlugin && !p.t.Flooded {
				p.t.Flooded = true
				close(p.flooded)
				go p.end(0)
			}
			p.mu.Unlock()
			if from == validator.FromPlugin {
				select {
				case p.news <- struct{}{}:
				default:
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// hear hands a stream on as it comes.
func (p *Process) hear(f *os.File, from validator.Source) {
	buf := make([]byte, chunkSize)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			p.spec.Heard(from, buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// note records an event. Past maxEvents the last one of the same source is
// stretched instead: a plugin may well write single bytes for hours.
func (p *Process) note(from validator.Source, start, end int) {
	if p.spec.Heard != nil {
		return
	}
	if len(p.t.Events) >= maxEvents {
		for i := len(p.t.Events) - 1; i >= 0; i-- {
			if e := &p.t.Events[i]; e.From == from {
				e.End = end
				return
			}
		}
	}
	p.t.Events = append(p.t.Events, validator.Event{At: time.Since(p.t.Started), From: from, Start: start, End: end})
}

// WaitOutput waits for at most d and reports whether anything has come on
// stdout or the process has ended.
func (p *Process) WaitOutput(d time.Duration) bool {
	return p.watch(d, p.exited, func() bool { return len(p.t.Stdout) > 0 }) || isClosed(p.exited)
}

// Output is what has come on stdout so far.
func (p *Process) Output() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.t.Stdout)
}

// ReadLine waits for at most d for the next whole line of stdout and returns it
// without its newline.
func (p *Process) ReadLine(d time.Duration) (line []byte, ok bool) {
	ok = p.watch(d, p.stdoutEOF, func() bool {
		i := bytes.IndexByte(p.t.Stdout[p.scanned:], '\n')
		if i < 0 {
			p.scanned = len(p.t.Stdout)
			return false
		}
		line = p.t.Stdout[p.read : p.scanned+i]
		p.scanned += i + 1
		p.read = p.scanned
		return true
	})
	return line, ok
}

// watch waits until seen, which is called with p.mu held, is true of stdout.
func (p *Process) watch(d time.Duration, end <-chan struct{}, seen func() bool) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	for {
		ended := isClosed(end)
		p.mu.Lock()
		ok := seen()
		p.mu.Unlock()
		if ok || ended {
			return ok
		}
		select {
		case <-p.news:
		case <-end:
		case <-late.C:
			return false
		}
	}
}

// Wait waits until the plugin has ended and its output with it, or until it was
// ended for going over a limit, and returns all that was seen. Nothing the
// plugin started runs any more by then.
func (p *Process) Wait() validator.Transcript {
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.t
}

// Stop takes the plugin through the close ladder and waits for its end.
func (p *Process) Stop() validator.Transcript {
	p.end(p.spec.Grace)
	return p.Wait()
}

// Terminate asks the plugin's process group to leave with SIGTERM, and reports
// whether there was somebody to ask.
func (p *Process) Terminate() bool { return p.takes("SIGTERM", p.tree.terminate) }

// Kill ends the whole tree now, without asking.
func (p *Process) Kill() { p.ending.Do(p.slay) }

// Exited is closed when the plugin itself has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Ended is closed when nothing of the plugin runs any more and all that it wrote was heard.
func (p *Process) Ended() <-chan struct{} { return p.done }

// Untaken is how many bytes of what was written the plugin has not read yet.
func (p *Process) Untaken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.in) - p.sent
	if countsUnread && !isClosed(p.done) {
		n += unread(p.stdinTail)
	}
	return n
}

// Backlog is how much of what was written did not fit into the pipe yet.
func (p *Process) Backlog() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.in) - p.sent
}

// CPU is how much processor time the plugin has used, and Memory how much it has
// in memory; zero where that is not known.
func (p *Process) CPU() time.Duration {
	cpu, _ := p.tree.usage()
	return cpu
}

// Memory is described with [Process.CPU].
func (p *Process) Memory() int64 {
	_, memory := p.tree.usage()
	return memory
}

// StdinReaders are processes that the plugin started and that have its stdin open.
func (p *Process) StdinReaders() []validator.Survivor {
	p.mu.Lock()
	defer p.mu.Unlock()
	if isClosed(p.exited) || isClosed(p.fed) {
		return nil
	}
	return p.tree.readers(p.stdin)
}

// tend waits for the plugin itself and then winds the exchange up.
func (p *Process) tend() {
	state, _ := p.tree.proc.Wait()
	p.mu.Lock()
	p.t.Elapsed = time.Since(p.t.Started)
	p.t.Exit.Code, p.t.Exit.Signal = exitOf(state)
	p.tree.reaped.Store(true)
	close(p.exited)
	p.mu.Unlock()
	p.concluding.Do(p.conclude)
}

// timeOut ends a plugin that reached the limit.
func (p *Process) timeOut() {
	p.mu.Lock()
	p.t.TimedOut = !isClosed(p.exited)
	p.mu.Unlock()
	p.end(p.spec.Grace)
}

// end takes the steps of the close ladder, no more of them than it needs. It
// does so once: there is no other ladder for a second reason.
func (p *Process) end(grace time.Duration) {
	p.ending.Do(func() {
		if !p.asks(grace) {
			p.slay()
		}
	})
}

// slay ends the whole tree, while the plugin is there to tell who belongs to it.
func (p *Process) slay() {
	p.takes("SIGKILL", p.tree.kill)
	dead := time.NewTimer(stubborn)
	defer dead.Stop()
	select {
	case <-p.exited:
	case <-dead.C:
		p.concluding.Do(p.conclude) // not even that could end it
	}
}

// asks takes the steps that a plugin can heed, and reports whether it left. A
// flood is not asked.
func (p *Process) asks(grace time.Duration) bool {
	if isClosed(p.flooded) {
		return false
	}
	if !isClosed(p.fed) {
		p.cutStdin()
		if p.exits(grace) {
			return true
		}
	}
	return p.takes("SIGTERM", p.tree.terminate) && p.exits(grace)
}

// takes takes a step of the ladder unless the plugin has left meanwhile.
func (p *Process) takes(name string, step func() bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if isClosed(p.exited) || !step() {
		return false
	}
	p.t.Exit.Ended = name
	return true
}

// exits reports whether the plugin leaves in time, not having become a flood meanwhile.
func (p *Process) exits(d time.Duration) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-p.exited:
		return true
	case <-p.flooded:
	case <-late.C:
	}
	return false
}

// conclude ends whatever is left and completes the transcript.
func (p *Process) conclude() {
	defer close(p.done)
	p.limit.Stop()
	p.uncancel()
	p.cutStdin()
	p.settle()
	<-p.fed
	p.finish()
}

// settle gives what the plugin left behind a moment to end, then names what did
// not and ends it. After SIGKILL nothing is named: the plugin had no chance to
// clean up.
func (p *Process) settle() {
	p.mu.Lock()
	killed := p.t.Exit.Ended == "SIGKILL"
	p.mu.Unlock()
	patience := time.NewTimer(linger)
	defer patience.Stop()
	deadline := time.Now().Add(linger)
	if killed {
		deadline = time.Now()
		patience.Reset(0)
	}
	silent := p.silent(patience.C)
	left := p.tree.left()
	for pause := time.Millisecond; len(left) > 0 && time.Now().Before(deadline) && !isClosed(p.flooded); pause *= 2 {
		time.Sleep(min(pause, time.Until(deadline)))
		left = p.tree.left()
	}
	if silent && len(left) == 0 {
		return
	}
	if !killed {
		p.name(left)
	}
	end := time.Now().Add(stubborn)
	for pause := 50 * time.Microsecond; p.tree.kill() && time.Now().Before(end); pause = min(2*pause, 5*time.Millisecond) {
		time.Sleep(pause)
	}
	patience.Reset(linger)
	p.silent(patience.C)
}

// name records what outlived the plugin.
func (p *Process) name(left []stray) {
	if !isClosed(p.stdoutEOF) {
		p.t.HeldStdout = p.tree.holders(left, p.stdout)
		if p.t.HeldStdout == nil {
			p.t.HeldStdout = []validator.Survivor{{Command: "a process that could not be found"}}
		}
	}
	for _, s := range left {
		if s.sure || slices.Contains(p.t.HeldStdout, s.Survivor) {
			p.t.LeftRunning = append(p.t.LeftRunning, s.Survivor)
		}
	}
}

// silent waits for both streams to end and reports whether they did.
func (p *Process) silent(patience <-chan time.Time) bool {
	for _, eof := range []chan struct{}{p.stdoutEOF, p.stderrEOF} {
		select {
		case <-eof:
			continue
		default:
		}
		select {
		case <-eof:
		case <-patience:
			return false
		}
	}
	return true
}

// finish completes the transcript.
func (p *Process) finish() {
	// Something out of reach may still hold a stream; the kit lets go of it.
	p.stdout.SetReadDeadline(time.Now())
	p.stderr.SetReadDeadline(time.Now())
	p.tree.close()

	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.sent
	if countsUnread {
		taken -= unread(p.stdinTail)
		p.stdinTail.Close()
	}
	p.t.Unsent = int64(len(p.in) - taken)
	p.t.Stdin = p.in[:max(0, taken)]
	p.t.Events = slices.DeleteFunc(p.t.Events, func(e validator.Event) bool {
		return e.From == validator.FromHost && e.Start >= taken
	})
	for i := range p.t.Events {
		if e := &p.t.Events[i]; e.From == validator.FromHost {
			e.End = min(e.End, taken)
		}
	}
	if !isClosed(p.exited) { // not even SIGKILL could end it
		p.t.Elapsed, p.t.Exit.Code = time.Since(p.t.Started), -1
	}
	// Last whatever its time: what was read after it had been written before it.
	p.t.Events = append(p.t.Events, validator.Event{At: p.t.Elapsed, From: validator.FromExit})
}

// A stray is a process of a tree whose plugin has ended.
type stray struct {
	validator.Survivor
	sure bool // no other exchange can have started it
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
