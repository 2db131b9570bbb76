package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

// A jsonrpcScenario is what the steps of a scenario share.
type jsonrpcScenario struct {
	*scenario
	wire   *jsonrpc
	manner manner
	talk   *dialogue // the session that the steps are about
	all    []*dialogue
	calls  []sentCall // what was called since the scenario began
	did    string     // what was done last, in words
	// unhurried is set where a call may take longer than the document allows.
	unhurried bool
	memory    int64 // of the plugin, before many calls
}

// A sentCall is a call with the words for it.
type sentCall struct {
	*rpc.Call
	about string
}

func (s *jsonrpc) scenario(sc *scenario) any {
	state := &jsonrpcScenario{scenario: sc, wire: s}
	sc.release = state.closeAll
	return state
}

// closeAll ends the scenario's sessions and keeps what the rules say of them.
func (sc *jsonrpcScenario) closeAll() {
	s := sc.wire
	for _, d := range sc.all {
		if err := d.close(); err != nil {
			sc.run.kit = err
		}
		if sc.ctx.Err() != nil {
			continue // it was ended by us, so what it said means nothing
		}
		d.mu.Lock()
		seen := d.shown()
		d.mu.Unlock()
		s.mu.Lock()
		sc.run.record(d.conv.Name, seen, d.outcomes, sc.check, s.options.Examples)
		s.mu.Unlock()
	}
	sc.all, sc.calls, sc.talk = nil, nil, nil
}

// start begins a session without a word.
func (sc *jsonrpcScenario) start(name string, m manner) (*dialogue, error) {
	d, err := sc.wire.dial(sc.ctx, name, m)
	if err != nil {
		return nil, err
	}
	sc.all = append(sc.all, d)
	return d, nil
}

// session is the one that the steps are about; the first to ask for it begins it.
func (sc *jsonrpcScenario) session() (*dialogue, error) {
	if sc.talk != nil {
		return sc.talk, nil
	}
	d, err := sc.another()
	sc.talk = d
	return d, err
}

// another begins a session and initializes the plugin.
func (sc *jsonrpcScenario) another() (*dialogue, error) {
	if sc.wire.barren != nil {
		return nil, cannotTest("not run: the plugin could not be initialized: %s", sc.wire.barren.finding.Message)
	}
	if n := sc.wire.floods.Load(); n >= maxFloods {
		return nil, cannotTest("not run: it was ended in %d sessions for saying too much, see rpc.lines", n)
	}
	d, err := sc.start(sc.check.ID, sc.manner)
	if err != nil {
		return nil, err
	}
	return d, d.initialize()
}

// manners are the hosts that a scenario can ask for, by the words for them.
var manners = map[string]manner{
	"answers 1 s late":                                    {late: time.Second},
	"answers every call with an error":                    {fault: &fault{code: rpc.CodeInternal, message: "plugcheck answers with an error"}},
	"denies what needs a permission":                      {fault: &fault{rpc.CodePermissionDenied, "permission denied", "plugcheck denies everything in this session"}},
	"answers null":                                        {null: true},
	"asks something before it answers":                    {asksBack: true},
	"asks something with the id of the plugin's own call": {asksBack: true, collides: true, firstID: 1_000_001},
	"counts its ids up to 2^53-1":                         {firstID: 1<<53 - 50},
	"does not read stderr":                                {deaf: true},
}

func (sc *jsonrpcScenario) aHostThat(does string) error {
	m, ok := manners[does]
	if !ok {
		var known []string
		for name := range manners {
			known = append(known, name)
		}
		slices.Sort(known)
		return fmt.Errorf("there is no host that %s; there is one that %s", does, strings.Join(known, ", one that "))
	}
	sc.manner = m
	return nil
}

func (sc *jsonrpcScenario) hostOfVersion(version string) error {
	sc.manner.version = version
	return nil
}

func (sc *jsonrpcScenario) unknownCapability() error {
	sc.manner.capabilities = map[string]any{"plugcheck_unknown": map[string]any{"since": 9}}
	return nil
}

func (sc *jsonrpcScenario) isInitialized() error {
	_, err := sc.session()
	return err
}

func (sc *jsonrpcScenario) registersTheSame() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	return sc.sameRegistrations(d)
}

func (sc *jsonrpcScenario) sameRegistrations(d *dialogue) error {
	usual := sc.wire.usual
	var now registry
	var missing string
	// What it registers in no certain order may be as many, and not yet the same.
	d.await(sc.wire.within(shutdownTime), func() bool {
		now = d.host.registry.clone()
		missing = usual.lacks(&now)
		return missing == ""
	})
	if missing == "" {
		return nil
	}
	return d.fail(validator.Finding{Class: "registrations", Message: "it does not register what it registered the first time; missing: " + missing,
		Expected: strings.Join(usual.lines(), "\n"), Got: strings.Join(now.lines(), "\n")})
}

func (sc *jsonrpcScenario) startedAgain(times int) error {
	for i := range times + 1 {
		d, err := sc.another()
		if err != nil {
			var o *outcome
			if i > 0 && errors.As(err, &o) {
				o.finding.Message = fmt.Sprintf("killed and started for the %s time: %s", ordinal(i), o.finding.Message)
			}
			return err
		}
		if err := sc.sameRegistrations(d); err != nil {
			return err
		}
		if i < times {
			d.kill()
		}
	}
	return nil
}

func ordinal(n int) string {
	if n < 4 {
		return [...]string{"first", "second", "third", "fourth"}[n-1]
	}
	return fmt.Sprintf("%dth", n)
}

func (sc *jsonrpcScenario) initializedAgain() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	return sc.ask(d, request{"the second plugin.initialize", rpc.Initialize, sc.manner.greeting()})
}

// secondAnswer holds a second plugin.initialize to an error or the same answer.
func (sc *jsonrpcScenario) secondAnswer() error {
	d, last := sc.talk, sc.calls[len(sc.calls)-1]
	if err := d.answers(sc.wire.within(initializeTime), last.Call); err != nil {
		return err
	}
	answer := last.Answer()
	if answer.Error != nil {
		return nil
	}
	d.mu.Lock()
	first := d.conv.Messages[0].Call.Answer()
	d.mu.Unlock()
	var a, b any
	if json.Unmarshal(first.Result, &a) != nil || json.Unmarshal(answer.Result, &b) != nil || reflect.DeepEqual(a, b) {
		return nil
	}
	return d.fail(validator.Finding{Class: "another", Message: "the second plugin.initialize got another answer than the first",
		Expected: validator.Quote(first.Result, 300) + ", or an error", Got: validator.Quote(answer.Result, 300)})
}
