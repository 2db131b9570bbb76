package rename_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/google/go-cmp/cmp"

	"plugcheck/fixtures"
	"plugcheck/harness/plugintest/rename"
)

func cases(t *testing.T) []fixtures.Case {
	t.Helper()
	all, err := fixtures.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func request(c fixtures.Case) ([]rename.File, map[string]json.RawMessage) {
	var files []rename.File
	for _, f := range c.Files {
		files = append(files, rename.File{Path: f.Path, Content: string(f.Content)})
	}
	return files, arguments(c.Files[c.Target].Path, c.Offset, c.NewName)
}

func arguments(path string, offset int, name string) map[string]json.RawMessage {
	uri := url.URL{Scheme: "file", Path: "/workspace/" + path}
	args := map[string]json.RawMessage{}
	for k, v := range map[string]string{"uri": uri.String(), "position": strconv.Itoa(offset), "new_name": name} {
		args[k], _ = json.Marshal(v)
	}
	return args
}

// applied applies a diff to files, strictly.
func applied(t *testing.T, files []fixtures.File, diff string) []fixtures.File {
	t.Helper()
	patches, _, err := gitdiff.Parse(strings.NewReader(diff))
	if err != nil {
		t.Fatalf("the diff does not parse: %v\n%s", err, diff)
	}
	after := slices.Clone(files)
	for _, p := range patches {
		i := slices.IndexFunc(files, func(f fixtures.File) bool { return "b/"+f.Path == p.NewName })
		if i < 0 {
			t.Fatalf("the diff names %q\n%s", p.NewName, diff)
		}
		var out bytes.Buffer
		if err := gitdiff.Apply(&out, bytes.NewReader(files[i].Content), p); err != nil {
			t.Fatalf("the diff does not apply: %v\n%s", err, diff)
		}
		after[i].Content = out.Bytes()
	}
	return after
}

func TestFixtures(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			files, args := request(c)
			after, refusal := rename.Rename(files, args)
			judge(t, c, rename.Diff(files, after), refusal)
		})
	}
}

// judge compares an answer with what the case wants.
func judge(t *testing.T, c fixtures.Case, diff string, refusal *rename.Refusal) {
	t.Helper()
	switch {
	case c.Refuse == nil && refusal != nil:
		t.Fatalf("refused: %+v", *refusal)
	case c.Refuse == nil:
		if d := cmp.Diff(c.Want, applied(t, c.Files, diff)); d != "" {
			t.Errorf("wanted (-) and got (+):\n%s", d)
		}
	case refusal == nil:
		t.Fatalf("not refused:\n%s", diff)
	case c.Refuse[0] != fixtures.AnyCode && !slices.Contains(c.Refuse, refusal.Code):
		t.Errorf("refused with %+v, want %v", *refusal, c.Refuse)
	}
}
