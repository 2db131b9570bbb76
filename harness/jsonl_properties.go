package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"

	"plugcheck/fixtures"
	"plugcheck/validator"
	"plugcheck/validator/patch"
)

// names are identifiers in every language of the fixtures, keywords in none.
var names = []string{"alpha", "beta", "gamma", "delta", "kappa", "omega_2", "sigmaTwo"}

// comment draws a line of text in which no name can occur.
func comment(t *rapid.T, label string) string {
	pieces := []string{"é", "ß", "日本", "語", "🟢", "𝒳", " ", "1", "?", "-", "++ ", "-- ", "@@ ", "e\u0301", "\u00a0"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, label), "")
}

// program draws a small program and the name in it that is to be renamed.
func program(t *rapid.T, l fixtures.Language) (content []byte, offset int, symbol, newName string) {
	order := rapid.Permutation(names).Draw(t, "names")
	n := rapid.IntRange(1, 4).Draw(t, "functions")
	var p fixtures.Program
	for i := range n {
		f := fixtures.Function{Name: order[i], Calls: rapid.SliceOfN(rapid.SampledFrom(order[:i+1]), 0, 4).Draw(t, "calls")}
		for range rapid.IntRange(0, 2).Draw(t, "comments") {
			f.Comments = append(f.Comments, comment(t, "comment"))
		}
		p = append(p, f)
	}
	content, at := l.Program(p)
	symbol = order[rapid.IntRange(0, n-1).Draw(t, "symbol")]
	return content, at[symbol], symbol, order[len(order)-1]
}

// validAsk draws any valid request: a program, or a text of any kind with a
// position anywhere in it.
func (sc *jsonlScenario) validAsk(t *rapid.T) ask {
	s := sc.session
	path := "src/drawn" + s.extension()
	l, ok := s.language()
	var a ask
	if ok && rapid.Bool().Draw(t, "a program") {
		content, at, symbol, newName := program(t, l)
		a = rename("", []validator.File{{Path: path, Content: string(content)}}, 0, at, symbol, newName)
	} else {
		content := rapid.StringOfN(rapid.OneOf(rapid.RuneFrom([]rune("ab_1 \n\r\t\"'#/(){}=.é日🟢\u2028\ufeff")), rapid.Rune()), 0, 40, -1).Draw(t, "content")
		at := rapid.IntRange(0, len(content)).Draw(t, "position")
		for !utf8.RuneStart(append([]byte(content), 0)[at]) {
			at--
		}
		a = rename("", []validator.File{{Path: path, Content: content}}, 0, at, "", rapid.SampledFrom(names).Draw(t, "new name"))
	}
	if operation := s.plain.request.Operation; operation != "rename-symbol" {
		a = s.forOperation(a, operation)
	}
	a.name = "a request drawn at random"
	return a
}

func (sc *jsonlScenario) propertyValid() error {
	return sc.property(func(t *rapid.T) (*outcome, error) {
		r, err := sc.send(sc.validAsk(t))
		if err != nil {
			return nil, err
		}
		if o := r.broken(usable); o != nil {
			return o, nil
		}
		return r.answered(), nil
	})
}

type breakage struct {
	say   string
	apply func(m map[string]any)
	// rename marks what only the contract of rename-symbol asks for.
	rename bool
}

// breaks are the ways of breaking a request in one place. They change the
// request's fields as a map, so that any of them can be absent or of any type.
var breaks = []breakage{
	{"operation missing", func(m map[string]any) { delete(m, "operation") }, false},
	{"operation a number", func(m map[string]any) { m["operation"] = 7 }, false},
	{"operation null", func(m map[string]any) { m["operation"] = nil }, false},
	{"files missing", func(m map[string]any) { delete(m, "files") }, false},
	{"files null", func(m map[string]any) { m["files"] = nil }, false},
	{"files an object", func(m map[string]any) { m["files"] = map[string]any{} }, false},
	{"a file that is a string", func(m map[string]any) { m["files"] = []any{"src/a.py"} }, false},
	{"a file without content", func(m map[string]any) { delete(firstFile(m), "content") }, false},
	{"a file without path", func(m map[string]any) { delete(firstFile(m), "path") }, false},
	{"content a number", func(m map[string]any) { firstFile(m)["content"] = 1 }, false},
	{"content null", func(m map[string]any) { firstFile(m)["content"] = nil }, false},
	{"arguments missing", func(m map[string]any) { delete(m, "arguments") }, true},
	{"arguments a list", func(m map[string]any) { m["arguments"] = []any{} }, true},
	{"uri missing", func(m map[string]any) { delete(arguments(m), "uri") }, true},
	{"uri null", func(m map[string]any) { arguments(m)["uri"] = nil }, true},
	{"position missing", func(m map[string]any) { delete(arguments(m), "position") }, true},
	{"position null", func(m map[string]any) { arguments(m)["position"] = nil }, true},
	{"position a word", func(m map[string]any) { arguments(m)["position"] = "here" }, true},
	{"new_name missing", func(m map[string]any) { delete(arguments(m), "new_name") }, true},
	{"new_name empty", func(m map[string]any) { arguments(m)["new_name"] = "" }, true},
	{"new_name an object", func(m map[string]any) { arguments(m)["new_name"] = map[string]any{} }, true},
}

func firstFile(m map[string]any) map[string]any { return m["files"].([]any)[0].(map[string]any) }

func arguments(m map[string]any) map[string]any { return m["arguments"].(map[string]any) }

// propertyInvalid tries every way of breaking a request once, on the plain one,
// and then all of them at random on random requests.
func (sc *jsonlScenario) propertyInvalid() error {
	ways := slices.Clone(breaks)
	if sc.session.plain.request.Operation != "rename-symbol" {
		ways = slices.DeleteFunc(ways, func(b breakage) bool { return b.rename })
	}
	for _, way := range ways {
		o, err := sc.refusesBroken(sc.session.plain, way)
		if err != nil {
			return err
		}
		if o != nil {
			return o
		}
	}
	return sc.property(func(t *rapid.T) (*outcome, error) {
		return sc.refusesBroken(sc.validAsk(t), rapid.SampledFrom(ways).Draw(t, "way"))
	})
}

func (sc *jsonlScenario) refusesBroken(a ask, way breakage) (*outcome, error) {
	line, err := brokenLine(a, way.apply)
	if err != nil {
		return nil, err
	}
	a.name, a.raw, a.request, a.refuse = "a request with "+way.say, line, nil, []string{validator.AnyCode}
	r, err := sc.send(a)
	if err != nil {
		return nil, err
	}
	return r.refused(), nil
}

func (sc *jsonlScenario) propertyRoundTrip() error {
	l, ok := sc.session.language()
	if !ok {
		return cannotTest("the kit writes programs in %s, and the manifest lists none of them", languageList())
	}
	return sc.property(func(t *rapid.T) (*outcome, error) {
		content, at, symbol, newName := program(t, l)
		path := "src/drawn" + l.Extension
		there, err := sc.send(rename("a rename there", []validator.File{{Path: path, Content: string(content)}}, 0, at, symbol, newName))
		if err != nil {
			return nil, err
		}
		if o := there.wantedAny(); o != nil {
			return o, nil
		}
		changed := there.After()[0].Content
		back, err := sc.send(rename("the rename back", []validator.File{{Path: path, Content: string(changed)}}, 0, at, newName, symbol))
		if err != nil {
			return nil, err
		}
		if o := back.wantedAny(); o != nil {
			return o, nil
		}
		if got := back.After()[0].Content; string(got) != string(content) {
			return back.fail(validator.Finding{Class: "no-round-trip", Message: fmt.Sprintf("renaming %s to %s and back does not restore the text", symbol, newName),
				Expected: "the text before the first rename", Got: "other bytes", Diff: patch.Unified(path, content, got)}), nil
		}
		return nil, nil
	})
}

func languageList() string {
	var list []string
	for _, l := range fixtures.Languages() {
		list = append(list, l.Name)
	}
	return strings.Join(list, ", ")
}

// brokenLine encodes a request with one change to its fields.
func brokenLine(a ask, apply func(map[string]any)) ([]byte, error) {
	var fields map[string]any
	if err := json.Unmarshal(a.request.Line(), &fields); err != nil {
		return nil, err
	}
	apply(fields)
	line, err := json.Marshal(fields)
	return append(line, '\n'), err
}
