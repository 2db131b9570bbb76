package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"plugcheck/reports"
)

// version is the kit's own; contracts have theirs.
const version = "0.1.0"

// memoryLimit makes the collector work harder before a hostile plugin's output
// takes the machine's memory; it is no hard limit.
const memoryLimit = 64 << 20

// run is the whole program: it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	debug.SetMemoryLimit(memoryLimit)

	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintln(stderr, "plugcheck:", reports.Visible(err.Error()))
	return 2
}

// exitStatus ends the program with a status and without a word.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "plugcheck",
		Short:         "Find out whether a plugin keeps its host's contract",
		Long:          "plugcheck plays the host of a plugin: it starts the real binary, talks to it over stdio, and judges\nevery byte it says against versioned contracts.",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newRun(), newList(), newExplain(), newSteps(), newRecord(), newValidate(), newLiteral(), newRewriter(), newDispatch(), newInit(), newContracts(), newRegistry(), newVersion())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "plugcheck", version) },
	}
}
