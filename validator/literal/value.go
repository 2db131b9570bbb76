// Package literal finds, reads and writes the manifest of a JavaScript plugin
// file: `export const manifest = { … }`, an object literal of pure data that a
// host rewrites in place. It starts nothing and evaluates nothing.
package literal

import (
	"fmt"
	"slices"
)

// A Value is pure data as a manifest holds it.
type Value struct {
	Kind   Kind
	Bool   bool
	Number float64 // never NaN or infinite
	String string  // always valid UTF-8
	Items  []Value // of an array
	Fields []Field // of an object, in the order of the source; each name once
}

// A Field is one member of an object.
type Field struct {
	Name  string
	Value Value
}

// A Kind is the type of a value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind as a manifest's author calls it.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Get returns a member of an object.
func (v Value) Get(name string) (Value, bool) {
	for _, f := range v.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return Value{}, false
}

// Equal reports whether two values are the same data. The order of the members of
// an object does not matter, and neither does the sign of zero.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind || v.Bool != w.Bool || v.Number != w.Number || v.String != w.String ||
		!slices.EqualFunc(v.Items, w.Items, Value.Equal) || len(v.Fields) != len(w.Fields) {
		return false
	}
	members := w.members()
	for _, f := range v.Fields {
		other, ok := members[f.Name]
		if !ok || !f.Value.Equal(other) {
			return false
		}
	}
	return true
}

// members are the values of an object by their names.
func (v Value) members() map[string]Value {
	members := make(map[string]Value, len(v.Fields))
	for _, f := range v.Fields {
		members[f.Name] = f.Value
	}
	return members
}

// An Error says why a manifest could not be read, or a change not be made.
type Error struct {
	// Code is the stable identifier: manifest_not_data_at (with a place),
	// manifest_not_data (without one), setting_unknown, setting_type or
	// invalid_pattern.
	Code string
	// Class is a short steady word for the construct, such as "getter" or "spread".
	Class   string
	Message string // in plain words, without the place
	// Line and Column count from 1, the column in characters. Both are 0 where
	// there is no place. Offset is the same place in bytes.
	Line, Column, Offset int
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// The codes of errors.
const (
	NotDataAt      = "manifest_not_data_at"
	NotData        = "manifest_not_data"
	SettingUnknown = "setting_unknown"
	SettingType    = "setting_type"
	InvalidPattern = "invalid_pattern"
)
