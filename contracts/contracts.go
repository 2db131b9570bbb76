// Package contracts holds what plugins promise, as data: one folder a contract
// and version, with the JSON Schemas of its messages, its reason codes and its
// arguments. The Go code only loads them and compares versions. JSON Schema
// stays behind this door.
package contracts

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"golang.org/x/mod/semver"
)

//go:embed */*/*.json */*/README.md
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

	// Checks are those that follow from a schema of the contract alone.
	Checks []SchemaCheck
	// Kit is the version of the kit with which this version of the contract came.
	Kit string
	// README is what the contract's folder says to people.
	README string

	messages     map[string]*Schema
	hostMessages []string
}

// A ReasonCode is a stable identifier of a refusal.
type ReasonCode struct{ Code, Meaning string }

// An Argument is a required string argument of a capability's requests.
type Argument struct{ Name, Meaning string }

// A SchemaCheck is a check whose answer a schema gives: every success of the
// contract's capability has to keep the schema of the message.
type SchemaCheck struct {
	ID, Level, Title, Why, Spec, Fix, Message string
	// Since is the version of the kit that added it, where that is a later one than
	// that of the contract.
	Since string
}

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

// HostWrites reports whether a message is written by the host, and read by the plugin.
func (c *Contract) HostWrites(message string) bool { return slices.Contains(c.hostMessages, message) }

// KnowsReason reports whether code is one of the contract's reason codes.
func (c *Contract) KnowsReason(code string) bool {
	return slices.ContainsFunc(c.ReasonCodes, func(r ReasonCode) bool { return r.Code == code })
}

var all = sync.OnceValues(func() (Set, error) { return load(embedded) })

// All returns the embedded contracts, by name and version. They are read once;
// their schemas are compiled when first used.
func All() (Set, error) { return all() }

// Get is [Set.Get] among the embedded contracts.
func Get(request string) (*Contract, error) {
	set, err := All()
	if err != nil {
		return nil, err
	}
	return set.Get(request)
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
	HostMessages []string          `json:"host_messages"`
	Checks       []SchemaCheck     `json:"checks"`
	Kit          string            `json:"kit"`
}

// load reads every <name>/<version>/contract.json of fsys.
func load(fsys fs.FS) (Set, error) {
	names, err := fs.Glob(fsys, "*/*/contract.json")
	if err != nil {
		return nil, err
	}
	var list Set
	for _, name := range names {
		c, err := Load(fsys, path.Dir(name))
		if err != nil {
			return nil, fmt.Errorf("contract %s: %w", name, err)
		}
		if want := path.Join(c.Name, c.Version.String(), "contract.json"); want != name {
			return nil, fmt.Errorf("contract %s says it is %s, so it should be %s", name, c.ID(), want)
		}
		list = append(list, c)
	}
	list.sort()
	return list, nil
}

// Load reads the contract whose folder is dir.
func Load(fsys fs.FS, dir string) (*Contract, error) {
	data, err := fs.ReadFile(fsys, path.Join(dir, "contract.json"))
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var f file
	if err := dec.Decode(&f); err != nil {
		return nil, atLine("contract.json", data, dec.InputOffset(), err)
	}
	v, err := ParseVersion(f.Version)
	if err != nil {
		return nil, err
	}
	c := &Contract{
		Name: f.Name, Version: v, Title: f.Title, Wire: f.Wire, Spec: f.Spec, Capability: f.Capability, Draft: f.Draft,
		Limits: f.Limits, Capabilities: f.Capabilities, ReasonCodes: f.ReasonCodes, Arguments: f.Arguments, Events: f.Events,
		messages: map[string]*Schema{}, hostMessages: f.HostMessages, Checks: f.Checks, Kit: f.Kit,
	}
	if c.Kit != "" && !semver.IsValid("v"+c.Kit) {
		return nil, fmt.Errorf("kit is %q: it is a version of plugcheck, such as 0.1.0", c.Kit)
	}
	readme, err := fs.ReadFile(fsys, path.Join(dir, "README.md"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c.README = string(readme)
	for _, m := range f.HostMessages {
		if f.Messages[m] == "" {
			return nil, fmt.Errorf("host_messages names %q, which is no message", m)
		}
	}
	for _, k := range f.Checks {
		if f.Messages[k.Message] == "" {
			return nil, fmt.Errorf("check %s names the message %q, which is none", k.ID, k.Message)
		}
	}
	for message, schema := range f.Messages {
		source, err := fs.ReadFile(fsys, path.Join(dir, schema))
		if err != nil {
			return nil, err
		}
		c.messages[message] = newSchema(schema, source)
	}
	return c, nil
}
