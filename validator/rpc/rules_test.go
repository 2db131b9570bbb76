package rpc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plugcheck/contracts"
	"plugcheck/validator"
)

// talk makes a conversation of a script: "> " is a line of the host, "< " one of
// the plugin, "<| " its last without a newline, "+ " lets time pass, "close",
// "sent SIGNAL", "stderr TEXT", "exit N" and "left COMMAND" are what they say.
func talk(t testing.TB, script string) *Conversation {
	t.Helper()
	c := New("a test", ReadManifest("plugin.toml", []byte("name = \"demo\"\nversion = \"1.0\"\nentry = \"run\"\n[permissions]\nconfig_keys = [\"k\"]\ntools_call = [\"read\"]\nevents = [\"compact\"]\n")))
	at := time.Duration(0)
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		what, rest, _ := strings.Cut(line, " ")
		at += time.Millisecond
		switch what {
		case ">":
			c.Add(at, validator.FromHost, []byte(rest))
		case "<":
			c.Add(at, validator.FromPlugin, []byte(rest))
		case "<|":
			c.AddRest(at, validator.FromPlugin, []byte(rest))
		case "+":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			at += d
		case "close":
			c.CloseStdin(at)
		case "sent":
			c.Signal(at, rest)
		case "left":
			c.LeftRunning = append(c.LeftRunning, validator.Survivor{PID: 42, Command: rest})
		case "stderr":
			c.Note(at, validator.FromStderr, []byte(rest))
		case "exit":
			e := validator.Exit{}
			fmt.Sscan(rest, &e.Code)
			c.Leave(at, e)
		case "":
		default:
			t.Fatalf("%q is no line of a script", line)
		}
	}
	return c
}

const hello = `> {"jsonrpc":"2.0","id":1,"method":"plugin.initialize","params":{"host_version":"0.1.0","capabilities":{}}}
< {"jsonrpc":"2.0","id":1,"method":"host.register_tool","params":{"name":"echo","description":"Says it again.","args_schema":{"type":"object"},"risk_level":"low"}}
< {"jsonrpc":"2.0","id":1,"result":{"name":"demo","version":"1.0","manifest":{"name":"demo","version":"1.0","permissions":{"config_keys":["k"],"tools_call":["read"],"events":["compact"]}}}}
> {"jsonrpc":"2.0","id":1,"result":null}
`

const goodbye = `> {"jsonrpc":"2.0","id":99,"method":"plugin.shutdown","params":{}}
< {"jsonrpc":"2.0","id":99,"result":null}
exit 0
`

// findings are those of all rules, by their ids.
func findings(c *Conversation) map[string][]validator.Finding {
	found := map[string][]validator.Finding{}
	for _, o := range validator.Judge(Rules(), c) {
		if len(o.Findings) > 0 {
			found[o.Check.ID] = o.Findings
		}
	}
	return found
}

const fullSession = hello + `< {"jsonrpc":"2.0","id":2,"method":"host.subscribe","params":{"event":"compact"}}
> {"jsonrpc":"2.0","id":2,"result":null}
< {"jsonrpc":"2.0","id":3,"method":"host.register_command","params":{"id":"hi","title":"Say hi","description":"Says hi."}}
< {"jsonrpc":"2.0","id":4,"method":"host.context_provider","params":{}}
< {"jsonrpc":"2.0","id":5,"method":"host.config_get","params":{"key":"k"}}
< {"jsonrpc":"2.0","id":6,"method":"host.call_tool","params":{"name":"read","args":{}}}
< {"jsonrpc":"2.0","id":7,"method":"host.call_tool","params":{"name":"plugin:demo:echo","args":{}}}
< {"jsonrpc":"2.0","id":8,"method":"host.session_get"}
< {"jsonrpc":"2.0","id":9,"method":"host.toast","params":{"kind":"info","text":"hello"}}
> {"jsonrpc":"2.0","id":4,"result":null}
> {"jsonrpc":"2.0","id":5,"error":{"code":-32001,"message":"denied","data":{"reason":"config"}}}
> {"jsonrpc":"2.0","method":"event.fire","params":{"event":"compact","payload":null}}
> {"jsonrpc":"2.0","id":9007199254740993,"method":"tool.call","params":{"name":"echo","args":{}}}
> {"jsonrpc":"2.0","id":11,"method":"context.provide","params":{"prompt_so_far":"","session_id":"s"}}
< {"jsonrpc":"2.0","id":11,"result":{"snippets":[{"title":"t","content":"c"}]}}
< {"jsonrpc":"2.0","id":9007199254740993,"result":{}}
> {"id":12,"method":"tool.call"}
< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no version"}}
> {"jsonrpc":"2.0","id":13,
< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}
> [{"jsonrpc":"2.0","id":14,"method":"nope"},{"jsonrpc":"2.0","id":15,"method":"nope"}]
< [{"jsonrpc":"2.0","id":15,"error":{"code":-32601,"message":"no"}},{"jsonrpc":"2.0","id":14,"error":{"code":-32601,"message":"no"}}]
> [{"jsonrpc":"2.0","id":16,"method":"nope"}]
< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}
> {"jsonrpc":"2.0","id":{"b":[1,2],"a":"é"},"params":{}}
< {"jsonrpc":"2.0","id":{"a": "\u00e9", "b": [1, 2]},"error":{"code":-32600,"message":"no method"}}
> {"jsonrpc":"2.0","id":"é","method":"nope"}
< {"jsonrpc":"2.0","id":"\u00e9","error":{"code":-32601,"message":"no"}}
> {"jsonrpc":"2.0","id":0.00001,"method":"nope"}
< {"jsonrpc":"2.0","id":1e-05,"error":{"code":-32601,"message":"no"}}
> [{"jsonrpc":"2.0","id":18,"method":"nope"}]
< {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"an array has no method"}}
>
<  {"jsonrpc":"2.0","id":17,"method":"host.toast","params":{"kind":"info","text":"crlf"}}` + "\r\n"

func TestAGoodConversationHasNoFindings(t *testing.T) {
	c := talk(t, fullSession+goodbye)
	for id, list := range findings(c) {
		t.Errorf("%s: %+v", id, list)
	}
	for _, d := range c.Owed() {
		if d.By == validator.FromPlugin {
			t.Errorf("the plugin owes %s", d.Call)
		}
	}
	applied := map[string]bool{}
	for _, o := range validator.Judge(Rules(), c) {
		applied[o.Check.ID] = true
	}
	for _, r := range Rules() {
		if !applied[r.ID] {
			t.Errorf("%s had nothing to judge", r.ID)
		}
	}
}

// TestEachRule gives each rule what it is there for: only it finds something, and
// says so in these words.
func TestEachRule(t *testing.T) {
	tool := func(params string) string {
		return `< {"jsonrpc":"2.0","id":50,"method":"host.register_tool","params":` + params + "}\n"
	}
	own := func(method, params string) string {
		return hello + fmt.Sprintf(`< {"jsonrpc":"2.0","id":50,"method":%q,"params":%s}`, method, params) + "\n"
	}
	call := hello + `> {"jsonrpc":"2.0","id":7,"method":"tool.call","params":{"name":"echo","args":{}}}` + "\n"
	event := hello + `> {"jsonrpc":"2.0","method":"event.fire","params":{"event":"compact","payload":null}}` + "\n"
	context := hello + `> {"jsonrpc":"2.0","id":7,"method":"context.provide","params":{"prompt_so_far":"","session_id":"s"}}` + "\n"
	initialized := func(result string) string {
		return `> {"jsonrpc":"2.0","id":1,"method":"plugin.initialize"}` + "\n" + `< {"jsonrpc":"2.0","id":1,"result":` + result + "}\n"
	}
	long := strings.Repeat("é", 81)
	used := map[string]bool{}
	for _, c := range []struct{ script, rule, class, says string }{
		{"< ready\n" + hello, "rpc.lines", "not-json", `line 1 of its stdout: a line that is no JSON: "ready"`},
		{call + "< [INFO] busy\n" + `< {"jsonrpc":"2.0","id":7,"result":1}`, "rpc.lines", "not-json", "while tool.call (id 7) was open"},
		{call + "< 5\n", "rpc.lines", "not-object", "no object"},
		{call + "< \n", "rpc.lines", "blank-line", "a blank line"},
		{call + "< {\n<   \"jsonrpc\": \"2.0\",\n<   \"id\": 7,\n<   \"result\": {}\n< }\n", "rpc.lines", "pretty-printed", "over 5 lines"},
		{call + "< Content-Length: 36\n< \n< " + `{"jsonrpc":"2.0","id":7,"result":1}Content-Length: 10` + "\n", "rpc.lines", "content-length", "Language Server Protocol"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":1}{"jsonrpc":"2.0","id":51,"method":"host.session_get"}`, "rpc.lines", "two-values", "two JSON values"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":1} done`, "rpc.lines", "text-after", "stands more text"},
		{call + `< [{"jsonrpc":"2.0","id":7,"result":1}]`, "rpc.lines", "batch", "an array of messages"},
		{call + `< {"jsonrpc":"2.0"}`, "rpc.lines", "no-message", "no JSON-RPC message"},
		{call + `< {"jsonrpc":"2.0","method":5}`, "rpc.lines", "method", "the method is"},
		{call + `<| {"jsonrpc":"2.0","id":7,"result":1}`, "rpc.lines", "no-newline", "no newline"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":1,"result":2}`, "rpc.strict-json", "duplicate-name", "stands twice"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":NaN}`, "rpc.strict-json", "nan", "NaN is not JSON"},
		{call + `< {'jsonrpc':'2.0','id':7}`, "rpc.strict-json", "single-quotes", "single quotes"},
		{call + `< {"jsonrpc":"2.0","id":7,"resu`, "rpc.strict-json", "cut-off", "cut off"},
		{call + "< \xef\xbb\xbf" + `{"jsonrpc":"2.0","id":7,"result":1}`, "rpc.strict-json", "bom", "byte order mark"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":"` + "\xe9" + `"}`, "rpc.strict-json", "invalid-utf-8", "0xe9"},
		{call + `< {"id":7,"result":1}`, "rpc.version", "none", "the answer to tool.call (id 7) has jsonrpc none"},
		{call + `< {"jsonrpc":2.0,"id":7,"result":1}`, "rpc.version", "2.0", "jsonrpc 2.0"},
		{call + `< {"jsonrpc":"2.0","id":"7","result":1}`, "rpc.id-echo", "a number to a string", `answered with the id "7" (a string)`},
		{call + `< {"jsonrpc":"2.0","id":7.0,"result":1}`, "rpc.id-echo", "a number to a number", `answered with the id 7.0`},
		{call + `< {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}`, "rpc.id-echo", "a number to null", "null"},
		{hello + `> {"jsonrpc":"2.0","id":9007199254740993,"method":"tool.call"}` + "\n" + `< {"jsonrpc":"2.0","id":9007199254740992,"result":1}`, "rpc.id-echo", "a number to a number", "9007199254740992"},
		{hello + `> {"jsonrpc":"2.0","id":"abc","method":"tool.call"}` + "\n" + `< {"jsonrpc":"2.0","id":0,"result":1}`, "rpc.id-echo", "a string to a number", "the id 0"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":null,"error":{"code":-32800,"message":"x"}}`, "rpc.result-xor-error", "both", "both a result and an error"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":1,"error":null}`, "rpc.result-xor-error", "both", "both a result"},
		{call + `< {"jsonrpc":"2.0","id":7}`, "rpc.result-xor-error", "neither", "neither"},
		{call + `< {"jsonrpc":"2.0","id":7,"error":"no"}`, "rpc.error-shape", " an object", "the error of the answer to tool.call (id 7)"},
		{hello + "> {\n" + `< {"jsonrpc":"2.0","id":null,"error":"no JSON"}`, "rpc.error-shape", " an object", "the error of the answer with the id null"},
		{call + `< {"jsonrpc":"2.0","id":7,"error":{"code":"-32602","message":"no"}}`, "rpc.error-shape", "code an integer", "code"},
		{call + `< {"jsonrpc":"2.0","id":7,"error":{"code":-32602.0,"message":"no"}}`, "rpc.error-shape", "code an integer without fraction or exponent", "-32602.0"},
		{call + `< {"jsonrpc":"2.0","id":7,"error":{"code":-32602}}`, "rpc.error-shape", "message a value", "message"},
		{call + `< {"jsonrpc":"2.0","id":7,"error":{"code":0,"message":"no"}}`, "rpc.error-code", "0", "error code 0"},
		{call + `< {"jsonrpc":"2.0","id":7,"error":{"code":-32699,"message":"no"}}`, "rpc.error-code", "-32699", "-32699"},
		{event + `< {"jsonrpc":"2.0","id":null,"result":null}`, "rpc.no-reply-to-notification", "answered", "answered a notification"},
		{event + `< {"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}`, "rpc.no-reply-to-notification", "answered", "answered a notification"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":1}` + "\n" + `< {"jsonrpc":"2.0","id":8,"result":1}`, "rpc.no-unknown-reply", "unknown", "the id 8 (a number), which the host never sent"},
		{call + `< {"jsonrpc":"2.0","id":7,"result":1}` + "\n" + `< {"jsonrpc":"2.0","id":7,"result":1}`, "rpc.no-unknown-reply", "twice", "a second time"},
		{call + `< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}` + "\n" + `> {"jsonrpc":"2.0","id":8,"method":"tool.call"}` + "\n" + `< {"jsonrpc":"2.0","id":7,"result":1}`, "rpc.no-unknown-reply", "twice-and-never", "and tool.call (id 8) not at all"},
		{own("host.session_get", "{}") + `< {"jsonrpc":"2.0","id":50,"method":"host.session_get"}`, "rpc.plugin-ids", "twice", "still open"},
		{hello + `< {"jsonrpc":"2.0","id":"p1","method":"host.session_get"}`, "rpc.plugin-ids", "type", `"p1"`},
		{hello + `< {"jsonrpc":"2.0","id":9007199254740993,"method":"host.session_get"}`, "rpc.plugin-ids", "number", "9007199254740993"},
		{own("host.registerTool", "{}"), "rpc.unknown-host-method", "host.registerTool", `it has "host.register_tool"`},
		{hello + `< {"jsonrpc":"2.0","method":"log","params":{}}`, "rpc.unknown-host-method", "log", `the notification "log"`},
		{own("host.toast", `{"kind":"info"}`), "rpc.host-params", "host.toast text a value", "text: wanted a value"},
		{hello + `< {"jsonrpc":"2.0","id":50,"method":"host.config_get"}`, "rpc.host-params", "host.config_get key a value", "key"},
		{`> {"jsonrpc":"2.0","id":1,"method":"plugin.initialize"}` + "\n+ 10s\nclose\nexit 0\n", "rpc.initialize", "silent", "did not answer plugin.initialize (id 1) in 10s"},
		{`> {"jsonrpc":"2.0","id":1,"method":"plugin.initialize"}` + "\nstderr Traceback\nstderr \nstderr \nexit 1\n", "rpc.initialize", "crash/Traceback", "it ended (exit status 1)"},
		{`> {"jsonrpc":"2.0","id":1,"method":"plugin.initialize"}` + "\n" + `< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, "rpc.initialize", "error", "with an error"},
		{`> {"jsonrpc":"2.0","id":1,"method":"plugin.initialize"}` + "\n+ 10s\nclose\n" + `< {"jsonrpc":"2.0","id":1,"result":{"name":"demo","version":"1.0","manifest":{"permissions":{"config_keys":["k"],"tools_call":["read"],"events":["compact"]}}}}`, "rpc.initialize", "not-flushed", "not flushed"},
		{initialized(`{"name":"demo","version":" ","manifest":{"permissions":{"config_keys":["k"],"tools_call":["read"],"events":["compact"]}}}`), "rpc.initialize.identity", "version", "no version"},
		{initialized(`[]`), "rpc.initialize.identity", " an object", "result of plugin.initialize"},
		{initialized(`{"name":"Demo","version":"1.0","manifest":{"permissions":{"config_keys":["k"],"tools_call":["read"],"events":["compact"]}}}`), "rpc.manifest.agrees", "name", `"demo"`},
		{initialized(`{"name":"demo","version":"1.1","manifest":{"permissions":{"config_keys":["k"],"tools_call":["read"],"events":["compact"]}}}`), "rpc.manifest.agrees-fully", "version", `"1.1"`},
		{initialized(`{"name":"demo","version":"1.0","manifest":{"permissions":{"config_keys":["k"],"tools_call":["read"],"events":null}}}`), "rpc.manifest.agrees-fully", "permissions.events", "compact"},
		{`< {"jsonrpc":"2.0","id":60,"method":"host.session_get"}` + "\n" + hello, "rpc.silent-before-initialize", "first host.session_get", "before the host had sent anything"},
		{strings.Replace(hello, "host.register_tool\",\"params\":", "host.toast\",\"params\":{\"kind\":\"info\",\"text\":\"x\"},\"extra\":", 1), "rpc.silent-before-initialize", "host.toast", "before it answered"},
		{hello + tool(`{"name":"a:b","description":"d"}`), "rpc.register.tool", "colon", "colons"},
		{hello + tool(`{"name":"echo","description":"d"}`), "rpc.register.tool", "twice", "a second time"},
		{hello + tool(`{"name":" ","description":"d"}`), "rpc.register.tool", "name a string that is not blank", "name"},
		{hello + tool(`{"name":"x","description":"d","risk_level":3}`), "rpc.register.tool", "risk_level a string or null", "risk_level"},
		{hello + tool(`{"name":"x","description":"d","args_schema":{"type":"objekt"}}`), "rpc.register.tool", "args_schema", "objekt"},
		{hello + tool(`{"name":"x","description":"d","args_schema":{"$ref":"#"}}`), "rpc.register.tool", "args_schema", "never ends"},
		{own("host.register_command", `{"id":"a","description":"d"}`), "rpc.register.command", "title a value", "title"},
		{hello + tool(`{"name":"x"}`), "rpc.register.described", "host.register_tool", `"x" without a description`},
		{own("host.subscribe", `{"event":"error"}`), "rpc.subscribe.declared", "error", "permissions.events does not declare it"},
		{own("host.subscribe", `{"event":"errors"}`), "rpc.subscribe.known", "errors", `it has "error"`},
		{own("host.config_get", `{"key":"secret"}`), "rpc.config.declared", "secret", "config_keys"},
		{own("host.call_tool", `{"name":"write","args":{}}`), "rpc.call-tool.declared", "write", "tools_call"},
		{context + `< {"jsonrpc":"2.0","id":7,"result":[]}`, "rpc.context.shape", " an object", "context.provide (id 7)"},
		{context + `< {"jsonrpc":"2.0","id":7,"result":{"snippets":[{"title":1,"content":""}]}}`, "rpc.context.shape", "snippets.0.title a string", "title"},
		{context + "+ 2100ms\n" + `< {"jsonrpc":"2.0","id":7,"result":{"snippets":[]}}`, "rpc.context.in-time", "late", "answered after 2.1s"},
		{context + `< {"jsonrpc":"2.0","id":7,"result":{"snippets":[{"title":"` + long + `","content":""}]}}`, "rpc.context.limits", "title", "81 characters"},
		{hello + `> {"jsonrpc":"2.0","id":99,"method":"plugin.shutdown"}` + "\n+ 2s\nsent SIGTERM\nexit 0\n", "rpc.shutdown", "silent", "plugin.shutdown"},
		{hello + `> {"jsonrpc":"2.0","id":99,"method":"plugin.shutdown"}` + "\nexit 0\n", "rpc.shutdown", "crash/", "it ended (exit status 0)"},
		{hello + goodbye + "left sleep\n", "rpc.no-orphans", "orphans", "1 of them, such as process 42 (sleep)"},
	} {
		got := findings(talk(t, c.script))
		used[c.rule] = true
		for id, list := range got {
			if id != c.rule {
				t.Errorf("%s\nis found by %s too: %s", c.script, id, list[0].Message)
			}
		}
		list := got[c.rule]
		if len(list) != 1 || list[0].Class != c.class || !strings.Contains(list[0].Message, c.says) {
			t.Errorf("%s\n%s found %+v\nwanted one of class %q that says %q", c.script, c.rule, list, c.class, c.says)
		}
	}
	for _, r := range Rules() {
		if !used[r.ID] {
			t.Errorf("no conversation is found by %s", r.ID)
		}
	}
}

// TestUnanswered tells apart why there is no answer.
func TestUnanswered(t *testing.T) {
	const call = hello + `> {"jsonrpc":"2.0","id":7,"method":"tool.call"}` + "\n"
	for _, c := range []struct{ script, class, says string }{
		{call + "+ 5s\nclose\nexit 0\n", "silent", "it did not answer tool.call (id 7) in 5s"},
		{call + "+ 5s\nclose\n" + `< {"jsonrpc":"2.0","id":7,"result":1}`, "not-flushed", "came only when stdin was closed, after 5s"},
		{call + `< {"jsonrpc":"2.0","id":"7","result":1}` + "\n+ 5s\nclose\n", "wrong-id", `with the id "7" (a string) in place of 7 (a number)`},
		{call + `< {"jsonrpc":"2.0","id":7,"result":NaN}` + "\n+ 5s\nclose\n", "spoiled", "line 3 of its stdout"},
		{call + "stderr KeyError: 'x'\nexit 1\n", "crash/KeyError: 'x'", "its stderr says: KeyError: 'x'"},
		{call + `< {"jsonrpc":"2.0","id":2,"method":"host.session_get"}` + "\n+ 5s\nclose\nexit 0\n", "deadlock", "the host owes the answer to the plugin's host.session_get (id 2) since 5s"},
		{hello + `< {"jsonrpc":"2.0","id":7,"method":"host.session_get"}` + "\n" + `> {"jsonrpc":"2.0","id":7,"method":"tool.call"}` + "\n+ 5s\nclose\n", "taken", "the plugin's own host.session_get (id 7)"},
	} {
		talked := talk(t, c.script)
		var open *Call
		for _, m := range talked.Messages {
			if m.Method == ToolCall {
				open = m.Call
			}
		}
		gaveUp := talked.end()
		f := talked.Unanswered(open, gaveUp)
		if f.Class != c.class || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s\nis %s: %s\nwanted %s: …%s…", c.script, f.Class, f.Message, c.class, c.says)
		}
	}
}

// TestStdinClosedAtOnce: who is sent everything in one go, stdin closed behind it,
// answers in time all the same.
func TestStdinClosedAtOnce(t *testing.T) {
	c := talk(t, `> {"jsonrpc":"2.0","id":1,"method":"plugin.initialize"}
> {"jsonrpc":"2.0","id":2,"method":"plugin.shutdown"}
close
+ 100ms
< {"jsonrpc":"2.0","id":1,"result":{"name":"demo","version":"1.0","manifest":{"permissions":{"config_keys":["k"],"tools_call":["read"],"events":["compact"]}}}}
< {"jsonrpc":"2.0","id":2,"result":null}
exit 0
`)
	for id, list := range findings(c) {
		t.Errorf("%s: %+v", id, list)
	}
}

func TestOwed(t *testing.T) {
	c := talk(t, hello+`> {"jsonrpc":"2.0","id":7,"method":"tool.call"}
< {"jsonrpc":"2.0","id":7,"method":"host.session_get"}
> {"jsonrpc":"2.0","id":8,"method":"tool.call"}
< {"jsonrpc":"2.0","id":8,"result":1}
`)
	var got []string
	for _, d := range c.Owed() {
		got = append(got, fmt.Sprint(d.By, " owes ", d.Call, " since ", d.Since))
	}
	want := []string{"plugin owes tool.call (id 7) since 5ms", "host owes host.session_get (id 7) since 6ms"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, wanted %v", got, want)
	}
}

func TestRulesAreDocumented(t *testing.T) {
	var checks []validator.Check
	for _, r := range Rules() {
		checks = append(checks, r.Check)
	}
	for _, r := range ManifestRules() {
		checks = append(checks, r.Check)
	}
	seen := map[string]bool{}
	for _, k := range checks {
		if seen[k.ID] || k.Title == "" || k.Why == "" || k.Spec == "" || k.Fix == "" || k.Level == "" || k.Contract != contractID {
			t.Errorf("%s is there twice or not documented: %+v", k.ID, k)
		}
		seen[k.ID] = true
	}
	if _, err := contracts.Get(contractID); err != nil {
		t.Error(err)
	}
}

func TestManifestRules(t *testing.T) {
	for _, c := range []struct{ toml, rule, says string }{
		{"entry = \"run\"\nname = \"x\"\nversion = \"1\"\nargs = [\"-u\"]\nenv = { A = \"b\" }\n[permissions]\nevents = [\"compact\"]\n", "", ""},
		{"name = \"x\"\n", "rpc.manifest.shape", "entry: wanted a value"},
		{"entry = \"run\"\nargs = \"-u\"\n", "rpc.manifest.shape", "args: wanted an array"},
		{"entry = \"run\"\nenv = { A = 1 }\n", "rpc.manifest.shape", "env"},
		{"entry = run\n", "rpc.manifest.shape", "not TOML: line 1"},
		{"entry = \"run\"\n[permissions]\nevents = [\"compacted\"]\n", "rpc.manifest.known-events", `it has "compact"`},
		{"entry = \"../run\"\n", "rpc.manifest.entry-inside", "/elsewhere/run"},
		{"entry = \"plain\"\n", "rpc.manifest.executable", "not executable"},
	} {
		m := ReadManifest("plugin.toml", []byte(c.toml))
		switch m.Entry {
		case "../run":
			m.Outside = "/elsewhere/run"
		case "plain":
			m.File = validator.FileFacts{Exists: true, Class: "mode", Trouble: "plain is not executable", Fix: "chmod +x"}
		}
		for _, o := range validator.Judge(ManifestRules(), m) {
			switch {
			case o.Check.ID == c.rule && (len(o.Findings) != 1 || !strings.Contains(o.Findings[0].Message, c.says)):
				t.Errorf("%s\n%s found %+v", c.toml, c.rule, o.Findings)
			case o.Check.ID != c.rule && len(o.Findings) > 0:
				t.Errorf("%s\n%s found %+v", c.toml, o.Check.ID, o.Findings)
			}
		}
	}
}
