package animation

import (
	"math"
	"slices"

	"stampede/explore/replay"
)

// level is what a limit has left, over time.
type level struct {
	limit   *replay.Limit
	samples []replay.Level // after each request
	// Of a limit on requests at once, the attempts that the provider has accepted: when they reached it and when
	// the client had its answer, each in order.
	begun, ended []float64
}

// newLevel chooses the limit that refuses most; of those that refuse as often, the one that comes nearest to
// empty. It returns nil where no limit was asked.
func newLevel(r *replay.Replay) *level {
	refused := make([]int, len(r.Limits))
	for i := range r.Attempts {
		if l := r.Attempts[i].Limit; l >= 0 {
			refused[l]++
		}
	}
	lowest := make([]float64, len(r.Limits))
	asked := make([]bool, len(r.Limits))
	for _, l := range r.Levels {
		if !asked[l.Limit] || l.Left < lowest[l.Limit] {
			asked[l.Limit], lowest[l.Limit] = true, l.Left
		}
	}
	best := -1
	for i := range r.Limits {
		if asked[i] && (best < 0 || refused[i] > refused[best] ||
			refused[i] == refused[best] && lowest[i] < lowest[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	out := &level{limit: &r.Limits[best]}
	for _, l := range r.Levels {
		if l.Limit == best {
			out.samples = append(out.samples, l)
		}
	}
	if out.limit.Unit != "concurrency" {
		return out
	}
	for i := range r.Attempts {
		if a := &r.Attempts[i]; a.Received >= 0 && !a.Refused() {
			out.begun, out.ended = append(out.begun, a.Received), append(out.ended, a.Ended)
		}
	}
	slices.Sort(out.begun)
	slices.Sort(out.ended)
	return out
}

// at is the share left at an instant, from 0 to 1.
func (l *level) at(t float64) float64 {
	k := upTo(len(l.samples), func(i int) bool { return l.samples[i].At <= t })
	before := replay.Level{Left: 1}
	if k > 0 {
		before = l.samples[k-1]
	}
	left := before.Left
	switch window := func(t float64) float64 { return math.Floor((t + l.limit.Offset) / l.limit.Window) }; {
	case l.begun != nil:
		// A request that its client has left may hold its place for longer. The attempts do not tell until when. What
		// was taken at the last sample beyond the attempts under way was left, and is until the next.
		amount := float64(l.limit.Amount)
		taken := l.under(t)
		if k > 0 && k < len(l.samples) {
			taken += max(0, math.Round(amount*(1-left))-l.under(before.At))
		}
		left = 1 - taken/amount
	case l.limit.Rate > 0:
		left += l.limit.Rate / float64(l.limit.Amount) * (t - before.At)
	case l.limit.Window > 0 && window(t) > window(before.At):
		left = 1
	}
	return min(max(left, 0), 1)
}

// under is how many accepted attempts are under way.
func (l *level) under(t float64) float64 {
	count := func(times []float64) int { return upTo(len(times), func(i int) bool { return times[i] <= t }) }
	return float64(count(l.begun) - count(l.ended))
}

// upTo is how many of n ordered things come first for which something holds.
func upTo(n int, holds func(int) bool) int {
	low, high := 0, n
	for low < high {
		if middle := (low + high) / 2; holds(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
