package measure

import (
	"math"
	"testing"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/scenario"
	"stampede/sim"
)

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
	r := recovery{
		trigger: scenario.Window{Start: 60e9, End: 80e9},
		last:    999_999e9,
		ended:   600,
		bins:    make([]uint32, 1_000_000),
	}
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
	for answered, want := range map[int][2]float64{0: {math.NaN(), 1}, 1: {math.NaN(), 1}, 4: {math.NaN(), 1},
		5: {0, 0}, 10: {0, 0}} {
		r := recovery{trigger: scenario.Window{Start: 60e9, End: 80e9}}
		for s := range 200 {
			for i := range 10 {
				c := fleet.Call{
					Arrived: sim.Time(s) * time.Second,
					Ended:   sim.Time(s) * time.Second,
					Outcome: policy.GaveUpAttempts,
				}
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
