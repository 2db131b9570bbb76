@wire:jsonl @contract:jsonl-exchange/1.0
Feature: The process behind one exchange
  A request is one process: it is started, sent one line, and owes one line and its exit.

  @must @id:jsonl.waits-for-input
  Scenario: It does not answer before it has read the request
    Why: An answer that comes before the request was read cannot be an answer to it.
    Spec: Weaver, Plugin system, "IPC protocol", steps 1 and 2
    Fix: Read the whole line from stdin first, then work, then answer.
    Given a plain request
    When the host writes half of it and waits
    Then nothing is answered before the rest was sent
    And it answers

  @must @id:jsonl.stderr-flood
  Scenario: Its answer does not depend on who reads stderr
    Why: The host captures stderr for its log. A plugin that loses its answer when much is logged, or when the log goes nowhere, fails on the day it is debugged.
    Spec: Weaver, Plugin system, "IPC protocol", step 3 (stderr is not part of the protocol)
    Fix: Let logging never fail: ignore errors when writing to stderr, and log less than you answer.
    Given a plain request
    When the host asks with stderr sent nowhere
    Then it gives the answer it gives otherwise

  @must @id:jsonl.large-input
  Scenario: A file of 4 MiB is answered
    Why: File content comes in-band, so a large file is a long line. Readers with a fixed buffer (64 KiB is common) cut it.
    Spec: Weaver, Plugin system, "IPC protocol" (file content is passed in-band)
    Fix: Read stdin to its end, or line by line with a reader that has no limit on the line.
    Given a request with a file of 4 MiB
    When the host asks
    Then it answers as it answers a small one

  @must @id:jsonl.large-output @needs:rename-symbol
  Scenario: An answer over 64 KiB comes whole
    Why: A pipe holds 64 KiB. Whoever exits before the rest was written cuts the answer there.
    Spec: Weaver, Plugin system, "IPC protocol", step 2 (one response line)
    Fix: Write all of the answer and flush it before you exit; in Node.js let the process end by itself, process.exit drops what is still queued.
    Given a rename with an answer of over 64 KiB
    When the host asks
    Then it answers
    And the answer is over 64 KiB long

  @should @id:jsonl.no-filesystem
  Scenario: It needs no file but its own, and no network
    Why: The host runs plugins in a sandbox and hands them the content in-band; what reads or writes elsewhere fails there.
    Spec: Weaver, Plugin system, "IPC protocol" (sandboxed plugins do not need filesystem access)
    Fix: Work on the content of the request only, in memory, without temporary files.
    Given a plain request
    And a host that lets it read its own install and nothing else
    When the host asks
    Then it gives the answer it gives otherwise

  @should @id:jsonl.environment
  Scenario: Its answer does not depend on the environment
    Why: A daemon starts plugins from another folder, with another locale and hardly any environment.
    Spec: Weaver, Plugin system, "IPC protocol" (everything the plugin needs is in the request)
    Fix: Set the encoding of stdin and stdout yourself (UTF-8), compare case without the locale, and read neither HOME nor the working folder.
    Given a plain request
    When the host asks in each of these surroundings
      | nothing but PATH in the environment |
      | HOME is not set                     |
      | another working folder              |
      | the locale C                        |
      | the locale tr_TR.UTF-8              |
    Then it gives the answer it gives otherwise

  @should @id:jsonl.user-config
  Scenario: Its answer does not depend on the user's configuration
    Why: A ~/.gitconfig that converts line endings or colours diffs, or a GIT_DIR left over from a hook, changes what git prints for a plugin that calls it.
    Spec: Weaver, Plugin system, "IPC protocol" (everything the plugin needs is in the request)
    Fix: Start git with GIT_CONFIG_GLOBAL and GIT_CONFIG_SYSTEM set to the null device and without GIT_DIR, or write the diff yourself.
    Given a plain request
    When the host asks in each of these surroundings
      | a hostile ~/.gitconfig    |
      | GIT_DIR points elsewhere  |
    Then it gives the answer it gives otherwise

  @should @id:jsonl.deterministic
  Scenario: The same request gets the same bytes
    Why: An answer that changes from run to run cannot be cached, compared or tested. The order of a set or a map is the usual reason.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (validated against shared fixtures)
    Fix: Sort what comes out of sets and maps, and leave times, process ids and random names out of the answer.
    Given a plain request
    When the host asks 5 times
    Then every answer is the same

  @should @id:jsonl.concurrent
  Scenario: Eight at once get the answers that each gets alone
    Why: A host starts one process a request and does not wait for the last one; what they share (a temporary file with a fixed name, a lock) mixes their answers.
    Spec: Weaver, Plugin system, "IPC protocol" (one exchange a process)
    Fix: Share nothing between processes; name temporary files with mkstemp, or better use none.
    Given 8 requests that differ
    When the host asks them one by one and then all at once
    Then each gets the answer it got alone
