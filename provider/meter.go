package provider

import (
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

// drain takes what is above the floor, of a meter without fractions.
func drain(m meter, n, floor int64) int64 {
	n = max(0, min(n, m.Level()-floor))
	m.Take(n)
	return n
}

// places counts what is there at once: at most so many, for as long as they stay.
// When one goes is not known, so there is no wait to ask for.
type places struct {
	amount, taken int64
	at            sim.Time
	taking        float64 // seconds for which places were taken, all together
	given         []given // back since one was taken last
}

// given is so many places that were given back at an instant.
type given struct {
	n  int64
	at sim.Time
}

func (p *places) Advance(now sim.Time) {
	p.taking += float64(p.taken) * (now - p.at).Seconds()
	p.at = now
}

func (p *places) Take(n int64) { p.taken, p.given = p.taken+n, p.given[:0] }

func (p *places) Give(n int64, _ sim.Time) {
	p.given = append(p.given, given{n, p.at})
	p.taken -= n
}

// takenBy is the seconds for which places were taken up to an instant after which none was
// taken; those that were taken then may have been given back since.
func (p *places) takenBy(at sim.Time) float64 {
	sum := p.taking + float64(p.taken)*(at-p.at).Seconds()
	for _, given := range p.given {
		sum -= float64(given.n) * max(0, given.at-at).Seconds()
	}
	return sum
}

// Wait says that more than all places can never pass.
func (p *places) Wait(n int64) time.Duration {
	if n > p.amount {
		return sim.Never
	}
	return 0
}

func (p *places) Has(n int64) bool         { return p.taken+n <= p.amount }
func (p *places) Drain(int64, int64) int64 { return 0 }
func (p *places) Level() int64             { return p.amount - p.taken }

func (p *places) Reshape(amount int64, _ time.Duration, _ int64) { p.amount = amount }

// staying is the counting of what is there at once: no bound over time, for that depends on how
// long requests stay (see Turns); what was admitted is in seconds.
type staying struct{}

func (staying) meter(l *Limit) meter { return &places{amount: l.Amount} }

func (staying) within(*Limit, sim.Time, sim.Time, int64, int64, traffic) int64 { return NoBound }

func (staying) refilled(l *limiter, at sim.Time) float64 {
	return float64(l.Amount) * (at - l.since).Seconds()
}
