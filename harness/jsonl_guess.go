package harness

import (
	"fmt"
	"slices"
	"strings"

	"plugcheck/validator"
)

// guess finds out what a bare executable is, by asking it for a rename in each
// language of the fixtures: what it does says what it declares elsewhere.
func (sc *jsonlScenario) guess() error {
	s := sc.session
	m := s.manifest
	var renames, refuses []string
	analyses, asked := 0, 0
	for _, c := range s.cases {
		if c.Class != "plain" || c.Operation != "rename-symbol" || slices.Contains(renames, c.Language) || slices.Contains(refuses, c.Language) {
			continue
		}
		asked++
		a := fromCase(c)
		a.contact = true
		r, err := sc.send(a)
		if err != nil {
			return err
		}
		switch {
		case r.Response() == nil:
			if r.Transcript.TimedOut {
				m.Kind = validator.Actuator
				s.target.Guess = "there is no manifest, and it did not answer when asked; --config or a manifest can say what it is"
				return nil
			}
		case r.Succeeded() && r.Response().Output.Kind == "analysis":
			analyses++
		case r.Succeeded():
			renames = append(renames, c.Language)
			continue
		}
		refuses = append(refuses, c.Language)
	}
	m.Kind = validator.Actuator
	if len(renames) == 0 && analyses == 0 {
		a := s.forOperation(s.renameAsk(), sensorOperation)
		a.contact = true
		r, err := sc.send(a)
		if err != nil {
			return err
		}
		if r.Succeeded() && r.Response().Output.Kind == "analysis" {
			analyses++
		}
	}
	s.unknown = len(renames) == 0 && analyses == 0
	switch {
	case len(renames) > 0:
		m.Capabilities, m.Languages = []string{"rename-symbol"}, renames
		s.target.Guess = fmt.Sprintf("there is no manifest; asked for a rename in %d languages it renamed in %s", asked, strings.Join(renames, ", "))
	case analyses > 0:
		m.Kind = validator.Sensor
		s.target.Guess = "there is no manifest; asked for a rename or an analysis it answered with an analysis, so it is taken for a sensor"
	default:
		s.target.Guess = fmt.Sprintf("there is no manifest, and asked for a rename in %d languages and for an analysis it did neither; a manifest or [plugin] in %s can say what it is", asked, ConfigName)
	}
	return nil
}
