package rename

import "strings"

// pythonWalk is a walk through a Python file, statement by statement.
type pythonWalk struct {
	*program
	comprehensions map[int]bool
	statementAt    int              // the token a statement begins at, besides those after a newline
	at             map[int][]func() // what to do when a token is reached
	suites         []int            // the indentation of each frame, -1 for those that are no suite
	column         int              // the indentation of the line
}

func buildPython(p *program) {
	w := &pythonWalk{program: p, comprehensions: map[int]bool{}, statementAt: 0, at: map[int][]func(){}, suites: []int{-1}}
	var open []int
	for i, t := range p.toks {
		switch {
		case t.kind == keyword && t.text == "for" && len(open) > 0:
			w.comprehensions[open[len(open)-1]] = true
		case t.kind != punct || t.pair < 0:
		case t.pair > i:
			open = append(open, i)
		default:
			open = open[:len(open)-1]
		}
	}
	for i := range p.toks {
		w.token(i)
	}
}

// enter opens a scope: a suite's with its indentation, or -1.
func (w *pythonWalk) enter(s int32, e ends, indent int) {
	w.frames = append(w.frames, frame{scope: s, depth: w.depth(), ends: e, body: -1})
	w.suites = append(w.suites, indent)
}

func (w *pythonWalk) leave(while func(f frame, indent int) bool) {
	for n := len(w.frames) - 1; n > 0 && while(w.frames[n], w.suites[n]); n-- {
		w.frames, w.suites = w.frames[:n], w.suites[:n]
	}
}

func (w *pythonWalk) token(i int) {
	t := w.toks[i]
	for _, f := range w.at[i] {
		f()
	}
	delete(w.at, i)
	if w.depth() == 0 && (i == 0 || w.text(i-1) == "\n") {
		w.column = w.indentation(i)
		w.leave(func(f frame, indent int) bool { return indent < 0 || indent >= w.column })
		w.statement(i)
	} else if i == w.statementAt && i > 0 {
		w.statement(i)
	}
	if w.in[i] < 0 {
		w.in[i] = w.scope()
	}
	switch {
	case t.kind == word:
		w.name(i)
	case t.kind == keyword && t.text == "lambda":
		w.lambda(i)
	case t.kind == keyword && t.text == "for" && w.depth() > 0:
		// The first iterable is evaluated outside; see comprehension.
		w.targets(i+1, w.find(i+1, func(k int) bool { return w.text(k) == "in" }))
	case t.kind != punct:
	case t.pair > i:
		w.program.open(i, t.text)
		if w.comprehensions[i] {
			w.comprehension(i)
		}
	case t.pair >= 0:
		w.opens = w.opens[:len(w.opens)-1]
		w.leave(func(f frame, _ int) bool { return f.depth > w.depth() })
	case t.text == ";" && w.depth() == 0:
		w.leaveExpressions()
		w.statementAt = i + 1
	case t.text == "," || t.text == ":":
		w.leaveExpressions()
	case t.text == ":=" && w.is(i-1, word):
		s := w.scope()
		for w.scopes[s].owner == "[]" {
			s = w.scopes[s].parent
		}
		w.declare(i-1, s, 0)
		w.in[i-1] = s
	}
}

func (w *pythonWalk) leaveExpressions() {
	w.leave(func(f frame, _ int) bool { return f.ends == atComma && f.depth == w.depth() })
}

func (w *pythonWalk) indentation(i int) int {
	if i >= len(w.toks) {
		return 0
	}
	line := w.src[:w.toks[i].start]
	line = strings.TrimPrefix(line[strings.LastIndexByte(line, '\n')+1:], bom)
	n := 0
	for _, c := range line {
		switch c {
		case '\t':
			n += 8 - n%8
		case '\f':
			n = 0
		default:
			n++
		}
	}
	return n
}

// name settles what a name is besides a variable.
func (w *pythonWalk) name(i int) {
	prev, next := w.text(i-1), w.text(i+1)
	if _, declared := w.declOf[i]; declared || w.roles[i] != variable {
		return
	}
	switch {
	case prev == ".":
		w.roles[i] = member
	case next == "=" && one(prev, "(", ",") && w.top().kind == "(" && (w.is(w.top().tok-1, word) || one(w.text(w.top().tok-1), ")", "]")):
		w.roles[i] = other // the name of an argument
	}
}

// attribute notes that the name at i is a member of a class.
func (w *pythonWalk) attribute(i int, class int32) {
	if w.names[w.text(i)] {
		w.methods = append(w.methods, method{w.text(i), w.scopes[class].owner, i, class})
	}
}

// bind declares a name in the scope of the statement.
func (w *pythonWalk) bind(i int) {
	s := w.scope()
	if w.scopes[s].class {
		w.attribute(i, s)
	}
	w.declare(i, s, 0)
}

// targets declares what an assignment to the tokens from lo to hi binds:
// the names that are not indexed, called or followed by an attribute.
func (w *pythonWalk) targets(lo, hi int) {
	for k := lo; k < hi && k < len(w.toks); k++ {
		t := w.toks[k]
		switch {
		case t.kind == punct && t.pair > k && k > lo && (w.is(k-1, word) || one(w.text(k-1), ")", "]")):
			k = t.pair
		case t.kind != word || k+1 < hi && one(w.text(k+1), ".", "[", "("):
		case w.text(k-1) != ".":
			w.bind(k)
		case one(w.text(k-2), "self", "cls") && w.text(k-3) != ".":
			for s := w.scope(); s > 0; s = w.scopes[s].parent {
				if w.scopes[s].class {
					w.attribute(k, s)
					break
				}
			}
		}
	}
}

// statement reads the simple statement, or the head of the compound one, that
// begins at i.
func (w *pythonWalk) statement(i int) {
	w.statementAt = -1
	if w.text(i) == "async" {
		i++
	}
	head := w.text(i)
	lambdas := 0
	colon := func(k int) bool {
		switch w.text(k) {
		case "lambda":
			lambdas++
		case ":":
			lambdas--
			return lambdas < 0
		case "\n", ";":
			return true
		}
		return false
	}
	compound := one(head, "if", "elif", "else", "while", "for", "with", "try", "except", "finally", "def", "class")
	soft := one(head, "match", "case") && w.is(i, word) && !one(w.text(i+1), "=", ".", ",", ")", ":", "\n", "+=", ":=")
	end := 0
	if compound || soft {
		end = w.find(i, colon)
		soft = soft && w.text(end) == ":" && w.text(end+1) == "\n" || soft && head == "case" && w.text(end) == ":"
		if w.text(end) == ":" && (compound || soft) {
			w.statementAt = end + 1
		}
	}
	switch {
	case head == "def" || head == "class":
		w.definition(i, end)
	case head == "for":
		w.targets(i+1, w.find(i+1, func(k int) bool { return one(w.text(k), "in", "\n") }))
	case head == "with" || head == "except":
		w.as(i+1, end)
	case head == "import" || head == "from":
		w.imported(i)
	case head == "global" || head == "nonlocal":
		w.elsewhere(i)
	case head == "del":
		w.targets(i+1, w.find(i+1, func(k int) bool { return one(w.text(k), "\n", ";") }))
	case compound:
	case soft:
		w.role(i, other)
		if head == "case" {
			w.captures(i+1, end)
		}
	default:
		w.assignment(i)
	}
}

func (w *pythonWalk) assignment(i int) {
	annotated, lambdas := false, 0
	w.find(i, func(k int) bool {
		switch t := w.text(k); t {
		case "lambda":
			lambdas++
		case ":":
			if lambdas--; lambdas < 0 {
				w.targets(i, k)
				annotated = true
			}
		case "=", "+=", "-=", "*=", "/=", "//=", "**=", "%=", "@=", "&=", "|=", "^=", "<<=", ">>=":
			if !annotated && lambdas <= 0 {
				w.targets(i, k)
			}
			i = k + 1
		case "\n", ";":
			return true
		}
		return false
	})
}

func (w *pythonWalk) definition(i, end int) {
	if !w.is(i+1, word) {
		return
	}
	w.bind(i + 1)
	s := w.newScope(w.text(i + 1))
	w.scopes[s].class = w.text(i) == "class"
	if outer := w.scopes[w.scope()]; outer.class && w.text(i+1) == "__init__" {
		w.scopes[s].owner = outer.owner // what is called is the class
	}
	column := w.column
	open := i + 2
	if w.text(open) == "[" && w.toks[open].pair > open { // type parameters
		w.parameters(open, s)
		open = w.over(open)
	}
	if w.text(i) == "def" && w.text(open) == "(" && w.toks[open].pair > open {
		w.parameters(open, s)
	}
	if w.text(end) == ":" {
		w.at[end] = append(w.at[end], func() { w.enter(s, 0, column) })
	}
}

func (w *pythonWalk) parameters(open int, s int32) {
	for k := open + 1; k < w.toks[open].pair; k = w.over(k) {
		if w.is(k, word) && one(w.text(k-1), "(", "[", ",", "*", "**") {
			// After a star that is no operator.
			if one(w.text(k-1), "*", "**") && !one(w.text(k-2), "(", "[", ",") {
				continue
			}
			if d := w.declare(k, s, 0); d >= 0 {
				w.decls[d].param = true
			}
		}
	}
}

func (w *pythonWalk) lambda(i int) {
	s := w.newScope("")
	colon := w.within(i+1, 200, func(k int) bool { return one(w.text(k), ":", "lambda", "\n") })
	if w.text(colon) != ":" {
		return
	}
	for k := i + 1; k < colon; k = w.over(k) {
		if w.is(k, word) && one(w.text(k-1), "lambda", ",", "*", "**") {
			w.declare(k, s, 0)
		}
	}
	w.at[colon+1] = append(w.at[colon+1], func() { w.enter(s, atComma, -1) })
}

// comprehension opens the scope of the comprehension in the bracket at i,
// whose first iterable stands outside of it.
func (w *pythonWalk) comprehension(i int) {
	outer := w.scope()
	s := w.newScope("[]")
	w.enter(s, 0, -1)
	first := w.find(i+1, func(k int) bool { return w.text(k) == "for" })
	in := w.find(first, func(k int) bool { return w.text(k) == "in" })
	if w.text(in) != "in" {
		return
	}
	end := w.find(in+1, func(k int) bool { return one(w.text(k), "for", "if", "async") })
	if end >= len(w.toks) || w.text(in+1) == "" {
		return
	}
	depth := w.depth()
	w.at[in+1] = append(w.at[in+1], func() {
		w.frames = append(w.frames, frame{scope: outer, depth: depth, ends: atCase, body: -1})
		w.suites = append(w.suites, -1)
	})
	w.at[end] = append(w.at[end], func() {
		w.leave(func(f frame, _ int) bool { return f.depth >= depth && f.ends&(atCase|atComma) != 0 })
	})
}

// as declares the targets after "as" in a with or except.
func (w *pythonWalk) as(i, end int) {
	for k := i; k < end && k < len(w.toks); k++ {
		if w.text(k) == "as" && w.toks[k].kind == keyword {
			w.targets(k+1, min(end, w.find(k+1, func(k int) bool { return one(w.text(k), ",", ":", "\n") })))
		}
	}
}

func (w *pythonWalk) imported(i int) {
	from := w.text(i) == "from"
	names := !from
	for k := i + 1; k < len(w.toks) && !one(w.text(k), "\n", ";"); k++ {
		t := w.text(k)
		switch {
		case t == "import":
			names = true
		case !w.is(k, word):
		case !names || w.text(k-1) == "." || w.text(w.dotted(k)) == "as":
			w.role(k, other)
		case w.text(k-1) == "as":
			w.bind(k)
			w.imports[t] = w.imports[t] || !from
		case w.text(k+1) == ".":
			w.bind(k)
			w.imports[t] = true
			w.spelled[k] = nil // import a.b binds a, which cannot have another name
		default:
			w.bind(k)
			w.imports[t] = w.imports[t] || !from
			w.spelled[k] = func(old, new string) string { return old + " as " + new }
		}
	}
}

// dotted returns the token after the dotted name at k.
func (w *pythonWalk) dotted(k int) int {
	for w.text(k+1) == "." {
		k += 2
	}
	return k + 1
}

// elsewhere notes the names that a global or nonlocal statement sends to another scope.
func (w *pythonWalk) elsewhere(i int) {
	s := w.scope()
	for k := i + 1; k < len(w.toks) && !one(w.text(k), "\n", ";"); k++ {
		if !w.is(k, word) || !w.names[w.text(k)] || s == 0 {
			continue
		}
		var to int32
		if w.text(i) == "nonlocal" {
			to = w.scopes[s].parent
			for f := to; f > 0; f = w.scopes[f].parent {
				if !w.scopes[f].class && len(w.byName[nameIn{f, w.text(k)}]) > 0 {
					to = f
					break
				}
			}
		}
		if w.scopes[s].elsewhere == nil {
			w.scopes[s].elsewhere = map[string]int32{}
		}
		w.scopes[s].elsewhere[w.text(k)] = to
	}
}

// captures declares the names that a case pattern binds.
func (w *pythonWalk) captures(i, end int) {
	end = min(end, w.find(i, func(k int) bool { return k >= end || w.text(k) == "if" }))
	for k := i; k < end && k < len(w.toks); k++ {
		switch {
		case !w.is(k, word) || w.text(k) == "_" || w.text(k-1) == "." || one(w.text(k+1), ".", "("):
		case w.text(k+1) == "=":
			w.role(k, other)
		default:
			w.bind(k)
		}
	}
}
