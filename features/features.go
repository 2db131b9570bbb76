// Package features holds the scenarios that plugcheck runs against a plugin,
// in Gherkin: one folder a wire or contract. Each scenario carries its id and
// level as tags and says in its description why it matters (Why:), where the
// document asks for it (Spec:) and how to mend it (Fix:).
package features

import "embed"

// FS holds every feature file.
//
//go:embed */*.feature
var FS embed.FS
