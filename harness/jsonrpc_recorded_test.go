package harness_test

import (
	"strings"
	"testing"

	"plugcheck/harness"
	"plugcheck/reports"
)

// TestRecorded: a recording shows whether its calls were answered, and never
// whether those would be that were not made.
func TestRecorded(t *testing.T) {
	const hello = `{"ms":0,"from":"host","data":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"plugin.initialize\"}\n"}
{"ms":1,"from":"plugin","data":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"name\":\"x\",\"version\":\"1\"}}\n"}
`
	const call = hello + `{"ms":2,"from":"host","data":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tool.call\"}\n"}
`
	for _, c := range []struct {
		name, file string
		want       reports.Status
		says       string
	}{
		{"no call", hello, reports.Skip, "no call of this kind"},
		{"answered", call + `{"ms":3,"from":"plugin","data":"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":1}\n"}`, reports.Pass, ""},
		{"not waited for", call + `{"ms":3,"from":"mark","data":"stdin closed"}`, reports.Skip, "can be judged"},
		{"silent", call + `{"ms":20002,"from":"mark","data":"stdin closed"}`, reports.Fail, "did not answer tool.call (id 2) in 20s"},
		{"dead", call + `{"ms":3,"from":"exit","data":"exit status 1"}`, reports.Fail, "it ended (exit status 1)"},
		{"in pieces", call + `{"ms":3,"from":"plugin","data":"{\"jsonrpc\":\"2.0\",\"id\""}` + "\n" + `{"ms":3,"from":"plugin","data":":2,\"result\":1}\n"}`, reports.Pass, ""},
	} {
		r, err := harness.Recorded(c.name, strings.NewReader(c.file), harness.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, k := range r.Plugins[0].Checks {
			switch k.ID {
			case "rpc.tool.answers":
				if k.Status != c.want || !strings.Contains(k.Message, c.says) || (k.Status == reports.Fail) != (len(k.Transcript) > 0) {
					t.Errorf("%s: it is %s: %s; wanted %s: …%s…", c.name, k.Status, k.Message, c.want, c.says)
				}
			case "rpc.command.answers", "rpc.unicode", "rpc.manifest.shape", "rpc.no-orphans":
				if k.Status != reports.Skip {
					t.Errorf("%s: %s is %s: %s", c.name, k.ID, k.Status, k.Message)
				}
			}
		}
	}
}
