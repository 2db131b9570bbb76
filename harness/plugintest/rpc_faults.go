package plugintest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// An RPCFault is the JSON-RPC reference plugin with one thing wrong. Each field is
// a place where it can be spoilt.
type RPCFault struct {
	Name, Catches, About string
	Also, With           []string
	Config               string // of plugcheck.toml

	Manifest func(m map[string]any)                   // what plugin.toml says
	Lay      func(dir string, m map[string]any) error // further files

	Start   func(p *rpcPlugin)                       // before anything is read
	Line    func(p *rpcPlugin, line []byte) [][]byte // what a line is taken for
	Message func(p *rpcPlugin, m *rpcMessage) bool   // true says that this is all that comes of it

	Registrations func([]rpcRegistration) []rpcRegistration
	Identity      func(map[string]any)

	// Params is what is asked of the host; without a method nothing is. ID is that of
	// the plugin's nth call. Waiting comes before a call's answer is waited for, and
	// Heard once it came.
	Params  func(p *rpcPlugin, method string, params any) (string, any)
	ID      func(n int) string
	Waiting func(p *rpcPlugin, wait chan rpcMessage)
	Heard   func(m rpcMessage)

	Outcome func(p *rpcPlugin, m *rpcMessage, result any, e *rpcError) (any, *rpcError)
	Answer  func(p *rpcPlugin, m *rpcMessage, b []byte) []byte // the bytes of an answer
	Bytes   func(p *rpcPlugin, b []byte) []byte                // the bytes of any message

	StaysAfterShutdown bool
	End                func(p *rpcPlugin) // after stdin ended or it was shut down
}

// rpcMemory is what faults remember between messages.
type rpcMemory struct {
	sync.Mutex
	id    json.RawMessage
	n     int
	kept  [][]byte
	words []string
}

// RPCFaults lists every fault of the JSON-RPC wire. Each of its checks has at least one.
func RPCFaults() []RPCFault {
	return slices.Concat(rpcManifestFaults, rpcWireFaults, rpcSessionFaults, rpcCallFaults, rpcRobustnessFaults, rpcLifeFaults)
}

// impatient is for faults that are silent, so that the tests need not wait long.
const impatient = "[host]\ntimeout = \"1s\"\n"

// rpcStimuli bring out what the rules judge.
var rpcStimuli = []string{"rpc.tool.answers", "rpc.tool.unknown", "rpc.command.answers", "rpc.event.survives", "rpc.unknown-method", "rpc.shutdown.exits"}

// bystanders are the checks that use tools, commands and context for something
// else, and cannot but fail where one of these is not answered.
var bystanders = []string{"rpc.tool.*", "rpc.command.*", "rpc.context.*", "rpc.null-result", "rpc.unused-permission", "rpc.accepted-are-answered", "rpc.memory",
	"rpc.concurrent", "rpc.reentrant", "rpc.id-collision", "rpc.host-error", "rpc.denied", "rpc.slow-host", "rpc.stderr-flood", "rpc.children-leave-stdin",
	"rpc.large-message", "rpc.unicode", "rpc.line-separators"}

// also is the bystanders and others.
func also(others ...string) []string { return slices.Concat(bystanders, others) }

func rpcSpecimens() []Specimen {
	var list []Specimen
	for _, f := range RPCFaults() {
		with := f.With
		if with == nil {
			with = rpcStimuli
		}
		list = append(list, Specimen{Wire: "jsonrpc", Name: f.Name, About: f.About, Catches: f.Catches, Also: f.Also, With: with,
			Write: f.Write, Good: RPCFault{Config: f.Config}.Write})
	}
	return list
}

// Write lays the plugin into a folder: plugin.toml, and this binary as its entry,
// which has to be inside.
func (f RPCFault) Write(dir string) error {
	args := []string{start, "rpc"}
	if f.Name != "" {
		args = append(args, f.Name)
	}
	return f.lay(dir, args)
}

func (f RPCFault) lay(dir string, args []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entry := "plugin"
	if runtime.GOOS == "windows" {
		entry += ".exe"
	}
	if err := linkSelf(filepath.Join(dir, entry)); err != nil {
		return err
	}
	m := map[string]any{"name": rpcName, "version": rpcVersion, "description": "The reference plugin of the JSON-RPC wire",
		"entry": entry, "args": args, "permissions": rpcPermissions()}
	if f.Manifest != nil {
		f.Manifest(m)
	}
	if f.Lay != nil {
		if err := f.Lay(dir, m); err != nil {
			return err
		}
	}
	permissions, _ := m["permissions"].(map[string]any)
	delete(m, "permissions")
	text := manifestTOML(m) + "\n[permissions]\n" + manifestTOML(permissions)
	if err := os.WriteFile(filepath.Join(dir, "plugin.toml"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "plugcheck.toml"), []byte(rpcConfig+f.Config+environment), 0o644)
}

// rpcConfig is what the host of the reference plugin knows.
const rpcConfig = "[host.config]\ngreeting = \"Good day\"\n"

// linkSelf makes this binary a file of the plugin's folder.
func linkSelf(name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if os.Link(self, name) == nil {
		return nil
	}
	// It is on another file system, or it belongs to another user.
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// jsonrpcSample writes the reference plugin into a folder of its own below dir.
func jsonrpcSample(dir string) error { return RPCFault{}.Write(filepath.Join(dir, rpcName)) }

var rpcManifestFaults = []RPCFault{
	{Name: "toml-version-number", Catches: "rpc.manifest.shape", About: "the version in plugin.toml is a number",
		Manifest: func(m map[string]any) { m["version"] = 1 }},
	{Name: "toml-unknown-event", Catches: "rpc.manifest.known-events", About: "plugin.toml declares an event that the host does not have", Also: []string{"rpc.manifest.agrees-fully"},
		Manifest: func(m map[string]any) {
			m["permissions"].(map[string]any)["events"] = []string{"tool_call", "chat_message", "chatMessage"}
		}},
	{Name: "entry-leads-out", Catches: "rpc.manifest.entry-inside", About: "the entry is a symlink that leads out of the folder",
		Lay: func(dir string, m map[string]any) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			m["entry"] = "elsewhere"
			return os.Symlink(self, filepath.Join(dir, "elsewhere"))
		}},
	{Name: "entry-not-runnable", Catches: "rpc.manifest.executable", About: "the entry is a script without its run bit",
		Lay: func(dir string, m map[string]any) error {
			m["entry"] = "main.sh"
			return os.WriteFile(filepath.Join(dir, "main.sh"), []byte("#!/bin/sh\n"), 0o644)
		}},
	{Name: "toml-another-name", Catches: "rpc.manifest.agrees", About: "plugin.toml says another name than plugin.initialize",
		Manifest: func(m map[string]any) { m["name"] = "reference" }},
	{Name: "toml-another-version", Catches: "rpc.manifest.agrees-fully", About: "plugin.toml says another version than plugin.initialize",
		Manifest: func(m map[string]any) { m["version"] = "0.9.0" }},
}

// eat is a process that takes all that comes on stdin, whoever it was meant for.
func eat() int {
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// replaced is a fault in the bytes of every message.
func replaced(old, new string) func(*rpcPlugin, []byte) []byte {
	return func(_ *rpcPlugin, b []byte) []byte { return []byte(strings.ReplaceAll(string(b), old, new)) }
}

// onMethod spoils the answers to one method.
func onMethod(method string, spoil func(b []byte) []byte) func(*rpcPlugin, *rpcMessage, []byte) []byte {
	return func(_ *rpcPlugin, m *rpcMessage, b []byte) []byte {
		if m.method == method {
			return spoil(b)
		}
		return b
	}
}

// never drops an answer.
func never([]byte) []byte { return nil }

// die is what an exception that nobody catches does.
func die(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "panic: "+format+"\n", args...)
	os.Exit(2)
}

// outcomeOf gives another result to one method.
func outcomeOf(method string, result any) func(*rpcPlugin, *rpcMessage, any, *rpcError) (any, *rpcError) {
	return func(_ *rpcPlugin, m *rpcMessage, before any, e *rpcError) (any, *rpcError) {
		if m.method == method {
			return result, nil
		}
		return before, e
	}
}

// registering changes what the first registration of a method says.
func registering(method, key string, value any) func([]rpcRegistration) []rpcRegistration {
	return func(list []rpcRegistration) []rpcRegistration {
		i := slices.IndexFunc(list, func(r rpcRegistration) bool { return r.method == method })
		list[i].params[key] = value
		return list
	}
}
