// Package contracts holds what plugins promise, as data: one folder a contract
// and version, with the JSON Schemas of its messages, its reason codes and its
// arguments. The Go code only loads them and compares versions. JSON Schema
// stays behind this door.
package contracts

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed */*/*.json
var embedded embed.FS

// A Contract is one version of one promise.
type Contract struct {
	Name    string
	Version Version
	Title   string
	Wire    string
	// Spec names the document and the place in it.
	Spec string
	// Capability is the identifier that a manifest declares to promise this
	// contract; empty for a contract that every plugin of the wire keeps.
	Capability string
	// Draft marks a contract for which the document publishes no text yet.
	Draft        bool
	Limits       map[string]int
	Capabilities []string
	ReasonCodes  []ReasonCode
	Arguments    []Argument
	// Events are the names of what a plugin can subscribe to.
	Events []string

	messages map[string]*Schema
}

// A ReasonCode is a stable identifier of a refusal.
type ReasonCode struct{ Code, Meaning string }

// An Argument is a required string argument of a capability's requests.
type Argument struct{ Name, Meaning string }

// ID is name@version.
func (c *Contract) ID() string { return c.Name + "@" + c.Version.String() }

// Schema returns the schema of a message. A name that the contract does not
// have is a mistake in the kit, so it panics.
func (c *Contract) Schema(message string) *Schema {
	s, ok := c.messages[message]
	if !ok {
		panic(fmt.Sprintf("contract %s has no message %q", c.ID(), message))
	}
	return s
}

// Messages lists the messages that have a schema, sorted.
func (c *Contract) Messages() []string {
	var names []string
	for n := range c.messages {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// KnowsReason reports whether code is one of the contract's reason codes.
func (c *Contract) KnowsReason(code string) bool {
	return slices.ContainsFunc(c.ReasonCodes, func(r ReasonCode) bool { return r.Code == code })
}

var all = sync.OnceValues(func() ([]*Contract, error) { return load(embedded) })

// All returns the embedded contracts, by name and version. They are read once;
// their schemas are compiled when first used.
func All() ([]*Contract, error) { return all() }

// Get returns the newest version of an embedded contract that fits request:
// "name", "name@1" or "name@1.0".
func Get(request string) (*Contract, error) {
	name, version, _ := strings.Cut(request, "@")
	list, err := All()
	if err != nil {
		return nil, err
	}
	var found *Contract
	var known []string
	for _, c := range list {
		known = append(known, c.ID())
		if c.Name == name && (version == "" || version == c.Version.String() || version == fmt.Sprint(c.Version.Major)) {
			found = c // the list is sorted, so the last one is the newest
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no contract %q; there are %s", request, strings.Join(known, ", "))
	}
	return found, nil
}

// MustGet is Get for the contracts that the kit itself is built on.
func MustGet(request string) *Contract {
	c, err := Get(request)
	if err != nil {
		panic(err)
	}
	return c
}

// file is the shape of contract.json.
type file struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Title        string            `json:"title"`
	Wire         string            `json:"wire"`
	Spec         string            `json:"spec"`
	Capability   string            `json:"capability"`
	Draft        bool              `json:"draft"`
	Limits       map[string]int    `json:"limits"`
	Capabilities []string          `json:"capabilities"`
	ReasonCodes  []ReasonCode      `json:"reason_codes"`
	Arguments    []Argument        `json:"arguments"`
	Events       []string          `json:"events"`
	Messages     map[string]string `json:"messages"`
}

// load reads every <name>/<version>/contract.json of fsys.
func load(fsys fs.FS) ([]*Contract, error) {
	names, err := fs.Glob(fsys, "*/*/contract.json")
	if err != nil {
		return nil, err
	}
	var list []*Contract
	for _, name := range names {
		c, err := loadOne(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("contract %s: %w", name, err)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *Contract) int {
		if a.Name != b.Name {
			return strings.Compare(a.Name, b.Name)
		}
		return a.Version.Compare(b.Version)
	})
	return list, nil
}

func loadOne(fsys fs.FS, name string) (*Contract, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	var f file
	if err := dec.Decode(&f); err != nil {
		return nil, err
	}
	v, err := ParseVersion(f.Version)
	if err != nil {
		return nil, err
	}
	if want := path.Join(f.Name, f.Version, "contract.json"); want != name {
		return nil, fmt.Errorf("says it is %s %s, so it should be %s", f.Name, f.Version, want)
	}
	c := &Contract{
		Name: f.Name, Version: v, Title: f.Title, Wire: f.Wire, Spec: f.Spec, Capability: f.Capability, Draft: f.Draft,
		Limits: f.Limits, Capabilities: f.Capabilities, ReasonCodes: f.ReasonCodes, Arguments: f.Arguments, Events: f.Events,
		messages: map[string]*Schema{},
	}
	for message, schema := range f.Messages {
		source, err := fs.ReadFile(fsys, path.Join(path.Dir(name), schema))
		if err != nil {
			return nil, err
		}
		c.messages[message] = newSchema(source)
	}
	return c, nil
}
