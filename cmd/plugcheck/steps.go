package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"plugcheck/harness"
)

func newSteps() *cobra.Command {
	return &cobra.Command{
		Use: "steps", Short: "Print the sentences that scenarios of your own can use", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			for _, s := range harness.Steps() {
				fmt.Fprintln(cmd.OutOrStdout(), s)
			}
		},
	}
}
