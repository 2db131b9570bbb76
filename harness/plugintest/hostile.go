package plugintest

import (
	"bytes"
	"os"
)

// Hostile are plugins that mean harm, or act as if they did. They are kept
// apart from the faults: what they break is the kit, if anything.
func Hostile() []Fault {
	return []Fault{
		{Name: "endless-output", About: "it never stops writing", Start: func() {
			for chunk := bytes.Repeat([]byte("x"), 1<<16); ; {
				if _, err := os.Stdout.Write(chunk); err != nil {
					os.Exit(1)
				}
			}
		}},
		{Name: "ten-gigabytes", About: "its answer has 10 GB", Bytes: func(_ *request, _ response, b []byte) []byte {
			os.Stdout.WriteString(`{"success":true,"output":{"kind":"diff","content":"`)
			chunk := bytes.Repeat([]byte("y"), 1<<20)
			for range 10 << 10 {
				if _, err := os.Stdout.Write(chunk); err != nil {
					os.Exit(1)
				}
			}
			return []byte("\"}}\n")
		}},
		{Name: "fork-storm", About: "it starts a hundred sleepers", End: func(response) int {
			for range 100 {
				helper(false)
			}
			return 0
		}},
		{Name: "ignores-sigterm", About: "it ignores SIGTERM and never leaves", Manifest: set("timeout_secs", 1), Start: func() { ignoreTerm(); sleep() }},
		{Name: "closes-stdout", About: "it closes stdout and lives on", Manifest: set("timeout_secs", 1), End: func(response) int { os.Stdout.Close(); sleep(); return 0 }},
		{Name: "never-reads", About: "it never reads", Manifest: set("timeout_secs", 1), Start: sleep},
		{Name: "leaves-at-once", About: "it leaves before it has read anything", Start: func() { os.Exit(0) }},
		{Name: "floods-stderr", About: "it never stops logging", Manifest: set("timeout_secs", 1), Start: func() {
			for chunk := bytes.Repeat([]byte("x"), 1<<16); ; {
				os.Stderr.Write(chunk)
			}
		}},
		{Name: "deletes-its-folder", About: "it deletes what it can reach", End: func(response) int {
			dir, _ := os.Getwd()
			os.RemoveAll(dir)
			os.RemoveAll(os.Getenv("HOME"))
			return 0
		}},
	}
}
