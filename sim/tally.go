package sim

import (
	"math"
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

// Set says that the quantity is v from now on.
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

// Quantiles is a mergeable histogram of spans: an HDR histogram with three
// significant digits in steps of one microsecond, up to 40 days. A quantile it
// gives is within [QuantileError] (relative) or one microsecond of the exact
// one; longer spans count as 40 days. Use NewQuantiles.
type Quantiles struct {
	histogram *hdrhistogram.Histogram
	max       time.Duration
}

// QuantileError is the largest relative error of a quantile.
const QuantileError = 0.001

const (
	quantileStep    = time.Microsecond
	quantileLongest = 40 * 24 * time.Hour
)

// NewQuantiles makes an empty histogram of about 240 kB.
func NewQuantiles() *Quantiles {
	return &Quantiles{histogram: hdrhistogram.New(1, int64(quantileLongest/quantileStep), 3)}
}

// Add takes one span; a negative one panics.
func (q *Quantiles) Add(d time.Duration) {
	if d < 0 {
		panic("sim: negative span " + d.String())
	}
	q.max = max(q.max, d)
	steps := int64((min(d, quantileLongest) + quantileStep/2) / quantileStep)
	if err := q.histogram.RecordValue(steps); err != nil {
		panic(err) // the range was clipped above
	}
}

// Merge adds the observations of another histogram.
func (q *Quantiles) Merge(other *Quantiles) {
	q.histogram.Merge(other.histogram)
	q.max = max(q.max, other.max)
}

// Count is the number of observations.
func (q *Quantiles) Count() int64 { return q.histogram.TotalCount() }

// Quantile is the smallest recorded span that at least the share p of all
// spans do not exceed, 0 < p <= 1; 0 without observations.
func (q *Quantiles) Quantile(p float64) time.Duration {
	if p >= 1 {
		return q.max
	}
	return time.Duration(q.histogram.ValueAtQuantile(100*p)) * quantileStep
}

// Max is the largest span, exactly.
func (q *Quantiles) Max() time.Duration { return q.max }
