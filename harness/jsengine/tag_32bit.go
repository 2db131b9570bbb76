//go:build 386 || arm

package jsengine

import lib "modernc.org/libquickjs"

// tag is the type of a value. Where pointers are short, the engine packs it into
// the bits that a number that is none leaves over, so that all the patterns that
// are not a tag are numbers.
func tag(v lib.TJSValue) int {
	t := int(int32(v >> 32))
	if t < lib.EJS_TAG_FIRST || t >= lib.EJS_TAG_FLOAT64 {
		return lib.EJS_TAG_FLOAT64
	}
	return t
}
