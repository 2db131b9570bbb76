package reports

import (
	"fmt"
	"io"
	"strings"
)

// DefaultWidth is the width prose is wrapped at where nobody chose one.
const DefaultWidth = 100

// Options say how a report is written. The zero value is plain text without
// escapes and without wrapping. JSON and JUnit heed none of them.
type Options struct {
	Color   bool
	Width   int  // prose wraps here; zero does not wrap
	Quiet   bool // only failures and verdicts
	Verbose bool // exchanges and times of every check too
}

// A Format is one way to write a report.
type Format struct {
	Name, About string
	Write       func(w io.Writer, r *Report, o Options) error
}

// Formats lists every format, the default first. A new one is a file, a
// golden for every case, and a line here.
func Formats() []Format {
	return []Format{
		{"pretty", "for people: every check, then each cause of failure with its exchange and its mending", writePretty},
		{"json", Schema + ", for programs; its JSON Schema ships with plugcheck", writeJSON},
		{"junit", "JUnit XML for CI servers, a suite for each plugin and contract", writeJUnit},
	}
}

// Find returns the format of that name.
func Find(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("there is no report format %q; the formats are %s", name, strings.Join(names, ", "))
}
