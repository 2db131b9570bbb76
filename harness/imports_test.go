package harness_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed says which packages of ours a package may import: the arrows go one
// way. Tests may look further.
var allowed = map[string][]string{
	"contracts":             {},
	"features":              {},
	"reports":               {},
	"fixtures":              {"contracts"},
	"validator/patch":       {},
	"validator/veto":        {"contracts", "validator"},
	"validator":             {"contracts", "validator/patch"},
	"validator/argsgen":     {"contracts"},
	"validator/literal":     {"contracts", "validator"},
	"validator/literal/gen": {"validator/literal"},
	"validator/rewriter":    {"contracts", "validator", "validator/literal", "validator/patch"},
	"validator/rpc":         {"contracts", "validator"},
	"harness": {"contracts", "validator", "validator/argsgen", "validator/literal", "validator/literal/gen", "validator/patch", "validator/rewriter", "validator/rpc", "validator/veto",
		"fixtures", "features", "reports", "harness/prelude", "harness/jsengine"},
	"harness/jsengine":          {"validator/literal"},
	"harness/prelude":           {},
	"harness/plugintest/rename": {},
	"harness/plugintest":        {"harness/plugintest/rename", "validator/literal", "validator/rewriter"},
	"cmd/plugcheck":             {"contracts", "validator", "validator/literal", "validator/patch", "validator/rewriter", "validator/rpc", "harness", "harness/plugintest", "reports"},
}

func TestImportsGoOneWay(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		pkg, err := filepath.Rel("..", filepath.Dir(name))
		if err != nil {
			return err
		}
		pkg = filepath.ToSlash(pkg)
		may, ok := allowed[pkg]
		if !ok {
			t.Errorf("package %s is not in the picture", pkg)
			return nil
		}
		seen[pkg] = true
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(imported, "plugcheck/"); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s, against the direction of the picture", path.Clean(name), ours)
			}
			if imported == "github.com/xeipuuv/gojsonschema" && pkg != "contracts" {
				t.Errorf("%s imports gojsonschema, which stays behind contracts", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range allowed {
		if !seen[pkg] {
			t.Errorf("package %s of the picture is not there", pkg)
		}
	}
}
