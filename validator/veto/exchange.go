package veto

import (
	"fmt"
	"strings"

	"plugcheck/validator"
)

// A Trial is what a rule looks at: a plugin's manifest and, but for the rules
// about the manifest itself, one exchange with the plugin.
type Trial struct {
	Manifest *Manifest
	Exchange *Exchange
}

// An Exchange is one event, and all that came of it.
type Exchange struct {
	// Name tells people which event this was.
	Name string
	// Event is what was sent; nil when it is no event at all.
	Event Event
	// Special marks an event that something is special about. Whether it ends well
	// is then the matter of the scenario that made it so.
	Special bool
	// Hook is set for a shell hook, whose output nobody reads.
	Hook bool

	Transcript validator.Transcript
	Reading    Reading

	failure *validator.Finding
}

// Read reads what the plugin said, once for all rules. What was cut off at the cap is
// no verdict.
func (e *Exchange) Read() {
	if !e.Hook && !e.Transcript.Flooded {
		e.Reading = Read(e.Transcript.Stdout, e.Transcript.Stderr)
	}
	e.failure = e.fails()
}

// Failure tells how the process ended where it should have left with status 0. A
// status beside a veto is none: it has a rule of its own.
func (e *Exchange) Failure() *validator.Finding {
	if e.failure == nil {
		return nil
	}
	f := *e.failure
	return &f
}

// Vetoed reports whether the plugin meant a veto, heard or not.
func (e *Exchange) Vetoed() bool { return e.Reading.Meant.Veto }

// fails finds the failure. The same one in other exchanges is told by its class.
func (e *Exchange) fails() *validator.Finding {
	t := &e.Transcript
	f := validator.Finding{Expected: "the end of the process with status 0, within " + t.Limit.String(), Got: t.Exit.String()}
	switch {
	case t.Flooded:
		f.Class, f.Message = "crash-flood", fmt.Sprintf("it wrote more than %d MiB to stdout and was ended", len(t.Stdout)>>20)
	case t.TimedOut && t.Unsent > 0:
		f.Class, f.Message = "crash-hung-not-reading", fmt.Sprintf("it did not read its event: %d bytes were never taken, and it was still running after %s", t.Unsent, t.Limit)
	case t.TimedOut:
		f.Class, f.Message = "crash-hung", "it was still running after "+t.Limit.String()
		if e.Reading.spoke {
			f.Class, f.Message = "crash-hung-after-verdict", "it printed its verdict and did not exit in "+t.Limit.String()+": the host drops what it said"
		}
	case t.Exit.Clean(), e.Vetoed() && t.Exit.Signal == "":
		return nil
	default:
		f.Class, f.Message = "crash", "it ended with "+t.Exit.String()+": the host logs a warning and goes on"
		if !e.Hook {
			f.Message += " as if there was no veto"
		}
	}
	if words := validator.LastLine(t.Stderr); words != "" && !t.Flooded {
		f.Message += "; its stderr says: " + words
		f.Class += "/" + strings.ToValidUTF8(words[:min(len(words), 40)], "")
	}
	return &f
}
