// Package validator judges data and starts nothing: manifests, responses and
// whole transcripts, by rules that are values in one list.
package validator

// A Level says how much a check weighs, in the words of RFC 2119.
type Level string

// The levels.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// KnownLevel reports whether l is one of the levels.
func KnownLevel(l Level) bool { return l == Must || l == Should || l == May }

// A Check is one line of the catalogue: what a plugin is held to, why, and how
// to mend what is not kept. Rules and scenarios both have one.
type Check struct {
	ID       string
	Level    Level
	Title    string
	Contract string // name@version
	Why      string // what breaks when it is not kept
	Spec     string // the place in the document, or the host fact
	Fix      string
}

// A Rule is an invariant over what was seen, a pure function of it. T is what the
// wire's rules look at: an exchange, a conversation, a source file.
type Rule[T any] struct {
	Check
	// Needs lists the rules that must have held on the same T for this one to mean
	// anything: a line that is no JSON has no fields to judge.
	Needs []string
	// Idle says what a good plugin may do without, so that there is nothing to
	// judge; empty where every run has something.
	Idle string
	// Applies says whether there is what the rule judges; nil is always.
	Applies func(T) bool
	Judge   func(T) []Finding
}

// A Finding is one thing that a plugin does wrong, in plain words.
type Finding struct {
	// Class is a short steady word for the mechanism, so that the same fault in
	// many exchanges is told once.
	Class    string
	Message  string
	Expected string
	Got      string
	Diff     string
	Fix      string // in place of the check's own, where the class has a better one
}

// An Outcome is what one rule said. No findings is a pass.
type Outcome struct {
	Check    *Check
	Findings []Finding
}

// Judge runs the rules in order and returns the outcome of each that applied.
func Judge[T any](rules []Rule[T], t T) []Outcome {
	held := map[string]bool{}
	var outcomes []Outcome
	for i := range rules {
		r := &rules[i]
		if !all(held, r.Needs) || r.Applies != nil && !r.Applies(t) {
			continue
		}
		findings := r.Judge(t)
		held[r.ID] = len(findings) == 0
		outcomes = append(outcomes, Outcome{&r.Check, findings})
	}
	return outcomes
}

func all(held map[string]bool, ids []string) bool {
	for _, id := range ids {
		if !held[id] {
			return false
		}
	}
	return true
}
