package harness_test

import (
	"context"
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

// TestEachFaultIsCaught runs every fault through all checks: the check that is
// to catch it does, and no other fails that need not.
func TestEachFaultIsCaught(t *testing.T) {
	for _, f := range plugintest.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			if len(f.Languages) == 0 && f.Kind == "" && f.Manifest == nil {
				f.Languages = []string{"python"} // one language is enough, and quick
			}
			dir := t.TempDir()
			if err := f.Write(dir); err != nil {
				t.Fatal(err)
			}
			// What is slow and has a fault of its own is left to that.
			slow := slices.DeleteFunc([]string{"jsonl.large-input", "jsonl.large-output", "jsonl.no-filesystem", "jsonl.concurrent"},
				func(id string) bool { return id == f.Catches || matches(f.Also, id) })
			p := judge(t, dir, harness.Options{Skip: slow}).Plugins[0]
			for _, e := range p.Errors {
				t.Errorf("error of the kit: %s", e)
			}
			caught := false
			for _, k := range p.Checks {
				if k.Status != reports.Fail {
					continue
				}
				root, _, _ := strings.Cut(k.Cause, "/")
				switch {
				case k.ID == f.Catches:
					caught = true
					if k.Message == "" || k.Fix == "" || k.Why == "" || k.Spec == "" {
						t.Errorf("%s fails without telling all: %+v", k.ID, k)
					}
					t.Logf("%s: %s", k.ID, k.Message)
				case root == f.Catches, matches(f.Also, k.ID), matches(f.Also, root), strings.HasPrefix(k.ID, "jsonl.property."):
				default:
					t.Errorf("%s fails too (cause %q): %s", k.ID, k.Cause, k.Message)
				}
			}
			if !caught {
				for _, k := range p.Checks {
					if k.ID == f.Catches {
						t.Errorf("%s does not catch it: %s %s", k.ID, k.Status, k.Message)
					}
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
	dir := t.TempDir()
	if err := plugintest.Samples(dir); err != nil {
		t.Fatal(err)
	}
	r := judge(t, dir, harness.Options{})
	if r.Verdict != reports.Conformant {
		t.Errorf("the reference plugins are %s", r.Verdict)
	}
	passed := map[string]bool{}
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
	caught := map[string]bool{}
	for _, f := range plugintest.Faults() {
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
