package literal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Action is what a request does with a plugin.
type Action string

// The actions of a control plane.
const (
	Install Action = "install"
	Enable  Action = "enable"
	Saving  Action = "save"
	Approve Action = "approve"
	Disable Action = "disable"
	Delete  Action = "delete"
	Reorder Action = "reorder"
)

// Actions lists all of them.
func Actions() []Action {
	return []Action{Install, Enable, Saving, Approve, Disable, Delete, Reorder}
}

// Needs reports which sources an action is about: the one that was approved and
// the one that comes in its place.
func (a Action) Needs() (old, new bool) {
	switch a {
	case Install:
		return false, true
	case Enable:
		return true, false
	case Saving, Approve:
		return true, true
	}
	return false, false
}

// A Confirmation says whether a person has to confirm a request, and why.
type Confirmation struct {
	Needed bool
	Reason string
}

// NeedsConfirmation reports whether a request has to be confirmed: where the
// plugin may see the tool calls of a reply, and the request would install it, turn
// it on, change its code or approve a change found on disk. A source that cannot
// be read could hold anything. The error is for a source that is missing.
//
// A save that turns the plugin on as well is two requests in one: it has to be
// confirmed where the saving has to be, or the enabling of the new source.
func NeedsConfirmation(a Action, old, new []byte) (Confirmation, error) {
	if !slices.Contains(Actions(), a) {
		var names []string
		for _, known := range Actions() {
			names = append(names, string(known))
		}
		return Confirmation{}, fmt.Errorf("there is no action %q: there are %s", a, strings.Join(names, ", "))
	}
	needsOld, needsNew := a.Needs()
	switch {
	case needsOld && old == nil:
		return Confirmation{}, fmt.Errorf("%s needs the old source, which is the approved one", a)
	case needsNew && new == nil:
		return Confirmation{}, fmt.Errorf("%s needs the new source", a)
	case !needsOld && !needsNew:
		return Confirmation{Reason: fmt.Sprintf("to %s a plugin gives it nothing", a)}, nil
	}
	if needsOld && needsNew {
		if save, why := Compare(old, new); save == SameBytes || save == DataOnly && a == Saving {
			return Confirmation{Reason: why}, nil
		}
	}
	for _, s := range []struct {
		which  string
		needed bool
		source []byte
	}{{"old", needsOld, old}, {"new", needsNew, new}} {
		if !s.needed {
			continue
		}
		held, err := permissions(s.source)
		switch {
		case err != nil:
			return Confirmation{true, unreadable(s.which, err) + ", so it could hold any permission"}, nil
		case slices.ContainsFunc(held, isToolCalls):
			return Confirmation{true, fmt.Sprintf("the plugin holds %s in its %s manifest", toolCalls, s.which)}, nil
		}
	}
	return Confirmation{Reason: "the plugin does not hold " + toolCalls}, nil
}

const toolCalls = "reply.tool_calls"

// isToolCalls knows the permission by both of its spellings: in manifests it has
// a dot, and in the host's own words it has none.
func isToolCalls(permission string) bool {
	return permission == toolCalls || permission == "reply_tool_calls"
}

// permissions lists what the plugin of a source holds. Where that is no list of
// strings nobody can tell.
func permissions(source []byte) ([]string, error) {
	m, err := Find(source)
	if err != nil {
		return nil, err
	}
	held := Permissions(m.Value)
	if list, _ := m.Value.Get("permissions"); list.Kind != Array || len(held) < len(list.Items) {
		return nil, errors.New("its permissions are no list of strings")
	}
	return held, nil
}

// Permissions lists the permissions of a manifest, as far as they are strings.
func Permissions(v Value) []string {
	list, _ := v.Get("permissions")
	var names []string
	for _, item := range list.Items {
		if item.Kind == String {
			names = append(names, item.String)
		}
	}
	return names
}
