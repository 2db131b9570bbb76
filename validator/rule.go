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

// A Rule is an invariant over what was seen. It judges every exchange of a
// run, or the manifest, and is a pure function of the trial.
type Rule struct {
	Check
	// Needs lists the rules that must have held on the same trial for this one
	// to mean anything: a line that is no JSON has no fields to judge.
	Needs []string
	// Applies says whether the trial has what the rule judges; nil is always.
	Applies func(*Trial) bool
	Judge   func(*Trial) []Finding
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

// A Trial is what a rule looks at: a plugin's manifest and, but for the rules
// about the manifest itself, one exchange with the plugin.
type Trial struct {
	Manifest *Manifest
	Exchange *Exchange
}

// An Outcome is what one rule said of one trial. No findings is a pass.
type Outcome struct {
	Rule     *Rule
	Findings []Finding
}

// Judge runs the rules in order and returns the outcome of each that applied.
func Judge(rules []Rule, t *Trial) []Outcome {
	held := map[string]bool{}
	var outcomes []Outcome
	for i := range rules {
		r := &rules[i]
		if !all(held, r.Needs) || r.Applies != nil && !r.Applies(t) {
			continue
		}
		findings := r.Judge(t)
		held[r.ID] = len(findings) == 0
		outcomes = append(outcomes, Outcome{r, findings})
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
