package literal

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSON implements json.Unmarshaler. A name that stands there twice, a
// number that is not finite and more than 64 levels are errors.
func (v *Value) UnmarshalJSON(text []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	var err error
	if *v, err = decode(d, 0); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return errors.New("there is more behind the value")
	}
	return nil
}

func decode(d *jsontext.Decoder, depth int) (Value, error) {
	t, err := d.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch t.Kind() {
	case 'n':
		return Value{}, nil
	case 't', 'f':
		return Value{Kind: Bool, Bool: t.Bool()}, nil
	case '"':
		return Value{Kind: String, String: t.String()}, nil
	case '0':
		n, err := strconv.ParseFloat(t.String(), 64)
		if err != nil || math.IsInf(n, 0) {
			return Value{}, errors.New("a number is not finite")
		}
		return Value{Kind: Number, Number: n}, nil
	}
	if depth == maxDepth {
		return Value{}, errors.New("more than 64 levels")
	}
	v := Value{Kind: Array}
	if t.Kind() == '{' {
		v.Kind = Object
	}
	for {
		if k := d.PeekKind(); k == '}' || k == ']' {
			_, err := d.ReadToken()
			return v, err
		}
		var name string
		if v.Kind == Object {
			t, err := d.ReadToken()
			if err != nil {
				return v, err
			}
			name = t.String()
		}
		item, err := decode(d, depth+1)
		if err != nil {
			return v, err
		}
		if v.Kind == Object {
			v.Fields = append(v.Fields, Field{name, item})
		} else {
			v.Items = append(v.Items, item)
		}
	}
}
