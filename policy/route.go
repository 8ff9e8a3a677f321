package policy

import (
	"fmt"
	"strings"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
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

// Describe names the cooldown; empty for one that never starts.
func (c Cooldown) Describe() string {
	var rules []string
	if c.Failures > 0 {
		rules = append(rules, fmt.Sprintf("%s in %v", format.Plural(c.Failures, "failure"), c.Over))
	}
	if c.Share > 0 {
		rules = append(rules,
			fmt.Sprintf("%s failed of at least %d in %v", format.Percent(c.Share), c.Minimum, c.Over))
	}
	for _, s := range c.AtOnce {
		rules = append(rules, s.Describe())
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

// Describe says how it chooses; empty for the zero Route.
func (r Route) Describe() string {
	if r.By == RouteRandom && !r.Cooldown.On() && r.Retry == RetryAnew {
		return ""
	}
	s := "routed " + r.By.Meaning()
	if c := r.Cooldown.Describe(); c != "" {
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
