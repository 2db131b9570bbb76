package harness

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"plugcheck/fixtures"
	"plugcheck/validator"
	"plugcheck/validator/literal"
	"plugcheck/validator/literal/gen"
	"plugcheck/validator/rewriter"
)

// literalSteps is the wire's whole vocabulary. It is filled in init because the
// steps lead to the catalogue, which reads it.
var literalSteps []step

func init() {
	says := func(text string, bind func(*moduleScenario) any) step { return sentence(text, text, bind) }
	literalSteps = []step{
		says(`any allowed change leaves every byte outside the literal as it was`, func(sc *moduleScenario) any { return sc.outsideUntouched }),
		says(`any allowed change reads back as the new values and nothing else`, func(sc *moduleScenario) any { return sc.readsBack }),
		says(`any allowed change that is made again changes nothing`, func(sc *moduleScenario) any { return sc.idempotent }),
		says(`a change that changes nothing gives every byte back`, func(sc *moduleScenario) any { return sc.noOp }),
		says(`after any allowed change the file loads with the new values`, func(sc *moduleScenario) any { return sc.reloads }),
		says(`any allowed change is written in the one style`, func(sc *moduleScenario) any { return sc.style }),
		says(`every save is classified by what it changes`, func(sc *moduleScenario) any { return sc.classifies }),
		says(`every row of the table is confirmed, or needs it not`, func(sc *moduleScenario) any { return sc.confirms }),
		says(`it answers each line with one line, in order`, func(sc *moduleScenario) any { return sc.answersInOrder }),
		says(`it finds the manifest among all look-alikes`, func(sc *moduleScenario) any { return sc.findsLookAlikes }),
		says(`it finds any manifest in any code`, func(sc *moduleScenario) any { return sc.findsAny }),
		says(`it refuses all that is not data, and names the place`, func(sc *moduleScenario) any { return sc.refusesNotData }),
		says(`it refuses every change that is not allowed`, func(sc *moduleScenario) any { return sc.refusesChanges }),
		says(`it lives on after sources of any kind`, func(sc *moduleScenario) any { return sc.survives }),
	}
}

// file is the plugin's own, or one drawn at random where a rewriter is judged
// without any.
func (sc *moduleScenario) file(t *rapid.T) (source []byte, m *literal.Manifest) {
	if trial := sc.session.trial; trial != nil {
		return trial.Source, trial.Found
	}
	s := gen.Plugin(gen.Manifest()).Draw(t, "file")
	found, err := literal.Find(s.Text)
	if err != nil {
		t.Fatalf("the kit does not read what it drew: %v", err) // tests hold that it does
	}
	return s.Text, found
}

// judged makes a request and judges the answer.
func (sc *moduleScenario) judged(r rewriter.Request, judge func(*rewriter.Reply) *validator.Finding) (*saying, *outcome, error) {
	said, o, err := sc.ask(r)
	if o != nil || err != nil {
		return nil, o, err
	}
	if f := judge(said.reply); f != nil {
		return nil, &outcome{finding: *f, seen: said}, nil
	}
	return said, nil, nil
}

// ask makes a request, and tells what the rewriter does wrong from what the kit cannot do.
func (sc *moduleScenario) ask(r rewriter.Request) (*saying, *outcome, error) {
	said, err := sc.session.host.ask(sc.ctx, r)
	if o, ok := err.(*outcome); ok {
		return nil, o, nil
	}
	if err != nil {
		return nil, nil, err
	}
	sc.session.mu.Lock()
	sc.run.exchanges++
	if sc.session.options.Examples && sc.run.example == nil {
		sc.run.example = said.transcript()
	}
	sc.session.mu.Unlock()
	return said, nil, nil
}

// changes tries a judgement on random changes of the file.
func (sc *moduleScenario) changes(holds func(source []byte, m *literal.Manifest, c literal.Change) (*outcome, error)) error {
	return sc.property(func(t *rapid.T) (*outcome, error) {
		source, m := sc.file(t)
		return holds(source, m, gen.Change(m.Value).Draw(t, "change"))
	})
}

func (sc *moduleScenario) outsideUntouched() error {
	return sc.changes(func(source []byte, m *literal.Manifest, c literal.Change) (*outcome, error) {
		_, o, err := sc.judged(rewriter.Asking(source, c), func(r *rewriter.Reply) *validator.Finding { return rewriter.JudgeOutside(source, m, r) })
		return o, err
	})
}

func (sc *moduleScenario) readsBack() error {
	return sc.changes(func(source []byte, m *literal.Manifest, c literal.Change) (*outcome, error) {
		want, fault := c.Apply(m.Value)
		if fault != nil {
			return nil, fault
		}
		_, o, err := sc.judged(rewriter.Asking(source, c), func(r *rewriter.Reply) *validator.Finding { return rewriter.JudgeReadBack(source, want, r) })
		return o, err
	})
}

func (sc *moduleScenario) style() error {
	return sc.changes(func(source []byte, _ *literal.Manifest, c literal.Change) (*outcome, error) {
		want, err := literal.Rewrite(source, c)
		if err != nil {
			return nil, err
		}
		_, o, err := sc.judged(rewriter.Asking(source, c), func(r *rewriter.Reply) *validator.Finding { return rewriter.JudgeStyle(want, r) })
		return o, err
	})
}

// saved makes a change and returns the new source. A rewriter that does not make
// it fails elsewhere.
func (sc *moduleScenario) saved(source []byte, c literal.Change) ([]byte, *saying, *outcome, error) {
	said, o, err := sc.ask(rewriter.Asking(source, c))
	if o != nil || err != nil {
		return nil, nil, o, err
	}
	out, ok := rewriter.NewSource(said.reply)
	if !ok {
		f := rewriter.JudgeSame(source, said.reply)
		return nil, nil, &outcome{finding: *f, seen: said}, nil
	}
	return out, said, nil, nil
}

func (sc *moduleScenario) idempotent() error {
	return sc.changes(func(source []byte, _ *literal.Manifest, c literal.Change) (*outcome, error) {
		out, _, o, err := sc.saved(source, c)
		if o != nil || err != nil {
			return o, err
		}
		_, o, err = sc.judged(rewriter.Asking(out, c), func(r *rewriter.Reply) *validator.Finding { return rewriter.JudgeSame(out, r) })
		return o, err
	})
}

// noOp saves nothing, and then what is there already, in the file as it is and in
// one with a comment in its literal.
func (sc *moduleScenario) noOp() error {
	return sc.property(func(t *rapid.T) (*outcome, error) {
		source, m := sc.file(t)
		if rapid.Bool().Draw(t, "with a comment") {
			source = bytes.Join([][]byte{source[:m.Start+1], source[m.Start+1:]}, []byte(" /* } */"))
		}
		var c literal.Change
		if rapid.Bool().Draw(t, "what is there") {
			c = present(m.Value)
		}
		_, o, err := sc.judged(rewriter.Asking(source, c), func(r *rewriter.Reply) *validator.Finding { return rewriter.JudgeSame(source, r) })
		return o, err
	})
}

// present is the change to what a manifest says already.
func present(v literal.Value) literal.Change {
	var c literal.Change
	if on, ok := v.Get("on_error"); ok && (on.String == "reject" || on.String == "skip") {
		c.OnError = &on.String
	}
	settings, _ := v.Get("settings")
	for _, f := range settings.Fields {
		kind, _ := f.Value.Get("type")
		if value, ok := f.Value.Get("value"); ok && value.Kind.String() == kind.String {
			if c.Settings == nil {
				c.Settings = map[string]literal.Value{}
			}
			c.Settings[f.Name] = value
		}
	}
	return c
}

// maxReloading is how long a file is loaded again and again.
const maxReloading = 5 * time.Second

// reloads tries the file after a save. One that does not load as it is has that
// for its reason.
func (sc *moduleScenario) reloads() error {
	if trial := sc.session.trial; trial != nil {
		for _, o := range validator.Judge(literal.Rules(), trial) {
			if (o.Check.ID == "literal.loads" || o.Check.ID == "literal.equals-evaluated") && len(o.Findings) > 0 {
				return &outcome{finding: o.Findings[0], cause: o.Check.ID, seen: shown{excerpt(trial)}}
			}
		}
	}
	var took time.Duration
	return sc.changes(func(source []byte, m *literal.Manifest, c literal.Change) (*outcome, error) {
		if took > maxReloading {
			return nil, nil // a file that takes long to load is tried a few times less
		}
		started := time.Now()
		defer func() { took += time.Since(started) }()
		want, fault := c.Apply(m.Value)
		if fault != nil {
			return nil, fault
		}
		out, said, o, err := sc.saved(source, c)
		if o != nil || err != nil {
			return o, err
		}
		r, err := sc.session.engine.Load(sc.ctx, out)
		if err != nil {
			return nil, err
		}
		e := evaluation(r)
		switch {
		case e.Fault != nil:
			return &outcome{seen: said, finding: validator.Finding{Class: "load-" + e.Fault.Class, Message: "after a change that is allowed the file does not load: " + e.Fault.Error(), Expected: "the new values", Got: e.Fault.Message}}, nil
		case !e.Value.Equal(want):
			return &outcome{seen: said, finding: validator.Finding{Class: "load-other", Message: "after a change that is allowed the file loads with other values",
				Expected: validator.Quote([]byte(want.JSON()), 300), Got: validator.Quote([]byte(e.Value.JSON()), 300)}}, nil
		}
		return nil, nil
	})
}

// A save is a pair of sources, and what the second does to the first.
type save struct {
	name     string
	old, new []byte
	want     literal.Save
}

// saves are changes of every kind to a file.
func saves(source []byte, m *literal.Manifest) []save {
	edit := func(change func(*literal.Value)) []byte {
		v := m.Value
		v.Fields = append([]literal.Field(nil), v.Fields...)
		change(&v)
		return append(append(bytes.Clone(source[:m.Start]), literal.Write(v, "", "\n")...), source[m.End:]...)
	}
	set := func(name string, value literal.Value) func(*literal.Value) {
		return func(v *literal.Value) {
			for i := range v.Fields {
				if v.Fields[i].Name == name {
					v.Fields[i].Value = value
					return
				}
			}
			v.Fields = append(v.Fields, literal.Field{Name: name, Value: value})
		}
	}
	text := func(s string) literal.Value { return literal.Value{Kind: literal.String, String: s} }
	list := func(s ...string) literal.Value {
		v := literal.Value{Kind: literal.Array}
		for _, s := range s {
			v.Items = append(v.Items, text(s))
		}
		return v
	}
	// unlike is the first of two values, or the second where the first is what a field of an object holds already.
	unlike := func(v literal.Value, field string, first, second literal.Value) literal.Value {
		if now, ok := v.Get(field); ok && now.Equal(first) {
			return second
		}
		return first
	}
	name := unlike(m.Value, "name", text("another name"), text("yet another name"))
	permissions := unlike(m.Value, "permissions", list("params", "tools"), list("params"))
	models := func(glob string) literal.Value {
		return literal.Value{Kind: literal.Object, Fields: []literal.Field{{Name: "models", Value: list(glob)}}}
	}
	match := unlike(m.Value, "match", models("drawn-*"), models("drawn-again-*"))
	other := text("skip")
	if on, ok := m.Value.Get("on_error"); ok && on.String == "skip" {
		other = text("reject")
	}
	all := []save{
		{"the same bytes", source, source, literal.SameBytes},
		{"another on_error", source, edit(set("on_error", other)), literal.DataOnly},
		{"another match", source, edit(set("match", match)), literal.DataOnly},
		{"another name", source, edit(set("name", name)), literal.CodeChange},
		{"another permission", source, edit(set("permissions", permissions)), literal.CodeChange},
		{"a line behind it", source, append(bytes.Clone(source), "\n// a line\n"...), literal.CodeChange},
		{"a space in front of it", source, append(append(bytes.Clone(source[:m.Start]), ' '), source[m.Start:]...), literal.CodeChange},
		{"a manifest that cannot be read", source, append(append(bytes.Clone(source[:m.Start]), "{ ...other }"...), source[m.End:]...), literal.CodeChange},
	}
	settings, _ := m.Value.Get("settings")
	for i, s := range settings.Fields {
		kind, _ := s.Value.Get("type")
		if kind.String != "string" {
			continue
		}
		change := func(field string, value literal.Value) func(*literal.Value) {
			return func(v *literal.Value) {
				specs := settings
				specs.Fields = append([]literal.Field(nil), settings.Fields...)
				spec := s.Value
				spec.Fields = append([]literal.Field(nil), s.Value.Fields...)
				set(field, value)(&spec)
				specs.Fields[i].Value = spec
				set("settings", specs)(v)
			}
		}
		value := unlike(s.Value, "value", text("another value"), text("yet another value"))
		label := unlike(s.Value, "label", text("another label"), text("yet another label"))
		return append(all,
			save{"another value of a setting", source, edit(change("value", value)), literal.DataOnly},
			save{"another label of a setting", source, edit(change("label", label)), literal.CodeChange},
			save{"another type of a setting", source, edit(change("type", text("boolean"))), literal.CodeChange})
	}
	return all
}

// example is the file, or one of the kit's own.
func (sc *moduleScenario) example() ([]byte, *literal.Manifest, error) {
	if trial := sc.session.trial; trial != nil {
		return trial.Source, trial.Found, nil
	}
	m, err := literal.Find([]byte(exampleModule))
	return []byte(exampleModule), m, err
}

const exampleModule = `// A plugin for the rows of a table.
export const manifest = {
  name: "example",
  api: 1,
  permissions: ["reply.tool_calls"],
  on_error: "skip",
  settings: { tone: { type: "string", label: "Tone", value: "friendly" } },
};

export function onToolCall(call) {
  return call;
}
`

func (sc *moduleScenario) classifies() error {
	source, m, err := sc.example()
	if err != nil {
		return err
	}
	for _, s := range saves(source, m) {
		old, new := string(s.old), string(s.new)
		_, o, err := sc.judged(rewriter.Request{Op: rewriter.Classify, Action: literal.Saving, Old: &old, New: &new}, func(r *rewriter.Reply) *validator.Finding {
			return rewriter.JudgeClass(s.want, r)
		})
		if err != nil {
			return err
		}
		if o != nil {
			o.finding.Message = s.name + ": " + o.finding.Message
			return o
		}
	}
	return nil
}

// confirms goes through the table: every action, on a plugin that sees tool
// calls, that came to see them, that gave it up, that never did, and on one whose
// manifest cannot be read.
func (sc *moduleScenario) confirms() error {
	source, m, err := sc.example()
	if err != nil {
		return err
	}
	variants := map[string][]byte{"unreadable": append(append(bytes.Clone(source[:m.Start]), "{ ...other }"...), source[m.End:]...)}
	for name, permission := range map[string]string{"holding": "reply.tool_calls", "not holding": "params"} {
		v := m.Value
		v.Fields = append([]literal.Field(nil), v.Fields...)
		for i := range v.Fields {
			if v.Fields[i].Name == "permissions" {
				v.Fields[i].Value = literal.Value{Kind: literal.Array, Items: []literal.Value{{Kind: literal.String, String: permission}}}
			}
		}
		variants[name] = append(append(bytes.Clone(source[:m.Start]), literal.Write(v, "", "\n")...), source[m.End:]...)
	}
	for _, action := range literal.Actions() {
		for _, oldName := range []string{"holding", "not holding", "unreadable"} {
			for _, newName := range []string{"holding", "not holding", "unreadable", "the same", "the same with other data"} {
				old, new := variants[oldName], variants[newName]
				switch newName {
				case "the same":
					new = old
				case "the same with other data":
					skip := "skip"
					if bytes.Contains(old, []byte(`on_error: "skip"`)) {
						skip = "reject"
					}
					if new, err = literal.Rewrite(old, literal.Change{OnError: &skip}); err != nil {
						continue // it cannot be read, so no data can be saved in it
					}
				}
				if err := sc.confirmsRow(action, oldName, newName, old, new); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (sc *moduleScenario) confirmsRow(action literal.Action, oldName, newName string, old, new []byte) error {
	want, err := literal.NeedsConfirmation(action, old, new)
	if err != nil {
		return err
	}
	r := rewriter.Request{Op: rewriter.Classify, Action: action}
	row := string(action)
	needsOld, needsNew := action.Needs()
	if needsOld {
		text := string(old)
		r.Old, row = &text, row+", old "+oldName
	}
	if needsNew {
		text := string(new)
		r.New, row = &text, row+", new "+newName
	}
	_, o, err := sc.judged(r, func(r *rewriter.Reply) *validator.Finding { return rewriter.JudgeConfirmation(want, r) })
	if err != nil {
		return err
	}
	if o != nil {
		o.finding.Message = row + ": " + o.finding.Message
		return o
	}
	return nil
}

// answersInOrder asks several things of a process of its own, with lines that are
// no requests among them, and looks at all that it wrote.
func (sc *moduleScenario) answersInOrder() error {
	h, err := newRewriting(sc.session.session)
	if err != nil {
		return err
	}
	var asked []*saying
	for i := range 4 {
		source := strings.Repeat("// a line\n", i) + exampleModule
		said, err := h.ask(sc.ctx, rewriter.Request{Op: rewriter.Find, Source: source})
		if err == nil {
			asked = append(asked, said)
			m, _ := literal.Find([]byte(source)) // it is the example
			if f := rewriter.JudgeFind([]byte(source), m, said.reply); f != nil {
				err = &outcome{finding: *f, seen: said}
			}
		}
		for _, odd := range []struct {
			text string
			code string
		}{{"{\"op\":\"sing\"}\n", rewriter.UnknownOp}, {"}{\n", rewriter.BadRequest}} {
			if err != nil {
				break
			}
			var said *saying
			if said, err = h.send(sc.ctx, rewriter.Request{}, []byte(odd.text)); err == nil {
				if f := rewriter.JudgeError(rewriter.Fault{Code: odd.code}, said.reply); f != nil {
					err = &outcome{finding: *f, seen: said}
				}
			}
		}
		if err != nil {
			return errorsOf(err, h.close())
		}
	}
	return h.last(asked[len(asked)-1])
}

func errorsOf(err, closing error) error {
	if closing != nil {
		return closing
	}
	return err
}

// corpus asks for every case of the look-alikes that wants one thing or the other.
func (sc *moduleScenario) corpus(refused bool, judge func(fixtures.Literal, *rewriter.Reply) *validator.Finding) error {
	cases, err := fixtures.Literals()
	if err != nil {
		return err
	}
	for _, c := range cases {
		if (c.Error != nil) != refused || !utf8.Valid(c.Source) {
			continue
		}
		_, o, err := sc.judged(rewriter.Request{Op: rewriter.Find, Source: string(c.Source)}, func(r *rewriter.Reply) *validator.Finding { return judge(c, r) })
		if err != nil {
			return err
		}
		if o != nil {
			o.finding.Message = "case " + c.Name + ": " + o.finding.Message
			return o
		}
	}
	return nil
}

func (sc *moduleScenario) findsLookAlikes() error {
	return sc.corpus(false, func(c fixtures.Literal, r *rewriter.Reply) *validator.Finding {
		m, err := literal.Find(c.Source)
		if err != nil {
			return &validator.Finding{Class: "kit", Message: "the kit does not read its own case: " + err.Error()}
		}
		return rewriter.JudgeFind(c.Source, m, r)
	})
}

func (sc *moduleScenario) refusesNotData() error {
	return sc.corpus(true, func(c fixtures.Literal, r *rewriter.Reply) *validator.Finding {
		if r.Error != nil && c.Error.Line == 0 && (r.Error.Code == literal.NotData || r.Error.Code == literal.NotDataAt) {
			return nil // where there is no manifest, what is near to one can be pointed at or not
		}
		if r.Error != nil && c.Error.Column == 0 { // where the construct begins on its line can be argued about
			seen := *r.Error
			seen.Column = 0
			r = &rewriter.Reply{Error: &seen}
		}
		want := rewriter.Fault{Code: literal.NotDataAt, Line: c.Error.Line, Column: c.Error.Column}
		if c.Error.Line == 0 {
			want.Code = literal.NotData
		}
		return rewriter.JudgeError(want, r)
	})
}

func (sc *moduleScenario) findsAny() error {
	return sc.property(func(t *rapid.T) (*outcome, error) {
		s := gen.Plugin(gen.Object()).Draw(t, "file")
		m, err := literal.Find(s.Text)
		if err != nil {
			return nil, err
		}
		_, o, err := sc.judged(rewriter.Request{Op: rewriter.Find, Source: string(s.Text)}, func(r *rewriter.Reply) *validator.Finding { return rewriter.JudgeFind(s.Text, m, r) })
		return o, err
	})
}

// refusesChanges tries what no host may save.
func (sc *moduleScenario) refusesChanges() error {
	number := literal.Value{Kind: literal.Number, Number: 1}
	for _, c := range []struct {
		name   string
		change literal.Change
	}{
		{"a setting that is none", literal.Change{Settings: map[string]literal.Value{"nothing": number}}},
		{"a number for a setting that is a string", literal.Change{Settings: map[string]literal.Value{"tone": number}}},
		{"a text of 10,001 characters", literal.Change{Settings: map[string]literal.Value{"tone": {Kind: literal.String, String: strings.Repeat("é", 10_001)}}}},
		{"a blank pattern", literal.Change{Match: map[string][]string{"models": {"a", " \t"}}}},
		{"a pattern of 201 characters", literal.Change{Match: map[string][]string{"models": {strings.Repeat("*", 201)}}}},
		{"101 patterns", literal.Change{Match: map[string][]string{"clients": strings.Split(strings.Repeat("a,", 100)+"a", ",")}}},
	} {
		_, err := literal.Rewrite([]byte(exampleModule), c.change)
		fault, ok := err.(*literal.Error)
		if !ok {
			return fmt.Errorf("%s: the kit's own rewriter does not refuse it: %w", c.name, err)
		}
		_, o, err := sc.judged(rewriter.Asking([]byte(exampleModule), c.change), func(r *rewriter.Reply) *validator.Finding {
			return rewriter.JudgeError(rewriter.Fault{Code: fault.Code}, r)
		})
		if err != nil {
			return err
		}
		if o != nil {
			o.finding.Message = c.name + ": " + o.finding.Message
			return o
		}
	}
	return nil
}

// survives sends mutated sources: what it answers is free, that it answers is not.
func (sc *moduleScenario) survives() error {
	return sc.property(func(t *rapid.T) (*outcome, error) {
		s := gen.Plugin(gen.Manifest()).Draw(t, "file")
		text := string(gen.Mutate(s.Text).Draw(t, "mutated")) + "\x00"
		if !utf8.ValidString(text) {
			return nil, nil
		}
		_, o, err := sc.ask(rewriter.Request{Op: rewriter.Find, Source: text})
		if o != nil {
			o.cause = "" // this is what the check is about
		}
		return o, err
	})
}
