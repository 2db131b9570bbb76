package reports

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A cause is one reason why checks of a plugin fail: the check that names it
// and the others that fail with it.
type cause struct {
	plugin *Plugin
	head   *Check
	others []*Check
	level  Level // the strictest of them
	key    string
}

// causes groups the failed checks of the run, the strictest level first.
func (r *Report) causes() []*cause {
	var all []*cause
	for i := range r.Plugins {
		p, known := &r.Plugins[i], map[string]*cause{}
		for j := range p.Checks {
			k := &p.Checks[j]
			if k.Status != Fail {
				continue
			}
			c := known[k.Cause]
			if c == nil || k.Cause == "" {
				c = &cause{plugin: p, head: k, level: k.Level, key: k.Cause}
				known[k.Cause] = c
				all = append(all, c)
				continue
			}
			c.level = min(c.level, k.Level)
			if names, _, _ := strings.Cut(c.key, "/"); k.ID == names && c.head.ID != names {
				c.others = slices.Insert(c.others, 0, c.head)
				c.head = k
			} else {
				c.others = append(c.others, k)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *cause) int { return cmp.Compare(a.level, b.level) })
	return all
}

// A group is the checks of one contract.
type group struct {
	contract string
	checks   []*Check
}

// groups sorts the checks of a plugin by contract: those it lists first, with
// or without checks, then any others in the order in which they appear.
func (p *Plugin) groups() []*group {
	var all []*group
	find := func(contract string) *group {
		i := slices.IndexFunc(all, func(g *group) bool { return g.contract == contract })
		if i < 0 {
			i = len(all)
			all = append(all, &group{contract: contract})
		}
		return all[i]
	}
	for _, c := range p.Contracts {
		find(c.Name + "@" + c.Version)
	}
	for i := range p.Checks {
		g := find(p.Checks[i].Contract)
		g.checks = append(g.checks, &p.Checks[i])
	}
	return all
}

// outcome is what checks can have in common that were not judged.
type outcome struct {
	status  Status
	message string
}

func (k *Check) outcome() outcome { return outcome{k.Status, k.Message} }

// crowd is how many checks of a contract must share an outcome to be told in one line.
const crowd = 4

// crowds counts the checks that were skipped or left untested for one reason,
// where they are many, or all that the group has.
func (g *group) crowds() map[outcome]int {
	n := map[outcome]int{}
	for _, k := range g.checks {
		if (k.Status == Skip || k.Status == StatusUntested) && k.Message != "" {
			n[k.outcome()]++
		}
	}
	maps.DeleteFunc(n, func(_ outcome, count int) bool { return count < crowd && (count < 2 || count < len(g.checks)) })
	return n
}

// run is the plugin without the contracts of which every check was skipped:
// they are told where they are skipped, and have nothing to sum up.
func (p *Plugin) run() *Plugin {
	shown := *p
	skipped := func(name, version string) bool {
		for _, g := range p.groups() {
			if g.contract == name+"@"+version && !slices.ContainsFunc(g.checks, func(k *Check) bool { return k.Status != Skip }) {
				return len(g.checks) > 0
			}
		}
		return false
	}
	shown.Contracts = slices.DeleteFunc(slices.Clone(p.Contracts), func(c Contract) bool { return skipped(c.Name, c.Version) })
	shown.Compatibility = slices.DeleteFunc(slices.Clone(p.Compatibility), func(c Compatibility) bool { return skipped(c.Contract, c.Version) })
	return &shown
}

// title is how a plugin is called in a report, on one line.
func (p *Plugin) title() string {
	return one(strings.TrimSpace(cmp.Or(p.Name, p.Path, "a plugin without a name") + " " + p.Version))
}
