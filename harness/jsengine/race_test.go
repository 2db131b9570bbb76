//go:build race

package jsengine

const raced = true
