package policy

import (
	"time"

	"stampede/wire"
)

// paced is an attempt in the line of a pacer, and the tokens that it takes.
type paced struct {
	waiter Waiter
	tokens float64
}

// begin fills the buckets when they are first used.
func (s *PacerState) begin(p *Pacer, now time.Duration) {
	if s.begun {
		return
	}
	s.begun = true
	s.bucket = fullLevel(p.Bucket.Rate, max(1, p.Bucket.Burst), now)
	s.tokens.level = fullLevel(p.Tokens.Rate, max(1, p.Tokens.Burst), now)
	s.rate.changed = now
}

// until is the time until a request of so many tokens finds room in the buckets, as they fill now. One of
// more tokens than the bucket holds goes when that is full, and leaves it in debt.
func (s *PacerState) until(p *Pacer, now time.Duration, tokens float64) (wait time.Duration) {
	s.begin(p, now)
	if p.Bucket.Rate > 0 {
		wait = s.bucket.until(now, 1)
	}
	if p.Tokens.Rate > 0 {
		wait = max(wait, s.tokens.until(now, tokens))
	}
	return wait
}

// takeRoom takes a request and its tokens from the buckets.
func (s *PacerState) takeRoom(p *Pacer, tokens float64) {
	if p.Bucket.Rate > 0 {
		s.bucket.tokens--
	}
	if p.Tokens.Rate > 0 {
		s.tokens.level.tokens -= tokens
	}
}

// join takes room for a request where nobody waits and there is room, and else puts it in line.
func (s *PacerState) join(p *Pacer, now time.Duration, r *Request) (waits bool) {
	tokens := r.Need[wire.TokenQuota]
	if s.line.Len() > 0 || s.until(p, now, tokens) > 0 {
		s.line.Push(paced{r.Caller, tokens})
		return true
	}
	s.takeRoom(p, tokens)
	return false
}

// FirstAtPacer is the first in line at the pacer, and the time until there is room for it, as things are
// now: what ends, and who leaves the line, may change that. False when nobody waits.
func (s *Instance) FirstAtPacer(now time.Duration) (w Waiter, wait time.Duration, ok bool) {
	if s.pacer == nil || s.pacer.line.Len() == 0 {
		return Waiter{}, 0, false
	}
	first := s.pacer.line.At(0)
	return first.waiter, s.pacer.until(&s.client.Pacer, now, first.tokens), true
}

// NextAtPacer gives the first in line its room, for which it took so many tokens: it asks again, Paced.
func (s *Instance) NextAtPacer() (took float64) {
	first, _ := s.pacer.line.Pop()
	s.pacer.takeRoom(&s.client.Pacer, first.tokens)
	return first.tokens
}

// SkipAtPacer takes the first from the line, which has left it.
func (s *Instance) SkipAtPacer() { s.pacer.line.Pop() }
