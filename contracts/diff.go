package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// An Effect is what a change means for one of the two sides of a contract.
type Effect int

// The effects, the weightiest last.
const (
	// Documentation changes nothing that is sent or read.
	Documentation Effect = iota
	// Additive lets a side do more, and leaves what it does today as good as it was.
	Additive
	// Breaking makes a side that kept the old version break the new one.
	Breaking
)

var effectNames = []string{"documentation", "additive", "breaking"}

func (e Effect) String() string { return effectNames[e] }

// MarshalText implements encoding.TextMarshaler.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// A Change is one difference between two versions of a contract, and what it
// means for those who wrote a host or a plugin for the older one.
type Change struct {
	Place   string `json:"place"` // "response: output.kind", "reason code name_conflict"
	What    string `json:"what"`
	Hosts   Effect `json:"hosts"`
	Plugins Effect `json:"plugins"`
}

func (c Change) effect() Effect { return max(c.Hosts, c.Plugins) }

// A Diff is all that changed from one version to another.
type Diff struct {
	Old     string   `json:"old"`
	New     string   `json:"new"`
	Changes []Change `json:"changes"`
	// Needs is the step of the version number that the changes ask for: "major",
	// "minor" or "none". Has is the step that was made.
	Needs string `json:"needs"`
	Has   string `json:"has"`
	// Enough reports whether Has says what Needs asks for.
	Enough bool `json:"enough"`
}

// Compare returns what changed from one version of a contract to another.
func Compare(from, to *Contract) Diff {
	d := differ{}
	d.messages(from, to)
	d.codes(from.ReasonCodes, to.ReasonCodes)
	d.arguments(from.Arguments, to.Arguments)
	d.names("capability", from.Capabilities, to.Capabilities)
	d.limits(from.Limits, to.Limits)
	d.texts(from, to)
	changes := d.changes
	slices.SortStableFunc(changes, func(a, b Change) int { return int(b.effect()) - int(a.effect()) })
	diff := Diff{Old: from.ID(), New: to.ID(), Changes: changes, Needs: "none", Has: step(from.Version, to.Version)}
	if len(changes) > 0 {
		diff.Needs = [...]string{Documentation: "none", Additive: "minor", Breaking: "major"}[changes[0].effect()]
	}
	diff.Enough = diff.Has != "back" && (diff.Needs == "none" || diff.Has == "major" || diff.Has == diff.Needs)
	return diff
}

// step is how the version number went on.
func step(from, to Version) string {
	switch {
	case to.Compare(from) < 0:
		return "back"
	case to.Major > from.Major:
		return "major"
	case to.Minor > from.Minor:
		return "minor"
	}
	return "none"
}

// A differ collects the changes.
type differ struct{ changes []Change }

func (d *differ) add(place, what string, hosts, plugins Effect) {
	d.changes = append(d.changes, Change{place, what, hosts, plugins})
}

func (d *differ) messages(from, to *Contract) {
	for _, name := range slices.Sorted(maps.Keys(union(from.messages, to.messages))) {
		was, before := from.messages[name]
		is, after := to.messages[name]
		switch {
		case !before:
			d.add(name, "a new message", Additive, Additive)
		case !after:
			d.add(name, "the message is no longer there", Breaking, Breaking)
		default:
			s := schemas{d: d, place: name, hostWrites: to.HostWrites(name)}
			s.old, s.new = decode(was.source), decode(is.source)
			s.compare("", s.old, s.new, 0)
		}
	}
}

// codes compares reason codes. A code under another name with the same meaning
// was renamed.
func (d *differ) codes(from, to []ReasonCode) {
	meaning := func(list []ReasonCode) map[string]string {
		m := map[string]string{}
		for _, c := range list {
			m[c.Code] = c.Meaning
		}
		return m
	}
	was, is := meaning(from), meaning(to)
	for _, c := range from {
		place := "reason code " + c.Code
		text, there := is[c.Code]
		switch {
		case there && text != c.Meaning:
			d.add(place, fmt.Sprintf("it means %q in place of %q", text, c.Meaning), Breaking, Breaking)
		case there:
		default:
			what := "removed: plugins may no longer give it"
			for _, n := range to {
				if _, before := was[n.Code]; !before && n.Meaning == c.Meaning {
					what = "renamed to " + n.Code
				}
			}
			hosts := Additive
			if strings.HasPrefix(what, "renamed") {
				hosts = Breaking
			}
			d.add(place, what, hosts, Breaking)
		}
	}
	for _, c := range to {
		if _, before := was[c.Code]; !before {
			// A host that takes only the codes it knows is right to do so.
			d.add("reason code "+c.Code, "added: a host that knows only the old ones does not know it", Breaking, Additive)
		}
	}
}

func (d *differ) arguments(from, to []Argument) {
	has := func(list []Argument, name string) bool {
		return slices.ContainsFunc(list, func(a Argument) bool { return a.Name == name })
	}
	for _, a := range from {
		if !has(to, a.Name) {
			d.add("argument "+a.Name, "no longer required: a plugin may not count on it", Additive, Breaking)
		}
	}
	for _, a := range to {
		if !has(from, a.Name) {
			d.add("argument "+a.Name, "newly required: hosts have to send it and plugins to heed it", Breaking, Breaking)
		}
	}
}

func (d *differ) names(kind string, from, to []string) {
	for _, n := range from {
		if !slices.Contains(to, n) {
			d.add(kind+" "+n, "removed: a plugin that declares it is no longer known", Additive, Breaking)
		}
	}
	for _, n := range to {
		if !slices.Contains(from, n) {
			d.add(kind+" "+n, "added", Additive, Additive)
		}
	}
}

// limits compares what a plugin may take: less of it breaks plugins that took
// what they were given.
func (d *differ) limits(from, to map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(union(from, to))) {
		was, before := from[name]
		is, after := to[name]
		place := "limit " + name
		switch {
		case !before:
			d.add(place, fmt.Sprintf("new: %d", is), Additive, Breaking)
		case !after:
			d.add(place, fmt.Sprintf("lifted; it was %d", was), Breaking, Additive)
		case is < was:
			d.add(place, fmt.Sprintf("lowered from %d to %d", was, is), Additive, Breaking)
		case is > was:
			d.add(place, fmt.Sprintf("raised from %d to %d: a host has to allow more", was, is), Breaking, Additive)
		}
	}
}

func (d *differ) texts(from, to *Contract) {
	for _, t := range []struct{ place, was, is string }{{"title", from.Title, to.Title}, {"spec", from.Spec, to.Spec}} {
		if t.was != t.is {
			d.add(t.place, "other words", Documentation, Documentation)
		}
	}
	if from.Wire != to.Wire || from.Capability != to.Capability {
		d.add("wire and capability", fmt.Sprintf("%s %s became %s %s", from.Wire, from.Capability, to.Wire, to.Capability), Breaking, Breaking)
	}
	if from.Draft != to.Draft {
		d.add("draft", fmt.Sprintf("%v became %v", from.Draft, to.Draft), Documentation, Documentation)
	}
}

func union[V any](a, b map[string]V) map[string]bool {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

// schemas compares the two schemas of one message.
type schemas struct {
	d          *differ
	place      string
	hostWrites bool
	old, new   any
}

// A turn says how a schema changed: what it allows became less, more, or other.
type turn int

const (
	narrower turn = iota
	wider
	other
)

// changed adds a change with the effects that follow from it. Whoever writes the
// message is hit when less is allowed, and whoever reads it when more is.
func (s *schemas) changed(path, what string, t turn) {
	writer := map[turn]Effect{narrower: Breaking, wider: Additive, other: Breaking}[t]
	reader := map[turn]Effect{narrower: Additive, wider: Breaking, other: Breaking}[t]
	s.add(path, what, writer, reader)
}

func (s *schemas) add(path, what string, writer, reader Effect) {
	hosts, plugins := reader, writer
	if s.hostWrites {
		hosts, plugins = writer, reader
	}
	place := s.place
	if path != "" {
		place += ": " + path
	}
	s.d.add(place, what, hosts, plugins)
}

// maxSchemaDepth ends what refers to itself: no message is nested deeper.
const maxSchemaDepth = 32

// compare walks both schemas side by side.
func (s *schemas) compare(path string, was, is any, depth int) {
	was, is = resolve(s.old, was), resolve(s.new, is)
	if depth > maxSchemaDepth || reflect.DeepEqual(was, is) && !refers(was) {
		return
	}
	old, ok1 := was.(map[string]any)
	new, ok2 := is.(map[string]any)
	if !ok1 || !ok2 { // true and false are schemas too
		if !reflect.DeepEqual(was, is) {
			s.changed(path, fmt.Sprintf("%s became %s", brief(was), brief(is)), other)
		}
		return
	}
	s.types(path, old["type"], new["type"])
	s.enums(path, old, new)
	s.bounds(path, old, new)
	s.object(path, old, new, depth)
	if old["items"] != nil && new["items"] != nil {
		s.compare(path+"[]", old["items"], new["items"], depth+1)
	}
	for _, key := range slices.Sorted(maps.Keys(union(old, new))) {
		how, known := keywords[key]
		a, b := old[key], new[key]
		if key == "items" && a != nil && b != nil || reflect.DeepEqual(a, b) {
			continue
		}
		switch {
		case !known:
			s.changed(path, fmt.Sprintf("%s changed from %s to %s", key, brief(a), brief(b)), other)
		case how == elsewhere:
		case how == words:
			s.add(path, key+" has other words", Documentation, Documentation)
		case a == nil:
			s.changed(path, fmt.Sprintf("%s was added: %s", key, brief(b)), narrower)
		case b == nil:
			s.changed(path, fmt.Sprintf("%s was removed: %s", key, brief(a)), wider)
		default:
			s.changed(path, fmt.Sprintf("%s changed from %s to %s", key, brief(a), brief(b)), other)
		}
	}
}

// How a keyword is compared.
type comparison int

const (
	elsewhere  comparison = iota // by a method of its own
	words                        // it only explains
	constraint                   // the more of it, the less is allowed
)

// keywords are those of JSON Schema that are understood. Any other one that
// changes is taken for a change of what is allowed, both ways.
var keywords = map[string]comparison{
	"type": elsewhere, "enum": elsewhere, "const": elsewhere, "properties": elsewhere, "required": elsewhere, "additionalProperties": elsewhere,
	"minimum": elsewhere, "maximum": elsewhere, "exclusiveMinimum": elsewhere, "exclusiveMaximum": elsewhere,
	"minLength": elsewhere, "maxLength": elsewhere, "minItems": elsewhere, "maxItems": elsewhere, "minProperties": elsewhere, "maxProperties": elsewhere,
	"definitions": elsewhere, "$schema": words, "$id": words, "$comment": words,
	"title": words, "description": words, "examples": words, "default": words,
	"pattern": constraint, "format": constraint, "items": constraint, "uniqueItems": constraint, "multipleOf": constraint,
	"propertyNames": constraint, "allOf": constraint, "anyOf": constraint, "oneOf": constraint, "not": constraint,
}

func (s *schemas) types(path string, was, is any) {
	old, new := list(was), list(is)
	if len(old) == 0 && len(new) == 0 {
		return
	}
	// A number that has to be whole is less than a number.
	allows := func(types []string, t string) bool {
		return len(types) == 0 || slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
	}
	lost := slices.ContainsFunc(orAll(old), func(t string) bool { return !allows(new, t) })
	gained := slices.ContainsFunc(orAll(new), func(t string) bool { return !allows(old, t) })
	s.turned(path, fmt.Sprintf("its type was %s and is %s", orAny(old), orAny(new)), lost, gained)
}

// turned adds a change that takes away, gives, or both.
func (s *schemas) turned(path, what string, lost, gained bool) {
	switch {
	case lost && gained:
		s.changed(path, what, other)
	case lost:
		s.changed(path, what, narrower)
	case gained:
		s.changed(path, what, wider)
	}
}

var allTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func orAll(types []string) []string {
	if len(types) == 0 {
		return allTypes
	}
	return types
}

func orAny(types []string) string {
	if len(types) == 0 {
		return "any"
	}
	return strings.Join(types, " or ")
}

// list reads a type, which is one name or several.
func list(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var names []string
		for _, n := range v {
			names = append(names, fmt.Sprint(n))
		}
		slices.Sort(names)
		return names
	}
	return nil
}

// enums compares the values that are listed; const is a list of one.
func (s *schemas) enums(path string, was, is map[string]any) {
	old, limited := values(was)
	new, limits := values(is)
	switch {
	case !limited && !limits:
	case !limited:
		s.changed(path, "only these values are left: "+strings.Join(new, ", "), narrower)
	case !limits:
		s.changed(path, "its values are no longer listed; they were "+strings.Join(old, ", "), wider)
	default:
		for _, v := range old {
			if !slices.Contains(new, v) {
				s.changed(path, "the value "+v+" was removed", narrower)
			}
		}
		for _, v := range new {
			if !slices.Contains(old, v) {
				s.changed(path, "the value "+v+" was added", wider)
			}
		}
	}
}

func values(schema map[string]any) (list []string, limited bool) {
	if c, ok := schema["const"]; ok {
		return []string{brief(c)}, true
	}
	e, ok := schema["enum"].([]any)
	for _, v := range e {
		list = append(list, brief(v))
	}
	return list, ok
}

// lower and upper are the bounds: a higher lower one allows less, and so on.
var (
	lower = []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"}
	upper = []string{"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"}
)

func (s *schemas) bounds(path string, old, new map[string]any) {
	for _, key := range slices.Concat(lower, upper) {
		a, had := old[key].(float64)
		b, has := new[key].(float64)
		if !had && !has || had && has && a == b {
			continue
		}
		tighter := has && (!had || (b > a) == slices.Contains(lower, key))
		s.turned(path, fmt.Sprintf("%s was %s and is %s", key, brief(old[key]), brief(new[key])), tighter, !tighter)
	}
}

// object compares properties, and which of them are required.
func (s *schemas) object(path string, old, new map[string]any, depth int) {
	was, _ := old["properties"].(map[string]any)
	is, _ := new["properties"].(map[string]any)
	needed, needs := list(old["required"]), list(new["required"])
	for _, name := range slices.Sorted(maps.Keys(union(was, is))) {
		at := name
		if path != "" {
			at = path + "." + name
		}
		_, before := was[name]
		_, after := is[name]
		required := slices.Contains(needs, name)
		switch {
		case before && after:
			s.compare(at, was[name], is[name], depth+1)
		case after && required && !slices.Contains(needed, name):
			// Who writes it has to send it, and who reads it has to heed it.
			reader := Breaking
			if !s.hostWrites {
				reader = Additive // a host that does not look at it loses nothing that it had
			}
			s.add(at, "a new required field", Breaking, reader)
			continue
		case after && closed(old):
			s.add(at, "a new field, where no other than the known ones were allowed", Additive, Breaking)
		case after:
			s.add(at, "a new optional field", Additive, Additive)
		case slices.Contains(needed, name):
			s.add(at, "the required field is gone", Additive, Breaking)
			continue
		case closed(new):
			s.add(at, "the field is gone, and no other than the known ones are allowed", Breaking, Additive)
		default:
			s.add(at, "the optional field is gone", Additive, Additive)
		}
		switch now, then := required, slices.Contains(needed, name); {
		case now && !then:
			s.changed(at, "it is required now", narrower)
		case then && !now:
			s.changed(at, "it is no longer required", wider)
		}
	}
	for _, name := range slices.Concat(needed, needs) {
		if _, a := was[name]; a {
			continue
		}
		if _, b := is[name]; b {
			continue
		}
		// Required without being described: only that it is there matters.
		if slices.Contains(needed, name) != slices.Contains(needs, name) {
			s.turned(name, "whether it is required changed", slices.Contains(needs, name), slices.Contains(needed, name))
		}
	}
	if a, b := closed(old), closed(new); a != b {
		s.turned(path, "whether unknown fields are allowed changed", b, a)
	} else if !a {
		s.compare(path+".*", open(old["additionalProperties"]), open(new["additionalProperties"]), depth+1)
	}
}

// closed reports whether a schema allows no other fields than those it names.
func closed(schema map[string]any) bool { return schema["additionalProperties"] == false }

// open is additionalProperties where it allows something; true is what it is when left out.
func open(v any) any {
	if v == nil {
		return true
	}
	return v
}

func decode(source []byte) any {
	var v any
	if err := json.Unmarshal(source, &v); err != nil {
		return string(source) // compared as it stands; that it is no schema is told by Compile
	}
	return v
}

// resolve follows references within the schema, as far as they lead to another schema.
func resolve(root, v any) any {
	for range maxSchemaDepth {
		m, _ := v.(map[string]any)
		ref, ok := m["$ref"].(string)
		if !ok || !strings.HasPrefix(ref, "#") {
			return v
		}
		v = pointed(root, ref)
	}
	return v
}

// pointed is what a reference within a schema points at, or nil.
func pointed(root any, ref string) any {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok || rest != "" && rest[0] != '/' {
		return nil
	}
	target := root
	for _, part := range strings.Split(rest, "/")[1:] {
		switch t := target.(type) {
		case map[string]any:
			target = t[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(t) {
				return nil
			}
			target = t[i]
		default:
			return nil
		}
	}
	return target
}

// refers reports whether a schema holds a reference: equal references can mean other things.
func refers(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["$ref"]; ok {
			return true
		}
		for _, w := range v {
			if refers(w) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, refers)
	}
	return false
}

func brief(v any) string {
	if v == nil {
		return "not there"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 80 {
		text = append(text[:77:77], "..."...)
	}
	return strings.ToValidUTF8(string(text), "")
}
