package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// templates are folders that are written for people to go on from.
//
//go:embed all:templates
var templates embed.FS

// write lays the files of a template into a folder that is not there yet, with
// words replaced in their names and texts. It returns the names of the files.
func writeTemplate(template, dir string, words ...string) ([]string, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s is there already: nothing is overwritten", dir)
		}
		return nil, err
	}
	root := "templates/" + template
	replacer := strings.NewReplacer(words...)
	var written []string
	err := fs.WalkDir(templates, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := templates.ReadFile(name)
		if err != nil {
			return err
		}
		// What the go command would take for its own is kept under another name.
		base := strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".tmpl")
		out := filepath.Join(dir, filepath.FromSlash(replacer.Replace(base)))
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(string(text), "#!") {
			mode = 0o755
		}
		written = append(written, out)
		return os.WriteFile(out, []byte(replacer.Replace(string(text))), mode)
	})
	return written, err
}
