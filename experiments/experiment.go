package experiments

import (
	"context"
	"embed"
	"fmt"
	"math"
	"slices"

	"stampede/internal/format"
	"stampede/internal/nearest"
	"stampede/measure"
	"stampede/scenario"
)

// Experiment is a question to the simulator whose answer is known from
// elsewhere: a scenario, arms that vary it, and references that the findings
// are held against.
type Experiment struct {
	Name       string
	Question   string
	Claim      string
	Source     string
	Arms       []Arm
	References []Reference
	Pictures   []Picture

	measure func(*lab) (map[string]Sample, error) // nil when every finding is a metric of an arm
}

// Arm is a variation of the experiment's scenario.
type Arm struct {
	Name string
	Set  []string // settings, PATH=VALUE
}

// Reference is what a source says about one finding. Low and High are the band
// it gives, or the rounding of the printed figure; infinite where it gives none.
type Reference struct {
	Key       string
	Expected  float64
	Low, High float64
	List      []float64 // instead of Expected, for a finding that is a list
	Unit      string
	Choice    *Choice // of a finding that is 1 or 0: a choice between two
	// Note explains a reference that cannot hold because it contradicts itself or leaves
	// open what decides it; it is kept and not judged.
	Note string
	// Differs tells why what is measured differs, by no more than By, where it does; the finding
	// is judged all the same.
	Differs string
	By      float64
	// The finding is a metric of an arm, times a factor; of others, the experiment says what it is.
	arm, metric string
	factor      float64 // 0 means 1
	// Runs is of how few runs the reference can be the mean, in place of By.
	Runs int
}

// Choice names what 1 and 0 stand for, and why the reference expects the one it does.
type Choice struct{ Yes, No, Why string }

// word names a measured value; a value between is left a number.
func (c *Choice) word(x float64) string {
	switch x {
	case 1:
		return c.Yes
	case 0:
		return c.No
	}
	return format.Number(x)
}

// differs adds the reason for a difference, and how large it is at the most.
func (r Reference) differs(by float64, why string) Reference {
	r.Differs, r.By = why, by
	return r
}

// unjudged keeps a reference that contradicts itself or leaves too much open, and says why.
func (r Reference) unjudged(why string) Reference {
	r.Note = why
	return r
}

// of says which metric of which arm the finding is, times with which factor.
func (r Reference) of(arm, metric string) Reference {
	r.arm, r.metric = arm, metric
	return r
}

func (r Reference) times(factor float64) Reference {
	r.factor = factor
	return r
}

// from writes where the finding comes from, where it is a metric.
func (r Reference) from() string {
	switch {
	case r.metric == "":
		return ""
	case r.factor != 0:
		return fmt.Sprintf("; %s of %s x %s", r.metric, r.arm, format.Number(r.factor))
	}
	return fmt.Sprintf("; %s of %s", r.metric, r.arm)
}

// exactly is a reference to a figure without error.
func exactly(key string, value float64, unit string) Reference {
	return Reference{Key: key, Expected: value, Low: value, High: value, Unit: unit}
}

// printed is a reference to a figure printed with so many decimals.
func printed(key string, value float64, decimals int, unit string) Reference {
	half := 0.5 * math.Pow10(-decimals)
	return Reference{Key: key, Expected: value, Low: value - half, High: value + half, Unit: unit}
}

// within is a reference to a figure with a band.
func within(key string, value, low, high float64, unit string) Reference {
	return Reference{Key: key, Expected: value, Low: low, High: high, Unit: unit}
}

// atMost and atLeast are references that are bounds.
func atMost(key string, bound float64, unit string) Reference {
	return within(key, bound, math.Inf(-1), bound, unit)
}

func atLeast(key string, bound float64, unit string) Reference {
	return within(key, bound, bound, math.Inf(1), unit)
}

// Sample is a finding by replication; one value when it does not vary.
type Sample struct {
	Values []float64
	List   []float64 // instead, for a finding that is a list
}

// Finding is a reference beside what was measured.
type Finding struct {
	Reference
	Sample
	Source   string
	Estimate measure.Estimate // at 95 %
	Holds    *bool            // nil when the reference has a note
	Held     int              // with so many of the result's seeds
}

// judge compares. A finding holds when the 99 % interval of what was measured,
// a point when it does not vary, meets the band of the reference; when the band
// is open to one side, when the whole interval keeps its bound.
func judge(r Reference, s Sample, source string) Finding {
	f := Finding{Reference: r, Sample: s, Source: source, Estimate: measure.EstimateOf(s.Values, 0.95)}
	if len(s.Values) == 1 {
		f.Estimate.Low, f.Estimate.High = f.Estimate.Mean, f.Estimate.Mean
	}
	if r.Unit == "share" {
		f.Estimate = f.Estimate.Within(0, 1)
	}
	if r.Note != "" {
		return f
	}
	holds := slices.Equal(r.List, s.List)
	if r.List == nil {
		e := f.Estimate
		if len(s.Values) > 1 {
			e = measure.EstimateOf(s.Values, 0.99)
		}
		const rounding = 1e-9 // of float arithmetic on exact figures
		slack := rounding * max(1, math.Abs(r.Expected))
		notBelow, notAbove := e.High, e.Low // an interval meets a band with either end
		if math.IsInf(r.High, 1) {
			notBelow = e.Low // and keeps a bound with both
		}
		if math.IsInf(r.Low, -1) {
			notAbove = e.High
		}
		holds = e.N > 0 && notBelow >= r.Low-slack && notAbove <= r.High+slack
	}
	f.Holds = &holds
	if holds {
		f.Held = 1
	}
	return f
}

// AsFew is where the mean of as few runs as the reference rests on lies in 99 % of cases:
// mean ± t s sqrt(1/few + 1/n).
func (f Finding) AsFew() (low, high float64) {
	e := measure.EstimateOf(f.Values, 0.99)
	half := e.Half() * math.Sqrt(1+float64(e.N)/float64(f.Runs))
	return e.Mean - half, e.Mean + half
}

// failed is whether the reference does not hold.
func (f Finding) failed() bool { return f.Holds != nil && !*f.Holds }

// explained is whether a reference that does not hold differs as it is said to.
func (f Finding) explained() bool {
	switch {
	case !f.failed() || f.Differs == "":
		return false
	case f.Runs > 0:
		low, high := f.AsFew()
		return low <= f.Expected && f.Expected <= high
	}
	return math.Abs(f.Estimate.Mean-f.Expected) <= f.By
}

// Result is what an experiment found.
type Result struct {
	Experiment   *Experiment
	Seed         uint64
	Seeds        int // that the verdicts were asked of, from Seed on; all else is of Seed
	Replications int
	Findings     []Finding
}

// Catalogue lists the experiments by name.
func Catalogue() []*Experiment { return catalogue }

var catalogue = []*Experiment{
	&adaptiveThrottle, &awsBackoff, &backoffBudget, &billedTimeouts, &breakerTripRule, &classification,
	&copiedDefaults, &deadlineOrCount, &droppingBucket, &fallbackChain, &headerPacing, &hedge,
	&herdSDKDefaults, &hintOrDoubling, &hungProvider, &jitterShapes, &keyIsolation, &lasting429, &limiterSweep,
	&metastableSpike, &metastableThreshold, &one503, &openaiHint, &ownTheLoop, &priorityOrKeys,
	&quotaExhausted, &rejectedCallsCount, &relay, &retryOrBudget, &retryQuota, &retryStorm, &sdkRetryAfter,
	&semaphore, &sideEffects, &stackedLayers, &startingPoints, &streamReplay, &streamTimeouts,
	&stuckConnection, &throttleIsFree, &thunderingHerd, &timeoutBill, &timeoutChoice, &tokenThrottle,
	&windowOrExponential, &workerPileUp,
}

// Find finds an experiment by its name.
func Find(name string) (*Experiment, error) {
	var known []string
	for _, e := range catalogue {
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return nil, fmt.Errorf("no experiment %q; %s; experiment list shows all %d", name, nearest.Unknown(name, known),
		len(known))
}

//go:embed *.yaml
var catalogueFiles embed.FS

// Scenario is the text of the experiment's scenario.
func (e *Experiment) Scenario() []byte {
	text, err := catalogueFiles.ReadFile(e.Name + ".yaml")
	if err != nil {
		panic(err) // embedded, and a test reads them all
	}
	return text
}

// Arm is the scenario of one arm, with further settings.
func (e *Experiment) Arm(name string, set ...string) (*scenario.Scenario, error) {
	i := slices.IndexFunc(e.Arms, func(a Arm) bool { return a.Name == name })
	return scenario.Read(e.Scenario(), e.Name, scenario.Options{Set: slices.Concat(e.Arms[i].Set, set)})
}

// Trial is how an experiment is run.
type Trial struct {
	Jobs  int    // replications at a time; 0 means one for each core
	Seed  uint64 // 0 means that of the scenario
	Seeds int    // so many in a row, whose verdicts are counted; 0 means 1
	Done  func() // called after each seed, when set

	// divisor divides the replications of each arm, at least five of which remain, for a quick look;
	// 0 means 1.
	divisor int
}

// Run runs the experiment. When the context ends between seeds, the result of those that
// finished is returned with its error.
func (e *Experiment) Run(ctx context.Context, t Trial) (*Result, error) {
	first, err := e.once(ctx, t, t.Seed)
	for err == nil && first.Seeds < t.Seeds {
		if t.Done != nil {
			t.Done()
		}
		var next *Result
		if next, err = e.once(ctx, t, first.Seed+uint64(first.Seeds)); err != nil {
			return first, err
		}
		first.Seeds++
		for i, f := range next.Findings {
			first.Findings[i].Held += f.Held
		}
	}
	if err == nil && t.Done != nil {
		t.Done()
	}
	return first, err
}

// once runs the experiment with one seed.
func (e *Experiment) once(ctx context.Context, t Trial, seed uint64) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	base, err := scenario.Read(e.Scenario(), e.Name, scenario.Options{})
	if err != nil {
		return nil, err
	}
	if seed != 0 {
		base.Seed = seed
	}
	l := &lab{ctx: ctx, experiment: e, jobs: t.Jobs, seed: base.Seed, divisor: t.divisor}
	measure := e.measure
	if measure == nil {
		measure = (*lab).read
	}
	samples, err := measure(l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	r := &Result{Experiment: e, Seed: base.Seed, Seeds: 1, Replications: base.Replications}
	for _, reference := range e.References {
		sample, ok := samples[reference.Key]
		if !ok {
			panic("experiments: " + e.Name + " does not measure " + reference.Key)
		}
		r.Findings = append(r.Findings, judge(reference, sample, e.Source))
	}
	return r, nil
}

// fewRuns is a reference of the herds, which do not say how many runs they rest on. It is more
// than one, since a percentage of 1,000 calls with two decimals is a mean; five are assumed.
func (r Reference) fewRuns() Reference {
	r = r.differs(
		0,
		"the source does not give the number of runs behind its figure; five are assumed, and 99 % of the means of "+
			"five runs would lie in the range beside the verdict",
	)
	r.Runs = 5
	return r
}
