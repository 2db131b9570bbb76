@wire:jsonl @contract:rename-symbol/1.0
Feature: A rename changes the symbol, everywhere it occurs, and nothing else

  @must @id:rename.renames
  Scenario: The plain case of each declared language
    Why: This is what the capability is for.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract"
    Fix: Compare the two texts that the finding shows; the position is the byte offset of the symbol's first byte.
    Given the "plain" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @must @id:rename.byte-offset
  Scenario: The position counts UTF-8 bytes
    Why: With one é before the symbol, whoever counts characters, UTF-16 units or columns renames something else.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (position: a UTF-8 byte offset)
    Fix: Find the position in the encoded text: in Python text.encode()[:position].decode() has the characters before it, in JavaScript Buffer.from(text).subarray(0, position).toString().
    Given the "bytes" cases of every declared language
    When the host asks
    Then the patch gives the wanted text, the position read as bytes

  @must @id:rename.crlf
  Scenario: A file with CRLF line ends
    Why: Text-mode reading turns CRLF into LF, and then the patch does not apply or changes every line.
    Spec: Weaver, Plugin system, "Safety harness integration" (the diff is applied as it is)
    Fix: Keep the content as it came (in Python newline="" or bytes), and split lines at \n only.
    Given the "crlf" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @must @id:rename.no-final-newline
  Scenario: A file whose last line has no newline
    Why: Without the marker "\ No newline at end of file" two lines of the patch run together and it does not apply.
    Spec: Weaver, Plugin system, "Safety harness integration" (the diff is applied as it is)
    Fix: After a last line without newline write a line "\ No newline at end of file"; Python's difflib does not do it for you.
    Given the "no-final-newline" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @should @id:rename.tabs
  Scenario: Tabs before the symbol
    Why: A tab is one byte; whoever counts it as eight columns, or expands it, misses the symbol or changes the line.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (position: a UTF-8 byte offset)
    Fix: Count a tab as one byte and leave it as it is.
    Given the "tabs" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @should @id:rename.bom
  Scenario: A file that begins with a byte order mark
    Why: The mark is three bytes of the file: the position counts them, and the patch has to keep them.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (position: a UTF-8 byte offset)
    Fix: Strip the mark only for the parser, and add its three bytes back to offsets and text.
    Given the "bom" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @must @id:rename.unicode-path
  Scenario: A path beyond ASCII
    Why: The uri is percent-encoded and the path is not; whoever compares the two without decoding finds no file.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (uri: file URI of the symbol)
    Fix: Decode the uri's percent escapes as UTF-8; in the patch write the path bare or quoted as git does.
    Given the "unicode-path" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @must @id:rename.path-with-spaces
  Scenario: A path with spaces
    Why: A header line split at white space names another file.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (uri: file URI of the symbol)
    Fix: Decode %20 in the uri; in the patch write the whole path, with a tab behind it as git does or without.
    Given the "path-with-spaces" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @should @id:rename.scopes
  Scenario: Another symbol of the same name, a string and a comment stay
    Why: A search and replace renames what is not the symbol, and the program means something else afterwards.
    Spec: Weaver, Plugin system, "Capability identifiers" (rename a symbol)
    Fix: Resolve each occurrence to its declaration and rename those of the marked one only.
    Given the "scopes" cases of every declared language
    When the host asks
    Then the patch gives the wanted text

  @should @id:rename.two-files
  Scenario: A second file that has nothing to do with the symbol
    Why: A request may carry more files than the one of the uri; the wrong one must not be changed.
    Spec: Weaver, Plugin system, "IPC protocol" (file content is passed in-band); the document sets no number of files
    Fix: Find the file that the uri names, whatever its place in the list; if you can work with one file only, refuse.
    Given a rename request
    And the request carries a second file before it
    When the host asks
    Then it refuses or the patch gives the wanted text

  @must @id:rename.own-cases
  Scenario: The author's own cases
    Why: Whoever writes a case of class success or refusal says what the plugin promises.
    Spec: the plugin's own plugcheck.toml
    Fix: Compare what the case wants with what came; one of the two is wrong.
    Given the author's cases for "rename-symbol"
    When the host asks
    Then it does what each case wants

  @should @id:rename.locks
  Scenario: The host's lock passes before and after
    Why: The host checks the changed files with a parser and a language server before it writes them, and writes nothing if either objects.
    Spec: Weaver, Plugin system, "Safety harness integration" (the syntactic and the semantic lock)
    Fix: Run the lock command on the files below and read what it objects to.
    Given the "plain" cases of every declared language
    And a lock command
    When the host asks
    Then the lock passes on the files before and after

  @should @id:rename.property.round-trip
  Scenario: A rename there and back restores the bytes
    Why: A rename that cannot be undone by the opposite one has changed more than names.
    Spec: Weaver, Plugin system, "Capability identifiers" (rename a symbol)
    Fix: Run the command below: it repeats the smallest program that failed.
    Then a rename there and back restores every byte
