package nearest

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"attempts", "deadline", "backoff", "retry_after", "openai/gpt-4o"}
	for found, want := range map[string]string{
		"atempts": "attempts", "Deadline": "deadline", "retry-after": "retry_after", "back": "backoff",
		"attempts" + strings.Repeat("s", 100): "", // as long as no name
		"gpt-4o":                              "openai/gpt-4o", "zzzzzz": "", "": "",
	} {
		if got := Nearest(found, known); got != want {
			t.Errorf("%q: %q, want %q", found, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	known := []string{"latency_p95_s", "abandoned", "first_token_p95_s"}
	for found, want := range map[string]string{
		"abandonned": `did you mean "abandoned"? (known: abandoned, first_token_p95_s, latency_p95_s)`,
		"P95":        "known with it: first_token_p95_s, latency_p95_s",
		"zzzzzz":     "known: abandoned, first_token_p95_s, latency_p95_s",
		"":           "known: abandoned, first_token_p95_s, latency_p95_s",
	} {
		if got := Unknown(found, known); got != want {
			t.Errorf("%q: %s, want %s", found, got, want)
		}
	}
}
