package harness

// eventSteps are the sentences about what is sent and how, and about the process
// that gets it: all that a shell hook has. verdictSteps are about what comes back.
// They are filled in init because the steps lead to the catalogue, which reads them.
var eventSteps, verdictSteps []step

func init() {
	eventSteps = []step{
		// What is sent.
		sentence(`the "([^"]+)" events`, `the "plain" events`, func(sc *eventScenario) any { return sc.eventsOfClass }),
		sentence(`an event`, `an event`, func(sc *eventScenario) any { return sc.anEvent }),
		sentence(`the event:`, "the event:\n  \"\"\"\n  {\"event\":\"completed\",\"item_id\":\"DEMO-1\",\"ts\":\"2026-05-06T10:00:00Z\"}\n  \"\"\"", func(sc *eventScenario) any { return sc.literalEvent }),
		sentence(`"([^"]+)" in place of an event`, `"garbage" in place of an event`, func(sc *eventScenario) any { return sc.inPlaceOfAnEvent }),

		// How it is changed.
		sentence(`each of these members is lacking, one at a time`, "each of these members is lacking, one at a time\n  | from | absent |\n  | from | null   |", func(sc *eventScenario) any { return sc.lacking }),
		sentence(`it has members that nobody knows`, `it has members that nobody knows`, func(sc *eventScenario) any { return sc.unknownMembers }),
		sentence(`its metadata is padded to (\d+) KiB`, `its metadata is padded to 300 KiB`, func(sc *eventScenario) any { return sc.padded }),

		// How it is sent.
		sentence(`the host sends it`, `the host sends it`, func(sc *eventScenario) any { return sc.theHostSends }),
		sentence(`the host sends it in two pieces`, `the host sends it in two pieces`, func(sc *eventScenario) any { return sc.inTwoPieces }),
		sentence(`the host sends it in each of these surroundings`, "the host sends it in each of these surroundings\n  | the locale C |", func(sc *eventScenario) any { return sc.inSurroundings }),

		// What has to come of it.
		sentence(`it ends well`, `it ends well`, func(sc *eventScenario) any { return sc.endsWell }),
		sentence(`it ends`, `it ends`, func(sc *eventScenario) any { return sc.ends }),
	}
	verdictSteps = []step{
		sentence(`an event that it vetoes and one that it lets pass`, `an event that it vetoes and one that it lets pass`, func(sc *eventScenario) any { return sc.bothSides }),
		sentence(`an event outside its list`, `an event outside its list`, func(sc *eventScenario) any { return sc.outsideItsList }),
		sentence(`expectation (\d+) of the configuration`, `expectation 1 of the configuration`, func(sc *eventScenario) any { return sc.expectation }),
		sentence(`it is spelled in other ways of JSON`, `it is spelled in other ways of JSON`, func(sc *eventScenario) any { return sc.respelled }),

		sentence(`the host sends it (\d+) times`, `the host sends it 5 times`, func(sc *eventScenario) any { return sc.theHostSendsTimes }),
		sentence(`the host sends it with stderr sent nowhere`, `the host sends it with stderr sent nowhere`, func(sc *eventScenario) any { return sc.stderrNowhere }),
		sentence(`the host sends (\d+) at once`, `the host sends 8 at once`, func(sc *eventScenario) any { return sc.atOnce }),
		sentence(`the host sends it in agent mode`, `the host sends it in agent mode`, func(sc *eventScenario) any { return sc.inAgentMode }),

		sentence(`it answers`, `it answers`, func(sc *eventScenario) any { return sc.endsWell }),
		sentence(`it reads all of it`, `it reads all of it`, func(sc *eventScenario) any { return sc.readsAll }),
		sentence(`it vetoes`, `it vetoes`, func(sc *eventScenario) any { return sc.vetoes }),
		sentence(`it vetoes with a reason that holds "([^"]*)"`, `it vetoes with a reason that holds "freeze"`, func(sc *eventScenario) any { return sc.vetoesWith }),
		sentence(`it lets it pass`, `it lets it pass`, func(sc *eventScenario) any { return sc.letsPass }),
		sentence(`it does what its author expects`, `it does what its author expects`, func(sc *eventScenario) any { return sc.asExpected }),
		sentence(`it gives the verdict that it gives otherwise`, `it gives the verdict that it gives otherwise`, func(sc *eventScenario) any { return sc.sameAsUsual }),
		sentence(`it needs nobody in front of it`, `it needs nobody in front of it`, func(sc *eventScenario) any { return sc.needsNobody }),
		sentence(`not every event is vetoed`, `not every event is vetoed`, func(sc *eventScenario) any { return sc.notEvery }),
		sentence(`any event ends in a valid verdict`, `any event ends in a valid verdict`, func(sc *eventScenario) any { return sc.propertyEvents }),
		sentence(`an event with any metadata ends in a valid verdict`, `an event with any metadata ends in a valid verdict`, func(sc *eventScenario) any { return sc.propertyMetadata }),
	}
}
