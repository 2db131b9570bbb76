package validator

import (
	"slices"

	"plugcheck/contracts"
)

// The contracts that the rules of this wire belong to.
const (
	exchangeContract = "jsonl-exchange@1.0"
	reasonContract   = "reason-codes@1.0"
	renameContract   = "rename-symbol@1.0"
)

// Where the document says what the rules ask for.
const (
	specIPC          = "Weaver, Plugin system, \"IPC protocol\""
	specManifest     = "Weaver, Plugin system, \"Plugin manifest\""
	specRegistry     = "Weaver, Plugin system, \"Plugin registry\" (manifests keyed by name)"
	specCapabilities = "Weaver, Plugin system, \"Manifest capability declarations\""
	specIdentifiers  = "Weaver, Plugin system, \"Capability identifiers\""
	specCategories   = "Weaver, Plugin system, \"Plugin categories\""
	specReasons      = "Weaver, Plugin system, \"Refusal reason codes\""
	specRename       = "Weaver, Plugin system, \"The rename-symbol capability contract\""
	specLocks        = "Weaver, Plugin system, \"Safety harness integration\""
)

// ManifestRules judge a manifest, before anything is started.
func ManifestRules() []Rule[*Trial] { return manifestRules }

// ExchangeRules judge every exchange of a run, in the order in which one needs the other.
func ExchangeRules() []Rule[*Trial] { return exchangeRules }

var exchangeRules = slices.Concat(processRules, responseRules, renameRules, draftRules())

// Rules is all rules of the wire, for the catalogue.
func Rules() []Rule[*Trial] { return slices.Concat(manifestRules, exchangeRules) }

// maxJudged is how large an answer may be that is judged by a schema of a pack,
// which can ask for anything; there are smaller ones.
const maxJudged = 1 << 20

// SchemaRules are the rules of a contract that follow from its schemas: every
// success of its capability keeps the schema of the check's message.
func SchemaRules(c *contracts.Contract, needs []string) []Rule[*Trial] {
	var rules []rule
	for _, k := range c.Checks {
		schema := c.Schema(k.Message)
		rules = append(rules, rule{
			Check: Check{ID: k.ID, Level: Level(k.Level), Contract: c.ID(), Title: k.Title, Why: k.Why, Spec: k.Spec, Fix: k.Fix},
			Needs: needs,
			Applies: func(t *Trial) bool {
				return t.Exchange.Request != nil && t.Exchange.Request.Operation == c.Capability && t.Exchange.Succeeded() && len(t.Exchange.seen.line) <= maxJudged
			},
			Judge: func(t *Trial) []Finding {
				var found []Finding
				for _, v := range schema.Validate(t.Exchange.seen.line) {
					found = append(found, Finding{Class: v.Path, Message: "in the " + k.Message + ", " + v.String(), Expected: v.Wanted, Got: v.Got})
				}
				return found
			},
		})
	}
	return rules
}

// draftRules hold of a capability without a published contract what the
// document says of every actuator.
func draftRules() []rule {
	var rules []rule
	for _, capability := range contracts.MustGet("jsonl-exchange").Capabilities {
		contract := contracts.MustGet(capability)
		if !contract.Draft {
			continue
		}
		rules = append(rules, rule{
			Check: Check{ID: capability + ".success-is-diff", Level: Must, Contract: contract.ID(),
				Title: "A success of " + capability + " is a unified diff that applies",
				Why:   "The host hands an actuator's output to the same gate as a patch; anything else changes nothing.",
				Spec:  specCategories,
				Fix:   "Answer a success with {\"kind\":\"diff\",\"content\":…}, a unified diff of the files that were sent."},
			Needs: []string{"jsonl.response.schema"},
			Applies: func(t *Trial) bool {
				return t.Exchange.Request != nil && t.Exchange.Request.Operation == capability && t.Exchange.Succeeded() && t.Exchange.Refuse == nil
			},
			Judge: func(t *Trial) []Finding {
				if f := wantDiff(t.Exchange); f != nil {
					return f
				}
				return patchProblems(t.Exchange, "")
			},
		})
	}
	return rules
}
