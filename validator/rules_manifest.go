package validator

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"plugcheck/contracts"
)

var manifestRules = []rule{
	{
		Check: Check{ID: "jsonl.manifest.shape", Level: Must, Contract: exchangeContract,
			Title: "The manifest has the fields of the document, each of its type",
			Why:   "The registry rejects a manifest that it cannot read, and the plugin is never offered.",
			Spec:  specManifest,
			Fix:   "name, version, kind (sensor or actuator), languages (a list of strings) and executable are required; args, timeout_secs and capabilities are optional."},
		Judge: func(t *Trial) []Finding {
			m := t.Manifest
			if m.Unreadable != nil {
				return []Finding{*m.Unreadable}
			}
			var found []Finding
			for _, v := range m.Violations {
				found = append(found, Finding{Class: v.Path, Message: "in the manifest, " + v.String(), Expected: v.Wanted, Got: v.Got})
			}
			return found
		},
	},
	{
		Check: Check{ID: "jsonl.manifest.known-capabilities", Level: Must, Contract: exchangeContract,
			Title: "Every declared capability is one of the defined identifiers",
			Why:   "The daemon routes by these identifiers; one it does not know is never asked for, or rejects the manifest.",
			Spec:  specIdentifiers,
			Fix:   "Use the identifiers as they are written in the document, lower case and with hyphens."},
		Applies: func(t *Trial) bool { return t.Manifest.readable("capabilities") },
		Judge: func(t *Trial) []Finding {
			known := slices.Concat(contracts.MustGet("jsonl-exchange").Capabilities, t.Manifest.Known)
			var found []Finding
			for _, c := range t.Manifest.Capabilities {
				if !slices.Contains(known, c) {
					found = append(found, Finding{Class: c, Message: fmt.Sprintf("the manifest declares %q, which is no capability", c),
						Expected: "one of " + strings.Join(known, ", "), Got: fmt.Sprintf("%q", c)})
				}
			}
			return found
		},
	},
	{
		Check: Check{ID: "jsonl.manifest.sensor-without-capabilities", Level: Must, Contract: exchangeContract,
			Title: "A sensor declares no capabilities",
			Why:   "Capabilities are what actuators do; the registry rejects a sensor that declares one.",
			Spec:  specCapabilities,
			Fix:   "Leave capabilities out of a sensor's manifest, or make it kind = \"actuator\"."},
		Applies: func(t *Trial) bool { return t.Manifest.Kind == Sensor },
		Judge: func(t *Trial) []Finding {
			if len(t.Manifest.Capabilities) == 0 {
				return nil
			}
			return []Finding{{Class: "declares", Message: "the manifest says kind = \"sensor\" and declares capabilities",
				Expected: "no capabilities", Got: strings.Join(t.Manifest.Capabilities, ", ")}}
		},
	},
	{
		Check: Check{ID: "jsonl.manifest.executable", Level: Must, Contract: exchangeContract,
			Title: "executable is the absolute path of a file that can be run",
			Why:   "The host starts exactly this path, in a folder of its own choice; what is not there is a plugin that fails on every request.",
			Spec:  specManifest,
			Fix:   "Give the absolute path, and set the run bit (chmod +x)."},
		Applies: func(t *Trial) bool { return t.Manifest.Executable != "" },
		Judge: func(t *Trial) []Finding {
			var found []Finding
			m := t.Manifest
			if !filepath.IsAbs(m.Executable) {
				found = append(found, Finding{Class: "relative", Message: fmt.Sprintf("executable is %q, which is not an absolute path", m.Executable),
					Expected: "an absolute path", Got: m.Executable})
			}
			if m.File.Trouble != "" {
				found = append(found, Finding{Class: m.File.Class, Message: m.File.Trouble, Fix: m.File.Fix})
			}
			return found
		},
	},
	{
		Check: Check{ID: "jsonl.manifest.unique-name", Level: Must, Contract: exchangeContract,
			Title: "No two plugins of a run have the same name",
			Why:   "The registry keeps manifests by name: of two with the same one, one is lost.",
			Spec:  specRegistry,
			Fix:   "Give each plugin a name of its own."},
		Applies: func(t *Trial) bool { return t.Manifest.Name != "" },
		Judge: func(t *Trial) []Finding {
			if t.Manifest.Twin == "" {
				return nil
			}
			return []Finding{{Class: "twice", Message: fmt.Sprintf("two plugins are named %q: the other one is %s", t.Manifest.Name, t.Manifest.Twin),
				Expected: "a name that no other plugin has", Got: t.Manifest.Name}}
		},
	},
	{
		Check: Check{ID: "jsonl.manifest.languages", Level: Should, Contract: exchangeContract,
			Title: "languages is not empty and names each language once",
			Why:   "The daemon selects plugins by language: without one it is never selected, and the same one twice, in another case, is a slip.",
			Spec:  specManifest,
			Fix:   "List each language once; case is ignored, so \"Python\" and \"python\" are the same."},
		Applies: func(t *Trial) bool { return t.Manifest.readable("languages") },
		Judge: func(t *Trial) []Finding {
			languages := t.Manifest.Languages
			if len(languages) == 0 {
				return []Finding{{Class: "none", Message: "languages is empty, so the plugin is never selected", Expected: "at least one language", Got: "[]"}}
			}
			for i, l := range languages {
				for _, earlier := range languages[:i] {
					if strings.EqualFold(strings.TrimSpace(l), strings.TrimSpace(earlier)) {
						return []Finding{{Class: "twice", Message: fmt.Sprintf("languages lists %q and %q, which are the same when case is ignored", earlier, l),
							Expected: "each language once", Got: strings.Join(languages, ", ")}}
					}
				}
			}
			return nil
		},
	},
}
