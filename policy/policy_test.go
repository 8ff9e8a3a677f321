package policy

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/law"
	"stampede/sim"
	"stampede/wire"
)

const s, ms = time.Second, time.Millisecond

var almostOne = 1 - 0x1p-53

func throttled(h wire.Hint) *wire.Reply { return &wire.Reply{Status: 429, RetryAfter: h} }

// openai is the rule of the OpenAI and Anthropic Python SDKs, openai 1.47 to 2.51.
var openai = Retry{
	Attempts: 3,
	Classify: Classifier{
		Statuses:    []Statuses{{408, 409}, {429, 429}, {500, 599}},
		Timeouts:    true,
		Connections: true,
		ShouldRetry: true,
	},
	Backoff:    Backoff{Base: 500 * ms, Factor: 2, Cap: 8 * s, Jitter: MinusShare, Share: 0.25},
	RetryAfter: RetryAfter{Obey: UpTo, Limit: 60 * s, Beyond: Discard},
}

var listed = []time.Duration{4 * s, 8 * s, 16 * s}

const ln2 = 693_147_180 * time.Nanosecond

// Waits before retries 0, 1, 2 and 8 at u = 0, 1/2 and just under 1, by hand.
func TestBackoffWaits(t *testing.T) {
	for _, c := range []struct {
		name string
		b    Backoff
		u    float64
		want [4]time.Duration
	}{
		{"no wait", Backoff{}, 0.5, [4]time.Duration{}},
		{"constant", Backoff{Base: s, Factor: 1}, 0.5, [4]time.Duration{s, s, s, s}},
		{"none", Backoff{Base: s, Factor: 2, Cap: 20 * s}, 0.5, [4]time.Duration{s, 2 * s, 4 * s, 20 * s}},
		{"no cap", Backoff{Base: s, Factor: 2}, 0.5, [4]time.Duration{s, 2 * s, 4 * s, 256 * s}},
		{"equal, u=0", Backoff{Base: s, Factor: 2, Cap: 20 * s, Jitter: Equal}, 0,
			[4]time.Duration{s / 2, s, 2 * s, 10 * s}},
		{"equal, u=1/2", Backoff{Base: s, Factor: 2, Cap: 20 * s, Jitter: Equal}, 0.5,
			[4]time.Duration{750 * ms, 1500 * ms, 3 * s, 15 * s}},
		{"equal, u<1", Backoff{Base: s, Factor: 2, Cap: 20 * s, Jitter: Equal}, almostOne,
			[4]time.Duration{s - 1, 2*s - 1, 4*s - 1, 20*s - 1}},
		{"full, u=0", Backoff{Base: s, Factor: 2, Cap: 20 * s, Jitter: Full}, 0, [4]time.Duration{}},
		{"full, u=1/2", Backoff{Base: s, Factor: 2, Cap: 20 * s, Jitter: Full}, 0.5,
			[4]time.Duration{s / 2, s, 2 * s, 10 * s}},
		{"full, u<1", Backoff{Base: s, Factor: 2, Cap: 20 * s, Jitter: Full}, almostOne,
			[4]time.Duration{s - 1, 2*s - 1, 4*s - 1, 20*s - 1}},
		{"plus, u=1/2", Backoff{Base: s, Factor: 2, Cap: 60 * s, Jitter: PlusSpan, Plus: s}, 0.5,
			[4]time.Duration{1500 * ms, 2500 * ms, 4500 * ms, 60 * s}},
		{"list", Backoff{Growth: Listed, List: listed}, 0.5, [4]time.Duration{4 * s, 8 * s, 16 * s, 16 * s}},
		{"list, full, u=1/2", Backoff{Growth: Listed, List: listed, Jitter: Full}, 0.5,
			[4]time.Duration{2 * s, 4 * s, 8 * s, 8 * s}},
		{"list, minus a quarter, u=1/2", Backoff{Growth: Listed, List: listed, Jitter: MinusShare, Share: 0.25}, 0.5,
			[4]time.Duration{3500 * ms, 7 * s, 14 * s, 14 * s}},
		{"list, at once and then 5 s", Backoff{Growth: Listed, List: []time.Duration{0, 5 * s}}, 0.5,
			[4]time.Duration{0, 5 * s, 5 * s, 5 * s}},
		{"law, 1 to 3 s, u=1/2", Backoff{Law: law.Uniform{Min: 1, Max: 3}}, 0.5,
			[4]time.Duration{2 * s, 2 * s, 2 * s, 2 * s}},
		{"law, exponential of mean 1 s, u=1/2: ln 2 s", Backoff{Law: law.Exponential{Beta: 1}}, 0.5,
			[4]time.Duration{ln2, ln2, ln2, ln2}},
		{"sdk, u=0", openai.Backoff, 0, [4]time.Duration{500 * ms, s, 2 * s, 8 * s}},
		{"sdk, u=1/2", openai.Backoff, 0.5, [4]time.Duration{437500 * time.Microsecond, 875 * ms, 1750 * ms, 7 * s}},
		{"sdk, u<1", openai.Backoff, almostOne, [4]time.Duration{375 * ms, 750 * ms, 1500 * ms, 6 * s}},
	} {
		for n, i := range []int{0, 1, 2, 8} {
			if got := c.b.Wait(i, 0, c.u); got != c.want[n] {
				t.Errorf("%s, retry %d: %v, want %v", c.name, i, got, c.want[n])
			}
		}
	}
}

func TestDecorrelatedWaits(t *testing.T) {
	b := Backoff{Base: s, Factor: 1, Cap: 20 * s, Jitter: Decorrelated}
	for _, c := range []struct {
		last time.Duration
		u    float64
		want time.Duration
	}{
		{0, 0, s}, {0, 0.5, 2 * s}, {0, almostOne, 3 * s}, // to the nearest float
		{4 * s, 0, s}, {4 * s, 0.5, 6500 * ms}, {4 * s, almostOne, 12*s - 1},
		{15 * s, 0.5, 20 * s}, // 23 s, capped
	} {
		if got := b.Wait(3, c.last, c.u); got != c.want {
			t.Errorf("after %v at u=%g: %v, want %v", c.last, c.u, got, c.want)
		}
	}
}

// Sums over ten waits of base 0.1 s, factor 2, cap 10 s at the mean u = 1/2:
// sum m = 42.7 s; full half of it, equal three quarters, minus j (1 - j/2).
func TestBackoffSums(t *testing.T) {
	for jitter, want := range map[Jitter]float64{NoJitter: 42.7, Full: 21.35, Equal: 32.025, MinusShare: 42.7 * 0.875} {
		b := Backoff{Base: 100 * ms, Factor: 2, Cap: 10 * s, Jitter: jitter, Share: 0.25}
		var sum time.Duration
		for i := range 10 {
			sum += b.Wait(i, 0, 0.5)
		}
		if got := sum.Seconds(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %g s, want %g", b.Describe(), got, want)
		}
	}
}

// E[s_k] = b (2 x 1.5^k - 1) uncapped: 2, 3.5, 5.75, 9.125 b. The wait is linear
// in u and in the last wait, so u = 1/2 throughout gives the mean.
func TestDecorrelatedMean(t *testing.T) {
	b := Backoff{Base: s, Factor: 1, Jitter: Decorrelated}
	var last time.Duration
	for k, want := range []float64{2, 3.5, 5.75, 9.125} {
		last = b.Wait(k, last, 0.5)
		if math.Abs(last.Seconds()-want) > 1e-9 {
			t.Errorf("wait %d: %v, want %g s", k+1, last, want)
		}
	}
}

func TestRetryAfterRules(t *testing.T) {
	inFull := RetryAfter{Obey: InFull}
	upTo := func(b Beyond) RetryAfter { return RetryAfter{Obey: UpTo, Limit: 60 * s, Beyond: b} }
	plus := RetryAfter{Obey: UpTo, Limit: 20 * s, Beyond: Clip, Plus: 500 * ms}
	tenth := RetryAfter{Obey: InFull, PlusShare: 0.1, Plus: 5 * s}
	backoff := time.Duration(-1)
	for _, c := range []struct {
		name    string
		rule    RetryAfter
		seconds float64
		want    time.Duration // backoff: the header is not used
		end     Outcome
	}{
		{"ignored", RetryAfter{}, 5, backoff, 0},
		{"in full", inFull, 5, 5 * s, 0},
		{"in full, with a fraction", inFull, 0.0021, 2100 * time.Microsecond, 0},
		{"in full, a day", inFull, 86400, 86400 * s, 0},
		{"in full, zero is no wish", inFull, 0, backoff, 0},
		{"in full, negative", inFull, -1, backoff, 0},
		{"in full, not a number", inFull, math.NaN(), backoff, 0},
		{"in full, infinite", inFull, math.Inf(1), backoff, 0},
		{"at the limit", upTo(Discard), 60, 60 * s, 0},
		{"beyond, discarded", upTo(Discard), 61, backoff, 0},
		{"beyond, clipped", upTo(Clip), 61, 60 * s, 0},
		{"beyond, given up", upTo(GiveUp), 61, 0, GaveUpRetryAfter},
		{"beyond the range of durations, clipped", upTo(Clip), 1e12, 60 * s, 0},
		{"plus half of 0.5 s", plus, 5, 5250 * ms, 0},
		{"plus, clipped to the cap", plus, 19.9, 20 * s, 0},
		{"plus half of 10 % of it", tenth, 20, 21 * s, 0},
		{"plus half of 10 % of it, held at 5 s", tenth, 100, 102500 * ms, 0},
		{"plus half of 50 % of it, without a bound", RetryAfter{Obey: InFull, PlusShare: 0.5}, 100, 125 * s, 0},
		{"plus half of 10 % of it, clipped to the cap", RetryAfter{Obey: UpTo, Limit: 60 * s, Beyond: Clip,
			PlusShare: 0.1}, 59, 60 * s, 0},
	} {
		r := Retry{
			Attempts:   3,
			Classify:   openai.Classify,
			RetryAfter: c.rule,
			Backoff:    Backoff{Base: 7 * s, Factor: 1},
		}
		d := r.Decide(&Facts{Attempt: 1, Reply: throttled(wire.Hint{Form: wire.Seconds, Value: c.seconds}), U: 0.5})
		want := Decision{Again: true, Wait: c.want, Hinted: true}
		switch {
		case c.end != 0:
			want = Decision{Outcome: c.end}
		case c.want == backoff:
			want = Decision{Again: true, Wait: 7 * s}
		}
		if d != want {
			t.Errorf("%s: %+v, want %+v", c.name, d, want)
		}
	}
}

// Where a wait is required, a 429 that asks for none that can be read is not retried; one whose wait is
// not obeyed, and every other failure, is, after the backoff of 7 s.
func TestRetryAfterRequired(t *testing.T) {
	r := Retry{
		Attempts:   3,
		Classify:   openai.Classify,
		RetryAfter: RetryAfter{Obey: UpTo, Limit: 60 * s, Required: true},
		Backoff:    Backoff{Base: 7 * s, Factor: 1},
	}
	final, backoff := Decision{Outcome: TerminalError}, Decision{Again: true, Wait: 7 * s}
	for _, c := range []struct {
		name  string
		reply wire.Reply
		want  Decision
	}{
		{"none", wire.Reply{Status: 429}, final},
		{"unreadable", *throttled(wire.Hint{Form: wire.Garbage}), final},
		{"not a number", *throttled(wire.Hint{Form: wire.Seconds, Value: math.NaN()}), final},
		{"in a header that is not read", wire.Reply{Status: 429, Millis: wire.After(s)}, final},
		{"5 s", *throttled(wire.After(5 * s)), Decision{Again: true, Wait: 5 * s, Hinted: true}},
		{"0 s", *throttled(wire.After(0)), backoff},
		{"longer than the limit", *throttled(wire.After(61 * s)), backoff},
		{"none, 503", wire.Reply{Status: 503}, backoff},
		{"unreadable, 503", wire.Reply{Status: 503, RetryAfter: wire.Hint{Form: wire.Garbage}}, backoff},
		{"connection", wire.Reply{Failure: wire.Connection}, backoff},
	} {
		if d := r.Decide(&Facts{Attempt: 1, Reply: &c.reply, U: 0.5}); d != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, d, c.want)
		}
	}
}

// A Retry-After that is obeyed only when it is at least as long as the backoff, 7 s here: the client
// waits for the longer of the two. What plus adds, 0.25 s, is part of the server's wait.
func TestRetryAfterAtLeastTheBackoff(t *testing.T) {
	for asked := 500 * ms; asked <= 14*s; asked += 500 * ms {
		for _, plus := range []time.Duration{0, 500 * ms} {
			r := Retry{
				Attempts:   3,
				Classify:   openai.Classify,
				RetryAfter: RetryAfter{Obey: InFull, AtLeastBackoff: true, Plus: plus},
				Backoff:    Backoff{Base: 7 * s, Factor: 1},
			}
			want := Decision{Again: true, Wait: 7 * s}
			if server := asked + plus/2; server >= 7*s {
				want = Decision{Again: true, Wait: server, Hinted: true}
			}
			if d := r.Decide(&Facts{Attempt: 1, Reply: throttled(wire.After(asked)), U: 0.5}); d != want {
				t.Errorf("asked for %v, plus up to %v: %+v, want %+v", asked, plus, d, want)
			}
		}
	}
}

// The rows of dates and milliseconds in the table of measured edge cases: the
// SDKs read retry-after-ms first, LangChain does not read it.
func TestFormsOfRetryAfter(t *testing.T) {
	sdk, plain := RetryAfter{
		Obey:  UpTo,
		Limit: 60 * s,
		Reads: wire.Reads{Millis: true},
	}, RetryAfter{
		Obey:  UpTo,
		Limit: 60 * s,
	}
	if got, want := sdk.Describe(), "Retry-After up to 1m0s else backoff (retry-after-ms read first)"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
	now := 1000 * s
	for _, c := range []struct {
		name  string
		rule  RetryAfter
		reply wire.Reply
		want  time.Duration // 0 for the backoff
	}{
		{"date +30 s", sdk, wire.Reply{RetryAfter: wire.At(now + 30*s)}, 30 * s},
		{"date +30.9 s, whose fraction is lost", sdk, wire.Reply{RetryAfter: wire.At(now + 30900*ms)}, 30 * s},
		{"date -30 s", sdk, wire.Reply{RetryAfter: wire.At(now - 30*s)}, 0},
		{"date +1 h", sdk, wire.Reply{RetryAfter: wire.At(now + time.Hour)}, 0},
		{"ms 250 and RA 5", sdk, wire.Reply{RetryAfter: wire.After(5 * s), Millis: wire.After(250 * ms)}, 250 * ms},
		{"ms 250 and RA 5, ms not read", plain, wire.Reply{RetryAfter: wire.After(5 * s), Millis: wire.After(250 * ms)},
			5 * s},
		{"ms 250 alone, not read", plain, wire.Reply{Millis: wire.After(250 * ms)}, 0},
		{"unreadable ms and RA 5", sdk, wire.Reply{RetryAfter: wire.After(5 * s),
			Millis: wire.Hint{Form: wire.Garbage}}, 5 * s},
	} {
		r := Retry{
			Attempts:   3,
			Classify:   openai.Classify,
			RetryAfter: c.rule,
			Backoff:    Backoff{Base: 7 * s, Factor: 1},
		}
		c.reply.Status = 429
		want := Decision{Again: true, Wait: c.want, Hinted: true}
		if c.want == 0 {
			want = Decision{Again: true, Wait: 7 * s}
		}
		if d := r.Decide(&Facts{Now: now, Attempt: 1, Reply: &c.reply, U: 0.5}); d != want {
			t.Errorf("%s: %+v, want %+v", c.name, d, want)
		}
	}
}

func TestDecide(t *testing.T) {
	own := Retry{Attempts: 6, Deadline: 45 * s, Classify: openai.Classify,
		Backoff: Backoff{Base: 500 * ms, Factor: 2, Cap: 20 * s, Jitter: Full}, RetryAfter: RetryAfter{Obey: InFull}}
	again := func(d time.Duration, hinted bool) Decision { return Decision{Again: true, Wait: d, Hinted: hinted} }
	end := func(o Outcome) Decision { return Decision{Outcome: o} }
	for _, c := range []struct {
		name string
		r    Retry
		f    Facts
		want Decision
	}{
		{"an answer ends the call", openai, Facts{Attempt: 3, Reply: &wire.Reply{Status: 200}}, end(Answered)},
		{"400 is terminal", openai, Facts{Attempt: 1, Reply: &wire.Reply{Status: 400}}, end(TerminalError)},
		{"401 is terminal", openai, Facts{Attempt: 1, Reply: &wire.Reply{Status: 401}}, end(TerminalError)},
		{"425 is not in the table", openai, Facts{Attempt: 1, Reply: &wire.Reply{Status: 425}}, end(TerminalError)},
		{"408 is retried", openai, Facts{Attempt: 1, Reply: &wire.Reply{Status: 408}}, again(500*ms, false)},
		{"529 is retried", openai, Facts{Attempt: 1, Reply: &wire.Reply{Status: 529}}, again(500*ms, false)},
		{"a timeout is retried", openai, Facts{Attempt: 1, Reply: &wire.Reply{Failure: wire.Timeout}},
			again(500*ms, false)},
		{"a broken connection is retried", openai, Facts{Attempt: 1, Reply: &wire.Reply{Failure: wire.Connection}},
			again(500*ms, false)},
		{"x-should-retry: false forbids", openai, Facts{Attempt: 1,
			Reply: &wire.Reply{Status: 429, ShouldRetry: wire.DoNotRetry}}, end(TerminalError)},
		{"x-should-retry: true forces", openai, Facts{Attempt: 1,
			Reply: &wire.Reply{Status: 400, ShouldRetry: wire.Retry}}, again(500*ms, false)},
		{"a rule of one attempt retries no error", Retry{Attempts: 1, Classify: openai.Classify},
			Facts{Attempt: 1, Reply: throttled(wire.Hint{})}, end(TerminalError)},
		{"the third attempt is the last", openai, Facts{Attempt: 3, Reply: throttled(wire.Hint{})},
			end(GaveUpAttempts)},
		{"no wait may end past the deadline", own,
			Facts{Now: 10 * s, Start: 0, Attempt: 1, Reply: throttled(wire.After(36 * s))}, end(GaveUpDeadline)},
		{"a wait may end at the deadline", own, Facts{Now: 10 * s, Start: 0, Attempt: 1,
			Reply: throttled(wire.After(35 * s))}, again(35*s, true)},
		{"the deadline runs from the start", own, Facts{Now: 110 * s, Start: 100 * s, Attempt: 1,
			Reply: throttled(wire.After(35 * s))}, again(35*s, true)},
		{"a wait that ends at the deadline of the call leaves no time for an attempt", own, Facts{Now: 10 * s,
			Until: 45 * s, Attempt: 1, Reply: throttled(wire.After(35 * s))}, end(GaveUpDeadline)},
		{"one that ends before it does", own, Facts{Now: 10 * s, Until: 45*s + 1, Attempt: 1,
			Reply: throttled(wire.After(35 * s))}, again(35*s, true)},
		{"the last attempt is the last whatever is left", openai, Facts{Now: 10 * s, Until: 11 * s, Attempt: 3,
			Reply: throttled(wire.Hint{})}, end(GaveUpAttempts)},
		{"terminal code beats status", Retry{Attempts: 3,
			Classify: Classifier{Statuses: []Statuses{{429, 429}}, Never: []string{"insufficient_quota"}}},
			Facts{Attempt: 1, Reply: &wire.Reply{Status: 429, Code: "insufficient_quota"}}, end(TerminalError)},
	} {
		if got := c.r.Decide(&c.f); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Twice as long from retry to retry is what math.Pow gives, to the bit: over all exponents of floats, and beyond.
func TestPowersOfTwo(t *testing.T) {
	for i := -1100; i <= 1100; i++ {
		if got, want := power(2, i), math.Pow(2, float64(i)); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("2^%d: %g, want %g", i, got, want)
		}
	}
}

// Own-the-loop of the claim: 429 with Retry-After 3 twice and then 200, 97 ms a
// request, is 3 attempts and 6.29 s; with Retry-After 50 one attempt and no sleep.
func TestOwnTheLoop(t *testing.T) {
	own := Retry{Attempts: 6, Deadline: 45 * s, Classify: openai.Classify,
		Backoff: Backoff{Base: 500 * ms, Factor: 2, Cap: 20 * s, Jitter: Full}, RetryAfter: RetryAfter{Obey: InFull}}
	replay := func(replies ...*wire.Reply) (attempts int, elapsed time.Duration) {
		for i, r := range replies {
			elapsed += 97 * ms
			d := own.Decide(&Facts{Now: elapsed, Attempt: i + 1, Reply: r, U: 0.5})
			if !d.Again {
				return i + 1, elapsed
			}
			elapsed += d.Wait
		}
		return len(replies), elapsed
	}
	ok := &wire.Reply{Status: 200}
	if n, d := replay(throttled(wire.After(3*s)), throttled(wire.After(3*s)), ok); n != 3 || d != 6291*ms {
		t.Errorf("Retry-After 3: %d attempts in %v, want 3 in 6.291s", n, d)
	}
	if n, d := replay(throttled(wire.After(50*s)), ok); n != 1 || d != 97*ms {
		t.Errorf("Retry-After 50: %d attempts in %v, want 1 in 97ms", n, d)
	}
}

func TestTimeouts(t *testing.T) {
	python := Timeouts{Connect: 5 * s, Gap: 600 * s}
	for _, c := range []struct {
		name      string
		t         Timeouts
		n         int
		connected bool
		written   bool
		timer     Timer
		span      time.Duration
	}{
		{"none", Timeouts{}, 1, true, true, NoTimer, 0},
		{"no connection", python, 1, false, true, ConnectTimer, 5 * s},
		{"silence", python, 1, true, true, GapTimer, 600 * s},
		{"the shortest fires", Timeouts{FirstByte: 20 * s, Gap: 30 * s, Attempt: []time.Duration{60 * s}}, 1, true,
			true, FirstByteTimer, 20 * s},
		{"the gap waits for the first byte", Timeouts{FirstByte: 60 * s, Gap: 2 * s}, 1, true, true, FirstByteTimer,
			60 * s},
		{"first attempt", Timeouts{Attempt: []time.Duration{8 * s, 60 * s}}, 1, true, true, AttemptTimer, 8 * s},
		{"later attempts take the last", Timeouts{Attempt: []time.Duration{8 * s, 60 * s}}, 5, true, true, AttemptTimer,
			60 * s},
		// httpx.Timeout(600, connect=5): a handshake that fails is over before anything is written.
		{"four of httpx", Timeouts{Connect: 5 * s, Write: 600 * s, Gap: 600 * s}, 1, false, false, ConnectTimer, 5 * s},
		{"a long request on a dead connection", Timeouts{Write: 10 * s, Gap: 600 * s}, 1, false, false, WriteTimer,
			10 * s},
		{"a short one is in the send buffer", Timeouts{Write: 10 * s, Gap: 600 * s}, 1, false, true, GapTimer, 600 * s},
		{"who reads is written to", Timeouts{Write: 10 * s}, 1, true, false, NoTimer, 0},
		{"the operating system", Timeouts{OS: 925 * s}, 1, false, true, OSTimer, 925 * s},
		{"it gives up no live connection", Timeouts{OS: 925 * s}, 1, true, true, NoTimer, 0},
		{"it has patience", Timeouts{OS: 925 * s, Gap: 600 * s}, 1, false, true, GapTimer, 600 * s},
	} {
		if timer, span := c.t.BeforeFirstByte(c.n, c.connected, c.written); timer != c.timer || span != c.span {
			t.Errorf("%s: %v after %v, want %v after %v", c.name, timer, span, c.timer, c.span)
		}
	}
}

func reaction(t *rapid.T, name string) Reaction {
	return Reaction(rapid.IntRange(0, int(TimerTick)).Draw(t, name))
}

// Whatever the parameters, the header and the number, a wait is neither
// negative nor so long that adding it to an instant overflows, and no wait
// ends past the deadline.
func TestWaitsAreAlwaysSane(t *testing.T) {
	span := rapid.OneOf(rapid.Int64Range(0, 1<<62), rapid.SampledFrom([]int64{0, 1, 1 << 62}))
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) time.Duration { return time.Duration(span.Draw(t, name)) }
		r := Retry{
			Deadline: draw("deadline"),
			Classify: openai.Classify,
			Backoff: Backoff{
				Base:     draw("base"),
				Factor:   rapid.Float64Range(1, 1e6).Draw(t, "factor"),
				Cap:      draw("cap"),
				Growth:   Growth(rapid.IntRange(0, len(growths)-1).Draw(t, "growth")),
				Exponent: rapid.SampledFrom([]float64{0, 1.5, 10}).Draw(t, "exponent"),
				Offset:   draw("offset")/4 - draw("less")/4,
				Min:      draw("least") / 4,
				Jitter:   Jitter(rapid.IntRange(0, len(jitters)-1).Draw(t, "jitter")),
				Share:    rapid.Float64Range(0, 1).Draw(t, "share"),
				Plus:     draw("added"),
				List:     []time.Duration{draw("listed"), draw("then")},
			},
			RetryAfter: RetryAfter{Obey: Obedience(rapid.IntRange(0, 2).Draw(t, "obey")), Limit: draw("limit"),
				Beyond: Beyond(rapid.IntRange(0, 2).Draw(t, "beyond")), Plus: draw("plus") / 4,
				Below: rapid.Bool().
					Draw(t, "below"),
				PlusShare: rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "share of it"),
				AtLeastBackoff: rapid.Bool().
					Draw(t, "at least"),
				GiveUpFirst: rapid.Bool().Draw(t, "first"), Largest: draw("largest"),
				Reads: wire.Reads{Millis: rapid.Bool().Draw(t, "reads ms"), Body: rapid.Bool().Draw(t, "reads body")},
				Zero: reaction(
					t,
					"zero",
				), Negative: reaction(t, "negative"), Past: reaction(t, "past"), Garbage: reaction(t, "garbage"),
				Overflow: reaction(t, "overflow"),
				Skips: Skips{
					ZeroMillis: rapid.Bool().Draw(t, "skips zero"),
					Negative:   rapid.Bool().Draw(t, "skips negative"),
				}},
		}
		value := rapid.OneOf(rapid.Float64(),
			rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e12, 1e300}))
		f := Facts{
			Now: draw("now") / 4, Attempt: rapid.IntRange(1, 5000).Draw(t, "attempt"), LastWait: draw("last"),
			Reply: throttled(
				wire.Hint{
					Form:  wire.Form(rapid.IntRange(0, int(wire.Garbage)).Draw(t, "form")),
					Value: value.Draw(t, "value"),
				},
			),
			U: rapid.Float64Range(0x1p-53, almostOne).Draw(t, "u"),
		}
		d := r.Decide(&f)
		if d.Wait < 0 || d.Wait > 2*sim.End {
			t.Fatalf("wait %v", d.Wait)
		}
		if d.Again && r.Deadline > 0 && f.Now+d.Wait > r.Deadline {
			t.Fatalf("slept past the deadline: now %v, wait %v, deadline %v", f.Now, d.Wait, r.Deadline)
		}
	})
}
