package validator

import (
	"fmt"
	"slices"
	"strings"

	"plugcheck/contracts"
)

// A Registry is the manifests that one host knows, as it would route by them.
type Registry struct {
	manifests []*Manifest // those that could be registered, by name
	// Rejected are the manifests that a host does not take, with the reason.
	Rejected []Rejection
}

// A Rejection is a manifest that cannot be registered.
type Rejection struct {
	Source string `json:"source"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// NewRegistry registers the manifests one by one, in their order: the first with
// a name keeps it.
func NewRegistry(manifests []*Manifest) *Registry {
	r := &Registry{}
	for _, m := range manifests {
		if reason := r.reject(m); reason != "" {
			r.Rejected = append(r.Rejected, Rejection{m.Source, m.Name, reason})
			continue
		}
		r.manifests = append(r.manifests, m)
	}
	slices.SortStableFunc(r.manifests, func(a, b *Manifest) int { return strings.Compare(a.Name, b.Name) })
	return r
}

func (r *Registry) reject(m *Manifest) string {
	switch {
	case m.Unreadable != nil:
		return m.Unreadable.Message
	case len(m.Violations) > 0:
		return m.Violations[0].String()
	case m.Kind == Sensor && len(m.Capabilities) > 0:
		return "a sensor must not declare capabilities, and it declares " + strings.Join(m.Capabilities, ", ")
	}
	if i := slices.IndexFunc(r.manifests, func(other *Manifest) bool { return other.Name == m.Name }); i >= 0 {
		return fmt.Sprintf("the name %q is taken by %s", m.Name, r.manifests[i].Source)
	}
	return ""
}

// A Query is what plugins are looked up by; what is empty does not matter.
type Query struct{ Name, Kind, Language, Capability string }

// Find returns the manifests that fit, by name.
func (r *Registry) Find(q Query) []*Manifest {
	var found []*Manifest
	for _, m := range r.manifests {
		if (q.Name == "" || q.Name == m.Name) && (q.Kind == "" || q.Kind == m.Kind) &&
			(q.Language == "" || m.Speaks(q.Language)) && (q.Capability == "" || m.Declares(q.Capability)) {
			found = append(found, m)
		}
	}
	return found
}

// A Route is a capability in a language, and the plugins that could serve it.
type Route struct {
	Capability string   `json:"capability"`
	Language   string   `json:"language"`
	Providers  []string `json:"providers"`
}

// Routes is every capability that the document knows or a manifest declares, in
// every language that an actuator lists. A route with several providers is
// ambiguous without an explicit one, and one without any is not served.
func (r *Registry) Routes() []Route {
	capabilities := slices.Clone(contracts.MustGet("jsonl-exchange").Capabilities)
	var languages []string
	for _, m := range r.Find(Query{Kind: Actuator}) {
		for _, l := range m.Languages {
			if l = strings.ToLower(strings.TrimSpace(l)); !slices.Contains(languages, l) {
				languages = append(languages, l)
			}
		}
		for _, c := range m.Capabilities {
			if !slices.Contains(capabilities, c) {
				capabilities = append(capabilities, c)
			}
		}
	}
	slices.Sort(languages)
	var routes []Route
	for _, c := range capabilities {
		for _, l := range languages {
			route := Route{Capability: c, Language: l, Providers: []string{}}
			for _, m := range r.Find(Query{Kind: Actuator, Capability: c, Language: l}) {
				route.Providers = append(route.Providers, m.Name)
			}
			routes = append(routes, route)
		}
	}
	return routes
}

// A Refusal is why a host does not route a request.
type Refusal struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

func (r *Refusal) Error() string { return r.Message }

// Route finds the plugin for a request as the host does. Without a provider the
// only one there is serves it. The error is a *Refusal.
func (r *Registry) Route(capability, language, provider string) (*Manifest, error) {
	able := r.Find(Query{Kind: Actuator, Capability: capability, Language: language})
	if provider == "" {
		switch len(able) {
		case 0:
			return nil, &Refusal{"unsupported-language", fmt.Sprintf("no plugin does %s for %s", capability, language)}
		case 1:
			return able[0], nil
		}
		return nil, &Refusal{"ambiguous", fmt.Sprintf("%d plugins do %s for %s: name one of %s", len(able), capability, language, names(able))}
	}
	named := r.Find(Query{Name: provider})
	if len(named) == 0 {
		var all []string
		for _, m := range r.manifests {
			all = append(all, m.Name)
		}
		message := fmt.Sprintf("there is no provider %q", provider)
		if near := contracts.Nearest(provider, all); near != "" {
			message += "; did you mean " + near + "?"
		}
		return nil, &Refusal{"unknown-provider", message}
	}
	m := named[0]
	switch {
	case m.Kind != Actuator || !m.Declares(capability):
		return nil, &Refusal{"capability-mismatch", fmt.Sprintf("%s does not declare %s", m.Name, capability)}
	case !m.Speaks(language):
		return nil, &Refusal{"language-mismatch", fmt.Sprintf("%s does %s for %s, and not for %s", m.Name, capability, strings.Join(m.Languages, ", "), language)}
	}
	return m, nil
}

func names(list []*Manifest) string {
	var all []string
	for _, m := range list {
		all = append(all, m.Name)
	}
	return strings.Join(all, ", ")
}
