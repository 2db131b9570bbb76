package rename

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A language is what the tokenizer and the scope builder know of one language.
type language struct {
	name       string
	extensions []string

	lineComment string
	blockOpen   string // "" when there are none
	blockClose  string
	nested      bool // block comments nest

	prefixes   string // letters that may stand before a string's quote
	triple     bool   // """ and '''
	rawTick    bool   // `…` is a raw string
	template   bool   // `…${code}…`, and regular expressions
	lifetimes  bool   // 'a is no character
	semicolons bool   // a newline may be a semicolon, as in Go
	newlines   bool   // a newline ends a statement and indentation counts

	// fresh is set when a second declaration of a name in one scope is another symbol, as in Rust.
	fresh    bool
	keywords map[string]bool
	// build fills in the scopes, roles and declarations.
	build func(*program)
}

var languages = []*language{
	{
		name: "python", extensions: []string{".py", ".pyi"},
		lineComment: "#", prefixes: "rbuftRBUFT", triple: true, newlines: true,
		keywords: words(`False None True and as assert async await break class continue def del elif else except
			finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`),
		build: buildPython,
	},
	{
		name: "rust", extensions: []string{".rs"},
		lineComment: "//", blockOpen: "/*", blockClose: "*/", nested: true, prefixes: "rbc", lifetimes: true, fresh: true,
		keywords: words(`_ as async await break const continue crate dyn else enum extern false fn for if impl in let loop
			match mod move mut pub ref return self Self static struct super trait true type unsafe use where while
			abstract become box do final gen macro override priv try typeof unsized virtual yield`),
		build: buildRust,
	},
	{
		name: "go", extensions: []string{".go"},
		lineComment: "//", blockOpen: "/*", blockClose: "*/", rawTick: true, semicolons: true,
		keywords: words(`break case chan const continue default defer else fallthrough for func go goto if import
			interface map package range return select struct switch type var`),
		build: buildGo,
	},
	{
		name: "typescript", extensions: []string{".ts", ".mts", ".cts"},
		lineComment: "//", blockOpen: "/*", blockClose: "*/", template: true,
		keywords: words(javascriptKeywords), build: buildJavaScript,
	},
	{
		name: "javascript", extensions: []string{".js", ".mjs", ".cjs"},
		lineComment: "//", blockOpen: "/*", blockClose: "*/", template: true,
		keywords: words(javascriptKeywords), build: buildJavaScript,
	},
}

const javascriptKeywords = `await break case catch class const continue debugger default delete do else enum export
	extends false finally for function if implements import in instanceof interface let new null package private
	protected public return static super switch this throw true try typeof var void while with yield`

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// languageOf tells the language of a file by its name, or nil.
func languageOf(file string) *language {
	ext := strings.ToLower(path.Ext(file))
	for _, l := range languages {
		for _, e := range l.extensions {
			if e == ext {
				return l
			}
		}
	}
	return nil
}

// Identifier reports whether name can be given to a symbol in that language:
// an identifier, and no keyword. The language is named as in a manifest.
func Identifier(lang, name string) bool {
	for _, l := range languages {
		if strings.EqualFold(l.name, lang) {
			return l.identifier(name)
		}
	}
	return false
}

func (l *language) identifier(name string) bool {
	if name == "" || !utf8.ValidString(name) || l.keywords[name] || l.name == "go" && name == "_" {
		return false
	}
	for i, r := range name {
		if i == 0 && !l.start(r) || !l.inside(r) {
			return false
		}
	}
	return true
}

// start reports whether an identifier may begin with r.
func (l *language) start(r rune) bool {
	return r == '_' || r == '$' && l.template || unicode.IsLetter(r) ||
		l.name != "go" && unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
}

// inside reports whether r may stand in an identifier.
func (l *language) inside(r rune) bool {
	if l.start(r) || unicode.IsDigit(r) {
		return true
	}
	return l.name != "go" && (unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue) ||
		l.template && (r == '\u200c' || r == '\u200d'))
}
