package rpc

import "slices"

// A Piece is a message of an excerpt, and how many were left out before it.
type Piece struct {
	*Message
	Left int
}

// Excerpt is the conversation in at most n messages: how it begins and ends, and
// from between what is not one of many alike, such as a message with something
// wrong in it and what it answers.
func (c *Conversation) Excerpt(n int) []Piece {
	keep := make([]bool, len(c.Messages))
	room := n
	take := func(i int) { // the request of a batch stands in no line of its own
		if i >= 0 && i < len(keep) && !keep[i] && room > 0 {
			keep[i] = true
			room--
		}
	}
	for i := range n / 4 {
		take(i)
	}
	for i := range n / 4 {
		take(max(0, len(keep)-1-i))
	}
	for i, m := range c.Messages {
		if room > n/8 && m.Kind != Note && !m.ordinary() {
			if m.Kind == Response && m.Call != nil {
				take(slices.Index(c.Messages, m.Call.Request))
			}
			take(i)
		}
	}
	for i := len(keep) - 1; i >= 0; i-- {
		take(i)
	}
	var pieces []Piece
	left := c.Left
	for i, m := range c.Messages {
		if !keep[i] {
			left++
			continue
		}
		p := Piece{Message: m}
		if i > 0 { // where those stood that were let go of is not known
			p.Left, left = left, 0
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// ordinary reports whether a message is one of many that say nothing of the plugin.
func (m *Message) ordinary() bool {
	return m.plain() && (m.Call == nil || m.Call.plain())
}
