package rewriter

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plugcheck/contracts"
	"plugcheck/validator/literal"
)

// violations judges a line by a schema of the contract.
func violations(message string, line []byte) []contracts.Violation {
	return contracts.MustGet(Contract).Schema(message).Validate(line)
}

func TestRequestLines(t *testing.T) {
	for _, c := range []struct {
		request Request
		line    string
	}{
		{Request{Op: Find}, `{"op":"find","source":""}`},
		{Request{Op: Find, Source: "a\r\n\"<é>\u2028\x00"}, `{"op":"find","source":"a\r\n\"<é>` + "\u2028" + `\u0000"}`},
		{Asking(nil, literal.Change{}), `{"op":"rewrite","source":""}`},
		{Asking([]byte("x"), literal.Change{OnError: ptr(""), Match: map[string][]string{"models": {}, "clients": {"a", " b"}},
			Settings: map[string]literal.Value{"on": {Kind: literal.Bool}, "n": {Kind: literal.Number, Number: 1e21}, "a": {Kind: literal.String}}}),
			`{"op":"rewrite","on_error":"","match":{"clients":["a"," b"],"models":[]},"settings":{"a":"","n":1e+21,"on":false},"source":"x"}`},
		{Request{Op: Classify, Action: literal.Saving, Old: ptr(""), New: ptr("")}, `{"op":"classify","action":"save","old":"","new":""}`},
		{Request{Op: Classify, Action: literal.Disable}, `{"op":"classify","action":"disable"}`},
	} {
		if got := string(c.request.Line()); got != c.line+"\n" {
			t.Errorf("got  %s\nwant %s", got, c.line)
		}
		read, fault := ReadRequest(c.request.Line())
		if fault != nil {
			t.Fatalf("%s: %s", c.line, fault)
		}
		if diff := cmp.Diff(&c.request, read); diff != "" {
			t.Errorf("%s reads back as another request:\n%s", c.line, diff)
		}
	}
}

// TestRequestsKeepTheSchema draws requests: each is one line, and one that the contract allows.
func TestRequestsKeepTheSchema(t *testing.T) {
	text := rapid.StringN(0, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		r := Request{Op: rapid.SampledFrom([]string{Find, Rewrite, Classify}).Draw(t, "op")}
		switch r.Op {
		case Classify:
			r.Action = rapid.SampledFrom(literal.Actions()).Draw(t, "action")
			r.Old, r.New = rapid.Ptr(text, true).Draw(t, "old"), rapid.Ptr(text, true).Draw(t, "new")
		case Rewrite:
			r.Match = rapid.MapOfN(rapid.SampledFrom([]string{"clients", "models"}), rapid.SliceOfN(text, 0, 3), 0, 2).Draw(t, "match")
			fallthrough
		default:
			r.Source = text.Draw(t, "source")
		}
		line := r.Line()
		if bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Fatalf("no single line: %q", line)
		}
		if v := violations("request", line); len(v) > 0 {
			t.Fatalf("%s: %s", line, v[0])
		}
	})
}

func TestRequestSchemaWantsASource(t *testing.T) {
	for _, line := range []string{`{"op":"find"}`, `{"op":"rewrite","Source":""}`, `{"op":"classify","source":""}`, `{"source":""}`} {
		if v := violations("request", []byte(line)); len(v) == 0 {
			t.Errorf("%s is allowed", line)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		line, class string
		want        *Reply
	}{
		{`{"ok":{"source":""}}`, "", &Reply{OK: json.RawMessage(`{"source":""}`)}},
		{`{"ok":{},"ms":3}`, "", &Reply{OK: json.RawMessage(`{}`)}},
		{`{"error":{"code":"setting_type","line":null,"column":null,"message":"words"}}`, "", &Reply{Error: &Fault{Code: "setting_type"}}},
		{`{"error":{"code":"manifest_not_data_at","line":2,"column":7}}` + "\r", "", &Reply{Error: &Fault{"manifest_not_data_at", 2, 7}}},
		{``, "blank", nil},
		{`ready`, "not-json", nil},
		{`{"ok":{}} {"ok":{}}`, "text-after", nil},
		{`{"ok":{},"ok":{}}`, "duplicate-name", nil},
		{`[]`, "shape", nil},
		{`{}`, "shape", nil},
		{`{"OK":{}}`, "shape", nil},
		{`{"ok":true}`, "shape", nil},
		{`{"ok":{},"error":{"code":"bad_request"}}`, "shape", nil},
		{`{"error":"bad_request"}`, "shape", nil},
		{`{"error":{"Code":"bad_request"}}`, "shape", nil},
		{`{"error":{"code":" "}}`, "shape", nil},
		{`{"error":{"code":"setting_type","line":0}}`, "shape", nil},
		{`{"error":{"code":"setting_type","column":-1}}`, "shape", nil},
		{`{"error":{"code":"setting_type","line":"1"}}`, "shape", nil},
		{`{"error":{"code":"manifest_not_data_at"}}`, "shape", nil},
		{`{"error":{"code":"manifest_not_data_at","line":2}}`, "shape", nil},
		{`{"error":{"code":"manifest_not_data_at","line":2,"column":null}}`, "shape", nil},
		{`{"error":{"code":"setting_type","line":99999999999999999999}}`, "shape", nil},
	} {
		t.Run(c.line, func(t *testing.T) {
			got, f := Read([]byte(c.line))
			switch {
			case c.want == nil && (f == nil || f.Class != c.class):
				t.Fatalf("reply %+v, finding %+v, want the class %q", got, f, c.class)
			case c.want != nil && f != nil:
				t.Fatalf("finding %+v", f)
			case c.want != nil:
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

const sample = "export const manifest = {\n  name: \"a\",\n  permissions: [\"params\"],\n  settings: { tone: { type: \"string\" } },\n};\n"

func TestAnswer(t *testing.T) {
	saved := strings.Replace(sample, `"string" }`, `"string", value: "x" }`, 1)
	coded := strings.Replace(sample, "params", "reply.tool_calls", 1)
	for _, c := range []struct{ name, line, want string }{
		{"find", `{"op":"find","source":"export const manifest = { a: -0 };"}`, `{"ok":{"start":24,"end":33,"line":1,"column":25,"value":{"a":0}}}`},
		{"find nothing", `{"op":"find","source":""}`, `{"error":{"code":"manifest_not_data"}}`},
		{"find no data", `{"op":"find","source":"\nexport const manifest = { ...a };"}`, `{"error":{"code":"manifest_not_data_at","line":2,"column":27}}`},
		{"rewrite nothing", string(Asking([]byte(sample), literal.Change{}).Line()), answered(sample)},
		{"rewrite", string(Asking([]byte(sample), literal.Change{Settings: map[string]literal.Value{"tone": {Kind: literal.String, String: "x"}}}).Line()), answered(saved)},
		{"an unknown setting", `{"op":"rewrite","source":"export const manifest = {};","settings":{"tone":1}}`, `{"error":{"code":"setting_unknown"}}`},
		{"a setting of another type", string(Asking([]byte(sample), literal.Change{Settings: map[string]literal.Value{"tone": {}}}).Line()), `{"error":{"code":"setting_type"}}`},
		{"a blank pattern", `{"op":"rewrite","source":"export const manifest = {};","match":{"models":[" "]}}`, `{"error":{"code":"invalid_pattern"}}`},
		{"another on_error", `{"op":"rewrite","source":"export const manifest = {};","on_error":"stop"}`, `{"error":{"code":"on_error_unknown"}}`},
		{"rewrite no data", `{"op":"rewrite","source":"export const manifest = a;"}`, `{"error":{"code":"manifest_not_data_at","line":1,"column":25}}`},
		{"the same bytes", saving(sample, sample), `{"ok":{"change":"same-bytes","confirmation":false}}`},
		{"data", saving(sample, saved), `{"ok":{"change":"data-only","confirmation":false}}`},
		{"code", saving(sample, coded), `{"ok":{"change":"code-change","confirmation":true}}`},
		{"an empty old source", saving("", sample), `{"ok":{"change":"code-change","confirmation":true}}`},
		{"no two sources", `{"op":"classify","action":"disable"}`, `{"ok":{"change":null,"confirmation":false}}`},
		{"a source too few", `{"op":"classify","action":"save","old":"a"}`, `{"error":{"code":"bad_request"}}`},
		{"no action", `{"op":"classify"}`, `{"error":{"code":"bad_request"}}`},
		{"an unknown operation", `{"op":"sing"}`, `{"error":{"code":"unknown_op"}}`},
		{"another spelling", `{"op":"Find","source":""}`, `{"error":{"code":"unknown_op"}}`},
		{"no operation", `{"Op":"find","source":""}`, `{"error":{"code":"bad_request"}}`},
		{"no source", `{"op":"find"}`, `{"error":{"code":"bad_request"}}`},
		{"a source that is none", `{"op":"rewrite","source":7}`, `{"error":{"code":"bad_request"}}`},
		{"no object", `[]`, `{"error":{"code":"bad_request"}}`},
		{"no JSON", `}{`, `{"error":{"code":"bad_request"}}`},
		{"an empty line", ``, `{"error":{"code":"bad_request"}}`},
		{"two objects", `{"op":"sing"}{"op":"sing"}`, `{"error":{"code":"bad_request"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Answer([]byte(c.line))
			if string(got) != c.want+"\n" {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if _, f := Read(got); f != nil {
				t.Errorf("its own answer is none: %+v", f)
			}
		})
	}
}

// TestAnswerKeepsTheSchemas holds the built-in rewriter to what others are held to.
func TestAnswerKeepsTheSchemas(t *testing.T) {
	for message, line := range map[string]string{
		"found":      string(Request{Op: Find, Source: sample}.Line()),
		"rewritten":  string(Asking([]byte(sample), literal.Change{}).Line()),
		"classified": saving(sample, sample),
	} {
		r, f := Read(Answer([]byte(line)))
		if f != nil {
			t.Fatal(f)
		}
		if v := violations(message, r.OK); len(v) > 0 {
			t.Errorf("%s: %s", message, v[0])
		}
	}
}

// TestEveryCodeIsInTheContract compares the codes of the built-in rewriter with the list.
func TestEveryCodeIsInTheContract(t *testing.T) {
	c := contracts.MustGet(Contract)
	codes := []string{UnknownOp, BadRequest, literal.NotData, literal.NotDataAt, literal.SettingUnknown, literal.SettingType, literal.InvalidPattern, literal.OnErrorUnknown}
	for _, code := range codes {
		if !c.KnowsReason(code) {
			t.Errorf("the contract does not list %s", code)
		}
	}
	if len(c.ReasonCodes) != len(codes) {
		t.Errorf("the contract lists %d codes, and there are %d", len(c.ReasonCodes), len(codes))
	}
}

// TestREADMEIsTrue asks what the examples of the contract's README ask.
func TestREADMEIsTrue(t *testing.T) {
	lines := strings.Split(contracts.MustGet(Contract).README, "\n")
	examples := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, `{"op":`) {
			continue
		}
		examples++
		if v := violations("request", []byte(line)); len(v) > 0 {
			t.Errorf("%s is no request: %s", line, v[0])
		}
		if got := strings.TrimSuffix(string(Answer([]byte(line))), "\n"); got != lines[i+1] {
			t.Errorf("%s\ngets    %s\nand not %s", line, got, lines[i+1])
		}
	}
	if examples == 0 {
		t.Error("there are no examples")
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"op":"find","source":"export const manifest = {};"}`))
	f.Add([]byte(saving(sample, sample)))
	f.Add([]byte(`{"op":"rewrite","source":"export const manifest = {};","match":{"models":["*"]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		answer := Answer(line)
		if bytes.IndexByte(answer, '\n') != len(answer)-1 {
			t.Errorf("no single line: %q", answer)
		}
		if _, f := Read(answer); f != nil {
			t.Errorf("%q is no reply: %+v", answer, f)
		}
	})
}

// answered is the line that answers rewrite with a source.
func answered(source string) string {
	text, err := json.Marshal(map[string]any{"ok": Rewritten{source}})
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

func saving(old, new string) string {
	return string(Request{Op: Classify, Action: literal.Saving, Old: &old, New: &new}.Line())
}
