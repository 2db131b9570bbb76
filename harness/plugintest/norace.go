//go:build !race

package plugintest

const environment = ""
