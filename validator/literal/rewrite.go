package literal

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Change is what a host saves in a manifest. What is nil stays.
type Change struct {
	OnError *string
	// Match holds new lists of globs, by their name: clients, models or upstreams.
	Match map[string][]string
	// Settings holds new values of settings.
	Settings map[string]Value
}

// OnErrorUnknown is the code for an on_error that is neither "reject" nor "skip".
const OnErrorUnknown = "on_error_unknown"

// The limits of what can be saved.
const (
	maxPatterns = 100
	maxPattern  = 200
	maxText     = 10_000
)

// order is where a manifest's own fields stand, as far as they are there.
var order = []string{"name", "api", "description", "permissions", "requests", "match", "on_error", "reply", "settings"}

// lists is where the lists of match stand.
var lists = []string{"clients", "models", "upstreams"}

// types are the types of settings, which are called as their kinds are.
var types = []string{"string", "number", "boolean"}

// Rewrite makes a change in the manifest of a source. Nothing but the bytes of
// the literal is touched, and where the change changes nothing they are not
// either. The error is an *Error.
func Rewrite(source []byte, c Change) ([]byte, error) {
	m, err := Find(source)
	if err != nil {
		return nil, err
	}
	v, fault := c.Apply(m.Value)
	if fault != nil {
		return nil, fault
	}
	if same(m.Value, v) {
		return bytes.Clone(source), nil
	}
	return m.replace(source, v)
}

// same is Equal, with the order of fields.
func same(v, w Value) bool { return v.JSON() == w.JSON() }

// Apply is the manifest after the change.
func (c Change) Apply(v Value) (Value, *Error) {
	if c.OnError != nil {
		if *c.OnError != "reject" && *c.OnError != "skip" {
			return v, &Error{Code: OnErrorUnknown, Class: "on-error", Message: fmt.Sprintf("on_error is \"reject\" or \"skip\", and not %q", *c.OnError)}
		}
		v = v.with(order, "on_error", text(*c.OnError), *c.OnError == "reject")
	}
	if len(c.Match) > 0 {
		match, err := c.match(v)
		if err != nil {
			return v, err
		}
		v = v.with(order, "match", match, len(match.Fields) == 0)
	}
	if len(c.Settings) > 0 {
		settings, err := c.settings(v)
		if err != nil {
			return v, err
		}
		v = v.with(order, "settings", settings, false)
	}
	return v, nil
}

func text(s string) Value { return Value{Kind: String, String: s} }

// with sets a field. One that is not there is added in its place in the order,
// unless its value says what is so without it.
func (v Value) with(order []string, name string, value Value, isDefault bool) Value {
	fields := slices.Clone(v.Fields)
	if i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name }); i >= 0 {
		fields[i].Value = value
	} else if !isDefault {
		at := slices.IndexFunc(fields, func(f Field) bool { return slices.Index(order, f.Name) > slices.Index(order, name) })
		if at < 0 {
			at = len(fields)
		}
		fields = slices.Insert(fields, at, Field{name, value})
	}
	v.Kind, v.Fields = Object, fields
	return v
}

// match is the new value of match.
func (c Change) match(v Value) (Value, *Error) {
	match, _ := v.Get("match")
	if match.Kind != Object {
		match = Value{Kind: Object} // there was none, or nothing that a host can read
	}
	for _, name := range slices.Sorted(maps.Keys(c.Match)) {
		if !slices.Contains(lists, name) {
			return v, &Error{Code: InvalidPattern, Class: "pattern", Message: fmt.Sprintf("match has %s, and no %q", strings.Join(lists, ", "), name)}
		}
		patterns := Value{Kind: Array}
		for _, p := range c.Match[name] {
			p = strings.TrimSpace(p)
			if why := badPattern(p); why != "" {
				return v, &Error{Code: InvalidPattern, Class: "pattern", Message: fmt.Sprintf("a pattern of %s %s", name, why)}
			}
			patterns.Items = append(patterns.Items, text(p))
		}
		if len(patterns.Items) > maxPatterns {
			return v, &Error{Code: InvalidPattern, Class: "pattern", Message: fmt.Sprintf("%s has %d patterns, and %d are allowed", name, len(patterns.Items), maxPatterns)}
		}
		match = match.with(lists, name, patterns, len(patterns.Items) == 0)
	}
	return match, nil
}

func badPattern(p string) string {
	switch {
	case p == "":
		return "is blank"
	case !utf8.ValidString(p):
		return "is not UTF-8"
	case utf8.RuneCountInString(p) > maxPattern:
		return fmt.Sprintf("has more than %d characters", maxPattern)
	}
	return ""
}

// settings is the new value of settings.
func (c Change) settings(v Value) (Value, *Error) {
	settings, _ := v.Get("settings")
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		value := c.Settings[name]
		setting, ok := settings.Get(name)
		if !ok || setting.Kind != Object {
			return v, &Error{Code: SettingUnknown, Class: "setting", Message: fmt.Sprintf("there is no setting %q", name)}
		}
		kind, _ := setting.Get("type")
		switch {
		case !slices.Contains(types, kind.String):
			return v, &Error{Code: SettingType, Class: "setting", Message: fmt.Sprintf("the setting %q has no type, which is one of %s", name, strings.Join(types, ", "))}
		case kind.String != value.Kind.String():
			return v, &Error{Code: SettingType, Class: "setting", Message: fmt.Sprintf("the setting %q takes a %s, and the value is of the type %s", name, kind.String, value.Kind)}
		case !utf8.ValidString(value.String) || utf8.RuneCountInString(value.String) > maxText:
			return v, &Error{Code: SettingType, Class: "setting", Message: fmt.Sprintf("the value of the setting %q is no text of up to %d characters", name, maxText)}
		}
		settings = settings.with(nil, name, setting.with(nil, "value", value, false), false)
	}
	return settings, nil
}
