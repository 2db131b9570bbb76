package jsengine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/quickjs"
)

const good = "export const manifest = { a: 1 }\nexport function onRequest() {}\n"

// isGood tells whether a load went as it has to for the good module.
func isGood(r Result, err error) bool {
	return err == nil && r.Fault == nil && r.Manifest.Equal(valueOf(map[string]any{"a": 1.0})) && r.Type("onRequest") == "function"
}

// newEngine returns an engine that is closed when the test is over.
func newEngine(t *testing.T) *Engine {
	e := New()
	t.Cleanup(e.Close)
	return e
}

// attack loads a hostile module after a good one, then another good one, and
// returns the process that had the hostile one, when it is over.
func attack(t *testing.T, e *Engine, l Limits, source string) (*Fault, *worker) {
	t.Helper()
	e.limits = patient
	if r, err := e.Load(t.Context(), []byte(good)); !isGood(r, err) {
		t.Fatalf("before it, a good module has %v, %v", r.Fault, err)
	}
	e.limits = l
	w := e.worker
	r, err := e.Load(t.Context(), []byte(source))
	if err != nil || r.Fault == nil {
		t.Fatalf("%.100s: %v, %v", source, r, err)
	}
	e.limits = patient
	if r, err := e.Load(t.Context(), []byte(good)); !isGood(r, err) {
		t.Errorf("after %.100s, a good module has %v, %v", source, r.Fault, err)
	}
	if w.cmd.ProcessState == nil {
		t.Errorf("after %.100s, its process is still there", source)
	}
	return r.Fault, w
}

// TestEndlessModules has modules that never end, and would not be over yet if they
// were not ended. The last ones are in functions of the engine that do not look at
// the time.
func TestEndlessModules(t *testing.T) {
	if all := DefaultLimits.Time + 2*grace; all >= 2*time.Second {
		t.Errorf("a module has %v until it is given up", all)
	}
	e := newEngine(t)
	soon := patient
	soon.Time = 50 * time.Millisecond
	for _, source := range []string{
		"while (true) {}",
		"for (;;) try { for (;;) {} } finally { continue }",
		"await 1; for (;;) {}",
		"(async () => { for (;;) await 1 })()",
		"let f = () => Promise.resolve().then(f); await f()",
		"for await (const x of (async function* () { for (;;) yield 1 })()) {}",
		"[3, 2, 1].sort(() => { for (;;) {} })",
		"'' + { toString() { for (;;) {} } }",
		"class A { static { for (;;) {} } }",
		"/(a*)*b/.test('a'.repeat(30))",
		"[].indexOf.call({ length: 2 ** 53 - 1 }, 1)",
		"let a = []; for (let i = 0; i < 40; i++) a = [a, a]; JSON.stringify(a)",
		"(2n ** 1000000n).toString()",
	} {
		if f, _ := attack(t, e, soon, good+source); f.Class != Endless {
			t.Errorf("%s: %v", source, *f)
		}
	}
}

func TestEngineHasTheSameFaults(t *testing.T) {
	e := newEngine(t)
	e.limits = patient
	for i := 0; i < len(faulty); i += 10 {
		if raced && faulty[i].class == Memory {
			continue
		}
		r, err := e.Load(t.Context(), []byte(faulty[i].source))
		if err != nil || r.Fault == nil || *r.Fault != *Evaluate([]byte(faulty[i].source), patient).Fault {
			t.Errorf("%s: %v, %v", faulty[i].source, r.Fault, err)
		}
	}
	if r, err := e.Load(t.Context(), make([]byte, maxSource+1)); err != nil || r.Fault == nil || r.Fault.Class != Memory {
		t.Errorf("a file that is too large: %v, %v", r.Fault, err)
	}
}

// TestOneProcessForGoodModules also shows what the kit thinks of a process that is
// gone for a reason that is none of the module's.
func TestOneProcessForGoodModules(t *testing.T) {
	e := newEngine(t)
	load := func() *worker {
		t.Helper()
		if r, err := e.Load(t.Context(), []byte(good)); !isGood(r, err) {
			t.Fatal(r.Fault, err)
		}
		return e.worker
	}
	first := load()
	if load() != first {
		t.Error("the second module has another process")
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	second := load()
	if second == first || first.cmd.ProcessState == nil {
		t.Error("the dead process is still there")
	}
	e.Close()
	if second.cmd.ProcessState == nil || e.worker != nil {
		t.Error("a closed engine has a process")
	}
	load()
}

func TestManyLoadsAtOnce(t *testing.T) {
	e := newEngine(t)
	e.limits = patient
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			source := good
			if i%5 == 0 {
				source += "null.x"
			}
			if r, err := e.Load(t.Context(), []byte(source)); isGood(r, err) != (i%5 != 0) {
				t.Errorf("load %d: %v, %v", i, r.Fault, err)
			}
		})
	}
	all.Wait()
}

func TestLoadEndsWithItsContext(t *testing.T) {
	e := newEngine(t)
	e.limits = patient
	if r, err := e.Load(t.Context(), []byte(good)); !isGood(r, err) {
		t.Fatal(r.Fault, err)
	}
	w := e.worker
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if r, err := e.Load(ctx, []byte("for (;;) {}")); !errors.Is(err, context.DeadlineExceeded) || r.Fault != nil {
		t.Errorf("%v, %v", r.Fault, err)
	}
	if w.cmd.ProcessState == nil {
		t.Error("the process is still there")
	}
	if _, err := e.Load(ctx, []byte(good)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a context that is over: %v", err)
	}
	if r, err := e.Load(t.Context(), []byte(good)); !isGood(r, err) {
		t.Error(r.Fault, err)
	}
}

// BenchmarkLoad measures loads in the other process and bare ones in this, in turn,
// so that both meet the same noise, and reports how many times the bare one a load
// costs. It takes medians: what else the machine does falls on few of them.
func BenchmarkLoad(b *testing.B) {
	source := `// Keeps the tone of the answers.
export const manifest = {
  name: "Tone",
  api: 1,
  description: "Asks for a tone of voice.",
  permissions: ["system", "messages"],
  match: { clients: ["*"], models: ["claude-*", "gpt-*"] },
  on_error: "skip",
  settings: {
    tone: { type: "string", label: "Tone", value: "calm" },
    strict: { type: "boolean", value: false },
  },
};

export function onRequest(request, { settings }) {
  request.system.push("Answer in a " + settings.tone + " tone.");
  return request;
}
const helpers = [
` + strings.Repeat(`  (a, b) => a.map((x, i) => x + b[i] || /[/"]/.test(x)),
`, 20) + "];\n"
	e := New()
	defer e.Close()
	var bare, full []time.Duration
	for b.Loop() {
		at := time.Now()
		vm, err := quickjs.NewVM()
		if err != nil {
			b.Fatal(err)
		}
		v, err := vm.EvalValue(source, quickjs.EvalModule)
		if err != nil {
			b.Fatal(err)
		}
		v.Free()
		vm.Close()
		bare = append(bare, time.Since(at))

		at = time.Now()
		if r, err := e.Load(b.Context(), []byte(source)); err != nil || r.Fault != nil {
			b.Fatal(r.Fault, err)
		}
		full = append(full, time.Since(at))
	}
	slices.Sort(bare)
	slices.Sort(full)
	median := full[len(full)/2]
	b.ReportMetric(float64(median.Microseconds())/1000, "ms/load")
	b.ReportMetric(float64(median)/float64(bare[len(bare)/2]), "x-bare")
}
