package experiments

import (
	"maps"
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/sim"
	"stampede/wire"
)

// The experiments on practitioners' claims. Each reference stands here and
// nowhere else.

var sdkRetryAfter = Experiment{
	Name:     "sdk-retry-after",
	Question: "How often and how long does a stock SDK try when the server says how long to wait?",
	Claim:    "openai-python 2.46 obeys a Retry-After of 2 s and discards one of 120 s; 2.52 obeys 120 s and gives up at 121 s.",
	Source:   "practitioners' claim; openai-python source, src/openai/_base_client.py",
	Arms: []Arm{
		{"ra2", nil},
		{"ra120", []string{"provider.faults.0.retry_after=120s"}},
		{"ra120_new", []string{"policy=openai-python@2.52", "provider.faults.0.retry_after=120s"}},
		{"ra121_new", []string{"policy=openai-python@2.52", "provider.faults.0.retry_after=121s"}},
	},
	References: []Reference{
		exactly("attempts_ra2", 3, "attempts").of("ra2", "attempts_per_call"),
		within("elapsed_ra2_s", 4.29, 4.2, 4.4, "s").of("ra2", "latency_all_mean_s"),
		exactly("attempts_ra120", 3, "attempts").of("ra120", "attempts_per_call"),
		within("elapsed_ra120_s", 1.54, 1.41, 1.80, "s").of("ra120", "latency_all_mean_s"),
		printed("elapsed_ra120_new_s", 240.3, 1, "s").of("ra120_new", "latency_all_mean_s"),
		exactly("attempts_ra121_new", 1, "attempts").of("ra121_new", "attempts_per_call"),
	},
}

const ungatedNote = "the claim's own figures contradict each other: 14 refused and 22 answered are 36 of 40 questions"

var semaphore = Experiment{
	Name:     "semaphore",
	Question: "What does a gate of eight do for forty workers before a stub that serves eight?",
	Claim:    "With the gate nothing is refused and the wall time is five rounds; without it requests are refused and it takes longer.",
	Source:   "practitioners' claim",
	Arms:     []Arm{{"gated", nil}, {"ungated", []string{"policy.gate.semaphore=none"}}},
	References: []Reference{
		exactly("gated_peak_in_flight", 8, "requests").of("gated", "peak_in_flight"),
		exactly("gated_429", 0, "attempts").of("gated", "attempts_throttled"),
		exactly("gated_answered", 40, "calls").of("gated", "answered"),
		printed("gated_wall_s", 1.48, 2, "s").of("gated", "makespan_s"),
		within("ungated_429", 1, 1, math.Inf(1), "attempts").of("ungated", "attempts_throttled"),
		within("ungated_wall_s", 1.48, 1.48, math.Inf(1), "s").of("ungated", "makespan_s"), // longer than gated_wall_s
		{Key: "ungated_claimed_peak_in_flight", arm: "ungated", metric: "peak_in_flight", Expected: 9, Low: 9, High: 9, Unit: "requests", Note: ungatedNote},
		{Key: "ungated_claimed_429", arm: "ungated", metric: "attempts_throttled", Expected: 14, Low: 14, High: 14, Unit: "attempts", Note: ungatedNote},
		{Key: "ungated_claimed_answered", arm: "ungated", metric: "answered", Expected: 22, Low: 22, High: 22, Unit: "calls", Note: ungatedNote},
	},
	Pictures: []Picture{gatePicture},
}

var thunderingHerd = Experiment{
	Name:     "thundering-herd",
	Question: "A hundred clients fail at once and twenty can be served at one instant: what does jitter change?",
	Claim:    "Waits of 2^n come back in waves of 100, 80, 60, 40 and 20 over 15 s; full jitter clears the herd within a second.",
	Source:   "practitioners' claim; the mean of the largest of 80 uniforms is 80/81; one instant is 0.1 ms here, and the largest burst that of a run in the mean",
	Arms:     []Arm{{"none", nil}, {"full", []string{"policy.retry.backoff.exponential.jitter=full"}}},
	References: []Reference{
		{Key: "bursts_none", List: []float64{100, 80, 60, 40, 20}, Unit: "requests"},
		exactly("cleared_none_s", 15, "s"),
		printed("cleared_full_s", 0.988, 3, "s"),
		within("max_burst_after_first_full", 2, math.Inf(-1), 2, "requests"),
	},
	Pictures: []Picture{herdPicture},
	measure: func(l *lab) (map[string]Sample, error) {
		seen := map[string][]*bursts{}
		for _, arm := range l.experiment.Arms {
			all, err := watch(l, arm.Name, func() *bursts { return &bursts{arrivals: map[sim.Time]float64{}} })
			if err != nil {
				return nil, err
			}
			seen[arm.Name] = all
		}
		none := seen["none"][0]
		var cleared, largest []float64
		for _, h := range seen["full"] {
			cleared = append(cleared, h.cleared.Seconds())
			delete(h.arrivals, 0)
			burst := 0.0
			for _, n := range h.arrivals {
				burst = max(burst, n)
			}
			largest = append(largest, burst)
		}
		return map[string]Sample{
			"bursts_none":                {List: none.list()},
			"cleared_none_s":             {Values: []float64{none.cleared.Seconds()}},
			"cleared_full_s":             {Values: cleared},
			"max_burst_after_first_full": {Values: largest},
		}, nil
	},
}

// instant is how close requests come that count as one burst.
const instant = 100 * time.Microsecond

// bursts counts the requests that reach the provider within each instant, and
// when the last one that was served came.
type bursts struct {
	arrivals map[sim.Time]float64
	cleared  sim.Time
}

func (h *bursts) Attempt(a *fleet.Attempt) {
	h.arrivals[a.Received.Truncate(instant)]++
	if a.Class() == wire.OK {
		h.cleared = max(h.cleared, a.Received)
	}
}

func (h *bursts) Call(*fleet.Call) {}

// list lists the arrivals by instant, in order.
func (h *bursts) list() []float64 {
	var out []float64
	for _, at := range slices.Sorted(maps.Keys(h.arrivals)) {
		out = append(out, h.arrivals[at])
	}
	return out
}

var timeoutBill = Experiment{
	Name:     "timeout-bill",
	Question: "What does a timeout that is too tight cost, when the provider finishes and bills what the client gave up?",
	Claim:    "A share p that outlives the timeout and is repeated once adds p to the bill; unlimited repeats make it 1/(1-p); where length belongs to the call, repeats buy nothing.",
	Source:   "practitioners' claim; 13.13 (1+p), 13.13/(1-p), 13.13 (1-p+3p)/(1-p)",
	Arms: []Arm{
		{"one_p08", nil},
		{"one_p15", slow15},
		{"independent_p08", independent},
		{"independent_p15", append(append([]string{}, independent...), slow15...)},
		{"intrinsic_p08", []string{"policy.retry.attempts=3", "policy.timeouts.attempt=10s", "provider.latency.call_share=100%"}},
	},
	References: []Reference{
		printed("usd_per_1000_p08", 14.18, 2, "USD").of("one_p08", "usd_per_1000_calls"),
		printed("wasted_usd_per_1000_p08", 1.05, 2, "USD").of("one_p08", "usd_wasted").times(1.0 / 20),
		printed("usd_per_1000_p15", 15.10, 2, "USD").of("one_p15", "usd_per_1000_calls"),
		printed("billed_per_1000_p08", 1080, 0, "attempts").of("one_p08", "billed_attempts_per_1000_answers"),
		printed("usd_per_1000_p08_independent", 14.27, 2, "USD").of("independent_p08", "usd_per_1000_calls"),
		printed("usd_per_1000_p15_independent", 15.45, 2, "USD").of("independent_p15", "usd_per_1000_calls"),
		printed("answered_ratio_p08_intrinsic", 0.92, 2, "share").of("intrinsic_p08", "success_ratio"),
		printed("usd_per_1000_answers_p08_intrinsic", 16.56, 2, "USD").of("intrinsic_p08", "usd_per_1000_answers"),
	},
	Pictures: []Picture{timeoutPicture},
}

var (
	slow15      = []string{"provider.latency.first_token.mixture.0.weight=0.85", "provider.latency.first_token.mixture.1.weight=0.15"}
	independent = []string{"policy.retry.attempts=none", "policy.retry.deadline=24h", "policy.timeouts.attempt=10s"}
)
