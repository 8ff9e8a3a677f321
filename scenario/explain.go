package scenario

import (
	"fmt"
	"io"
	"strings"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
)

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
	fleets := make([]averages, 1+len(m.Beside))
	for i := range fleets {
		fleets[i] = average(m, i)
	}
	for _, text := range explainKinds(&m.Fleet) {
		line("  %s", text)
	}
	if len(m.Workload.Kinds) > 0 {
		line("  Over all kinds: prompts of %.0f tokens and answers of %.0f on average.", fleets[0].prompt,
			fleets[0].output)
	} else {
		line("  Prompts: %s, mean %.0f.", s.explainPrompts(), fleets[0].prompt)
	}
	if n := s.Workload.Inputs; n > 1 {
		line("  Each request carries %v inputs, each as long as prompt_tokens says.", n)
	}
	if len(m.Workload.Kinds) == 0 {
		line("  Answers: %s, mean %.0f%s.", s.explainSize(s.Workload.OutputTokens), fleets[0].output, s.explainMax())
	}
	if text := s.explainCache(); text != "" {
		line("  %s", text)
	}
	if s.Workload.Reasoning.set() && len(m.Workload.Kinds) == 0 {
		line("  Before each answer: %s of reasoning.", s.explainSize(s.Workload.Reasoning))
	}
	if m.PerRequest > 0 {
		line("  A client process takes %v for each request and again for each reply.", m.PerRequest)
	}
	if m.Scaling.On() {
		line("  Workers of each instance: %s.", m.Scaling.Describe())
	}
	if m.Workload.Stream {
		line("  Answers are streamed.")
	}
	if m.Workload.Patience != nil {
		line("  A caller leaves after %v seconds.", m.Workload.Patience)
	}
	if r := s.Workload.Redeliver; r != nil {
		switch {
		case r.Working:
			line("  A call is delivered again %v after each delivery, even while it is worked on, %s; "+
				"the first answer ends it.", r.Visible, deliveries(r.Deliveries))
			if !r.Failed {
				line("  A call that fails is acknowledged: it is not delivered again.")
			}
		case r.Visible > 0:
			line("  A call without an answer is back in the queue %v after it was taken, %s.", r.Visible,
				deliveries(r.Deliveries))
		default:
			line("  A call without an answer goes back to the queue after %v, %s.", r.After, deliveries(r.Deliveries))
		}
		if r.Deliveries > 0 {
			line("  A call that is not answered by then is a dead letter.")
		}
	}
	if m.Horizon > 0 {
		line("  No call starts after %v.", s.Horizon)
	}
	line("\nProvider")
	line("  %s.", s.DescribeProvider())
	for _, l := range m.Provider.Limits {
		if l.Resource == provider.Tokens || l.Resource == provider.InputTokens || l.Resource == provider.OutputTokens {
			settled := "nothing is given back"
			if l.Settle != provider.Keep {
				settled = fmt.Sprintf("settlement: %v", l.Settle)
			}
			line("  %s: charged %v at admission, %s.", l.Name, l.Charge, settled)
		}
	}
	if len(m.Provider.Limits) > 0 {
		line("  Errors and headers: %v format. Refusals by a limit carry %v.", m.Provider.Dialect,
			m.Provider.Hints())
	}
	if b := m.Provider.Capacity.Batching; b != nil {
		line("  It generates in %s; round trip %v.", b.Describe(), s.Provider.RoundTrip)
	} else {
		line("  %s", s.explainLatency())
	}
	for _, f := range m.Provider.Faults {
		line("  Fault: %s.", f.Describe())
	}
	line("  An attempt whose client disconnected %s.", map[provider.CancelRule]string{
		provider.Keeps:        "keeps generating, holds its slot and is billed",
		provider.Stops:        "stops generating and is billed for what it generated",
		provider.StopsStreams: "stops generating when it is streamed; otherwise it runs to its end and is billed",
	}[m.Provider.Cancel])
	if len(s.Provider.Bills) == 0 {
		line("  Only answers are billed.")
	} else if m.Provider.Billing != (provider.Billing{}) {
		billed := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Provider.Bills), "[]"), " ", ", ")
		line("  Billed besides answers: %s.", billed)
	}
	if m.Provider.ReplaysKeys {
		line("  A request whose idempotency key was completed before gets the same answer again, without a bill.")
	}
	for _, text := range s.explainDeployments() {
		line("  %s", text)
	}
	line("\nPolicy")
	line("  %s.", m.Client.Describe())
	if m.Client.Gate.On() && m.Client.Gate.Held == policy.ByAttempt && m.MaxAttempts() != 1 {
		line("  Calls that wait to retry do not count at the gate; " +
			"for a semaphore held during that wait use policy.gate.held: call.")
	}
	if r := m.Client.Retry; r.RetryAfter.AtLeastBackoff && r.Attempts != 1 {
		line("  A Retry-After that is shorter than the backoff is not obeyed: the longer of the two is waited.")
	}
	if waits := s.firstWaits(); waits != "" {
		line("  Backoff before each retry, without Retry-After: %s.", waits)
	}
	if text := s.explainHorizon(); text != "" {
		line("  %s", text)
	}
	for i, f := range m.Fallbacks {
		line("  Fallback: %s; %v%s.", describeProvider(m.Others[m.Deployed+i]), f.Price, describeQuality(f.Quality))
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
	if text := s.explainHourly(); text != "" {
		line("  %s", text)
	}
	line("\nThroughput that each part allows, on average")
	parts := s.allParts(fleets)
	for _, p := range parts {
		line("  %-44s %s", p.what, p.explain(m.Workload.Calls))
	}
	for i, other := range m.Beside {
		b := s.OtherFleets[i]
		line("\nOther fleet: %s, which calls %s at priority %d%s", other.Name, other.Price.Model, b.Fleet.Priority,
			under(b.Fleet.Key))
		line("  %s", explainArrivals(&other, &b.Workload))
		line("  Prompts of mean %.0f tokens, answers of mean %.0f.", fleets[i+1].prompt, fleets[i+1].output)
		line("  %s.", other.Client.Describe())
	}
	line("\nRun: seed %d, %d replications.", s.Seed, s.Replications)
	line("  %s", s.explainMeasured())
	if c := s.Collapse; c != nil {
		line("  Collapsed: a run that answers, from %v to %v, less than %v of the calls that arrive in that time.",
			c.From, c.To, c.Below)
	} else if w, ok := s.Trigger(); ok {
		line("  Collapsed: a run whose answers per second stay, after %s, below 90 %% of their level before %s, or "+
			"had fallen before.",
			shortDuration(w.End), shortDuration(w.Start))
	}
	if len(s.Uncertain) > 0 {
		line("  Uncertain, drawn by recommend: %v.", s.Uncertain)
	}
	if len(s.Goals) > 0 {
		line("  Goals: %s.", strings.Join(s.Goals, ", "))
	}
	if s.Minimize+s.Maximize != "" {
		line("  Best among the points that meet all goals: the %s.", objectiveInWords(s.Minimize, s.Maximize))
	}
	for _, warning := range s.Warnings() {
		line("Note: %s.", warning)
	}
	line("\n%s", outlasts(&m.Fleet, fleets[0]))
	for _, text := range s.binds(parts, fleets[0]) {
		line("%s", text)
	}
}

func objectiveInWords(minimize, maximize string) string {
	if minimize != "" {
		return "lowest " + minimize
	}
	return "highest " + maximize
}

func deliveries(most Bound) string {
	if most == 0 {
		return "without limit"
	}
	return fmt.Sprintf("at most %d deliveries", most)
}

// explainMeasured says which time the metrics are of.
func (s *Scenario) explainMeasured() string {
	from := "the start"
	switch {
	case s.Warmup.Auto:
		from = "the end of the warm-up, found from the data,"
	case s.Warmup.Span > 0:
		from = s.Warmup.String()
	}
	to := "the end of the last call"
	if s.Horizon > 0 {
		bounded := true
		for i, f := range s.Model.Fleets() {
			bounded = bounded && (f.Workload.Bounded() || s.Measured() >= 0 && s.Measured() != i)
		}
		if to = s.Horizon.String(); bounded {
			to += ", or the end of the last call where all have arrived by then"
		}
	}
	return fmt.Sprintf("Measured: from %s to %s.", from, to)
}

// explainHorizon says how often a call can be tried, over all layers, and how long its waits
// last at the longest when no hint is given.
func (s *Scenario) explainHorizon() string {
	m := &s.Model
	c := &m.Client
	attempts := "without bound"
	if n := m.MaxAttempts(); n > 0 {
		if n == 1 {
			return ""
		}
		attempts = fmt.Sprintf("at most %d times", n)
		if n != c.Retry.Attempts {
			product := fmt.Sprint(c.Retry.Attempts)
			for _, l := range c.Outer {
				product += fmt.Sprintf(" x %d", l.Retry.Attempts)
			}
			if c.Hedge.On() {
				product += fmt.Sprintf(" x %d with hedges", 1+c.Hedge.MaxAttempts())
			}
			if c.Fallback.On {
				product += fmt.Sprintf(" x %d targets", 1+len(m.Fallbacks))
			}
			if d := m.Workload.Redelivery.Deliveries; d != 0 {
				product += fmt.Sprintf(" x %d deliveries", d)
			}
			attempts += " (" + product + ")"
		}
	}
	horizon, bounded := c.MaxDuration(0)
	if !bounded {
		return fmt.Sprintf("A call is tried %s, with no limit on time.", attempts)
	}
	where := ""
	if c.Fallback.On || m.Workload.Redelivery.Deliveries != 0 {
		where = " at one target in one delivery"
	}
	return fmt.Sprintf("A call is tried %s; its backoff%s takes at most %s in total.", attempts, where,
		shortDuration(horizon.Round(time.Millisecond)))
}

func explainArrivals(m *fleet.Fleet, w *Workload) string {
	workers := "one worker per call"
	if m.Workers > 0 {
		workers = plural(m.Workers*m.Instances, "worker")
		if m.Scaling.On() {
			workers = "at most " + workers
		}
	}
	if m.Instances > 1 {
		workers += fmt.Sprintf(" in %d instances", m.Instances)
		if m.Queue == fleet.PerInstance {
			workers += ", each with a queue of its own"
		}
		if m.Workload.Arrivals != nil && (m.Workers == 0 || m.Queue == fleet.PerInstance) {
			workers += ", dispatch " + strings.ReplaceAll(m.Dealt.String(), "_", "-")
		}
	}
	if w.Sessions != nil {
		return explainSessions(m, w.Sessions, workers)
	}
	calls := "unlimited calls"
	if m.Workload.Calls > 0 {
		calls = fmt.Sprintf("%d calls", m.Workload.Calls)
	}
	switch {
	case w.Batch != nil:
		take := "take calls as they become free"
		if m.Workers*m.Instances == 1 {
			take = "takes calls as it becomes free"
		}
		return fmt.Sprintf("A queue of %s; %s %s.", calls, workers, take)
	case w.Closed != nil:
		if every := m.Workload.Every; every != nil {
			return fmt.Sprintf("%s, each starting a call %v seconds after the start of its last one, or at once "+
				"where that took longer; %s.", workers, every, calls)
		}
		pause := "no time"
		if m.Workload.Think != nil {
			pause = m.Workload.Think.String() + " seconds"
		}
		return fmt.Sprintf("%s, each pausing %s before a call; %s.", workers, pause, calls)
	case w.Trace != nil:
		t := m.Workload.Arrivals.(*fleet.Trace)
		span := t.At[len(t.At)-1]
		return fmt.Sprintf("%d recorded calls of %s over %.0f s, %.2f/s on average; %s.", len(t.At), t.Name,
			span.Seconds(), float64(len(t.At))/max(span.Seconds(), 1e-9), workers) + readOf(t)
	}
	return fmt.Sprintf("%s arriving %s; %s.", calls, m.Workload.Arrivals.Describe(), workers)
}

// readOf says how the file of a trace was read.
func readOf(t *fleet.Trace) string {
	if t.Read == "" {
		return ""
	}
	return " Read: " + t.Read + "."
}

// explainPrompts says how long prompts are; of sessions, at first.
func (s *Scenario) explainPrompts() string {
	if s.Workload.Sessions != nil {
		return fmt.Sprintf("%v tokens at the start of a session", s.Model.Workload.Sizes.(fleet.Drawn).Prompt)
	}
	return s.explainSize(s.Workload.PromptTokens)
}

func (s *Scenario) explainSize(l Law[Count]) string {
	if _, ok := s.Model.Workload.Sizes.(*fleet.Trace); ok && !l.set() {
		return "tokens as recorded"
	}
	law, _ := l.build()
	if t := s.Workload.Trace; t != nil && (t.Rows != nil || t.NoOutput == "draw") {
		return "tokens as recorded, else " + law.String()
	}
	return law.String() + " tokens"
}

func (s *Scenario) explainMax() string {
	if t, ok := s.Model.Workload.Sizes.(*fleet.Trace); ok && len(t.MaxTokens) > 0 {
		return " with max_tokens as recorded"
	}
	if s.Workload.MaxTokens == 0 {
		return ""
	}
	return fmt.Sprintf(" when cut at max_tokens %d", s.Workload.MaxTokens)
}

func (s *Scenario) explainLatency() string {
	text := explainSpeed(&s.Model.Provider)
	if s.Model.Provider.Latency.CallShare > 0 {
		text += fmt.Sprintf(" %v of the variance in latency is the same for all attempts of a call.",
			s.Provider.Latency.CallShare)
	}
	return text
}

// explainSpeed says how long an answer of a provider takes.
func explainSpeed(p *provider.Config) string {
	l := p.Latency
	first, speed := "at once", "with the rest of the answer at once"
	if l.FirstToken != nil {
		first = fmt.Sprintf("after %v s", l.FirstToken)
	}
	if l.TokensPerSecond != nil {
		speed = fmt.Sprintf("then %v tokens per second", l.TokensPerSecond)
	}
	text := fmt.Sprintf("First token %s, %s; round trip %v.", first, speed, Span(p.RoundTrip))
	if l.PerInFlight > 0 {
		text += fmt.Sprintf(" Each other request in progress adds %v to the first token.", l.PerInFlight)
	}
	if l.PerThousand > 0 {
		text += fmt.Sprintf(" Each 1,000 tokens of the prompt that are not cached add %v to it.", l.PerThousand)
	}
	if l.ByUse.Full > 1 {
		text += fmt.Sprintf(" An answer takes %s.", l.ByUse.Describe(p.Limits[l.ByUse.Limit].Name))
	}
	return text
}

// explainHourly says what capacity costs by the hour and, where calls come by themselves, what that is for
// each of them: price by the hour / calls an hour.
func (s *Scenario) explainHourly() string {
	m := &s.Model
	hourly := m.Hourly()
	if hourly == 0 {
		return ""
	}
	text := fmt.Sprintf("Capacity: %v in all, whatever it serves", hourly)
	perHour := 0.0
	for _, f := range m.Fleets() {
		coming, ok := arrivalsOf(f, m.Horizon)
		if !ok {
			return text + "."
		}
		perHour += coming.by(coming.end) / time.Duration(coming.end).Hours()
	}
	return text + fmt.Sprintf("; $%s per 1,000 calls, at %s calls/min.",
		number(1000*float64(hourly)/1e9/perHour), number(perHour/60))
}

// firstWaits lists the ranges of the waits that the backoff gives.
func (s *Scenario) firstWaits() string {
	r := s.Model.Client.Retry
	if r.Attempts == 1 || !r.Backoff.On() || r.Backoff.Window > 0 || r.Backoff.Law != nil {
		return ""
	}
	var waits []string
	for i := 0; r.Attempts == 0 || i < r.Attempts-1; i++ {
		if i == 5 {
			waits = append(waits, "...")
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
