package reports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteLine writes a line of a transcript file: JSON, one line for each piece of
// a stream, with all of its bytes.
func WriteLine(w io.Writer, l Line) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l.Escape()); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// maxLine bounds a line of a transcript file: no piece of a stream is as long.
const maxLine = 256 << 20

// ReadLines calls take for each line of a transcript file, with its data as it
// was before it was escaped. Pieces that were shortened are an error: they are for
// people to look at, and not to be judged.
func ReadLines(r io.Reader, take func(Line) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	n := 0
	for in.Scan() {
		n++
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		l, err := readLine(in.Bytes())
		if err == nil {
			err = take(l)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return in.Err()
}

func readLine(text []byte) (Line, error) {
	var l struct {
		Line
		From *string  `json:"from"`
		Data *string  `json:"data"`
		MS   *float64 `json:"ms"`
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return Line{}, fmt.Errorf("it is no line of a transcript: %w", err)
	}
	switch {
	case l.From == nil || l.Data == nil || l.MS == nil:
		return Line{}, errors.New("it is no line of a transcript: it needs ms, from and data")
	case l.Omitted > 0:
		return Line{}, fmt.Errorf("%d bytes were left out of it, so it cannot be judged", l.Omitted)
	}
	data := *l.Data
	if l.Escaped {
		var err error
		if data, err = unescape(data); err != nil {
			return Line{}, err
		}
	}
	return Line{MS: *l.MS, From: *l.From, Data: data}, nil
}

// unescape undoes [Line.Escape].
func unescape(s string) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), nil
		case strings.HasPrefix(after, `\`):
			b.WriteByte('\\')
			s = after[1:]
		case len(after) >= 3 && after[0] == 'x':
			c, err := strconv.ParseUint(after[1:3], 16, 8)
			if err != nil {
				return "", fmt.Errorf(`\%s is no escape`, after[:3])
			}
			b.WriteByte(byte(c))
			s = after[3:]
		default:
			return "", fmt.Errorf(`\%.3s is no escape`, after)
		}
	}
}
