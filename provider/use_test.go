package provider

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/sim"
)

// The use of a limit by hand: what it counted in the measured time over what its
// definition admitted there.
func TestUseOfALimit(t *testing.T) {
	const min, hour, day = time.Minute, time.Hour, 24 * time.Hour
	each := func(span, until time.Duration) (at []sim.Time) {
		for t := span; t <= until; t += span {
			at = append(at, t)
		}
		return at
	}
	at := func(n int, t sim.Time) []sim.Time { return slices.Repeat([]sim.Time{t}, n) }
	for _, c := range []struct {
		name     string
		limit    Limit
		faults   []Fault
		requests []sim.Time
		output   int           // tokens of each
		takes    time.Duration // each
		from, to sim.Time
		want     float64
	}{
		{name: "bucket: its burst and 60 more, of which 10 and 59 before the end",
			limit:    Limit{Resource: Requests, Amount: 60, Period: min, Burst: 10},
			requests: append(at(10, 0), each(s, min)...), to: min, want: 69.0 / 70},
		{name: "bucket after a warm-up: one was in it at 30 s",
			limit:    Limit{Resource: Requests, Amount: 60, Period: min, Burst: 10},
			requests: append(at(10, 0), each(s, min)...), from: 30 * s, to: min, want: 30.0 / 31},
		{name: "a daily quota that is gone in two hours",
			limit:    Limit{Resource: Requests, Kind: FixedWindow, Amount: 50, Period: day},
			requests: each(30*s, 2*hour), to: 2 * hour, want: 1},
		{name: "the same as a sliding window",
			limit:    Limit{Resource: Requests, Kind: SlidingWindow, Amount: 50, Period: day},
			requests: each(30*s, 2*hour), to: 2 * hour, want: 1},
		{name: "gone already in the warm-up",
			limit:    Limit{Resource: Requests, Kind: FixedWindow, Amount: 5, Period: day},
			requests: at(9, 0), from: min, to: hour, want: 1},
		{name: "two windows are begun in an hour whose window resets after half of it",
			limit:    Limit{Resource: Requests, Kind: FixedWindow, Amount: 100, Period: hour, Offset: hour / 2},
			requests: each(min, hour), to: hour, want: 59.0 / 200},
		{name: "a window in slices of a second: one in each of 30, of which the first has none",
			limit:    Limit{Resource: Requests, Kind: FixedWindow, Amount: 60, Period: min, Quantum: s},
			requests: each(s, min), to: 30 * s, want: 29.0 / 30},
		{name: "sliding window, taken at once whenever it can be",
			limit:    Limit{Resource: Requests, Kind: SlidingWindow, Amount: 10, Period: min},
			requests: append(at(10, 0), at(10, min)...), to: 2 * min, want: 1},
		{name: "sliding window after a warm-up that took all of it",
			limit:    Limit{Resource: Requests, Kind: SlidingWindow, Amount: 10, Period: min},
			requests: append(at(10, 0), at(10, min)...), from: 30 * s, to: 90 * s, want: 1},
		{name: "ramp: ten in each of two slices, fifteen used",
			limit:    Limit{Resource: Requests, Kind: RampLimit, Amount: 10, Period: min, Growth: 0.5, Every: 2 * min},
			requests: append(at(10, 0), at(5, min)...), to: 2 * min, want: 15.0 / 20},
		{name: "output counted at the end: twice 80 of 100 and 100 more",
			limit:    Limit{Resource: OutputTokens, Amount: 100, Period: min, Charge: AsProduced, Settle: Refund},
			requests: []sim.Time{0, 2 * s, 10 * s}, output: 80, takes: s, to: min, want: 160.0 / 200},
		{name: "the same overshoots what is admitted in half a minute",
			limit:    Limit{Resource: OutputTokens, Amount: 100, Period: min, Charge: AsProduced, Settle: Refund},
			requests: []sim.Time{0, 2 * s, 10 * s}, output: 80, takes: s, to: 30 * s, want: 1},
		{name: "a refund is not used",
			limit:    Limit{Resource: Tokens, Amount: 1000, Period: min, Charge: PromptPlusMax, Settle: Refund},
			requests: []sim.Time{0}, output: 30, takes: s, to: min, want: (100.0 + 30) / 2000},
		{name: "a refund after the window's end comes too late",
			limit: Limit{Resource: Tokens, Kind: FixedWindow, Amount: 1000, Period: min, Charge: PromptPlusMax,
				Settle: Refund},
			requests: []sim.Time{59 * s}, output: 30, takes: 2 * s, to: 2 * min, want: (100.0 + 200) / 2000},
		{name: "two places for a minute, taken for 20 s each by three",
			limit:    Limit{Resource: Concurrency, Amount: 2},
			requests: []sim.Time{0, 0, 30 * s}, takes: 20 * s, to: min, want: 60.0 / 120},
		{name: "300 tokens in flight for 20 s, twice: the second of three finds no room",
			limit:    Limit{Resource: TokensInFlight, Amount: 500, Charge: PromptPlusMax},
			requests: []sim.Time{0, 10 * s, 30 * s}, takes: 20 * s, to: min, want: 2 * 300 * 20.0 / (500 * 60)},
		{name: "a bucket that a fault makes twice as fast after half the time",
			limit:    Limit{Resource: Requests, Amount: 60, Period: min},
			faults:   []Fault{{At: 30 * s, Effect: ChangeLimit{Resource: Requests, Amount: 120, Period: min}}},
			requests: at(30, 0), to: min, want: 30.0 / (60 + 30 + 60)},
		{name: "a window that a fault makes larger after half the time",
			limit:    Limit{Resource: Requests, Kind: FixedWindow, Amount: 60, Period: hour},
			faults:   []Fault{{At: hour / 2, Effect: ChangeLimit{Resource: Requests, Amount: 100, Period: hour}}},
			requests: at(30, 0), to: hour, want: 30.0 / 100},
	} {
		p := build(t, Config{Limits: []Limit{c.limit}, Faults: c.faults})
		p.Measure(c.from, c.to)
		type flight struct {
			ends sim.Time
			r    Request
		}
		var flying []flight
		land := func(now sim.Time) {
			for len(flying) > 0 && flying[0].ends <= now {
				p.Finish(flying[0].ends, &flying[0].r, Used{Output: c.output})
				flying = flying[1:]
			}
		}
		for i, now := range c.requests {
			land(now)
			r := Request{Call: uint64(i), Prompt: 100, MaxTokens: 200, Admitted: now}
			if receive(p, now, r, 0).Kind == Admitted {
				flying = append(flying, flight{now + c.takes, r})
			}
		}
		land(sim.Never - 1)
		if got := p.Use(c.to)[0].Share(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

// A run ends with its last call, at 5 s; two requests whose clients have gone end after that, at 10 s
// and 20 s. Until the end they took 5 s each.
func TestPlacesAreTakenUntilTheEnd(t *testing.T) {
	p := build(t, Config{Limits: []Limit{{Resource: Concurrency, Amount: 2}}})
	for call := range uint64(2) {
		receive(p, 0, Request{Call: call}, 0)
	}
	p.Finish(10*time.Second, &Request{}, Used{})
	p.Finish(20*time.Second, &Request{Call: 1}, Used{})
	if u := p.Use(5 * time.Second)[0]; math.Abs(u.Counted-10) > 1e-6 || math.Abs(u.Admitted-10) > 1e-6 {
		t.Errorf("%g of %g place seconds used, want 10 of 10", u.Counted, u.Admitted)
	}
}

// Of requests, which are known when they are admitted, a limit never counts more than it
// admits from the start of the run on, whatever comes when.
func TestUseIsNeverMoreThanAdmitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Limit{
			Resource: Requests, Kind: rapid.SampledFrom([]Kind{TokenBucket, FixedWindow, SlidingWindow}).Draw(t,
				"kind"),
			Amount: rapid.Int64Range(1, 20).
				Draw(t, "amount"),
			Period: time.Duration(rapid.Int64Range(1, 50).Draw(t, "period")),
		}
		switch l.Kind {
		case TokenBucket:
			l.Burst = rapid.Int64Range(0, 30).Draw(t, "burst")
		case FixedWindow:
			l.Offset = time.Duration(rapid.Int64Range(0, 60).Draw(t, "offset"))
		}
		p, err := New(Config{Limits: []Limit{l}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		now := sim.Time(0)
		for i := range rapid.IntRange(0, 100).Draw(t, "requests") {
			now += time.Duration(rapid.Int64Range(0, 20).Draw(t, "gap"))
			r := Request{Call: uint64(i), Admitted: now}
			if receive(p, now, r, 0).Kind == Admitted {
				p.Finish(now, &r, Used{})
			}
		}
		if u := p.Use(now)[0]; u.Counted > u.Admitted+1e-6 {
			t.Errorf("%v counts %g of %g by %v", l.Describe(), u.Counted, u.Admitted, now)
		}
	})
}
