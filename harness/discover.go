package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"plugcheck/validator"
	"plugcheck/validator/literal"
	"plugcheck/validator/rpc"
	"plugcheck/validator/veto"
)

// A Target is one plugin that is to be judged, as it was found.
type Target struct {
	// Path is what the user named, or the folder below it.
	Path string
	// Wire is the plugin system, and Guess says how it was found where it was not declared.
	Wire, Guess string
	// Name and Version are what the plugin calls itself, as far as that is known.
	Name, Version string
	// Source is the manifest's file; empty for a bare executable.
	Source string
	// Manifest is that of a JSONL plugin. A bare executable has one without a source, which is filled in by asking the plugin.
	Manifest *validator.Manifest
	// Veto is the manifest of a veto plugin, and what stands in for one of a shell hook.
	Veto *veto.Manifest
	// Module is a plugin that is a JavaScript file, as it was read.
	Module *literal.Trial
	// Static is the plugin.toml of a JSON-RPC plugin, nil where there is none.
	Static *rpc.Manifest
	// Executable is what is started, with Args.
	Executable string
	Args       []string
	// Notes are worth a look and fail nothing.
	Notes []string
	// Err is why it cannot be judged at all, which is not its fault.
	Err error
	// Command is the command line, where one was given in place of a path.
	Command []string
	Config  Config
}

// Bare reports whether there is no manifest.
func (t *Target) Bare() bool { return t.Source == "" }

// ManifestNames are where a manifest may stand in a plugin's folder, the first found wins.
var ManifestNames = []string{"manifest.toml", "plugin.toml", "manifest.json", "plugin.json"}

// Discover finds the plugins at the paths: an executable, a manifest, a
// plugin's folder, or a folder of such folders.
func Discover(paths []string, wire, config string) ([]*Target, error) {
	d := discovery{wire: wire, config: config}
	var targets []*Target
	for _, p := range paths {
		found, err := d.at(p)
		if err != nil && len(paths) == 1 {
			return nil, err
		}
		if err != nil { // the others are judged all the same
			found = []*Target{hopeless(p, err)}
		}
		targets = append(targets, found...)
	}
	return targets, nil
}

// hopeless stands for a plugin that cannot be judged.
func hopeless(path string, err error) *Target {
	return &Target{Path: path, Wire: wires()[0].name, Name: filepath.Base(path), Err: err}
}

// Command is a plugin given as a command with its arguments.
func Command(argv []string, wire, config string) (*Target, error) {
	d := discovery{wire: wire, config: config}
	path, err := lookPath(argv[0])
	if err != nil {
		return nil, err
	}
	var args []string
	for _, arg := range argv[1:] {
		args = append(args, absolute(arg))
	}
	t, err := d.bare(path, args...)
	if err == nil {
		t.Path, t.Command = strings.Join(argv, " "), argv
	}
	return t, err
}

// absolute makes an argument that names a file here name it from anywhere: the
// plugin is started in a folder of its own.
func absolute(arg string) string {
	if _, err := os.Stat(arg); err != nil {
		return arg
	}
	full, err := filepath.Abs(arg)
	if err != nil {
		return arg
	}
	return full
}

func lookPath(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return filepath.Abs(name)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		full := filepath.Join(dir, name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() {
			return filepath.Abs(full)
		}
	}
	return "", fmt.Errorf("no %q on PATH", name)
}

type discovery struct{ wire, config string }

func (d discovery) at(path string) ([]*Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is nothing at %s", path)
		}
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case info.IsDir():
		return d.folder(path)
	case ext == ".toml" || ext == ".json":
		return one(d.manifest(path, path))
	}
	if t, err := d.file(path, true); t != nil || err != nil {
		return one(t, err)
	}
	// An executable with a manifest beside it that names it is that plugin.
	if name, ok := findManifest(filepath.Dir(path)); ok {
		t, err := d.manifest(path, name)
		if err == nil && sameFile(t.Executable, path) {
			t.Guess = "the manifest beside it names this executable"
			return []*Target{t}, nil
		}
	}
	return one(d.alone(path, path, ""))
}

func one(t *Target, err error) ([]*Target, error) {
	if err != nil {
		return nil, err
	}
	return []*Target{t}, nil
}

// outside is where a file really stands, when that is not below dir.
func outside(dir, file string) string {
	for _, resolve := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		root, err1 := resolve(dir)
		real, err2 := resolve(file)
		if err1 != nil || err2 != nil {
			return "" // it does not exist, which is told elsewhere
		}
		if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
			return real
		}
	}
	return ""
}

// file is a file that is a plugin by itself, or nil.
func (d discovery) file(path string, named bool) (*Target, error) {
	for _, w := range wires() {
		if w.file == nil || d.wire != "" && d.wire != w.name {
			continue
		}
		if t, err := w.file(d, path, named); t != nil || err != nil {
			return t, err
		}
	}
	return nil, nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// folder is a plugin's folder, or a folder of plugins: each in a folder with a
// manifest or with an executable of the folder's name. Where the wire has plugins of a
// single file, the executables beside them are plugins too.
func (d discovery) folder(path string) ([]*Target, error) {
	if name, ok := findManifest(path); ok {
		return one(d.manifest(path, name))
	}
	targets, err := d.workspace(path)
	if len(targets) > 0 || err != nil {
		return targets, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	targets, executables := d.inside(path, entries)
	loose := d.wire != "" && d.hasLoose(d.wire) || slices.ContainsFunc(targets, func(t *Target) bool { return d.hasLoose(t.Wire) })
	switch own := filepath.Join(path, filepath.Base(path)); {
	case loose && len(targets)+len(executables) > 1:
		for _, file := range executables {
			t, err := d.alone(file, file, "")
			if err != nil {
				t = hopeless(file, err)
			}
			targets = append(targets, t)
		}
		return targets, nil
	case len(targets) > 0:
		return targets, nil
	case slices.Contains(executables, own):
		return one(d.alone(path, own, "the folder has no manifest and an executable of its name"))
	case len(executables) == 1:
		return one(d.alone(path, executables[0], "the folder has no manifest and one executable, "+filepath.Base(executables[0])))
	case len(executables) == 0:
		return nil, fmt.Errorf("no plugin in %s: neither a manifest (%s) nor a folder with one, nor an executable", path, strings.Join(ManifestNames, ", "))
	}
	return nil, fmt.Errorf("no manifest (%s) in %s, and %d executables: name the one to run", strings.Join(ManifestNames, ", "), path, len(executables))
}

// inside finds the plugins' folders, and the files that are plugins, in a folder;
// and the executables beside them, which may be some too.
func (d discovery) inside(path string, entries []fs.DirEntry) (targets []*Target, executables []string) {
	for _, e := range entries {
		sub := filepath.Join(path, e.Name())
		var t *Target
		var err error
		if name, ok := findManifest(sub); ok {
			t, err = d.manifest(sub, name)
		} else if t, err = d.file(sub, false); t == nil && err == nil {
			own := filepath.Join(sub, e.Name())
			if !isExecutable(own) {
				if isExecutable(sub) {
					executables = append(executables, sub)
				}
				continue
			}
			t, err = d.alone(sub, own, "the folder has no manifest and an executable of its name")
		}
		if err != nil {
			t = hopeless(sub, err)
		}
		targets = append(targets, t)
	}
	return targets, executables
}

// workspace finds the plugins in the folders of a workspace that hosts look in, in
// their order.
func (d discovery) workspace(path string) (targets []*Target, err error) {
	for _, w := range wires() {
		if d.wire != "" && d.wire != w.name {
			continue
		}
		for _, folder := range w.folders {
			dir := filepath.Join(path, filepath.FromSlash(folder))
			entries, err := os.ReadDir(dir)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				continue
			}
			if err != nil {
				return nil, err
			}
			found, _ := d.inside(dir, entries)
			targets = append(targets, found...)
		}
	}
	return targets, nil
}

// hasLoose reports whether a single file in a folder of plugins is one of a wire.
func (d discovery) hasLoose(name string) bool {
	w, err := wireNamed(name)
	return err == nil && w.loose
}

// alone is a plugin without a manifest that was found at path.
func (d discovery) alone(path, file, why string) (*Target, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	t, err := d.bare(full)
	if err == nil {
		t.Path = path
		t.Guess = strings.Trim(t.Guess+"; "+why, "; ")
	}
	return t, err
}

func isExecutable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && runnable(info)
}

func runnable(info fs.FileInfo) bool {
	if runtime.GOOS == "windows" {
		return slices.Contains([]string{".exe", ".bat", ".cmd", ".com"}, strings.ToLower(filepath.Ext(info.Name())))
	}
	return info.Mode()&0o111 != 0
}

func findManifest(dir string) (string, bool) {
	for _, name := range ManifestNames {
		full := filepath.Join(dir, name)
		if info, err := os.Stat(full); err == nil && !info.IsDir() {
			return full, true
		}
	}
	return "", false
}

// maxManifest bounds what is read as a manifest; a real one has some hundred bytes.
const maxManifest = 64 << 10

// manifest reads the manifest file of the plugin at path.
func (d discovery) manifest(path, file string) (*Target, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxManifest {
		return nil, fmt.Errorf("%s is no manifest: it is not a file, or larger than 64 KiB", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	w, err := d.wireOf(file, text)
	if err != nil {
		return nil, err
	}
	if w.read == nil {
		return nil, fmt.Errorf("%s: a %s plugin has no manifest of its own", file, w.name)
	}
	return w.read(d, path, file, text)
}

// bare is an executable without a manifest. Where no wire was named it is asked
// whether it speaks one, unless its configuration says what it is; otherwise it is
// taken for one of the first.
func (d discovery) bare(path string, args ...string) (*Target, error) {
	w := wires()[0]
	if d.wire != "" {
		var err error
		if w, err = wireNamed(d.wire); err != nil {
			return nil, err
		}
	}
	if w.bare == nil {
		return nil, fmt.Errorf("%s: an executable alone is no plugin of the wire %s", path, w.name)
	}
	t, err := w.bare(d, path)
	if err != nil {
		return nil, err
	}
	t.Args = args
	if d.wire != "" || t.Config.Plugin.Kind != "" || t.inspect().Trouble != "" {
		return t, nil
	}
	for _, other := range wires() {
		if other.recognizes == nil {
			continue
		}
		why, err := other.recognizes(t)
		if err != nil {
			return nil, err
		}
		if why == "" {
			continue
		}
		if t, err = other.bare(d, path); err != nil {
			return nil, err
		}
		t.Args, t.Guess = args, why
		break
	}
	return t, nil
}

// inspect looks at the executable before anything is started.
func (t *Target) inspect() validator.FileFacts {
	if t.Executable == "" {
		return validator.FileFacts{}
	}
	facts := validator.FileFacts{Exists: true}
	if trouble := Diagnose(t.Executable, os.Getenv("PATH")); trouble != nil {
		facts = validator.FileFacts{Exists: trouble.Kind != NotFound, Class: string(trouble.Kind), Trouble: trouble.Message, Fix: trouble.Fix}
	}
	size := 0
	for _, arg := range t.Args {
		size += len(arg)
		if strings.ContainsRune(arg, 0) || size > maxArgs {
			facts = validator.FileFacts{Exists: true, Class: "args", Trouble: "its args cannot be given to any process: one holds a NUL, or they are longer than 64 KiB",
				Fix: "Shorten args; what is long belongs into a file beside the plugin."}
		}
	}
	return facts
}

// maxArgs is what every system takes as arguments of a process.
const maxArgs = 64 << 10

// wireOf tells the plugin systems apart by what their manifests have. What is
// like none is taken for the first, whose rules will tell what is missing.
func (d discovery) wireOf(file string, text []byte) (*wire, error) {
	if d.wire != "" {
		return wireNamed(d.wire)
	}
	var fields map[string]any
	if strings.EqualFold(filepath.Ext(file), ".json") {
		_ = json.Unmarshal(text, &fields) // what cannot be read is told by the rule about the manifest's shape
	} else {
		_ = toml.Unmarshal(text, &fields)
	}
	for _, w := range wires() {
		if w.claims != nil && w.claims(fields) {
			return w, nil
		}
	}
	for _, w := range wires() { // what is missing or cannot be read is then told by its own rules
		if w.source == filepath.Base(file) {
			return w, nil
		}
	}
	return wires()[0], nil
}
