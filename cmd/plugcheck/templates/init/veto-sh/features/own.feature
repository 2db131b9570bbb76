@wire:veto
Feature: What this plugin promises beside the contracts

  @must
  Scenario: It lets everything pass
    Why: It only counts.
    Fix: Write nothing to stdout.
    Given the event:
      """
      {"event": "blocked", "item_id": "DEMO-1", "actor": "somebody", "from": "todo", "to": "blocked", "ts": "2026-05-06T10:00:00Z", "metadata": {}}
      """
    When the host sends it
    Then it lets it pass
