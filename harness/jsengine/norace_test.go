//go:build !race

package jsengine

const (
	raced = false
	slow  = ""
)
