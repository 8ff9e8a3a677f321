package sweep

import (
	"fmt"
	"strings"
	"testing"
)

// MSER cuts a transient that decays into noise, and nothing from pure noise but
// a little.
// Axes are named by their last parts, of which two at least have a name, so that none looks like a
// metric.
func TestShortNames(t *testing.T) {
	for _, c := range []struct{ paths, want string }{
		{"policy horizon", "policy horizon"},
		{"policy.retry.attempts policy.gate.semaphore", "retry.attempts gate.semaphore"},
		{"provider.limits.0.limit provider.limits.1.limit", "limits.0.limit limits.1.limit"},
		{"policy.retry.attempts policy.outer_layers.0.retry.attempts",
			"policy.retry.attempts outer_layers.0.retry.attempts"},
		{"policy.gate.semaphore other_fleets.0.policy.gate.semaphore",
			"policy.gate.semaphore other_fleets.0.policy.gate.semaphore"},
	} {
		if got := strings.Join(ShortNames(strings.Fields(c.paths)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.paths, got, c.want)
		}
	}
}

// An axis is found by its path, or by any end of it that no other has.
func TestFindAxis(t *testing.T) {
	axes := []string{"policy", "policy.retry.attempts", "policy.outer_layers.0.retry.attempts",
		"policy.gate.semaphore"}
	for name, want := range map[string]string{"policy": "0 <nil>", "policy.retry.attempts": "1 <nil>",
		"semaphore": "3 <nil>", "gate.semaphore": "3 <nil>",
		"attempts": `-1 found the axis "attempts", the end of several; want one of ` +
			`policy.outer_layers.0.retry.attempts, policy.retry.attempts`,
		"maphore": `-1 found the axis "maphore"; did you mean "policy.gate.semaphore"?`} {
		if i, err := FindAxis(axes, name); !strings.HasPrefix(fmt.Sprint(i, " ", err), want[:7]) {
			t.Errorf("%s: %d, %v; want %s", name, i, err, want)
		}
	}
}
