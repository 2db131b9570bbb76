package reports_test

import (
	"strings"
	"time"

	"plugcheck/reports"
)

// cases is the table every format is held against.
func cases() map[string]*reports.Report {
	all := map[string]*reports.Report{
		"pass":         run(reports.Must, plugin("tidy-rename", passing("wire.greeting"), passing("rename.exact"))),
		"one-cause":    run(reports.Must, plugin("tidy-rename", oneCause()...)),
		"levels":       run(reports.Should, plugin("tidy-rename", levels()...)),
		"below-gate":   run(reports.Must, plugin("tidy-rename", passing("wire.greeting"), failing("rename.quick", reports.Should), belowGate())),
		"mixed-cause":  run(reports.Must, plugin("tidy-rename", mixedCause()...)),
		"untested":     run(reports.Must, plugin("tidy-rename", passing("wire.greeting"), with("rename.exact", reports.StatusUntested, "the plugin ended before this check began"), with("rename.bom", reports.StatusUntested, "the plugin ended before this check began"))),
		"skipped":      run(reports.Must, plugin("tidy-rename", passing("wire.greeting"), with("wire.signals", reports.Skip, "Windows has no signals"))),
		"all-skipped":  run(reports.Must, plugin("tidy-rename", with("wire.signals", reports.Skip, "Windows has no signals"))),
		"waived":       run(reports.Must, plugin("tidy-rename", passing("wire.greeting"), with("rename.bom", reports.Waived, "waivers.toml: our editor writes no byte order mark, until 2027-01-01"))),
		"kit-error":    run(reports.Must, plugin("tidy-rename", passing("wire.greeting"))),
		"interrupted":  run(reports.Must, plugin("tidy-rename", passing("wire.greeting"), with("rename.exact", reports.StatusUntested, "the run was interrupted"))),
		"no-plugin":    run(reports.Must),
		"no-checks":    run(reports.Must, plugin("tidy-rename")),
		"hostile":      run(reports.Must, hostile()),
		"flaky":        run(reports.Must, plugin("tidy-rename", flaky())),
		"two-plugins":  run(reports.Must, plugin("tidy-rename", passing("wire.greeting"), passing("rename.exact")), plugin("hasty-rename", passing("wire.greeting"), failing("rename.exact", reports.Must))),
		"diff":         run(reports.Must, plugin("tidy-rename", diff())),
		"long":         run(reports.Must, plugin("tidy-rename", long())),
		"posing":       run(reports.Must, posing(), posing()),
		"undescribed":  run(reports.May, reports.Plugin{Checks: []reports.Check{{Status: reports.Fail}, {Status: reports.Fail}}}),
		"plugin-error": run(reports.Must, plugin("tidy-rename", passing("wire.greeting"))),
	}
	all["kit-error"].Errors = []string{"write /tmp/plugcheck-1/a.txt: no space left on device"}
	all["plugin-error"].Plugins[0].Errors = []string{"start ./tidy-rename: permission denied"}
	all["interrupted"].Interrupted = true
	guessed := &all["pass"].Plugins[0]
	guessed.Guess = "it answered a JSON line with a JSON line"
	guessed.Notes = []string{"the manifest names no licence"}
	for _, r := range all {
		r.Settle(r.Gate)
	}
	return all
}

func run(gate reports.Level, plugins ...reports.Plugin) *reports.Report {
	return &reports.Report{
		Schema: reports.Schema, Tool: reports.Tool{Name: "plugcheck", Version: "0.1.0"},
		Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), DurationMS: 2140, Seed: 42,
		Gate: gate, Plugins: plugins,
	}
}

func plugin(name string, checks ...reports.Check) reports.Plugin {
	return reports.Plugin{
		Path: "./plugins/" + name, Name: name, Version: "1.2.0", Wire: "jsonl", Checks: checks,
		Contracts: []reports.Contract{{Name: "jsonl-exchange", Version: "1.0"}, {Name: "rename-symbol", Version: "1.0"}},
		Compatibility: []reports.Compatibility{
			{Contract: "jsonl-exchange", Major: 1, Version: "1.0"}, {Contract: "rename-symbol", Major: 1, Version: "1.0"},
			{Contract: "rename-symbol", Major: 2, Version: "2.0", Verdict: "incompatible", Message: "files[0].path: wanted a URI, got a path"}},
	}
}

var titles = map[string]string{
	"wire.greeting":    "The first line answers the first request",
	"wire.one-line":    "Every response is one line of JSON",
	"wire.signals":     "The plugin ends when it is asked to",
	"rename.exact":     "The patch renames the symbol and nothing else",
	"rename.bom":       "A byte order mark survives the patch",
	"rename.quick":     "A rename in a small workspace takes less than a second",
	"rename.reason":    "A refusal names one of the known reasons",
	"rename.no-ending": "A missing final newline stays missing",
}

func with(id string, status reports.Status, message string) reports.Check {
	contract := "rename-symbol@1.0"
	if strings.HasPrefix(id, "wire.") {
		contract = "jsonl-exchange@1.0"
	}
	return reports.Check{
		ID: id, Title: titles[id], Contract: contract, Status: status, Message: message,
		Spec: "spec/" + contract + " §3", Reproduce: "plugcheck run --only " + id + " --seed 42 ./plugins/tidy-rename",
	}
}

func passing(id string) reports.Check {
	k := with(id, reports.Pass, "")
	k.Exchanges, k.DurationMS = 3, 120
	return k
}

func failing(id string, level reports.Level) reports.Check {
	k := with(id, reports.Fail, "The response says ok and carries no patch.")
	k.Level, k.Exchanges, k.DurationMS = level, 1, 12
	k.Expected, k.Got = `{"id":1,"ok":true,"patch":"…"}`, `{"id":1,"ok":true}`
	k.Why = "The host has nothing to apply, and the editor tells its user that the rename is done although no file has changed at all."
	k.Fix = `Add the "patch" field: a unified diff against the workspace, empty only where "ok" is false.`
	k.Transcript = []reports.Line{
		{MS: 0, From: "host", Data: `{"id":1,"method":"rename","to":"count"}` + "\n"},
		{MS: 11.42, From: "stderr", Data: "renaming…\n"},
		{MS: 12.1, From: "plugin", Data: `{"id":1,"ok":true}` + "\n"},
		{MS: 13, From: "exit", Data: "exit status 0"},
	}
	return k
}

func oneCause() []reports.Check {
	reason := failing("wire.one-line", reports.Must)
	reason.Cause = "wire.one-line/pretty-printed"
	reason.Message = "The response takes three lines.\nThe host reads the first and waits for its end forever."
	first, last := failing("wire.greeting", reports.Must), failing("rename.bom", reports.Should)
	first.Cause, last.Cause = reason.Cause, reason.Cause
	return []reports.Check{first, reason, passing("rename.exact"), last, failing("rename.no-ending", reports.Must)}
}

// mixedCause is a reason that does not count itself and makes one fail that does.
func mixedCause() []reports.Check {
	light, reason, heavy := failing("rename.bom", reports.May), failing("rename.quick", reports.Should), failing("rename.exact", reports.Must)
	reason.Cause, heavy.Cause = "rename.quick/slow", "rename.quick/slow"
	return []reports.Check{light, reason, heavy}
}

func belowGate() reports.Check {
	k := with("rename.reason", reports.StatusUntested, "the plugin never refused")
	k.Level = reports.May
	return k
}

func levels() []reports.Check {
	return []reports.Check{failing("rename.reason", reports.May), failing("rename.quick", reports.Should),
		failing("rename.exact", reports.Must), passing("wire.greeting")}
}

func flaky() reports.Check {
	k := passing("rename.exact")
	k.Flaky, k.Notes = true, []string{"3 of 20 repetitions failed"}
	return k
}

func diff() reports.Check {
	k := failing("rename.exact", reports.Must)
	k.Diff = "@@ -1,2 +1,2 @@\n func main() {\n-\tcount++\n+\ttotal++\n"
	return k
}

func long() reports.Check {
	k := failing("rename.exact", reports.Must)
	k.Got = "x" + strings.Repeat("é", 1000) + "\n"
	k.Expected = "two\nlines\n"
	k.Transcript = []reports.Line{
		{From: "host", Data: strings.Repeat("request ", 1000), Omitted: 4096},
		{From: "plugin", Data: "short", Omitted: 7},
		{From: "plugin", Data: `caf\xe9 \\`, Escaped: true},
		{From: "plugin", Data: "a\r\nb  \r\nc  \n"},
	}
	for range 50 {
		k.Transcript = append(k.Transcript, reports.Line{MS: 1234.5, From: "stderr", Data: "tick\n"})
	}
	return k
}

const nasty = "\x1b[2J\x1b]0;owned\a\x00 caf\xe9 \u202eevil\u2069 \u009b31m ]]> <b>&amp;\ufffe\rx\nconformant: 99 checks passed (0.0s)"

func hostile() reports.Plugin {
	k := failing("rename.exact", reports.Must)
	k.Message, k.Expected, k.Got, k.Title = nasty, nasty, nasty, nasty
	k.Transcript = []reports.Line{{From: "plugin", Data: nasty}, {From: "stderr", Data: nasty}}
	p := plugin("tidy-rename", k)
	p.Name, p.Version = nasty, nasty
	return p
}

// posing is a plugin that calls itself conformant.
func posing() reports.Plugin {
	k := failing("rename.exact", reports.Must)
	k.Message = "conformant: 99 checks passed (0.0s)"
	p := plugin("conformant: 99 checks passed (0.0s)", k)
	p.Guess, p.Notes, p.Version = k.Message, []string{k.Message}, ""
	return p
}
