package literal

// A role is how a word acts where it is not just a name.
type role uint8

const (
	name     role = iota // also of words that mean something in few places only
	keyword              // what it means is in the state behind it
	relation             // has an operand on either side
	declarer             // const, let, var
	exporter             // export
	awaiter              // await
	function
	class
)

// meaning gives the role of a word and the state behind it. A module cannot have
// the statement with, so that word can only be the one of an import.
func meaning(word []byte) (role, state) {
	switch string(word) {
	case "typeof", "void", "delete", "new", "throw", "case", "extends":
		return keyword, expression
	case "in", "instanceof":
		return relation, expression
	case "await":
		return awaiter, expression
	case "return", "yield":
		return keyword, result
	case "else", "do", "try", "finally", "debugger":
		return keyword, statement
	case "break", "continue":
		return keyword, jump
	case "if", "while", "for":
		return keyword, head
	case "import":
		return keyword, clause
	case "with":
		return keyword, attribute
	case "default":
		return keyword, exportValue
	case "export":
		return exporter, exported
	case "const", "let", "var":
		return declarer, binding
	case "function":
		return function, expressed
	case "class":
		return class, operand
	}
	return name, operand
}

// word takes a name or a keyword.
func (s *scanner) word() token {
	start, outside := s.at, len(s.open) == 1
	escaped := s.name()
	word := s.src[start:s.at]
	switch {
	case s.state == dot || s.namesHere():
		s.state = operand
		return plain
	case s.state == clause || s.state == alias:
		s.clauseWord(word)
		return plain
	}
	r, behind := name, operand
	if !escaped {
		r, behind = meaning(word)
	}
	if s.inField() && s.state >= operand && r != relation && !(s.state == async && !s.newline) {
		s.operandCame() // this is the name of the next member
		return plain
	}
	switch r {
	case name:
		s.named(word)
	case function, class:
		s.defined(r)
	case awaiter:
		if s.state != head { // that of for await stays
			s.state = behind
		}
	default:
		s.state = behind
	}
	switch {
	case r == exporter:
		return exports
	case r == declarer && outside:
		return declares
	}
	return plain
}

// clauseWord takes a word in an import, where every word can be a name.
func (s *scanner) clauseWord(word []byte) {
	if s.state == clause && string(word) == "as" {
		s.state = alias
	} else {
		s.state = clause
	}
}

// defined takes the word function or class.
func (s *scanner) defined(r role) {
	declaration := s.declaresHere()
	switch {
	case r == class && declaration:
		s.push(classDeclaration, operand)
	case r == class:
		s.push(classExpression, operand)
	case declaration:
		s.state = operand
	default:
		s.state = expressed
	}
}

// named takes a name, which may be one of the words that mean something in few
// places only.
func (s *scanner) named(word []byte) {
	switch {
	case s.state == expressed: // the name of a function
	case s.state == binding:
		s.state = bound
	case s.state == jump && !s.newline:
		s.state = statement // a label, behind which a statement ends
	case s.top() == condition && s.state != expression && string(word) == "of":
		s.state = expression
	case s.state == clauseEnd && string(word) == "from":
		s.state = clause
	case string(word) == "async" && !s.declaresHere():
		s.state = async
	default:
		s.state = operand
	}
}
