package literal_test

import (
	"testing"

	"plugcheck/fixtures"
	"plugcheck/validator/literal"
)

func TestCorpus(t *testing.T) {
	cases, err := fixtures.Literals()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			m, err := literal.Find(c.Source)
			if c.Error == nil {
				var want literal.Value
				if err := want.UnmarshalJSON(c.Value); err != nil {
					t.Fatal(err)
				}
				if err != nil || m.Start != c.Start || m.End != c.End || !m.Value.Equal(want) {
					t.Errorf("found %+v (%v), wanted %d to %d, %s", m, err, c.Start, c.End, c.Value)
				}
				return
			}
			e, ok := err.(*literal.Error)
			switch {
			case !ok:
				t.Fatalf("found %+v", m)
			case c.Error.Class == "missing":
				if !e.Missing() {
					t.Errorf("it is of class %s: %v", e.Class, e)
				}
			case e.Class != c.Error.Class || e.Line != c.Error.Line || c.Error.Column != 0 && e.Column != c.Error.Column:
				t.Errorf("%s at %d:%d (%v), wanted %+v", e.Class, e.Line, e.Column, e, *c.Error)
			}
		})
	}
}
