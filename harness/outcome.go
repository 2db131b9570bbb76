package harness

import (
	"fmt"

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
