package jsengine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A worker is the other process, seen from the kit.
type worker struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.LimitedReader
	replies *json.Decoder
	stderr  head
}

const (
	startTime = 10 * time.Second
	// maxReply is far above what a worker makes of the most that it reads.
	maxReply = 64 << 20
)

func startWorker(ctx context.Context) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd: exec.Command(self, start)}
	w.cmd.Dir = os.TempDir()
	w.cmd.Env = []string{"TZ=UTC"} // the engine asks for nothing else
	w.cmd.Stderr = &w.stderr
	w.cmd.SysProcAttr = apart
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if w.out.R, err = w.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	w.replies = json.NewDecoder(&w.out)
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err = w.within(ctx, startTime, w.reply); err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// ask has a module loaded.
func (w *worker) ask(ctx context.Context, l Limits, source []byte) (reply, error) {
	return w.within(ctx, l.Time+2*grace, func() (reply, error) {
		if err := binary.Write(w.in, binary.BigEndian, request{l, int64(len(source))}); err != nil {
			return reply{}, err
		}
		if _, err := w.in.Write(source); err != nil {
			return reply{}, err
		}
		return w.reply()
	})
}

func (w *worker) reply() (r reply, err error) {
	w.out.N = maxReply
	return r, w.replies.Decode(&r)
}

// within does something with the worker and kills it if that takes too long.
func (w *worker) within(ctx context.Context, most time.Duration, do func() (reply, error)) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	defer context.AfterFunc(ctx, func() { w.cmd.Process.Kill() })()
	r, err := do()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return r, err
}

// end ends the process and returns the first line that it has written to stderr.
func (w *worker) end() string {
	w.cmd.Process.Kill() // or it is gone already
	w.cmd.Wait()
	line, _, _ := strings.Cut(w.stderr.String(), "\n")
	return cmp.Or(line, "it ended without a word")
}

// A head keeps the first of what is written to it.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), maxText-h.Len())])
	return len(p), nil
}
