package literal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// FuzzWrite takes JSON for a value: it has to be written so that it reads back,
// and that is written the same.
func FuzzWrite(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"a":[],"b":{},"c":[{},[[]]]}`, `{"":1,"a b":null,"if":true,"1":[-0,1e21,1e-7,5e-324]}`,
		`{"s":"\u0000\u00011\"\\\n\r\u2028\u2029\u007f\u0085é🟢*/</script>${` + "`'" + `"}`,
		`{"long":["` + strings.Repeat(`é","`, 30) + `"],"o":{"a":{"b":{"c":"` + strings.Repeat("x", 70) + `"}}}}`,
		`{"d":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
	} {
		f.Add([]byte(text), uint8(0))
		f.Add([]byte(text), uint8(255))
	}
	f.Fuzz(func(t *testing.T, text []byte, form uint8) {
		var v Value
		if v.UnmarshalJSON(text) != nil || v.Kind != Object || strings.Contains(v.JSON(), `"__proto__":`) {
			return // as a name that is no data
		}
		indent := strings.Repeat(" ", int(form>>4))
		newline := []string{"\n", "\r\n", "\r"}[form%3]
		written := Write(v, indent, newline)
		m, err := Find([]byte("export const manifest = " + written))
		if err != nil {
			t.Fatalf("%v: %s", err, written)
		}
		if m.Value.JSON() != v.JSON() {
			t.Fatalf("%s reads back as %s", written, m.Value.JSON())
		}
		if again := Write(m.Value, indent, newline); again != written {
			t.Fatalf("%s is written again as %s", written, again)
		}
	})
}

// FuzzRewrite takes any source and any change: either there is an error that says
// so, or only the literal changes, to what was asked for.
func FuzzRewrite(f *testing.F) {
	for _, source := range []string{plugin, "", "export const manifest = {};", "\ufeff#! x\r\n\texport const manifest = { match: 1, settings: { a: { type: 'number', value: 1 } } }\r\n`", sources["unreadable"]} {
		f.Add([]byte(source), "skip", "models", "a,b*", "tone", `"x"`)
		f.Add([]byte(source), "reject", "clients", "", "a", "2e-7")
		f.Add([]byte(source), "", "hosts", " , ", "loud", "true")
	}
	f.Fuzz(func(t *testing.T, source []byte, onError, list, patterns, key, value string) {
		c := Change{OnError: &onError, Match: map[string][]string{list: strings.Split(patterns, ",")}, Settings: map[string]Value{}}
		var v Value
		if v.UnmarshalJSON([]byte(value)) == nil {
			c.Settings[key] = v
		}
		for _, c := range []Change{c, {OnError: c.OnError}, {Match: c.Match}, {Settings: c.Settings}, {}} {
			checkRewrite(t, source, c)
		}
	})
}

func checkRewrite(t *testing.T, source []byte, c Change) {
	t.Helper()
	out, err := Rewrite(source, c)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Code == "" || e.Class == "" || e.Message == "" || (e.Code == NotDataAt) != (e.Line > 0) {
			t.Fatalf("%#v", err)
		}
		return
	}
	m, err := Find(source)
	if err != nil {
		t.Fatalf("it cannot be read and is rewritten: %v", err)
	}
	want, fault := c.Apply(m.Value)
	if fault != nil {
		t.Fatal(fault)
	}
	n, err := Find(out)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	switch {
	case !bytes.Equal(source[:m.Start], out[:n.Start]) || !bytes.Equal(source[m.End:], out[n.End:]):
		t.Fatalf("bytes outside the literal were touched: %s", out)
	case !n.Value.Equal(want):
		t.Fatalf("%s reads back, and %s was asked for", n.Value.JSON(), want.JSON())
	case (Classify(source, out) == SameBytes) != same(m.Value, want):
		t.Fatalf("the change of %s into %s is a %s", m.Value.JSON(), want.JSON(), Classify(source, out))
	case Classify(source, out) == CodeChange:
		t.Fatalf("a save of data is a change of code: %s", out)
	}
	if again, err := Rewrite(out, c); err != nil || !bytes.Equal(again, out) {
		t.Fatalf("made again, the change leads to %s (%v)", again, err)
	}
}
