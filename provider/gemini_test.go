package provider

import (
	"math"
	"slices"
	"testing"
	"time"

	"stampede/dialect"
	"stampede/sim"
	"stampede/wire"
)

// geminiWaits are the waits, in seconds, that refusals of the Gemini API printed for a limit per minute, in public
// issues and forums from 2025-12 to 2026-09. Of those on tokens the limits are not all known: here 1M, and requests
// of 100k are assumed.
var geminiWaits = []struct {
	resource Resource
	limit    int64
	charge   int
	printed  []float64
	bucket   time.Duration // the longest wait of a bucket of the limit: charge/limit of a minute
}{
	{Requests, 300, 1, []float64{52.5, 50.3}, 200 * ms},
	{Requests, 25, 1, []float64{19.4, 19.6}, 2400 * ms},
	{Requests, 10, 1, []float64{56.1, 30.7}, 6 * s},
	{Requests, 500, 1, []float64{34.3}, 120 * ms},
	{InputTokens, 1_000_000, 100_000, []float64{11.8, 24.2, 37.6, 38.1, 39.5, 42.9, 45.8, 48.6, 51.4, 59}, 6 * s},
}

// gemini is a provider with one limit, all of which is used.
func gemini(t *testing.T, of dialect.Dialect, l Limit) *Provider {
	t.Helper()
	l.Used = l.Amount
	return build(t, Config{Dialect: of, RetryAfter: RetryAfter{As: InBody}, Limits: []Limit{l}})
}

// Each wait that was printed is one that a fixed window asks for, at that distance from its end, and none is one of
// a bucket, which at its emptiest asks for less.
func TestPrintedWaitsOfGemini(t *testing.T) {
	for _, c := range geminiWaits {
		l := Limit{Resource: c.resource, Amount: c.limit, Period: time.Minute}
		r := Request{Prompt: c.charge, Attempt: 1}
		var reply wire.Reply
		gemini(t, dialect.Gemini, l).Receive(0, &r, 0, &reply)
		if reply.Status != 429 || reply.Over.Wait != c.bucket {
			t.Errorf("%v %d/min: the bucket asks for %v, want %v", c.resource, c.limit, reply.Over.Wait, c.bucket)
		}
		l.Kind = FixedWindow
		for _, printed := range c.printed {
			wait := time.Duration(math.Round(printed*1e3)) * ms
			if wait <= c.bucket {
				t.Errorf("%v %d/min: a bucket asks for %v, too", c.resource, c.limit, wait)
			}
			gemini(t, dialect.Gemini, l).Receive(time.Minute-wait, &r, 0, &reply)
			if reply.Status != 429 || reply.Over.Wait != wait || reply.Delay != wire.After(wait.Truncate(s)) {
				t.Errorf("%v %d/min: the window asks for %v and %+v, want %v", c.resource, c.limit, reply.Over.Wait,
					reply.Delay, wait)
			}
		}
	}
}

// farthest is the Kolmogorov-Smirnov distance of waits in seconds from the uniform law on a minute.
func farthest(waits []float64) (d float64) {
	slices.Sort(waits)
	n := float64(len(waits))
	for i, w := range waits {
		d = max(d, w/60-float64(i)/n, float64(i+1)/n-w/60)
	}
	return d
}

// The 17 printed waits are no evidence against the uniform law on a minute: the distance is below 0.318, the 5 %
// point of the test for n = 17. Nor are those of the model: requests at random instants, a hundred times as many as
// the limit admits, use it up in a hundredth of the minute, and are refused through the rest of it.
func TestWaitsOfGeminiCoverTheMinute(t *testing.T) {
	var printed []float64
	for _, c := range geminiWaits {
		printed = append(printed, c.printed...)
	}
	if d := farthest(printed); len(printed) != 17 || d > 0.318 {
		t.Errorf("%d printed waits have the distance %.3f, want 17 and at most 0.318", len(printed), d)
	}
	key := sim.NewKey(1, 0)
	for _, c := range geminiWaits {
		p := build(t, Config{Dialect: dialect.Gemini, RetryAfter: RetryAfter{As: InBody}, Limits: []Limit{{
			Resource: c.resource, Amount: c.limit, Period: time.Minute, Kind: FixedWindow}}})
		perMinute := 100 * float64(c.limit) / float64(c.charge)
		var waits []float64
		now := 0.0 // minutes
		for i := uint64(0); now < 20; i++ {
			now -= math.Log(key.Uniform(i, uint64(c.limit))) / perMinute
			r := Request{Call: i, Prompt: c.charge, Attempt: 1}
			var reply wire.Reply
			if p.Receive(sim.Seconds(60*now), &r, 0, &reply).Kind == Refused {
				waits = append(waits, reply.Over.Wait.Seconds())
			}
		}
		// The first hundredth of each minute is not refused; 1.63/sqrt(n) happens by chance in one of a hundred.
		if d, most := farthest(waits), 0.01+1.63/math.Sqrt(float64(len(waits))); d > most {
			t.Errorf("%v %d/min: the waits have the distance %.4f, want at most %.4f", c.resource, c.limit, d, most)
		}
	}
}

// A request of 1.5M tokens against 1M a minute is asked to wait 1.466 s, cut to 1 s, and never passes: a client that
// does as it is asked is refused for an hour, by a limit of which nothing is used, and in the last second of each
// minute, where it is asked to wait 0 s, once in each round trip.
func TestGeminiAsksForWhatNeverFits(t *testing.T) {
	p := build(t, Config{Dialect: dialect.Gemini, RetryAfter: RetryAfter{As: InBody}, Limits: []Limit{{
		Resource: InputTokens, Amount: 1_000_000, Period: time.Minute, Kind: FixedWindow}}})
	now := time.Minute - 1466*ms
	for i := 0; now < time.Hour; i++ {
		r := Request{Call: uint64(i), Prompt: 1_500_000, Attempt: 1}
		var reply wire.Reply
		p.Receive(now, &r, 0, &reply)
		wait, ok := reply.RequestedWait(now, wire.Reads{Body: true})
		if left := time.Minute - now%time.Minute; reply.Status != 429 || !ok || wait != left.Truncate(s) {
			t.Fatalf("attempt %d at %v: status %d, asked to wait %v (%v)", i, now, reply.Status, wait, ok)
		}
		now += wait + 50*ms
	}
}

// A client that waits for the whole seconds of RetryInfo comes up to a second early: 42.92 s printed, 42 s waited.
func TestGeminiCutsTheWait(t *testing.T) {
	p := gemini(t, dialect.Gemini, Limit{Resource: Requests, Amount: 10, Period: time.Minute, Kind: FixedWindow})
	var reply wire.Reply
	for _, c := range []struct{ at, exact, cut time.Duration }{
		{17_080 * ms, 42_920 * ms, 42 * s},
		{59_080 * ms, 920 * ms, 0}, // and from now on at once, until the minute has ended
	} {
		p.Receive(c.at, &Request{Attempt: 1}, 0, &reply)
		if reply.Over.Wait != c.exact || reply.Delay != wire.After(c.cut) {
			t.Errorf("at %v: %v and %+v, want %v and %v", c.at, reply.Over.Wait, reply.Delay, c.exact, c.cut)
		}
	}
}

// A day that is used up: paid tiers print the time until midnight Pacific, the free tier less than a minute.
func TestDaysOfGemini(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		of            dialect.Dialect
		wait, printed time.Duration
	}{
		{dialect.Gemini, 4*time.Hour + 59*time.Minute, 4*time.Hour + 59*time.Minute},
		{dialect.Gemini, 43_424 * s, 43_424 * s},
		{dialect.Gemini, 77_511 * s, 77_511 * s},
		{dialect.GeminiFree, 9*time.Hour + 17_300*ms, 17_300 * ms},
		{dialect.GeminiFree, time.Hour + 43_700*ms, 43_700 * ms},
		{dialect.GeminiFree, 23*time.Hour + 30_200*ms, 30_200 * ms},
		{dialect.GeminiFree, time.Minute + 41_200*ms, 41_200 * ms},
		{dialect.GeminiFree, 2*time.Hour + 1350*ms, 1350 * ms},
		{dialect.GeminiFree, 2 * time.Hour, time.Minute},
	} {
		p := gemini(t, c.of, Limit{Resource: Requests, Amount: 20, Period: day, Kind: FixedWindow})
		var reply wire.Reply
		p.Receive(day-c.wait, &Request{Attempt: 1}, 0, &reply)
		if reply.Over.Wait != c.printed || reply.Delay != wire.After(c.printed.Truncate(s)) {
			t.Errorf("%v before the end of the day %v prints %v and %+v, want %v", c.wait, c.of, reply.Over.Wait,
				reply.Delay, c.printed)
		}
	}
}
