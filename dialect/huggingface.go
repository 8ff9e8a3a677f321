package dialect

import (
	"fmt"
	"time"

	"stampede/wire"
)

// huggingface is that of the Hugging Face Hub, not of inference: docs of the Hub, page "Rate limits", and headers
// of 2026-09. Its windows are of five minutes. The clients of the Hub wait for t seconds; what they print,
// "0/2500 requests remaining in current 300s window", they make of the headers.
var huggingface = format{
	name: "huggingface-hub",
	refusals: func() [reasons]Refusal {
		all := like("")
		all[OverLimit].text = "We had to rate limit you, you hit the quota of {limit} api requests per 5 minutes " +
			"period. Upgrade to a PRO user or Team/Enterprise organization account (https://hf.co/pricing) to get " +
			"higher limits. See https://huggingface.co/docs/hub/rate-limits"
		return all
	}(),
	quotas: quotaLines{names: [...]string{"api", "", "", ""}, round: inSeconds, more: hubLines},
	body:   template(`{"error":{message}}`),
}

// hubLines: RateLimit: "api";r=0;t=55 and RateLimit-Policy: "fixed window";"api";q=500;w=300.
func hubLines(w *writer, q wire.Quota) {
	w.add("RateLimit", fmt.Sprintf(`"api";r=%d;t=%d`, q.Remaining, q.Reset/time.Second))
	w.add("RateLimit-Policy", fmt.Sprintf(`"fixed window";"api";q=%d;w=300`, q.Limit))
}
