package literal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const plugin = `// before {
export const manifest = {
  name: "x",
  api: 1,
  permissions: ["reply.text"],
  match: { clients: ["a"], models: [] },
  reply: "block",
  settings: {
    tone: { type: "string", label: "Tone", value: "dry" },
    limit: { type: "number" },
    loud: { type: "boolean", value: false },
    old: { type: "string", default: "as in 34" },
  },
};
export function onReplyText() {} // behind }
`

func change(onError string) Change { return Change{OnError: &onError} }

func match(lists ...any) Change {
	c := Change{Match: map[string][]string{}}
	for i := 0; i < len(lists); i += 2 {
		c.Match[lists[i].(string)] = strings.Fields(lists[i+1].(string))
	}
	return c
}

func setting(name string, v Value) Change { return Change{Settings: map[string]Value{name: v}} }

// Each change replaces some of the lines of the plugin, and no others.
func TestRewriteLines(t *testing.T) {
	clients := `  match: { clients: ["a"], models: [] },`
	for _, c := range []struct {
		name      string
		change    Change
		old, want string
	}{
		{"a value", setting("tone", str("\"wry\"\n")), `value: "dry"`, `value: "\"wry\"\n"`},
		{"a value that was not there", setting("limit", num(-0.5)), `{ type: "number" }`, `{ type: "number", value: -0.5 }`},
		{"an empty value", setting("tone", str("")), `value: "dry"`, `value: ""`},
		{"a boolean", setting("loud", yes()), `value: false`, `value: true`},
		{"beside a default", setting("old", str("new")), `default: "as in 34" }`, `default: "as in 34", value: "new" }`},
		{"on_error", change("skip"), `  reply: "block"`, "  on_error: \"skip\",\n  reply: \"block\""},
		{"on_error as it is without", change("reject"), "", ""},
		{"a list", match("clients", "b c*"), clients, `  match: { clients: ["b", "c*"], models: [] },`},
		{"a list that empties", match("clients", ""), clients, `  match: { clients: [], models: [] },`},
		{"a list that was empty", match("models", "*"), clients, `  match: { clients: ["a"], models: ["*"] },`},
		{"a list that was not there", match("upstreams", "u"), clients, `  match: { clients: ["a"], models: [], upstreams: ["u"] },`},
		{"an empty list that was not there", match("upstreams", ""), "", ""},
		{"the same", match("clients", "a"), "", ""},
		{"no lists", Change{Match: map[string][]string{}}, "", ""},
		{"nothing", Change{}, "", ""},
		{"all", Change{OnError: change("skip").OnError, Match: match("models", "m").Match, Settings: setting("limit", num(1e21)).Settings},
			clients + "\n  reply: \"block\",\n  settings: {\n    tone: { type: \"string\", label: \"Tone\", value: \"dry\" },\n    limit: { type: \"number\" },",
			"  match: { clients: [\"a\"], models: [\"m\"] },\n  on_error: \"skip\",\n  reply: \"block\",\n  settings: {\n    tone: { type: \"string\", label: \"Tone\", value: \"dry\" },\n    limit: { type: \"number\", value: 1e+21 },"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(plugin, c.old) {
				t.Fatal("the plugin has no such lines")
			}
			want := strings.Replace(plugin, c.old, c.want, 1)
			got, err := Rewrite([]byte(plugin), c.change)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Error(diff)
			}
			if again, err := Rewrite(got, c.change); err != nil || string(again) != string(got) {
				t.Errorf("made again, the change leads to %s (%v)", again, err)
			}
		})
	}
}

// What changes nothing leaves the literal as its author wrote it, and what does
// puts all of it into the style.
func TestRewriteComments(t *testing.T) {
	source := "\ufeffexport const manifest = { on_error:'skip', /* why */ match: {models : [ 'a' ,]}, settings: {n: {type:'number', value: 0x10}} } ; // end\r\n"
	for name, c := range map[string]Change{"on_error": change("skip"), "match": match("models", "a"), "settings": setting("n", num(16)), "nothing": {}} {
		if got, err := Rewrite([]byte(source), c); err != nil || string(got) != source {
			t.Errorf("%s: it became %q (%v)", name, got, err)
		}
	}
	for _, source := range []string{"export const manifest = {};", "export const manifest = { match: null };"} {
		if got, err := Rewrite([]byte(source), Change{Match: map[string][]string{}}); err != nil || string(got) != source {
			t.Errorf("without lists it became %q (%v)", got, err)
		}
	}
	bare := "export const manifest = {};"
	if got, err := Rewrite([]byte(bare), match("models", "")); err != nil || string(got) != bare {
		t.Errorf("an empty list made it %q (%v)", got, err)
	}
	got, err := Rewrite([]byte(source), change("reject"))
	want := "\ufeffexport const manifest = {\r\n  on_error: \"reject\",\r\n  match: { models: [\"a\"] },\r\n  settings: { n: { type: \"number\", value: 16 } },\r\n} ; // end\r\n"
	if err != nil || string(got) != want {
		t.Errorf("it became %q (%v)", got, err)
	}
}

// A new field comes in front of the first that stands behind it in the order;
// fields that nobody knows, and such as stand elsewhere, keep their places.
func TestRewriteOrder(t *testing.T) {
	for fields, want := range map[string]string{
		"":                           "match on_error",
		"name api":                   "name api match on_error",
		"settings":                   "match on_error settings",
		"reply":                      "match on_error reply",
		"name x reply y":             "name x match on_error reply y",
		"x y":                        "x y match on_error",
		"settings name":              "match on_error settings name",
		"reply requests permissions": "match on_error reply requests permissions",
		"on_error name":              "match on_error name",
		"match settings requests":    "match on_error settings requests",
		"on_error match":             "on_error match",
		"name api description permissions requests reply settings": "name api description permissions requests match on_error reply settings",
	} {
		v := Value{Kind: Object}
		for _, name := range strings.Fields(fields) {
			v.Fields = append(v.Fields, Field{name, obj()})
		}
		c := match("models", "m")
		c.OnError = change("skip").OnError
		changed, err := c.Apply(v)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range changed.Fields {
			got = append(got, f.Name)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", fields, diff)
		}
	}
}

// What stands there and cannot be what it should is replaced, not added to.
func TestRewriteMisshapen(t *testing.T) {
	for source, want := range map[string]string{
		"{ match: null }":                           `{ match: { models: ["m"] } }`,
		"{ match: ['x'] }":                          `{ match: { models: ["m"] } }`,
		"{ match: { models: 'x' } }":                `{ match: { models: ["m"] } }`,
		"{ match: { other: 1 } }":                   `{ match: { other: 1, models: ["m"] } }`,
		"{ match: { upstreams: [], clients: [] } }": `{ match: { models: ["m"], upstreams: [], clients: [] } }`,
	} {
		source = "export const manifest = " + source
		got, err := Rewrite([]byte(source), match("models", "m"))
		if err != nil {
			t.Fatal(err)
		}
		before, _ := Find([]byte(source))
		changed, _ := match("models", "m").Apply(before.Value)
		if after, err := Find(got); err != nil || !after.Value.Equal(changed) {
			t.Errorf("%s: the change leads to %s, and is written %s", source, changed.JSON(), got)
		}
		inside := strings.NewReplacer("{\n  match", "{ match", ",\n}", " }").Replace(string(got))
		if diff := cmp.Diff("export const manifest = "+want, inside); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
}

// Patterns lose the white space around them, of whatever kind, and count as they
// are then.
func TestRewriteTrims(t *testing.T) {
	wide := strings.Repeat("é", 200)
	c := Change{Match: map[string][]string{"models": {" a b\t", "\u00a0*\u2003\r\n", "  " + wide + " "}}}
	changed, err := c.Apply(obj())
	if err != nil {
		t.Fatal(err)
	}
	if want := obj("match", obj("models", arr(str("a b"), str("*"), str(wide)))); !changed.Equal(want) {
		t.Errorf("the manifest is %s", changed.JSON())
	}
}

func TestRewriteErrors(t *testing.T) {
	long := strings.Repeat("é", 10_001)
	for _, c := range []struct {
		name, code, message string
		change              Change
	}{
		{"no such setting", SettingUnknown, `no setting "nothing"`, setting("nothing", num(1))},
		{"a name of every object", SettingUnknown, `no setting "constructor"`, setting("constructor", num(1))},
		{"a number for a string", SettingType, `"tone" takes a string, and the value is of the type number`, setting("tone", num(1))},
		{"a string for a number", SettingType, `"limit" takes a number, and the value is of the type string`, setting("limit", str("1"))},
		{"null", SettingType, "type null", setting("limit", null())},
		{"a list", SettingType, "type array", setting("limit", arr(num(1)))},
		{"an object", SettingType, "type object", setting("loud", obj())},
		{"a text too long", SettingType, "no text of up to 10000 characters", setting("tone", str(long))},
		{"a text that is no text", SettingType, "no text", setting("tone", str("\xff"))},
		{"one of several", SettingUnknown, `"zzz"`, Change{Settings: map[string]Value{"loud": yes(), "zzz": yes()}}},
		{"a blank pattern", InvalidPattern, "a pattern of models is blank", Change{Match: map[string][]string{"models": {"a", " \t\u00a0"}}}},
		{"a pattern too long", InvalidPattern, "more than 200 characters", match("clients", strings.Repeat("*", 201))},
		{"a pattern that is no text", InvalidPattern, "not UTF-8", match("upstreams", "\xff")},
		{"too many patterns", InvalidPattern, "101 patterns", match("upstreams", strings.Repeat("a ", 101))},
		{"a list that is none", InvalidPattern, `no "hosts"`, match("hosts", "a")},
		{"on_error", OnErrorUnknown, `not "ignore"`, change("ignore")},
		{"a name in capitals", OnErrorUnknown, `not "Skip"`, change("Skip")},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Rewrite([]byte(plugin), c.change)
			e, ok := err.(*Error)
			if !ok || e.Code != c.code || !strings.Contains(e.Message, c.message) || e.Line != 0 || out != nil {
				t.Errorf("%q: %#v", out, err)
			}
		})
	}
	for _, spec := range []string{"{}", "{ type: 'text' }", "{ type: 1 }", "{ type: 'object' }", "{ type: null }"} {
		_, err := Rewrite([]byte("export const manifest = { settings: { s: "+spec+" } }"), setting("s", obj()))
		if e, ok := err.(*Error); !ok || e.Code != SettingType || !strings.Contains(e.Message, "no type") {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for _, settings := range []string{"{ s: 'x' }", "{ s: null }", "['s']", "null"} {
		_, err := Rewrite([]byte("export const manifest = { settings: "+settings+" }"), setting("s", yes()))
		if e, ok := err.(*Error); !ok || e.Code != SettingUnknown {
			t.Errorf("%s: %v", settings, err)
		}
	}
	_, err := Rewrite([]byte("\nexport const manifest = { a: b }"), Change{})
	if e, ok := err.(*Error); !ok || e.Code != NotDataAt || e.Line != 2 || e.Column != 30 {
		t.Errorf("what is no data: %v", err)
	}
}

func TestRewriteLimits(t *testing.T) {
	patterns := strings.Repeat(strings.Repeat("x", 200)+" ", 100)
	for name, c := range map[string]Change{
		"100 patterns of 200 characters": match("clients", patterns, "models", patterns, "upstreams", patterns),
		"10,000 characters":              setting("tone", str(strings.Repeat("🟢", 10_000))),
	} {
		if _, err := Rewrite([]byte(plugin), c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The largest manifest that the limits allow can be written.
	v := obj("settings", obj())
	big := str(strings.Repeat("\u2028", maxText))
	for i := range 20 {
		v.Fields[0].Value.Fields = append(v.Fields[0].Value.Fields, Field{fmt.Sprintf("s%d", i), obj("type", str("string"), "value", big)})
	}
	source := "export const manifest = " + Write(v, "", "\n")
	if _, err := Rewrite([]byte(source), match("clients", patterns, "models", patterns, "upstreams", patterns)); err != nil {
		t.Error(err)
	}
}

// A change is not made in what it was given.
func TestRewriteKeepsItsInput(t *testing.T) {
	m, err := Find([]byte(plugin))
	if err != nil {
		t.Fatal(err)
	}
	before := m.Value.JSON()
	c := Change{OnError: change("skip").OnError, Match: match("models", "m").Match, Settings: setting("tone", str("new")).Settings}
	if _, err := c.Apply(m.Value); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, m.Value.JSON()); diff != "" {
		t.Error(diff)
	}
	source := []byte(plugin)
	out, _ := Rewrite(source, Change{})
	if out[0] = 'x'; source[0] == 'x' {
		t.Error("the source itself was returned")
	}
}
