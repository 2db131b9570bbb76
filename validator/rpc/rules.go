package rpc

import (
	"slices"

	"plugcheck/validator"
)

type rule = validator.Rule[*Conversation]

// ManifestRules judge a plugin.toml, before anything is started.
func ManifestRules() []validator.Rule[*Manifest] { return manifestRules }

// Rules judge every conversation of a run, in the order in which one needs the other.
func Rules() []validator.Rule[*Conversation] { return conversationRules }

var conversationRules = slices.Concat(lineRules, messageRules, sessionRules, endRules)
