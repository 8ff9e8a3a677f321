package policy

import (
	"fmt"
	"math"
	"time"

	"stampede/internal/format"
	"stampede/sim"
	"stampede/wire"
)

// Pacer spaces what an instance sends: by buckets of requests, of tokens or both, by the provider's
// counters, or as Cubic does. The zero Pacer sends at once.
type Pacer struct {
	Bucket  PaceBucket
	AIMD    PaceAIMD // of the rate of Bucket
	Tokens  PaceTokens
	Headers PaceHeaders
	Cubic   bool          // the rate limiter of the AWS SDKs' adaptive mode, see cubic
	Scope   Scope         // of one instance or of all together
	Wait    time.Duration // the longest; an attempt that is not sent by then is shed. 0 means no bound
}

// PaceBucket is a token bucket on the client's side: Rate a second, Burst at once.
type PaceBucket struct {
	Rate  float64 // 0 means none
	Burst float64
}

// PaceHeaders sends what the provider's own counters leave: a mirror of its limits on
// requests and tokens, learnt from the remaining and reset headers of every reply.
// Reserve is the part of each limit that is left untouched, 0..1.
type PaceHeaders struct {
	On      bool
	Reserve float64
}

// On reports whether anything is paced.
func (p Pacer) On() bool { return p.Lines() || p.Headers.On || p.Cubic }

// Lines reports whether attempts wait in line for a bucket: who leaves the line has taken nothing, and what
// those behind wait for may change. With the other kinds each has its room, and so its wait, as soon as it asks.
func (p *Pacer) Lines() bool { return p.Bucket.Rate > 0 || p.Tokens.Rate > 0 }

// Describe names the pacer; empty without one.
func (p Pacer) Describe() string {
	var s string
	switch {
	case p.Bucket.Rate > 0:
		s = fmt.Sprintf("paced at %.4g/s, burst %g", p.Bucket.Rate, p.Bucket.Burst)
		if p.AIMD.On() {
			s += ", " + p.AIMD.Describe()
		}
		if p.Tokens.Rate > 0 {
			s += ", and at " + p.Tokens.Describe()
		}
	case p.Tokens.Rate > 0:
		s = "paced at " + p.Tokens.Describe()
	case p.Headers.On:
		s = "paced by the provider's counters"
		if p.Headers.Reserve > 0 {
			s += fmt.Sprintf(" less %s", format.Percent(p.Headers.Reserve))
		}
	case p.Cubic:
		s = "paced by cubic rate control"
	default:
		return ""
	}
	if p.Scope == ForAll {
		s += ", for all"
	}
	if p.Wait > 0 {
		s += fmt.Sprintf(", waits at most %v", p.Wait)
	}
	return s
}

// PacerState is a pacer at work.
type PacerState struct {
	bucket level
	begun  bool
	rate   paceAIMD
	tokens paceTokens
	line   sim.Ring[paced]
	quotas [wire.QuotaKinds]mirror
	cubic  cubic
}

// Need is what an attempt takes from the provider's limits, as far as its client
// knows: one request, and its tokens of each kind.
type Need [wire.QuotaKinds]float64

// Reserve takes room for an attempt, where it does not wait in line, and gives the wait until it may be sent.
func (s *PacerState) Reserve(p *Pacer, now time.Duration, need Need) time.Duration {
	switch {
	case p.Headers.On:
		wait := time.Duration(0)
		for i := range s.quotas {
			wait = max(wait, s.quotas[i].take(now, need[i], p.Headers.Reserve))
		}
		return wait
	case p.Cubic:
		return s.cubic.take(now)
	}
	return 0
}

// reserveWithin takes room for an attempt unless the wait until then is longer than the pacer allows.
func (s *PacerState) reserveWithin(p *Pacer, now time.Duration, need Need) (wait time.Duration, ok bool) {
	if p.Wait == 0 {
		return s.Reserve(p, now, need), true
	}
	before := *s
	if wait = s.Reserve(p, now, need); wait > p.Wait {
		*s = before
		return wait, false
	}
	return wait, true
}

// Done reports the reply to an attempt that was sent at the given instant.
func (s *PacerState) Done(p *Pacer, now, sent time.Duration, reply *wire.Reply) {
	if p.AIMD.On() {
		s.begin(p, now)
		s.bucket.setRate(now, s.rate.next(&p.AIMD, now, s.bucket.rate, reply.Class()))
	}
	if p.Headers.On {
		for i, q := range reply.Quotas {
			if q.Limit > 0 {
				s.quotas[i].learn(now, sent, q)
			}
		}
	}
	if p.Cubic {
		s.cubic.done(now, reply.Class() == wire.Throttled)
	}
}

// level is a bucket in floats that lends: what is not there yet is waited for.
type level struct {
	rate, burst, tokens float64
	at                  time.Duration
}

// fullLevel is a bucket that is full at an instant.
func fullLevel(rate, burst float64, now time.Duration) level {
	return level{rate: rate, burst: burst, tokens: burst, at: now}
}

func (l *level) advance(now time.Duration) {
	l.tokens = min(l.burst, l.tokens+l.rate*(now-l.at).Seconds())
	l.at = now
}

// give puts n back, or takes them where they are negative.
func (l *level) give(now time.Duration, n float64) {
	l.advance(now)
	l.tokens = min(l.burst, l.tokens+n)
}

// until is the wait until n are there, or all of a bucket that holds fewer. A billionth may lack, which is
// lost in sums.
func (l *level) until(now time.Duration, n float64) time.Duration {
	l.advance(now)
	n = min(n, l.burst)
	if l.tokens >= n-1e-9*n {
		return 0
	}
	return max(1, seconds((n-l.tokens)/l.rate))
}

// setRate changes the rate from an instant on.
func (l *level) setRate(now time.Duration, rate float64) {
	if rate != l.rate {
		l.advance(now)
		l.rate = rate
	}
}

// take takes n and gives the wait until they are there.
func (l *level) take(now time.Duration, n float64) time.Duration {
	l.advance(now)
	return l.takeAbove(n, 0)
}

// takeAbove takes n and gives the wait until they are there above a floor.
func (l *level) takeAbove(n, floor float64) time.Duration {
	l.tokens -= n
	if l.tokens >= floor || l.rate <= 0 {
		return 0
	}
	return seconds((floor - l.tokens) / l.rate)
}

// seconds is a span rounded up to a nanosecond, at most [sim.End].
func seconds(s float64) time.Duration { return sim.Nanoseconds(math.Ceil(s * 1e9)) }

// cubic is the client rate limiter of the AWS SDKs' adaptive mode (botocore
// retries/adaptive.py, throttling.py, bucket.py): it sleeps until the first throttle,
// then
//
//	throttled   rate = 0.7 min(measured, rate), the window starts anew
//	success     rate = 0.4 (t - K)^3 + wMax, K = cbrt(wMax 0.3/0.4)
//
// with t the seconds since the last throttle, never below 0.5/s nor above twice the
// measured rate. The measured rate is smoothed by 0.8 over windows of half a second. Every
// attempt takes one token of a bucket that holds at most a second's worth, at least 1.
// An attempt keeps the wait of the rate at which it arrived, where botocore's sleepers look again
// when the rate changes.
type cubic struct {
	enabled   bool
	rate      float64
	wMax, k   float64
	throttled time.Duration // the last time
	bucket    level
	measured  float64
	window    float64 // the end of the last half-second that was counted, in seconds
	counted   float64 // replies since
}

const (
	cubicBeta     = 0.7
	cubicScale    = 0.4
	cubicSmooth   = 0.8
	cubicMinRate  = 0.5
	cubicWindow   = 0.5 // seconds
	cubicCapacity = 1   // the minimum
)

func (c *cubic) take(now time.Duration) time.Duration {
	if !c.enabled {
		return 0
	}
	return c.bucket.take(now, 1)
}

func (c *cubic) done(now time.Duration, throttled bool) {
	c.measure(now)
	if throttled {
		rate := c.measured
		if c.enabled {
			rate = min(c.measured, c.rate)
		}
		c.wMax = rate
		c.k = math.Cbrt(c.wMax * (1 - cubicBeta) / cubicScale)
		c.throttled = now
		c.set(now, rate*cubicBeta)
		return
	}
	if c.enabled {
		t := (now - c.throttled).Seconds() - c.k
		c.set(now, min(cubicScale*t*t*t+c.wMax, 2*c.measured))
	}
}

func (c *cubic) set(now time.Duration, rate float64) {
	c.rate = max(rate, cubicMinRate)
	if !c.enabled {
		c.enabled = true
		c.bucket = level{rate: c.rate, at: now}
	}
	c.bucket.advance(now)
	c.bucket.rate = c.rate
	c.bucket.burst = max(c.rate, cubicCapacity)
	c.bucket.tokens = min(c.bucket.tokens, c.bucket.burst)
}

// measure smooths the rate of replies over half-second windows.
func (c *cubic) measure(now time.Duration) {
	t := math.Floor(now.Seconds()/cubicWindow) * cubicWindow
	c.counted++
	if t > c.window {
		current := c.counted / (t - c.window)
		c.measured = current*cubicSmooth + c.measured*(1-cubicSmooth)
		c.counted, c.window = 0, t
	}
}
