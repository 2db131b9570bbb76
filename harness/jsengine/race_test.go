//go:build race

package jsengine

// The race detector looks at every step of the engine, which is a hundred times as
// slow then and needs more memory. There is nothing to find: each has one thread.
const (
	raced = true
	slow  = "it takes too long, or too much memory, with the race detector"
)
