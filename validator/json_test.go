package validator

import "testing"

func TestStrictJSON(t *testing.T) {
	for _, c := range []struct{ text, class string }{
		{`{}`, ""},
		{" {\"a\":[1,2.5e3,null,true,\"\\u00e9\"]}\r\n", ""},
		{`{"a":1,"A":2}`, ""},
		{`5`, ""},
		{``, "blank"},
		{" \n", "blank"},
		{`{"a":1,"a":2}`, "duplicate-name"},
		{`{"a":{"b":1,"b":1}}`, "duplicate-name"},
		{`{"a":1,"\u0061":2}`, "duplicate-name"},
		{`{"a":NaN}`, "nan"},
		{`[-Infinity]`, "nan"},
		{`[Infinity]`, "nan"},
		{`{'success': True}`, "single-quotes"},
		{`{"success": True}`, "python-repr"},
		{`{"a": None}`, "python-repr"},
		{`{"a":1,}`, "trailing-comma"},
		{`[1, ]`, "trailing-comma"},
		{`{"a":undefined}`, "undefined"},
		{`{"a":1 // x` + "\n}", "comment"},
		{`{"a":"x`, "cut-off"},
		{`{"a":`, "cut-off"},
		{`{"a":1`, "cut-off"},
		{"{\"a\":\"x\ny\"}", "control-character"},
		{`{}{}`, "text-after"},
		{`{} x`, "text-after"},
		{`{a:1}`, "not-json"},
		{`{"a":01}`, "not-json"},
		{`"\ud800"`, "not-json"},
		{"{\"a\":\"\xff\"}", "not-json"},
	} {
		f := StrictJSON([]byte(c.text))
		got := ""
		if f != nil {
			got = f.Class
		}
		if got != c.class {
			t.Errorf("%q: class %q, wanted %q (%+v)", c.text, got, c.class, f)
		}
	}
}
