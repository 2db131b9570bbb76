// Command plugcheck plays the host of a plugin, drives the real binary over
// stdio and judges every byte it says against versioned contracts.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
