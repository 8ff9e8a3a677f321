package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"stampede/measure"
)

// results holds what each experiment found, by its name, so that a test run runs the catalogue once.
var results sync.Map

// resultOf runs an experiment, unless another test has done so; with -short, with a tenth of its
// replications.
func resultOf(t *testing.T, e *Experiment) *Result {
	t.Helper()
	trial := Trial{}
	if testing.Short() {
		trial.divisor = 10
	}
	run, _ := results.LoadOrStore(e.Name, sync.OnceValues(func() (*Result, error) {
		return e.Run(context.Background(), trial)
	}))
	r, err := run.(func() (*Result, error))()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every reference of the catalogue that can hold does, and each judged sample
// is narrow enough that holding means something: the half-width of its 99 %
// interval is at most 7 % of what was measured or of the reference. Every figure
// shows something. A tenth of the replications is too few for bounds that the whole
// interval must keep, and for narrow intervals; there the mean must keep the bound.
func TestCatalogueHolds(t *testing.T) {
	for _, e := range Catalogue() {
		t.Run(e.Name, func(t *testing.T) {
			r := resultOf(t, e)
			for _, f := range r.Findings {
				if f.Holds == nil {
					if f.Note == "" {
						t.Errorf("%s is not judged and does not say why", f.Key)
					}
					continue
				}
				meets := f.Low <= f.Estimate.Mean && f.Estimate.Mean <= f.High
				if f.failed() && !f.explained() && !(testing.Short() && meets) {
					t.Errorf("%s: measured %v %v, want %s", f.Key, f.Estimate, f.Sample.List, f.words())
				}
				if len(f.Values) > 1 && !testing.Short() {
					if e := measure.EstimateOf(f.Values, 0.99); e.Half() > 0.07*max(math.Abs(e.Mean),
						math.Abs(f.Expected)) &&
						!math.IsInf(f.High-f.Low, 0) {
						t.Errorf("%s: %v is too wide to judge by", f.Key, e)
					}
				}
			}
			if !testing.Short() {
				checkPictures(t, r)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	band := within("k", 10, 9, 11, "s")
	for _, c := range []struct {
		name   string
		r      Reference
		values []float64
		holds  bool
	}{
		{"a point inside", band, []float64{9}, true},
		{"a point outside", band, []float64{8.9}, false},
		{"an interval that meets the band", band, []float64{8.8, 9.1, 8.7, 9.0}, true},
		{"an interval outside", band, []float64{8.0, 8.1, 8.0, 8.1}, false},
		{"no value at all", band, []float64{math.NaN()}, false},
		{"exact", exactly("k", 3, ""), []float64{3, 3, 3}, true},
		{"not exact", exactly("k", 3, ""), []float64{3.001, 3.001}, false},
		{"at least", within("k", 1, 1, math.Inf(1), ""), []float64{0}, false},
		{"at least, in part of the interval", within("k", 1, 1, math.Inf(1), ""), []float64{0.9, 1.2, 1.0, 1.1}, false},
		{"at most, in part of the interval", within("k", 1, math.Inf(-1), 1, ""), []float64{0.9, 1.2, 1.0, 1.1}, false},
	} {
		if f := judge(c.r, Sample{Values: c.values}, ""); *f.Holds != c.holds {
			t.Errorf("%s: holds %v, want %v", c.name, *f.Holds, c.holds)
		}
	}
	if f := judge(Reference{Key: "k", List: []float64{2, 1}}, Sample{List: []float64{1, 2}}, ""); *f.Holds {
		t.Error("lists in another order must not hold")
	}
	if f := judge(Reference{Note: "contradicts itself"}, Sample{Values: []float64{1}}, ""); f.Holds != nil {
		t.Error("a reference that contradicts itself must not be judged")
	}
}

func TestResultJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("with a tenth of the replications the numbers differ")
	}
	e, err := Find("thundering-herd")
	if err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, e)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"experiment":"thundering-herd"`, `"seed":1,"replications":400`,
		`{"key":"bursts_none","expected":[100,80,60,40,20],"low":[100,80,60,40,20],"high":[100,80,60,40,20],` +
			`"measured":[100,80,60,40,20],"ci95":[],"unit":"requests"`,
		`"key":"max_burst_after_first_full","expected":2,"low":null,"high":2,"measured":1.`, `"holds":true`,
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the JSON lacks %s", want)
		}
	}
}

// Of 100 runs, half at 9 and half at 11, s = 1.00504; the mean of four lies within 2.6264 s
// sqrt(1/4 + 1/100) = 1.3459 of 10. A reference that the mean does not meet can be such a mean.
func TestMeansOfFewRuns(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = 9 + 2*float64(i%2)
	}
	for expected, want := range map[float64]bool{8.6: false, 8.7: true, 10.5: true, 11.4: false, 10: false} {
		r := exactly("k", expected, "s").differs(0, "few runs")
		r.Runs = 4
		f := judge(r, Sample{Values: values}, "")
		if low, high := f.AsFew(); math.Abs(low-8.6541) > 1e-3 || math.Abs(high-11.3459) > 1e-3 ||
			f.explained() != want {
			t.Errorf("means of four %g..%g, %g explained %v; want %v", low, high, expected, f.explained(), want)
		}
	}
	if f := judge(exactly("k", 10.5, "s"), Sample{Values: values}, ""); f.explained() {
		t.Error("nothing says that this reference rests on few runs")
	}
	for by, want := range map[float64]bool{0.4: false, 0.6: true} {
		if f := judge(exactly("k", 10.5, "s").differs(by, "why"), Sample{Values: values}, ""); f.explained() != want {
			t.Errorf("half a second off, said to be %g at most: explained %v", by, !want)
		}
	}
}

// An experiment that is interrupted ends with the context's error, whatever it was doing, and
// between seeds with what the seeds before have found.
func TestInterruptedExperiments(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range Catalogue() {
		if r, err := e.Run(cancelled, Trial{}); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("%s: %v, %v", e.Name, r, err)
		}
	}
	for _, name := range []string{"starting-points", "limiter-sweep", "aws-backoff", "classification"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		between, stop := context.WithCancel(t.Context())
		r, err := e.Run(between, Trial{Seeds: 3, Done: stop})
		if !errors.Is(err, context.Canceled) || r == nil || r.Seeds != 1 {
			t.Errorf("%s: %+v, %v; want the result of one seed", name, r, err)
		}
	}
}

// Every arm that has replications of its own is one.
func TestRunsNameArms(t *testing.T) {
	for name, of := range map[string]map[string]int{
		"herd-sdk-defaults": herdRuns, "rejected-calls-count": rejectedRuns,
	} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for arm := range of {
			if !slices.ContainsFunc(e.Arms, func(a Arm) bool { return a.Name == arm }) {
				t.Errorf("%s has no arm %s", name, arm)
			}
		}
	}
}
