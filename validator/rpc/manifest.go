package rpc

import (
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
	// Twin is where another plugin of the run has the same name.
	Twin string
	// File is what stands at Entry, as found by whoever read the manifest, and
	// Outside is where Entry leads, symlinks resolved, when that is not inside the folder.
	File    validator.FileFacts
	Outside string
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
