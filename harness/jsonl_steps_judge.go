package harness

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plugcheck/validator"
	"plugcheck/validator/patch"
)

// each runs a judgement over every reply.
func (sc *jsonlScenario) each(judge func(*reply) *outcome) error {
	return each(sc.replies, func(r *reply) string { return r.Name }, judge)
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

func (sc *jsonlScenario) itAnswers() error { return sc.each((*reply).answered) }

func (sc *jsonlScenario) itSucceeds() error { return sc.each((*reply).succeeded) }

func (sc *jsonlScenario) itRefuses() error { return sc.each((*reply).refused) }

func (sc *jsonlScenario) outputKind(kind string) error {
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

func (sc *jsonlScenario) wantedText() error { return sc.each((*reply).wanted) }

// eachCase asks for what each case wants: the text, or a refusal.
func (sc *jsonlScenario) eachCase() error {
	return sc.each(func(r *reply) *outcome {
		if r.Refuse != nil {
			return r.refused()
		}
		return r.wanted()
	})
}

func (sc *jsonlScenario) refusesOrWantedText() error {
	return sc.each(func(r *reply) *outcome {
		if r.Refused() {
			return r.answered()
		}
		return r.wanted()
	})
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

func (sc *jsonlScenario) sameAsUsual() error {
	return sc.each(func(r *reply) *outcome { return r.same(sc.session.usual) })
}

// likeASmallOne asks for the same kind of answer: a file that is refused only
// because it is large was not read.
func (sc *jsonlScenario) likeASmallOne() error {
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
func (sc *jsonlScenario) allTheSame() error {
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
func (sc *jsonlScenario) sameAsAlone() error {
	half := len(sc.replies) / 2
	alone := sc.replies[:half]
	sc.replies = sc.replies[half:]
	i := -1
	return sc.each(func(r *reply) *outcome {
		i++
		return r.same(alone[i])
	})
}

func (sc *jsonlScenario) overPipeSize() error {
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
func (sc *jsonlScenario) notEarly() error {
	return sc.each(func(r *reply) *outcome {
		if o := r.broken(func(rule *validator.Check) bool { return rule.ID == "jsonl.in-time" }); o != nil {
			return o // its input was ended for it, so it could go on
		}
		if len(r.early) == 0 || r.early[0] != '{' && r.early[0] != '[' {
			return nil
		}
		return r.fail(validator.Finding{Class: "early", Expected: "silence until the newline of the request", Got: validator.Quote(r.early, 200),
			Message: "with half of the request sent, it began to answer"})
	})
}

func validatorFiles(files []validator.File) []patch.File {
	var list []patch.File
	for _, f := range files {
		list = append(list, patch.File{Path: f.Path, Content: []byte(f.Content)})
	}
	return list
}
