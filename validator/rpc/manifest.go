package rpc

import (
	"encoding/json"
	"maps"
	"slices"

	"plugcheck/contracts"
	"plugcheck/validator"
)

// Permissions is what a plugin may ask of the host.
type Permissions struct {
	ConfigKeys []string `json:"config_keys" toml:"config_keys"`
	ToolsCall  []string `json:"tools_call" toml:"tools_call"`
	Events     []string `json:"events" toml:"events"`
}

// A Manifest is a plugin.toml, as far as it could be read.
type Manifest struct {
	Source string
	Text   []byte

	Name, Version, Description string
	Entry                      string
	Args                       []string
	Env                        map[string]string
	Permissions                *Permissions // nil where it says nothing of them

	// Unreadable is set when the text is no TOML.
	Unreadable *validator.Finding
	// Violations are where it is not what the schema asks for.
	Violations []contracts.Violation
	// Unknown lists fields that the document does not have; hosts ignore them.
	Unknown []string
	// File is what stands at Entry, as found by whoever read the manifest, and
	// Outside is where Entry leads, symlinks resolved, when that is not inside the folder.
	File    validator.FileFacts
	Outside string
}

// ReadManifest reads a plugin.toml. What is wrong with the text is kept in the
// manifest, for the rules to tell.
func ReadManifest(source string, text []byte) *Manifest {
	m := &Manifest{Source: source, Text: text}
	var message []byte
	if message, m.Unreadable = validator.TOMLAsJSON(text); m.Unreadable != nil {
		return m
	}
	m.Violations = contract().Schema("manifest").Validate(message)
	var fields map[string]json.RawMessage
	if json.Unmarshal(message, &fields) != nil {
		return m // no table, as Violations says
	}
	known := map[string]any{
		"name": &m.Name, "version": &m.Version, "description": &m.Description, "entry": &m.Entry,
		"args": &m.Args, "env": &m.Env, "permissions": &m.Permissions,
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
	return m
}

// Allows reports whether the permissions let a method of the plugin be called
// with its config key, tool or event; most methods need none.
func (p *Permissions) Allows(method, name string) bool {
	list, gated := p.gate(method)
	return !gated || slices.Contains(list, name)
}

// gate is the list that a method is checked against.
func (p *Permissions) gate(method string) (list []string, gated bool) {
	switch method {
	case Subscribe:
		return p.Events, true
	case ConfigGet:
		return p.ConfigKeys, true
	case CallTool:
		return p.ToolsCall, true
	}
	return nil, false
}
