package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xeipuuv/gojsonschema"

	"plugcheck/harness/plugintest"
	"plugcheck/reports"
)

// asCommand is the variable that makes this test binary the command.
const asCommand = "PLUGCHECK_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"plugcheck": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Cmds: commands(), RequireExplicitExec: true, RequireUniqueNames: true})
}

// commands are what the scripts have beside testscript's own.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		// lay FAULT DIR writes a faulty plugin into a folder; "none" has no
		// fault, and a name such as "sensor" takes that reference plugin.
		"lay": func(ts *testscript.TestScript, _ bool, args []string) {
			if s, ok := plugintest.SpecimenNamed(args[0]); ok && s.Wire != "jsonl" {
				ts.Check(s.Write(ts.MkAbs(args[1])))
				return
			}
			f, ok := plugintest.Named(args[0])
			for _, p := range plugintest.References() {
				if args[0] == p.Kind {
					f, ok = plugintest.Fault{Kind: p.Kind}, true
				}
			}
			if !ok {
				ts.Fatalf("there is no fault %s", args[0])
			}
			if f.Kind == "" || f.Kind == "rename" {
				f.Languages = []string{"python"}
			}
			ts.Check(f.Write(ts.MkAbs(args[1])))
		},
		// report FILE ID STATUS… judges a JSON report by its schema, and one check in it.
		"report": func(ts *testscript.TestScript, _ bool, args []string) {
			text := []byte(ts.ReadFile(args[0]))
			result, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(reports.JSONSchema()), gojsonschema.NewBytesLoader(text))
			ts.Check(err)
			if !result.Valid() {
				ts.Fatalf("%s does not keep its schema: %v", args[0], result.Errors())
			}
			var r reports.Report
			ts.Check(json.Unmarshal(text, &r))
			for i := 1; i+1 < len(args); i += 2 {
				for _, p := range r.Plugins {
					for _, k := range p.Checks {
						if k.ID == args[i] && k.Status.String() != args[i+1] {
							ts.Fatalf("%s: %s is %s (%s), wanted %s", p.Name, k.ID, k.Status, k.Message, args[i+1])
						}
					}
				}
			}
		},
		// same A B compares two JSON reports but for what is measured.
		"same": func(ts *testscript.TestScript, _ bool, args []string) {
			var r [2]reports.Report
			for i := range r {
				ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &r[i]))
				unmeasured(&r[i])
			}
			if diff := cmp.Diff(r[0], r[1]); diff != "" {
				ts.Fatalf("%s and %s differ:\n%s", args[0], args[1], diff)
			}
		},
		// python DIR [CAPABILITY] writes the manifest of the script plugin.py in a folder.
		"python": func(ts *testscript.TestScript, _ bool, args []string) {
			manifest := fmt.Sprintf("name = %q\nversion = \"1.0\"\nkind = \"actuator\"\nlanguages = [\"python\"]\ncapabilities = [%q]\nexecutable = %q\n",
				args[0], append(args[1:], "sort-imports")[0], ts.MkAbs(filepath.Join(args[0], "plugin.py")))
			ts.Check(os.WriteFile(ts.MkAbs(filepath.Join(args[0], "manifest.toml")), []byte(manifest), 0o644))
			ts.Check(os.Chmod(ts.MkAbs(filepath.Join(args[0], "plugin.py")), 0o755))
		},
		// mode FILE OCTAL looks at the permissions of a file.
		"mode": func(ts *testscript.TestScript, _ bool, args []string) {
			info, err := os.Stat(ts.MkAbs(args[0]))
			ts.Check(err)
			if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[1] {
				ts.Fatalf("%s has mode %s, wanted %s", args[0], got, args[1])
			}
		},
		// says PATTERN looks for words on stdout, however they are wrapped.
		"says": func(ts *testscript.TestScript, _ bool, args []string) {
			text := strings.Join(strings.Fields(ts.ReadFile("stdout")), " ")
			if !regexp.MustCompile(args[0]).MatchString(text) {
				ts.Fatalf("it does not say %s", args[0])
			}
		},
	}
}

var duration = regexp.MustCompile(`\d+(\.\d+)?m?s\b`)

// unmeasured takes out of a report what no two runs have in common: times, and
// how the bytes of a transcript came in pieces.
func unmeasured(r *reports.Report) {
	r.Started, r.DurationMS = time.Time{}, 0
	for i := range r.Plugins {
		for j := range r.Plugins[i].Checks {
			k := &r.Plugins[i].Checks[j]
			k.DurationMS, k.Transcript = 0, nil
			k.Message = duration.ReplaceAllString(k.Message, "#")
			for n := range k.Notes {
				k.Notes[n] = duration.ReplaceAllString(k.Notes[n], "#")
			}
		}
	}
}

// TestREADME runs every command of the README's console blocks, in their
// order, and compares what they print.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	script, ran := "cd $ROOT\n", 0
	var files strings.Builder
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		for _, c := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			command, output, _ := strings.Cut(c, "\n")
			ran++
			name := fmt.Sprintf("want%d", ran)
			if command == "go test ./..." { // this is what is running
				continue
			}
			if _, err := exec.LookPath("python3"); err != nil && strings.Contains(command, "python3") {
				t.Logf("not run, there is no python3: %s", command)
				continue
			}
			script += fmt.Sprintf("shell '%s'\nshows $WORK/%s\n", strings.ReplaceAll(command, "'", "''"), name)
			fmt.Fprintf(&files, "-- %s --\n%s\n", name, strings.TrimRight(output, "\n"))
		}
	}
	if ran < 7 {
		t.Fatalf("the README has %d commands, which is too few to be true", ran)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "readme.txtar"), []byte(script+files.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmds := commands()
	// shell runs a command line as a reader would.
	cmds["shell"] = func(ts *testscript.TestScript, _ bool, args []string) {
		err := ts.Exec("sh", "-c", args[0])
		ts.Setenv("STATUS", "0")
		if err != nil {
			ts.Setenv("STATUS", "1")
			ts.Logf("%s: %v", args[0], err)
		}
	}
	cmds["shows"] = func(ts *testscript.TestScript, _ bool, args []string) {
		got, want := ts.ReadFile("stdout")+ts.ReadFile("stderr"), ts.ReadFile(args[0])
		if !alike(want, got) {
			ts.Fatalf("the README says\n%s\nand it printed\n%s", want, got)
		}
	}
	testscript.Run(t, testscript.Params{Dir: dir, Cmds: cmds, Setup: func(env *testscript.Env) error {
		env.Setenv("ROOT", root)
		env.Setenv("HOME", os.Getenv("HOME")) // where the go command has its caches
		env.Setenv("GOBIN", filepath.Join(env.WorkDir, "bin"))
		env.Setenv("PATH", filepath.Join(env.WorkDir, "bin")+string(filepath.ListSeparator)+env.Getenv("PATH"))
		return nil
	}})
}

// alike compares line by line; a line "…" stands for any number of lines, and
// what is measured or drawn may differ.
func alike(want, got string) bool {
	measured := regexp.MustCompile(`\d+(\.\d+)?m?s\b|\d+\.\d+ ms|seed \d+|/tmp/\S+`)
	plain := func(s string) []string {
		lines := strings.Split(strings.TrimSpace(s), "\n")
		for i := range lines {
			lines[i] = strings.Join(strings.Fields(measured.ReplaceAllString(lines[i], "#")), " ")
		}
		return lines
	}
	w, g := plain(want), plain(got)
	return match(w, g)
}

func match(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "…" {
		for i := range len(got) + 1 {
			if match(want[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && want[0] == got[0] && match(want[1:], got[1:])
}
