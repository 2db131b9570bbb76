package veto

import (
	"strings"
	"testing"
)

// TestReading holds every legal form of a verdict, and many that are none, against
// what a host makes of it and what was meant.
func TestReading(t *testing.T) {
	const none, veto = false, true
	for _, c := range []struct {
		out         string
		host, meant bool
		finding     string // the class of what is wrong, if anything is
	}{
		// What the document allows.
		{"", none, none, ""},
		{" \r\n", none, none, ""},
		{"{}", none, none, ""},
		{`{"veto":false}`, none, none, ""},
		{`{"veto": false, "reason": "all is well"}`, none, none, ""},
		{`{"veto":false,"reason":null}`, none, none, ""},
		{`{"veto":true,"reason":"freeze"}` + "\n", veto, veto, ""},
		{"{\n  \"veto\": true,\n  \"reason\": \"freeze\"\n}\n", veto, veto, ""},
		{`{"veto":true}`, veto, veto, ""},
		{`{"veto":true,"reason":"é\u00e9","score":3,"tags":["a"],"inner":{"veto":false}}`, veto, veto, ""},
		{`{"decision":"block","veto":false}`, none, none, ""},
		{`{"inner":{"decision":"block"}}`, none, none, ""},
		{`{"status":"error","message":"veto: true was not asked for"}`, none, none, ""},

		// Legal, and warned about.
		{"OK\n", none, none, "not-json"},
		{"[]", none, none, "no-object"},
		{"null", none, none, "no-object"},
		{`{"veto":false}{"veto":false}`, none, none, "several"},
		{"log\n{\"veto\":false}", none, none, "text-before"},
		{`{"veto":false,}`, none, none, "trailing-comma"},
		{`{"veto":false,"metadata":{"a":1},}`, none, none, "trailing-comma"},
		{`{"veto":false,"veto":true}`, veto, veto, "duplicate-name"},
		{"\xef\xbb\xbf{}", none, none, "bom"},
		{"{\"reason\":\"\xe9\"}", none, none, "invalid-utf-8"},

		{"the rule says veto: true would be wrong\n", none, none, "not-json"},
		{"note, set veto=true to block\n", none, none, "not-json"},
		{"{\"level\":\"info\",\"action\":\"block\"}\n{}", none, none, "several"},
		{`{"continue":true}`, none, none, ""},

		// No boolean, no string.
		{`{"veto":"true"}`, none, veto, "veto-the string"},
		{`{"veto":"false"}`, none, none, "veto-the string"},
		{`{"veto":1}`, none, veto, "veto-the number"},
		{`{"veto":null}`, none, none, "veto-the literal"},
		{`{"veto":null,"reason":"freeze"}`, none, veto, "veto-the literal"},
		{`{"veto":[]}`, none, none, "veto-the array"},
		{`{"veto":true,"reason":5}`, none, veto, "reason-the number"},
		{`{"veto":true,"reason":["a"]}`, none, veto, "reason-the array"},

		// Lost.
		{"ready\n{\"veto\":true}", none, veto, "text-before"},
		{"{\"veto\":true}\ndone", none, veto, "text-after"},
		{`{"veto":true}{"veto":false}`, none, veto, "several"},
		{"{\"veto\":false}\n{\"veto\":true}", none, veto, "several"},
		{"{level: info}\n{\"veto\": true}", none, veto, "not-json"},
		{`[{"veto":true}]`, none, veto, "array"},
		{`"{\"veto\":true}"`, none, veto, "encoded-twice"},
		{`{'veto': True, 'reason': 'freeze'}`, none, veto, "single-quotes"},
		{`{veto: true}`, none, veto, "not-json"},
		{"veto: true\n", none, veto, "not-json"},
		{`{"veto":True}`, none, veto, "python-repr"},
		{`{"veto":true,"score":NaN}`, none, veto, "nan"},
		{"{\"veto\":true,\"reason\":\"a\nb\"}", none, veto, "control-character"},
		{`{"veto":true,"reason":"cut`, none, veto, "cut-off"},
		{`{"veto":true,"metadata":{"a":1},}`, none, veto, "trailing-comma"},
		{`{"veto":true,"veto":false}`, none, veto, "duplicate-name"},
		{"\xef\xbb\xbf{\"veto\":true}", none, veto, "bom"},
		{"\xff\xfe{\x00\"\x00v\x00e\x00t\x00o\x00\"\x00:\x00t\x00r\x00u\x00e\x00}\x00", none, veto, "utf-16"},
		{"\x00{\x00\"\x00v\x00e\x00t\x00o\x00\"\x00:\x00t\x00r\x00u\x00e\x00}", none, veto, "utf-16"},
		{"\x1b[31m{\"veto\":true}\x1b[0m", none, veto, "ansi"},
		{`{"decision":"block"}`, none, veto, "look-alike"},
		{`{"allow":false,"message":"freeze"}`, none, veto, "look-alike"},
		{`{"veto ":true}`, none, veto, "look-alike"},
		{`{"response":{"veto":true,"reason":"x"}}`, none, veto, "nested"},

		{`{"result":{"verdict":{"veto":true}}}`, none, veto, "nested"},
		{`{"hookSpecificOutput":{"permissionDecision":"deny"}}`, none, veto, "nested"},
		{`{"continue":false,"reason":"x"}`, none, veto, "look-alike"},
		{`{"block":"true"}`, none, veto, "look-alike"},
		{`{"allowed":"false"}`, none, veto, "look-alike"},
		{"checking\n{\"decision\":\"block\"}", none, veto, "text-before"},
		{"checking\n{\"response\":{\"veto\":true}}", none, veto, "text-before"},
		{"\u00a0{\"veto\":true}", none, veto, "text-before"},
		{"---\nveto: yes\nreason: freeze\n", none, veto, "not-json"},
		{"{“veto”: true}", none, veto, "not-json"},
		{`{"veto":true,"Veto":false}`, none, veto, "unheard"},
		{strings.Repeat("checking {a}\n", 100_000) + `{"veto":true}`, none, veto, "not-json"},
		{strings.Repeat("{\"checked\":1}\n", 2_000) + `{"veto":true}`, none, veto, "several"},

		// Heard by a decoder that ignores case.
		{`{"Veto":true,"REASON":"x"}`, veto, veto, ""},
	} {
		r := Read([]byte(c.out), nil)
		if r.Host.Veto != c.host || r.Meant.Veto != c.meant {
			t.Errorf("%q: the host reads %v and it means %v", c.out, r.Host, r.Meant)
		}
		var classes []string
		for _, f := range []*finding{r.lost, r.bytes, r.form, r.json, r.boolean, r.reason} {
			if f != nil {
				classes = append(classes, f.Class)
			}
		}
		if got := strings.Join(classes, ", "); got != c.finding {
			t.Errorf("%q: found %q, wanted %q", c.out, got, c.finding)
		}
		lost := c.meant && !c.host && r.boolean == nil && r.reason == nil
		if lost != (r.lost != nil) {
			t.Errorf("%q: lost %v", c.out, r.lost)
		}
	}
}

func TestAVerdictOnStderrIsLost(t *testing.T) {
	r := Read(nil, []byte("starting\n{\"veto\":true,\"reason\":\"freeze\"}\n"))
	if r.lost == nil || r.lost.Class != "on-stderr" {
		t.Errorf("it was not noticed: %+v", r)
	}
	if r = Read([]byte(`{"veto":false}`), []byte(`{"veto":true}`)); r.lost != nil {
		t.Errorf("a log beside a verdict is no verdict: %+v", r.lost)
	}
}

// TestReadingIsBounded reads what is made to be slow.
func TestReadingIsBounded(t *testing.T) {
	for _, out := range []string{strings.Repeat("{", 1<<20), strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000), strings.Repeat("x{ ", 1<<18)} {
		if r := Read([]byte(out), nil); r.Meant.Veto {
			t.Errorf("a veto in %.20q", out)
		}
	}
}

func TestRespelledMeansTheSame(t *testing.T) {
	e, err := ParseEvent([]byte(`{"event":"completed","n":[1,-2.5e3,null,true,{}],"metadata":{"é🟢":"a\"\\","b":[[],{"c":false}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseEvent(e.Respelled())
	if err != nil {
		t.Fatalf("%v: %s", err, e.Respelled())
	}
	for _, m := range e {
		if i := again.index(m.Name); i < 0 {
			t.Errorf("%s is gone", m.Name)
		} else if err := again[i].Value.Canonicalize(); err != nil {
			t.Error(err)
		} else if err := m.Value.Canonicalize(); err != nil || string(again[i].Value) != string(m.Value) {
			t.Errorf("%s is %s, and was %s", m.Name, again[i].Value, m.Value)
		}
	}
}
