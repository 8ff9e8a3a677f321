package policy

import (
	"sort"
	"time"

	"stampede/sim"
	"stampede/wire"
)

// mirror is the client's picture of one limit of the provider, learnt from its counters:
// the limit, what remains of it, and the reset, after which all of it is back. How it comes
// back until then follows from two readings. With u = limit - remaining,
//
//	bucket   reset = u / rate: the more is used, the longer it takes, and it comes
//	         back at that rate
//	window   the reset is no longer when more is used: what was sent is back after the
//	         longest reset, or with all the rest at the reset of a later reply
//
// It is taken for a bucket until a reading shows otherwise. The counters of a reply are
// those of its admission, and a reset counts from the instant at which it was sent.
type mirror struct {
	known, window bool
	bucket        level
	ref           counters // that the next are compared with

	period      time.Duration     // of a window: the longest reset
	sent        sim.Ring[portion] // what was taken in all when something was sent, for two periods
	taken, back float64           // in all, and what of it was back at a reset
	replied     float64           // what was taken up to the last request that a reply is known of
	full        time.Duration     // when that is back
	others      float64           // what others have taken until then
}

// counters are how much is used of a limit and when all of it is back.
type counters struct {
	used  float64
	reset time.Duration
}

// portion is an amount at an instant.
type portion struct {
	at time.Duration
	n  float64
}

// learn takes over the counters in the reply to an attempt that was sent at the given instant.
// What was sent since is in the mirror already.
func (m *mirror) learn(now, sent time.Duration, q wire.Quota) {
	if m.known {
		m.advance(now)
	}
	m.replied = max(m.replied, m.takenBy(sent))
	b := &m.bucket
	b.burst = float64(q.Limit)
	if !m.known {
		m.known, b.at, b.tokens = true, now, max(0, b.burst-(m.taken-m.replied))
	}
	r := counters{float64(q.Limit - q.Remaining), q.Reset}
	m.compare(r)
	if r.used > 0 && r.reset > 0 {
		b.rate = r.used / r.reset.Seconds()
	}
	b.tokens = min(b.tokens, float64(q.Remaining))
	if back := sent + q.Reset; back > now {
		m.full = max(m.full, back)
		m.others = max(0, r.used-(m.replied-m.backBy(sent)))
	}
}

// compare separates a window from a bucket once the use has changed by half: the resets of a
// bucket are in proportion to its use, those of a window are not.
func (m *mirror) compare(r counters) {
	if r.used <= 0 || r.reset <= 0 {
		return
	}
	m.period = max(m.period, r.reset)
	if m.ref.used > 0 {
		less, more := m.ref, r
		if less.used > more.used {
			less, more = more, less
		}
		if more.used < 1.5*less.used {
			return
		}
		m.window = more.reset.Seconds()/less.reset.Seconds() < (1+more.used/less.used)/2
	}
	m.ref = r
}

// usedShare is the share of the limit that is used; 0 while the mirror knows of none.
func (m *mirror) usedShare(now time.Duration) float64 {
	if !m.known {
		return 0
	}
	m.advance(now)
	if m.window {
		return (m.taken - m.backBy(now) + m.others) / m.bucket.burst
	}
	return 1 - m.bucket.tokens/m.bucket.burst
}

// advance moves the mirror to now.
func (m *mirror) advance(now time.Duration) {
	m.bucket.advance(now)
	if m.full <= now {
		m.back, m.others = max(m.back, m.replied), 0
	}
	for m.sent.Len() > 0 && m.sent.At(0).at+2*m.period <= now {
		p, _ := m.sent.Pop()
		m.back = max(m.back, p.n)
	}
}

// backBy is what of all that was taken is back at an instant of the last period.
func (m *mirror) backBy(t time.Duration) float64 { return max(m.back, m.takenBy(t-m.period)) }

// takenBy is what was taken by what was sent up to an instant.
func (m *mirror) takenBy(t time.Duration) float64 {
	i := sort.Search(m.sent.Len(), func(i int) bool { return m.sent.At(i).at > t })
	if i == 0 {
		return 0
	}
	return m.sent.At(i - 1).n
}

// take takes n and gives the wait until they, and the reserve, are there.
func (m *mirror) take(now time.Duration, n, reserve float64) time.Duration {
	if m.known {
		n = min(n, m.bucket.burst) // more never fits: it goes when all is back
	}
	m.taken += n
	wait := time.Duration(0)
	if m.known {
		m.advance(now)
		wait = m.bucket.takeAbove(n, reserve*m.bucket.burst)
		if m.window {
			wait = max(0, m.room(now, (1-reserve)*m.bucket.burst)-now)
		}
	}
	at := now + wait
	if last := m.sent.Len() - 1; last >= 0 {
		at = max(at, m.sent.At(last).at)
	}
	m.sent.Push(portion{min(at, sim.End), m.taken})
	return min(wait, sim.End)
}

// room is when, of all that was taken, at most so much is not back.
func (m *mirror) room(now time.Duration, limit float64) time.Duration {
	from := m.taken - limit // must be back
	if m.backBy(now) >= from+m.others {
		return now
	}
	at := m.comesBack(from + m.others)
	if m.replied >= from {
		return min(at, m.full)
	}
	return min(at, max(m.full, m.comesBack(from)))
}

// comesBack is when so much of all that was taken is back, by its age.
func (m *mirror) comesBack(n float64) time.Duration {
	i := sort.Search(m.sent.Len(), func(i int) bool { return m.sent.At(i).n >= n })
	switch {
	case m.sent.Len() == 0:
		return 0
	case i == m.sent.Len(): // more than was taken
		i--
	}
	return m.sent.At(i).at + m.period
}
