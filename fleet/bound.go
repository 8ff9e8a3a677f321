package fleet

import (
	"slices"
	"time"

	"stampede/provider"
	"stampede/sim"
)

// Bound is the minimum time in which any policy, with any luck, can have the answers
// that a run gave. Of the run it takes
// the answered calls and their sizes, nothing else: neither when anything happened nor
// what was refused, retried or wasted, since a policy might have avoided that.
//
// With n answers that count a at admission and keep it, o more when they end,
// and at most K in flight, of which the largest o add up to s, a limit has admitted
// the last of them when its definition allows sum(a) + sum(o) with a slack of s
// (see provider.Supply). Workers, places at once and slots bound the time by the work
// (see provider.Turns), a limit of L tokens in flight by sum(charge x service) / L.
type Bound struct {
	model   *Model
	fleets  []*Fleet
	targets []*provider.Config
	floors  []provider.MinTime // by provider
	limits  []counted          // of the model's own provider
	service work               // there, from admission to last token
	busy    work               // of a worker, at any target
}

// counted is what the answers count at one limit.
type counted struct {
	supply     provider.Supply
	covers     []bool  // by fleet
	kept, over int64   // at admission for good, and later
	max        int64   // the largest kept
	held       float64 // of a limit on what is held: the charges times the seconds of each
	largest    largest // of over
}

// work is the minimum time that answers take, of each and in all.
type work struct {
	n          int64
	min, total time.Duration
}

func (w *work) add(d time.Duration) {
	if w.n == 0 || d < w.min {
		w.min = d
	}
	w.n++
	w.total = sim.Plus(w.total, d)
}

// NewBound makes the bound of no answers.
func NewBound(m *Model) *Bound {
	b := &Bound{model: m, fleets: m.Fleets(), targets: m.Providers(), limits: make([]counted, len(m.Provider.Limits))}
	for _, p := range b.targets {
		b.floors = append(b.floors, p.MinTime())
	}
	for i := range b.limits {
		b.limits[i].supply = m.Provider.Supply(i)
		for fleet := range b.fleets {
			to := &m.Provider
			covers := len(to.Tenants) == 0 || to.Limits[i].Covers(to.Tenants[fleet])
			b.limits[i].covers = append(b.limits[i].covers, covers)
		}
	}
	return b
}

// Add counts an answered call.
func (b *Bound) Add(c *Call) {
	f := b.fleets[c.Fleet]
	target := f.provider(int(c.Target))
	to := b.targets[target]
	r := provider.Request{
		Tenant: int(c.Fleet), Prompt: int(c.Size.Prompt), Cached: int(c.Size.Cached), MaxTokens: int(c.Size.MaxTokens),
	}
	used := provider.Used{Output: int(c.Size.Output), Nano: int64(c.Useful), Answered: true}
	service := time.Duration(0)
	if to.ReplaysKeys && f.Client.IdempotencyKey && c.Attempts > 1 { // perhaps from memory
		used.Output = 0
	} else {
		service = b.floors[target].Time(r, used.Output)
	}
	b.busy.add(service + trip(to))
	if c.Target > 0 {
		return
	}
	b.service.add(service)
	for i := range b.limits {
		if b.limits[i].covers[c.Fleet] {
			charge := to.Limits[i].Counts(r)
			b.limits[i].add(charge, to.Limits[i].Ends(r, used))
			b.limits[i].held += float64(charge) * service.Seconds()
		}
	}
}

func (c *counted) add(charge, final int64) {
	kept := min(charge, final)
	c.kept += kept
	c.max = max(c.max, kept)
	if final > charge {
		c.over += final - charge
		c.largest.add(final - charge)
	}
}

// slack is what the definition of a limit lets pass beyond what it admits, with so many in
// flight.
func (c *counted) slack(l *provider.Limit, inFlight int64) int64 {
	s := min(c.over, c.largest.sum(inFlight))
	if l.Overflows() { // the last one may go over the brim
		s += c.max
	}
	return s
}

// trip is the time of a request and its reply on the way.
func trip(c *provider.Config) time.Duration { return 2 * ((c.RoundTrip + c.Gateway.Latency) / 2) }

// workers is how many work at once at most; 0 means no bound.
func (m *Model) workers() (sum int64) {
	for _, f := range m.Fleets() {
		if f.Workers == 0 {
			return 0
		}
		sum += int64(f.Workers) * int64(f.Instances)
	}
	return sum
}

// inFlight is how many of the attempts that are answered can be at the provider at once: each
// has a worker, and a place where those are limited.
func (b *Bound) inFlight() int64 {
	n, p := b.service.n, &b.model.Provider
	if w := b.model.workers(); w > 0 {
		n = min(n, w)
	}
	if c := p.Capacity; c.Slots > 0 && c.Queue >= 0 {
		n = min(n, int64(c.Slots)+int64(c.Queue))
	}
	for i := range p.Limits {
		if l := &p.Limits[i]; l.Resource == provider.Concurrency && forAll(l, p) {
			n = min(n, l.Amount)
		}
	}
	return n
}

// forAll reports whether a limit is for all who call.
func forAll(l *provider.Limit, p *provider.Config) bool {
	return !slices.ContainsFunc(p.Tenants, func(t provider.Tenant) bool { return !l.Covers(t) })
}

// Makespan is the minimum time from the start to the last of the answers, if all calls are
// there from the start; 0 when nothing bounds it.
func (b *Bound) Makespan() time.Duration {
	p := &b.model.Provider
	bound := provider.Turns(b.busy.n, b.model.workers(), b.busy.min, b.busy.total)
	if b.service.n == 0 {
		return bound
	}
	places := func(n int64) {
		total := time.Duration(min(float64(b.service.total)*p.Crowded(n), float64(sim.Never/2)))
		bound = max(bound, trip(p)+provider.Turns(b.service.n, n, b.service.min, total))
	}
	if p.Capacity.Slots > 0 {
		places(int64(p.Capacity.Slots))
	}
	inFlight := b.inFlight()
	for i := range b.limits {
		l, c := &p.Limits[i], &b.limits[i]
		if l.Resource == provider.Concurrency && forAll(l, p) {
			places(l.Amount)
		} else if l.Resource.Held() {
			const rounding = 1 - 1e-9 // of the sum
			bound = max(bound, trip(p)+sim.Seconds(c.held/float64(l.Amount)*rounding))
		} else if last := c.supply.Earliest(c.kept+c.over, c.slack(l, inFlight)); last > 0 && last < sim.Never {
			bound = max(bound, last+b.service.min+trip(p)/2)
		}
	}
	return bound
}

// largest keeps the largest of many numbers, the smallest first.
type largest struct {
	kept [64]int64
	n    int
}

func (l *largest) add(x int64) {
	i := 0
	if l.n < len(l.kept) {
		copy(l.kept[1:], l.kept[:l.n])
		l.n++
	} else if x <= l.kept[0] {
		return
	}
	for i+1 < l.n && l.kept[i+1] < x {
		l.kept[i] = l.kept[i+1]
		i++
	}
	l.kept[i] = x
}

// sum is at least the sum of the n largest.
func (l *largest) sum(n int64) (sum int64) {
	for i := l.n - 1; i >= 0 && n > 0; i-- {
		sum += l.kept[i]
		n--
	}
	if l.n < len(l.kept) {
		return sum
	}
	if n > (provider.NoBound-sum)/l.kept[0] {
		return provider.NoBound
	}
	return sum + n*l.kept[0]
}
