package measure

import (
	"fmt"
	"slices"

	"stampede/internal/nearest"
)

// renamed gives the present name of each metric that had another one.
var renamed = map[string]string{
	"attempts_most":    "max_attempts_per_call",
	"bound_makespan_s": "makespan_lower_bound_s",
	"horizon_s":        "max_total_backoff_s",
	"never_came":       "not_started",
}

// Index is the place of a metric in the registry, -1 for an unknown name.
func Index(name string) int {
	return slices.IndexFunc(registry, func(m Metric) bool { return m.Name == name })
}

// Lookup is the place of a metric that a person named. The error says what the name is now,
// or the nearest known one.
func Lookup(name string) (int, error) {
	if i := Index(name); i >= 0 {
		return i, nil
	}
	if now, ok := renamed[name]; ok {
		return -1, fmt.Errorf("no metric %q; it is now called %q", name, now)
	}
	return -1, fmt.Errorf("no metric %q; %s", name, nearest.Unknown(name, MetricNames()))
}

// Renamed lists, for each column that had another name once, "old is now new".
func Renamed(columns []string) (changes []string) {
	for _, c := range columns {
		if now, ok := renamed[c]; ok {
			changes = append(changes, c+" is now "+now)
		}
	}
	return changes
}
