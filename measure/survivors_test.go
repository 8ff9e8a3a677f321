package measure

import (
	"slices"
	"testing"
)

func TestFewAnswered(t *testing.T) {
	for _, c := range []struct {
		what  string
		share float64
		want  bool
	}{
		{"no answer has no cost", 0, false},
		{"one in a thousand", 0.001, true},
		{"below 99 %", 0.9899, true},
		{"99 %", 0.99, false},
		{"all", 1, false},
	} {
		if got := FewAnswered(c.share); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	want := "cost and latency cover only the 94.1 % of calls that were answered" // 16 of 17
	if got := SurvivorsOnly(16.0 / 17); got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

func TestMetricsOfSurvivors(t *testing.T) {
	var got []string
	for _, m := range Metrics() {
		if OfSurvivors(m.Name) && m.Show == Always {
			got = append(got, m.Name)
		}
	}
	want := []string{"latency_p50_s", "latency_p95_s", "latency_p99_s", "usd_per_1000_answers"}
	if !slices.Equal(got, want) || OfSurvivors("latency_all_p95_s") || OfSurvivors("usd_total") {
		t.Errorf("%v; want %v", got, want)
	}
}
