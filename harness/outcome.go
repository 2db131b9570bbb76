package harness

import (
	"errors"
	"fmt"
	"strings"

	"plugcheck/reports"
	"plugcheck/validator"
)

// outcome is why a scenario did not pass. It is an error only to travel through godog.
type outcome struct {
	status  status
	finding validator.Finding
	cause   string   // the rule whose breach is the reason, if one is
	seen    evidence // what it was found in
}

type status int

const (
	failed status = iota
	skipped
	untested
)

func (o *outcome) Error() string { return o.finding.Message }

// reported is the status in the report's words.
func (o *outcome) reported() reports.Status {
	return [...]reports.Status{failed: reports.Fail, skipped: reports.Skip, untested: reports.StatusUntested}[o.status]
}

func skip(format string, args ...any) *outcome {
	return &outcome{status: skipped, finding: validator.Finding{Message: fmt.Sprintf(format, args...)}}
}

func cannotTest(format string, args ...any) *outcome {
	return &outcome{status: untested, finding: validator.Finding{Message: fmt.Sprintf(format, args...)}}
}

// each runs a judgement over every reply and returns the first that fails,
// with the number and names of the others that fail the same way.
func each[R any](replies []R, name func(R) string, judge func(R) *outcome) error {
	if len(replies) == 0 {
		return errors.New("nothing was asked before the judgement")
	}
	var first *outcome
	var more []string
	for _, r := range replies {
		o := judge(r)
		switch {
		case o == nil:
		case first == nil:
			first = o
		default:
			more = append(more, name(r))
		}
	}
	if first == nil {
		return nil
	}
	if len(more) > 0 {
		shown := strings.Join(more[:min(3, len(more))], "; ")
		if len(more) > 3 {
			shown += "; …"
		}
		first.finding.Message += fmt.Sprintf(" (and %d more: %s)", len(more), shown)
	}
	return first
}
