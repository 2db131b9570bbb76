package validator

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"plugcheck/contracts"
)

// A Manifest is what a one-shot JSONL plugin says of itself, as far as it could be read.
type Manifest struct {
	Source string // where it was read; empty for a bare executable, which has none
	Text   []byte

	Name         string
	Version      string
	Kind         string // "sensor" or "actuator"
	Languages    []string
	Executable   string
	Args         []string
	TimeoutSecs  int64
	Capabilities []string

	// Unreadable is set when the text is no TOML or JSON.
	Unreadable *Finding
	// Violations are where it is not what the schema asks for.
	Violations []contracts.Violation
	// Unknown lists fields that the document does not have; hosts ignore them.
	Unknown []string
	// Known lists capabilities that contract packs add to those of the document.
	Known []string
	// Twin is where another plugin of the run has the same name.
	Twin string
	// File is what stands at Executable, as found by whoever read the manifest.
	File FileFacts
}

// FileFacts says what stands at a path.
type FileFacts struct {
	Exists bool
	// Trouble says in words why it cannot be run, and Fix how to mend it; empty when it can.
	Class, Trouble, Fix string
}

// The kinds of plugin.
const (
	Sensor   = "sensor"
	Actuator = "actuator"
)

// Timeout is how long the host waits for the plugin.
func (m *Manifest) Timeout() time.Duration {
	secs := m.TimeoutSecs
	if secs <= 0 {
		secs = int64(contracts.MustGet("jsonl-exchange").Limits["timeout_secs"])
	}
	return time.Duration(min(secs, 24*60*60)) * time.Second
}

// Declares reports whether the manifest declares a capability. A sensor has none,
// whatever it declares.
func (m *Manifest) Declares(capability string) bool {
	return m.Kind != Sensor && slices.Contains(m.Capabilities, capability)
}

// Speaks reports whether the manifest lists a language; case does not matter.
func (m *Manifest) Speaks(language string) bool {
	return slices.ContainsFunc(m.Languages, func(l string) bool { return strings.EqualFold(strings.TrimSpace(l), language) })
}

// ReadManifest reads TOML or JSON, as the file name says. What is wrong with
// the text is kept in the manifest, for the rules to tell.
func ReadManifest(source string, text []byte) *Manifest {
	m := &Manifest{Source: source, Text: text}
	message := text
	if strings.EqualFold(filepath.Ext(source), ".json") {
		if m.Unreadable = StrictJSON(text); m.Unreadable != nil {
			return m
		}
	} else {
		if message, m.Unreadable = TOMLAsJSON(text); m.Unreadable != nil {
			return m
		}
	}
	m.Violations = contracts.MustGet("jsonl-exchange").Schema("manifest").Validate(message)
	m.fill(message)
	return m
}

// fill takes each field that has the type it should have and leaves the others
// empty, so that as much as possible can still be judged.
func (m *Manifest) fill(message []byte) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(message, &fields) != nil {
		return // not an object, as Violations says
	}
	known := map[string]any{
		"name": &m.Name, "version": &m.Version, "kind": &m.Kind, "languages": &m.Languages, "executable": &m.Executable,
		"args": &m.Args, "timeout_secs": &m.TimeoutSecs, "capabilities": &m.Capabilities,
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		into, ok := known[name]
		if !ok {
			m.Unknown = append(m.Unknown, name)
			continue
		}
		// A field of another type is a violation already, so its error adds nothing.
		_ = json.Unmarshal(fields[name], into)
	}
}

// readable reports whether a field is there to be judged: what is wrong with its
// type, or with the text as a whole, is told by the rule about the shape.
func (m *Manifest) readable(field string) bool {
	return m.Unreadable == nil && !slices.ContainsFunc(m.Violations, func(v contracts.Violation) bool {
		return v.Path == field || strings.HasPrefix(v.Path, field+".")
	})
}

// TOMLAsJSON reads a manifest's text as the JSON that schemas judge, or says why
// it cannot be read.
func TOMLAsJSON(text []byte) ([]byte, *Finding) {
	var table map[string]any
	if err := toml.Unmarshal(text, &table); err != nil {
		return nil, tomlFault(err)
	}
	encoded, err := json.Marshal(table)
	if err != nil { // an infinite or NaN float: TOML has them, the manifest does not
		return nil, &Finding{Class: "toml", Message: "the manifest holds a number that is not finite: " + err.Error()}
	}
	return encoded, nil
}

func tomlFault(err error) *Finding {
	f := &Finding{Class: "toml", Fix: "Mend the syntax at that place; strings stand in double quotes, lists in brackets.", Message: "the manifest is not TOML: " + err.Error()}
	if d, ok := err.(*toml.DecodeError); ok {
		line, column := d.Position()
		f.Message = fmt.Sprintf("the manifest is not TOML: line %d, column %d: %s", line, column, strings.TrimPrefix(d.Error(), "toml: "))
		f.Got = d.String()
	}
	return f
}
