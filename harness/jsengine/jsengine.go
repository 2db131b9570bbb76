// Package jsengine loads a JavaScript plugin file as a host does and says what its
// manifest and its hooks turn out to be, or why it does not load. The plugin is
// hostile: it runs without access to anything, within limits, and in a process of
// its own (see [Engine]), because an engine cannot always be stopped from within.
package jsengine

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plugcheck/validator/literal"
)

// A Result is what a module turned out to be.
type Result struct {
	// Manifest is the value that the module exports under that name, after all of
	// its code has run. It is nil when there is a fault.
	Manifest *literal.Value
	// Exports are the names that the module exports, sorted. They are known also
	// when the module runs and its manifest has a fault.
	Exports []Export
	Fault   *Fault
}

// Type is what typeof says of an exported name, or "" if it is not exported.
func (r *Result) Type(name string) string {
	for _, e := range r.Exports {
		if e.Name == name {
			return e.Type
		}
	}
	return ""
}

// An Export is one exported name.
type Export struct{ Name, Type string }

// A Fault says why a module does not load or its manifest is not data.
type Fault struct {
	Class   string // one of the classes below
	Message string // in plain words, without the place
	// Line and Column count from 1 in the way of literal.Error. Both are 0 where
	// there is no place.
	Line, Column int
}

// The classes of faults. Those from NoExport on are about the manifest of a module
// that does run.
const (
	Syntax     = "syntax"       // it is not JavaScript
	Throws     = "throws"       // its code throws
	Import     = "import"       // it asks for another module
	Endless    = "endless-loop" // it does not come to an end in time
	Memory     = "memory"       // it wants too much memory
	Recursion  = "recursion"    // its calls or its text nest too deep
	NotSettled = "not-settled"  // it awaits what never comes
	Crash      = "engine"       // it brings the engine down

	NoExport  = "no-export" // there is no manifest
	Getter    = "getter"    // a part of the manifest is computed when it is read
	Proxy     = "proxy"     // a part of the manifest is a Proxy
	Prototype = "prototype" // what all objects or arrays inherit was changed
	NotPlain  = "not-plain" // a part of the manifest is no data at all
)

// Limits are what a module may use.
type Limits struct {
	Time   time.Duration
	Memory int64 // of the engine's heap, in bytes
	Depth  int64 // of calls, roughly one for each
}

// DefaultLimits are far more than a plugin needs to start.
var DefaultLimits = Limits{Time: time.Second, Memory: 32 << 20, Depth: 2000}

// maxSource is the size of the largest file that is looked at, in bytes.
const maxSource = 4 << 20

// Evaluate runs a module in this very process. What loops inside of one of the
// engine's own functions cannot be stopped here, and a defect of the engine can end
// the process: [Engine.Load] is for plugins of strangers.
func Evaluate(source []byte, l Limits) Result {
	m, r := evaluate(source, l)
	if m != nil {
		m.close()
	}
	return r
}

// evaluate also returns the machine, unless there was none or it broke down.
func evaluate(source []byte, l Limits) (m *machine, r Result) {
	source = bytes.TrimPrefix(source, []byte("\ufeff"))
	switch {
	case len(source) > maxSource:
		return nil, tooLarge()
	case !utf8.Valid(source):
		return nil, failed(Syntax, "the file is not valid UTF-8")
	}
	defer func() {
		if p := recover(); p != nil {
			m, r = nil, brokeDown(fmt.Sprint(p))
		}
	}()
	m = newMachine(source, l)
	return m, m.load()
}

func tooLarge() Result { return failed(Memory, "the file is larger than %d MiB", maxSource>>20) }

func brokeDown(how string) Result {
	return failed(Crash, "the JavaScript engine broke down: %s", clip(how))
}

func failed(class, format string, args ...any) Result {
	return Result{Fault: fault(class, format, args...)}
}

func fault(class, format string, args ...any) *Fault {
	return &Fault{Class: class, Message: fmt.Sprintf(format, args...)}
}

// maxText is how much of a plugin's text goes into a message, in bytes.
const maxText = 300

// clip makes a text that a plugin made fit for a message.
func clip(s string) string {
	if len(s) > maxText {
		s = s[:maxText] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
