@wire:veto @contract:veto-event/1.0
Feature: The process behind one event
  An event is one process: it is started in the plugin's folder, sent one object, and may answer with a verdict.

  @should @id:veto.verdict.both
  Scenario: It vetoes some events and lets others pass
    Why: Faults hide on one side: a reason with a line break spoils the verdict exactly when it matters. And what vetoes everything lets nobody work.
    Spec: Corvee, Plugin protocol, "Plugin response (optional)" (use sparingly)
    Fix: Veto what is forbidden and print nothing for the rest; name events of both kinds with [[expect]] in plugcheck.toml.
    Given an event that it vetoes and one that it lets pass
    When the host sends it
    Then not every event is vetoed

  @should @id:veto.reads-to-eof
  Scenario: It reads an event of 4 MiB to its end
    Why: A host that writes into a pipe nobody reads gets an error in the middle of an event, and takes the plugin for broken.
    Spec: Corvee, Plugin protocol, "Event payload" (the plugin should read stdin to EOF before responding)
    Fix: Read all of stdin before you parse it: sys.stdin.read(), io.ReadAll, cat.
    Given an event
    And its metadata is padded to 4096 KiB
    When the host sends it
    Then it reads all of it

  @must @id:veto.stderr-free
  Scenario: Its verdict does not depend on who reads stderr
    Why: A plugin that fails when its log goes nowhere loses its vetoes on the day somebody silences it.
    Spec: Corvee, Plugin protocol, "Plugin response (optional)" (the response is on stdout)
    Fix: Let logging never fail: ignore errors when writing to stderr.
    Given an event that it vetoes and one that it lets pass
    When the host sends it with stderr sent nowhere
    Then it gives the verdict that it gives otherwise

  @should @id:veto.environment
  Scenario: Its verdict does not depend on the environment
    Why: The command line that runs plugins is started by people, by CI and by agents, each with another environment.
    Spec: Corvee, Plugin protocol, "Event payload" (what the plugin needs is in the event)
    Fix: Set the encoding of stdin and stdout yourself (UTF-8), compare case without the locale, and read neither HOME nor variables that you do not set.
    Given an event that it vetoes and one that it lets pass
    When the host sends it in each of these surroundings
      | nothing but PATH in the environment |
      | HOME is not set                     |
      | the locale C                        |
      | the locale tr_TR.UTF-8              |
      | GIT_DIR points elsewhere            |
    Then it gives the verdict that it gives otherwise

  @should @id:veto.deterministic
  Scenario: The same event gets the same verdict
    Why: A veto that comes and goes is got around by trying again.
    Spec: Corvee, Plugin protocol, "Agent mode" (a deterministic JSON response)
    Fix: Decide by the event alone; neither by chance nor by what an earlier event left behind.
    Given an event that it vetoes and one that it lets pass
    When the host sends it 5 times
    Then it gives the verdict that it gives otherwise

  @must @id:veto.concurrent
  Scenario: Eight at once give the verdicts that each gives alone
    Why: Several people and agents work in one workspace; processes of a plugin that share a file lose each other's vetoes.
    Spec: Corvee, Plugin protocol, first paragraph (invoked for each event, a process each)
    Fix: Share nothing between processes, or lock it; name temporary files with mkstemp, or better use none.
    Given an event that it vetoes and one that it lets pass
    When the host sends 8 at once
    Then it gives the verdict that it gives otherwise

  @must @id:veto.agent.answers
  Scenario: In agent mode it needs neither terminal nor browser nor anybody who answers
    Why: Under CORVEE_AGENT_MODE=1 an agent waits for a deterministic response. A plugin that opens a browser or asks somebody hangs it, or loses its veto.
    Spec: Corvee, Plugin protocol, "Agent mode" (plugins that declare "agent_safe": true)
    Fix: Decide by the event alone when CORVEE_AGENT_MODE is 1, or leave agent_safe out of plugin.json: the host then skips the plugin.
    Given an event that it vetoes and one that it lets pass
    When the host sends it in agent mode
    Then it needs nobody in front of it
