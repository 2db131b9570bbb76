package literal_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"plugcheck/validator/literal"
	"plugcheck/validator/literal/gen"
)

// What is drawn is what JavaScript reads: node imports drawn files and prints their manifests.
func TestNodeReadsTheSame(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here")
	}
	dir := t.TempDir()
	const files = 100
	var want []literal.Value
	for i := range files {
		s := gen.Plugin(gen.Object()).Example(i)
		want = append(want, s.Value)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.mjs", i)), s.Text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const script = `for (let i = 0; i < %d; i++) {
  try { console.log(JSON.stringify((await import("./" + i + ".mjs")).manifest)); }
  catch (e) { console.log(JSON.stringify({ error: String(e) })); }
}`
	if err := os.WriteFile(filepath.Join(dir, "all.mjs"), fmt.Appendf(nil, script, files), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join(dir, "all.mjs"))
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(out)
	for i := range files {
		var got literal.Value
		if err := dec.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if !got.Equal(want[i]) {
			source, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.mjs", i)))
			t.Fatalf("node reads %s, and it was to be %s, in\n%s", got.JSON(), want[i].JSON(), source)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
