@wire:jsonrpc @contract:jsonrpc-plugin/0.1
Feature: What a plugin has to live with
  Lines that are no messages, many calls at once, hosts that are slow or refuse.

  @must @id:rpc.garbage-line
  Scenario: A broken line does not end it
    Why: One line that was cut or mixed up must not take the plugin away: everything behind it is fine.
    Spec: JSON-RPC 2.0, section 5.1 (-32700, with the id null)
    Fix: Catch the error of the decoder, answer -32700 with "id":null or say nothing, and read the next line.
    When the host sends each of these lines
      | {"jsonrpc":"2.0","id": |
      | this is no JSON        |
      | \xff\xfe{              |
      | {}                     |
    Then it still serves

  @should @id:rpc.invalid-request
  Scenario: A request that is none gets -32600
    Why: The code tells a host's author what is wrong; silence leaves a call open for ever.
    Spec: JSON-RPC 2.0, section 5.1 (-32600)
    Fix: Check that method is a string and params an object or a list, and answer -32600 with the request's id.
    When the host sends each of these requests, the id in place of ID
      | {"jsonrpc":"2.0","id":ID,"method":5}                     |
      | {"jsonrpc":"2.0","id":ID,"method":null,"params":{}}      |
      | {"jsonrpc":"2.0","id":ID,"method":"tool.call","params":7} |
    Then each call gets the error -32600 or -32602
    And it still serves

  @should @id:rpc.missing-version
  Scenario: A request without "jsonrpc" is refused or served, and not passed over
    Why: Older hosts leave it out. A call that is dropped without a word stays open for ever.
    Spec: JSON-RPC 2.0, section 4 and 5.1 (-32600)
    Fix: Answer -32600 with the request's id, or serve it.
    When the host sends each of these requests, the id in place of ID
      | {"id":ID,"method":"tool.call","params":{"name":"plugcheck_no_such_tool","args":{}}} |
      | {"jsonrpc":"1.0","id":ID,"method":"tool.call","params":{"name":"plugcheck_no_such_tool","args":{}}} |
    Then each call is answered
    And it still serves

  @should @id:rpc.batch
  Scenario: A batch is answered, or refused with -32600
    Why: An array is valid JSON-RPC. Silence leaves its calls open, and -32700 says that it is no JSON.
    Spec: JSON-RPC 2.0, section 6
    Fix: Answer each member, in an array or one by one; or refuse the whole with -32600 and the id null.
    When the host sends a batch of two calls
    Then each call is answered
    And no call gets the error -32700
    And it still serves

  @should @id:rpc.crlf
  Scenario: A line that ends in CRLF is a line
    Why: A host on Windows, or a proxy, ends lines with CRLF; to JSON the carriage return is white space.
    Spec: Overkill, Package plugin, Overview (newline-delimited JSON); RFC 8259, section 2
    Fix: Hand the line to the decoder as it is, or trim it first.
    When the host ends a call with CRLF
    Then each call is answered
    And it still serves

  @should @id:rpc.blank-line
  Scenario: A blank line is passed over
    Why: Some hosts send one between messages, and everyone who types by hand.
    Spec: Overkill, Package plugin, Overview (newline-delimited JSON)
    Fix: Skip lines that are empty once trimmed.
    When the host sends each of these lines
      |      |
      | \r   |
      | \x20 |
    Then it still serves

  @must @id:rpc.large-message
  Scenario: A message of 1 MiB is taken, and given back where it has to be
    Why: Prompts and files are long. Readers with a fixed buffer (64 KiB is common) cut the line or end the session.
    Spec: Overkill, Package plugin, Overview (newline-delimited JSON, no limit on a line)
    Fix: Read lines without a limit: bufio.Reader and not bufio.Scanner in Go, and write all of an answer.
    When the host sends 1 MiB of text wherever a text can be
    Then it still serves

  @must @id:rpc.unicode
  Scenario: Text is UTF-8, both ways
    Why: A plugin that reads by the machine's code page fails on the first name that is not English, or garbles it silently.
    Spec: Overkill, Package plugin, Overview (JSON over stdio); RFC 8259, section 8.1 (UTF-8)
    Fix: Read and write UTF-8 whatever the locale says: in Python, sys.stdin.reconfigure(encoding="utf-8") and the same for stdout.
    When the host sends characters of every kind wherever a text can be
    Then it still serves

  @must @id:rpc.line-separators
  Scenario: Only the newline ends a line
    Why: U+2028, U+2029 and U+0085 stand in JSON strings as they are. Who splits there, as str.splitlines and some readline libraries do, reads two broken messages.
    Spec: Overkill, Package plugin, Overview (newline-delimited JSON); RFC 8259, section 7
    Fix: Split at \n only: iterate over sys.stdin.buffer in Python; in Node.js look for "\n" in the stream yourself, since readline splits at U+2028.
    When the host sends line separators wherever a text can be
    Then it still serves

  @must @id:rpc.concurrent
  Scenario: Calls that are in flight together are each answered once
    Why: A model calls several tools at once and the user types meanwhile; a call that gets lost among others holds up everything.
    Spec: Overkill, Package plugin, Overview (requests carry numeric ids, responses echo the request id)
    Fix: Keep the id with each call. Write a message and its newline in one call, under one lock.
    Given a host that counts its ids up to 2^53-1
    When it is initialized
    And the host has 32 calls in flight
    Then each call is answered
    And it still serves

  @must @id:rpc.reentrant
  Scenario: While its call to the host is open it takes the host's calls
    Why: The host goes on while it works on a plugin's call. A plugin that reads only for its answer drops what comes before, or both wait for ever.
    Spec: Overkill, Package plugin, type Conn, Handle ("Handlers run in their own goroutine so they can issue further calls without deadlocking the read loop")
    Fix: Let one loop read everything and hand each answer to the call that waits for it, by its id; run handlers beside it.
    Given a host that asks something before it answers
    When the host uses all that it registered
    Then each call is answered
    And what the host asked meanwhile is answered
    And it has called the host

  @must @id:rpc.id-collision
  Scenario: A request with the id of its own open call is a request
    Why: Both sides count their ids from 1, so the same id is open both ways all the time.
    Spec: Overkill, Package plugin, Overview (the host both calls into the plugin and accepts inbound calls)
    Fix: What has a method is a request. Look for the method first, and only without one among your own open calls.
    Given a host that asks something with the id of the plugin's own call
    When the host uses all that it registered
    Then each call is answered
    And what the host asked meanwhile is answered
    And it has called the host

  @must @id:rpc.host-error
  Scenario: It lives when the host answers its call with an error
    Why: A host refuses for reasons of its own. That is an answer, and no reason to die.
    Spec: Overkill, Package plugin, type RPCError
    Fix: Catch the error of each call to the host, and do without what it would have brought.
    Given a host that answers every call with an error
    When the host uses all that it registered
    Then each call is answered
    And it still serves
    And it has called the host

  @must @id:rpc.denied
  Scenario: It lives when a permission is denied
    Why: The user may take a permission away. The rest of the plugin should go on.
    Spec: Overkill, Package plugin, Constants (ErrCodePermissionDenied = -32001)
    Fix: Expect -32001 from each call that needs a permission, and do without.
    Given a host that denies what needs a permission
    When the host uses all that it registered
    Then each call is answered
    And it still serves
    And it has been refused a permission

  @should @id:rpc.slow-host
  Scenario: It waits for a host that takes a second
    Why: The host asks the user before it answers, or is busy.
    Spec: Overkill, Package plugin, type Handler (an inbound call may take its time)
    Fix: Give the host some seconds before you give up on a call, and answer your own caller then with an error.
    Given a host that answers 1 s late
    When the host uses all that it registered
    Then each call is answered
    And it still serves
    And it has called the host

  @must @id:rpc.stderr-flood
  Scenario: Its answers do not depend on who reads stderr
    Why: A host captures stderr for its log, or sends it nowhere. A plugin that loses its answer over its log fails on the day it is debugged.
    Spec: Overkill, Package plugin, Overview (JSON-RPC over stdio; stderr is no part of it)
    Fix: Let logging never fail: ignore errors when writing to stderr.
    Given a host that does not read stderr
    When the host uses all that it registered
    Then each call is answered
    And it still serves

  @should @id:rpc.children-leave-stdin
  Scenario: Nothing that it starts eats the next request
    Why: A program that inherits stdin reads the host's messages, which are lost then, or waits there for ever.
    Spec: Overkill, Package plugin, Overview (JSON-RPC 2.0 over stdio)
    Fix: Start other programs with a stdin of their own: stdin=subprocess.DEVNULL in Python, stdio: ["ignore", …] in Node.js.
    When the host calls each tool, and something else right behind it
    Then each call is answered
