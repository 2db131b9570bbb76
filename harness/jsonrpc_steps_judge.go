package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

// eachAnswered waits for the answers to all that the host has called.
func (sc *jsonrpcScenario) eachAnswered() error {
	if len(sc.calls) == 0 {
		return nil
	}
	return sc.awaitLast(len(sc.calls))
}

// judgeCalls holds the answer to each call to something; wrong says what is not so.
func (sc *jsonrpcScenario) judgeCalls(wrong func(*rpc.Message) *validator.Finding) error {
	if err := sc.eachAnswered(); err != nil {
		return err
	}
	var first *outcome
	n := 0
	for _, c := range sc.calls {
		f := wrong(c.Answer())
		if f == nil {
			continue
		}
		if n++; first == nil {
			f.Message = c.about + ": " + f.Message
			if f.Got == "" {
				f.Got = validator.Quote(c.Answer().Raw, 300)
			}
			first = sc.talk.fail(*f)
			first.cause = misshapen(c.Answer())
		}
	}
	if first == nil {
		return nil
	}
	if n > 1 {
		first.finding.Message += fmt.Sprintf(" (and %d more calls)", n-1)
	}
	return first
}

// misshapen is the rule by which an answer says neither this nor that.
func misshapen(m *rpc.Message) string {
	_, coded := m.Code()
	switch {
	case (m.Result != nil) == (m.Error != nil):
		return "rpc.result-xor-error"
	case m.Error != nil && !coded:
		return "rpc.error-shape"
	}
	return ""
}

func (sc *jsonrpcScenario) eachError() error {
	return sc.judgeCalls(func(m *rpc.Message) *validator.Finding {
		if m.Error != nil {
			return nil
		}
		return &validator.Finding{Class: "result", Message: "it was answered with a result", Expected: "an error"}
	})
}

// meanings are the codes in words.
var meanings = map[int]string{
	rpc.CodeParse: "parse error", rpc.CodeInvalidRequest: "invalid request", rpc.CodeMethodNotFound: "method not found",
	rpc.CodeInvalidParams: "invalid params", rpc.CodeInternal: "internal error", rpc.CodePermissionDenied: "permission denied", rpc.CodeUnknownPlugin: "unknown plugin",
}

func meaning(code int) string {
	if words := meanings[code]; words != "" {
		return fmt.Sprintf("%d (%s)", code, words)
	}
	return strconv.Itoa(code)
}

// eachCode takes the codes as text: the second is empty where one is wanted.
func (sc *jsonrpcScenario) eachCode(first, second string) error {
	wanted, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	due := "the error " + meaning(wanted)
	if second != "" {
		due += " or " + second
	}
	return sc.judgeCalls(func(m *rpc.Message) *validator.Finding {
		code, ok := m.Code()
		f := &validator.Finding{Expected: due, Class: "result", Message: "it was answered with a result, where " + due + " is due"}
		switch {
		case ok && (code == wanted || strconv.Itoa(code) == second):
			return nil
		case m.Error != nil:
			f.Class, f.Message = strconv.Itoa(code), fmt.Sprintf("it was answered with the error %s in place of %s", meaning(code), meaning(wanted))
			f.Fix = fmt.Sprintf("Send {\"jsonrpc\":\"2.0\",\"id\":…,\"error\":{\"code\":%d,\"message\":\"%s\"}}.", wanted, meanings[wanted])
		}
		return f
	})
}

func (sc *jsonrpcScenario) noCode(code int) error {
	return sc.judgeCalls(func(m *rpc.Message) *validator.Finding {
		if got, ok := m.Code(); !ok || got != code {
			return nil
		}
		return &validator.Finding{Class: strconv.Itoa(code), Message: "it was answered with the error " + meaning(code) + ", which says something else", Expected: "another error"}
	})
}

func (sc *jsonrpcScenario) stillServes() error {
	d, err := sc.session()
	if err != nil {
		return err
	}
	return d.serves(cmp.Or(sc.did, "it was initialized"))
}

// flushes tells an answer that only waits in a buffer from none at all.
func (sc *jsonrpcScenario) flushes() error {
	if b := sc.wire.barren; b != nil {
		if b.cause == "rpc.flushes" {
			return &outcome{finding: b.finding, seen: b.seen}
		}
		return cannotTest("not run: the plugin could not be initialized: %s", b.finding.Message)
	}
	d, err := sc.session()
	if err == nil {
		err = d.serves("it was initialized")
	}
	if o, ok := err.(*outcome); ok && o.cause == "rpc.flushes" {
		o.cause = ""
	}
	return err
}

// hasCalled leaves out what cannot be seen of a plugin that does not call the host.
func (sc *jsonrpcScenario) hasCalled() error {
	d := sc.talk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.host.touched == 0 {
		return skip("while it was used it made no call of the kind that this is about")
	}
	return nil
}

func (sc *jsonrpcScenario) asidesAnswered() error {
	d := sc.talk
	d.mu.Lock()
	asides := slices.Clone(d.host.asides)
	d.mu.Unlock()
	open := d.missing(sc.limit(), asides...)
	if open == nil {
		return nil
	}
	o := d.unanswered(open)
	o.finding.Message = "a request that came while its own call to the host was open: " + o.finding.Message
	if o.cause == sc.check.ID {
		o.cause = ""
	}
	return o
}

func (sc *jsonrpcScenario) allUsed() error {
	d := sc.talk
	d.mu.Lock()
	declared, _ := d.conv.Permissions()
	used := map[string]bool{}
	for m := range d.host.uses {
		used[m] = true
	}
	d.mu.Unlock()
	if len(declared.ConfigKeys)+len(declared.ToolsCall)+len(declared.Events) == 0 {
		return skip("it declares no permission")
	}
	var idle []string
	for _, list := range []struct {
		name, method string
		names        []string
	}{{"config_keys", rpc.ConfigGet, declared.ConfigKeys}, {"tools_call", rpc.CallTool, declared.ToolsCall}, {"events", rpc.Subscribe, declared.Events}} {
		for _, n := range list.names {
			if !used[list.method+" "+n] {
				idle = append(idle, fmt.Sprintf("%s %q", list.name, n))
			}
		}
	}
	if len(idle) == 0 {
		return nil
	}
	return d.fail(validator.Finding{Class: "unused", Message: "it declares what it did not use while all that it registers was used: " + strings.Join(idle, ", "),
		Expected: "each permission to be needed", Got: strings.Join(idle, ", ")})
}
