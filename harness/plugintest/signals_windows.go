package plugintest

// ignoreTerm has nothing to ignore: Windows has no SIGTERM.
func ignoreTerm() {}
