//go:build !(386 || arm)

package jsengine

import lib "modernc.org/libquickjs"

// tag is the type of a value.
func tag(v lib.TJSValue) int { return int(v.Ftag) }
