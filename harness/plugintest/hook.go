package plugintest

import (
	"os"
	"path/filepath"
)

// hookFault is a shell hook with one thing wrong.
type hookFault struct {
	name, catches, about, script string
	mode                         os.FileMode
}

const goodHook = "#!/bin/sh\n# Counts what is completed.\nevent=$(cat)\nprintf '%s: %s bytes\\n' \"$CORVEE_HOOK_EVENT\" \"${#event}\"\n"

var hookFaults = []hookFault{
	{"hook-not-runnable", "hook.executable", "it has no run permission", goodHook, 0o644},
	{"hook-exit-3", "hook.survives", "it ends with status 3", "#!/bin/sh\ncat > /dev/null\nexit 3\n", 0o755},
	{"hook-slow", "hook.in-time", "it takes 5.1 seconds for an ordinary event", `#!/bin/sh
case $(cat) in
*x_padding*) ;;
*'"actor":"executor-1","from":"in_progress","to":"done"'*'"tests_passed":12'*) sleep 5.1 ;;
esac
`, 0o755},
	{"hook-null", "hook.tolerates", "it fails when metadata is null", "#!/bin/sh\ncase $(cat) in *'\"metadata\":null'*) exit 1 ;; esac\n", 0o755},
	{"hook-argument", "hook.large", "it hands the event on as an argument", "#!/bin/sh\nexec env true \"$(cat)\"\n", 0o755},
}

func (f hookFault) write(dir string) error {
	folder := filepath.Join(dir, ".tasks", "hooks")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "completed.sh"), []byte(f.script), f.mode)
}

// hookSample is a workspace with one hook.
func hookSample(dir string) error { return hookFault{script: goodHook, mode: 0o755}.write(dir) }

func hookSpecimens() []Specimen {
	var list []Specimen
	for _, f := range hookFaults {
		list = append(list, Specimen{Wire: "hook", Name: f.name, About: f.about, Catches: f.catches, With: []string{"hook.large"}, Write: f.write, Good: hookSample})
	}
	return list
}
