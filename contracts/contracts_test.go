package contracts

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestEveryContractLoadsAndCompiles(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID())
		if c.Title == "" || c.Wire == "" || c.Spec == "" {
			t.Errorf("%s lacks a title, a wire or a spec", c.ID())
		}
		for _, m := range c.Messages() {
			if err := c.Schema(m).Compile(); err != nil {
				t.Errorf("%s, schema of %s: %v", c.ID(), m, err)
			}
		}
	}
	want := []string{
		"extract-method@0.1", "extract-predicate@0.1", "extricate-symbol@0.1", "hook-event@1.0", "jsonl-exchange@1.0", "jsonrpc-plugin@0.1", "literal-rewriter@1.0",
		"manifest-literal@34.0", "manifest-literal@35.0", "reason-codes@1.0", "rename-symbol@1.0", "replace-body@0.1", "veto-event@1.0",
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
}

func TestEveryKnownCapabilityHasAContract(t *testing.T) {
	for _, id := range MustGet("jsonl-exchange").Capabilities {
		if c, err := Get(id); err != nil || c.Capability != id {
			t.Errorf("capability %s: %v", id, err)
		}
	}
}

func TestGet(t *testing.T) {
	for _, request := range []string{"rename-symbol", "rename-symbol@1", "rename-symbol@1.0"} {
		if c, err := Get(request); err != nil || c.ID() != "rename-symbol@1.0" {
			t.Errorf("Get(%q): %v", request, err)
		}
	}
	for _, request := range []string{"", "rename", "rename-symbol@2", "rename-symbol@1.1"} {
		if _, err := Get(request); err == nil {
			t.Errorf("Get(%q) found something", request)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for _, s := range []string{"", "1", "1.", ".0", "1.0.0", "-1.0", "+1.0", "01.0", "a.b", "1.0 "} {
		if v, err := ParseVersion(s); err == nil {
			t.Errorf("%q was read as %v", s, v)
		}
	}
	if v, err := ParseVersion("34.12"); err != nil || (v != Version{34, 12}) {
		t.Errorf("34.12: %v %v", v, err)
	}
}

func TestABrokenContractIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":      `{`,
		"unknown field": `{"name":"x","version":"1.0","colour":"red"}`,
		"other folder":  `{"name":"y","version":"1.0"}`,
		"bad version":   `{"name":"x","version":"one"}`,
		"no schema":     `{"name":"x","version":"1.0","messages":{"m":"m.schema.json"}}`,
	} {
		if _, err := load(fstest.MapFS{"x/1.0/contract.json": {Data: []byte(text)}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestResponseSchema(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{`{"success":true,"output":{"kind":"diff","content":""}}`, ""},
		{`{"success":true,"output":{"kind":"analysis","data":null},"diagnostics":[]}`, ""},
		{`{"success":false,"output":{"kind":"empty"},"diagnostics":[{"severity":"error","message":"m","file":null,"line":3,"reason_code":"x"}]}`, ""},
		{`[]`, `the message: wanted an object, got the array []`},
		{`{"output":{"kind":"empty"}}`, `success: wanted a value, got nothing`},
		{`{"Success":true,"output":{"kind":"empty"}}`, `success: wanted a value, got the name "Success", and names are case-sensitive`},
		{`{"success":"true","output":{"kind":"empty"}}`, `success: wanted a boolean, got the string "true"`},
		{`{"success":true,"output":{"kind":"patch"}}`, `output.kind: wanted one of "diff", "analysis", "empty", got the string "patch"`},
		{`{"success":true,"output":{"kind":"diff"}}`, `output.content: wanted a value, got nothing`},
		{`{"success":true,"output":{"kind":"diff","content":5}}`, `output.content: wanted a string, got the number 5`},
		{`{"success":true,"output":{"kind":"analysis"}}`, `output.data: wanted a value, got nothing`},
		{`{"success":true,"output":{}}`, `output.kind: wanted a value, got nothing`},
		{`{"success":true,"output":{"kind":"empty"},"diagnostics":null}`, `diagnostics: wanted an array, got null`},
		{`{"success":false,"output":{"kind":"empty"},"diagnostics":[{"severity":"fatal","message":"m"}]}`, `diagnostics.0.severity: wanted one of "error", "warning", "info", got the string "fatal"`},
		{`{"success":false,"output":{"kind":"empty"},"diagnostics":[{"severity":"error","message":"m","line":"3"}]}`, `diagnostics.0.line: wanted an integer or null, got the string "3"`},
	} {
		var got string
		for _, v := range MustGet("jsonl-exchange").Schema("response").Validate(json.RawMessage(c.message)) {
			got += v.String()
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.message, got, c.want)
		}
	}
}
