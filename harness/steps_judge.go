package harness

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"plugcheck/fixtures"
	"plugcheck/validator"
	"plugcheck/validator/patch"
)

// each runs a judgement over every reply and returns the first that fails,
// with the number and names of the others that fail the same way.
func (sc *scenario) each(judge func(*reply) *outcome) error {
	if len(sc.replies) == 0 {
		return errors.New("nothing was asked before the judgement")
	}
	var first *outcome
	var more []string
	for _, r := range sc.replies {
		o := judge(r)
		switch {
		case o == nil:
		case first == nil:
			first = o
		default:
			more = append(more, r.Name)
		}
	}
	if first == nil {
		return nil
	}
	if len(more) > 0 {
		shown := strings.Join(more[:min(3, len(more))], "; ")
		if len(more) > 3 {
			shown += "; …"
		}
		first.finding.Message += fmt.Sprintf(" (and %d more: %s)", len(more), shown)
	}
	return first
}

// answered is the judgement that there is an answer which can be read.
func (r *reply) answered() *outcome {
	if o := r.broken(readable); o != nil {
		return o
	}
	if r.Response() == nil {
		return r.fail(validator.Silence(&r.Transcript))
	}
	return nil
}

func (r *reply) succeeded() *outcome {
	if o := r.answered(); o != nil {
		return o
	}
	if r.Refused() {
		return r.fail(validator.Finding{Class: "refused", Message: "it refused: " + r.reason(), Expected: "success", Got: "a refusal"})
	}
	return nil
}

func (r *reply) refused() *outcome {
	if o := r.answered(); o != nil {
		return o
	}
	if r.Succeeded() {
		got := "success with output of kind " + r.Response().Output.Kind
		return r.fail(validator.Finding{Class: "success-for-refusal", Message: "it reported success where a refusal is due",
			Expected: "success false, with a diagnostic", Got: got + shortened(r.Response().Output.Content)})
	}
	return nil
}

// reason is what a refusal says, on one line.
func (r *reply) reason() string {
	var said []string
	for _, d := range r.Response().Diagnostics {
		text := d.Message
		if d.ReasonCode != nil {
			text += " (" + *d.ReasonCode + ")"
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return validator.Quote([]byte(strings.Join(said, "; ")), 200)
}

func shortened(content string) string {
	if content == "" {
		return ""
	}
	return ": " + validator.Quote([]byte(content), 300)
}

func (sc *scenario) itAnswers() error { return sc.each((*reply).answered) }

func (sc *scenario) itSucceeds() error { return sc.each((*reply).succeeded) }

func (sc *scenario) itRefuses() error { return sc.each((*reply).refused) }

func (sc *scenario) outputKind(kind string) error {
	return sc.each(func(r *reply) *outcome {
		if o := r.answered(); o != nil {
			return o
		}
		if got := r.Response().Output.Kind; got != kind {
			return r.fail(validator.Finding{Class: "kind", Message: "its output is of kind " + got, Expected: kind, Got: got})
		}
		return nil
	})
}

// wanted judges the text after the patch.
func (r *reply) wanted() *outcome {
	if o := r.broken(usable); o != nil {
		return o
	}
	if o := r.succeeded(); o != nil {
		return o
	}
	if validator.SameFiles(r.Want, r.After()) {
		return nil
	}
	f := validator.Finding{Class: "other-text", Message: "the patch applies and gives another text than the wanted one"}
	for i, want := range r.Want {
		if i < len(r.After()) && !bytes.Equal(want.Content, r.After()[i].Content) {
			f.Diff += patch.Unified(want.Path, want.Content, r.After()[i].Content)
			f.Message += ": in " + want.Path + " " + r.whatChanged(i)
		}
	}
	f.Expected, f.Got = "the lines marked - below", "the lines marked + below"
	return r.fail(f)
}

// whatChanged tells which words a patch changed, when they are not the symbol.
func (r *reply) whatChanged(file int) string {
	words := validator.ChangedWords(r.Files()[file].Content, r.After()[file].Content)
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == r.Symbol })
	switch {
	case len(others) > 0:
		return fmt.Sprintf("it changed %s, and the symbol is %q", strings.Join(quoted(others), ", "), r.Symbol)
	case len(words) == 0:
		return "no word changed"
	}
	return fmt.Sprintf("not exactly the occurrences of %q changed", r.Symbol)
}

func quoted(words []string) []string {
	var list []string
	for _, w := range words[:min(3, len(words))] {
		list = append(list, strconv.Quote(w))
	}
	return list
}

func (sc *scenario) wantedText() error { return sc.each((*reply).wanted) }

// eachCase asks for what each case wants: the text, or a refusal.
func (sc *scenario) eachCase() error {
	return sc.each(func(r *reply) *outcome {
		if r.Refuse != nil {
			return r.refused()
		}
		return r.wanted()
	})
}

func (sc *scenario) refusesOrWantedText() error {
	return sc.each(func(r *reply) *outcome {
		if r.Refused() {
			return r.answered()
		}
		return r.wanted()
	})
}

// wantedTextBytes names the mistake where the position was not read as bytes:
// it sends the place in other units, and sees in which the plugin finds it.
func (sc *scenario) wantedTextBytes() error {
	var missed []*reply
	err := sc.each(func(r *reply) *outcome {
		o := r.wanted()
		if o != nil && o.cause == "" {
			missed = append(missed, r)
		}
		return o
	})
	var first *outcome
	if !errors.As(err, &first) || len(missed) == 0 || first.cause != "" {
		return err
	}
	for _, u := range units {
		if !sc.findsIn(u, missed) {
			continue
		}
		r := missed[0]
		first.finding.Class = "offset-" + u.class
		first.finding.Fix = u.fix
		first.finding.Message += fmt.Sprintf(". It looks like %s taken for bytes: with position %d (%s) in place of %d (bytes) it renames the right symbol",
			u.name, u.position(r.ask), u.name, r.ask.offset)
		return first
	}
	if sc.firstLineOnly(missed[0]) {
		first.finding.Class = "offset-columns"
		first.finding.Message += ". It looks like columns taken for bytes: it finds symbols on the first line and none on later ones"
		return first
	}
	for _, r := range missed {
		if unit := r.misreading(); unit != "" {
			first.finding.Message += ". It looks like " + unit + " taken for bytes: what it changed stands at this place when they are counted"
			break
		}
	}
	return first
}

// findsIn reports whether the plugin gives the wanted text for every request
// once the position is counted in another unit. Where that makes no difference
// it says nothing.
func (sc *scenario) findsIn(u unit, missed []*reply) bool {
	told := false
	for _, r := range missed {
		at := u.position(r.ask)
		if at == r.ask.offset {
			continue
		}
		a := r.ask.clone()
		a.name = fmt.Sprintf("%s, the position sent in %s", r.Name, u.name)
		a.request.Arguments["position"] = strconv.Itoa(at)
		probe, err := sc.send(a)
		if err != nil || probe.wanted() != nil {
			return false // or the mistake stays unnamed; the finding is there
		}
		told = true
	}
	return told
}

// A unit is a way of counting a position that is not the document's.
type unit struct {
	class, name, fix string
	position         func(ask) int
}

var units = []unit{
	{"characters", "characters", "Count bytes: encode the text as UTF-8 and index into that (in Python text.encode(), in Java getBytes(UTF_8)).",
		func(a ask) int { return len([]rune(string(before(a)))) }},
	{"utf-16", "UTF-16 units", "Count bytes, not the string's own units: Buffer.from(text) in JavaScript, getBytes(UTF_8) in Java and C#'s Encoding.UTF8 have them.",
		func(a ask) int { return len(utf16.Encode([]rune(string(before(a))))) }},
	{"columns", "columns of the line", "The position counts from the start of the file, not of the line.",
		func(a ask) int { b := before(a); return len(b) - 1 - bytes.LastIndexByte(b, '\n') }},
	{"columns", "columns of the line, in characters", "The position counts bytes from the start of the file.",
		func(a ask) int { b := before(a); return len([]rune(string(b[bytes.LastIndexByte(b, '\n')+1:]))) }},
	{"columns", "columns of the line, in UTF-16 units", "The position counts bytes from the start of the file.",
		func(a ask) int {
			b := before(a)
			return len(utf16.Encode([]rune(string(b[bytes.LastIndexByte(b, '\n')+1:]))))
		}},
}

// before is the text ahead of the symbol.
func before(a ask) []byte {
	uri, _ := a.request.Arguments["uri"].(string)
	for _, f := range a.request.Files {
		if fileURI(f.Path) == uri {
			return []byte(f.Content)[:min(a.offset, len(f.Content))]
		}
	}
	return nil
}

// misreading names the unit in which the word that was changed stands at the
// position.
func (r *reply) misreading() string {
	if r.After() == nil || r.ask.source == nil {
		return ""
	}
	text := r.ask.source.Files[r.ask.source.Target].Content
	for _, word := range validator.ChangedWords(text, r.After()[r.ask.source.Target].Content) {
		for _, m := range r.ask.source.Misreadings() {
			if m.Symbol == word {
				return m.Unit
			}
		}
	}
	return ""
}

// firstLineOnly reports whether the plugin finds a symbol on the first line of a
// file, where columns are bytes, having missed one on a later line.
func (sc *scenario) firstLineOnly(missed *reply) bool {
	l, ok := sc.session.language()
	if !ok || !strings.Contains(string(before(missed.ask)), "\n") {
		return false
	}
	content, at := l.Program(fixtures.Program{{Name: "alpha"}, {Name: "beta", Calls: []string{"alpha"}}})
	a := sc.withContent("a symbol on the first line", content, at["alpha"])
	if strings.Contains(string(before(a)), "\n") {
		return false // the language has something else there
	}
	r, err := sc.send(a)
	return err == nil && r.wantedAny() == nil
}

// effectOf is what an answer comes to: what a host would do with it, leaving out
// the words of its messages.
func effectOf(r *validator.Exchange) string {
	resp := r.Response()
	if resp == nil {
		return ""
	}
	var b strings.Builder
	codes := resp.Codes()
	slices.Sort(codes)
	fmt.Fprintf(&b, "success %v, output %s", resp.Success, resp.Output.Kind)
	if len(codes) > 0 {
		fmt.Fprintf(&b, ", reason codes %s", strings.Join(codes, ", "))
	}
	for _, f := range r.After() {
		fmt.Fprintf(&b, "\n%s:\n%s", f.Path, f.Content)
	}
	if resp.Output.Kind == "analysis" {
		b.Write(resp.Output.Data)
	}
	return b.String()
}

// same compares what two answers come to.
func (r *reply) same(usual *reply) *outcome {
	if o := usual.answered(); o != nil {
		return o
	}
	if o := r.answered(); o != nil {
		o.finding.Message += "; otherwise it answers"
		return o
	}
	want, got := usual.effect, r.effect
	if want == got {
		return nil
	}
	f := validator.Finding{Class: "differs", Message: "it gives another answer than otherwise", Expected: validator.Quote([]byte(want), 200), Got: validator.Quote([]byte(got), 200)}
	if r.Refused() {
		f.Message += ", a refusal: " + r.reason()
	}
	if len(r.Transcript.Wrote) > 0 {
		f.Message += "; it left files behind: " + strings.Join(r.Transcript.Wrote[:min(3, len(r.Transcript.Wrote))], ", ")
	}
	return r.fail(f)
}

func (sc *scenario) sameAsUsual() error {
	return sc.each(func(r *reply) *outcome { return r.same(sc.session.usual) })
}

// likeASmallOne asks for the same kind of answer: a file that is refused only
// because it is large was not read.
func (sc *scenario) likeASmallOne() error {
	return sc.each(func(r *reply) *outcome {
		if o := r.answered(); o != nil {
			return o
		}
		if usual := sc.session.usual; usual.Succeeded() && r.Refused() {
			return r.fail(validator.Finding{Class: "refused", Message: "it refused a large file, and answers small ones: " + r.reason(), Expected: "success", Got: "a refusal"})
		}
		return nil
	})
}

// allTheSame compares bytes: the same request has no reason for others.
func (sc *scenario) allTheSame() error {
	first := sc.replies[0]
	return sc.each(func(r *reply) *outcome {
		if o := r.answered(); o != nil {
			return o
		}
		if first.digest == r.digest {
			return nil
		}
		a, b := first.Transcript.Stdout, r.Transcript.Stdout // as far as it was kept
		at := 0
		for at < len(a) && at < len(b) && a[at] == b[at] {
			at++
		}
		f := validator.Finding{Class: "differs", Message: fmt.Sprintf("the same request got other bytes: they differ from byte %d on", at),
			Expected: context40(a, at), Got: context40(b, at)}
		x, y := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
		if bytes.Equal(x, y) {
			f.Message += "; sorted they are the same, so it is a matter of order"
			f.Fix = "Sort what comes out of a set, a map or a directory before you print it."
		}
		return r.fail(f)
	})
}

func context40(b []byte, at int) string {
	return "… " + validator.Quote(b[max(0, at-20):min(len(b), at+40)], 80)
}

// sameAsAlone compares the second half of the replies, which came at once, with the first.
func (sc *scenario) sameAsAlone() error {
	half := len(sc.replies) / 2
	alone := sc.replies[:half]
	sc.replies = sc.replies[half:]
	i := -1
	return sc.each(func(r *reply) *outcome {
		i++
		return r.same(alone[i])
	})
}

func (sc *scenario) overPipeSize() error {
	const pipe = 64 << 10
	return sc.each(func(r *reply) *outcome {
		if r.ask.doubtful && (r.Refused() || r.Succeeded() && r.Transcript.StdoutBytes <= pipe) {
			return cannotTest("the kit cannot write a program in this language whose patch is large, and the plain case repeated was not renamed throughout")
		}
		if o := r.wantedAny(); o != nil {
			return o
		}
		if r.Transcript.StdoutBytes <= pipe {
			return r.fail(validator.Finding{Class: "short", Message: "its answer is shorter than the changes it has to hold",
				Expected: "over 64 KiB", Got: fmt.Sprintf("%d bytes", r.Transcript.StdoutBytes)})
		}
		return nil
	})
}

// wantedAny asks for a success whose patch is good, whatever the text.
func (r *reply) wantedAny() *outcome {
	if o := r.broken(usable); o != nil {
		return o
	}
	return r.succeeded()
}

// notEarly looks for the beginning of an answer. A banner is none, and what left
// without a word is silent, which is told elsewhere.
func (sc *scenario) notEarly() error {
	return sc.each(func(r *reply) *outcome {
		if len(r.early) == 0 || r.early[0] != '{' && r.early[0] != '[' {
			return nil
		}
		return r.fail(validator.Finding{Class: "early", Expected: "silence until the newline of the request", Got: validator.Quote(r.early, 200),
			Message: "with half of the request sent, it began to answer"})
	})
}

func shownOutput(t *validator.Transcript) string {
	if len(t.Stdout) == 0 {
		return "nothing on stdout, " + t.Exit.String()
	}
	return validator.Quote(t.Stdout, 200)
}

// floodLosesNothing looks at what the scenario's own exchanges logged.
func (sc *scenario) floodLosesNothing() error {
	const flood = 1 << 20
	for _, r := range append(sc.replies, sc.session.usual) {
		if r.Transcript.StderrBytes >= flood && r.Response() == nil {
			return r.fail(validator.Finding{Class: "flood", Message: fmt.Sprintf("it wrote %d bytes to stderr, and its answer did not come", r.Transcript.StderrBytes),
				Expected: "the answer, however much is logged", Got: shownOutput(&r.Transcript)})
		}
	}
	return nil
}

func (s *session) lock() string {
	if s.options.Lock != "" {
		return s.options.Lock
	}
	return s.target.Config.Lock
}

// lockPasses lays the files into a folder and runs the lock there: first as
// they were sent, where it has to pass for the trial to mean anything, and then
// as the patch makes them.
func (sc *scenario) lockPasses() error {
	return sc.each(func(r *reply) *outcome {
		if o := r.wantedAny(); o != nil {
			return o
		}
		if out, err := sc.runLock(r.Files()); err != nil {
			return cannotTest("the lock does not pass on the files as they were sent (%s), so it cannot judge the patch: %v: %s", r.Name, err, validator.Quote(out, 300))
		}
		out, err := sc.runLock(r.After())
		if err == nil {
			return nil
		}
		f := validator.Finding{Class: "lock", Message: "the lock passes on the files as they were sent and fails after the patch: " + err.Error(), Expected: "the lock to pass", Got: validator.Quote(out, 600)}
		for i, before := range r.Files() {
			f.Diff += patch.Unified(before.Path, before.Content, r.After()[i].Content)
		}
		return r.fail(f)
	})
}

// runLock runs the lock command in a folder that holds the files. It is the
// author's own, so it sees the environment; it is held to the same limits as a
// plugin, and nothing of it is left running.
func (sc *scenario) runLock(files []patch.File) ([]byte, error) {
	dir, err := os.MkdirTemp(sc.session.work.Path(), "lock")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		// The paths are those of the request; the patch rules hold that no other came.
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, f.Content, 0o644); err != nil {
			return nil, err
		}
	}
	shell, flag := "/bin/sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = os.Getenv("COMSPEC"), "/c"
	}
	p, err := Start(sc.ctx, Spec{Path: shell, Args: []string{flag, sc.session.lock()}, Env: os.Environ(), Dir: dir, Limit: sc.session.limit, Cap: 1 << 20})
	if err != nil {
		return nil, err
	}
	p.CloseStdin()
	t := p.Wait()
	if t.TimedOut || !t.Exit.Clean() {
		err = errors.New(t.Exit.String())
	}
	return append(t.Stdout, t.Stderr...), err
}

func validatorFiles(files []validator.File) []patch.File {
	var list []patch.File
	for _, f := range files {
		list = append(list, patch.File{Path: f.Path, Content: []byte(f.Content)})
	}
	return list
}
