package provider

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/dialect"
	"stampede/sim"
	"stampede/wire"
)

func TestWindow(t *testing.T) {
	w := NewWindow(10, 60*s, 0)
	w.Advance(50 * s)
	w.Take(10)
	if w.Has(1) || w.Wait(1) != 10*s || w.Wait(11) != sim.Never {
		t.Errorf("full: wait %v and %v, want 10s and never", w.Wait(1), w.Wait(11))
	}
	if w.Advance(60*s - 1); w.Has(1) {
		t.Error("a nanosecond before the reset nothing passes")
	}
	if w.Advance(60 * s); !w.Has(10) || w.Has(11) {
		t.Error("at the reset the new window holds")
	}
	// Across the boundary up to twice the amount in less than one period.
	if w.Take(10); w.Level() != 0 {
		t.Errorf("level %d", w.Level())
	}
	d := NewWindow(5, 24*time.Hour, 23*time.Hour) // an hour before the daily reset
	d.Take(5)
	if d.Wait(1) != time.Hour {
		t.Errorf("daily reset in %v, want 1h", d.Wait(1))
	}
}

func TestSliding(t *testing.T) {
	w := NewSliding(10, 60*s)
	w.Take(4)
	w.Advance(20 * s)
	w.Take(6)
	if w.Has(1) || w.Wait(1) != 40*s || w.Wait(5) != 60*s || w.Wait(11) != sim.Never {
		t.Errorf("full: waits %v %v %v, want 40s 1m0s never", w.Wait(1), w.Wait(5), w.Wait(11))
	}
	if w.Advance(60*s - 1); w.Has(1) {
		t.Error("a nanosecond early")
	}
	if w.Advance(60 * s); !w.Has(4) || w.Has(5) {
		t.Errorf("level %d, want 4", w.Level())
	}
	if w.Give(2, 0); w.Has(5) {
		t.Errorf("level %d after giving back what has grown old, want 4", w.Level())
	}
	if w.Give(2, 20*s); !w.Has(6) {
		t.Errorf("level %d after giving back, want 6", w.Level())
	}
}

// Room for the whole amount comes when the last that still counts grows old: what was
// given back in full, and what counted nothing, is not waited for.
func TestSlidingWaitsForWhatCounts(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *Sliding)
		wait time.Duration // at 30 s, for all of it
	}{
		{"3 at 0 s, 4 at 20 s", func(w *Sliding) {}, 50 * s},
		{"the latter given back", func(w *Sliding) { w.Give(4, 20*s) }, 30 * s},
		{"all given back, the first first", func(w *Sliding) { w.Give(3, 0); w.Give(4, 20*s) }, 0},
		{"nothing counted at 30 s", func(w *Sliding) { w.Take(0) }, 50 * s},
		{"1 counted at 30 s", func(w *Sliding) { w.Take(1) }, 60 * s},
		{"1 counted and given back at 30 s", func(w *Sliding) { w.Take(1); w.Give(1, 30*s) }, 50 * s},
		{"2 of one instant, 1 given back", func(w *Sliding) { w.Take(1); w.Take(1); w.Give(1, 30*s) }, 60 * s},
	} {
		w := NewSliding(10, 60*s)
		w.Take(3)
		w.Advance(20 * s)
		w.Take(4)
		w.Advance(30 * s)
		if c.do(&w); w.Wait(10) != c.wait {
			t.Errorf("%s: wait %v for all, want %v", c.name, w.Wait(10), c.wait)
		}
		now := 30 * s
		if w.Advance(now + c.wait - 1); c.wait > 0 && w.Has(10) {
			t.Errorf("%s: all is there a nanosecond early", c.name)
		}
		if w.Advance(now + c.wait); !w.Has(10) {
			t.Errorf("%s: level %d after the wait, want 10", c.name, w.Level())
		}
	}
}

// What a window gives back of a charge of the window before is lost: 101 and 2,000
// are counted in the second minute, whatever of the first comes back in it.
func TestWindowGivesBackItsOwnOnly(t *testing.T) {
	p := build(
		t,
		Config{
			Limits: []Limit{
				{
					Resource: Tokens,
					Kind:     FixedWindow,
					Amount:   2000,
					Period:   60 * s,
					Charge:   PromptPlusMax,
					Settle:   Refund,
				},
			},
		},
	)
	before := Request{Prompt: 100, MaxTokens: 1900, Admitted: 50 * s}
	receive(p, 50*s, before, 0)
	own := Request{Prompt: 100, MaxTokens: 400, Admitted: 65 * s}
	receive(p, 65*s, own, 0)
	p.Finish(70*s, &before, Used{Output: 1})
	got := describe(receive(p, 71*s, Request{Prompt: 100, MaxTokens: 1500}, 0))
	p.Finish(72*s, &own, Used{Output: 100}) // 300 come back
	got += ", " + describe(receive(p, 73*s, Request{Prompt: 100, MaxTokens: 1600}, 0))
	if want := "429 after 49s, ok"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A change of a limit for some keys names them, and leaves the others alone.
func TestLimitChangesOfAKey(t *testing.T) {
	config := Config{
		Tenants: []Tenant{{Key: "a"}, {Key: "b"}},
		Limits: []Limit{
			{Resource: Requests, Amount: 5, Period: s, Keys: []string{"a"}},
			{Resource: Requests, Amount: 7, Period: s, Keys: []string{"b"}},
		},
		Faults: []Fault{
			{At: s, Share: 1, Effect: ChangeLimit{Resource: Requests, Amount: 2, Period: s, Keys: []string{"b"}}},
		},
	}
	p := build(t, config)
	p.change(s)
	if p.limits[0].Amount != 5 || p.limits[1].Amount != 2 {
		t.Errorf("limits of %d and %d, want 5 and 2", p.limits[0].Amount, p.limits[1].Amount)
	}
	config.Faults[0].Effect = ChangeLimit{Resource: Requests, Amount: 2, Period: s}
	if _, err := New(config, 0); err == nil {
		t.Error("a change that does not say whose limit must be refused")
	}
}

// Of several limits on a resource a change names the one that it means.
func TestLimitChangesByName(t *testing.T) {
	config := func(to ChangeLimit) Config {
		to.Resource, to.Amount, to.Period = Requests, 2, s
		limits := []Limit{
			{Resource: Requests, Amount: 5, Period: s},
			{Resource: Requests, Name: "daily", Amount: 7, Period: 24 * time.Hour},
		}
		if err := NameLimits(limits); err != nil {
			t.Fatal(err)
		}
		return Config{Limits: limits, Faults: []Fault{{At: s, Share: 1, Effect: to}}}
	}
	p := build(t, config(ChangeLimit{Name: "daily"}))
	p.change(s)
	if p.limits[0].Amount != 5 || p.limits[1].Amount != 2 {
		t.Errorf("limits of %d and %d, want 5 and 2", p.limits[0].Amount, p.limits[1].Amount)
	}
	for name, want := range map[string]string{
		"": `a fault changes the limit on requests, of which there are "requests 5/s", "daily"; ` +
			`say which by its name`,
		"weekly": `a fault changes the limit "weekly" on requests, but there is none; ` +
			`the limits are "requests 5/s", "daily"`,
	} {
		if _, err := New(config(ChangeLimit{Name: name}), 0); err == nil || err.Error() != want {
			t.Errorf("a change of %q: %v, want %s", name, err, want)
		}
	}
}

func TestRamp(t *testing.T) {
	r := NewRamp(100, 60*s, 0.5, 15*time.Minute, 0)
	for minute := range 15 { // at the threshold for a quarter of an hour
		r.Advance(time.Duration(minute) * 60 * s)
		if r.Has(101) || !r.Has(100) {
			t.Fatalf("minute %d: level %d, want 100", minute, r.Level())
		}
		r.Take(100)
	}
	for minute := 15; minute < 30; minute++ {
		r.Advance(time.Duration(minute) * 60 * s)
		if r.Level() != 150 {
			t.Fatalf("minute %d: level %d, want half as much again", minute, r.Level())
		}
		r.Take(120)
	}
	if r.Advance(30 * 60 * s); r.Level() != 180 {
		t.Errorf("level %d, want 1.5 x 120", r.Level())
	}
	if r.Advance(75 * 60 * s); r.Level() != 100 {
		t.Errorf("level %d after a span without traffic, want the threshold", r.Level())
	}
}

// Traffic of any size grows: what passes in each quarter of an hour is half as much again
// as in the one before, rounded up, in slices of whole requests. From 1/s: 900, 1,350,
// 2,025, 3,037.5; the second has slices of two in 1.333 s.
func TestRampGrowsFromLittle(t *testing.T) {
	const quarter = 15 * time.Minute
	for _, c := range []struct {
		name  string
		limit Limit
		want  []int         // in each quarter of an hour
		slice time.Duration // from the first to the second slice of the second quarter
	}{
		{"1/s by half", Limit{Amount: 1, Period: s, Growth: 0.5}, []int{900, 1350, 2025, 3038}, 1333333334},
		{"2/s by half", Limit{Amount: 2, Period: s, Growth: 0.5}, []int{1800, 2700, 4050, 6075}, s},
		{"10/min by a tenth", Limit{Amount: 10, Period: 60 * s, Growth: 0.1}, []int{150, 165, 182, 201}, 60 * s},
		{"1 in a quarter of an hour", Limit{Amount: 1, Period: quarter, Growth: 0.5}, []int{1, 2, 3, 5}, quarter},
		{"1/s after 4/s", Limit{Amount: 1, Period: s, Growth: 0.5, Before: 3600}, []int{5400, 8100, 12150}, s},
		{"1/s after less", Limit{Amount: 1, Period: s, Growth: 0.5, Before: 300}, []int{900, 1350, 2025}, 1333333334},
	} {
		c.limit.Resource, c.limit.Kind, c.limit.Every = Requests, RampLimit, quarter
		at := greedy(build(t, Config{Limits: []Limit{c.limit}}), time.Duration(len(c.want))*quarter)
		got := make([]int, len(c.want))
		for _, at := range at {
			got[at/quarter]++
		}
		next := at[slices.IndexFunc(at, func(at time.Duration) bool { return at > quarter })]
		if !slices.Equal(got, c.want) || next-quarter != c.slice {
			t.Errorf("%s: %v passed, slices of %v; want %v, %v", c.name, got, next-quarter, c.want, c.slice)
		}
	}
}

// Whatever passes, no span of a period holds more than a sliding window allows,
// no span between two resets more than a fixed one does, and Wait is exact to
// the nanosecond.
func TestEnvelopeOfTheWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(1, 20).Draw(t, "amount")
		period := time.Duration(rapid.Int64Range(1, 1000).Draw(t, "period"))
		fixed, sliding := NewWindow(amount, period, 0), NewSliding(amount, period)
		var passes [2][]pass
		now := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, 300).Draw(t, "gap"))
			n := rapid.Int64Range(1, amount).Draw(t, "n")
			for k, m := range []meter{&fixed, &sliding} {
				m.Advance(now)
				if wait := m.Wait(n); wait > 0 {
					if k == 1 {
						if left := remaining(passes[1], now+wait-1, period); left+n <= amount {
							t.Fatalf("sliding: would have passed before %v", wait)
						}
						if left := remaining(passes[1], now+wait, period); left+n > amount {
							t.Fatalf("sliding: would not pass after %v", wait)
						}
						continue
					}
					copied := fixed
					copied.Advance(now + wait - 1)
					early := copied.Has(n)
					copied.Advance(now + wait)
					if early || !copied.Has(n) {
						t.Fatalf("fixed: wait %v is not exact", wait)
					}
					continue
				}
				m.Take(n)
				passes[k] = append(passes[k], pass{now, n})
			}
		}
		for _, p := range passes[1] {
			sum := int64(0)
			for _, q := range passes[1] {
				if q.at >= p.at && q.at < p.at+period {
					sum += q.n
				}
			}
			if sum > amount {
				t.Fatalf("sliding: %d in the period from %v, allowed %d", sum, p.at, amount)
			}
		}
		sums := map[int64]int64{}
		for _, p := range passes[0] {
			if sums[int64(p.at/period)] += p.n; sums[int64(p.at/period)] > amount {
				t.Fatalf("fixed: more than %d in window %d", amount, int64(p.at/period))
			}
		}
	})
}

// pass is something that passed.
type pass struct {
	at time.Duration
	n  int64
}

// remaining is what still counts at an instant.
func remaining(passes []pass, now, period time.Duration) (sum int64) {
	for _, p := range passes {
		if p.at+period > now {
			sum += p.n
		}
	}
	return sum
}

// A fixed window of N, dropping Poisson requests of mean m = N a window, refuses
// E(X-N)+/m, X Poisson(m): the table of closed forms. 30 replications of 3,000
// windows (120 for 600); 99 % t-interval.
func TestDroppingWindow(t *testing.T) {
	for _, c := range []struct {
		n    int64
		lost float64
	}{{1, 0.36788}, {6, 0.16062}, {10, 0.12511}, {60, 0.0514}, {600, 0.01628}} {
		const replications, t995 = 30, 2.756
		windows := max(120, 18_000/int(c.n))
		var m sim.Moments
		for r := range replications {
			key := sim.NewKey(11, r)
			w := NewWindow(c.n, s, 0)
			now, lost, all := time.Duration(0), 0, 0
			for i := uint64(0); now < time.Duration(windows)*s; i++ {
				now += time.Duration(-math.Log(key.Uniform(i, 0)) / float64(c.n) * float64(s))
				w.Advance(now)
				if all++; !w.Has(1) {
					lost++
					continue
				}
				w.Take(1)
			}
			m.Add(float64(lost) / float64(all))
		}
		half := t995*m.StdDev()/math.Sqrt(replications) + 0.00005 // and half a unit of the table
		if math.Abs(m.Mean()-c.lost) > half || half > 0.05*c.lost+0.001 {
			t.Errorf("N = %d: %.5f +- %.5f refused, want %.5f", c.n, m.Mean(), half, c.lost)
		}
	}
}

// What one request of 1,000 tokens (400 of them cached), 2,000 max_tokens and 300
// tokens of answer counts at admission and in the end.
func TestChargesAndSettlements(t *testing.T) {
	r := Request{Prompt: 1000, Cached: 400, MaxTokens: 2000}
	for _, c := range []struct {
		name         string
		l            Limit
		charge, last int64
	}{
		{"requests", Limit{Resource: Requests}, 1, 1},
		{"OpenAI", Limit{Resource: Tokens, Charge: MaxOrEstimate, Cached: CacheCounts, Estimate: 1.1}, 2000, 2000},
		{"OpenAI, long prompt", Limit{Resource: Tokens, Charge: MaxOrEstimate, Cached: CacheCounts, Estimate: 2.5},
			2500, 2500},
		{"Azure", Limit{Resource: Tokens, Charge: PromptPlusMax, Cached: CacheCounts}, 3000, 3000},
		{"PTU: cached tokens do not count, corrected to the actual",
			Limit{Resource: Tokens, Charge: PromptPlusMax, Settle: Refund}, 2600, 900},
		{"Bedrock: cached count at first, output five times in the end",
			Limit{Resource: Tokens, Charge: PromptPlusMax, Cached: CacheCounts, Settle: Multiply,
				Output: 5}, 3000, 2500},
		{"Bedrock: cached are released", Limit{Resource: Tokens, Charge: PromptPlusMax, Cached: CacheReleased,
			Settle: Multiply, Output: 5}, 3000, 2100},
		{"dollars", Limit{Resource: Dollars}, 0, 77},
		{"requests at once", Limit{Resource: Concurrency}, 1, 0},
		{"Bedrock, output 15 times: more than was reserved",
			Limit{Resource: Tokens, Charge: PromptPlusMax, Cached: CacheCounts, Settle: Multiply,
				Output: 15}, 3000, 5500},
		{"Anthropic input", Limit{Resource: InputTokens, Charge: EstimatedPrompt, Estimate: 1.2, Settle: Refund}, 720,
			600},
		{"Anthropic input, estimated too low", Limit{Resource: InputTokens, Charge: EstimatedPrompt, Estimate: 0.8,
			Settle: TrueUsage}, 480, 600},
		{"a refund takes nothing that was estimated too low",
			Limit{Resource: InputTokens, Charge: EstimatedPrompt, Estimate: 0.8, Settle: Refund}, 480, 480},
		{"a refund of a prompt knows no output", Limit{Resource: Tokens, Charge: Prompt, Cached: CacheCounts,
			Settle: Refund}, 1000, 1000},
		{"of a prompt, its cached tokens released",
			Limit{Resource: Tokens, Charge: Prompt, Cached: CacheReleased, Settle: Refund}, 1000, 600},
		{"of an estimate of all tokens", Limit{Resource: Tokens, Charge: EstimatedPrompt, Estimate: 1.5,
			Cached: CacheCounts, Settle: Refund}, 1500, 1000},
		{"of the larger of two", Limit{Resource: Tokens, Charge: MaxOrEstimate, Cached: CacheCounts, Settle: Refund},
			2000, 1300},
		{"of a limit on input", Limit{Resource: InputTokens, Charge: PromptPlusMax, Cached: CacheCounts,
			Settle: Refund}, 3000, 1000},
		{"prompt and then what was used", Limit{Resource: Tokens, Charge: Prompt, Cached: CacheCounts,
			Settle: TrueUsage}, 1000, 1300},
		{"Anthropic output", Limit{Resource: OutputTokens, Charge: AsProduced}, 0, 300},
		{"Gemini", Limit{Resource: InputTokens, Cached: CacheCounts}, 1000, 1000},
		{"all tokens as produced", Limit{Resource: Tokens, Charge: AsProduced, Cached: CacheCounts}, 0, 1300},
	} {
		c.l.Amount, c.l.Period = 100_000, 60*s
		if c.l.Resource == Concurrency {
			c.l.Period = 0
		}
		l := newLimiter(c.l, Config{})
		if got := l.charge(&r); got != c.charge {
			t.Errorf("%s: charged %d, want %d", c.name, got, c.charge)
		}
		used := Used{Output: 300, Nano: 77}
		l.take(l.charge(&r))
		l.settle(0, &r, used)
		if got := l.final(&r, used); got != c.last {
			t.Errorf("%s: counts %d in the end, want %d", c.name, got, c.last)
		}
		if got := 100_000 - l.meter.Level(); got != c.last {
			t.Errorf("%s: %d were taken in the end, want %d", c.name, got, c.last)
		}
	}
}

// Calls of 100 + 900 tokens, one a second for ten minutes, at 6,000 tokens a minute charged
// with the prompt: the bucket gets 100 a second, so all pass where the output does not count.
// Where it does, 6,000 + 100 x 600 tokens are enough for 66, and one more may overdraw.
func TestPromptChargedAndSettled(t *testing.T) {
	for settle, want := range map[Settle][2]int{Keep: {600, 600}, Refund: {600, 600}, TrueUsage: {60, 67}} {
		p := build(t,
			Config{Limits: []Limit{{Resource: Tokens, Amount: 6000, Period: 60 * s, Charge: Prompt, Settle: settle}}})
		passed := 0
		for i := range 600 {
			now := time.Duration(i) * s
			r := Request{Call: uint64(i), Prompt: 100, MaxTokens: 1000, Admitted: now}
			if receive(p, now, r, 0).Kind == Admitted {
				passed++
				p.Finish(now+s/2, &r, Used{Output: 900})
			}
		}
		if passed < want[0] || passed > want[1] {
			t.Errorf("%v: %d passed, want %v", settle, passed, want)
		}
	}
}

func TestRejectedRequestsCount(t *testing.T) {
	for rule, want := range map[Rejected][]int64{Free: {0, 0, 0, 0}, ToZero: {0, 0, 0, 0}, IntoDebt: {-1, -2, -2, -2}} {
		p := build(t, Config{Limits: []Limit{{Resource: Requests, Amount: 2, Period: s, Burst: 2, Rejected: rule}}})
		receive(p, 0, Request{}, 0)
		receive(p, 0, Request{}, 0)
		for i, level := range want {
			if receive(p, 0, Request{}, 0); p.limits[0].meter.Level() != level {
				t.Errorf("%v, rejection %d: level %d, want %d", rule, i+1, p.limits[0].meter.Level(), level)
			}
		}
	}
	// Of half a token, a rejection to zero takes the half.
	half := build(t, Config{Limits: []Limit{{Resource: Requests, Amount: 1, Period: s, Rejected: ToZero}}})
	receive(half, 0, Request{}, 0)
	receive(half, 500*ms, Request{}, 0)
	if got := describe(receive(half, 1499*ms, Request{}, 0)); got != "429 after 1s" {
		t.Errorf("just before a whole second after a rejection: %s, want 429 after 1s", got)
	}
	p := build(
		t,
		Config{
			Limits: []Limit{
				{Resource: Requests, Amount: 1, Period: s, Burst: 3, Rejected: ToZero},
				{Resource: Tokens, Amount: 10, Period: s, Charge: Prompt},
			},
		},
	)
	receive(p, 0, Request{Prompt: 10}, 0)
	if receive(p, 0, Request{Prompt: 10}, 0); p.limits[0].meter.Level() != 1 {
		t.Errorf("refused for tokens, a request counts all the same: level %d, want 1", p.limits[0].meter.Level())
	}
}

// Of a limit of two in a window, which requests count: refusals by it and by another, errors of a fault, want of
// a place, an answer, a stream that broke. Each row says what is left of 10 after such a request.
func TestWhichRequestsCount(t *testing.T) {
	fault := func(counted FaultCounted) []Fault {
		return []Fault{{At: 10 * s, Share: 1, Counted: counted, Effect: Reject{Reply: wire.Reply{Status: 503}}}}
	}
	for _, c := range []struct {
		counted Counted
		fault   FaultCounted
		want    string // left after: an admission, a refusal elsewhere, no place, a broken end, an answer, a fault
	}{
		{CountAdmitted, AsLimits, "9 9 9 9 8 8"},
		{CountAdmitted, AllLimits, "9 9 9 9 8 7"},
		{CountAdmitted, NoLimits, "9 9 9 9 8 8"},
		{CountAttempts, AsLimits, "9 8 7 7 6 5"},
		{CountAttempts, AllLimits, "9 8 7 7 6 5"},
		{CountAttempts, NoLimits, "9 8 7 7 6 6"},
		{CountAnswered, AsLimits, "10 10 10 10 9 9"},
		{CountAnswered, AllLimits, "10 10 10 10 9 9"}, // a fault answers nothing
	} {
		p := build(t, Config{
			Limits: []Limit{
				{Resource: Requests, Kind: FixedWindow, Amount: 10, Period: 3600 * s, Counted: c.counted},
				{Resource: InputTokens, Kind: FixedWindow, Amount: 100, Period: 3600 * s, Charge: Prompt},
			},
			Capacity: Capacity{Slots: 1},
			Faults:   fault(c.fault),
		})
		got := ""
		step := func() { got += fmt.Sprint(p.limits[0].meter.Level(), " ") }
		r := Request{Call: 1, Prompt: 1}
		receive(p, 0, r, 0)
		step()
		receive(p, 0, Request{Prompt: 1000}, 0)
		step()
		receive(p, 0, Request{Prompt: 1}, 0) // the slot is taken
		step()
		p.Finish(s, &r, Used{})
		step()
		receive(p, 2*s, r, 0)
		p.Finish(3*s, &r, Used{Answered: true})
		step()
		receive(p, 10*s, r, 0)
		step()
		if got != c.want+" " {
			t.Errorf("%v, a fault that counts %d: left %s, want %s", c.counted, c.fault, got, c.want)
		}
	}
	// It never takes more than is there, unless into debt: of a daily quota of two, three errors leave none, and
	// the day's end brings both back.
	for rejected, want := range map[Rejected]string{Free: "1 0 0 ok", IntoDebt: "1 0 -1 ok"} {
		p := build(t, Config{
			Limits: []Limit{{Resource: Requests, Kind: FixedWindow, Amount: 2, Period: 24 * 3600 * s,
				Counted: CountAttempts, Rejected: rejected}},
			Faults: []Fault{{For: 3600 * s, Share: 1, Effect: Reject{Reply: wire.Reply{Status: 500}}}},
		})
		got := ""
		for range 3 {
			receive(p, 0, Request{}, 0)
			got += fmt.Sprint(p.limits[0].meter.Level(), " ")
		}
		if got += describe(receive(p, 24*3600*s, Request{}, 0)); got != want {
			t.Errorf("%v: %s, want %s", rejected, got, want)
		}
	}
}

// A limit of 100 tokens a minute that counts answers, as Envoy AI Gateway does, knows nothing of requests under
// way: three of 60 tokens pass at once, and the next is refused once two of them are answered.
func TestCountsAfterTheAnswer(t *testing.T) {
	p := build(t, Config{Limits: []Limit{{Resource: Tokens, Kind: FixedWindow, Amount: 100, Period: 60 * s,
		Counted: CountAnswered, Charge: AsProduced, Settle: Refund}}})
	r := Request{Prompt: 40, MaxTokens: 1000}
	got := ""
	for range 3 {
		got += describe(receive(p, 0, r, 0)) + ", "
	}
	p.Finish(s, &r, Used{Output: 20, Answered: true})
	got += describe(receive(p, s, r, 0)) + ", "
	p.Finish(2*s, &r, Used{Output: 20}) // its client has gone
	got += describe(receive(p, 2*s, r, 0)) + ", "
	p.Finish(3*s, &r, Used{Output: 20, Answered: true})
	got += describe(receive(p, 3*s, r, 0))
	if want := "ok, ok, ok, ok, ok, 429 after 57s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// greedy is when requests pass that always wait as they are told, until the end.
func greedy(p *Provider, end time.Duration) (at []time.Duration) {
	for now, i := time.Duration(0), uint64(0); now < end; i++ {
		v := receive(p, now, Request{Call: i}, 0)
		if v.Kind == Admitted {
			at = append(at, now)
			continue
		}
		wait, _ := v.Reply.RetryAfter.Wait(now)
		now += max(wait, 1)
	}
	return at
}

// Slices hold whole requests and last as long as their share of the period: with a =
// amount x quantum / period, ceil(a) requests in each ceil(a) x period / amount. However
// short they are, no more passes than the amount in a period.
func TestSlices(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		amount          int64
		period, quantum time.Duration
		atOnce          int
		second          time.Duration // when the next slice begins
		windows         int           // by windows: in two periods, twice the amount
		bucket          int           // by a bucket: ceil(a) and then amount/period
	}{
		{60, 60 * s, s, 1, s, 120, 120},
		{10, 60 * s, s, 1, 6 * s, 20, 20},
		{90, 60 * s, s, 2, 1333333334, 180, 181}, // 2 + 1.5 x 119.99
		{100, day, s, 1, 864 * s, 200, 200},
		{120, 60 * s, 10 * s, 20, 10 * s, 240, 259}, // 20 + 2 x 119.99
		{100, 60 * s, 7 * s, 12, 7200 * ms, 200, 211},
		{60, 60 * s, 60 * s, 60, 60 * s, 120, 179},
	} {
		for _, kind := range []Kind{FixedWindow, SlidingWindow, TokenBucket} {
			l := Limit{Resource: Requests, Kind: kind, Amount: c.amount, Period: c.period, Quantum: c.quantum}
			at := greedy(build(t, Config{Limits: []Limit{l}}), 2*c.period)
			n := 0
			for n < len(at) && at[n] == 0 {
				n++
			}
			if n != c.atOnce || int(l.MaxAtOnce()) != c.atOnce {
				t.Errorf("%v: %d at once, the most is %d, want %d", l.Describe(), n, l.MaxAtOnce(), c.atOnce)
			}
			if kind == TokenBucket {
				if len(at) != c.bucket {
					t.Errorf("%v: %d in two periods, want %d", l.Describe(), len(at), c.bucket)
				}
				continue
			}
			if at[n] != c.second {
				t.Errorf("%v: the second slice at %v, want %v", l.Describe(), at[n], c.second)
			}
			if len(at) != c.windows {
				t.Errorf("%v: %d in two periods, want %d", l.Describe(), len(at), c.windows)
			}
		}
	}
}

// On random traffic no period and no slice passes more than it holds, and Wait is exact to
// the nanosecond, by the definitions: the slices of a fixed window are counted from its
// start, a sliding one holds over any span.
func TestEnvelopeOfTheSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(1, 20).Draw(t, "amount")
		period := time.Duration(rapid.Int64Range(1, 1000).Draw(t, "period"))
		quantum := time.Duration(rapid.Int64Range(1, int64(period)).Draw(t, "quantum"))
		offset := time.Duration(rapid.Int64Range(0, int64(period)-1).Draw(t, "offset"))
		n := (amount*int64(quantum) + int64(period) - 1) / int64(period)
		span := time.Duration((n*int64(period) + amount - 1) / amount)
		if span < quantum || span > period {
			t.Fatalf("a slice of %v, the quantum is %v", span, quantum)
		}
		inFixed := func(passes []pass, at time.Duration) (whole, slice int64) {
			at += offset
			for _, p := range passes {
				if was := p.at + offset; was/period == at/period {
					whole += p.n
					if was%period/span == at%period/span {
						slice += p.n
					}
				}
			}
			return whole, slice
		}
		inSliding := func(passes []pass, at time.Duration) (whole, slice int64) {
			return remaining(passes, at, period), remaining(passes, at, span)
		}
		for _, c := range []struct {
			m    meter
			used func([]pass, time.Duration) (int64, int64)
		}{
			{newSlicedWindow(amount, period, offset, quantum), inFixed},
			{newSlicedSliding(amount, period, quantum), inSliding},
		} {
			var passes []pass
			now := time.Duration(0)
			for range rapid.IntRange(1, 60).Draw(t, "steps") {
				now += time.Duration(rapid.Int64Range(0, 300).Draw(t, "gap"))
				k := rapid.Int64Range(1, n).Draw(t, "n")
				has := func(at time.Duration) bool {
					whole, slice := c.used(passes, at)
					return whole+k <= amount && slice+k <= n
				}
				c.m.Advance(now)
				wait := c.m.Wait(k)
				if wait > 0 && has(now+wait-1) || !has(now+wait) {
					t.Fatalf("%T: at %v a wait of %v for %d is not exact", c.m, now, wait, k)
				}
				if c.m.Has(k) != has(now) {
					t.Fatalf("%T: at %v Has(%d) = %v", c.m, now, k, c.m.Has(k))
				}
				if wait == 0 {
					c.m.Take(k)
					passes = append(passes, pass{now, k})
				}
			}
		}
	})
}

// A quantum turns 60 a minute into 1 a second, in each kind's own way.
func TestQuantum(t *testing.T) {
	for kind, want := range map[Kind]string{
		TokenBucket:   "ok 429 after 1s ok",
		FixedWindow:   "ok 429 after 1s ok",
		SlidingWindow: "ok 429 after 1s ok",
	} {
		p := build(t,
			Config{Limits: []Limit{{Resource: Requests, Kind: kind, Amount: 60, Period: 60 * s, Quantum: s}}})
		got := describe(receive(p, 0, Request{}, 0)) + " " + describe(
			receive(p, 0, Request{Call: 1}, 0)) + " " + describe(receive(p, s, Request{Call: 1}, 0))
		if got != want {
			t.Errorf("%v: %s, want %s", kind, got, want)
		}
	}
}

// A leaky bucket of ten, which drains one a second, takes any request while it is
// not over the brim: one of 25 at once, then none until the overflow has drained.
func TestLeakyBucket(t *testing.T) {
	p := build(
		t,
		Config{
			Limits: []Limit{
				{
					Resource: Tokens,
					Kind:     LeakyBucket,
					Amount:   60,
					Period:   60 * s,
					Burst:    10,
					Charge:   Prompt,
					Settle:   Refund,
				},
			},
		},
	)
	r := Request{Prompt: 25}
	got := describe(receive(p, 0, r, 0)) + ", " + describe(
		receive(p, 0, r, 0)) + ", " + describe(receive(p, 15*s-1, r, 0)) + ", " + describe(
		receive(p, 15*s, r, 0),
	)
	if want := "ok, 429 after 15s, 429 after 1ns, ok"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	exact := build(
		t,
		Config{
			Limits: []Limit{
				{Resource: Tokens, Kind: LeakyBucket, Amount: 60, Period: 60 * s, Burst: 10, Charge: Prompt},
			},
		},
	)
	got = describe(receive(exact, 0, Request{Prompt: 10}, 0)) + ", " + describe(
		receive(exact, 0, Request{Prompt: 10}, 0)) + ", " + describe(receive(exact, 0, Request{Prompt: 10}, 0))
	if want := "ok, ok, 429 after 10s"; got != want { // full to the brim is not over it
		t.Errorf("%s, want %s", got, want)
	}
}

// A limit on dollars knows what a request costs only when it has ended: it lets in
// whatever comes while a nano-dollar is left, and then waits for the window.
func TestDollars(t *testing.T) {
	p := build(t, Config{Limits: []Limit{{Resource: Dollars, Kind: SlidingWindow, Amount: 10, Period: 600 * s}}})
	got := describe(receive(p, 0, Request{}, 0)) + ", " + describe(receive(p, 0, Request{}, 0))
	p.Finish(s, &Request{}, Used{Nano: 9})
	got += ", " + describe(receive(p, s, Request{}, 0))
	p.Finish(2*s, &Request{}, Used{Nano: 9})
	got += ", " + describe(receive(p, 3*s, Request{}, 0)) + ", " + describe(receive(p, 601*s, Request{}, 0))
	if want := "ok, ok, ok, 429, ok"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p.Spend(602*s, &Request{}, 100) // for a refusal that was billed
	if got := describe(receive(p, 602*s, Request{}, 0)); got != "429" {
		t.Errorf("after another 100: %s, want 429", got)
	}
}

// A limit of 2 a minute that becomes 4 once 10 nano-dollars were billed and 1 after 30: the window that is under way
// has what the new amount leaves. A bill under a key that the limit does not count changes nothing.
func TestTiersBySpend(t *testing.T) {
	p := build(t, Config{
		Tenants: []Tenant{{Key: "a"}, {Key: "b"}},
		Limits: []Limit{{Resource: Requests, Kind: FixedWindow, Amount: 2, Period: 60 * s, Keys: []string{"a"},
			Tiers: []SpendTier{{Spent: 10, Amount: 4}, {Spent: 30, Amount: 1}}}},
	})
	got := ""
	send := func(now time.Duration) { got += describe(receive(p, now, Request{}, 0)) + " " }
	send(0)
	send(0)
	p.Finish(s, &Request{Tenant: 1}, Used{Nano: 1000})
	p.Finish(s, &Request{}, Used{Nano: 9})
	got += fmt.Sprint(p.limits[0].meter.Level(), " ")
	p.Spend(2*s, &Request{}, 1) // for a refusal that was billed
	got += fmt.Sprint(p.limits[0].meter.Level(), " ")
	send(2 * s)
	p.Finish(3*s, &Request{}, Used{Nano: 25})
	got += fmt.Sprint(p.limits[0].meter.Level(), " ")
	send(60 * s)
	send(60 * s)
	if want := "ok ok 0 2 ok -2 ok 429 after 1m0s "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// What it admitted: 2, 2 more at 2 s, and 1 in the second minute.
	if u := p.Use(61 * s)[0]; u != (Use{4, 5}) {
		t.Errorf("used %v, want 4 of 5", u)
	}
}

// A balance of 20 of which 3 are gone lets in whatever comes while a nano-dollar is left, and nothing ever after.
func TestBalance(t *testing.T) {
	p := build(t, Config{Dialect: dialect.OpenAI, Limits: []Limit{
		{Resource: Dollars, Kind: Balance, Amount: 20, Used: 3, Period: sim.End},
	}})
	got := ""
	for day := range time.Duration(4) {
		got += describe(receive(p, day*24*3600*s, Request{}, 0)) + " "
		p.Finish(day*24*3600*s, &Request{}, Used{Nano: 9})
	}
	v := receive(p, 100*24*3600*s, Request{}, 0)
	if want := "ok ok 429 429 "; got != want || v.Reply.Code != "credit_balance_exhausted" ||
		p.limits[0].wait(0) != sim.Never {
		t.Errorf("%s, then %+v; want %s and credit_balance_exhausted", got, v.Reply, want)
	}
}

// Limits of some keys or models count only those; one of all counts everybody.
func TestScopes(t *testing.T) {
	limit := func(n int64, keys, models []string) Limit {
		return Limit{Resource: Requests, Amount: n, Period: 60 * s, Keys: keys, Models: models}
	}
	p := build(t, Config{
		Tenants: []Tenant{{Key: "a", Model: "small"}, {Key: "b", Model: "small"}, {Key: "b", Model: "large"}},
		Limits:  []Limit{limit(1, []string{"a"}, nil), limit(2, nil, []string{"large", "huge"}), limit(4, nil, nil)},
	})
	got := ""
	for _, tenant := range []int{0, 0, 2, 2, 2, 1, 1} {
		got += fmt.Sprintf("%d %s, ", tenant, describe(receive(p, 0, Request{Tenant: tenant}, 0)))
	}
	if want := "0 ok, 0 429 after 1m0s, 2 ok, 2 ok, 2 429 after 30s, 1 ok, 1 429 after 15s, "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A ramp over a short span is a limit on acceleration: far below the limit of 1,000 a
// minute, a rise from 20 to 100 a minute is refused, with its own code, and a rise
// by half is not.
func TestAcceleration(t *testing.T) {
	limits := []Limit{
		{Resource: Requests, Amount: 1000, Period: 60 * s},
		{Resource: Requests, Kind: RampLimit, Amount: 20, Period: 60 * s, Growth: 0.5, Every: 60 * s},
	}
	for _, c := range []struct {
		perMinute []int // requests, minute after minute
		refused   []int
	}{
		{[]int{20, 30, 45, 67}, []int{0, 0, 0, 0}},
		{[]int{20, 100, 100}, []int{0, 70, 55}}, // the ceiling grows by half of what was let in: 30, 45
	} {
		p := build(t, Config{Limits: limits})
		for minute, n := range c.perMinute {
			refused := 0
			for i := range n {
				v := receive(p, time.Duration(minute)*60*s, Request{Call: uint64(i)}, 0)
				if v.Kind == Refused {
					refused++
					if v.Reply.Code != "slow_down" || v.Reply.Status != 429 {
						t.Fatalf("refused with %+v, want 429 slow_down", v.Reply)
					}
				}
			}
			if refused != c.refused[minute] {
				t.Errorf("%v: %d refused in minute %d, want %d", c.perMinute, refused, minute, c.refused[minute])
			}
		}
	}
}

// The counters after 3 of 10 requests a minute and 600 of 1,000 tokens a minute: what
// is left, and when all of it is back, 3 x 6 s and 600 x 60 ms. With the counters of
// a refusal stands what is left then.
func TestQuotas(t *testing.T) {
	p := build(t, Config{Limits: []Limit{
		{Resource: Requests, Amount: 10, Period: 60 * s},
		{Resource: Requests, Amount: 500, Period: 24 * time.Hour, Hidden: true},
		{Resource: Tokens, Amount: 1000, Period: 60 * s, Charge: Prompt},
		{Resource: Concurrency, Amount: 50},
	}})
	want := wire.Quotas{{Limit: 10, Remaining: 7, Reset: 18 * s}, {Limit: 1000, Remaining: 400, Reset: 36 * s}}
	var v received
	for range 3 {
		v = receive(p, 0, Request{Prompt: 200}, 0)
	}
	if v.Reply.Status != 200 || v.Reply.Quotas != want {
		t.Errorf("%+v, want 200 with %+v", v.Reply, want)
	}
	v = receive(p, 6*s, Request{Prompt: 501}, 0)
	want = wire.Quotas{{Limit: 10, Remaining: 8, Reset: 12 * s}, {Limit: 1000, Remaining: 500, Reset: 30 * s}}
	if v.Kind != Refused || v.Reply.Quotas != want {
		t.Errorf("%+v, want a refusal with %+v", v.Reply, want)
	}
	g := Gateway{StripQuotas: true}
	if g.Pass(&v.Reply); v.Reply.Quotas != (wire.Quotas{}) {
		t.Error("a gateway that strips the counters must")
	}
	window := build(
		t,
		Config{
			Dialect: dialect.Azure,
			Limits:  []Limit{{Resource: Requests, Kind: FixedWindow, Amount: 120, Period: 60 * s, Quantum: 10 * s}},
		},
	)
	// 4.5 s, in whole seconds
	if q := receive(window, 5500*ms, Request{}, 0).Reply.Quotas[wire.RequestQuota]; q != (wire.Quota{Limit: 20,
		Remaining: 19, Reset: 5 * s}) {
		t.Errorf("Azure enforces 120 a minute as 20 in ten seconds: %+v", q)
	}
}

// Nothing that a request will turn out to be enters its admission: on random limits,
// two providers that meet the same requests, whose answers have other lengths and end
// after the last arrival, decide the same. Trap 12: admission that reads the true length.
func TestAdmissionKnowsNothingOfTheAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var limits []Limit
		for i := range rapid.IntRange(1, 4).Draw(t, "limits") {
			name := fmt.Sprint(i)
			limits = append(limits, Limit{
				Resource: rapid.SampledFrom([]Resource{Requests, Tokens, InputTokens, OutputTokens, Dollars}).
					Draw(t, "resource"+name),
				Kind: rapid.SampledFrom([]Kind{TokenBucket, FixedWindow, SlidingWindow, RampLimit, LeakyBucket}).
					Draw(t, "kind"+name),
				Amount: rapid.Int64Range(1, 5000).Draw(t, "amount"+name), Period: s, Every: 2 * s, Growth: 0.5,
				Charge: Charge(
					rapid.IntRange(0, 4).Draw(t, "charge"+name),
				), Settle: Settle(rapid.IntRange(0, 3).Draw(t, "settle"+name)), Output: 5,
				Rejected: Rejected(rapid.IntRange(0, 2).Draw(t, "rejected"+name)),
				Counted:  Counted(rapid.IntRange(0, 2).Draw(t, "counted"+name)),
			})
			if l := &limits[i]; l.Counted == CountAnswered {
				l.Charge = AsProduced
			}
		}
		short, err := New(Config{Limits: limits}, 1)
		if err != nil {
			t.Fatal(err)
		}
		long, _ := New(Config{Limits: limits}, 1)
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 40).Draw(t, "requests") {
			now += time.Duration(rapid.Int64Range(0, int64(s)).Draw(t, "gap"))
			r := Request{
				Call:      uint64(i),
				Attempt:   1,
				Prompt:    rapid.IntRange(1, 500).Draw(t, "prompt"),
				MaxTokens: rapid.IntRange(0, 500).Draw(t, "max"),
			}
			a, b := receive(short, now, r, 0), receive(long, now, r, 0)
			if a != b {
				t.Fatalf("request %d: %+v and %+v", i, a, b)
			}
			if a.Kind == Admitted { // known only now
				short.Generate(now, &r, 1, 0, 1)
				long.Generate(now, &r, 1, 0, 10_000)
			}
		}
	})
}

// On random limits, traffic and settlements what a limit counts follows its charges:
// what was taken less what was given back is what its requests count in the end, and
// no more passes in any window than the limit allows at admission.
func TestSettlementOnRandomLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Limit{
			Resource: rapid.SampledFrom([]Resource{Tokens, InputTokens, OutputTokens}).Draw(t, "resource"),
			Kind:     rapid.SampledFrom([]Kind{TokenBucket, FixedWindow, SlidingWindow, LeakyBucket}).Draw(t, "kind"),
			Amount: rapid.Int64Range(1, 5000).
				Draw(t, "amount"),
			Period: 60 * s, Cached: Cached(rapid.IntRange(0, 2).Draw(t, "cached")),
			Charge: Charge(
				rapid.IntRange(0, 4).Draw(t, "charge"),
			), Settle: Settle(rapid.IntRange(0, 3).Draw(t, "settle")), Output: int64(rapid.IntRange(1, 15).Draw(t,
				"factor")),
			Estimate: rapid.SampledFrom([]float64{0, 0.8, 1.5}).Draw(t, "estimate"),
		}
		if l.Counted = Counted(rapid.IntRange(0, 2).Draw(t, "counted")); l.Counted == CountAnswered {
			l.Charge = AsProduced
		}
		p, err := New(Config{Limits: []Limit{l}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		var wantTaken, wantGiven, settledSum int64
		now := time.Duration(0)
		type inFlight struct {
			r    Request
			used Used
		}
		var flying []inFlight
		for i := range rapid.IntRange(1, 40).Draw(t, "requests") {
			now += time.Duration(rapid.Int64Range(0, int64(20*s)).Draw(t, "gap"))
			r := Request{
				Call:      uint64(i),
				Prompt:    rapid.IntRange(1, 900).Draw(t, "prompt"),
				MaxTokens: rapid.IntRange(0, 900).Draw(t, "max"),
			}
			r.Cached = rapid.IntRange(0, r.Prompt).Draw(t, "cache")
			if v := receive(p, now, r, 0); v.Kind == Admitted {
				wantTaken += l.Counts(r)
				used := Used{Output: rapid.IntRange(0, 900).Draw(t, "output")}
				used.Answered = rapid.Bool().Draw(t, "answered")
				flying = append(flying, inFlight{r, used})
			} else {
				wantTaken += v.Charged // what is refused may count, and is never given back
				settledSum += v.Charged
			}
			if len(flying) > 0 && rapid.Bool().Draw(t, "one ends") {
				f := flying[0]
				flying = flying[1:]
				p.Finish(now, &f.r, f.used)
				settled, refunded := p.Settle(&f.r, f.used)
				if l.Settle == Refund && l.Charge != AsProduced && refunded < 0 {
					t.Fatalf("a refund took %d", -refunded)
				}
				if settled+refunded != l.Counts(f.r) || settled != l.Ends(f.r, f.used) {
					t.Fatalf("settled %d and refunded %d of %d", settled, refunded, l.Counts(f.r))
				}
				wantGiven += refunded
				settledSum += settled
			}
		}
		for _, f := range flying {
			p.Finish(now, &f.r, f.used)
			settled, refunded := p.Settle(&f.r, f.used)
			wantGiven += refunded
			settledSum += settled
		}
		if got := p.Ledger(); got != (Ledger{wantTaken, wantGiven}) || got.Taken-got.Given != settledSum {
			t.Fatalf("ledger %+v, want taken %d, given %d, the difference %d", got, wantTaken, wantGiven, settledSum)
		}
	})
}
