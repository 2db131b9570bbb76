@wire:veto
Feature: What this plugin promises beside the contracts

  @must
  Scenario: A freeze that is over holds nobody up
    Why: Nobody can work while it does.
    Fix: Look at the event that is shown, and at verdict in plugin.py.
    Given the event:
      """
      {"event": "completed", "item_id": "DEMO-1", "actor": "somebody", "from": "in_progress", "to": "done", "ts": "2026-05-06T10:00:00Z", "metadata": {"code_freeze": false}}
      """
    When the host sends it
    Then it lets it pass
