package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
)

// ask makes a call that is answered.
func ask[T any](t *testing.T, s *Session, op string, args arguments) (T, map[string][]byte) {
	t.Helper()
	var out T
	reply, ok := s.Call(op, marshal(t, args))
	if !ok {
		t.Fatalf("%s: %s", op, reply.JSON)
	}
	if err := json.Unmarshal(reply.JSON, &out); err != nil {
		t.Fatal(err)
	}
	return out, reply.Buffers
}

func marshal(t *testing.T, args arguments) []byte {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const document = `name: small
seed: 3
workload: {batch: {calls: 40}, prompt_tokens: {lognormal: {p50: 1200, p95: 4000}}, output_tokens: 100}
fleet: {workers: 8}
provider:
  limits: [{resource: requests, limit: 60/min, burst: 2}]
  latency: {first_token: {lognormal: {p50: 400ms, p95: 1.5s}}}
policy:
  retry: {attempts: 4, backoff: {exponential: {base: 500ms, factor: 2, jitter: full}}}
price: {input: 1, output: 2}
goals: ["success_ratio>=50%"]
sweep:
  policy.retry.attempts: [1, as_above, 6]
  fleet.workers: [1, 2]
`

// The numbers are those of the same scenario by package measure, bit for bit, with and without a replay.
func TestRunGivesTheNumbersOfMeasure(t *testing.T) {
	set := []string{"policy.retry.attempts=3", "seed=9"}
	s, err := scenario.Read([]byte(document), "test", scenario.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	var session Session
	for replication := range 3 {
		want, err := measure.Replicator{}.One(s, 0, replication)
		if err != nil {
			t.Fatal(err)
		}
		for _, withReplay := range []bool{true, false} {
			got, _ := ask[ran](t, &session, "run", arguments{
				Document: document, Set: set, Replication: replication, Replay: withReplay,
			})
			n := 0
			for i, m := range measure.Metrics() {
				value, has := got.Values[m.Name]
				if x := want.Values[i]; has == math.IsNaN(x) || has && value != x {
					t.Errorf("replication %d: %s is %v, %v; want %v", replication, m.Name, value, has, x)
				} else if has {
					n++
				}
			}
			if n < 50 {
				t.Errorf("%d metrics have a value; want 50 or more", n)
			}
			if e, has := got.Estimates["makespan_s"]; has != (replication > 0) || has && e.N != replication+1 {
				t.Errorf("after %d replications there is an estimate: %v, over %d", replication+1, has, e.N)
			}
			if len(got.Goals) != 1 || got.Verdict == "" {
				t.Errorf("goals %v, verdict %q; want one goal and a verdict", got.Goals, got.Verdict)
			}
		}
	}
}

// Where fewer than 99 % of calls are answered, latency and cost are said to cover only those: of a burst of 40 calls
// with one attempt, at a limit of 10.
func TestFewAnswered(t *testing.T) {
	const burst = `
workload: {burst: {calls: 40}, prompt_tokens: 1, output_tokens: 1}
provider: {limits: [{resource: requests, limit: 10/min, burst: 10}]}
price: {input: 1, output: 1}
`
	var session Session
	got, _ := ask[ran](t, &session, "run", arguments{Document: burst, Set: []string{"policy.retry.attempts=1"}})
	if got.Few == nil {
		t.Fatalf("%v of 40 are answered, and nothing is said of few", got.Values["answered"])
	}
	if want := "cost and latency cover only the 25 % of calls that were answered"; got.Few.Note != want {
		t.Errorf("%q; want %q", got.Few.Note, want)
	}
	for metric, want := range map[string]bool{
		"latency_p95_s": true, "usd_per_1000_answers": true, "latency_all_p95_s": false, "makespan_s": false,
	} {
		if slices.Contains(got.Few.Metrics, metric) != want {
			t.Errorf("%s is of few: %v; want %v", metric, !want, want)
		}
	}
	for _, setting := range []string{ // all are answered; without an answer there is no cost
		"provider.limits.0.burst=40", "provider.faults=[{share: 100%, status: 500}]",
	} {
		set := []string{"policy.retry.attempts=1", setting}
		if got, _ := ask[ran](t, &session, "run", arguments{Document: burst, Set: set}); got.Few != nil {
			t.Errorf("%s: %v of 40 are answered; few: %+v", setting, got.Values["answered"], got.Few)
		}
	}
}

func TestVariantsHaveShortNames(t *testing.T) {
	for _, c := range []struct {
		sweep string
		names []string
		left  string
	}{
		{"{policy.retry.backoff.exponential.jitter: [none, full]}", []string{"jitter none", "jitter full"}, ""},
		{"{policy.budget: [none, {share: {ratio: 10%}}]}", []string{"budget none", "budget 2"}, ""},
		{"{provider.faults.0: [{first: 2, status: 429}, {first: 2, status: 500}]}",
			[]string{"faults 1", "faults 2"}, ""},
		{"{policy.retry.never_on: [[], [credit_balance_exhausted]]}", []string{"never_on []", "never_on 2"}, ""},
		{"{fleet.workers: [1, as_above], policy.retry.attempts: [1, 2], seed: [1, 2]}",
			[]string{"workers 1", "as_above"},
			"only the first axis of the sweep is shown, fleet.workers; not policy.retry.attempts, seed"},
		{"{fleet.workers: [1, 2, 3, 4, 5], seed: [1, 2]}",
			[]string{"workers 1", "workers 2", "workers 3", "workers 4"},
			"only the first axis of the sweep is shown, fleet.workers; not seed; " +
				"only the first 4 of 5 values of fleet.workers are shown"},
		{"{points: 8, policy.timeouts.attempt: 1.5s..60s lin}", []string{"as it is"},
			"the sweep draws policy.timeouts.attempt from a range; the scenario is shown without it"},
	} {
		text, _, _ := strings.Cut(document, "sweep:")
		got, _ := ask[read](t, &Session{}, "load", arguments{
			Document: text + "sweep: " + c.sweep + "\n",
		})
		var names []string
		for _, p := range got.Policies {
			names = append(names, p.Name)
		}
		if !slices.Equal(names, c.names) || got.LeftOut != c.left {
			t.Errorf("%s: %q, left out %q; want %q, %q", c.sweep, names, got.LeftOut, c.names, c.left)
		}
	}
}

func TestLoad(t *testing.T) {
	var session Session
	got, _ := ask[read](t, &session, "load", arguments{Document: document})
	if got.Name != "small" || got.Seed != 3 {
		t.Errorf("it is %q with seed %d; want small, 3", got.Name, got.Seed)
	}
	want := []Variant{
		{"attempts 1", []string{"policy.retry.attempts=1"}},
		{"as_above", []string{}},
		{"attempts 6", []string{"policy.retry.attempts=6"}},
	}
	if !slices.EqualFunc(got.Policies, want, func(a, b Variant) bool {
		return a.Name == b.Name && slices.Equal(a.Set, b.Set)
	}) {
		t.Errorf("policies are %v; want %v", got.Policies, want)
	}
	var paths []string
	for _, n := range got.Numbers {
		paths = append(paths, n.Path+"="+n.Text)
	}
	wantPaths := []string{
		"workload.batch.calls=40", "workload.prompt_tokens.lognormal.p50=1200",
		"workload.prompt_tokens.lognormal.p95=4000", "workload.output_tokens=100", "fleet.workers=8",
		"provider.limits.0.limit=60/min", "provider.limits.0.burst=2",
		"provider.latency.first_token.lognormal.p50=400ms", "provider.latency.first_token.lognormal.p95=1.5s",
		"policy.retry.attempts=4", "policy.retry.backoff.exponential.base=500ms",
		"policy.retry.backoff.exponential.factor=2", "price.input=1", "price.output=2",
	}
	if !slices.Equal(paths, wantPaths) {
		t.Errorf("numbers are\n%s\nwant\n%s", strings.Join(paths, "\n"), strings.Join(wantPaths, "\n"))
	}
}

// What is exported gives the same numbers, whatever the settings; it keeps what the document says where that can be.
func TestExportGivesTheSameNumbers(t *testing.T) {
	for _, row := range []struct {
		document string
		set      []string
		has      string
	}{
		{document, nil, "limits: [{resource: requests, limit: 60/min, burst: 2}]"},
		{document, []string{"seed=5", "fleet.workers=2"}, "workers: 2"},
		{document, []string{"provider.limits.0.limit=90/min", "policy.timeouts.attempt=2s"}, "limit: 90/min"},
		{document, []string{"provider.limits+=[{resource: concurrency, limit: 3}]"}, "concurrency"},
		{document, []string{"policy=openai-python@2.46"}, "policy: openai-python@2.46"},
		{document, []string{"policy=openai-python@2.46", "policy.retry.attempts=5"}, "attempts: 5"},
		{"policy: anthropic-python@0.105\n" + strings.Replace(document, "policy:\n  retry: {attempts: 4, backoff: "+
			"{exponential: {base: 500ms, factor: 2, jitter: full}}}\n", "", 1),
			[]string{"policy.gate.semaphore=2"}, "semaphore: 2"},
	} {
		var session Session
		want, _ := ask[ran](t, &session, "run", arguments{Document: row.document, Set: row.set})
		text, _ := ask[map[string]string](t, &session, "export", arguments{Document: row.document, Set: row.set})
		if !strings.Contains(text["yaml"], row.has) {
			t.Errorf("with %v the document lacks %q:\n%s", row.set, row.has, text["yaml"])
		}
		got, _ := ask[ran](t, &Session{}, "run", arguments{Document: text["yaml"]})
		for name, x := range want.Values {
			if got.Values[name] != x {
				t.Errorf("with %v the exported document gives %s %v; want %v", row.set, name, got.Values[name], x)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		op   string
		args arguments
		text string
		at   [2]int
		path string
	}{
		{"run", arguments{Document: "workload: {burst: {calls: 4}, prompt_tokens: 1, output_tokens: 1}\nfoo: 3\n"},
			"foo: unknown field", [2]int{2, 1}, "foo"},
		{"load", arguments{Document: document, Set: []string{"fleet.workers=some"}}, `found "some"`, [2]int{},
			"fleet.workers"},
		{"run", arguments{Document: document, Replication: -1}, "found -1; want 0 to 1000", [2]int{}, ""},
		{"csv", arguments{Document: document, Replication: 1001}, "found 1001; want 0 to 1000", [2]int{}, ""},
		{"curve", arguments{Document: document, Metric: "attempts", Replication: -1}, "found -1", [2]int{}, ""},
		{"animate", arguments{Replication: -1}, "replication: found -1", [2]int{}, ""},
		{"curve", arguments{Document: document, Metric: "latency_p59_s"}, `did you mean "latency_p50_s"`, [2]int{}, ""},
		{"rum", arguments{}, `did you mean "run"?`, [2]int{}, ""},
		{"run", arguments{Document: "workload: {burst: {calls: 3M}, prompt_tokens: 1, output_tokens: 1}\n"},
			"use the command line", [2]int{}, ""},
	} {
		var session Session
		reply, ok := session.Call(row.op, marshal(t, row.args))
		var r Refusal
		if err := json.Unmarshal(reply.JSON, &r); ok || err != nil || !strings.Contains(r.Text, row.text) {
			t.Errorf("%s: %s; want a refusal with %q", row.op, reply.JSON, row.text)
		}
		if row.path == "" {
			continue
		}
		if len(r.Mistakes) == 0 || r.Mistakes[0].Path != row.path ||
			[2]int{r.Mistakes[0].Line, r.Mistakes[0].Column} != row.at {
			t.Errorf("%s: mistakes are %+v; want %s at %v", row.op, r.Mistakes, row.path, row.at)
		}
	}
}

// A run that is too long is known by the type of its error, not by its words.
func TestTooLongIsExplained(t *testing.T) {
	spent := fmt.Errorf("replication 3: %w", &sim.BudgetError{Budget: 5})
	if got := explain(spent).Error(); !strings.Contains(got, "use the command line") {
		t.Errorf("%q", got)
	}
	other := errors.New(spent.Error())
	if got := explain(other); got != other {
		t.Errorf("%q; want it as it is", got)
	}
}

// A tenth of the answers take longer than 10 s and are billed twice: 1000 c / (1 - 0.1), c = 1 dollar.
func TestCurveHasItsClosedForm(t *testing.T) {
	const bill = `
workload: {burst: {calls: 5000}, prompt_tokens: 1000, output_tokens: 1}
provider:
  latency: {first_token: {uniform: {min: 0s, max: 20s}}}
  cancel: keeps_generating
policy: {retry: {attempts: 50, backoff: none}, timeouts: {attempt: 18s}}
price: {input: 1000, output: 0}
`
	var session Session
	got, _ := ask[struct{ Y, Closed []float64 }](t, &session, "curve", arguments{
		Document: bill, Path: "policy.timeouts.attempt", Values: []string{"10s", "18s"}, Metric: "usd_per_1000_answers",
		Closed: "billed_by_timeout",
	})
	for i, p := range []float64{0.5, 0.1} {
		want := 1000 / (1 - p)
		if math.Abs(got.Closed[i]-want) > 1e-3*want {
			t.Errorf("the closed form is %v; want %v", got.Closed[i], want)
		}
		// the standard error of 5,000 geometric numbers of attempts is sqrt(p)/(1-p)/sqrt(5000) of 1/(1-p)
		if tolerance := 4 * math.Sqrt(p/5000) * want; math.Abs(got.Y[i]-want) > tolerance {
			t.Errorf("the simulation gives %v; want %v +- %v", got.Y[i], want, tolerance)
		}
	}
}

// The array of calls has one row a call, and as many that were answered as the metric says.
func TestArrays(t *testing.T) {
	var session Session
	got, buffers := ask[ran](t, &session, "run", arguments{Document: document, Replay: true})
	if n := len(buffers["calls"]); n != 8*5*40 || got.Calls != 40 {
		t.Fatalf("calls have %d bytes; want 40 rows of 5 numbers", n)
	}
	answered := 0.0
	for row := range 40 {
		outcome := math.Float64frombits(binary.LittleEndian.Uint64(buffers["calls"][8*(5*row+2):]))
		if got.Outcomes[int(outcome)] == "answered" {
			answered++
		}
	}
	if answered != got.Values["answered"] {
		t.Errorf("%v calls are answered in the array; the metric says %v", answered, got.Values["answered"])
	}
	if n := float64(len(buffers["attempts"]) / (8 * 6)); n != got.Values["attempts"] {
		t.Errorf("%v attempts in the array; the metric says %v", n, got.Values["attempts"])
	}
}

// The attempts are written as the command line does.
func TestCSV(t *testing.T) {
	s, err := scenario.Read([]byte(document), "test", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	rows := measure.CSV{Model: &s.Model, Attempts: &want}
	rows.WriteHeaders()
	if _, err := s.Model.Run(s.Seed, 0, rows.Of(0)); err != nil {
		t.Fatal(err)
	}
	_, buffers := ask[struct{}](t, &Session{}, "csv", arguments{Document: document})
	if !bytes.Equal(buffers["text"], want.Bytes()) || bytes.Count(want.Bytes(), []byte("\n")) < 41 {
		t.Errorf("the page writes\n%.500s\nwant\n%.500s", buffers["text"], want.Bytes())
	}
}
