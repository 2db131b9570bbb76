package harness

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"plugcheck/validator/veto"
)

// anyText draws strings of every plane, with what parsers and shells stumble over.
func anyText() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.OneOf(rapid.RuneFrom([]rune("ab_ \"'\\$`/\n\t<&%é日🟢\u2028\u0000")), rapid.Rune()), 0, 12, -1)
}

// values are JSON of any kind.
func values(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Float64Range(-1e18, 1e18).AsAny(), anyText().AsAny(),
	}
	if depth > 0 {
		kinds = append(kinds, rapid.SliceOfN(values(depth-1), 0, 4).AsAny(), rapid.MapOfN(anyText(), values(depth-1), 0, 4).AsAny())
	}
	return rapid.OneOf(kinds...)
}

// maybe draws a member that can also be absent or null.
func maybe(t *rapid.T, e veto.Event, name string, draw func() any) veto.Event {
	switch rapid.SampledFrom([]string{"given", "absent", "null"}).Draw(t, name+" is") {
	case "absent":
		return e.Without(name)
	case "null":
		return e.With(name, nil)
	}
	return e.With(name, draw())
}

// propertyEvents draws any event that the contract's schema allows.
func (sc *eventScenario) propertyEvents() error {
	return sc.anyEvent("an event drawn at random", func(t *rapid.T, e veto.Event) veto.Event {
		e = e.With("item_id", anyText().Draw(t, "item_id"))
		e = e.With("ts", fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", rapid.IntRange(1970, 9999).Draw(t, "year"), rapid.IntRange(1, 12).Draw(t, "month"),
			rapid.IntRange(1, 28).Draw(t, "day"), rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute"), rapid.IntRange(0, 59).Draw(t, "second")))
		for _, name := range []string{"actor", "from", "to"} {
			e = maybe(t, e, name, func() any { return anyText().Draw(t, name) })
		}
		if rapid.Bool().Draw(t, "without metadata") {
			return e.Without("metadata")
		}
		return e.With("metadata", rapid.MapOfN(anyText(), values(1), 0, 3).Draw(t, "metadata"))
	})
}

// otherKinds are a value of each kind, as metadata may hold.
var otherKinds = []any{nil, true, -1.5, "", []any{nil}, map[string]any{"": nil}}

// documented are the names of metadata that the document has an example of. What
// they hold is therefore no free choice.
var documented = []string{"changed_files", "tests_passed"}

// freeNames are the other names of an event's metadata.
func freeNames(e veto.Event) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(e.Metadata())), func(name string) bool { return slices.Contains(documented, name) })
}

// propertyMetadata puts a value of each kind below each of the names that the
// metadata of a known event has, and then any JSON below these and others.
func (sc *eventScenario) propertyMetadata() error {
	sc.bothSides()
	for _, d := range sc.deliveries {
		for _, name := range freeNames(d.event) {
			for _, value := range otherKinds {
				fields := d.event.Metadata()
				fields[name] = value
				r, err := sc.send(delivery{name: fmt.Sprintf("%s, with metadata.%s another kind", d.name, name), event: d.event.With("metadata", fields), special: true})
				if err != nil {
					return err
				}
				if o := r.answered(); o != nil {
					return o
				}
			}
		}
	}
	return sc.anyEvent("an event with metadata drawn at random", func(t *rapid.T, e veto.Event) veto.Event {
		fields := e.Metadata()
		for _, name := range freeNames(e) { // in their order: the same draws for the same seed
			if rapid.Bool().Draw(t, "changed") {
				fields[name] = values(2).Draw(t, name)
			}
		}
		for name, value := range rapid.MapOfN(anyText(), values(3), 0, 4).Draw(t, "more") {
			fields[name] = value
		}
		return e.With("metadata", fields)
	})
}

// anyEvent holds a property over events made from those that the plugin is told of.
func (sc *eventScenario) anyEvent(name string, change func(*rapid.T, veto.Event) veto.Event) error {
	return sc.property(func(t *rapid.T) (*outcome, error) {
		d := sc.session.heard[rapid.IntRange(0, len(sc.session.heard)-1).Draw(t, "event")]
		r, err := sc.send(delivery{name: name, event: change(t, d.event), special: true})
		if err != nil {
			return nil, err
		}
		return r.answered(), nil
	})
}
