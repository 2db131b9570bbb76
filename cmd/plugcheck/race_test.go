//go:build race

package main

// raceEnabled tells that the race detector needs memory of its own.
const raceEnabled = true
