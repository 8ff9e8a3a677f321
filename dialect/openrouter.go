package dialect

import "fmt"

// openrouter is that of OpenRouter for its own refusals: openrouter.ai/docs, page "Limits" read on 2026-10-17;
// the body from public logs. The counters stand on refusals alone, in headers and again in the body; the reset is
// in milliseconds since 1970.
var openrouter = format{
	name: "openrouter",
	refusals: func() [reasons]Refusal {
		all := like("rate_limit_exceeded")
		all[OverLimit].text = "Rate limit exceeded: free-models-per-{min}. "
		all[OverLimit].daily = "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model " +
			"requests per day"
		all[NoCredit].text = "Insufficient credits"
		return all
	}(),
	lines: func(w *writer, f *failure) {
		for _, line := range openrouterCounters(f) {
			w.add(line.Name, line.Value)
		}
	},
	body: func(f *failure) string {
		body := `{"error":{"message":{message},"code":{status}}}`
		if counters := openrouterCounters(f); counters != nil {
			headers := fmt.Sprintf("%q:%q,%q:%q,%q:%q", counters[0].Name, counters[0].Value, counters[1].Name,
				counters[1].Value, counters[2].Name, counters[2].Value)
			body = `{"error":{"message":{message},"code":{status},"metadata":{"headers":{` + headers +
				`},"provider_name":null}}}`
		}
		return template(body)(f)
	},
}

// openrouterCounters report the limit that refused; nil when none did.
func openrouterCounters(f *failure) []Field {
	if f.refusal.Status != 429 || f.Over.Amount == 0 {
		return nil
	}
	return []Field{
		{"X-RateLimit-Limit", decimal(f.Over.Amount)},
		{"X-RateLimit-Remaining", decimal(max(0, f.Over.Amount-f.Over.Used))},
		{"X-RateLimit-Reset", decimal(f.leaves.Add(f.Over.Wait).UnixMilli())},
	}
}
