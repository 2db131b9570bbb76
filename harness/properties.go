package harness

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"plugcheck/validator"
)

// rapidSettings are rapid's flags, which are the process's own: runs that want the
// same ones share them, and a run that wants others waits until those are through.
var rapidSettings struct {
	sync.Mutex
	through sync.Cond
	checks  int
	seed    uint64
	users   int
}

func init() { rapidSettings.through.L = &rapidSettings }

// takeRapid sets rapid up for a run, which lets go of it in the end.
func takeRapid(checks int, seed uint64) (letGo func(), err error) {
	r := &rapidSettings
	r.Lock()
	defer r.Unlock()
	for r.users > 0 && (r.checks != checks || r.seed != seed) {
		r.through.Wait()
	}
	if r.users == 0 {
		if err := setRapid(checks, seed); err != nil {
			return nil, err
		}
		r.checks, r.seed = checks, seed
	}
	r.users++
	return func() {
		r.Lock()
		defer r.Unlock()
		if r.users--; r.users == 0 {
			r.through.Broadcast()
		}
	}, nil
}

// setRapid makes rapid usable outside go test.
func setRapid(checks int, seed uint64) error {
	if flag.Lookup("test.v") == nil {
		testing.Init()
	}
	if !flag.Parsed() {
		if err := flag.CommandLine.Parse(nil); err != nil {
			return err
		}
	}
	if testing.Short() {
		checks *= 5 // rapid divides by as much under go test -short, and the kit means what it says
	}
	for name, value := range map[string]string{
		"rapid.checks":     strconv.Itoa(checks),
		"rapid.seed":       strconv.FormatUint(seed, 10),
		"rapid.nofailfile": "true",
		"rapid.shrinktime": "60s",
	} {
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// maxShrinks bounds how often a smaller request is looked for: by number and not
// by time, so that the same seed ends at the same one on any machine.
const maxShrinks = 100

// A property is what has to hold for anything that can be drawn. It returns
// the reply that breaks it; the last one it returned is the shrunk one.
func (sc *scenario) property(holds func(*rapid.T) (*outcome, error)) error {
	var last *outcome
	var kit error
	tries, shrinking := 0, 0
	tb := &collector{}
	done := make(chan struct{})
	go func() { // rapid leaves a failed check with Goexit, as go test does
		defer close(done)
		rapid.Check(tb, func(t *rapid.T) {
			if kit != nil {
				return
			}
			if shrinking++; last == nil {
				shrinking = 0
			}
			if shrinking > maxShrinks {
				runtime.Goexit() // small enough: rapid would go on for as long as it may
			}
			tries++
			o, err := holds(t)
			if err != nil {
				kit = err
				return
			}
			// Shrinking looks for the same fault, and must not end up at another.
			if o != nil && (last == nil || o.finding.Class == last.finding.Class && o.cause == last.cause) {
				last = o
				t.Fatalf("%s", o.finding.Class)
			}
		})
	}()
	<-done
	switch {
	case kit != nil:
		return kit
	case last != nil:
		sc.counterexample(last, tries)
		return last
	case tb.failed:
		return fmt.Errorf("the property could not be tried: %s", strings.Join(tb.log, "; "))
	}
	return nil
}

// counterexample adds the smallest request that fails, to be read and repeated.
func (sc *scenario) counterexample(o *outcome, tries int) {
	o.finding.Message += fmt.Sprintf(" (found and shrunk in %d tries with seed %d)", tries, sc.session.options.Seed)
	if o.seen != nil && len(o.seen.sent()) > 0 {
		o.finding.Message += ". The smallest request that fails: " + validator.Quote(o.seen.sent(), 600)
	}
}

// collector is what rapid reports to outside go test.
type collector struct {
	failed bool
	log    []string
}

var _ rapid.TB = (*collector)(nil)

func (c *collector) Helper()                   {}
func (c *collector) Name() string              { return "plugcheck" }
func (c *collector) Logf(f string, a ...any)   { c.log = append(c.log, fmt.Sprintf(f, a...)) }
func (c *collector) Log(a ...any)              { c.log = append(c.log, fmt.Sprint(a...)) }
func (c *collector) Skipf(string, ...any)      { c.SkipNow() }
func (c *collector) Skip(...any)               { c.SkipNow() }
func (c *collector) SkipNow()                  { runtime.Goexit() }
func (c *collector) Errorf(f string, a ...any) { c.Logf(f, a...); c.Fail() }
func (c *collector) Error(a ...any)            { c.Log(a...); c.Fail() }
func (c *collector) Fatalf(f string, a ...any) { c.Errorf(f, a...); c.FailNow() }
func (c *collector) Fatal(a ...any)            { c.Error(a...); c.FailNow() }
func (c *collector) FailNow()                  { c.Fail(); runtime.Goexit() }
func (c *collector) Fail()                     { c.failed = true }
func (c *collector) Failed() bool              { return c.failed }
