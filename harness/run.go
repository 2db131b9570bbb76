package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"plugcheck/contracts"
	"plugcheck/reports"
)

// Options are what a run can be told.
type Options struct {
	Version string
	Gate    reports.Level
	// Only, Skip and Contracts choose checks; each entry has to match something.
	Only, Skip, Contracts []string
	Packs                 []*contracts.Pack
	// AsOf leaves out the checks that later versions of the kit added, and Strict
	// counts those that were added to contracts which were out already.
	AsOf        string
	Strict      bool
	Features    string // a folder of the author's own scenarios
	Timeout     time.Duration
	Jobs        int
	Checks      int // how often a property is tried
	Seed        uint64
	Repeat      int
	Lock        string
	Transcripts string
	// MaxRisk is how much a tool of a JSON-RPC plugin may dare and still be called,
	// in one of the words of Risks; DefaultMaxRisk where it is empty.
	MaxRisk string
	Waivers []Waiver
	Shard   Shard
	// Command is the command line that runs some checks of one plugin again.
	Command  func(t *Target, seed uint64, only []string, level reports.Level) string
	Progress Progress
	// Examples keeps an exchange of what passed too.
	Examples bool
}

// Progress is told how many scenarios are ahead, and of each when it begins and
// when it is done. What is nil is not told.
type Progress struct {
	Start func(total int)
	Begin func(id string)
	Done  func(id string, status reports.Status)
}

// A Shard is one of several runs that share the checks among them.
type Shard struct{ Index, Total int }

// DefaultChecks is how often a property is tried when nobody says otherwise.
const DefaultChecks = 20

// Run judges the targets one after the other. The error is for what made the
// run impossible; what the kit could not do for one plugin is in the report.
func Run(ctx context.Context, targets []*Target, o Options) (*reports.Report, error) {
	catalogue, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	if len(o.Packs) > 0 {
		if catalogue, err = catalogue.WithPacks(o.Packs); err != nil {
			return nil, err
		}
	}
	if o.Features != "" {
		if info, err := os.Stat(o.Features); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--features %s: there is no such folder", o.Features)
		}
		if catalogue, err = catalogue.With(os.DirFS(o.Features), o.Features); err != nil {
			return nil, err
		}
	}
	catalogues, whole, err := catalogue.forTargets(targets)
	if err != nil {
		return nil, err
	}
	selected, err := whole.choose(o)
	if err != nil {
		return nil, err
	}
	if o.Checks <= 0 {
		o.Checks = DefaultChecks
	}
	for o.Seed == 0 {
		o.Seed = rand.Uint64() >> 16 // short enough to be typed again
	}
	letGo, err := takeRapid(o.Checks, o.Seed)
	if err != nil {
		return nil, err
	}
	defer letGo()
	report := newReport(o)
	start := time.Now()
	findTwins(targets)
	for i, t := range targets {
		if ctx.Err() != nil {
			break
		}
		report.Plugins = append(report.Plugins, judge(ctx, t, o, catalogues[i], selected))
	}
	report.Errors = append(report.Errors, applyWaivers(report, o.Waivers)...)
	report.Interrupted = ctx.Err() != nil
	report.DurationMS = time.Since(start).Milliseconds()
	report.Settle(o.Gate)
	return report, nil
}

// newReport is a report of what has not been run yet.
func newReport(o Options) *reports.Report {
	return &reports.Report{
		Schema: reports.Schema, Tool: reports.Tool{Name: "plugcheck", Version: o.Version},
		Started: time.Now().UTC().Truncate(time.Second), Seed: o.Seed, Plugins: []reports.Plugin{},
	}
}

// judge runs one plugin, as often as the options say.
func judge(ctx context.Context, t *Target, o Options, c *Catalogue, selected map[string]bool) reports.Plugin {
	p := judgeOnce(ctx, t, o, c, selected)
	for range o.Repeat - 1 {
		if ctx.Err() != nil || len(p.Errors) > 0 {
			break
		}
		again := judgeOnce(ctx, t, o, c, selected)
		p.Errors = append(p.Errors, again.Errors...)
		for i := range p.Checks {
			merge(&p.Checks[i], again.Checks)
		}
	}
	return p
}

// merge keeps the worse of two outcomes of a check, and says when they differ.
func merge(k *reports.Check, again []reports.Check) {
	i := slices.IndexFunc(again, func(other reports.Check) bool { return other.ID == k.ID })
	if i < 0 || again[i].Status == k.Status {
		return
	}
	other := again[i]
	if k.Status == reports.Fail || other.Status == reports.Fail {
		if other.Status == reports.Fail {
			*k = other
		}
	} else if other.Status == reports.StatusUntested {
		*k = other
	}
	k.Flaky = true
}

// judgeOnce never panics: what goes wrong in the kit is the kit's error, and
// the next plugin is still judged.
func judgeOnce(ctx context.Context, t *Target, o Options, c *Catalogue, selected map[string]bool) (p reports.Plugin) {
	if t.Err != nil {
		return reports.Plugin{Path: t.Path, Name: t.Name, Wire: t.Wire, Errors: []string{t.Err.Error()}}
	}
	s, err := newSession(t, o, c)
	if err == nil {
		defer func() {
			if err := s.close(); err != nil {
				p.Notes = append(p.Notes, "some of what the plugin left could not be removed: "+err.Error())
			}
		}()
		p, err = s.run(ctx, selected)
	}
	if err != nil {
		if p.Path == "" {
			p = reports.Plugin{Path: t.Path, Name: t.Name, Version: t.Version, Wire: t.Wire}
		}
		p.Errors = append(p.Errors, err.Error())
	}
	return p
}

// findTwins tells each manifest of another one with its name: a registry could
// not hold the two side by side.
func findTwins(targets []*Target) {
	byName := map[string][]*Target{}
	for _, t := range targets {
		if key := t.Wire + " " + t.Name; t.Err == nil && t.Name != "" {
			byName[key] = append(byName[key], t)
		}
	}
	for _, same := range byName {
		for i, t := range same {
			switch other := same[(i+1)%len(same)]; {
			case other.Source == t.Source: // the same one, named twice
			case t.Manifest != nil:
				t.Manifest.Twin = other.Source
			default:
				t.Notes = append(t.Notes, fmt.Sprintf("another plugin is named %q too: %s", t.Name, other.Source))
			}
		}
	}
}

// choose returns the ids of the checks that the options ask for.
func (c *Catalogue) choose(o Options) (map[string]bool, error) {
	selected := map[string]bool{}
	for _, k := range c.Checks {
		// An older version of a contract is judged when it is asked for.
		selected[k.ID] = c.contracts.Newest(k.Contract) || len(o.Contracts) > 0
	}
	if len(o.Only) > 0 {
		matched, err := c.match("--only", o.Only, func(k *Check, pattern string) (bool, error) { return path.Match(pattern, k.ID) })
		if err != nil {
			return nil, err
		}
		selected = matched
	}
	if len(o.Contracts) > 0 {
		matched, err := c.match("--contract", o.Contracts, func(k *Check, pattern string) (bool, error) {
			if pattern == AuthorContract || pattern == strings.Split(AuthorContract, "@")[0] {
				return k.Contract == AuthorContract, nil
			}
			contract, err := c.contracts.Get(pattern)
			return err == nil && contract.ID() == k.Contract, err
		})
		if err != nil {
			return nil, err
		}
		for id := range selected {
			selected[id] = matched[id]
		}
	}
	if len(o.Skip) > 0 {
		matched, err := c.match("--skip", o.Skip, func(k *Check, pattern string) (bool, error) { return path.Match(pattern, k.ID) })
		if err != nil {
			return nil, err
		}
		for id := range matched {
			delete(selected, id)
		}
	}
	for _, k := range c.Checks {
		if !selected[k.ID] || o.AsOf != "" && k.Since != "" && later(k.Since, o.AsOf) {
			delete(selected, k.ID)
		}
	}
	if len(selected) == 0 {
		return nil, errors.New("no check is left to run: --only, --skip and --contract together leave none")
	}
	return selected, nil
}

func (c *Catalogue) match(option string, patterns []string, matches func(*Check, string) (bool, error)) (map[string]bool, error) {
	found := map[string]bool{}
	for _, pattern := range patterns {
		any := false
		for _, k := range c.Checks {
			ok, err := matches(k, pattern)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", option, pattern, err)
			}
			if ok {
				found[k.ID], any = true, true
			}
		}
		if !any {
			return nil, fmt.Errorf("%s %s matches no check%s", option, pattern, c.DidYouMean(pattern))
		}
	}
	return found, nil
}

// DidYouMean names the check whose id is nearest to a mistyped one.
func (c *Catalogue) DidYouMean(id string) string {
	var ids []string
	for _, k := range c.Checks {
		ids = append(ids, k.ID)
	}
	if best := contracts.Nearest(id, ids); best != "" {
		return "; did you mean " + best + "?"
	}
	return "; plugcheck list shows them all"
}
