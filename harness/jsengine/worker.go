package jsengine

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// start is the argument that turns the binary into a worker.
const start = "__jsengine"

// A process that was started as a worker becomes one here and never gets to main.
func init() {
	if len(os.Args) == 2 && os.Args[1] == start {
		serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// A request goes to a worker in front of the source.
type request struct {
	Limits
	Length int64 // of the source
}

// A reply comes back from a worker.
type reply struct {
	Result
	Last bool // it will not take another request
}

const (
	// grace is how long a module can be in one of the engine's own functions, which
	// do not look at the time, before the worker gives up on it, and how long after
	// that the kit gives up on the worker.
	grace = 400 * time.Millisecond
	// A worker is replaced after so many loads, as the engine loses about a
	// kilobyte with each, and when one has left much behind.
	maxLoads = 5000
	maxLeft  = 8 << 20 // in bytes
)

// serve answers requests until there are none, or the next is better off with
// another worker. First it says that it is there.
func serve(in io.Reader, out io.Writer) {
	// Nothing should come near these. If it does, better the worker ends.
	debug.SetMaxStack(32 << 20)
	debug.SetMemoryLimit(48 << 20)
	replies := json.NewEncoder(out)
	replies.Encode(reply{})
	for n := range maxLoads {
		var q request
		if binary.Read(in, binary.BigEndian, &q) != nil {
			return
		}
		source := make([]byte, q.Length)
		if _, err := io.ReadFull(in, source); err != nil {
			return
		}
		var once sync.Once
		answer := func(r reply) { once.Do(func() { replies.Encode(r) }) } // a host that is gone needs none
		watch := time.AfterFunc(q.Time+grace, func() {
			answer(reply{failed(Endless, timeout), true})
			os.Exit(0)
		})
		m, r := evaluate(source, q.Limits)
		last := r.Fault != nil || m.used() > maxLeft || n == maxLoads-1
		answer(reply{r, last})
		watch.Stop()
		if last {
			return
		}
		m.close()
	}
}
