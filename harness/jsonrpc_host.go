package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

// A manner is how the host of a session behaves where it does not behave as usual.
type manner struct {
	// What the host says of itself.
	version      string
	capabilities map[string]any
	firstID      int64 // of its requests; 1 where it is zero

	// Of the calls that are no registrations: how long it takes to answer, what it
	// answers in place of the result, and what it does before.
	late     time.Duration
	fault    *fault
	hold     bool // it answers only when it is told to, see letGo
	null     bool // it answers all calls with null where it can
	asksBack bool // it sends a request before it answers
	collides bool // and that with the id of the plugin's call

	deaf bool // nobody reads stderr
}

// A fault is an error that the host answers.
type fault struct {
	code    int
	message string
	reason  string // data.reason
}

const (
	hostVersion = "0.1.0"
	// asideTime is how long the host waits between a request of its own and its
	// answer to the plugin's call, so that the request is there first.
	asideTime = 50 * time.Millisecond
)

// greeting is what plugin.initialize says.
func (m *manner) greeting() map[string]any {
	version := m.version
	if version == "" {
		version = hostVersion
	}
	capabilities := map[string]any{"tools": true, "commands": true, "events": true, "context_provider": true}
	for k, v := range m.capabilities {
		capabilities[k] = v
	}
	return map[string]any{"host_version": version, "capabilities": capabilities}
}

// A host answers the calls of one plugin as the published host does. Its dialogue's
// lock guards it.
type host struct {
	manner   manner
	dialogue *dialogue
	registry registry

	touched int             // calls of the plugin that the manner is about
	uses    map[string]bool // what permissions were used for: method, space, name
	asides  []*rpc.Call     // requests that were sent before it answered
	held    []*holdover     // answers that were not sent yet
	said    []*rpc.Message  // what the plugin called besides registrations, the first thousand
}

type holdover struct {
	answer []byte
	sent   bool
}

// hear lets the host react to what the plugin said.
func (h *host) hear(m *rpc.Message) {
	switch m.Kind {
	case rpc.Batch:
		for _, inner := range m.Batch {
			h.hear(inner)
		}
	case rpc.Request, rpc.Notification:
		if name := rpc.Target(m); name != "" && len(h.uses) < maxRegistered {
			h.uses[m.Method+" "+name] = true
		}
		result, e := h.serve(m.Method, m.Params)
		if h.registry.size() > maxRegistered {
			h.dialogue.flood("it registered more than 1,000 tools, commands and events")
		}
		if m.Kind == rpc.Request && h.dialogue.conv.Closed == 0 { // or nothing can be said any more
			h.answer(m, result, e)
		}
	}
}

// answer answers a call in the host's manner.
func (h *host) answer(m *rpc.Message, result any, e *fault) {
	if isRegistration(m.Method) || !h.dialogue.greeted {
		if h.manner.null && e == nil {
			result = nil
		}
		h.dialogue.write(response(m.ID, result, e))
		return
	}
	if len(h.said) < 1000 {
		h.said = append(h.said, m)
	}
	if denies := h.manner.fault != nil && h.manner.fault.code == rpc.CodePermissionDenied; e == nil && (!denies || isGated(m.Method)) {
		h.touched++
		e = h.manner.fault
	}
	switch {
	case e != nil:
	case h.manner.null:
		if m.Method == rpc.ConfigGet {
			result = map[string]any{"value": nil}
		} else if m.Method != rpc.SessionGet { // that is always one
			result = nil
		}
	}
	late := h.manner.late
	asking := slices.ContainsFunc(h.asides, func(k *rpc.Call) bool { return k.Answer() == nil })
	if h.manner.asksBack && !asking { // what is asked may make it call the host in turn
		id := h.dialogue.nextID()
		if h.manner.collides {
			id = m.ID
		}
		probe := h.dialogue.wire.probe
		h.asides = append(h.asides, h.dialogue.callAs(id, probe.method, probe.params))
		late = asideTime
	}
	out := &holdover{answer: response(m.ID, result, e)}
	switch {
	case h.manner.hold:
		h.held = append(h.held, out)
	case late > 0:
		h.held = append(h.held, out)
		time.AfterFunc(late, func() {
			h.dialogue.mu.Lock()
			defer h.dialogue.mu.Unlock()
			h.release(out)
		})
	default:
		h.dialogue.write(out.answer)
	}
}

func (h *host) release(out *holdover) {
	if !out.sent && !h.dialogue.over() && h.dialogue.conv.Closed == 0 {
		h.dialogue.write(out.answer)
	}
	out.sent = true
	h.dialogue.tell()
}

// letGo sends all answers that were held, and holds no more.
func (h *host) letGo() {
	h.dialogue.mu.Lock()
	defer h.dialogue.mu.Unlock()
	held := h.held
	h.held, h.manner.hold = nil, false
	for _, out := range held {
		h.release(out)
	}
}

// letGoOne sends one of the answers that were held, if there is one.
func (h *host) letGoOne(which int) {
	h.dialogue.mu.Lock()
	defer h.dialogue.mu.Unlock()
	h.held = slices.DeleteFunc(h.held, func(o *holdover) bool { return o.sent })
	if n := len(h.held); n > 0 {
		h.release(h.held[which%n])
	}
}

func response(id json.RawMessage, result any, e *fault) []byte {
	part := []byte(`,"result":`)
	var value any = result
	if e != nil {
		part = []byte(`,"error":`)
		body := map[string]any{"code": e.code, "message": e.message}
		if e.reason != "" {
			body["data"] = map[string]any{"reason": e.reason}
		}
		value = body
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, part, encoded(value), []byte(`}`))
}

func isRegistration(method string) bool {
	switch method {
	case rpc.RegisterTool, rpc.RegisterCommand, rpc.Subscribe, rpc.ContextProvider:
		return true
	}
	return false
}

// isGated tells the calls, other than registrations, that need a permission.
func isGated(method string) bool { return method == rpc.ConfigGet || method == rpc.CallTool }

// serve does what a call asks for. The published host does not say what its
// registrations return; an empty object is what nobody can trip over.
func (h *host) serve(method string, params json.RawMessage) (result any, e *fault) {
	var p struct {
		Name, ID, Title, Description, Event, Key string
		RiskLevel                                string          `json:"risk_level"`
		ArgsSchema                               json.RawMessage `json:"args_schema"`
	}
	if params != nil && json.Unmarshal(params, &p) != nil { // the rules tell what is wrong with it
		return nil, &fault{code: rpc.CodeInvalidParams, message: "the params of " + method + " cannot be read"}
	}
	done := map[string]any{}
	wanted := &fault{code: rpc.CodeInvalidParams, message: method + " lacks what it is about"}
	config := &h.dialogue.wire.target.Config
	switch method {
	case rpc.RegisterTool:
		if p.Name == "" {
			return nil, wanted
		}
		h.registry.addTool(tool{p.Name, p.RiskLevel, p.ArgsSchema, p.Description})
		return done, nil
	case rpc.RegisterCommand:
		if p.ID == "" {
			return nil, wanted
		}
		h.registry.addCommand(slashCommand{p.ID, p.Title})
		return done, nil
	case rpc.Subscribe:
		if e := h.denied(method, p.Event, "the event"); e != nil {
			return nil, e
		}
		h.registry.addEvent(p.Event)
		return done, nil
	case rpc.ContextProvider:
		h.registry.context = true
		return done, nil
	case rpc.Toast:
		return done, nil
	case rpc.SessionGet:
		return config.Host.session(), nil
	case rpc.ConfigGet:
		if e := h.denied(method, p.Key, "the config key"); e != nil {
			return nil, e
		}
		return map[string]any{"value": config.Host.Config[p.Key]}, nil
	case rpc.CallTool:
		if e := h.denied(method, p.Name, "the tool"); e != nil {
			return nil, e
		}
		if answer, ok := config.Host.Tools[p.Name]; ok {
			return answer, nil
		}
		return "plugcheck answers for " + p.Name, nil
	}
	return nil, &fault{code: rpc.CodeMethodNotFound, message: "the host has no method " + method}
}

// denied is the refusal of what the manifest does not declare; a plugin's own tools
// need no permission. Before anything was
// declared nothing is denied: the rules judge it by what is declared later.
func (h *host) denied(method, name, what string) *fault {
	p, known := h.dialogue.conv.Permissions()
	if !known || p.Allows(method, name) || method == rpc.CallTool && h.registry.has(strings.TrimPrefix(name, "plugin:"+h.plugin()+":")) {
		return nil
	}
	return &fault{rpc.CodePermissionDenied, "permission denied", fmt.Sprintf("%s %q is not declared in the manifest's permissions", what, name)}
}

// plugin is what the plugin calls itself.
func (h *host) plugin() string {
	if who := h.dialogue.conv.Identity(); who != nil {
		return who.Name
	}
	return ""
}

// A registry is what a plugin has registered.
type registry struct {
	tools    []tool
	commands []slashCommand
	events   []string
	context  bool
}

type tool struct {
	name, risk  string
	schema      json.RawMessage
	description string
}

type slashCommand struct{ id, title string }

func (r *registry) clone() registry {
	return registry{slices.Clone(r.tools), slices.Clone(r.commands), slices.Clone(r.events), r.context}
}

// has reports whether a tool was registered.
func (r *registry) has(name string) bool {
	return slices.ContainsFunc(r.tools, func(t tool) bool { return t.name == name })
}

func (r *registry) size() int {
	n := len(r.tools) + len(r.commands) + len(r.events)
	if r.context {
		n++
	}
	return n
}

// maxRegistered bounds what a plugin may register; a real one has a handful.
const maxRegistered = 1000

func (r *registry) addTool(t tool) {
	if i := slices.IndexFunc(r.tools, func(o tool) bool { return o.name == t.name }); i >= 0 {
		r.tools[i] = t
	} else {
		r.tools = append(r.tools, t)
	}
}

func (r *registry) addCommand(c slashCommand) {
	if i := slices.IndexFunc(r.commands, func(o slashCommand) bool { return o.id == c.id }); i >= 0 {
		r.commands[i] = c
	} else {
		r.commands = append(r.commands, c)
	}
}

func (r *registry) addEvent(name string) {
	if !slices.Contains(r.events, name) {
		r.events = append(r.events, name)
	}
}

// lines are the registrations in words, sorted, to be compared.
func (r *registry) lines() []string {
	var list []string
	for _, t := range r.tools {
		list = append(list, fmt.Sprintf("the tool %q (risk %q, args_schema %s)", t.name, t.risk, validator.Quote(t.schema, 200)))
	}
	for _, c := range r.commands {
		list = append(list, fmt.Sprintf("the command %q (%s)", c.id, c.title))
	}
	for _, e := range r.events {
		list = append(list, fmt.Sprintf("the event %q", e))
	}
	if r.context {
		list = append(list, "a context provider")
	}
	slices.Sort(list)
	return list
}

// lacks says which registrations are missing in another session, or nothing. What is
// new there may have come too late in the first.
func (r *registry) lacks(other *registry) string {
	after := other.lines()
	var missing []string
	for _, l := range r.lines() {
		if !slices.Contains(after, l) {
			missing = append(missing, l)
		}
	}
	if len(missing) > 5 {
		missing = append(missing[:5], fmt.Sprintf("and %d more", len(missing)-5))
	}
	return strings.Join(missing, "; ")
}
