package veto

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plugcheck/contracts"
	"plugcheck/validator"
)

type rule = validator.Rule[*Trial]

type check = validator.Check

type finding = validator.Finding

const (
	vetoContract = "veto-event@1.0"
	hookContract = "hook-event@1.0"
)

// Where the document says what the rules ask for.
const (
	specManifest  = "Corvee, Plugin protocol, \"plugin.json schema\""
	specPayload   = "Corvee, Plugin protocol, \"Event payload\""
	specResponse  = "Corvee, Plugin protocol, \"Plugin response (optional)\""
	specAgent     = "Corvee, Plugin protocol, \"Agent mode\""
	specQuick     = "Corvee, Plugin protocol, \"Sample: Python auto-tagger\" (keep calls quick, under 10 s)"
	specHooks     = "Corvee, Plugin protocol, \"Shell hooks\""
	specLayout    = "Corvee, Plugin protocol, \"Layout\""
	hostFiveSecs  = "; host: it waits 5 s"
	hostDropsExit = "; host: it drops a veto with a status other than 0"
)

// eventName is how the names of events are written.
var eventName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// ManifestRules judge a plugin.json, before anything is started.
func ManifestRules() []rule { return manifestRules }

var manifestRules = []rule{
	{
		Check: check{ID: "veto.manifest.shape", Level: validator.Must, Contract: vetoContract,
			Title: "plugin.json has the fields of the document, each of its type",
			Why:   "A malformed manifest is skipped with a warning: the plugin is never asked, and none of its vetoes counts.",
			Spec:  specManifest,
			Fix:   "name and command are required strings; description is a string, events a list of strings, agent_safe true or false."},
		Judge: func(t *Trial) []finding {
			m := t.Manifest
			if m.Unreadable != nil {
				f := *m.Unreadable
				f.Message = "plugin.json cannot be read: " + f.Message
				return []finding{f}
			}
			var found []finding
			for _, v := range m.Violations {
				found = append(found, finding{Class: v.Path, Message: "in plugin.json, " + v.String(), Expected: v.Wanted, Got: v.Got})
			}
			return found
		},
	},
	{
		Check: check{ID: "veto.manifest.command", Level: validator.Must, Contract: vetoContract,
			Title: "command names an executable in the plugin's own folder",
			Why:   "The host starts exactly this file. What is not there cannot veto; what lies outside the folder was neither installed nor reviewed with it.",
			Spec:  specManifest + " (resolved relative to plugin dir)",
			Fix:   "Put the executable beside plugin.json, name it without folders above, and set the run bit (chmod +x)."},
		Applies: func(t *Trial) bool { return t.Manifest.Command != "" },
		Judge: func(t *Trial) []finding {
			m := t.Manifest
			var found []finding
			if m.Outside != "" {
				found = append(found, finding{Class: "outside", Message: fmt.Sprintf("command is %q, which leads out of the plugin's folder, to %s", m.Command, m.Outside),
					Expected: "a file in " + filepath.Dir(m.Source), Got: m.Outside})
			}
			if m.File.Trouble != "" {
				f := finding{Class: m.File.Class, Message: m.File.Trouble, Fix: m.File.Fix}
				if !m.File.Exists && strings.ContainsAny(m.Command, " \t") {
					f.Fix = "command is the name of one file, without arguments: let the file's #! line say what runs it."
				}
				found = append(found, f)
			}
			return found
		},
	},
	{
		Check: check{ID: "veto.manifest.events", Level: validator.Should, Contract: vetoContract,
			Title: "events lists names of events, well formed, each once",
			Why:   "The host compares names letter by letter: a plugin that subscribes to a name nobody sends is never asked.",
			Spec:  specManifest + " (events)",
			Fix:   "Write the names in lower case with underscores, as the host sends them: status_changed, completed."},
		Applies: func(t *Trial) bool { return t.Manifest.readable("events") },
		Judge: func(t *Trial) []finding {
			var found []finding
			for i, e := range t.Manifest.Events {
				switch {
				case slices.Contains(t.Manifest.Events[:i], e):
					found = append(found, finding{Class: "twice", Message: fmt.Sprintf("events lists %q twice", e), Expected: "each event once", Got: strings.Join(t.Manifest.Events, ", ")})
				case !eventName.MatchString(e):
					f := finding{Class: "malformed", Message: fmt.Sprintf("events lists %q, which is no name of an event", e), Expected: "a name such as " + strings.Join(t.Manifest.Known, ", "), Got: fmt.Sprintf("%q", e)}
					if near := contracts.Nearest(strings.ToLower(strings.ReplaceAll(e, "-", "_")), t.Manifest.Known); near != "" {
						f.Message += fmt.Sprintf("; did you mean %q?", near)
					}
					found = append(found, f)
				}
			}
			return found
		},
	},
	{
		Check: check{ID: "veto.agent.skipped", Level: validator.Must, Contract: vetoContract,
			Title: "A plugin that the host skips in agent mode does not take itself for agent-safe",
			Why:   "Under CORVEE_AGENT_MODE=1 the host skips every plugin without \"agent_safe\": true, so all that it would veto goes through. By another name the field says nothing.",
			Spec:  specAgent,
			Fix:   "Write \"agent_safe\": true where the plugin needs no terminal, browser or answer, and leave it out otherwise."},
		Applies: func(t *Trial) bool { return t.Manifest.readable("agent_safe") && !t.Manifest.AgentSafe },
		Judge: func(t *Trial) []finding {
			m := t.Manifest
			if m.SafeByAnotherName == "" {
				return nil
			}
			return []finding{{Class: "by-another-name", Message: fmt.Sprintf("plugin.json says %s, which the host does not know: in agent mode it skips the plugin, and every veto of it", m.SafeByAnotherName),
				Expected: `"agent_safe": true`, Got: m.SafeByAnotherName}}
		},
	},
}

// readable reports whether a field is there to be judged: what is wrong with its
// type is told by the rule about the shape.
func (m *Manifest) readable(field string) bool {
	return m.Unreadable == nil && !slices.ContainsFunc(m.Violations, func(v contracts.Violation) bool {
		return v.Path == field || v.Path == "" || strings.HasPrefix(v.Path, field+".")
	})
}

// heard reports whether the veto of an output, if it is one, gets through. The form
// of one that does not is told with its loss.
func heard(t *Trial) bool { return t.Exchange.Reading.lost == nil }

// inTime reports whether the plugin ended by itself: what was ended for it is told elsewhere.
func inTime(t *Trial) bool { return !t.Exchange.Transcript.TimedOut && !t.Exchange.Transcript.Flooded }

// told makes findings of one that may be nil.
func told(f *finding) []finding {
	if f == nil {
		return nil
	}
	return []finding{*f}
}

// Seconds is a time limit of a contract: how long an answer may take, or should.
func Seconds(contract, name string) time.Duration {
	return time.Duration(contracts.MustGet(contract).Limits[name]) * time.Second
}

// EventRules judge every exchange of a run.
func EventRules() []rule { return eventRules }

var eventRules = []rule{
	{
		Check: check{ID: "veto.answers", Level: validator.Must, Contract: vetoContract,
			Title: "It ends with status 0, in time, on every event that it is told of",
			Why:   "Every failure of a plugin is a warning in a log, and the operation goes through: what crashes or hangs vetoes nothing.",
			Spec:  specResponse + " (errors from the plugin are logged and do not fail the operation); " + specQuick,
			Fix:   "Catch what can go wrong, log it to stderr and exit with 0; where it must not go through, print a veto that says so."},
		Applies: func(t *Trial) bool { return t.Exchange.Event != nil && !t.Exchange.Special },
		Judge:   func(t *Trial) []finding { return told(t.Exchange.Failure()) },
	},
	{
		Check: check{ID: "veto.fast", Level: validator.Should, Contract: vetoContract,
			Title: "It ends within 5 seconds",
			Why:   "Whoever works waits for every plugin, one after the other, and the host gives up on one that takes longer.",
			Spec:  specQuick + hostFiveSecs,
			Fix:   "Do slow work in the background of the system it belongs to, not in the plugin; give network calls a short timeout."},
		Applies: inTime,
		Judge:   func(t *Trial) []finding { return slow(t.Exchange, Seconds(vetoContract, "fast_secs")) },
	},
	{
		Check: check{ID: "veto.no-orphans", Level: validator.Should, Contract: vetoContract,
			Title: "It leaves no process behind, and nothing that holds stdout",
			Why:   "What outlives an event piles up on the user's machine; what holds stdout keeps the host waiting for the end of the output.",
			Spec:  specQuick + "; host: it reads stdout to its end",
			Fix:   "Wait for the processes you start, or end them, before you exit."},
		Applies: inTime,
		Judge:   func(t *Trial) []finding { return orphans(&t.Exchange.Transcript) },
	},
	{
		Check: check{ID: "veto.lost", Level: validator.Must, Contract: vetoContract,
			Title: "No veto is lost for its form",
			Why:   "The host takes everything but one JSON object with \"veto\": true for \"no veto\". What the plugin meant to stop happens, and nobody is told.",
			Spec:  specResponse + " (anything other than valid JSON is treated as \"ok, no veto\")",
			Fix:   "Print one JSON object to stdout, made by a JSON encoder, and nothing else: {\"veto\": true, \"reason\": \"…\"}. Send logs to stderr."},
		Judge: func(t *Trial) []finding { return told(t.Exchange.Reading.lost) },
	},
	{
		Check: check{ID: "veto.boolean", Level: validator.Must, Contract: vetoContract,
			Title: "veto is true or false",
			Why:   "A string or a number is no boolean: the host's decoder refuses it, and the verdict counts as none.",
			Spec:  specResponse,
			Fix:   "Write true or false without quotes; in a shell without \"$var\" around it, in Python as a bool."},
		Judge: func(t *Trial) []finding { return told(t.Exchange.Reading.boolean) },
	},
	{
		Check: check{ID: "veto.reason-string", Level: validator.Must, Contract: vetoContract,
			Title: "reason is a string",
			Why:   "A reason of another type makes the whole verdict undecodable, the veto with it.",
			Spec:  specResponse,
			Fix:   "Make one text of it: a list is joined, a number is written out."},
		Judge: func(t *Trial) []finding { return told(t.Exchange.Reading.reason) },
	},
	{
		Check: check{ID: "veto.reason-given", Level: validator.Should, Contract: vetoContract,
			Title: "A veto says why",
			Why:   "The operation fails with exit status 1, and the reason is all that the user is told.",
			Spec:  specResponse + " (reason; vetos hide failures behind plugin logic)",
			Fix:   "Add \"reason\" with a sentence for people: what is forbidden, and what would allow it."},
		Judge: func(t *Trial) []finding {
			if host := t.Exchange.Reading.Host; !host.Veto || strings.TrimSpace(host.Reason) != "" {
				return nil
			}
			return []finding{{Class: "none", Message: "it vetoes and gives no reason; the veto stands", Expected: "a reason", Got: validator.Quote(t.Exchange.Transcript.Stdout, 200)}}
		},
	},
	{
		Check: check{ID: "veto.exit-with-veto", Level: validator.Should, Contract: vetoContract,
			Title: "A veto comes with exit status 0",
			Why:   "By the document a veto counts whatever the status; the published host drops it with any other than 0. Where it counts is then a matter of the host.",
			Spec:  specResponse + " (do not fail the operation unless they explicitly veto)" + hostDropsExit,
			Fix:   "Exit with 0 after you printed the verdict: the object says it all."},
		Judge: func(t *Trial) []finding {
			exit := t.Exchange.Transcript.Exit
			if !t.Exchange.Reading.Host.Veto || t.Exchange.Transcript.TimedOut || exit.Clean() {
				return nil
			}
			return []finding{{Class: "status", Message: "it vetoes, and then: " + exit.String() + ". By the document the veto counts; the published host drops it, and the operation goes through",
				Expected: "exit status 0", Got: exit.String()}}
		},
	},
	{
		Check: check{ID: "veto.clean-bytes", Level: validator.Should, Contract: vetoContract,
			Title: "Its output is clean UTF-8: no byte order mark, no colour codes, no NUL",
			Why:   "The host decodes UTF-8 JSON; in front of a veto such bytes lose it.",
			Spec:  specResponse + " (valid JSON)",
			Fix:   "Write UTF-8 without a byte order mark, and colour nothing on stdout: it is no terminal."},
		Applies: heard,
		Judge:   func(t *Trial) []finding { return told(t.Exchange.Reading.bytes) },
	},
	{
		Check: check{ID: "veto.single-object", Level: validator.Should, Contract: vetoContract,
			Title: "Its output is nothing, or one JSON object",
			Why:   "Other text is legal and means \"no veto\", with a warning each time; the same text beside a veto loses it.",
			Spec:  specResponse + " (a single JSON object)",
			Fix:   "Send logs to stderr, and print one object or nothing at all."},
		Applies: heard,
		Judge: func(t *Trial) []finding {
			f := t.Exchange.Reading.form
			if f == nil {
				return nil
			}
			g := *f
			g.Expected, g.Got = "nothing, or one JSON object", validator.Quote(t.Exchange.Transcript.Stdout, 200)
			g.Message = "its output is no single object: " + g.Message + "; the host warns and goes on"
			return []finding{g}
		},
	},
	{
		Check: check{ID: "veto.strict-json", Level: validator.Should, Contract: vetoContract,
			Title: "The object is strict JSON: no name twice, no NaN, no single quotes, nothing cut off",
			Why:   "Decoders differ in what they make of it, and a strict one makes nothing of it: the verdict counts as none.",
			Spec:  specResponse + " (valid JSON)",
			Fix:   "Build the verdict as data and let the language's JSON encoder write it."},
		Applies: heard,
		Judge:   func(t *Trial) []finding { return told(t.Exchange.Reading.json) },
	},
	{
		Check: check{ID: "veto.case", Level: validator.Should, Contract: vetoContract,
			Title: "veto and reason are written in lower case",
			Why:   "The published host's decoder ignores case; another one, in any other language, sees no veto in \"Veto\".",
			Spec:  specResponse + "; host: it decodes with a library that ignores case",
			Fix:   "Write \"veto\" and \"reason\"; in Go with the tags `json:\"veto\"` and `json:\"reason\"`."},
		Applies: heard,
		Judge: func(t *Trial) []finding {
			for _, m := range t.Exchange.Reading.members {
				for _, name := range []string{"veto", "reason"} {
					if strings.EqualFold(m.Name, name) && m.Name != name {
						return []finding{{Class: "case", Message: fmt.Sprintf("it says %q, which only a decoder that ignores case takes for %q", m.Name, name), Expected: fmt.Sprintf("%q", name), Got: fmt.Sprintf("%q", m.Name)}}
					}
				}
			}
			return nil
		},
	},
}

// slow tells of an exchange that took longer than the host waits.
func slow(e *Exchange, most time.Duration) []finding {
	took := e.Transcript.Elapsed.Round(time.Millisecond)
	if took <= most {
		return nil
	}
	return []finding{{Class: "slow", Message: fmt.Sprintf("it took %s, and the published host waits %s", took, most), Expected: "its end within " + most.String(), Got: took.String()}}
}

// Late says that the published host did not wait for the end of an exchange; it is
// empty where it did.
func Late(e *Exchange) string {
	for _, f := range slow(e, Seconds(vetoContract, "fast_secs")) {
		return f.Message
	}
	return ""
}

// orphans tells of what was left running.
func orphans(t *validator.Transcript) []finding {
	list, class, say := t.LeftRunning, "orphans", "it exited after %s and left running: %s"
	if len(t.HeldStdout) > 0 {
		list, class, say = t.HeldStdout, "holds-stdout", "it exited after %s, and stdout was still held by %s, for whose end the host waits"
	}
	if len(list) == 0 {
		return nil
	}
	var names []string
	for _, s := range list[:min(len(list), 5)] {
		names = append(names, "process "+s.String())
	}
	if n := len(list) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return []finding{{Class: class, Message: fmt.Sprintf(say, t.Elapsed.Round(time.Millisecond), strings.Join(names, ", ")),
		Expected: "nothing left running", Got: fmt.Sprintf("%d left running; plugcheck ended them", len(list))}}
}
