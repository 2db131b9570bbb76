package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"plugcheck/validator"
)

const (
	maxWrote = 100
	// cleaning bounds how long Close waits for what plugins wrote to be removed.
	cleaning = 10 * time.Second
)

// Workdirs lends each exchange two empty folders to run in. Most plugins leave
// them empty, and then the next one gets the same.
type Workdirs struct {
	root  string
	count atomic.Int64

	mu       sync.Mutex
	free     []Workdir
	removals sync.WaitGroup
}

// A Workdir is an empty working folder and an empty HOME.
type Workdir struct {
	Dir, Home string
}

// NewWorkdirs makes the temporary folder that all others are in.
func NewWorkdirs() (*Workdirs, error) {
	root, err := os.MkdirTemp("", "plugcheck-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil { // as the plugin will see it
		return nil, err
	}
	return &Workdirs{root: root}, nil
}

// Root is the folder that all others are in.
func (w *Workdirs) Root() string { return w.root }

// Get lends a pair of folders until Put.
func (w *Workdirs) Get() (Workdir, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.free) - 1; last >= 0 {
		d := w.free[last]
		w.free = w.free[:last]
		return d, nil
	}
	d := Workdir{Dir: w.next("work"), Home: w.next("home")}
	return d, errors.Join(os.Mkdir(d.Dir, 0o700), os.Mkdir(d.Home, 0o700))
}

func (w *Workdirs) next(kind string) string {
	return filepath.Join(w.root, fmt.Sprintf("%s%d", kind, w.count.Add(1)))
}

// Put takes a pair back and records in t what the plugin left there.
func (w *Workdirs) Put(d Workdir, t *validator.Transcript) {
	untouched := true
	for _, f := range []struct{ dir, shown string }{{d.Dir, ""}, {d.Home, "~/"}} {
		if pristine(f.dir) {
			continue
		}
		untouched = false
		t.Wrote = listFolder(t.Wrote, f.dir, f.shown)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if untouched {
		w.free = append(w.free, d)
		return
	}
	w.removals.Go(func() {
		w.remove(d.Dir)
		w.remove(d.Home)
	})
}

// listFolder appends the names below dir. A folder is named with a slash at its end.
func listFolder(names []string, dir, shown string) []string {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return append(names, shown+". (removed)")
	case !info.IsDir():
		return append(names, shown+". (replaced)")
	case info.Mode().Perm() != 0o700:
		if shown == "" || shown == "~/" {
			names = append(names, shown+". (permissions changed)")
		}
		os.Chmod(dir, 0o700)
	}
	f, err := os.Open(dir)
	if err != nil {
		return names
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxWrote)
	for _, e := range entries {
		if len(names) >= maxWrote {
			break
		}
		if !e.IsDir() {
			names = append(names, shown+e.Name())
			continue
		}
		names = append(names, shown+e.Name()+"/")
		names = listFolder(names, filepath.Join(dir, e.Name()), shown+e.Name()+"/")
	}
	return names
}

// remove removes what a plugin left. It neither recurses nor holds more than
// one folder open: the folders inside are first moved up beside it, so that no
// depth, no path's length and no number of files is too much. Symbolic links
// are removed, not followed; nothing that could swap one in is left running.
func (w *Workdirs) remove(path string) {
	for todo := []string{path}; len(todo) > 0; {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			os.Remove(dir)
			continue
		}
		os.Chmod(dir, 0o700)
		f, err := os.Open(dir)
		if err != nil {
			continue
		}
		for {
			entries, err := f.ReadDir(256)
			for _, e := range entries {
				inner := filepath.Join(dir, e.Name())
				if !e.IsDir() {
					os.Remove(inner)
					continue
				}
				os.Chmod(inner, 0o700) // moving a folder needs the right to write in it
				moved := w.next("old")
				if os.Rename(inner, moved) == nil {
					todo = append(todo, moved)
				}
			}
			if err != nil {
				break
			}
		}
		f.Close()
		os.Remove(dir)
	}
}

// Close removes all folders. It returns an error if some could not be removed
// in reasonable time.
func (w *Workdirs) Close() error {
	done := make(chan error, 1)
	go func() {
		w.removals.Wait()
		entries, err := os.ReadDir(w.root)
		for _, e := range entries {
			w.remove(filepath.Join(w.root, e.Name()))
		}
		done <- errors.Join(err, os.Remove(w.root))
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(cleaning):
		return fmt.Errorf("removing %s takes too long and was given up", w.root)
	}
}
