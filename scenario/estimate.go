package scenario

import (
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/internal/format"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// The throughput that each part of a scenario allows on average, and which part binds.

// part is a limit, or a number of places at once, by what it admits of the calls of
// the main fleet.
type part struct {
	what  string
	rate  float64       // sustained, in calls per second
	scale time.Duration // the time for which the rate is told
	words string        // what else there is to say of it
	once  bool          // it lets through so many and no more
	// workers says that it is those of the fleet.
	workers bool
	// most is how many calls it lets through between two instants, least is when it has let
	// so many through from the start; sim.Never if it cannot.
	most  func(from, to sim.Time) float64
	least func(calls float64) time.Duration
	// others is how much of it other fleets use, as calls of this one.
	others func(from, to sim.Time) float64
}

// calls writes the rate in the scale of the part.
func (p part) calls() string {
	if p.once {
		return fmt.Sprintf("%s calls in all", number(p.rate*p.scale.Seconds()))
	}
	return fmt.Sprintf("%s calls/%s", number(p.rate*p.scale.Seconds()), format.Period(p.scale))
}

// explain writes the throughput of the part and how long the calls take at it.
func (p part) explain(calls uint64) string {
	s := p.calls() + p.words
	switch {
	case calls == 0:
	case p.once && p.least(float64(calls)) == sim.Never:
		s += fmt.Sprintf(", too little for %d", calls)
	default:
		s += ", " + spanFor(p.least(float64(calls)), calls)
	}
	return s
}

func spanFor(least time.Duration, calls uint64) string {
	if least == sim.Never {
		return fmt.Sprintf("more than %s for %d calls", shortDuration(sim.End.Round(time.Hour)), calls)
	}
	return fmt.Sprintf("%s for %d calls", shortDuration(least.Round(time.Second)), calls)
}

// parts are those that the calls of the main fleet meet, with the averages of every fleet.
func (s *Scenario) parts(fleets []averages) (out []part) {
	m, a := &s.Model, fleets[0]
	places := func(what string, n int64, seconds float64) {
		if n == 0 || seconds == 0 {
			return
		}
		rate := float64(n) / seconds
		out = append(out, part{what: what, rate: rate, scale: time.Minute,
			most:  func(from, to sim.Time) float64 { return float64(n) + rate*(to-from).Seconds() },
			least: func(calls float64) time.Duration { return sim.Seconds(math.Ceil(calls/float64(n)) * seconds) },
		})
	}
	for i := range m.Provider.Limits {
		l := &m.Provider.Limits[i]
		switch {
		case !l.Covers(m.Provider.Tenants[0]):
		case l.Resource == provider.Concurrency:
			places(fmt.Sprintf("%s, %.3g s each", l.Name, a.slots), l.Amount, a.slots)
		case l.Resource.Held():
			places(fmt.Sprintf("%s, %s of each for %.3g s", l.Name, number(a.charges[i]), a.slots),
				int64(float64(l.Amount)/max(1, a.charges[i])), a.slots)
		case a.counts[i] > 0:
			out = append(out, s.limitPart(i, fleets))
		}
	}
	if c := m.Provider.Capacity.Slots; c > 0 {
		places(fmt.Sprintf("%s, %.3g s each", plural(c, "slot"), a.slots), int64(c), a.slots)
	}
	if users, ok := m.Workload.Arrivals.(fleet.Users); ok {
		turn := a.busy + mean(m.Workload.Think)
		places(fmt.Sprintf("%s, %.3g s a turn", plural(int(users), "user"), turn), int64(users), turn)
	}
	if m.Workers > 0 {
		turn := turn(&m.Workload, a.busy)
		places(fmt.Sprintf("%s, %.3g s a call", plural(m.Workers*m.Instances, "worker"), turn),
			int64(m.Workers*m.Instances), turn)
		if turn > 0 {
			out[len(out)-1].workers = true
		}
	}
	if each := 2 * m.PerRequest.Seconds(); each > 0 {
		processes := "process"
		if m.Instances > 1 {
			processes += "es"
		}
		places(fmt.Sprintf("%d client %s, %v a request", m.Instances, processes, 2*m.PerRequest),
			int64(m.Instances), each)
	}
	if g := m.Client.Gate.Semaphore; g > 0 {
		what, gates := fmt.Sprintf("gate of %d", g), 1
		switch {
		case m.Client.Gate.Scope == policy.ForFleets:
			what += " for all fleets"
		case m.Instances > 1 && m.Client.Gate.Scope == policy.ForAll:
			what += " for all instances"
		case m.Instances > 1:
			what += fmt.Sprintf(" in each of %d instances", m.Instances)
			gates = m.Instances
		}
		places(what, int64(g*gates), a.busy)
	}
	if n := m.Client.MaxConnections; n > 0 {
		what := plural(n, "connection")
		if m.Instances > 1 {
			what += fmt.Sprintf(" in each of %d instances", m.Instances)
		}
		places(what, int64(n*m.Instances), a.busy)
	}
	return append(out, s.pacerParts(a)...)
}

// turn is the seconds from one call of a worker to its next, of a call that takes so long. Of sessions it is not
// the worker who thinks.
func turn(w *fleet.Workload, busy float64) float64 {
	if w.Sessions != nil {
		return busy
	}
	return max(busy+mean(w.Think), mean(w.Every))
}

// limitPart is a limit, less what the other fleets use of it.
func (s *Scenario) limitPart(limit int, fleets []averages) part {
	m := &s.Model
	l, supply, each := &m.Provider.Limits[limit], m.Provider.Supply(limit), fleets[0].counts[limit]
	p := part{what: l.Name, rate: float64(l.Amount) / l.Period.Seconds() / each, scale: time.Minute}
	if l.Period > time.Hour {
		p.scale = l.Period
	}
	if l.Kind == provider.Balance {
		p.once = true
	}
	switch {
	case l.HasBurst():
		if burst := math.Floor(float64(l.MaxAtOnce()) / max(each, fleets[0].charges[limit]) * (1 + 1e-9)); burst >= 1 {
			p.words = fmt.Sprintf(" after a burst of %s", number(burst))
		}
	case l.Kind == provider.RampLimit:
		p.rate = max(p.rate, (1+l.Growth)*float64(l.Before)/l.Every.Seconds()/each)
		p.words = fmt.Sprintf(" at first, then up to %s more every %s", format.Percent(l.Growth),
			format.Duration(l.Every))
	}
	p.others = func(from, to sim.Time) (sum float64) {
		for i, f := range m.Beside {
			if arrivals, ok := arrivalsOf(&f, m.Horizon); ok && l.Covers(m.Provider.Tenants[i+1]) {
				sum += arrivals.between(from, to) * fleets[i+1].counts[limit] / each
			}
		}
		return sum
	}
	if coming, ok := arrivalsOf(&m.Fleet, m.Horizon); ok {
		supply = supply.Of(func(from, to sim.Time) int64 {
			return int64(math.Ceil((coming.between(from, to) + p.others(from, to)) * each))
		})
	}
	p.most = func(from, to sim.Time) float64 {
		return max(0, float64(supply.Within(from, to, 0))/each-p.others(from, to))
	}
	p.least = func(calls float64) time.Duration {
		return supply.Earliest(int64(min(math.Ceil(calls*each*(1-1e-9)), provider.NoBound/2)), 0)
	}
	return p
}

// arrivals are the calls that come by themselves, as expected.
type arrivals struct {
	by    func(sim.Time) float64 // how many until an instant
	marks []sim.Time             // between which the rate is a straight line
	end   sim.Time
	peak  float64 // the highest rate, per second
	once  float64 // how many come at one instant
	name  string  // of a stretch with more than the rest
}

func (a arrivals) between(from, to sim.Time) float64 {
	return a.by(min(to, a.end)) - a.by(min(from, a.end))
}

// arrivalsOf are those of a fleet, until the horizon or its last call.
func arrivalsOf(f *fleet.Fleet, horizon sim.Time) (arrivals, bool) {
	switch process := f.Workload.Arrivals.(type) {
	case fleet.Renewal:
		a := arrivals{by: process.Rate.Expected, end: horizon, name: "spike"}
		turns, calls := 1.0, f.Workload.Calls
		if s := f.Workload.Sessions; s != nil {
			turns, calls = turnsPerSession(&f.Workload), s.Count
			a.by = func(t sim.Time) float64 { return turns * process.Rate.Expected(t) }
		}
		if calls > 0 {
			if last := fleet.When(process.Rate, float64(calls)); horizon == 0 || last < horizon {
				a.end = last
			}
		}
		a.marks, a.peak = process.Rate.Changes(a.end)
		a.peak *= turns
		return a, a.end > 0
	case fleet.Uniform:
		a := arrivals{by: process.Expected, end: process.Over, marks: []sim.Time{0}}
		if horizon > 0 {
			a.end = min(a.end, horizon)
		}
		a.peak = float64(process.Calls) / process.Over.Seconds()
		return a, true
	case fleet.Bursts:
		a := arrivals{by: process.Before, end: horizon, marks: []sim.Time{0, process.Every}, name: "stretch"}
		if bursts := f.Workload.Calls / process.Calls; bursts > 0 {
			last := sim.Seconds(float64(bursts) * process.Every.Seconds())
			if a.end = last; horizon > 0 {
				a.end = min(last, horizon)
			}
		}
		a.once, a.peak = float64(process.Calls), float64(process.Calls)/process.Every.Seconds()
		return a, true
	case *fleet.Trace:
		a := arrivals{by: func(t sim.Time) float64 { return float64(process.Before(t + 1)) },
			end: process.At[len(process.At)-1], name: "stretch"}
		if horizon > 0 {
			a.end = min(a.end, horizon)
		}
		const stretches = 60
		length := max(1, a.end/stretches)
		for at := sim.Time(0); at < a.end; at += length {
			a.marks = append(a.marks, at)
			a.peak = max(a.peak, a.between(at, at+length)/length.Seconds())
		}
		return a, a.end > 0
	}
	return arrivals{}, false
}

// need is the stretch of the arrivals that a part can follow least.
type need struct {
	from, to sim.Time
	calls    float64
	ratio    float64 // of the calls to what the part lets through meanwhile
}

// busiest is the stretch that a part can follow least, the longest of equals.
func (a arrivals) busiest(p part) (out need) {
	marks := []sim.Time{0}
	for _, at := range append(a.marks[:len(a.marks):len(a.marks)], a.end) {
		if last := marks[len(marks)-1]; at > last && at <= a.end {
			marks = append(marks, (last+at)/2, at) // the rate may change on the way
		}
	}
	for i, from := range marks {
		for _, to := range marks[i+1:] {
			n := need{from: from, to: to, calls: a.between(from, to)}
			n.ratio = n.calls / p.most(from, to)
			if n.ratio > out.ratio+1e-9 || (n.ratio > out.ratio-1e-9 && to-from > out.to-out.from) {
				out = n
			}
		}
	}
	return out
}

// words describe the load of the stretch on a part.
func (n need) words(a arrivals, p part) string {
	whole := n.from == 0 && n.to == a.end
	who := "arrivals need"
	if !whole {
		who = fmt.Sprintf("the %s from %s to %s needs", a.name, shortDuration(n.from.Round(time.Millisecond)),
			shortDuration(n.to.Round(time.Millisecond)))
	}
	length := n.to - n.from
	rate := func(calls float64) string { return number(calls / length.Seconds() * p.scale.Seconds()) }
	if p.scale > length {
		rate = func(calls float64) string { return number(math.Round(calls)) }
	}
	text := fmt.Sprintf("%s %s", who, rate(n.calls))
	if p.others != nil {
		if taken := p.others(n.from, n.to); taken > 0 {
			text += fmt.Sprintf(" in addition to %s of other fleets", rate(taken))
		}
	}
	if p.scale > length {
		text += fmt.Sprintf(" calls in %s", shortDuration(length.Round(time.Second)))
	}
	return text
}

// binds says which part binds, and what the calls need of it: where calls come by themselves,
// the one that they exceed most at any time; where all are there, the one that takes longest.
func (s *Scenario) binds(parts []part, a averages) (out []string) {
	m := &s.Model
	if len(parts) == 0 {
		return []string{"Bound by: nothing."}
	}
	bound := parts[0]
	if coming, ok := arrivalsOf(&m.Fleet, m.Horizon); ok {
		worst := coming.busiest(bound)
		for _, p := range parts[1:] {
			if n := coming.busiest(p); n.ratio > worst.ratio {
				bound, worst = p, n
			}
		}
		nothing := "nothing; the tightest is "
		if worst.ratio > 1 {
			nothing = ""
		}
		needed := fmt.Sprintf("%s at the peak of %s calls/min, %.3g s each (Little's law)",
			number(math.Ceil(coming.peak*a.busy-1e-6)), number(60*coming.peak), a.busy)
		if coming.once > coming.peak*a.busy {
			needed = fmt.Sprintf("%s, one for each call of a burst", number(coming.once))
		}
		return []string{
			fmt.Sprintf("Workers needed: %s%s.", needed, s.have()),
			fmt.Sprintf("Bound by: %s%s, %s; %s.", nothing, bound.what, bound.calls(), worst.words(coming, bound)),
		}
	}
	calls := float64(m.Workload.Calls)
	rate := func(p part) float64 { // of the calls that there are, what is let through at once included
		if calls == 0 {
			return p.rate
		}
		return calls / p.least(calls).Seconds()
	}
	others := math.Inf(1)
	for _, p := range parts {
		if rate(p) < rate(bound) {
			bound = p
		}
		if !p.workers {
			others = min(others, rate(p))
		}
	}
	text := fmt.Sprintf("Bound by: %s, %s", bound.what, bound.calls())
	if calls > 0 {
		text += ": " + spanFor(bound.least(calls), m.Workload.Calls)
	}
	if turn := turn(&m.Workload, a.busy); !math.IsInf(others, 0) && m.Workers > 0 {
		out = append(
			out,
			fmt.Sprintf(
				"Workers needed: %s for the %s calls/min that the other parts allow, %.3g s each (Little's law)%s.",
				number(math.Ceil(others*turn-1e-6)), number(60*others), turn, s.have()),
		)
	}
	return append(out, text+".")
}

// have says how many workers there are.
func (s *Scenario) have() string {
	if n := s.Model.Workers * s.Model.Instances; n > 0 {
		return fmt.Sprintf("; %d are configured", n)
	}
	return "; one per call"
}

// outlasts says how long answers take without load, and how many exceed their timeouts even then.
func outlasts(f *fleet.Fleet, a averages) string {
	s := fmt.Sprintf("On an unloaded provider an answer takes %.3g s on average; 95 %% take at most %.3g s",
		a.answer, a.p95)
	timed := slices.ContainsFunc(ofKinds(f), func(one fleet.Fleet) bool { return one.Client.Timeouts.Describe() != "" })
	if timed || len(f.Client.Outer) > 0 {
		s += fmt.Sprintf("; %s of the attempts exceed their timeouts", percent(a.timeout))
	}
	if f.Workload.Leaves() {
		s += fmt.Sprintf("; %s of the callers leave earlier", percent(a.patience))
	}
	return s + "."
}

// percent writes an estimated share.
func percent(share float64) string {
	if rounded := math.Round(share*1000) / 1000; rounded > 0 || share == 0 {
		return format.Percent(rounded)
	}
	return "under 0.1%"
}
