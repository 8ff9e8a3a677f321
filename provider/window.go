package provider

import (
	"sort"
	"time"

	"stampede/sim"
)

// Window is a fixed window: at most Amount in each span of Period, counted anew
// at every multiple of Period less an offset. At the instant of the reset the new
// window holds. Across a reset up to twice the amount can pass in less than one
// period; that is the nature of the thing.
type Window struct {
	amount         int64
	period, offset time.Duration
	within         time.Duration // windows of a period begin anew at every multiple of this; 0 means not
	used           int64
	at             sim.Time
}

// NewWindow makes an empty window at time 0. The first reset comes when the
// offset and the time passed make a whole period.
func NewWindow(amount int64, period, offset time.Duration) Window {
	return Window{amount: amount, period: period, offset: offset % period}
}

// newWindowWithin makes an empty window whose periods are counted from every
// multiple of a longer one, the last of which it cuts short.
func newWindowWithin(amount int64, period, within, offset time.Duration) Window {
	return Window{amount: amount, period: period, offset: offset % within, within: within}
}

// start is the beginning of the window that holds at t, counted from the offset.
func (w *Window) start(t sim.Time) sim.Time {
	t += w.offset
	if w.within > 0 {
		return t - t%w.within%w.period
	}
	return t - t%w.period
}

// Advance implements meter.
func (w *Window) Advance(now sim.Time) {
	if w.start(now) != w.start(w.at) {
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

// Give implements meter. What was counted before the last reset is gone with it.
func (w *Window) Give(n int64, at sim.Time) {
	if w.start(at) == w.start(w.at) {
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
	return w.UntilReset()
}

// UntilReset is the time until the next reset.
func (w *Window) UntilReset() time.Duration {
	end := w.start(w.at) + w.period
	if w.within > 0 {
		end = min(end, (w.at+w.offset)/w.within*w.within+w.within)
	}
	return end - w.offset - w.at
}

// Level implements meter.
func (w *Window) Level() int64 { return w.amount - w.used }

// Reshape implements meter.
func (w *Window) Reshape(amount int64, period time.Duration, _ int64) {
	w.amount, w.period = amount, period
	w.offset %= max(period, w.within)
}

// Sliding is a sliding window: at most Amount in any span of Period, ends
// excluded: what passed at t no longer counts at t + Period. It remembers each
// instant at which something passed, so its memory follows the traffic of one
// period. The last instant in its memory counts something.
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
	if n == 0 {
		return
	}
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
	for last := s.log.Len() - 1; last >= 0 && s.log.At(last).n == 0; last-- {
		s.log.PopBack()
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

// fixed is the counting of fixed windows: Amount for each that has begun.
type fixed struct{}

func (fixed) meter(l *Limit) meter {
	if l.Quantum > 0 {
		return newSlicedWindow(l.Amount, l.Period, l.Offset, l.Quantum)
	}
	w := NewWindow(l.Amount, l.Period, l.Offset)
	return &w
}

func (fixed) within(l *Limit, from, to sim.Time, used, slack int64, _ traffic) int64 {
	w, offset := l.windows(), l.Offset%l.Period
	from, to = from+offset, to+offset
	first, last := from-from%l.Period, to-to%l.Period
	if first == last {
		return w.within(from-first, to-first, used, slack)
	}
	between := times(w.within(0, l.Period-1, 0, slack), int64((last-first)/l.Period)-1)
	return plus(plus(w.within(from-first, l.Period-1, used, slack), between), w.within(0, to-last, 0, slack))
}

func (fixed) refilled(l *limiter, at sim.Time) float64 {
	begun := (at-1+l.Offset)/l.Period - (l.since+l.Offset)/l.Period
	return l.throughSlices(float64(l.Amount)*float64(begun), at)
}

// sliding is the counting of sliding windows: Amount for each whole period, and one more.
type sliding struct{}

func (sliding) meter(l *Limit) meter {
	if l.Quantum > 0 {
		return newSlicedSliding(l.Amount, l.Period, l.Quantum)
	}
	s := NewSliding(l.Amount, l.Period)
	return &s
}

func (sliding) within(l *Limit, from, to sim.Time, used, slack int64, _ traffic) int64 {
	w := l.windows()
	spans := func(n int64, span time.Duration) int64 { return times(plus(n, slack), int64((to-from)/span)+1) }
	return min(plus(spans(l.Amount, l.Period), -min(used, l.Amount)), spans(w.part, w.span))
}

// refilled has, of the part of a period that remains, its share of what was used before.
func (sliding) refilled(l *limiter, at sim.Time) float64 {
	amount, left, span := float64(l.Amount), float64(max(0, l.left)), at-l.since
	whole := float64((span - 1) / l.Period)
	return l.throughSlices(amount*whole+(amount-left)*(span.Seconds()/l.Period.Seconds()-whole), at)
}
