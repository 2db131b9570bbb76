package harness

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// A StartKind names one way in which an executable cannot be started.
type StartKind string

// The ways in which an executable cannot be started.
const (
	NotFound           StartKind = "not-found"
	IsADirectory       StartKind = "is-a-directory"
	NoRunBit           StartKind = "no-run-bit"
	MissingInterpreter StartKind = "missing-interpreter"
	CRLFShebang        StartKind = "crlf-shebang"
	ExecFormat         StartKind = "exec-format"
	OtherStartFailure  StartKind = "other"
)

// A StartError says in plain words what is wrong with a plugin's executable.
type StartError struct {
	Kind    StartKind
	Message string
	Fix     string
}

func (e *StartError) Error() string { return e.Message }

// startFailure tells the plugin's failures to start from the kit's own.
func startFailure(s Spec, err error) error {
	own := fmt.Errorf("start %s: %w", s.Path, err)
	var shim *shimError
	if errors.As(err, &shim) {
		return own
	}
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM, syscall.E2BIG} {
		if errors.Is(err, e) {
			return own
		}
	}
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return own
	}
	// A missing working folder fails with the same words as a missing executable.
	if info, statErr := os.Stat(s.Dir); s.Dir != "" && (statErr != nil || !info.IsDir()) {
		return fmt.Errorf("start %s: its working folder %s: %w", s.Path, s.Dir, err)
	}
	if e := inspect(s.Path, variable(s.Env, "PATH")); e != nil {
		return e
	}
	if s.Sandbox != nil && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("start %s: the sandbox has no access to it or its interpreter: %w", s.Path, err)
	}
	return &StartError{OtherStartFailure,
		fmt.Sprintf("%s cannot be started: %v", s.Path, errno),
		"start it by hand from a shell on this machine, the same way"}
}

func variable(env []string, name string) (value string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// Diagnose looks at an executable before it is started and returns what is
// wrong with it, or nil. envPATH is the PATH the plugin will have.
func Diagnose(path, envPATH string) *StartError {
	e := inspect(path, envPATH)
	if e != nil && e.Kind == ExecFormat {
		// The kernel may know a way to run other formats; then only trying tells.
		if handlers, _ := filepath.Glob("/proc/sys/fs/binfmt_misc/*"); len(handlers) > 2 {
			return nil
		}
	}
	return e
}

func inspect(path, envPATH string) *StartError {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if target, linkErr := os.Readlink(path); linkErr == nil {
			return &StartError{NotFound, fmt.Sprintf("%s is a link to %s, which does not exist", path, target), "mend the link"}
		}
		return &StartError{NotFound, path + " does not exist", "check the path, or build the plugin first"}
	case err != nil:
		return &StartError{OtherStartFailure, fmt.Sprintf("%s cannot be looked at: %v", path, err), "check the permissions of its folders"}
	case info.IsDir():
		return &StartError{IsADirectory, path + " is a folder, not an executable", "name the executable inside it"}
	case !info.Mode().IsRegular():
		return &StartError{OtherStartFailure, path + " is not a regular file", "name the plugin's executable"}
	case runtime.GOOS == "windows":
		return nil // there is no run bit and no #! line, and the extension says what runs it
	case info.Mode().Perm()&0o111 == 0:
		return &StartError{NoRunBit, path + " may not be run: it has no run permission", "chmod +x " + path}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil // a file may be run without being readable
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	if bytes.HasPrefix(head, []byte("#!")) {
		return inspectShebang(path, parseShebang(head), envPATH)
	}
	if what := foreign(head); what != "" {
		return &StartError{ExecFormat, fmt.Sprintf("%s cannot be run here: it is %s", path, what),
			fmt.Sprintf("give a program for %s/%s, or begin a script with a #! line", runtime.GOOS, runtime.GOARCH)}
	}
	if loader := elfLoader(f); loader != "" && !pathExists(loader) {
		return &StartError{MissingInterpreter, fmt.Sprintf("%s needs the program loader %s, which is not on this machine", path, loader),
			"link it statically, or build it for this system's C library"}
	}
	return nil
}

func pathExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A shebang is a script's first line.
type shebang struct {
	interpreter string
	args        string // all that follows it: Linux hands it over as one argument
	crlf        bool
}

func parseShebang(head []byte) shebang {
	line, _, _ := bytes.Cut(head[len("#!"):], []byte("\n"))
	text, crlf := strings.CutSuffix(string(line), "\r")
	text = strings.Trim(text, " \t")
	cut := strings.IndexAny(text, " \t")
	if cut < 0 {
		cut = len(text)
	}
	return shebang{text[:cut], strings.TrimLeft(text[cut:], " \t"), crlf}
}

// program returns what env is to look up in PATH, or "" when the interpreter is
// not env.
func (s shebang) program() string {
	if filepath.Base(s.interpreter) != "env" {
		return ""
	}
	split := strings.HasPrefix(s.args, "-") || runtime.GOOS != "linux"
	if !split {
		return s.args
	}
	for word := range strings.FieldsSeq(s.args) {
		word = strings.TrimPrefix(strings.TrimPrefix(word, "-S"), "--split-string=")
		if word != "" && !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}

func inspectShebang(path string, s shebang, envPATH string) *StartError {
	shown := strings.TrimSpace(s.interpreter + " " + s.args)
	switch {
	case s.crlf:
		return &StartError{CRLFShebang,
			fmt.Sprintf("%s has Windows line endings (CRLF), so its first line asks for a program called %q", path, lastWord(shown)+"\r"),
			fmt.Sprintf("save it with LF line endings: sed -i 's/\\r$//' %s", path)}
	case s.interpreter == "":
		return &StartError{ExecFormat, path + " has a #! line that names no interpreter", "begin it with, for instance, #!/bin/sh"}
	case !pathExists(s.interpreter):
		return &StartError{MissingInterpreter,
			fmt.Sprintf("%s is to be run by %s, which is not on this machine", path, s.interpreter),
			"install it, or begin the script with #!/usr/bin/env " + filepath.Base(s.interpreter)}
	}
	program := s.program()
	if program == "" || findProgram(program, envPATH) != "" {
		return nil
	}
	fix := "install it, or add its folder to PATH"
	if strings.ContainsAny(program, " \t") {
		fix = "write env -S when the #! line has arguments"
	}
	return &StartError{MissingInterpreter,
		fmt.Sprintf("%s is to be run by %q, which is not on PATH (%s)", path, program, envPATH), fix}
}

func lastWord(s string) string {
	words := strings.Fields(s)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// findProgram is exec.LookPath for a PATH other than our own.
func findProgram(program, envPATH string) string {
	if strings.Contains(program, "/") {
		return program
	}
	for _, dir := range filepath.SplitList(envPATH) {
		file := filepath.Join(dir, program)
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// machines are the ELF machines that a system can run.
var machines = map[string][]elf.Machine{
	"386":     {elf.EM_386},
	"amd64":   {elf.EM_X86_64, elf.EM_386},
	"arm":     {elf.EM_ARM},
	"arm64":   {elf.EM_AARCH64, elf.EM_ARM},
	"loong64": {elf.EM_LOONGARCH},
	"ppc64":   {elf.EM_PPC64, elf.EM_PPC},
	"ppc64le": {elf.EM_PPC64},
	"riscv64": {elf.EM_RISCV},
	"s390x":   {elf.EM_S390},
}

// foreign says what a file is that this system cannot run, or returns "".
func foreign(head []byte) string {
	magic := string(head[:min(4, len(head))])
	mac := runtime.GOOS == "darwin" || runtime.GOOS == "ios"
	switch {
	case len(head) == 0:
		return "an empty file"
	case magic == elf.ELFMAG:
		if mac {
			return "an ELF program, for Linux or a BSD"
		}
		return foreignELF(head)
	case magic == "\xcf\xfa\xed\xfe", magic == "\xce\xfa\xed\xfe":
		if mac {
			return ""
		}
		return "a Mach-O program, for macOS"
	case magic == "\xca\xfe\xba\xbe" && len(head) > 7 && head[7] < 40: // Java classes share the magic; theirs is a version
		if mac {
			return ""
		}
		return "a universal Mach-O program, for macOS"
	case magic == "\xca\xfe\xba\xbe":
		return "a Java class file"
	case strings.HasPrefix(magic, "MZ"):
		return "a PE program, for Windows"
	case strings.HasPrefix(string(head), "\xef\xbb\xbf#!"):
		return "a script whose #! line comes after a byte order mark"
	case bytes.IndexByte(head, 0) >= 0:
		return "a binary of an unknown format"
	}
	return "a text file without a #! line"
}

func foreignELF(head []byte) string {
	if len(head) < 20 {
		return "a truncated ELF program"
	}
	machine := elf.Machine(uint16(head[18]) | uint16(head[19])<<8)
	if head[elf.EI_DATA] == byte(elf.ELFDATA2MSB) {
		machine = elf.Machine(uint16(head[18])<<8 | uint16(head[19]))
	}
	known := machines[runtime.GOARCH]
	for _, m := range known {
		if m == machine {
			return ""
		}
	}
	if known == nil {
		return ""
	}
	return fmt.Sprintf("an ELF program for another machine (%s)", strings.ToLower(strings.TrimPrefix(machine.String(), "EM_")))
}

// elfLoader returns the loader that a dynamically linked program asks for.
func elfLoader(f *os.File) string {
	file, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4<<10 {
			name, _ := io.ReadAll(p.Open())
			return string(bytes.TrimRight(name, "\x00"))
		}
	}
	return ""
}
