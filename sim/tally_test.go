package sim

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestMoments(t *testing.T) {
	var m Moments
	if !math.IsNaN(m.Mean()) || !math.IsNaN(m.Variance()) {
		t.Error("moments of nothing must be NaN")
	}
	// Variance 30 with a mean that would swallow naive sums of squares.
	for _, x := range []float64{4, 7, 13, 16} {
		m.Add(1e9 + x)
	}
	if m.Count() != 4 || m.Mean() != 1e9+10 || m.Variance() != 30 {
		t.Errorf("n %d mean %v variance %v, want 4, 1000000010, 30", m.Count(), m.Mean(), m.Variance())
	}
}

func TestLevel(t *testing.T) {
	var l Level
	l.Set(2*time.Second, 3) // 0 for 2 s
	l.Set(4*time.Second, 1) // 3 for 2 s
	if got := l.Mean(10 * time.Second); got != 1.2 {
		t.Errorf("mean %v, want (0*2 + 3*2 + 1*6)/10 = 1.2", got)
	}
	if l.Peak() != 3 || l.Value() != 1 {
		t.Errorf("peak %v value %v, want 3 and 1", l.Peak(), l.Value())
	}
}

func TestQuantiles(t *testing.T) {
	for _, n := range []int{1, 7, 2000, ExactQuantiles, ExactQuantiles + 1, 60_000} {
		var whole, left, right Quantiles
		law := lognormal(1.5, 2)
		key := NewKey(3, 0)
		var exact []time.Duration
		for i := range n {
			d := time.Duration(law(key.Uniform(uint64(i), 0)) * float64(time.Second))
			exact = append(exact, d)
			whole.Add(d)
			[]*Quantiles{&left, &right}[i%2].Add(d)
		}
		slices.Sort(exact)
		left.Merge(&right)
		allowed := 0.0
		if n > ExactQuantiles {
			allowed = QuantileError
		}
		for _, p := range []float64{0.001, 0.25, 0.5, 0.95, 0.99, 0.999, 1} {
			want := exact[int(math.Ceil(p*float64(n)))-1]
			got := whole.Quantile(p)
			if d := math.Abs(float64(got - want)); d > allowed*(float64(want)+float64(time.Microsecond)) {
				t.Errorf("n %d p%g: %v, exact %v", n, 100*p, got, want)
			}
			if left.Quantile(p) != got {
				t.Errorf("n %d p%g: merged %v, whole %v", n, 100*p, left.Quantile(p), got)
			}
		}
		if whole.Max() != exact[n-1] || whole.Count() != int64(n) || left.Count() != int64(n) {
			t.Errorf("n %d: max %v count %d, want exactly %v", n, whole.Max(), whole.Count(), exact[n-1])
		}
	}
	if q := new(Quantiles); q.Quantile(0.5) != 0 || q.Count() != 0 {
		t.Error("no observations")
	}
}

func TestRing(t *testing.T) {
	var r Ring[int]
	next := 0
	for i := range 1000 {
		r.Push(i)
		if i%3 == 2 {
			if got, ok := r.Pop(); !ok || got != next {
				t.Fatalf("popped %d, want %d", got, next)
			}
			next++
		}
	}
	for r.Len() > 0 {
		if got, _ := r.Pop(); got != next {
			t.Fatalf("popped %d, want %d", got, next)
		}
		next++
	}
	if _, ok := r.Pop(); ok || next != 1000 {
		t.Errorf("%d came out of 1000", next)
	}
}

func TestStation(t *testing.T) {
	s := Station[string]{Servers: 1, Room: 1}
	for _, step := range []struct {
		job  string
		want Admission
	}{{"a", Started}, {"b", Queued}, {"c", Refused}} {
		if got := s.Arrive(step.job, 0); got != step.want {
			t.Errorf("arrival of %s: %v, want %v", step.job, got, step.want)
		}
	}
	if next, ok := s.Depart(); !ok || next != "b" {
		t.Errorf("departure starts %q %v, want b", next, ok)
	}
	if _, ok := s.Depart(); ok || s.Busy() != 0 || s.Waiting() != 0 {
		t.Error("the station should stand empty")
	}
}
