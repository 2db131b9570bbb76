package harness

import "regexp"

// A step is one sentence of a wire's scenarios.
type step struct {
	pattern *regexp.Regexp
	example string
	bind    func(state any) any // the function godog calls, bound to what the steps of a scenario share
}

// sentence makes a step of a wire whose scenarios share a T.
func sentence[T any](pattern, example string, bind func(T) any) step {
	return step{regexp.MustCompile("^" + pattern + "$"), example, func(state any) any { return bind(state.(T)) }}
}

// says reports whether a sentence is one of the wire's.
func (w *wire) says(text string) bool {
	for _, s := range w.steps() {
		if s.pattern.MatchString(text) {
			return true
		}
	}
	return false
}

// Steps are examples of all sentences that a scenario of a wire can use.
func Steps(wire string) ([]string, error) {
	w, err := wireNamed(wire)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, s := range w.steps() {
		list = append(list, s.example)
	}
	return list, nil
}
