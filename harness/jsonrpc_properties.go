package harness

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"plugcheck/validator"
	"plugcheck/validator/argsgen"
	"plugcheck/validator/rpc"
)

const (
	// shrinkTime is how long an answer is waited for once one has failed to come: to
	// find the shortest conversation that fails takes many of them.
	shrinkTime = 200 * time.Millisecond
	// maxFailures bounds how many conversations may fail while it is looked for.
	maxFailures = 12
)

// listenTime is how long a drawn conversation waits for the plugin to say something.
const listenTime = 10 * time.Millisecond

// conversations tries conversations drawn at random, each in a session of its own
// where the one before did not end well.
func (sc *jsonrpcScenario) conversations(fresh bool, talk func(t *rapid.T, d *dialogue, limit time.Duration) (*outcome, error)) error {
	failures := 0
	return sc.property(func(t *rapid.T) (*outcome, error) {
		if failures > maxFailures {
			return nil, nil // short enough
		}
		if d := sc.talk; d != nil && (fresh || d.hung || d.over()) {
			sc.talk = nil
			sc.finish(d)
		}
		d, err := sc.session()
		if err != nil {
			return nil, err
		}
		limit := sc.wire.answerLimit()
		if failures > 0 {
			limit, d.patience = min(limit, shrinkTime), shrinkTime/4
		}
		d.mu.Lock()
		d.mark = d.now()
		d.mu.Unlock()
		o, err := talk(t, d, limit)
		if o != nil {
			failures++
			d.mu.Lock()
			d.hung = true // the next one begins anew
			d.mu.Unlock()
		}
		return o, err
	})
}

// finish ends a session that nothing is asked of any more.
func (sc *jsonrpcScenario) finish(d *dialogue) {
	if err := d.close(); err != nil && sc.run.kit == nil {
		sc.run.kit = err
	}
}

// drawn draws one of several requests.
func drawn(t *rapid.T, list []request) request { return rapid.SampledFrom(list).Draw(t, "call") }

func (sc *jsonrpcScenario) propertyArgs() error {
	if _, err := sc.session(); err != nil {
		return err
	}
	tools, why := sc.wire.tools()
	if why != nil {
		return why
	}
	type drawer struct {
		tool tool
		args *rapid.Generator[any]
	}
	var drawers []drawer
	for _, t := range tools {
		if bytesNull(t.schema) {
			continue
		}
		if gen, err := argsgen.Valid(t.schema); err == nil {
			drawers = append(drawers, drawer{t, gen})
		}
	}
	if len(drawers) == 0 {
		return skip("no tool has an args_schema that arguments can be drawn from")
	}
	for _, w := range drawers {
		err := sc.conversations(false, func(t *rapid.T, d *dialogue, limit time.Duration) (*outcome, error) {
			r := toolRequest(w.tool, w.args.Draw(t, "args"))
			call := d.ask(r)
			if open := d.missing(limit, call); open != nil {
				o := d.unanswered(open)
				o.finding.Message = r.about + ": " + o.finding.Message
				return o, nil
			}
			return nil, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// propertyInterleave draws an order of calls, events and host answers. What has
// to come of it is a simple model: each call is owed one answer, and nothing else is.
func (sc *jsonrpcScenario) propertyInterleave() error {
	sc.manner.hold = true
	if _, err := sc.session(); err != nil {
		return err
	}
	list := append(calls(sc.wire.usable()), sc.wire.probe)
	if !sc.wire.mute[unknownMethod().key()] {
		list = append(list, unknownMethod())
	}
	events := sc.wire.usual.events
	return sc.conversations(true, func(t *rapid.T, d *dialogue, limit time.Duration) (*outcome, error) {
		var owed []*rpc.Call
		for range rapid.IntRange(1, 24).Draw(t, "length") {
			switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
			case step < 4:
				owed = append(owed, d.ask(drawn(t, list)))
			case step < 6 && len(events) > 0:
				event := rapid.SampledFrom(events).Draw(t, "event")
				d.notify(rpc.EventFire, eventParams(event, map[string]any{"text": "plugcheck"}))
			case step < 8:
				heard := d.heardSoFar()
				d.await(listenTime, func() bool { return d.seen() > heard })
			default:
				d.host.letGoOne(rapid.IntRange(0, window).Draw(t, "which"))
			}
		}
		d.host.letGo()
		if open := d.missing(limit, owed...); open != nil {
			return d.unanswered(open), nil
		}
		return d.twice(), nil
	})
}

// twice is what the model does not allow although every call has its answer: answers
// that nobody is owed.
func (d *dialogue) twice() *outcome {
	d.mu.Lock()
	outcomes := validator.Judge(d.wire.rules, d.conv)
	d.mu.Unlock()
	for _, o := range outcomes {
		if len(o.Findings) > 0 && (o.Check.ID == "rpc.no-unknown-reply" || o.Check.ID == "rpc.no-reply-to-notification") {
			f := d.fail(o.Findings[0])
			f.cause = o.Check.ID
			return f
		}
	}
	return nil
}

// noise draws any JSON value. No method that a host has occurs in it, and no number
// that not every decoder gives back: it may be an id.
func noise(depth int) *rapid.Generator[any] {
	text := rapid.StringN(0, 12, -1)
	leaves := []*rapid.Generator[any]{
		rapid.Just(any(nil)), rapid.Bool().AsAny(), rapid.Int64Range(-(1<<53 - 1), 1<<53-1).AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), text.AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	name := rapid.OneOf(rapid.SampledFrom([]string{"jsonrpc", "id", "method", "params", "result", "error", "2.0"}), text)
	return rapid.OneOf(append(leaves,
		rapid.SliceOfN(noise(depth-1), 0, 4).AsAny(),
		rapid.MapOfN(name, noise(depth-1), 0, 5).AsAny(),
		rapid.MapOfN(name, noise(depth-1), 0, 5).AsAny(),
	)...)
}

func (sc *jsonrpcScenario) propertyNoise() error {
	if _, err := sc.session(); err != nil {
		return err
	}
	any := noise(2)
	return sc.conversations(false, func(t *rapid.T, d *dialogue, limit time.Duration) (*outcome, error) {
		var lines []string
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			text, err := json.Marshal(any.Draw(t, "line"))
			if err != nil {
				return nil, err
			}
			d.send(text)
			lines = append(lines, string(text))
		}
		if open := d.missing(limit, d.ask(sc.wire.probe)); open != nil {
			o := d.unanswered(open)
			o.finding.Message = fmt.Sprintf("after %s, the next call was not served: %s", strings.Join(lines, " and "), o.finding.Message)
			return o, nil
		}
		return nil, nil
	})
}
