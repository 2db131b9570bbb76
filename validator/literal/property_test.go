package literal_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"plugcheck/validator/literal"
	"plugcheck/validator/literal/gen"
)

// The writer and the reader are inverse, whatever stands around the literal.
func TestWhatIsWrittenReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := gen.Object().Draw(t, "value")
		indent := rapid.SampledFrom([]string{"", "  ", "\t"}).Draw(t, "indent")
		newline := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "newline")
		text := literal.Write(v, indent, newline)
		m, err := literal.Find([]byte("export const manifest = " + text + ";"))
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if !m.Value.Equal(v) {
			t.Fatalf("%s reads back as %s", text, m.Value.JSON())
		}
		if again := literal.Write(m.Value, indent, newline); again != text {
			t.Fatalf("%s is written again as %s", text, again)
		}
	})
}

func TestFoundToTheByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := gen.Plugin(gen.Object()).Draw(t, "source")
		m, err := literal.Find(s.Text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, s.Text)
		}
		if m.Start != s.Start || m.End != s.End {
			t.Fatalf("found %d to %d, and it stands at %d to %d, in\n%s", m.Start, m.End, s.Start, s.End, s.Text)
		}
		if !m.Value.Equal(s.Value) {
			t.Fatalf("read %s, and it is %s, in\n%s", m.Value.JSON(), s.Value.JSON(), s.Text)
		}
	})
}

func TestRewrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := gen.Plugin(gen.Manifest()).Draw(t, "source")
		c := gen.Change(s.Value).Draw(t, "change")
		out, err := literal.Rewrite(s.Text, c)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out, s.Text[:s.Start]) || !bytes.HasSuffix(out, s.Text[s.End:]) {
			t.Fatalf("bytes outside were touched:\n%s\n%s", s.Text, out)
		}
		m, err := literal.Find(out)
		if err != nil {
			t.Fatal(err)
		}
		for name, patterns := range c.Match {
			match, _ := m.Value.Get("match")
			list, _ := match.Get(name)
			if len(list.Items) != len(patterns) {
				t.Fatalf("match.%s is %s", name, list.JSON())
			}
		}
		if c.OnError != nil {
			if got, ok := m.Value.Get("on_error"); ok && got.String != *c.OnError || !ok && *c.OnError != "reject" {
				t.Fatalf("on_error is %s", got.JSON())
			}
		}
		settings, _ := m.Value.Get("settings")
		for name, want := range c.Settings {
			setting, _ := settings.Get(name)
			if got, _ := setting.Get("value"); !got.Equal(want) {
				t.Fatalf("%s is %s, wanted %s", name, got.JSON(), want.JSON())
			}
		}
		if again, err := literal.Rewrite(out, c); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("made again, the change changes\n%s\ninto\n%s (%v)", out, again, err)
		}
		if back, err := literal.Rewrite(s.Text, literal.Change{}); err != nil || !bytes.Equal(back, s.Text) {
			t.Fatalf("no change changes\n%s\ninto\n%s (%v)", s.Text, back, err)
		}
		want := literal.DataOnly
		if bytes.Equal(out, s.Text) {
			want = literal.SameBytes
		}
		if got := literal.Classify(s.Text, out); got != want {
			t.Fatalf("it is classified as %s, wanted %s", got, want)
		}
	})
}

// Whatever a source holds, nothing panics, and places lie inside it.
func TestMutatedSourcesNeverPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := gen.Plugin(gen.Manifest()).Draw(t, "source")
		text := rapid.OneOf(gen.Mutate(s.Text), rapid.SliceOfN(rapid.Byte(), 0, 60)).Draw(t, "mutated")
		m, err := literal.Find(text)
		if err == nil && (m.Start < 0 || m.End > len(text) || text[m.Start] != '{' || text[m.End-1] != '}') {
			t.Fatalf("found %d to %d in %q", m.Start, m.End, text)
		}
		if e, ok := err.(*literal.Error); err != nil && (!ok || e.Offset > len(text) || e.Line > 1+bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r"))) {
			t.Fatalf("%v in %q", err, text)
		}
		skip := "skip"
		if out, err := literal.Rewrite(text, literal.Change{OnError: &skip}); err == nil {
			if _, err := literal.Find(out); err != nil {
				t.Fatalf("rewritten into what cannot be read: %v: %q", err, out)
			}
		}
		literal.Classify(s.Text, text)
		if _, err := literal.NeedsConfirmation(literal.Approve, s.Text, text); err != nil {
			t.Fatal(err)
		}
	})
}
