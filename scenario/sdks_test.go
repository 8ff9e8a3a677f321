package scenario

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"stampede/internal/strict"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// clientOf builds the policy of a preset.
func clientOf(t *testing.T, name string) policy.Client {
	t.Helper()
	p, err := FindPreset("policy", name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&builder{d: strict.NewDecoder()}).client(p.Policy)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What each version of each SDK makes of a Retry-After on a 429, as measured on a virtual
// clock: seconds of wait, b for its own backoff, x for no retry. Backoffs are taken
// at u = 0.
func TestRetryAfterByVersion(t *testing.T) {
	ra := func(v float64) wire.Reply {
		return wire.Reply{Status: 429, RetryAfter: wire.Hint{Form: wire.Seconds, Value: v}}
	}
	ms := func(v, ra float64) wire.Reply {
		return wire.Reply{
			Status:     429,
			Millis:     wire.Hint{Form: wire.Seconds, Value: v / 1000},
			RetryAfter: wire.Hint{Form: wire.Seconds, Value: ra},
		}
	}
	now := time.Hour
	date := func(d time.Duration) wire.Reply {
		return wire.Reply{Status: 429, RetryAfter: wire.At(now + d)}
	}
	rows := []struct {
		name  string
		reply wire.Reply
	}{
		{
			"RA 5",
			ra(5),
		}, {"RA 0", ra(0)}, {"RA -1", ra(-1)}, {"RA 60", ra(60)}, {"RA 61", ra(61)}, {"RA 121", ra(121)}, {"RA 86400",
			ra(86400)}, {"RA 1e12", ra(1e12)},
		{"RA soon", wire.Reply{Status: 429, RetryAfter: wire.Hint{Form: wire.Garbage}}},
		{
			"date +30 s",
			date(30 * time.Second),
		}, {"date -30 s", date(-30 * time.Second)}, {"date +1 h", date(time.Hour)},
		{"ms 250 + RA 5", ms(250, 5)}, {"ms 0 + RA 5", ms(0, 5)}, {"ms -5 + RA 5", ms(-5, 5)},
		{"RA NaN", ra(math.NaN())},
	}
	for name, want := range map[string]string{
		//                            5 0    -1    60 61 121 86400 1e12 soon  +30 -30   +1h  ms250 ms0 ms-5 NaN
		"openai-go@3.98":                "5 0    b     60 61 x   x     x    b     30  0     x    0.25  0   5    b",
		"openai-go@3.60":                "5 0    b     8  8  8   8     8    b     8   0     8    0.25  0   5    b",
		"openai-go@3.22":                "5 0    b     b  b  b   b     b    b     30  b     b    0.25  0   b    b",
		"anthropic-go@2.15":             "5 0    0     60 61 121 86400 0    b     30  0     3600 0.25  0   0    b",
		"openai-node@7.59":              "5 0    b     60 b  b   b     b    b     30  b     b    0.25  0   b    b",
		"openai-node@6.49":              "5 0    0.001 60 61 121 86400 0.001 0.001 30 0.001 3600 0.25  5   0.001 0.001",
		"openai-node@4.20":              "5 b    b     60 b  b   b     b    b     30  b     b    5     5   5    b",
		"openai-node@4.13":              "5 b    b     60 b  b   b     b    b     30  b     b    5     5   5    b",
		"openai-node@6.25":              "5 b    b     b  b  b   b     b    b     30  b     b    0.25  5   b    b",
		"anthropic-typescript@1.14":     "5 b    b     60 61 121 86400 b    b     30  b     3600 0.25  5   b    b",
		"anthropic-typescript@0.125":    "5 b    b     60 61 121 86400 b    b     30  b     3600 0.25  5   b    b",
		"anthropic-typescript@0.124":    "5 0    0.001 60 61 121 86400 0.001 0.001 30 0.001 3600 0.25  5   0.001 0.001",
		"anthropic-go@1.67":             "5 0    0     60 61 121 x     0    b     30  0     x    0.25  0   0    b",
		"groq-node@0.37":                "5 b    b     b  b  b   b     b    b     30  b     b    0.25  5   b    b",
		"groq-node@1.1":                 "5 0    0.001 60 61 121 86400 0.001 0.001 30 0.001 3600 0.25  5   0.001 0.001",
		"cohere-js@7.21":                "5 b    b     60 60 60  60    60   b     30  b     60   5     5   5    b",
		"vercel-ai@7.0":                 "5 0    b     b  b  b   b     b    b     30  b     b    0.25  0   b    b",
		"openai-python@2.52":            "5 b    b     60 61 x   x     x    b     30  b     x    0.25  b   b    b",
		"openai-python@2.46":            "5 b    b     60 b  b   b     b    b     30  b     b    0.25  b   b    b",
		"anthropic-python@0.121":        "5 b    b     60 b  b   b     b    b     30  b     b    0.25  b   b    b",
		"google-genai-go-retrying@1.77": "b b b   b  b  b   b     b    b     b   b     b    b     b   b    b",
	} {
		c := clientOf(t, name)
		backoff := c.Retry.Backoff.Wait(0, 0, 0)
		for i, expected := range strings.Fields(want) {
			d := c.Retry.Decide(&policy.Facts{Now: now, Attempt: 1, Reply: &rows[i].reply})
			got := fmt.Sprint(d.Wait.Seconds())
			switch {
			case !d.Again:
				got = "x"
			case !d.Hinted && d.Wait == backoff:
				got = "b"
			}
			if got != expected {
				t.Errorf("%s, %s: %s, want %s", name, rows[i].name, got, expected)
			}
		}
	}
	// LangChain.js waits the longer of its backoff of 1 s and the wish, and ends the call beyond 60 s.
	c := clientOf(t, "langchain-js@1.4")
	for i, want := range []float64{5, 1, 1, 60, -1, -1, -1, -1} {
		if d := c.Retry.Decide(&policy.Facts{Now: now, Attempt: 1, Reply: &rows[i].reply}); d.Again != (want > 0) ||
			d.Again && d.Wait.Seconds() != want {
			t.Errorf("langchain-js, %s: %+v, want %g", rows[i].name, d, want)
		}
	}
	// A 429 must ask for a wait, in a header or in its text; other failures need not. x-should-retry is not read.
	for _, row := range []struct {
		reply wire.Reply
		want  float64 // seconds; -1 for no retry
	}{
		{wire.Reply{Status: 429}, -1}, {wire.Reply{Status: 429, RetryAfter: wire.Hint{Form: wire.Garbage}}, -1},
		{wire.Reply{Status: 429, Millis: wire.After(1500 * time.Millisecond)}, -1},
		{wire.Reply{Status: 429, Delay: wire.After(20 * time.Second)}, 20},
		{wire.Reply{Status: 429, RetryAfter: wire.After(time.Second), ShouldRetry: wire.DoNotRetry}, 1},
		{wire.Reply{Status: 400, ShouldRetry: wire.Retry}, -1}, {wire.Reply{Status: 409}, -1},
		{wire.Reply{Status: 413}, -1}, {wire.Reply{Status: 408}, 1}, {wire.Reply{Status: 422}, 1},
		{wire.Reply{Status: 425}, 1}, {wire.Reply{Status: 503}, 1}, {wire.Reply{Failure: wire.Connection}, 1},
	} {
		d := c.Retry.Decide(&policy.Facts{Now: now, Attempt: 1, Reply: &row.reply})
		if d.Again != (row.want > 0) || d.Again && d.Wait.Seconds() != row.want {
			t.Errorf("langchain-js, %+v: %+v, want %g", row.reply, d, row.want)
		}
	}
}

// Trap 11: the attempts of presets that have more than the table of waits shows.
func TestAttemptsOfLongPresets(t *testing.T) {
	for name, want := range map[string]int{
		"own-the-loop": 6, "full-jitter-5": 5, "google-genai-go-retrying@1.77": 5, "finagle@24.5": 5,
		"tenacity-random-exponential@9.1": 6, "polly-exponential@8.7": 4,
	} {
		if c := clientOf(t, name); c.Attempts() != want {
			t.Errorf("%s: %d attempts, want %d", name, c.Attempts(), want)
		}
	}
}

// The waits before the first retries without a hint, at u = 0, 0.5 and just under 1, in
// seconds, of every preset; the waits of the outermost layer are not among them. Trap 11: what
// a vendor calls attempts, retries or tries has been translated when there are as many waits.
func TestFirstWaitsOfEveryPreset(t *testing.T) {
	sdk := "0.5 1 | 0.4375 0.875 | 0.375 0.75"
	want := map[string]string{
		"openai-python@1.0": "1 2 | 0.875 1.75 | 0.75 1.5", "openai-python@1.47": sdk, "openai-python@2.52": sdk,
		"anthropic-python@0.3": "1 2 | 0.875 1.75 | 0.75 1.5", "anthropic-python@0.35": sdk,
		"openai-node@4.0": "0 0 | 0.25 0.5 | 0.5 1", "openai-node@4.14": sdk,
		"openai-node@4.25": sdk, "openai-node@6.26": sdk, "openai-node@7.5": sdk,
		"openai-go@1.0": sdk, "openai-go@3.25": sdk, "openai-go@3.53": sdk, "openai-go@3.67": sdk,
		"anthropic-typescript@0.30": sdk, "anthropic-typescript@0.79": sdk, "anthropic-typescript@0.125": sdk,
		"groq-node@0.5": sdk, "groq-node@1.1": sdk,
		"anthropic-go@1.0": sdk, "anthropic-go@1.27": sdk, "anthropic-go@1.68": sdk,
		"google-genai-python@2.19": "", "google-genai-go@1.70": "", "google-genai-js@1.0": "",
		"google-genai-python-retrying@2.19": "1 2 4 8 | 1.5 2.5 4.5 8.5 | 2 3 5 9",
		"google-genai-go-retrying@1.70":     "1 2 4 8 | 1.5 2.5 4.5 8.5 | 2 3 5 9",
		"google-genai-js-retrying@1.52":     "1 2 4 8 | 1 2 4 8 | 1 2 4 8",
		"google-genai-js-retrying@2.15":     "1 2 4 8 | 1.5 3 6 12 | 2 4 8 16",
		"botocore-legacy@1.43":              "0 0 0 0 | 0.5 1 2 4 | 1 2 4 8",
		"botocore-standard@1.43":            "0 0 | 0.5 1 | 1 2",
		"botocore-adaptive@1.43":            "0 0 | 0.5 1 | 1 2",
		"aws-sdk-go@1.0":                    "0 0 | 1 2 | 2 4", "aws-sdk-go@1.48": "0 0 | 0.025 0.05 | 0.05 0.1",
		"vercel-ai@6.0": "2 4 | 2 4 | 2 4", "langchain-js@1.2": "1 2 4 8 | 1.5 3 6 12 | 2 4 8 16",
		"langchain-python@1.0":            sdk,
		"instructor@1.8":                  sdk,
		"llamaindex@0.1":                  "0.5 1 2 | 0.4375 0.875 1.75 | 0.375 0.75 1.5",
		"litellm-router@1.0":              "0.5 1 | 0.875 1.375 | 1.25 1.75",
		"round-robin":                     "0 | 0 | 0",
		"litellm-router@1.81":             "0.5 1 | 0.875 1.375 | 1.25 1.75",
		"litellm-router-least-busy@1.81":  "0.5 1 | 0.875 1.375 | 1.25 1.75",
		"litellm-router-usage-based@1.81": "0.5 1 | 0.875 1.375 | 1.25 1.75",
		"mistral-python@2.5":              "", "mistral-python-retrying@2.5": "0.5 0.75 1.125 1.6875 | " +
			"1 1.25 1.625 2.1875 | 1.5 1.75 2.125 2.6875",
		"mistral-js-retrying@1.9": "0 0.5 1.4142 2.5981 | 0.5 1 1.9142 3.0981 | 1 1.5 2.4142 3.5981",
		"cohere-python@7.0":       "0.9 1.8 | 1 2 | 1.1 2.2", "cohere-js@7.21": "0.9 1.8 | 1 2 | 1.1 2.2",
		"tenacity@9.1": "0 0 0 0 | 0 0 0 0 | 0 0 0 0", "tenacity-random-exponential@9.1": "1 1 1 1 | 1 1.5 2.5 4.5 " +
			"| 1 2 4 8",
		"polly@8.7": "2 2 2 | 2 2 2 | 2 2 2", "polly-exponential@8.7": "0 | 1.7948 | 2.7544",
		"cenkalti-backoff@5.0": "0.25 0.375 0.5625 0.84375 | 0.5 0.75 1.125 1.6875 | 0.75 1.125 1.6875 2.53125",
		"go-retryablehttp@0.7": "1 2 4 8 | 1 2 4 8 | 1 2 4 8",
		"grpc@1.85":            "0.08 0.16 0.32 | 0.1 0.2 0.4 | 0.12 0.24 0.48", "envoy@1.30": "0 | 0.0125 | 0.025",
		"finagle@24.5":     "0 0 0 0 | 0.05 0.1 0.2 0.4 | 0.1 0.2 0.4 0.8",
		"resilience4j@2.4": "0.5 0.5 | 0.5 0.5 | 0.5 0.5", "celery@5.6": "0 0 0 | 0.5 1 2 | 1 2 4",
		"sidekiq@8.1":  "15 16 31 96 | 20 26 46 116 | 25 36 61 136",
		"sqs":          "30 30 30 30 | 30 30 30 30 | 30 30 30 30",
		"own-the-loop": "0 0 0 0 | 0.25 0.5 1 2 | 0.5 1 2 4", "full-jitter-5": "0 0 0 0 | 0.5 1 2 4 | 1 2 4 8",
		"starting-points": "0 0 | 0.5 1 | 1 2", "no-retry": "",
		// 1 s 2^n, uniform below it; 1 s 2^n; 2 s 5^n up to 180 s.
		"backoff@2.2":   "0 0 0 0 | 0.5 1 2 4 | 1 2 4 8",
		"p-retry@9.0":   "1 2 4 8 | 1 2 4 8 | 1 2 4 8",
		"spring-ai@1.0": "2 10 50 180 | 2 10 50 180 | 2 10 50 180",
	}
	for _, p := range Presets() {
		if p.Policy == nil {
			continue
		}
		name := p.Name
		if p.Versions != "" {
			name += "@" + strings.Fields(p.Versions)[0]
		}
		expected, known := want[name]
		if !known {
			t.Errorf("%s: no row says how it waits", name)
			continue
		}
		c := clientOf(t, name)
		most := 4
		if c.Retry.Attempts > 0 {
			most = min(most, c.Retry.Attempts-1)
		}
		if expected == "" {
			if most != 0 {
				t.Errorf("%s: retries %d times, want never", name, most)
			}
			continue
		}
		for k, column := range strings.Split(expected, "|") {
			u := []float64{0, 0.5, 1 - 1e-9}[k]
			for i, text := range strings.Fields(column) {
				var seconds float64
				fmt.Sscan(text, &seconds)
				if i >= most {
					t.Errorf("%s: %d retries, want more", name, most)
					break
				}
				if got := c.Retry.Backoff.Wait(i, 0, u).Seconds(); math.Abs(got-seconds) > 1e-4 {
					t.Errorf("%s: retry %d at u = %g waits %g s, want %g", name, i+1, u, got, seconds)
				}
			}
			if n := len(strings.Fields(column)); n != most && !strings.HasPrefix(name, "polly-exp") {
				t.Errorf("%s: %d retries, the row has %d", name, most, n)
			}
		}
	}
}

// What the presets add up to, from the sums and products of the facts: requests to a dead
// provider, and the span of their waits, lowest and highest.
func TestSumsOfPresets(t *testing.T) {
	for _, c := range []struct {
		name      string
		attempts  int
		low, high float64 // seconds, of the innermost layer
	}{
		{"openai-python@2.46", 3, 1.125, 1.5}, {"openai-go@3.98", 3, 1.125, 1.5}, {"google-genai-python-retrying@2.19",
			5, 15, 19}, {"google-genai-js-retrying@3.3", 5, 15, 30},
		{"langchain-js@1.4", 7, 63, 126}, {"llamaindex@0.1", 12, 2.625, 3.5}, {"instructor@1.8", 9, 1.125, 1.5},
		{"vercel-ai@7.0", 3, 6, 6}, {"go-retryablehttp@0.7", 5, 15, 15},
		{"botocore-legacy@1.43", 5, 0, 15}, {"aws-sdk-go@1.47", 3, 0, 6}, {"aws-sdk-go@1.48", 3, 0, 0.15},
		{"sidekiq@8.1", 26, 1763020 + 375, 1763020 + 375 + 3250},
	} {
		client := clientOf(t, c.name)
		low, high := 0.0, 0.0
		for i := range client.Retry.Attempts - 1 {
			l, h := client.Retry.Backoff.Range(i)
			low, high = low+l.Seconds(), high+h.Seconds()
		}
		if client.Attempts() != c.attempts || math.Abs(low-c.low) > 0.01 || math.Abs(high-c.high) > 0.01 {
			t.Errorf("%s: %d attempts, waits of %g to %g s; want %d, %g to %g", c.name, client.Attempts(), low, high,
				c.attempts, c.low, c.high)
		}
	}
}

// An SDK in tenacity in Celery, each by its preset: a request that always fails is sent as often as the
// product of the attempts says, and the calls wait in each layer as that layer does by itself.
func TestOuterLayersFromPresets(t *testing.T) {
	layers := func(outer string, set ...string) (*Scenario, error) {
		text := `workload: {burst: {calls: 1}, prompt_tokens: 10, output_tokens: 1}
policy: {preset: openai-python@2.52, outer_layers: ` + outer + `}`
		return Read([]byte(text), "f", Options{Set: set})
	}
	const threeTimes = "[{preset: tenacity@9.1, retry: {attempts: 3}}, celery@5.6]"
	for _, c := range []struct {
		outer    string
		set      []string
		names    []string
		attempts int
		backoff  time.Duration // the longest, in all
	}{
		// The SDK makes 3, tenacity 3 of those, Celery 4 of those. It waits at most 0.5 + 1 s in each
		// of 12 rounds, tenacity never, Celery 1 + 2 + 4 s.
		{threeTimes, nil, []string{"tenacity@9.1 with changes", "celery@5.6"}, 3 * 3 * 4, 25 * time.Second},
		{threeTimes, []string{"policy.outer_layers.0.retry.attempts=2"},
			[]string{"tenacity@9.1 with changes", "celery@5.6"}, 3 * 2 * 4, 19 * time.Second},
		{threeTimes, []string{"policy.outer_layers.1={name: queue, retry: {attempts: 2}}"},
			[]string{"tenacity@9.1 with changes", "queue"}, 3 * 3 * 2, 9 * time.Second},
		{"[tenacity@9.1, celery@5.6]", nil, []string{"tenacity@9.1", "celery@5.6"}, 0, 0}, // it never stops
		{"[{preset: celery@5.6, name: queue, timeout: 5s}]", nil, []string{"queue"}, 3 * 4, 4*1500*time.Millisecond +
			7*time.Second},
	} {
		s, err := layers(c.outer, c.set...)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range s.Model.Client.Outer {
			names = append(names, l.Name)
		}
		backoff, _ := s.Model.Client.MaxDuration(0)
		if !slices.Equal(names, c.names) || s.Model.MaxAttempts() != c.attempts || backoff != c.backoff {
			t.Errorf("%s: layers %q, %d attempts, backoff %v; want %q, %d, %v", c.outer, names, s.Model.MaxAttempts(),
				backoff, c.names, c.attempts, c.backoff)
		}
		resolved, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Read(resolved, "resolved", Options{}); err != nil || !reflect.DeepEqual(s.Model, again.Model) {
			t.Errorf("%s does not read back from %s: %v", c.outer, resolved, err)
		}
	}
	for outer, want := range map[string]string{
		"[instructor]": `policy.outer_layers.0: found "instructor", which has a layer around it already`,
		"[celerry]":    `policy.outer_layers.0: found "celerry"; no such policy; did you mean "celery"?`,
	} {
		if _, err := layers(outer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", outer, err, want)
		}
	}
	s, err := layers("[grpc]")
	if want := "as an outer layer, grpc retries without its budget"; err != nil ||
		!slices.Contains(s.Warnings(), want) {
		t.Errorf("%v, %v; want %q", s.Warnings(), err, want)
	}
}

// Tenacity knows nothing of x-should-retry: where the SDK inside obeys OpenAI's "false", the
// layer around it asks again all the same.
func TestTenacityIgnoresXShouldRetry(t *testing.T) {
	refusal := wire.Reply{Status: 429, ShouldRetry: wire.DoNotRetry}
	for _, name := range []string{"instructor@1.8", "llamaindex@0.1"} {
		c := clientOf(t, name)
		if d := c.Retry.Decide(&policy.Facts{Attempt: 1, Reply: &refusal}); d.Again {
			t.Errorf("%s: the SDK asks again", name)
		}
		if d := c.Outer[0].Retry.Decide(&policy.Facts{Attempt: 1, Reply: &refusal}); !d.Again {
			t.Errorf("%s: tenacity does not ask again", name)
		}
	}
}

// The SDKs that Stainless generates look at x-should-retry before the status: "true" retries a 400 and "false"
// leaves a 503 (openai-python and anthropic-sdk-python, _should_retry in _base_client.py). Others look at the
// status alone. Faults, limits and gateways send the header.
func TestXShouldRetryDecidesBeforeTheStatus(t *testing.T) {
	stainless := []string{"openai-python@2.46", "openai-node@7.5", "openai-go@3.67", "anthropic-python@0.35",
		"anthropic-typescript@0.126", "anthropic-go@1.68"}
	others := []string{"vercel-ai@6.0", "botocore-standard@1.43"}
	for _, c := range []struct {
		setting           string
		stainless, others bool // try again
	}{
		{"{faults: [{status: 503}]}", true, true},
		{"{faults: [{status: 503, x_should_retry: false}]}", false, true},
		{"{faults: [{status: 400, x_should_retry: true}]}", true, false},
		{"{limits: [{resource: requests, limit: 1/day, used: 1, x_should_retry: false}]}", false, true},
		{"{limits: [{resource: dollars, balance: $1, used: $1, x_should_retry: true}]}", true, false}, // of a 402
		{"{gateway: {errors: [{status: 503, x_should_retry: false}]}}", false, true},
	} {
		s := merged(t, base, "provider: "+c.setting)
		api, err := provider.New(s.Model.Provider, sim.NewKey(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		var reply wire.Reply
		request := provider.Request{Attempt: 1, Prompt: 1}
		if _, fails := api.GatewayFails(&request, &reply); !fails {
			api.Receive(0, &request, 1, &reply)
		}
		for _, name := range slices.Concat(stainless, others) {
			client := clientOf(t, name)
			want := c.others
			if slices.Contains(stainless, name) {
				want = c.stainless
			}
			if d := client.Retry.Decide(&policy.Facts{Attempt: 1, Reply: &reply, U: 0.5}); d.Again != want {
				t.Errorf("%s: %s tries again: %v, want %v", c.setting, name, d.Again, want)
			}
		}
	}
}
