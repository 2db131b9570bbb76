package harness

// jsonlSteps is the wire's whole vocabulary, for the built-in scenarios and for authors'.
// It is filled in init because the steps lead to the catalogue, which reads it.
var jsonlSteps []step

func init() {
	jsonlSteps = []step{
		// What is asked.
		sentence(`a plain request`, `a plain request`, func(sc *jsonlScenario) any { return sc.aPlainRequest }),
		sentence(`a rename request`, `a rename request`, func(sc *jsonlScenario) any { return sc.aRename }),
		sentence(`the "([^"]+)" cases of every declared language`, `the "crlf" cases of every declared language`, func(sc *jsonlScenario) any { return sc.casesOfClass }),
		sentence(`the case "([^"]+)"`, `the case "python-plain"`, func(sc *jsonlScenario) any { return sc.caseNamed }),
		sentence(`the author's cases for "([^"]+)"`, `the author's cases for "extract-method"`, func(sc *jsonlScenario) any { return sc.authorsCases }),
		sentence(`the cases for "([^"]+)"`, `the cases for "sort-imports"`, func(sc *jsonlScenario) any { return sc.casesFor }),
		sentence(`the request:`, "the request:\n  \"\"\"\n  {\"operation\":\"…\",\"files\":[],\"arguments\":{}}\n  \"\"\"", func(sc *jsonlScenario) any { return sc.literalRequest }),
		sentence(`a request for the operation "([^"]*)"`, `a request for the operation "paint-it-blue"`, func(sc *jsonlScenario) any { return sc.requestForOperation }),
		sentence(`a request for the capability "([^"]+)"`, `a request for the capability "extract-method"`, func(sc *jsonlScenario) any { return sc.requestForOperation }),
		sentence(`a request for the capability "([^"]+)", and the author's cases for it`, `a request for the capability "extract-method", and the author's cases for it`, func(sc *jsonlScenario) any { return sc.capabilityAndCases }),
		sentence(`a request for a capability that the manifest does not declare`, `a request for a capability that the manifest does not declare`, func(sc *jsonlScenario) any { return sc.undeclaredCapability }),
		sentence(`a rename request for a file in a language that the manifest does not list`, `a rename request for a file in a language that the manifest does not list`, func(sc *jsonlScenario) any { return sc.otherLanguage }),
		sentence(`a request with a file of (\d+) MiB`, `a request with a file of 4 MiB`, func(sc *jsonlScenario) any { return sc.largeFile }),
		sentence(`a rename with an answer of over 64 KiB`, `a rename with an answer of over 64 KiB`, func(sc *jsonlScenario) any { return sc.manyUses }),
		sentence(`(\d+) requests that differ`, `8 requests that differ`, func(sc *jsonlScenario) any { return sc.requestsThatDiffer }),
		sentence(`"([^"]+)" in place of a request`, `"garbage" in place of a request`, func(sc *jsonlScenario) any { return sc.inPlaceOfARequest }),
		sentence(`each of these in place of a request`, "each of these in place of a request\n  | an array |", func(sc *jsonlScenario) any { return sc.eachInPlaceOfARequest }),

		// How it is changed.
		sentence(`its argument "([^"]+)" is missing`, `its argument "uri" is missing`, func(sc *jsonlScenario) any { return sc.argumentMissing }),
		sentence(`its argument "([^"]+)" is blank`, `its argument "uri" is blank`, func(sc *jsonlScenario) any { return sc.argumentBlank }),
		sentence(`its argument "([^"]+)" is not a string`, `its argument "uri" is not a string`, func(sc *jsonlScenario) any { return sc.argumentNotAString }),
		sentence(`its argument "([^"]+)" is "([^"]*)"`, `its argument "new_name" is "total"`, func(sc *jsonlScenario) any { return sc.argumentIs }),
		sentence(`its position is "([^"]*)"`, `its position is "-4"`, func(sc *jsonlScenario) any { return sc.positionIs }),
		sentence(`its position is past the end of the file`, `its position is past the end of the file`, func(sc *jsonlScenario) any { return sc.positionPastEnd }),
		sentence(`the request carries no file`, `the request carries no file`, func(sc *jsonlScenario) any { return sc.noFile }),
		sentence(`the request carries a second file before it`, `the request carries a second file before it`, func(sc *jsonlScenario) any { return sc.secondFile }),
		sentence(`the request, its files and its arguments carry fields that nobody knows`, `the request, its files and its arguments carry fields that nobody knows`, func(sc *jsonlScenario) any { return sc.unknownFields }),
		sentence(`a refusal is due`, `a refusal is due`, func(sc *jsonlScenario) any { return sc.refusalDue }),
		sentence(`a refusal is due, with "([^"]+)"(?: or "([^"]+)")?`, `a refusal is due, with "incomplete_payload"`, func(sc *jsonlScenario) any { return sc.refusalDueWith }),
		sentence(`a host that lets it read its own install and nothing else`, `a host that lets it read its own install and nothing else`, func(sc *jsonlScenario) any { return sc.sandboxed }),
		sentence(`a lock command`, `a lock command`, func(sc *jsonlScenario) any { return sc.lockCommand }),

		// How it is sent.
		sentence(`the host asks`, `the host asks`, func(sc *jsonlScenario) any { return sc.theHostAsks }),
		sentence(`the host asks (\d+) times`, `the host asks 5 times`, func(sc *jsonlScenario) any { return sc.theHostAsksTimes }),
		sentence(`the host asks in each of these surroundings`, "the host asks in each of these surroundings\n  | the locale C |", func(sc *jsonlScenario) any { return sc.inSurroundings }),
		sentence(`the host asks with stderr sent nowhere`, `the host asks with stderr sent nowhere`, func(sc *jsonlScenario) any { return sc.stderrNowhere }),
		sentence(`the host writes half of it and waits`, `the host writes half of it and waits`, func(sc *jsonlScenario) any { return sc.holdsBack }),
		sentence(`the host asks them one by one and then all at once`, `the host asks them one by one and then all at once`, func(sc *jsonlScenario) any { return sc.oneByOneThenAtOnce }),

		// What has to come of it.
		sentence(`it answers`, `it answers`, func(sc *jsonlScenario) any { return sc.itAnswers }),
		sentence(`it succeeds`, `it succeeds`, func(sc *jsonlScenario) any { return sc.itSucceeds }),
		sentence(`it refuses`, `it refuses`, func(sc *jsonlScenario) any { return sc.itRefuses }),
		sentence(`the output is of kind "([^"]+)"`, `the output is of kind "analysis"`, func(sc *jsonlScenario) any { return sc.outputKind }),
		sentence(`the patch gives the wanted text`, `the patch gives the wanted text`, func(sc *jsonlScenario) any { return sc.wantedText }),
		sentence(`the patch gives the wanted text, the position read as bytes`, `the patch gives the wanted text, the position read as bytes`, func(sc *jsonlScenario) any { return sc.wantedTextBytes }),
		sentence(`it does what each case wants`, `it does what each case wants`, func(sc *jsonlScenario) any { return sc.eachCase }),
		sentence(`it refuses or the patch gives the wanted text`, `it refuses or the patch gives the wanted text`, func(sc *jsonlScenario) any { return sc.refusesOrWantedText }),
		sentence(`it gives the answer it gives otherwise`, `it gives the answer it gives otherwise`, func(sc *jsonlScenario) any { return sc.sameAsUsual }),
		sentence(`it answers as it answers a small one`, `it answers as it answers a small one`, func(sc *jsonlScenario) any { return sc.likeASmallOne }),
		sentence(`every answer is the same`, `every answer is the same`, func(sc *jsonlScenario) any { return sc.allTheSame }),
		sentence(`each gets the answer it got alone`, `each gets the answer it got alone`, func(sc *jsonlScenario) any { return sc.sameAsAlone }),
		sentence(`the answer is over 64 KiB long`, `the answer is over 64 KiB long`, func(sc *jsonlScenario) any { return sc.overPipeSize }),
		sentence(`nothing is answered before the rest was sent`, `nothing is answered before the rest was sent`, func(sc *jsonlScenario) any { return sc.notEarly }),
		sentence(`the lock passes on the files before and after`, `the lock passes on the files before and after`, func(sc *jsonlScenario) any { return sc.lockPasses }),
		sentence(`any valid request gets a valid answer`, `any valid request gets a valid answer`, func(sc *jsonlScenario) any { return sc.propertyValid }),
		sentence(`any request broken in one way is refused`, `any request broken in one way is refused`, func(sc *jsonlScenario) any { return sc.propertyInvalid }),
		sentence(`a rename there and back restores every byte`, `a rename there and back restores every byte`, func(sc *jsonlScenario) any { return sc.propertyRoundTrip }),
	}
}
