package rpc

import (
	"fmt"
	"slices"
	"strings"

	"plugcheck/contracts"
	"plugcheck/validator"
)

// contractID is what all rules of the wire belong to.
const contractID = "jsonrpc-plugin@0.1"

func contract() *contracts.Contract { return contracts.MustGet(contractID) }

// Where the document says what the rules ask for.
const (
	specWire       = "Overkill, Package plugin, Overview (\"newline-delimited JSON, requests carry numeric ids, notifications carry no id, and responses echo the request id\")"
	specJSONRPC    = "Overkill, Package plugin, Overview (\"speak JSON-RPC 2.0 over stdio\"); JSON-RPC 2.0, "
	specDiscover   = "Overkill, Package plugin, func Discover"
	specEvents     = "Overkill, Package plugin, var KnownEvents (\"the only strings plugins can put in manifest.permissions.events\")"
	specManifest   = "Overkill, Package plugin, type Manifest"
	specPermission = "Overkill, Package plugin, type Permissions (\"Anything outside these lists is rejected with ErrCodePermissionDenied\")"
)

var manifestRules = []validator.Rule[*Manifest]{
	{
		Check: validator.Check{ID: "rpc.manifest.shape", Level: validator.Must, Contract: contractID,
			Title: "plugin.toml has an entry, and each field is of its type",
			Why:   "Discovery passes over a plugin.toml that it cannot read, and the plugin is never started.",
			Spec:  specDiscover + " (\"plugin.toml + entry script\"); host: name, version, description, entry, args, env, [permissions]",
			Fix:   "entry is required; name, version and description are strings, args a list of strings, env a table of strings, [permissions] holds the lists config_keys, tools_call and events."},
		Judge: func(m *Manifest) []validator.Finding {
			if m.Unreadable != nil {
				return []validator.Finding{*m.Unreadable}
			}
			return violations("in plugin.toml, ", m.Violations)
		},
	},
	{
		Check: validator.Check{ID: "rpc.manifest.known-events", Level: validator.Must, Contract: contractID,
			Title: "The events of plugin.toml's permissions are ones that the host has",
			Why:   "An event that the host does not know never comes, and installers that check the permissions refuse the plugin.",
			Spec:  specEvents,
			Fix:   "Write the events as the document does, in lower case and with underscores."},
		Idle:    "plugin.toml declares no event",
		Applies: func(m *Manifest) bool { return m.Permissions != nil && len(m.Permissions.Events) > 0 },
		Judge: func(m *Manifest) []validator.Finding {
			return unknownEvents("plugin.toml declares the event", m.Permissions.Events)
		},
	},
	{
		Check: validator.Check{ID: "rpc.manifest.entry-inside", Level: validator.Must, Contract: contractID,
			Title: "entry leads to a file inside the plugin's folder, symlinks followed",
			Why:   "The host refuses to start what lies outside of the folder that the user installed.",
			Spec:  "host: the entry is inside the folder after symlinks are resolved",
			Fix:   "Put the entry into the plugin's folder and name it by a relative path; copy a file in place of a symlink that leads out."},
		Applies: func(m *Manifest) bool { return m.Entry != "" },
		Judge: func(m *Manifest) []validator.Finding {
			if m.Outside == "" {
				return nil
			}
			return []validator.Finding{{Class: "outside", Message: fmt.Sprintf("entry is %q, which leads to %s, outside of the plugin's folder", m.Entry, m.Outside),
				Expected: "a file inside the folder", Got: m.Outside}}
		},
	},
	{
		Check: validator.Check{ID: "rpc.manifest.executable", Level: validator.Must, Contract: contractID,
			Title: "The entry can be run",
			Why:   "The host starts exactly this file; what cannot be run is a plugin that fails at every start.",
			Spec:  specDiscover + " (entry script, executable file)",
			Fix:   "Set the run bit (chmod +x), and let the first line name an interpreter that is installed."},
		Applies: func(m *Manifest) bool { return m.Entry != "" },
		Judge: func(m *Manifest) []validator.Finding {
			if m.File.Trouble == "" {
				return nil
			}
			return []validator.Finding{{Class: m.File.Class, Message: m.File.Trouble, Fix: m.File.Fix}}
		},
	},
}

// violations tells what a schema did not allow.
func violations(where string, list []contracts.Violation) []validator.Finding {
	var found []validator.Finding
	for _, v := range list {
		found = append(found, validator.Finding{Class: v.Path + " " + v.Wanted, Message: where + v.String(), Expected: v.Wanted, Got: v.Got})
	}
	return found
}

func unknownEvents(say string, events []string) []validator.Finding {
	known := contract().Events
	var found []validator.Finding
	for _, e := range events {
		if slices.Contains(known, e) {
			continue
		}
		f := validator.Finding{Class: e, Message: fmt.Sprintf("%s %q, which the host does not have", say, e), Expected: "one of " + strings.Join(known, ", "), Got: fmt.Sprintf("%q", e)}
		if near := contracts.Nearest(e, known); near != "" {
			f.Message += fmt.Sprintf("; it has %q", near)
		}
		found = append(found, f)
	}
	return found
}
