package validator

import (
	"fmt"
	"strings"
	"time"
)

// A Source says where the bytes of an event came from.
type Source string

// The sources of a transcript's events.
const (
	FromHost   Source = "host"
	FromPlugin Source = "plugin"
	FromStderr Source = "stderr"
	FromExit   Source = "exit"
	// FromMark is a step of the host beside what it says: stdin closed, a signal sent.
	FromMark Source = "mark"
)

// A Transcript is everything that was seen of one process: each byte with its
// direction and time, how it ended, and what it left running.
type Transcript struct {
	Started time.Time
	// Elapsed runs from the start to the end of the process itself.
	Elapsed time.Duration
	// Limit is the time the plugin was given.
	Limit time.Duration

	Stdin  []byte // what the plugin was sent and took; see Unsent
	Stdout []byte // what it said, up to the cap
	Stderr []byte // what it logged, up to the cap
	// StdoutBytes and StderrBytes count all that was seen, kept or not.
	StdoutBytes, StderrBytes int64
	// Unsent counts the bytes that the plugin never took, because it left or stopped reading.
	Unsent int64

	Events []Event
	Exit   Exit

	// TimedOut is set when the limit was reached and the process was ended.
	TimedOut bool
	// Flooded is set when stdout went over the cap and the process was ended for it.
	Flooded bool
	// HeldStdout names the processes that still held stdout after the plugin itself had ended.
	HeldStdout []Survivor
	// LeftRunning names the processes that the plugin left behind; all were ended.
	LeftRunning []Survivor
	// Wrote names the files it left in its working folder or HOME.
	Wrote []string
}

// An Event is one piece of a stream: bytes Start to End of Stdin, Stdout or
// Stderr, as From says.
type Event struct {
	At         time.Duration
	From       Source
	Start, End int
}

// A Survivor is a process that outlived the plugin that started it.
type Survivor struct {
	PID     int
	Command string
}

func (s Survivor) String() string { return fmt.Sprintf("%d (%s)", s.PID, s.Command) }

// Exit says how a process ended.
type Exit struct {
	Code   int    // -1 when a signal ended it
	Signal string // "killed", "segmentation fault", …; empty when it left by itself
	// Ended is the last step of the close ladder that the kit had to take: "", "SIGTERM" or "SIGKILL".
	Ended string
}

func (e Exit) String() string {
	switch {
	case e.Ended != "":
		return "ended by plugcheck with " + e.Ended
	case e.Signal != "":
		return "ended by signal: " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// ParseExit reads what String says.
func ParseExit(s string) (Exit, error) {
	if step, ok := strings.CutPrefix(s, "ended by plugcheck with "); ok {
		return Exit{Code: -1, Ended: step}, nil
	}
	if signal, ok := strings.CutPrefix(s, "ended by signal: "); ok {
		return Exit{Code: -1, Signal: signal}, nil
	}
	e := Exit{}
	if _, err := fmt.Sscanf(s, "exit status %d", &e.Code); err != nil {
		return e, fmt.Errorf("%q says no way to end", s)
	}
	return e, nil
}

// Clean reports whether the process left by itself with status 0.
func (e Exit) Clean() bool { return e.Code == 0 && e.Signal == "" && e.Ended == "" }
