package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"plugcheck/harness"
	"plugcheck/reports"
)

// maxEvent bounds what is read as an event.
const maxEvent = 64 << 20

func newDispatch() *cobra.Command {
	var file string
	var agent bool
	cmd := &cobra.Command{
		Use:   "dispatch DIR --event FILE",
		Short: "Walk the veto plugins of a workspace with one event, as the host would",
		Long: `Walk the veto plugins of a workspace with one event, as the host would: in its order, whom it asks and whom it skips,
who vetoes, and what would become of the operation.

DIR is a workspace (with .tasks/plugins/ or plugins/ in it), a folder of plugins, or one plugin. FILE holds the event as
JSON; "-" is standard input.

The exit status is 1 when the operation would be refused, 0 when it would go through, and 2 when that could not be told.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			event, err := readEvent(file, cmd.InOrStdin())
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			walk, err := harness.Dispatch(ctx, args[0], event, agent)
			if err != nil {
				return err
			}
			writeWalk(cmd.OutOrStdout(), walk, agent)
			if walk.Vetoed() != nil {
				return exitStatus(1)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "event", "", "the `FILE` with the event")
	cmd.Flags().BoolVar(&agent, "agent", false, "as with CORVEE_AGENT_MODE=1: skip the plugins that are not agent_safe")
	if err := cmd.MarkFlagRequired("event"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func readEvent(file string, stdin io.Reader) ([]byte, error) {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		stdin = f
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxEvent+1))
	if err == nil && len(text) > maxEvent {
		err = errors.New("the event is larger than 64 MiB")
	}
	return text, err
}

func writeWalk(w io.Writer, walk *harness.Walk, agent bool) {
	mode := ""
	if agent {
		mode = ", in agent mode"
	}
	fmt.Fprintf(w, "event %s%s\n", reports.Visible(walk.Event), mode)
	for i, v := range walk.Visits {
		fmt.Fprintf(w, "%3d  %s  (%s)\n", i+1, reports.Visible(v.Name), reports.Visible(v.Path))
		if v.Skipped != "" {
			fmt.Fprintf(w, "       skipped: %s\n", reports.Visible(v.Skipped))
			continue
		}
		fmt.Fprintf(w, "       asked: %s\n", reports.Visible(v.Says))
		if v.Warning != "" {
			fmt.Fprintf(w, "       warning: %s\n", reports.Visible(v.Warning))
		}
	}
	for _, name := range walk.Clashes {
		fmt.Fprintf(w, "several plugins are named %s: logs and reasons do not tell them apart\n", reports.Visible(name))
	}
	if v := walk.Vetoed(); v != nil {
		fmt.Fprintf(w, "the operation is refused, with exit status 1, by %s\n", reports.Visible(v.Name))
		return
	}
	fmt.Fprintln(w, "the operation goes through")
}
