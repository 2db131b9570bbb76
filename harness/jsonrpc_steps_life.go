package harness

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

func (sc *jsonrpcScenario) asksToShutDown() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	call := d.call(rpc.Shutdown, map[string]any{})
	if err := d.answers(sc.wire.within(shutdownTime), call); err != nil {
		o := err.(*outcome)
		o.cause = "rpc.shutdown"
		return o
	}
	sc.did = "plugin.shutdown"
	return nil
}

func (sc *jsonrpcScenario) sendsSIGTERM() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	sc.did = "SIGTERM"
	if !d.terminate() && !d.over() {
		return skip("this system has no SIGTERM")
	}
	return nil
}

// sendsSIGTERMIfThere is what the host does after plugin.shutdown.
func (sc *jsonrpcScenario) sendsSIGTERMIfThere() error {
	if sc.talk.leaves(usualPatience) {
		return nil
	}
	return sc.sendsSIGTERM()
}

func (sc *jsonrpcScenario) closesStdin() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	d.closeStdin()
	sc.did = "the end of stdin"
	return nil
}

func (sc *jsonrpcScenario) closesStdinAtOnce() error {
	if sc.wire.barren != nil {
		return cannotTest("not run: the plugin could not be initialized")
	}
	d, err := sc.start(sc.check.ID, sc.manner)
	if err != nil {
		return err
	}
	sc.talk = d
	d.closeStdin()
	sc.did = "the end of stdin before it was sent anything"
	return nil
}

// leavesByItself waits as long as the host waits after SIGTERM.
func (sc *jsonrpcScenario) leavesByItself() error {
	d := sc.talk
	spent := d.proc.CPU()
	limit := sc.wire.within(sigtermTime)
	if !d.leaves(limit) {
		f := validator.Finding{Class: "stays", Message: fmt.Sprintf("%s after %s it was still running", limit, sc.did), Expected: "that it leaves by itself with status 0", Got: "still running"}
		if used := d.proc.CPU() - spent; used > limit/2 {
			f.Class = "spins"
			f.Message += fmt.Sprintf(", and had used %s of processor time meanwhile: it reads the end of the stream again and again", used.Round(100*time.Millisecond))
		}
		return d.fail(f)
	}
	if exit := d.proc.Wait().Exit; !exit.Clean() {
		return d.fail(validator.Finding{Class: "status", Message: "after " + sc.did + " it ended otherwise than by itself with status 0: " + exit.String(), Expected: "exit status 0", Got: exit.String()})
	}
	return nil
}

func (sc *jsonrpcScenario) isGone() error {
	d := sc.talk
	limit := sc.wire.within(sigtermTime)
	if d.leaves(limit) {
		return nil
	}
	return d.fail(validator.Finding{Class: "stays", Message: fmt.Sprintf("%s after %s it was still running: the host kills it then", limit, sc.did),
		Expected: "that it is gone within 3 s", Got: "still running"})
}

// callsAndCloses makes calls and closes stdin right behind them; those that it took
// are owed an answer. Only calls that need nothing of the host are made: it cannot
// answer any more.
func (sc *jsonrpcScenario) callsAndCloses(n int) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	list := []request{sc.wire.probe}
	for _, r := range calls(sc.wire.usable()) {
		before := d.saidSoFar()
		if err := sc.askEach([]request{r}); err != nil {
			return err
		}
		if d.saidSoFar() == before {
			list = append(list, r)
		}
	}
	sc.calls = nil
	for i := range n {
		if err := sc.ask(d, list[i%len(list)]); err != nil {
			return err
		}
	}
	d.closeStdin()
	var calls []*rpc.Call
	for _, c := range sc.calls {
		calls = append(calls, c.Call)
	}
	if d.missing(sc.limit(), calls...) == nil {
		return nil
	}
	answered := 0
	for _, c := range calls {
		if c.Answer() != nil {
			answered++
		}
	}
	d.mu.Lock()
	d.hung = true
	d.took()
	d.mu.Unlock()
	how := "still running"
	if d.over() {
		how = d.proc.Wait().Exit.String()
	}
	return d.fail(validator.Finding{Class: "dropped", Message: fmt.Sprintf("%d calls were sent before stdin was closed, and %d were answered: %s", n, answered, how),
		Expected: strconv.Itoa(n) + " answers", Got: strconv.Itoa(answered) + " answers"})
}

const (
	// window is how many calls are in flight at once when many are made.
	window = 32
	// warm is how many calls come before the memory is looked at: caches fill first.
	warm = 200
	// growth is how much more memory is nothing worth a word.
	growth = 32 << 20
	// pumpTime is how long many calls may take before they are too many for it.
	pumpTime = 15 * time.Second
)

// makesCalls makes many calls, some in flight at once, and looks at the memory.
func (sc *jsonrpcScenario) makesCalls(n int) error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	list := append(calls(sc.wire.usable()), sc.wire.probe)
	sc.did = strconv.Itoa(n) + " calls"
	if err := d.pump(warm, list, sc.limit()); err != nil {
		return err
	}
	sc.memory = d.proc.Memory()
	return d.pump(n, list, sc.limit())
}

// pump makes n calls, window of them at once: for each that is answered the next.
func (d *dialogue) pump(n int, list []request, limit time.Duration) error {
	var open []*rpc.Call
	answered := func(k *rpc.Call) bool { return k.Answer() != nil }
	begun := time.Now()
	for made := 0; made < n; {
		for len(open) < window && made < n {
			open = append(open, d.ask(list[made%len(list)]))
			made++
		}
		if !d.await(limit, func() bool { return slices.ContainsFunc(open, answered) }) {
			return d.unanswered(open[0])
		}
		d.mu.Lock()
		open = slices.DeleteFunc(open, answered)
		if time.Since(begun) > pumpTime {
			d.hung = true // it has calls to work on, and is not asked to shut down behind them
			d.mu.Unlock()
			return skip("it is too slow for many calls: in %s it answered %d of %d", pumpTime, made-len(open), n)
		}
		d.mu.Unlock()
	}
	return d.answers(limit, open...)
}

func (sc *jsonrpcScenario) memoryStays() error {
	after := sc.talk.proc.Memory()
	if sc.memory == 0 || after == 0 {
		return skip("this system does not tell how much memory a process has")
	}
	if grown := after - sc.memory; grown > growth {
		return sc.talk.fail(validator.Finding{Class: "grows", Message: fmt.Sprintf("with %s its memory grew by %d MiB, from %d to %d MiB", sc.did, grown>>20, sc.memory>>20, after>>20),
			Expected: fmt.Sprintf("no more than %d MiB", growth>>20), Got: fmt.Sprintf("%d MiB", grown>>20)})
	}
	return nil
}
