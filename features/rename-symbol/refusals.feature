@wire:jsonl @contract:rename-symbol/1.0
Feature: A rename that cannot be done is refused, and nothing is guessed
  Refusing is what the document asks for; the reason code that fits is judged by jsonl.refuse.reason-code.

  @must @id:rename.missing.uri
  Scenario: uri is missing
    Why: What is required and absent cannot be guessed: a rename of something else is the result.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that uri is there before you work.
    Given a rename request
    And its argument "uri" is missing
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.missing.position
  Scenario: position is missing
    Why: What is required and absent cannot be guessed: a rename of something else is the result.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that position is there before you work.
    Given a rename request
    And its argument "position" is missing
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.missing.new_name
  Scenario: new_name is missing
    Why: What is required and absent cannot be guessed: a rename of something else is the result.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that new_name is there before you work.
    Given a rename request
    And its argument "new_name" is missing
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.blank.uri
  Scenario: uri is blank
    Why: A blank value names nothing; taken as a name or a place it does damage.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that uri is not blank once white space is trimmed.
    Given a rename request
    And its argument "uri" is blank
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.blank.position
  Scenario: position is blank
    Why: A blank value names nothing; taken as a name or a place it does damage.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that position is not blank once white space is trimmed.
    Given a rename request
    And its argument "position" is blank
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.blank.new_name
  Scenario: new_name is blank
    Why: A blank value names nothing; taken as a name or a place it does damage.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that new_name is not blank once white space is trimmed.
    Given a rename request
    And its argument "new_name" is blank
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.not-a-string.uri
  Scenario: uri is not a string
    Why: The field is a string. Whoever converts silently accepts what the next host does not send.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that uri is a string, and refuse numbers, lists and null.
    Given a rename request
    And its argument "uri" is not a string
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.not-a-string.position
  Scenario: position is not a string
    Why: The field is a string. Whoever converts silently accepts what the next host does not send.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that position is a string, and refuse numbers, lists and null.
    Given a rename request
    And its argument "position" is not a string
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.not-a-string.new_name
  Scenario: new_name is not a string
    Why: The field is a string. Whoever converts silently accepts what the next host does not send.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (three required fields) and "Refusal reason codes" (incomplete_payload)
    Fix: Check that new_name is a string, and refuse numbers, lists and null.
    Given a rename request
    And its argument "new_name" is not a string
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.position.negative
  Scenario: position is negative
    Why: Python counts negative indices from the end, and renames something there.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (position: a UTF-8 byte offset)
    Fix: Accept decimal digits only, up to the size of the file, and refuse the rest.
    Given a rename request
    And its position is "-4"
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.position.not-a-number
  Scenario: position is no number
    Why: A position that is no number names no place.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (position: a UTF-8 byte offset)
    Fix: Accept decimal digits only, up to the size of the file, and refuse the rest.
    Given a rename request
    And its position is "12:4"
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.position.past-end
  Scenario: position lies past the end of the file
    Why: There is no symbol past the end; a clamped position renames the last one.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (position: a UTF-8 byte offset)
    Fix: Accept decimal digits only, up to the size of the file, and refuse the rest.
    Given a rename request
    And its position is past the end of the file
    And a refusal is due, with "symbol_not_found" or "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.no-file
  Scenario: The request carries no file
    Why: Without content there is nothing to rename; reading the disk in its place is outside the protocol.
    Spec: Weaver, Plugin system, "IPC protocol" (file content is passed in-band) and "Refusal reason codes" (incomplete_payload)
    Fix: Refuse when files is empty.
    Given a rename request
    And the request carries no file
    And a refusal is due, with "incomplete_payload"
    When the host asks
    Then it refuses

  @must @id:rename.other-language
  Scenario: A language that the manifest does not list
    Why: The daemon refuses a mismatch; so must a plugin that is asked all the same.
    Spec: Weaver, Plugin system, "Refusal reason codes" (unsupported_language)
    Fix: Tell the language by the file's extension and refuse those you do not list.
    Given a rename request for a file in a language that the manifest does not list
    And a refusal is due, with "unsupported_language"
    When the host asks
    Then it refuses

  @should @id:rename.no-symbol-here
  Scenario: No symbol stands at the position
    Why: White space, a comment or a keyword is no symbol; renaming the nearest one is a guess.
    Spec: Weaver, Plugin system, "Refusal reason codes" (symbol_not_found)
    Fix: Refuse unless an identifier stands at the position.
    Given the "no-symbol" cases of every declared language
    When the host asks
    Then it refuses

  @should @id:rename.conflict
  Scenario: The new name is taken
    Why: Two symbols of one name in one scope change what the program does, without an error.
    Spec: Weaver, Plugin system, "Refusal reason codes" (name_conflict)
    Fix: Look the new name up in the scopes of every occurrence before you rename.
    Given the "conflict" cases of every declared language
    When the host asks
    Then it refuses

  @should @id:rename.same-name
  Scenario: The new name is the old one
    Why: A success that changes nothing is either an empty patch or a lie.
    Spec: Weaver, Plugin system, "The rename-symbol capability contract" (success carries a diff)
    Fix: Refuse when the new name equals the old one.
    Given the "same-name" cases of every declared language
    When the host asks
    Then it refuses

  @should @id:rename.bad-identifier
  Scenario: The new name is no identifier
    Why: Written into the file, it makes a program that does not parse.
    Spec: Weaver, Plugin system, "Safety harness integration" (changes must pass the syntactic lock)
    Fix: Check the new name against the language's rule for identifiers and its keywords.
    Given the "bad-identifier" cases of every declared language
    When the host asks
    Then it refuses

  @should @id:rename.macro
  Scenario: The symbol comes out of a macro
    Why: There is no text to rename: the name is written by the macro.
    Spec: Weaver, Plugin system, "Refusal reason codes" (macro_generated)
    Fix: Refuse when no source text declares the symbol.
    Given the "macro" cases of every declared language
    When the host asks
    Then it refuses

  @should @id:rename.ambiguous
  Scenario: The position could mean more than one symbol
    Why: Choosing one of them is a guess that the user does not see.
    Spec: Weaver, Plugin system, "Refusal reason codes" (ambiguous_references)
    Fix: Refuse when the reference resolves to more than one declaration.
    Given the "ambiguous" cases of every declared language
    When the host asks
    Then it refuses
