package rename

func buildJavaScript(p *program) {
	p.walk(grammar{word: jsWord, punct: jsPunct, brace: jsBrace})
}

func jsWord(p *program, i int) {
	prev, next := p.text(i-1), p.text(i+1)
	t := p.text(i)
	if one(prev, ".", "?.") || jsKey(p, i) {
		return
	}
	switch {
	case t == "const" && (next == "enum" || one(prev, "<", ",")):
	case t == "const" || t == "let" || t == "var":
		s := p.scope()
		if t == "var" {
			s = p.function()
		}
		end := p.statement(i + 1)
		if p.text(end) == ":" { // let is a name here
			return
		}
		p.jsPattern(i+1, end, s)
	case t == "function":
		k := i + 1
		if p.text(k) == "*" {
			k++
		}
		if p.is(k, word) && p.statementStart(i) {
			p.declare(k, p.scope(), 0)
		}
	case t == "class":
		p.top().header, p.top().owner = "class", ""
		if p.is(i+1, word) {
			p.top().owner = next
			p.declare(i+1, p.scope(), 0)
		}
	case t == "interface" && p.is(i+1, word) || t == "enum" && p.is(i+1, word):
		p.top().header, p.top().owner = "type", next
		if t == "enum" {
			p.top().header = "enum"
		}
		p.declare(i+1, p.scope(), 0)
	case (t == "namespace" || t == "module") && p.is(i+1, word) && !p.toks[i+1].first:
		p.role(i, other)
		p.top().header, p.top().owner = "namespace", next
		p.declare(i+1, p.scope(), 0)
	case t == "type" && p.is(i+1, word) && !p.toks[i+1].first && one(p.text(i+2), "=", "<"):
		p.role(i, other)
		p.declare(i+1, p.scope(), 0)
	case t == "for":
		p.pushHeader(atSemicolon | atLine)
	case t == "import" && !one(next, "(", "."):
		jsImport(p, i)
	case t == "export" && (next == "{" || next == "type" && p.text(i+2) == "{"):
		jsExport(p, i)
	case t == "case" || t == "default":
		p.top().header = "case"
	case (t == "break" || t == "continue") && p.is(i+1, word) && !p.toks[i+1].first:
		p.role(i+1, other)
	case p.is(i, word) && next == "=>":
		p.arrow(i+1, func(s int32) { p.declare(i, s, 0) })
	}
}

// jsKey settles the names that are keys of objects or members of classes,
// keywords used as such included, and shorthand properties.
func jsKey(p *program, i int) bool {
	b, prev, next := p.top(), p.text(i-1), p.text(i+1)
	if _, declared := p.declOf[i]; declared || p.roles[i] != variable {
		return p.roles[i] != variable
	}
	modifier := one(prev, "static", "get", "set", "async", "readonly", "public", "private", "protected", "abstract",
		"override", "declare", "accessor", "*")
	optional := one(next, "?", "!") && one(p.text(i+2), ":", "(", ";")
	switch b.kind {
	case "object", "type":
		starts := one(prev, "{", ",", ";") || p.newStatement(i) || modifier
		switch {
		case starts && (next == ":" || optional || one(next, "(", "<")):
			p.role(i, other)
			return true
		case one(prev, "{", ",") && one(next, ",", "}", "=") && p.is(i, word) && p.spelled[i] == nil:
			p.spelled[i] = func(old, new string) string { return old + ": " + new }
		}
	case "enum":
		if one(prev, "{", ",") {
			p.role(i, other)
			return true
		}
	case "class":
		if !(one(prev, "{", ";", "}") || p.newStatement(i) || modifier) {
			return false
		}
		if one(next, "(", "<") && p.is(i, word) {
			p.method(i, b.owner)
			return true
		}
		if one(next, "=", ":", ";", "}", "(") || optional || i+1 < len(p.toks) && p.newStatement(i+1) {
			p.role(i, other)
			return true
		}
	case "block":
		if next == ":" && p.is(i, word) && one(prev, "", "{", ";", "}") {
			p.role(i, other)
			return true
		}
	}
	return false
}

// statement returns the end of the declaration that goes on at i.
func (p *program) statement(i int) int {
	from := i
	return p.find(i, func(k int) bool {
		return one(p.text(k), ";", "of", "in") || k > from && (p.newStatement(k) || one(p.text(k), "let", "const", "var") && p.text(k-1) != ".")
	})
}

func (p *program) statementStart(i int) bool {
	prev := p.text(i - 1)
	return one(prev, "", ";", "{", "}", "export", "default", ")", "else") || p.newStatement(i) ||
		one(prev, "async", "declare") && i > 0 && (one(p.text(i-2), "", ";", "{", "}", "export", "default") || p.newStatement(i-1))
}

// function returns the scope of the innermost function, where var declares.
func (p *program) function() int32 {
	for n := len(p.frames) - 1; n > 0; n-- {
		if f := p.frames[n]; f.ends&atBlock != 0 && !f.header || f.ends&atComma != 0 {
			return f.scope
		}
	}
	return 0
}

// jsPattern declares the names that a list of patterns binds.
func (p *program) jsPattern(from, end int, s int32) {
	var inside []string
	for k := from; k < end && k < len(p.toks); k++ {
		t := p.toks[k]
		in := ""
		if len(inside) > 0 {
			in = inside[len(inside)-1]
		}
		next := p.text(k + 1)
		switch {
		case t.text == "[" && t.pair > k && in == "{" && one(p.text(k-1), "{", ","):
			k = t.pair // a computed key
		case t.kind == punct && t.pair > k:
			inside = append(inside, t.text)
			if t.text == "{" {
				p.patterns[k] = true
			}
		case t.kind == punct && t.pair >= 0:
			if len(inside) > 0 {
				inside = inside[:len(inside)-1]
			}
		case t.text == "=", t.text == ":" && in != "{": // a default or a type, up to the next comma
			for k++; k < end && k < len(p.toks) && p.text(k) != ","; k = p.over(k) {
				if p.toks[k].pair >= 0 && p.toks[k].pair < k {
					break
				}
				if p.text(k) == "<" {
					k = p.generics(k)
				}
			}
			k--
		case t.kind != word || p.text(k-1) == ".":
		case in == "{" && next == ":" && one(p.text(k-1), "{", ","):
			p.role(k, other)
		case one(p.text(k-1), "public", "private", "protected") || one(t.text, "readonly", "override") && p.is(k+1, word) && k+1 < end:
			// It declares a field as well, and is left alone.
		default:
			p.declare(k, s, 0)
			if in == "{" && one(p.text(k-1), "{", ",") {
				p.spelled[k] = func(old, new string) string { return old + ": " + new }
			}
		}
	}
}

// generics returns the > that closes the type arguments which open at k, or k
// if it is less-than.
func (p *program) generics(k int) int {
	if p.lang.name != "typescript" {
		return k
	}
	depth := 0
	for i, n := k, 0; i < len(p.toks) && n < 60; i, n = p.over(i), n+1 {
		switch t := p.toks[i]; {
		case t.text == "<":
			depth++
		case t.text == ">":
			if depth--; depth == 0 {
				return i
			}
		case t.kind == punct && (t.pair >= 0 && t.pair < i || !one(t.text, ".", ",", "|", "&", "[", "{", "(", "=>", "?", ":", "=")):
			return k
		}
	}
	return k
}

func jsImport(p *program, i int) {
	p.patterns[i+1], p.patterns[i+3] = true, true
	braces := false
	for k := i + 1; k < len(p.toks) && k < i+500; k++ {
		switch t := p.text(k); {
		case p.is(k, text) || one(t, ";", "=") || k > i+1 && p.newStatement(k) && !braces:
			return
		case t == "{" || t == "}":
			braces = t == "{"
			p.patterns[k] = true
		case !p.is(k, word):
		case p.text(k+1) == "as" && t != "as", one(t, "from", "type", "as") && !one(p.text(k+1), ",", "}", "from") && p.text(k-1) != "as",
			t == "as" && p.text(k-1) != "as" && p.is(k+1, word):
			p.role(k, other)
		default:
			p.declare(k, 0, 0)
			p.imports[t] = p.imports[t] || p.text(k-2) == "*"
			if braces && p.text(k-1) != "as" {
				p.spelled[k] = func(old, new string) string { return old + " as " + new }
			}
		}
	}
}

func jsExport(p *program, i int) {
	open := i + 1
	if p.text(open) != "{" {
		open++
	}
	end := p.toks[open].pair
	if end < 0 {
		return
	}
	p.patterns[open] = true
	from := p.text(end+1) == "from"
	for k := open + 1; k < end; k++ {
		switch {
		case !p.is(k, word):
		case from || p.text(k) == "as" || p.text(k-1) == "as":
			p.role(k, other)
		case p.text(k+1) != "as":
			p.spelled[k] = func(old, new string) string { return new + " as " + old }
		}
	}
}

func jsPunct(p *program, i int) {
	switch p.text(i) {
	case "(":
		jsParen(p, i)
	case "?":
		if b := p.top(); !one(p.text(i+1), ":", ")", ",", "]") && !(p.text(i+1) == "(" && one(b.kind, "class", "type")) {
			b.ternaries++
		}
	case ":":
		switch b := p.top(); {
		case b.ternaries > 0:
			b.ternaries--
		case b.header == "case":
			b.header, b.arm = "", i
		}
	case ";", ",":
		p.top().ternaries = 0
	}
}

// jsParen opens the scope of a function whose parameters begin at i.
func jsParen(p *program, i int) {
	end := p.toks[i].pair
	if end < i || i == 0 {
		if end > i {
			p.jsArrowAt(i, end)
		}
		return
	}
	name := i - 1
	if p.text(name) == ">" { // generics
		for n, depth := 0, 0; name > 0 && n < 100; n, name = n+1, name-1 {
			switch p.text(name) {
			case ">":
				depth++
			case "<":
				depth--
			}
			if depth == 0 {
				name--
				break
			}
		}
	}
	bind := func(s int32) { p.jsPattern(i+1, end, s) }
	prev, b := p.text(name), p.top()
	function := name
	if p.is(name, word) {
		function--
	}
	if p.text(function) == "*" {
		function--
	}
	after := p.text(end + 1)
	typed := p.lang.name == "typescript" && after == ":"
	body := after == "{" || typed
	switch {
	case p.text(function) == "function" && p.text(function-1) != ".":
		s := p.push(atBlock|atSemicolon|atLine, "")
		if p.is(name, word) && !p.statementStart(function) && !p.async(function) {
			p.declare(name, s, 0)
		}
		bind(s)
	case prev == "catch" && p.text(name-1) == "}":
		bind(p.push(atBlock, ""))
	case name >= 0 && p.memberName(name) && (one(b.kind, "class", "type", "object") && body ||
		one(b.kind, "class", "type") && p.lang.name == "typescript"): // a signature needs no body
		bind(p.push(atBlock|atSemicolon|atLine, ""))
	default:
		p.jsArrowAt(i, end)
	}
}

// async reports whether the function at i is a declaration behind async.
func (p *program) async(i int) bool { return p.text(i-1) == "async" && p.statementStart(i-1) }

// memberName reports whether what stands at i can be the name of a member.
func (p *program) memberName(i int) bool {
	t := p.toks[i]
	switch {
	case t.kind == word:
		return p.roles[i] != variable
	case t.kind == keyword:
		return !one(t.text, "if", "for", "while", "switch", "catch", "with", "super", "this", "function")
	}
	return t.kind == text || t.text == "]"
}

// jsArrowAt opens the scope of an arrow function, when the parenthesis is its parameters.
func (p *program) jsArrowAt(i, end int) {
	arrow := end + 1
	if p.text(arrow) == ":" && p.lang.name == "typescript" && p.top().ternaries == 0 && p.text(i-1) != "case" {
		arrow = p.within(arrow+1, 40, func(k int) bool { return one(p.text(k), "=>", ",", ";", "=", "?") })
	}
	if p.text(arrow) == "=>" {
		p.arrow(arrow, func(s int32) { p.jsPattern(i+1, end, s) })
	}
}

func (p *program) arrow(arrow int, bind func(int32)) {
	e := atComma | atSemicolon | atLine
	if p.text(arrow+1) == "{" {
		e |= atBlock
	}
	bind(p.push(e, ""))
}

func jsBrace(p *program, i int) string {
	b, prev := p.top(), p.text(i-1)
	f := p.frames[len(p.frames)-1]
	waits := f.depth == p.depth() && f.ends&atBlock != 0 && f.body < 0 && !f.header
	switch {
	case p.patterns[i]:
		return "object"
	case b.header == "class" && prev != "(" && prev != ",":
		b.header = ""
		return "class"
	case b.header == "type" || b.header == "enum":
		kind := b.header
		b.header = ""
		return kind
	case b.header == "namespace":
		b.header = ""
		return "block"
	case waits && f.ends&atComma != 0 && prev != "=>": // between an arrow's parameters and its =>
		return "object"
	case waits && !one(prev, ":", "<", "|", "&", "is"):
		return "block"
	case waits:
		return "object"
	case prev == ":" && b.kind == "block" && b.arm == i-1:
		return "block"
	case i == 0 || one(prev, ")", ";", "=>", "else", "do", "try", "catch", "finally", "static", "}"):
		return "block"
	case prev == "{":
		if b.kind == "block" {
			return "block"
		}
	case p.toks[i].first && (p.is(i-1, word) || p.is(i-1, text) || one(prev, "]")):
		return "block"
	}
	return "object"
}
