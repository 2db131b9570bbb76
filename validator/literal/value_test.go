package literal

import "testing"

func num(n float64) Value  { return Value{Kind: Number, Number: n} }
func str(s string) Value   { return Value{Kind: String, String: s} }
func arr(v ...Value) Value { return Value{Kind: Array, Items: v} }
func yes() Value           { return Value{Kind: Bool, Bool: true} }
func null() Value          { return Value{} }

// obj makes an object of names and values in turn.
func obj(members ...any) Value {
	v := Value{Kind: Object}
	for i := 0; i < len(members); i += 2 {
		v.Fields = append(v.Fields, Field{members[i].(string), members[i+1].(Value)})
	}
	return v
}

func TestEqual(t *testing.T) {
	v := obj("a", num(0), "b", arr(str("x"), yes(), null()), "c", obj("d", str("")))
	same := obj("c", obj("d", str("")), "b", arr(str("x"), yes(), null()), "a", num(-zero()))
	if !v.Equal(v) || !v.Equal(same) || !same.Equal(v) {
		t.Error("the order of members or the sign of zero makes a difference")
	}
	for _, other := range []Value{
		null(), arr(), obj(),
		obj("a", num(1), "b", arr(str("x"), yes(), null()), "c", obj("d", str(""))),
		obj("a", num(0), "b", arr(str("x"), null(), yes()), "c", obj("d", str(""))),
		obj("a", num(0), "b", arr(str("x"), yes(), null()), "c", obj("d", null())),
		obj("a", num(0), "b", arr(str("x"), yes(), null()), "c", obj("e", str(""))),
		obj("a", num(0), "b", arr(str("x"), yes()), "c", obj("d", str(""))),
		obj("a", num(0), "b", arr(str("x"), yes(), null())),
	} {
		if v.Equal(other) || other.Equal(v) {
			t.Errorf("%v equals %v", v, other)
		}
	}
}

// zero is no constant, so that it has a sign.
func zero() float64 { return 0 }

func TestKindString(t *testing.T) {
	for kind, want := range map[Kind]string{Null: "null", Bool: "boolean", Number: "number", String: "string", Array: "array", Object: "object"} {
		if got := kind.String(); got != want {
			t.Errorf("kind %d is called %s", kind, got)
		}
	}
}
