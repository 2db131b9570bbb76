package harness_test

import (
	"context"
	"flag"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"plugcheck/contracts"
	"plugcheck/harness"
	"plugcheck/harness/plugintest"
	"plugcheck/reports"
)

// judge runs the kit over a plugin as the command line does.
func judge(t *testing.T, dir string, o harness.Options) *reports.Report {
	t.Helper()
	targets, err := harness.Discover([]string{dir}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if o.Jobs == 0 {
		o.Jobs = 2
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Checks == 0 {
		o.Checks = 8
	}
	r, err := harness.Run(context.Background(), targets, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func matches(globs []string, id string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool { ok, err := path.Match(glob, id); return ok && err == nil })
}

// spoil lays a faulty plugin.
func spoil(t *testing.T, f plugintest.Specimen) string {
	t.Helper()
	dir := t.TempDir()
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestEachFaultIsCaught runs every fault through the check that is to catch it,
// which has to tell all that an author needs.
func TestEachFaultIsCaught(t *testing.T) {
	catalogue, err := harness.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range plugintest.Specimens() {
		if testing.Short() && i%12 != 0 {
			continue // for the race detector, with which it takes minutes: the kit's side is the same for all
		}
		t.Run(f.Name, func(t *testing.T) {
			if waitedFor(f) {
				t.Parallel()
			}
			only := []string{f.Catches}
			if k, ok := catalogue.Find(f.Catches); ok && k.IsRule() {
				only = append(only, f.With...)
			}
			p := judge(t, spoil(t, f), harness.Options{Only: only, Timeout: f.Timeout}).Plugins[0]
			for _, e := range p.Errors {
				t.Errorf("error of the kit: %s", e)
			}
			for _, k := range p.Checks {
				if k.ID != f.Catches {
					continue
				}
				if k.Status != reports.Fail {
					t.Fatalf("%s does not catch it: %s %s", k.ID, k.Status, k.Message)
				}
				if k.Message == "" || k.Fix == "" || k.Why == "" || k.Spec == "" || len(k.Transcript) == 0 {
					t.Errorf("%s fails without telling all: %+v", k.ID, k)
				}
				t.Logf("%s: %s", k.ID, k.Message)
				return
			}
			t.Errorf("%s was not run", f.Catches)
		})
	}
}

// waitedFor reports whether a plugin is waited for more than it works.
func waitedFor(f plugintest.Specimen) bool {
	return f.Wire == "jsonrpc" || f.Wire == "veto" || f.Wire == "hook"
}

var full = flag.Bool("full", false, "also run every fault through every check, which takes minutes")

// TestNoFaultTripsOtherChecks runs every fault through all checks: none fails
// that need not.
func TestNoFaultTripsOtherChecks(t *testing.T) {
	if !*full {
		t.Skip("it takes minutes: go test ./harness -run TestNoFaultTripsOtherChecks -full")
	}
	for _, f := range plugintest.Specimens() {
		t.Run(f.Name, func(t *testing.T) {
			if waitedFor(f) {
				t.Parallel()
			}
			for _, k := range judge(t, spoil(t, f), harness.Options{Timeout: f.Timeout}).Plugins[0].Checks {
				root, _, _ := strings.Cut(k.Cause, "/")
				if k.Status == reports.Fail && k.ID != f.Catches && root != f.Catches && !matches(f.Also, k.ID) && !matches(f.Also, root) &&
					!strings.Contains(k.ID, ".property.") { // properties hold for everything, so they break with much
					t.Errorf("%s fails too (cause %q): %s", k.ID, k.Cause, k.Message)
				}
			}
		})
	}
}

// TestEveryCheckIsComplete walks the catalogue: each check is documented, has
// an existing contract, passes on a reference plugin and fails on a fault.
func TestEveryCheckIsComplete(t *testing.T) {
	catalogue, err := harness.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, wire := range harness.WireNames() {
		dir := t.TempDir()
		if err := plugintest.Sample(wire, dir); err != nil {
			t.Fatal(err)
		}
		r := judge(t, dir, harness.Options{})
		if r.Verdict != reports.Conformant {
			t.Errorf("the reference plugins of the wire %s are %s", wire, r.Verdict)
		}
		for _, p := range r.Plugins {
			for _, k := range p.Checks {
				switch k.Status {
				case reports.Pass:
					passed[k.ID] = true
				case reports.Skip:
				default:
					t.Errorf("%s: %s is %s: %s", p.Name, k.ID, k.Status, k.Message)
				}
			}
		}
	}
	for _, f := range plugintest.Specimens() { // what is judged only when it is asked for
		if k, ok := catalogue.Find(f.Catches); ok && !passed[f.Catches] {
			dir := t.TempDir()
			if err := f.Good(dir); err != nil {
				t.Fatal(err)
			}
			for _, c := range judge(t, dir, harness.Options{Only: []string{k.ID}}).Plugins[0].Checks {
				passed[c.ID] = passed[c.ID] || c.Status == reports.Pass
			}
		}
	}
	caught := map[string]bool{}
	names := map[string]bool{}
	for _, f := range plugintest.Specimens() {
		if names[f.Name] {
			t.Errorf("two faults are called %s", f.Name)
		}
		names[f.Name] = true
		caught[f.Catches] = true
		if _, ok := catalogue.Find(f.Catches); !ok {
			t.Errorf("fault %s is to be caught by %s, which is no check", f.Name, f.Catches)
		}
	}
	for _, k := range catalogue.Checks {
		if k.Title == "" || k.Why == "" || k.Spec == "" || k.Fix == "" || k.Level == "" {
			t.Errorf("%s is not documented: %+v", k.ID, k.Check)
		}
		if c, err := contracts.Get(k.Contract); err != nil || c.ID() != k.Contract {
			t.Errorf("%s belongs to %q, which is no contract", k.ID, k.Contract)
		}
		if !passed[k.ID] && !(k.ID == "jsonl.no-filesystem" && harness.SandboxAvailable() != nil) {
			t.Errorf("%s passes on no reference plugin", k.ID)
		}
		if !caught[k.ID] {
			t.Errorf("%s fails on no faulty plugin", k.ID)
		}
	}
}

// TestPythonReference runs the second reference plugin, a Python script, through
// the checks: an interpreter's start-up has to be lived with.
func TestPythonReference(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	target, err := harness.Command([]string{python, "../fixtures/plugins/rename-py/rename.py"}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	keepsAll(t, target, "jsonl.large-input", "jsonl.deterministic")
}

// TestPythonVetoReference runs the Python veto plugin, with what its author expects.
func TestPythonVetoReference(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	targets, err := harness.Discover([]string{"../fixtures/plugins/veto-py"}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	keepsAll(t, targets[0], "veto.deterministic", "veto.environment")
}

// keepsAll judges a plugin by all checks but some that take long.
func keepsAll(t *testing.T, target *harness.Target, but ...string) {
	t.Helper()
	r, err := harness.Run(context.Background(), []*harness.Target{target}, harness.Options{
		Jobs: 2, Seed: 1, Checks: 3, Gate: reports.Should, Skip: but})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != reports.Conformant {
		for _, k := range r.Plugins[0].Checks {
			if k.Status == reports.Fail || k.Status == reports.StatusUntested {
				t.Errorf("%s: %s: %s", k.ID, k.Status, k.Message)
			}
		}
		t.Errorf("it is %s: %v", r.Verdict, r.Plugins[0].Errors)
	}
}
