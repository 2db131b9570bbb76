package harness

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/rewriter"
)

// rewriting is the host's side: the built-in rewriter, or a process that answers
// JSON lines. A process is started when it is first asked, and again when it left.
type rewriting struct {
	session *session
	path    string // empty for the built-in one
	args    []string
	dirs    Workdir

	mu      sync.Mutex
	process *Process
	asked   int // requests that the process answered
	said    int // bytes of its answers
	hung    int
	// waited is how long all answers took, and answered how many there were.
	waited   time.Duration
	answered int
}

func newRewriting(s *session) (*rewriting, error) {
	h := &rewriting{session: s}
	argv := s.target.Config.Rewriter
	if len(argv) == 0 {
		return h, nil
	}
	var err error
	if h.path, err = lookPath(argv[0]); err != nil {
		return nil, fmt.Errorf("rewriter: %w", err)
	}
	for _, arg := range argv[1:] {
		h.args = append(h.args, absolute(arg))
	}
	h.dirs, err = s.work.Get()
	return h, err
}

func (h *rewriting) builtin() bool { return h.path == "" }

// answersCheck is the check that a rewriter answers at all.
const answersCheck = "literal.rewriter.answers"

// rewriterLimit is how long a rewriter may take for one answer; a host waits for it
// with a person in front of it.
const rewriterLimit = 5 * time.Second

// A saying is one request to a rewriter, and its answer.
type saying struct {
	request rewriter.Request
	line    []byte // what was sent
	answer  []byte
	reply   *rewriter.Reply
	started time.Time
	took    time.Duration
	end     string // how the process ended, where it did
}

func (s *saying) sent() []byte { return s.line }

func (s *saying) transcript() []reports.Line {
	lines := []reports.Line{line(0, string(validator.FromHost), s.line, int64(len(s.line)))}
	if len(s.answer) > 0 {
		lines = append(lines, line(s.took, string(validator.FromPlugin), s.answer, int64(len(s.answer))))
	}
	if s.end != "" {
		lines = append(lines, line(s.took, string(validator.FromExit), []byte(s.end), int64(len(s.end))))
	}
	return lines
}

// ask sends a request. An outcome says why there is no answer that can be read.
func (h *rewriting) ask(ctx context.Context, r rewriter.Request) (*saying, error) {
	return h.send(ctx, r, r.Line())
}

func (h *rewriting) send(ctx context.Context, r rewriter.Request, text []byte) (*saying, error) {
	s := &saying{request: r, line: text, started: time.Now()}
	var err error
	if h.builtin() {
		s.answer = rewriter.Answer(text)
	} else if err = h.exchange(ctx, s); err != nil {
		return nil, err
	}
	s.took = time.Since(s.started)
	var f *validator.Finding
	if s.reply, f = rewriter.Read(bytes.TrimSuffix(s.answer, []byte("\n"))); f != nil {
		return nil, &outcome{finding: *f, cause: answersCheck, seen: s}
	}
	return s, nil
}

// patience is how long the kit waits for all answers together: a rewriter that is
// in time each time can still take hours.
const patience = 2 * time.Minute

// exchange asks the process, and ends one that is silent.
func (h *rewriting) exchange(ctx context.Context, s *saying) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hung >= maxHung {
		return s.broken("hung", fmt.Sprintf("not asked: %d requests before it got no answer, and the rewriter had to be ended", maxHung))
	}
	if h.waited > patience {
		return cannotTest("not tried to the end: %d answers of the rewriter took %s", h.answered, h.waited.Round(time.Second))
	}
	if err := h.start(ctx); err != nil {
		return err
	}
	if extra, ok := h.process.ReadLine(0); ok {
		s.answer = bytes.Clone(extra)
		h.end(s)
		return s.broken("unasked", "it wrote a line that nobody had asked for: "+validator.Quote(s.answer, 200))
	}
	h.process.Write(s.line)
	answer, ok := h.process.ReadLine(h.limit())
	s.answer, s.took = bytes.Clone(answer), time.Since(s.started)
	h.waited += s.took
	h.answered++
	h.asked++
	if h.said += len(answer); ok && h.asked < sittings && h.said < sittingSize {
		return nil
	}
	t := h.end(s)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case ok:
		s.end = ""
		return nil
	case t.Flooded:
		h.hung++
		s.answer = t.Stdout[:min(len(t.Stdout), 200)]
		return s.broken("flood", fmt.Sprintf("it wrote %d MiB and more without an end of the line", len(t.Stdout)>>20))
	case s.took >= h.limit():
		h.hung++
		return s.broken("silent", fmt.Sprintf("it gave no answer within %s", h.limit()))
	case t.Exit.Ended != "":
		h.hung++
		return s.broken("closed", "it closed its output without an answer and stayed: "+s.end)
	}
	return s.broken("gone", "it left without an answer: "+s.end)
}

// One process is asked so many requests, and until it has said so many bytes: all
// that it says is kept until it ends.
const (
	sittings    = 200
	sittingSize = 8 << 20
	// rewriterCap has room for one more answer, on the largest file that loads and
	// with every character of it escaped.
	rewriterCap = 32 << 20
)

// start starts a process where there is none.
func (h *rewriting) start(ctx context.Context) (err error) {
	if h.process == nil {
		h.asked, h.said = 0, 0
		h.process, err = Start(ctx, Spec{Path: h.path, Args: h.args, Dir: h.dirs.Dir, Env: h.session.environment(h.dirs), Limit: 24 * time.Hour, Cap: rewriterCap})
	}
	return err
}

// end takes the process through the close ladder and says how it went.
func (h *rewriting) end(s *saying) validator.Transcript {
	t := h.process.Stop()
	h.process = nil
	s.end = t.Exit.String()
	return t
}

func (h *rewriting) limit() time.Duration {
	if o := h.session.options.Timeout; o > 0 {
		return o
	}
	return rewriterLimit
}

func (h *rewriting) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process != nil {
		h.end(&saying{})
	}
	return nil
}

// broken is the outcome of a request that got no answer.
func (s *saying) broken(class, message string) *outcome {
	return &outcome{cause: answersCheck, seen: s, finding: validator.Finding{Class: class, Message: message, Expected: "one line of JSON for each line, in their order", Got: message}}
}

// last ends the process and looks at what it wrote beside its answers.
func (h *rewriting) last(s *saying) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process == nil {
		return nil
	}
	t := h.process.Stop()
	h.process = nil
	s.end = t.Exit.String()
	lines := bytes.Count(t.Stdout, []byte("\n"))
	if !bytes.HasSuffix(t.Stdout, []byte("\n")) {
		lines++
	}
	if lines != h.asked {
		s.answer = t.Stdout
		return s.broken("lines", fmt.Sprintf("it wrote %d lines for %d requests", lines, h.asked))
	}
	return nil
}
