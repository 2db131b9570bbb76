package literal

import (
	"bytes"
	"unicode/utf8"
)

// place counts lines and characters up to an offset. A line ends with \n, \r or
// \r\n; a byte order mark is no character of the first line, as editors have it;
// a byte that is no UTF-8 counts as a character.
func place(src []byte, at int) (line, column int) {
	before := bytes.TrimPrefix(src[:at], []byte("\uFEFF"))
	start := bytes.LastIndexByte(before, '\n') + 1
	line = 1 + bytes.Count(before, []byte("\n"))
	if bytes.IndexByte(before, '\r') >= 0 {
		line += bytes.Count(before, []byte("\r")) - bytes.Count(before, []byte("\r\n"))
		start += bytes.LastIndexByte(before[start:], '\r') + 1
	}
	return line, 1 + utf8.RuneCount(before[start:])
}
