package reports

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"
)

// TerminalWidth is how wide the terminal behind f is: zero where f is none.
func TerminalWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// A Progress is one line on a terminal that tells how far a run has come. It is
// redrawn at most ten times a second. A nil Progress and one without width
// write nothing.
type Progress struct {
	w     io.Writer
	width int

	mu      sync.Mutex
	total   int
	done    int
	counts  [5]int // by Status
	running []running

	stop, stopped chan struct{}
}

type running struct {
	id    string
	since time.Time
}

// NewProgress returns a progress line of that width, as TerminalWidth tells it.
func NewProgress(w io.Writer, width int) *Progress { return &Progress{w: w, width: width} }

func (p *Progress) off() bool { return p == nil || p.width <= 0 }

// Start begins to draw. total is how many checks there will be.
func (p *Progress) Start(total int) {
	if p.off() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = total
	if p.stop != nil {
		return
	}
	p.stop, p.stopped = make(chan struct{}), make(chan struct{})
	go p.draw(p.stop, p.stopped)
}

// Begin tells that the check has begun.
func (p *Progress) Begin(id string) {
	if p.off() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, running{id, time.Now()})
}

// Done tells what became of the check.
func (p *Progress) Done(id string, status Status) {
	if p.off() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.counts[status]++
	if i := slices.IndexFunc(p.running, func(r running) bool { return r.id == id }); i >= 0 {
		p.running = slices.Delete(p.running, i, i+1)
	}
}

// Stop clears the line; what is written after it stands on an empty one.
func (p *Progress) Stop() {
	if p.off() {
		return
	}
	p.mu.Lock()
	stop, stopped := p.stop, p.stopped
	p.stop = nil
	p.mu.Unlock()
	if stop != nil {
		close(stop)
		<-stopped
	}
}

func (p *Progress) draw(stop, stopped chan struct{}) {
	defer close(stopped)
	tick := time.NewTicker(time.Second / 10)
	defer tick.Stop()
	drawn := ""
	for {
		select {
		case <-stop:
			if drawn != "" {
				fmt.Fprint(p.w, "\r\x1b[K")
			}
			return
		case <-tick.C:
			if s := p.line(); s != drawn {
				fmt.Fprintf(p.w, "\r%s\x1b[K", s)
				drawn = s
			}
		}
	}
}

func (p *Progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := fmt.Sprintf("%d/%d", p.done, p.total)
	for _, status := range []Status{Pass, Fail, Skip, Waived, StatusUntested} {
		if n := p.counts[status]; n > 0 {
			s += fmt.Sprintf("  %s %d", marks[status], n)
		}
	}
	if len(p.running) > 0 {
		oldest := p.running[0]
		s += "  " + one(oldest.id)
		if d := time.Since(oldest.since); d >= time.Second {
			s += fmt.Sprintf(" %ds", int(d.Seconds()))
		}
	}
	if r := []rune(s); len(r) >= p.width {
		s = string(r[:p.width-1])
	}
	return s
}
