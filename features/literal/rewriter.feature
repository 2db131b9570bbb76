@wire:literal @contract:literal-rewriter/1.0
Feature: A host's own rewriter

  @must @id:literal.rewriter.answers
  Scenario: It answers each line with one line, in order, and says what is no request
    Why: The kit asks one line after the other. A line too many is taken for the next answer, and one too few waits for ever.
    Spec: the README of the contract literal-rewriter, "The exchange"
    Fix: Read a line, write one line, flush, and go on until the end of the input; send logs to stderr.
    Then it answers each line with one line, in order

  @must @id:literal.rewriter.finds
  Scenario: It finds the manifest among all that looks like it
    Why: A literal that is taken from a string or a comment is written into the middle of the code.
    Spec: ThinkWatch, protocol 35, "Pure-data manifest" (skips strings, template literals, comments and regex literals)
    Fix: Run the command below; it shows the file and both spans.
    Then it finds the manifest among all look-alikes

  @must @id:literal.rewriter.finds-any
  Scenario: It finds any manifest in any code
    Why: Real files are stranger than a corpus.
    Spec: ThinkWatch, protocol 35, "Tests" (random manifests in random surrounding code are found byte-exactly)
    Fix: Run the command below; it repeats the smallest file that failed.
    Then it finds any manifest in any code

  @must @id:literal.rewriter.refuses
  Scenario: It refuses what is not data, and names the place
    Why: A manifest that is read in part is written back in part.
    Spec: ThinkWatch, protocol 35, "Load check" (manifest_not_data_at, with a line and column)
    Fix: Answer with manifest_not_data_at and the place where the construct begins: line and column from 1, the column in characters.
    Then it refuses all that is not data, and names the place

  @must @id:literal.rewriter.style
  Scenario: It writes the one style
    Why: Two hosts that write differently change the whole manifest each time the other has saved.
    Spec: ThinkWatch, protocol 35, "Writer"
    Fix: See "Writing" in the README of manifest-literal 35.0.
    Then any allowed change is written in the one style

  @must @id:literal.rewriter.errors
  Scenario: It refuses changes that are not allowed
    Why: What is saved against the type of a setting makes the plugin fail when it is loaded.
    Spec: host: a setting that is none, a value of another type and an invalid pattern are errors
    Fix: Check the change against the manifest before you write it, and answer with setting_unknown, setting_type or invalid_pattern.
    Then it refuses every change that is not allowed

  @must @id:literal.rewriter.survives
  Scenario: It lives on, whatever a source holds
    Why: Anybody's file is handed to it. One that ends the process takes the host along.
    Spec: ThinkWatch, protocol 35, "Tests" (garbage and mutated sources never panic)
    Fix: Answer with an error whatever goes wrong while a source is read.
    Then it lives on after sources of any kind
