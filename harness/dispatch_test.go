package harness

import (
	"strings"
	"testing"
	"time"

	"plugcheck/validator"
	"plugcheck/validator/veto"
)

// TestHeardByTheHost holds what the published host takes for a veto against how and
// when it was said.
func TestHeardByTheHost(t *testing.T) {
	for _, c := range []struct {
		name    string
		took    time.Duration
		status  int
		veto    bool
		warning string
	}{
		{"in time", 4 * time.Second, 0, true, ""},
		{"late", 6 * time.Second, 0, false, "the published host waits 5s"},
		{"with a status", time.Second, 3, false, "the published host drops the veto"},
	} {
		x := &veto.Exchange{Transcript: validator.Transcript{Stdout: []byte(`{"veto":true,"reason":"freeze"}`), Elapsed: c.took, Exit: validator.Exit{Code: c.status}}}
		x.Read()
		var v Visit
		v.heard(&sighting{Exchange: x})
		if v.Veto != c.veto || !strings.Contains(v.Warning, c.warning) || c.warning == "" && v.Warning != "" {
			t.Errorf("%s: veto %v, warning %q", c.name, v.Veto, v.Warning)
		}
		if !strings.Contains(v.Says, "freeze") {
			t.Errorf("%s: what it said is not told: %q", c.name, v.Says)
		}
	}
}
