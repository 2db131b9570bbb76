@wire:jsonrpc @contract:jsonrpc-plugin/0.1
Feature: The handshake, whatever host it is with
  A host says its version and what it can do; newer ones say more.

  @must @id:rpc.flushes
  Scenario: Its answers come while stdin stays open
    Why: A host never closes stdin. An answer that waits in a buffer until then is none, and everything seems to work when a shell pipe tries it.
    Spec: Overkill, Package plugin, Overview (newline-delimited JSON over stdio, a long-lived subprocess)
    Fix: Flush stdout after each message: print(…, flush=True) or python -u, setvbuf or fflush in C, bufio's Flush in Go.
    Then it answers while stdin stays open

  @must @id:rpc.initialize.unknown-capability
  Scenario: A capability of the host that it does not know is ignored
    Why: Hosts grow capabilities. A plugin that refuses those it does not know stops working with the next host.
    Spec: Overkill, Package plugin, const HostVersion ("Plugins can use it for back-compat decisions")
    Fix: Read the capabilities you know and skip the others; no strict decoding here.
    Given a host with a capability that nobody knows
    When it is initialized
    Then it registers what it registers otherwise
    And it still serves

  @should @id:rpc.initialize.host-version
  Scenario: A newer host is accepted
    Why: A plugin that checks for one version stops working with every update of the host.
    Spec: Overkill, Package plugin, const HostVersion ("Plugins can use it for back-compat decisions")
    Fix: Compare for "at least", and only where something depends on it.
    Given a host of version "99.0.0"
    When it is initialized
    Then it registers what it registers otherwise
    And it still serves

  @should @id:rpc.second-initialize
  Scenario: A second plugin.initialize gets an error or the same answer
    Why: A host that lost track begins again with the same process; registering twice, or dying, takes the plugin away from the user.
    Spec: Overkill, Package plugin, type Client, Start (runs the initialize handshake)
    Fix: Remember that you were initialized, and answer an error (-32600) or what you answered before.
    When it is initialized
    And it is initialized again
    Then it refuses or answers as before
    And it still serves

  @should @id:rpc.unused-permission
  Scenario: What it declares it needs
    Why: Permissions are shown to the user, who has to trust the plugin with each; what is not needed should not be asked for.
    Spec: Overkill, Package plugin, type Permissions ("the declared scope of host capabilities the plugin needs")
    Fix: Take the permission out of the manifest and of plugin.toml, or use it.
    When the host uses all that it registered
    Then all that it declares was used
