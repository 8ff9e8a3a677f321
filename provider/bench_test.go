package provider

import (
	"testing"
	"time"

	"stampede/dialect"
	"stampede/law"
	"stampede/sim"
	"stampede/wire"
)

// BenchmarkReceive is one request before one bucket, a microsecond after the last one: always
// admitted, or refused 99 times of 100; the same with the headers of quotas, which most
// clients do not read, and with a fault; and the least that it could cost, the bucket alone.
func BenchmarkReceive(b *testing.B) {
	const perSecond = 1_000_000
	for _, c := range []struct {
		name   string
		amount int64
		shown  bool
		faults []Fault
	}{
		{"admitted", 10 * perSecond, false, nil}, {"refused", perSecond / 100, false, nil},
		{"admitted, quotas shown", 10 * perSecond, true, nil}, {"refused, quotas shown", perSecond / 100, true, nil},
		{"admitted, a fault in 50", 10 * perSecond, false,
			[]Fault{{Share: 0.02, Effect: Reject{Reply: wire.Reply{Status: 503}}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := New(Config{Dialect: dialect.Plain, Faults: c.faults,
				Limits: []Limit{{Resource: Requests, Amount: c.amount, Period: time.Second, Burst: 10}},
			}, sim.NewKey(1, 0))
			if err != nil {
				b.Fatal(err)
			}
			if !c.shown {
				p.Quiet()
			}
			var reply wire.Reply
			r := Request{Attempt: 1, Prompt: 100}
			now := sim.Time(0)
			b.ReportAllocs()
			for b.Loop() {
				now += time.Microsecond
				r.Call++
				p.Receive(now, &r, 0, &reply)
			}
		})
	}
	b.Run("bucket alone", func(b *testing.B) {
		bucket := NewBucket(perSecond/100, time.Second, 10)
		now := sim.Time(0)
		for b.Loop() {
			now += time.Microsecond
			if bucket.Advance(now); bucket.Has(1) {
				bucket.Take(1)
			}
		}
	})
}

// BenchmarkLife is one request from its arrival to its settlement, before limits on requests and tokens
// and eight slots.
func BenchmarkLife(b *testing.B) {
	p, err := New(Config{
		Dialect: dialect.OpenAI,
		Limits: []Limit{
			{Resource: Requests, Amount: 1_000_000, Period: time.Second},
			{Resource: Tokens, Amount: 1_000_000_000, Period: time.Second, Charge: PromptPlusMax, Settle: Refund},
		},
		Capacity: Capacity{Slots: 8},
		Latency:  Latency{FirstToken: law.Constant(0.1), TokensPerSecond: law.Constant(100)},
	}, sim.NewKey(1, 0))
	if err != nil {
		b.Fatal(err)
	}
	p.Quiet()
	var reply wire.Reply
	r := Request{Attempt: 1, Prompt: 100, MaxTokens: 500}
	b.ReportAllocs()
	for b.Loop() {
		r.Call++
		r.Admitted += 2 * time.Microsecond
		v := p.Receive(r.Admitted, &r, 0, &reply)
		if v.Kind == Refused {
			b.Fatal("refused")
		}
		p.Generate(r.Admitted, &r, v.Slow, 0, 100)
		p.Settle(&r, Used{Output: 100})
		p.Finish(r.Admitted+time.Microsecond, &r, Used{Output: 100})
	}
}
