package rename

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A grammar is what the walk through a language with braces asks of it.
type grammar struct {
	word  func(p *program, i int)        // at an identifier or keyword
	punct func(p *program, i int)        // at an operator, brackets included, before it takes effect
	brace func(p *program, i int) string // the kind of the brace that opens at i
	after func(p *program, i int)        // at a brace, after it took effect
}

// walk goes through the tokens once, keeping brackets and scopes.
func (p *program) walk(g grammar) {
	for i := 0; i < len(p.toks); i++ {
		t := p.toks[i]
		if p.newStatement(i) {
			p.pop(atLine)
		}
		if t.kind == punct {
			g.punct(p, i)
		}
		if p.in[i] < 0 {
			p.in[i] = p.scope()
		}
		if t.kind == word && one(p.text(i-1), ".", "?.") {
			p.roles[i] = member
		}
		switch {
		case t.kind == word || t.kind == keyword:
			g.word(p, i)
		case t.kind != punct:
		case t.pair > i && t.text == "{":
			switch kind := g.brace(p, i); kind {
			case "literal", "map", "object":
				p.open(i, kind)
			default:
				p.openBlock(i, kind)
			}
			if g.after != nil {
				g.after(p, i)
			}
		case t.pair > i:
			p.open(i, t.text)
		case t.pair >= 0:
			b := p.close(i)
			if one(b.kind, "block", "match") && !(p.lang.semicolons && p.text(i+1) == "else") {
				p.pop(atBlock)
			}
			if g.after != nil && t.text == "}" {
				g.after(p, i)
			}
		case t.text == ";":
			p.activate(i, p.depth(), false)
			p.pop(atSemicolon)
		case t.text == "," && i >= p.noClosure:
			p.pop(atComma)
		}
	}
}

// newStatement reports whether a script's token begins a line and, most
// likely, a statement.
func (p *program) newStatement(i int) bool {
	t := p.toks[i]
	if !p.lang.template || !t.first || i == 0 || t.kind == punct || one(t.text, "in", "of", "instanceof", "as") {
		return false
	}
	prev := p.toks[i-1]
	return prev.kind == word || prev.kind == text || one(prev.text, ")", "]", "}", "++", "--") ||
		prev.kind == keyword && one(prev.text, "this", "super", "null", "true", "false", "return", "break", "continue", "void")
}

// Go

func buildGo(p *program) {
	p.walk(grammar{word: goWord, punct: goPunct, brace: goBrace})
}

func goWord(p *program, i int) {
	switch t := p.text(i); {
	case p.is(i, word):
		goName(p, i)
	case t == "func":
		goFunc(p, i)
	case t == "var" || t == "const" || t == "type":
		goSpecs(p, i)
	case t == "import":
		goImports(p, i)
	case one(t, "package", "goto", "break", "continue"):
		p.role(i+1, other)
	case t == "if" || t == "for" || t == "switch" || t == "select":
		p.top().header = t
		p.pushHeader(0)
	case t == "case" || t == "default":
		if p.top().kind == "block" {
			p.pop(atCase)
			p.push(atCase, "")
			p.top().header = "case"
		}
	}
}

// role gives the name at i another role than that of a variable.
func (p *program) role(i int, r role) {
	if p.is(i, word) {
		p.roles[i] = r
	}
}

func goName(p *program, i int) {
	if _, declared := p.declOf[i]; declared || p.roles[i] != variable {
		return
	}
	b, prev, next := p.top(), p.text(i-1), p.text(i+1)
	switch b.kind {
	case "struct":
		if b.tok == p.nameStart(i)-1 || p.text(p.nameStart(i)-1) == ";" {
			if !one(next, ";", "}", ".") && !p.is(i+1, text) {
				p.role(i, other)
			}
		}
	case "interface":
		if next == "(" && one(prev, "{", ";") {
			p.method(i, b.owner)
		}
	case "literal":
		if next == ":" && one(prev, "{", ",") {
			p.role(i, other)
		}
	case "block":
		if next == ":" && one(prev, "{", ";", "}") && b.header != "case" {
			p.role(i, other)
		}
	}
}

// nameStart returns the first token of the list of names that i is in.
func (p *program) nameStart(i int) int {
	for i > 1 && p.text(i-1) == "," && p.is(i-2, word) && p.roles[i-2] == other {
		i -= 2
	}
	return i
}

// method notes that the name at i declares a method of owner.
func (p *program) method(i int, owner string) {
	p.role(i, member)
	if p.names[p.text(i)] {
		p.methods = append(p.methods, method{p.text(i), owner, i, -1})
	}
}

func goFunc(p *program, i int) {
	outer, open := p.scope(), i+1
	name, owner := -1, ""
	receiver := -1
	if p.text(open) == "(" && p.is(p.over(open), word) && one(p.text(p.over(open)+1), "(", "[") {
		receiver = open
		name = p.over(open)
		for k := open + 1; k < p.toks[open].pair && p.text(k) != "["; k++ {
			if p.is(k, word) {
				owner = p.text(k)
			}
		}
		p.method(name, owner)
	} else if p.is(open, word) {
		name = open
		p.declare(name, outer, 0)
	}
	if name >= 0 {
		open = name + 1
	}
	s := p.push(atBlock|atSemicolon, "")
	generic := p.text(open) == "["
	lists := []int{receiver}
	for len(lists) < 4 && one(p.text(open), "(", "[") && p.toks[open].pair > open {
		lists = append(lists, open)
		open = p.over(open)
	}
	for _, list := range lists {
		if list < 0 {
			continue
		}
		goParameters(p, list, s)
		for k := list; !generic && k < p.toks[list].pair; k++ {
			if p.in[k] < 0 { // a type is not one of the parameters
				p.in[k] = outer
			}
		}
	}
}

// goParameters declares the names of a parameter list. Without one "name
// type" in it the list holds types alone.
func goParameters(p *program, open int, s int32) {
	end := p.toks[open].pair
	var names []int
	named, begin := false, true
	for k := open + 1; k < end; k = p.over(k) {
		switch t := p.text(k); {
		case t == ",":
			begin = true
			continue
		case begin && p.is(k, word):
			names = append(names, k)
			named = named || !one(p.text(k+1), ",", ".", ")", "]", ";") && !(p.text(k+1) == "[" && p.text(p.over(k+1)) != "," &&
				one(p.text(p.over(k+1)), ")", "]"))
		}
		begin = false
	}
	if named {
		for _, k := range names {
			p.declare(k, s, 0)
		}
	}
}

// goSpecs declares what a var, const or type statement names, in a group or alone.
func goSpecs(p *program, i int) {
	from, end := i+1, i+2
	if p.text(i+1) == "(" && p.toks[i+1].pair > 0 {
		from, end = i+2, p.toks[i+1].pair
	}
	begin := true
	for k := from; k < end && k < len(p.toks); k = p.over(k) {
		if begin {
			for p.is(k, word) {
				switch s := p.scope(); {
				case s == 0 || p.text(i) == "type":
					p.declare(k, s, 0)
				case from > i+1: // in a group
					p.declare(k, s, k)
				default:
					p.late(k, s, false)
				}
				if p.text(k+1) != "," || p.text(i) == "type" {
					break
				}
				k += 2
			}
		}
		begin = p.text(k) == ";"
		if k >= len(p.toks) {
			return
		}
	}
}

func goImports(p *program, i int) {
	from, end := i+1, i+3
	if p.text(i+1) == "(" && p.toks[i+1].pair > 0 {
		from, end = i+2, p.toks[i+1].pair
	}
	for k := from; k < end && k < len(p.toks); k++ {
		switch {
		case p.is(k, word):
			p.declare(k, 0, 0)
			p.imports[p.text(k)] = true
		case p.is(k, text) && !p.is(k-1, word):
			p.imports[path.Base(strings.Trim(p.text(k), "\"`"))] = true
		}
	}
}

func goPunct(p *program, i int) {
	switch p.text(i) {
	case ":=":
		header := p.frames[len(p.frames)-1].header && p.frames[len(p.frames)-1].depth == p.depth()
		p.group++
		k := i - 1
		for p.is(k, word) && p.text(k-1) == "," && p.is(k-2, word) {
			k -= 2
		}
		for ; k < i; k += 2 {
			p.late(k, p.scope(), header)
		}
	case ":":
		if p.top().header == "case" {
			p.top().header = ""
			p.activate(i, p.depth(), false)
		}
	}
}

func goBrace(p *program, i int) string {
	b, prev := p.top(), p.text(i-1)
	if prev == "struct" || prev == "interface" {
		k := i - 2
		if p.text(k) == "]" && p.toks[k].pair > 0 {
			k = p.toks[k].pair - 1
		}
		b.owner = p.text(k)
		return prev
	}
	f := p.frames[len(p.frames)-1]
	waits := f.depth == p.depth() && f.ends&atBlock != 0 && f.body < 0
	statement := prev == "else" || b.kind == "block" && b.header == "" && (i == 0 || one(prev, ";", "{", "}", ":"))
	if waits && !f.header || statement {
		return "block"
	}
	kind := goLiteral(p, i-1)
	if waits && kind == "literal" { // a header takes no Type{…} outside parentheses
		return "block"
	}
	return kind
}

// goLiteral tells by the type that ends at k whether the keys of its literal
// are field names, or expressions as in map[…]T{…} and []T{…}.
func goLiteral(p *program, k int) string {
	for n := 0; k >= 0 && n < 64; n++ {
		switch t := p.toks[k]; {
		case t.kind == word || one(t.text, ".", "*"):
			k--
		case t.text == "]" && t.pair >= 0 && !p.is(t.pair-1, word) && !one(p.text(t.pair-1), ")", "]"):
			return "map"
		case t.text == "]" && t.pair > 0 && p.text(t.pair-1) != "]":
			k = t.pair - 1
		default:
			return "literal"
		}
	}
	return "literal"
}

// Rust

func buildRust(p *program) {
	p.walk(grammar{word: rustWord, punct: rustPunct, brace: rustBrace, after: rustAfter})
}

func rustWord(p *program, i int) {
	prev, next := p.text(i-1), p.text(i+1)
	switch t := p.text(i); {
	case p.is(i, word):
		rustName(p, i)
	case t == "fn" && p.is(i+1, word):
		if b := p.top(); one(b.kind, "impl", "trait") {
			p.method(i+1, b.owner)
		} else {
			p.declare(i+1, p.scope(), 0)
		}
		p.group++
		s := p.push(atBlock|atSemicolon, p.text(i+1))
		angle := 0
		open := p.within(i+2, 400, func(k int) bool {
			switch p.text(k) {
			case "<":
				angle++
			case ">":
				angle--
			case "(":
				return angle == 0
			}
			return one(p.text(k), "{", ";")
		})
		if p.text(open) == "(" {
			rustPattern(p, open+1, p.toks[open].pair, s, func(k int) { p.declare(k, s, 0) })
		}
	case t == "let":
		header := p.frames[len(p.frames)-1].header && p.frames[len(p.frames)-1].depth == p.depth()
		p.group++
		end := p.find(i+1, func(k int) bool { return one(p.text(k), "=", ";") })
		rustPattern(p, i+1, end, p.scope(), func(k int) { p.late(k, p.scope(), header) })
	case (t == "const" || t == "static") && prev != "*" && prev != "<" && prev != ",":
		k := i + 1
		if p.text(k) == "mut" {
			k++
		}
		if p.is(k, word) {
			if b := p.top(); one(b.kind, "impl", "trait") {
				p.role(k, other)
			} else {
				p.declare(k, p.scope(), 0)
			}
		}
	case one(t, "struct", "enum", "trait", "mod", "type") && p.is(i+1, word):
		if b := p.top(); t == "type" && one(b.kind, "impl", "trait") {
			p.role(i+1, other)
			return
		}
		p.declare(i+1, p.scope(), 0)
		if t != "type" && p.text(i+2) != ";" {
			p.top().header, p.top().owner = t, next
		}
	case t == "impl" && (i == 0 || one(prev, "}", ";", "{", "unsafe", "]")):
		p.top().header, p.top().owner = "impl", rustOwner(p, i+1)
	case t == "if" && p.top().kind == "match" && p.top().arm == i:
		// a guard binds nothing
	case t == "if" || t == "while":
		p.top().header = t
		p.pushHeader(0)
	case t == "for" && next != "<" && !one(p.top().header, "impl", "trait"):
		p.top().header = t
		s := p.pushHeader(0)
		p.group++
		end := p.find(i+1, func(k int) bool { return one(p.text(k), "in", ";") })
		rustPattern(p, i+1, end, s, func(k int) { p.late(k, s, true) })
	case t == "match":
		p.top().header = t
	case t == "use":
		rustUse(p, i)
	}
}

func rustOwner(p *program, i int) string {
	owner := ""
	angle := 0
	p.within(i, 400, func(k int) bool {
		switch t := p.text(k); {
		case t == "<":
			angle++
		case t == ">":
			angle--
		case t == "{" || t == "where" || t == ";":
			return true
		case angle == 0 && p.is(k, word):
			owner = t
		}
		return false
	})
	return owner
}

func rustName(p *program, i int) {
	prev, next := p.text(i-1), p.text(i+1)
	b := p.top()
	switch {
	case prev == "::" && p.text(i-3) != "::" && one(p.text(i-2), "self", "crate", "super"):
	case prev == "::":
		p.role(i, member)
	case p.roles[i] != variable:
	case p.text(i) == "macro_rules" && next == "!":
		rustMacro(p, i)
	case next == "!" && one(p.text(i+2), "(", "[", "{"):
		p.role(i, other)
		if p.macros[p.text(i)] && p.toks[i+2].pair > 0 {
			for k := i + 3; k < p.toks[i+2].pair; k++ {
				p.expanded[p.text(k)] = true
			}
		}
	case p.text(i) == "union" && p.is(i+1, word) && one(prev, "", ";", "}", "{", "pub", "]", ")"):
		p.role(i, other)
		p.declare(i+1, p.scope(), 0)
		p.top().header, p.top().owner = "struct", next
	case b.kind == "struct" && next == ":", b.kind == "enum" && one(prev, "{", ",", "]"):
		p.role(i, other)
	case b.kind == "literal" && one(prev, "{", ",") && next == ":":
		p.role(i, other)
	case (b.kind == "literal" || b.kind == "pattern") && one(prev, "{", ",") && one(next, ",", "}"):
		p.spelled[i] = func(old, new string) string { return old + ": " + new }
	}
}

// rustMacro takes a macro_rules! out of the program, and notes what it declares.
func rustMacro(p *program, i int) {
	p.role(i, other)
	p.role(i+2, other)
	p.macros[p.text(i+2)] = true
	if i+3 >= len(p.toks) {
		return
	}
	for k := i + 3; k < p.toks[i+3].pair; k++ {
		p.role(k, generated)
		if one(p.text(k-1), "fn", "struct", "enum", "trait", "type", "mod", "const", "static", "mut") {
			p.expanded[p.text(k)] = true
		}
	}
}

func rustUse(p *program, i int) {
	end := p.within(i+1, 2000, func(k int) bool { return p.text(k) == ";" })
	for k := i + 1; k < end; k++ {
		switch {
		case !p.is(k, word):
		case p.text(k-1) == "as":
			p.declare(k, p.scope(), 0)
		case one(p.text(k+1), ";", ",", "}"):
			p.roles[k] = variable
			p.declare(k, p.scope(), 0)
			p.spelled[k] = func(old, new string) string { return old + " as " + new }
		case p.text(k+1) == "as":
			p.role(k, other)
		}
	}
}

// rustPattern declares the names a pattern binds, the parameters of a function among them.
func rustPattern(p *program, from, end int, s int32, declare func(int)) {
	var inside []string
	for k := from; k < end && k < len(p.toks); k++ {
		t := p.toks[k]
		in := ""
		if len(inside) > 0 {
			in = inside[len(inside)-1]
		}
		switch {
		case t.kind == punct && t.pair > k:
			inside = append(inside, t.text)
			if t.text == "{" {
				p.patterns[k] = true
			}
		case t.kind == punct && t.pair >= 0 && len(inside) > 0:
			inside = inside[:len(inside)-1]
		case t.text == ":" && in != "{": // a type up to the next comma
			angle := 0
			for k++; k < end && (angle > 0 || p.text(k) != ","); k = p.over(k) {
				if p.toks[k].pair >= 0 && p.toks[k].pair < k {
					break
				}
				switch p.text(k) {
				case "<":
					angle++
				case ">":
					angle--
				}
			}
			k--
		case t.kind != word || t.text == "_" || one(p.text(k-1), "::", ".") || one(p.text(k+1), "(", "{", "::", "!"):
		case in == "{" && p.text(k+1) == ":" && one(p.text(k-1), "{", ",", "ref", "mut"):
			p.role(k, other)
		default:
			if r, _ := utf8.DecodeRuneInString(t.text); unicode.IsUpper(r) {
				continue // a constant or a variant, by convention
			}
			declare(k)
			if in == "{" && one(p.text(k-1), "{", ",") {
				p.spelled[k] = func(old, new string) string { return old + ": " + new }
			}
		}
	}
}

func rustPunct(p *program, i int) {
	switch p.text(i) {
	case "#":
		// An attribute names no variable.
		k := i + 1
		if p.text(k) == "!" {
			k++
		}
		if p.text(k) == "[" {
			for ; k < p.toks[i+1].pair; k++ {
				p.role(k, other)
			}
		}
	case "|":
		if i < p.noClosure || !rustPrefix(p, i) {
			return
		}
		end := p.within(i+1, 200, func(k int) bool { return p.text(k) == "|" })
		if p.text(end) != "|" {
			return
		}
		p.noClosure = end + 1
		p.group++
		s := p.push(atSemicolon|atComma, "")
		rustPattern(p, i+1, end, s, func(k int) { p.declare(k, s, 0) })
	case ",":
		if b := p.top(); b.kind == "match" && i > b.arm {
			rustArm(p, i+1)
		}
	case ";":
		p.top().header = ""
	}
}

// rustAfter begins the first arm of a match, and the one after an arm that is a block.
func rustAfter(p *program, i int) {
	b := p.top()
	if b.kind != "match" {
		return
	}
	open := p.toks[i].pair
	if p.text(i) == "{" || p.text(open-1) == "=>" && !one(p.text(i+1), ",", ".", "?") {
		rustArm(p, i+1)
	}
}

// rustPrefix reports whether an operator at i begins an expression.
func rustPrefix(p *program, i int) bool {
	if i == 0 {
		return true
	}
	switch t := p.toks[i-1]; t.kind {
	case word, text:
		return false
	case keyword:
		return !one(t.text, "self", "Self", "true", "false", "crate", "super")
	default:
		return !one(t.text, ")", "]", "?", ">")
	}
}

// rustArm opens the scope of the match arm that begins at i.
func rustArm(p *program, i int) {
	p.pop(atCase | atComma)
	if i >= len(p.toks) || p.text(i) == "}" {
		return
	}
	s := p.push(atCase, "")
	p.group++
	end := p.find(i, func(k int) bool { return one(p.text(k), "=>", "if") })
	p.top().arm = end
	p.noClosure = max(p.noClosure, end)
	rustPattern(p, i, end, s, func(k int) { p.declare(k, s, 0) })
}

func rustBrace(p *program, i int) string {
	b := p.top()
	f := p.frames[len(p.frames)-1]
	header := b.header
	switch {
	case p.patterns[i]:
		return "literal"
	case f.depth == p.depth() && f.ends&atBlock != 0 && f.body < 0 && !f.header:
		return "block"
	case one(header, "match", "struct", "enum", "impl", "trait", "mod"):
		b.header = ""
		return header
	case header == "" && (p.is(i-1, word) || one(p.text(i-1), ">", "Self")):
		return "literal"
	}
	return "block"
}
