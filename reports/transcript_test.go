package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestTranscriptFile: whatever the bytes of a conversation, a file holds them.
func TestTranscriptFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []Line
		for range rapid.IntRange(0, 5).Draw(t, "lines") {
			data := rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Map(rapid.StringMatching(`[\\xa-f0-9<é\n]*`), func(s string) []byte { return []byte(s) })).Draw(t, "data")
			want = append(want, Line{MS: float64(rapid.IntRange(0, 5000).Draw(t, "us")) / 1000, From: rapid.SampledFrom([]string{"host", "plugin", "mark"}).Draw(t, "from"), Data: string(data)})
		}
		var file bytes.Buffer
		for _, l := range want {
			if err := WriteLine(&file, l); err != nil {
				t.Fatal(err)
			}
		}
		if n := bytes.Count(file.Bytes(), []byte("\n")); n != len(want) {
			t.Fatalf("%d lines for %d pieces", n, len(want))
		}
		var got []Line
		if err := ReadLines(&file, func(l Line) error { got = append(got, l); return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestWhatIsNoTranscript(t *testing.T) {
	const good = `{"ms":1,"from":"host","data":"{}\n"}` + "\n"
	for text, want := range map[string]string{
		"hello\n":               "line 2: it is no line of a transcript",
		`{"schema":"x"}` + "\n": "line 2: it is no line of a transcript: it needs ms, from and data",
		`{"ms":1,"from":"host","data":"ab","omitted":9}`:       "9 bytes were left out",
		`{"ms":1,"from":"host","data":"\\q","escaped":true}`:   `\q is no escape`,
		`{"ms":1,"from":"host","data":"\\xzz","escaped":true}`: `\xzz is no escape`,
	} {
		err := ReadLines(strings.NewReader(good+text), func(Line) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %s", text, err, want)
		}
	}
}
