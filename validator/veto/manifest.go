// Package veto judges plugins that get one event and may answer with a veto:
// their manifests, what a host makes of their output, and what they meant by it.
package veto

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"plugcheck/contracts"
	"plugcheck/validator"
)

// A Manifest is what a plugin.json says, as far as it could be read. A shell hook,
// which has none, is described by one that nobody wrote.
type Manifest struct {
	Source string // where it was read; empty for a hook
	Text   []byte

	Name        string
	Description string
	Command     string
	Events      []string // empty is all
	AgentSafe   bool

	// Unreadable is set when the text is no JSON, and Violations where it is not what the schema asks for.
	Unreadable *validator.Finding
	Violations []contracts.Violation
	// Unknown lists fields that the document does not have; hosts ignore them.
	Unknown []string
	// SafeByAnotherName is an unknown field that means agent_safe, with its value.
	SafeByAnotherName string

	// Known lists the events that the kit knows of, to tell what a mistyped one may mean.
	Known []string
	// File is what stands at Command. Outside is where it really stands, when that
	// is not in the plugin's folder.
	File    validator.FileFacts
	Outside string
}

// ReadManifest reads a plugin.json. What is wrong with it is kept for the rules to tell.
func ReadManifest(source string, text []byte) *Manifest {
	m := &Manifest{Source: source, Text: text}
	if m.Unreadable = validator.StrictJSON(text); m.Unreadable != nil {
		return m
	}
	m.Violations = contracts.MustGet("veto-event").Schema("manifest").Validate(text)
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return m // not an object, as Violations says
	}
	known := map[string]any{"name": &m.Name, "description": &m.Description, "command": &m.Command, "events": &m.Events, "agent_safe": &m.AgentSafe}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		into, ok := known[name]
		if !ok {
			m.Unknown = append(m.Unknown, name)
			if letters(name) == "agentsafe" && string(fields[name]) != "false" {
				m.SafeByAnotherName = name + ": " + string(fields[name])
			}
			continue
		}
		// A field of another type is a violation already, so its error adds nothing.
		_ = json.Unmarshal(fields[name], into)
	}
	return m
}

// Broken reports whether a host skips the plugin for its manifest. One without a
// name is taken, by the name of its folder.
func (m *Manifest) Broken() bool {
	return m.Unreadable != nil || m.Command == "" || slices.ContainsFunc(m.Violations, func(v contracts.Violation) bool { return v.Path != "name" || v.Got != "nothing" })
}

// Hears reports whether the host runs the plugin for an event.
func (m *Manifest) Hears(event string) bool {
	return len(m.Events) == 0 || slices.Contains(m.Events, event)
}

// letters is a name without case, spaces and punctuation: what people take for the same.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
