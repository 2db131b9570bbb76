package literal

import (
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string // lines of the plugin that are replaced
		want     Save
		reason   string
	}{
		{"nothing", "", "", SameBytes, "nothing changes"},
		{"a value", `value: "dry"`, `value: "wry"`, DataOnly, "only data"},
		{"a value of another type", `value: "dry"`, `value: [1]`, DataOnly, "only data"},
		{"a value more", `{ type: "number" }`, `{ type: "number", value: 1 }`, DataOnly, "only data"},
		{"a value less", `, value: false`, ``, DataOnly, "only data"},
		{"on_error", `  reply`, `  on_error: "skip", reply`, DataOnly, "only data"},
		{"match", `models: []`, `models: ["*"]`, DataOnly, "only data"},
		{"no match", `  match: { clients: ["a"], models: [] },`, ``, DataOnly, "only data"},
		{"white space and comments in the literal", `"x",`, "'\\x78' /* y */ ,\r\n\r\n", DataOnly, "only data"},
		{"the order of fields", "  name: \"x\",\n  api: 1,", "  api: 1,\n  name: \"x\",", DataOnly, "only data"},

		{"a comment in front", `// before {`, `// before`, CodeChange, "in front of"},
		{"white space in front", `const manifest`, `const  manifest`, CodeChange, "in front of"},
		{"a mark in front", `// before`, "\ufeff// before", CodeChange, "in front of"},
		{"a semicolon", "};\nexport function", "}\nexport function", CodeChange, "behind"},
		{"a comment behind", `behind }`, `behind`, CodeChange, "behind"},
		{"the last newline", "behind }\n", "behind }", CodeChange, "behind"},
		{"the name", `"x"`, `"y"`, CodeChange, `in "name"`},
		{"the permissions", `["reply.text"]`, `["reply.text", "tools"]`, CodeChange, `in "permissions"`},
		{"reply", `"block"`, `"stream"`, CodeChange, `in "reply"`},
		{"a field more", `api: 1,`, `api: 1, "": 1,`, CodeChange, `in ""`},
		{"a field less", `  reply: "block",`, ``, CodeChange, `in "reply"`},
		{"the type of a setting", `{ type: "number" }`, `{ type: "string" }`, CodeChange, `in "settings"`},
		{"a label", `"Tone"`, `"Tune"`, CodeChange, `in "settings"`},
		{"a default", `"as in 34"`, `"other"`, CodeChange, `in "settings"`},
		{"a setting more", `loud:`, `more: { type: "number" }, loud:`, CodeChange, `in "settings"`},
		{"a setting less", `    limit: { type: "number" },`, ``, CodeChange, `in "settings"`},
		{"a setting that is none", `limit: { type: "number" }`, `limit: 1`, CodeChange, `in "settings"`},
		{"settings that are none", "settings: {", "settings: [], other: {", CodeChange, `in "settings"`},
		{"what is no data", `api: 1`, `api: one`, CodeChange, "the new manifest cannot be read (line 4, column 8: "},
		{"a second manifest", `// behind`, `; export const manifest = {} // behind`, CodeChange, "the new manifest cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(plugin, c.old) != 1 && c.old != "" {
				t.Fatalf("the plugin has %d such lines", strings.Count(plugin, c.old))
			}
			changed := strings.Replace(plugin, c.old, c.new, 1)
			save, why := Compare([]byte(plugin), []byte(changed))
			if save != c.want || !strings.Contains(why, c.reason) {
				t.Errorf("it is a %s: %s", save, why)
			}
			back, why := Compare([]byte(changed), []byte(plugin))
			if back != c.want || !strings.Contains(why, strings.Replace(c.reason, "new", "old", 1)) {
				t.Errorf("the other way about it is a %s: %s", back, why)
			}
			if got := Classify([]byte(plugin), []byte(changed)); got != save {
				t.Errorf("Classify says %s, and Compare %s", got, save)
			}
		})
	}
}

// What cannot be read is the same as itself, and changed by everything else.
func TestClassifyUnreadable(t *testing.T) {
	for _, source := range []string{"", "let manifest = {}", "export const manifest = { ...a }"} {
		if save := Classify([]byte(source), []byte(source)); save != SameBytes {
			t.Errorf("%q to itself is %s", source, save)
		}
		if save := Classify([]byte(source), []byte(source+" ")); save != CodeChange {
			t.Errorf("%q with a space is %s", source, save)
		}
	}
}

// What is compared is taken out of copies.
func TestCodeKeepsItsInput(t *testing.T) {
	m, err := Find([]byte(plugin))
	if err != nil {
		t.Fatal(err)
	}
	before := m.Value.JSON()
	if code(m.Value).JSON() == before || m.Value.JSON() != before {
		t.Errorf("the manifest is now %s", m.Value.JSON())
	}
}
