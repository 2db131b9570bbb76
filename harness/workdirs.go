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
//
// A plugin may take the folder away from under the kit, or put a link in its
// place. What the kit itself makes and removes is therefore reached through the
// folder that was opened in the beginning, never by its path.
type Workdirs struct {
	path  string
	root  *os.Root
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
	path, err := os.MkdirTemp("", "plugcheck-")
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil { // as the plugin will see it
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Workdirs{path: path, root: root}, nil
}

// Path is the folder that all others are in.
func (w *Workdirs) Path() string { return w.path }

// inPlace reports whether the folder still stands where it was made.
func (w *Workdirs) inPlace() bool {
	here, err1 := os.Lstat(w.path)
	made, err2 := w.root.Stat(".")
	return err1 == nil && err2 == nil && os.SameFile(here, made)
}

// Get lends a pair of folders until Put.
func (w *Workdirs) Get() (Workdir, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.free) - 1; last >= 0 {
		d := w.free[last]
		w.free = w.free[:last]
		return d, nil
	}
	if !w.inPlace() {
		return Workdir{}, errMoved
	}
	dir, home := w.next("work"), w.next("home")
	d := Workdir{Dir: filepath.Join(w.path, dir), Home: filepath.Join(w.path, home)}
	return d, errors.Join(w.root.Mkdir(dir, 0o700), w.root.Mkdir(home, 0o700))
}

// errMoved is what a plugin did that reached above its own folders.
var errMoved = errors.New("a plugin has taken away the folder that all exchanges run in")

// next is a new name in the folder.
func (w *Workdirs) next(kind string) string { return fmt.Sprintf("%s%d", kind, w.count.Add(1)) }

// Put takes a pair back and records in t what the plugin left there.
func (w *Workdirs) Put(d Workdir, t *validator.Transcript) {
	if !w.inPlace() {
		t.Wrote = append(t.Wrote, "../. (replaced)")
		return
	}
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
		w.remove(filepath.Base(d.Dir))
		w.remove(filepath.Base(d.Home))
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
// are removed, not followed.
func (w *Workdirs) remove(name string) {
	for todo := []string{name}; len(todo) > 0; {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if info, err := w.root.Lstat(dir); err != nil || !info.IsDir() {
			w.root.Remove(dir)
			continue
		}
		w.root.Chmod(dir, 0o700)
		f, err := w.root.Open(dir)
		if err != nil {
			continue
		}
		for {
			entries, err := f.ReadDir(256)
			for _, e := range entries {
				inner := filepath.Join(dir, e.Name())
				if !e.IsDir() {
					w.root.Remove(inner)
					continue
				}
				w.root.Chmod(inner, 0o700) // moving a folder needs the right to write in it
				moved := w.next("old")
				if w.root.Rename(inner, moved) == nil {
					todo = append(todo, moved)
				}
			}
			if err != nil {
				break
			}
		}
		f.Close()
		w.root.Remove(dir)
	}
}

// Close removes all folders. It returns an error if some could not be removed
// in reasonable time.
func (w *Workdirs) Close() error {
	done := make(chan error, 1)
	go func() {
		w.removals.Wait()
		entries, err := w.entries()
		for _, e := range entries {
			w.remove(e.Name())
		}
		if !w.inPlace() {
			err = errors.Join(err, errMoved)
		} else {
			err = errors.Join(err, os.Remove(w.path))
		}
		done <- errors.Join(err, w.root.Close())
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(cleaning):
		return fmt.Errorf("removing %s takes too long and was given up", w.path)
	}
}

func (w *Workdirs) entries() ([]os.DirEntry, error) {
	f, err := w.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
