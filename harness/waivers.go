package harness

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"plugcheck/reports"
)

// A Waiver says that a check is known to fail, and why that is accepted.
type Waiver struct {
	Check  string         `toml:"check"`
	Reason string         `toml:"reason"`
	Until  toml.LocalDate `toml:"until"`
}

// LoadWaivers reads a file of [[waiver]] tables.
func LoadWaivers(name string, c *Catalogue) ([]Waiver, error) {
	text, err := readRegular(name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Waiver []Waiver `toml:"waiver"`
	}
	dec := toml.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var unknown *toml.StrictMissingError
	if err := dec.Decode(&file); errors.As(err, &unknown) {
		return nil, fmt.Errorf("%s: unknown key (it holds [[waiver]] tables with check, reason and until):\n%s", name, unknown.String())
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(file.Waiver) == 0 {
		return nil, fmt.Errorf("%s: there is no [[waiver]] in it", name)
	}
	for i, w := range file.Waiver {
		if w.Reason == "" {
			return nil, fmt.Errorf("%s: waiver %d (%s) gives no reason", name, i+1, w.Check)
		}
		if _, ok := c.Find(w.Check); !ok {
			return nil, fmt.Errorf("%s: waiver %d: there is no check %q%s", name, i+1, w.Check, c.DidYouMean(w.Check))
		}
	}
	return file.Waiver, nil
}

// applyWaivers marks the failures that are accepted. A waiver for a check that
// passes everywhere is an error: it would hide the day it fails again.
func applyWaivers(r *reports.Report, waivers []Waiver) []string {
	var errs []string
	for _, w := range waivers {
		if until := w.Until.AsTime(time.UTC); w.Until != (toml.LocalDate{}) && r.Started.After(until.AddDate(0, 0, 1)) {
			for i := range r.Plugins {
				r.Plugins[i].Notes = append(r.Plugins[i].Notes, fmt.Sprintf("the waiver for %s ended on %s", w.Check, w.Until))
			}
			continue
		}
		passed, needed := false, false
		for i := range r.Plugins {
			for j := range r.Plugins[i].Checks {
				k := &r.Plugins[i].Checks[j]
				root, _, _ := strings.Cut(k.Cause, "/")
				if k.ID != w.Check && root != w.Check {
					continue // neither the check nor one that fails because of it
				}
				passed = passed || k.Status == reports.Pass
				if k.Status == reports.Fail {
					needed = needed || k.ID == w.Check
					k.Status = reports.Waived
					k.Message = w.Reason + " — " + k.Message
				}
			}
		}
		if passed && !needed {
			errs = append(errs, fmt.Sprintf("the waiver for %s is not needed: the check passes; take it out", w.Check))
		}
	}
	return errs
}
