package measure

import (
	"fmt"
	"math"
	"strings"

	"stampede/fleet"
	"stampede/provider"
	"stampede/sim"
)

// Limits as metrics. A scenario has as many limits as it likes, and each point of a
// sweep may have others, so the registry holds a pair of metrics for each place in
// the list of limits, and each row of results.csv names those limits in its column
// limits.

// OwnMetrics is how many limits have metrics of their own, in the order of [LimitNames].
const OwnMetrics = 12

// LimitNames lists the limits of a model, those of further providers behind those of its
// own.
func LimitNames(m *fleet.Model) []string {
	var names []string
	for i, p := range m.Providers() {
		for _, l := range p.Limits {
			names = append(names, l.Name+atProvider(m, i, p))
		}
	}
	return names
}

// atProvider tells the limits of further providers from those of the model's own.
func atProvider(m *fleet.Model, i int, p *provider.Config) string {
	switch {
	case i == 0:
		return ""
	case p.Name == "":
		return fmt.Sprintf(" at fallback %d", i-m.Deployed)
	}
	return " at " + p.Name
}

// JoinLimits writes names as they stand in a row of results.csv.
func JoinLimits(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, strings.ReplaceAll(n, ";", ","))
	}
	return strings.Join(out, "; ")
}

// SplitLimits reads the names that JoinLimits wrote.
func SplitLimits(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "; ")
}

// limitTally counts refusals by limit, those of all fleets, and keeps how much of each
// was used.
type limitTally struct {
	model   *fleet.Model
	first   []int // by provider: its first limit among all
	slots   bool  // whether some provider has slots
	sizes   bool  // whether some provider bounds the size of requests
	relays  bool  // whether some gateway has errors of its own
	before  refusals
	after   refusals // the horizon
	used    []float64
	refused refusals // in the measured time
}

// refusals are counts by limit, of those for want of a slot, and of those for the size of a request.
type refusals struct {
	byLimit []uint64
	noSlot  uint64
	tooLong uint64
	gateway uint64 // errors of a gateway's own
}

func newLimitTally(m *fleet.Model) limitTally {
	t := limitTally{model: m}
	n := 0
	for _, p := range m.Providers() {
		t.first = append(t.first, n)
		n += len(p.Limits)
		t.slots = t.slots || p.Capacity.Slots > 0
		t.sizes = t.sizes || p.MaxRequest.Prompt > 0
		t.relays = t.relays || len(p.Gateway.Errors) > 0
	}
	t.before.byLimit, t.after.byLimit = make([]uint64, n), make([]uint64, n)
	return t
}

// add counts an attempt that a limit refused in the measured time or after it.
func (t *limitTally) add(a *fleet.Attempt) {
	to := &t.before
	if t.model.Horizon > 0 && refusedAt(a) >= t.model.Horizon {
		to = &t.after
	}
	switch a.Limit {
	case provider.NoSlot:
		to.noSlot++
		return
	case provider.TooLong:
		to.tooLong++
		return
	case provider.OfGateway:
		to.gateway++
		return
	}
	first := 0
	if a.Target > 0 {
		first = t.first[t.model.ProviderOf(a)]
	}
	to.byLimit[first+int(a.Limit)]++
}

// refusedAt is when an attempt that was refused came to who refused it; what a gateway refuses by itself counts from
// when it was sent.
func refusedAt(a *fleet.Attempt) sim.Time { return max(a.Received, a.Sent) }

// end adds the summary of the run when it has ended.
func (t *limitTally) end(s *fleet.Summary) {
	t.refused = t.before
	if s.MeasuredTo != t.model.Horizon {
		t.refused.noSlot += t.after.noSlot
		t.refused.tooLong += t.after.tooLong
		t.refused.gateway += t.after.gateway
		for i, n := range t.after.byLimit {
			t.refused.byLimit[i] += n
		}
	}
	for _, uses := range s.Uses {
		for _, u := range uses {
			t.used = append(t.used, u.Share())
		}
	}
}

// usedOf is the use of limit k; NaN where there is none.
func (t *limitTally) usedOf(k int) float64 {
	if k >= len(t.used) {
		return math.NaN()
	}
	return t.used[k]
}

func (t *limitTally) refusedBy(k int) float64 {
	if k >= len(t.refused.byLimit) {
		return math.NaN()
	}
	return float64(t.refused.byLimit[k])
}

func (t *limitTally) refusedBySlots() float64 {
	if !t.slots {
		return math.NaN()
	}
	return float64(t.refused.noSlot)
}

func (t *limitTally) refusedBySize() float64 {
	if !t.sizes {
		return math.NaN()
	}
	return float64(t.refused.tooLong)
}

func (t *limitTally) refusedByGateway() float64 {
	if !t.relays {
		return math.NaN()
	}
	return float64(t.refused.gateway)
}

// fullest is the use of the limit that is used most.
func (t *limitTally) fullest() float64 {
	most := math.NaN()
	for _, u := range t.used {
		if !(most >= u) {
			most = u
		}
	}
	return most
}

// LimitMetric names a metric of the limit in place k, from 0.
func LimitMetric(k int, what string) string { return fmt.Sprintf("limit_%d_%s", k+1, what) }

// OfLimits reports whether a metric is one that the table of limits shows.
func OfLimits(name string) bool {
	return strings.HasPrefix(name, "limit_") || name == "slots_refused" || name == "max_request_refused" ||
		name == "gateway_refused"
}
