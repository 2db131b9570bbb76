package harness

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plugcheck/contracts"
	"plugcheck/validator/argsgen"
	"plugcheck/validator/rpc"
)

// Risks are the words for how much harm a tool can do, the least first. A word
// that is not among them counts as high: the kit cannot know.
var Risks = []string{"none", "low", "medium", "high", "critical"}

// DefaultMaxRisk is how much a tool may dare and still be called.
const DefaultMaxRisk = "medium"

func riskOf(word string) int {
	if word == "" {
		return 0
	}
	if i := slices.Index(Risks, strings.ToLower(word)); i >= 0 {
		return i
	}
	return slices.Index(Risks, "high")
}

// spared says why a tool is not called, or nothing.
func (s *jsonrpc) spared(t tool) string {
	most := cmp.Or(s.options.MaxRisk, DefaultMaxRisk)
	switch {
	case slices.Contains(s.target.Config.Tools.Skip, t.name):
		return fmt.Sprintf("%s is skipped by [tools] in %s", t.name, ConfigName)
	case riskOf(t.risk) > riskOf(most):
		return fmt.Sprintf("%s has the risk %q, and --max-risk is %s", t.name, t.risk, most)
	}
	return ""
}

// examples is how many arguments are drawn for a tool by the checks that are no property.
const examples = 3

// arguments are the author's examples for a tool, and otherwise some that are
// drawn from its schema.
func (s *jsonrpc) arguments(t tool) ([]any, error) {
	var list []any
	for _, args := range s.target.Config.Tools.Args[t.name] {
		list = append(list, args)
	}
	if len(list) > 0 {
		return list, nil
	}
	if bytesNull(t.schema) {
		return []any{map[string]any{}}, nil
	}
	gen, err := argsgen.Valid(t.schema)
	if err != nil {
		return nil, fmt.Errorf("no arguments can be drawn for the tool %s: %w; name some under [tools] in %s: args.%s = [{…}]", t.name, err, ConfigName, t.name)
	}
	for i := range examples {
		list = append(list, gen.Example(i+1))
	}
	return list, nil
}

func bytesNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// tools are the tools that may be called. An outcome says why there are none.
func (s *jsonrpc) tools() ([]tool, error) {
	if len(s.usual.tools) == 0 {
		return nil, skip("it registers no tool")
	}
	var list []tool
	var why []string
	for _, t := range s.usual.tools {
		if reason := s.spared(t); reason != "" {
			why = append(why, reason)
			continue
		}
		list = append(list, t)
	}
	if len(list) == 0 {
		return nil, skip("no tool may be called: %s", strings.Join(why, "; "))
	}
	return list, nil
}

// toolRequests is one request, or with all several, for each tool that may be
// called and that arguments are known for.
func (s *jsonrpc) toolRequests(all bool) (list []request, err error) {
	tools, none := s.tools()
	if none != nil {
		return nil, none
	}
	var troubles []error
	for _, t := range tools {
		args, err := s.arguments(t)
		if err != nil {
			troubles = append(troubles, err)
			continue
		}
		if !all {
			args = args[:1]
		}
		for _, a := range args {
			list = append(list, toolRequest(t, a))
		}
	}
	if len(troubles) > 0 {
		return list, cannotTest("%v", errors.Join(troubles...))
	}
	return list, nil
}

// offers are requests that should be answered with a result: tools with one set of
// arguments each, commands, and context.
func (s *jsonrpc) offers() []request {
	list, _ := s.toolRequests(false) // those without arguments are told by rpc.tool.answers
	list = append(list, s.invocations("")...)
	if s.usual.context {
		list = append(list, contextRequest("How do I begin?"))
	}
	return list
}

// usable are the offers that were answered on first contact.
func (s *jsonrpc) usable() []request {
	return slices.DeleteFunc(s.offers(), func(r request) bool { return s.mute[r.key()] })
}

// calls leaves context out of a list, which has a time limit of its own.
func calls(list []request) []request {
	return slices.DeleteFunc(list, func(r request) bool { return r.method == rpc.ContextProvide })
}

func toolRequest(t tool, args any) request {
	return request{fmt.Sprintf("the tool %s with %s", t.name, shorten(encoded(args), 200)), rpc.ToolCall, map[string]any{"name": t.name, "args": args}}
}

func unknownTool() request {
	return request{"a tool that was never registered", rpc.ToolCall, map[string]any{"name": "plugcheck_no_such_tool", "args": map[string]any{}}}
}

func unknownMethod() request {
	return request{"a method that no host has", "plugcheck.no_such_method", map[string]any{}}
}

func contextRequest(prompt string) request {
	return request{"context.provide", rpc.ContextProvide, map[string]any{"prompt_so_far": prompt, "session_id": "plugcheck-session"}}
}

// invocations is a request for each command that may be invoked.
func (s *jsonrpc) invocations(args string) []request {
	var list []request
	for _, c := range s.usual.commands {
		if !slices.Contains(s.target.Config.Commands.Skip, c.id) {
			list = append(list, request{"the command " + c.id, rpc.CommandInvoke, map[string]any{"id": c.id, "args": args}})
		}
	}
	return list
}

// carriers are the places where a text can be sent, by what makes a request of a
// text. A tool is one where a property of its arguments can be any text.
func (s *jsonrpc) carriers() []func(text string) request {
	list := []func(string) request{func(text string) request {
		r := unknownTool()
		r.params = map[string]any{"name": "plugcheck_no_such_tool", "args": map[string]any{"text": text}}
		return r
	}}
	for i := range s.invocations("") {
		list = append(list, func(text string) request { return s.invocations(text)[i] })
	}
	if s.usual.context {
		list = append(list, contextRequest)
	}
	tools, _ := s.tools() // none is fine
	for _, t := range tools {
		args, err := s.arguments(t)
		if err != nil || bytesNull(t.schema) {
			continue
		}
		if carry := carrier(t, args[0]); carry != nil {
			list = append(list, carry)
		}
	}
	return slices.DeleteFunc(list, func(carry func(string) request) bool { return s.mute[carry(plainText).key()] })
}

// carrier puts a text in place of a property of a tool's arguments, if any text is
// allowed there.
func carrier(t tool, args any) func(string) request {
	fields, ok := args.(map[string]any)
	if !ok {
		return nil
	}
	schema, err := contracts.CompileSchema(t.schema)
	if err != nil {
		return nil
	}
	var outline struct {
		Properties map[string]json.RawMessage
	}
	if json.Unmarshal(t.schema, &outline) != nil {
		return nil
	}
	var names []string
	for name := range outline.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		with := func(text string) map[string]any {
			changed := map[string]any{}
			for k, v := range fields {
				changed[k] = v
			}
			changed[name] = text
			return changed
		}
		if len(schema.Validate(encoded(with(everyKind)))) == 0 && len(schema.Validate(encoded(with(strings.Repeat("x", large))))) == 0 {
			return func(text string) request {
				r := toolRequest(t, with(text))
				r.about = fmt.Sprintf("the tool %s with the text as %q", t.name, name)
				return r
			}
		}
	}
	return nil
}

func shorten(b []byte, limit int) string {
	if len(b) > limit {
		return string(b[:limit]) + "…"
	}
	return string(b)
}
