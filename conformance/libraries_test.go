package conformance

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/time/rate"
	"google.golang.org/genai"
	"pgregory.net/rapid"

	ask "stampede/conformance/clients/genai"
	"stampede/dialect"
	"stampede/policy"
	"stampede/provider"
	"stampede/provider/overhttp"
	"stampede/wire"
)

// uniform reports how far a sample lies from the uniform law, by Kolmogorov and Smirnov,
// and the distance that one sample in 1,000 exceeds.
func uniform(sample []float64, low, high float64) (distance, critical float64) {
	slices.Sort(sample)
	n := float64(len(sample))
	for i, x := range sample {
		f := (x - low) / (high - low)
		distance = max(distance, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	return distance, 1.95 / math.Sqrt(n)
}

// throttle is an error that the AWS SDK takes for a throttle.
type throttle struct{}

func (throttle) Error() string     { return "throttled" }
func (throttle) ErrorCode() string { return "ThrottlingException" }

// The AWS SDK's standard retryer, version 1.48: its waits after a throttle and after another
// failure are distributed as the preset's, it makes as many attempts, and from a full account
// it pays 100 retries of throttles and 35 of other failures, as the preset does.
func TestAWSStandardRetryer(t *testing.T) {
	preset := clientOf(t, "aws-sdk-go@1.48")
	real := retry.NewStandard()
	if real.MaxAttempts() != preset.Retry.Attempts {
		t.Errorf("%d attempts, the preset makes %d", real.MaxAttempts(), preset.Retry.Attempts)
	}
	for _, c := range []struct {
		name  string
		err   error
		reply wire.Reply
		paid  int
	}{
		{"throttle", throttle{}, wire.Reply{Status: 429}, 100},
		{"failure", errors.New("failure"), wire.Reply{Status: 500}, 35},
	} {
		for attempt := 1; attempt <= 2; attempt++ {
			var sample []float64
			for range 2000 {
				wait, err := real.RetryDelay(attempt, c.err)
				if err != nil {
					t.Fatal(err)
				}
				sample = append(sample, wait.Seconds())
			}
			decide := func(u float64) float64 {
				return preset.Retry.Decide(&policy.Facts{Attempt: attempt, Reply: &c.reply, U: u}).Wait.Seconds()
			}
			if d, critical := uniform(sample, decide(0), decide(1)); d > critical {
				t.Errorf("%s, attempt %d: %.4f from uniform on %g..%g s, as the preset waits", c.name, attempt, d,
					decide(0), decide(1))
			}
		}
		account, budget, paid, pays := retry.NewStandard(), policy.BudgetState{}, 0, 0
		for range 200 {
			if _, err := account.GetRetryToken(context.Background(), c.err); err == nil {
				paid++
			}
			if _, ok := budget.Withdraw(&preset.Budget, 0, &c.reply); ok {
				pays++
			}
		}
		if paid != c.paid || pays != c.paid {
			t.Errorf("%s: the SDK pays %d retries and the preset %d, want %d", c.name, paid, pays, c.paid)
		}
	}
}

// google.golang.org/genai reads a streamed answer whole, with its usage.
func TestGenAIStreams(t *testing.T) {
	api, err := overhttp.New(provider.Config{Dialect: dialect.Gemini}, 1)
	if err != nil {
		t.Fatal(err)
	}
	api.Output = func(uint64) int { return 20 }
	config := &genai.ClientConfig{
		APIKey:     "k",
		Backend:    genai.BackendGeminiAPI,
		HTTPClient: &http.Client{Transport: api},
	}
	client, err := genai.NewClient(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	words, output, parts := 0, int32(0), 0
	for part, err := range client.Models.GenerateContentStream(t.Context(), "m", genai.Text("hello"),
		&genai.GenerateContentConfig{MaxOutputTokens: 7}) {
		if err != nil {
			t.Fatal(err)
		}
		parts++
		words += len(strings.Fields(part.Text()))
		if part.UsageMetadata != nil {
			output = part.UsageMetadata.CandidatesTokenCount
		}
	}
	if words != 7 || output != 7 || parts < 2 {
		t.Errorf("%d words and usage %d in %d parts, want 7 and 7 in several", words, output, parts)
	}
}

// google.golang.org/genai with empty retry options: for each status it retries or not as the
// preset, and its first waits are distributed as the preset's. Without options it sends once.
func TestGenAI(t *testing.T) {
	retrying := sdk{"google-genai-go-retrying@1.77", dialect.Gemini, ask.AskRetrying}
	once := sdk{"google-genai-go@1.77", dialect.Gemini, ask.Ask}
	for _, status := range []int{400, 404, 408, 409, 429, 500, 501, 502, 503, 504, 529} {
		reply := wire.Reply{Status: status, Delay: wire.After(58 * time.Second)}
		for _, client := range []sdk{retrying, once} {
			got, _ := waits(t, client, reply, 1)
			low, _ := predicted(clientOf(t, client.preset), reply, 0)
			high, _ := predicted(clientOf(t, client.preset), reply, 1)
			ok := len(got) == len(low)
			for i := range min(len(got), len(low)) {
				ok = ok && got[i] >= low[i] && got[i] <= high[i]
			}
			if !ok {
				t.Errorf("%s, %d: the client waits %v, the preset %v to %v", client.preset, status, got, low, high)
			}
		}
	}
	var sample []float64
	for i := range 2000 {
		got, _ := waits(t, retrying, wire.Reply{Status: 500}, uint64(i))
		sample = append(sample, got[0].Seconds())
	}
	if d, critical := uniform(sample, 1, 2); d > critical {
		t.Errorf("the first waits lie %.4f from uniform on 1..2 s", d)
	}
}

// cenkalti/backoff: the waits of each retry are distributed as the preset's, and a
// hopeless operation ends when 15 minutes have passed with the next wait added.
func TestCenkalti(t *testing.T) {
	preset := clientOf(t, "cenkalti-backoff@5.0")
	const n = 2000
	samples := make([][]float64, 4)
	for range n {
		b := backoff.NewExponentialBackOff()
		for i := range samples {
			samples[i] = append(samples[i], b.NextBackOff().Seconds())
		}
	}
	for i, sample := range samples {
		low, high := preset.Retry.Backoff.Wait(i, 0, 0).Seconds(), preset.Retry.Backoff.Wait(i, 0, 1).Seconds()
		if d, critical := uniform(sample, low, high); d > critical {
			t.Errorf("retry %d: %.4f from uniform on %g..%g s", i+1, d, low, high)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		start, tries := time.Now(), 0
		var last time.Duration
		_, err := backoff.Retry(t.Context(), func() (int, error) {
			tries++
			last = time.Since(start)
			return 0, errors.New("hopeless")
		})
		if err == nil || last > 15*time.Minute || last < 13*time.Minute || tries < 20 || tries > 30 {
			t.Errorf("%d tries, the last after %v (%v); want about 24 in 15 minutes", tries, last, err)
		}
		d := preset.Retry.Decide(&policy.Facts{Now: last, Attempt: tries, Reply: &wire.Reply{Status: 500}, U: 1})
		if last > 14*time.Minute && d.Again {
			t.Errorf("the preset goes on after %v", last)
		}
	})
}

// hashicorp/go-retryablehttp: for every reply its waits are those of the preset, exactly.
func TestRetryableHTTP(t *testing.T) {
	client := sdk{"go-retryablehttp@0.7", dialect.Plain, func(ctx context.Context, transport http.RoundTripper) error {
		c := retryablehttp.NewClient()
		c.Logger = nil
		c.HTTPClient = &http.Client{Transport: transport}
		req, err := retryablehttp.NewRequestWithContext(ctx, "POST", "https://api.example/", []byte("{}"))
		if err != nil {
			return err
		}
		resp, err := c.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode >= 400 {
				err = errors.New(resp.Status)
			}
		}
		return err
	}}
	preset := clientOf(t, client.preset)
	for name, reply := range replies() {
		if reply.RetryAfter.Value != math.Trunc(reply.RetryAfter.Value) || reply.RetryAfter.Value > 1e11 {
			continue // it reads whole seconds only
		}
		got, _ := waits(t, client, reply, 1)
		want, _ := predicted(preset, reply, 0)
		if !slices.Equal(got, want) && !(name == "date in 30 s" || name == "date in 1 h") {
			t.Errorf("%s: the client waits %v, the preset %v", name, got, want)
		}
	}
}

// sony/gobreaker with its defaults, which trips on the sixth failure in a row, is open 60 s and
// lets one probe through: on random scripts a breaker of in_a_row 6 decides the same.
func TestGobreaker(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 80).Draw(rt, "script")
		synctest.Test(t, func(t *testing.T) {
			real := gobreaker.NewCircuitBreaker[int](gobreaker.Settings{})
			ours, rule := policy.BreakerState{}, policy.Breaker{InARow: 6, Open: 60 * time.Second}
			start := time.Now()
			for i, step := range script {
				if step == 9 {
					time.Sleep(31 * time.Second)
					continue
				}
				fails := step < 7
				sent := false
				_, err := real.Execute(func() (int, error) {
					sent = true
					if fails {
						return 0, errors.New("failure")
					}
					return 0, nil
				})
				_ = err
				now := time.Since(start)
				ok, generation, _ := ours.Ask(&rule, now)
				if ok {
					ours.Done(&rule, now, generation, fails)
				}
				if ok != sent {
					t.Fatalf("step %d of %v at %v: gobreaker lets it through %v, ours %v", i, script, now, sent, ok)
				}
			}
		})
	})
}

// golang.org/x/time/rate: what waits in line at the pacer is sent when a reservation would be, to a
// microsecond, on random rates, bursts and arrivals.
func TestRateLimiter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond, burst := rapid.Float64Range(0.5, 100).Draw(t, "rate"), rapid.IntRange(1, 20).Draw(t, "burst")
		start := time.Unix(0, 0)
		real := rate.NewLimiter(rate.Limit(perSecond), burst)
		client := policy.Client{
			Pacer: policy.Pacer{Bucket: policy.PaceBucket{Rate: perSecond, Burst: float64(burst)}},
		}
		instance := policy.NewInstances(&client, 1, 1, nil).At(0)
		var want, got []time.Duration
		now := time.Duration(0)
		until := func(at time.Duration) { // those in line are sent in their turn
			for {
				first, wait, ok := instance.FirstAtPacer(now)
				if !ok || now+wait > at {
					now = at
					return
				}
				if now += wait; wait == 0 {
					instance.NextAtPacer()
					got[first.ID] = now
				}
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			until(now + time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "gap")))
			want = append(want, now+real.ReserveN(start.Add(now), 1).DelayFrom(start.Add(now)))
			request := policy.Request{Caller: policy.Waiter{ID: uint32(len(got))}, Need: policy.Need{1}}
			got = append(got, now) // unless it waits
			instance.Admit(now, &request)
		}
		until(now + time.Hour)
		for i := range want {
			if (got[i] - want[i]).Abs() > time.Microsecond {
				t.Fatalf("request %d is sent at %v, by the limiter at %v", i, got[i], want[i])
			}
		}
	})
}

// A fleet of 50 real clients against a provider of two requests a second, 20 at once, in
// virtual time: what five runs give on average lies within the 99 % prediction interval
// of 30 replications of the simulation of the same scenario. Counts are held to no less than
// one: thirty replications that all agree do not say that a thirty-first will.
func TestFleetOfRealClients(t *testing.T) {
	const workers, questions, runs = 50, 200, 5
	model := fleetModel(t, workers, questions)
	simulated := simulate(t, model, 30)
	real := map[string]float64{}
	for seed := range runs {
		synctest.Test(t, func(t *testing.T) {
			api, err := overhttp.New(model.Provider, uint64(seed)+100)
			if err != nil {
				t.Fatal(err)
			}
			throttled, attempts := 0.0, 0.0
			api.Seen = func(x overhttp.Exchange) {
				counting.Lock()
				defer counting.Unlock()
				attempts++
				if x.Reply.Status == 429 {
					throttled++
				}
			}
			queue := make(chan int, questions)
			for i := range questions {
				queue <- i
			}
			close(queue)
			answered, done := 0.0, make(chan float64)
			for range workers {
				go func() {
					n := 0.0
					for range queue {
						if sdks[0].ask(context.Background(), api) == nil {
							n++
						}
					}
					done <- n
				}()
			}
			start := time.Now()
			for range workers {
				answered += <-done
			}
			for name, value := range map[string]float64{
				"answered": answered, "attempts": attempts, "throttled": throttled,
				"makespan": time.Since(start).Seconds(),
			} {
				real[name] += value / runs
			}
		})
	}
	for name, m := range simulated {
		half := 2.756 * m.StdDev() * math.Sqrt(1+1.0/30)
		if name != "makespan" {
			half = max(half, 1)
		}
		if math.Abs(real[name]-m.Mean()) > half {
			t.Errorf("%s: real clients %.1f, simulated %.1f +- %.1f", name, real[name], m.Mean(), half)
		}
		t.Logf("%s: real clients %.1f, simulated %.1f +- %.1f", name, real[name], m.Mean(), half)
	}
}
