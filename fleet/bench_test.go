package fleet

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"stampede/law"
	"stampede/policy"
	"stampede/provider"
)

// herd is n clients that ask at once, with full jitter against a bucket that
// serves a hundredth of them a second.
func herd(n int) Model {
	return Model{
		Fleet: Fleet{
			Instances: 1,
			Workload:  Workload{Arrivals: Burst{}, Calls: uint64(n), Sizes: sized{Prompt: 100, Output: 10}},
			Client: policy.Client{Retry: policy.Retry{Classify: everything,
				Backoff: policy.Backoff{Base: time.Second, Factor: 2, Cap: time.Minute, Jitter: policy.Full}}},
		},
		Provider: provider.Config{
			Latency: provider.Latency{FirstToken: law.Constant(0.1)},
			Limits: []provider.Limit{
				{Resource: provider.Requests, Amount: int64(n) / 100, Period: time.Second, Burst: 10},
			},
		},
	}
}

// counter calls at each given number of attempts.
type counter struct {
	attempts int
	at       map[int]func()
}

func (c *counter) Attempt(*Attempt) {
	if c.attempts++; c.at[c.attempts] != nil {
		c.at[c.attempts]()
	}
}
func (c *counter) Call(*Call) {}

// BenchmarkHerd is 100,000 clients with full jitter against a bucket, again and
// again: one attempt an operation. The first 100,000 attempts, in which every
// client is set up, are not timed.
func BenchmarkHerd(b *testing.B) { benchmarkHerd(b, herd(100_000), 100_000) }

// BenchmarkSize is the same for a thousand and for a million instances of one worker.
func BenchmarkSize(b *testing.B) {
	for _, clients := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			m := herd(clients)
			m.Instances, m.Workers = clients, 1
			benchmarkHerd(b, m, clients)
		})
	}
}

func benchmarkHerd(b *testing.B, m Model, clients int) {
	b.ReportAllocs()
	for left := b.N; left > 0; {
		var before, after runtime.MemStats
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := &counter{at: map[int]func(){
			clients: func() {
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.StartTimer()
			},
			clients + left: b.StopTimer,
		}}
		if _, err := m.Run(1, 0, c); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		left -= c.attempts - clients
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(clients), "B/client")
	}
}

// BenchmarkPolicy is an attempt of a client with a retry loop alone, and of one with a
// gate, a breaker, a budget and two layers around it.
func BenchmarkPolicy(b *testing.B) {
	plain := herd(1000)
	full := herd(1000)
	full.Client.Gate = policy.Gate{Semaphore: 500}
	full.Client.Breaker = policy.Breaker{
		Ratio:    0.999,
		Count:    100,
		Minimum:  100,
		Open:     time.Second,
		WhenOpen: policy.HoldBack,
	}
	full.Client.Budget = policy.Budget{Tokens: policy.Tokens{Max: 1e12, PerCall: 1, Cost: 1}}
	outer := policy.Retry{
		Attempts: 3,
		Classify: everything,
		Backoff:  policy.Backoff{Base: time.Second, Factor: 2, Jitter: policy.Full},
	}
	full.Client.Outer = []policy.Layer{
		{Name: "framework", Retry: outer, Timeout: time.Hour},
		{Name: "queue", Retry: outer},
	}
	full.Client.Retry.Attempts = 20
	for _, c := range []struct {
		name  string
		model Model
	}{{"plain", plain}, {"full", full}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			attempts, seed := 0, uint64(0)
			for attempts < b.N {
				seed++
				if _, err := c.model.Run(seed, 0, each{attempt: func(*Attempt) { attempts++ }}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(attempts), "ns/attempt")
		})
	}
}
