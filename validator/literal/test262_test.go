package literal

import (
	"os"
	"path/filepath"
	"testing"

	"modernc.org/quickjs"
)

// TestPrograms finds the manifest before and behind every program of a collection
// made to try out the tokenizers of engines, as far as an engine takes the two
// together for a module.
func TestPrograms(t *testing.T) {
	const folder = "../../fixtures/test262/.files/pass"
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Skip("the programs are not there; fixtures/test262/fetch.sh fetches them")
	}
	engine, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	const declaration = "export const manifest = "
	modules := 0
	for _, file := range files {
		program, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		before, behind := string(program)+"\n"+declaration+sample+";\n", declaration+sample+";\n"+string(program)
		if _, err := engine.Compile(before, quickjs.EvalModule); err != nil {
			continue
		}
		modules++
		wantSpan(t, file.Name(), before, len(program)+1+len(declaration))
		wantSpan(t, file.Name(), behind, len(declaration))
		wantTokens(t, file.Name(), behind)
	}
	if modules != 1748 {
		t.Errorf("%d of %d programs are modules with a manifest", modules, len(files))
	}
}

// wantTokens goes over every token of a source, which a finder does where it has
// to only.
func wantTokens(t *testing.T, name, source string) {
	t.Helper()
	s := newScanner([]byte(source))
	for s.step() != ended {
	}
	if s.fault != "" || len(s.open) != 1 {
		t.Errorf("%s: stopped at %d, %s, with %d brackets open\n%s", name, s.at, s.fault, len(s.open)-1, source)
	}
}
