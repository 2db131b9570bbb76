package contracts

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// pack is a contract version with one schema, written out.
func pack(t *testing.T, version, schema, more string) *Contract {
	t.Helper()
	name := "x/" + version + "/contract.json"
	text := fmt.Sprintf(`{"name":"x","version":%q,"title":"t","wire":"jsonl","messages":{"request":"m.json","response":"m.json"},"host_messages":["request"]%s}`, version, more)
	list, err := load(fstest.MapFS{name: {Data: []byte(text)}, "x/" + version + "/m.json": {Data: []byte(schema)}})
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// Each row changes a schema that is both a request and a response. What is
// breaking, b, additive, a, or documentation, d, is argued in the README.
func TestCompareSchemas(t *testing.T) {
	for _, row := range []struct {
		name, old, new string
		// what it means for hosts and plugins, as a request and as a response
		requestHosts, requestPlugins, responseHosts, responsePlugins Effect
	}{
		{"a new required field", `{"properties":{"a":{}}}`, `{"properties":{"a":{},"b":{}},"required":["b"]}`, Breaking, Breaking, Additive, Breaking},
		{"a new optional field", `{"properties":{"a":{}}}`, `{"properties":{"a":{},"b":{}}}`, Additive, Additive, Additive, Additive},
		{"a new optional field in a closed object", `{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, Additive, Breaking, Breaking, Additive},
		{"a required field is gone", `{"properties":{"a":{},"b":{}},"required":["b"]}`, `{"properties":{"a":{}}}`, Additive, Breaking, Breaking, Additive},
		{"an optional field is gone", `{"properties":{"a":{},"b":{}}}`, `{"properties":{"a":{}}}`, Additive, Additive, Additive, Additive},
		{"an optional field is gone from what is now closed", `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"properties":{"a":{}},"additionalProperties":false}`, Breaking, Additive, Additive, Breaking},
		{"a field becomes required", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"required":["a"]}`, Breaking, Additive, Additive, Breaking},
		{"a field is no longer required", `{"properties":{"a":{}},"required":["a"]}`, `{"properties":{"a":{}}}`, Additive, Breaking, Breaking, Additive},
		{"a type more", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":["string","null"]}}}`, Additive, Breaking, Breaking, Additive},
		{"a type less", `{"properties":{"a":{"type":["string","null"]}}}`, `{"properties":{"a":{"type":"string"}}}`, Breaking, Additive, Additive, Breaking},
		{"another type", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"boolean"}}}`, Breaking, Breaking, Breaking, Breaking},
		{"a number becomes whole", `{"properties":{"a":{"type":"number"}}}`, `{"properties":{"a":{"type":"integer"}}}`, Breaking, Additive, Additive, Breaking},
		{"a value more", `{"properties":{"a":{"enum":["x"]}}}`, `{"properties":{"a":{"enum":["x","y"]}}}`, Additive, Breaking, Breaking, Additive},
		{"a value less", `{"properties":{"a":{"enum":["x","y"]}}}`, `{"properties":{"a":{"enum":["x"]}}}`, Breaking, Additive, Additive, Breaking},
		{"a constant becomes a list", `{"properties":{"a":{"const":"x"}}}`, `{"properties":{"a":{"enum":["x","y"]}}}`, Additive, Breaking, Breaking, Additive},
		{"a pattern", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","pattern":"x"}}}`, Breaking, Additive, Additive, Breaking},
		{"no pattern", `{"properties":{"a":{"type":"string","pattern":"x"}}}`, `{"properties":{"a":{"type":"string"}}}`, Additive, Breaking, Breaking, Additive},
		{"another pattern", `{"properties":{"a":{"pattern":"y"}}}`, `{"properties":{"a":{"pattern":"x"}}}`, Breaking, Breaking, Breaking, Breaking},
		{"a lower maximum", `{"properties":{"a":{"maximum":9}}}`, `{"properties":{"a":{"maximum":8}}}`, Breaking, Additive, Additive, Breaking},
		{"a lower minimum", `{"properties":{"a":{"minimum":9}}}`, `{"properties":{"a":{"minimum":8}}}`, Additive, Breaking, Breaking, Additive},
		{"a new bound of a list", `{"properties":{"a":{"items":{}}}}`, `{"properties":{"a":{"items":{},"maxItems":3}}}`, Breaking, Additive, Additive, Breaking},
		{"what is in a list", `{"properties":{"a":{"items":{"type":"string"}}}}`, `{"properties":{"a":{"items":{"type":["string","null"]}}}}`, Additive, Breaking, Breaking, Additive},
		{"closed", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"additionalProperties":false}`, Breaking, Additive, Additive, Breaking},
		{"opened", `{"properties":{"a":{}},"additionalProperties":false}`, `{"properties":{"a":{}}}`, Additive, Breaking, Breaking, Additive},
		{"what unknown fields hold", `{"additionalProperties":{"type":"string"}}`, `{"additionalProperties":{"type":"number"}}`, Breaking, Breaking, Breaking, Breaking},
		{"what unknown fields are", `{"additionalProperties":{"$ref":"#/definitions/n"},"definitions":{"n":{"type":"string"}}}`, `{"additionalProperties":{"$ref":"#/definitions/n"},"definitions":{"n":{"type":["string","null"]}}}`, Additive, Breaking, Breaking, Additive},
		{"behind a reference", `{"properties":{"a":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"string"}}}`, `{"properties":{"a":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":["string","null"]}}}`, Additive, Breaking, Breaking, Additive},
		{"in itself", `{"properties":{"a":{"$ref":"#"}}}`, `{"properties":{"a":{"$ref":"#"}},"maxProperties":1}`, Breaking, Additive, Additive, Breaking},
		{"an alternative", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, Breaking, Breaking, Breaking, Breaking},
		{"a keyword nobody knows", `{"x-odd":1}`, `{"x-odd":2}`, Breaking, Breaking, Breaking, Breaking},
		{"other words", `{"description":"one"}`, `{"description":"two"}`, Documentation, Documentation, Documentation, Documentation},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := Compare(pack(t, "1.0", row.old, ""), pack(t, "1.1", row.new, ""))
			got := map[string][2]Effect{}
			for _, c := range d.Changes {
				side := "response"
				if c.Place == "request" || len(c.Place) > 8 && c.Place[:8] == "request:" {
					side = "request"
				}
				e := got[side]
				got[side] = [2]Effect{max(e[0], c.Hosts), max(e[1], c.Plugins)}
			}
			want := map[string][2]Effect{"request": {row.requestHosts, row.requestPlugins}, "response": {row.responseHosts, row.responsePlugins}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%+v", diff, d.Changes)
			}
		})
	}
}

func TestCompareTheRest(t *testing.T) {
	for _, row := range []struct {
		name, old, new, version string
		hosts, plugins          Effect
		needs                   string
		enough                  bool
	}{
		{"nothing", ``, ``, "1.0", Documentation, Documentation, "none", true},
		{"a code more", `,"reason_codes":[{"code":"a","meaning":"A"}]`, `,"reason_codes":[{"code":"a","meaning":"A"},{"code":"b","meaning":"B"}]`, "1.1", Breaking, Additive, "major", false},
		{"a code less", `,"reason_codes":[{"code":"a","meaning":"A"}]`, `,"reason_codes":[]`, "2.0", Additive, Breaking, "major", true},
		{"a code renamed", `,"reason_codes":[{"code":"a","meaning":"A"}]`, `,"reason_codes":[{"code":"b","meaning":"A"}]`, "2.0", Breaking, Breaking, "major", true},
		{"a code means another thing", `,"reason_codes":[{"code":"a","meaning":"A"}]`, `,"reason_codes":[{"code":"a","meaning":"B"}]`, "1.1", Breaking, Breaking, "major", false},
		{"an argument more", ``, `,"arguments":[{"name":"a","meaning":"A"}]`, "1.1", Breaking, Breaking, "major", false},
		{"an argument less", `,"arguments":[{"name":"a","meaning":"A"}]`, ``, "1.1", Additive, Breaking, "major", false},
		{"a capability more", ``, `,"capabilities":["a"]`, "1.1", Additive, Additive, "minor", true},
		{"a capability more without a step", ``, `,"capabilities":["a"]`, "1.0", Additive, Additive, "minor", false},
		{"a limit lowered", `,"limits":{"timeout_secs":30}`, `,"limits":{"timeout_secs":5}`, "1.1", Additive, Breaking, "major", false},
		{"a limit raised", `,"limits":{"timeout_secs":30}`, `,"limits":{"timeout_secs":60}`, "2.0", Breaking, Additive, "major", true},
		{"back", ``, ``, "0.9", Documentation, Documentation, "none", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := Compare(pack(t, "1.0", `{}`, row.old), pack(t, row.version, `{}`, row.new))
			var hosts, plugins Effect
			for _, c := range d.Changes {
				hosts, plugins = max(hosts, c.Hosts), max(plugins, c.Plugins)
			}
			if hosts != row.hosts || plugins != row.plugins || d.Needs != row.needs || d.Enough != row.enough {
				t.Errorf("hosts %s, plugins %s, needs %s, enough %v: %+v", hosts, plugins, d.Needs, d.Enough, d.Changes)
			}
		})
	}
}
