package provider

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/dialect"
	"stampede/law"
	"stampede/sim"
	"stampede/wire"
)

const s, ms = time.Second, time.Millisecond

// The waits that OpenAI and Groq printed in 14 published refusals are those of a
// continuously refilled bucket, (used + requested - limit) / (limit / window),
// to the digits printed.
func TestPublishedWaits(t *testing.T) {
	const minute, day = 60 * s, 24 * time.Hour
	for _, c := range []struct {
		who                    string
		limit, used, requested int64
		window                 time.Duration
		printed                string
		digit                  time.Duration
	}{
		{"OpenAI TPM", 50_000, 47_949, 3_006, minute, "1.146s", ms},
		{"OpenAI TPM", 200_000, 195_869, 4_412, minute, "84ms", ms},
		{"OpenAI TPM", 30_000, 22_999, 12_528, minute, "11.054s", ms},
		{"OpenAI TPM", 500_000, 500_000, 83_734, minute, "10.048s", ms},
		{"OpenAI RPM", 3, 3, 1, minute, "20s", ms},
		{"OpenAI RPM", 500, 500, 1, minute, "120ms", ms},
		{"OpenAI RPD", 10_000, 10_000, 1, day, "8.64s", ms},
		{"OpenAI RPD", 200, 200, 1, day, "7m12s", ms},
		{"OpenAI RPD", 50, 50, 1, day, "28m48s", ms},
		{"Groq TPM", 6_000, 4_093, 3_531, minute, "16.239999999s", 2},
		{"Groq TPM", 8_000, 7_297, 974, minute, "2.0325s", 1},
		{"Groq TPD", 100_000, 99_996, 484, day, "6m54.72s", 1},
		{"Groq TPD", 200_000, 197_494, 4_035, day, "11m0.528s", 1},
		{"Groq TPD", 200_000, 199_336, 1_524, day, "6m11.52s", 1},
	} {
		printed, err := time.ParseDuration(c.printed)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBucket(c.limit, c.window, c.limit)
		b.Take(c.used)
		if got := b.Wait(c.requested); (got - printed).Abs() >= c.digit {
			t.Errorf("%s %d used %d requested %d: %v, printed %v", c.who, c.limit, c.used, c.requested, got, printed)
		}
	}
}

func TestBucket(t *testing.T) {
	b := NewBucket(60, 60*s, 10)
	b.Take(10)
	if b.Has(1) || b.Wait(1) != s || b.Wait(10) != 10*s || b.Wait(11) != sim.Never {
		t.Errorf("empty: wait %v, %v, %v", b.Wait(1), b.Wait(10), b.Wait(11))
	}
	b.Advance(s - 1)
	if b.Has(1) || b.Wait(1) != 1 {
		t.Errorf("a nanosecond early: has %v, wait %v", b.Has(1), b.Wait(1))
	}
	if b.Advance(s); !b.Has(1) || b.Wait(1) != 0 {
		t.Error("at the instant of the refill the token is there")
	}
	if b.Advance(3600 * s); b.Level() != 10 {
		t.Errorf("level %d, want the burst", b.Level())
	}
	b.Take(15) // into debt
	if b.Wait(1) != 6*s {
		t.Errorf("wait %v out of a debt of 5, want 6s", b.Wait(1))
	}
	if b.Give(20, 0); b.Level() != 10 {
		t.Errorf("level %d after giving back, want the burst", b.Level())
	}
}

func TestReshapeKeepsWhatIsThere(t *testing.T) {
	b := NewBucket(60, 60*s, 60)
	b.Take(60)
	b.Advance(500 * ms) // half a token
	b.Reshape(120, 60*s, 120)
	if b.Wait(1) != 250*ms {
		t.Errorf("wait %v for the other half at twice the rate, want 250ms", b.Wait(1))
	}
	b.Advance(1000 * s)
	if b.Reshape(60, 60*s, 30); b.Level() != 30 {
		t.Errorf("level %d, want the new burst", b.Level())
	}
}

// Over any span, what leaves a bucket is at most burst + rate x span plus what
// was given back; Wait is exact to the nanosecond; nothing overflows.
func TestEnvelopeOfTheBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(1, 3_000_000_000).Draw(t, "amount")
		period := time.Duration(
			rapid.SampledFrom([]int64{1, 7, int64(s), int64(60 * s), int64(24 * time.Hour),
				int64(30 * 24 * time.Hour)}).
				Draw(t, "period"),
		)
		burst := rapid.Int64Range(1, 3_000_000_000).Draw(t, "burst")
		b := NewBucket(amount, period, burst)
		type step struct {
			at   time.Duration
			left int64 // taken less given, in all
		}
		steps := []step{{0, 0}}
		now, net := time.Duration(0), int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now += time.Duration(
				rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(0, int64(time.Hour))).Draw(t, "gap"))
			b.Advance(now)
			n := rapid.Int64Range(1, burst).Draw(t, "n")
			if wait := b.Wait(n); wait > sim.Never-now {
				continue // not within 292 years
			} else if wait > 0 {
				early, due := b, b
				early.Advance(now + wait - 1)
				due.Advance(now + wait)
				if early.Has(n) || !due.Has(n) {
					t.Fatalf("wait %v for %d is not exact", wait, n)
				}
			} else {
				net += n
				b.Take(n)
				if rapid.Bool().Draw(t, "refund") {
					back := rapid.Int64Range(0, n).Draw(t, "back")
					b.Give(back, 0)
					net -= back
				}
			}
			steps = append(steps, step{now, net})
			for _, from := range steps {
				allowed := float64(burst) + float64(amount)*float64(now-from.at)/float64(period)
				if got := float64(net - from.left); got > allowed*(1+1e-12)+1e-6 {
					t.Fatalf("%g left between %v and %v, allowed %g", got, from.at, now, allowed)
				}
			}
		}
	})
}

// A bucket that drops what does not fit, under Poisson arrivals, is M/D/1/K
// with K = burst: the share refused is 1 - 1/(pi0 + rho), from the table of
// closed forms. 30 replications of 40,000 arrivals
// of which the first tenth is dropped; 99 % t-interval.
func TestDroppingBucket(t *testing.T) {
	for _, c := range []struct {
		rho   float64
		burst int64
		lost  float64
	}{
		{0.8, 1, 0.44444}, {0.8, 2, 0.19957}, {0.8, 5, 0.03529}, {0.8, 10, 0.00364},
		{1, 1, 0.5}, {1, 2, 0.269}, {1, 5, 0.1035}, {1, 10, 0.0509}, {1, 60, 0.0084},
		{1.2, 1, 0.54545}, {1.2, 2, 0.33386}, {1.2, 5, 0.19915}, {1.2, 10, 0.17091}, {1.2, 60, 0.16667},
	} {
		const n, warmup, replications, t995 = 40_000, 4_000, 30, 2.756
		var m sim.Moments
		for r := range replications {
			key := sim.NewKey(7, r)
			b := NewBucket(1, s, c.burst)
			now, lost := time.Duration(0), 0
			for i := range uint64(n) {
				now += time.Duration(-math.Log(key.Uniform(i, 0)) / c.rho * float64(s))
				b.Advance(now)
				if !b.Has(1) {
					if i >= warmup {
						lost++
					}
					continue
				}
				b.Take(1)
			}
			m.Add(float64(lost) / (n - warmup))
		}
		// The table is printed to four or five decimals, hence the half unit more.
		half := t995*m.StdDev()/math.Sqrt(replications) + 0.00005
		if math.Abs(m.Mean()-c.lost) > half {
			t.Errorf("rho %g burst %d: %.5f +- %.5f refused, want %.5f", c.rho, c.burst, m.Mean(), half, c.lost)
		}
	}
}

func build(t *testing.T, c Config) *Provider {
	t.Helper()
	p, err := New(c, sim.NewKey(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Trap 13: each kind refuses as its name says.
func TestEachLimitRefusesInTurn(t *testing.T) {
	limits := []Limit{
		{Resource: Requests, Amount: 2, Period: 60 * s},
		{Resource: Tokens, Amount: 1000, Period: 60 * s, Charge: PromptPlusMax, Settle: Refund},
	}
	for _, c := range []struct {
		name    string
		request Request
		want    string // of three requests at once
		by      [3]int8
	}{
		{"requests", Request{Prompt: 1, MaxTokens: 1}, "ok ok 429 after 30s", [3]int8{NoLimit, NoLimit, 0}},
		{"tokens", Request{Prompt: 300, MaxTokens: 400}, "ok 429 after 24s 429 after 24s", [3]int8{NoLimit, 1, 1}},
		{"longer of two waits", Request{Prompt: 200, MaxTokens: 300}, "ok ok 429 after 30s",
			[3]int8{NoLimit, NoLimit, 0}},
		{"larger than the limit", Request{Prompt: 900, MaxTokens: 400}, "429 never 429 never 429 never",
			[3]int8{1, 1, 1}},
	} {
		p := build(t, Config{Limits: limits})
		got := ""
		for i := range 3 {
			c.request.Call = uint64(i)
			v := receive(p, 0, c.request, 0)
			if got += " " + describe(v); v.Limit != c.by[i] {
				t.Errorf("%s: request %d is refused by limit %d, want %d", c.name, i, v.Limit, c.by[i])
			}
		}
		if got[1:] != c.want {
			t.Errorf("%s: %s, want %s", c.name, got[1:], c.want)
		}
	}
}

// receive is the verdict of one request.
func receive(p *Provider, now sim.Time, r Request, token uint32) (v received) {
	v.Verdict = p.Receive(now, &r, token, &v.Reply)
	return v
}

// received is a verdict and the reply that goes with it.
type received struct {
	Verdict
	Reply wire.Reply
}

// Whatever a reply held before, Receive writes all of it. A stream that would break is refused
// like any other when a limit has no room.
func TestReplyIsWrittenWhole(t *testing.T) {
	config := Config{
		Dialect: dialect.OpenAI,
		Limits: []Limit{
			{Resource: Requests, Amount: 2, Period: s, Burst: 3}, {Resource: Tokens, Amount: 1000, Period: s},
		},
		Capacity: Capacity{Slots: 2, Queue: 2},
		Faults: []Fault{
			{Share: 0.2, Effect: Break{Part: 0.5, Code: "overloaded_error"}},
			{Share: 0.2, Effect: Slow{Factor: 3}},
			{Share: 0.2, Effect: Hang{}},
			{Share: 0.2, Effect: Reject{Reply: wire.Reply{Status: 408}, Wait: s, After: ms}},
		},
		Billing: Billing{TimeoutBilled: true},
	}
	used, fresh := build(t, config), build(t, config)
	var v received
	seen := map[string]bool{}
	for call := range uint64(2000) {
		now, r := time.Duration(call)*100*ms, Request{Call: call, Attempt: 1, Prompt: 200}
		v.Verdict = used.Receive(now, &r, 0, &v.Reply)
		if want := receive(fresh, now, r, 0); v != want {
			t.Fatalf("request %d: %+v, want %+v", call, v, want)
		}
		if v.Kind == Refused && v.Limit >= 0 && (v.Reply.Failure != wire.None || v.Reply.Status != 429) {
			t.Errorf("request %d, refused by a limit: %+v", call, v.Reply)
		}
		seen[fmt.Sprintf("%d %v %v", v.Kind, v.Limit, v.Breaks)] = true
		if v.Kind != Refused && call%3 == 0 {
			used.Finish(now, &r, Used{Output: 10})
			fresh.Finish(now, &r, Used{Output: 10})
		}
	}
	for _, want := range []string{"0 -1 false", "0 -1 true", "1 -1 false", "1 -2 false", "1 0 true", "2 -1 false"} {
		if !seen[want] {
			t.Errorf("kind, limit and break %s never came; seen were %v", want, seen)
		}
	}
}

func describe(v received) string {
	switch {
	case v.Hangs:
		return "hung"
	case v.Kind == Admitted:
		return "ok"
	case v.Reply.ShouldRetry == wire.DoNotRetry:
		return fmt.Sprintf("%d never", v.Reply.Status)
	case v.Reply.RetryAfter.Form == wire.Absent:
		return fmt.Sprintf("%d", v.Reply.Status)
	}
	wait, _ := v.Reply.RetryAfter.Wait(0)
	return fmt.Sprintf("%d after %v", v.Reply.Status, wait)
}

// What is no limit refuses under its own number: without a free slot and a place to wait
// the capacity does, and a fault does so for no limit.
func TestOthersRefuseToo(t *testing.T) {
	p := build(t, Config{Capacity: Capacity{Slots: 1}, Limits: []Limit{{Resource: Requests, Amount: 9, Period: s}},
		Faults: []Fault{{At: s, Share: 1, Effect: Reject{Reply: wire.Reply{Status: 503}}}}})
	for i, c := range []struct {
		at   time.Duration
		want int8
	}{{0, NoLimit}, {0, NoSlot}, {s, NoLimit}} {
		if v := receive(p, c.at, Request{Call: uint64(i)}, uint32(i)); v.Limit != c.want {
			t.Errorf("request %d: limit %d, want %d", i, v.Limit, c.want)
		}
	}
}

// What a relay makes of an error. LiteLLM's proxy turned a 429 for batches into a 500 (BerriAI/litellm 23901), and
// Archestra's wrapped the provider's body and dropped its code (archestra-ai/archestra 6808); a gateway should pass
// x-should-retry on (documentation of Claude Code).
func TestGatewayRewritesErrors(t *testing.T) {
	quota := wire.Reply{Status: 429, Code: "insufficient_quota", RetryAfter: wire.After(9 * s),
		Delay: wire.After(8 * s), ShouldRetry: wire.DoNotRetry}
	stream := wire.Reply{Failure: wire.InStream, Status: 200, Code: "overloaded_error"}
	with := func(r wire.Reply, change func(*wire.Reply)) wire.Reply { change(&r); return r }
	for _, c := range []struct {
		gateway Gateway
		in, out wire.Reply
	}{
		{Gateway{}, quota, quota},
		{Gateway{Rewrite: []Rewrite{{From: 429, To: 500}}}, quota,
			with(quota, func(r *wire.Reply) { r.Status = 500 })},
		{Gateway{Rewrite: []Rewrite{{From: 429, To: 502, Code: "upstream_error"}}}, quota,
			with(quota, func(r *wire.Reply) { r.Status, r.Code = 502, "upstream_error" })},
		{Gateway{StripCodes: true}, quota,
			with(quota, func(r *wire.Reply) { r.Code, r.Delay = "", wire.Hint{} })},
		{Gateway{StripCodes: true, Rewrite: []Rewrite{{From: 429, To: 429, Code: "rate_limited"}}}, quota,
			with(quota, func(r *wire.Reply) { r.Code, r.Delay = "rate_limited", wire.Hint{} })},
		{Gateway{StripCodes: true}, stream, stream}, // which it does not read
		{Gateway{StripAdvice: true}, quota, with(quota, func(r *wire.Reply) { r.ShouldRetry = wire.NoAdvice })},
		{Gateway{StripRetryAfter: true}, quota, with(quota, func(r *wire.Reply) { r.RetryAfter = wire.Hint{} })},
	} {
		got := c.in
		if c.gateway.Pass(&got); got != c.out {
			t.Errorf("%v: %+v, want %+v", c.gateway.Describe(), got, c.out)
		}
	}
}

// A limit without a name is called by its resource, amount and kind, and by whom it is for;
// the kind only where it is not the token bucket. What would be called the same is
// numbered, and a name that was given is never taken by one that is made.
func TestLimitsAreNamed(t *testing.T) {
	limits := []Limit{
		{Resource: Requests, Amount: 500, Period: time.Minute},
		{Resource: Tokens, Kind: FixedWindow, Amount: 200_000, Period: time.Minute},
		{Resource: OutputTokens, Kind: SlidingWindow, Amount: 8000, Period: 10 * time.Second},
		{Resource: InputTokens, Kind: RampLimit, Amount: 1_000_000, Period: time.Minute},
		{Resource: Dollars, Kind: FixedWindow, Amount: 1000e9, Period: 30 * 24 * time.Hour},
		{Resource: Concurrency, Amount: 8, Models: []string{"gpt-4o"}},
		{Resource: Requests, Kind: LeakyBucket, Amount: 60, Period: time.Minute, Keys: []string{"blue", "red"}},
		{Resource: Requests, Amount: 500, Period: time.Minute, Burst: 10},
		{Resource: Requests, Amount: 500, Period: time.Minute, Quantum: time.Second},
		{Resource: Requests, Amount: 9, Period: time.Hour, Name: "requests 500/min #2"},
	}
	if err := NameLimits(limits); err != nil {
		t.Fatal(err)
	}
	want := []string{"requests 500/min", "tokens 200k/min, fixed window", "output tokens 8000/10s, sliding window",
		"input tokens 1M/min, ramp", "$1000/month, fixed window", "8 at once to gpt-4o",
		"requests 60/min under blue, red, leaky bucket", "requests 500/min #3", "requests 500/min #4",
		"requests 500/min #2"}
	for i, l := range limits {
		if l.Name != want[i] {
			t.Errorf("limit %d is named %q, want %q", i, l.Name, want[i])
		}
	}
	texts := map[int]string{
		0: "requests 500/min, token bucket",
		5: "8 at once to gpt-4o",
		7: "requests 500/min #3, token bucket, burst 10",
		8: "requests 500/min #4, token bucket, enforced every 1s",
		9: "requests 500/min #2: requests 9/hour, token bucket",
	}
	for _, name := range []string{Slots, Oversize} { // which name other refusals
		if err := NameLimits([]Limit{{Name: name}}); err == nil || !strings.Contains(err.Error(), "want another") {
			t.Errorf("a limit named %q: %v", name, err)
		}
	}
	zero := Limit{Amount: 9, Period: time.Minute, Rejected: ToZero}
	limits, texts[len(limits)] = append(limits, zero),
		"requests 9/min, token bucket, refused requests use up the limit, never below zero"
	for i, want := range texts {
		if got := limits[i].Describe(); got != want {
			t.Errorf("limit %d is written %q, want %q", i, got, want)
		}
	}
}

func TestRefundMakesRoom(t *testing.T) {
	p := build(
		t,
		Config{
			Limits: []Limit{{Resource: Tokens, Amount: 1000, Period: 60 * s, Charge: PromptPlusMax, Settle: Refund}},
		},
	)
	r := Request{Prompt: 100, MaxTokens: 800}
	receive(p, 0, r, 0)
	if got := describe(receive(p, 0, r, 0)); got != "429 after 48s" {
		t.Errorf("before the refund: %s, want 429 after 48s", got)
	}
	p.Finish(0, &r, Used{Output: 50}) // 750 of 900 come back
	if got := describe(receive(p, 0, Request{Prompt: 50, MaxTokens: 800}, 0)); got != "ok" {
		t.Errorf("after the refund: %s, want ok", got)
	}
	if l := p.Ledger(); l != (Ledger{Taken: 1750, Given: 750}) {
		t.Errorf("ledger %+v", l)
	}
}

func TestRetryAfterIsRoundedAsConfigured(t *testing.T) {
	for _, c := range []struct {
		rule RetryAfter
		want string
	}{
		{RetryAfter{}, "429 after 8.571428572s"},
		{RetryAfter{Round: s}, "429 after 9s"},
		{RetryAfter{Round: 5 * s}, "429 after 10s"},
		{RetryAfter{As: NotAtAll}, "429"},
	} {
		p := build(t,
			Config{Limits: []Limit{{Resource: Requests, Amount: 7, Period: 60 * s, Burst: 1}}, RetryAfter: c.rule})
		receive(p, 0, Request{}, 0)
		if got := describe(receive(p, 0, Request{Call: 1}, 0)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.rule, got, c.want)
		}
	}
}

// The bucket of seven a minute asks for 60/7 s = 8.571428572 s; at 1.9 s, when
// 1.9 s of it have passed, for 6.671428572 s, until 8.571428572 s.
func TestRetryAfterIsWrittenAsConfigured(t *testing.T) {
	second := 1900 * ms
	for _, c := range []struct {
		rule           RetryAfter
		header, millis wire.Hint
	}{
		{RetryAfter{}, wire.Hint{Form: wire.Seconds, Value: 6.671428572}, wire.Hint{}},
		{RetryAfter{As: AsDate}, wire.Hint{Form: wire.Date, Value: 8}, wire.Hint{}},
		{RetryAfter{As: AsDate, Round: s}, wire.Hint{Form: wire.Date, Value: 8}, wire.Hint{}}, // 1.9 s + 7 s
		{RetryAfter{Round: s, Millis: true}, wire.Hint{Form: wire.Seconds, Value: 7},
			wire.Hint{Form: wire.Seconds, Value: 6.672}},
		{RetryAfter{As: NotAtAll, Millis: true}, wire.Hint{}, wire.Hint{Form: wire.Seconds, Value: 6.672}},
	} {
		p := build(t,
			Config{Limits: []Limit{{Resource: Requests, Amount: 7, Period: 60 * s, Burst: 1}}, RetryAfter: c.rule})
		receive(p, 0, Request{}, 0)
		if got := receive(p, second, Request{Call: 1}, 0).Reply; got.RetryAfter != c.header || got.Millis != c.millis {
			t.Errorf("%+v: %+v and %+v, want %+v and %+v", c.rule, got.RetryAfter, got.Millis, c.header, c.millis)
		}
	}
}

func TestConcurrencyLimit(t *testing.T) {
	p := build(t, Config{Limits: []Limit{{Resource: Concurrency, Amount: 2}}})
	got := describe(receive(p, 0, Request{}, 0)) + " " + describe(
		receive(p, 0, Request{Call: 1}, 0)) + " " + describe(receive(p, 0, Request{Call: 2}, 0))
	p.Finish(s, &Request{}, Used{Output: 0})
	if got += " " + describe(receive(p, s, Request{Call: 3}, 0)); got != "ok ok 429 ok" {
		t.Errorf("%s, want ok ok 429 ok", got)
	}
}

// A batch queue of 250 prompt tokens has room for two of 100 and not for a third until one has ended, whatever
// it generated; max_tokens count for tokens in flight. A prompt of 300 never fits, and the refusal says so.
func TestTokensAtOnce(t *testing.T) {
	r := Request{Prompt: 100, MaxTokens: 50}
	for _, c := range []struct {
		limit Limit
		want  string
	}{
		{Limit{Resource: EnqueuedTokens, Amount: 250, Charge: Prompt}, "ok ok 429 ok 429 never 50"},
		{Limit{Resource: TokensInFlight, Amount: 250, Charge: PromptPlusMax}, "ok 429 429 ok 429 never 100"},
		{Limit{Resource: TokensInFlight, Amount: 300, Charge: PromptPlusMax}, "ok ok 429 ok 429 never 0"},
	} {
		p := build(t, Config{Limits: []Limit{c.limit}})
		got := ""
		for range 3 {
			got += describe(receive(p, 0, r, 0)) + " "
		}
		p.Finish(s, &r, Used{Output: 1000})
		got += describe(receive(p, s, r, 0)) + " "
		got += describe(receive(p, s, Request{Prompt: 310}, 0))
		if got += fmt.Sprint(" ", p.limits[0].meter.Level()); got != c.want {
			t.Errorf("%v: %s, want %s", c.limit.Describe(), got, c.want)
		}
	}
	p := build(t, Config{Dialect: dialect.OpenAI, Limits: []Limit{{Resource: EnqueuedTokens, Amount: 250}}})
	if v := receive(p, 0, Request{Prompt: 251}, 0); v.Reply.RetryAfter != (wire.Hint{}) {
		t.Errorf("a prompt that never fits is told to wait: %+v", v.Reply)
	}
}

// The wait of a fault is sent as the provider sends waits, a date from the instant at
// which the reply leaves; a header given word for word stays as it is.
func TestFaultAsksAsItsProvider(t *testing.T) {
	for _, c := range []struct {
		how  RetryAfter
		want wire.Reply
	}{
		{RetryAfter{}, wire.Reply{RetryAfter: wire.After(2300 * ms)}},
		{RetryAfter{Round: s}, wire.Reply{RetryAfter: wire.After(3 * s)}},
		{RetryAfter{Round: s, Millis: true}, wire.Reply{RetryAfter: wire.After(3 * s), Millis: wire.After(2300 * ms)}},
		{RetryAfter{As: AsDate}, wire.Reply{RetryAfter: wire.At(12800 * ms)}}, // 10 + 0.5 + 2.3 s
		{RetryAfter{As: InBody}, wire.Reply{Delay: wire.After(2300 * ms)}},
		{RetryAfter{As: NotAtAll}, wire.Reply{}},
	} {
		c.want.Status = 503
		p := build(
			t,
			Config{
				RetryAfter: c.how,
				Faults: []Fault{
					{Share: 1, Effect: Reject{Reply: wire.Reply{Status: 503}, Wait: 2300 * ms, After: 500 * ms}},
				},
			},
		)
		if got := receive(p, 10*s, Request{}, 0).Reply; got != c.want {
			t.Errorf("%v: %+v, want %+v", c.how.Describe(), got, c.want)
		}
	}
	verbatim := wire.Reply{Status: 503, RetryAfter: wire.Hint{Form: wire.Garbage}}
	p := build(t,
		Config{RetryAfter: RetryAfter{As: NotAtAll}, Faults: []Fault{{Share: 1, Effect: Reject{Reply: verbatim}}}})
	if got := receive(p, 0, Request{}, 0).Reply; got != verbatim {
		t.Errorf("word for word: %+v, want %+v", got, verbatim)
	}
}

// A fault holds from its first instant to just before its end.
func TestFaultBoundaries(t *testing.T) {
	p := build(t, Config{
		Limits: []Limit{{Resource: Requests, Amount: 60, Period: 60 * s, Burst: 1000}},
		Faults: []Fault{
			{
				At:     10 * s,
				For:    5 * s,
				Share:  1,
				Effect: Reject{Reply: wire.Reply{Status: 503, RetryAfter: wire.After(2 * s)}},
			},
		},
	})
	for _, c := range []struct {
		at   time.Duration
		want string
	}{{10*s - 1, "ok"}, {10 * s, "503 after 2s"}, {15*s - 1, "503 after 2s"}, {15 * s, "ok"}} {
		if got := describe(receive(p, c.at, Request{}, 0)); got != c.want {
			t.Errorf("at %v: %s, want %s", c.at, got, c.want)
		}
	}
}

// A fault of the first two attempts: of each call those numbered 1 and 2, whenever they come; of a run the
// first two that come while it holds, and as many more once the schedule is replaced. Of a run with a share of
// 0 none fails, and the first two are over all the same.
func TestFirstAttemptsFail(t *testing.T) {
	fault := func(of FirstOf, at time.Duration) Fault {
		return Fault{At: at, First: 2, Of: of, Share: 1, Effect: Reject{Reply: wire.Reply{Status: 429}}}
	}
	for _, c := range []struct {
		name  string
		fault Fault
		want  string // of the attempts below
	}{
		{"call", fault(OfCall, 0), "429 429 429 429 ok ok 429"},
		{"call, from 2 s", fault(OfCall, 2*s), "ok ok 429 429 ok ok 429"},
		{"run", fault(OfRun, 0), "429 429 ok ok ok ok ok"},
		{"run, from 2 s", fault(OfRun, 2*s), "ok ok 429 429 ok ok ok"},
	} {
		p := build(t, Config{Faults: []Fault{c.fault}})
		send := func(at time.Duration, call uint64, attempt int) string {
			return describe(receive(p, at, Request{Call: call, Attempt: attempt}, 0))
		}
		got := []string{
			send(0, 1, 1), send(1*s, 2, 1), send(2*s, 1, 2), send(3*s, 2, 2), send(4*s, 1, 3), send(5*s, 2, 3),
			send(6*s, 3, 1),
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("first 2 of the %s: %s, want %s", c.name, got, c.want)
		}
		if err := p.SetFaults(10*s, []Fault{fault(OfRun, 0)}); err != nil {
			t.Fatal(err)
		}
		if got := send(10*s, 9, 1) + send(10*s, 9, 2) + send(10*s, 9, 3); got != "429429ok" {
			t.Errorf("%s, replaced: %s, want two refusals", c.name, got)
		}
	}
	p := build(t, Config{Faults: []Fault{{First: 1, Of: OfRun, Share: 0, Effect: Hang{}}, fault(OfCall, 0)}})
	if got := describe(receive(p, 0, Request{Attempt: 3}, 0)); got != "ok" || p.met[0] != 1 {
		t.Errorf("with a share of 0: %s, %d met, want ok and 1", got, p.met[0])
	}
}

// A fault that comes and goes holds for mean length / (mean gap + mean length)
// of the time: 1/4 with gaps of 30 s and lengths of 10 s, and in spells whose
// mean length is 10 s. 2,000,000 s; four standard errors of 50,000 cycles.
func TestSpells(t *testing.T) {
	p := build(
		t,
		Config{
			Faults: []Fault{
				{
					Gap:    law.Exponential{Beta: 30},
					Length: law.Exponential{Beta: 10},
					Share:  1,
					Effect: Reject{Reply: wire.Reply{Status: 500}},
				},
			},
		},
	)
	down, spells := 0, 0
	before := false
	const n = 2_000_000
	for i := range n {
		now := p.holds(0, time.Duration(i)*s)
		if now {
			down++
		}
		if now && !before {
			spells++
		}
		before = now
	}
	if share := float64(down) / n; math.Abs(share-0.25) > 4*0.25*1.1/math.Sqrt(50_000) {
		t.Errorf("down for %.4f of the time, want 0.25", share)
	}
	if spells < 40_000 || spells > 50_500 { // those under a second may go unseen
		t.Errorf("%d spells, want about 50,000 less the shortest", spells)
	}
}

// Nothing holds before a fault's first gap is over, whoever asks and when.
func TestSpellsBeginAfterTheirFirstGap(t *testing.T) {
	p := build(t, Config{Faults: []Fault{{At: 100 * s, Gap: law.Constant(20), Length: law.Constant(2), Share: 1,
		Effect: Reject{Reply: wire.Reply{Status: 500}}}}})
	for _, c := range []struct {
		at   time.Duration
		want bool
	}{
		{0, false}, {50 * s, false}, {100 * s, false}, {120*s - 1, false}, {120 * s, true}, {122 * s, false},
		{142 * s, true},
	} {
		if got := p.holds(0, c.at); got != c.want {
			t.Errorf("at %v: %v, want %v", c.at, got, c.want)
		}
	}
}

func TestShareOfErrors(t *testing.T) {
	p := build(t, Config{Faults: []Fault{
		{Share: 0.1, Effect: Reject{Reply: wire.Reply{Status: 500}}},
		{Share: 0.2, Effect: Hang{}},
	}})
	const n = 100_000
	counts := map[string]float64{}
	for i := range uint64(n) {
		counts[describe(receive(p, 0, Request{Call: i, Attempt: 1}, 0))]++
	}
	for kind, want := range map[string]float64{"500": 0.1, "hung": 0.9 * 0.2, "ok": 0.9 * 0.8} {
		if got := counts[kind] / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) { // 4 standard errors
			t.Errorf("%s: share %g, want %g", kind, got, want)
		}
	}
}

func TestLimitChangesAndReturns(t *testing.T) {
	p := build(t, Config{
		Limits: []Limit{{Resource: Requests, Amount: 60, Period: 60 * s, Burst: 1}},
		Faults: []Fault{
			{
				At:     100 * s,
				For:    100 * s,
				Share:  1,
				Effect: ChangeLimit{Resource: Requests, Amount: 6, Period: 60 * s, Burst: 1},
			},
		},
	})
	for _, c := range []struct {
		at   time.Duration
		want string
	}{
		{99500 * ms, "ok"},
		{100 * s, "429 after 5s"}, // half a token is there, the rest comes at 0.1/s
		{105 * s, "ok"},
		{105 * s, "429 after 10s"},
		{199 * s, "ok"},
		{200 * s, "429 after 900ms"}, // a tenth is there, the rest comes at 1/s
	} {
		if got := describe(receive(p, c.at, Request{}, 0)); got != c.want {
			t.Errorf("at %v: %s, want %s", c.at, got, c.want)
		}
	}
	if _, err := New(Config{Faults: []Fault{{Effect: ChangeLimit{Resource: Tokens, Amount: 1, Period: s}}}},
		0); err == nil {
		t.Error("a change of a limit that does not exist must be refused")
	}
}

// What replaces the faults at 100 s counts from there, and what they had changed is undone. The list
// that was handed over stays as it was.
func TestFaultsAreReplaced(t *testing.T) {
	to := func(perMinute, burst int64) Effect {
		return ChangeLimit{Resource: Requests, Amount: perMinute, Period: 60 * s, Burst: burst}
	}
	p := build(t, Config{
		Limits: []Limit{{Resource: Requests, Amount: 60, Period: 60 * s, Burst: 10}},
		Faults: []Fault{
			{At: 50 * s, Share: 1, Effect: to(6, 1)},
			{At: 105 * s, Share: 1, Effect: Reject{Reply: wire.Reply{Status: 502}}},
			{At: 105 * s, Share: 1, Effect: to(12, 1)},
		},
	})
	at := func(now time.Duration) string {
		return fmt.Sprintf("%s of %d", describe(receive(p, now, Request{}, 0)), p.limits[0].Amount)
	}
	if got := at(99 * s); got != "ok of 6" {
		t.Errorf("before: %s, want ok of 6", got)
	}
	if err := p.SetFaults(100*s, []Fault{{Effect: ChangeLimit{Resource: Tokens, Amount: 1, Period: s}}}); err == nil {
		t.Error("a change of a limit that does not exist must be refused")
	}
	if got := at(100 * s); got != "429 after 9s of 6" { // one of 6/min takes 10 s
		t.Errorf("after a list that was refused: %s, want the old one", got)
	}
	faults := []Fault{
		{At: 10 * s, For: 5 * s, Share: 1, Effect: Reject{Reply: wire.Reply{Status: 503}}},
		{Gap: law.Constant(20), Length: law.Constant(2), Share: 1, Effect: Reject{Reply: wire.Reply{Status: 500}}},
		{At: 50 * s, For: 10 * s, Share: 1, Effect: to(600, 20)},
	}
	if err := p.SetFaults(100*s, faults); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   time.Duration
		want string
	}{
		{106 * s, "ok of 60"}, // 0.1 at 100 s and 1/s since
		{110*s - 1, "ok of 60"}, {110 * s, "503 of 60"}, {115*s - 1, "503 of 60"}, {115 * s, "ok of 60"},
		{120*s - 1, "ok of 60"}, {120 * s, "500 of 60"}, {122*s - 1, "500 of 60"}, {122 * s, "ok of 60"},
		{142*s - 1, "ok of 60"}, {142 * s, "500 of 60"}, {144 * s, "ok of 60"},
		{150*s - 1, "ok of 60"}, {150 * s, "ok of 600"}, {160 * s, "ok of 60"},
	} {
		if got := at(c.at); got != c.want {
			t.Errorf("at %v: %s, want %s", c.at, got, c.want)
		}
	}
	if faults[0].At != 10*s {
		t.Errorf("the fault handed over is at %v now", faults[0].At)
	}
	// Of a change that follows another at once the bucket shows nothing between: a burst of 10 would
	// have left 10 of the 20 that are there after 2 s at 10/s.
	for now := 170 * s; now <= 190*s; now += 20 * s {
		if err := p.SetFaults(now, []Fault{{Share: 1, Effect: to(600, 20)}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.limits[0].meter.Level(); got != 20 {
		t.Errorf("%d are left, want 20", got)
	}
}

// At each boundary the change that began last among those that hold counts,
// whatever the order in which they are listed.
func TestLimitChangesOverlap(t *testing.T) {
	to := func(at, length time.Duration, perSecond int64) Fault {
		return Fault{
			At:     at,
			For:    length,
			Share:  1,
			Effect: ChangeLimit{Resource: Requests, Amount: perSecond, Period: s},
		}
	}
	for name, faults := range map[string][]Fault{
		"in order":     {to(0, 10*s, 5), to(10*s, 10*s, 2), to(12*s, 3*s, 7)},
		"out of order": {to(12*s, 3*s, 7), to(10*s, 10*s, 2), to(0, 10*s, 5)},
	} {
		p := build(t, Config{Limits: []Limit{{Resource: Requests, Amount: 100, Period: s}}, Faults: faults})
		got := ""
		for _, at := range []time.Duration{0, 9 * s, 10 * s, 12 * s, 14 * s, 15 * s, 20 * s} {
			p.change(at)
			got += fmt.Sprintf("%d ", p.limits[0].Amount)
		}
		if got != "5 5 2 7 7 2 100 " {
			t.Errorf("%s: %s, want 5 5 2 7 7 2 100", name, got)
		}
	}
}

func TestGenerate(t *testing.T) {
	p := build(t, Config{Latency: Latency{FirstToken: law.Constant(0.5), TokensPerSecond: law.Constant(50)}})
	if _, f, l := p.Generate(10*s, &Request{}, 1, 0, 100); f != 10500*ms || l != 12500*ms {
		t.Errorf("first %v last %v, want 10.5s and 12.5s", f, l)
	}
	if _, f, l := p.Generate(0, &Request{}, 3, 0, 100); f != 1500*ms || l != 7500*ms {
		t.Errorf("slowed: first %v last %v, want 1.5s and 7.5s", f, l)
	}
}

// A prompt of 50,000 tokens of which 20,000 are cached takes 30 x 6 ms longer, three times that under a fault.
func TestFirstTokenGrowsWithThePrompt(t *testing.T) {
	p := build(t, Config{Latency: Latency{FirstToken: law.Constant(0.5), PerThousand: 6 * ms}})
	r := Request{Prompt: 50_000, Cached: 20_000}
	if _, f, _ := p.Generate(10*s, &r, 1, 0, 100); (f - 10680*ms).Abs() > 1 {
		t.Errorf("first token %v, want 10.68s", f)
	}
	if _, f, _ := p.Generate(0, &r, 3, 0, 100); (f - 2040*ms).Abs() > 1 {
		t.Errorf("slowed: first token %v, want 2.04s", f)
	}
	if got := p.config.MinTime(); (got.Time(r, 1) - 680*ms).Abs() > 1 {
		t.Errorf("at least %v, want 680ms", got.Time(r, 1))
	}
}

// Of four places the first request takes a quarter and needs 1 + 2/4 of a second, the last 3 s. Of a bucket of 60 a
// minute, used to the half at 0 and by the tenth that has come back at 6 s to 0.4: 2 s and 1.8 s.
func TestLatencyFollowsTheUseOfALimit(t *testing.T) {
	p := build(t, Config{
		Limits:  []Limit{{Resource: Concurrency, Amount: 4}},
		Latency: Latency{FirstToken: law.Constant(1), ByUse: ByUse{0, 3}},
	})
	for i, want := range []time.Duration{1500 * ms, 2000 * ms, 2500 * ms, 3000 * ms} {
		r := Request{Call: uint64(i)}
		receive(p, 0, r, 0)
		if _, f, _ := p.Generate(0, &r, 1, 0, 1); f != want {
			t.Errorf("request %d takes %v, want %v", i+1, f, want)
		}
	}
	p = build(t, Config{
		Limits:  []Limit{{Resource: Requests, Amount: 60, Period: 60 * s, Used: 30}},
		Latency: Latency{FirstToken: law.Constant(1), ByUse: ByUse{0, 3}},
	})
	for at, want := range map[time.Duration]time.Duration{0: 2 * s, 6 * s: 1800 * ms} {
		p := build(t, p.config)
		if _, f, _ := p.Generate(at, &Request{}, 1, 0, 1); f-at != want {
			t.Errorf("at %v it takes %v, want %v", at, f-at, want)
		}
	}
}

// Five times as long at the end of an outage at 30 s, three times 10 s later, as usual after 20 s. After each spell of
// 2 s with gaps of 20 s, at 22 s and 44 s, it begins again; an outage without end has no start after it.
func TestSlowStart(t *testing.T) {
	start := SlowStart{For: 20 * s, Factor: 5}
	out := Reject{Reply: wire.Reply{Status: 503}}
	for _, c := range []struct {
		name  string
		fault Fault
		want  map[time.Duration]float64
	}{
		{"outage", Fault{At: 10 * s, For: 20 * s, Share: 1, Start: start, Effect: out},
			map[time.Duration]float64{0: 1, 10 * s: 1, 30 * s: 5, 40 * s: 3, 50 * s: 1}},
		{"connections", Fault{At: 10 * s, For: 20 * s, Share: 1, Start: start, Effect: NoConnection{As: RefusedConn}},
			map[time.Duration]float64{30 * s: 5, 45 * s: 2}},
		{"slowed by itself", Fault{For: 20 * s, Share: 1, Start: start, Effect: Slow{2}},
			map[time.Duration]float64{0: 2, 20 * s: 5}},
		{"spells", Fault{Gap: law.Constant(20), Length: law.Constant(2), Share: 1, Start: start, Effect: out},
			map[time.Duration]float64{19 * s: 1, 22 * s: 5, 32 * s: 3, 44 * s: 5}},
		{"no end", Fault{At: 10 * s, Share: 0, Start: start, Effect: out}, map[time.Duration]float64{0: 1, 30 * s: 1}},
	} {
		for at, want := range c.want {
			p := build(t, Config{Faults: []Fault{c.fault}})
			if got := receive(p, at, Request{}, 0).Slow; math.Abs(got-want) > 1e-9 {
				t.Errorf("%s, at %v: %g times as long, want %g", c.name, at, got, want)
			}
		}
	}
}

// Luck that belongs to the call meets every attempt; luck of the attempt does not.
func TestLatencyBelongsToCallOrAttempt(t *testing.T) {
	for _, c := range []struct{ share, correlation float64 }{{0, 0}, {0.5, 0.5}, {1, 1}} {
		p := build(t, Config{Latency: Latency{FirstToken: law.Lognormal{Sigma: 1}, CallShare: c.share}})
		var product, square sim.Moments
		for i := range uint64(50_000) {
			log := func(attempt int) float64 {
				_, first, _ := p.Generate(0, &Request{Call: i, Attempt: attempt}, 0, 1, 0)
				return math.Log(first.Seconds())
			}
			a, b := log(1), log(2)
			product.Add(a * b)
			square.Add(a * a)
		}
		// n = 50,000: four standard errors of a correlation are below 0.018.
		if got := product.Mean() / square.Mean(); math.Abs(got-c.correlation) > 0.018 {
			t.Errorf("call share %g: correlation of two attempts %.3f, want %g", c.share, got, c.correlation)
		}
	}
}

// BenchmarkLimits is what an attempt costs at the provider, from its arrival to its
// end, half of them refused: with a single bucket whose provider sends no counters,
// and with three limits on requests, input and output and all their headers. The
// admission alone, without the draw of the latency, is the second pair.
func BenchmarkLimits(b *testing.B) {
	one := Limit{Resource: Requests, Amount: 1000, Period: s}
	latency := Latency{FirstToken: law.Lognormal{Mu: 0, Sigma: 0.5}, TokensPerSecond: law.Lognormal{Mu: 4, Sigma: 0.3}}
	three := Config{Dialect: dialect.Anthropic, RetryAfter: RetryAfter{Round: s}, Limits: []Limit{one,
		{Resource: InputTokens, Amount: 100_000, Period: s, Charge: EstimatedPrompt, Settle: Refund, Estimate: 1.1},
		{Resource: OutputTokens, Amount: 20_000, Period: s, Charge: AsProduced, Settle: Refund}}}
	single := Config{Dialect: dialect.Gemini, Limits: []Limit{one}}
	for _, c := range []struct {
		name string
		Config
		generates bool
	}{{"attempt/single", single, true}, {"attempt/three", three, true}, {"admission/single", single,
		false}, {"admission/three", three, false}} {
		b.Run(c.name, func(b *testing.B) {
			c.Latency = latency
			p, err := New(c.Config, sim.NewKey(1, 0))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := range b.N {
				now := time.Duration(i) * ms / 2
				r := Request{Call: uint64(i), Attempt: 1, Prompt: 100, MaxTokens: 50}
				if v := receive(p, now, r, 0); v.Kind == Admitted {
					if c.generates {
						p.Generate(now, &r, v.Slow, 0, 10)
					}
					p.Finish(now, &r, Used{Output: 10})
				}
			}
		})
	}
}
