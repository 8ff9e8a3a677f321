package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
	"stampede/sweep"
)

// A label with a line end, a quote or a comma reads back, and so does one that a spreadsheet would
// take for a formula.
func TestAnyLabelReadsBack(t *testing.T) {
	tpl := testkit.Template(t, strings.Split(testkit.Small, "sweep:")[0])
	axis, err := scenario.ParseAxis(`fleet.key="a\nb","a\r\n\"b\"",c,=1+1,-2,-2s`)
	if err != nil {
		t.Fatal(err)
	}
	tpl.Sweep.Add(axis)
	dir := t.TempDir() + "/s"
	small := sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 2}, Dir: dir}
	if _, err := small.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	small.Resume = true
	if _, err := small.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, p := range c.Points {
		labels = append(labels, p.Labels...)
	}
	if want := []string{`"a\nb"`, `"a\r\n\"b\""`, "c", "=1+1", "-2", "-2s"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
}

// A report says that a sweep is not complete when each point has some rows, and when --precision asks for
// more than the first ones; merge refuses such a part, and one with rows of another.
func TestIncompleteSweepsSaySo(t *testing.T) {
	dir := t.TempDir() + "/fixed"
	if _, err := sweepFolder(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	warnings := func(dir string) string {
		t.Helper()
		c, err := Compare(dir, CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(c.Warnings, "\n")
	}
	const incomplete = "this sweep is not complete"
	if all := warnings(dir); strings.Contains(all, incomplete) {
		t.Errorf("a whole sweep: %s", all)
	}
	keepRows(t, dir, func(_, replication int) bool { return replication < 3 })
	if all := warnings(dir); !strings.Contains(all, incomplete+": at least 9 replications of 9 points are missing") {
		t.Errorf("three of four replications of nine points: %s", all)
	}

	var parts []string
	for i := range 2 {
		dir := fmt.Sprintf("%s/precise%d", t.TempDir(), i)
		if _, err := sweepFolder(t, dir, func(s *sweep.Sweep) {
			s.Plan.Precision = sweep.Precision{Metric: "latency_mean_s", Rel: 0.01, MaxReps: 8}
			s.Plan.Shard = sweep.Shard{Index: i + 1, Of: 2}
		}); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, dir)
	}
	if err := sweep.Merge(parts, t.TempDir()+"/m"); err != nil {
		t.Error(err)
	}
	keepRows(t, parts[1], func(_, replication int) bool { return replication < 4 }) // killed after its first wave
	if all := warnings(parts[1]); !strings.Contains(all, incomplete) {
		t.Errorf("a part after its first wave: %s", all)
	}
	var folder sweep.FolderError
	if err := sweep.Merge(parts, t.TempDir()+"/m"); !errors.As(err, &folder) ||
		!strings.Contains(err.Error(), "part 2 of 2, is missing") {
		t.Errorf("a part after its first wave was merged: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(parts[0], sweep.ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(parts[1], sweep.ResultsName), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := sweep.Merge(parts, t.TempDir()+"/m"); err == nil ||
		!strings.Contains(err.Error(), "holds point 0, which is not of part 2 of 2") {
		t.Errorf("a part with the rows of another: %v", err)
	}
}

// Where nothing succeeds, a report says why.
func TestReportWithoutAnyResult(t *testing.T) {
	dir := t.TempDir() + "/s"
	tpl := testkit.Template(t, testkit.Small, "event_budget=10")
	outcome, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 2}, Dir: dir}).Run(t.Context())
	if err != nil || outcome.FailedCount != 2*9+3 {
		t.Errorf("%v, %+v", err, outcome)
	}
	if _, err := Compare(dir, CompareOptions{}); err == nil ||
		!strings.Contains(err.Error(), "no replication in the folder has a result: ") ||
		!strings.Contains(err.Error(), "budget") {
		t.Error(err)
	}
}

// Whatever stands in a folder of results, reading it ends with an error or a report, within a
// gigabyte and a minute.
func FuzzFolder(f *testing.F) {
	tpl := testkit.Template(f, strings.Replace(testkit.Small, ", nonsense", "", 1))
	dir := f.TempDir() + "/s"
	small := sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 2, Control: false}, Dir: dir}
	if _, err := small.Run(f.Context()); err != nil {
		f.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, sweep.ManifestName))
	if err != nil {
		f.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, sweep.ResultsName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(manifest), string(rows), "")
	f.Add(strings.Replace(string(manifest), `"points": 9`, `"points": 900000000`, 1), string(rows), "latency_p95_s")
	f.Add(strings.Replace(string(manifest), `"axes"`, `"axis"`, 1), string(rows), "answered")
	f.Add(string(manifest), strings.Replace(string(rows), "\n0,0,", "\n2000000000,0,", 1), "success_ratio")
	f.Add(string(manifest), strings.Replace(string(rows), "\n0,0,", "\n-5,-7,\"", 1), "success_ratio")
	f.Add(string(manifest), strings.ReplaceAll(string(rows), ",1,", ",1e300,"), "goodput_per_min")
	f.Add(string(manifest), strings.ReplaceAll(string(rows), ",1,", ",-Inf,"), "")
	f.Add(`{"format": 1}`, "point,replication,error\n", "")
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, manifest, rows, metric string) {
		if len(manifest) > 1<<20 || len(rows) > 1<<20 {
			return
		}
		for name, text := range map[string]string{sweep.ManifestName: manifest, sweep.ResultsName: rows} {
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		for _, metric := range []string{metric, ""} {
			c, err := Compare(home, CompareOptions{Objective: metric})
			if err != nil {
				continue
			}
			c.WriteText(io.Discard, Layout{Wide: true})
			c.WriteMarkdown(io.Discard)
			if err := c.WriteCSV(io.Discard); err != nil {
				t.Fatal(err)
			}
			if text, err := c.MarshalJSON(); err != nil || bytes.ContainsRune(text, '\x1b') {
				t.Fatal(err)
			}
		}
		_ = sweep.Merge([]string{home}, filepath.Join(t.TempDir(), "merged"))
		runtime.ReadMemStats(&after)
		if mb, took := (after.TotalAlloc-before.TotalAlloc)>>20, time.Since(began); mb > 1024 || took > time.Minute {
			t.Fatalf("allocated %d MB in %v", mb, took)
		}
	})
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
	if _, err := sweepFolder(t, dir, func(s *sweep.Sweep) {
		s.Plan.Template, s.Plan.Reps = testkit.Template(t, text),
			2
	}); err != nil {
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
		if got := measure.JoinLimits(namesOf(limits)); got != want.names || limits[0].Refused.Mean != want.refused {
			t.Errorf("point %d: %s, %g refused by the first; want %s, %g", i, got, limits[0].Refused.Mean, want.names,
				want.refused)
		}
	}
	var out bytes.Buffer
	c.WriteText(&out, Layout{Wide: true})
	if !strings.Contains(out.String(), "requests 1/min (4)") || !strings.Contains(out.String(), "none") {
		t.Errorf("what refused is not in\n%s", out.String())
	}
}

// Bounds by hand: 1 - 0.05^(1/30) = 0.0950, 1 - 0.05^(1/10) = 0.2589. Clopper and Pearson of 1 of
// 30 are 0.00084 and 0.1722 (of 3 of 10, the usual table, 0.0667 and 0.6525).
func TestNeverSeenIsNotNever(t *testing.T) {
	events, share := measure.Metric{
		Name: "terminal_error",
		Unit: "calls",
	}, measure.Metric{
		Name: "collapsed",
		Unit: "share",
	}
	same := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	once := append(same(0, 29), 1)
	for _, c := range []struct {
		what              string
		e                 measure.Estimate
		low, high, unseen float64
		text              string
	}{
		{"no event in 30", events.Estimate(same(0, 30), true, 0.95), 0, 0.0950, 0.0950, "0 of 30, at most 9.5 %"},
		{"no event in 10", events.Estimate(same(0, 10), true, 0.95), 0, 0.2589, 0.2589, "0 of 10, at most 26 %"},
		{"a share never", share.Estimate(same(0, 30), true, 0.95), 0, 0.0950, 0.0950, "0 of 30, at most 9.5 %"},
		{"a share always", share.Estimate(same(1, 30), true, 0.95), 0.9050, 1, 0.0950, "30 of 30, at least 90.5 %"},
		{"no dollars in 30", measure.Metric{Unit: "USD"}.Estimate(same(0, 30), true, 0.95), 0, 0, 0.0950,
			"0 of 30, at most 9.5 %"},
		{ // 1 - 0.05^(1/3)
			"but for rounding", measure.Metric{Unit: "USD"}.Estimate([]float64{0.1 + 0.2, 0.3, 0.3}, true, 0.95),
			0.3, 0.3, 0.6316, "[=]",
		},
		{"seven each time", events.Estimate(same(7, 30), true, 0.95), 6.9050, 7.0950, 0.0950, "[=]"},
		{"without chance", events.Estimate(same(0, 30), false, 0.95), 0, 0, 0, ""},
		{"of the scenario", measure.Metric{Name: "max_attempts_per_call", Unit: "attempts",
			Fixed: true}.Estimate(same(3, 30), true, 0.95), 3, 3, 0, ""},
		{"a share once in 30", share.Estimate(once, true, 0.95), 0.00084, 0.1722, 0, "[0.0008436, 0.1722]"},
		{"a count once in 30: with Student's t -0.0348..0.1015", events.Estimate(once, true, 0.95), 0, 0.1722, 0,
			"[0, 0.1722]"},
		{"one has no interval", events.Estimate(same(0, 1), true, 0.95), 0, math.Inf(1), 0, "[?]"},
		{"0 of 30 against 0 of 30", events.Difference(same(0, 30), true, 0.95), -0.0950, 0.0950, 0.0950,
			"0 of 30, at most 9.5 %"},
		{"never against always", share.Difference(same(-1, 30), true, 0.95), -1.0950, -0.9050, 0.0950, "[=]"},
	} {
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) < 5e-5 }
		if !near(c.e.Low, c.low) || !near(c.e.High, c.high) || !near(c.e.Unseen, c.unseen) ||
			measure.Interval(c.e, true) != c.text {
			t.Errorf("%s: %+v %q, want %v..%v, unseen %v, %q", c.what, c.e, measure.Interval(c.e, true), c.low, c.high,
				c.unseen, c.text)
		}
	}
	if low, high := measure.ClopperPearson(3, 10, 0.95); math.Abs(low-0.0667) > 5e-5 || math.Abs(high-0.6525) > 5e-5 {
		t.Errorf("3 of 10: %v..%v", low, high)
	}
	if got := measure.Interval(events.Estimate(same(0, 30), false, 0.95), false); got != "[=]" {
		t.Errorf("a scenario without chance: %q", got)
	}
}

// Errors of one attempt in 100,000 are mostly in no replication of 60 calls: a sweep for their
// number goes on to the most replications, and does not end at "0, known to 10 %". A point
// without chance needs no more than it begins with.
func TestPrecisionGoesOnForRareEvents(t *testing.T) {
	constant := strings.NewReplacer("{exponential: {mean: 500}}", "500", "{exponential: {mean: 100}}", "100",
		"{exponential: {mean: 500ms}}", "500ms").
		Replace(testkit.Small)
	constant = constant[:strings.Index(constant, "policy:")] + "policy: {retry: {attempts: 2}}\nprice: gpt-4o-mini\n"
	dir := t.TempDir() + "/s"
	_, err := sweepFolder(t, dir, func(s *sweep.Sweep) {
		axis, err := scenario.ParseAxis("provider.faults.0.share=0,0.001%")
		if err != nil {
			t.Fatal(err)
		}
		s.Plan = &sweep.Plan{
			Template:  testkit.Template(t, constant, "provider.faults=[{share: 0, status: 400}]"),
			Reps:      10,
			Metric:    "terminal_error",
			Precision: sweep.Precision{Metric: "terminal_error", Rel: 0.1, MaxReps: 40},
		}
		s.Plan.Template.Sweep.Axes = []scenario.Axis{axis}
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	never, rare := c.Points[0], c.Points[1]
	if e := never.Estimates[c.Objective]; never.N != 10 || e.High != 0 || e.Unseen != 0 {
		t.Errorf("without chance: %d replications, %+v; want 10 and 0 for certain", never.N, e)
	}
	if e := rare.Estimates[c.Objective]; rare.N != 40 || e.Mean != 0 ||
		math.Abs(e.High-0.0722) > 5e-5 { // 1 - 0.05^(1/40)
		t.Errorf("a rare event: %d replications, %+v; want 40 and at most 0.0722", rare.N, e)
	}
	if d := rare.Diffs[c.Objective]; d.Verdict != Undecided || !(d.Low < 0 && d.High > 0) {
		t.Errorf("0 of 10 against 0 of 10: %+v", d)
	}
}

// Trap 9: a single seed has no interval, is no winner and decides nothing.
func TestASingleSeedDecidesNothing(t *testing.T) {
	tpl := testkit.Template(t, strings.Split(testkit.Small, "sweep:")[0]+"sweep: {policy: [as_above, no-retry]}")
	runs, err := measure.Replicator{}.Run(t.Context(), tpl.Base, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	r := NewReport(tpl.Base, runs)
	if err := r.WriteText(&text, Layout{Wide: true}); err != nil {
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
	if _, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 1}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"latency_mean_s"}, Objective: "latency_mean_s"})
	if err != nil {
		t.Fatal(err)
	}
	text.Reset()
	c.WriteText(&text, Layout{Wide: true})
	if all := text.String(); len(c.Best) != 2 || c.Points[1].Diffs[0].Verdict != Undecided ||
		strings.Count(all, "±?") < 2 ||
		!strings.Contains(all, "some points have only 1 replication;") {
		t.Errorf("best %v, verdict %s:\n%s", c.Best, c.Points[1].Diffs[0].Verdict, all)
	}
}

// A point that cannot be built is reported with its reason and the others run.
func TestBrokenPointsDoNotStopASweep(t *testing.T) {
	dir := t.TempDir() + "/s"
	outcome, err := sweepFolder(t, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if outcome.FailedCount != 3 || outcome.Rows != 9*4+3 ||
		!strings.Contains(
			outcome.Failed[0],
			`point 3 (as_above, nonsense): policy.gate.semaphore=nonsense: policy.gate.semaphore: found "nonsense"`,
		) {
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
	if _, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 5}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mean := func(point int, metric string) float64 {
		return c.Points[point].Estimates[slices.Index(c.Metrics, measure.Index(metric))].Mean
	}
	if a, b := mean(0, "success_ratio"), mean(1, "success_ratio"); a < 2*b {
		t.Errorf("success %g and %g: the example shows nothing", a, b)
	}
	objective := measure.Metrics()[c.Metrics[c.Objective]].Name
	if a, b := mean(0, objective), mean(1, objective); objective != "goodput_per_min" || math.Abs(a-60) > 1 ||
		math.Abs(b-60) > 1 {
		t.Errorf("compared by %s: %g and %g; want goodput, 60 for both", objective, a, b)
	}
	var text bytes.Buffer
	c.WriteText(&text, Layout{Wide: true})
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

// Each point of a sweep with a control also runs with the trigger off.
func TestControl(t *testing.T) {
	tpl := testkit.Template(
		t,
		strings.Replace(testkit.Small, "  latency:",
			"  faults: [{for: 20s, status: 503}, {share: 1%, status: 500}]\n  latency:", 1),
	)
	dir := t.TempDir() + "/s"
	if _, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 4, Control: true},
		Dir: dir}).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"attempts_overloaded"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) != 24 || c.Axes[2] != sweep.TriggerAxis {
		t.Fatalf("%d points on %v", len(c.Points), c.Axes)
	}
	for _, p := range c.Points {
		overloaded := p.Estimates[slices.Index(c.Metrics, measure.Index("attempts_overloaded"))].Mean
		if off := p.Labels[2] == "off"; p.Reason == "" && off != (overloaded == 0) {
			t.Errorf("point %v: %v overloaded", p.Labels, overloaded)
		}
	}
}

// Trap 3: the control meets the same luck. A trigger that comes after the end changes nothing.
func TestControlMeetsTheSameLuck(t *testing.T) {
	tpl := testkit.Template(
		t,
		strings.Replace(strings.Split(testkit.Small, "sweep:")[0], "  latency:",
			"  faults: [{at: 1h, for: 1s, status: 503}]\n  latency:", 1)+"sweep: {policy: [as_above, no-retry]}",
	)
	dir := t.TempDir() + "/s"
	if _, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 4, Control: true},
		Dir: dir}).Run(t.Context()); err != nil {
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
	if _, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 2, Control: true},
		Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"collapsed", "collapse_level", "recovery_s"}})
	if err != nil {
		t.Fatal(err)
	}
	collapsed := map[string]string{}
	of := func(p PointResult, metric string) measure.Estimate {
		return p.Estimates[slices.Index(c.Metrics, measure.Index(metric))]
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

func TestFrontierAndSensitivity(t *testing.T) {
	dir := t.TempDir() + "/s"
	if _, err := sweepFolder(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Objective: "answered"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(p PointResult, name string) float64 {
		return p.Estimates[slices.Index(c.Metrics, measure.Index(name))].Mean
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
			cost, latency, success := at(q, "usd_per_1000_answers")-at(p,
				"usd_per_1000_answers"), at(q, "latency_p95_s")-at(
				p,
				"latency_p95_s",
			), at(p, "success_ratio")-at(q, "success_ratio")
			if cost <= 0 && latency <= 0 && success <= 0 && (cost < 0 || latency < 0 || success < 0) {
				beaten = true
			}
		}
		if slices.Contains(c.Frontier, p.Point) == beaten {
			t.Errorf("point %d: beaten %v, frontier %v", p.Point, beaten, c.Frontier)
		}
	}
	for _, s := range c.Sensitivity {
		if s.Share < 0 || s.Share > 1+1e-9 || s.Lowest > s.Highest {
			t.Errorf("%+v", s)
		}
	}
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error {
			c.WriteText(b,
				Layout{Wide: true})
			return nil
		}, func(b *bytes.Buffer) error { c.WriteMarkdown(b); return nil },
		func(b *bytes.Buffer) error { return c.WriteCSV(b) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil || !strings.Contains(out.String(), "openai-python@2.46") {
			t.Errorf("%v in %s", err, &out)
		}
	}
}

// Replications are added until the metric is known well enough, or there are no
// more to be had; the decision does not depend on jobs or interruptions.
func TestPrecision(t *testing.T) {
	plan := func() *sweep.Plan {
		return &sweep.Plan{
			Template:  testkit.Template(t, testkit.Small),
			Reps:      4,
			Precision: sweep.Precision{Metric: "latency_mean_s", Rel: 0.05, MaxReps: 60},
		}
	}
	var want string
	for _, jobs := range []int{1, 5} {
		dir := t.TempDir() + "/s"
		if _, err := sweepFolder(t, dir, func(s *sweep.Sweep) { s.Plan, s.Jobs = plan(), jobs }); err != nil {
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
			if e := p.Estimates[slices.Index(c.Metrics, measure.Index("latency_mean_s"))]; e.Half() > 0.05*e.Mean &&
				p.N < 60 {
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
	s := &sweep.Sweep{Plan: plan(), Dir: dir, Jobs: 3, Progress: func(done, _ int) {
		if done == 50 {
			cancel()
		}
	}}
	if _, err := s.Run(ctx); err == nil {
		t.Fatal("not interrupted")
	}
	if _, err := sweepFolder(t, dir, func(s *sweep.Sweep) { s.Plan, s.Resume = plan(), true }); err != nil {
		t.Fatal(err)
	}
	if testkit.Contents(t, dir) != want {
		t.Error("after an interruption: other bytes")
	}
}

// A folder of a stopped sweep, whose rows lie in any order, is reported like one
// in order; without the base another point takes its place, with a note.
func TestReportOfAStoppedSweep(t *testing.T) {
	dir := t.TempDir() + "/s"
	if _, err := sweepFolder(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, sweep.ResultsName)
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
	whole.WriteText(&a, Layout{Wide: true})
	shuffled.WriteText(&b, Layout{Wide: true})
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
	if err != nil || c.Base != 1 ||
		!strings.Contains(strings.Join(c.Warnings, "\n"),
			"point 0 has no result to compare to; point 1 is the base instead") {
		t.Errorf("without the base: %v, base %d, %q", err, c.Base, c.Warnings)
	}
	if err := sweep.Merge([]string{dir}, t.TempDir()+"/m"); err == nil {
		t.Error("a folder that is no part was merged")
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
    rows:
      - {at: 0s, prompt_tokens: 100, output_tokens: 10}
      - {at: 1h, prompt_tokens: 1000, output_tokens: 20}
      - {at: 2h, prompt_tokens: 10000, output_tokens: 60}
provider:
  limits: [{resource: input_tokens, limit: 20000/h}]
  latency: {first_token: 1s, tokens_per_second: 10}
price: {input: 1, output: 1}
sweep: {provider.limits.0.limit: [20000/h, 5000/h, 500/h, 50/h]}
`
	dir := t.TempDir() + "/s"
	if _, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: testkit.Template(t, text), Reps: 10},
		Dir: dir}).Run(t.Context()); err != nil {
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
	const note = "on average 100 prompt tokens and 10 output tokens, against 3700 and 30 of all calls"
	all := strings.Join(c.Warnings, "\n")
	want := "fewer than 99 % of calls are answered at 2 points (!); at point 2 cost and latency cover only the " +
		"33.3 % of calls that were answered: " + note
	if !strings.Contains(all, want) {
		t.Errorf("warnings %q, want in them %q", all, want)
	}
	var table bytes.Buffer
	c.WriteText(&table, Layout{Wide: true})
	if !strings.Contains(table.String(),
		"  ! fewer than 99 % of calls are answered; cost and latency cover only those\n") ||
		!regexp.MustCompile(`(?m)^ +! +2 `).MatchString(table.String()) {
		t.Errorf("point 2 is not marked in\n%s", &table)
	}

	s := testkit.Template(t, text, "provider.limits.0.limit=500/h").Base
	runs, err := measure.Replicator{}.Run(t.Context(), s, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	if err := NewReport(s, runs).WriteText(&report, Layout{Wide: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^latency of answered calls, waits included (\[\d\])$`,
		`(?m)^  usd_per_1000_answers .* (\[\d\])$`,
		`(?m)^(\[\d\]) cost and latency cover only the 33.3 % of calls that were answered: ` +
			note} {
		if m := regexp.MustCompile(want).FindStringSubmatch(report.String()); m == nil {
			t.Errorf("%s is not in\n%s", want, &report)
		}
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
	runs, err := measure.Replicator{}.Run(t.Context(), tpl.Base, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"calls": 6, "answered": 5, "unfinished": 1, "not_started": 34,
		"success_ratio": 5. / 6} {
		if got := runs[0].Values[measure.Index(name)]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %g, want %g", name, got, want)
		}
	}
	dir := t.TempDir() + "/s"
	if _, err := (&sweep.Sweep{Plan: &sweep.Plan{Template: tpl, Reps: 2}, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{Metrics: []string{"goodput_per_min"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"up to 1 calls per replication are unfinished: they were hanging when the run " +
		"ended, at 1 point",
		"up to 34 calls per replication were still waiting to start"} {
		if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, want) {
			t.Errorf("warnings %q lack %q", all, want)
		}
	}
}

// Verdicts: paired by replication, in the direction of the metric.
func TestVerdicts(t *testing.T) {
	base := &group{point: 0, replications: []int{0, 1, 2}, values: [][]float64{{10, 20, 30}}}
	at := map[int]int{0: 0, 1: 1, 2: 2}
	for _, c := range []struct {
		values []float64
		better measure.Direction
		want   Verdict
	}{
		{[]float64{11, 21.1, 31}, measure.Higher, IsBetter},
		{[]float64{11, 21.1, 31}, measure.Lower, IsWorse},
		{[]float64{9, 19.1, 29}, measure.Lower, IsBetter},
		{[]float64{9, 19.1, 29}, measure.Neither, Other},
		{[]float64{5, 25, 30}, measure.Higher, Undecided},
		{[]float64{10, 20, 30}, measure.Higher, Undecided},
	} {
		g := &group{point: 1, replications: []int{0, 1, 2}, values: [][]float64{c.values}}
		if got := difference(g, base, at, 0, measure.Metric{Unit: "s", Better: c.better}, true).Verdict; got != c.want {
			t.Errorf("%v, %d: %s, want %s", c.values, c.better, got, c.want)
		}
	}
}

// A mean and its half-width exclude 0, as written, exactly where the interval does. A difference that
// all replications share has no spread: its bound is that of events not seen.
func TestPlusMinusAgreesWithTheVerdict(t *testing.T) {
	for _, c := range []struct {
		mean, low, high, unseen float64
		want                    string
	}{
		{1.5, 1.25, 1.75, 0, "1.5 ±0.25"},
		{0.2, 0.004, 0.396, 0, "0.2 ±0.196"}, // two digits would write ±0.2, which touches 0
		{-0.2, -0.396, -0.004, 0, "-0.2 ±0.196"},
		{0.254, -0.0001, 0.5081, 0, "0.254 ±0.254"}, // two digits would write ±0.25
		{0.20004, 0.00003, 0.40005, 0, "0.20004 ±0.20001"},
		{0.9, 0.05, 2, 0, "0.9 [0.05, 2]"}, // its half-width is 0.975
		{0.03, 0, 0.05, 0, "0.03 ±0.025"},
		{0, -0.26, 0.26, 0.26, "0"},
		{2, 1.74, 2.26, 0.26, "2 [=]"},
	} {
		e := measure.Estimate{Mean: c.mean, Low: c.low, High: c.high, N: 10, Unseen: c.unseen}
		if got := plusMinus(e); got != c.want {
			t.Errorf("%v: %s, want %s", e, got, c.want)
		}
	}
}

// sweepFolder runs a sweep of four replications a point into a folder.
func sweepFolder(t testing.TB, dir string, change func(*sweep.Sweep)) (sweep.Outcome, error) {
	t.Helper()
	s := &sweep.Sweep{Plan: &sweep.Plan{Template: testkit.Template(t, testkit.Small), Reps: 4}, Dir: dir}
	if change != nil {
		change(s)
	}
	return s.Run(t.Context())
}

// keepRows leaves some rows of a folder's results.
func keepRows(t *testing.T, dir string, keep func(point, replication int) bool) {
	t.Helper()
	path := filepath.Join(dir, "results.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for i, line := range strings.SplitAfter(string(text), "\n") {
		var point, replication int
		if n, _ := fmt.Sscanf(line, "%d,%d,", &point, &replication); i == 0 || n < 2 || keep(point, replication) {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}
