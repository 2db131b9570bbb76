package rpc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plugcheck/validator"
)

// TestALongConversationIsBounded lets go of what is settled, and still knows an
// answer that comes a second time much later.
func TestALongConversationIsBounded(t *testing.T) {
	c := talk(t, hello)
	const calls = 20_000
	for i := 2; i < calls; i++ {
		c.Add(time.Duration(i), validator.FromHost, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tool.call","params":{"name":"echo","args":{}}}`, i))
		c.Add(time.Duration(i), validator.FromPlugin, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	if len(c.Messages) > keptMessages+recent || c.Left < calls || len(c.calls[validator.FromHost]) > keptMessages {
		t.Errorf("%d messages and %d calls are kept, %d were let go of", len(c.Messages), len(c.calls[validator.FromHost]), c.Left)
	}
	for id, list := range findings(c) {
		t.Errorf("%s: %+v", id, list)
	}
	c.Add(calls, validator.FromPlugin, []byte(`{"jsonrpc":"2.0","id":5,"result":{}}`))
	c.Add(calls, validator.FromPlugin, []byte(`{"jsonrpc":"2.0","id":50000,"result":{}}`))
	got := findings(c)["rpc.no-unknown-reply"]
	if len(got) != 2 || got[0].Class != "twice" || got[1].Class != "unknown" {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsNotSettledIsBoundedToo(t *testing.T) {
	c := talk(t, hello)
	c.Add(0, validator.FromHost, []byte("a broken line of the host"))
	for i := range 100_000 {
		c.Add(time.Duration(i), validator.FromPlugin, []byte("a line of a log"))
	}
	if len(c.Messages) > 2*keptMessages {
		t.Errorf("%d broken lines are kept", len(c.Messages))
	}
	if c.Overflow {
		t.Error("broken lines are no overflow: they are let go of")
	}
	if list := findings(c)["rpc.lines"]; len(list) < keptBroken || !strings.HasPrefix(list[0].Message, "line 3 of its stdout") {
		t.Errorf("of the broken lines %d are told, and not from the first on", len(list))
	}
	for range 100_000 {
		if c.Overflow {
			break
		}
		c.Add(0, validator.FromPlugin, []byte(`{"jsonrpc":"2.0","method":"log"}`))
	}
	if !c.Overflow {
		t.Errorf("%d notifications are kept", len(c.Messages))
	}
	c = talk(t, hello)
	text := strings.Repeat("x", 1<<20)
	for i := range 40 {
		c.Add(time.Duration(i), validator.FromPlugin, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"host.toast","params":{"kind":"info","text":"%s"}}`, i, text))
		if c.Overflow {
			return
		}
	}
	t.Error("40 MiB of open calls are no overflow")
}

// TestExcerpt: what is wrong in the middle of a long conversation is shown, and
// what it answers.
func TestExcerpt(t *testing.T) {
	c := talk(t, hello)
	for i := 2; i < 500; i++ {
		id := fmt.Sprint(i)
		c.Add(time.Duration(i), validator.FromHost, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tool.call"}`, id))
		if i == 200 {
			id = `"200"`
		}
		c.Add(time.Duration(i), validator.FromPlugin, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id))
	}
	const most = 40
	pieces := c.Excerpt(most)
	shown := len(pieces)
	var text strings.Builder
	for _, p := range pieces {
		shown += p.Left
		text.Write(p.Raw)
	}
	if len(pieces) != most || shown != len(c.Messages) {
		t.Errorf("%d pieces, %d messages with those left out; there are %d", len(pieces), shown, len(c.Messages))
	}
	for _, want := range []string{"plugin.initialize", `"id":200,`, `"id":"200"`, `"id":499`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s is not shown", want)
		}
	}
	short := talk(t, hello)
	if got := short.Excerpt(most); len(got) != len(short.Messages) {
		t.Errorf("%d of %d messages are shown", len(got), len(short.Messages))
	}
}

func TestIDSet(t *testing.T) {
	var s idSet
	for _, id := range []string{"3", "1", "2", "7", "5", "6", `"a"`, "1.0", "-1"} {
		s.add(id)
	}
	for id, want := range map[string]bool{"1": true, "2": true, "3": true, "4": false, "5": true, "7": true, "8": false, "-1": true, "0": false, `"a"`: true, `"1"`: false, "1.0": true, "01": false} {
		if s.has(id) != want {
			t.Errorf("has %s is %v", id, !want)
		}
	}
	if len(s.ranges) != 3 {
		t.Errorf("%v are not three ranges", s.ranges)
	}
}

// FuzzConversation: whatever is said, judging it ends and does not panic.
func FuzzConversation(f *testing.F) {
	f.Add(fullSession)
	f.Add("{\"jsonrpc\":\"2.0\"\n}\n{\n\n[1]\n[[{}]]\nContent-Length: 3\n\n{}{}\n{} x\n{\"id\":{}}\n{\"method\":\"host.register_tool\",\"params\":[]}")
	f.Fuzz(func(t *testing.T, text string) {
		c := New("fuzz", nil)
		start := 0
		side := validator.FromHost
		for i := range len(text) {
			if text[i] == '\n' {
				c.Add(time.Duration(i), side, []byte(text[start:i]))
				start = i + 1
				if side = validator.FromPlugin; start < len(text) && text[start] == '>' {
					side, start = validator.FromHost, start+1
				}
			}
		}
		c.AddRest(time.Hour, validator.FromPlugin, []byte(text[min(start, len(text)):]))
		c.Leave(time.Hour, validator.Exit{})
		validator.Judge(Rules(), c)
		for _, d := range c.Owed() {
			if d.By == validator.FromPlugin {
				c.Unanswered(d.Call, time.Hour)
			}
		}
	})
}

// BenchmarkAdd is what the conversation costs for each call: two lines.
func BenchmarkAdd(b *testing.B) {
	c := New("bench", nil)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		c.Add(time.Duration(i), validator.FromHost, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tool.call","params":{"name":"echo","args":{"text":"hello"}}}`, i))
		c.Add(time.Duration(i), validator.FromPlugin, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"text":"hello"}}`, i))
	}
}

// An id that no host gives is echoed as the plugin's language writes it.
func TestOddIDsInAnotherSpelling(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"b":1,"a":"é"}`, `{"a": "\u00e9", "b": 1}`}, {`"🟢"`, `"\ud83d\udfe2"`}, {`1.5e-7`, `1.5e-07`}, {`[1, 2]`, `[1,2]`},
	} {
		c := New("test", nil)
		c.Add(1, validator.FromHost, []byte(`{"id":`+pair[0]+`}`))
		c.Add(2, validator.FromPlugin, []byte(`{"jsonrpc":"2.0","id":`+pair[1]+`,"error":{"code":-32600,"message":"no request"}}`))
		for _, o := range validator.Judge(Rules(), c) {
			if (o.Check.ID == "rpc.no-unknown-reply" || o.Check.ID == "rpc.id-echo") && len(o.Findings) > 0 {
				t.Errorf("%s answered as %s: %s: %s", pair[0], pair[1], o.Check.ID, o.Findings[0].Message)
			}
		}
	}
}
