package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"plugcheck/contracts"
	"plugcheck/harness"
	"plugcheck/reports"
)

func newContracts() *cobra.Command {
	cmd := &cobra.Command{
		Use: "contracts", Short: "List, show and compare the contracts that plugins are judged by", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the contracts and their versions", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return listContracts(cmd.OutOrStdout()) }},
		&cobra.Command{Use: "show NAME[@VERSION]", Short: "Show what a contract asks for", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return showContract(cmd.OutOrStdout(), args[0]) }},
		&cobra.Command{Use: "check DIR", Short: "Judge a contract pack of your own", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return checkPacks(cmd.OutOrStdout(), args[0]) }},
		&cobra.Command{Use: "init NAME", Short: "Write a contract pack to go on from, into the folder NAME/1.0", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return initPack(cmd.OutOrStdout(), args[0]) }},
		newContractsDiff())
	return cmd
}

func listContracts(out io.Writer) error {
	all, err := contracts.All()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range all {
		row(w, c.ID(), c.Wire, c.Title)
	}
	return w.Flush()
}

func showContract(out io.Writer, request string) error {
	c, err := contracts.Get(request)
	if err != nil {
		return err
	}
	catalogue, err := harness.BuiltIn()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s  wire %s\n%s\n%s\n", c.ID(), c.Wire, c.Title, c.Spec)
	section := func(title string, n int) {
		if n > 0 {
			w.Flush()
			fmt.Fprintf(out, "\n%s\n", title)
		}
	}
	section("Limits", len(c.Limits))
	for _, name := range slices.Sorted(maps.Keys(c.Limits)) {
		row(w, "  "+name, fmt.Sprint(c.Limits[name]))
	}
	section("Messages", len(c.Messages()))
	for _, name := range c.Messages() {
		from := "the plugin writes it"
		if c.HostWrites(name) {
			from = "the host writes it"
		}
		row(w, "  "+name, from)
	}
	section("Arguments", len(c.Arguments))
	for _, a := range c.Arguments {
		row(w, "  "+a.Name, a.Meaning)
	}
	section("Reason codes", len(c.ReasonCodes))
	for _, r := range c.ReasonCodes {
		row(w, "  "+r.Code, r.Meaning)
	}
	section("Checks", 1)
	for _, k := range catalogue.Checks {
		if k.Contract == c.ID() {
			row(w, "  "+k.ID, string(k.Level), k.Title)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s", c.README)
	return err
}

func checkPacks(out io.Writer, folder string) error {
	packs, err := contracts.OpenPacks(folder)
	if err != nil {
		return err
	}
	for _, p := range packs {
		sum, err := harness.CheckPack(p)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s, %s, %s, %s: the pack is sound\n", sum.ID, count(sum.Checks, "check"), count(sum.Cases, "case"), count(sum.Examples, "example"), count(sum.Exchanges, "exchange"))
	}
	return nil
}

// packName is what a contract can be called: it is part of ids, tags and folders.
var packName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func initPack(out io.Writer, name string) error {
	if !packName.MatchString(name) {
		return fmt.Errorf("%q is no name of a contract: lower-case words with hyphens between them, such as sort-imports", name)
	}
	files, err := writeTemplate("pack", filepath.Join(name, "1.0"), "NAME", name)
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(out, f)
	}
	_, err = fmt.Fprintf(out, "judge it with: plugcheck contracts check %s\n", filepath.Join(name, "1.0"))
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func newContractsDiff() *cobra.Command {
	var gate, asJSON bool
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Tell what changed between two versions of a contract, and for whom",
		Long: `Tell what changed between two versions of a contract, and for whom: what breaks hosts or plugins that keep the old one,
what only adds, and what is a matter of words; and which step of the version number that asks for.

OLD and NEW are a contract's folder, NAME@VERSION, or a folder in a git revision such as main:contracts/x/1.0.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := readContract(args[0])
			if err != nil {
				return err
			}
			to, err := readContract(args[1])
			if err != nil {
				return err
			}
			d := contracts.Compare(from, to)
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				err = enc.Encode(d)
			} else {
				err = printDiff(cmd.OutOrStdout(), d)
			}
			if err == nil && gate && !d.Enough {
				return exitStatus(1)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&gate, "gate", false, "exit with 1 when the version number does not say what changed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printDiff(out io.Writer, d contracts.Diff) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s -> %s\n", reports.Visible(d.Old), reports.Visible(d.New))
	if len(d.Changes) > 0 {
		row(w, "HOSTS", "PLUGINS", "WHAT")
	}
	for _, c := range d.Changes {
		row(w, c.Hosts.String(), c.Plugins.String(), c.Place+": "+c.What)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	said := map[string]string{"none": "no step", "minor": "a minor step", "major": "a major step", "back": "a step back"}
	verdict := "enough"
	if !d.Enough {
		verdict = "not enough"
	}
	_, err := fmt.Fprintf(out, "the changes need %s, and the version makes %s: %s\n", said[d.Needs], said[d.Has], verdict)
	return err
}

// readContract takes a folder, a version that is embedded, or a folder in git.
func readContract(arg string) (*contracts.Contract, error) {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return named(arg)(contracts.Load(os.DirFS(arg), "."))
	}
	if revision, folder, ok := strings.Cut(arg, ":"); ok && revision != "" {
		fsys, err := gitFolder(revision, folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
		return named(arg)(contracts.Load(fsys, "."))
	}
	return contracts.Get(arg)
}

// named says of an error where it happened.
func named(arg string) func(*contracts.Contract, error) (*contracts.Contract, error) {
	return func(c *contracts.Contract, err error) (*contracts.Contract, error) {
		if err != nil {
			err = fmt.Errorf("%s: %w", arg, err)
		}
		return c, err
	}
}

// gitFolder reads the files of a folder as they are in a revision.
func gitFolder(revision, folder string) (fs.FS, error) {
	if strings.HasPrefix(revision, "-") {
		return nil, fmt.Errorf("%q is no revision", revision)
	}
	var log bytes.Buffer
	cmd := exec.Command("git", "archive", "--format=tar", revision+":"+strings.TrimSuffix(folder, "/"))
	cmd.Stderr = &log
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return nil, fmt.Errorf("git: %s", strings.TrimSpace(log.String()))
	case err != nil:
		return nil, err
	}
	files := fstest.MapFS{}
	for r := tar.NewReader(bytes.NewReader(out)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files[h.Name] = &fstest.MapFile{Data: data}
	}
}
