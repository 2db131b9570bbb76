package plugintest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Specimen is a plugin of any wire with one thing wrong, as the tests and
// `plugcheck explain` use it.
type Specimen struct {
	Wire, Name, About string
	Catches           string // the check that is to catch it
	// Also holds globs of checks that cannot but fail with it.
	Also []string
	// With lists the checks that bring the fault out, where the check that catches
	// it judges what others do.
	With []string
	// Timeout is what one exchange may take where the fault is that it hangs.
	Timeout time.Duration
	// Write lays the plugin into a folder, and Good the same one without the fault.
	Write, Good func(dir string) error
}

// A sample is what `plugcheck run --sample` judges: plugins that keep every check
// of a wire, all together.
var samples = map[string]func(dir string) error{
	"jsonl":   jsonlSample,
	"veto":    vetoSample,
	"hook":    hookSample,
	"literal": literalSample,
	"jsonrpc": jsonrpcSample,
}

// Sample writes the reference plugins of a wire into folders below dir.
func Sample(wire, dir string) error {
	lay, ok := samples[wire]
	if !ok {
		var names []string
		for name := range samples {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("there is no sample of the wire %s; there are %s", wire, strings.Join(names, ", "))
	}
	return lay(dir)
}

// Specimens lists the faulty plugins of every wire. Each check of the catalogue has at least one.
func Specimens() []Specimen {
	return slices.Concat(jsonlSpecimens(), rpcSpecimens(), literalSpecimens(), vetoSpecimens(), hookSpecimens())
}

// SpecimenNamed finds a specimen of any wire.
func SpecimenNamed(name string) (Specimen, bool) {
	for _, s := range Specimens() {
		if s.Name == name {
			return s, true
		}
	}
	return Specimen{}, false
}

// stimuli are enough exchanges for the rules to judge: successes and refusals,
// and the texts that some faults are about. Drafts and sensors have others.
var stimuli = []string{"jsonl.refuse.unknown-operation", "jsonl.refuse.garbage", "rename.renames", "rename.crlf", "rename.no-final-newline", "*.answers"}

// jsonlSpecimens are the faults in one language where they leave it open: that
// is enough, and quick.
func jsonlSpecimens() []Specimen {
	var list []Specimen
	for _, f := range Faults() {
		if len(f.Languages) == 0 && f.Kind == "" && f.Manifest == nil {
			f.Languages = []string{"python"}
		}
		good := Fault{Kind: f.Kind, Languages: f.Languages, Config: f.Config}
		if f.Twice || f.Manifest != nil {
			good.Languages = []string{"python"}
		}
		with := stimuli
		if f.Name == "cut-at-64-kib" {
			with = append(slices.Clone(stimuli), "jsonl.large-output")
		}
		list = append(list, Specimen{Wire: "jsonl", Name: f.Name, About: f.About, Catches: f.Catches, Also: f.Also, With: with, Write: f.Write, Good: good.Write})
	}
	return list
}
