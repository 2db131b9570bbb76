package veto

import "plugcheck/validator"

// notFound is a shell's exit status for a command that it did not find.
const notFound = 127

// HookFileRules judge the script of a shell hook, before it is started.
func HookFileRules() []rule { return hookFileRules }

// HookRules judge every exchange with a shell hook.
func HookRules() []rule { return hookRules }

var hookFileRules = []rule{
	{
		Check: check{ID: "hook.executable", Level: validator.Must, Contract: hookContract,
			Title: "The hook is a file that can be run",
			Why:   "A hook that cannot be started is passed over on every event, and what it was to do is not done.",
			Spec:  specHooks + " (.tasks/hooks/<event>.sh); " + specLayout,
			Fix:   "Begin it with #!/bin/sh, save it with LF line ends, and set the run bit (chmod +x)."},
		Judge: func(t *Trial) []finding {
			file := t.Manifest.File
			if file.Trouble == "" {
				return nil
			}
			return []finding{{Class: file.Class, Message: file.Trouble, Fix: file.Fix}}
		},
	},
}

var hookRules = []rule{
	{
		Check: check{ID: "hook.survives", Level: validator.Must, Contract: hookContract,
			Title: "It ends by itself, with status 0, on every event",
			Why:   "A hook that fails or never ends leaves half of its work done, and its failure is a line in a log.",
			Spec:  specHooks + " (same stdin payload); " + specResponse + " (errors are logged and do not fail the operation)",
			Fix:   "Let no command fail unseen: end with exit 0, take fields that may be absent or null with a default, and wait for nothing but the end of stdin."},
		Applies: func(t *Trial) bool { return t.Exchange.Event != nil && !t.Exchange.Special },
		Judge: func(t *Trial) []finding {
			f := t.Exchange.Failure()
			if f != nil && t.Exchange.Transcript.Exit.Code == notFound {
				f.Message += " (this status says that a command was not found)"
			}
			return told(f)
		},
	},
	{
		Check: check{ID: "hook.in-time", Level: validator.Should, Contract: hookContract,
			Title: "It ends within 5 seconds",
			Why:   "Whoever works waits for the hook, on every operation.",
			Spec:  specQuick + hostFiveSecs,
			Fix:   "Start what is slow in the background, cut off from stdin, stdout and stderr: (work </dev/null >/dev/null 2>&1 &)."},
		Applies: inTime,
		Judge:   func(t *Trial) []finding { return slow(t.Exchange, Seconds(hookContract, "fast_secs")) },
	},
}
