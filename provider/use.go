package provider

import (
	"stampede/sim"
)

// Use is what a limit counted in the measured time, less what it gave back, and what
// its definition admitted there:
//
//	bucket          what was in it, and rate x T
//	fixed window    what was left of the one under way, and the amount of each begun
//	sliding window  what was left, the amount for each whole period, and for the rest
//	                of a period its share of what was used before
//	balance         what was left
//	ramp            what was left of the slice under way, and the ceiling of each begun
//	concurrency     places x T, of which those taken count, in seconds
type Use struct{ Counted, Admitted float64 }

// Share is the used part, 0..1: 1 for a limit that admitted nothing more. A charge
// that is known only in the end can exceed what was admitted; that is 1 as well.
func (u Use) Share() float64 {
	if u.Admitted <= 0 {
		return 1
	}
	return min(1, max(0, u.Counted/u.Admitted))
}

// account follows the use of a limit. Admitted is up to the instant since, at which
// so much was left.
type account struct {
	counted  int64
	admitted float64
	left     int64
	since    sim.Time
	opened   sim.Time // the beginning of the measured time
	slice    sim.Time // of a ramp: the last that began
	ceiling  int64    // of it
}

// open begins the measured time.
func (l *limiter) open(at sim.Time) {
	l.advance(at)
	left := l.level()
	l.account = account{left: left, admitted: float64(max(0, left)), since: at, opened: at}
	switch m := l.meter.(type) {
	case *places:
		m.taking, l.admitted = 0, 0
	case *Ramp:
		l.slice, l.ceiling = m.part.start(at), m.part.amount
	}
}

// cut takes in what was admitted up to an instant, before the limit takes another shape.
func (l *limiter) cut(at sim.Time) {
	l.advance(at)
	l.admitted += l.refilled(at)
	l.left, l.since = l.level(), at
}

// use is the use from the beginning of the measured time up to an instant.
func (l *limiter) use(at sim.Time) Use {
	u := Use{float64(l.counted), l.admitted + l.refilled(at)}
	if p, ok := l.meter.(*places); ok {
		u.Counted = p.takenBy(at)
	}
	return u
}

// level is what is left, of a window in slices that of the window.
func (l *limiter) level() int64 {
	if s, ok := l.meter.(*sliced); ok {
		return s.window.Level()
	}
	return l.meter.Level()
}

// refilled is what the limit admitted from the last cut up to an instant beyond what was left,
// that instant excluded.
func (l *limiter) refilled(at sim.Time) float64 {
	if at <= l.since {
		return 0
	}
	return l.kind().refilled(l, at)
}

// climb counts the slices that a ramp has begun by now, each with its ceiling.
func (l *limiter) climb(r *Ramp, now sim.Time) {
	if start := r.part.start(now); start > l.slice {
		l.ceiling = max(0, r.Level()) // nothing of it is used yet
		l.admitted += float64((start-l.slice+r.part.period-1)/r.part.period) * float64(l.ceiling)
		l.slice = start
	}
}

// measure is the measured time of a provider.
type measure struct {
	from, to sim.Time
	next     sim.Time // which of them comes next, or sim.Never
	begun    bool
	uses     []Use // once it has ended
}

// reach begins and ends the measured time where now has come to that.
func (m *measure) reach(limits []limiter, now sim.Time) {
	if !m.begun && now >= m.from {
		m.begun, m.next = true, m.to
		for i := range limits {
			limits[i].open(m.from)
		}
	}
	if m.begun && now >= m.to && m.uses == nil {
		m.uses, m.next = usesOf(limits, m.to), sim.Never
	}
}

func usesOf(limits []limiter, at sim.Time) []Use {
	uses := make([]Use, len(limits))
	for i := range limits {
		uses[i] = limits[i].use(at)
	}
	return uses
}

// Measure says from when to when the use of the limits is measured; by default all the
// time.
func (p *Provider) Measure(from, to sim.Time) {
	p.measure, p.next = measure{from: from, to: to, next: from}, 0
	p.change(0)
}

// Use is the use of each limit from the beginning of the measured time to its end, or, where
// that is not its end, to an instant after which no request was received; nil where it has
// not begun by then.
func (p *Provider) Use(end sim.Time) []Use {
	p.change(end)
	switch m := &p.measure; {
	case !m.begun:
		return nil
	case end == m.to:
		return m.uses
	}
	return usesOf(p.limits, end+1) // what happens at that instant included
}

// Left is how much of a limit may still pass, negative when too much did, and how much it can hold at most: the
// burst of a bucket, the amount of a window. A bucket has refilled up to now; what a window has left is that of the
// last instant at which it counted something.
func (p *Provider) Left(limit int, now sim.Time) (left, most int64) {
	l := &p.limits[limit]
	if b, ok := l.meter.(*Bucket); ok {
		refilled := *b
		refilled.Advance(now)
		return refilled.Level(), l.burst()
	}
	return l.level(), l.burst()
}
