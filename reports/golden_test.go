package reports_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/xeipuuv/gojsonschema"

	"plugcheck/reports"
)

var update = flag.Bool("update", false, "write the goldens anew")

func write(t failer, format string, r *reports.Report, o reports.Options) string {
	t.Helper()
	f, err := reports.Find(format)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, r, o); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

// failer is what *testing.T and *rapid.T have in common here.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run the tests with -update and read what it writes", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// Every format is held against every case.
func TestGoldens(t *testing.T) {
	expected := map[string]bool{}
	for name, r := range cases() {
		for _, f := range reports.Formats() {
			file := name + "." + f.Name
			expected[file] = true
			t.Run(file, func(t *testing.T) {
				got := write(t, f.Name, r, reports.Options{Width: reports.DefaultWidth})
				golden(t, file, got)
				sound(t, r, f.Name, got)
				if strings.Contains(got, "\ufffd") {
					t.Error("a byte that is not UTF-8 was lost")
				}
			})
		}
	}
	for file, o := range map[string]reports.Options{
		"one-cause.color":   {Color: true, Width: 72},
		"one-cause.quiet":   {Quiet: true, Width: 72},
		"one-cause.verbose": {Verbose: true},
		"hostile.color":     {Color: true},
		"diff.color":        {Color: true},
		"untested.quiet":    {Quiet: true},
	} {
		expected[file] = true
		t.Run(file, func(t *testing.T) {
			name, _, _ := strings.Cut(file, ".")
			golden(t, file, write(t, "pretty", cases()[name], o))
		})
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != "rapid" && !expected[f.Name()] {
			t.Errorf("no case writes testdata/%s", f.Name())
		}
	}
}

// sound judges a written report by what its readers rely on.
func sound(t failer, r *reports.Report, format, got string) {
	t.Helper()
	for _, c := range got {
		if c != '\n' && !unicode.IsPrint(c) && (format != "junit" || c != '\t') {
			t.Fatalf("%s holds the control character %U:\n%q", format, c, got)
		}
	}
	switch format {
	case "pretty":
		soundPretty(t, r, got)
	case "json":
		soundJSON(t, r, got)
	case "junit":
		soundJUnit(t, r, got)
	default:
		t.Fatalf("nothing judges the format %q: add it here", format)
	}
}

// soundPretty holds that the last line is the verdict, and that only the
// printer itself can write one.
func soundPretty(t failer, r *reports.Report, got string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	verdicts := 0
	for _, s := range lines {
		for _, word := range []string{"conformant", "not conformant", "untested", "error", "interrupted"} {
			if strings.HasPrefix(s, word+":") || strings.HasPrefix(s, word+",") {
				verdicts++
			}
		}
	}
	last := lines[len(lines)-1]
	if ok := strings.HasPrefix(last, "conformant: "); ok != (r.ExitStatus() == 0) {
		t.Fatalf("exit status %d, and the last line is %q", r.ExitStatus(), last)
	}
	if verdicts != 1 {
		t.Fatalf("%d lines look like a verdict:\n%s", verdicts, got)
	}
}

var schema = gojsonschema.NewBytesLoader(reports.JSONSchema())

func soundJSON(t failer, r *reports.Report, got string) {
	t.Helper()
	result, err := gojsonschema.Validate(schema, gojsonschema.NewStringLoader(got))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !result.Valid() {
		t.Fatalf("against the schema: %v\n%s", result.Errors(), got)
	}
	var back reports.Report
	if err := json.Unmarshal([]byte(got), &back); err != nil {
		t.Fatalf("%v", err)
	}
	if back.ExitStatus() != r.ExitStatus() {
		t.Fatalf("exit status %d became %d", r.ExitStatus(), back.ExitStatus())
	}
	if again := write(t, "json", &back, reports.Options{}); again != got {
		t.Fatalf("read and written again it differs:\n%s", cmp.Diff(got, again))
	}
}

// soundJUnit holds that the XML parses, that its counts are right and that it
// is red exactly where the exit status is not 0.
func soundJUnit(t failer, r *reports.Report, got string) {
	t.Helper()
	var all junit.Testsuites
	if err := xml.Unmarshal([]byte(got), &all); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	var sum junit.Testsuites
	for _, s := range all.Suites {
		var own junit.Testsuite
		for _, c := range s.Testcases {
			own.AddTestcase(c)
		}
		if own.Tests == 0 || own.Tests != s.Tests || own.Failures != s.Failures || own.Errors != s.Errors || own.Skipped != s.Skipped {
			t.Fatalf("the counts of suite %q are wrong:\n%s", s.Name, got)
		}
		sum.AddSuite(own)
	}
	sum.Suites, sum.XMLName, sum.Name, sum.Time = all.Suites, all.XMLName, all.Name, all.Time
	if d := cmp.Diff(sum, all, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("the sums are wrong: %s", d)
	}
	if red := all.Failures+all.Errors > 0; red != (r.ExitStatus() != 0) {
		t.Fatalf("exit status %d, %d failures and %d errors:\n%s", r.ExitStatus(), all.Failures, all.Errors, got)
	}
}
