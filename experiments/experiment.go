package experiments

import (
	"context"
	"embed"
	"fmt"
	"math"
	"slices"

	"stampede/scenario"
	"stampede/suggest"
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

	measure func(*lab) (map[string]Sample, error)
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
	// Note explains a reference that cannot hold because it contradicts itself;
	// it is kept and not judged.
	Note string
	// Differs tells why what is measured differs, where it does; the finding is
	// judged all the same.
	Differs string
}

// differs adds the reason for a difference.
func (r Reference) differs(why string) Reference {
	r.Differs = why
	return r
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
	Estimate Estimate // at 95 %
	Holds    *bool    // nil when the reference contradicts itself
}

// judge compares. A finding holds when the 99 % interval of what was measured,
// a point when it does not vary, meets the band of the reference; when the band
// is open to one side, when the whole interval keeps its bound.
func judge(r Reference, s Sample, source string) Finding {
	f := Finding{Reference: r, Sample: s, Source: source, Estimate: EstimateOf(s.Values, 0.95)}
	if len(s.Values) == 1 {
		f.Estimate.Low, f.Estimate.High = f.Estimate.Mean, f.Estimate.Mean
	}
	if r.Note != "" {
		return f
	}
	holds := slices.Equal(r.List, s.List)
	if r.List == nil {
		e := f.Estimate
		if len(s.Values) > 1 {
			e = EstimateOf(s.Values, 0.99)
		}
		const rounding = 1e-9 // of float arithmetic on exact figures
		slack := rounding * max(1, math.Abs(r.Expected))
		low, high := e.High, e.Low // the ends that must reach the band
		if math.IsInf(r.High, 1) {
			low = e.Low // a bound must be kept by the whole interval
		}
		if math.IsInf(r.Low, -1) {
			high = e.High
		}
		holds = e.N > 0 && low >= r.Low-slack && high <= r.High+slack
	}
	f.Holds = &holds
	return f
}

// Result is what an experiment found.
type Result struct {
	Experiment   *Experiment
	Seed         uint64
	Replications int
	Findings     []Finding
}

// Catalogue lists the experiments by name.
func Catalogue() []*Experiment { return catalogue }

var catalogue = []*Experiment{
	&adaptiveThrottle, &awsBackoff, &backoffBudget, &billedTimeouts, &breakerTripRule, &classification, &droppingBucket, &fallbackChain, &headerPacing, &hedge, &herdSDKDefaults, &hungProvider,
	&jitterShapes, &keyIsolation, &limiterSweep, &metastableSpike, &metastableThreshold, &openaiHint, &ownTheLoop, &quotaExhausted, &rejectedCallsCount, &relay, &retryOrBudget, &retryQuota, &retryStorm, &sdkRetryAfter, &semaphore,
	&sideEffects, &stackedLayers, &startingPoints, &streamReplay, &streamTimeouts, &throttleIsFree, &thunderingHerd, &timeoutBill, &tokenThrottle, &windowOrExponential,
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
	return nil, fmt.Errorf("no experiment %q; %s", name, suggest.Unknown(name, known))
}

//go:embed catalogue/*.yaml
var catalogueFiles embed.FS

// Scenario is the text of the experiment's scenario.
func (e *Experiment) Scenario() []byte {
	text, err := catalogueFiles.ReadFile("catalogue/" + e.Name + ".yaml")
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

// Run runs the experiment, with the seed of its scenario when seed is 0.
func (e *Experiment) Run(ctx context.Context, jobs int, seed uint64) (*Result, error) {
	base, err := scenario.Read(e.Scenario(), e.Name, scenario.Options{})
	if err != nil {
		return nil, err
	}
	if seed != 0 {
		base.Seed = seed
	}
	samples, err := e.measure(&lab{ctx: ctx, experiment: e, jobs: jobs, seed: base.Seed})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	r := &Result{Experiment: e, Seed: base.Seed, Replications: base.Replications}
	for _, reference := range e.References {
		sample, ok := samples[reference.Key]
		if !ok {
			panic("experiments: " + e.Name + " does not measure " + reference.Key)
		}
		r.Findings = append(r.Findings, judge(reference, sample, e.Source))
	}
	return r, nil
}
