@wire:jsonrpc @contract:jsonrpc-plugin/0.1
Feature: How it ends, and begins again

  @should @id:rpc.shutdown.exits
  Scenario: After plugin.shutdown it leaves by itself
    Why: What has to be ended with a signal may lose what it had not written yet.
    Spec: Overkill, Package plugin, func (*Client) Shutdown
    Fix: Answer plugin.shutdown, flush, and exit with status 0.
    When the host asks it to shut down
    Then it leaves by itself with status 0

  @must @id:rpc.shutdown.gone
  Scenario: After plugin.shutdown and SIGTERM it is gone
    Why: The host kills what is left 3 s after SIGTERM; until then the user waits for the host to close.
    Spec: Overkill, Package plugin, func (*Client) Shutdown ("SIGTERMs the process with a grace period before SIGKILL"); host: 3 s
    Fix: Leave after plugin.shutdown, and let SIGTERM end the process in any case.
    When the host asks it to shut down
    And the host sends SIGTERM if it is still there
    Then it is gone within 3 s

  @should @id:rpc.sigterm
  Scenario: SIGTERM ends it
    Why: The host has nothing else between asking and killing, and so has every system that shuts down.
    Spec: Overkill, Package plugin, func (*Client) Shutdown; host: 3 s
    Fix: Leave SIGTERM to the system, or let your handler only set a flag and close stdin; it must not wait for anything.
    When it is initialized
    And the host sends SIGTERM
    Then it is gone within 3 s

  @should @id:rpc.stdin-eof
  Scenario: The end of stdin ends it
    Why: When the host dies, the end of stdin is all that a plugin is told. Those that stay pile up.
    Spec: Overkill, Package plugin, Overview (a subprocess over stdio)
    Fix: Leave when reading ends, with status 0; in Node.js stop timers and servers in the "end" event of stdin.
    When it is initialized
    And the host closes stdin
    Then it leaves by itself with status 0

  @should @id:rpc.stdin-eof-at-once
  Scenario: The end of stdin ends it before it was initialized
    Why: A host that fails while it starts leaves plugins behind that were never asked anything.
    Spec: Overkill, Package plugin, Overview (a subprocess over stdio)
    Fix: Watch for the end of stdin from the first read on.
    When the host closes stdin before it has sent anything
    Then it leaves by itself with status 0

  @should @id:rpc.accepted-are-answered
  Scenario: Calls that were sent right before the end of stdin are answered
    Why: What it read it has accepted: a caller behind a host that closes waits for the answer.
    Spec: Overkill, Package plugin, Overview (responses echo the request id)
    Fix: At the end of stdin, wait for the handlers that are running and flush before you exit.
    When the host makes 8 calls and closes stdin behind them
    Then each call is answered

  @must @id:rpc.restart
  Scenario: Killed and started again, it registers the same
    Why: The host starts a crashed plugin again, three times. A lock file or a half-written state that stops it makes the first crash the last.
    Spec: Overkill, Package plugin, const MaxRestarts = 3
    Fix: Let nothing that a start needs depend on how the last one ended: replace files in one step, and take over stale locks.
    When it is killed and started again 3 times
    Then it still serves

  @may @id:rpc.memory
  Scenario: A thousand calls do not fill its memory
    Why: It runs for as long as the user works. What each call leaves behind adds up over days.
    Spec: Overkill, Package plugin, Overview (long-lived subprocess)
    Fix: Let go of each call once it is answered: its params, its id, its timer.
    When it is initialized
    And the host makes 1000 calls
    Then its memory does not grow with them
