package policy

import (
	"testing"
	"time"

	"stampede/wire"
)

// BenchmarkAttempt is what an attempt that is refused costs in this package alone: of a client
// with a retry loop, of one with a gate, a breaker, a budget and two layers around it, and of one
// that routes over eight deployments.
func BenchmarkAttempt(b *testing.B) {
	retry := Retry{
		Attempts: 20,
		Classify: Classifier{Statuses: []Statuses{{429, 429}, {500, 599}}},
		Backoff:  Backoff{Base: time.Second, Factor: 2, Cap: time.Minute, Jitter: Full},
	}
	for _, c := range []struct {
		name    string
		client  Client
		weights []float64
	}{
		{name: "plain", client: Client{Retry: retry}},
		{name: "full", client: Client{
			Retry:   retry,
			Outer:   []Layer{{Name: "framework", Retry: retry, Timeout: time.Hour}, {Name: "queue", Retry: retry}},
			Gate:    Gate{Semaphore: 500},
			Breaker: Breaker{Ratio: 0.999, Count: 100, Minimum: 200, Open: time.Second, WhenOpen: HoldBack},
			Budget:  Budget{Tokens: Tokens{Max: 1e12, PerCall: 1, Cost: 1}},
		}},
		{"routed", Client{Retry: retry, Route: Route{By: RouteLeastBusy, AllAway: AwayFirst, Cooldown: Cooldown{
			Share: 0.5, Minimum: 5, Over: time.Microsecond, For: time.Nanosecond}}}, []float64{1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			m := NewInstances(&c.client, 1000, max(1, len(c.weights)), c.weights).At(0)
			reply := wire.Reply{Status: 429}
			outer := make([]Tries, len(c.client.Outer))
			role, cost := FirstTry, 0.0
			for i := range b.N {
				now := time.Duration(i)
				r := Request{}
				if m.Routes(NoTarget) {
					r.Target, r.RouteU = NoTarget, 0.5
				}
				a := m.Admit(now, &r)
				inFlight := m.Sent(now, role)
				if m.Routes(r.Target) {
					m.SentTo(now, r.Target, &Need{1})
				}
				m.Done(now, &Ended{
					Target: r.Target, Role: role, Generation: a.Generation, InFlight: inFlight, Cost: cost, Sent: now,
					Reply: &reply,
				})
				for _, ok := m.NextBlocked(0); ok; _, ok = m.NextBlocked(0) {
				}
				f := Facts{Now: now, Attempt: 1 + i%8, Reply: &reply, U: 0.5}
				if d, _ := c.client.Decide(&f, outer, 0); !d.Again {
					b.Fatal(d)
				}
				paid, ok := m.GrantRetry(now, &reply)
				if !ok {
					b.Fatal("no budget")
				}
				role, cost = Retried, paid
				if r.Placed {
					m.Release()
					for _, ok := m.NextAtGate(); ok; _, ok = m.NextAtGate() {
					}
				}
			}
		})
	}
}
