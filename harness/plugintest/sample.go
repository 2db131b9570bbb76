package plugintest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Plugin is a reference plugin: what its manifest says, and a configuration
// where one is needed.
type Plugin struct {
	Kind     string // of its process
	Manifest map[string]any
	Config   string // plugcheck.toml
}

// References are the plugins that keep every check, all together: a rename
// actuator, one for the capabilities without a published contract, and a sensor.
func References() []Plugin {
	return []Plugin{
		{Kind: "rename", Config: renameCases, Manifest: map[string]any{
			"name": "reference-rename", "version": "1.0.0", "kind": "actuator",
			"languages": []string{"python", "rust", "go", "typescript", "javascript"}, "capabilities": []string{"rename-symbol"},
		}},
		{Kind: "transform", Config: transformCases, Manifest: map[string]any{
			"name": "reference-transform", "version": "0.1.0", "kind": "actuator", "languages": []string{"python"},
			"capabilities": drafts,
		}},
		{Kind: "sensor", Manifest: map[string]any{
			"name": "reference-sensor", "version": "1.0.0", "kind": "sensor", "languages": []string{"python"},
		}},
	}
}

// Lay writes the plugin into a folder: its manifest, with this binary as the
// executable, and its configuration. A fault spoils it.
func (p Plugin) Lay(dir string, f Fault) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	m := map[string]any{"executable": self, "args": []string{start, p.Kind}}
	for k, v := range p.Manifest {
		m[k] = v
	}
	if f.Name != "" {
		m["args"] = []string{start, p.Kind, f.Name}
	}
	if len(f.Languages) > 0 {
		m["languages"] = f.Languages
	}
	if f.Manifest != nil {
		f.Manifest(dir, m)
	}
	if f.Lay != nil {
		if err := f.Lay(dir, m); err != nil {
			return err
		}
	}
	config := f.Config + p.Config
	if p.Kind == "rename" && !strings.Contains(config, "lock = ") {
		config = fmt.Sprintf("lock = %q\n", "'"+self+"' "+start+" lock") + config
	}
	config += environment
	if config != "" {
		if err := os.WriteFile(filepath.Join(dir, "plugcheck.toml"), []byte(config), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "manifest.toml"), []byte(manifestTOML(m)), 0o644)
}

// jsonlSample writes every reference plugin into a folder of its own below dir.
func jsonlSample(dir string) error {
	for _, p := range References() {
		if err := p.Lay(filepath.Join(dir, p.Manifest["name"].(string)), Fault{}); err != nil {
			return err
		}
	}
	return nil
}

// lock is a command for the check of the same name: each file below the working
// folder has to be UTF-8, with as many brackets closed as opened.
func lock() int {
	status := 0
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		balance := 0
		for _, c := range string(text) {
			switch c {
			case '(', '[', '{':
				balance++
			case ')', ']', '}':
				balance--
			}
		}
		if balance != 0 || !utf8.Valid(text) {
			fmt.Fprintf(os.Stderr, "%s: brackets do not close, or it is not UTF-8\n", name)
			status = 1
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 2
	}
	return status
}

// manifestTOML writes strings, numbers and lists, which JSON writes as TOML does.
func manifestTOML(m map[string]any) string {
	var lines []string
	for k, v := range m {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		lines = append(lines, fmt.Sprintf("%s = %s\n", k, text))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// renameCases are of the reference plugin's own author.
const renameCases = `
[[case]]
txtar = '''
class: success
language: python
new_name: parcel
-- src/own.py --
⟦packet⟧ = 1
print(packet)
-- want/src/own.py --
parcel = 1
print(parcel)
'''

[[case]]
txtar = '''
class: refusal
language: python
new_name: parcel
refuse: any
-- src/own.py --
print(⟦undeclared_packet⟧)
'''
`

// transformCases are requests that succeed: no document says which do.
const transformCases = `[[case]]
txtar = '''
class: success
language: python
operation: replace-body
arg.body: return 2
-- src/numbers.py --
def ⟦one⟧():
    return 1

print(one())
-- want/src/numbers.py --
def one():
    return 2

print(one())
'''

[[case]]
txtar = '''
class: success
language: python
operation: extract-method
arg.name: greet
-- src/hello.py --
def main():
    ⟦print⟧("hello")
    return 0
-- want/src/hello.py --
def main():
    def greet():
        print("hello")
    greet()
    return 0
'''

[[case]]
txtar = '''
class: success
language: python
operation: extract-predicate
arg.name: is_small
-- src/size.py --
def size(n):
    ⟦if⟧ n < 10:
        return "small"
    return "large"
-- want/src/size.py --
def size(n):
    def is_small():
        return n < 10
    if is_small():
        return "small"
    return "large"
'''

[[case]]
txtar = '''
class: success
language: python
operation: extricate-symbol
arg.to: file:///workspace/src/there.py
-- src/here.py --
def ⟦moves⟧():
    return 1

def stays():
    return 2
-- src/there.py --
def waits():
    return 3
-- want/src/here.py --

def stays():
    return 2
-- want/src/there.py --
def waits():
    return 3
def moves():
    return 1
'''
`
