@wire:literal @contract:manifest-literal/35.0
Feature: What a host does to the file when a setting is saved
  Changes drawn at random, as a host may make them: on_error, match, and values of settings. They are made by the
  built-in rewriter, or by the one that plugcheck.toml names. What fails is shrunk to the smallest change that fails.

  @must @id:literal.rewrite.outside-untouched
  Scenario: A save touches no byte outside the literal
    Why: The rest of the file is its author's code. A byte that changes there changes its hash, its behaviour, or both.
    Spec: ThinkWatch, protocol 35, "Rewrite" (replaces only the literal's span)
    Fix: Put the new literal between the bytes in front of the old one and those behind it, as they are: no other newlines, no trimming, no byte order mark lost.
    Then any allowed change leaves every byte outside the literal as it was

  @must @id:literal.rewrite.reads-back
  Scenario: What is saved reads back
    Why: What the user entered has to be what the plugin is given, and nothing else may have changed with it.
    Spec: ThinkWatch, protocol 35, "Tests" (read back to the new values)
    Fix: Write every value that was asked for; escape quotes, backslashes and control characters; trim patterns.
    Then any allowed change reads back as the new values and nothing else

  @must @id:literal.rewrite.idempotent
  Scenario: The same save made again changes nothing
    Why: A file that changes with each save is never the one that was approved.
    Spec: ThinkWatch, protocol 35, "Tests" (are idempotent)
    Fix: Print the same data the same way each time, and compare before you write.
    Then any allowed change that is made again changes nothing

  @must @id:literal.rewrite.no-op
  Scenario: A save that changes nothing gives the file back as it is
    Why: A user who opens the settings and closes them must not lose the comments of the manifest.
    Spec: ThinkWatch, protocol 35, "Rewrite"; host: nothing changed, so the source comes back byte for byte
    Fix: Compare the new values with those in the literal, and return the source as it was when they are the same.
    Then a change that changes nothing gives every byte back

  @must @id:literal.rewrite.reloads
  Scenario: The file loads after a save, with the new values
    Why: A plugin whose code depends on a value of a setting can break when the user saves another one, and is then not loaded any more.
    Spec: ThinkWatch, protocol 35, "Sandbox property test" (reload in the real sandbox with exactly the new values)
    Fix: Read settings in the hooks, where any value of the right type has to do, and not at the top level.
    Then after any allowed change the file loads with the new values

  @must @id:literal.classify
  Scenario: A save is told by what it changes
    Why: A change of code that passes for one of data is saved without anybody looking at it.
    Spec: ThinkWatch, protocol 35, "How a save is classified"
    Fix: Compare the bytes outside the literal, and the manifests without on_error, match and the values of settings.
    Then every save is classified by what it changes

  @must @id:literal.confirmation
  Scenario: What gives a plugin the tool calls of a reply has to be confirmed
    Why: Such a plugin can make the user's machine do things. Nothing but a person may turn it on.
    Spec: ThinkWatch, protocol 35, "When confirmation is needed"
    Fix: Ask where the old or the new manifest holds reply.tool_calls, or the old one cannot be read, and the request installs, enables, changes code or approves what is on disk.
    Then every row of the table is confirmed, or needs it not
