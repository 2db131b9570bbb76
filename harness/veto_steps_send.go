package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"plugcheck/validator/veto"
)

// eventsOfClass takes the events of a class that the host sends to the plugin. Where
// there is none, they become events that it does.
func (sc *eventScenario) eventsOfClass(class string) error {
	s := sc.session
	of := func(list []delivery) (picked []delivery) {
		for _, d := range list {
			if d.class == class {
				d.special = class != "plain"
				picked = append(picked, d)
			}
		}
		return picked
	}
	if sc.deliveries = of(s.heard); len(sc.deliveries) > 0 {
		return nil
	}
	name := s.heard[0].event.Name()
	for _, d := range of(s.all) {
		d.name, d.event = fmt.Sprintf("%s as %q", d.name, name), d.event.With("event", name)
		sc.deliveries = append(sc.deliveries, d)
	}
	if len(sc.deliveries) == 0 {
		return fmt.Errorf("there is no event of the class %q", class)
	}
	return nil
}

// anEvent is the one that tells most: what it does on it was seen before.
func (sc *eventScenario) anEvent() {
	sc.bothSides()
	sc.deliveries = sc.deliveries[:1]
}

// bothSides are the events whose verdicts are known. A plugin that does nothing
// but crash has none, and is asked the first all the same.
func (sc *eventScenario) bothSides() {
	sides := sc.session.sides()
	for _, usual := range sides {
		d := usual.delivery
		d.usual = usual
		sc.deliveries = append(sc.deliveries, d)
	}
	if len(sides) == 0 {
		sc.deliveries = slices.Clone(sc.session.heard[:1])
	}
}

func (sc *eventScenario) outsideItsList() {
	m := sc.session.manifest
	name := "an_event_of_the_future"
	for _, known := range m.Known {
		if !m.Hears(known) {
			name = known
		}
	}
	d := sc.session.heard[0]
	d.name, d.event = fmt.Sprintf("event %q", name), d.event.With("event", name)
	sc.deliveries = []delivery{d}
	sc.make("", func(*delivery) {})
}

func (sc *eventScenario) literalEvent(doc *godog.DocString) error {
	e, err := veto.ParseEvent([]byte(doc.Content))
	if err != nil {
		return fmt.Errorf("the event of the step: %w", err)
	}
	sc.deliveries = append(sc.deliveries, delivery{name: "the event of the scenario", event: e})
	return nil
}

// inEventPlace holds what can be sent in place of an event.
var inEventPlace = map[string]string{
	"garbage":       "}{ this is no JSON \x01\n",
	"nothing":       "",
	"an array":      "[1,2,3]\n",
	"half an event": `{"event":"completed","item_id":"DEMO-E01-S03","metadata":{"changed_fi`,
}

func (sc *eventScenario) inPlaceOfAnEvent(what string) error {
	text, ok := inEventPlace[what]
	if !ok {
		return fmt.Errorf("%q is none of what can be sent in place of an event", what)
	}
	sc.deliveries = append(sc.deliveries, delivery{name: what + " in place of an event", raw: []byte(text), special: true})
	return nil
}

// make makes something special of every delivery, and says so in its name.
func (sc *eventScenario) make(say string, change func(*delivery)) {
	for i := range sc.deliveries {
		d := &sc.deliveries[i]
		d.special = true
		if say != "" {
			d.name += ", " + say
		}
		change(d)
	}
}

// lacking takes a member away, or makes it null, as each row of a table says.
func (sc *eventScenario) lacking(table *godog.Table) error {
	plain := sc.deliveries
	sc.deliveries = nil
	for _, row := range table.Rows {
		if len(row.Cells) != 2 || row.Cells[1].Value != "absent" && row.Cells[1].Value != "null" {
			return errors.New("a row is a member and how it is lacking: absent or null")
		}
		name, how := row.Cells[0].Value, row.Cells[1].Value
		for _, d := range plain {
			d.name, d.special, d.changed = fmt.Sprintf("%s, with %s %s", d.name, name, how), true, true
			if d.event = d.event.Without(name); how == "null" {
				d.event = d.event.With(name, nil)
			}
			sc.deliveries = append(sc.deliveries, d)
		}
	}
	return nil
}

func (sc *eventScenario) unknownMembers() {
	sc.make("with members that nobody knows", func(d *delivery) {
		d.event = d.event.With("x_unknown", map[string]any{"since": "1.1", "list": []any{1, nil, true}}).With("workspace_id", 7)
	})
}

// padded adds to the metadata what is long and says nothing, behind all that it held.
func (sc *eventScenario) padded(kib int) {
	sc.make(fmt.Sprintf("padded to %d KiB", kib), func(d *delivery) {
		fields := d.event.Metadata()
		var padding []string
		for range kib {
			padding = append(padding, strings.Repeat("padding ", 128))
		}
		fields["x_padding"] = padding
		d.event = d.event.Without("metadata").With("metadata", fields)
	})
}

func (sc *eventScenario) respelled() {
	sc.make("spelled in another way", func(d *delivery) { d.raw = d.event.Respelled() })
}

// theHostSends sends each event to a process of its own. Once one hangs, nothing
// more is to be learned by waiting for others.
func (sc *eventScenario) theHostSends() error {
	for _, d := range sc.deliveries {
		r, err := sc.send(d)
		if err != nil {
			return err
		}
		sc.sightings = append(sc.sightings, r)
		if r.Transcript.TimedOut {
			break
		}
	}
	return nil
}

func (sc *eventScenario) stderrNowhere() error {
	if len(sc.session.sides()) == 0 {
		return skip("it ended well on no event that it was asked, so there is no verdict to compare")
	}
	sc.make("with stderr sent nowhere", func(d *delivery) { d.nullStderr = true })
	return sc.theHostSends()
}

// inTwoPieces holds the second half back for longer than a reader that reads once
// waits for it.
func (sc *eventScenario) inTwoPieces() error {
	const least = 50 * time.Millisecond
	sc.make("in two pieces", func(d *delivery) {
		d.hold = least
		if d.usual != nil {
			d.hold += 2 * min(d.usual.Transcript.Elapsed, time.Second)
		}
	})
	return sc.theHostSends()
}

func (sc *eventScenario) inSurroundings(table *godog.Table) error {
	plain := slices.Clone(sc.deliveries)
	for _, row := range table.Rows {
		name := row.Cells[0].Value
		i := slices.IndexFunc(allSurroundings, func(s surroundings) bool { return s.name == name && s.env != nil })
		if i < 0 {
			return fmt.Errorf("there are no surroundings %q of an event", name)
		}
		sc.deliveries = slices.Clone(plain)
		sc.make(name, func(d *delivery) { d.around = allSurroundings[i] })
		if err := sc.theHostSends(); err != nil {
			return err
		}
	}
	return nil
}

// together lends one place to some deliveries.
func (sc *eventScenario) together(send func(p *place) error) error {
	p, err := sc.session.place()
	if err != nil {
		return err
	}
	defer sc.session.done(p)
	return send(p)
}

// theHostSendsTimes sends to one folder, new the first time and as the plugin left
// it afterwards.
func (sc *eventScenario) theHostSendsTimes(n int) error {
	return sc.together(func(p *place) error {
		plain := slices.Clone(sc.deliveries)
		for i := range n {
			sc.deliveries = slices.Clone(plain)
			sc.make(fmt.Sprintf("time %d", i+1), func(d *delivery) { d.shared, d.exact = p, true })
			if err := sc.theHostSends(); err != nil {
				return err
			}
		}
		return nil
	})
}

// atOnce sends n deliveries to the same folder at the same time, where processes
// that share a file meet.
func (sc *eventScenario) atOnce(n int) error {
	return sc.together(func(p *place) error {
		sc.make("with others at once", func(d *delivery) { d.shared = p })
		sightings, errs := make([]*sighting, n), make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { sightings[i], errs[i] = sc.send(sc.deliveries[i%len(sc.deliveries)]) })
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		sc.sightings = append(sc.sightings, sightings...)
		return nil
	})
}

// inAgentMode sends it once with nothing there that could show something to people,
// and once where it would be noticed.
func (sc *eventScenario) inAgentMode() error {
	plain := slices.Clone(sc.deliveries)
	sc.make("in agent mode", func(d *delivery) { d.agent = true })
	if err := sc.theHostSends(); err != nil {
		return err
	}
	sc.deliveries = plain
	sc.make("in agent mode, with a browser at hand", func(d *delivery) { d.agent, d.traps = true, true })
	return sc.theHostSends()
}
