package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"plugcheck/reports"
	"plugcheck/validator/literal"
	"plugcheck/validator/patch"
	"plugcheck/validator/rewriter"
)

func newLiteral() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "literal",
		Short: "Find, rewrite, format and classify manifests of JavaScript plugins",
		Long: `Find, rewrite, format and classify manifests of JavaScript plugins, as a host does.

FILE is a JavaScript module, or - for standard input. The exit status is 1 where its manifest is not pure data, where it
cannot be changed as asked, and where --check finds another style; 2 for wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLiteralFind(), newLiteralRewrite(), newLiteralFormat(), newLiteralClassify(), newLiteralConfirm())
	return cmd
}

// maxModule bounds what is read; a real plugin has some kilobytes.
const maxModule = 16 << 20

// readModule reads a file, or standard input for "-".
func readModule(cmd *cobra.Command, name string) ([]byte, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxModule+1))
	if err == nil && len(text) > maxModule {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxModule>>20)
	}
	return text, err
}

// refused prints why a manifest cannot be read or changed, and exits with 1. Any
// other error is wrong usage.
func refused(cmd *cobra.Command, name string, err error) error {
	var e *literal.Error
	if !errors.As(err, &e) {
		return err
	}
	return complain(cmd, name, e.Line, e.Column, fmt.Sprintf("%s (%s)", e.Message, e.Code))
}

// complain says something about a place in a file, as compilers do.
func complain(cmd *cobra.Command, name string, line, column int, message string) error {
	if line > 0 {
		name = fmt.Sprintf("%s:%d:%d", name, line, column)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), reports.Visible(name+": "+message))
	return exitStatus(1)
}

func newLiteralFind() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "find FILE", Short: "Find the manifest: its span, its place and what it says", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := readModule(cmd, args[0])
			if err != nil {
				return err
			}
			m, err := literal.Find(source)
			if err != nil {
				return refused(cmd, args[0], err)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), rewriter.Found{Start: m.Start, End: m.End, Line: m.Line, Column: m.Column, Value: m.Value})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "bytes %d to %d, line %d, column %d\n%s\n", m.Start, m.End, m.Line, m.Column, reports.Visible(literal.Write(m.Value, "", "\n")))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func writeJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func newLiteralRewrite() *cobra.Command {
	var onError string
	var match, set []string
	var diff, write bool
	cmd := &cobra.Command{
		Use:   "rewrite FILE",
		Short: "Change on_error, match and values of settings, and no other byte",
		Example: `  plugcheck literal rewrite --on-error skip --set tone=friendly plugin.js
  plugcheck literal rewrite --match 'models=claude-*,gpt-*' -w plugin.js`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := readModule(cmd, args[0])
			if err != nil {
				return err
			}
			m, err := literal.Find(source)
			if err != nil {
				return refused(cmd, args[0], err)
			}
			c, err := change(m.Value, cmd.Flags().Changed("on-error"), onError, match, set)
			if err != nil {
				return err
			}
			out, err := literal.Rewrite(source, c)
			if err != nil {
				return refused(cmd, args[0], err)
			}
			return put(cmd, args[0], source, out, diff, write)
		},
	}
	cmd.Flags().StringVar(&onError, "on-error", "", "what becomes of a request on which the plugin fails: `reject` or skip")
	cmd.Flags().StringArrayVar(&match, "match", nil, "the globs of a list: `LIST=GLOB,…`, with clients, models or upstreams; may be repeated")
	cmd.Flags().StringArrayVar(&set, "set", nil, "the value of a setting: `KEY=VALUE`, read by the setting's type; may be repeated")
	cmd.Flags().BoolVar(&diff, "diff", false, "print a diff in place of the source")
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the file in place of printing it")
	cmd.MarkFlagsMutuallyExclusive("diff", "write")
	return cmd
}

// change reads what the flags ask for.
func change(m literal.Value, hasOnError bool, onError string, match, set []string) (literal.Change, error) {
	var c literal.Change
	if hasOnError {
		c.OnError = &onError
	}
	for _, text := range match {
		name, globs, ok := strings.Cut(text, "=")
		if !ok {
			return c, fmt.Errorf("--match %s: it is LIST=GLOB,…", text)
		}
		if c.Match == nil {
			c.Match = map[string][]string{}
		}
		if globs == "" {
			c.Match[name] = []string{}
		} else {
			c.Match[name] = append(c.Match[name], strings.Split(globs, ",")...)
		}
	}
	settings, _ := m.Get("settings")
	for _, text := range set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return c, fmt.Errorf("--set %s: it is KEY=VALUE", text)
		}
		setting, _ := settings.Get(name) // an unknown one is refused by Rewrite
		kind, _ := setting.Get("type")
		if c.Settings == nil {
			c.Settings = map[string]literal.Value{}
		}
		c.Settings[name] = typed(kind.String, value)
	}
	return c, nil
}

// typed reads a value by the type of its setting. What cannot be read so is a
// string, which Rewrite refuses.
func typed(kind, text string) literal.Value {
	var v literal.Value
	if kind == "string" || v.UnmarshalJSON([]byte(text)) != nil {
		return literal.Value{Kind: literal.String, String: text}
	}
	return v
}

// put prints a new source, or a diff, or writes it where the old one stands.
func put(cmd *cobra.Command, name string, source, out []byte, diff, write bool) error {
	switch {
	case diff:
		path := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "/")
		_, err := io.WriteString(cmd.OutOrStdout(), patch.Unified(path, source, out))
		return err
	case write && name == "-":
		return errors.New("-w writes a file, and standard input is none")
	case write:
		if bytes.Equal(source, out) {
			return nil
		}
		return replaceFile(name, out)
	}
	_, err := cmd.OutOrStdout().Write(out)
	return err
}

// replaceFile writes a file through another one beside it, which takes its place
// and its mode: nobody ever sees half of it. A link stays one, and what it points
// at is written.
func replaceFile(name string, text []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file that can be replaced", name)
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".plugcheck-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(info.Mode().Perm()), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func newLiteralFormat() *cobra.Command {
	var check, write bool
	cmd := &cobra.Command{
		Use: "format FILE", Short: "Write the manifest in the host's style", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := readModule(cmd, args[0])
			if err != nil {
				return err
			}
			m, err := literal.Find(source)
			if err != nil {
				return refused(cmd, args[0], err)
			}
			out, err := literal.Format(source)
			if err != nil {
				return refused(cmd, args[0], err)
			}
			if check {
				if bytes.Equal(source, out) {
					return nil
				}
				return complain(cmd, args[0], m.Line, m.Column, "the manifest is not in the host's style; --write writes it so")
			}
			return put(cmd, args[0], source, out, false, write)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only tell whether it is, with the exit status")
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the file in place of printing it")
	cmd.MarkFlagsMutuallyExclusive("check", "write")
	return cmd
}

func newLiteralClassify() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "classify OLD NEW", Short: "Tell what a save changes: same-bytes, data-only or code-change", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			old, err := readModule(cmd, args[0])
			if err != nil {
				return err
			}
			new, err := readModule(cmd, args[1])
			if err != nil {
				return err
			}
			saved, why := literal.Compare(old, new)
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), map[string]any{"change": saved, "reason": why})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", saved, reports.Visible(why))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newLiteralConfirm() *cobra.Command {
	var action, oldName, newName string
	cmd := &cobra.Command{
		Use:   "confirm --action ACTION [--old FILE] [--new FILE]",
		Short: "Tell whether a person has to confirm what is done with a plugin",
		Long: `Tell whether a person has to confirm what is done with a plugin. The exit status is 0 either way: the answer is printed.

install takes --new, enable takes --old, save and approve take both; disable, delete and reorder take neither.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var sources [2][]byte
			for i, name := range []string{oldName, newName} {
				if name == "" {
					continue
				}
				text, err := readModule(cmd, name)
				if err != nil {
					return err
				}
				sources[i] = append([]byte{}, text...) // an empty file is not none
			}
			c, err := literal.NeedsConfirmation(literal.Action(action), sources[0], sources[1])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", map[bool]string{true: "needed", false: "not needed"}[c.Needed], reports.Visible(c.Reason))
			return err
		},
	}
	cmd.Flags().StringVar(&action, "action", "", "what is done: `install`, enable, save, approve, disable, delete or reorder")
	cmd.Flags().StringVar(&oldName, "old", "", "the approved `FILE`")
	cmd.Flags().StringVar(&newName, "new", "", "the `FILE` that comes in its place")
	return cmd
}
