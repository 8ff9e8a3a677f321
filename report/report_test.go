package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"stampede/internal/format"
	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
)

// The same seed gives the same bytes, for any number of cores and of jobs, and
// for records as for the report.
func TestBytesDoNotDependOnCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want string
	for _, cores := range []int{1, 2, 8} {
		for _, jobs := range []int{0, 1, 5} {
			runtime.GOMAXPROCS(cores)
			s := testkit.Embedded(t, "replications=7", "workload.batch.calls=200")
			runs, err := measure.Replicator{Jobs: jobs}.Run(context.Background(), s, 0, s.Replications)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := NewReport(s, runs).WriteJSON(&out); err != nil {
				t.Fatal(err)
			}
			csv := measure.CSV{Model: &s.Model, Calls: &out, Attempts: &out}
			if _, err := (measure.Replicator{Jobs: 1, Listen: csv.Of}).Run(context.Background(), s, 0, 2); err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = out.String()
			}
			if out.String() != want {
				t.Fatalf("GOMAXPROCS %d, jobs %d: other bytes", cores, jobs)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 2000: "2000", 1.23456: "1.235", 0.00043071: "0.0004307", 123456.7: "123500", 1e9: "1e+09",
		0.00001234: "1.234e-05", math.Inf(1): "unbounded",
	} {
		if got := format.Number(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	if format.Number(math.NaN()) != "n/a" {
		t.Error("NaN is n/a")
	}
}

// What makes a figure less than it seems is said below it. Trap 5: calls that are unfinished or
// never came. Trap 9: a single seed, which has no interval, and few.
func TestWarningsTravelWithTheReport(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{[]string{"replications=1"}, "one replication gives no interval"},
		{[]string{"replications=4"}, "only 4 replications"},
		{[]string{"horizon=60s"}, "were still waiting to start when the run ended"},
		{[]string{"provider.faults=[{share: 1%, hang: true}]", "policy.timeouts={connect: 5s, attempt: none}"},
			"are unfinished"},
		{[]string{"workload.patience=20s"}, "were abandoned"},
		{[]string{"event_budget=17k"}, "raise event_budget"},
		{[]string{"policy.retry.attempts=none", "policy.retry.deadline=none"}, "retries without limit"},
		{[]string{"provider.faults=[{status: 400}]"}, ""},
	} {
		s := testkit.Embedded(t, c.set...)
		runs, err := measure.Replicator{}.Run(context.Background(), s, 0, min(s.Replications, 10))
		if err != nil {
			t.Fatal(err)
		}
		r := NewReport(s, runs)
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, c.want) || (c.want == "" && all != "") {
			t.Errorf("%v: warnings %q, want in them %q", c.set, all, c.want)
		}
		var out bytes.Buffer
		if err := r.WriteText(&out, Layout{}); err != nil {
			t.Fatal(err)
		}
		if c.want == "" && !regexp.MustCompile(`latency_p50_s +n/a`).MatchString(out.String()) {
			t.Errorf("a latency without an answer must print n/a:\n%s", out.String())
		}
	}
}

// Of 10,000 calls a gateway refuses one in ten by itself, standard deviation 30: the provider and its limit never
// see them, which have room for a million. Of the others the provider refuses one in five, 1,800.
func TestErrorsOfAGateway(t *testing.T) {
	const text = `
name: t
replications: 1
workload: {burst: {calls: 10000}, prompt_tokens: 100, output_tokens: 10}
provider:
  limits: [{resource: requests, limit: 1M/day, kind: fixed_window}]
  faults: [{share: 20%, status: 503}]
  gateway: {errors: [{share: 10%, status: 502}]}
policy: no-retry
price: {input: 1, output: 1}
`
	s, err := scenario.Read([]byte(text), "f", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := measure.Replicator{Jobs: 1}.Run(t.Context(), s, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string) float64 { return runs[0].Values[measure.Index(name)] }
	own, theirs := value("gateway_refused"), value("attempts_overloaded")
	if math.Abs(own-1000) > 4*30 || value("attempts_server_error") != own || math.Abs(theirs-1800) > 4*38 {
		t.Errorf("%g errors of the gateway and %g of the provider; want 1,000 and 1,800", own, theirs)
	}
	if used := 1e6 * value("limit_1_used_ratio"); math.Abs(used-(10_000-own-theirs)) > 0.5 {
		t.Errorf("%g requests used the limit; want %g", used, 10_000-own-theirs)
	}
}

// Of 10,000 attempts one in ten finds no name, of the others one in ten fails in the handshake, and one in ten of what
// is left is reset: 1,000, 900 and 810, standard deviations up to 30. The report names them.
func TestFailuresOfConnections(t *testing.T) {
	const text = `
name: t
replications: 1
workload: {burst: {calls: 10000}, prompt_tokens: 100, output_tokens: 10}
provider:
  faults:
    - {share: 10%, connection: dns}
    - {share: 10%, connection: {kind: tls, after: {exponential: {mean: 2s}}}}
    - {share: 10%, connection: reset}
policy: no-retry
price: {input: 1, output: 1}
`
	s, err := scenario.Read([]byte(text), "f", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := measure.Replicator{Jobs: 1}.Run(t.Context(), s, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := NewReport(s, runs).WriteText(&out, Layout{}); err != nil {
		t.Fatal(err)
	}
	all := 0.0
	for name, want := range map[string]float64{"connection_dns": 1000, "connection_tls": 900, "connection_reset": 810} {
		got := runs[0].Values[measure.Index(name)]
		if all += got; math.Abs(got-want) > 4*30 || !strings.Contains(out.String(), name) {
			t.Errorf("%s: %g, want %g, in\n%s", name, got, want, out.String())
		}
	}
	if got := runs[0].Values[measure.Index("attempts_connection")]; got != all {
		t.Errorf("%g connections failed, want the sum of those by kind, %g", got, all)
	}
	if got := runs[0].Values[measure.Index("connection_refused")]; got == got {
		t.Errorf("%g connections refused where no fault does that", got)
	}
}

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
		runs, err := measure.Replicator{Jobs: 1}.Run(t.Context(), s, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		value := func(name string) float64 { return runs[0].Values[measure.Index(name)] }
		if value("limit_2_used_ratio") != 1 || value("limit_2_refused") != c.refused ||
			value("quota_used_ratio") != 1 {
			t.Errorf("warm-up %s: %g of the daily quota used, %g refused, %g of the fullest limit; want 1, %g, 1",
				c.warmup, value("limit_2_used_ratio"), value("limit_2_refused"), value("quota_used_ratio"), c.refused)
		}
		if used := value("limit_1_used_ratio"); used > 0.001 || value("limit_1_refused") != 0 ||
			value("slots_refused") != 0 {
			t.Errorf("warm-up %s: %g of the limit behind it used", c.warmup, used)
		}
		if x := value("limit_3_refused"); x == x {
			t.Errorf("a limit that is not there refuses %g", x)
		}
		var out bytes.Buffer
		report := NewReport(s, runs)
		if err := report.WriteText(&out, Layout{}); err != nil {
			t.Fatal(err)
		}
		table := map[string]bool{}
		for _, line := range strings.Split(out.String(), "\n") {
			table[strings.Join(strings.Fields(line), " ")] = true
		}
		if want := "daily 1 [?] " + format.Number(c.refused) + " [?]"; !table[want] || !table["slots 0 [?]"] {
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
		if l := back.Limits[1]; len(back.Limits) != 3 || l.Name != "daily" || l.Metric != "limit_2" ||
			l.Refused.Mean != c.refused {
			t.Errorf("JSON: %+v", back.Limits)
		}
		for _, m := range back.Metrics {
			if measure.OfLimits(m.Name) {
				t.Errorf("JSON says %s twice", m.Name)
			}
		}
	}
}

// Ten calls at once, in turn to three deployments, go 4, 3 and 3. The second lets 2 of its 3 in, the
// third is down: 4, 2 and 0 answers, 0, a third and all refused.
func TestDeploymentsHaveATable(t *testing.T) {
	const text = `{replications: 1, workload: {burst: {calls: 10}, prompt_tokens: 1, output_tokens: 1},
		provider: {name: us}, policy: {route: {by: round_robin}}, deployments: [
			{name: eu, limits: [{resource: requests, limit: 2/h}]}, {name: asia, faults: [{status: 503}]}]}`
	s, err := scenario.Read([]byte(text), "routed", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := measure.Replicator{}.Run(context.Background(), s, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	report := NewReport(s, runs)
	var table strings.Builder
	if err := report.WriteText(&table, Layout{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"deployment answered attempts share refused", "us 4 [?] 4 [?] 0 [?]", "eu 2 [?] 3 [?] 0.3333 [?]",
		"asia 0 [?] 3 [?] 1 [?]",
	} {
		if !strings.Contains(strings.Join(strings.Fields(table.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	var out bytes.Buffer
	if err := report.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Metrics     []struct{ Name string }
		Deployments []struct {
			Name, Metric                string
			Answered, Attempts, Refused struct{ Mean float64 }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if d := back.Deployments; len(d) != 3 || d[1].Name != "eu" || d[1].Metric != "deployment_2" ||
		d[1].Answered.Mean != 2 || d[1].Attempts.Mean != 3 {
		t.Errorf("JSON: %+v", back.Deployments)
	}
	for _, m := range back.Metrics {
		if measure.OfDeployments(m.Name) {
			t.Errorf("JSON says %s twice", m.Name)
		}
	}
}

// Of forty calls at once, half of them of 10 tokens and half of 1,000 at 10 tokens a second, each kind has its number
// and its time: 1 s, and nothing, since the long ones are cut off after 5 s of their 100 s.
func TestKindsHaveATable(t *testing.T) {
	const text = `{replications: 1, workload: {burst: {calls: 40}, prompt_tokens: 1, mix: [
			{name: classify, share: 50%, output_tokens: 10},
			{name: summarize, output_tokens: 1000, timeouts: {attempt: 5s}}]},
		provider: {latency: {tokens_per_second: 10}}}`
	s, err := scenario.Read([]byte(text), "mixed", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := measure.Replicator{}.Run(context.Background(), s, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	report := NewReport(s, runs)
	var table strings.Builder
	if err := report.WriteText(&table, Layout{}); err != nil {
		t.Fatal(err)
	}
	k := report.Kinds
	if len(k) != 2 || k[0].Calls.Mean+k[1].Calls.Mean != 40 || k[0].Calls.Mean == 0 || k[1].Calls.Mean == 0 {
		t.Fatalf("%+v", k)
	}
	for _, want := range []string{
		"kind calls answered p95 s",
		fmt.Sprintf("classify %[1]g [?] %[1]g [?] 1 [?]", k[0].Calls.Mean),
		fmt.Sprintf("summarize %g [?] 0 [?]", k[1].Calls.Mean),
	} {
		if !strings.Contains(strings.Join(strings.Fields(table.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	var out bytes.Buffer
	if err := report.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{`"name": "classify"`: 1, `"kind_1"`: 1, "kind_1_": 0} {
		if n := strings.Count(out.String(), text); n != want {
			t.Errorf("JSON says %s %d times, want %d", text, n, want)
		}
	}
}

// The forms of intervals that a report has are explained below it.
func TestFormsHaveALegend(t *testing.T) {
	for _, c := range []struct {
		reps int
		set  string
		want []string
	}{
		{1, "seed=1", []string{"[?] one replication gives no interval"}},
		{30, "seed=1", []string{"[=] the same in all 30 replications; with 95 % confidence at most 9.5 % of " +
			"further replications differ",
			"0 of 30, at most 9.5 %: no replication has any", "waits that are not listed are 0 in all 30 " +
				"replications; with 95 % confidence each is above 0 in at most 9.5 % of further replications"}},
	} {
		s := testkit.Embedded(t, fmt.Sprintf("replications=%d", c.reps), "workload.batch.calls=50", c.set)
		runs, err := measure.Replicator{}.Run(context.Background(), s, 0, s.Replications)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := NewReport(s, runs).WriteText(&text, Layout{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%d replications: no legend %q in\n%s", c.reps, want, &text)
			}
		}
	}
}
