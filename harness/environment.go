package harness

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

func keep(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return !named(kv, names) })
}

func drop(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return named(kv, names) })
}

func named(kv string, names []string) bool {
	name, _, _ := strings.Cut(kv, "=")
	return slices.Contains(names, strings.ToUpper(name))
}

// environment is small on purpose. PYTHONUNBUFFERED would hide a missing
// flush, GIT_DIR would mislead, a user's locale would change messages: none of
// what the kit itself was started with gets through but PATH.
func (s *session) environment(dirs Workdir) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dirs.Home, "TMPDIR=" + dirs.Home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8"}
	if runtime.GOOS == "windows" {
		env = append(env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"), "USERPROFILE="+dirs.Home, "TEMP="+dirs.Home, "TMP="+dirs.Home)
	}
	for k, v := range s.target.Config.Env {
		env = append(env, k+"="+v)
	}
	return env
}
