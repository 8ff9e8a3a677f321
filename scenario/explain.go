package scenario

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"stampede/cost"
	"stampede/dialect"
	"stampede/dist"
	"stampede/fleet"
	"stampede/provider"
)

// DescribeProvider names the provider with every limit and its kind.
func (s *Scenario) DescribeProvider() string { return describeProvider(s.Model.Provider) }

func describeProvider(p provider.Config) string {
	var parts []string
	if p.Name != "" {
		parts = append(parts, p.Name)
	}
	for _, l := range p.Limits {
		parts = append(parts, describeLimit(l))
	}
	if c := p.Capacity; c.Slots > 0 {
		s := plural(c.Slots, "slot")
		if c.Batching != nil {
			s += " in a batch"
		}
		switch {
		case c.Queue < 0:
			s += " before an unbounded queue"
		case c.Queue > 0:
			s += fmt.Sprintf(" before a queue of %d, then %d", c.Queue, full(p))
		default:
			s += fmt.Sprintf(", then %d", full(p))
		}
		parts = append(parts, s)
	}
	if len(p.Limits) == 0 && p.Capacity.Slots == 0 {
		parts = append(parts, "no limits")
	}
	if g := p.Gateway.String(); g != "" {
		parts = append(parts, "a gateway that "+g)
	}
	if n := len(p.Faults); n > 0 {
		parts = append(parts, fmt.Sprintf("faults: %d", n))
	}
	return strings.Join(parts, ", ")
}

// full is the status of a provider without a place.
func full(p provider.Config) int {
	if p.Capacity.Full != 0 {
		return p.Capacity.Full
	}
	return p.Dialect.Refuses(dialect.NoPlace).Status
}

func describeLimit(l provider.Limit) string {
	scope := ""
	if len(l.Keys) > 0 {
		scope += " under " + strings.Join(l.Keys, ", ")
	}
	if len(l.Models) > 0 {
		scope += " to " + strings.Join(l.Models, ", ")
	}
	if l.Resource == provider.Concurrency {
		return fmt.Sprintf("%d requests at once%s", l.Amount, scope)
	}
	s := fmt.Sprintf("%v %s/%s%s", l.Kind, sizeOf(l), periodName(l.Period), scope)
	if l.Quantum > 0 {
		s += fmt.Sprintf(" enforced every %s", shortDuration(l.Quantum))
	} else if l.Burst != 0 && l.Burst != l.Amount {
		s += fmt.Sprintf(" burst %s", size(l.Burst))
	}
	if l.Rejected != provider.Free {
		s += ", rejected count " + strings.ReplaceAll(l.Rejected.String(), "_", " ")
	}
	return s
}

// sizeOf writes the amount of a limit with its resource.
func sizeOf(l provider.Limit) string {
	if l.Resource == provider.Dollars {
		return "$" + strconv.FormatFloat(float64(l.Amount)/1e9, 'f', -1, 64)
	}
	return size(l.Amount) + " " + strings.ReplaceAll(l.Resource.String(), "_", " ")
}

// size writes 200000 as 200k.
func size(n int64) string {
	switch {
	case n >= 1e6 && n%1e5 == 0:
		return fmt.Sprintf("%gM", float64(n)/1e6)
	case n >= 1e4 && n%100 == 0:
		return fmt.Sprintf("%gk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// Explain says in words what the scenario will do, and what its limits allow
// on average.
func (s *Scenario) Explain(w io.Writer) {
	m := &s.Model
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	line("%s", s.Name)
	if s.Description != "" {
		line("  %s", s.Description)
	}
	line("\nWorkload")
	line("  %s", explainArrivals(&m.Fleet, &s.Workload))
	sizes := measure(m.Workload.Sizes)
	line("  Prompts: %s, mean %.0f.", s.explainSize(s.Workload.PromptTokens), sizes.prompt)
	line("  Answers: %s, mean %.0f%s.", s.explainSize(s.Workload.OutputTokens), sizes.output, s.explainMax())
	if s.Workload.CachedShare > 0 {
		life := ""
		if s.Workload.CacheLife > 0 {
			life = fmt.Sprintf(", for %v after its last use", s.Workload.CacheLife)
		}
		line("  %v of each prompt comes from the provider's cache%s.", s.Workload.CachedShare, life)
	}
	if s.Workload.Reasoning.set() {
		line("  Before each answer: %s of reasoning.", s.explainSize(s.Workload.Reasoning))
	}
	if m.Workload.Stream {
		line("  Answers are streamed.")
	}
	if m.Workload.Patience != nil {
		line("  A caller leaves after %v seconds.", m.Workload.Patience)
	}
	if r := s.Workload.Redeliver; r != nil {
		if r.Visible > 0 {
			line("  A call without an answer is in the queue again %v after it was taken, at most %v deliveries.", r.Visible, r.Deliveries)
		} else {
			line("  A call without an answer goes back to the queue after %v, at most %v deliveries.", r.After, r.Deliveries)
		}
	}
	if m.Horizon > 0 {
		line("  From %v on no call starts.", s.Horizon)
	}
	line("\nProvider")
	line("  %s.", s.DescribeProvider())
	for _, l := range m.Provider.Limits {
		if l.Resource == provider.Tokens || l.Resource == provider.InputTokens || l.Resource == provider.OutputTokens {
			line("  The limit on %v is charged %v at admission; settlement: %v.", l.Resource, l.Charge, l.Settle)
		}
	}
	if len(m.Provider.Limits) > 0 {
		line("  It speaks as %v does; a refusal of the limits carries %v.", m.Provider.Dialect, m.Provider.RetryAfter)
	}
	if b := m.Provider.Capacity.Batching; b != nil {
		line("  It generates in %v; round trip %v.", b, s.Provider.RoundTrip)
	} else {
		line("  %s", s.explainLatency())
	}
	for _, f := range m.Provider.Faults {
		line("  Fault: %v.", f)
	}
	line("  An attempt whose client has gone %s.", map[provider.CancelRule]string{
		provider.Keeps: "keeps generating, holds its slot and is billed", provider.Stops: "stops generating and is billed for what it generated",
		provider.StopsStreams: "stops generating when it is streamed, and else is finished and billed"}[m.Provider.Cancel])
	if s.Provider.Bills != nil {
		line("  Billed besides answers: %s.", strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Provider.Bills), "[]"), " ", ", "))
	}
	if m.Provider.ReplaysKeys {
		line("  A request under a key whose work was done before gets that answer again, unbilled.")
	}
	line("\nPolicy")
	line("  %v.", m.Client)
	if waits := s.firstWaits(); waits != "" {
		line("  Waits before retries without a hint: %s.", waits)
	}
	if text := s.explainHorizon(); text != "" {
		line("  %s", text)
	}
	for i, f := range m.Fallbacks {
		line("  Then, where no answer came: %s; %v.", describeProvider(m.Others[i]), f.Price)
	}
	line("\nPrice")
	source := m.Price.Source
	if m.Price.Date != "" {
		source += " of " + m.Price.Date
	}
	if source != "" {
		source = " (" + source + ")"
	}
	line("  %v%s.", m.Price, source)
	line("\nWhat the averages allow")
	arrivals, arrive := s.arrivalRate()
	least := math.Inf(1)
	for _, c := range s.capacities(sizes) {
		line("  %-44s %s", c.what, c.words())
		if c.burst > 0 && c.burst >= 60*arrivals*m.Horizon.Minutes() && m.Horizon > 0 {
			continue // what is there at once lasts for the run
		}
		least = min(least, c.perMinute)
	}
	if arrive {
		line("  %-44s %s calls/min", "arrivals", number(60*arrivals))
		if 60*arrivals > least {
			line("  More calls arrive than can be answered: the backlog grows as long as they come.")
		}
	}
	for i, other := range m.Beside {
		b := s.Beside[i]
		line("\nBeside: %s, which calls %s at priority %d%s", other.Name, other.Price.Model, b.Fleet.Priority, under(b.Fleet.Key))
		line("  %s", explainArrivals(&other, &b.Workload))
		line("  Prompts of mean %.0f tokens, answers of mean %.0f.", measure(other.Workload.Sizes).prompt, measure(other.Workload.Sizes).output)
		line("  %v.", other.Client)
	}
	line("\nThe run: seed %d, %d replications.", s.Seed, s.Replications)
	for _, warning := range s.Warnings {
		line("Note: %s.", warning)
	}
}

// explainHorizon says how often a call can be tried, over all layers, and how long its waits
// last at the longest when no hint is given.
func (s *Scenario) explainHorizon() string {
	m := &s.Model
	c := &m.Client
	attempts := "without bound"
	if n := c.Attempts(); n > 0 {
		if n == 1 {
			return ""
		}
		attempts = fmt.Sprintf("at most %d times", n)
		if len(c.Outer) > 0 {
			product := fmt.Sprint(c.Retry.Attempts)
			for _, l := range c.Outer {
				product += fmt.Sprintf(" x %d", l.Retry.Attempts)
			}
			attempts += " (" + product + ")"
		}
	}
	horizon, bounded := c.Horizon(0)
	if !bounded {
		return fmt.Sprintf("A call is tried %s, for ever.", attempts)
	}
	return fmt.Sprintf("A call is tried %s, its waits last %s at the longest.", attempts, shortDuration(horizon.Round(time.Millisecond)))
}

func under(key string) string {
	if key == "" {
		return ""
	}
	return " under the key " + key
}

func explainArrivals(m *fleet.Fleet, w *Workload) string {
	workers := "each call brings its own worker"
	if m.Workers > 0 {
		workers = plural(m.Workers*m.Instances, "worker")
	}
	if m.Instances > 1 {
		workers += fmt.Sprintf(" in %d instances", m.Instances)
	}
	calls := "calls without bound"
	if m.Workload.Calls > 0 {
		calls = fmt.Sprintf("%d calls", m.Workload.Calls)
	}
	switch {
	case w.Batch != nil:
		return fmt.Sprintf("A queue of %s; %s fetch them as they get free.", calls, workers)
	case w.Closed != nil:
		pause := "no time"
		if m.Workload.Think != nil {
			pause = m.Workload.Think.String() + " seconds"
		}
		return fmt.Sprintf("%s, each thinking %s before a call; %s.", workers, pause, calls)
	case w.Trace != nil:
		t := m.Workload.Arrivals.(*fleet.Trace)
		span := t.At[len(t.At)-1]
		return fmt.Sprintf("%d recorded calls of %s over %.0f s, %.2f/s on average; %s.", len(t.At), t.Name, span.Seconds(), float64(len(t.At))/max(span.Seconds(), 1e-9), workers)
	}
	return fmt.Sprintf("%s arriving %v; %s.", calls, m.Workload.Arrivals, workers)
}

func (s *Scenario) explainSize(l Law[Count]) string {
	if _, ok := s.Model.Workload.Sizes.(*fleet.Trace); ok && !l.set() {
		return "tokens as recorded"
	}
	law, _ := l.build()
	return law.String() + " tokens"
}

func (s *Scenario) explainMax() string {
	if s.Workload.MaxTokens == 0 {
		return ""
	}
	return fmt.Sprintf(" after the cut at max_tokens %d", s.Workload.MaxTokens)
}

func (s *Scenario) explainLatency() string {
	l := s.Model.Provider.Latency
	first, speed := "at once", "with the rest of the answer at once"
	if l.FirstToken != nil {
		first = fmt.Sprintf("after %v s", l.FirstToken)
	}
	if l.TokensPerSecond != nil {
		speed = fmt.Sprintf("then %v tokens per second", l.TokensPerSecond)
	}
	text := fmt.Sprintf("First token %s, %s; round trip %v.", first, speed, s.Provider.RoundTrip)
	if l.PerInFlight > 0 {
		text += fmt.Sprintf(" Each other request at the provider adds %v.", l.PerInFlight)
	}
	if l.CallShare > 0 {
		text += fmt.Sprintf(" %v of the luck belongs to the call.", s.Provider.Latency.CallShare)
	}
	return text
}

// firstWaits lists the ranges of the waits that the backoff gives.
func (s *Scenario) firstWaits() string {
	r := s.Model.Client.Retry
	if r.Attempts == 1 || r.Backoff.Base == 0 {
		return ""
	}
	var waits []string
	for i := range 5 {
		if r.Attempts > 0 && i >= r.Attempts-1 {
			break
		}
		low, high := r.Backoff.Range(i)
		if low == high {
			waits = append(waits, shortDuration(low))
		} else {
			waits = append(waits, shortDuration(low)+".."+shortDuration(high))
		}
	}
	return strings.Join(waits, ", ")
}

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

// number writes a number with four significant digits and no exponent.
func number(x float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
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
			add(fmt.Sprintf("%s, %.3g s each", describeLimit(l), latency), 60*float64(l.Amount)/latency, 0)
			continue
		}
		used := provider.Used{Output: int(z.output + 0.5)}
		usage := cost.Usage{Prompt: int(z.prompt + 0.5), Cached: int(z.cached + 0.5), Output: used.Output, Reasoning: int(z.reasoning + 0.5)}
		if m.Workload.Cache.Writes {
			usage.Written = usage.Prompt - usage.Cached
		}
		used.Nano = int64(m.Price.Bill(usage))
		each := max(1, float64(l.Ends(z.request(), used)))
		add(describeLimit(l), float64(l.Amount)/l.Period.Minutes()/each, float64(l.Most())/each)
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
