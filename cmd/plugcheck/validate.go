package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plugcheck/harness"
	"plugcheck/reports"
)

func newValidate() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "validate [flags] FILE…",
		Short: "Judge files without starting anything: manifests, messages, recordings, packs, JavaScript plugins",
		Long: `Judge files without starting anything. What a FILE is, is told by what is in it:

  a manifest, a plugin's folder or a JavaScript plugin    by the rules that look at nothing else
  a contract pack's folder                                as plugcheck contracts check does
  JSON messages, one a line or a single one               by the schemas of their contracts
  a recorded conversation of a JSON-RPC plugin            by the rules of plugcheck run, as a report; what needs a
                                                          stimulus of its own is skipped, and so is what did not occur

"-" is standard input. Findings are printed as FILE:LINE:COLUMN; the exit status is 1 where there are some.`,
		Example: "  plugcheck validate manifest.toml plugin.js\n  plugcheck record --output talk.jsonl -- ./my-plugin\n  plugcheck validate talk.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var failed exitStatus
			for _, path := range args {
				err := f.validate(cmd, path)
				var status exitStatus
				if errors.As(err, &status) {
					failed = max(failed, status)
				} else if err != nil {
					return err
				}
			}
			if failed > 0 {
				return failed
			}
			return nil
		},
	}
	f.report(cmd.Flags())
	return cmd
}

// maxValidated bounds what is read at once; messages of a whole day are less.
const maxValidated = 256 << 20

// messages are the extensions of files that hold messages and no manifest.
var messages = []string{".jsonl", ".ndjson"}

func (f *runFlags) validate(cmd *cobra.Command, path string) error {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if info.IsDir() || !slices.Contains(messages, filepath.Ext(path)) && filepath.Ext(path) != ".json" || slices.Contains(harness.ManifestNames, filepath.Base(path)) {
			j, err := harness.ValidatePath(path)
			if err != nil {
				return err
			}
			return tellFindings(cmd.OutOrStdout(), path, j)
		}
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
	text, err := io.ReadAll(io.LimitReader(in, maxValidated+1))
	if err != nil {
		return err
	}
	if len(text) > maxValidated {
		return fmt.Errorf("%s is larger than %d MiB", path, maxValidated>>20)
	}
	if harness.IsConversation(text) {
		return f.conversation(cmd, path, text)
	}
	j, err := harness.ValidateMessages(path, text)
	if err != nil {
		return err
	}
	return tellFindings(cmd.OutOrStdout(), path, j)
}

// conversation judges a recording, and reports.
func (f *runFlags) conversation(cmd *cobra.Command, path string, text []byte) error {
	outputs, err := f.outputs()
	if err != nil {
		return err
	}
	if err := f.gate(); err != nil {
		return err
	}
	f.options.Version = version
	report, err := harness.Recorded(path, bytes.NewReader(text), f.options)
	if err != nil {
		return err
	}
	return f.tell(cmd.OutOrStdout(), outputs, report)
}

// tellFindings prints findings as compilers do.
func tellFindings(out io.Writer, path string, j *harness.Judged) error {
	var b strings.Builder
	for _, x := range j.Findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s (%s)\n", reports.Visible(x.File), x.Line, x.Column, reports.Visible(x.Message), x.Check)
	}
	if len(j.Findings) == 0 {
		fmt.Fprintf(&b, "%s: %s, nothing wrong\n", reports.Visible(path), count(j.Items, j.Kind))
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return err
	}
	if len(j.Findings) > 0 {
		return exitStatus(1)
	}
	return nil
}
