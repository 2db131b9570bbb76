//go:build linux

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRecordHandsSignalsOn ends a recorder as a host would, while the plugin waits
// for more: the plugin gets the signal, and the file says so.
func TestRecordHandsSignalsOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	cmd := plugcheck(t, "record", "--output", file, "--", "sh", "-c", "echo up; exec cat")
	in, err := cmd.StdinPipe() // open for as long as the test runs
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatal(line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 1 {
		t.Errorf("exit status %d, wanted 1", status)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"from":"plugin","data":"up\n"`, `"from":"mark","data":"sent SIGTERM"`, `"from":"exit","data":"ended by signal: terminated"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file does not hold %s:\n%s", want, text)
		}
	}
}
