package harness

// jsonrpcSteps is the wire's whole vocabulary, for the built-in scenarios and for authors'.
// It is filled in init because the steps lead to the catalogue, which reads it.
var jsonrpcSteps []step

func init() {
	jsonrpcSteps = []step{
		// What the host is like.
		sentence(`a host that (.+)`, `a host that answers 1 s late`, func(sc *jsonrpcScenario) any { return sc.aHostThat }),
		sentence(`a host of version "([^"]+)"`, `a host of version "99.0.0"`, func(sc *jsonrpcScenario) any { return sc.hostOfVersion }),
		sentence(`a host with a capability that nobody knows`, `a host with a capability that nobody knows`, func(sc *jsonrpcScenario) any { return sc.unknownCapability }),

		// How it begins.
		sentence(`it is initialized`, `it is initialized`, func(sc *jsonrpcScenario) any { return sc.isInitialized }),
		sentence(`it is initialized again`, `it is initialized again`, func(sc *jsonrpcScenario) any { return sc.initializedAgain }),
		sentence(`it is killed and started again (\d+) times`, `it is killed and started again 3 times`, func(sc *jsonrpcScenario) any { return sc.startedAgain }),

		// What the host calls.
		sentence(`the host calls "([^"]+)" with (\{.*\})`, `the host calls "tool.call" with {"name":"echo","args":{}}`, func(sc *jsonrpcScenario) any { return sc.callsWith }),
		sentence(`the host calls each tool`, `the host calls each tool`, func(sc *jsonrpcScenario) any { return sc.callsTools }),
		sentence(`the host calls each tool with arguments that break its schema`, `the host calls each tool with arguments that break its schema`, func(sc *jsonrpcScenario) any { return sc.callsToolsBadly }),
		sentence(`the host invokes each command`, `the host invokes each command`, func(sc *jsonrpcScenario) any { return sc.invokesCommands }),
		sentence(`the host asks for context`, `the host asks for context`, func(sc *jsonrpcScenario) any { return sc.asksForContext }),
		sentence(`the host uses all that it registered`, `the host uses all that it registered`, func(sc *jsonrpcScenario) any { return sc.usesAll }),
		sentence(`the host calls each tool, and something else right behind it`, `the host calls each tool, and something else right behind it`, func(sc *jsonrpcScenario) any { return sc.callsToolsInPairs }),
		sentence(`the host sends params that cannot be right`, `the host sends params that cannot be right`, func(sc *jsonrpcScenario) any { return sc.badParams }),
		sentence(`the host has (\d+) calls in flight`, `the host has 32 calls in flight`, func(sc *jsonrpcScenario) any { return sc.inFlight }),
		sentence(`the host sends (.+) wherever a text can be`, `the host sends characters of every kind wherever a text can be`, func(sc *jsonrpcScenario) any { return sc.sendsText }),
		sentence(`the host fires each subscribed event with odd payloads`, `the host fires each subscribed event with odd payloads`, func(sc *jsonrpcScenario) any { return sc.firesEvents }),
		sentence(`the host fires (\d+) events in a row`, `the host fires 20 events in a row`, func(sc *jsonrpcScenario) any { return sc.firesInARow }),
		sentence(`the host makes (\d+) calls`, `the host makes 1000 calls`, func(sc *jsonrpcScenario) any { return sc.makesCalls }),

		// What the host sends that is no ordinary call.
		sentence(`the host sends each of these lines`, "the host sends each of these lines\n  | {\"jsonrpc\": |", func(sc *jsonrpcScenario) any { return sc.sendsLines }),
		sentence(`the host sends each of these requests, the id in place of ID`, "the host sends each of these requests, the id in place of ID\n  | {\"jsonrpc\":\"2.0\",\"id\":ID,\"method\":5} |", func(sc *jsonrpcScenario) any { return sc.sendsRequests }),
		sentence(`the host sends a batch of two calls`, `the host sends a batch of two calls`, func(sc *jsonrpcScenario) any { return sc.sendsBatch }),
		sentence(`the host ends a call with CRLF`, `the host ends a call with CRLF`, func(sc *jsonrpcScenario) any { return sc.sendsCRLF }),

		// How it ends.
		sentence(`the host asks it to shut down`, `the host asks it to shut down`, func(sc *jsonrpcScenario) any { return sc.asksToShutDown }),
		sentence(`the host sends SIGTERM`, `the host sends SIGTERM`, func(sc *jsonrpcScenario) any { return sc.sendsSIGTERM }),
		sentence(`the host sends SIGTERM if it is still there`, `the host sends SIGTERM if it is still there`, func(sc *jsonrpcScenario) any { return sc.sendsSIGTERMIfThere }),
		sentence(`the host closes stdin`, `the host closes stdin`, func(sc *jsonrpcScenario) any { return sc.closesStdin }),
		sentence(`the host closes stdin before it has sent anything`, `the host closes stdin before it has sent anything`, func(sc *jsonrpcScenario) any { return sc.closesStdinAtOnce }),
		sentence(`the host makes (\d+) calls and closes stdin behind them`, `the host makes 8 calls and closes stdin behind them`, func(sc *jsonrpcScenario) any { return sc.callsAndCloses }),

		// What has to come of it.
		sentence(`each call is answered`, `each call is answered`, func(sc *jsonrpcScenario) any { return sc.eachAnswered }),
		sentence(`each call gets an error`, `each call gets an error`, func(sc *jsonrpcScenario) any { return sc.eachError }),
		sentence(`each call gets the error (-\d+)(?: or (-\d+))?`, `each call gets the error -32602`, func(sc *jsonrpcScenario) any { return sc.eachCode }),
		sentence(`no call gets the error (-\d+)`, `no call gets the error -32601`, func(sc *jsonrpcScenario) any { return sc.noCode }),
		sentence(`it still serves`, `it still serves`, func(sc *jsonrpcScenario) any { return sc.stillServes }),
		sentence(`it answers while stdin stays open`, `it answers while stdin stays open`, func(sc *jsonrpcScenario) any { return sc.flushes }),
		sentence(`it has called the host`, `it has called the host`, func(sc *jsonrpcScenario) any { return sc.hasCalled }),
		sentence(`it has been refused a permission`, `it has been refused a permission`, func(sc *jsonrpcScenario) any { return sc.hasCalled }),
		sentence(`what the host asked meanwhile is answered`, `what the host asked meanwhile is answered`, func(sc *jsonrpcScenario) any { return sc.asidesAnswered }),
		sentence(`it registers what it registers otherwise`, `it registers what it registers otherwise`, func(sc *jsonrpcScenario) any { return sc.registersTheSame }),
		sentence(`it refuses or answers as before`, `it refuses or answers as before`, func(sc *jsonrpcScenario) any { return sc.secondAnswer }),
		sentence(`what it tells of them is in their order`, `what it tells of them is in their order`, func(sc *jsonrpcScenario) any { return sc.inOrder }),
		sentence(`all that it declares was used`, `all that it declares was used`, func(sc *jsonrpcScenario) any { return sc.allUsed }),
		sentence(`it leaves by itself with status 0`, `it leaves by itself with status 0`, func(sc *jsonrpcScenario) any { return sc.leavesByItself }),
		sentence(`it is gone within 3 s`, `it is gone within 3 s`, func(sc *jsonrpcScenario) any { return sc.isGone }),
		sentence(`its memory does not grow with them`, `its memory does not grow with them`, func(sc *jsonrpcScenario) any { return sc.memoryStays }),

		// Properties.
		sentence(`any arguments that its schema allows are answered`, `any arguments that its schema allows are answered`, func(sc *jsonrpcScenario) any { return sc.propertyArgs }),
		sentence(`any order of calls, events and host answers has every call answered once`, `any order of calls, events and host answers has every call answered once`, func(sc *jsonrpcScenario) any { return sc.propertyInterleave }),
		sentence(`any JSON in place of a message leaves it alive`, `any JSON in place of a message leaves it alive`, func(sc *jsonrpcScenario) any { return sc.propertyNoise }),
	}
}
