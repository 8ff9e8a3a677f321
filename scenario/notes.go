package scenario

import (
	"fmt"
	"time"

	"stampede/fleet"
	"stampede/internal/format"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// Notes on a fleet: settings that are allowed but probably a mistake.

// hangNote notes requests that can hang without end.
func hangNote(m *fleet.Model, f *fleet.Fleet, whose string) string {
	c := &f.Client
	if f.Workload.Patience != nil || c.Timeouts.Call > 0 || c.Deadline.After > 0 {
		return ""
	}
	for _, l := range c.Outer {
		if l.Timeout > 0 {
			return ""
		}
	}
	for _, fault := range m.Provider.Faults {
		_, hangs := fault.Effect.(provider.Hang)
		no, ok := fault.Effect.(provider.NoConnection)
		unreachable := ok && no.As == provider.Unreachable
		breaks, ok := fault.Effect.(provider.Break)
		stalls := ok && breaks.Silent
		timer, _ := c.Timeouts.BeforeFirstByte(1, !unreachable, true)
		if stalls && f.Workload.Stream && c.Timeouts.Gap == 0 && c.Timeouts.Whole(1) == 0 {
			timer = policy.NoTimer // that for the first byte has ended
		}
		if timer == policy.NoTimer && (hangs || unreachable || stalls) {
			return fmt.Sprintf("requests%s can hang and no timeout or patience ends them: "+
				"such a call holds its worker until the run ends", whose)
		}
	}
	return ""
}

// deliveryNote notes deliveries that can outlast the visibility timeout.
func deliveryNote(m *fleet.Model, f *fleet.Fleet, whose string) string {
	visible := f.Workload.Redelivery.Visible
	if visible == 0 {
		return ""
	}
	if f.Workload.Redelivery.WhileWorking {
		longest := longAnswer(m, f)
		if longest <= visible {
			return ""
		}
		copies := min(int((longest+visible-1)/visible), f.Workers*f.Instances)
		if d := f.Workload.Redelivery.Deliveries; d > 0 {
			copies = min(copies, d)
		}
		if copies == 1 {
			return ""
		}
		return fmt.Sprintf("an answer%s can take %s, with visible_after %s: other workers get the call meanwhile, "+
			"up to %d work on it at once and are billed", whose, shortDuration(longest.Round(10*time.Millisecond)),
			shortDuration(visible), copies)
	}
	takes := "unlimited time"
	if longest, bounded := f.Client.MaxDuration(longAnswer(m, f)); bounded {
		if longest <= visible {
			return ""
		}
		takes = "up to " + shortDuration(longest.Round(10*time.Millisecond))
	}
	return fmt.Sprintf(
		"a delivery%s can take %s, with visible_after %s: a queue would deliver the call again meanwhile; "+
			"while_working: true simulates it; without it duplicates and load are underestimated",
		whose,
		takes,
		shortDuration(visible),
	)
}

// longAnswer is how long an answer of a long output takes that waits for nobody: the 99 %
// quantiles of its parts, one on the other.
func longAnswer(m *fleet.Model, f *fleet.Fleet) time.Duration {
	return m.Provider.RoundTrip + answerAt(m, f, 0.99)
}

// answerAt is the time of an answer, all parts of it at the quantile u of what makes it slow.
func answerAt(m *fleet.Model, f *fleet.Fleet, u float64) time.Duration {
	seconds := 0.0
	if law := m.Provider.Latency.FirstToken; law != nil {
		seconds += law.Sample(u)
	}
	size := f.Workload.Sizes.Size(0, fleet.Luck{Prompt: u, Output: u, Reasoning: u})
	seconds += m.Provider.Latency.PerThousand.Seconds() * float64(size.Prompt-size.Cached) / 1000
	if law := m.Provider.Latency.TokensPerSecond; law != nil {
		seconds += float64(size.Output) / law.Sample(1-u)
	}
	return sim.Seconds(seconds)
}

// idleNotes note parts of a policy that others of its parts leave without effect.
func idleNotes(f *fleet.Fleet, whose string) (notes []string) {
	c := &f.Client
	if h := &c.Retry.RetryAfter; h.Obey == policy.Ignore && (h.AtLeastBackoff || h.Plus > 0 || h.PlusShare > 0) {
		notes = append(notes, fmt.Sprintf("retry_after.plus and at_least_backoff%s have no effect: "+
			"retry_after.obey is ignore", whose))
	}
	if c.Timeouts.Pool > 0 && c.MaxConnections == 0 {
		notes = append(notes, fmt.Sprintf("policy.timeouts.pool%s has no effect: without policy.max_connections no "+
			"attempt waits for a connection", whose))
	}
	if c.Breaker.On() && c.Breaker.Stops == policy.OnlyRetries && f.MaxAttempts() == 1 && !c.Hedge.On() {
		notes = append(notes, fmt.Sprintf("the breaker%s stops nothing: it stops retries only, and no call is retried",
			whose))
	}
	return notes
}

// NothingFails begins the note on a scenario in which nothing can fail.
const NothingFails = "nothing fails"

// failureNote notes a policy that retries where nothing can fail: no limit, no fault, a place for
// every request, and no timer that an answer could outlast.
func failureNote(m *fleet.Model, f *fleet.Fleet, tenant provider.Tenant, whose string) string {
	p := &m.Provider
	if f.MaxAttempts() == 1 || len(p.Faults) > 0 || len(p.Gateway.Errors) > 0 || p.MaxRequest.Prompt > 0 ||
		(p.Capacity.Slots > 0 && p.Capacity.Queue >= 0) {
		return ""
	}
	for _, l := range p.Limits {
		if l.Covers(tenant) {
			return ""
		}
	}
	whole := f.Client.Timeouts.Call > 0
	if timer, span := f.Client.Timeouts.BeforeFirstByte(1, false, true); timer != policy.NoTimer || whole {
		waits := p.Capacity.Slots > 0 || p.Capacity.Batching != nil || p.Latency.PerInFlight > 0 ||
			p.Latency.ByUse.Full > 1
		longest := p.RoundTrip + p.Gateway.Latency + answerAt(m, f, 1-1e-9)
		if _, recorded := f.Workload.Sizes.(*fleet.Trace); recorded || waits || whole || longest >= span {
			return ""
		}
	}
	return fmt.Sprintf("%s here: no limit, no fault and no timeout shorter than an answer%s, "+
		"so retries, backoff and jitter are never used", NothingFails, whose)
}

// callBytes is the memory of a call that is under way, measured on bursts of 1 M and 2 M calls and
// on 1 M closed workers: 260 to 1,100 bytes.
const callBytes = 700

// memoryNote notes that calls which are under way at once take more than a gigabyte.
func memoryNote(m *fleet.Model) string {
	calls := 0.0
	for _, f := range m.Fleets() {
		_, burst := f.Workload.Arrivals.(fleet.Burst)
		given, workers := float64(f.Workload.Calls), float64(f.Workers)*float64(f.Instances)
		switch {
		case burst:
			calls += given
		case f.Workload.Arrivals == nil && given > 0:
			calls += min(given, workers)
		case f.Workload.Arrivals == nil:
			calls += workers
		}
	}
	if calls*callBytes < 1e9 {
		return ""
	}
	return fmt.Sprintf("%s calls are in progress at once: a replication takes about %.2g GB of memory; "+
		"--jobs limits how many run at a time", format.Amount(int64(calls)), calls*callBytes/1e9)
}
