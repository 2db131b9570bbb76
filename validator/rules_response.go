package validator

import (
	"fmt"
	"net/url"
	"strings"

	"plugcheck/contracts"
)

var responseRules = []rule{
	{
		Check: Check{ID: "jsonl.response.schema", Level: Must, Contract: exchangeContract,
			Title: "The answer has the response's shape",
			Why:   "The host decodes strictly: one unknown kind or severity makes the whole answer unreadable.",
			Spec:  "host: response {success, output, diagnostics?}; " + specIPC,
			Fix:   "Answer {\"success\":…,\"output\":{\"kind\":…},\"diagnostics\":[…]} with the kinds diff, analysis and empty and the severities error, warning and info."},
		Needs: []string{"jsonl.strict-json"},
		Judge: func(t *Trial) []Finding {
			var found []Finding
			for _, v := range t.Exchange.seen.violations {
				found = append(found, Finding{Class: ClassOf(v.Path + " " + v.Wanted), Message: "in the answer, " + v.String(), Expected: v.Wanted, Got: v.Got})
			}
			return found
		},
	},
	{
		Check: Check{ID: "jsonl.response.sensor-analysis", Level: Must, Contract: exchangeContract,
			Title: "A sensor's success is an analysis",
			Why:   "Sensors feed the intelligence engine with structured JSON; a patch from a sensor goes nowhere.",
			Spec:  specCategories,
			Fix:   "Answer {\"kind\":\"analysis\",\"data\":…}, or make the plugin an actuator."},
		Needs: []string{"jsonl.response.schema"},
		Applies: func(t *Trial) bool {
			return t.Manifest.Kind == Sensor && t.Exchange.Succeeded() && t.Exchange.Refuse == nil
		},
		Judge: func(t *Trial) []Finding {
			if kind := t.Exchange.seen.response.Output.Kind; kind != "analysis" {
				return []Finding{{Class: kind, Message: "the plugin is a sensor and answered a success with output of kind " + kind, Expected: "analysis", Got: kind}}
			}
			return nil
		},
	},
	{
		Check: Check{ID: "jsonl.response.known-reason-codes", Level: Must, Contract: reasonContract,
			Title: "Every reason code is one of the seven",
			Why:   "The host decodes the codes strictly: an unknown one makes the whole answer unreadable.",
			Spec:  specReasons,
			Fix:   "Use a code of the table, or leave reason_code out and say it in the message."},
		Needs:   []string{"jsonl.response.schema"},
		Applies: func(t *Trial) bool { return len(t.Exchange.seen.response.Diagnostics) > 0 },
		Judge: func(t *Trial) []Finding {
			reasons := contracts.MustGet("reason-codes")
			for _, code := range t.Exchange.seen.response.Codes() {
				if !reasons.KnowsReason(code) {
					return []Finding{{Class: code, Message: fmt.Sprintf("the reason code %q is not in the table", code), Expected: "one of " + reasonList(), Got: code}}
				}
			}
			return nil
		},
	},
	{
		Check: Check{ID: "jsonl.response.failure-has-diagnostic", Level: Must, Contract: exchangeContract,
			Title: "A refusal says why, in a diagnostic",
			Why:   "A refusal without a word leaves the user with a failure that nobody can explain.",
			Spec:  specReasons + " (\"it returns a failure response with diagnostics\")",
			Fix:   "Add at least one diagnostic with severity, message and, where one fits, reason_code."},
		Needs:   []string{"jsonl.response.schema"},
		Applies: func(t *Trial) bool { return t.Exchange.Refused() },
		Judge: func(t *Trial) []Finding {
			if len(t.Exchange.seen.response.Diagnostics) == 0 {
				return []Finding{{Class: "none", Message: "it refused and gave no diagnostic", Expected: "at least one diagnostic", Got: "none"}}
			}
			return nil
		},
	},
	{
		Check: Check{ID: "jsonl.response.failure-is-empty", Level: Should, Contract: exchangeContract,
			Title: "A refusal carries empty output",
			Why:   "A patch beside success false is ambiguous: one reader applies it, another does not.",
			Spec:  "host: a refusal carries output {\"kind\":\"empty\"}",
			Fix:   "Answer a refusal with \"output\":{\"kind\":\"empty\"}."},
		Needs:   []string{"jsonl.response.schema"},
		Applies: func(t *Trial) bool { return t.Exchange.Refused() },
		Judge: func(t *Trial) []Finding {
			if kind := t.Exchange.seen.response.Output.Kind; kind != "empty" {
				return []Finding{{Class: kind, Message: "it refused and still carries output of kind " + kind, Expected: "empty", Got: kind}}
			}
			return nil
		},
	},
	{
		Check: Check{ID: "jsonl.response.messages-for-people", Level: Should, Contract: exchangeContract,
			Title: "Diagnostics speak to people: a message, a file of the request, a line within it",
			Why:   "Editors show the message at that file and line; a blank one shows nothing, and a wrong place shows it elsewhere.",
			Spec:  specReasons + " (\"alongside the human-readable message field\")",
			Fix:   "Write a sentence into message, name file as the request did, and let line be one of that file's."},
		Needs:   []string{"jsonl.response.schema"},
		Applies: func(t *Trial) bool { return len(t.Exchange.seen.response.Diagnostics) > 0 },
		Judge:   messagesForPeople,
	},
	{
		Check: Check{ID: "jsonl.refuse.reason-code", Level: Should, Contract: reasonContract,
			Title: "A refusal carries the reason code that says why",
			Why:   "The codes are there for automation: a host offers another plugin for unsupported_language and asks again for incomplete_payload, and can do neither without the code.",
			Spec:  specReasons,
			Fix:   "Give the diagnostic the reason_code whose meaning in the table fits."},
		Needs: []string{"jsonl.response.known-reason-codes", "jsonl.response.failure-has-diagnostic"},
		Applies: func(t *Trial) bool {
			wanted := t.Exchange.Refuse
			return t.Exchange.Refused() && len(wanted) > 0 && wanted[0] != AnyCode
		},
		Judge: func(t *Trial) []Finding {
			e := t.Exchange
			if e.carries(e.Refuse) {
				return nil
			}
			got := "no reason code"
			if codes := e.seen.response.Codes(); len(codes) > 0 {
				got = strings.Join(codes, ", ")
			}
			wanted := strings.Join(e.Refuse, " or ")
			return []Finding{{Class: e.Refuse[0] + "/" + got, Message: fmt.Sprintf("it refused with %s where %s says why", got, wanted), Expected: wanted, Got: got}}
		},
	},
}

func messagesForPeople(t *Trial) []Finding {
	e := t.Exchange
	for i, d := range e.seen.response.Diagnostics {
		if strings.TrimSpace(d.Message) == "" {
			return []Finding{{Class: "blank", Message: fmt.Sprintf("the message of diagnostic %d is blank", i+1), Expected: "a sentence", Got: fmt.Sprintf("%q", d.Message)}}
		}
		if d.File == nil || e.Request == nil {
			continue
		}
		var paths []string
		uri, lines := argument(e.Request, "uri"), -1
		for _, f := range e.Request.Files {
			paths = append(paths, f.Path)
			if f.Path == *d.File || uri == *d.File && strings.HasSuffix(uri, uriPath(f.Path)) {
				lines = strings.Count(f.Content, "\n") + 1
			}
		}
		if uri == *d.File && lines < 0 {
			continue // the uri names a file whose content was not sent
		}
		if lines < 0 {
			return []Finding{{Class: "file", Message: fmt.Sprintf("diagnostic %d names the file %q, which the request does not have", i+1, *d.File),
				Expected: "one of " + strings.Join(paths, ", "), Got: *d.File}}
		}
		if d.Line != nil && int64(*d.Line) > int64(lines) {
			return []Finding{{Class: "line", Message: fmt.Sprintf("diagnostic %d names line %d of a file that has %d", i+1, *d.Line, lines),
				Expected: fmt.Sprintf("a line up to %d", lines), Got: fmt.Sprint(*d.Line)}}
		}
	}
	return nil
}

// uriPath is a path as it stands at the end of a file URI.
func uriPath(path string) string { return (&url.URL{Path: "/" + path}).EscapedPath() }

func argument(r *Request, name string) string {
	s, _ := r.Arguments[name].(string)
	return s
}

func reasonList() string {
	var codes []string
	for _, r := range contracts.MustGet("reason-codes").ReasonCodes {
		codes = append(codes, r.Code)
	}
	return strings.Join(codes, ", ")
}
