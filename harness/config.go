package harness

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"plugcheck/fixtures"
	"plugcheck/validator/patch"
)

// ConfigName is the file beside a plugin in which its author tells the kit what it cannot know.
const ConfigName = "plugcheck.toml"

// Config is what plugcheck.toml says.
type Config struct {
	// Patch is the form of patch: "unified", the default, or "search-replace".
	Patch string `toml:"patch"`
	// Lock is a command that must pass in the workspace, before and after a rename.
	Lock string `toml:"lock"`
	// Cases is a folder of cases of the author's own, beside those in Case.
	Cases string       `toml:"cases"`
	Case  []CaseSource `toml:"case"`
	// Env is set in the plugin's environment, which is small otherwise.
	Env map[string]string `toml:"env"`
	// Plugin stands in for the manifest of a bare executable.
	Plugin struct {
		Kind         string   `toml:"kind"`
		Languages    []string `toml:"languages"`
		Capabilities []string `toml:"capabilities"`
	} `toml:"plugin"`
	// Sensor says what to ask a sensor for, which no document fixes.
	Sensor struct {
		Operation string         `toml:"operation"`
		Arguments map[string]any `toml:"arguments"`
	} `toml:"sensor"`
	// Rewriter is the command of a host's own rewriter, which makes the saves of a
	// JavaScript plugin in place of the built-in one.
	Rewriter []string `toml:"rewriter"`
	// Expect is what the author of a veto plugin expects of single events.
	Expect  []Expectation `toml:"expect"`
	Sandbox struct {
		// Read lists folders beside the plugin's own that it needs, for jsonl.no-filesystem.
		Read []string `toml:"read"`
	} `toml:"sandbox"`
	// Host is what the host of a JSON-RPC plugin knows, and Tools which of its tools
	// to call, and with what.
	Host  HostConfig  `toml:"host"`
	Tools ToolsConfig `toml:"tools"`
	// Commands says which of its commands are not invoked.
	Commands struct {
		Skip []string `toml:"skip"`
	} `toml:"commands"`

	dir   string
	cases []fixtures.Case
	style patch.Style
}

// HostConfig is what the host answers a plugin that asks it.
type HostConfig struct {
	// Config holds the values of config keys; what is not here has none.
	Config map[string]any `toml:"config"`
	// Session is what host.session_get returns.
	Session struct {
		ID           string `toml:"id"`
		Title        string `toml:"title"`
		MessageCount int    `toml:"message_count"`
	} `toml:"session"`
	// Tools holds what the host's own tools answer, by their names.
	Tools map[string]any `toml:"tools"`
	// Timeout is how long a call may take, such as "2s".
	Timeout string `toml:"timeout"`

	timeout time.Duration
}

// ToolsConfig says which tools may be called, and with what.
type ToolsConfig struct {
	Skip []string `toml:"skip"`
	// Args holds examples of arguments for a tool, by its name: they are used as
	// they are, besides those drawn from its schema.
	Args map[string][]map[string]any `toml:"args"`
}

// session is what host.session_get returns.
func (h *HostConfig) session() map[string]any {
	s := h.Session
	return map[string]any{"id": cmp.Or(s.ID, "plugcheck-session"), "title": cmp.Or(s.Title, "A session with plugcheck"), "message_count": s.MessageCount}
}

// CaseSource is a case in the fixtures' format, in a file or written out.
type CaseSource struct {
	File  string `toml:"file"`
	Txtar string `toml:"txtar"`
}

// loadConfig reads file, or plugcheck.toml in dir if there is one.
func loadConfig(file, dir string) (Config, error) {
	name := file
	if name == "" {
		name = filepath.Join(dir, ConfigName)
	}
	var c Config
	c.dir = filepath.Dir(name)
	text, err := readRegular(name)
	if errors.Is(err, os.ErrNotExist) && file == "" {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	dec := toml.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		var strict *toml.StrictMissingError
		var decode *toml.DecodeError
		switch {
		case errors.As(err, &strict):
			return c, fmt.Errorf("%s: unknown key:\n%s", name, strict.String())
		case errors.As(err, &decode):
			line, column := decode.Position()
			return c, fmt.Errorf("%s: line %d, column %d: %w", name, line, column, err)
		}
		return c, fmt.Errorf("%s: %w", name, err)
	}
	if err := c.settle(); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// maxFile bounds what is read of an author's files; real ones have some kilobytes.
const maxFile = 1 << 20

// readRegular reads a file that is one: a pipe would keep the kit waiting, and
// what never ends would take its memory.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", name)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s is larger than 1 MiB", name)
	}
	return os.ReadFile(name)
}

// settle reads the cases and checks the choices.
func (c *Config) settle() error {
	switch c.Patch {
	case "", "unified":
	case "search-replace":
		c.style = patch.SearchReplace
	default:
		return fmt.Errorf("patch = %q: it is \"unified\" or \"search-replace\"", c.Patch)
	}
	if c.Cases != "" {
		cases, err := fixtures.Load(os.DirFS(c.path(c.Cases)), ".")
		if err != nil {
			return fmt.Errorf("cases = %q: %w", c.Cases, err)
		}
		c.cases = append(c.cases, cases...)
	}
	for i, s := range c.Case {
		source, text := fmt.Sprintf("case-%d", i+1), []byte(s.Txtar)
		switch {
		case (s.File == "") == (s.Txtar == ""):
			return fmt.Errorf("[[case]] %d needs one of file and txtar", i+1)
		case s.File != "":
			var err error
			if text, err = readRegular(c.path(s.File)); err != nil {
				return fmt.Errorf("[[case]] %d: %w", i+1, err)
			}
			source = s.File
		}
		one, err := fixtures.Parse(source, text)
		if err != nil {
			return fmt.Errorf("[[case]] %d: %w", i+1, err)
		}
		c.cases = append(c.cases, one)
	}
	for i := range c.Expect {
		if err := c.Expect[i].check(); err != nil {
			return fmt.Errorf("[[expect]] %d %w", i+1, err)
		}
	}
	if c.Host.Timeout != "" {
		var err error
		if c.Host.timeout, err = time.ParseDuration(c.Host.Timeout); err != nil || c.Host.timeout <= 0 {
			return fmt.Errorf("[host] timeout = %q: it is a time such as \"2s\"", c.Host.Timeout)
		}
	}
	for name := range c.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("[env] %q is no name of a variable", name)
		}
	}
	return nil
}

func (c *Config) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}
