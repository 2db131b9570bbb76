package rename

import "sort"

type role uint8

const (
	variable  role = iota
	member         // after a dot, or the declaration of a method
	other          // a key, a label, a macro's name: no occurrence of a variable
	generated      // in the body of a macro_rules!
)

// A program is one file as a list of tokens, a tree of scopes, and the
// declarations of the names that matter.
type program struct {
	lang  *language
	src   string
	toks  []token
	names map[string]bool // only these are declared

	scopes []scope
	in     []int32 // the scope each token stands in
	roles  []role
	decls  []decl
	byName map[nameIn][]int // declarations by scope and name, in the order in which they begin to hold
	declOf map[int]int      // the declaration a token is part of
	// methods are the members whose owner is known.
	methods []method
	// imports are names of modules: what follows their dot is declared elsewhere.
	imports map[string]bool
	// spelled says how an occurrence is written when a bare name will not do: {a} becomes {a: b}.
	spelled map[int]func(old, new string) string
	// macros are the local macro_rules!, expanded the names in their uses and
	// those which their bodies declare.
	macros, expanded map[string]bool

	frames  []frame
	opens   []bracket
	pending []pending
	// patterns are the braces that belong to patterns; before noClosure a bar
	// opens no closure and a comma ends none (Rust).
	patterns  map[int]bool
	noClosure int
	group     int // what one pattern declares twice is one declaration
}

type scope struct {
	parent int32
	class  bool   // its names are not seen from scopes inside it (Python)
	owner  string // the name of the function or type it belongs to
	// elsewhere holds Python's global and nonlocal names.
	elsewhere map[string]int32
}

type decl struct {
	name  string
	scope int32
	toks  []int
	from  int // the token from which it holds
	group int
	param bool
}

type nameIn struct {
	scope int32
	name  string
}

type method struct {
	name, owner string
	tok         int
	class       int32 // the scope of the class, -1 where a class has none
}

// A frame is an open scope, and what closes it besides the bracket around it.
type frame struct {
	scope int32
	depth int // how many brackets were open when it began
	ends  ends
	body  int // the brace that is its body, or -1
	// header is set for if, for and the like, whose block is a scope of its own.
	header bool
}

type ends uint8

const (
	atBlock ends = 1 << iota // the end of the block that follows
	atSemicolon
	atComma
	atLine // a line on which a new statement begins
	atCase // the next case of a switch, the next arm of a match
)

type bracket struct {
	tok    int
	kind   string // block, literal, map, object, class, type, enum, struct, interface, impl, trait, mod, match, ( or [
	header string // the keyword whose block is to come at this depth
	owner  string // the name of the type or module it is the body of
	arm    int    // the => of the match arm, or the colon of the case, that was read last
	// ternaries counts the question marks that wait for their colon.
	ternaries int
}

type pending struct {
	decl, depth int
	header      bool
}

const never = int(^uint(0) >> 1)

// parse builds the program of a source text with the declarations of names.
func parse(lang *language, src string, toks []token, names ...string) *program {
	p := &program{
		lang: lang, src: src, toks: toks, names: map[string]bool{},
		scopes: []scope{{parent: -1}},
		in:     make([]int32, len(toks)), roles: make([]role, len(toks)),
		byName: map[nameIn][]int{}, declOf: map[int]int{}, imports: map[string]bool{},
		spelled: map[int]func(string, string) string{}, macros: map[string]bool{}, expanded: map[string]bool{}, patterns: map[int]bool{},
		frames: []frame{{body: -1}}, opens: []bracket{{tok: -1, kind: "block"}},
	}
	for _, n := range names {
		p.names[n] = true
	}
	for i := range p.in {
		p.in[i] = -1
	}
	lang.build(p)
	p.activate(len(toks), 0, false)
	for _, list := range p.byName {
		p.inOrder(list)
	}
	return p
}

// inOrder sorts declarations by the token from which they hold.
func (p *program) inOrder(list []int) {
	sort.SliceStable(list, func(i, j int) bool { return p.decls[list[i]].from < p.decls[list[j]].from })
}

// text returns a token's text, "" outside the file.
func (p *program) text(i int) string {
	if i < 0 || i >= len(p.toks) {
		return ""
	}
	return p.toks[i].text
}

func (p *program) is(i int, k kind) bool { return i >= 0 && i < len(p.toks) && p.toks[i].kind == k }

// over returns the index after i, or after the bracket that opens at i.
func (p *program) over(i int) int {
	if j := p.toks[i].pair; j > i {
		return j + 1
	}
	return i + 1
}

// find returns the first token from i on, outside brackets, that stop accepts;
// a closing bracket or the end of the file stops it too.
func (p *program) find(i int, stop func(i int) bool) int {
	for i < len(p.toks) {
		if t := p.toks[i]; stop(i) || t.kind == punct && t.pair >= 0 && t.pair < i {
			return i
		}
		i = p.over(i)
	}
	return len(p.toks)
}

// within is find with a limit, where the end may be far for a broken text.
func (p *program) within(i, limit int, stop func(i int) bool) int {
	return p.find(i, func(k int) bool { limit--; return limit < 0 || stop(k) })
}

func one(of string, s ...string) bool {
	for _, v := range s {
		if v == of {
			return true
		}
	}
	return false
}

// scope returns the innermost open scope.
func (p *program) scope() int32 { return p.frames[len(p.frames)-1].scope }

func (p *program) depth() int { return len(p.opens) - 1 }

func (p *program) top() *bracket { return &p.opens[len(p.opens)-1] }

func (p *program) newScope(owner string) int32 {
	p.scopes = append(p.scopes, scope{parent: p.scope(), owner: owner})
	return int32(len(p.scopes) - 1)
}

// push opens a scope that lasts at most as long as the bracket around it.
func (p *program) push(e ends, owner string) int32 {
	s := p.newScope(owner)
	p.frames = append(p.frames, frame{scope: s, depth: p.depth(), ends: e, body: -1})
	return s
}

// pushHeader opens the scope of an if, for or switch.
func (p *program) pushHeader(e ends) int32 {
	s := p.push(e|atBlock, "")
	p.frames[len(p.frames)-1].header = true
	return s
}

// pop closes the frames at this depth, the innermost first, as long as they end so.
func (p *program) pop(e ends) {
	for n := len(p.frames) - 1; n > 0 && p.frames[n].depth == p.depth() && p.frames[n].ends&e != 0; n-- {
		p.frames = p.frames[:n]
	}
}

// open enters the bracket at i.
func (p *program) open(i int, kind string) {
	p.opens = append(p.opens, bracket{tok: i, kind: kind})
}

// openBlock enters the block at i: the body of the function or header that
// waits for one, or a block by itself.
func (p *program) openBlock(i int, kind string) {
	f := &p.frames[len(p.frames)-1]
	waits := kind == "block" && f.depth == p.depth() && f.ends&atBlock != 0 && f.body < 0
	if waits {
		f.body = i
	}
	if waits && !f.header { // parameters and body are one scope
		p.open(i, kind)
		return
	}
	if kind == "block" {
		p.activate(i, p.depth(), true)
		p.top().header = ""
	}
	owner := p.top().owner
	p.top().owner = ""
	p.open(i, kind)
	p.top().owner = owner
	p.push(0, owner)
}

// close leaves the bracket that ends at i and returns what it was.
func (p *program) close(i int) bracket {
	b := *p.top()
	p.opens = p.opens[:len(p.opens)-1]
	for n := len(p.frames) - 1; n > 0 && p.frames[n].depth > p.depth(); n-- {
		p.frames = p.frames[:n]
	}
	p.activate(i, p.depth()+1, false)
	return b
}

// declare notes that the token i declares its name in a scope, from a token
// on. It returns the declaration's index, or -1 when the name does not matter.
func (p *program) declare(i int, s int32, from int) int {
	if !p.is(i, word) {
		return -1
	}
	name := p.toks[i].text
	if to, ok := p.scopes[s].elsewhere[name]; ok {
		s = to
	}
	p.in[i] = s
	if !p.names[name] {
		return -1
	}
	if d, ok := p.declOf[i]; ok {
		return d
	}
	key := nameIn{s, name}
	if list := p.byName[key]; len(list) > 0 {
		if d := list[len(list)-1]; !p.lang.fresh || p.decls[d].group == p.group {
			p.decls[d].toks = append(p.decls[d].toks, i)
			p.declOf[i] = d
			return d
		}
	}
	d := len(p.decls)
	p.decls = append(p.decls, decl{name: name, scope: s, toks: []int{i}, from: from, group: p.group})
	p.byName[key] = append(p.byName[key], d)
	p.declOf[i] = d
	return d
}

// late declares a name that holds from the end of its statement on, or from
// the block of its header.
func (p *program) late(i int, s int32, header bool) {
	before := len(p.decls)
	if d := p.declare(i, s, never); d >= before {
		p.pending = append(p.pending, pending{d, p.depth(), header})
	}
}

// activate lets the declarations hold whose statement ends at i.
func (p *program) activate(i, depth int, header bool) {
	for n := len(p.pending) - 1; n >= 0; n-- {
		w := p.pending[n]
		if w.depth < depth || header && (!w.header || w.depth > depth) {
			return
		}
		p.decls[w.decl].from = i
		p.pending = p.pending[:n]
	}
}

// lookup returns the declaration a name means at the token i, or -1.
func (p *program) lookup(i int, name string, up []int32) int {
	s := p.in[i]
	for direct := true; s >= 0; direct = false {
		if direct || !p.scopes[s].class {
			if to, ok := p.scopes[s].elsewhere[name]; ok {
				s = to
			}
			list := p.byName[nameIn{s, name}]
			n := sort.Search(len(list), func(k int) bool { return p.decls[list[k]].from > i })
			if n > 0 {
				return list[n-1]
			}
		}
		s = up[s]
	}
	return -1
}

// chain links each scope to the next one outside that knows the name, so that
// a lookup takes as long in deep code as in flat.
func (p *program) chain(name string) []int32 {
	up := make([]int32, len(p.scopes))
	for s := range p.scopes {
		parent := p.scopes[s].parent
		up[s] = parent
		if parent < 0 {
			continue
		}
		_, elsewhere := p.scopes[parent].elsewhere[name]
		if p.scopes[parent].class || !elsewhere && len(p.byName[nameIn{parent, name}]) == 0 {
			up[s] = up[parent]
		}
	}
	return up
}

// resolve returns the declaration the token i means, or -1.
func (p *program) resolve(i int, up []int32) int {
	if d, ok := p.declOf[i]; ok {
		return d
	}
	if p.roles[i] != variable {
		return -1
	}
	return p.lookup(i, p.toks[i].text, up)
}
