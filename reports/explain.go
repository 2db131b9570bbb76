package reports

import (
	"io"
	"strings"
)

// Prose wraps a text for people, indented by four.
func Prose(text string, o Options) string {
	var b strings.Builder
	for _, line := range wrap(visible(text, nil), o.Width-4) {
		b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	return b.String()
}

// WriteExchange writes a transcript as the pretty format does.
func WriteExchange(w io.Writer, lines []Line, o Options) error {
	p := &pretty{o: o}
	p.transcript(lines)
	_, err := io.WriteString(w, p.String())
	return err
}

// Visible shows a text with whatever could steer a terminal as escapes.
func Visible(text string) string { return visible(text, nil) }
