package harness_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"plugcheck/harness"
	"plugcheck/harness/plugintest"
)

// BenchmarkRun compares a whole run at two jobs with as many bare spawns of the
// same plugin, two at a time, in the same loop: "own-work" is the share of the
// run that is not spawning. Left out are the scenarios that wait on purpose and
// those with megabytes to move.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	if err := (plugintest.Fault{}).Write(dir); err != nil {
		b.Fatal(err)
	}
	targets, err := harness.Discover([]string{dir}, "", "")
	if err != nil {
		b.Fatal(err)
	}
	o := harness.Options{Jobs: 2, Seed: 1, Skip: []string{"jsonl.waits-for-input", "jsonl.large-*", "jsonl.no-filesystem", "jsonl.concurrent", "rename.locks"}}
	var run, bare time.Duration
	exchanges := 0
	for b.Loop() {
		start := time.Now()
		r, err := harness.Run(context.Background(), targets, o)
		if err != nil {
			b.Fatal(err)
		}
		run += time.Since(start)
		n := 0
		for _, k := range r.Plugins[0].Checks {
			if k.ID == "jsonl.in-time" {
				n = k.Exchanges
			}
		}
		if n == 0 {
			b.Fatal("the run had no exchange")
		}
		start = time.Now()
		spawnBare(b, targets[0], n)
		bare += time.Since(start)
		exchanges += n
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(exchanges)/float64(b.N), "exchanges")
	b.ReportMetric(float64(run.Microseconds())/1000/float64(b.N), "ms-run")
	b.ReportMetric(float64(bare.Microseconds())/1000/float64(b.N), "ms-bare")
	b.ReportMetric(1-float64(bare)/float64(run), "own-work")
}

// spawnBare makes n exchanges with nothing but os/exec and pipes, two at a time.
func spawnBare(b *testing.B, t *harness.Target, n int) {
	request := []byte(`{"operation":"rename-symbol","files":[{"path":"src/a.py","content":"alpha = 1\nprint(alpha)\n"}],"arguments":{"uri":"file:///workspace/src/a.py","position":"0","new_name":"beta"}}` + "\n")
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for range n / 2 {
				cmd := exec.Command(t.Executable, t.Args...)
				cmd.Stdin = bytes.NewReader(request)
				cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
				cmd.Dir = filepath.Dir(t.Source)
				cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
				if err := cmd.Run(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
}
