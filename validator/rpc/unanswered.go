package rpc

import (
	"bytes"
	"fmt"
	"time"

	"plugcheck/validator"
)

// Unanswered says what became of a host's call that had no answer when the host
// gave up: the plugin is dead, it answered with another id, its line is broken,
// both sides wait, it did not flush, or there is none. It is asked after the host
// closed stdin upon that, and what came of it was added: an answer that was only
// not flushed is told from none so.
func (c *Conversation) Unanswered(k *Call, gaveUp time.Duration) validator.Finding {
	waited := rounded(gaveUp - k.Request.At)
	f := validator.Finding{Expected: "an answer with the id " + shown(k.Request.ID), Got: "none"}
	switch spoiled := c.spoiled(k); {
	case k.Answer() != nil && c.Closed >= gaveUp && k.Answer().At >= c.Closed:
		f.Class = "not-flushed"
		f.Message = fmt.Sprintf("the answer to %s came only when stdin was closed, after %s: it was not flushed", k, rounded(k.Answer().At-k.Request.At))
		f.Fix = "Flush stdout after each message: print(…, flush=True) in Python, fflush(stdout) in C. A pipe is not flushed line by line as a terminal is."
		f.Got = "the answer, once stdin was closed"
	case k.Answer() != nil:
		f.Class, f.Message = "late", fmt.Sprintf("%s was answered after %s", k, rounded(k.Answer().At-k.Request.At))
		f.Got = "the answer after " + rounded(k.Answer().At-k.Request.At).String()
	case c.misdirected(k) != nil:
		m := c.misdirected(k)
		f.Class = "wrong-id"
		f.Message = fmt.Sprintf("%s was answered with the id %s (%s) in place of %s (%s)", k, shown(m.ID), kindOf(m.ID), shown(k.Request.ID), kindOf(k.Request.ID))
		f.Got = validator.Quote(m.Raw, 200)
	case spoiled != nil:
		f.Class, f.Message = "spoiled", fmt.Sprintf("the answer to %s is no message: see %s", k, spoiled.place())
		f.Got = validator.Quote(spoiled.Raw, 200)
	case c.leftByItself(k):
		words := validator.LastLine(c.Stderr)
		f.Class = "crash/" + validator.ClassOf(words)
		f.Message = fmt.Sprintf("it ended (%s) without an answer to %s", c.Exit, k)
		if words != "" {
			f.Message += "; its stderr says: " + words
		}
		f.Got = c.Exit.String()
		f.Fix = "Catch what goes wrong in a call and answer it with an error; the process goes on."
	case c.taken(k) != nil:
		f.Class = "taken"
		f.Message = fmt.Sprintf("%s has the id of the plugin's own %s, and was not answered in %s: it seems to have been taken for the answer", k, c.taken(k), waited)
		f.Fix = "What has a method is a request, whatever its id is. Look for the method first, and only then among your own open calls."
	case c.waitsForHost() != nil:
		own := c.waitsForHost()
		f.Class = "deadlock"
		f.Message = fmt.Sprintf("both sides wait: the plugin owes the answer to %s since %s, and the host owes the answer to the plugin's %s since %s", k, waited, own, rounded(gaveUp-own.Request.At))
		f.Fix = "Go on reading stdin while a call to the host is open: read in a thread of its own, and let handlers wait there."
	default:
		f.Class, f.Message = "silent", fmt.Sprintf("it did not answer %s in %s, and was still running", k, waited)
	}
	return f
}

func rounded(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// leftByItself reports whether the process ended, owing the answer to a call,
// before the host gave up on it. Who is asked to shut down may leave, but has to
// answer that.
func (c *Conversation) leftByItself(k *Call) bool {
	return c.Exit != nil && c.Exit.Ended == "" && (c.Cut == 0 || c.Ended < c.Cut) && (c.Asked == 0 || c.Ended < c.Asked || k.Request.Method == Shutdown)
}

// misdirected is the response that most likely was meant for a call.
func (c *Conversation) misdirected(k *Call) *Message {
	for m := range c.messages(validator.FromPlugin) {
		if m.like == k {
			return m
		}
	}
	return nil
}

// spoiled is a line that holds the call's id and cannot be read.
func (c *Conversation) spoiled(k *Call) *Message {
	seen := false
	for _, m := range c.Messages {
		seen = seen || m == k.Request
		if seen && m.From == validator.FromPlugin && m.Kind == Broken && (m.during == k || bytes.Contains(m.Raw, k.Request.ID)) && mentionsID(m.Raw, k.Request.ID) {
			return m
		}
	}
	return nil
}

// mentionsID reports whether a broken line has a member "id" with this value.
func mentionsID(raw, id []byte) bool {
	_, after, ok := bytes.Cut(raw, []byte("id"))
	after = bytes.TrimLeft(after, "\"': \t")
	return ok && bytes.HasPrefix(after, bytes.Trim(id, `"`))
}

// taken is the plugin's own call, open when the host's came, that has its id.
func (c *Conversation) taken(k *Call) *Call {
	own := c.calls[validator.FromPlugin][string(k.Request.ID)]
	if own == nil || own.Request.At > k.Request.At || own.Answer() != nil && own.Answer().At < k.Request.At {
		return nil
	}
	return own
}

// waitsForHost is the oldest call of the plugin that the host has not answered.
func (c *Conversation) waitsForHost() *Call {
	for _, d := range c.Owed() {
		if d.By == validator.FromHost {
			return d.Call
		}
	}
	return nil
}

// end is when the host waited no longer, or nothing was seen any more.
func (c *Conversation) end() time.Duration {
	if c.Cut > 0 {
		return c.Cut
	}
	if n := len(c.Messages); n > 0 {
		return c.Messages[n-1].At
	}
	return 0
}

// ran reports whether an unanswered call can be judged: the plugin had its time,
// or ended by itself before it was up.
func (c *Conversation) ran(k *Call) bool {
	return c.end()-k.Request.At >= c.allowed(k) || c.leftByItself(k)
}

// allowed is how long a call may take.
func (c *Conversation) allowed(k *Call) time.Duration {
	if k.Limit > 0 {
		return k.Limit
	}
	return limit(k.Request.Method)
}

// late tells a call that was not answered in time.
func (c *Conversation) late(k *Call) *validator.Finding {
	if a := k.Answer(); a != nil && a.At-k.Request.At <= c.allowed(k) {
		return nil
	}
	f := c.Unanswered(k, k.Request.At+c.allowed(k))
	f.Expected += " within " + c.allowed(k).String()
	return &f
}

// timed are the host's calls of a method whose time can be judged.
func (c *Conversation) timed(method string) []*Call {
	var list []*Call
	for m := range c.messages(validator.FromHost) {
		if k := m.Call; m.Method == method && k != nil && (k.Answer() != nil || c.ran(k)) {
			list = append(list, k)
		}
	}
	return list
}

func (c *Conversation) judgesTime(method string) bool { return len(c.timed(method)) > 0 }

func (c *Conversation) lateCalls(method string) []validator.Finding {
	var found []validator.Finding
	for _, k := range c.timed(method) {
		if f := c.late(k); f != nil {
			found = append(found, *f)
		}
	}
	return found
}

// Neglected tells the host's calls of a method that were never answered, of those
// that can be judged: the plugin had the patience's time, or it is known why there
// is no answer.
func (c *Conversation) Neglected(method string, patience time.Duration) (judged int, found []validator.Finding) {
	for m := range c.messages(validator.FromHost) {
		k := m.Call
		if k == nil || m.Method != method {
			continue
		}
		if k.Answer() != nil {
			judged++
			continue
		}
		f := c.Unanswered(k, c.end())
		if waits := f.Class == "silent" || f.Class == "deadlock"; waits && c.end()-m.At < patience {
			continue // the host did not wait for it
		}
		judged++
		found = append(found, f)
	}
	return judged, found
}
