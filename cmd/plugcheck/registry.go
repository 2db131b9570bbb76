package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"plugcheck/harness"
	"plugcheck/reports"
	"plugcheck/validator"
)

func newRegistry() *cobra.Command {
	var q validator.Query
	var provider, format string
	cmd := &cobra.Command{
		Use:   "registry DIR…",
		Short: "Show how a host routes by a set of manifests",
		Long: `Show how a host routes by a set of manifests: which it takes and which not, and who serves what.

With --capability and --language it routes one request as the host would, to the plugin that --provider names or to the
only one there is. With others of --name, --kind, --language and --capability it lists the plugins that fit.

The exit status is 1 when a manifest is not taken, when a request is refused, and when nothing fits.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "pretty" && format != "json" {
				return fmt.Errorf("--format %s: it is pretty or json", format)
			}
			if provider != "" && (q.Capability == "" || q.Language == "") {
				return errors.New("--provider routes a request: it needs --capability and --language")
			}
			answer, err := readRegistry(args, q, provider)
			if err != nil {
				return err
			}
			if format == "json" {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				err = enc.Encode(answer)
			} else {
				err = answer.print(cmd.OutOrStdout())
			}
			if err == nil && answer.negative() {
				return exitStatus(1)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Name, "name", "", "the plugin with this `NAME`")
	flags.StringVar(&q.Kind, "kind", "", "plugins of this `KIND`: sensor or actuator")
	flags.StringVar(&q.Language, "language", "", "plugins for this `LANGUAGE`")
	flags.StringVar(&q.Capability, "capability", "", "plugins that declare this `CAPABILITY`")
	flags.StringVar(&provider, "provider", "", "route to the plugin with this `NAME`")
	flags.StringVar(&format, "format", "pretty", "print as `FORMAT`: pretty or json")
	return cmd
}

// registryAnswer is what the command prints.
type registryAnswer struct {
	Plugins  []registered          `json:"plugins"`
	Rejected []validator.Rejection `json:"rejected"`
	Routes   []validator.Route     `json:"routes,omitempty"`
	Routed   string                `json:"routed,omitempty"`
	Refusal  *validator.Refusal    `json:"refusal,omitempty"`

	lookup bool
}

// registered is a plugin of the registry.
type registered struct {
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	Kind         string   `json:"kind"`
	Languages    []string `json:"languages"`
	Capabilities []string `json:"capabilities"`
	Source       string   `json:"source"`
}

func readRegistry(paths []string, q validator.Query, provider string) (*registryAnswer, error) {
	targets, err := harness.Discover(paths, "jsonl", "")
	if err != nil {
		return nil, err
	}
	var manifests []*validator.Manifest
	for _, t := range targets {
		switch {
		case t.Err != nil:
			return nil, t.Err
		case !t.Bare():
			manifests = append(manifests, t.Manifest)
		}
	}
	if len(manifests) == 0 {
		return nil, fmt.Errorf("there is no manifest in %s", strings.Join(paths, ", "))
	}
	r := validator.NewRegistry(manifests)
	a := &registryAnswer{Rejected: r.Rejected, Plugins: []registered{}, lookup: q != validator.Query{}}
	if a.Rejected == nil {
		a.Rejected = []validator.Rejection{}
	}
	for _, m := range r.Find(q) {
		a.Plugins = append(a.Plugins, registered{m.Name, m.Version, m.Kind, m.Languages, append([]string{}, m.Capabilities...), m.Source})
	}
	switch {
	case q.Capability != "" && q.Language != "" && q.Name == "" && q.Kind == "":
		m, err := r.Route(q.Capability, q.Language, provider)
		if err != nil {
			errors.As(err, &a.Refusal)
			break
		}
		a.Routed = m.Name
	case !a.lookup:
		a.Routes = r.Routes()
	}
	return a, nil
}

func (a *registryAnswer) negative() bool {
	return len(a.Rejected) > 0 || a.Refusal != nil || a.lookup && len(a.Plugins) == 0
}

func (a *registryAnswer) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range a.Plugins {
		row(w, p.Name+" "+p.Version, p.Kind, strings.Join(p.Languages, ", "), strings.Join(p.Capabilities, ", "))
	}
	if len(a.Plugins) == 0 {
		fmt.Fprintln(w, "no plugin fits")
	}
	if len(a.Routes) > 0 {
		fmt.Fprintln(w)
	}
	for _, r := range a.Routes {
		served := strings.Join(r.Providers, ", ")
		switch len(r.Providers) {
		case 0:
			served = "not served"
		case 1:
		default:
			served = "ambiguous: " + served
		}
		row(w, r.Capability, r.Language, served)
	}
	for _, r := range a.Rejected {
		row(w, fmt.Sprintf("rejected: %s: %s", r.Source, r.Reason))
	}
	switch {
	case a.Routed != "":
		fmt.Fprintf(w, "routed to %s\n", reports.Visible(a.Routed))
	case a.Refusal != nil:
		fmt.Fprintf(w, "refused (%s): %s\n", a.Refusal.Class, reports.Visible(a.Refusal.Message))
	}
	return w.Flush()
}

// row writes the cells of one line of a table, with nothing in them that a
// terminal might obey.
func row(w io.Writer, cells ...string) {
	for i, c := range cells {
		cells[i] = reports.Visible(c)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}
