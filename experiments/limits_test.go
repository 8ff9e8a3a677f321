package experiments

import (
	"bytes"
	"encoding/json"
	"stampede/internal/testkit"
	"strings"
	"testing"

	"stampede/scenario"
)

// 239 calls, from 30 s to 7,170 s, under a daily quota of 50: it is used up by
// the fiftieth and refuses the others, 120 of them from 3,600 s on. The limit before
// it admits 1,000 and 1,000 a minute, of which the 50 are next to nothing.
func TestLimitsOfARun(t *testing.T) {
	const text = `
name: t
replications: 1
workload: {open: {rate: 2/min, gaps: constant, calls: 239}, prompt_tokens: 100, output_tokens: 10}
provider:
  limits:
    - {resource: requests, limit: 1000/min}
    - {name: daily, resource: requests, limit: 50/day, kind: fixed_window}
  capacity: {slots: 4}
policy: no-retry
price: {input: 1, output: 1}
`
	for _, c := range []struct {
		warmup  string
		refused float64
	}{{"none", 189}, {"1h", 120}} {
		s, err := scenario.Read([]byte(text+"warmup: "+c.warmup+"\n"), "f", scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs, err := Replicator{Jobs: 1}.Play(t.Context(), s, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		value := func(name string) float64 { return runs[0].Values[Index(name)] }
		if value("limit_2_used_ratio") != 1 || value("limit_2_refused") != c.refused || value("quota_used_ratio") != 1 {
			t.Errorf("warm-up %s: %g of the daily quota used, %g refused, %g of the fullest limit; want 1, %g, 1", c.warmup,
				value("limit_2_used_ratio"), value("limit_2_refused"), value("quota_used_ratio"), c.refused)
		}
		if used := value("limit_1_used_ratio"); used > 0.001 || value("limit_1_refused") != 0 || value("slots_refused") != 0 {
			t.Errorf("warm-up %s: %g of the limit behind it used", c.warmup, used)
		}
		if x := value("limit_3_refused"); x == x {
			t.Errorf("a limit that is not there refuses %g", x)
		}
		var out bytes.Buffer
		report := NewReport(s, runs)
		if err := report.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		table := map[string]bool{}
		for _, line := range strings.Split(out.String(), "\n") {
			table[strings.Join(strings.Fields(line), " ")] = true
		}
		if want := "daily 1 [?] " + Format(c.refused) + " [?]"; !table[want] || !table["slots 0 [?]"] {
			t.Errorf("no line %q in\n%s", want, out.String())
		}
		out.Reset()
		if err := report.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		var back struct {
			Metrics []struct{ Name string }
			Limits  []struct {
				Name, Metric string
				Refused      struct{ Mean float64 }
			}
		}
		if err := json.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if l := back.Limits[1]; len(back.Limits) != 3 || l.Name != "daily" || l.Metric != "limit_2" || l.Refused.Mean != c.refused {
			t.Errorf("JSON: %+v", back.Limits)
		}
		for _, m := range back.Metrics {
			if ofLimits(m.Name) {
				t.Errorf("JSON says %s twice", m.Name)
			}
		}
	}
}

// Five calls at once. Where an axis changes a limit, each point is told of its own.
func TestLimitsOfASweep(t *testing.T) {
	const text = `
name: t
workload: {burst: {calls: 5}, prompt_tokens: 100, output_tokens: 10}
provider: {limits: [{resource: requests, limit: 1/min}, {resource: tokens, limit: 9k/min, charge: prompt}]}
policy: no-retry
price: {input: 1, output: 1}
sweep: {"provider.limits.0.limit": [1/min, 100/min]}
`
	dir := t.TempDir() + "/s"
	if _, err := sweepInto(t, dir, func(s *Sweep) { s.Plan.Template, s.Plan.Reps = testkit.Template(t, text), 2 }); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		names   string
		refused float64
	}{{"requests 1/min; tokens 9000/min", 4}, {"requests 100/min; tokens 9000/min", 0}} {
		limits := c.Points[i].Limits
		if got := joinLimits(namesOf(limits)); got != want.names || limits[0].Refused.Mean != want.refused {
			t.Errorf("point %d: %s, %g refused by the first; want %s, %g", i, got, limits[0].Refused.Mean, want.names, want.refused)
		}
	}
	var out bytes.Buffer
	c.WriteText(&out)
	if !strings.Contains(out.String(), "requests 1/min (4)") || !strings.Contains(out.String(), "none") {
		t.Errorf("what refused is not in\n%s", out.String())
	}
}
