package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plugcheck/contracts"
	"plugcheck/validator"
)

// A declaration is what the params of the host's methods can hold.
type declaration struct {
	ID, Name, Title, Description string
	Event, Key                   string
	ArgsSchema                   json.RawMessage `json:"args_schema"`
}

func readDeclaration(params json.RawMessage) declaration {
	var d declaration
	_ = json.Unmarshal(params, &d) // what has another type is told by the rule about the shape
	return d
}

// judgeRegistrations judges the calls of one of the two methods that register
// something: their shape, the names, and what else there is to say of each.
func judgeRegistrations(c *Conversation, method string, name func(declaration) string, more func(*Message, declaration) []validator.Finding) []validator.Finding {
	var found []validator.Finding
	seen := map[string]bool{}
	for _, m := range c.Messages {
		if m.From == validator.FromHost && m.Method == Initialize {
			clear(seen) // who is initialized again registers again
		}
		if m.From != validator.FromPlugin || m.Method != method {
			continue
		}
		if list := violations("the params of "+m.String()+": ", m.paramViolations()); len(list) > 0 {
			found = append(found, list...)
			continue
		}
		d := readDeclaration(m.Params)
		n := name(d)
		switch {
		case strings.Contains(n, ":"):
			found = append(found, validator.Finding{Class: "colon", Message: fmt.Sprintf("%s registers %q: the host takes plugin:<plugin>:<name> apart at colons", m, n), Expected: "a name without a colon", Got: fmt.Sprintf("%q", n)})
		case seen[n]:
			found = append(found, validator.Finding{Class: "twice", Message: fmt.Sprintf("%s registers %q a second time", m, n), Expected: "each name once", Got: validator.Quote(m.Params, 200)})
		}
		// What the host refused was not registered.
		seen[n] = seen[n] || m.Call == nil || m.Call.Answer() == nil || m.Call.Answer().Error == nil
		if more != nil {
			found = append(found, more(m, d)...)
		}
	}
	return found
}

func schemaFindings(m *Message, d declaration) []validator.Finding {
	if null(d.ArgsSchema) {
		return nil
	}
	_, err := contracts.CompileSchema(d.ArgsSchema)
	if err == nil || errors.Is(err, contracts.ErrUnsupported) {
		return nil
	}
	return []validator.Finding{{Class: "args_schema", Message: fmt.Sprintf("the args_schema of %q is no JSON Schema: %v", d.Name, err), Expected: "a JSON Schema", Got: validator.Quote(d.ArgsSchema, 300)}}
}

// gated is the rule that a method is only called with what the manifest declares.
func gated(method, id, list, param, title, quote string) rule {
	return rule{
		Check: validator.Check{ID: id, Level: validator.Must, Contract: contractID, Title: title,
			Why:  "The host refuses it with -32001, so the plugin never gets what it asks for, and the user was not asked for it.",
			Spec: specPermission + " (\"" + quote + "\")",
			Fix:  "Add it to permissions." + list + " in the result of plugin.initialize and in plugin.toml, or do without it."},
		Idle: "it never calls " + method,
		Applies: func(c *Conversation) bool {
			_, known := c.Permissions()
			return known && c.uses(method)
		},
		Judge: func(c *Conversation) []validator.Finding {
			declared, _ := c.Permissions()
			return judgeEach(c, func(m *Message) *validator.Finding {
				if m.Method != method || len(m.paramViolations()) > 0 {
					return nil
				}
				name := Target(m)
				if declared.Allows(method, name) || method == CallTool && c.owns(name) || method == Subscribe && !slices.Contains(contract().Events, name) {
					return nil
				}
				allowed, _ := declared.gate(method)
				return &validator.Finding{Class: name, Message: fmt.Sprintf("it called %s with the %s %q, and permissions.%s does not declare it", method, param, name, list),
					Expected: "one of [" + strings.Join(allowed, ", ") + "]", Got: fmt.Sprintf("%q", name)}
			})
		},
	}
}

// Target is the event, config key or tool that a call of the plugin is about:
// what permissions are checked against.
func Target(m *Message) string {
	d := readDeclaration(m.Params)
	switch m.Method {
	case Subscribe:
		return d.Event
	case ConfigGet:
		return d.Key
	case CallTool:
		return d.Name
	}
	return ""
}

// owns reports whether a tool is one that the plugin registered itself.
func (c *Conversation) owns(tool string) bool {
	if c.identity != nil {
		tool = strings.TrimPrefix(tool, "plugin:"+c.identity.Name+":")
	}
	return some(c, func(m *Message) bool { return m.Method == RegisterTool && readDeclaration(m.Params).Name == tool })
}

// overLimits tells snippets of which the host shows only a part.
func overLimits(c *Conversation) []validator.Finding {
	limits := contract().Limits
	var found []validator.Finding
	for _, m := range c.provided() {
		var r struct {
			Snippets []struct{ Title, Content string }
		}
		_ = json.Unmarshal(m.Result, &r) // it has the shape
		for i, s := range r.Snippets {
			for _, part := range []struct {
				name, text string
				most       int
			}{{"title", s.Title, limits["snippet_title_chars"]}, {"content", s.Content, limits["snippet_content_chars"]}} {
				if n := utf8.RuneCountInString(part.text); n > part.most {
					found = append(found, validator.Finding{Class: part.name, Message: fmt.Sprintf("the %s of snippet %d in %s has %d characters; the host shows %d", part.name, i+1, m, n, part.most),
						Expected: fmt.Sprintf("%d characters at most", part.most), Got: validator.Quote([]byte(part.text), 100)})
				}
			}
		}
	}
	return found
}
