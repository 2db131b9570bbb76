package literal

// A scanner goes over the tokens of a module. It knows just enough of the grammar
// to tell a regular expression from a division: which bracket closes what, and
// what came before.
type scanner struct {
	cursor
	state  state
	open   []frame // the brackets around the cursor; the first is the module itself
	noLeap int     // up to where leaps are not tried
	fault  string  // the class of what has no end, once a token could not be gone over
}

// A state says what the token before means for the one that comes. Before
// operand a slash begins a regular expression, from operand on it divides.
type state uint8

const (
	statement     state = iota // a statement may begin
	expression                 // an operand has to come
	arrow                      // behind =>
	exported                   // behind export
	exportValue                // behind export default, where declarations count as such
	clause                     // in an import or an export … from
	alias                      // behind as in one
	clauseEnd                  // behind the braces of one
	attribute                  // behind the with of an import
	head                       // behind if, while, for: the ( of a condition comes
	expressed                  // behind function where it is an expression
	jump                       // behind break and continue: a label or nothing
	binding                    // behind const, let and var: a name comes, or a pattern
	bound                      // behind that name
	result                     // behind return and yield: an operand, or nothing if the line ends
	operand                    // behind what can be divided
	dot                        // behind . and ?.
	async                      // behind async inside an expression
	expressedBody              // behind the ) of its parameters
)

// A frame is an open bracket, or something else that is open until later.
type frame uint8

const (
	module frame = iota
	block
	functionBody // of a function expression
	parens
	condition // the parentheses of if, while and for
	expressedParams
	brackets
	objectName // an object literal or pattern where a key comes
	objectValue
	names            // the braces of an import or export
	attributes       // those behind the with of one
	substitution     // ${ in a template
	ternary          // a ? whose : is to come
	classDeclaration // a class whose { is to come
	classExpression
	declaredMember // in the body of a class where a member's name comes
	declaredField  // … where a field's value comes
	expressedMember
	expressedField
)

// frames says of each frame which byte closes it (0: none does, it is passed
// over), and what comes behind that.
var frames = [...]struct {
	closer byte
	behind state
}{
	module:          {0, statement},
	block:           {'}', statement},
	functionBody:    {'}', operand},
	parens:          {')', operand},
	condition:       {')', statement},
	expressedParams: {')', expressedBody},
	brackets:        {']', operand},
	objectName:      {'}', operand},
	objectValue:     {'}', operand},
	names:           {'}', clauseEnd},
	attributes:      {'}', statement},
	substitution:    {'}', operand},
	declaredMember:  {'}', statement},
	declaredField:   {'}', statement},
	expressedMember: {'}', operand},
	expressedField:  {'}', operand},
}

// A token says what a step went over, as far as it matters to who steps.
type token uint8

const (
	plain    token = iota
	ended          // nothing more, or nothing more that can be gone over
	exports        // the word export
	declares       // the word const, let or var outside all brackets
)

func newScanner(src []byte) *scanner {
	s := &scanner{cursor: cursor{src: src}, open: append(make([]frame, 0, 64), module)}
	if s.startsWith("\uFEFF") {
		s.at = len("\uFEFF")
	}
	if s.startsWith("#!") {
		s.lineComment()
	}
	return s
}

func (s *scanner) top() frame     { return s.open[len(s.open)-1] }
func (s *scanner) setTop(f frame) { s.open[len(s.open)-1] = f }
func (s *scanner) pop()           { s.open = s.open[:len(s.open)-1] }
func (s *scanner) push(f frame, behind state) {
	s.open = append(s.open, f)
	s.state = behind
}

// stop notes what could not be gone over, which begins at a place.
func (s *scanner) stop(class string, at int) token {
	s.fault, s.at = class, at
	return ended
}

// step goes over one token.
func (s *scanner) step() token {
	if !s.skip() {
		return s.stop("unterminated-comment", s.at)
	}
	if s.at == len(s.src) {
		return ended
	}
	b := s.src[s.at]
	switch class := classes[b]; {
	case class&isNameStart != 0:
		return s.word()
	case class&isDigit != 0 || b == '.' && classes[s.peek(1)]&isDigit != 0:
		s.number()
		s.operandCame()
		return plain
	}
	switch b {
	case '"', '\'':
		return s.text()
	case '/':
		return s.slash()
	case ')', ']', '}':
		return s.close(b)
	}
	s.at++
	switch b {
	case '`':
		return s.templateText()
	case '{':
		s.brace()
	case '(':
		s.push(s.parenthesis(), expression)
	case '[':
		s.push(brackets, expression)
	case ';':
		s.semicolon()
	case ',':
		s.comma()
	case ':':
		s.colon()
	case '?':
		s.question()
	case '.':
		s.dots()
	case '=':
		s.equals()
	case '*':
		s.star()
	case '+', '-':
		s.sign(b)
	case '#':
		s.name()
		s.operandCame()
	default:
		s.state = expression
	}
	return plain
}

// text takes a string. In an import the string says from where, and ends it.
func (s *scanner) text() token {
	if !s.quoted() {
		return s.stop("unterminated-string", s.at)
	}
	switch s.state {
	case clause:
		s.state = statement
	case alias:
		s.state = clause
	default:
		s.operandCame()
	}
	return plain
}

func (s *scanner) slash() token {
	switch {
	case s.state >= operand:
		s.at++
		s.state = expression
	case s.regexp():
		s.state = operand
	default:
		return s.stop("unterminated-regexp", s.at)
	}
	return plain
}

// templateText goes on in a template, at its beginning or behind a substitution.
func (s *scanner) templateText() token {
	code, ok := s.template()
	switch {
	case !ok:
		return s.stop("unterminated-template", s.at-1)
	case code:
		s.push(substitution, expression)
	default:
		s.state = operand
	}
	return plain
}

// close takes a closing bracket.
func (s *scanner) close(b byte) token {
	for f := s.top(); f == ternary || f == classDeclaration || f == classExpression; f = s.top() {
		s.pop()
	}
	f := s.top()
	if frames[f].closer != b {
		return s.stop("bracket", s.at)
	}
	s.pop()
	s.at++
	s.state = frames[f].behind
	if f == substitution {
		return s.templateText()
	}
	if s.state == statement {
		s.memberComes() // behind the body of an arrow function that is a field's value
	}
	return plain
}

// operandCame takes an operand. Two in a row can only be two statements, or two
// members of a class.
func (s *scanner) operandCame() {
	if s.state >= operand && s.state != dot {
		s.memberComes()
	}
	s.state = operand
}

// memberComes ends a field's value.
func (s *scanner) memberComes() {
	switch s.top() {
	case declaredField:
		s.setTop(declaredMember)
	case expressedField:
		s.setTop(expressedMember)
	}
}

// inField reports whether a field's value may still go on.
func (s *scanner) inField() bool {
	f := s.top()
	return f == declaredField || f == expressedField
}

// namesHere reports whether a word here is a name, whatever word it is.
func (s *scanner) namesHere() bool {
	switch s.top() {
	case objectName, names, attributes, declaredMember, expressedMember:
		return true
	}
	return false
}

// declaresHere reports whether a function or class that begins here is a
// declaration, which cannot be divided, and no expression.
func (s *scanner) declaresHere() bool {
	switch s.state {
	case expression, arrow, head:
		return false
	case result, async:
		return s.newline
	}
	return true
}

func (s *scanner) brace() {
	switch f := s.top(); {
	case s.state == expressedBody:
		s.push(functionBody, statement)
	case f == classDeclaration && s.state >= operand:
		s.setTop(declaredMember)
		s.state = statement
	case f == classExpression && s.state >= operand:
		s.setTop(expressedMember)
		s.state = statement
	case s.state == exported || s.state == clause:
		s.push(names, expression)
	case s.state == attribute:
		s.push(attributes, expression)
	case s.state == expression, s.state == exportValue, s.state == binding, s.state == result && !s.newline:
		s.push(objectName, expression)
	default:
		s.push(block, statement)
	}
}

func (s *scanner) parenthesis() frame {
	switch s.state {
	case head:
		return condition
	case expressed:
		return expressedParams
	}
	return parens
}

func (s *scanner) semicolon() {
	s.memberComes()
	switch s.top() {
	case module, block, functionBody, declaredMember, expressedMember:
		s.state = statement
	default:
		s.state = expression // in the head of a for
	}
}

func (s *scanner) comma() {
	if s.top() == objectValue {
		s.setTop(objectName)
	}
	switch s.state {
	case clause, alias:
		s.state = clause
	case bound:
		s.state = binding
	default:
		s.state = expression
	}
}

func (s *scanner) colon() {
	switch s.top() {
	case ternary:
		s.pop()
	case objectName:
		s.setTop(objectValue)
	case module, block, functionBody: // behind a label or a case
		s.state = statement
		return
	}
	s.state = expression
}

func (s *scanner) question() {
	switch b := s.peek(0); {
	case b == '.' && classes[s.peek(1)]&isDigit == 0:
		s.at++
		s.state = dot
	case b == '?':
		s.at++
		s.state = expression
	default:
		s.push(ternary, expression)
	}
}

func (s *scanner) dots() {
	if !s.startsWith("..") {
		s.state = dot
		return
	}
	s.at += 2
	if s.top() == objectName {
		s.setTop(objectValue)
	}
	s.state = expression
}

func (s *scanner) equals() {
	if s.peek(0) == '>' {
		s.at++
		s.state = arrow
		return
	}
	switch s.top() {
	case objectName:
		s.setTop(objectValue) // a default in a pattern
	case declaredMember:
		s.setTop(declaredField)
	case expressedMember:
		s.setTop(expressedField)
	}
	s.state = expression
}

// star multiplies, or marks a generator, or stands for all exports.
func (s *scanner) star() {
	switch {
	case s.namesHere(), s.state == clause, s.state == expressed:
	case s.state == exported:
		s.state = clause
	default:
		s.state = expression
	}
}

func (s *scanner) sign(b byte) {
	twice := s.peek(0) == b
	if twice {
		s.at++
	}
	if twice && s.state >= operand && !s.newline {
		s.state = operand // behind the operand, on its line
	} else {
		s.state = expression
	}
}
