package rpc

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plugcheck/validator"
)

const (
	specClient   = "Overkill, Package plugin, type Client"
	specShutdown = specClient + ", Shutdown (\"sends plugin.shutdown then SIGTERMs the process with a grace period before SIGKILL\")"
)

// limit is how long the host waits for an answer to a method; zero is for ever.
func limit(method string) time.Duration {
	return time.Duration(contract().Limits[method+"_ms"]) * time.Millisecond
}

var sessionRules = []rule{
	{
		Check: validator.Check{ID: "rpc.initialize", Level: validator.Must, Contract: contractID,
			Title: "It answers plugin.initialize with a result, within 10 s",
			Why:   "Without it the host knows neither name nor permissions, gives the plugin up and starts it again, three times.",
			Spec:  specClient + ", Start (\"runs the initialize handshake\"); host: 10 s",
			Fix:   "Read stdin from the start, answer plugin.initialize first of all, and flush. Do slow work afterwards."},
		Applies: func(c *Conversation) bool { return c.opening != nil && (c.opening.Answer() != nil || c.ran(c.opening)) },
		Judge: func(c *Conversation) []validator.Finding {
			if f := c.late(c.opening); f != nil {
				return []validator.Finding{*f}
			}
			if a := c.opening.Answer(); a.refuses() {
				return []validator.Finding{{Class: "error", Message: "it answered plugin.initialize with an error", Expected: "a result with name and version", Got: validator.Quote(a.Raw, 200)}}
			}
			return nil
		},
	},
	{
		Check: validator.Check{ID: "rpc.initialize.identity", Level: validator.Must, Contract: contractID,
			Title: "The result of plugin.initialize says name and version, and its parts are of their types",
			Why:   "The host keys plugins by this name, and names tools plugin:<name>:<tool>: a blank one or one with a colon cannot be found again.",
			Spec:  specManifest + ", func ValidateManifest, func ParseCommandID; host: top-level values fill what the manifest lacks",
			Fix:   "Answer {\"name\":…,\"version\":…,\"manifest\":{\"name\":…,\"version\":…,\"permissions\":{…}}}, the name without a colon."},
		Applies: func(c *Conversation) bool { return c.identity != nil },
		Judge: func(c *Conversation) []validator.Finding {
			who := c.identity
			if len(who.Violations) > 0 {
				return violations("in the result of plugin.initialize, ", who.Violations)
			}
			var found []validator.Finding
			for _, part := range []struct{ name, value string }{{"name", who.Name}, {"version", who.Version}} {
				if strings.TrimSpace(part.value) == "" {
					found = append(found, validator.Finding{Class: part.name, Message: fmt.Sprintf("the result of plugin.initialize says no %s, neither at its top nor in manifest", part.name),
						Expected: "a " + part.name + " that is not blank", Got: validator.Quote(c.opening.Answer().Result, 200)})
				}
			}
			if strings.Contains(who.Name, ":") {
				found = append(found, validator.Finding{Class: "colon", Message: fmt.Sprintf("the name %q has a colon, at which the host takes plugin:<name>:<tool> apart", who.Name), Expected: "a name without a colon", Got: who.Name})
			}
			return found
		},
	},
	{
		Check: validator.Check{ID: "rpc.manifest.agrees", Level: validator.Must, Contract: contractID,
			Title: "plugin.toml and plugin.initialize say the same name",
			Why:   "The user enables and disables the plugin by one name, and the host registers it under the other.",
			Spec:  "host: the static name, where set, has to equal the initialized one; " + specClient + ", SetStaticManifest",
			Fix:   "Let both say the same, or leave the name out of plugin.toml."},
		Needs: []string{"rpc.initialize.identity"},
		Idle:  "plugin.toml says no name, or there is none",
		Applies: func(c *Conversation) bool {
			return c.identity != nil && c.identity.Name != "" && c.Static != nil && c.Static.Name != ""
		},
		Judge: func(c *Conversation) []validator.Finding { return differs("name", c.Static.Name, c.identity.Name) },
	},
	{
		Check: validator.Check{ID: "rpc.manifest.agrees-fully", Level: validator.Should, Contract: contractID,
			Title: "plugin.toml and plugin.initialize say the same version and the same permissions",
			Why:   "The user agrees to what plugin.toml says, and the host enforces what the running plugin says.",
			Spec:  specManifest + " (\"self-description returned from plugin.initialize\"); host: plugin.toml has version and [permissions] as well",
			Fix:   "Keep both in step; read plugin.toml at the start, or write it from the same constants."},
		Needs: []string{"rpc.initialize.identity"},
		Idle:  "plugin.toml says neither version nor permissions, or there is none",
		Applies: func(c *Conversation) bool {
			return c.identity != nil && c.Static != nil && (c.Static.Version != "" || c.Static.Permissions != nil)
		},
		Judge: func(c *Conversation) []validator.Finding {
			var found []validator.Finding
			if c.Static.Version != "" {
				found = differs("version", c.Static.Version, c.identity.Version)
			}
			if p := c.Static.Permissions; p != nil {
				said := c.identity.Permissions
				for _, list := range []struct {
					name         string
					static, said []string
				}{{"config_keys", p.ConfigKeys, said.ConfigKeys}, {"tools_call", p.ToolsCall, said.ToolsCall}, {"events", p.Events, said.Events}} {
					found = append(found, differs("permissions."+list.name, sorted(list.static), sorted(list.said))...)
				}
			}
			return found
		},
	},
	{
		Check: validator.Check{ID: "rpc.silent-before-initialize", Level: validator.Should, Contract: contractID,
			Title: "Before it has answered plugin.initialize it sends nothing but registrations",
			Why:   "Until then the host knows no permissions, so it refuses what is gated, and hosts that want the answer first end the connection.",
			Spec:  "host: registrations may come before the initialize response; " + specClient + ", Start",
			Fix:   "Send logs to stderr, and hold other calls back until the answer to plugin.initialize is written."},
		Applies: func(c *Conversation) bool { return c.opening != nil },
		Judge:   tooEarly,
	},
	{
		Check: validator.Check{ID: "rpc.register.tool", Level: validator.Must, Contract: contractID,
			Title: "Each tool it registers has a name of its own without a colon, and a schema that compiles",
			Why:   "The host offers the tool as plugin:<plugin>:<tool> with this schema: a model cannot call what has no name, another's name or a schema that nobody can read.",
			Spec:  "Overkill, Package plugin, type ToolDecl, type ToolAdapter (\"plugin:<plugin>:<tool>\")",
			Fix:   "Register {\"name\":…,\"description\":…,\"args_schema\":{…},\"risk_level\":…} once for each tool, args_schema being a JSON Schema as an object, not as a string."},
		Idle:    "it registers no tool",
		Applies: func(c *Conversation) bool { return c.uses(RegisterTool) },
		Judge: func(c *Conversation) []validator.Finding {
			return judgeRegistrations(c, RegisterTool, func(d declaration) string { return d.Name }, schemaFindings)
		},
	},
	{
		Check: validator.Check{ID: "rpc.register.command", Level: validator.Must, Contract: contractID,
			Title: "Each command it registers has an id of its own without a colon, and a title",
			Why:   "The user sees the title and the host calls plugin:<plugin>:<id>: a blank one cannot be seen, and one with a colon leads elsewhere.",
			Spec:  "Overkill, Package plugin, type CommandDecl, func CommandID, func ParseCommandID",
			Fix:   "Register {\"id\":…,\"title\":…,\"description\":…} once for each command."},
		Idle:    "it registers no command",
		Applies: func(c *Conversation) bool { return c.uses(RegisterCommand) },
		Judge: func(c *Conversation) []validator.Finding {
			return judgeRegistrations(c, RegisterCommand, func(d declaration) string { return d.ID }, nil)
		},
	},
	{
		Check: validator.Check{ID: "rpc.register.described", Level: validator.Should, Contract: contractID,
			Title: "Tools and commands are described",
			Why:   "A model chooses a tool by its description, and a user a command; without one neither knows what it does.",
			Spec:  "Overkill, Package plugin, type ToolDecl, type CommandDecl (description)",
			Fix:   "Add a description: what it does, and when to use it."},
		Idle:    "it registers nothing",
		Applies: func(c *Conversation) bool { return c.uses(RegisterTool) || c.uses(RegisterCommand) },
		Judge: func(c *Conversation) []validator.Finding {
			return judgeEach(c, func(m *Message) *validator.Finding {
				if m.Method != RegisterTool && m.Method != RegisterCommand {
					return nil
				}
				d := readDeclaration(m.Params)
				if strings.TrimSpace(d.Description) != "" {
					return nil
				}
				return &validator.Finding{Class: m.Method, Message: fmt.Sprintf("%s registers %q without a description", m, d.Name+d.ID), Expected: "a description", Got: validator.Quote(m.Params, 200)}
			})
		},
	},
	gated(Subscribe, "rpc.subscribe.declared", "events", "event", "It subscribes only to events that its manifest declares", "Subscribing to an undeclared event is rejected"),
	{
		Check: validator.Check{ID: "rpc.subscribe.known", Level: validator.Must, Contract: contractID,
			Title: "It subscribes only to events that the host has, and declares no others",
			Why:   "An event that the host does not know never comes.",
			Spec:  specEvents,
			Fix:   "Write the events as the document does, in lower case and with underscores."},
		Idle: "it neither subscribes to an event nor declares one",
		Applies: func(c *Conversation) bool {
			return c.uses(Subscribe) || c.identity != nil && len(c.identity.Permissions.Events) > 0
		},
		Judge: func(c *Conversation) []validator.Finding {
			var events []string
			for m := range c.messages(validator.FromPlugin) {
				if e := readDeclaration(m.Params).Event; m.Method == Subscribe && len(m.paramViolations()) == 0 && !slices.Contains(events, e) {
					events = append(events, e)
				}
			}
			found := unknownEvents("it subscribes to", events)
			if c.identity != nil {
				found = append(found, unknownEvents("plugin.initialize declares the event", without(c.identity.Permissions.Events, events))...)
			}
			return found
		},
	},
	gated(ConfigGet, "rpc.config.declared", "config_keys", "key", "It reads only configuration that its manifest declares", "AllowsConfigKey reports whether the manifest declared the given config key"),
	gated(CallTool, "rpc.call-tool.declared", "tools_call", "name", "It calls only tools that its manifest declares, and its own", "this gate is for invoking other tools the host exposes"),
	{
		Check: validator.Check{ID: "rpc.context.shape", Level: validator.Must, Contract: contractID,
			Title: "context.provide is answered with snippets, each with a title and content",
			Why:   "The host puts the contents into the prompt; an answer of another shape adds nothing, and nobody is told.",
			Spec:  "Overkill, Package plugin, type ContextResponse, type ContextSnippet",
			Fix:   "Answer {\"snippets\":[{\"title\":…,\"content\":…}]}, with an empty list where there is nothing to add."},
		Idle:    "it provides no context",
		Applies: func(c *Conversation) bool { return len(c.provided()) > 0 },
		Judge: func(c *Conversation) []validator.Finding {
			var found []validator.Finding
			for _, m := range c.provided() {
				found = append(found, violations("in "+m.String()+", ", validate(ContextProvide, m.Result))...)
			}
			return found
		},
	},
	{
		Check: validator.Check{ID: "rpc.context.in-time", Level: validator.Must, Contract: contractID,
			Title: "context.provide is answered within 2 s",
			Why:   "The user waits with every prompt. After 2 s the host goes on without the plugin, silently.",
			Spec:  "Overkill, Package plugin, func (*Manager) Provide (\"with a 2s timeout per plugin\")",
			Fix:   "Answer from what is at hand, and gather in the background; do not let other calls keep this one waiting."},
		Idle:    "it provides no context",
		Applies: func(c *Conversation) bool { return c.judgesTime(ContextProvide) },
		Judge:   func(c *Conversation) []validator.Finding { return c.lateCalls(ContextProvide) },
	},
	{
		Check: validator.Check{ID: "rpc.context.limits", Level: validator.Should, Contract: contractID,
			Title: "A snippet's title has up to 80 characters and its content up to 8,000",
			Why:   "The host shows no more: what is longer is cut in the middle of a thought.",
			Spec:  "host: it shows snippet titles up to 80 characters and contents up to 8,000; func AssembleSnippets (a global budget)",
			Fix:   "Shorten them yourself, where it makes sense."},
		Needs:   []string{"rpc.context.shape"},
		Idle:    "it provides no context",
		Applies: func(c *Conversation) bool { return len(c.provided()) > 0 },
		Judge:   overLimits,
	},
	{
		Check: validator.Check{ID: "rpc.shutdown", Level: validator.Must, Contract: contractID,
			Title: "It answers plugin.shutdown within 2 s",
			Why:   "The host waits for the answer at every exit, and then ends the plugin, whatever it was doing.",
			Spec:  specShutdown + "; host: 2 s",
			Fix:   "Answer plugin.shutdown first, flush, and leave then."},
		Applies: func(c *Conversation) bool { return c.judgesTime(Shutdown) },
		Judge:   func(c *Conversation) []validator.Finding { return c.lateCalls(Shutdown) },
	},
}

func differs(what, static, said string) []validator.Finding {
	if static == said {
		return nil
	}
	return []validator.Finding{{Class: what, Message: fmt.Sprintf("plugin.toml says %s %q, and plugin.initialize says %q", what, static, said), Expected: static, Got: said}}
}

func sorted(list []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(list))), ", ")
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(e string) bool { return slices.Contains(others, e) })
}

// registrations may come at any time.
var registrations = []string{RegisterTool, RegisterCommand, Subscribe, ContextProvider}

func tooEarly(c *Conversation) []validator.Finding {
	var found []validator.Finding
	opened := false
	for _, m := range c.Messages {
		switch {
		case m == c.opening.Request:
			opened = true
		case m == c.opening.Answer() || slices.Contains(m.Batch, c.opening.Answer()):
			return found
		case m.From != validator.FromPlugin || m.Kind != Request && m.Kind != Notification:
		case !opened:
			found = append(found, validator.Finding{Class: "first " + m.Method, Message: fmt.Sprintf("it sent %s before the host had sent anything", m), Expected: "silence until plugin.initialize", Got: validator.Quote(m.Raw, 200)})
		case !slices.Contains(registrations, m.Method):
			found = append(found, validator.Finding{Class: m.Method, Message: fmt.Sprintf("it sent %s before it answered plugin.initialize", m), Expected: "registrations at most", Got: validator.Quote(m.Raw, 200)})
		}
	}
	return found
}

// uses reports whether the plugin called a method of the host.
func (c *Conversation) uses(method string) bool {
	return some(c, func(m *Message) bool { return m.Method == method })
}

// provided are the results of context.provide.
func (c *Conversation) provided() []*Message {
	var list []*Message
	for m := range c.messages(validator.FromPlugin) {
		if m.Kind == Response && m.Call != nil && m.Call.Request.Method == ContextProvide && m.Result != nil {
			list = append(list, m)
		}
	}
	return list
}
