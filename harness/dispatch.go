package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plugcheck/validator/veto"
)

// A Visit is what becomes of one plugin when the host walks over all of them with
// an event.
type Visit struct {
	Name, Path string
	// Skipped says why the host does not ask it; empty where it does.
	Skipped string
	// Veto is set when the host understands a veto. What was said beside it, or what
	// kept one from being understood, is in Says.
	Veto bool
	Says string
	// Warning is what the host would log, and what it would not notice.
	Warning string
}

// A Walk is what a host does with one event.
type Walk struct {
	Event  string
	Visits []Visit
	// Clashes are names that several plugins have.
	Clashes []string
}

// Vetoed is the first visit with a veto, or nil.
func (w *Walk) Vetoed() *Visit {
	i := slices.IndexFunc(w.Visits, func(v Visit) bool { return v.Veto })
	if i < 0 {
		return nil
	}
	return &w.Visits[i]
}

// Dispatch asks the plugins of a folder in the host's order, as the host would.
func Dispatch(ctx context.Context, dir string, event []byte, agent bool) (*Walk, error) {
	e, err := veto.ParseEvent(event)
	if err != nil {
		return nil, fmt.Errorf("the event: %w", err)
	}
	if e.Name() == "" {
		return nil, errors.New("the event has no name: \"event\" is missing, or no string")
	}
	targets, err := Discover([]string{dir}, vetoWire.name, "")
	if err != nil {
		return nil, err
	}
	catalogue, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	w := &Walk{Event: e.Name()}
	seen := map[string]int{}
	for _, t := range targets {
		v, err := visit(ctx, t, catalogue, delivery{name: "the event", event: e, agent: agent})
		if err != nil {
			return nil, err
		}
		w.Visits = append(w.Visits, v)
		if seen[t.Name]++; seen[t.Name] == 2 {
			w.Clashes = append(w.Clashes, t.Name)
		}
	}
	return w, nil
}

// visit asks one plugin, if the host would.
func visit(ctx context.Context, t *Target, c *Catalogue, d delivery) (v Visit, err error) {
	v = Visit{Name: t.Name, Path: t.Path}
	m := t.Veto
	switch {
	case t.Err != nil:
		v.Skipped = t.Err.Error()
	case m.Broken():
		v.Skipped = "its manifest is malformed"
		if m.Unreadable != nil {
			v.Skipped += ": " + m.Unreadable.Message
		} else if len(m.Violations) > 0 {
			v.Skipped += ": " + m.Violations[0].String()
		}
	case !m.Hears(d.event.Name()):
		v.Skipped = fmt.Sprintf("it does not subscribe to %q", d.event.Name())
	case d.agent && !m.AgentSafe:
		v.Skipped = "agent mode, and it does not say \"agent_safe\": true"
	case m.File.Trouble != "":
		v.Says, v.Warning = "no veto", m.File.Trouble
	}
	if v.Skipped != "" || v.Warning != "" {
		return v, nil
	}
	s, err := newSession(t, Options{}, c)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, s.work.Close()) }()
	r, err := s.driver.(*events).exchange(ctx, d)
	var start *StartError
	if errors.As(err, &start) {
		v.Says, v.Warning = "no veto", start.Message
		return v, nil
	}
	if err != nil {
		return v, err
	}
	v.heard(r)
	return v, nil
}

// heard is how the published host takes what was said, and when.
func (v *Visit) heard(r *sighting) {
	host := r.Reading.Host
	v.Veto, v.Says = host.Veto, host.String()
	if !r.Reading.Spoke() {
		v.Says = "no veto, it says nothing"
	}
	if f := r.Failure(); f != nil {
		v.Veto, v.Warning = false, f.Message
	}
	if late := veto.Late(r.Exchange); late != "" && v.Warning == "" {
		v.Veto, v.Warning = false, late+", so it drops what was said"
	}
	if o := r.broken(); o != nil && v.Warning == "" {
		v.Warning = o.finding.Message
	}
	if host.Veto && !r.Transcript.Exit.Clean() {
		v.Veto = false
		v.Warning = fmt.Sprintf("it vetoes and ends with %s: the published host drops the veto, and by the document it counts", r.Transcript.Exit)
	}
}
