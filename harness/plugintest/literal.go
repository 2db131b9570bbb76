package plugintest

import (
	"cmp"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed scripts/*.js
var scripts embed.FS

func scriptNamed(name string) string {
	text, err := scripts.ReadFile("scripts/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// literalSample writes the reference plugins of the wire into a folder, with the
// reference rewriter to make their saves.
func literalSample(dir string) error {
	if err := nameRewriter(dir, "none"); err != nil {
		return err
	}
	for _, name := range []string{"reply-tone.js", "least.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(scriptNamed(name)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A scriptFault is the reference script with one thing wrong: a text in it is
// replaced, or the whole of it made anew.
type scriptFault struct {
	name, catches, about string
	also                 []string
	file                 string // its name, where that matters
	from, to             string
	whole                func(good string) string
	// reference makes the good script in place of the usual one.
	reference func(string) string
	// rewriter is the fault of the host that rewrites it, where that is what is wrong.
	rewriter string
}

func (f scriptFault) specimen() Specimen {
	good := scriptNamed("reply-tone.js")
	bad := good
	if f.reference != nil {
		good = f.reference(good)
	}
	switch {
	case f.whole != nil:
		bad = f.whole(bad)
	case f.from != "":
		if !strings.Contains(bad, f.from) {
			panic(fmt.Sprintf("fault %s: the script holds no %q", f.name, f.from))
		}
		bad = strings.Replace(bad, f.from, f.to, 1)
	}
	return Specimen{
		Wire: "literal", Name: f.name, About: f.about, Catches: f.catches, Also: f.also,
		Write: func(dir string) error { return layScript(dir, f.file, bad, f.rewriter) },
		Good: func(dir string) error {
			reference := ""
			if f.rewriter != "" {
				reference = "none"
			}
			return layScript(dir, "", good, reference)
		},
	}
}

// layScript writes a script, and names a rewriter beside it.
func layScript(dir, name, source, rewriter string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if rewriter != "" {
		if err := nameRewriter(dir, rewriter); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, cmp.Or(name, "plugin.js")), []byte(source), 0o644)
}

// nameRewriter names a rewriter in the configuration of a folder.
func nameRewriter(dir, rewriter string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	config := fmt.Sprintf("rewriter = [%q, %q, %q, %q]\n", self, start, "rewriter", rewriter)
	return os.WriteFile(filepath.Join(dir, "plugcheck.toml"), []byte(config+environment), 0o644)
}

// literalSpecimens are the faulty scripts, and the good one under faulty rewriters.
func literalSpecimens() []Specimen {
	var list []Specimen
	for _, f := range scriptFaults {
		list = append(list, f.specimen())
	}
	for _, f := range rewriterFaults {
		list = append(list, scriptFault{name: f.name, catches: f.catches, about: f.about, also: f.also, rewriter: f.name, whole: f.file, reference: f.file}.specimen())
	}
	return list
}

const named = `name: "Reply tone",`

// scriptFaults spoil the file. Whatever keeps the manifest from being read keeps
// everything else from being judged.
var scriptFaults = []scriptFault{
	{name: "manifest-not-exported", catches: "literal.found", about: "the manifest is declared and not exported", from: "export const manifest", to: "const manifest"},
	{name: "manifest-by-let", catches: "literal.found", about: "the manifest is exported with let", from: "export const manifest", to: "export let manifest"},
	{name: "manifest-frozen", catches: "literal.pure-data", about: "the literal is handed to Object.freeze",
		whole: func(good string) string {
			return strings.Replace(strings.Replace(good, "manifest = {", "manifest = Object.freeze({", 1), "\n};\n", "\n});\n", 1)
		}},
	{name: "manifest-twice", catches: "literal.once", about: "there are two manifests", whole: func(good string) string { return good + "\nexport const manifest = { name: \"again\" };\n" }, also: []string{"literal.loads"}},
	{name: "manifest-variable", catches: "literal.pure-data", about: "the name is a variable", whole: func(good string) string {
		return "const title = \"Reply tone\";\n" + strings.Replace(good, named, "name: title,", 1)
	}},
	{name: "manifest-spread", catches: "literal.pure-data", about: "the settings are spread into it", whole: func(good string) string {
		return "const base = {};\n" + strings.Replace(good, named, named+"\n  ...base,", 1)
	}},
	{name: "manifest-getter", catches: "literal.pure-data", about: "the name is a getter", from: named, to: `get name() { return "Reply tone"; },`},
	{name: "manifest-template", catches: "literal.pure-data", about: "the name is a template with a value in it", from: named, to: "name: `Reply ${\"tone\"}`,"},
	{name: "manifest-computed-key", catches: "literal.pure-data", about: "a key is computed", from: named, to: `["name"]: "Reply tone",`},
	{name: "manifest-key-twice", catches: "literal.pure-data", about: "a key stands there twice", from: named, to: named + "\n  " + named},
	{name: "loops-for-ever", catches: "literal.loads", about: "the top level never ends", from: "const marker", to: "while (true) {}\nconst marker"},
	{name: "eats-memory", catches: "literal.loads", about: "the top level fills the memory", from: "const marker", to: "const hoard = [];\nfor (;;) hoard.push(new Array(100000).fill(hoard.length));\nconst marker"},
	{name: "throws", catches: "literal.loads", about: "the top level throws", from: "const marker", to: "null.nothing;\nconst marker"},
	{name: "imports", catches: "literal.loads", about: "it imports a module", whole: func(good string) string { return "import { tone } from \"./tone.js\";\n" + good }},
	{name: "awaits-for-ever", catches: "literal.loads", about: "it awaits at the top level what never comes", from: "const marker", to: "await new Promise(() => {});\nconst marker"},
	{name: "recurses", catches: "literal.loads", about: "the top level calls itself until the stack is full", from: "const marker", to: "(function deeper() { return 1 + deeper(); })();\nconst marker"},
	{name: "changes-itself", catches: "literal.equals-evaluated", about: "the code changes a setting", from: "const marker", to: "manifest.settings.tone.value = \"rude\";\nconst marker"},
	{name: "defines-a-getter", catches: "literal.equals-evaluated", about: "the code puts a getter into the manifest", from: "const marker", to: "Object.defineProperty(manifest, \"on_error\", { get: () => \"reject\" });\nconst marker"},
	{name: "hides-a-proxy", catches: "literal.equals-evaluated", about: "the code puts a proxy into the manifest", from: "const marker", to: "manifest.match = new Proxy(manifest.match, {});\nconst marker"},
	{name: "depends-on-a-value", catches: "literal.rewrite.reloads", about: "the top level throws when a setting has another value", from: "const marker", to: "if (manifest.settings.tone.value !== \"friendly\") throw new Error(\"no such tone\");\nconst marker"},
	{name: "name-too-long", catches: "literal.fields.name", about: "the name has 65 characters", from: named, to: `name: "` + strings.Repeat("n", 65) + `",`},
	{name: "name-with-control", catches: "literal.fields.name", about: "the name holds a line break", from: named, to: `name: "Reply\ntone",`},
	{name: "api-two", catches: "literal.fields.api", about: "api is 2", from: "api: 1", to: "api: 2"},
	{name: "description-too-long", catches: "literal.fields.description", about: "the description has 501 characters", from: `description: "`, to: `description: "` + strings.Repeat("d", 501-len("Adds a line about tone to the system prompt and masks a word in replies."))},
	{name: "permission-unknown", catches: "literal.fields.permissions", about: "a permission is none", from: `["system", `, to: `["system", "files", `},
	{name: "permission-twice", catches: "literal.fields.permissions", about: "a permission is listed twice", from: `["system", `, to: `["system", "system", `},
	{name: "match-unknown-type", catches: "literal.fields.match", about: "a list of globs is a single one", from: `clients: ["editor-*"]`, to: `clients: "editor-*"`},
	{name: "on-error-other", catches: "literal.fields.on-error", about: "on_error is neither reject nor skip", from: `on_error: "skip"`, to: `on_error: "ignore"`},
	{name: "reply-other", catches: "literal.fields.reply", about: "reply is neither block nor stream", from: `reply: "stream"`, to: `reply: "later"`},
	{name: "setting-of-other-type", catches: "literal.fields.settings", about: "the value of a setting is not of its type", from: "value: 3", to: `value: "3"`},
	{name: "setting-odd-name", catches: "literal.fields.settings", about: "a setting has a name with a dash", from: "max_notes", to: `"max-notes"`},
	{name: "hook-missing", catches: "literal.hooks", about: "the hook that a permission needs is not exported", from: "export function onToolCall", to: "function onToolCall"},
	{name: "hook-no-function", catches: "literal.hooks", about: "a hook is an object", from: "export function onRequest(request) {", to: "export const onRequest = { request: 1 };\nfunction unused(request) {"},
	{name: "default-for-value", catches: "literal.legacy-default", about: "the value of a setting is called default", from: "value: 3", to: "default: 3"},
	{name: "other-style", catches: "literal.canonical", about: "the literal is indented with tabs", whole: func(good string) string { return strings.ReplaceAll(good, "\n  ", "\n\t") }},
	{name: "reserved-id", catches: "literal.reserved-id", about: "the file is called rewrite.js", file: "rewrite.js"},
	{name: "large-file", catches: "literal.size", about: "the file holds 300 KiB of data", whole: func(good string) string {
		return good + "\nconst data = \"" + strings.Repeat("0123456789abcdef", 300*64) + "\";\n"
	}},
	{name: "value-for-34", catches: "literal.34.manifest", about: "the manifest is one of 35, and the host one of 34", reference: func(good string) string {
		return strings.ReplaceAll(strings.Replace(good, "  on_error: \"skip\",\n", "", 1), "value:", "default:")
	}},
}
