package validator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// StrictJSON reports what keeps data from being exactly one JSON value as
// RFC 8259 and a strict decoder read it: names given twice, literals that are
// not JSON, a value that is cut off. It returns nil when all is well.
//
// encoding/json would let half of this pass.
func StrictJSON(data []byte) *Finding {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		_, err := dec.ReadToken()
		if err != nil {
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && dec.StackDepth() == 0 && dec.InputOffset() > 0 {
				return nil
			}
			return explainJSON(data, dec, err)
		}
		if dec.StackDepth() == 0 { // the value is complete
			rest := bytes.TrimLeft(data[dec.InputOffset():], " \t\r\n")
			if len(rest) == 0 {
				return nil
			}
			return &Finding{Class: "text-after", Message: fmt.Sprintf("after the JSON value, at byte %d, stands more: %s",
				len(data)-len(rest), Quote(rest, 60))}
		}
	}
}

// notJSON names the mistakes that have a name: what the text at the place
// starts with, its class and what to say.
var notJSON = []struct{ prefix, class, say string }{
	{"NaN", "nan", "NaN is not JSON; send null or a string"},
	{"Infinity", "nan", "Infinity is not JSON; send null or a string"},
	{"-Infinity", "nan", "-Infinity is not JSON; send null or a string"},
	{"inf", "nan", "an infinite number is not JSON; send null or a string"},
	{"nan", "nan", "nan is not JSON; send null or a string"},
	{"None", "python-repr", "None is Python; print json.dumps(answer), not the dict itself"},
	{"True", "python-repr", "True is Python; print json.dumps(answer), not the dict itself"},
	{"False", "python-repr", "False is Python; print json.dumps(answer), not the dict itself"},
	{"'", "single-quotes", "single quotes are not JSON (Python's repr of a dict looks like this); print json.dumps(answer)"},
	{"undefined", "undefined", "undefined is not JSON; send null, or leave the name out"},
	{"//", "comment", "JSON has no comments"},
	{"/*", "comment", "JSON has no comments"},
	{"}", "trailing-comma", "a comma stands before the closing bracket"},
	{"]", "trailing-comma", "a comma stands before the closing bracket"},
}

func explainJSON(data []byte, dec *jsontext.Decoder, err error) *Finding {
	at := int(dec.InputOffset())
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at = int(syntax.ByteOffset)
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		where := ""
		if syntax != nil {
			where = string(syntax.JSONPointer)
		}
		return &Finding{Class: "duplicate-name", Message: fmt.Sprintf(
			"the name %s stands twice in one object (the second at byte %d): decoders differ in which one counts, and strict ones refuse both", where, at)}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &Finding{Class: "blank", Message: "there is no JSON value at all"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Finding{Class: "cut-off", Message: fmt.Sprintf("the JSON value is cut off: it ends after %d bytes, in the middle", len(data))}
	}
	if at < len(data) && data[at] < 0x20 && strings.Contains(err.Error(), "in string") {
		return &Finding{Class: "control-character", Message: fmt.Sprintf(
			"at byte %d a control character (0x%02x) stands bare in a string; write it as an escape such as \\n or \\u%04x", at, data[at], data[at])}
	}
	rest := bytes.TrimLeft(data[min(at, len(data)):], " \t\r\n,:")
	at = len(data) - len(rest)
	for _, n := range notJSON {
		if !bytes.HasPrefix(rest, []byte(n.prefix)) {
			continue
		}
		if n.class == "trailing-comma" && !bytes.HasSuffix(bytes.TrimRight(data[:at], " \t\r\n"), []byte(",")) {
			continue
		}
		return &Finding{Class: n.class, Message: fmt.Sprintf("at byte %d: %s", at, n.say), Got: Quote(rest, 40)}
	}
	reason := err.Error()
	if syntax != nil && syntax.Err != nil {
		reason = syntax.Err.Error()
	}
	return &Finding{Class: "not-json", Message: fmt.Sprintf("at byte %d it stops being JSON: %s", at, reason), Got: Quote(rest, 40)}
}

// Quote shows bytes on one line, shortened to about limit of them.
func Quote(b []byte, limit int) string {
	if len(b) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(b[cut]) {
			cut--
		}
		return fmt.Sprintf("%s… (%d bytes)", strings.TrimSuffix(fmt.Sprintf("%q", b[:cut]), `"`)+`"`, len(b))
	}
	return fmt.Sprintf("%q", b)
}
