package main

import (
	"os"

	"github.com/spf13/cobra"

	"plugcheck/harness"
)

func newValidate() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "validate [flags] TRANSCRIPT",
		Short: "Judge a recorded conversation, without the plugin",
		Long: `Judge a recorded conversation of a JSON-RPC plugin, without the plugin: one that plugcheck record wrote, or plugcheck
run with --transcripts. "-" is standard input.

The rules are those of plugcheck run. What needs a stimulus of its own is skipped, and so is what did not occur.`,
		Example: "  plugcheck record --output talk.jsonl -- ./my-plugin\n  plugcheck validate talk.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.validate(cmd, args[0]) },
	}
	f.report(cmd.Flags())
	return cmd
}

func (f *runFlags) validate(cmd *cobra.Command, path string) (err error) {
	outputs, err := f.outputs()
	if err != nil {
		return err
	}
	if err := f.gate(); err != nil {
		return err
	}
	in := cmd.InOrStdin()
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	f.options.Version = version
	report, err := harness.Recorded(path, in, f.options)
	if err != nil {
		return err
	}
	return f.tell(cmd.OutOrStdout(), outputs, report)
}
