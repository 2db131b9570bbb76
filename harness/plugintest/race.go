//go:build race

package plugintest

// environment is added to every plugin's configuration: the race detector
// would have each process wait a second before it leaves.
const environment = "\n[env]\nGORACE = \"atexit_sleep_ms=0\"\n"
