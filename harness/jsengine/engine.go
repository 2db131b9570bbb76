package jsengine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// An Engine loads one module after the other in another process, which is this very
// binary started again. A module that is not good is the last of its process.
// Several goroutines can use an Engine; they take turns.
type Engine struct {
	limits Limits
	mu     sync.Mutex
	worker *worker
}

// New returns an engine with the default limits. It starts nothing yet.
func New() *Engine { return &Engine{limits: DefaultLimits} }

// Load runs a module and says what it is. That takes less than two seconds once the
// other process is there. A crash of the engine is a fault of the module; the error
// is about what the kit itself could not do, or that of the context.
func (e *Engine) Load(ctx context.Context, source []byte) (Result, error) {
	if len(source) > maxSource {
		return tooLarge(), nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		fresh := e.worker == nil
		if fresh {
			w, err := startWorker(ctx)
			if err != nil {
				return Result{}, fmt.Errorf("the JavaScript engine does not start: %w", err)
			}
			e.worker = w
		}
		r, err := e.worker.ask(ctx, e.limits, source)
		if err == nil {
			if r.Last {
				e.stop()
			}
			return r.Result, nil
		}
		words := e.stop()
		switch {
		case ctx.Err() != nil:
			return Result{}, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return failed(Endless, timeout), nil
		case strings.Contains(words, "stack exceeds"):
			return failed(Recursion, tooDeep), nil
		case fresh: // or the one before may have broken it
			return brokeDown(words), nil
		}
	}
}

// Close ends the process, if there is one.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stop()
}

// stop ends the worker, if there is one, and returns its last words.
func (e *Engine) stop() string {
	w := e.worker
	if w == nil {
		return ""
	}
	e.worker = nil
	return w.end()
}
