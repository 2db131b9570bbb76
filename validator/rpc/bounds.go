package rpc

import "plugcheck/validator"

const (
	// keptMessages is how many messages a conversation holds before it looks for
	// settled ones to let go of, and recent is how many of the last it keeps then.
	keptMessages = 4000
	recent       = 1000
	// keptBytes bounds what they hold, their text and themselves.
	keptBytes = 32 << 20
	// keptBroken is how many broken lines are kept: a thousand more of the kind say nothing new.
	keptBroken = 200
)

// tidy lets go of old messages once there are many: those that were settled and
// have nothing wrong with them, and broken lines past the first few hundred.
func (c *Conversation) tidy(added *Message) {
	c.since++
	c.bytes += added.size()
	if c.since < keptMessages && (c.bytes < keptBytes || c.Overflow) {
		return
	}
	last := recent
	if c.bytes >= keptBytes {
		last = 0
	}
	older := max(0, len(c.Messages)-last)
	kept := c.Messages[:0]
	c.bytes = 0
	broken := 0
	for i, m := range c.Messages {
		noise := m.Kind == Broken && m.From == validator.FromPlugin
		if noise {
			broken++
		}
		if i < older && (noise && broken > keptBroken || c.spent(m)) {
			c.Left++
			continue
		}
		c.bytes += m.size()
		kept = append(kept, m)
	}
	clear(c.Messages[len(kept):])
	c.Messages = kept
	c.since = min(len(kept), recent)
	if c.bytes >= keptBytes/2 {
		c.Overflow = true
	}
}

// size is about what a message takes in memory.
func (m *Message) size() int { return len(m.Raw) + 400 }

// spent reports whether no rule has anything to find in a message any more.
func (c *Conversation) spent(m *Message) bool {
	switch {
	case !m.plain():
		return false
	case m.Kind == Notification:
		return m.Method == EventFire && m.From == validator.FromHost
	case m.Kind == Request:
		if !m.Call.plain() {
			return false
		}
		c.settle(m)
		return true
	case m.Kind == Response:
		return m.Call.plain()
	}
	return false
}

// settle remembers no more of an answered call than its id.
func (c *Conversation) settle(m *Message) {
	c.settled[m.From].add(string(m.ID))
	if c.calls[m.From][string(m.ID)] == m.Call {
		delete(c.calls[m.From], string(m.ID))
	}
}

// plain reports whether a message is as it should be.
func (m *Message) plain() bool {
	if m.framing != nil || m.strict != nil || m.odd || m.twin != nil || m.like != nil {
		return false
	}
	return m.Kind != Response || m.Call != nil && len(m.Call.Answers) == 1 && (m.Result != nil) != (m.Error != nil) && m.Error == nil
}

// plain reports whether a call is one of the many that say nothing of the plugin
// beside that they were answered well.
func (k *Call) plain() bool {
	if len(k.Answers) != 1 || !k.Request.plain() || !k.Answers[0].plain() {
		return false
	}
	switch k.Request.Method {
	case ToolCall, CommandInvoke, Toast, SessionGet:
		return true
	}
	return false
}
