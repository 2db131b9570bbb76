package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

const (
	// dialogueTime is the backstop of a session; each of its steps has a limit of its own.
	dialogueTime = 10 * time.Minute
	// calmTime is how long nothing may come before a plugin counts as done with its registrations.
	calmTime = 300 * time.Millisecond
	// usualPatience is what is waited for something that is on its way, if it is.
	usualPatience = 500 * time.Millisecond
)

// maxBacklog is how much the host has to say may be left unread, beside what a pipe
// holds: a few of the largest messages.
const maxBacklog = 4 << 20

// A dialogue is one process of the plugin, with the host at the other end. What
// comes is read by one goroutine, which adds it to the conversation and lets the
// host answer; all that is sent goes through write.
type dialogue struct {
	wire  *jsonrpc
	ctx   context.Context
	proc  *Process
	dirs  Workdir
	begun time.Time
	news  chan struct{} // something was heard

	mu   sync.Mutex
	conv *rpc.Conversation
	host host
	// patience is what is waited for something that is on its way, if it is.
	patience time.Duration
	part     []byte // a line that has not ended yet
	lastID   int64
	greeted  bool // it was initialized
	hung     bool // something was not answered in time
	closed   bool
	mark     time.Duration // when what is asked of it now began
	// tee takes each line where transcripts are wanted; nil otherwise.
	tee *transcriptFile

	left     validator.Transcript
	outcomes []validator.Outcome
}

// dial starts the plugin.
func (s *jsonrpc) dial(ctx context.Context, name string, m manner) (*dialogue, error) {
	dirs, err := s.work.Get()
	if err != nil {
		return nil, err
	}
	d := &dialogue{wire: s, ctx: ctx, dirs: dirs, news: make(chan struct{}, 1), conv: rpc.New(name, s.manifest), patience: usualPatience}
	d.host = host{manner: m, dialogue: d, uses: map[string]bool{}}
	if m.firstID > 0 {
		d.lastID = m.firstID - 1
	}
	if d.tee, err = s.newTranscriptFile(name); err != nil {
		return nil, err
	}
	d.mu.Lock() // nothing is taken before proc is there to answer with
	defer d.mu.Unlock()
	d.proc, err = Start(ctx, Spec{
		Path: s.target.Executable, Args: s.target.Args, Dir: dirs.Dir, Env: s.environment(dirs),
		Limit: dialogueTime, Heard: d.heard, NullStderr: m.deaf,
	})
	if err != nil {
		s.work.Put(dirs, &validator.Transcript{})
		return nil, err
	}
	d.begun = d.proc.t.Started
	return d, nil
}

func (d *dialogue) now() time.Duration { return time.Since(d.begun) }

// heard takes what comes from the plugin.
func (d *dialogue) heard(from validator.Source, text []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if from == validator.FromStderr {
		d.note(d.now(), from, bytes.Clone(text))
		return
	}
	// What came in one go was sent before any of it could be answered.
	var came []*rpc.Message
	for len(text) > 0 && d.conv.Flood == "" {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			if d.part = append(d.part, text...); len(d.part) > DefaultCap {
				d.flood("it wrote a line of more than 16 MiB")
			}
			break
		}
		raw := slices.Concat(d.part, text[:i])
		d.part, text = d.part[:0], text[i+1:]
		at := d.now()
		came = append(came, d.conv.Add(at, validator.FromPlugin, raw))
		d.tee.message(at, validator.FromPlugin, raw)
		if d.conv.Overflow {
			d.flood("it sent messages of more than 16 MiB that nothing settled")
		}
	}
	for _, m := range came {
		d.host.hear(m)
	}
	if d.proc.Backlog() > maxBacklog {
		d.flood("it went on calling the host and left more than 4 MiB of answers unread")
	}
	d.tell()
}

// flood ends a plugin that says more than can be kept; d.mu is held.
func (d *dialogue) flood(what string) {
	if d.conv.Flood != "" {
		return
	}
	d.conv.Flood, d.part = what, nil
	d.wire.floods.Add(1)
	go d.proc.Kill()
}

// tell wakes whoever waits for something to become true.
func (d *dialogue) tell() {
	select {
	case d.news <- struct{}{}:
	default:
	}
}

// note adds what is no message.
func (d *dialogue) note(at time.Duration, from validator.Source, text []byte) {
	d.conv.Note(at, from, text)
	d.tee.line(at, from, text)
}

// write sends a line, whatever is in it. It is called with d.mu held, and adds the
// line first, or its answer could come before it.
func (d *dialogue) write(raw []byte) *rpc.Message {
	at := d.now()
	m := d.conv.Add(at, validator.FromHost, raw)
	d.tee.message(at, validator.FromHost, raw)
	d.proc.Write(append(raw, '\n'))
	return m
}

// send sends a line, which is kept.
func (d *dialogue) send(raw []byte) *rpc.Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.write(raw)
}

// nextID is a number that was not used yet.
func (d *dialogue) nextID() []byte {
	d.lastID++
	return strconv.AppendInt(nil, d.lastID, 10)
}

// call sends a request with the next id.
func (d *dialogue) call(method string, params any) *rpc.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.callAs(d.nextID(), method, params)
}

// callAs sends a request with any id; d.mu is held.
func (d *dialogue) callAs(id []byte, method string, params any) *rpc.Call {
	return d.write(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"method":`), encoded(method), []byte(`,"params":`), encoded(params), []byte(`}`))).Call
}

// ask sends a request.
func (d *dialogue) ask(r request) *rpc.Call { return d.call(r.method, r.params) }

// notify sends a notification.
func (d *dialogue) notify(method string, params any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.write(slices.Concat([]byte(`{"jsonrpc":"2.0","method":`), encoded(method), []byte(`,"params":`), encoded(params), []byte(`}`)))
}

// encoded is v as JSON, with no more escapes than JSON asks for: what some readers
// of lines trip over, such as U+2028, stands there as it is.
func encoded(v any) []byte {
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	text, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		panic(err) // what is sent was made from JSON or is plain data
	}
	return text
}

// await waits until something is true of the conversation, which is looked at
// whenever something was heard. It reports false when it is not in time, or cannot
// be any more since the plugin has ended.
func (d *dialogue) await(limit time.Duration, until func() bool) bool {
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		ended := isClosed(d.proc.Ended())
		d.mu.Lock()
		ok := until()
		d.mu.Unlock()
		if ok || ended {
			return ok
		}
		select {
		case <-d.news:
		case <-d.proc.Ended():
		case <-late.C:
			d.mu.Lock()
			defer d.mu.Unlock()
			return until()
		}
	}
}

// over reports whether the plugin has ended.
func (d *dialogue) over() bool { return isClosed(d.proc.Ended()) }

// missing waits for the answers to calls and returns the first that has none in
// time. Nobody says that a plugin has to work on several calls at once: while one
// after the other is answered, the time of the rest begins anew.
func (d *dialogue) missing(limit time.Duration, calls ...*rpc.Call) *rpc.Call {
	open := slices.Clone(calls)
	for {
		n := len(open)
		progress := d.await(limit, func() bool {
			open = slices.DeleteFunc(open, func(k *rpc.Call) bool { return k.Answer() != nil })
			return len(open) == 0 || len(open) < n
		})
		switch {
		case len(open) == 0:
			return nil
		case !progress:
			return open[0]
		}
	}
}

// answers waits for the answers to calls. The error says what became of the first
// that has none in time.
func (d *dialogue) answers(limit time.Duration, calls ...*rpc.Call) error {
	if open := d.missing(limit, calls...); open != nil {
		return d.unanswered(open)
	}
	return nil
}

// unanswered finds out what became of a call: whether its answer comes once stdin
// is closed, at the latest.
func (d *dialogue) unanswered(call *rpc.Call) *outcome {
	if err := d.ctx.Err(); err != nil {
		return cannotTest("the run was interrupted in the middle of it")
	}
	d.mu.Lock()
	gaveUp := d.now()
	call.Limit = gaveUp - call.Request.At
	untaken := d.proc.Untaken()
	d.hung = true
	d.mu.Unlock()
	eaters := d.proc.StdinReaders() // before the end of stdin lets them go
	if !d.over() {
		d.wire.silences.Add(1)
		d.closeStdin()
		d.await(d.patience, func() bool { return call.Answer() != nil })
	}
	d.mu.Lock()
	d.took()
	f := d.conv.Unanswered(call, gaveUp)
	if d.conv.Flood != "" {
		f.Class, f.Message = "flood", d.conv.Flood+", and was ended for it"
	}
	d.mu.Unlock()
	if len(eaters) > 0 {
		f.Class = "stdin-held"
		f.Message += fmt.Sprintf("; process %s, which it started, reads from the same stdin", eaters[0])
		f.Fix = "Start other programs with a stdin of their own: stdin=subprocess.DEVNULL in Python, stdio: [\"ignore\", …] in Node.js."
	}
	if untaken > 0 && !d.over() {
		f.Message += fmt.Sprintf("; it had left %d bytes on its stdin unread", untaken)
	}
	return d.fail(f)
}

func (d *dialogue) closeStdin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conv.Closed == 0 {
		d.conv.CloseStdin(d.now())
		d.tee.line(d.now(), validator.FromMark, []byte(rpc.MarkClosed))
		d.proc.CloseStdin()
	}
}

// terminate sends SIGTERM, where there is such a thing.
func (d *dialogue) terminate() bool {
	d.mu.Lock()
	d.conv.Signal(d.now(), "SIGTERM")
	d.tee.line(d.now(), validator.FromMark, []byte(rpc.MarkSent+"SIGTERM"))
	d.mu.Unlock()
	return d.proc.Terminate()
}

// kill ends it without asking.
func (d *dialogue) kill() {
	if isClosed(d.proc.Exited()) {
		return
	}
	d.mu.Lock()
	d.conv.Signal(d.now(), "SIGKILL")
	d.mu.Unlock()
	d.proc.Kill()
}

// leaves waits for the plugin itself to end.
func (d *dialogue) leaves(limit time.Duration) bool {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-d.proc.Exited():
		return true
	case <-late.C:
		return false
	}
}

// causes are the rules whose breach is why a call seems to be unanswered, by the
// class of what is said of it.
var causes = map[string]string{
	"not-flushed": "rpc.flushes", "wrong-id": "rpc.id-echo", "spoiled": "rpc.lines", "flood": "rpc.lines", "taken": "rpc.id-collision", "stdin-held": "rpc.children-leave-stdin",
}

// fail makes the outcome of a failed expectation about this session.
func (d *dialogue) fail(f validator.Finding) *outcome {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &outcome{finding: f, cause: causes[f.Class], seen: d.shown()}
}

// initialize makes the handshake and waits for the registrations.
func (d *dialogue) initialize() error {
	s := d.wire
	call := d.call(rpc.Initialize, d.host.manner.greeting())
	if err := d.answers(s.within(initializeTime), call); err != nil {
		return err
	}
	if e := call.Answer().Error; e != nil {
		return d.fail(validator.Finding{Class: "refused", Message: "it refused to be initialized: " + validator.Quote(e, 200), Expected: "a result with its name and version"})
	}
	d.mu.Lock()
	d.greeted = true
	d.mu.Unlock()
	if s.settled {
		// The others wait no longer than it takes, since they know what comes.
		d.await(s.within(shutdownTime), func() bool { return d.host.registry.size() >= s.usual.size() })
		return nil
	}
	calm := calmTime
	if early := d.registered(); early.size() > 0 { // who registers before it answers is done by then
		calm = calmTime / 4
	}
	for n := -1; n != d.heardSoFar() && !d.over() && d.now() < initializeTime; {
		n = d.heardSoFar()
		d.await(calm, func() bool { return d.seen() != n })
	}
	return nil
}

// registered is what the plugin has registered.
func (d *dialogue) registered() registry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.host.registry.clone()
}

// identity is what the plugin said of itself, or nil.
func (d *dialogue) identity() *rpc.Identity {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conv.Identity()
}

// seen counts what was said in the session; d.mu is held.
func (d *dialogue) seen() int { return len(d.conv.Messages) + d.conv.Left }

func (d *dialogue) heardSoFar() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen()
}

// serves asks it something that it is known to answer.
func (d *dialogue) serves(after string) error {
	call := d.ask(d.wire.probe)
	if err := d.answers(d.wire.answerLimit(), call); err != nil {
		o := err.(*outcome)
		o.finding.Message = "after " + after + ", the next call was not served: " + o.finding.Message
		if o.finding.Expected == "" {
			o.finding.Expected = "that it goes on and answers the next call"
		}
		return o
	}
	return nil
}

// close ends the session as a host does, if the plugin is well, and judges it.
func (d *dialogue) close() error {
	d.mu.Lock()
	well := d.greeted && !d.hung && d.conv.Cut == 0 && d.conv.Asked == 0 && d.conv.Flood == ""
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	if well && !d.wire.lingers.Load() && !d.over() && d.ctx.Err() == nil {
		d.host.letGo()
		call := d.call(rpc.Shutdown, map[string]any{})
		d.await(d.wire.within(shutdownTime), func() bool { return call.Answer() != nil })
		if !d.leaves(20 * time.Millisecond) {
			d.closeStdin()
			d.wire.lingers.CompareAndSwap(false, !d.leaves(shutdownTime))
		}
	}
	d.kill()
	<-d.proc.Ended()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.took()
	d.outcomes = validator.Judge(d.wire.rules, d.conv)
	d.wire.work.Put(d.dirs, &d.left)
	return d.tee.close()
}

// took takes leave of a process that has ended, once; d.mu is held.
func (d *dialogue) took() {
	if !d.over() || d.conv.Exit != nil {
		return
	}
	d.left = d.proc.Wait()
	if exit := d.left.Exit; len(d.part) > 0 && exit.Ended == "" && exit.Signal == "" { // or it was cut by that
		d.conv.AddRest(d.now(), validator.FromPlugin, d.part)
		d.tee.line(d.now(), validator.FromPlugin, d.part)
		d.part = nil
	}
	d.conv.LeftRunning = d.left.LeftRunning
	d.conv.Leave(d.left.Elapsed, d.left.Exit)
	d.tee.line(d.left.Elapsed, validator.FromExit, []byte(d.left.Exit.String()))
}

// shown keeps what can be shown of the session; d.mu is held.
func (d *dialogue) shown() *exchangeShown {
	e := &exchangeShown{lines: shownConversation(d.conv)}
	var asked [][]byte
	for _, m := range d.conv.Messages {
		if m.From == validator.FromHost && m.At > d.mark && d.greeted && len(asked) < 40 {
			asked = append(asked, m.Raw)
		}
	}
	e.asked = bytes.Join(asked, []byte("\n"))
	if d.conv.Exit == nil {
		e.lines = append(e.lines, reports.Line{MS: milliseconds(d.now()), From: string(validator.FromExit), Data: "still running"})
	}
	return e
}

// shownConversation is a conversation in the report's form, shortened where it is long.
func shownConversation(c *rpc.Conversation) []reports.Line {
	var lines []reports.Line
	for _, m := range c.Excerpt(maxLines) {
		if m.Left > 0 {
			lines = append(lines, reports.Line{MS: milliseconds(m.At), From: string(validator.FromMark), Data: fmt.Sprintf("(%d lines are left out here)", m.Left)})
		}
		lines = append(lines, line(m.At, string(m.From), m.Raw, int64(len(m.Raw))))
	}
	return lines
}

// exchangeShown is what a report shows of a session.
type exchangeShown struct {
	lines []reports.Line
	asked []byte
}

func (e *exchangeShown) transcript() []reports.Line { return e.lines }
func (e *exchangeShown) sent() []byte               { return e.asked }
