package harness

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	"plugcheck/harness/prelude"
)

// A Sandbox says what a plugin may reach: it may read and run what is below the
// Read paths, write to the null device, and nothing else. Only Linux has one.
type Sandbox struct {
	Read []string
}

// SandboxAvailable returns nil if a plugin can be sandboxed here, or else why not.
func SandboxAvailable() error { return prelude.SandboxAvailable() }

// The libraries are initialized by now.
func init() { prelude.Restore() }

// A shimError is the sandbox's own failure, never the plugin's.
type shimError struct{ text string }

func (e *shimError) Error() string { return "sandbox: " + e.text }

// InstallPaths returns the paths a plugin must be able to read to run at all:
// the system's folders, its own, those its interpreter is installed in, and
// those PATH leads to. It never returns the home folder or one above it.
func InstallPaths(executable, envPATH string) []string {
	paths := []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix", "/proc", "/sys", "/dev"}
	for _, file := range resolved(executable) {
		paths = append(paths, narrow(filepath.Dir(file), file))
		for _, interpreter := range interpreters(file, envPATH) {
			for _, file := range resolved(interpreter) {
				paths = append(paths, prefix(filepath.Dir(file)), file)
			}
		}
	}
	for _, dir := range filepath.SplitList(envPATH) {
		for _, dir := range resolved(dir) {
			paths = append(paths, prefix(dir))
		}
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool {
		return !filepath.IsAbs(path) || !pathExists(path)
	})
}

// resolved returns a path as given, and also without symbolic links.
func resolved(path string) []string {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

// interpreters returns the program that a script's #! line names, and the one
// that env finds for it.
func interpreters(script, envPATH string) (found []string) {
	f, err := os.Open(script)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	if !bytes.HasPrefix(head[:n], []byte("#!")) {
		return nil
	}
	s := parseShebang(head[:n])
	found = append(found, s.interpreter)
	if program := s.program(); program != "" {
		if file := findProgram(program, envPATH); file != "" {
			found = append(found, file)
		}
	}
	return found
}

// prefix returns what a folder of programs is part of: the parent of a bin or
// shims folder.
func prefix(dir string) string {
	if base := filepath.Base(dir); base == "bin" || base == "shims" {
		return narrow(filepath.Dir(dir), dir)
	}
	return narrow(dir, "")
}

// narrow returns path, or else otherwise if the home folder is in path.
func narrow(path, otherwise string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/"
	}
	for dir := filepath.Clean(home); ; dir = filepath.Dir(dir) {
		if path == dir {
			return otherwise
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}
