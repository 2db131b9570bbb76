package literal

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sources are the plugins that the rows of the table speak of. They have the same
// code around their literal.
var sources = map[string]string{
	"holds":      holding(`["tools", "reply.tool_calls"]`),
	"holds, set": holding(`["tools", "reply.tool_calls"], on_error: "skip"`),
	"holds, new": holding(`["tools", "reply.tool_calls"], api: 1`),
	"free":       holding(`["reply.text"]`),
	"free, set":  holding(`["reply.text"], on_error: "skip"`),
	"free, new":  holding(`["reply.text"], api: 1`),
	"unreadable": holding(`["reply.text"], ...more`),
	"unlisted":   holding(`"reply.text"`),
}

func holding(permissions string) string {
	return "export const manifest = { permissions: " + permissions + " };\n"
}

func TestNeedsConfirmation(t *testing.T) {
	const (
		never   = ""
		nothing = "nothing changes"
		data    = "only data changes"
		free    = "does not hold"
		oldHas  = "holds reply.tool_calls in its old manifest"
		newHas  = "holds reply.tool_calls in its new manifest"
		badOld  = "the old manifest cannot be read"
		badNew  = "the new manifest cannot be read"
	)
	for _, c := range []struct {
		action   Action
		old, new string
		needed   bool
		reason   string
	}{
		{Install, "-", "holds", true, newHas},
		{Install, "-", "free", false, free},
		{Install, "-", "unreadable", true, badNew},
		{Install, "-", "unlisted", true, badNew},
		{Install, "holds", "free", false, free}, // what was there before is not asked for

		{Enable, "holds", "-", true, oldHas},
		{Enable, "free", "-", false, free},
		{Enable, "unreadable", "-", true, badOld},
		{Enable, "unlisted", "-", true, badOld},
		{Enable, "free", "holds", false, free},

		{Saving, "holds", "holds", false, nothing},
		{Saving, "unreadable", "unreadable", false, nothing},
		{Saving, "holds", "holds, set", false, data},
		{Saving, "free", "free, set", false, data},
		{Saving, "unlisted", "unlisted", false, nothing},
		{Saving, "holds", "holds, new", true, oldHas},
		{Saving, "holds", "free", true, oldHas},
		{Saving, "free", "holds", true, newHas},
		{Saving, "free", "free, new", false, free},
		{Saving, "unreadable", "free", true, badOld},
		{Saving, "unreadable", "holds", true, badOld},
		{Saving, "unlisted", "free", true, badOld},
		{Saving, "free", "unreadable", true, badNew},
		{Saving, "holds", "unreadable", true, oldHas},

		{Approve, "holds", "holds", false, nothing},
		{Approve, "holds", "holds, set", true, oldHas}, // data too: nobody saved it
		{Approve, "free", "free, set", false, free},
		{Approve, "holds", "holds, new", true, oldHas},
		{Approve, "holds", "free", true, oldHas},
		{Approve, "free", "holds", true, newHas},
		{Approve, "free", "free, new", false, free},
		{Approve, "unreadable", "free", true, badOld},
		{Approve, "free", "unreadable", true, badNew},

		{Disable, "holds", "-", false, never},
		{Disable, "unreadable", "-", false, never},
		{Delete, "holds", "-", false, never},
		{Delete, "unreadable", "-", false, never},
		{Reorder, "holds", "-", false, never},
		{Reorder, "-", "-", false, never},
	} {
		t.Run(string(c.action)+" "+c.old+" to "+c.new, func(t *testing.T) {
			got, err := NeedsConfirmation(c.action, given(c.old), given(c.new))
			if err != nil {
				t.Fatal(err)
			}
			if got.Needed != c.needed || !strings.Contains(got.Reason, c.reason) || got.Reason == "" {
				t.Errorf("it says %+v", got)
			}
		})
	}
}

func given(name string) []byte {
	if name == "-" {
		return nil
	}
	return []byte(sources[name])
}

// The permission is known by both of its names, wherever it stands in the list,
// and by no other.
func TestToolCalls(t *testing.T) {
	for permissions, needed := range map[string]bool{
		`["reply.tool_calls"]`: true, `['reply_tool_calls']`: true, "[`reply.tool_calls`, 'x']": true, `["\x72eply.tool_calls"]`: true,
		`["x", "reply.tool_calls"]`: true, `["reply.tool_calls", "reply.tool_calls"]`: true,
		`["reply.tool_call"]`: false, `["Reply.Tool_Calls"]`: false, `[" reply.tool_calls"]`: false, `[]`: false,
		// What is no list of strings says nothing that can be relied on.
		`null`: true, `"reply.text"`: true, `{}`: true, `["reply.text", 1]`: true, `[["reply.text"]]`: true, `{ "0": "reply.text" }`: true,
	} {
		got, err := NeedsConfirmation(Install, nil, []byte(holding(permissions)))
		if err != nil || got.Needed != needed {
			t.Errorf("%s: %+v (%v)", permissions, got, err)
		}
	}
	if got, err := NeedsConfirmation(Install, nil, []byte("export const manifest = {};")); err != nil || !got.Needed {
		t.Errorf("without permissions: %+v (%v)", got, err)
	}
}

func TestConfirmationOfWhatIsMissing(t *testing.T) {
	source := []byte(sources["free"])
	for _, c := range []struct {
		action   Action
		old, new []byte
		want     string
	}{
		{Install, nil, nil, "install needs the new source"},
		{Enable, nil, source, "enable needs the old source"},
		{Saving, nil, source, "save needs the old source"},
		{Saving, source, nil, "save needs the new source"},
		{Approve, nil, nil, "approve needs the old source"},
		{Approve, source, nil, "approve needs the new source"},
		{"remove", source, source, `no action "remove": there are install, enable, save, approve, disable, delete, reorder`},
		{"", nil, nil, `no action ""`},
	} {
		got, err := NeedsConfirmation(c.action, c.old, c.new)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v (%v)", c.action, got, err)
		}
	}
	// An empty file is there, and cannot be read.
	if got, err := NeedsConfirmation(Install, nil, []byte{}); err != nil || !got.Needed {
		t.Errorf("an empty file: %+v (%v)", got, err)
	}
}

// Needs says the same as the errors do.
func TestActionNeeds(t *testing.T) {
	source := []byte(sources["free"])
	for _, a := range Actions() {
		old, new := a.Needs()
		_, withoutOld := NeedsConfirmation(a, nil, source)
		_, withoutNew := NeedsConfirmation(a, source, nil)
		if old != (withoutOld != nil) || new != (withoutNew != nil) {
			t.Errorf("%s: needs old %t (%v), new %t (%v)", a, old, withoutOld, new, withoutNew)
		}
	}
}

func TestPermissions(t *testing.T) {
	v := obj("permissions", arr(str("b"), num(1), str("a"), null()))
	if diff := cmp.Diff([]string{"b", "a"}, Permissions(v)); diff != "" {
		t.Error(diff)
	}
	if got := slices.Concat(Permissions(obj()), Permissions(obj("permissions", str("a")))); got != nil {
		t.Errorf("there are %q", got)
	}
}
