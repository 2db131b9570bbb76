package reports_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plugcheck/reports"
)

// anyReport draws reports with every field filled in at random, fields of days
// to come too: texts with control characters, broken UTF-8 and words that pose
// as verdicts.
func anyReport() *rapid.Generator[reports.Report] {
	of := func(values ...any) *rapid.Generator[any] { return rapid.SampledFrom(values) }
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "a@1", "a/b", "b", nasty, "conformant: 1 check passed", "a long line of prose " + strings.Repeat("word ", 30)}),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"\x1b", "\r", "\n", "\t", " ", "\x00", "\u0085", "\u2028", "\u202e", "\u2066", "\xff", "]]>", "<", `\`, "é", "😀", "\U000e0001"}), 0, 400), func(s []string) string { return strings.Join(s, "") }),
	)
	return rapid.Custom(func(t *rapid.T) reports.Report {
		r := rapid.MakeCustom[reports.Report](rapid.MakeConfig{
			Types: map[reflect.Type]*rapid.Generator[any]{
				reflect.TypeFor[time.Time]():       of(time.Time{}, time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)),
				reflect.TypeFor[reports.Level]():   of(reports.Must, reports.Should, reports.May),
				reflect.TypeFor[reports.Status]():  of(reports.StatusUntested, reports.Pass, reports.Pass, reports.Pass, reports.Fail, reports.Skip, reports.Waived),
				reflect.TypeFor[reports.Verdict](): of(reports.Untested),
				reflect.TypeFor[[]string]():        rapid.OneOf(rapid.Just[any]([]string(nil)), rapid.SliceOfN(text, 0, 3).AsAny()),
			},
			Kinds: map[reflect.Kind]*rapid.Generator[any]{reflect.String: text.AsAny()},
			Fields: map[reflect.Type]map[string]*rapid.Generator[any]{
				reflect.TypeFor[reports.Compatibility](): {"Verdict": of("", "compatible", "incompatible", "untested")},
				reflect.TypeFor[reports.Tried]():         {"Verdict": of("", "compatible", "incompatible", "untested")},
				reflect.TypeFor[reports.Line](): {
					"From":    of("host", "plugin", "stderr", "exit", "manifest"),
					"MS":      rapid.Float64Range(0, 1e9).AsAny(),
					"Omitted": rapid.Int64Range(0, math.MaxInt32).AsAny(),
				},
			},
		}).Draw(t, "report")
		if rapid.Bool().Draw(t, "calm") {
			calm(&r)
		}
		r.Settle(r.Gate)
		return r
	})
}

// calm leaves nothing in the way of a conformant run but what does not count.
func calm(r *reports.Report) {
	r.Errors, r.Interrupted = nil, false
	for i := range r.Plugins {
		p := &r.Plugins[i]
		p.Errors = nil
		for j := range p.Checks {
			if k := &p.Checks[j]; k.Level <= r.Gate {
				k.Status = reports.Pass
			}
		}
	}
}

// ours are the escapes the printer itself may write.
var ours = regexp.MustCompile("\x1b\\[(1|2|22|31|32|33|39)m")

func TestEveryFormatIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport().Draw(t, "r")
		was := fmt.Sprintf("%#v", r)
		o := reports.Options{Width: rapid.IntRange(0, 120).Draw(t, "width"), Quiet: rapid.Bool().Draw(t, "quiet"), Verbose: rapid.Bool().Draw(t, "verbose")}
		for _, f := range reports.Formats() {
			sound(t, &r, f.Name, write(t, f.Name, &r, o))
		}
		plain := write(t, "pretty", &r, o)
		o.Color = true
		colored := ours.ReplaceAllString(write(t, "pretty", &r, o), "")
		if d := cmp.Diff(trimmed(plain), trimmed(colored)); d != "" {
			t.Fatalf("colour changes the text (-plain +coloured):\n%s", d)
		}
		if fmt.Sprintf("%#v", r) != was {
			t.Fatalf("writing changed the report")
		}
	})
}

func trimmed(s string) []string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func TestProseKeepsItsWidth(t *testing.T) {
	got := write(t, "pretty", cases()["one-cause"], reports.Options{Width: 60})
	for s := range strings.Lines(got) {
		data := strings.Contains(s, " ms ") || strings.Contains(s, "expected") || strings.Contains(s, "To run just this") || strings.Contains(s, "MUST") || strings.Contains(s, "SHOULD")
		if n := len([]rune(s)) - 1; n > 60 && !data {
			t.Errorf("%d columns: %s", n, s)
		}
	}
}

func TestSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport().Draw(t, "r")
		verdict, status := r.Verdict, r.ExitStatus()
		r.Settle(r.Gate)
		if r.Verdict != verdict || r.ExitStatus() != status {
			t.Fatalf("settled twice, %v became %v", verdict, r.Verdict)
		}
		passed, failed := false, false
		for _, p := range r.Plugins {
			for _, k := range p.Checks {
				failed = failed || k.Status == reports.Fail && k.Level <= r.Gate
				passed = passed || k.Status == reports.Pass || k.Status == reports.Fail && k.Level > r.Gate
			}
		}
		if verdict == reports.Conformant && (failed || !passed || r.Interrupted || len(r.Errors) > 0) {
			t.Fatalf("conformant, though failed %t, passed %t, interrupted %t, errors %q", failed, passed, r.Interrupted, r.Errors)
		}
		if failed && verdict != reports.Nonconformant && verdict != reports.Error {
			t.Fatalf("a failure that counts gives %v", verdict)
		}
		for gate := r.Gate; verdict == reports.Nonconformant && gate <= reports.May; gate++ {
			if r.Settle(gate); r.Verdict < verdict {
				t.Fatalf("a stricter gate gives %v", r.Verdict)
			}
		}
		r.Settle(r.Gate)
		for i := range r.Plugins {
			for j := range r.Plugins[i].Checks {
				k := &r.Plugins[i].Checks[j]
				was, before := k.Status, r.Verdict
				k.Status = reports.Fail
				if r.Settle(r.Gate); r.Verdict == reports.Conformant && before != reports.Conformant && k.Level <= r.Gate {
					t.Fatalf("one failure more turns %v into %v", before, r.Verdict)
				}
				k.Status = was
				r.Settle(r.Gate)
			}
		}
	})
}

func TestNothingRunIsUntested(t *testing.T) {
	for _, r := range []*reports.Report{{}, {Plugins: []reports.Plugin{{}}}, {Plugins: []reports.Plugin{{Checks: []reports.Check{{}}}}}} {
		r.Settle(reports.Must)
		if r.Verdict != reports.Untested || r.ExitStatus() != 2 {
			t.Errorf("%+v: %v, exit status %d", r, r.Verdict, r.ExitStatus())
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"jsno":  `there is no report format "jsno"; the formats are pretty, json, junit`,
		"JUnit": `there is no report format "JUnit"; the formats are pretty, json, junit`,
		"sarif": `there is no report format "sarif"; the formats are pretty, json, junit`,
		"":      `there is no report format ""; the formats are pretty, json, junit`,
	} {
		if _, err := reports.Find(name); err == nil || err.Error() != want {
			t.Errorf("Find(%q): %v\nwant %s", name, err, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAFailedWriteIsTold(t *testing.T) {
	for _, f := range reports.Formats() {
		if f.Write(full{}, cases()["pass"], reports.Options{}) == nil {
			t.Errorf("%s hides that nothing was written", f.Name)
		}
	}
}

// counted counts the times the line was drawn.
type counted struct {
	bytes.Buffer
	writes int
}

func (c *counted) Write(b []byte) (int, error) {
	c.writes++
	return c.Buffer.Write(b)
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w counted
		p := reports.NewProgress(&w, 60)
		p.Start(200)
		p.Begin("rename.\x1bslow")
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				id := fmt.Sprint("check-", i)
				p.Begin(id)
				time.Sleep(time.Duration(i) * 20 * time.Millisecond)
				p.Done(id, reports.Status(i%5))
			})
		}
		wg.Wait()
		time.Sleep(time.Second)
		p.Stop()
		p.Stop()
		if w.writes > 31 {
			t.Errorf("drawn %d times in three seconds", w.writes)
		}
		last := "\r100/200  ✓ 20  ✗ 20  - 20  ~ 20  ? 20  rename.\\x1bslow 2s\x1b[K\r\x1b[K"
		if got := w.String(); !strings.HasSuffix(got, last) {
			t.Errorf("the last line is %q", got[max(0, len(got)-len(last)):])
		}
	})
}

func TestProgressIsSilentWithoutATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w bytes.Buffer
		for _, p := range []*reports.Progress{nil, reports.NewProgress(&w, 0)} {
			p.Start(1)
			p.Begin("a")
			time.Sleep(time.Second)
			p.Done("a", reports.Pass)
			p.Stop()
		}
		if w.Len() > 0 {
			t.Errorf("wrote %q", w.String())
		}
	})
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := reports.TerminalWidth(f); n != 0 {
		t.Errorf("a file is no terminal, and has width %d", n)
	}
}

func TestProgressFitsItsLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w bytes.Buffer
		p := reports.NewProgress(&w, 12)
		p.Start(10)
		p.Begin("a-check-with-a-long-name")
		time.Sleep(150 * time.Millisecond)
		p.Stop()
		if got, want := w.String(), "\r0/10  a-che\x1b[K\r\x1b[K"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
