package harness

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// bareExchange is the least one can do: os/exec with pipes, one line each way.
func bareExchange(b *testing.B, path string, line []byte) {
	cmd := exec.Command(path)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	stdin.Write(line)
	stdin.Close()
	answer, _ := bufio.NewReader(stdout).ReadBytes('\n')
	io.Copy(io.Discard, stdout)
	io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil || len(answer) != len(line) {
		b.Fatalf("%q, %v", answer, err)
	}
}

// BenchmarkExchange measures exchanges and bare ones in turn, so that both meet
// the same noise, and reports how many times the bare one an exchange costs.
// It takes medians: what else the machine does falls on few of them.
func BenchmarkExchange(b *testing.B) {
	const path = "/bin/cat"
	line := []byte(`{"plugcheck": "one line each way"}` + "\n")
	dirs, err := NewWorkdirs()
	if err != nil {
		b.Fatal(err)
	}
	defer dirs.Close()
	var bare, full []time.Duration
	for b.Loop() {
		at := time.Now()
		bareExchange(b, path, line)
		bare = append(bare, time.Since(at))

		at = time.Now()
		d, err := dirs.Get()
		if err != nil {
			b.Fatal(err)
		}
		p, err := Start(context.Background(), Spec{Path: path, Dir: d.Dir, Env: []string{"PATH=/usr/bin:/bin"}})
		if err != nil {
			b.Fatal(err)
		}
		p.Write(line)
		p.CloseStdin()
		got := p.Wait()
		dirs.Put(d, &got)
		full = append(full, time.Since(at))
		if string(got.Stdout) != string(line) {
			b.Fatalf("%q, %v", got.Stdout, got.Exit)
		}
	}
	b.ReportMetric(float64(median(bare).Microseconds()), "bare-µs")
	b.ReportMetric(float64(median(full).Microseconds()), "exchange-µs")
	b.ReportMetric(float64(median(full))/float64(median(bare)), "x-bare")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
