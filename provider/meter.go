package provider

import (
	"sort"
	"time"

	"stampede/sim"
)

// meter is what a limit counts with: how much may pass, and when. Every method
// but Advance speaks of the instant last advanced to.
type meter interface {
	// Advance moves to now, which must not run backwards.
	Advance(now sim.Time)
	// Has reports whether n may pass.
	Has(n int64) bool
	// Take counts n, whether it may pass or not.
	Take(n int64)
	// Drain counts n, but not below a level of floor, and returns how many whole
	// ones it counted.
	Drain(n, floor int64) int64
	// Give takes n back that were counted at the given instant.
	Give(n int64, at sim.Time)
	// Wait is the least span after which Has(n) holds if nothing else passes;
	// sim.Never for more than can ever pass at once.
	Wait(n int64) time.Duration
	// Level is how much may pass, negative when too much did.
	Level() int64
	// Reshape changes the parameters from now on; what was counted stays.
	Reshape(amount int64, period time.Duration, burst int64)
}

// Window is a fixed window: at most Amount in each span of Period, counted anew
// at every multiple of Period less an offset. At the instant of the reset the new
// window holds. Across a reset up to twice the amount can pass in less than one
// period; that is the nature of the thing.
type Window struct {
	amount         int64
	period, offset time.Duration
	used           int64
	at             sim.Time
}

// NewWindow makes an empty window at time 0. The first reset comes when the
// offset and the time passed make a whole period.
func NewWindow(amount int64, period, offset time.Duration) Window {
	return Window{amount: amount, period: period, offset: offset % period}
}

func (w *Window) number(t sim.Time) int64 { return int64((t + w.offset) / w.period) }

// Advance implements meter.
func (w *Window) Advance(now sim.Time) {
	if w.number(now) != w.number(w.at) {
		w.used = 0
	}
	w.at = now
}

// Has implements meter.
func (w *Window) Has(n int64) bool { return w.used+n <= w.amount }

// Take implements meter.
func (w *Window) Take(n int64) { w.used += n }

// Drain implements meter.
func (w *Window) Drain(n, floor int64) int64 { return drain(w, n, floor) }

// drain takes what is above the floor, of a meter without fractions.
func drain(m meter, n, floor int64) int64 {
	n = max(0, min(n, m.Level()-floor))
	m.Take(n)
	return n
}

// Give implements meter. What was counted before the last reset is gone with it.
func (w *Window) Give(n int64, at sim.Time) {
	if w.number(at) == w.number(w.at) {
		w.used -= n
	}
}

// Wait implements meter: until the next reset.
func (w *Window) Wait(n int64) time.Duration {
	if w.Has(n) {
		return 0
	}
	if n > w.amount {
		return sim.Never
	}
	return w.period - (w.at+w.offset)%w.period
}

// Level implements meter.
func (w *Window) Level() int64 { return w.amount - w.used }

// Reshape implements meter.
func (w *Window) Reshape(amount int64, period time.Duration, _ int64) {
	w.amount, w.period = amount, period
	w.offset %= period
}

// Sliding is a sliding window: at most Amount in any span of Period, ends
// excluded: what passed at t no longer counts at t + Period. It remembers each
// instant at which something passed, so its memory follows the traffic of one
// period.
type Sliding struct {
	amount int64
	period time.Duration
	log    sim.Ring[passed]
	used   int64
	at     sim.Time
}

type passed struct {
	at sim.Time
	n  int64
}

// NewSliding makes an empty sliding window.
func NewSliding(amount int64, period time.Duration) Sliding {
	return Sliding{amount: amount, period: period}
}

// Advance implements meter.
func (s *Sliding) Advance(now sim.Time) {
	s.at = now
	for s.log.Len() > 0 && s.log.At(0).at+s.period <= now {
		p, _ := s.log.Pop()
		s.used -= p.n
	}
}

// Has implements meter.
func (s *Sliding) Has(n int64) bool { return s.used+n <= s.amount }

// Take implements meter.
func (s *Sliding) Take(n int64) {
	s.used += n
	if last := s.log.Len() - 1; last >= 0 && s.log.At(last).at == s.at {
		s.log.At(last).n += n
		return
	}
	s.log.Push(passed{s.at, n})
}

// Drain implements meter.
func (s *Sliding) Drain(n, floor int64) int64 { return drain(s, n, floor) }

// Give implements meter. What was counted a period ago is gone already.
func (s *Sliding) Give(n int64, at sim.Time) {
	i := sort.Search(s.log.Len(), func(i int) bool { return s.log.At(i).at >= at })
	if i < s.log.Len() && s.log.At(i).at == at {
		s.log.At(i).n -= n
		s.used -= n
	}
}

// Wait implements meter: until enough of what passed has grown old.
func (s *Sliding) Wait(n int64) time.Duration {
	if s.Has(n) {
		return 0
	}
	if n > s.amount {
		return sim.Never
	}
	if n == s.amount { // all of it must have grown old
		return s.log.At(s.log.Len()-1).at + s.period - s.at
	}
	left := s.used
	for i := range s.log.Len() {
		p := s.log.At(i)
		if left -= p.n; left+n <= s.amount {
			return p.at + s.period - s.at
		}
	}
	return sim.Never
}

// Level implements meter.
func (s *Sliding) Level() int64 { return s.amount - s.used }

// Reshape implements meter.
func (s *Sliding) Reshape(amount int64, period time.Duration, _ int64) {
	s.amount, s.period = amount, period
}

// Ramp limits how fast traffic may grow: in each span of Every the rate may be
// at most (1 + Growth) times that of the span before, and never needs to be below
// From. It is enforced over slices of a minute:
//
//	ceiling = max(From, (1+Growth) x used in the last Every / Every)
type Ramp struct {
	From   int64 // per Period
	Period time.Duration
	Growth float64
	Every  time.Duration

	slice Window // of one Period, at the ceiling
	span  Window // counts the use of the present Every
	at    sim.Time
}

// NewRamp makes a ramp limit at time 0, at its threshold.
func NewRamp(from int64, period time.Duration, growth float64, every time.Duration) Ramp {
	return Ramp{From: from, Period: period, Growth: growth, Every: every, slice: NewWindow(from, period, 0), span: NewWindow(1<<62, every, 0)}
}

// Advance implements meter.
func (r *Ramp) Advance(now sim.Time) {
	if passed := r.span.number(now) - r.span.number(r.at); passed > 0 {
		used := r.span.used
		if passed > 1 {
			used = 0 // a whole span without traffic lies between
		}
		grown := (1 + r.Growth) * float64(used) * r.Period.Seconds() / r.Every.Seconds()
		r.slice.amount = max(r.From, int64(grown))
	}
	r.slice.Advance(now)
	r.span.Advance(now)
	r.at = now
}

// Has implements meter.
func (r *Ramp) Has(n int64) bool { return r.slice.Has(n) }

// Take implements meter.
func (r *Ramp) Take(n int64) { r.slice.Take(n); r.span.Take(n) }

// Drain implements meter.
func (r *Ramp) Drain(n, floor int64) int64 { return drain(r, n, floor) }

// Give implements meter.
func (r *Ramp) Give(n int64, at sim.Time) { r.slice.Give(n, at); r.span.Give(n, at) }

// Wait implements meter: until the next slice.
func (r *Ramp) Wait(n int64) time.Duration { return r.slice.Wait(n) }

// Level implements meter.
func (r *Ramp) Level() int64 { return r.slice.Level() }

// Reshape implements meter.
func (r *Ramp) Reshape(amount int64, period time.Duration, _ int64) {
	r.From, r.Period = amount, period
	r.slice.Reshape(max(amount, r.slice.amount), period, 0)
}

// places counts what is there at once: at most so many, for as long as they stay.
// When one goes is not known, so there is no wait to ask for.
type places struct{ amount, taken int64 }

func (p *places) Advance(sim.Time)         {}
func (p *places) Has(n int64) bool         { return p.taken+n <= p.amount }
func (p *places) Take(n int64)             { p.taken += n }
func (p *places) Drain(int64, int64) int64 { return 0 }
func (p *places) Give(n int64, _ sim.Time) { p.taken -= n }
func (p *places) Wait(int64) time.Duration { return 0 }
func (p *places) Level() int64             { return p.amount - p.taken }

func (p *places) Reshape(amount int64, _ time.Duration, _ int64) { p.amount = amount }
