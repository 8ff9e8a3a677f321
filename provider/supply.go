package provider

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"

	"stampede/sim"
)

// Supply is the most that a limit can admit over time, by its definition alone:
// it knows no traffic and no meter. With s as the slack, over a span of length T
// inside a run
//
//	token, leaky bucket   Burst + Amount T/Period + s
//	fixed window          (Amount + s) x windows begun by its end
//	sliding window        (Amount + s) x (floor(T/Period) + 1)
//	ramp                  its windows, each (1 + Growth) times the one before
//	balance               Amount + s
//	concurrency           no bound: it depends on how long requests stay (see Turns)
//
// and of windows that are enforced in slices, the same for the slices if that is
// less. A span that begins at 0 has less by what was used before.
//
// The slack is what can be counted beyond an admission: requests in flight
// whose true usage counts only when they end, beyond their charge. A bucket makes
// up for it before it admits again; a window forgives it with each new one.
//
// A limit with tiers by spend is taken as its largest from the start.
//
// Where refunds are given, the bound is on what was not refunded, and holds for spans
// that begin at 0: later ones also have what comes back of charges before them.
type Supply []phase

// phase is a limit from an instant on.
type phase struct {
	from sim.Time
	Limit
	asked traffic // see Of; nil uses up what there is
}

// traffic is how much is asked for from one instant to another.
type traffic func(from, to sim.Time) int64

// Of is the supply where so much is asked for from one instant to another: a ramp grows with
// what was used.
func (s Supply) Of(asked func(from, to sim.Time) int64) Supply {
	out := slices.Clone(s)
	for i := range out {
		out[i].asked = asked
	}
	return out
}

// NoBound is more than any limit can count.
const NoBound = math.MaxInt64

// Supply is that of a limit, with the changes that the fault schedule makes.
func (c *Config) Supply(limit int) Supply {
	s := Supply{{from: 0, Limit: c.Limits[limit].Largest()}}
	changes, _ := changesOf(*c) // New reports its error
	for _, change := range changes {
		if change.index == limit {
			before := s[len(s)-1]
			change.limit.Offset = before.Offset % before.Period // which windows keep when their period changes
			s = append(s, phase{from: change.at, Limit: change.limit})
		}
	}
	return s
}

// Within is the most that can be admitted from one instant to another, both included.
func (s Supply) Within(from, to sim.Time, slack int64) int64 {
	if len(s) > 1 && s[0].kind().remembers { // what was before a change makes the ceilings after it
		return NoBound
	}
	sum, first := int64(0), true
	for i := range s {
		p := &s[i]
		begins, ends := max(from, p.from), to
		if i+1 < len(s) {
			if s[i+1].from <= begins {
				continue
			}
			ends = min(to, s[i+1].from)
		}
		if begins > ends {
			break
		}
		n := p.within(begins, ends, slack, p.asked)
		if p.kind().continuous && !first && n != NoBound { // its level goes on, the fraction too
			n -= p.burst() + slack - 1
		}
		sum, first = plus(sum, n), false
	}
	return max(0, sum)
}

// Earliest is the first instant by which a total can have been admitted from the
// start; sim.Never if it cannot.
func (s Supply) Earliest(total, slack int64) sim.Time {
	if total <= 0 {
		return 0
	}
	at := sim.Time(sort.Search(int(sim.End), func(t int) bool { return s.Within(0, sim.Time(t), slack) >= total }))
	if at == sim.End {
		return sim.Never
	}
	return at
}

func (l *Limit) within(from, to sim.Time, slack int64, asked traffic) int64 {
	used := int64(0)
	if from == 0 {
		used = l.Used
	}
	return l.kind().within(l, from, to, used, slack, asked)
}

// Turns is the least time in which n requests can pass where so many are served at
// once: the longer of their whole service over the places, and as many turns, one
// after the other, as there must be.
//
//	T >= max(total / places, ceil(n / places) x least)
func Turns(n, places int64, least, total time.Duration) time.Duration {
	if places < 1 || n == 0 {
		return 0
	}
	return max(total/time.Duration(places), time.Duration(times((n-1)/places+1, int64(least))))
}

// share is floor(amount x span / period), held at NoBound.
func share(amount int64, span, period time.Duration) int64 {
	hi, lo := bits.Mul64(uint64(amount), uint64(span))
	if hi >= uint64(period) {
		return NoBound
	}
	n, _ := bits.Div64(hi, lo, uint64(period))
	return int64(min(n, NoBound))
}

// plus adds, times multiplies what is not negative; both are held at NoBound.
func plus(a, b int64) int64 {
	if b > 0 && a > NoBound-b {
		return NoBound
	}
	return a + b
}

func times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > NoBound {
		return NoBound
	}
	return int64(lo)
}
