package rename_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"plugcheck/harness/plugintest/rename"
)

func TestDev(t *testing.T) {
	in := os.Getenv("DEV_IN")
	if in == "" {
		t.Skip()
	}
	f, _ := os.Open(in)
	o, _ := os.Create(in + ".out")
	defer o.Close()
	w := bufio.NewWriter(o)
	defer w.Flush()
	s := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := s.ReadBytes('\n')
		if err != nil {
			return
		}
		var r struct {
			Files     []rename.File
			Arguments map[string]json.RawMessage
		}
		json.Unmarshal(line, &r)
		after, ref := rename.Rename(r.Files, r.Arguments)
		res := map[string]any{"after": "", "code": "", "message": ""}
		if ref != nil {
			res["code"], res["message"] = ref.Code, ref.Message
		} else {
			res["diff"] = rename.Diff(r.Files, after)
			res["after"] = after[0].Content
		}
		b, _ := json.Marshal(res)
		w.Write(append(b, '\n'))
	}
}
