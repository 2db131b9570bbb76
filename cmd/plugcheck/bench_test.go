package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkVersion measures how long the command takes to start, as a whole
// process of the built program, beside the smallest Go program there is.
func BenchmarkVersion(b *testing.B) {
	dir := b.TempDir()
	kit, least := filepath.Join(dir, "plugcheck"), filepath.Join(dir, "least")
	build(b, kit, ".")
	source := filepath.Join(dir, "least.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println() }\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	build(b, least, source)
	var took, bare time.Duration
	for b.Loop() {
		took += timed(b, kit, "version")
		bare += timed(b, least)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms-version")
	b.ReportMetric(float64(bare.Microseconds())/1000/float64(b.N), "ms-least")
}

func build(b *testing.B, out, what string) {
	if text, err := exec.Command("go", "build", "-o", out, what).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
}

func timed(b *testing.B, name string, args ...string) time.Duration {
	start := time.Now()
	if err := exec.Command(name, args...).Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
