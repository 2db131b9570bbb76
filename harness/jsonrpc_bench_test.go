package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"plugcheck/harness/plugintest"
)

// bareCalls makes n calls of the plugin with nothing but encoding/json over its
// pipes, window of them in flight. Registrations are answered as they come.
func bareCalls(b *testing.B, argv []string, n int) time.Duration {
	cmd := exec.Command(argv[0], argv[1:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	type message struct {
		Version string          `json:"jsonrpc"`
		ID      int             `json:"id"`
		Method  string          `json:"method,omitempty"`
		Params  any             `json:"params,omitempty"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   json.RawMessage `json:"error,omitempty"`
	}
	enc, lines := json.NewEncoder(stdin), bufio.NewReaderSize(stdout, chunkSize)
	say := func(m message) {
		m.Version = "2.0"
		if err := enc.Encode(m); err != nil {
			b.Fatal(err)
		}
	}
	hear := func() message {
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				b.Fatal(err)
			}
			var m message
			if err := json.Unmarshal(line, &m); err != nil {
				b.Fatal(err)
			}
			if m.Method == "" {
				return m
			}
			say(message{ID: m.ID, Result: json.RawMessage("{}")})
		}
	}
	say(message{ID: 1, Method: "plugin.initialize", Params: (&manner{}).greeting()})
	hear()
	at := time.Now()
	open := 0
	for i := range n {
		if open == window {
			hear()
			open--
		}
		say(message{ID: i + 2, Method: "tool.call", Params: benchCall(i).params})
		open++
	}
	for range open {
		hear()
	}
	spent := time.Since(at)
	stdin.Close()
	io.Copy(io.Discard, stdout)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return spent
}

func benchCall(i int) request {
	return request{"echo", "tool.call", map[string]any{"name": "echo", "args": map[string]any{"text": "call " + strconv.Itoa(i)}}}
}

// BenchmarkCalls measures calls through a session, with every byte judged, and bare
// ones in turn, so that both meet the same noise. It reports how many calls a second
// are made and how many times the bare ones they cost, as medians.
func BenchmarkCalls(b *testing.B) {
	const n = 5000
	dir := b.TempDir()
	if err := plugintest.Sample("jsonrpc", dir); err != nil {
		b.Fatal(err)
	}
	targets, err := Discover([]string{dir}, "", "")
	if err != nil {
		b.Fatal(err)
	}
	catalogue, err := BuiltIn()
	if err != nil {
		b.Fatal(err)
	}
	s, err := newSession(targets[0], Options{}, catalogue)
	if err != nil {
		b.Fatal(err)
	}
	defer s.work.Close()
	wire := s.driver.(*jsonrpc)
	var bare, full []time.Duration
	for b.Loop() {
		bare = append(bare, bareCalls(b, append([]string{s.target.Executable}, s.target.Args...), n))

		d, err := wire.dial(context.Background(), "benchmark", manner{})
		if err != nil {
			b.Fatal(err)
		}
		if err := d.initialize(); err != nil {
			b.Fatal(err)
		}
		at := time.Now()
		if err := d.pump(n, []request{benchCall(7)}, time.Minute); err != nil {
			b.Fatal(err)
		}
		full = append(full, time.Since(at))
		if err := d.close(); err != nil {
			b.Fatal(err)
		}
		for _, o := range d.outcomes {
			if len(o.Findings) > 0 {
				b.Fatalf("%s: %s", o.Check.ID, o.Findings[0].Message)
			}
		}
	}
	slices.Sort(bare)
	slices.Sort(full)
	middle := full[len(full)/2]
	b.ReportMetric(n/middle.Seconds(), "calls/s")
	b.ReportMetric(float64(middle)/float64(bare[len(bare)/2]), "times-bare")
	b.ReportMetric(0, "ns/op")
}
