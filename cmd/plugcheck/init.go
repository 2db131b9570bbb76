package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A start is a plugin that init can write, a template of its own.
type start struct {
	wire, lang string
	before     string // what is to be done before it can be judged
	run        string
}

var starts = []start{
	{"jsonl", "python", "", "plugcheck run --features DIR/features DIR"},
	{"jsonl", "node", "", "plugcheck run --features DIR/features DIR"},
	{"jsonrpc", "python", "", "plugcheck run --features DIR/features DIR"},
	{"jsonrpc", "node", "", "plugcheck run --features DIR/features DIR"},
	{"veto", "python", "", "plugcheck run --features DIR/features DIR"},
	{"veto", "sh", "", "plugcheck run --features DIR/features DIR"},
	{"literal", "node", "", "plugcheck run --features DIR/features DIR"},
	{"jsonl", "go", "(cd DIR && go build -o plugin .)", "plugcheck run --features DIR/features DIR"},
}

func newInit() *cobra.Command {
	var wire, lang string
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a small plugin that passes, to go on from",
		Long: `Write a small plugin that passes, to go on from: with its manifest, a plugcheck.toml, a scenario of your own and a workflow
for continuous integration. The folder must not be there yet.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(starts, func(s start) bool { return s.wire == wire && (s.lang == lang || lang == "") })
			if i < 0 {
				return fmt.Errorf("there is no plugin to go on from for --wire %s --lang %s; there are %s", wire, lang, pairs())
			}
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			name := filepath.Base(dir)
			if !packName.MatchString(name) {
				return fmt.Errorf("%q is no name of a plugin: lower-case words with hyphens between them, such as line-counter", name)
			}
			files, err := writeTemplate("init/"+starts[i].wire+"-"+starts[i].lang, args[0], "NAME", name, "DIR", dir)
			if err != nil {
				return err
			}
			for _, f := range files {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			how := starts[i].run
			if starts[i].before != "" {
				how = starts[i].before + " && " + how
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "judge it with: %s\n", strings.ReplaceAll(how, "DIR", args[0]))
			return err
		},
	}
	cmd.Flags().StringVar(&wire, "wire", "jsonl", "a plugin of this `WIRE`")
	cmd.Flags().StringVar(&lang, "lang", "", "written in this `LANGUAGE` (default: the first that there is)")
	return cmd
}

func pairs() string {
	var list []string
	for _, s := range starts {
		list = append(list, s.wire+" in "+s.lang)
	}
	return strings.Join(list, ", ")
}
