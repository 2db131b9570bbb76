package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plugcheck/reports"
	"plugcheck/validator"
)

// A wire is one plugin system, with all that is its own. The catalogue, the
// sessions, the scenarios' hooks and the report are the same for every wire.
type wire struct {
	name string
	// rules are the checks that are no scenarios; those that judge what stands on
	// disk, and not what the plugin does, are static.
	rules []ruleCheck
	// ofSchema are the rules that must hold before a check of a contract pack can
	// judge a message by its schema; nil where a pack can have none.
	ofSchema []string
	// steps are the sentences that the scenarios of the wire are made of. It is a
	// function because the steps lead back to the wires.
	steps func() []step
	// claims tells a manifest of the wire from others by the names of its fields.
	claims func(fields map[string]any) bool
	// source is the name of the file that a manifest of the wire stands in, where it has
	// only one: by it, one that cannot be read is told.
	source string
	// folders are those of a workspace in which the host looks for plugins, in its order.
	folders []string
	// file makes a target of a file that is a plugin by itself, nil for one that is
	// none. It was named by the user, or found in a folder.
	file func(d discovery, path string, named bool) (*Target, error)
	// read makes a target of a manifest, and bare one of an executable or a
	// command without any. What a wire does not have is nil.
	read func(d discovery, path, file string, text []byte) (*Target, error)
	bare func(d discovery, path string) (*Target, error)
	// loose is set where a single file in a folder of plugins is one.
	loose bool
	// recognizes starts an executable without a manifest and says by what it is known
	// to be of the wire, or nothing. A wire that cannot be told so has none.
	recognizes func(*Target) (string, error)
	open       func(s *session) (driver, error)

	// The ids of the checks that the sessions have to know: that it can be
	// started, that it answers, and in time; that several can run at once, and that
	// nothing is left running.
	executable, answers, inTime, concurrent, orphans string
}

// A ruleCheck is a rule as the catalogue needs it.
type ruleCheck struct {
	validator.Check
	needs  []string
	idle   string
	static bool
}

// wires lists the plugin systems. Where a manifest could be of several, the first takes it.
func wires() []*wire { return []*wire{&jsonlWire, &jsonrpcWire, &literalWire, &vetoWire, &hookWire} }

// WireNames are the names of all plugin systems.
func WireNames() []string {
	var names []string
	for _, w := range wires() {
		names = append(names, w.name)
	}
	return names
}

// wireNamed finds a wire by its name.
func wireNamed(name string) (*wire, error) {
	i := slices.IndexFunc(wires(), func(w *wire) bool { return w.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no wire %q: there are %s", name, strings.Join(WireNames(), ", "))
	}
	return wires()[i], nil
}

// asChecks makes rules of any kind checks of the catalogue.
func asChecks[T any](static bool, rules []validator.Rule[T]) []ruleCheck {
	var list []ruleCheck
	for _, r := range rules {
		list = append(list, ruleCheck{r.Check, r.Needs, r.Idle, static})
	}
	return list
}

// A driver is a wire's part in one session.
type driver interface {
	// ready does what comes before all scenarios. A reason says why none of them
	// can be run; the error is for what the kit could not do.
	ready(ctx context.Context) (reason string, err error)
	// scenario makes the state that the steps of one scenario share.
	scenario(*scenario) any
	// static judges what stands on disk, and shows what it judged.
	static() ([]validator.Outcome, []reports.Line)
	// concerns returns nil where a check concerns the plugin, or why it is left out.
	concerns(*Check) *outcome
	// unjudged says why a rule had nothing to judge, where there is more to say than that.
	unjudged(*Check) string
	// close ends what the driver holds.
	close() error
}

// evidence is something that was seen and can be shown.
type evidence interface {
	transcript() []reports.Line
	// sent is what the plugin was asked, to be read and repeated.
	sent() []byte
}
