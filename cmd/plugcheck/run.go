package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"

	"plugcheck/contracts"
	"plugcheck/harness"
	"plugcheck/harness/plugintest"
	"plugcheck/reports"
)

// runFlags are the flags of plugcheck run.
type runFlags struct {
	sample, wire, config, level, waivers, shard string
	formats, packs                              []string
	noColor, quiet, verbose                     bool
	self                                        bool   // the built-in rewriter is judged
	laid                                        string // the folder of the sample
	options                                     harness.Options
}

func newRun() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run [flags] [PATH…] [-- COMMAND ARG…]",
		Short: "Judge plugins by the contracts that they declare",
		Long: `Judge plugins by the contracts that they declare.

PATH is an executable, a plugin's folder, a manifest, or a folder of plugins' folders; without one it is the folder
you stand in. A command with arguments goes behind "--".

The exit status is 0 when every plugin is conformant, 1 when one is not, 2 for wrong usage and whenever nothing was
shown, and 130 when the run was interrupted.`,
		Example: "  plugcheck run --sample jsonrpc\n  plugcheck run ./my-plugin\n  plugcheck run --only 'rename.*' --format json=report.json ./my-plugin\n  plugcheck run -- python3 my_plugin.py",
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	f.addShared(flags)
	flags.StringVar(&f.sample, "sample", "", "judge the built-in reference plugins of a `wire`: "+strings.Join(harness.WireNames(), ", "))
	flags.StringVar(&f.wire, "wire", "", "take the plugins for ones of this `wire`, whatever they look like")
	flags.StringVar(&f.options.AsOf, "as-of", "", "leave out the checks that were added after this `VERSION` of plugcheck")
	flags.BoolVar(&f.options.Strict, "strict", false, "count the checks that were added to contracts which were out already")
	flags.StringArrayVar(&f.packs, "contracts", nil, "judge by the contract packs of this `DIR` too; may be repeated")
	flags.StringVar(&f.options.Features, "features", "", "a `DIR` of scenarios of your own")
	flags.StringVar(&f.config, "config", "", "the `FILE` that configures the plugin (default: plugcheck.toml beside it)")
	flags.StringVar(&f.options.Transcripts, "transcripts", "", "write every exchange into this `DIR`")
	flags.StringVar(&f.options.Lock, "lock", "", "a `COMMAND` that must pass in the workspace before and after a rename")
	flags.StringVar(&f.options.MaxRisk, "max-risk", harness.DefaultMaxRisk, "call no tool of a JSON-RPC plugin whose risk_level is above this: "+strings.Join(harness.Risks, ", "))
	flags.StringVar(&f.shard, "shard", "", "run part `I/N` of the checks, I from 1 (default: from TEST_SHARD_INDEX and TEST_TOTAL_SHARDS, or JOB_COMPLETION_INDEX and JOB_COMPLETIONS)")
	cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
	return cmd
}

// addShared adds the flags that everything has which drives plugins and reports.
func (f *runFlags) addShared(flags *pflag.FlagSet) {
	f.report(flags)
	flags.DurationVar(&f.options.Timeout, "timeout", 0, "wait no longer than this for one answer (default: the manifest's timeout_secs, and 5s where there is none)")
	flags.IntVarP(&f.options.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "how many exchanges run side by side")
	flags.Uint64Var(&f.options.Seed, "seed", 0, "draw what the properties try from this seed (default: a new one)")
	flags.IntVar(&f.options.Checks, "checks", harness.DefaultChecks, "how often each property is tried")
	flags.IntVar(&f.options.Repeat, "repeat", 1, "run everything this often; a check that comes out differently is flaky")
	flags.StringVar(&f.waivers, "waivers", "", "a `FILE` of known failures that are accepted")
}

// report adds the flags that say what is judged and how it is told.
func (f *runFlags) report(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.formats, "format", nil, "report as `FORMAT[=FILE]`: pretty, json or junit; may be repeated (default pretty)")
	flags.StringVar(&f.level, "level", "must", "the level that fails the run: must, should or may")
	flags.StringArrayVar(&f.options.Contracts, "contract", nil, "only the checks of this contract, `NAME[@VERSION]`; may be repeated")
	flags.StringArrayVar(&f.options.Only, "only", nil, "only the checks whose id matches this `GLOB`; may be repeated")
	flags.StringArrayVar(&f.options.Skip, "skip", nil, "not the checks whose id matches this `GLOB`; may be repeated")
	flags.BoolVar(&f.noColor, "no-color", false, "no colours")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "only failures and verdicts")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also how many exchanges each check saw, and how long it took")
}

func (f *runFlags) run(cmd *cobra.Command, args []string) error {
	return f.judge(cmd, func() ([]*harness.Target, error) {
		if f.sample == "" {
			return f.targets(args, cmd.ArgsLenAtDash())
		}
		dir, err := os.MkdirTemp("", "plugcheck-sample-")
		if err != nil {
			return nil, err
		}
		f.laid = dir
		if args, err = f.laySample(dir, args, cmd.ArgsLenAtDash()); err != nil {
			return nil, err
		}
		return f.targets(args, -1)
	})
}

// judge runs the checks over targets and reports.
func (f *runFlags) judge(cmd *cobra.Command, find func() ([]*harness.Target, error)) error {
	// A reader that has gone must not end the kit before it has tidied up. The
	// signal is caught and not ignored: plugins would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	outputs, err := f.outputs()
	if err != nil {
		return err
	}
	if err := f.settle(); err != nil {
		return err
	}
	targets, err := find()
	if f.laid != "" {
		defer os.RemoveAll(f.laid)
	}
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	progress := f.progress(cmd.ErrOrStderr())
	f.options.Version, f.options.Command = version, f.reproduce
	report, err := harness.Run(ctx, targets, f.options)
	progress.Stop()
	if err != nil {
		return err
	}
	return f.tell(cmd.OutOrStdout(), outputs, report)
}

// tell writes the report in each format, and ends with its status.
func (f *runFlags) tell(stdout io.Writer, outputs []output, report *reports.Report) error {
	for _, o := range outputs {
		if err := o.write(stdout, report, f); err != nil {
			return err
		}
	}
	if status := report.ExitStatus(); status != 0 {
		return exitStatus(status)
	}
	return nil
}

// gate turns the level's word into what fails a run.
func (f *runFlags) gate() error {
	if err := f.options.Gate.UnmarshalText([]byte(strings.ToUpper(f.level))); err != nil {
		return fmt.Errorf("--level %s: it is must, should or may", f.level)
	}
	return nil
}

// settle turns the flags that are words into what they mean.
func (f *runFlags) settle() error {
	if err := f.gate(); err != nil {
		return err
	}
	if f.options.Jobs < 1 || f.options.Checks < 1 || f.options.Repeat < 1 {
		return errors.New("--jobs, --checks and --repeat are at least 1")
	}
	if most := f.options.MaxRisk; most != "" && !slices.Contains(harness.Risks, most) {
		return fmt.Errorf("--max-risk %s: it is one of %s", f.options.MaxRisk, strings.Join(harness.Risks, ", "))
	}
	if f.options.AsOf != "" && !semver.IsValid("v"+f.options.AsOf) {
		return fmt.Errorf("--as-of %s: it is a version of plugcheck, such as %s", f.options.AsOf, version)
	}
	if f.options.Timeout < 0 {
		return errors.New("--timeout is a time to wait, such as 5s")
	}
	var err error
	if f.options.Packs, err = openPacks(f.packs); err != nil {
		return err
	}
	if f.waivers != "" {
		catalogue, err := harness.BuiltIn()
		if err != nil {
			return err
		}
		if catalogue, err = catalogue.WithPacks(f.options.Packs); err != nil {
			return err
		}
		if f.options.Waivers, err = harness.LoadWaivers(f.waivers, catalogue); err != nil {
			return err
		}
	}
	f.options.Shard, err = shard(f.shard, os.Getenv)
	return err
}

// openPacks opens the contract packs of some folders. They stay open for the run.
func openPacks(folders []string) ([]*contracts.Pack, error) {
	var packs []*contracts.Pack
	for _, folder := range folders {
		found, err := contracts.OpenPacks(folder)
		if err != nil {
			return nil, err
		}
		packs = append(packs, found...)
	}
	return packs, nil
}

// shard reads I/N, or the variables that Bazel and Kubernetes set.
func shard(text string, getenv func(string) string) (harness.Shard, error) {
	index, total, from := "", "", ""
	base := 0
	switch {
	case text != "":
		index, total, _ = strings.Cut(text, "/")
		from, base = "--shard "+text, 1
	case getenv("TEST_TOTAL_SHARDS") != "":
		index, total, from = getenv("TEST_SHARD_INDEX"), getenv("TEST_TOTAL_SHARDS"), "TEST_SHARD_INDEX and TEST_TOTAL_SHARDS"
		if file := getenv("TEST_SHARD_STATUS_FILE"); file != "" { // tells Bazel that sharding is understood
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				return harness.Shard{}, err
			}
		}
	case getenv("JOB_COMPLETION_INDEX") != "" && getenv("JOB_COMPLETIONS") != "":
		index, total, from = getenv("JOB_COMPLETION_INDEX"), getenv("JOB_COMPLETIONS"), "JOB_COMPLETION_INDEX and JOB_COMPLETIONS"
	default:
		return harness.Shard{}, nil
	}
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(total)
	if err1 != nil || err2 != nil || n < 1 || i < base || i >= n+base {
		return harness.Shard{}, fmt.Errorf("%s: wanted part I of N, with I from %d to %d", from, base, max(n, 1)-1+base)
	}
	return harness.Shard{Index: i - base, Total: n}, nil
}

func (f *runFlags) laySample(dir string, args []string, dash int) ([]string, error) {
	if len(args) > 0 || dash >= 0 {
		return nil, errors.New("--sample brings its own plugins: leave the path out")
	}
	return []string{dir}, plugintest.Sample(f.sample, dir)
}

func (f *runFlags) targets(args []string, dash int) ([]*harness.Target, error) {
	var targets []*harness.Target
	paths := args
	if dash >= 0 {
		paths = args[:dash]
		if len(args) == dash {
			return nil, errors.New("behind -- stands no command")
		}
		t, err := harness.Command(args[dash:], f.wire, f.config)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	} else if len(paths) == 0 {
		paths = []string{"."}
	}
	found, err := harness.Discover(paths, f.wire, f.config)
	return append(found, targets...), err
}

// output is one --format.
type output struct {
	format reports.Format
	file   string
}

func (f *runFlags) outputs() ([]output, error) {
	if len(f.formats) == 0 {
		f.formats = []string{"pretty"}
	}
	var list []output
	toStdout := 0
	for _, text := range f.formats {
		name, file, toFile := strings.Cut(text, "=")
		format, err := reports.Find(name)
		if err != nil {
			return nil, err
		}
		if toFile && file == "" {
			return nil, fmt.Errorf("--format %s names no file", text)
		}
		if file == "" {
			toStdout++
		}
		list = append(list, output{format, file})
	}
	if toStdout > 1 {
		return nil, errors.New("only one --format can go to standard output; give the others a file: --format json=report.json")
	}
	return list, nil
}

func (o output) write(stdout io.Writer, report *reports.Report, f *runFlags) error {
	options := reports.Options{Width: reports.DefaultWidth, Quiet: f.quiet, Verbose: f.verbose}
	if o.file == "" {
		if terminal, ok := stdout.(*os.File); ok {
			if width := reports.TerminalWidth(terminal); width > 0 {
				options.Width = width
				options.Color = !f.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
			}
		}
		return o.format.Write(stdout, report, options)
	}
	if err := os.MkdirAll(filepath.Dir(o.file), 0o755); err != nil {
		return err
	}
	file, err := os.Create(o.file)
	if err != nil {
		return err
	}
	return errors.Join(o.format.Write(file, report, options), file.Close())
}

// progress shows a live line where standard error is a terminal.
func (f *runFlags) progress(stderr io.Writer) *reports.Progress {
	width := 0
	if terminal, ok := stderr.(*os.File); ok && !f.quiet && os.Getenv("TERM") != "dumb" {
		width = reports.TerminalWidth(terminal)
	}
	p := reports.NewProgress(stderr, width)
	f.options.Progress = harness.Progress{Start: p.Start, Begin: p.Begin, Done: p.Done}
	return p
}

// reproduce is the command that runs some checks of one plugin again.
func (f *runFlags) reproduce(t *harness.Target, seed uint64, only []string, level reports.Level) string {
	words := []string{"plugcheck", "run"}
	if t.JudgesRewriter() {
		words[1] = "rewriter"
	}
	for _, id := range only {
		words = append(words, "--only", id)
	}
	if level > reports.Must {
		words = append(words, "--level", strings.ToLower(level.String())) // so that the failure counts
	}
	words = append(words, "--seed", strconv.FormatUint(seed, 10))
	if f.options.Checks != harness.DefaultChecks {
		words = append(words, "--checks", strconv.Itoa(f.options.Checks))
	}
	if f.options.Timeout > 0 {
		words = append(words, "--timeout", f.options.Timeout.String())
	}
	if f.options.Strict {
		words = append(words, "--strict")
	}
	for _, dir := range f.packs {
		words = append(words, "--contracts", dir)
	}
	if most := f.options.MaxRisk; most != "" && most != harness.DefaultMaxRisk {
		words = append(words, "--max-risk", f.options.MaxRisk)
	}
	for _, flag := range []struct{ name, value string }{{"--config", f.config}, {"--features", f.options.Features}, {"--lock", f.options.Lock}, {"--wire", f.wire}} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	switch {
	case f.self:
		words = append(words, "--self")
	case f.sample != "":
		words = append(words, "--sample", f.sample)
	case t.Command != nil:
		words = append(append(words, "--"), t.Command...)
	case strings.HasPrefix(t.Path, "-"):
		words = append(words, "./"+t.Path)
	default:
		words = append(words, t.Path)
	}
	for i, w := range words {
		words[i] = shellQuote(w)
	}
	return strings.Join(words, " ")
}

func shellQuote(w string) string {
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '/' || r == '=' || r == ':' || r == '+' || r == ',' || r == '@' ||
			'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) {
		return w
	}
	if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsPrint(r) }) {
		// Only so can it be shown and pasted.
		return "$'" + strings.ReplaceAll(strings.Trim(strconv.QuoteToASCII(w), `"`), "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
