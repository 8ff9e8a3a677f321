package policy

import (
	"fmt"
	"strings"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
	"stampede/wire"
)

// Route chooses the deployment that an attempt is sent to, among providers that serve the same
// calls. It stands for a router inside the client's process, or, with scope [ForAll], for a proxy
// that all instances share, as LiteLLM's is: all of them then see the same counts and cooldowns.
//
// It chooses among the deployments that are not in cooldown, those with an open breaker left out
// while there are others:
//
//	random        with probability weight / sum of weights
//	round_robin   each in turn
//	weighted      in turn, each as often as its weight says (nginx's smooth weighted round robin:
//	              each gains its weight, the one with the most is chosen and pays the sum)
//	least_busy    the one with the fewest attempts of this router in flight per weight
//	most_quota    the one with the largest share of its fullest limit left, as the headers of its
//	              replies said, less what was sent since
//	first         the first of the list
//
// Ties of least_busy and most_quota are broken at random.
type Route struct {
	By       RouteBy
	Cooldown Cooldown
	AllAway  AllAway
	Retry    RetryRoute
	// RetryAtOnce sends a retry without backoff and Retry-After while one of several deployments is
	// not in cooldown.
	RetryAtOnce bool
	Scope       Scope
}

// NoTarget is the target of an attempt for which the route has not chosen yet.
const NoTarget = 255

// RouteBy is a rule by which a route chooses.
type RouteBy uint8

const (
	RouteRandom RouteBy = iota
	RouteRoundRobin
	RouteWeighted
	RouteLeastBusy
	RouteMostQuota
	RouteFirst
)

// RouteWords are the words of rules and how each chooses.
var RouteWords = words.Glossary[RouteBy]{
	RouteRandom:     {"random", "at random in proportion to weights"},
	RouteRoundRobin: {"round_robin", "in turn"},
	RouteWeighted:   {"weighted", "in turn in proportion to weights"},
	RouteLeastBusy:  {"least_busy", "to the one with the fewest attempts in flight"},
	RouteMostQuota:  {"most_quota", "to the one with the largest share of its quota left"},
	RouteFirst:      {"first", "to the first of the list that is not in cooldown"},
}

// String is the word for a rule.
func (b RouteBy) String() string { return RouteWords.Word(b) }

// Meaning says how the rule chooses.
func (b RouteBy) Meaning() string { return RouteWords.Meaning(b) }

// AllAway is what becomes of an attempt while every deployment is in cooldown.
type AllAway uint8

const (
	AwayFails AllAway = iota // the call goes on to a fallback, or ends
	AwayWaits                // it waits for the first cooldown to end
	AwayFirst                // it is sent to the first deployment all the same
)

// AllAwayWords are the words for it.
var AllAwayWords = words.Table[AllAway]{"fail", "wait", "first"}

// String is the word for it.
func (a AllAway) String() string { return AllAwayWords.Word(a) }

// RetryRoute is where a retry, or a hedge, goes.
type RetryRoute uint8

const (
	RetryAnew  RetryRoute = iota // wherever the rule says
	RetryOther                   // to another deployment than the last attempt, where one is available
	RetryStays                   // to the same, while it is available
)

// RetryRouteWords are the words for it, the answers to whether a retry switches.
var RetryRouteWords = words.Table[RetryRoute]{"anew", "true", "false"}

// String is the word for it.
func (r RetryRoute) String() string { return RetryRouteWords.Word(r) }

// Cooldown keeps attempts away from a deployment that fails. It starts at a failure that
//
//	failures   is at least the Failures-th within Over
//	share      makes failures / results at least Share within Over, with Minimum results in it
//	at once    has one of the statuses AtOnce
//
// and a failure in a cooldown extends it. At the instant at which it ends the deployment is
// available, with what it did within Over still counted. The zero Cooldown never starts.
type Cooldown struct {
	Failures int           // 0 means that the rule is not set
	Share    float64       // 0 means that the rule is not set
	Over     time.Duration // what ended longer ago does not count
	Minimum  int
	AtOnce   []Statuses
	Counts   Classes // what is a failure; every other result is a success. 0 means Failures
	For      time.Duration
	Hinted   bool // it lasts as long as the failure's Retry-After says, and For without one
	// SparesSingle keeps a deployment that is the only one always available.
	SparesSingle bool
}

// On reports whether a cooldown can start.
func (c Cooldown) On() bool { return c.Failures > 0 || c.Share > 0 || len(c.AtOnce) > 0 }

// String names the cooldown; empty for one that never starts.
func (c Cooldown) String() string {
	var rules []string
	if c.Failures > 0 {
		rules = append(rules, fmt.Sprintf("%s in %v", format.Plural(c.Failures, "failure"), c.Over))
	}
	if c.Share > 0 {
		rules = append(rules,
			fmt.Sprintf("%s failed of at least %d in %v", format.Percent(c.Share), c.Minimum, c.Over))
	}
	for _, s := range c.AtOnce {
		rules = append(rules, s.String())
	}
	if len(rules) == 0 {
		return ""
	}
	s := fmt.Sprintf("cooldown %v", c.For)
	if c.Hinted {
		s = fmt.Sprintf("cooldown by Retry-After, else %v,", c.For)
	}
	return s + " after " + strings.Join(rules, " or ")
}

// String describes the route; empty for the zero Route.
func (r Route) String() string {
	if r.By == RouteRandom && !r.Cooldown.On() && r.Retry == RetryAnew {
		return ""
	}
	s := "routed " + r.By.Meaning()
	if c := r.Cooldown.String(); c != "" {
		s += ", " + c
		switch r.AllAway {
		case AwayWaits:
			s += ", waits when all are away"
		case AwayFirst:
			s += ", first when all are away"
		}
	}
	switch r.Retry {
	case RetryOther:
		s += ", retries switch"
	case RetryStays:
		s += ", retries stay"
	}
	if r.RetryAtOnce {
		s += ", retries at once while one is available"
	}
	if r.Scope == ForAll {
		s += ", for all"
	}
	return s
}

// Draws reports whether the route chooses, or breaks ties, at random.
func (r *Route) Draws() bool {
	return r.By == RouteRandom || r.By == RouteLeastBusy || r.By == RouteMostQuota
}

// on reports whether there is anything to choose, or to keep away from.
func (r *Route) on(deployments int) bool {
	return deployments > 1 || r.Cooldown.On() && !r.Cooldown.SparesSingle
}

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
