package harness

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"
	"golang.org/x/mod/semver"

	"plugcheck/contracts"
	"plugcheck/features"
	"plugcheck/fixtures"
	"plugcheck/validator"
)

// A Check is one line of the catalogue: a rule over all exchanges, or a
// scenario with a stimulus of its own.
type Check struct {
	validator.Check
	Wire string
	// Needs lists the rules without which a rule has nothing to judge, and Static is
	// set for a rule about what stands on disk.
	Needs  []string
	Static bool
	// Idle says what a good plugin may do without, so that a rule has nothing to judge.
	Idle string
	// Feature is the file that holds a scenario.
	Feature string
	Steps   []string
	// tag is the id as its file has it.
	tag string
	// Since is the version of the kit that added the check to a contract that was
	// out already.
	Since string

	order int
}

// IsRule tells a rule from a scenario.
func (k *Check) IsRule() bool { return k.Feature == "" }

// A Catalogue is all checks, in the order in which they are reported.
type Catalogue struct {
	Checks   []*Check
	features []feature

	byID      map[string]*Check
	contracts contracts.Set
	packs     []*contracts.Pack
	cases     map[string][]fixtures.Case // of the packs, by the id of the contract
}

// feature is a file of scenarios as godog takes it.
type feature struct {
	name string
	text []byte
}

// Find returns the check with an id.
func (c *Catalogue) Find(id string) (*Check, bool) {
	k, ok := c.byID[id]
	return k, ok
}

// Built-in checks are parsed once, when first asked for.
var builtin = sync.OnceValues(func() (*Catalogue, error) {
	embedded, err := contracts.All()
	if err != nil {
		return nil, err
	}
	c := &Catalogue{byID: map[string]*Check{}, contracts: embedded}
	for _, w := range wires() {
		for _, r := range w.rules {
			if err := c.add(&Check{Check: r.Check, Wire: w.name, Needs: r.needs, Idle: r.idle, Static: r.static}); err != nil {
				return nil, err
			}
		}
	}
	return c, c.addFeatures(features.FS, "", nil)
})

// BuiltIn returns the checks that plugcheck brings.
func BuiltIn() (*Catalogue, error) { return builtin() }

// With returns the catalogue and the scenarios of an author's folder behind it.
func (c *Catalogue) With(fsys fs.FS, folder string) (*Catalogue, error) {
	more := c.clone()
	n := len(more.Checks)
	if err := more.addFeatures(fsys, folder, &authorDefaults); err != nil {
		return nil, err
	}
	if len(more.Checks) == n {
		return nil, fmt.Errorf("no scenario in any .feature file of %s", folder)
	}
	return more, nil
}

// forTargets returns the catalogue of each target, with the scenarios that its
// configuration makes, and one of all of them to choose from.
func (c *Catalogue) forTargets(targets []*Target) (each []*Catalogue, whole *Catalogue, err error) {
	whole = c
	for _, t := range targets {
		own := c
		if f, ok := t.expectations(); ok {
			own = c.clone()
			if err := own.addFeature(f, &authorDefaults); err != nil {
				return nil, nil, err
			}
			whole = whole.clone()
			for _, k := range own.Checks[len(c.Checks):] {
				if whole.byID[k.ID] == nil { // two plugins may expect the same
					whole.Checks, whole.byID[k.ID] = append(whole.Checks, k), k
				}
			}
		}
		each = append(each, own)
	}
	return each, whole, nil
}

// clone copies what adding to a catalogue changes.
func (c *Catalogue) clone() *Catalogue {
	more := *c
	more.Checks, more.features, more.byID = slices.Clone(c.Checks), slices.Clone(c.features), maps.Clone(c.byID)
	return &more
}

// authorDefaults stand in for the tags that an author's scenario may leave out.
var authorDefaults = validator.Check{Level: validator.Must, Contract: AuthorContract}

// AuthorContract is where the scenarios of a plugin's own author are counted.
const AuthorContract = "author@1.0"

func (c *Catalogue) add(k *Check) error {
	if other := c.byID[k.ID]; other != nil && sameContract(other.Contract, k.Contract) {
		_, version, _ := strings.Cut(k.Contract, "@")
		k.ID += "@" + version // an older version of the contract has the same check
	}
	if k.ID == "" || c.byID[k.ID] != nil {
		return fmt.Errorf("check id %q is empty or used twice", k.ID)
	}
	k.order = len(c.Checks)
	c.Checks = append(c.Checks, k)
	c.byID[k.ID] = k
	return nil
}

// addFeatures reads every .feature file below fsys. Without defaults a
// scenario has to say its id, level, contract, why, spec and fix.
func (c *Catalogue) addFeatures(fsys fs.FS, prefix string, defaults *validator.Check) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".feature" {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return c.addFeature(feature{path.Join(prefix, name), text}, defaults)
	})
}

func (c *Catalogue) addFeature(f feature, defaults *validator.Check) error {
	var id messages.Incrementing
	doc, err := gherkin.ParseGherkinDocument(bytes.NewReader(f.text), id.NewId)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if doc.Feature == nil {
		return fmt.Errorf("%s: there is no feature in it", f.name)
	}
	descriptions := map[string]*messages.Scenario{}
	for _, child := range doc.Feature.Children {
		if child.Scenario != nil {
			descriptions[child.Scenario.Id] = child.Scenario
		}
	}
	for _, p := range gherkin.Pickles(*doc, f.name, id.NewId) {
		at := f.name
		if ast := descriptions[p.AstNodeIds[0]]; ast != nil {
			at = fmt.Sprintf("%s:%d", f.name, ast.Location.Line)
		}
		k, err := scenarioCheck(p, descriptions[p.AstNodeIds[0]], defaults)
		if err != nil {
			return fmt.Errorf("%s: scenario %q: %w", at, p.Name, err)
		}
		if _, err := c.contracts.Get(k.Contract); err != nil && defaults == nil {
			return fmt.Errorf("%s: scenario %q: %w", at, p.Name, err)
		}
		k.Feature = f.name
		if err := c.add(k); err != nil {
			return fmt.Errorf("%s: scenario %q: %w", at, p.Name, err)
		}
	}
	c.features = append(c.features, f)
	return nil
}

func scenarioCheck(p *messages.Pickle, ast *messages.Scenario, defaults *validator.Check) (*Check, error) {
	k := &Check{}
	if defaults != nil {
		k.Check = *defaults
	}
	k.Title, k.tag = p.Name, p.Name
	for _, tag := range p.Tags {
		name, value, _ := strings.Cut(strings.TrimPrefix(tag.Name, "@"), ":")
		switch name {
		case "must", "should", "may":
			k.Level = validator.Level(strings.ToUpper(name))
		case "id":
			k.ID, k.tag = value, value
		case "since":
			k.Since = value
		case "contract":
			k.Contract = strings.Replace(value, "/", "@", 1) // Gherkin ends a tag at the next @
		case "wire":
			k.Wire = value
		}
	}
	if k.ID == "" && defaults != nil {
		k.ID = "author." + slug(p.Name)
	}
	if ast != nil {
		about := labelled(ast.Description)
		k.Why, k.Spec, k.Fix = about["Why"], about["Spec"], about["Fix"]
	}
	for _, s := range p.Steps {
		k.Steps = append(k.Steps, s.Text)
	}
	if err := k.settleWire(); err != nil {
		return nil, err
	}
	switch {
	case k.Since != "" && !semver.IsValid("v"+k.Since):
		return nil, fmt.Errorf("@since:%s is no version of plugcheck, such as 0.2.0", k.Since)
	case k.ID == "" || k.Level == "" || k.Contract == "":
		return nil, fmt.Errorf("it needs the tags @id:…, @contract:NAME/VERSION and one of @must, @should, @may")
	case defaults == nil && (k.Why == "" || k.Spec == "" || k.Fix == ""):
		return nil, fmt.Errorf("its description lacks one of Why, Spec and Fix")
	case len(k.Steps) == 0:
		return nil, fmt.Errorf("it has no steps")
	}
	return k, nil
}

// settleWire finds the wire whose sentences all steps are, where no tag says it.
func (k *Check) settleWire() error {
	candidates := wires()
	if k.Wire != "" {
		w, err := wireNamed(k.Wire)
		if err != nil {
			return err
		}
		candidates = []*wire{w}
	}
	for _, w := range candidates {
		if !slices.ContainsFunc(k.Steps, func(text string) bool { return !w.says(text) }) {
			k.Wire = w.name
			return nil
		}
	}
	for _, text := range k.Steps {
		if !slices.ContainsFunc(candidates, func(w *wire) bool { return w.says(text) }) {
			return fmt.Errorf("there is no step %q; plugcheck steps prints those there are", text)
		}
	}
	return fmt.Errorf("there is no wire that has all of its steps; plugcheck steps prints those there are")
}

// late reports whether a check was added to a contract that was out already: a
// plugin that was certified by it must not fail because the kit is a newer one.
func (c *Catalogue) late(k *Check) bool {
	contract, err := c.contracts.Get(k.Contract)
	return err == nil && k.Since != "" && later(k.Since, contract.Kit)
}

// later compares versions of the kit; the empty one comes before all.
func later(a, b string) bool { return semver.Compare("v"+a, "v"+b) > 0 }

// sameContract reports whether two ids are of different versions of one contract.
func sameContract(a, b string) bool {
	x, v, _ := strings.Cut(a, "@")
	y, w, _ := strings.Cut(b, "@")
	return x == y && v != w
}

// others are the checks of versions of contracts that were not selected, beside
// versions that were: what they come to is in the table of compatibility. Where
// only some checks were selected, nothing but what stands on disk is looked at.
func (c *Catalogue) others(selected map[string]bool, whole bool) map[string]bool {
	judged := map[string]bool{}
	for _, k := range c.Checks {
		if selected[k.ID] {
			judged[k.Contract] = true
		}
	}
	more := map[string]bool{}
	for _, k := range c.Checks {
		if judged[k.Contract] || !whole && !k.Static {
			continue
		}
		for id := range judged {
			if sameContract(id, k.Contract) {
				more[k.ID] = true
			}
		}
	}
	return more
}

// ofWire keeps the checks of one wire.
func (c *Catalogue) ofWire(selected map[string]bool, wire string) map[string]bool {
	mine := map[string]bool{}
	for id := range selected {
		if k, ok := c.byID[id]; ok && k.Wire == wire {
			mine[id] = true
		}
	}
	return mine
}

var (
	label   = regexp.MustCompile(`^\s*(Why|Spec|Fix):\s*(.*)$`)
	nonWord = regexp.MustCompile(`[^a-z0-9]+`)
)

func slug(s string) string {
	return strings.Trim(nonWord.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

// labelled reads "Why: …" paragraphs; a line without a label goes on with the one before.
func labelled(description string) map[string]string {
	about := map[string]string{}
	name := ""
	for line := range strings.Lines(description) {
		text := strings.TrimSpace(line)
		if m := label.FindStringSubmatch(text); m != nil {
			name, text = m[1], strings.TrimSpace(m[2])
		}
		about[name] = strings.TrimSpace(about[name] + " " + text)
	}
	return about
}
