package literal

// messages say of each class of what is no data what it is and what to do.
var messages = map[string]string{
	// values
	"variable":              "%s is a variable, and the manifest is read without running the file; write the value itself",
	"call":                  "this calls a function, and the manifest is read without running the file; write the result itself",
	"expression":            "this is computed by an operator, and the manifest is read without running the file; write the result itself",
	"parentheses":           "parentheses are not read; write the value without them",
	"regexp":                "this is a regular expression; write its text as a string",
	"function":              "this is a function; the manifest holds data only, so export the function on its own",
	"arrow-function":        "this is an arrow function; the manifest holds data only, so export the function on its own",
	"class":                 "this is a class; the manifest holds data only",
	"new":                   "new makes an object by running code; write the data itself",
	"async":                 "this is an async function; the manifest holds data only, so export the function on its own",
	"bigint":                "this is a BigInt; write a plain number without the n, or a string",
	"undefined":             "undefined is no data; leave the member out, or write null",
	"nan":                   "NaN is no data; write a number, or null",
	"infinity":              "%s is no data; write a finite number",
	"not-finite":            "this number is too large for JavaScript and becomes Infinity; write a smaller one",
	"leading-zero":          "a number must not begin with a zero that another digit follows; take the zero away, or write 0o for octal",
	"bad-number":            "this is no number in JavaScript; an underscore stands between two digits only, and no letter follows a number",
	"template-substitution": "code in a template is not run; write the text itself in place of ${…}",
	"tagged-template":       "a tagged template calls a function, and the manifest is read without running the file; write the result itself",
	"hole":                  "an element is missing in front of this comma; write a value, or take the comma away",
	"spread":                "the three dots copy something from elsewhere, and the manifest is read without running the file; write the members themselves",
	"too-deep":              "this is nested deeper than %d levels; make the manifest flatter",

	// keys
	"shorthand":      "%s stands without a value, which takes that of a variable; write a colon and the value itself",
	"computed-key":   "a key in brackets is computed, and the manifest is read without running the file; write it as a name or a string",
	"method":         "%s is a method; the manifest holds data only, so export the function on its own",
	"getter":         "this is a getter, which runs code; write a colon and the value itself",
	"setter":         "this is a setter, which runs code; write a colon and the value itself",
	"generator":      "this is a generator method; the manifest holds data only",
	"proto":          "the key __proto__ sets the object's prototype and makes no member; choose another name",
	"numeric-key":    "a key cannot be a number here; put it in quotes",
	"repeated-key":   "the key %q was there before in this object; take one of the two away",
	"private-name":   "a name with # belongs in a class; take the # away",
	"escape-in-name": "escapes are not read in names; write the character itself, or a string",
	"missing-colon":  "behind the key %q there must be a colon and a value",
	"no-key":         "here must be a key: a name or a string",

	// texts
	"octal-escape":          "a backslash with a digit is an octal escape, which a module must not have; write \\x and two hexadecimal digits",
	"bad-escape":            "this escape is not complete, or names no character; \\x has two hexadecimal digits behind it, \\u has four, or some up to 10FFFF in braces",
	"lone-surrogate":        "this escape is half of a pair of surrogates and means no character without the other half",
	"line-break-in-string":  "a line break must not stand in a string; write \\n, or a template in backticks",
	"not-utf8":              "this byte is no UTF-8; save the file as UTF-8",
	"unterminated-string":   "the string that begins here does not end",
	"unterminated-template": "the template that begins or goes on here does not end",
	"unterminated-comment":  "the comment that begins here does not end",
	"unterminated-regexp":   "the regular expression that begins here does not end on its line",
	"unterminated":          "the %s that stands here is never closed",

	// what is not JavaScript
	"missing-comma": "a comma is missing in front of this",
	"no-value":      "here must be a value",
	"no-equals":     "behind the name manifest there must be = and an object in braces",
	"character":     "the character %q cannot stand here",
	"typescript":    "this is TypeScript; the host reads JavaScript, so take the type away",
	"bracket":       "this bracket closes none that is open, and the manifest does not stand before it",

	// where the manifest is
	"not-found":      "there is no manifest: the file needs export const manifest = { … } outside all braces",
	"twice":          "a second manifest is exported here; there must be one",
	"not-object":     "the manifest must be an object in braces, and this is another kind of value: %s",
	"not-const":      "the manifest is exported with %s; write export const manifest = { … }",
	"not-exported":   "the manifest is not exported where it is declared; write export in front: export const manifest = { … }",
	"export-list":    "the manifest is exported by a list; write export const manifest = { … } where it is declared",
	"export-default": "there is a default export only; write export const manifest = { … }",
	"nested":         "this export stands inside braces; put export const manifest = { … } outside all of them",
}

// words are the words that begin something else than a variable.
var words = map[string]string{
	"function": "function", "class": "class", "new": "new", "undefined": "undefined", "NaN": "nan",
	"typeof": "expression", "void": "expression", "delete": "expression", "await": "expression",
	"yield": "expression", "import": "call",
}

// literalWord reads true, false and null, and says of any other word what it is.
func (r *reader) literalWord() (Value, *Error) {
	at := r.at
	word, err := r.identifier()
	switch {
	case err != nil:
		return Value{}, err
	case word == "true" || word == "false":
		return Value{Kind: Bool, Bool: word == "true"}, nil
	case word == "null":
		return Value{}, nil
	case word == "Infinity":
		return Value{}, r.fault("infinity", at, word)
	case word == "async" && r.asyncFunction():
		return Value{}, r.fault("async", at)
	case words[word] != "":
		return Value{}, r.fault(words[word], at)
	}
	if class := r.variable(); class != "variable" {
		return Value{}, r.fault(class, at)
	}
	return Value{}, r.fault("variable", at, clip(word))
}

// asyncFunction reports whether a function follows the word async.
func (r *reader) asyncFunction() bool {
	ahead := r.cursor
	return ahead.skip() && (classes[ahead.peek(0)]&isNameStart != 0 || ahead.peek(0) == '(' && arrowAfterParens(ahead))
}

// variable says what is done with the variable whose name was read. A property
// of it counts as the variable.
func (r *reader) variable() string {
	for r.skip() && (r.peek(0) == '.' || r.startsWith("?.")) {
		for r.peek(0) == '?' || r.peek(0) == '.' {
			r.at++
		}
		if r.skip() {
			r.name()
		}
	}
	switch class := r.joins("variable"); {
	case r.startsWith("=>"):
		return "arrow-function"
	case r.peek(0) == '[' || r.startsWith("/*"):
		return "variable"
	default:
		return class
	}
}

// noValue says what stands in place of a value.
func (r *reader) noValue(b byte) *Error {
	switch {
	case b == '(' && arrowAfterParens(r.cursor):
		return r.fault("arrow-function", r.at)
	case b == '(':
		return r.fault("parentheses", r.at)
	case b == '/':
		return r.fault("regexp", r.at)
	case b == '+' || b == '!' || b == '~':
		return r.fault("expression", r.at)
	case b == '#':
		return r.fault("private-name", r.at)
	case r.startsWith("..."):
		return r.fault("spread", r.at)
	}
	return r.fault("no-value", r.at)
}

// noKey says what stands in place of a key.
func (r *reader) noKey(b byte) *Error {
	switch {
	case r.startsWith("..."):
		return r.fault("spread", r.at)
	case classes[b]&isDigit != 0, b == '.' && classes[r.peek(1)]&isDigit != 0:
		return r.fault("numeric-key", r.at)
	case b == '[':
		return r.fault("computed-key", r.at)
	case b == '*':
		return r.fault("generator", r.at)
	case b == '#':
		return r.fault("private-name", r.at)
	}
	return r.fault("no-key", r.at)
}

// modifiers are the words that can stand before the name of a method.
var modifiers = map[string]string{"get": "getter", "set": "setter", "async": "async"}

// noColon says what the key that was read at an offset belongs to, as no colon follows.
func (r *reader) noColon(at int, name string, quoted bool) *Error {
	b := r.peek(0)
	switch {
	case b == '(':
		return r.fault("method", at, clip(name))
	case quoted:
	case b == ',' || b == '}' || b == '=':
		return r.fault("shorthand", at, clip(name))
	case modifiers[name] != "" && r.keyHere(b):
		return r.fault(modifiers[name], at)
	}
	return r.fault("missing-colon", at, clip(name))
}

// keyHere reports whether something stands here that names a method.
func (r *reader) keyHere(b byte) bool {
	switch b {
	case '"', '\'', '[', '*', '#':
		return true
	}
	return classes[b]&(isNameStart|isDigit) != 0
}

// joins says what stands behind a value that it would be part of, or gives what
// it is told when that stands on its own.
func (r *reader) joins(otherwise string) string {
	switch b := r.peek(0); b {
	case '(':
		return "call"
	case '`':
		return "tagged-template"
	case '.', '[', '*', '/', '%', '<', '>', '=', '&', '|', '^', '?':
		return "expression"
	case '+', '-':
		if r.peek(1) != b || !r.newline { // behind a line break ++ belongs to what follows
			return "expression"
		}
	case '!':
		if r.peek(1) == '=' {
			return "expression"
		}
	}
	switch string(r.wordHere()) {
	case "in", "instanceof":
		return "expression"
	case "as", "satisfies":
		if !r.newline {
			return "typescript"
		}
	}
	return otherwise
}

// arrowAfterParens reports whether the parentheses at the cursor are those of an
// arrow function.
func arrowAfterParens(c cursor) bool {
	s := scanner{cursor: c, open: []frame{module}}
	for s.step() != ended && len(s.open) > 1 {
	}
	return s.skip() && s.startsWith("=>")
}

// clip shortens what comes from the source for a message.
func clip(s string) string {
	const most = 40
	for i := range s {
		if i > most {
			return s[:i] + "…"
		}
	}
	return s
}
