package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"stampede/internal/testkit"
	"strings"
	"testing"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/scenario"
	"stampede/sim"
)

func sweepInto(t testing.TB, dir string, change func(*Sweep)) (Outcome, error) {
	t.Helper()
	s := &Sweep{Plan: &Plan{Template: testkit.Template(t, testkit.Small), Reps: 4}, Dir: dir}
	if change != nil {
		change(s)
	}
	return s.Run(context.Background())
}

// A point that cannot be built is reported with its reason and the others run.
func TestBrokenPointsDoNotStopASweep(t *testing.T) {
	dir := t.TempDir() + "/s"
	outcome, err := sweepInto(t, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if outcome.FailedCount != 3 || outcome.Rows != 9*4+3 || !strings.Contains(outcome.Failed[0], `point 3 (as_above, nonsense): policy.gate.semaphore=nonsense: policy.gate.semaphore: found "nonsense"`) {
		t.Errorf("%+v", outcome)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) != 12 || c.Points[3].Reason == "" || c.Points[4].N != 4 {
		t.Errorf("%d points; point 3: %q; point 4: %d replications", len(c.Points), c.Points[3].Reason, c.Points[4].N)
	}
}

// The bytes are the same for any number of jobs, after any interruption and
// resumption, and joined from any number of parts.
func TestBytesOfASweep(t *testing.T) {
	whole := t.TempDir() + "/whole"
	if _, err := sweepInto(t, whole, nil); err != nil {
		t.Fatal(err)
	}
	want := testkit.Contents(t, whole)
	same := func(what, dir string) {
		t.Helper()
		if testkit.Contents(t, dir) != want {
			t.Errorf("%s: other bytes", what)
		}
	}
	for _, jobs := range []int{1, 3, 16} {
		dir := t.TempDir() + "/s"
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Jobs = jobs }); err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("%d jobs", jobs), dir)
	}
	for _, stop := range []int{1, 7, 38} {
		dir := t.TempDir() + "/s"
		ctx, cancel := context.WithCancel(context.Background())
		s := &Sweep{Plan: &Plan{Template: testkit.Template(t, testkit.Small), Reps: 4}, Dir: dir, Jobs: 2, Progress: func(done, _ int) {
			if done == stop {
				cancel()
			}
		}}
		if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted after %d: %v", stop, err)
		}
		if _, err := sweepInto(t, dir, nil); err == nil || !strings.Contains(err.Error(), "is not empty; go on with it (--resume)") {
			t.Errorf("without --resume: %v", err)
		}
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true }); err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("interrupted after %d", stop), dir)
	}
	var parts []string
	for i := range 7 {
		dir := fmt.Sprintf("%s/part%d", t.TempDir(), i)
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Plan.Shard = Shard{i + 1, 7} }); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, dir)
	}
	merged := t.TempDir() + "/merged"
	if err := Merge(parts, merged); err != nil {
		t.Fatal(err)
	}
	same("merged from 7 parts", merged)
	for name, c := range map[string]struct {
		dirs []string
		want string
	}{
		"a part missing": {parts[:6], "is part 1 of 7; found 6 parts"},
		"a part twice":   {append(slices.Clone(parts[:6]), parts[0]), "are both part 1 of 7"},
		"not a part":     {[]string{whole}, "is not a part of a sweep"},
		"no folder":      {[]string{t.TempDir()}, "holds no manifest.json"},
	} {
		if err := Merge(c.dirs, t.TempDir()+"/m"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A torn last line, at any place, is dropped and its replication played again.
func TestTornLinesAreNeverTrusted(t *testing.T) {
	whole := t.TempDir() + "/whole"
	if _, err := sweepInto(t, whole, nil); err != nil {
		t.Fatal(err)
	}
	want := testkit.Contents(t, whole)
	results, err := os.ReadFile(filepath.Join(whole, resultsName))
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 10, len(results) / 3, len(results)/2 + 17, len(results) - 1, len(results)} {
		dir := t.TempDir()
		manifest, err := os.ReadFile(filepath.Join(whole, manifestName))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(filepath.Join(dir, manifestName), manifest, 0o644), os.WriteFile(filepath.Join(dir, resultsName), results[:cut], 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true }); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if testkit.Contents(t, dir) != want {
			t.Errorf("cut at %d: other bytes", cut)
		}
	}
}

// A disk that fills up stops the sweep with an error, and what was written
// before is kept.
func TestFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir() + "/s"
	s := &sweeping{Sweep: &Sweep{Plan: &Plan{Template: testkit.Template(t, testkit.Small), Reps: 4}, Dir: dir, Jobs: 2}}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	s.Progress = func(done, _ int) {
		if done == 5 {
			s.results.file.Close() // as good as full
		}
	}
	if err := s.play(context.Background()); err != nil || s.failed == nil {
		t.Fatalf("play %v, failed %v; want a failure of writing", err, s.failed)
	}
	if s.rows != 5 {
		t.Errorf("%d rows, want the 5 before", s.rows)
	}
	if err := s.unlock(); err != nil { // as the end of the process does
		t.Fatal(err)
	}
	outcome, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true })
	if err != nil || outcome.Rows != 39 {
		t.Errorf("resumed: %+v, %v", outcome, err)
	}
}

func TestResumeRefusesAnotherSweep(t *testing.T) {
	dir := t.TempDir() + "/s"
	if _, err := sweepInto(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	_, err := sweepInto(t, dir, func(s *Sweep) {
		s.Resume = true
		s.Plan = &Plan{Template: testkit.Template(t, testkit.Small, "fleet.workers=11", "seed=4"), Reps: 5}
	})
	for _, want := range []string{"holds another sweep", `scenario.fleet.workers: "10", here "11"`, "seed: 3, here 4", "replications: 4, here 5"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want in it %q", err, want)
		}
	}
}

// Replications are added until the metric is known well enough, or there are no
// more to be had; the decision does not depend on jobs or interruptions.
func TestPrecision(t *testing.T) {
	plan := func() *Plan {
		return &Plan{Template: testkit.Template(t, testkit.Small), Reps: 4, Precision: Precision{Metric: "latency_mean_s", Rel: 0.05, MaxReps: 60}}
	}
	var want string
	for _, jobs := range []int{1, 5} {
		dir := t.TempDir() + "/s"
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Plan, s.Jobs = plan(), jobs }); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = testkit.Contents(t, dir)
		} else if testkit.Contents(t, dir) != want {
			t.Errorf("%d jobs: other bytes", jobs)
		}
		c, err := Compare(dir, CompareOptions{Metrics: []string{"latency_mean_s"}})
		if err != nil {
			t.Fatal(err)
		}
		widened := 0
		for _, p := range c.Points {
			if p.Reason != "" {
				continue
			}
			if e := p.Estimates[slices.Index(c.Metrics, Index("latency_mean_s"))]; e.Half() > 0.05*e.Mean && p.N < 60 {
				t.Errorf("point %d: %v with %d replications", p.Point, e, p.N)
			}
			if p.N > 4 {
				widened++
			}
		}
		if widened == 0 {
			t.Error("no point needed more replications: the test shows nothing")
		}
	}
	dir := t.TempDir() + "/s"
	ctx, cancel := context.WithCancel(context.Background())
	s := &Sweep{Plan: plan(), Dir: dir, Jobs: 3, Progress: func(done, _ int) {
		if done == 50 {
			cancel()
		}
	}}
	if _, err := s.Run(ctx); err == nil {
		t.Fatal("not interrupted")
	}
	if _, err := sweepInto(t, dir, func(s *Sweep) { s.Plan, s.Resume = plan(), true }); err != nil {
		t.Fatal(err)
	}
	if testkit.Contents(t, dir) != want {
		t.Error("after an interruption: other bytes")
	}
}

// 95 % intervals hold the true mean in 93 to 97 % of 1,000 sweeps of an M/M/1
// queue: W = 1/(mu-lambda) = 0.2 s at lambda 5, mu 10, each sweep 10
// replications of 100 s after a warm-up of 20 s.
func TestIntervalsCover(t *testing.T) {
	tpl := testkit.Template(t, `
name: mm1
horizon: 120s
warmup: 20s
workload: {open: {rate: 5/s}, prompt_tokens: 1, output_tokens: 1}
provider: {latency: {first_token: {exponential: {mean: 100ms}}}}
policy: {gate: {semaphore: 1}}
`)
	held := 0
	for seed := range uint64(1000) {
		s := *tpl.Base
		s.Seed = 1000 + seed
		runs, err := Replicator{}.Play(context.Background(), &s, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		if e := EstimateOf(Column(runs, Index("latency_mean_s")), 0.95); e.Low <= 0.2 && 0.2 <= e.High {
			held++
		}
	}
	if held < 930 || held > 970 {
		t.Errorf("%d of 1,000 intervals hold the true mean, want 930 to 970", held)
	}
	t.Logf("%d of 1,000 intervals hold the true mean", held)
}

// The best set holds the truly best of twelve points in at least 95 % of 500
// repeats, in the hardest case, where the others are as good or a hair worse,
// and it still tells a clearly worse one off.
func TestBestSetHoldsTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	held, cleared := 0, 0
	for range 500 {
		var all []BestCandidate
		common := make([]float64, 30) // what the points of one seed share
		for r := range common {
			common[r] = random.NormFloat64()
		}
		for p := range 12 {
			mean := 0.0
			switch {
			case p == 0:
				mean = 0.001
			case p == 11:
				mean = -2
			}
			c := BestCandidate{Point: p}
			for r := range 30 {
				c.Replications = append(c.Replications, r)
				c.Values = append(c.Values, mean+common[r]+random.NormFloat64())
			}
			all = append(all, c)
		}
		best := BestSet(all, true, 0.95)
		if slices.Contains(best, 0) {
			held++
		}
		if !slices.Contains(best, 11) {
			cleared++
		}
	}
	if held < 475 || cleared < 475 {
		t.Errorf("held the best in %d and cleared the worst in %d of 500, want 475 each", held, cleared)
	}
}

func TestBestSetDirection(t *testing.T) {
	three := []int{0, 1, 2}
	all := []BestCandidate{{0, three, []float64{1, 2, 3}}, {1, three, []float64{11, 12, 13}}, {2, []int{0}, []float64{math.NaN()}}}
	if got := BestSet(all, true, 0.95); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("higher is better: %v", got)
	}
	if got := BestSet(all[:2], false, 0.95); !slices.Equal(got, []int{0}) {
		t.Errorf("lower is better: %v", got)
	}
}

// Pairs are of one replication. The first is better than the second by 1, 0.8 and 1.1 where both have
// a value: mean 0.967, t(2, 95 %) s/sqrt(3) = 2.92 x 0.153 / 1.73 = 0.258, so the second is out, though it lacks
// replication 1 and its mean is higher for that (25.7 against 25). The third has one replication in
// common with the first and stays.
func TestBestSetPairsReplications(t *testing.T) {
	all := []BestCandidate{
		{1, []int{0, 2, 3}, []float64{9, 29.2, 38.9}}, {0, []int{0, 1, 2, 3}, []float64{10, 20, 30, 40}}, {2, []int{3, 4, 5}, []float64{1, 2, 3}},
	}
	if got := BestSet(all[:2], true, 0.95); !slices.Equal(got, []int{0}) {
		t.Errorf("two: %v, want the point 0", got)
	}
	if got := BestSet(all, true, 0.95); !slices.Contains(got, 0) || !slices.Contains(got, 2) {
		t.Errorf("three: %v, want the points 0 and 2", got)
	}
}

// Verdicts: paired by replication, in the direction of the metric.
func TestVerdicts(t *testing.T) {
	base := &group{point: 0, replications: []int{0, 1, 2}, values: [][]float64{{10, 20, 30}}}
	at := map[int]int{0: 0, 1: 1, 2: 2}
	for _, c := range []struct {
		values []float64
		better Direction
		want   Verdict
	}{
		{[]float64{11, 21.1, 31}, Higher, IsBetter},
		{[]float64{11, 21.1, 31}, Lower, IsWorse},
		{[]float64{9, 19.1, 29}, Lower, IsBetter},
		{[]float64{9, 19.1, 29}, Neither, Other},
		{[]float64{5, 25, 30}, Higher, Undecided},
		{[]float64{10, 20, 30}, Higher, Undecided},
	} {
		g := &group{point: 1, replications: []int{0, 1, 2}, values: [][]float64{c.values}}
		if got := difference(g, base, at, 0, Metric{Unit: "s", Better: c.better}, true).Verdict; got != c.want {
			t.Errorf("%v, %d: %s, want %s", c.values, c.better, got, c.want)
		}
	}
}

func TestFrontierAndSensitivity(t *testing.T) {
	dir := t.TempDir() + "/s"
	if _, err := sweepInto(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Objective: "answered"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(p PointResult, name string) float64 {
		return p.Estimates[slices.Index(c.Metrics, Index(name))].Mean
	}
	most := 0.0
	for _, p := range c.Points {
		if p.Reason == "" {
			most = max(most, at(p, "success_ratio"))
		}
	}
	for _, p := range c.Points {
		beaten := p.Reason != "" || at(p, "success_ratio") < min(most, 0.99)
		for _, q := range c.Points {
			cost, latency, success := at(q, "usd_per_1000_answers")-at(p, "usd_per_1000_answers"), at(q, "latency_p95_s")-at(p, "latency_p95_s"), at(p, "success_ratio")-at(q, "success_ratio")
			if cost <= 0 && latency <= 0 && success <= 0 && (cost < 0 || latency < 0 || success < 0) {
				beaten = true
			}
		}
		if slices.Contains(c.Frontier, p.Point) == beaten {
			t.Errorf("point %d: beaten %v, frontier %v", p.Point, beaten, c.Frontier)
		}
	}
	for _, s := range c.Sensitivity {
		if s.Share < 0 || s.Share > 1+1e-9 || s.AtLeast > s.AtMost {
			t.Errorf("%+v", s)
		}
	}
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { c.WriteText(b); return nil }, func(b *bytes.Buffer) error { c.WriteMarkdown(b); return nil },
		func(b *bytes.Buffer) error { return c.WriteCSV(b) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil || !strings.Contains(out.String(), "openai-python@2.46") {
			t.Errorf("%v in %s", err, &out)
		}
	}
}

// Prompts of 100, 1,000 and 10,000 tokens, a third each, before limits on the tokens of a
// request: of those that get through, and of all, the means are known. The fewer get through,
// the cheaper an answer; none of those points is on the frontier, and all say so.
func TestSurvivors(t *testing.T) {
	const text = `
name: survivors
replications: 10
workload:
  trace:
    rows: [{at: 0s, prompt_tokens: 100, output_tokens: 10}, {at: 1h, prompt_tokens: 1000, output_tokens: 20}, {at: 2h, prompt_tokens: 10000, output_tokens: 60}]
provider:
  limits: [{resource: input_tokens, limit: 20000/h}]
  latency: {first_token: 1s, tokens_per_second: 10}
price: {input: 1, output: 1}
sweep: {provider.limits.0.limit: [20000/h, 5000/h, 500/h, 50/h]}
`
	dir := t.TempDir() + "/s"
	if _, err := (&Sweep{Plan: &Plan{Template: testkit.Template(t, text), Reps: 10}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var fewAt []int
	for _, p := range c.Points {
		if p.Few {
			fewAt = append(fewAt, p.Point)
		}
	}
	// Without an answer, at 50/h, there is no cost that could mislead.
	if !slices.Equal(fewAt, []int{1, 2}) || !slices.Equal(c.Frontier, []int{0}) {
		t.Errorf("few are answered at %v, frontier %v; want 1 and 2, and 0 alone", fewAt, c.Frontier)
	}
	const note = "with prompts of 100 and answers of 10 tokens on average; all calls have 3700 and 30"
	all := strings.Join(c.Warnings, "\n")
	if want := "under 99 % of calls are answered at 2 points (!); at point 2 cost and latency are of the 33.3 % of calls that were answered, " + note; !strings.Contains(all, want) {
		t.Errorf("warnings %q, want in them %q", all, want)
	}
	var table bytes.Buffer
	c.WriteText(&table)
	if !strings.Contains(table.String(), "  ! under 99 % of calls are answered: cost and latency are of those\n") || !regexp.MustCompile(`(?m)^ +! +2 `).MatchString(table.String()) {
		t.Errorf("point 2 is not marked in\n%s", &table)
	}

	s := testkit.Template(t, text, "provider.limits.0.limit=500/h").Base
	runs, err := Replicator{}.Play(t.Context(), s, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	if err := NewReport(s, runs).WriteText(&report); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^latency of answered calls, waits included (\[\d\])$`, `(?m)^  usd_per_1000_answers .* (\[\d\])$`, `(?m)^(\[\d\]) cost and latency are of the 33.3 % of calls that were answered, ` + note} {
		if m := regexp.MustCompile(want).FindStringSubmatch(report.String()); m == nil {
			t.Errorf("%s is not in\n%s", want, &report)
		}
	}
}

// MSER cuts a transient that decays into noise, and nothing from pure noise but
// a little.
// Axes are named by their last parts, of which two at least have a name, so that none looks like a
// metric.
func TestShortNames(t *testing.T) {
	for _, c := range []struct{ paths, want string }{
		{"policy horizon", "policy horizon"},
		{"policy.retry.attempts policy.gate.semaphore", "retry.attempts gate.semaphore"},
		{"provider.limits.0.limit provider.limits.1.limit", "limits.0.limit limits.1.limit"},
		{"policy.retry.attempts policy.inside.0.retry.attempts", "policy.retry.attempts inside.0.retry.attempts"},
		{"policy.gate.semaphore beside.0.policy.gate.semaphore", "policy.gate.semaphore beside.0.policy.gate.semaphore"},
	} {
		if got := strings.Join(ShortNames(strings.Fields(c.paths)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.paths, got, c.want)
		}
	}
}

// An axis is found by its path, or by any end of it that no other has.
func TestFindAxis(t *testing.T) {
	axes := []string{"policy", "policy.retry.attempts", "policy.inside.0.retry.attempts", "policy.gate.semaphore"}
	for name, want := range map[string]string{"policy": "0 <nil>", "policy.retry.attempts": "1 <nil>", "semaphore": "3 <nil>", "gate.semaphore": "3 <nil>",
		"attempts": `-1 found the axis "attempts", the end of several; want one of policy.inside.0.retry.attempts, policy.retry.attempts`, "maphore": `-1 found the axis "maphore"; did you mean "policy.gate.semaphore"?`} {
		if i, err := FindAxis(axes, name); !strings.HasPrefix(fmt.Sprint(i, " ", err), want[:7]) {
			t.Errorf("%s: %d, %v; want %s", name, i, err, want)
		}
	}
}

func TestMSER(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	transient, noise := make([]float64, 2000), make([]float64, 2000)
	for i := range transient {
		noise[i] = random.NormFloat64()
		transient[i] = 50*math.Exp(-float64(i)/40) + noise[i]
	}
	// At 250 the transient has fallen to 0.1, a tenth of the noise.
	if cut := MSER(transient); cut < 100 || cut > 500 {
		t.Errorf("cut at %d, want 100 to 500", cut)
	}
	if cut := MSER(noise); cut > 500 {
		t.Errorf("cut %d of pure noise", cut)
	}
	if MSER(nil) != 0 || MSER([]float64{1, 2, 3}) != 0 {
		t.Error("nothing to cut from nothing")
	}
}

// A queue that starts empty at high load: the warm-up found is stated as a
// metric, and the mean without it is nearer to the truth, W = 2 s at lambda 9.5,
// mu 10.
func TestWarmupIsFound(t *testing.T) {
	const text = `
name: mm1
workload: {open: {rate: 9.5/s, calls: 4000}, prompt_tokens: 1, output_tokens: 1}
provider: {latency: {first_token: {exponential: {mean: 100ms}}}}
policy: {gate: {semaphore: 1}}
`
	mean := func(set ...string) (latency, warmup float64) {
		s := testkit.Template(t, text, set...).Base
		runs, err := Replicator{}.Play(context.Background(), s, 0, 30)
		if err != nil {
			t.Fatal(err)
		}
		return EstimateOf(Column(runs, Index("latency_mean_s")), 0.95).Mean, EstimateOf(Column(runs, Index("warmup_s")), 0.95).Mean
	}
	cold, none := mean()
	warm, found := mean("warmup=auto")
	if none != 0 || found <= 0 || math.Abs(warm-2) >= math.Abs(cold-2) {
		t.Errorf("mean %.3f s cold, %.3f s after a warm-up of %.1f s; truth 2 s", cold, warm, found)
	}
}

// The warm-up is that of the fleet that is measured, and of the latest where all are. The main
// fleet has none: each of its calls takes as long. The other one starts empty at high load.
func TestWarmupIsThatOfTheMeasuredFleet(t *testing.T) {
	const text = `
name: two
workload: {open: {rate: 2/s, calls: 800}, prompt_tokens: 1, output_tokens: 1}
fleet: {name: steady}
provider: {latency: {first_token: 100ms}}
beside:
  - fleet: {name: queueing}
    workload: {open: {rate: 9.5/s, calls: 4000}, prompt_tokens: 1, output_tokens: 1}
    policy: {gate: {semaphore: 1}}
`
	found := map[string]sim.Time{}
	for _, measure := range []string{"steady", "queueing", "all"} {
		at, err := FindWarmup(t.Context(), testkit.Template(t, text, "measure="+measure).Base)
		if err != nil {
			t.Fatal(err)
		}
		found[measure] = at
	}
	if found["steady"] != 0 || found["queueing"] <= 0 || found["all"] != found["queueing"] {
		t.Errorf("found %v; want none for the steady one, some for the queueing one, and for all the same", found)
	}
}

// Recovery by hand: 10 answers a second before, none from 60 to 80 s, then 5 a
// second until 100 s and 10 again. From 100 s on the rate over the window of 5 s
// is 10, from 99 s it is 9, which is 90 %: 19 s after the end of the trigger.
func TestRecovery(t *testing.T) {
	r := recovery{trigger: scenario.Window{Start: 60e9, End: 80e9}, last: 199e9, ended: 300}
	for s := range 200 {
		n := uint32(10)
		switch {
		case s >= 60 && s < 80:
			n = 0
		case s >= 80 && s < 100:
			n = 5
		}
		r.bins = append(r.bins, n)
	}
	if after, collapsed := r.after(); after != 19 || collapsed != 0 {
		t.Errorf("recovered after %v, collapsed %v; want 19 and 0", after, collapsed)
	}
	for s := range 120 { // a lucky window is no recovery when the rest is not
		if r.bins[80+s] = 7; s >= 20 && s < 26 {
			r.bins[80+s] = 10
		}
	}
	if after, collapsed := r.after(); !math.IsNaN(after) || collapsed != 1 {
		t.Errorf("recovered after %v, collapsed %v; want never", after, collapsed)
	}
	r.trigger.Start = 0
	if after, collapsed := r.after(); !math.IsNaN(after) || !math.IsNaN(collapsed) {
		t.Errorf("recovered after %v, collapsed %v; without a level before nothing can be said", after, collapsed)
	}
}

// A run of eleven days, whose last fifth is silent: every window is as good as before, and what is
// left never is. A run of decades takes no memory for each second.
func TestRecoveryInLongRuns(t *testing.T) {
	r := recovery{trigger: scenario.Window{Start: 60e9, End: 80e9}, last: 999_999e9, ended: 600, bins: make([]uint32, 1_000_000)}
	for s := range 800_000 {
		r.bins[s] = 10
	}
	if after, collapsed := r.after(); !math.IsNaN(after) || collapsed != 1 {
		t.Errorf("recovered after %v, collapsed %v; want never", after, collapsed)
	}
	r.add(&fleet.Call{Arrived: sim.End - 2, Ended: sim.End - 1, Outcome: policy.Answered})
	if after, collapsed := r.after(); len(r.bins) != 1_000_000 || !math.IsNaN(after) || !math.IsNaN(collapsed) {
		t.Errorf("%d bins; recovered after %v, collapsed %v; want nothing said", len(r.bins), after, collapsed)
	}
}

// One call a second is answered of ten that end, before and after the trigger as well: to come
// back to that is no health. With half of them answered there is a level to come back to.
func TestDownBeforeTheTrigger(t *testing.T) {
	for answered, want := range map[int][2]float64{0: {math.NaN(), 1}, 1: {math.NaN(), 1}, 4: {math.NaN(), 1}, 5: {0, 0}, 10: {0, 0}} {
		r := recovery{trigger: scenario.Window{Start: 60e9, End: 80e9}}
		for s := range 200 {
			for i := range 10 {
				c := fleet.Call{Arrived: sim.Time(s) * time.Second, Ended: sim.Time(s) * time.Second, Outcome: policy.GaveUpAttempts}
				if i < answered {
					c.Outcome = policy.Answered
				}
				r.add(&c)
			}
		}
		after, collapsed := r.after()
		if !(after == want[0] || math.IsNaN(after) && math.IsNaN(want[0])) || collapsed != want[1] {
			t.Errorf("%d of 10 answered: recovered after %v, collapsed %v; want %v", answered, after, collapsed, want)
		}
	}
}

// With a control, each point also runs without what lasts for a time. Trap 3: a collapse that
// needs no trigger has it in both arms. A queue of 100/s with a timeout and one retry, which
// stands still for some seconds: 40/s comes back, 70/s does not for its retries make 140/s, and
// 120/s never had a chance.
func TestControlTellsACollapseFromItsTrigger(t *testing.T) {
	tpl := testkit.Template(t, `
name: collapse
horizon: 90s
workload: {open: {rate: 40/s, gaps: constant}, prompt_tokens: 1, output_tokens: 1}
provider:
  capacity: {slots: 1, queue: unlimited}
  latency: {first_token: 10ms}
  faults: [{slow: 200, at: 10s, for: 26ms}]
policy: {retry: {attempts: 2, backoff: none}, timeouts: {attempt: 1s}}
price: gpt-4o-mini
sweep: {workload.open.rate: [40/s, 70/s, 120/s]}
`, "collapse={from: 50s, to: 80s, below: 50%}")
	dir := t.TempDir() + "/s"
	if _, err := (&Sweep{Plan: &Plan{Template: tpl, Reps: 2, Control: true}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"collapsed", "collapse_level", "recovery_s"}})
	if err != nil {
		t.Fatal(err)
	}
	collapsed := map[string]string{}
	of := func(p PointResult, metric string) Estimate {
		return p.Estimates[slices.Index(c.Metrics, Index(metric))]
	}
	for _, p := range c.Points {
		switch of(p, "collapsed").Mean {
		case 1:
			collapsed[p.Labels[0]] += p.Labels[1] + " "
			if e := of(p, "recovery_s"); e.N > 0 {
				t.Errorf("%v has collapsed and recovers after %v s", p.Labels, e.Mean)
			}
		case 0: // answers are ten milliseconds late: as many as arrive, but for one
			if level := of(p, "collapse_level").Mean; math.Abs(level-1) > 0.001 {
				t.Errorf("%v answers %v of what arrives", p.Labels, level)
			}
		default:
			t.Errorf("%v: collapsed is %v", p.Labels, of(p, "collapsed").Mean)
		}
	}
	if len(c.Points) != 6 || collapsed["40/s"] != "" || collapsed["70/s"] != "on " || collapsed["120/s"] != "on off " {
		t.Errorf("%d points; collapsed with the trigger on or off: %v", len(c.Points), collapsed)
	}
}

// Trap 3: the control meets the same luck. A trigger that comes after the end changes nothing.
func TestControlMeetsTheSameLuck(t *testing.T) {
	tpl := testkit.Template(t, strings.Replace(strings.Split(testkit.Small, "sweep:")[0], "  latency:", "  faults: [{at: 1h, for: 1s, status: 503}]\n  latency:", 1)+"sweep: {policy: [as_above, no-retry]}")
	dir := t.TempDir() + "/s"
	if _, err := (&Sweep{Plan: &Plan{Template: tpl, Reps: 4, Control: true}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"latency_mean_s", "usd_wasted"}})
	if err != nil || len(c.Points) != 4 {
		t.Fatalf("%d points, %v", len(c.Points), err)
	}
	for i := 0; i < len(c.Points); i += 2 {
		if on, off := c.Points[i].Estimates, c.Points[i+1].Estimates; !slices.Equal(on, off) {
			t.Errorf("with the trigger %v, without %v", on, off)
		}
	}
}

// Trap 9: a single seed has no interval, is no winner and decides nothing.
func TestASingleSeedDecidesNothing(t *testing.T) {
	tpl := testkit.Template(t, strings.Split(testkit.Small, "sweep:")[0]+"sweep: {policy: [as_above, no-retry]}")
	runs, err := Replicator{}.Play(t.Context(), tpl.Base, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	r := NewReport(tpl.Base, runs)
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "[=]") || !strings.Contains(text.String(), "[?]") {
		t.Errorf("a single run has intervals:\n%s", &text)
	}
	for _, m := range r.Metrics {
		if m.N == 1 && m.CI95[1] != nil && *m.CI95[1] != 1 { // a share ends at 1
			t.Errorf("%s: an interval to %g from one run", m.Name, *m.CI95[1])
		}
	}
	dir := t.TempDir() + "/s"
	if _, err := (&Sweep{Plan: &Plan{Template: tpl, Reps: 1}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"latency_mean_s"}, Objective: "latency_mean_s"})
	if err != nil {
		t.Fatal(err)
	}
	text.Reset()
	c.WriteText(&text)
	if all := text.String(); len(c.Best) != 2 || c.Points[1].Diffs[0].Verdict != Undecided || strings.Count(all, "±?") < 2 || !strings.Contains(all, "as few as 1 replications") {
		t.Errorf("best %v, verdict %s:\n%s", c.Best, c.Points[1].Diffs[0].Verdict, all)
	}
}

// Trap 5: calls that nothing can end count as calls, and a comparison says that there are some,
// and how many never came, whatever metrics it shows. One worker answers a call a second until
// the one at 5 s hangs: five of six calls, and 34 of 40 never came.
func TestUnfinishedCallsAreCallsWithoutAnAnswer(t *testing.T) {
	tpl := testkit.Template(t, `
name: hang
workload: {batch: {calls: 40}, prompt_tokens: 1, output_tokens: 1}
fleet: {workers: 1}
provider: {faults: [{hang: true, at: 5s}], latency: {first_token: 1s}}
policy: no-retry
price: gpt-4o-mini
sweep: {policy.timeouts.gap: [none, 3s]}
`)
	runs, err := Replicator{}.Play(t.Context(), tpl.Base, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"calls": 6, "answered": 5, "unfinished": 1, "never_came": 34, "success_ratio": 5. / 6} {
		if got := runs[0].Values[Index(name)]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %g, want %g", name, got, want)
		}
	}
	dir := t.TempDir() + "/s"
	if _, err := (&Sweep{Plan: &Plan{Template: tpl, Reps: 2}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"goodput_per_min"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"up to 1 calls per replication are unfinished: nothing could end them, at 1 point", "up to 34 calls per replication never came, because"} {
		if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, want) {
			t.Errorf("warnings %q lack %q", all, want)
		}
	}
}

// Trap 7: success ratios across closed loops. Ten workers ask for an hour before 60 requests a
// minute: who gives up at once has asked many times as often, and who obeys Retry-After is
// nearly always answered; both have the answers that the limit allows, 60 a minute. What points
// are compared by does not tell them apart, and the table shows it beside the ratio.
func TestClosedLoopsAreComparedByWhatIsFinished(t *testing.T) {
	tpl := testkit.Template(t, `
name: closed
horizon: 1h
workload: {closed: {think: 1s}, prompt_tokens: 1, output_tokens: 1}
fleet: {workers: 10}
provider: {limits: [{resource: requests, limit: 60/min, burst: 1}], latency: {first_token: 100ms}}
policy: {retry: {attempts: 8, backoff: none, retry_after: in_full}}
price: gpt-4o-mini
sweep: {policy: [as_above, no-retry]}
`)
	dir := t.TempDir() + "/s"
	if _, err := (&Sweep{Plan: &Plan{Template: tpl, Reps: 5}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mean := func(point int, metric string) float64 {
		return c.Points[point].Estimates[slices.Index(c.Metrics, Index(metric))].Mean
	}
	if a, b := mean(0, "success_ratio"), mean(1, "success_ratio"); a < 2*b {
		t.Errorf("success %g and %g: the example shows nothing", a, b)
	}
	objective := Metrics()[c.Metrics[c.Objective]].Name
	if a, b := mean(0, objective), mean(1, objective); objective != "goodput_per_min" || math.Abs(a-60) > 1 || math.Abs(b-60) > 1 {
		t.Errorf("compared by %s: %g and %g; want goodput, 60 for both", objective, a, b)
	}
	var text bytes.Buffer
	c.WriteText(&text)
	other, err := Compare(dir, CompareOptions{Objective: "throttled_ratio"}) // of which less is better
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(other.Best, []int{0}) || other.order()[0].Point != 0 {
		t.Errorf("by %s the best are %v, the first %d", "throttled_ratio", other.Best, other.order()[0].Point)
	}
	head := regexp.MustCompile(`(?m)^.*success_ratio.*usd_per_1000_answers.*$`).FindString(text.String())
	if !strings.Contains(head, "goodput_per_min") {
		t.Errorf("the ratio stands without goodput: %q", head)
	}
}

// Trap 10: a typo in a grid. Numbers that leave their order are pointed out, in the manifest
// and thus below every report.
func TestGridsThatLeaveTheirOrder(t *testing.T) {
	for values, want := range map[string]bool{
		"8/s, 2/s, 4/s": true, "5%, 50%, 10%": true, "0.05, 0.75, 0.1": true, "0.05, 0.075, 0.1": false, "8, 4, 2": false, "8, 2, 4": true, "1s, 1m, 90s": false, "1s, 90s, 1m": true, "4, 4, 8": true,
	} {
		path := "policy.gate.semaphore"
		if strings.Contains(values, "0.") {
			path = "policy.throttle.k"
			values = strings.ReplaceAll(values, "0.", "1.")
		}
		switch {
		case strings.Contains(values, "/"):
			path = "provider.limits.0.limit"
		case strings.Contains(values, "%"):
			path = "workload.cached_share"
		case strings.Contains(values, "s"):
			path = "policy.timeouts.attempt"
		}
		tpl := testkit.Template(t, strings.Split(testkit.Small, "sweep:")[0]+"sweep: {"+path+": ["+values+"]}")
		m, err := (&Plan{Template: tpl, Reps: 2}).Manifest()
		if err != nil {
			t.Errorf("%s: %v", values, err)
			continue
		}
		if all := strings.Join(m.Warnings, "; "); strings.Contains(all, path) != want {
			t.Errorf("%s: warnings %q, want one %v", values, all, want)
		}
	}
}

// Each point of a sweep with a control also runs with the trigger off.
func TestControl(t *testing.T) {
	tpl := testkit.Template(t, strings.Replace(testkit.Small, "  latency:", "  faults: [{for: 20s, status: 503}, {share: 1%, status: 500}]\n  latency:", 1))
	dir := t.TempDir() + "/s"
	if _, err := (&Sweep{Plan: &Plan{Template: tpl, Reps: 4, Control: true}, Dir: dir}).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"attempts_overloaded"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) != 24 || c.Axes[2] != TriggerAxis {
		t.Fatalf("%d points on %v", len(c.Points), c.Axes)
	}
	for _, p := range c.Points {
		overloaded := p.Estimates[slices.Index(c.Metrics, Index("attempts_overloaded"))].Mean
		if off := p.Labels[2] == "off"; p.Reason == "" && off != (overloaded == 0) {
			t.Errorf("point %v: %v overloaded", p.Labels, overloaded)
		}
	}
}

// Quantiles of the Azure traces: exact up to 16,384 values, within the stated
// error beyond.
func TestQuantilesOfTheAzureTraces(t *testing.T) {
	for _, name := range []string{"code", "conv"} {
		path := filepath.Join("..", "..", "shared", "traces", "azure2023", "AzureLLMInferenceTrace_"+name+".csv")
		f, err := os.Open(path)
		if os.IsNotExist(err) {
			t.Skipf("%s is not beside this checkout", path)
		}
		trace, _, err := scenario.ReadTrace(f, name, scenario.Trace{Columns: scenario.Columns{PromptTokens: "ContextTokens"}})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var q sim.Quantiles
		gaps := []float64{}
		for i := range trace.At[1:] {
			gap := trace.At[i+1] - trace.At[i]
			q.Add(gap)
			gaps = append(gaps, gap.Seconds())
		}
		slices.Sort(gaps)
		for _, p := range []float64{0.25, 0.5, 0.9, 0.99, 0.999} {
			want := gaps[int(math.Ceil(p*float64(len(gaps))))-1]
			if got := q.Quantile(p).Seconds(); math.Abs(got-want) > sim.QuantileError*want+1e-6 {
				t.Errorf("%s p%g: %v, exact %v", name, 100*p, got, want)
			}
		}
	}
}

// A folder of a stopped sweep, whose rows lie in any order, is reported like one
// in order; without the base another point takes its place, with a note.
func TestReportOfAStoppedSweep(t *testing.T) {
	dir := t.TempDir() + "/s"
	if _, err := sweepInto(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, resultsName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	random := rand.New(rand.NewPCG(5, 6))
	lines[len(lines)-1] += "\n"
	random.Shuffle(len(lines)-1, func(i, j int) { lines[i+1], lines[j+1] = lines[j+1], lines[i+1] })
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	shuffled, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	whole.WriteText(&a)
	shuffled.WriteText(&b)
	if a.String() != b.String() {
		t.Errorf("shuffled rows give another report:\n%s\n%s", &a, &b)
	}
	var kept []string
	for _, l := range lines {
		if !strings.HasPrefix(l, "0,") {
			kept = append(kept, l)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(kept, "")+"7,1,to"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil || c.Base != 1 || !strings.Contains(strings.Join(c.Warnings, "\n"), "point 0 has no result to compare to; point 1 takes its place") {
		t.Errorf("without the base: %v, base %d, %q", err, c.Base, c.Warnings)
	}
	if err := Merge([]string{dir}, t.TempDir()+"/m"); err == nil {
		t.Error("a folder that is no part was merged")
	}
}

// Another range of a sample, or another trace in the file of the same name, is
// another sweep.
func TestResumeKnowsRangesAndFiles(t *testing.T) {
	folder := t.TempDir()
	trace := filepath.Join(folder, "t.csv")
	run := func(rows, axis string, resume bool) error {
		if err := os.WriteFile(trace, []byte(rows), 0o644); err != nil {
			t.Fatal(err)
		}
		tpl, err := scenario.NewTemplate([]byte("workload: {trace: {file: t.csv, columns: {time: T}}, prompt_tokens: 5, output_tokens: 5}\npolicy: own-the-loop\n"), "t", scenario.Options{Dir: folder})
		if err != nil {
			t.Fatal(err)
		}
		a, err := scenario.ParseAxis(axis)
		if err != nil {
			t.Fatal(err)
		}
		tpl.Sweep.Add(a)
		tpl.Sweep.Points = 3
		_, err = (&Sweep{Plan: &Plan{Template: tpl, Reps: 2}, Dir: folder + "/s", Resume: resume}).Run(context.Background())
		return err
	}
	const axis = "policy.retry.backoff.exponential.base=0.5s..2.5s"
	if err := run("T\n0\n1\n", axis, false); err != nil {
		t.Fatal(err)
	}
	if err := run("T\n0\n1\n", axis, true); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"range": run("T\n0\n1\n", "policy.retry.backoff.exponential.base=0.5s..9.5s", true),
		"trace": run("T\n0\n2\n", axis, true),
	} {
		if err == nil || !strings.Contains(err.Error(), "holds another sweep") {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// The base is the point that leaves the scenario as it is, wherever it stands in
// the grid; it is found by what the axes say alone, and where they reach into one
// another by what they say together.
func TestBaseIsThePointThatChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		axes []string
		want int
	}{
		{"first", []string{"policy.gate.semaphore=8,16"}, 0},
		{"last of two axes", []string{"policy.gate.semaphore=2,4,8", "policy.retry.deadline=20s,45s"}, 5},
		{"behind two thousand points", []string{"workload.batch.calls=1500..2199 lin 700", "policy.gate.semaphore=2,3,4,8"}, 4*(2000-1500) + 3},
		{"as above", []string{"policy=own-the-loop,as_above"}, 1},
		{"a gate over policies", []string{"policy=openai-python@2.46,as_above", "policy.gate.semaphore=4,8"}, 3},
		{"nowhere", []string{"policy.gate.semaphore=3,5"}, 0},
		{"none where nothing is set", []string{"policy.timeouts.call=20s,none"}, 1},
		{"none of a list where nothing is set", []string{"beside.0.policy.timeouts.attempt=20s,none"}, 1},
		{"none of a choice where nothing is set", []string{"beside.0.policy.retry.backoff={constant: 1s},none"}, 1},
		{"none of two", []string{"policy.timeouts.call=20s,none", "beside.0.policy.timeouts.attempt=20s,none,10s"}, 4},
	} {
		text, _ := scenario.Embedded(scenario.Default)
		tpl := testkit.Template(t, string(text), "beside=[{workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1, max_tokens: 1}, fleet: {name: other, workers: 1}, policy: {retry: {attempts: 2}}}]")
		tpl.Sweep = scenario.Sweep{}
		for _, a := range c.axes {
			axis, err := scenario.ParseAxis(a)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			tpl.Sweep.Add(axis)
		}
		m, err := (&Plan{Template: tpl, Reps: 1}).Manifest()
		if err != nil || m.Base != c.want {
			t.Errorf("%s: base %d, %v, want %d", c.name, m.Base, err, c.want)
		}
		m, err = (&Plan{Template: tpl, Reps: 1, Control: true}).Manifest()
		if err == nil && m.Base != 2*c.want {
			t.Errorf("%s, with control: base %d, want %d", c.name, m.Base, 2*c.want)
		}
	}
}
