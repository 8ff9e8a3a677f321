package fleet

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"stampede/cost"
	"stampede/law"
	"stampede/provider"
	"stampede/sim"
)

// usages runs a model and lists the prompt, cached and written tokens of its attempts, with their fleets.
func usages(t *testing.T, m Model) (out []string) {
	t.Helper()
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		out = append(out, fmt.Sprintf("%d: %d %d %d", a.Fleet, a.Usage.Prompt, a.Usage.Cached, a.Usage.Written))
	}}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Poisson requests of rate g share a prefix that lives for L after its last use, which counts after D,
// the time to the first token. A request finds it if another was received between L and D before: none
// was with probability exp(-g (L - D)). 200,000 calls; four standard errors where D is 0, when hits are
// independent, and twice that where they are not. Reads cost a tenth of the input, writes 1.25 of it.
func TestSharedCacheFollowsTheGaps(t *testing.T) {
	const n, g = 200_000, 0.5
	input, cached, written, output := 10.0, 1.0, 12.5, 0.0
	rates, err := cost.Quote{Input: &input, Cached: &cached, Written: &written, Output: &output}.Rates()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ life, first, errors float64 }{{1, 0, 4}, {3, 0, 4}, {3, 1, 8}} {
		m := model()
		m.Workers = 0
		m.Price = cost.Price{Rates: rates}
		m.Provider.Latency.FirstToken = law.Constant(c.first)
		m.Workload = Workload{
			Calls:    n,
			Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(g)},
			Sizes:    sized{Prompt: 100, Cached: 80, Output: 1},
			Cache:    Cache{Lifetime: sim.Seconds(c.life), Writes: true, Scope: OfFleet, Prefix: 80},
		}
		hits, bill := 0.0, cost.Money(0)
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			hits += float64(a.Usage.Cached) / 80
			bill += a.Bill
		}}); err != nil {
			t.Fatal(err)
		}
		want := 1 - math.Exp(-g*(c.life-c.first))
		if got, within := hits/n, c.errors*math.Sqrt(want*(1-want)/n); math.Abs(got-want) > within {
			t.Errorf("life %g s, first token after %g s: %.4f hits, want %.4f within %.4f", c.life, c.first, got, want,
				within)
		}
		// 20 new tokens at $10 a million, 80 at $1 when read and at $12.50 when written
		if want := cost.Money(n*20*10_000 + hits*80*1_000 + (n-hits)*80*12_500); bill != want {
			t.Errorf("life %g s: billed %v, want %v", c.life, bill, want)
		}
	}
}

// A fleet calls at 0, 2 and 4 s, another at 1, 3 and 5 s, each answered a second later. What they share is
// what one of them has begun to answer before.
func TestCacheScopes(t *testing.T) {
	every := func(first sim.Time) Workload {
		return Workload{
			Calls:    3,
			Arrivals: &Trace{At: []sim.Time{first, first + 2*s, first + 4*s}},
			Sizes:    sized{Prompt: 100, Cached: 80, Output: 1},
			Cache:    Cache{Lifetime: 60 * s, Writes: true, Prefix: 80},
		}
	}
	apart := []string{"0: 100 0 80", "1: 100 0 80", "0: 100 80 0", "1: 100 80 0", "0: 100 80 0", "1: 100 80 0"}
	together := slices.Clone(apart)
	together[1] = together[3]
	for _, c := range []struct {
		name   string
		change func(m *Model)
		want   []string
	}{
		{"of each fleet", func(m *Model) {
			m.Workload.Cache.Scope, m.Beside[0].Workload.Cache.Scope = OfFleet, OfFleet
		}, apart},
		{"of one key", func(m *Model) {}, together},
		{"of two keys", func(m *Model) { m.Provider.Tenants[1].Key = "b" }, apart},
		{"of two models", func(m *Model) { m.Provider.Tenants[1].Model = "large" }, apart},
		{"two prefixes of one key", func(m *Model) {
			m.Beside[0].Workload.Cache.Prefix = 79 // the first 79 tokens are others
		}, apart},
		{"a fleet and a key", func(m *Model) { m.Workload.Cache.Scope = OfFleet }, apart},
	} {
		m := model()
		m.Workers = 0
		m.Workload = every(0)
		m.Beside = []Fleet{m.Fleet}
		m.Beside[0].Workload = every(s)
		m.Workload.Cache.Scope, m.Beside[0].Workload.Cache.Scope = OfKey, OfKey
		m.Provider.Tenants = []provider.Tenant{{Key: "a", Model: "small"}, {Key: "a", Model: "small"}}
		c.change(&m)
		if got := usages(t, m); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
