package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plugcheck/validator/veto"
)

// An Expectation is what the author of a veto plugin expects of one event.
type Expectation struct {
	// Event holds the members that matter; the others are those of the plain event.
	Event map[string]any `toml:"event"`
	Veto  *bool          `toml:"veto"`
	// Reason is a part of the reason.
	Reason string `toml:"reason"`
}

// check says what is missing in an expectation.
func (e *Expectation) check() error {
	if name, ok := e.Event["event"].(string); !ok || strings.TrimSpace(name) == "" {
		return errors.New("needs event = { event = \"…\" }, and more members as they matter")
	}
	if e.Veto == nil {
		return errors.New("needs veto = true or veto = false")
	}
	if e.Reason != "" && !*e.Veto {
		return errors.New("has a reason, and no veto to give it for")
	}
	return nil
}

// title says in words what is expected.
func (e *Expectation) title() string {
	what := fmt.Sprint(e.Event["event"])
	if id, ok := e.Event["item_id"]; ok {
		what += fmt.Sprintf(" of %v", id)
	}
	if !*e.Veto {
		return "It lets " + what + " pass"
	}
	if e.Reason != "" {
		return fmt.Sprintf("It vetoes %s for %q", what, e.Reason)
	}
	return "It vetoes " + what
}

// expectations are those of the configuration as scenarios, in the words that an
// author could write them in.
func (t *Target) expectations() (feature, bool) {
	if len(t.Config.Expect) == 0 || t.Wire != vetoWire.name {
		return feature{}, false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@wire:%s\nFeature: What its author expects\n", vetoWire.name)
	for i, e := range t.Config.Expect {
		name := fmt.Sprint(e.Event["event"])
		fmt.Fprintf(&b, "\n  @must @id:author.expect-%d-%s\n  Scenario: %s\n", i+1, slug(name), strings.Join(strings.Fields(e.title()), " "))
		fmt.Fprintf(&b, "    Why: The author of the plugin says so.\n    Spec: %s, [[expect]] %d\n", ConfigName, i+1)
		fmt.Fprintf(&b, "    Fix: Mend the plugin, or the expectation where it is out of date.\n")
		fmt.Fprintf(&b, "    Given expectation %d of the configuration\n    When the host sends it\n    Then it does what its author expects\n", i+1)
	}
	return feature{name: ConfigName + " of " + t.Path, text: []byte(b.String())}, true
}

// expected are the events of the expectations.
func (s *events) expected() []delivery {
	var list []delivery
	for i := range s.target.Config.Expect {
		want := &s.target.Config.Expect[i]
		d := delivery{name: fmt.Sprintf("expectation %d", i+1), want: want, event: plainEvent(s.all, fmt.Sprint(want.Event["event"]))}
		for _, name := range []string{"event", "item_id", "actor", "from", "to", "ts", "metadata"} {
			if value, ok := want.Event[name]; ok {
				d.event = d.event.With(name, plainJSON(value))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(want.Event)) {
			if !d.event.Has(name) {
				d.event = d.event.With(name, plainJSON(want.Event[name]))
			}
		}
		d.special = !s.manifest.Hears(d.event.Name())
		list = append(list, d)
	}
	return list
}

// plainJSON is a value of TOML as JSON has it: a date is a string.
func plainJSON(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value) // a number that is not finite
	}
	return json.RawMessage(text)
}

// plainEvent is the plain event of a name, or the first with that name put in.
func plainEvent(all []delivery, name string) veto.Event {
	for _, d := range all {
		if d.class == "plain" && d.event.Name() == name {
			return d.event
		}
	}
	return all[0].event.With("event", name)
}

func (sc *eventScenario) expectation(n int) error {
	list := sc.session.expected()
	if n < 1 || n > len(list) {
		return fmt.Errorf("%s has %d expectations, and none is number %d", ConfigName, len(list), n)
	}
	sc.deliveries = append(sc.deliveries, list[n-1])
	return nil
}

func (sc *eventScenario) asExpected() error {
	return sc.each(func(r *sighting) *outcome {
		want := r.delivery.want
		if want == nil {
			return nil
		}
		return r.given(sc.session.manifest, *want.Veto, want.Reason)
	})
}
