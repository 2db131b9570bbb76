package literal

import (
	"bytes"
	"fmt"
	"slices"
)

// A Save says how much a save changes.
type Save string

// The kinds of saves.
const (
	SameBytes  Save = "same-bytes"  // only whether it is enabled can change
	DataOnly   Save = "data-only"   // on_error, match and values of settings
	CodeChange Save = "code-change" // anything else
)

// Classify compares a new source with the approved one. What cannot be read is
// code: nobody knows what it does.
func Classify(old, new []byte) Save {
	save, _ := Compare(old, new)
	return save
}

// Compare is Classify with the reason in words.
func Compare(old, new []byte) (Save, string) {
	if bytes.Equal(old, new) {
		return SameBytes, "nothing changes"
	}
	m, err := Find(old)
	if err != nil {
		return CodeChange, unreadable("old", err)
	}
	n, err := Find(new)
	if err != nil {
		return CodeChange, unreadable("new", err)
	}
	switch {
	case !bytes.Equal(old[:m.Start], new[:n.Start]):
		return CodeChange, "the code in front of the manifest changes"
	case !bytes.Equal(old[m.End:], new[n.End:]):
		return CodeChange, "the code behind the manifest changes"
	}
	if name, ok := differing(code(m.Value), code(n.Value)); ok {
		return CodeChange, fmt.Sprintf("the manifest changes in %q, which is more than its data", name)
	}
	return DataOnly, "only data changes"
}

func unreadable(which string, err error) string {
	return fmt.Sprintf("the %s manifest cannot be read (%v)", which, err)
}

// differing names a field that is not the same in two objects.
func differing(v, w Value) (name string, ok bool) {
	for _, pair := range [][2]Value{{v, w}, {w, v}} {
		others := pair[1].members()
		for _, f := range pair[0].Fields {
			if other, ok := others[f.Name]; !ok || !f.Value.Equal(other) {
				return f.Name, true
			}
		}
	}
	return "", false
}

// code is a manifest without what a host saves in it.
func code(v Value) Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool { return f.Name == "on_error" || f.Name == "match" })
	for i, f := range v.Fields {
		if f.Name != "settings" {
			continue
		}
		settings := f.Value
		settings.Fields = slices.Clone(settings.Fields)
		for j, s := range settings.Fields {
			spec := s.Value
			spec.Fields = slices.DeleteFunc(slices.Clone(spec.Fields), func(f Field) bool { return f.Name == "value" })
			settings.Fields[j].Value = spec
		}
		v.Fields[i].Value = settings
	}
	return v
}
