package sweep

import (
	"slices"
	"testing"
)

// What no replication shows is not known to any precision; a value that all share is, as far as
// they can tell.
func TestPrecisionOfWhatDoesNotVary(t *testing.T) {
	same := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, c := range []struct {
		metric string
		values []float64
		random bool
		want   bool
	}{
		{"terminal_error", same(0, 500), true, false},
		{"terminal_error", same(0, 10), false, true},
		{"usd_wasted", same(0, 500), true, false},
		{"collapsed", same(0, 500), true, false},
		{"success_ratio", same(1, 28), true, false}, // 1 - 0.05^(1/28) = 0.1015
		{"success_ratio", same(1, 29), true, true},  // 0.0981
		{"answered", same(2000, 10), true, true},    // 0.26 calls of 2,000
		{"answered", same(1, 10), true, false},      // 0.26 of one
		{"makespan_s", same(60, 28), true, false},
		{"makespan_s", same(60, 29), true, true},
		{"max_attempts_per_call", same(3, 10), true, true},
		{"makespan_s", []float64{60}, false, false},
	} {
		if got := (Precision{c.metric, 0.1, 1000}).reached(c.values, c.random); got != c.want {
			t.Errorf("%s, %d times %v, random %v: %v, want %v", c.metric, len(c.values), c.values[0], c.random, got,
				c.want)
		}
	}
}
