package sim

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Moments is the count, mean and variance of a series, by Welford's recurrence
// (Technometrics 4, 1962), which loses no digits to cancellation. The zero
// Moments is empty.
type Moments struct {
	n    int64
	mean float64
	m2   float64 // sum of squared deviations from the mean
}

// Add takes one observation.
func (m *Moments) Add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.m2 += d * (x - m.mean)
}

// Count is the number of observations.
func (m *Moments) Count() int64 { return m.n }

// Mean is the arithmetic mean; NaN without observations.
func (m *Moments) Mean() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.mean
}

// Variance is the unbiased sample variance; NaN below two observations.
func (m *Moments) Variance() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	return m.m2 / float64(m.n-1)
}

// StdDev is the square root of Variance.
func (m *Moments) StdDev() float64 { return math.Sqrt(m.Variance()) }

// Level is the time average and the peak of a quantity that moves in steps,
// such as the number in a queue. The zero Level starts at 0 at time 0.
type Level struct {
	since Time
	value float64
	area  float64 // value x seconds
	peak  float64
}

// Set changes the quantity to v at an instant.
func (l *Level) Set(now Time, v float64) {
	l.area += l.value * (now - l.since).Seconds()
	l.since, l.value = now, v
	l.peak = max(l.peak, v)
}

// Value is the quantity as last set.
func (l *Level) Value() float64 { return l.value }

// Peak is the largest value so far.
func (l *Level) Peak() float64 { return l.peak }

// Mean is the time average over [0, now]; NaN at time 0.
func (l *Level) Mean(now Time) float64 {
	return (l.area + l.value*(now-l.since).Seconds()) / now.Seconds()
}

// Quantiles gives quantiles of durations: exact ones of up to [ExactQuantiles]
// observations, beyond that those of an HDR histogram with three significant
// digits in steps of one microsecond up to 40 days (longer ones count as 40
// days), which are within [QuantileError] of the exact ones or one microsecond.
// It takes at most 400 kB, however many observations there are, and two of them
// merge. The zero Quantiles is empty.
type Quantiles struct {
	few       []time.Duration // all observations, while they are few
	sorted    bool
	histogram *hdrhistogram.Histogram // all observations, once they are many
	max       time.Duration
}

const (
	// QuantileError is the largest relative error of a quantile of many.
	QuantileError = 0.001
	// ExactQuantiles is up to how many observations quantiles are exact.
	ExactQuantiles = 1 << 14

	quantileStep    = time.Microsecond
	quantileLongest = 40 * 24 * time.Hour
)

// Add takes one duration; a negative one panics.
func (q *Quantiles) Add(d time.Duration) {
	if d < 0 {
		panic("sim: negative duration " + d.String())
	}
	q.max = max(q.max, d)
	if q.histogram == nil && len(q.few) < ExactQuantiles {
		q.few, q.sorted = append(q.few, d), false
		return
	}
	q.spill()
	q.record(d)
}

// spill moves the observations into the histogram.
func (q *Quantiles) spill() {
	if q.histogram != nil {
		return
	}
	q.histogram = hdrhistogram.New(1, int64(quantileLongest/quantileStep), 3)
	for _, d := range q.few {
		q.record(d)
	}
	q.few = nil
}

func (q *Quantiles) record(d time.Duration) {
	steps := int64((min(d, quantileLongest) + quantileStep/2) / quantileStep)
	if err := q.histogram.RecordValue(steps); err != nil {
		panic(err) // the range was clipped
	}
}

// Merge adds the observations of another.
func (q *Quantiles) Merge(other *Quantiles) {
	if other.histogram == nil && q.histogram == nil && len(q.few)+len(other.few) <= ExactQuantiles {
		q.sort()
		other.sort()
		q.few = merged(q.few, other.few)
		q.max = max(q.max, other.max)
		return
	}
	if other.histogram == nil {
		for _, d := range other.few {
			q.Add(d)
		}
		return
	}
	q.spill()
	q.histogram.Merge(other.histogram)
	q.max = max(q.max, other.max)
}

// merged are two sorted lists as one.
func merged(a, b []time.Duration) []time.Duration {
	out := make([]time.Duration, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		least := &a
		if b[0] < a[0] {
			least = &b
		}
		out = append(out, (*least)[0])
		*least = (*least)[1:]
	}
	return append(append(out, a...), b...)
}

func (q *Quantiles) sort() {
	if !q.sorted {
		slices.Sort(q.few)
		q.sorted = true
	}
}

// Count is the number of observations.
func (q *Quantiles) Count() int64 {
	if q.histogram != nil {
		return q.histogram.TotalCount()
	}
	return int64(len(q.few))
}

// Quantile is the smallest duration that at least the share p of all durations do not
// exceed, 0 < p <= 1; 0 without observations.
func (q *Quantiles) Quantile(p float64) time.Duration {
	n := float64(q.Count())
	if n == 0 || p >= 1 {
		return q.max
	}
	rank := max(math.Ceil(p*n), 1)
	if q.histogram != nil { // which rounds ranks, so it is asked for a whole one
		return min(q.max, time.Duration(q.histogram.ValueAtQuantile(100*rank/n))*quantileStep)
	}
	q.sort()
	return q.few[int(rank)-1]
}

// Max is the largest duration, exactly.
func (q *Quantiles) Max() time.Duration { return q.max }
