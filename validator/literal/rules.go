package literal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"plugcheck/contracts"
	"plugcheck/validator"
)

// A Trial is what the rules look at: a plugin's file, what was found in it, and
// what evaluating it came to.
type Trial struct {
	// Name is that of the file, without its extension.
	Name   string
	Source []byte
	// Found is the manifest, or nil with Err set.
	Found *Manifest
	Err   *Error
	// Evaluated is nil where the file was not evaluated.
	Evaluated *Evaluation
}

// An Evaluation is what a module came to when it was evaluated.
type Evaluation struct {
	Value   Value             // of its export manifest
	Exports map[string]string // the type of each export, by its name
	// Fault is why there is no value.
	Fault *Error
}

// NewTrial reads a source.
func NewTrial(source []byte) *Trial {
	t := &Trial{Source: source}
	found, err := Find(source)
	if err == nil {
		t.Found = found
		return t
	}
	t.Err = err.(*Error)
	return t
}

type rule = validator.Rule[*Trial]

// The contracts that the rules belong to.
const (
	current  = "manifest-literal@35.0"
	previous = "manifest-literal@34.0"
)

// Where the document says what the rules ask for.
const (
	specFind     = "ThinkWatch, protocol 35, \"Pure-data manifest\""
	specLoad     = "ThinkWatch, protocol 35, \"Load check\""
	specWriter   = "ThinkWatch, protocol 35, \"Writer\""
	specFields   = "ThinkWatch, protocol 35, \"Manifest fields\"; host: the fields of manifest 35.0"
	specDefault  = "ThinkWatch, protocol 35, \"Manifest fields\" (settings value replaces default)"
	specRewrites = "ThinkWatch, protocol 35, \"Rewrite\""
	specHooks    = "host: a plugin's hooks are exported functions, each called for the permissions it serves"
)

// Rules is all rules about a plugin's file.
func Rules() []validator.Rule[*Trial] { return rules }

var rules = slices.Concat([]rule{
	{Check: validator.Check{ID: "literal.found", Level: validator.Must, Contract: current,
		Title: "export const manifest = { … } stands at the top level",
		Why:   "The host reads the manifest out of the source. A plugin without one, or with one in another form, is not loaded.",
		Spec:  specFind,
		Fix:   "Write `export const manifest = { … };` at the top level of the file, the object literal right behind the equals sign."},
		Judge: func(t *Trial) []validator.Finding { return t.fault(missing) }},
	{Check: validator.Check{ID: "literal.once", Level: validator.Must, Contract: current,
		Title: "There is one manifest",
		Why:   "With two the host cannot know which one to read and to rewrite.",
		Spec:  specFind,
		Fix:   "Keep one `export const manifest` and take the other away, or give it another name."},
		Needs: []string{"literal.found"},
		Judge: func(t *Trial) []validator.Finding { return t.fault(twice) }},
	{Check: validator.Check{ID: "literal.pure-data", Level: validator.Must, Contract: current,
		Title: "The manifest is pure data",
		Why:   "The host reads and rewrites the literal without running the plugin. What has to be computed it cannot read, and the plugin is not loaded.",
		Spec:  specFind,
		Fix:   "Write the value itself in place of the code that makes it."},
		Needs: []string{"literal.once"},
		Judge: func(t *Trial) []validator.Finding { return t.fault(impure) }},
	{Check: validator.Check{ID: "literal.loads", Level: validator.Must, Contract: current,
		Title: "The file can be loaded: it is a module that ends, and imports nothing",
		Why:   "The host evaluates the file in a sandbox when it loads it. What throws, hangs or wants more than there is takes the plugin out.",
		Spec:  specLoad,
		Fix:   "Keep the top level of the file to declarations; do the work in the hooks."},
		Needs:   []string{"literal.found"},
		Applies: func(t *Trial) bool { return t.Evaluated != nil },
		Judge: func(t *Trial) []validator.Finding {
			if t.Evaluated.Fault == nil || differs[t.Evaluated.Fault.Class] {
				return nil
			}
			return []validator.Finding{notLoaded(t.Evaluated.Fault)}
		}},
	{Check: validator.Check{ID: "literal.equals-evaluated", Level: validator.Must, Contract: current,
		Title: "The manifest that the module exports is the one that stands in the file",
		Why:   "The host compares what it reads with what the module comes to. A plugin whose code changes its manifest shows one thing and does another, and is not loaded.",
		Spec:  specLoad,
		Fix:   "Do not touch manifest in the code of the plugin; the host changes the literal when a setting is saved."},
		Needs:   []string{"literal.pure-data", "literal.loads"},
		Applies: func(t *Trial) bool { return t.Evaluated != nil },
		Judge: func(t *Trial) []validator.Finding {
			if f := t.Evaluated.Fault; f != nil {
				return []validator.Finding{{Class: f.Class, Message: f.Error(), Expected: "the data of the literal", Got: f.Message}}
			}
			return difference(t.Found.Value, t.Evaluated.Value, "")
		}},
	{Check: validator.Check{ID: "literal.legacy-default", Level: validator.Must, Contract: current,
		Title: "A setting's value is called value, as 35 has it, and not default",
		Why:   "From 35 on the value of a setting is read from value. A default is not looked at, so the setting comes without a value.",
		Spec:  specDefault,
		Fix:   "Call it value in every setting."},
		Needs: []string{"literal.pure-data"},
		Judge: legacyDefaults},
	{Check: validator.Check{ID: "literal.canonical", Level: validator.Should, Contract: current,
		Title: "The literal is written in the style in which the host writes it",
		Why:   "A host that saves a setting writes the whole literal anew. In its own style that changes one line; in any other the whole manifest, with its comments.",
		Spec:  specWriter,
		Fix:   "plugcheck literal format -w FILE writes it so."},
		Needs: []string{"literal.pure-data"},
		Judge: notCanonical},
	{Check: validator.Check{ID: "literal.size", Level: validator.Should, Contract: current,
		Title: fmt.Sprintf("The file is no larger than %d KiB", maxSize>>10),
		Why:   "The whole source travels with each save and is kept twice. A file of this size holds something that is no code of a plugin.",
		Spec:  "no document gives a figure; this one is the kit's, see the README of the contract",
		Fix:   "Take out what is not needed when the plugin runs, such as data, tests and source maps."},
		Judge: func(t *Trial) []validator.Finding {
			if len(t.Source) <= maxSize {
				return nil
			}
			return []validator.Finding{{Class: "large", Message: fmt.Sprintf("the file has %d bytes", len(t.Source)),
				Expected: fmt.Sprintf("no more than %d", maxSize), Got: fmt.Sprint(len(t.Source))}}
		}},
	{Check: validator.Check{ID: "literal.reserved-id", Level: validator.Should, Contract: current,
		Title: "The file is called neither rewrite nor confirmed",
		Why:   "The host knows a plugin by an id, and these two are parts of its own addresses: a plugin that is called so cannot be saved under its name.",
		Spec:  "ThinkWatch, protocol 35, \"Config\" (rewrite and confirmed are reserved ids)",
		Fix:   "Give the file another name."},
		Judge: func(t *Trial) []validator.Finding {
			if !slices.Contains(reserved, strings.ToLower(t.Name)) {
				return nil
			}
			return []validator.Finding{{Class: "reserved", Message: fmt.Sprintf("the id %q is reserved", t.Name), Expected: "another name", Got: t.Name}}
		}},
}, fieldRules(), []rule{
	{Check: validator.Check{ID: "literal.hooks", Level: validator.Must, Contract: current,
		Title: "The hooks that the permissions need are exported functions",
		Why:   "The host calls them by name. A plugin that asks for a permission and has no hook for it never runs.",
		Spec:  specHooks,
		Fix:   "Export the hook as a function, or take the permission away that nothing needs."},
		Needs:   []string{"literal.pure-data", "literal.loads", "literal.fields.permissions"},
		Applies: func(t *Trial) bool { return t.Evaluated != nil && t.Evaluated.Fault == nil },
		Judge:   missingHooks},
	{Check: validator.Check{ID: "literal.34.manifest", Level: validator.Must, Contract: previous,
		Title: "The manifest is one that a host of protocol 34 reads",
		Why:   "A host of protocol 34 takes the value of a setting from default and knows no on_error: what a plugin for 35 says there it does not see.",
		Spec:  specDefault,
		Fix:   "Call the value of a setting default and leave on_error out, or require protocol 35."},
		Needs: []string{"literal.pure-data"},
		Judge: notFor34},
})

// reserved are ids that no plugin can have.
var reserved = []string{"rewrite", "confirmed"}

// Unknown lists the fields of a manifest that the documents do not have.
func Unknown(v Value) []string {
	var names []string
	for _, f := range v.Fields {
		if !slices.Contains(order, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// maxSize is what literal.size allows.
const maxSize = 256 << 10

// fault is the finding for an error of the kind that a rule is about.
func (t *Trial) fault(kind func(*Error) bool) []validator.Finding {
	if t.Err == nil || !kind(t.Err) {
		return nil
	}
	return []validator.Finding{{Class: t.Err.Class, Message: t.Err.Error() + t.Err.shown(t.Source), Expected: "pure data, read without running it", Got: t.Err.Class}}
}

// shown quotes the line of a source at which an error was found.
func (e *Error) shown(source []byte) string {
	if e.Line == 0 || e.Offset > len(source) {
		return ""
	}
	start := bytes.LastIndexAny(source[:e.Offset], "\r\n") + 1
	end := len(source)
	if i := bytes.IndexAny(source[e.Offset:], "\r\n"); i >= 0 {
		end = e.Offset + i
	}
	return ": " + validator.Quote(bytes.TrimSpace(source[max(start, e.Offset-60):min(end, e.Offset+60)]), 120)
}

// Missing reports whether an error means that there is no manifest at all.
func (e *Error) Missing() bool { return e.Class == "not-found" || slices.Contains(nearness, e.Class) }

func missing(e *Error) bool { return e.Missing() }

func twice(e *Error) bool { return e.Class == "twice" }

func impure(e *Error) bool { return !missing(e) && !twice(e) }

// differs lists the faults of an evaluation that leave the module loaded: its
// manifest is there, and is other than data.
var differs = map[string]bool{"getter": true, "proxy": true, "not-plain": true, "prototype": true}

func notLoaded(f *Error) validator.Finding {
	finding := validator.Finding{Class: f.Class, Message: f.Error(), Expected: "a module that is evaluated and ends", Got: f.Message}
	if f.Class == "syntax" && f.Line == 0 {
		finding.Fix = "Save the file as UTF-8."
	} else if fix := loadFixes[f.Class]; fix != "" {
		finding.Fix = fix
	}
	return finding
}

// loadFixes says how to mend what keeps a module from loading.
var loadFixes = map[string]string{
	"import":       "Put what it imports into the file itself: a bundler does that.",
	"endless-loop": "Nothing may run for long at the top level; do the work in a hook. Tens of thousands of declarations take long too.",
	"memory":       "Nothing may take much memory at the top level; do the work in a hook.",
	"not-settled":  "Do not await at the top level what never comes; the sandbox has no clock and no network.",
	"syntax":       "Mend the syntax at that place; `node --check` shows it too.",
}

// difference names the first place at which the two are not the same data.
func difference(written, evaluated Value, path string) []validator.Finding {
	if written.Equal(evaluated) {
		return nil
	}
	at := path
	if at == "" {
		at = "the manifest"
	}
	if written.Kind == Object && evaluated.Kind == Object {
		for _, f := range written.Fields {
			other, ok := evaluated.Get(f.Name)
			if !ok {
				return changed(join(path, f.Name), brief(f.Value), "nothing")
			}
			if found := difference(f.Value, other, join(path, f.Name)); found != nil {
				return found
			}
		}
		for _, f := range evaluated.Fields {
			if _, ok := written.Get(f.Name); !ok {
				return changed(join(path, f.Name), "nothing", brief(f.Value))
			}
		}
	}
	if written.Kind == Array && evaluated.Kind == Array && len(written.Items) == len(evaluated.Items) {
		for i := range written.Items {
			if found := difference(written.Items[i], evaluated.Items[i], fmt.Sprintf("%s[%d]", path, i)); found != nil {
				return found
			}
		}
	}
	return changed(at, brief(written), brief(evaluated))
}

func changed(at, wanted, got string) []validator.Finding {
	return []validator.Finding{{Class: "changed", Message: fmt.Sprintf("%s is %s in the literal and %s once the module was evaluated", at, wanted, got), Expected: wanted, Got: got}}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// brief is a value on one line.
func brief(v Value) string {
	text := []rune(v.JSON())
	if len(text) > 120 {
		text = append(text[:119:119], '…')
	}
	return string(text)
}

// hooks are the exports that serve each permission: one of them has to be there.
var hooks = map[string][]string{
	"system":           {"onRequest"},
	"messages":         {"onRequest"},
	"params":           {"onRequest"},
	"tools":            {"onRequest"},
	"reply.text":       {"onReplyText", "onReplyTextEnd"},
	"reply.tool_calls": {"onToolCall"},
}

func missingHooks(t *Trial) []validator.Finding {
	var findings []validator.Finding
	told := map[string]bool{}
	for _, permission := range Permissions(t.Found.Value) {
		names := hooks[permission]
		if len(names) == 0 || told[names[0]] || slices.ContainsFunc(names, func(n string) bool { return t.Evaluated.Exports[n] == "function" }) {
			continue
		}
		told[names[0]] = true
		got := "no such export"
		for _, n := range names {
			if kind := t.Evaluated.Exports[n]; kind != "" {
				got = n + " is a " + kind
			}
		}
		wanted := strings.Join(names, " or ")
		findings = append(findings, validator.Finding{Class: "hook-" + names[0], Expected: "export function " + names[0], Got: got,
			Message: fmt.Sprintf("the permission %q needs %s as an exported function, and there is none (%s)", permission, wanted, got)})
	}
	return findings
}

// settingsWith lists the settings of a manifest that have a field of the name.
func settingsWith(v Value, field string) []Field {
	settings, _ := v.Get("settings")
	var list []Field
	for _, s := range settings.Fields {
		if _, ok := s.Value.Get(field); ok {
			list = append(list, s)
		}
	}
	return list
}

func legacyDefaults(t *Trial) []validator.Finding {
	var findings []validator.Finding
	for _, s := range settingsWith(t.Found.Value, "default") {
		old, _ := s.Value.Get("default")
		f := validator.Finding{Class: "default", Expected: "value: " + brief(old), Got: "default: " + brief(old),
			Message: fmt.Sprintf("the setting %q has a default, which 35 calls value", s.Name),
			Fix:     fmt.Sprintf("Write `value: %s` in place of `default: %s` in the setting %s, and in all others.", brief(old), brief(old), s.Name)}
		if _, both := s.Value.Get("value"); both {
			f.Message = fmt.Sprintf("the setting %q has a default beside its value; 35 reads value alone", s.Name)
			f.Fix = fmt.Sprintf("Take `default: %s` away from the setting %s.", brief(old), s.Name)
		}
		findings = append(findings, f)
	}
	return findings
}

func notFor34(t *Trial) []validator.Finding {
	findings := violations(previous, t.Found.Value, "")
	for _, s := range settingsWith(t.Found.Value, "value") {
		findings = append(findings, validator.Finding{Class: "value", Message: fmt.Sprintf("the setting %q has a value, which 34 calls default", s.Name), Expected: "default", Got: "value"})
	}
	if _, ok := t.Found.Value.Get("on_error"); ok {
		findings = append(findings, validator.Finding{Class: "on_error", Message: "34 knows no on_error", Expected: "no such field", Got: "on_error"})
	}
	return findings
}

func notCanonical(t *Trial) []validator.Finding {
	formatted, err := Format(t.Source)
	if err != nil || bytes.Equal(formatted, t.Source) {
		return nil
	}
	at := 0
	for at < len(formatted) && at < len(t.Source) && formatted[at] == t.Source[at] {
		at++
	}
	line, column := place(t.Source, at)
	return []validator.Finding{{Class: "style", Message: fmt.Sprintf("line %d, column %d: from here on the literal is written otherwise than the host writes it", line, column),
		Expected: around(formatted, at), Got: around(t.Source, at)}}
}

func around(text []byte, at int) string {
	return validator.Quote(text[max(0, at-20):min(len(text), at+40)], 80)
}

// fieldRules make one rule for each field, out of the contract's schema.
func fieldRules() []rule {
	var list []rule
	for _, f := range []struct{ field, title, why, fix string }{
		{"name", "name has 1 to 64 characters, none of them a control character", "It is what the host shows in its list of plugins.", "Give it a short name on one line."},
		{"api", "api is 1", "It says which hooks the plugin is written for; the host loads no other.", "Write `api: 1`."},
		{"description", "description, where it is there, is a text of up to 500 characters", "The host shows it beside the name.", "Shorten it, or leave it out."},
		{"permissions", "permissions is a list of known permissions, not empty and none twice", "The host calls the hooks of what is listed, and asks the user about it.", "List what the plugin needs, of system, messages, params, tools, reply.text and reply.tool_calls."},
		{"match", "match has lists of globs under clients, models and upstreams", "It says which requests the plugin is asked about.", "Write lists of up to 100 globs, each of 1 to 200 characters: `match: { models: [\"claude-*\"] }`."},
		{"on_error", "on_error, where it is there, is \"reject\" or \"skip\"", "It says what becomes of a request on which the plugin fails.", "Write \"reject\" or \"skip\", or leave it out: it is \"reject\" then."},
		{"reply", "reply, where it is there, is \"block\" or \"stream\"", "It says whether the plugin sees a reply as a whole or as it comes.", "Write \"block\" or \"stream\", or leave it out."},
		{"settings", "settings has up to 20 settings, each with a type and a value of that type", "The host makes a form of them and checks what is entered.", "Name each in letters, digits and _, with `type` string, number or boolean; label has up to 100 characters, a string value up to 10,000."},
	} {
		id := "literal.fields." + strings.ReplaceAll(f.field, "_", "-")
		list = append(list, rule{
			Check: validator.Check{ID: id, Level: validator.Must, Contract: current, Title: f.title, Why: f.why, Spec: specFields, Fix: f.fix},
			Needs: []string{"literal.pure-data"},
			Judge: func(t *Trial) []validator.Finding { return violations(current, t.Found.Value, f.field) },
		})
	}
	return list
}

// violations are where a manifest does not keep the schema of a contract, in one
// field or, with "", anywhere.
func violations(contract string, v Value, field string) []validator.Finding {
	var findings []validator.Finding
	for _, w := range contracts.MustGet(contract).Schema("manifest").Validate([]byte(v.JSON())) {
		if root, _, _ := strings.Cut(w.Path, "."); field == "" || root == field {
			findings = append(findings, validator.Finding{Class: "shape", Message: fmt.Sprintf("%s: wanted %s, got %s", w.Path, w.Wanted, w.Got), Expected: w.Wanted, Got: w.Got})
		}
	}
	return findings
}
