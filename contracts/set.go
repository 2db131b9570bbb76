package contracts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Set is the contracts of a run, sorted by name and version: the embedded ones
// and the packs that a host team brings beside them.
type Set []*Contract

func (s Set) sort() {
	slices.SortFunc(s, func(a, b *Contract) int {
		if a.Name != b.Name {
			return strings.Compare(a.Name, b.Name)
		}
		return a.Version.Compare(b.Version)
	})
}

// Get returns the newest version of a contract that fits request: "name",
// "name@1", "name@1.0", or "name@^1.0" for 1.0 and whatever later minor adds to it.
func (s Set) Get(request string) (*Contract, error) {
	name, version, _ := strings.Cut(request, "@")
	var found *Contract
	var known []string
	for _, c := range s {
		known = append(known, c.ID())
		if c.Name == name && c.Version.fits(version) {
			found = c // the set is sorted, so the last one is the newest
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no contract %q; there are %s", request, strings.Join(known, ", "))
	}
	return found, nil
}

// fits reports whether the version is one that is asked for.
func (v Version) fits(request string) bool {
	if least, ok := strings.CutPrefix(request, "^"); ok {
		w, err := ParseVersion(least)
		return err == nil && v.Major == w.Major && v.Minor >= w.Minor
	}
	return request == "" || request == v.String() || request == fmt.Sprint(v.Major)
}

// Versions returns every version of a contract, the oldest first.
func (s Set) Versions(name string) Set {
	return slices.DeleteFunc(slices.Clone(s), func(c *Contract) bool { return c.Name != name })
}

// Newest reports whether the set holds no newer version of a contract.
func (s Set) Newest(id string) bool {
	name, version, _ := strings.Cut(id, "@")
	versions := s.Versions(name)
	return len(versions) == 0 || versions[len(versions)-1].Version.String() == version
}

// A Pack is a folder with a contract in it that is not embedded.
type Pack struct {
	*Contract
	// Folder is where it lies, for messages, and Files what is in it. Nothing
	// outside the folder can be reached through Files.
	Folder string
	Files  fs.FS
	root   *os.Root
}

// Close lets go of the folder.
func (p *Pack) Close() error { return p.root.Close() }

// OpenPacks finds the packs of a folder: its own, or those two levels down, by
// name and version, as the embedded ones lie.
func OpenPacks(folder string) ([]*Pack, error) {
	if _, err := os.Stat(filepath.Join(folder, "contract.json")); err == nil {
		p, err := OpenPack(folder)
		return []*Pack{p}, err
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(folder), "*", "*", "contract.json"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s holds no contract: neither contract.json nor NAME/VERSION/contract.json", folder)
	}
	var packs []*Pack
	for _, name := range names {
		p, err := OpenPack(filepath.Dir(name))
		if err != nil {
			return nil, err
		}
		packs = append(packs, p)
	}
	return packs, nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// OpenPack reads the contract in a folder, and says in which file and line it is
// broken where it is. A schema that would be fetched from elsewhere is broken.
func OpenPack(folder string) (*Pack, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	p := &Pack{Folder: folder, Files: root.FS(), root: root}
	p.Contract, err = Load(p.Files, ".")
	if err == nil {
		err = p.lint()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("contract pack %s: %w", folder, err), root.Close())
	}
	return p, nil
}

// With adds packs to the set. A version that is there already is a mistake.
func (s Set) With(packs []*Pack) (Set, error) {
	more := slices.Clone(s)
	for _, p := range packs {
		if i := slices.IndexFunc(more, func(c *Contract) bool { return c.ID() == p.ID() }); i >= 0 {
			return nil, fmt.Errorf("contract pack %s: there is a contract %s already", p.Folder, p.ID())
		}
		more = append(more, p.Contract)
	}
	more.sort()
	return more, nil
}
