package scenario

import (
	"fmt"
	"math"
	"time"

	"stampede/cost"
	"stampede/dist"
	"stampede/fleet"
	"stampede/provider"
)

// What the limits allow on average, for explanations.

// arrivalRate is the mean rate of calls that come by themselves, per second.
func (s *Scenario) arrivalRate() (float64, bool) {
	switch a := s.Model.Workload.Arrivals.(type) {
	case fleet.Renewal:
		return a.Rate[len(a.Rate)-1].From, true
	case *fleet.Trace:
		if span := a.At[len(a.At)-1]; span > 0 {
			return float64(len(a.At)) / span.Seconds(), true
		}
	}
	return 0, false
}

// means are the mean sizes of a call, in tokens.
type means struct{ prompt, cached, output, reasoning, max float64 }

// request is a request of mean size.
func (m means) request() provider.Request {
	return provider.Request{Prompt: int(m.prompt + 0.5), Cached: int(m.cached + 0.5), MaxTokens: int(m.max + 0.5)}
}

// measure integrates the sizes over a grid of uniform numbers; for a trace over
// its calls.
func measure(sizes fleet.Sizes) means {
	n := uint64(4000)
	if t, ok := sizes.(*fleet.Trace); ok {
		n = uint64(len(t.At))
	}
	var m means
	for k := range n {
		u := (float64(k) + 0.5) / float64(n)
		size := sizes.Size(k, fleet.Luck{Prompt: u, Output: u, Reasoning: u})
		m.prompt += float64(size.Prompt) / float64(n)
		m.cached += float64(size.Cached) / float64(n)
		m.output += float64(size.Output) / float64(n)
		m.reasoning += float64(size.Reasoning) / float64(n)
		m.max += float64(size.MaxTokens) / float64(n)
	}
	return m
}

// capacity is how many answers a part of the system allows per minute.
type capacity struct {
	what      string
	perMinute float64
	calls     uint64
	burst     float64 // calls that a full bucket lets through at once
}

func (c capacity) words() string {
	s := number(c.perMinute) + " calls/min"
	if c.burst >= 1 {
		s += fmt.Sprintf(" after %s at once", number(math.Floor(c.burst)))
	}
	if c.calls > 0 {
		rest := max(0, float64(c.calls)-c.burst)
		s += fmt.Sprintf(", %s for %d calls", shortDuration(time.Duration(rest/c.perMinute*float64(time.Minute)).Round(time.Second)), c.calls)
	}
	return s
}

// capacities are the mean rates that each part allows by itself; the smallest
// is the bottleneck.
func (s *Scenario) capacities(z means) []capacity {
	m := &s.Model
	var out []capacity
	add := func(what string, perMinute, burst float64) {
		if !math.IsInf(perMinute, 0) && !math.IsNaN(perMinute) {
			out = append(out, capacity{what, perMinute, m.Workload.Calls, burst})
		}
	}
	latency := mean(m.Provider.Latency.FirstToken) + z.output*meanInverse(m.Provider.Latency.TokensPerSecond)
	if b := m.Provider.Capacity.Batching; b != nil { // with every slot taken
		latency = (z.output + b.Steps(int(z.prompt-z.cached+0.5))) * b.Streams(m.Provider.Capacity.Slots).Seconds()
	}
	for _, l := range m.Provider.Limits {
		if l.Kind == provider.RampLimit || !l.Covers(m.Provider.Tenants[0]) {
			continue // it grows with the traffic, or is for others
		}
		if l.Resource == provider.Concurrency {
			add(fmt.Sprintf("%s, %.3g s each", l.Name, latency), 60*float64(l.Amount)/latency, 0)
			continue
		}
		used := provider.Used{Output: int(z.output + 0.5)}
		usage := cost.Usage{Prompt: int(z.prompt + 0.5), Cached: int(z.cached + 0.5), Output: used.Output, Reasoning: int(z.reasoning + 0.5)}
		if m.Workload.Cache.Writes {
			usage.Written = usage.Prompt - usage.Cached
		}
		used.Nano = int64(m.Price.Bill(usage))
		each := max(1, float64(l.Ends(z.request(), used)))
		add(l.Name, float64(l.Amount)/l.Period.Minutes()/each, float64(l.Most())/each)
	}
	if c := m.Provider.Capacity.Slots; c > 0 {
		add(fmt.Sprintf("%s, %.3g s each", plural(c, "slot"), latency), 60*float64(c)/latency, 0)
	}
	busy := latency + m.Provider.RoundTrip.Seconds() + mean(m.Workload.Think)
	if m.Workers > 0 {
		add(fmt.Sprintf("%s, %.3g s a call", plural(m.Workers*m.Instances, "worker"), busy), 60*float64(m.Workers*m.Instances)/busy, 0)
	}
	if g := m.Client.Gate.Semaphore; g > 0 {
		what := fmt.Sprintf("gate of %d", g)
		if m.Instances > 1 {
			what += fmt.Sprintf(" in each of %d instances", m.Instances)
		}
		add(what, 60*float64(g*m.Instances)/(latency+m.Provider.RoundTrip.Seconds()), 0)
	}
	return out
}

func mean(l dist.Law) float64 {
	if l == nil {
		return 0
	}
	return l.Mean()
}

// meanInverse is E[1/X], the seconds per token of a law of tokens per second.
func meanInverse(l dist.Law) float64 {
	if l == nil {
		return 0
	}
	const n = 4000
	sum := 0.0
	for i := range n {
		sum += 1 / l.Sample((float64(i)+0.5)/n)
	}
	return sum / n
}
