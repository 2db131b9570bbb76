package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"plugcheck/reports"
	"plugcheck/validator"
	"plugcheck/validator/rpc"
)

func newRecord() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "record [--output FILE] -- COMMAND [ARG…]",
		Short: "Stand between a host and a plugin, and write down what they say",
		Long: `Stand between a host and a plugin, and write down what they say: every byte goes through as it is, and into a file
that plugcheck validate judges. Let the host start this command in the plugin's place, or type what a host would say.

The exit status is the plugin's. Where the file is there already, a number is added to its name: a host may start a
plugin several times.`,
		Example: "  plugcheck record --output talk.jsonl -- ./my-plugin\n  plugcheck validate talk.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			// A host that has gone must not end this before the file is written. The
			// signal is caught and not ignored: the plugin would inherit that.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
			file, err := createNew(name)
			if err != nil {
				return err
			}
			r := &recorder{file: file, started: time.Now()}
			status, err := r.run(args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err = errors.Join(err, r.finish()); err != nil {
				return err
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "plugcheck: the conversation is in", file.Name())
			if status != 0 {
				return exitStatus(status)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&name, "output", "o", "transcript.jsonl", "write the transcript into this `FILE`")
	return cmd
}

// createNew creates a file, with a number in its name where there is one already.
func createNew(name string) (*os.File, error) {
	ext := filepath.Ext(name)
	free := name
	for n := 2; ; n++ {
		file, err := os.OpenFile(free, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // what is said may be secret
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
	}
}

// A recorder writes down one session.
type recorder struct {
	mu      sync.Mutex
	file    *os.File
	started time.Time
	over    bool
	err     error // the first that kept something from being written
}

// note writes a piece of a stream. It is written at once: whoever ends the
// recorder in the middle still has what was said until then.
func (r *recorder) note(from validator.Source, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && !r.over {
		ms := float64(time.Since(r.started).Microseconds()) / 1000
		r.err = reports.WriteLine(r.file, reports.Line{MS: ms, From: string(from), Data: string(text)})
	}
}

// finish closes the file. What the host still says then is not part of the session.
func (r *recorder) finish() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	return errors.Join(r.err, r.file.Close())
}

// run starts the plugin and passes everything on until it ends.
func (r *recorder) run(argv []string, stdin io.Reader, stdout, stderr io.Writer) (status int, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	said := &tap{recorder: r, from: validator.FromPlugin, to: stdout}
	logged := &tap{recorder: r, from: validator.FromStderr, to: stderr}
	cmd.Stdout, cmd.Stderr = said, logged
	cmd.WaitDelay = 5 * time.Second // for what a process that it left behind still says
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 1) // before there is a plugin that could be seen
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go r.forward(signals, cmd.Process)
	go func() {
		asked := &tap{recorder: r, from: validator.FromHost, to: in}
		_, err := io.Copy(asked, stdin)
		asked.end()
		if err == nil { // or the plugin has closed it
			r.note(validator.FromMark, []byte(rpc.MarkClosed))
		}
		in.Close()
	}()
	err = cmd.Wait()
	said.end()
	logged.end()
	state := cmd.ProcessState
	if state == nil {
		return 0, err
	}
	// Whoever stopped listening to the plugin, or it to us, is no fault of the recorder.
	r.note(validator.FromExit, []byte(exitOf(state).String()))
	return statusOf(state), nil
}

// forward hands signals on to the plugin.
func (r *recorder) forward(signals <-chan os.Signal, plugin *os.Process) {
	names := map[os.Signal]string{os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}
	for s := range signals {
		r.note(validator.FromMark, []byte(rpc.MarkSent+names[s]))
		if plugin.Signal(s) != nil { // where signals cannot be sent, or it is gone
			plugin.Kill()
		}
	}
}

// exitOf says how the plugin ended.
func exitOf(state *os.ProcessState) validator.Exit {
	e := validator.Exit{Code: state.ExitCode()}
	if e.Code < 0 {
		e.Signal = strings.TrimPrefix(state.String(), "signal: ")
	}
	return e
}

// statusOf is the plugin's status; one that a signal ended has none, so it is that
// of any failure.
func statusOf(state *os.ProcessState) int {
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	return 1
}

// A tap passes a stream on and writes down its lines.
type tap struct {
	*recorder
	from validator.Source
	to   io.Writer
	part []byte // a line that has not ended yet
}

// longPart is how much of a line is held back until it ends.
const longPart = 1 << 20

// Write notes before it passes on, or an answer could come before the question.
func (t *tap) Write(p []byte) (int, error) {
	t.part = append(t.part, p...)
	for {
		end := bytes.IndexByte(t.part, '\n') + 1
		if end == 0 && len(t.part) > longPart {
			end = len(t.part)
		}
		if end == 0 {
			break
		}
		t.note(t.from, t.part[:end])
		t.part = t.part[end:]
	}
	return t.to.Write(p)
}

// end notes what came behind the last newline.
func (t *tap) end() {
	if len(t.part) > 0 {
		t.note(t.from, t.part)
	}
	t.part = nil
}
