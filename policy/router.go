package policy

import (
	"time"

	"stampede/wire"
)

// RouterState is a route at work.
type RouterState struct {
	to      []deployment
	weights []float64 // by deployment
	turn    int       // of round robin: where to look next
}

// deployment is what a router knows of one.
type deployment struct {
	busy   int32         // attempts in flight
	credit float64       // of weighted
	until  time.Duration // end of the cooldown
	recent results
	quotas *[wire.QuotaKinds]mirror // of most_quota
}

func newRouterState(r *Route, weights []float64) RouterState {
	s := RouterState{to: make([]deployment, len(weights)), weights: weights}
	if r.By == RouteMostQuota {
		quotas := make([][wire.QuotaKinds]mirror, len(weights))
		for i := range s.to {
			s.to[i].quotas = &quotas[i]
		}
	}
	return s
}

// set is a set of deployments.
type set uint64

func (s set) has(i int) bool { return s>>i&1 == 1 }

// available are the deployments that are not in cooldown, and when the first of the others is.
func (s *RouterState) available(now time.Duration) (here set, next time.Duration) {
	for i := range s.to {
		if until := s.to[i].until; until <= now {
			here |= 1 << i
		} else if next == 0 || until < next {
			next = until
		}
	}
	return here, next
}

// choose gives the deployment for an attempt of a call whose last attempt went to another, or to
// NoTarget; u is a uniform number of its own. When all are away, wait is the time to the end of
// the first cooldown, or 0 where calls do not wait for it.
func (s *RouterState) choose(r *Route, now time.Duration, last uint8, u float64, targets []target) (
	to uint8, wait time.Duration, ok bool) {
	here, next := s.available(now)
	if here == 0 {
		switch r.AllAway {
		case AwayWaits:
			return NoTarget, next - now, false
		case AwayFirst:
			return 0, 0, true
		}
		return NoTarget, 0, false
	}
	if last != NoTarget && r.Retry == RetryStays && here.has(int(last)) {
		return last, 0, true
	}
	if len(targets) > 0 {
		closed := here
		for i := range s.to {
			if targets[i].breaker.OpenFor(now) > 0 {
				closed &^= 1 << i
			}
		}
		if closed != 0 {
			here = closed
		}
	}
	if others := here &^ (1 << last); last != NoTarget && r.Retry == RetryOther && others != 0 {
		here = others
	}
	return uint8(s.pick(r, now, here, u)), 0, true
}

// pick chooses from a set that is not empty.
func (s *RouterState) pick(r *Route, now time.Duration, from set, u float64) int {
	switch r.By {
	case RouteRoundRobin:
		for !from.has(s.turn) {
			s.turn = (s.turn + 1) % len(s.to)
		}
		chosen := s.turn
		s.turn = (s.turn + 1) % len(s.to)
		return chosen
	case RouteWeighted:
		chosen, sum := -1, 0.0
		for i := range s.to {
			if from.has(i) {
				sum += s.weights[i]
				s.to[i].credit += s.weights[i]
				if chosen < 0 || s.to[i].credit > s.to[chosen].credit {
					chosen = i
				}
			}
		}
		s.to[chosen].credit -= sum
		return chosen
	case RouteLeastBusy:
		return s.draw(s.least(from, func(i int) float64 { return float64(s.to[i].busy) / s.weights[i] }), u, nil)
	case RouteMostQuota:
		return s.draw(s.least(from, func(i int) float64 { return s.to[i].used(now) }), u, nil)
	case RouteFirst:
		for i := range s.to {
			if from.has(i) {
				return i
			}
		}
	}
	return s.draw(from, u, s.weights)
}

// least are those of a set with the least value.
func (s *RouterState) least(from set, value func(i int) float64) (out set) {
	least := 0.0
	for i := range s.to {
		if !from.has(i) {
			continue
		}
		switch v := value(i); {
		case out == 0 || v < least:
			out, least = 1<<i, v
		case v == least:
			out |= 1 << i
		}
	}
	return out
}

// draw chooses from a set with probabilities in proportion to weights; nil means 1 each.
func (s *RouterState) draw(from set, u float64, weights []float64) (chosen int) {
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	sum := 0.0
	for i := range s.to {
		if from.has(i) {
			sum += weight(i)
		}
	}
	left := u * sum
	for i := range s.to {
		if from.has(i) {
			chosen = i
			if left -= weight(i); left < 0 {
				break
			}
		}
	}
	return chosen
}

// used is the largest used share of a limit of the deployment; 0 while no reply said one.
func (d *deployment) used(now time.Duration) (used float64) {
	for i := range d.quotas {
		used = max(used, d.quotas[i].usedShare(now))
	}
	return used
}

// sent notes an attempt that goes to a deployment.
func (s *RouterState) sent(now time.Duration, to uint8, need *Need) {
	d := &s.to[to]
	d.busy++
	if d.quotas != nil {
		for i := range d.quotas {
			d.quotas[i].take(now, need[i], 0)
		}
	}
}

// done notes the end of an attempt at a deployment, and starts a cooldown there.
func (s *RouterState) done(r *Route, now time.Duration, e *Ended) {
	d := &s.to[e.Target]
	d.busy--
	if e.Cancelled {
		return
	}
	if d.quotas != nil {
		for i, q := range e.Reply.Quotas {
			if q.Limit > 0 {
				d.quotas[i].learn(now, e.Sent, q)
			}
		}
	}
	c := &r.Cooldown
	if !c.On() || c.SparesSingle && len(s.to) == 1 || !d.trips(c, now, e.Reply) {
		return
	}
	span := c.For
	if hint, ok := e.Reply.RequestedWait(now, wire.Reads{Millis: true, Body: true}); ok && c.Hinted {
		span = max(0, hint)
	}
	d.until = max(d.until, now+span)
}

// trips counts the result of an attempt, and reports whether it starts a cooldown.
func (d *deployment) trips(c *Cooldown, now time.Duration, reply *wire.Reply) bool {
	failed := failedBy(c.Counts, reply.Class())
	if failed || c.Share > 0 {
		d.recent.add(now, failed, 0, c.Over)
	}
	for _, s := range c.AtOnce {
		if reply.Failure == wire.None && s.From <= reply.Status && reply.Status <= s.To {
			return true
		}
	}
	return failed && (c.Failures > 0 && int(d.recent.failures) >= c.Failures || d.recent.tripped(c.Share, c.Minimum))
}
