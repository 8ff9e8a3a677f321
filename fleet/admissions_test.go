package fleet

import (
	"cmp"
	"flag"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// admissions holds the attempts of a run against the definitions of the limits: every window
// between two admissions, counted anew from the records. It shares nothing with what the provider
// counts with. What a record does not tell is taken so that less was counted: an attempt that may
// have been refused counts nothing, and charges whose end nobody saw are given back at once.
type admissions struct {
	m        *Model
	attempts []Attempt
	calls    map[uint64]Call
}

func (a *admissions) Attempt(r *Attempt) {
	if r.Target == 0 && r.Received >= 0 {
		a.attempts = append(a.attempts, *r)
	}
}

func (a *admissions) Call(c *Call) { a.calls[c.ID<<1|uint64(c.Fleet)] = *c }

// count is what one admission counts at one limit.
type count struct {
	at           sim.Time
	charge, kept int64    // at admission, and of that in the end
	over         int64    // beyond it
	settled      sim.Time // -1 when no record tells
	sure         bool     // that it was admitted
	most         int64    // it can count, whatever happened
	loose        int64    // what may be given back at an instant that no record tells
	late         bool     // it may count more than at admission, at an instant that no record tells
}

// counts lists what the attempts count at a limit, in the order in which they came.
func (a *admissions) counts(l *provider.Limit) (out []count) {
	slices.SortStableFunc(a.attempts, func(x, y Attempt) int {
		return cmp.Or(cmp.Compare(x.Received, y.Received), cmp.Compare(x.Ordinal, y.Ordinal))
	})
	p := &a.m.Provider
	hop := (p.RoundTrip + p.Gateway.Latency) / 2
	for _, r := range a.attempts {
		if !l.Covers(p.Tenants[r.Fleet]) {
			continue
		}
		size := a.calls[r.Call<<1|uint64(r.Fleet)].Size
		req := provider.Request{
			Tenant:    r.Fleet,
			Prompt:    int(size.Prompt),
			Cached:    int(size.Cached),
			MaxTokens: int(size.MaxTokens),
		}
		most := req
		most.Cached = 0
		c := count{at: r.Received, settled: -1, sure: r.Reply.Class() == wire.OK || r.First >= 0}
		c.most = max(l.Counts(most), l.Ends(most, provider.Used{Output: int(size.Output), Answered: true}))
		if l.Resource == provider.Dollars {
			c.most = math.MaxInt32 // what it was billed, two dollars at most
		}
		c.late = c.most > l.Counts(req)
		used := provider.Used{}
		if known := r.Reply.Status == 200 && r.Bill > 0 && p.Gateway.Retries == 0; known {
			used.Answered = r.Reply.Failure == wire.None
			req.Cached, used.Output, used.Nano, c.settled = r.Usage.Cached, r.Usage.Output, int64(r.Bill), r.Ended-hop
		}
		c.charge = l.Counts(req)
		final := l.Ends(req, used)
		if c.kept = min(c.charge, final); c.settled < 0 {
			c.charge, c.loose = c.kept, l.Counts(most)-c.kept
		} else {
			c.over = max(0, final-c.charge)
		}
		out = append(out, c)
	}
	return out
}

// step is a change of what a limit has counted.
type step struct {
	at       sim.Time
	n        int64
	admitted sim.Time // when that which is given back was counted; -1 of what is counted
	enters   bool
}

func steps(counts []count) (out []step) {
	for _, c := range counts {
		if !c.sure {
			continue
		}
		out = append(out, step{c.at, c.charge, -1, true})
		if c.over > 0 {
			out = append(out, step{c.settled, c.over, -1, false})
		}
		if back := c.charge - c.kept; back > 0 && c.settled >= 0 {
			out = append(out, step{c.settled, -back, c.at, false})
		}
	}
	rank := func(s step) int { // what may have come first leaves room
		switch {
		case s.n < 0:
			return 0
		case s.enters:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(
		out,
		func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(rank(a), rank(b))) },
	)
	return out
}

// needs is the room that an admission must have found.
func (s step) needs(l *provider.Limit) int64 {
	if l.Kind == provider.LeakyBucket {
		return 0
	}
	return max(1, s.n)
}

// check holds the counts against a limit that has one shape from one instant until
// another; all of them are given, for what is given back of earlier ones.
func check(t *rapid.T, l *provider.Limit, from, until sim.Time, counts []count) {
	all := steps(counts)
	first := slices.IndexFunc(all, func(s step) bool { return s.at >= from })
	if first < 0 {
		return
	}
	in := all[first:]
	if end := slices.IndexFunc(in, func(s step) bool { return s.at > until }); end >= 0 {
		in = in[:end]
	}
	used := int64(0)
	if from == 0 {
		used = l.Used
	}
	switch {
	case l.Resource.Held():
		atOnceHolds(t, l, counts)
	// what was before a change makes the ceilings after it
	case l.Kind == provider.RampLimit && (from > 0 || until < sim.End-1):
	case l.Kind == provider.RampLimit:
		ramp(t, l, counts)
	case l.Kind == provider.FixedWindow:
		begins := func(at sim.Time) sim.Time { return at - (at+l.Offset)%l.Period }
		windows(t, l, in, begins, float64(l.Amount), from, used)
		if l.Quantum > 0 {
			n, span := slice(l.Amount, l.Period, l.Quantum)
			windows(t, l, in, func(at sim.Time) sim.Time { return at - (at+l.Offset)%l.Period%span }, n, from, 0)
		}
	case l.Kind == provider.SlidingWindow:
		spans(t, l, in, l.Period, float64(l.Amount), used)
		if l.Quantum > 0 {
			n, span := slice(l.Amount, l.Period, l.Quantum)
			spans(t, l, in, span, n, 0)
		}
	default:
		bucket(t, l, in, counts, from, used)
	}
}

// slice is what one slice may count: its share, rounded up to a whole number, in the time of
// which that is the share, rounded up to a nanosecond.
func slice(amount int64, period, quantum time.Duration) (n float64, span time.Duration) {
	x := new(big.Int).Mul(big.NewInt(amount), big.NewInt(int64(quantum)))
	up := func(a, by *big.Int) *big.Int {
		return a.Div(a.Sub(a.Add(a, by), big.NewInt(1)), by)
	}
	whole := up(x, big.NewInt(int64(period))).Int64()
	y := new(big.Int).Mul(big.NewInt(whole), big.NewInt(int64(period)))
	return float64(whole), time.Duration(up(y, big.NewInt(amount)).Int64())
}

// bucket: between any two admissions, what was counted less what was given back is at most
// burst + amount x span / period, and before the first of all the bucket was full at time 0.
func bucket(t *rapid.T, l *provider.Limit, in []step, counts []count, from sim.Time, used int64) {
	burst := float64(l.Burst)
	switch {
	case l.Quantum > 0:
		burst, _ = slice(l.Amount, l.Period, l.Quantum)
	case l.Burst == 0:
		burst = float64(l.Amount)
	}
	hold := func(begins sim.Time, full float64, steps []step) {
		sum := int64(0)
		for _, s := range steps {
			if s.enters {
				allowed := full + float64(l.Amount)*float64(s.at-begins)/float64(l.Period)
				if float64(sum+s.needs(l)) > allowed*(1+1e-12)+1e-6 {
					t.Fatalf("%v: from %v to %v, %d counted and %d wanted, %.3f allowed", l.Describe(), begins, s.at,
						sum, s.n, allowed)
				}
			}
			sum += s.n
		}
	}
	if from == 0 {
		hold(0, burst-float64(used), in)
	}
	for i, s := range in {
		if !s.enters || (i > 0 && in[i-1].enters && in[i-1].at == s.at) {
			continue
		}
		for i > 0 && in[i-1].at == s.at {
			i--
		}
		loose := int64(0)
		for _, c := range counts {
			if c.at <= s.at {
				loose += c.loose
			}
		}
		hold(s.at, burst+float64(loose), in[i:])
	}
}

// windows: at each admission, what was counted since its window began leaves room for it. What is
// given back counts for the window in which it was counted.
func windows(
	t *rapid.T,
	l *provider.Limit,
	in []step,
	begins func(sim.Time) sim.Time,
	amount float64,
	from sim.Time,
	used int64,
) {
	window, sum := begins(from), used
	for _, s := range in {
		if w := begins(s.at); w != window {
			window, sum = w, 0
		}
		if s.enters && float64(sum+s.needs(l)) > amount {
			t.Fatalf("%v: at %v, %d counted since %v and %d wanted, %g allowed", l.Describe(), s.at, sum, window, s.n,
				amount)
		}
		if s.admitted < 0 || (begins(s.admitted) == window && s.admitted >= from) {
			sum += s.n
		}
	}
}

// spans: at each admission, what was counted in the period that ends there leaves room for it.
func spans(t *rapid.T, l *provider.Limit, in []step, period time.Duration, amount float64, used int64) {
	for i, last := range in {
		if !last.enters {
			continue
		}
		sum := int64(0)
		if last.at < period {
			sum = used
		}
		for _, s := range in[:i] {
			counted := s.at
			if s.admitted >= 0 {
				counted = s.admitted
			}
			if counted >= in[0].at && counted > last.at-period {
				sum += s.n
			}
		}
		if float64(sum+last.needs(l)) > amount {
			t.Fatalf("%v: at %v, %d counted in the last %v and %d wanted, %g allowed", l.Describe(), last.at, sum,
				period, last.n, amount)
		}
	}
}

// ramp: no window of Every counts more than all that may have been counted in the one before
// allows; while that is the threshold, no slice of it counts more than that.
func ramp(t *rapid.T, l *provider.Limit, counts []count) {
	if l.Rejected != provider.Free || l.Counted == provider.CountAttempts {
		return // refused requests, whose number the records do not tell, make it grow
	}
	counted := map[sim.Time]int64{-1: l.Before, 0: l.Used}
	for _, c := range counts {
		if c.late {
			return
		}
		counted[c.at/l.Every] += c.most
	}
	all := steps(counts)
	for len(all) > 0 {
		number := all[0].at / l.Every
		in, used := all, int64(0)
		if end := slices.IndexFunc(all, func(s step) bool { return s.at/l.Every != number }); end >= 0 {
			in = all[:end]
		}
		all = all[len(in):]
		if number == 0 {
			used = l.Used
		}
		begins := func(sim.Time) sim.Time { return number * l.Every }
		low := float64(l.Amount) * float64(l.Every) / float64(l.Period)
		grown := math.Ceil((1 + l.Growth) * float64(counted[number-1]) * (1 - 1e-12))
		windows(t, l, in, begins, max(math.Ceil(low), grown), number*l.Every, used)
		if grown <= low {
			begins = func(at sim.Time) sim.Time { return at - at%l.Every%l.Period }
			windows(t, l, in, begins, float64(l.Amount), number*l.Every, used)
		}
	}
}

// atOnceHolds: at each admission no more than the limit have come and not ended; of tokens, what they
// were charged at admission.
func atOnceHolds(t *rapid.T, l *provider.Limit, counts []count) {
	for i, c := range counts {
		n := int64(0)
		for _, other := range counts[:i+1] {
			if other.sure && other.settled > c.at {
				n += other.charge
			}
		}
		if n > l.Amount {
			t.Fatalf("%v: %d at once at %v", l.Describe(), n, c.at)
		}
	}
}

// shapes calls with each shape that a limit has in turn.
func shapes(p *provider.Config, limit int, f func(l provider.Limit, from, until sim.Time)) {
	at := []sim.Time{0, sim.End}
	var changes []provider.Fault
	for _, fault := range p.Faults {
		if to, ok := fault.Effect.(provider.ChangeLimit); ok &&
			limit == slices.IndexFunc(p.Limits, func(l provider.Limit) bool {
				return l.Resource == to.Resource && len(l.Keys) == 0
			}) {
			changes = append(changes, fault)
			at = append(at, fault.At, fault.At+fault.For)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for i, from := range at[:len(at)-1] {
		l, since := p.Limits[limit].Largest(), sim.Time(-1)
		for _, fault := range changes {
			if from >= fault.At && (fault.For == 0 || from < fault.At+fault.For) && fault.At >= since {
				to := fault.Effect.(provider.ChangeLimit)
				l.Amount, l.Period, l.Burst, since = to.Amount, to.Period, to.Burst, fault.At
			}
		}
		f(l, from, at[i+1]-1)
	}
}

// atLeast lets a test check so many random models unless the command line says how many.
func atLeast(t *testing.T, n string) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		f.Value.Set(n)
		t.Cleanup(func() { f.Value.Set(f.DefValue) })
	}
}

// On random models no limit admits more than its definition allows between any two admissions,
// what the answers used of it is at most what it can supply, none of those whose charges are known
// counts more than it says that it admitted, and no run ends before its bound.
func TestBoundsOnRandomModels(t *testing.T) {
	atLeast(t, "500")
	rapid.Check(t, func(t *rapid.T) {
		m := randomModel(t)
		steady := rapid.Bool().Draw(t, "steady sizes")
		for _, f := range m.Fleets() {
			if s := f.Workload.Sessions; s != nil { // so that limits are met
				s.Count += 15
			} else {
				f.Workload.Calls += 40
			}
			f.PerRequest = 0 // so that records tell when replies left the provider
			if steady {
				f.Workload.Sizes = Drawn{Prompt: law.Constant(100), Output: law.Constant(50), MaxTokens: 80}
			}
		}
		a := &admissions{m: &m, calls: map[uint64]Call{}}
		bound := NewBound(&m)
		end := sim.Time(0)
		summary, err := m.Run(rapid.Uint64().Draw(t, "seed"), 0, Listeners{a, each{call: func(c *Call) {
			if end = max(end, c.Ended); c.Outcome == policy.Answered {
				bound.Add(c)
			}
		}}})
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range summary.Uses[0] {
			l := &m.Provider.Limits[i]
			if known := l.Resource == provider.Requests && l.Kind != provider.LeakyBucket &&
				l.Counted != provider.CountAnswered &&
				l.Rejected != provider.IntoDebt; known &&
				u.Counted > u.Admitted*(1+1e-9)+1e-6 {
				t.Fatalf("%v: counted %g of %g admitted until %v", l.Describe(), u.Counted, u.Admitted, end)
			}
		}
		for i := range m.Provider.Limits {
			shapes(&m.Provider, i, func(l provider.Limit, from, until sim.Time) {
				check(t, &l, from, until, a.counts(&l))
			})
			late := func(c count) bool { return c.late }
			l := &m.Provider.Limits[i]
			exact := l.Kind != provider.LeakyBucket && l.Rejected != provider.IntoDebt
			if u := summary.Uses[0][i]; exact && u.Counted > u.Admitted*(1+1e-9)+1e-6 &&
				!slices.ContainsFunc(a.counts(&m.Provider.Limits[i]), late) {
				t.Fatalf("%v: %.3f counted until %v, %.3f admitted", m.Provider.Limits[i].Describe(), u.Counted, end,
					u.Admitted)
			}
			c := &bound.limits[i]
			total, most := c.kept+c.over, c.supply.Within(0, end, c.slack(&m.Provider.Limits[i], bound.inFlight()))
			if total > most {
				t.Fatalf("%v: answers used %d of %d until %v", m.Provider.Limits[i].Describe(), total, most, end)
			}
		}
		if least := bound.Makespan(); least > end {
			t.Fatalf("all ended at %v, the bound is %v", end, least)
		}
	})
}
