package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plugcheck/harness/plugintest"
	"plugcheck/validator/rpc"
)

// TestHostAnswersAsPublished holds what the scripted host answers to each method.
func TestHostAnswersAsPublished(t *testing.T) {
	config := Config{Host: HostConfig{Config: map[string]any{"greeting": "Hi"}, Tools: map[string]any{"search": []any{"a"}}}}
	wire := &jsonrpc{session: &session{target: &Target{Config: config}}}
	static := &rpc.Manifest{Permissions: &rpc.Permissions{ConfigKeys: []string{"greeting", "unset"}, ToolsCall: []string{"search", "other"}, Events: []string{"compact"}}}
	h := &host{dialogue: &dialogue{wire: wire, conv: rpc.New("", static)}, uses: map[string]bool{}}
	for _, try := range []struct {
		method, params, result string
		code                   int
		reason                 string
	}{
		{method: rpc.RegisterTool, params: `{"name":"echo","args_schema":{"type":"object"},"risk_level":"low"}`, result: `{}`},
		{method: rpc.RegisterTool, params: `{"description":"nameless"}`, code: rpc.CodeInvalidParams},
		{method: rpc.RegisterCommand, params: `{"id":"hello","title":"Hello"}`, result: `{}`},
		{method: rpc.RegisterCommand, params: `{"title":"Hello"}`, code: rpc.CodeInvalidParams},
		{method: rpc.Subscribe, params: `{"event":"compact"}`, result: `{}`},
		{method: rpc.Subscribe, params: `{"event":"error"}`, code: rpc.CodePermissionDenied, reason: `the event "error" is not declared in the manifest's permissions`},
		{method: rpc.ContextProvider, params: `{}`, result: `{}`},
		{method: rpc.Toast, params: `{"kind":"info","text":"x"}`, result: `{}`},
		{method: rpc.SessionGet, result: `{"id":"plugcheck-session","title":"A session with plugcheck","message_count":0}`},
		{method: rpc.ConfigGet, params: `{"key":"greeting"}`, result: `{"value":"Hi"}`},
		{method: rpc.ConfigGet, params: `{"key":"unset"}`, result: `{"value":null}`},
		{method: rpc.ConfigGet, params: `{"key":"secret"}`, code: rpc.CodePermissionDenied, reason: `the config key "secret" is not declared in the manifest's permissions`},
		{method: rpc.CallTool, params: `{"name":"search"}`, result: `["a"]`},
		{method: rpc.CallTool, params: `{"name":"other"}`, result: `"plugcheck answers for other"`},
		{method: rpc.CallTool, params: `{"name":"echo"}`, result: `"plugcheck answers for echo"`},
		{method: rpc.CallTool, params: `{"name":"delete"}`, code: rpc.CodePermissionDenied, reason: `the tool "delete" is not declared in the manifest's permissions`},
		{method: "host.no_such_method", params: `{}`, code: rpc.CodeMethodNotFound},
		{method: rpc.Toast, params: `{"kind":`, code: rpc.CodeInvalidParams},
	} {
		result, e := h.serve(try.method, raw(try.params))
		if e == nil {
			e = &fault{}
		}
		if e.code != try.code || e.reason != try.reason {
			t.Errorf("%s %s: error %d %q, wanted %d %q", try.method, try.params, e.code, e.reason, try.code, try.reason)
		}
		if try.code != 0 {
			continue
		}
		var got, want any
		if err := json.Unmarshal(encoded(result), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(try.result), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-wanted +got):\n%s", try.method, try.params, diff)
		}
	}
	want := []string{`a context provider`, `the command "hello" (Hello)`, `the event "compact"`, `the tool "echo" (risk "low", args_schema "{\"type\":\"object\"}")`}
	if diff := cmp.Diff(want, h.registry.lines()); diff != "" {
		t.Errorf("registrations (-wanted +got):\n%s", diff)
	}
}

// raw is nil where there is no text.
func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// TestToolsAreSpared holds which tools are not called.
func TestToolsAreSpared(t *testing.T) {
	for _, try := range []struct {
		name, risk, most string
		spared           string
	}{
		{"read", "", "", ""},
		{"read", "low", "", ""},
		{"write", "Medium", "", ""},
		{"drop", "high", "", `the risk "high"`},
		{"drop", "high", "high", ""},
		{"drop", "destructive", "medium", `the risk "destructive"`},
		{"drop", "critical", "high", `the risk "critical"`},
		{"read", "low", "none", `the risk "low"`},
		{"paid", "low", "critical", "skipped by [tools]"},
	} {
		s := &jsonrpc{session: &session{target: &Target{Config: Config{Tools: ToolsConfig{Skip: []string{"paid"}}}}, options: Options{MaxRisk: try.most}}}
		got := s.spared(tool{name: try.name, risk: try.risk})
		if (got == "") != (try.spared == "") || !strings.Contains(got, try.spared) {
			t.Errorf("%s with risk %q and --max-risk %q: %q, wanted %q", try.name, try.risk, try.most, got, try.spared)
		}
	}
}

// TestTextsAreSentAsTheyAre holds that separators reach the plugin unescaped: they
// are what is tried.
func TestTextsAreSentAsTheyAre(t *testing.T) {
	got := string(encoded(map[string]any{"text": separators, "html": "<&>"}))
	want := "{\"html\":\"<&>\",\"text\":\"a\u2028b\u2029c\u0085d\\u000be\\ff\"}"
	if got != want {
		t.Errorf("%q, wanted %q", got, want)
	}
}

// TestLayoutsWithoutPluginToml finds plugins where the host does: in a folder with an
// executable of its name, and as a single executable.
func TestLayoutsWithoutPluginToml(t *testing.T) {
	dir := t.TempDir()
	if err := plugintest.Sample("jsonrpc", dir); err != nil {
		t.Fatal(err)
	}
	laid, err := Discover([]string{dir}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec '" + laid[0].Executable + "' '" + strings.Join(laid[0].Args, "' '") + "'\n"
	home := t.TempDir()
	for _, name := range []string{"inner/inner", "alone"} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][]string{
		"":            {"alone", "inner/inner"},
		"inner":       {"inner/inner"},
		"inner/inner": {"inner/inner"},
		"alone":       {"alone"},
	} {
		found, err := Discover([]string{filepath.Join(home, path)}, "", "")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got []string
		for _, f := range found {
			name, err := filepath.Rel(home, f.Executable)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(name))
			if f.Wire != "jsonrpc" || !strings.Contains(f.Guess, "answered in JSON-RPC") {
				t.Errorf("%s: wire %s, guessed because: %s", name, f.Wire, f.Guess)
			}
		}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("%q (-wanted +got):\n%s", path, diff)
		}
	}
}

// TestEntriesThatLeadOut holds what counts as outside of a plugin's folder.
func TestEntriesThatLeadOut(t *testing.T) {
	dir := t.TempDir()
	home, elsewhere := filepath.Join(dir, "plugin"), filepath.Join(dir, "elsewhere")
	for _, file := range []string{"plugin/bin/run", "elsewhere/run"} {
		name := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{"in": filepath.Join(home, "bin", "run"), "out": filepath.Join(elsewhere, "run")}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(home, name)); err != nil {
			t.Skip("no symlinks here")
		}
	}
	for entry, leadsOut := range map[string]bool{
		"bin/run": false, "in": false, "missing": false,
		"out": true, "../elsewhere/run": true, "../elsewhere/missing": true,
	} {
		if got := outside(home, filepath.Join(home, entry)); (got != "") != leadsOut {
			t.Errorf("%s leads to %q", entry, got)
		}
	}
	if got := outside(home, filepath.Join(elsewhere, "run")); got == "" {
		t.Error("an absolute path elsewhere is inside")
	}
}

// TestWhatAnUnansweredCallIsToldAs runs five faults that all leave a call without its
// answer, and looks that each is told as what it is.
func TestWhatAnUnansweredCallIsToldAs(t *testing.T) {
	for name, want := range map[string]string{
		"rpc-not-flushed":              "it was not flushed",
		"rpc-tool-silent":              "it did not answer tool.call",
		"rpc-id-as-string":             "was answered with the id",
		"rpc-answers-the-one-before":   "was answered a second time",
		"rpc-garbage-kills":            "it ended (exit status 0) without an answer",
		"rpc-waits-blindly":            "while its own call to the host was open: it did not answer",
		"rpc-takes-request-for-answer": "it seems to have been taken for the answer",
	} {
		s, ok := plugintest.SpecimenNamed(name)
		if !ok {
			t.Errorf("there is no specimen %s", name)
			continue
		}
		dir := t.TempDir()
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
		targets, err := Discover([]string{dir}, "", "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), targets, Options{Only: append([]string{s.Catches}, s.With...), Jobs: 2, Seed: 1, Checks: 4})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, k := range r.Plugins[0].Checks {
			if k.Message != "" && k.ID == s.Catches {
				said = append(said, k.Message)
			}
		}
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%s: %q, wanted %q", name, said, want)
		}
	}
}
