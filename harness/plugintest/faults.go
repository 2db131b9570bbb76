package plugintest

import (
	"os"
	"path/filepath"
	"slices"
)

// A Fault is a reference plugin with one thing wrong.
type Fault struct {
	Name    string
	Catches string // the check that is to catch it
	// Also holds globs of checks that cannot but fail with it.
	Also  []string
	About string
	Kind  string // the reference plugin that is spoilt; "" is rename

	Twice     bool // it is laid into two folders below the one given
	Languages []string
	Config    string                                   // added to plugcheck.toml
	Manifest  func(dir string, m map[string]any)       // spoils the manifest
	Lay       func(dir string, m map[string]any) error // lays further files

	// The steps of the exchange, in their order.
	Start  func()
	Line   func([]byte) []byte
	Answer func(*request, *response)
	Bytes  func(*request, response, []byte) []byte
	End    func(response) int // returns the exit status
}

// Faults lists every fault. Each check of the catalogue has at least one.
func Faults() []Fault {
	return slices.Concat(manifestFaults, processFaults, responseFaults, refusalFaults, renameFaults, draftFaults, realFaults)
}

// Named finds a fault.
func Named(name string) (Fault, bool) {
	for _, f := range slices.Concat(Faults(), Hostile()) {
		if f.Name == name {
			return f, true
		}
	}
	return Fault{}, false
}

// Reference is the reference plugin that the fault spoils.
func (f Fault) Reference() Plugin {
	for _, p := range References() {
		if p.Kind == f.Kind || f.Kind == "" && p.Kind == "rename" {
			return p
		}
	}
	panic("fault " + f.Name + " spoils no reference plugin")
}

// Write lays the faulty plugin into a folder.
func (f Fault) Write(dir string) error {
	if !f.Twice {
		return f.Reference().Lay(dir, f)
	}
	for _, twin := range []string{"one", "two"} {
		if err := f.Reference().Lay(filepath.Join(dir, twin), f); err != nil {
			return err
		}
	}
	return nil
}

func set(key string, value any) func(string, map[string]any) {
	return func(_ string, m map[string]any) { m[key] = value }
}

var manifestFaults = []Fault{
	{Name: "manifest-without-version", Catches: "jsonl.manifest.shape", About: "the manifest lacks its version",
		Manifest: func(_ string, m map[string]any) { delete(m, "version") }},
	{Name: "manifest-unknown-capability", Catches: "jsonl.manifest.known-capabilities", About: "the manifest declares a capability that is none",
		Manifest: set("capabilities", []string{"rename-symbol", "rename_everything"})},
	{Name: "sensor-with-capability", Catches: "jsonl.manifest.sensor-without-capabilities", Kind: "sensor", About: "a sensor declares a capability",
		Manifest: set("capabilities", []string{"rename-symbol"})},
	{Name: "manifest-relative-executable", Catches: "jsonl.manifest.executable", About: "the executable is a relative path",
		Lay: func(dir string, m map[string]any) error {
			self := m["executable"].(string)
			m["executable"] = "plugin" + filepath.Ext(self)
			return os.Symlink(self, filepath.Join(dir, "plugin"+filepath.Ext(self)))
		}},
	{Name: "name-taken", Catches: "jsonl.manifest.unique-name", About: "another plugin of the run has its name", Twice: true},
	{Name: "manifest-language-twice", Catches: "jsonl.manifest.languages", About: "a language is listed twice, in another case",
		Manifest: set("languages", []string{"python", "Python"})},
}
