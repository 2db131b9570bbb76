package harness

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"plugcheck/validator"
	"plugcheck/validator/veto"
)

// each runs a judgement over every sighting.
func (sc *eventScenario) each(judge func(*sighting) *outcome) error {
	return each(sc.sightings, func(r *sighting) string { return r.Name }, judge)
}

// answered is the judgement that the plugin ended well and said nothing, or what can be read.
func (r *sighting) answered() *outcome {
	if o := r.broken(); o != nil {
		return o
	}
	if f := r.Failure(); f != nil {
		return r.fail(*f)
	}
	return nil
}

func (sc *eventScenario) endsWell() error { return sc.each((*sighting).answered) }

// ends asks for no more than that it does not hang.
func (sc *eventScenario) ends() error { return sc.each((*sighting).ended) }

func (r *sighting) ended() *outcome {
	if f := r.Failure(); f != nil && (r.Transcript.TimedOut || r.Transcript.Flooded) {
		return r.fail(*f)
	}
	return nil
}

func (sc *eventScenario) readsAll() error {
	return sc.each(func(r *sighting) *outcome {
		t := &r.Transcript
		if o := r.ended(); o != nil || t.Unsent == 0 {
			return o
		}
		return r.fail(validator.Finding{Class: "unread", Message: fmt.Sprintf("it left before it had read its event: %d bytes were never taken", t.Unsent),
			Expected: "stdin read to its end", Got: fmt.Sprintf("%d of %d bytes read", int64(len(r.delivery.bytes()))-t.Unsent, len(r.delivery.bytes()))})
	})
}

// given is the judgement about the verdict: what the host understands of it, as far
// as it would ask the plugin at all.
func (r *sighting) given(m *veto.Manifest, want bool, reason string) *outcome {
	if o := r.answered(); o != nil {
		return o
	}
	got := r.Reading.Host
	f := validator.Finding{Expected: "no veto", Got: got.String()}
	if want {
		f.Expected = "a veto"
		if reason != "" {
			f.Expected += fmt.Sprintf(", with a reason that holds %q", reason)
		}
	}
	switch name := r.Event.Name(); {
	case want && !m.Hears(name):
		f.Class, f.Message = "unheard", fmt.Sprintf("it is to veto %q, and plugin.json does not list that event: the host never asks it", name)
		f.Fix = fmt.Sprintf("Add %q to events in plugin.json.", name)
	case want && !got.Veto:
		f.Class, f.Message = "no-veto", fmt.Sprintf("it lets %q pass, and is to veto it", name)
	case !want && got.Veto && m.Hears(name):
		f.Class, f.Message = "veto", fmt.Sprintf("it vetoes %q, and is to let it pass: %s", name, got)
	case want && !strings.Contains(got.Reason, reason):
		f.Class, f.Message = "other-reason", fmt.Sprintf("it vetoes %q with another reason", name)
	default:
		return nil
	}
	return r.fail(f)
}

func (sc *eventScenario) vetoes() error { return sc.vetoesWith("") }

func (sc *eventScenario) vetoesWith(reason string) error {
	return sc.each(func(r *sighting) *outcome { return r.given(sc.session.manifest, true, reason) })
}

func (sc *eventScenario) letsPass() error {
	return sc.each(func(r *sighting) *outcome { return r.given(sc.session.manifest, false, "") })
}

// same compares what the plugin means with what it meant when nothing was special.
func (sc *eventScenario) same(r *sighting) *outcome {
	if o := r.answered(); o != nil {
		return o
	}
	usual := r.delivery.usual
	if usual == nil {
		return nil // there is nothing that it does otherwise
	}
	want, got := usual.Reading.Meant, r.Reading.Meant
	if want == got || want.Veto == got.Veto && (r.delivery.changed || !r.delivery.exact && sc.reasonVaries(usual)) {
		return nil
	}
	f := validator.Finding{Class: "other-reason", Message: "it gives another reason than otherwise", Expected: want.String(), Got: got.String()}
	switch {
	case want.Veto && !got.Veto:
		f.Class, f.Message = "veto-gone", "it vetoes this event otherwise, and here it lets it pass: the operation would go through"
	case got.Veto && !want.Veto:
		f.Class, f.Message = "veto-new", "it lets this event pass otherwise, and here it vetoes it"
	}
	if words := validator.LastLine(r.Transcript.Stderr); words != "" {
		f.Message += "; its stderr says: " + words
	}
	return r.fail(f)
}

// reasonVaries reports whether the plugin gives the same event another reason when it
// is asked again: one with the time in it, say. Then only the veto itself can be compared.
func (sc *eventScenario) reasonVaries(usual *sighting) bool {
	s := sc.session
	if !s.varies.Load() {
		d := usual.delivery
		d.name += ", once more"
		again, err := s.exchange(sc.ctx, d)
		if err == nil && again.Reading.Meant.Veto && again.Reading.Meant.Reason != usual.Reading.Meant.Reason {
			s.varies.Store(true)
		}
	}
	return s.varies.Load()
}

func (sc *eventScenario) sameAsUsual() error { return sc.each(sc.same) }

// notEvery asks that something passes. That nothing is vetoed is no fault: many
// plugins only watch.
func (sc *eventScenario) notEvery() error {
	s := sc.session
	switch {
	case s.vetoed == nil && s.passed == nil:
		return sc.each((*sighting).answered)
	case s.vetoed == nil:
		return skip("none of the %d events that it was asked is vetoed, so only one side of it was seen; if it vetoes any, name it: [[expect]] in %s", len(s.heard)+len(s.target.Config.Expect), ConfigName)
	case s.passed == nil:
		return s.vetoed.fail(validator.Finding{Class: "every", Message: fmt.Sprintf("it vetoes all %d events that it was asked: nothing that it is told of can be done any more", len(s.heard)+len(s.target.Config.Expect)),
			Expected: "an event that it lets pass", Got: s.vetoed.Reading.Meant.String()})
	}
	return sc.each(sc.same)
}

// signs tell what a plugin was about when it wanted somebody in front of it.
var signs = []struct {
	pattern *regexp.Regexp
	class   string
	say     string
}{
	{regexp.MustCompile(`/dev/tty|/dev/console|(?i)not a (tty|terminal)|inappropriate ioctl|no controlling terminal`), "terminal", "it opens the terminal, and in agent mode there is none"},
	{regexp.MustCompile(`(?i)EOFError|EOF when reading a line|\[y/n\]|\(y/n\)|press (any|enter|return)|password:|continue\?`), "prompt", "it asks somebody to type something, and in agent mode nobody is there"},
}

// needsNobody looks for what needs a terminal, a browser or somebody who answers.
func (sc *eventScenario) needsNobody() error {
	return sc.each(func(r *sighting) *outcome {
		if len(r.opened) > 0 {
			return r.fail(validator.Finding{Class: "browser", Message: "it starts a program that shows something to people: " + strings.Join(r.opened, "; "),
				Expected: "nothing that opens on a screen", Got: r.opened[0], Fix: "Look at CORVEE_AGENT_MODE and print the address to stderr instead, or leave agent_safe out of plugin.json."})
		}
		f := r.Failure()
		if f == nil && r.Reading.Meant == usualOf(r).Meant {
			return nil
		}
		differs := sc.same(r)
		if differs == nil {
			return nil
		}
		said := bytes.Join([][]byte{r.Transcript.Stderr, r.Transcript.Stdout}, []byte("\n"))
		for _, sign := range signs {
			if at := sign.pattern.Find(said); at != nil {
				return r.fail(validator.Finding{Class: sign.class, Message: sign.say + fmt.Sprintf(" (%s); it ended with %s", at, r.Transcript.Exit),
					Expected: usualOf(r).Meant.String() + ", and nobody asked", Got: validator.Quote(bytes.TrimSpace(said), 200), Fix: "Do without, or leave agent_safe out of plugin.json."})
			}
		}
		if f != nil && r.Transcript.TimedOut {
			f.Message = "it waits for a key, or for something else that does not come in agent mode: " + f.Message
			return r.fail(*f)
		}
		return differs
	})
}

// usualOf is how the plugin was read when nothing was special.
func usualOf(r *sighting) veto.Reading {
	if usual := r.delivery.usual; usual != nil {
		return usual.Reading
	}
	return r.Reading
}
