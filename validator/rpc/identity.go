package rpc

import (
	"cmp"
	"encoding/json"

	"plugcheck/contracts"
)

// An Identity is what a plugin says of itself in the result of plugin.initialize.
type Identity struct {
	Name, Version, Description string
	Permissions                Permissions
	// Violations are where the result is not what the schema asks for.
	Violations []contracts.Violation
}

// readIdentity takes what is in the manifest, and from the top level what the
// manifest lacks, as the host does.
func readIdentity(result json.RawMessage) *Identity {
	type self struct{ Name, Version, Description string }
	var top self
	var inner struct {
		Manifest struct {
			self
			Permissions Permissions
		}
	}
	// What has another type than it should is a violation, and empty here.
	_ = json.Unmarshal(result, &top)
	_ = json.Unmarshal(result, &inner)
	m := inner.Manifest
	return &Identity{
		Name: cmp.Or(m.Name, top.Name), Version: cmp.Or(m.Version, top.Version), Description: cmp.Or(m.Description, top.Description),
		Permissions: m.Permissions,
		Violations:  validate(Initialize, result),
	}
}

// introduce takes the plugin's word for what it is.
func (c *Conversation) introduce(call *Call, answer *Message) {
	if call == c.opening && answer.Result != nil {
		c.identity = readIdentity(answer.Result)
	}
}

// Identity is what the plugin said of itself, or nil before it did.
func (c *Conversation) Identity() *Identity { return c.identity }

// Permissions are those that the plugin declared when it was initialized, and
// until then those on disk; known is false where there are neither.
func (c *Conversation) Permissions() (p Permissions, known bool) {
	switch {
	case c.identity != nil:
		return c.identity.Permissions, true
	case c.Static != nil && c.Static.Permissions != nil:
		return *c.Static.Permissions, true
	}
	return Permissions{}, false
}
