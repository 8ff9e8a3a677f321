package experiments

import (
	"slices"
)

var herdSDKDefaults = Experiment{
	Name:     "herd-sdk-defaults",
	Question: "Of a thousand simultaneous calls, how many do SDK defaults get through a limit of 10/s?",
	Claim: "OpenAI's and Anthropic's 2.4 %, botocore's 3.9 %, google-genai's 13 %. With ten retries equal jitter " +
		"answers all, full jitter nearly all and sooner.",
	Source: "published simulation; upper bound: burst + rate x horizon",
	Arms:   herdArms(),
	References: []Reference{
		printed("answered_pct_sdk", 2.40, 2, "%").of("sdk", "success_ratio").times(100),
		printed("answered_pct_anthropic", 2.40, 2, "%").of("anthropic", "success_ratio").times(100),
		printed("attempts_sdk", 2.98, 2, "attempts").of("sdk", "attempts_per_call"),
		printed("answered_pct_botocore", 3.88, 2, "%").fewRuns().of("botocore", "success_ratio").times(100),
		printed("answered_pct_genai", 13.2, 1, "%").of("genai", "success_ratio").times(100),
		exactly("answered_pct_equal", 100, "%").of("equal", "success_ratio").times(100),
		printed("cleared_equal_s", 162, 0, "s").of("equal", "latency_max_s"),
		printed("answered_pct_full", 99.96, 2, "%").fewRuns().of("full", "success_ratio").times(100),
		printed("cleared_full_s", 135, 0, "s").of("full", "latency_max_s"),
		printed("answered_pct_decorrelated", 93.1, 1, "%").fewRuns().of("decorrelated", "success_ratio").times(100),
		printed("answered_pct_none", 11.0, 1, "%").of("none", "success_ratio").times(100),
	},
	Pictures: []Picture{sdkPicture},
}

var herdRuns = map[string]int{"botocore": 900, "full": 800, "decorrelated": 200}

func herdArms() (arms []Arm) {
	for _, p := range herdPolicies {
		arms = append(arms, Arm{p.key, slices.Concat(p.set, runs(p.key, herdRuns))})
	}
	return arms
}

var sdkPicture = Picture{
	Name:  "herd-sdk-defaults",
	Title: "SDK defaults answer at most 13 % of a thousand simultaneous calls",
	Subtitle: "Limiter: token bucket of 10 requests/s, burst 10; a refused request does not count; policies: SDK " +
		"defaults, and base 1 s, cap 60 s, ten retries with each jitter",
	Y: "answered, % of calls",
	content: beside(
		[]string{"OpenAI SDK", "botocore", "google-genai", "no jitter", "decorrelated", "full jitter", "equal jitter"},
		"answered_pct_sdk", "answered_pct_botocore", "answered_pct_genai", "answered_pct_none",
		"answered_pct_decorrelated", "answered_pct_full", "answered_pct_equal"),
}

// herdPolicies are the clients of the herd experiments, in the order of the
// reference.
var herdPolicies = []struct {
	key string
	set []string
}{
	{"sdk", []string{"policy=openai-python@2.46"}},
	{"anthropic", []string{"policy=anthropic-python@0.84"}},
	{
		"botocore",
		[]string{"policy=botocore-standard@1.43", "fleet.instances=1000", "fleet.dispatch=round_robin"},
	}, // each with a retry quota of its own
	{"genai", []string{"policy.retry.attempts=5", "policy.retry.backoff.exponential.jitter.plus=1s"}},
	{"equal", []string{"policy.retry.backoff.exponential.jitter=equal"}},
	{"full", nil},
	{"decorrelated", []string{"policy.retry.backoff.exponential.jitter=decorrelated"}},
	{"none", []string{"policy.retry.backoff.exponential.jitter=none"}},
}
