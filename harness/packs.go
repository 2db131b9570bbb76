package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/mod/semver"

	"plugcheck/contracts"
	"plugcheck/fixtures"
	"plugcheck/validator"
)

// WithPacks returns the catalogue with the checks and cases of contract packs behind it.
func (c *Catalogue) WithPacks(packs []*contracts.Pack) (*Catalogue, error) {
	more := c.clone()
	var err error
	if more.contracts, err = c.contracts.With(packs); err != nil {
		return nil, err
	}
	// The newest version of a contract has the ids, and older ones say which they are.
	more.packs = slices.SortedFunc(slices.Values(packs), func(a, b *contracts.Pack) int { return b.Version.Compare(a.Version) })
	more.cases = map[string][]fixtures.Case{}
	for _, p := range more.packs {
		if err := more.addPack(p); err != nil {
			return nil, fmt.Errorf("contract pack %s: %w", p.Folder, err)
		}
	}
	return more, nil
}

func (c *Catalogue) addPack(p *contracts.Pack) error {
	w, err := wireNamed(p.Wire)
	if err != nil {
		return err
	}
	if len(p.Checks) > 0 && w.ofSchema == nil {
		return fmt.Errorf("contract.json: the wire %s has no checks that a schema alone decides", w.name)
	}
	for i := range p.Checks {
		k := &p.Checks[i]
		rule := ruleCheck{Check: validator.Check{ID: k.ID, Level: validator.Level(k.Level), Contract: p.ID(), Title: k.Title, Why: k.Why, Spec: k.Spec, Fix: k.Fix}}
		if !validator.KnownLevel(rule.Level) || rule.Title == "" || rule.Why == "" || rule.Spec == "" || rule.Fix == "" {
			return fmt.Errorf("contract.json: check %q needs a level (MUST, SHOULD or MAY), a title, why, spec and fix", k.ID)
		}
		if k.Since != "" && !semver.IsValid("v"+k.Since) {
			return fmt.Errorf("contract.json: check %q: since is %q, and no version of plugcheck such as 0.2.0", k.ID, k.Since)
		}
		check := &Check{Check: rule.Check, Wire: w.name, Needs: w.ofSchema, Since: k.Since}
		if err := c.add(check); err != nil {
			return fmt.Errorf("contract.json: %w", err)
		}
		k.ID = check.ID
	}
	if _, err := fs.Stat(p.Files, "features"); err == nil {
		sub, err := fs.Sub(p.Files, "features")
		if err != nil {
			return err
		}
		if err := c.addFeatures(sub, p.Folder+"/features", nil); err != nil {
			return err
		}
	}
	if _, err := fs.Stat(p.Files, "fixtures"); err == nil {
		if c.cases[p.ID()], err = fixtures.Load(p.Files, "fixtures"); err != nil {
			return err
		}
	}
	return nil
}

// A PackSummary counts what a sound pack holds.
type PackSummary struct {
	ID                                 string
	Checks, Cases, Examples, Exchanges int
}

// CheckPack judges a pack as a whole: that all in it can be read, that every check
// is complete, that every reason code is explained, and that its own examples
// and sample exchanges come out as their names say. All mistakes are reported together.
func CheckPack(p *contracts.Pack) (PackSummary, error) {
	sum := PackSummary{ID: p.ID()}
	builtin, err := BuiltIn()
	if err != nil {
		return sum, err
	}
	with, err := builtin.WithPacks([]*contracts.Pack{p})
	if err != nil {
		return sum, err
	}
	sum.Checks, sum.Cases = len(with.Checks)-len(builtin.Checks), len(with.cases[p.ID()])
	var faults []error
	if strings.TrimSpace(p.README) == "" {
		faults = append(faults, errors.New("README.md: there is none, and people read that first"))
	}
	for _, r := range p.ReasonCodes {
		if strings.TrimSpace(r.Meaning) == "" || !strings.Contains(p.README, r.Code) {
			faults = append(faults, fmt.Errorf("README.md: it does not explain the reason code %q", r.Code))
		}
	}
	if sum.Checks == 0 {
		faults = append(faults, errors.New("contract.json: the pack has no check, neither of a schema nor a scenario in features"))
	}
	n, err := packExamples(p)
	sum.Examples, faults = n, append(faults, err)
	n, err = sampleExchanges(p)
	sum.Exchanges, faults = n, append(faults, err)
	if err := errors.Join(faults...); err != nil {
		return sum, fmt.Errorf("contract pack %s: %w", p.Folder, err)
	}
	return sum, nil
}

// packExamples judges examples/MESSAGE/valid-*.json and invalid-*.json.
func packExamples(p *contracts.Pack) (int, error) {
	names, err := fs.Glob(p.Files, "examples/*/*.json")
	if err != nil {
		return 0, err
	}
	var faults []error
	for _, name := range names {
		text, err := fs.ReadFile(p.Files, name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		message := path.Base(path.Dir(name))
		if !slices.Contains(p.Messages(), message) {
			faults = append(faults, fmt.Errorf("%s: the contract has no message %q", name, message))
			continue
		}
		said, _, _ := strings.Cut(path.Base(name), "-")
		violations := p.Schema(message).Validate(text)
		switch {
		case said != "valid" && said != "invalid":
			faults = append(faults, fmt.Errorf("%s: its name begins with neither valid- nor invalid-", name))
		case said == "valid" && len(violations) > 0:
			faults = append(faults, fmt.Errorf("%s: it is said to be valid, and %s", name, violations[0]))
		case said == "invalid" && len(violations) == 0:
			faults = append(faults, fmt.Errorf("%s: it is said to be invalid, and keeps the schema", name))
		}
	}
	return len(names), errors.Join(faults...)
}

// sampleExchanges judges exchanges/*.txtar: a request and the response to it,
// which pass, or fail the check that the line "fails: ID" names.
func sampleExchanges(p *contracts.Pack) (int, error) {
	names, err := fs.Glob(p.Files, "exchanges/*.txtar")
	if err != nil {
		return 0, err
	}
	var faults []error
	for _, name := range names {
		text, err := fs.ReadFile(p.Files, name)
		if err == nil {
			err = sampleExchange(p, text)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	return len(names), errors.Join(faults...)
}

func sampleExchange(p *contracts.Pack, text []byte) error {
	archive := txtar.Parse(text)
	parts := map[string][]byte{}
	for _, f := range archive.Files {
		parts[f.Name] = f.Data
	}
	if parts["request"] == nil || parts["response"] == nil {
		return errors.New("it needs the two files request and response")
	}
	var request validator.Request
	if err := json.Unmarshal(parts["request"], &request); err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	e := &validator.Exchange{Request: &request, Transcript: validator.Transcript{Stdout: parts["response"], StdoutBytes: int64(len(parts["response"]))}}
	e.Read()
	w, err := wireNamed(p.Wire)
	if err != nil {
		return err
	}
	rules := slices.Concat(validator.ExchangeRules(), validator.SchemaRules(p.Contract, w.ofSchema))
	wanted, _ := strings.CutPrefix(strings.TrimSpace(string(archive.Comment)), "fails:")
	wanted = strings.TrimSpace(wanted)
	for _, o := range validator.Judge(rules, &validator.Trial{Manifest: &validator.Manifest{Kind: validator.Actuator}, Exchange: e}) {
		switch {
		case len(o.Findings) == 0:
		case o.Check.ID == wanted:
			return nil
		default:
			return fmt.Errorf("it fails %s: %s", o.Check.ID, o.Findings[0].Message)
		}
	}
	if wanted != "" {
		return fmt.Errorf("it is said to fail %s, and does not", wanted)
	}
	return nil
}
