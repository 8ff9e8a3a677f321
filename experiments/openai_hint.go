package experiments

import (
	"fmt"
)

var openaiHint = Experiment{
	Name:     "openai-hint",
	Question: "Is a provider's rate limiter a continuously refilled token bucket?",
	Claim: "Yes: the wait in a refusal is (used + requested - limit)/rate, in 14 of 14 published refusals and in " +
		"one calculated case.",
	Source: "messages of OpenAI and Groq in public logs",
	Arms:   hintArms(),
	References: append([]Reference{within("wait_ms", 148.2, 148.15, 148.25, "ms")},
		hintReferences()...),
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{
			"wait_ms": {Values: []float64{1000 * arms["wait"].metric("retry_after_wait_s").Values[0]}},
		}
		for _, h := range hints {
			out["wait_s_"+h.key] = arms[h.key].metric("retry_after_wait_s")
		}
		return out, nil
	},
}

// hints are refusals that OpenAI and Groq printed: limit, used, requested, and
// the wait in the message, with the digit to which it was printed.
var hints = []struct {
	key             string
	limit           string
	requests        bool
	used, requested int
	printed, digit  float64 // seconds
}{
	{"openai_tpm_50k", "50k/min", false, 47949, 3006, 1.146, 0.001},
	{"openai_tpm_200k", "200k/min", false, 195869, 4412, 0.084, 0.001},
	{"openai_tpm_30k", "30k/min", false, 22999, 12528, 11.054, 0.001},
	{"openai_tpm_500k", "500k/min", false, 500000, 83734, 10.048, 0.001},
	{"openai_rpm_3", "3/min", true, 3, 1, 20, 0.001},
	{"openai_rpm_500", "500/min", true, 500, 1, 0.120, 0.001},
	{"openai_rpd_10k", "10k/day", true, 10000, 1, 8.64, 0.001},
	{"openai_rpd_200", "200/day", true, 200, 1, 432, 0.001},
	{"openai_rpd_50", "50/day", true, 50, 1, 1728, 0.001},
	{"groq_tpm_6k", "6k/min", false, 4093, 3531, 16.239999999, 2e-9},
	{"groq_tpm_8k", "8k/min", false, 7297, 974, 2.0325, 1e-9},
	{"groq_tpd_100k", "100k/day", false, 99996, 484, 414.72, 1e-9},
	{"groq_tpd_200k", "200k/day", false, 197494, 4035, 660.528, 1e-9},
	{"groq_tpd_200k_b", "200k/day", false, 199336, 1524, 371.52, 1e-9},
}

func hintArms() []Arm {
	arms := []Arm{{"wait", nil}}
	for _, h := range hints {
		limit := fmt.Sprintf("provider.limits=[{resource: tokens, limit: %s, used: %d, charge: prompt}]", h.limit,
			h.used)
		if h.requests {
			limit = fmt.Sprintf("provider.limits=[{resource: requests, limit: %s, used: %d}]", h.limit, h.used)
		}
		arms = append(arms,
			Arm{h.key, []string{limit, fmt.Sprintf("workload.trace.rows.0.prompt_tokens=%d", h.requested)}})
	}
	return arms
}

func hintReferences() (out []Reference) {
	for _, h := range hints {
		out = append(out, within("wait_s_"+h.key, h.printed, h.printed-h.digit, h.printed+h.digit, "s"))
	}
	return out
}
