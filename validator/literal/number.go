package literal

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
)

// bases are the numbers that are not decimal, by the letter behind the zero.
var bases = map[byte]int{'x': 16, 'o': 8, 'b': 2}

// negative reads a number behind a minus.
func (r *reader) negative() (Value, *Error) {
	at := r.at
	r.at++
	if !r.skip() {
		return Value{}, r.fault("unterminated-comment", r.at)
	}
	b := r.peek(0)
	switch {
	case classes[b]&isDigit != 0 || b == '.' && classes[r.peek(1)]&isDigit != 0:
		v, err := r.number()
		v.Number = -v.Number
		return v, err
	case string(r.wordHere()) == "Infinity":
		return Value{}, r.fault("infinity", at, "-Infinity")
	}
	return Value{}, r.fault("expression", at)
}

// number reads a number.
func (r *reader) number() (Value, *Error) {
	at := r.at
	var n float64
	var class string
	if base := bases[r.peek(1)|0x20]; base > 0 && r.peek(0) == '0' {
		n, class = r.based(base)
	} else {
		n, class = r.decimal()
	}
	if class == "" && (classes[r.peek(0)]&isNamePart != 0 && !r.spaceHere()) {
		class = "bad-number" // 3in, 1px, 0b12, 1__0
	}
	if class != "" {
		return Value{}, r.fault(class, at)
	}
	return Value{Kind: Number, Number: n}, nil
}

// spaceHere reports whether white space beyond ASCII stands at the cursor.
func (r *reader) spaceHere() bool {
	ahead := r.cursor
	return ahead.skip() && ahead.at > r.at
}

// based reads a number in another base than ten. It reads bit by bit's worth no
// more than a number can have before it is infinite.
func (r *reader) based(base int) (n float64, class string) {
	r.at += 2
	text, ok := r.separated(func(b byte) bool { return digit(b) < base })
	switch {
	case !ok || len(text) == 0:
		return 0, "bad-number"
	case r.peek(0) == 'n':
		return 0, "bigint"
	}
	text = bytes.TrimLeft(text, "0")
	if len(text) > maxBits {
		return 0, "not-finite"
	}
	whole, _ := new(big.Int).SetString("0"+string(text), base)
	n, _ = new(big.Float).SetInt(whole).Float64()
	return finite(n)
}

// maxBits is how long the largest number is in base two.
const maxBits = 1024

func finite(n float64) (float64, string) {
	if math.IsInf(n, 0) {
		return 0, "not-finite"
	}
	return n, ""
}

// decimal reads a number in base ten.
func (r *reader) decimal() (n float64, class string) {
	start := r.at
	isDecimal := func(b byte) bool { return classes[b]&isDigit != 0 }
	text, ok := r.separated(isDecimal)
	switch {
	case r.src[start] == '0' && r.at > start+1 && r.src[start+1] != '_':
		return 0, "leading-zero"
	case r.src[start] == '0' && r.at > start+1, !ok:
		return 0, "bad-number"
	case r.peek(0) == 'n':
		return 0, "bigint"
	}
	if r.peek(0) == '.' {
		r.at++
		fraction, good := r.separated(isDecimal)
		text, ok = append(append(text, '.'), fraction...), good
	}
	if ok && r.peek(0)|0x20 == 'e' {
		text = append(text, 'e')
		if r.at++; r.peek(0) == '+' || r.peek(0) == '-' {
			text = append(text, r.peek(0))
			r.at++
		}
		exponent, good := r.separated(isDecimal)
		text, ok = append(text, exponent...), good && len(exponent) > 0
	}
	if !ok {
		return 0, "bad-number"
	}
	n, _ = strconv.ParseFloat(string(text), 64) // infinite where it is too large
	return finite(n)
}

// separated reads digits with single underscores between them and leaves these
// out. It fails where an underscore does not stand between two digits.
func (r *reader) separated(isDigit func(byte) bool) (text []byte, ok bool) {
	last := byte('_')
	for ; ; r.at++ {
		b := r.peek(0)
		switch {
		case isDigit(b):
			text = append(text, b)
		case b != '_':
			return text, last != '_' || len(text) == 0
		case last == '_':
			return text, false
		}
		last = b
	}
}
