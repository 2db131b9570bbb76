package gen

import (
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// mostDepth is how deep holes are filled with templates that have holes again.
const mostDepth = 3

// Code draws statements for the top level of a module. They do nothing, and hold
// whatever makes the end of a string, a regular expression or a block hard to
// see. The scope becomes part of all their names, so that a module can have
// code of several scopes.
func Code(scope string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		c := coder{t: t, scope: scope}
		return c.code(topLevel, 4, 0)
	})
}

var topLevel = slices.Concat(statements, outermost)

// whole maps each list of templates to those of it that have no holes.
var whole = map[*string][]string{
	&topLevel[0]:   withoutHoles(topLevel),
	&statements[0]: withoutHoles(statements),
	&operands[0]:   withoutHoles(operands),
}

func withoutHoles(templates []string) []string {
	return slices.DeleteFunc(slices.Clone(templates), func(s string) bool { return strings.Contains(s, "⟨") })
}

type coder struct {
	t     *rapid.T
	scope string
	names int
}

// code draws up to some statements.
func (c *coder) code(templates []string, most, depth int) string {
	var b strings.Builder
	for range rapid.IntRange(0, most).Draw(c.t, "statements") {
		b.WriteString(c.one(templates, depth))
		b.WriteString(between.Draw(c.t, "between"))
	}
	return b.String()
}

var between = rapid.SampledFrom([]string{"\n", "\n", "\n\n", " ", "", "\r\n", " /* } */ "})

// one draws a template and fills its holes.
func (c *coder) one(templates []string, depth int) string {
	if depth == mostDepth {
		templates = whole[&templates[0]]
	}
	template := rapid.SampledFrom(templates).Draw(c.t, "template")
	c.names++
	template = strings.ReplaceAll(template, "§", c.scope+strconv.Itoa(c.names))
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "⟨")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		hole, behind, _ := strings.Cut(rest, "⟩")
		b.WriteString(c.fill(hole, depth+1))
		template = behind
	}
}

func (c *coder) fill(hole string, depth int) string {
	switch hole {
	case "e":
		return c.one(operands, depth)
	case "s":
		return "\n" + c.code(statements, 2, depth)
	}
	return gaps.Draw(c.t, "gap")
}
