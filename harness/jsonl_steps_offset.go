package harness

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"plugcheck/fixtures"
	"plugcheck/validator"
)

// wantedTextBytes names the mistake where the position was not read as bytes:
// it sends the place in other units, and sees in which the plugin finds it.
func (sc *jsonlScenario) wantedTextBytes() error {
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
func (sc *jsonlScenario) findsIn(u unit, missed []*reply) bool {
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
func (sc *jsonlScenario) firstLineOnly(missed *reply) bool {
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
