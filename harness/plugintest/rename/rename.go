// Package rename is the engine of the reference plugin for rename-symbol 1.0:
// it renames a symbol of a Python, Rust, Go, TypeScript or JavaScript file, or
// says in one of the contract's reason codes why it does not.
//
// It is written from the contract alone and shares nothing with the validator
// that judges it. It holds no parser: each language is a tokenizer by data
// (language.go, token.go) and one walk over the tokens that keeps a tree of
// scopes with the declarations of the two names in question (program.go;
// python.go by indentation, braces.go and javascript.go by brackets). An
// occurrence belongs to the declaration it resolves to, and a rename is done
// only if after it every occurrence of either name still resolves as before.
//
// # Limits
//
// One file is changed, the one that the uri names; others of the request are
// left alone. Types are not known: a method is renamed with all accesses of
// that name if one type of the file declares it, and refused as ambiguous if
// several do. Fields, enum variants, generic parameters, labels, lifetimes and
// names after a module's dot are answered with symbol_not_found; Python's
// attributes are renamed like methods. A renamed import is given an alias and
// a shorthand property its key, so these do not come back to the same bytes.
// JSX, macro bodies, `format!("{x}", x = 1)`, quoted Python annotations,
// getattr and eval are not understood. In TypeScript a
// type and a value of one name are taken for one symbol. A method that
// implements a trait or interface from elsewhere, and the accesses of an
// embedded Go type, are not known as such. Rust patterns tell a variable from a
// constant by its small first letter. In scripts without semicolons the end of
// a statement is a guess, as are Go and Rust composite literals in headers.
package rename

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A File is one file of a request.
type File struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// A Refusal says why nothing was renamed.
type Refusal struct {
	Code    string // a reason code of the contract
	Message string
	File    string // "" when it concerns none
	Line    int    // from 1, 0 when it concerns none
}

// The reason codes used here.
const (
	symbolNotFound      = "symbol_not_found"
	macroGenerated      = "macro_generated"
	ambiguousReferences = "ambiguous_references"
	unsupportedLanguage = "unsupported_language"
	incompletePayload   = "incomplete_payload"
	nameConflict        = "name_conflict"
)

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Rename answers a rename-symbol request: all files as they are after the
// change, or the refusal. The arguments are those of the request, unread.
func Rename(files []File, args map[string]json.RawMessage) ([]File, *Refusal) {
	var uri, position, to string
	for _, a := range []struct {
		name string
		into *string
	}{{"uri", &uri}, {"position", &position}, {"new_name", &to}} {
		raw, ok := args[a.name]
		var v any
		if !ok {
			return nil, refuse(incompletePayload, "the argument %q is missing", a.name)
		}
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, refuse(incompletePayload, "the argument %q is not valid JSON: %v", a.name, err)
		}
		s, ok := v.(string)
		if !ok {
			return nil, refuse(incompletePayload, "the argument %q must be a string", a.name)
		}
		if strings.TrimSpace(s) == "" {
			return nil, refuse(incompletePayload, "the argument %q is blank", a.name)
		}
		*a.into = s
	}
	if len(files) == 0 {
		return nil, refuse(incompletePayload, "the request holds no file")
	}
	target, r := fileOf(files, uri)
	if r != nil {
		return nil, r
	}
	file := files[target]
	if strings.HasPrefix(file.Path, "/") || one("..", strings.Split(file.Path, "/")...) {
		return nil, refuse(incompletePayload, "the path %q must be relative to the workspace and hold no ..", file.Path)
	}
	for i, f := range files {
		if i != target && f.Path == file.Path {
			return nil, refuse(incompletePayload, "two files of the request have the path %q", f.Path)
		}
	}
	content, line, r := renameIn(file, position, to)
	if r != nil {
		r.File, r.Line = file.Path, line
		return nil, r
	}
	after := append([]File(nil), files...)
	after[target].Content = content
	return after, nil
}

// fileOf finds the file whose path ends the uri, the longest path first.
func fileOf(files []File, uri string) (int, *Refusal) {
	rest, ok := cutPrefixFold(uri, "file:")
	if !ok {
		return 0, refuse(incompletePayload, "the argument \"uri\" is no file URI: %q", uri)
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	decoded, err := url.PathUnescape(rest)
	if err != nil {
		return 0, refuse(incompletePayload, "the argument \"uri\" is not well formed: %v", err)
	}
	found := -1
	for i, f := range files {
		if f.Path != "" && strings.HasSuffix("/"+decoded, "/"+f.Path) &&
			(found < 0 || len(f.Path) > len(files[found].Path)) {
			found = i
		}
	}
	if found < 0 {
		return 0, refuse(incompletePayload, "none of the request's files is the one that \"uri\" names: %s", decoded)
	}
	return found, nil
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// renameIn renames in one file. It returns the new content, and the line that
// a refusal is about.
func renameIn(file File, position, to string) (string, int, *Refusal) {
	lang := languageOf(file.Path)
	if lang == nil {
		return "", 0, refuse(unsupportedLanguage, "the language of %s is not one of python, rust, go, typescript, javascript", file.Path)
	}
	if strings.Trim(position, "0123456789") != "" {
		return "", 0, refuse(incompletePayload, "the argument \"position\" is no byte offset in decimal: %q", position)
	}
	at, err := strconv.Atoi(position)
	if err != nil || at >= len(file.Content) {
		return "", 0, refuse(symbolNotFound, "position %s is past the end of the file, which has %d bytes", position, len(file.Content))
	}
	line := 1 + strings.Count(file.Content[:at], "\n")
	if !lang.identifier(to) {
		return "", line, refuse(incompletePayload, "%q is no identifier of %s", to, lang.name)
	}
	toks := scan(lang, file.Content)
	i := tokenAt(toks, at)
	if i < 0 || toks[i].kind != word {
		what := "no identifier"
		if i >= 0 && toks[i].kind == keyword {
			what = "the keyword " + toks[i].text
		}
		return "", line, refuse(symbolNotFound, "there is %s at byte %d", what, at)
	}
	from := toks[i].text
	if from == "_" && !lang.identifier("_") {
		return "", line, refuse(symbolNotFound, "_ names nothing")
	}
	if to == from {
		return "", line, refuse(nameConflict, "the symbol is named %s already", from)
	}
	p := parse(lang, file.Content, toks, from, to)
	occurrences, r := p.occurrences(i, to)
	if r != nil {
		return "", line, r
	}
	return p.write(occurrences, from, to), line, nil
}

// tokenAt returns the token that the byte at a position belongs to, or -1.
func tokenAt(toks []token, at int) int {
	lo, hi := 0, len(toks)
	for lo < hi { // the first token that starts after the position
		if mid := (lo + hi) / 2; toks[mid].start > at {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	for lo--; lo >= 0 && toks[lo].kind == punct && toks[lo].start == at; lo-- {
		// A newline's token has no bytes of its own.
		if t := toks[lo].text; t != "\n" && t != ";" && t != "${" && t != "}$" {
			break
		}
	}
	if lo >= 0 && at < toks[lo].start+len(toks[lo].text) {
		return lo
	}
	return -1
}

// occurrences finds every token to rename together with the one at i, and
// whether that can be done.
func (p *program) occurrences(i int, to string) (map[int]bool, *Refusal) {
	from := p.text(i)
	up := p.chain(from)
	d := p.resolve(i, up)
	for k := range p.decls {
		if p.decls[k].name == from && p.qualified(i, k) {
			return p.variables(k, up, to)
		}
	}
	class := d >= 0 && p.scopes[p.decls[d].scope].class
	switch {
	case p.roles[i] == generated:
		return nil, refuse(macroGenerated, "%s stands in the body of a macro", from)
	case p.roles[i] == member || class:
		return p.members(i, to)
	case p.roles[i] == other && p.lang.newlines:
		if d = p.argument(i); d < 0 {
			return nil, refuse(symbolNotFound, "the function whose argument is %s is not in this file", from)
		}
	case p.roles[i] == other:
		return nil, refuse(symbolNotFound, "%s is a field, label or key here, which this plugin does not rename", from)
	case d < 0 && p.expanded[from]:
		return nil, refuse(macroGenerated, "%s is written by a macro", from)
	case d < 0:
		return nil, refuse(symbolNotFound, "%s is not declared in this file", from)
	}
	return p.variables(d, up, to)
}

// variables collects the occurrences of a declaration.
func (p *program) variables(d int, up []int32, to string) (map[int]bool, *Refusal) {
	from, s := p.decls[d].name, p.decls[d].scope
	there := p.byName[nameIn{s, to}]
	for _, o := range there {
		// A variable of Rust may hide another of its block, but for that both must hold from some point on.
		if !p.lang.fresh || p.decls[o].from == 0 || p.decls[d].from == 0 || p.decls[o].group == p.decls[d].group {
			return nil, refuse(nameConflict, "%s is declared in the scope of %s already", to, from)
		}
	}
	found := map[int]bool{}
	var others []int
	for k, t := range p.toks {
		if t.kind != word {
			continue
		}
		switch t.text {
		case from:
			if p.resolve(k, up) == d || p.qualified(k, d) {
				found[k] = true
			}
		case to:
			others = append(others, k)
		}
	}
	if r := p.arguments(d, found); r != nil {
		return nil, r
	}
	for k := range found {
		if how, ok := p.spelled[k]; ok && how == nil {
			return nil, refuse(symbolNotFound, "%s is bound by an import that leaves it no other name", from)
		}
	}
	// Let the declaration have the new name, and look whether a meaning changes.
	before := map[int]int{}
	up = p.chain(to)
	for _, k := range others {
		before[k] = p.resolve(k, up)
	}
	p.byName[nameIn{s, to}] = append(slices.Clone(there), d)
	p.inOrder(p.byName[nameIn{s, to}])
	for n := range p.scopes {
		if at, ok := p.scopes[n].elsewhere[from]; ok && at == s {
			if len(p.byName[nameIn{int32(n), to}]) > 0 {
				return nil, refuse(nameConflict, "%s is declared where %s stands for another scope's", to, from)
			}
			p.scopes[n].elsewhere[to] = at
		}
	}
	up = p.chain(to)
	for _, k := range others {
		if p.resolve(k, up) != before[k] {
			return nil, refuse(nameConflict, "%s has a meaning where %s is declared, and would lose it", to, from)
		}
	}
	for k := range found {
		if _, declares := p.declOf[k]; !declares && p.roles[k] == variable && p.lookup(k, to, up) != d {
			return nil, refuse(nameConflict, "%s is declared between %s and its use", to, from)
		}
	}
	return found, nil
}

// qualified reports whether k is the name in module::name.
func (p *program) qualified(k, d int) bool {
	owner := p.scopes[p.decls[d].scope].owner
	return p.roles[k] == member && p.text(k-1) == "::" && owner != "" && p.text(k-2) == owner
}

// argument returns the parameter that the name of an argument at i stands for, or -1.
func (p *program) argument(i int) int {
	found := -1
	for d, v := range p.decls {
		if v.param && v.name == p.text(i) && p.scopes[v.scope].owner == p.callee(i) {
			if found >= 0 {
				return -1
			}
			found = d
		}
	}
	return found
}

// callee returns the name of the function in whose call i stands.
func (p *program) callee(i int) string {
	for k, n := i-1, 0; k >= 0 && n < 2000; k, n = k-1, n+1 {
		t := p.toks[k]
		switch {
		case t.pair >= 0 && t.pair < k:
			k = t.pair
		case t.pair > k:
			return p.text(k - 1)
		}
	}
	return ""
}

// arguments adds the named arguments of a renamed parameter (Python).
func (p *program) arguments(d int, found map[int]bool) *Refusal {
	if !p.decls[d].param {
		return nil
	}
	for k, t := range p.toks {
		if t.kind == word && t.text == p.decls[d].name && p.roles[k] == other && p.text(k+1) == "=" &&
			p.callee(k) == p.scopes[p.decls[d].scope].owner {
			if p.argument(k) != d {
				return refuse(ambiguousReferences, "more than one function %s has a parameter %s", p.callee(k), t.text)
			}
			found[k] = true
		}
	}
	return nil
}

// members collects the declarations and accesses of the method at i.
func (p *program) members(i int, to string) (map[int]bool, *Refusal) {
	from, owner := p.text(i), ""
	if p.text(i-1) == "." && p.imports[p.text(i-2)] || p.text(i-1) == "::" && p.roles[i] == member && !p.owns(p.text(i-2), from) {
		return nil, refuse(symbolNotFound, "%s is not declared in this file", from)
	}
	found := map[int]bool{}
	class := int32(-1)
	for _, m := range p.methods {
		if m.name != from {
			continue
		}
		if len(found) > 0 && (m.owner != owner || m.class != class) {
			return nil, refuse(ambiguousReferences, "%s and %s both have a %s, and the types of its uses are not known", owner, m.owner, from)
		}
		owner, class = m.owner, m.class
		found[m.tok] = true
	}
	if len(found) == 0 {
		return nil, refuse(symbolNotFound, "no method %s is declared in this file", from)
	}
	for _, m := range p.methods {
		if m.name == to && m.owner == owner {
			return nil, refuse(nameConflict, "%s has a %s already", owner, to)
		}
	}
	up := p.chain(from)
	for k, t := range p.toks {
		if t.kind == word && t.text == to && class >= 0 && p.in[k] == class && p.roles[k] == variable {
			return nil, refuse(nameConflict, "%s has a meaning in %s, and would lose it", to, owner)
		}
		if t.kind != word || t.text != from {
			continue
		}
		switch d := p.resolve(k, up); {
		case d >= 0 && p.scopes[p.decls[d].scope].class:
			if p.decls[d].scope == class {
				found[k] = true
			}
		case p.roles[k] == other && p.lang.newlines && p.text(k+1) == "=" && p.callee(k) == owner && p.argument(k) < 0:
			found[k] = true // of a class whose __init__ is generated
		case p.roles[k] != member:
		case p.text(k-1) == "::":
			if p.text(k-2) == owner || p.text(k-2) == "Self" {
				found[k] = true
			}
		case one(p.text(k-1), ".", "?.") && !p.imports[p.text(k-2)]:
			found[k] = true
		}
	}
	return found, nil
}

func (p *program) owns(owner, name string) bool {
	for _, m := range p.methods {
		if m.name == name && (m.owner == owner || owner == "Self") {
			return true
		}
	}
	return false
}

// write puts the new name in the place of every occurrence.
func (p *program) write(occurrences map[int]bool, from, to string) string {
	var out strings.Builder
	done := 0
	for k, t := range p.toks {
		if !occurrences[k] {
			continue
		}
		out.WriteString(p.src[done:t.start])
		if how := p.spelled[k]; how != nil {
			out.WriteString(how(from, to))
		} else {
			out.WriteString(to)
		}
		done = t.start + len(t.text)
	}
	out.WriteString(p.src[done:])
	return out.String()
}
