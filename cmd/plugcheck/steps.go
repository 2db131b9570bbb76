package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"plugcheck/harness"
)

func newSteps() *cobra.Command {
	var wire string
	cmd := &cobra.Command{
		Use: "steps", Short: "Print the sentences that scenarios of your own can use", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wires := harness.WireNames()
			if wire != "" {
				wires = []string{wire}
			}
			for _, w := range wires {
				steps, err := harness.Steps(w)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "# @wire:%s\n", w)
				for _, s := range steps {
					fmt.Fprintln(cmd.OutOrStdout(), s)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&wire, "wire", "", "only the sentences of this `wire`")
	return cmd
}
