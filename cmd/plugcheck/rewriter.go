package main

import (
	"errors"

	"github.com/spf13/cobra"

	"plugcheck/harness"
	"plugcheck/harness/plugintest"
)

func newRewriter() *cobra.Command {
	f := &runFlags{}
	self := false
	cmd := &cobra.Command{
		Use:   "rewriter [flags] [--] CMD [ARG…]",
		Short: "Judge a host's own rewriter of manifests",
		Long: `Judge a host's own rewriter of manifests. CMD reads requests and writes replies, one JSON object a line:
{"op":"find"|"rewrite"|"classify", …} and {"ok":…} or {"error":{"code","line","column"}}.
"plugcheck contracts show literal-rewriter" describes them.

It is asked about the look-alikes of the kit, and about files and changes drawn at random. The exit status is that of run.`,
		Example: "  plugcheck rewriter ./my-rewriter\n  plugcheck rewriter --checks 200 -- node rewriter.js\n  plugcheck rewriter --self",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case self && len(args) > 0:
				return errors.New("--self is the built-in rewriter: leave the command out")
			case !self && len(args) == 0:
				return errors.New("it takes the command of a rewriter, or --self")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if self {
				var err error
				if args, err = plugintest.Rewriter(); err != nil {
					return err
				}
			}
			t, err := harness.Rewriter(args)
			if err != nil {
				return err
			}
			f.self = self
			return f.judge(cmd, func() ([]*harness.Target, error) { return []*harness.Target{t}, nil })
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the command is its own
	cmd.Flags().BoolVar(&self, "self", false, "judge the built-in rewriter, through the same door")
	f.addShared(cmd.Flags())
	return cmd
}
