package provider

import (
	"time"

	"stampede/law"
	"stampede/sim"
)

// MinTime is the minimum time that requests take at a provider, with any luck and alone.
type MinTime struct {
	first, each float64 // seconds to the first token, and for each further one
	perPrompt   float64 // seconds to the first token for each token of the prompt
	perStep     int     // of a batch: tokens of prompts for which it takes as long as for one of output
}

// MinTime is that of a provider.
func (c *Config) MinTime() (l MinTime) {
	slow := 1.0 // what makes it faster may always do so
	for _, f := range c.Faults {
		if e, ok := f.Effect.(Slow); ok && e.Factor < 1 {
			slow *= e.Factor
		}
	}
	if b := c.Capacity.Batching; b != nil {
		const rounding = 1 - 1e-6 // of the clock of the batch
		return MinTime{each: slow * b.Streams(1).Seconds() * rounding, perStep: b.PerStep}
	}
	if given := c.Latency.FirstToken; given != nil {
		l.first, _ = law.Range(given)
		l.first *= slow
	}
	l.perPrompt = slow * c.Latency.PerThousand.Seconds() / 1000
	if given := c.Latency.TokensPerSecond; given != nil {
		_, speed := law.Range(given)
		l.each = slow / speed
	}
	return l
}

// Time is the minimum from the admission of a request to its last token.
func (l MinTime) Time(r Request, output int) time.Duration {
	tokens := float64(output)
	if l.perStep > 0 {
		tokens += float64(r.Prompt-r.Cached) / float64(l.perStep)
	}
	const rounding = 1 - 1e-12 // of the sum
	first := l.first
	if l.perPrompt > 0 {
		first = (first + float64(r.Prompt-r.Cached)*l.perPrompt) * rounding
	}
	return sim.Seconds(first + tokens*l.each)
}

// Crowded is how much longer a request takes, at the least, where so many are served at once.
func (c *Config) Crowded(n int64) float64 {
	if b := c.Capacity.Batching; b != nil {
		return float64(b.Streams(int(n))) / float64(b.Streams(1))
	}
	return 1
}
