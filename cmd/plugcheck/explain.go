package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"plugcheck/harness"
	"plugcheck/harness/plugintest"
	"plugcheck/reports"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain ID",
		Short: "Tell what a check asks for, why, and how to mend what fails it",
		Long: `Tell what a check asks for, why, where the document says so, and how to mend what fails it.

The good and the bad exchange are no texts: they are made while you wait, with the built-in reference plugin and with
one that has a fault.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			catalogue, err := harness.BuiltIn()
			if err != nil {
				return err
			}
			k, ok := catalogue.Find(args[0])
			if !ok {
				return fmt.Errorf("there is no check %q%s", args[0], catalogue.DidYouMean(args[0]))
			}
			return explain(cmd.Context(), cmd.OutOrStdout(), k)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			catalogue, err := harness.BuiltIn()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			var ids []string
			for _, k := range catalogue.Checks {
				ids = append(ids, k.ID)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func explain(ctx context.Context, w io.Writer, k *harness.Check) error {
	plain := reports.Options{Width: reports.DefaultWidth}
	kind := "a scenario"
	if k.IsRule() {
		kind = "a rule, judged on every exchange of a run"
	}
	fmt.Fprintf(w, "%s  %s  %s\n%s\n(%s)\n", k.ID, k.Level, k.Contract, k.Title, kind)
	for _, part := range []struct{ head, text string }{{"Why it matters", k.Why}, {"In the document", k.Spec}, {"How to mend it", k.Fix}} {
		fmt.Fprintf(w, "\n%s\n%s", part.head, reports.Prose(part.text, plain))
	}
	if len(k.Steps) > 0 {
		fmt.Fprintln(w, "\nWhat plugcheck does")
		for _, s := range k.Steps {
			fmt.Fprintln(w, "   ", s)
		}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	dir, err := os.MkdirTemp("", "plugcheck-explain-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	specimens := plugintest.Specimens()
	i := slices.IndexFunc(specimens, func(f plugintest.Specimen) bool { return f.Catches == k.ID })
	if i < 0 {
		return fmt.Errorf("no built-in fault fails %s", k.ID)
	}
	f := specimens[i]
	only := []string{k.ID}
	if k.IsRule() {
		only = append(only, f.With...) // which is enough to bring it out
	}
	bad, err := tryOne(ctx, filepath.Join(dir, "bad"), f.Write, f.Timeout, only, k.ID)
	if err != nil {
		return err
	}
	only = only[:1]
	if k.IsRule() && bad.Scenario != "" {
		only = append(only, bad.Scenario) // the same stimulus for both
	}
	good, err := tryOne(ctx, filepath.Join(dir, "good"), f.Good, f.Timeout, only, k.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nA good exchange (the reference plugin: %s)\n", good.Status)
	if err := reports.WriteExchange(w, good.Transcript, plain); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nA bad exchange (%s: %s)\n", f.About, bad.Status)
	if err := reports.WriteExchange(w, bad.Transcript, plain); err != nil {
		return err
	}
	if bad.Message != "" {
		fmt.Fprintf(w, "\nWhat plugcheck says of it\n%s", reports.Prose(bad.Message, plain))
	}
	return nil
}

// tryOne lays a plugin and returns what one check says of it.
func tryOne(ctx context.Context, dir string, lay func(string) error, timeout time.Duration, only []string, id string) (reports.Check, error) {
	if err := lay(dir); err != nil {
		return reports.Check{}, err
	}
	targets, err := harness.Discover([]string{dir}, "", "")
	if err != nil {
		return reports.Check{}, err
	}
	report, err := harness.Run(ctx, targets, harness.Options{Only: only, Timeout: timeout, Jobs: 2, Examples: true, Seed: 1})
	if err != nil {
		return reports.Check{}, err
	}
	for _, k := range report.Plugins[0].Checks {
		if k.ID == id {
			return k, nil
		}
	}
	return reports.Check{}, fmt.Errorf("%s was not run", id)
}
