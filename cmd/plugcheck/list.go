package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"plugcheck/harness"
	"plugcheck/validator"
)

func newList() *cobra.Command {
	var wire, level string
	var packs []string
	cmd := &cobra.Command{
		Use: "list", Short: "List the checks", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			catalogue, err := harness.BuiltIn()
			if err != nil {
				return err
			}
			found, err := openPacks(packs)
			if err != nil {
				return err
			}
			if catalogue, err = catalogue.WithPacks(found); err != nil {
				return err
			}
			levels := map[string]validator.Level{"": "", "must": validator.Must, "should": validator.Should, "may": validator.May}
			wanted, ok := levels[strings.ToLower(level)]
			if !ok {
				return fmt.Errorf("--level %s: it is must, should or may", level)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			n := 0
			for _, k := range catalogue.Checks {
				if wire != "" && k.Wire != wire || wanted != "" && k.Level != wanted {
					continue
				}
				n++
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.ID, k.Level, k.Contract, k.Title)
			}
			if n == 0 {
				return fmt.Errorf("no check has this wire and level: the wires are %s, the levels must, should and may", strings.Join(harness.WireNames(), ", "))
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&wire, "wire", "", "only the checks of this `wire`: "+strings.Join(harness.WireNames(), ", "))
	cmd.Flags().StringArrayVar(&packs, "contracts", nil, "list the checks of the contract packs of this `DIR` too; may be repeated")
	cmd.Flags().StringVar(&level, "level", "", "only the checks of this `level`: must, should or may")
	return cmd
}
