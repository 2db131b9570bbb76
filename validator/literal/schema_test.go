package literal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"plugcheck/contracts"
)

// sound is a manifest that uses every field; %s is what the version calls the
// value of a setting.
const sound = `{
	"name": "é", "api": 1, "description": "", "permissions": ["system", "messages", "params", "tools", "reply.text", "reply.tool_calls"],
	"requests": [{"anything": true}], "match": {"clients": [], "models": ["*", " a "], "upstreams": ["x"]}, "on_error": "skip", "reply": "stream",
	"settings": {
		"text": {"type": "string", "label": "", "%[1]s": ""}, "number": {"type": "number", "%[1]s": -1.5e300},
		"_B2": {"type": "boolean", "%[1]s": false}, "bare": {"type": "string"}, "other": {"type": "number", "unknown": null}},
	"unknown": null
}`

// manifest is the sound one with one field set to a JSON text, or without it.
func manifest(t *testing.T, value, field, text string) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(fmt.Appendf(nil, sound, value), &m); err != nil {
		t.Fatal(err)
	}
	if m[field] = json.RawMessage(strings.ReplaceAll(text, "VALUE", value)); text == "" {
		delete(m, field)
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func many(n int, format string) string {
	var list []string
	for i := range n {
		list = append(list, strings.ReplaceAll(format, "N", fmt.Sprint(i)))
	}
	return strings.Join(list, ",")
}

func TestManifestSchemas(t *testing.T) {
	quoted := func(char string, n int) string { return `"` + strings.Repeat(char, n) + `"` }
	good := []struct{ field, text string }{
		{"name", quoted("🟢", 64)}, {"name", `" "`}, {"name", `"\u00a0\u2028"`}, {"api", "1.0"},
		{"description", ""}, {"description", quoted("🟢", 500)}, {"description", `"\n"`},
		{"permissions", `["tools"]`}, {"requests", ""}, {"requests", "7"},
		{"match", ""}, {"match", "{}"}, {"match", `{"models": [` + many(100, quoted("🟢", 200)) + `]}`}, {"match", `{"models": ["a", "a"]}`},
		{"reply", ""}, {"reply", `"block"`},
		{"settings", ""}, {"settings", "{}"}, {"settings", "{" + many(20, `"sN": {"type": "string"}`) + "}"},
		{"settings", "{" + quoted("s", 64) + `: {"type": "string", "label": ` + quoted("🟢", 100) + `, "VALUE": ` + quoted("🟢", 10_000) + "}}"},
	}
	bad := []struct{ field, text, path string }{
		{"name", "", "name"}, {"name", `""`, "name"}, {"name", "7", "name"}, {"name", "null", "name"}, {"name", quoted("a", 65), "name"},
		{"name", `"a\u0000"`, "name"}, {"name", `"\n"`, "name"}, {"name", `"a\u007f"`, "name"}, {"name", `"\u0085a"`, "name"},
		{"api", "", "api"}, {"api", "2", "api"}, {"api", `"1"`, "api"}, {"api", "true", "api"},
		{"description", quoted("a", 501), "description"}, {"description", "null", "description"}, {"description", "[]", "description"},
		{"permissions", "", "permissions"}, {"permissions", "[]", "permissions"}, {"permissions", `"tools"`, "permissions"}, {"permissions", `{"tools": true}`, "permissions"},
		{"permissions", `["tools", "tools"]`, "permissions"}, {"permissions", `["tools", "Tools"]`, "permissions.1"}, {"permissions", `["reply"]`, "permissions.0"}, {"permissions", "[null]", "permissions.0"},
		{"match", "[]", "match"}, {"match", `"*"`, "match"}, {"match", "null", "match"},
		{"match", `{"clients": "*"}`, "match.clients"}, {"match", `{"models": [1]}`, "match.models.0"}, {"match", `{"upstreams": ["a", " \t"]}`, "match.upstreams.1"},
		{"match", `{"models": [""]}`, "match.models.0"}, {"match", `{"models": [` + quoted("a", 201) + "]}", "match.models.0"}, {"match", `{"clients": [` + many(101, `"N"`) + "]}", "match.clients"},
		{"match", `{"upstreams": null}`, "match.upstreams"},
		{"reply", `"Block"`, "reply"}, {"reply", "null", "reply"}, {"reply", "true", "reply"},
		{"settings", "[]", "settings"}, {"settings", "null", "settings"}, {"settings", "{" + many(21, `"sN": {"type": "string"}`) + "}", "settings"},
		{"settings", `{"a-b": {"type": "string"}}`, "settings"}, {"settings", `{"1a": {"type": "string"}}`, "settings"}, {"settings", `{"": {"type": "string"}}`, "settings"}, {"settings", `{"é": {"type": "string"}}`, "settings"},
		{"settings", `{"a\n": {"type": "string"}}`, "settings"}, {"settings", "{" + quoted("s", 65) + `: {"type": "string"}}`, "settings"},
		{"settings", `{"s": "x"}`, "settings.s"}, {"settings", `{"s": {}}`, "settings.s.type"}, {"settings", `{"s": {"type": "text"}}`, "settings.s.type"}, {"settings", `{"s": {"type": null, "VALUE": 1}}`, "settings.s.type"},
		{"settings", `{"s": {"type": "string", "label": 1}}`, "settings.s.label"}, {"settings", `{"s": {"type": "string", "label": ` + quoted("a", 101) + "}}", "settings.s.label"},
		{"settings", `{"s": {"type": "string", "VALUE": 1}}`, "settings.s.VALUE"}, {"settings", `{"s": {"type": "string", "VALUE": null}}`, "settings.s.VALUE"}, {"settings", `{"s": {"type": "string", "VALUE": ` + quoted("a", 10_001) + "}}", "settings.s.VALUE"},
		{"settings", `{"s": {"type": "number", "VALUE": "1"}}`, "settings.s.VALUE"}, {"settings", `{"s": {"type": "number", "VALUE": true}}`, "settings.s.VALUE"},
		{"settings", `{"s": {"type": "boolean", "VALUE": 0}}`, "settings.s.VALUE"}, {"settings", `{"s": {"type": "boolean", "VALUE": "false"}}`, "settings.s.VALUE"},
	}
	for version, value := range map[string]string{previous: "default", current: "value"} {
		schema := contracts.MustGet(version).Schema("manifest")
		for _, c := range good {
			if found := schema.Validate(manifest(t, value, c.field, c.text)); len(found) > 0 {
				t.Errorf("%s: %s %.60s: %v", version, c.field, c.text, found)
			}
		}
		for _, c := range bad {
			found := schema.Validate(manifest(t, value, c.field, c.text))
			if want := strings.ReplaceAll(c.path, "VALUE", value); len(found) != 1 || found[0].Path != want {
				t.Errorf("%s: %s %.60s: %v, wanted one at %s", version, c.field, c.text, found, want)
			}
		}
		if found := schema.Validate([]byte("[]")); len(found) == 0 {
			t.Errorf("%s: a list is a manifest", version)
		}
	}
}

// What the one version has and the other has not is nothing to the other's schema.
func TestManifestSchemasDiffer(t *testing.T) {
	for _, c := range []struct {
		version, field, text string
		want                 int
	}{
		{current, "on_error", `"reject"`, 0}, {current, "on_error", `"ignore"`, 1}, {current, "on_error", "null", 1}, {current, "on_error", "", 0},
		{previous, "on_error", `"ignore"`, 0},
		{current, "settings", `{"s": {"type": "string", "default": 1}}`, 0}, {current, "settings", `{"s": {"type": "string", "value": 1}}`, 1},
		{previous, "settings", `{"s": {"type": "string", "value": 1}}`, 0}, {previous, "settings", `{"s": {"type": "string", "default": 1}}`, 1},
	} {
		found := contracts.MustGet(c.version).Schema("manifest").Validate(manifest(t, "value", c.field, c.text))
		if len(found) != c.want {
			t.Errorf("%s: %s %s: %v", c.version, c.field, c.text, found)
		}
	}
}
