package harness_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plugcheck/harness"
	"plugcheck/harness/plugintest"
	"plugcheck/reports"
)

// TestOddModules judges files that are odd but no fault of the kit.
func TestOddModules(t *testing.T) {
	const hook = "\nexport function onRequest(request) {\n  return request;\n}\n"
	manifest := func(name, permissions, more string) string {
		return "export const manifest = {\n  name: \"" + name + "\",\n  api: 1,\n  permissions: " + permissions + ",\n" + more + "};\n" + hook
	}
	plain := manifest("plain", `["messages"]`, "")
	for _, f := range []struct{ name, source, fails string }{
		{name: "permissions of the kit's own", source: manifest("drawn", `["params", "tools"]`, "")},
		{name: "a name of the kit's own", source: manifest("another name", `["params"]`, "")},
		{name: "a match of the kit's own", source: manifest("drawn", `["params"]`, "  match: { models: [\"drawn-*\"] },\n")},
		{name: "a setting of the kit's own", source: manifest("drawn", `["params"]`,
			"  settings: {\n    tone: { type: \"string\", label: \"another label\", value: \"another value\" },\n  },\n")},
		{name: "no UTF-8 behind the manifest", source: plain + "// \xff\n", fails: "literal.loads"},
		{name: "larger than what is read", source: plain + "//" + strings.Repeat("x", 17<<20), fails: "literal.loads"},
		{name: "large and not loaded", source: plain + "throw 1;\n//" + strings.Repeat("x", 1<<20), fails: "literal.loads"},
	} {
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "plugin.js"), []byte(f.source), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "folder.js"), 0o700); err != nil { // is no plugin
				t.Fatal(err)
			}
			p := judge(t, dir, harness.Options{}).Plugins[0]
			for _, e := range p.Errors {
				t.Errorf("error of the kit: %s", e)
			}
			failed := false
			for _, k := range p.Checks {
				if k.Status != reports.Fail || k.Level != reports.Must {
					continue
				}
				if failed = failed || k.ID == f.fails; k.ID != f.fails {
					t.Errorf("%s fails: %s", k.ID, k.Message)
				}
			}
			if failed != (f.fails != "") {
				t.Errorf("failed is %v: %+v", failed, p.Verdict)
			}
		})
	}
}

// TestDeafRewriters asks rewriters that have to be ended, which is not done over
// and over.
func TestDeafRewriters(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	for _, f := range []struct{ name, script, says string }{
		{"floods", "exec cat /dev/zero", "without an end of the line"},
		{"closes its output", "exec sleep 60 >&-", "closed its output"},
	} {
		t.Run(f.name, func(t *testing.T) {
			target, err := harness.Rewriter([]string{sh, "-c", f.script})
			if err != nil {
				t.Fatal(err)
			}
			only := []string{"literal.rewriter.answers", "literal.rewriter.finds", "literal.rewrite.*"}
			r, err := harness.Run(context.Background(), []*harness.Target{target}, harness.Options{Jobs: 1, Seed: 1, Checks: 8, Only: only})
			if err != nil {
				t.Fatal(err)
			}
			said, unasked := false, 0
			for _, k := range r.Plugins[0].Checks {
				said = said || strings.Contains(k.Message, f.says)
				if strings.HasPrefix(k.Message, "not asked") {
					unasked++
				}
			}
			if !said || unasked == 0 {
				t.Errorf("said so: %v, not asked: %d", said, unasked)
			}
		})
	}
}

// TestRewriterOfLargeFile has a rewriter answer more than is kept of one process.
func TestRewriterOfLargeFile(t *testing.T) {
	argv, err := plugintest.Rewriter()
	if err != nil {
		t.Fatal(err)
	}
	source := "export const manifest = {\n  name: \"large\",\n  api: 1,\n  permissions: [\"params\"],\n};\nexport const onRequest = (r) => r;\n" +
		strings.Repeat("// a line\n", 200<<10/10)
	dir := t.TempDir()
	config := fmt.Sprintf("rewriter = [%q, %q, %q, %q]\n", argv[0], argv[1], argv[2], argv[3])
	for name, text := range map[string]string{"plugin.js": source, "plugcheck.toml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := judge(t, dir, harness.Options{Checks: 20, Only: []string{"literal.rewrite.*"}}).Plugins[0]
	for _, k := range p.Checks {
		if k.Status == reports.Fail {
			t.Errorf("%s fails: %s", k.ID, k.Message)
		}
	}
}
