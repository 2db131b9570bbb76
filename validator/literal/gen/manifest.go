package gen

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"plugcheck/validator/literal"
)

// permissions are those that are known, each with the hooks that serve it.
var permissions = map[string][]string{
	"system":           {"onRequest"},
	"messages":         {"onRequest"},
	"params":           {"onRequest"},
	"tools":            {"onRequest"},
	"reply.text":       {"onReplyText", "onReplyTextEnd"},
	"reply.tool_calls": {"onToolCall"},
}

// lists are the lists of match.
var lists = []string{"clients", "models", "upstreams"}

var (
	known = stringLists(rapid.SliceOfNDistinct(
		rapid.SampledFrom([]string{"messages", "system", "params", "tools", "reply.text", "reply.tool_calls"}), 1, 6, rapid.ID[string]))
	globs = rapid.OneOf(
		rapid.SampledFrom([]string{"*", "claude-*", "gpt-*-mini", "https://api.example.org/*", "a", "modèle-*", "😀*"}),
		plainTexts.Filter(func(s string) bool {
			return strings.TrimSpace(s) == s && s != "" && !strings.HasSuffix(s, "\uFEFF") && !strings.HasPrefix(s, "\uFEFF")
		}))
	settings = objects(
		rapid.OneOf(rapid.SampledFrom([]string{"tone", "max_notes", "_", "A1", "constructor", "toString", "value", "type", "if"}), rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,8}`)).
			Filter(func(s string) bool { return s != "__proto__" }),
		rapid.Custom(setting), 4)
)

// values are the values of settings, by their type.
var values = map[string]*rapid.Generator[literal.Value]{"string": strs, "number": floats, "boolean": booleans}

// A part is a field of a manifest, with how often it is there.
type part struct {
	name     string
	required bool
	value    *rapid.Generator[literal.Value]
}

var parts = []part{
	{"name", true, rapid.Map(plainTexts, func(s string) literal.Value { return text(clipped("p"+s, 64)) })},
	{"api", true, rapid.Just(number(1))},
	{"description", false, rapid.Map(texts, func(s string) literal.Value { return text(clipped(s, 500)) })},
	{"permissions", true, known},
	{"requests", false, data},
	{"match", false, objects(rapid.SampledFrom(lists), stringLists(rapid.SliceOfN(globs, 0, 3)), 3)},
	{"on_error", false, choice("reject", "skip")},
	{"reply", false, choice("block", "stream")},
	{"settings", false, settings},
}

func choice(options ...string) *rapid.Generator[literal.Value] {
	return rapid.Map(rapid.SampledFrom(options), text)
}

// stringLists makes values of lists of strings.
func stringLists(lists *rapid.Generator[[]string]) *rapid.Generator[literal.Value] {
	return rapid.Map(lists, func(list []string) literal.Value {
		v := literal.Value{Kind: literal.Array}
		for _, s := range list {
			v.Items = append(v.Items, text(s))
		}
		return v
	})
}

// clipped is the beginning of a text, as far as it may have characters.
func clipped(s string, most int) string {
	chars := []rune(s)
	return string(chars[:min(len(chars), most)])
}

// setting draws the description of a setting, most often with its value.
func setting(t *rapid.T) literal.Value {
	kind := rapid.SampledFrom([]string{"string", "number", "boolean"}).Draw(t, "type")
	v := literal.Value{Kind: literal.Object, Fields: []literal.Field{{Name: "type", Value: text(kind)}}}
	if rapid.Bool().Draw(t, "labelled") {
		v.Fields = append(v.Fields, literal.Field{Name: "label", Value: text(clipped(plainTexts.Draw(t, "label"), 100))})
	}
	if rapid.IntRange(0, 3).Draw(t, "unset") < 3 {
		v.Fields = append(v.Fields, literal.Field{Name: "value", Value: values[kind].Draw(t, "value")})
	}
	return v
}

// Manifest draws a manifest that keeps contract 35, its fields in any order.
func Manifest() *rapid.Generator[literal.Value] { return manifests }

var manifests = rapid.Custom(func(t *rapid.T) literal.Value {
	v := literal.Value{Kind: literal.Object}
	for _, p := range parts {
		if p.required || rapid.Bool().Draw(t, p.name+"?") {
			v.Fields = append(v.Fields, literal.Field{Name: p.name, Value: p.value.Draw(t, p.name)})
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "shuffled") == 3 {
		v.Fields = rapid.Permutation(v.Fields).Draw(t, "fields")
	}
	return v
})

// hooksFor lists the exports that the permissions of a manifest need.
func hooksFor(v literal.Value) []string {
	var hooks []string
	for _, p := range literal.Permissions(v) {
		for _, h := range permissions[p] {
			if !slices.Contains(hooks, h) {
				hooks = append(hooks, h)
			}
		}
	}
	return hooks
}

// Change draws a change that is allowed for a manifest. Often it is none.
func Change(m literal.Value) *rapid.Generator[literal.Change] {
	return rapid.Custom(func(t *rapid.T) literal.Change {
		var c literal.Change
		if rapid.Bool().Draw(t, "change on_error") {
			to := rapid.SampledFrom([]string{"reject", "skip"}).Draw(t, "on_error")
			c.OnError = &to
		}
		if rapid.Bool().Draw(t, "change match") {
			c.Match = rapid.MapOfN(rapid.SampledFrom(lists), rapid.SliceOfN(padded, 0, 3), 0, 3).Draw(t, "match")
		}
		described, _ := m.Get("settings")
		for _, s := range described.Fields {
			kind, _ := s.Value.Get("type")
			if !rapid.Bool().Draw(t, "change setting") {
				continue
			}
			if c.Settings == nil {
				c.Settings = map[string]literal.Value{}
			}
			c.Settings[s.Name] = values[kind.String].Draw(t, "setting")
		}
		return c
	})
}

// padded are globs with white space around them, which a rewrite takes away.
var padded = rapid.Custom(func(t *rapid.T) string {
	space := rapid.SampledFrom([]string{"", "", " ", "\t", "\n", " \u00A0\r\n"})
	return space.Draw(t, "before") + globs.Draw(t, "glob") + space.Draw(t, "behind")
})
