package animation

import (
	"sort"

	"stampede/explore/replay"
)

// level is what a limit had left, over time.
type level struct {
	limit   int
	samples []replay.Level
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
	counts := make([]int, len(r.Limits))
	for _, l := range r.Levels {
		if counts[l.Limit]++; counts[l.Limit] == 1 || l.Left < lowest[l.Limit] {
			lowest[l.Limit] = l.Left
		}
	}
	best := -1
	for i, n := range counts {
		if n > 0 && (best < 0 || refused[i] > refused[best] ||
			refused[i] == refused[best] && lowest[i] < lowest[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	out := &level{limit: best}
	for _, l := range r.Levels {
		if l.Limit == best {
			out.samples = append(out.samples, l)
		}
	}
	return out
}

// at is the share left at an instant. It is all before the first sample. Samples follow requests, and between two
// of them the limit refills: so the level rises on a straight line to a higher one, and else stays.
func (l *level) at(t float64) float64 {
	k := sort.Search(len(l.samples), func(i int) bool { return l.samples[i].At > t })
	if k == 0 {
		return 1
	}
	before := l.samples[k-1]
	if k == len(l.samples) || l.samples[k].Left <= before.Left {
		return before.Left
	}
	after := l.samples[k]
	return before.Left + (after.Left-before.Left)*(t-before.At)/(after.At-before.At)
}
