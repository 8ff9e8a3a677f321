package experiments

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"stampede/cost"
)

var timeoutBill = Experiment{
	Name:     "timeout-bill",
	Question: "What does a tight timeout cost when the provider finishes and bills abandoned requests?",
	Claim: "A share p that exceeds the timeout and is repeated once adds p to the bill; unlimited repeats multiply " +
		"it by 1/(1-p). Where the latency belongs to the call, repeating it gains nothing.",
	Source: "practitioners' claim; 13.13 (1+p), 13.13/(1-p), 13.13 (1-p+3p)/(1-p); 4,000 x 2.50 + 313 x 10 USD per " +
		"million tokens are 13.13 USD per 1,000 calls",
	Arms: []Arm{
		{"one_p08", nil},
		{"one_p15", slow15},
		{"independent_p08", independent},
		{"independent_p15", append(append([]string{}, independent...), slow15...)},
		{
			"intrinsic_p08",
			[]string{"policy.retry.attempts=3", "policy.timeouts.attempt=10s", "provider.latency.call_share=100%"},
		},
		{"tokens_412_38", tokens(412, 38)},
		{"tokens_4000_313", tokens(4000, 313)},
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
		printed("usd_per_1000_tokens_412_38", 13.13, 2, "USD").of("tokens_412_38", "usd_per_1000_calls").
			unjudged(tokensNote),
		printed("usd_per_1000_tokens_4000_313", 13.13, 2, "USD").of("tokens_4000_313", "usd_per_1000_calls"),
	},
	Pictures: []Picture{timeoutPicture},
}

var timeoutSettings = []string{"workload.burst.calls=2000",
	"provider.latency.first_token={lognormal: {p50: 4s, p95: 11.691s}}"}

var timeoutPicture = Picture{
	Settings: timeoutSettings,
	Name:     "timeout-bill",
	Title:    "A tight timeout more than doubles the cost of an answer",
	Subtitle: "No limiter; the provider finishes and bills abandoned requests; median latency 4 s, 8 % over 10 s; " +
		"13.13 USD per 1,000 attempts",
	X: "timeout, s", Y: "cost per 1,000 answers, USD",
	content: func(l *lab, _ *Result) (Content, error) {
		timeouts := []float64{5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 30}
		// P(T > t) of the lognormal law with median 4 s and P(T > 10 s) = 0.08
		slow := func(t float64) float64 {
			return distuv.LogNormal{
				Mu:    math.Log(4),
				Sigma: math.Log(2.5) / distuv.UnitNormal.Quantile(0.92),
			}.Survival(t)
		}
		s, err := l.arm("one_p08")
		if err != nil {
			return nil, err
		}
		attempts := 1000 * s.Model.Price.Bill(cost.Usage{Prompt: 1000}).Dollars() // of 1,000 tokens each
		out := Curves{Heading: "policy", Expected: "closed form"}
		for _, arm := range []struct {
			name, title, setting string
			factor               func(p float64) float64 // cost of an answer over that of an attempt
		}{
			{
				"intrinsic_p08", "three attempts, slow calls stay slow", "policy.timeouts.attempt=%gs",
				func(p float64) float64 { return (1 + 2*p) / (1 - p) },
			},
			{
				"independent_p08", "repeated until in time", "policy.timeouts.attempt=%gs",
				func(p float64) float64 { return 1 / (1 - p) },
			},
			{
				"one_p08", "one repeat without timeout", "policy.timeouts.attempt=[%gs, none]",
				func(p float64) float64 { return 1 + p },
			},
		} {
			outcomes, err := l.vary(arm.name, arm.setting, timeouts, timeoutSettings...)
			if err != nil {
				return nil, err
			}
			c := Curve{Name: arm.title, Points: over(timeouts, outcomes, "usd_per_1000_answers")}
			for t := timeouts[0]; t <= slices.Max(timeouts); t += 0.25 {
				c.Expected = append(c.Expected, certain(t, attempts*arm.factor(slow(t))))
			}
			out.Curves = append(out.Curves, c)
		}
		return out, nil
	},
}

var (
	slow15 = []string{"provider.latency.first_token.mixture.0.weight=0.85",
		"provider.latency.first_token.mixture.1.weight=0.15"}
	independent = []string{"policy.retry.attempts=none", "policy.retry.deadline=24h", "policy.timeouts.attempt=10s"}
)

// tokens is a bill without timeouts, at the prices of gpt-4o.
func tokens(prompt, output int) []string {
	return []string{fmt.Sprintf("workload={burst: {calls: 100}, prompt_tokens: %d, output_tokens: %d}", prompt, output),
		"price={input: 2.5, output: 10}", "policy=no-retry", "replications=2"}
}

const tokensNote = "the claim's 412 prompt and 38 output tokens do not give 13.13 USD per 1,000 calls: 0.08 at 0.15 " +
	"and 0.60 USD per million tokens, 1.41 at 2.50 and 10, 1.81 at 3 and 15, 9.03 at 15 and 75, 14.64 at 30 and 60. " +
	"At 2.50 and 10, 4,000 and 313 tokens do, or 3,837 and 354 in the same proportion"
