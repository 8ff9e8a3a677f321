package provider

import (
	"testing"
	"time"

	"stampede/sim"
)

// What each kind of limit can supply, and when it has supplied a total, by hand.
func TestSupply(t *testing.T) {
	const day = 24 * time.Hour
	perDay := Limit{Resource: Requests, Amount: 150, Period: day}
	with := func(l Limit, change func(*Limit)) Limit { change(&l); return l }
	fixed := with(perDay, func(l *Limit) { l.Kind = FixedWindow })
	sliding := with(perDay, func(l *Limit) { l.Kind = SlidingWindow })
	output := Limit{Resource: OutputTokens, Amount: 8000, Period: time.Minute, Charge: AsProduced}
	ramp := Limit{
		Resource: Requests,
		Amount:   10,
		Period:   time.Minute,
		Kind:     RampLimit,
		Growth:   0.5,
		Every:    15 * time.Minute,
	}
	for _, c := range []struct {
		name  string
		limit Limit
		slack int64
		total int64
		want  time.Duration
	}{
		{"a bucket has its burst at once", perDay, 0, 150, 0},
		{"and then its rate: 50 more at 150 a day", perDay, 0, 200, 8 * time.Hour},
		{"less what was used: 50 and 50 more", with(perDay, func(l *Limit) { l.Used = 50 }), 0, 200, 16 * time.Hour},
		{"a small burst: 190 at 150 a day", with(perDay, func(l *Limit) { l.Burst = 10 }), 0, 200,
			30*time.Hour + 24*time.Minute},
		{"in slices of a second, of ceil(150/86400) = 1: 199", with(perDay, func(l *Limit) { l.Quantum = time.Second }),
			0, 200, 199 * 576 * time.Second},
		{"a leaky bucket is as a bucket", with(perDay, func(l *Limit) { l.Kind = LeakyBucket }), 0, 200, 8 * time.Hour},
		{"slack once: 240,000 less 8,000 and 8,000 in flight at 8,000 a minute", output, 8000, 240_000,
			28 * time.Minute},
		{"a fixed window gives the second 50 tomorrow", fixed, 0, 200, day},
		{"the third day's", fixed, 0, 301, 2 * day},
		{"a window that resets in six hours", with(fixed, func(l *Limit) { l.Offset = 18 * time.Hour }), 0, 200,
			6 * time.Hour},
		{"of a window that was used up", with(fixed, func(l *Limit) { l.Used = 500 }), 0, 150, day},
		{"slack in each window: 160 + 160", fixed, 10, 320, day},
		{"in slices of an hour, ceil(6.25) = 7 in 1.12 h: 150 take 22 slices",
			with(fixed, func(l *Limit) { l.Quantum = time.Hour }), 0, 150, 21 * 4032 * time.Second},
		{"the 151st is in the next day", with(fixed, func(l *Limit) { l.Quantum = time.Hour }), 0, 151, day},
		{"a sliding window gives the second 50 when the first have grown old", sliding, 0, 200, day},
		{"likewise in slices", with(sliding, func(l *Limit) { l.Quantum = time.Hour }), 0, 15, 2 * 4032 * time.Second},
		{"concurrency bounds nothing by itself", Limit{Resource: Concurrency, Amount: 9}, 0, 1000, 0},
		// Windows of 15 minutes have 150, 225, 338 (337.5 rounded up).
		{"a ramp: 10 in the first minute", ramp, 0, 10, 0},
		{"a ramp: the last of its first window", ramp, 0, 150, 14 * time.Minute},
		{"a ramp: 15 a minute in its second window", ramp, 0, 165, 15 * time.Minute},
		{"a ramp: all of two windows", ramp, 0, 375, 29 * time.Minute},
		{"a ramp: the third window, of which a slice of a minute has 23", ramp, 0, 376, 30 * time.Minute},
		{"a ramp after 300 in the window before: 450, 30 a minute", with(ramp, func(l *Limit) { l.Before = 300 }), 0,
			450, 14 * time.Minute},
		{"a ramp that passes its ceiling has no bound", ramp, 1, 1e12, 0},
	} {
		config := Config{Limits: []Limit{c.limit}}
		supply := config.Supply(0)
		if got := supply.Earliest(c.total, c.slack); got != c.want {
			t.Errorf("%s: %d by %v, want %v", c.name, c.total, got, c.want)
		}
		if c.want > 0 {
			if n := supply.Within(0, c.want-1, c.slack); n >= c.total {
				t.Errorf("%s: %d a nanosecond before %v, want less than %d", c.name, n, c.want, c.total)
			}
		}
	}
	// A ramp grows with what was used: 100 of its first 150 make 150 again, where all make 225.
	config := Config{Limits: []Limit{ramp}}
	for asked, want := range map[int64]int64{100: 300, 1000: 375} {
		supply := config.Supply(0).Of(func(from, to sim.Time) int64 { return asked })
		if n := supply.Within(0, 30*time.Minute-1, 0); n != want {
			t.Errorf("a ramp of which %d are asked for in each window: %d in two, want %d", asked, n, want)
		}
	}
	// A span inside a run finds a full bucket: 150 and a quarter of 150. Of windows it meets two.
	for _, c := range []struct {
		limit Limit
		want  int64
	}{{perDay, 187}, {fixed, 300}, {sliding, 150}} {
		config := Config{Limits: []Limit{c.limit}}
		if n := config.Supply(0).Within(21*time.Hour, 27*time.Hour, 0); n != c.want {
			t.Errorf("%v: %d in six hours across midnight, want %d", c.limit.Describe(), n, c.want)
		}
	}
	// From 60 s to 90 s the limit of 600 a minute is 60: 100 + 10 x 60 by the first minute, then one a
	// second, then ten again.
	config = Config{
		Limits: []Limit{{Resource: Requests, Amount: 600, Period: time.Minute, Burst: 100}},
		Faults: []Fault{
			{
				At:     time.Minute,
				For:    30 * time.Second,
				Share:  1,
				Effect: ChangeLimit{Resource: Requests, Amount: 60, Period: time.Minute, Burst: 100},
			},
		},
	}
	for at, want := range map[sim.Time]int64{time.Minute: 700, 80 * time.Second: 720, 100 * time.Second: 830} {
		if n := config.Supply(0).Within(0, at, 0); n < want || n > want+2 {
			t.Errorf("%d by %v, want %d and at most two fractions more", n, at, want)
		}
	}
}

// 500 requests of two seconds at nine at once are 56 turns; of 0.1 and 10 s by turns, 2,525 s of
// work at nine are more than 56 turns of the least.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		n, places          int64
		least, total, want time.Duration
	}{
		{500, 9, 2 * time.Second, 1000 * time.Second, 112 * time.Second},
		{500, 9, time.Second / 10, 2525 * time.Second, 2525 * time.Second / 9},
		{9, 9, 2 * time.Second, 18 * time.Second, 2 * time.Second},
		{0, 9, 0, 0, 0},
		{500, 0, 2 * time.Second, 1000 * time.Second, 0}, // no bound on places
	} {
		if got := Turns(c.n, c.places, c.least, c.total); got != c.want {
			t.Errorf("%d at %d: %v, want %v", c.n, c.places, got, c.want)
		}
	}
}
