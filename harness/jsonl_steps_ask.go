package harness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/cucumber/godog"

	"plugcheck/contracts"
	"plugcheck/fixtures"
	"plugcheck/validator"
)

func (sc *jsonlScenario) aPlainRequest() { sc.asks = []ask{sc.session.plain.clone()} }

func (sc *jsonlScenario) aRename() { sc.asks = []ask{sc.session.renameAsk().clone()} }

// casesOfClass takes the cases of a class in the languages that the plugin
// speaks. A language without one cannot be tested, unless the class is one that
// only some languages have.
func (sc *jsonlScenario) casesOfClass(class string) error {
	s := sc.session
	known := map[string]bool{}
	var missing []string
	for _, l := range s.languages() {
		found := false
		for _, c := range s.cases {
			if c.Class == class && c.Operation == "rename-symbol" && c.Language == l {
				found = true
				sc.asks = append(sc.asks, fromCase(c))
			}
		}
		if !found {
			missing = append(missing, l)
		}
	}
	for _, c := range s.cases {
		if c.Class == class {
			known[c.Language] = true
		}
	}
	universal := len(known) >= len(fixtures.Languages())
	switch {
	case !universal && len(sc.asks) == 0:
		return skip("only %s has a case of the class %s, and the manifest does not declare it", joinKeys(known), class)
	case len(sc.asks) == 0, len(missing) > 0 && class == "plain":
		return cannotTest("there is no %s case for %s: write one (class: %s) and name it in %s", class, strings.Join(orNone(missing), ", "), class, ConfigName)
	}
	return nil
}

func orNone(languages []string) []string {
	if len(languages) == 0 {
		return []string{"a plugin that declares no language"}
	}
	return languages
}

func joinKeys(m map[string]bool) string {
	var names []string
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (sc *jsonlScenario) caseNamed(name string) error {
	for _, c := range sc.session.cases {
		if c.Name == name {
			sc.asks = append(sc.asks, fromCase(c))
			return nil
		}
	}
	return fmt.Errorf("there is no case %q", name)
}

// authorsCases adds the cases of the author's own that no other scenario takes:
// all of an operation without a published contract, and of renames those that
// are about nothing in particular.
func (sc *jsonlScenario) authorsCases(operation string) error {
	for _, c := range sc.session.target.Config.cases {
		if c.Operation == operation && (operation != "rename-symbol" || c.Class == "success" || c.Class == "refusal") {
			sc.asks = append(sc.asks, fromCase(c))
		}
	}
	if len(sc.asks) == 0 {
		return skip("its author wrote no case of class success or refusal for %s", operation)
	}
	return nil
}

// casesFor takes every case of an operation, those of the scenario's contract and
// those of the plugin's author, in the languages that the plugin speaks.
func (sc *jsonlScenario) casesFor(operation string) error {
	s := sc.session
	for _, c := range slices.Concat(s.catalogue.cases[sc.check.Contract], s.cases) {
		if c.Operation == operation && slices.Contains(s.languages(), c.Language) {
			sc.asks = append(sc.asks, fromCase(c))
		}
	}
	if len(sc.asks) == 0 {
		return cannotTest("there is no case for %s in a language that the plugin speaks: write one and name it in %s", operation, ConfigName)
	}
	return nil
}

func (sc *jsonlScenario) literalRequest(doc *godog.DocString) error {
	var r validator.Request
	if err := jsonv2.Unmarshal([]byte(doc.Content), &r); err != nil {
		return fmt.Errorf("the request of the step is no request: %w", err)
	}
	sc.asks = append(sc.asks, ask{name: "the request of the scenario", request: &r})
	return nil
}

func (sc *jsonlScenario) requestForOperation(operation string) {
	sc.asks = append(sc.asks, sc.session.forOperation(sc.session.renameAsk(), operation))
}

func (sc *jsonlScenario) capabilityAndCases(operation string) {
	_ = sc.authorsCases(operation) // that there are none is no matter here
	sc.requestForOperation(operation)
}

func (sc *jsonlScenario) undeclaredCapability() error {
	for _, c := range contracts.MustGet("jsonl-exchange").Capabilities {
		if !sc.session.target.Manifest.Declares(c) {
			a := sc.session.renameAsk()
			if c != "rename-symbol" {
				a = sc.session.forOperation(a, c)
			}
			a.name, a.want = "a request for "+c, nil
			sc.asks = []ask{a}
			return nil
		}
	}
	return skip("the manifest declares every capability there is, so there is none to ask for")
}

func (sc *jsonlScenario) otherLanguage() error {
	for _, c := range sc.session.cases {
		if c.Class == "other-language" && !slices.Contains(sc.session.languages(), c.Language) {
			sc.asks = []ask{fromCase(c)}
			return nil
		}
	}
	return skip("the manifest lists every language that the kit has a case for")
}

// largeFile keeps the symbol and fills the file: with comments where the kit
// knows how they are written, and with white space otherwise.
func (sc *jsonlScenario) largeFile(mib int) {
	s := sc.session
	name := fmt.Sprintf("a file of %d MiB", mib)
	if l, ok := s.language(); ok {
		content := l.Large(mib<<20, "alpha")
		sc.asks = []ask{sc.withContent(name, content, strings.Index(string(content), "alpha"))}
		return
	}
	a := s.plain.clone()
	a.name, a.want = name, nil
	last := len(a.request.Files) - 1
	// Far from the symbol, and on one line, so that it is no part of any patch.
	a.request.Files[last].Content += strings.Repeat("\n", 20) + strings.Repeat(" ", mib<<20) + "\n"
	sc.asks = []ask{a}
}

// manyUses is a rename whose patch is large. In a language that the kit does not
// know the plain case is repeated, which may not make sense in it.
func (sc *jsonlScenario) manyUses() {
	if l, ok := sc.session.language(); ok {
		content := l.ManyUses("alpha", 6000)
		sc.asks = []ask{sc.withContent("a symbol used 6,000 times", content, strings.Index(string(content), "alpha"))}
		return
	}
	a := sc.session.renameAsk().clone()
	a.name, a.want, a.doubtful = "a program repeated until its patch is large", nil, true
	for i, f := range a.request.Files {
		a.request.Files[i].Content = strings.Repeat(f.Content, 1+(200<<10)/max(1, len(f.Content)))
	}
	sc.asks = []ask{a}
}

// withContent is the plain request over another text, with the symbol alpha.
func (sc *jsonlScenario) withContent(name string, content []byte, offset int) ask {
	s := sc.session
	path := "src/sample" + s.extension()
	a := rename(name, []validator.File{{Path: path, Content: string(content)}}, 0, offset, "alpha", "omega")
	if operation := s.plain.request.Operation; operation != "rename-symbol" {
		a = s.forOperation(a, operation)
	}
	a.name = name
	return a
}

// requestsThatDiffer ask for another new name each, or, where there is none, send
// a file that is longer each time.
func (sc *jsonlScenario) requestsThatDiffer(n int) {
	for i := range n {
		a := sc.session.plain.clone()
		a.name, a.want = fmt.Sprintf("request %d of %d", i+1, n), nil
		if name, ok := a.request.Arguments["new_name"].(string); ok {
			a.newName = fmt.Sprintf("%s%d", name, i+1)
			a.request.Arguments["new_name"] = a.newName
		} else {
			a.request.Files[0].Content += strings.Repeat("\n", i+1)
		}
		sc.asks = append(sc.asks, a)
	}
}

// inPlace holds what can be sent in place of a request.
var inPlace = map[string]func() []byte{
	"garbage":       func() []byte { return []byte("}{ this is no JSON \x01\n") },
	"an empty line": func() []byte { return []byte("\n") },
	"nothing":       func() []byte { return nil },
	"an array":      func() []byte { return []byte("[1,2,3]\n") },
	"a string":      func() []byte { return []byte("\"rename-symbol\"\n") },
	"null":          func() []byte { return []byte("null\n") },
	"half a request": func() []byte {
		return []byte(`{"operation":"rename-symbol","files":[{"path":"src/a.py","content":"alpha = 1\nbe`)
	},
	"10,000 levels": func() []byte {
		const depth = 10_000
		return []byte(`{"operation":"rename-symbol","files":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `,"arguments":{}}` + "\n")
	},
}

func (sc *jsonlScenario) inPlaceOfARequest(what string) error {
	make, ok := inPlace[what]
	if !ok {
		return fmt.Errorf("%q is none of what can be sent in place of a request", what)
	}
	sc.asks = append(sc.asks, ask{name: what + " in place of a request", raw: make()})
	return nil
}

func (sc *jsonlScenario) eachInPlaceOfARequest(table *godog.Table) error {
	for _, row := range table.Rows {
		if err := sc.inPlaceOfARequest(row.Cells[0].Value); err != nil {
			return err
		}
	}
	return nil
}

// change applies a change to every request and says so in its name.
func (sc *jsonlScenario) change(say string, f func(*ask)) {
	for i := range sc.asks {
		a := sc.asks[i].clone()
		f(&a)
		a.name += ", " + say
		sc.asks[i] = a
	}
}

func (sc *jsonlScenario) argumentMissing(name string) {
	sc.change("without "+name, func(a *ask) { delete(a.request.Arguments, name) })
}

// argumentBlank sends both that are blank: nothing, and white space.
func (sc *jsonlScenario) argumentBlank(name string) {
	plain := slices.Clone(sc.asks)
	sc.change("with "+name+" empty", func(a *ask) { a.request.Arguments[name] = "" })
	empty := sc.asks
	sc.asks = plain
	sc.change("with "+name+" blank", func(a *ask) { a.request.Arguments[name] = "  " })
	sc.asks = append(empty, sc.asks...)
}

// argumentNotAString sends a number where a number could be meant, and a list
// elsewhere: what a careless reader would still take.
func (sc *jsonlScenario) argumentNotAString(name string) {
	sc.change("with "+name+" not a string", func(a *ask) {
		if name == "position" {
			a.request.Arguments[name] = a.offset
			return
		}
		a.request.Arguments[name] = []any{a.request.Arguments[name]}
	})
}

func (sc *jsonlScenario) argumentIs(name, value string) {
	sc.change(fmt.Sprintf("with %s %q", name, value), func(a *ask) { a.request.Arguments[name] = value })
}

func (sc *jsonlScenario) positionIs(value string) { sc.argumentIs("position", value) }

func (sc *jsonlScenario) positionPastEnd() {
	sc.change("with position past the end", func(a *ask) {
		a.request.Arguments["position"] = strconv.Itoa(len(a.request.Files[0].Content) + 1000)
	})
}

func (sc *jsonlScenario) noFile() {
	sc.change("without a file", func(a *ask) { a.request.Files = []validator.File{} })
}

func (sc *jsonlScenario) secondFile() {
	sc.change("with a second file", func(a *ask) {
		path := "src/unrelated" + sc.session.extension()
		content := []byte("unrelated\n")
		if l, ok := sc.session.language(); ok {
			content, _ = l.Program(fixtures.Program{{Name: "unrelated"}})
		}
		a.request.Files = append([]validator.File{{Path: path, Content: string(content)}}, a.request.Files...)
		if a.want != nil {
			a.want = append(validatorFiles(a.request.Files[:1]), a.want...)
		}
	})
}

func (sc *jsonlScenario) unknownFields() {
	unknown := map[string]any{"x_unknown": map[string]any{"since": "1.1", "list": []any{1, nil, true}}}
	sc.change("with fields that nobody knows", func(a *ask) {
		a.request.Extra = unknown
		for i := range a.request.Files {
			a.request.Files[i].Extra = unknown
		}
		a.request.Arguments["x_unknown"] = "since 1.1"
	})
}

func (sc *jsonlScenario) refusalDue() { sc.due(validator.AnyCode) }

func (sc *jsonlScenario) refusalDueWith(code, other string) {
	if other == "" {
		sc.due(code)
		return
	}
	sc.due(code, other)
}

func (sc *jsonlScenario) due(codes ...string) {
	for i := range sc.asks {
		sc.asks[i].refuse, sc.asks[i].want = codes, nil
	}
}

func (sc *jsonlScenario) sandboxed() error {
	if err := SandboxAvailable(); err != nil {
		return skip("there is no such sandbox here: %v", err)
	}
	return sc.within("no files but its own install, and no network")
}

func (sc *jsonlScenario) within(name string) error {
	i := slices.IndexFunc(allSurroundings, func(s surroundings) bool { return s.name == name })
	if i < 0 {
		return fmt.Errorf("there are no surroundings %q", name)
	}
	for j := range sc.asks {
		sc.asks[j].around = allSurroundings[i]
		sc.asks[j].name += ", " + name
	}
	return nil
}

func (sc *jsonlScenario) lockCommand() error {
	if sc.session.lock() == "" {
		return skip("no lock command was given (--lock CMD, or lock in %s)", ConfigName)
	}
	return nil
}

// theHostAsks sends each request to a process of its own.
func (sc *jsonlScenario) theHostAsks() error {
	for _, a := range sc.asks {
		r, err := sc.send(a)
		if err != nil {
			return err
		}
		sc.replies = append(sc.replies, r)
	}
	return nil
}

// theHostAsksTimes asks from one folder, empty the first time and as the plugin
// left it afterwards: what it keeps there must not change its answer.
func (sc *jsonlScenario) theHostAsksTimes(n int) error {
	dirs, err := sc.session.work.Get()
	if err != nil {
		return err
	}
	defer sc.session.work.Put(dirs, &validator.Transcript{})
	for i := range n {
		for _, a := range sc.asks {
			a.name = fmt.Sprintf("%s, time %d", a.name, i+1)
			a.shared = &dirs
			r, err := sc.send(a)
			if err != nil {
				return err
			}
			sc.replies = append(sc.replies, r)
		}
	}
	return nil
}

func (sc *jsonlScenario) inSurroundings(table *godog.Table) error {
	plain := slices.Clone(sc.asks)
	for _, row := range table.Rows {
		sc.asks = slices.Clone(plain)
		if err := sc.within(row.Cells[0].Value); err != nil {
			return err
		}
		if err := sc.theHostAsks(); err != nil {
			return err
		}
	}
	return nil
}

func (sc *jsonlScenario) stderrNowhere() error {
	for i := range sc.asks {
		sc.asks[i].nullStderr = true
		sc.asks[i].name += ", stderr sent nowhere"
	}
	return sc.theHostAsks()
}

// holdsBack waits between the two halves for twice as long as the plugin took
// for the whole before: an interpreter needs its start-up.
func (sc *jsonlScenario) holdsBack() error {
	const least = 50 * time.Millisecond
	for i := range sc.asks {
		sc.asks[i].hold = 2*min(sc.session.usual.Transcript.Elapsed, time.Second) + least
		sc.asks[i].name += ", half of it held back"
	}
	return sc.theHostAsks()
}

// oneByOneThenAtOnce sends all requests alone, and then together from the same
// folder, where two processes that share a file meet.
func (sc *jsonlScenario) oneByOneThenAtOnce() error {
	if err := sc.theHostAsks(); err != nil {
		return err
	}
	dirs, err := sc.session.work.Get()
	if err != nil {
		return err
	}
	together := make([]*reply, len(sc.asks))
	errs := make([]error, len(sc.asks))
	var all sync.WaitGroup
	for i, a := range sc.asks {
		all.Go(func() {
			a.shared = &dirs
			a.name += ", with the others at once"
			together[i], errs[i] = sc.send(a)
		})
	}
	all.Wait()
	sc.session.work.Put(dirs, &validator.Transcript{})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	sc.replies = append(sc.replies, together...)
	return nil
}
