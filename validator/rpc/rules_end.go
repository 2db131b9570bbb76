package rpc

import (
	"fmt"

	"plugcheck/validator"
)

var endRules = []rule{
	{
		Check: validator.Check{ID: "rpc.no-orphans", Level: validator.Should, Contract: contractID,
			Title: "It leaves nothing running",
			Why:   "What outlives the plugin piles up on the user's machine, some more with each start.",
			Spec:  specShutdown,
			Fix:   "End the processes you started before you exit, and wait for them."},
		Applies: func(c *Conversation) bool { return c.Exit != nil && c.Exit.Ended == "" },
		Judge: func(c *Conversation) []validator.Finding {
			if len(c.LeftRunning) == 0 {
				return nil
			}
			return []validator.Finding{{Class: "orphans", Message: fmt.Sprintf("it left processes running, %d of them, such as process %s", len(c.LeftRunning), c.LeftRunning[0]),
				Expected: "nothing left running", Got: fmt.Sprintf("%d left running; plugcheck ended them", len(c.LeftRunning))}}
		},
	},
}
