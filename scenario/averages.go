package scenario

import (
	"cmp"
	"slices"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
)

// averages are what the calls of a fleet are on average, by themselves at the provider and
// at their first attempt. They are integrals over the laws, for check alone: a sweep builds
// thousands of scenarios and asks for none.
type averages struct {
	prompt, output float64   // tokens
	declared       float64   // max_tokens
	charges        []float64 // by limit, at admission: requests, tokens
	counts         []float64 // by limit, in the end, nano-dollars too
	slots          float64   // seconds in a slot, with every slot taken
	busy           float64   // seconds from sending to the reply, then
	answer         float64   // seconds from sending to the last token, alone
	p95            float64   // of that
	timeout        float64   // share of the attempts that are cut off before the answer
	patience       float64   // share of the calls whose caller leaves before it
}

// lattice is a set of points that fills the unit cube of any number of dimensions evenly:
// of each dimension alone it is the grid of the midpoints (Korobov; the generator is the best
// of those tried in six dimensions, by the worst-case error of smooth functions).
const (
	latticePoints    = 16381
	latticeGenerator = 14557
)

// point gives the coordinates of a point of the lattice in turn.
func point(k int) func() float64 {
	at := k % latticePoints
	return func() float64 {
		u := (float64(at) + 0.5) / latticePoints
		at = at * latticeGenerator % latticePoints
		return u
	}
}

// points is how many points an integral takes: those of the lattice, or all calls of a trace.
func points(sizes fleet.Sizes) int {
	switch z := sizes.(type) {
	case *fleet.Trace:
		return len(z.At)
	case sampled:
		return len(z)
	}
	return latticePoints
}

// average integrates over the laws, and over the calls of a trace.
func average(m *fleet.Model, fleetIndex int) averages {
	f := m.Fleets()[fleetIndex]
	if len(f.Workload.Kinds) == 0 {
		a, _ := averageOf(m, f)
		return a
	}
	return averageOfKinds(m, f)
}

// averageOfKinds weighs the kinds of calls by their shares.
func averageOfKinds(m *fleet.Model, f *fleet.Fleet) (sum averages) {
	type answer struct{ took, weight float64 }
	var answers []answer
	limits := len(m.Provider.Limits)
	sum.charges, sum.counts = make([]float64, limits), make([]float64, limits)
	for k, one := range ofKinds(f) {
		share := shareOf(f, k)
		a, took := averageOf(m, &one)
		for i, x := range a.values() {
			*sum.values()[i] += share * *x
		}
		for i := range limits {
			sum.charges[i] += share * a.charges[i]
			sum.counts[i] += share * a.counts[i]
		}
		for _, t := range took {
			answers = append(answers, answer{t, share / float64(len(took))})
		}
	}
	slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(a.took, b.took) })
	below := 0.0
	for _, a := range answers {
		if below += a.weight; below > 0.95 {
			sum.p95 = a.took
			break
		}
	}
	return sum
}

// values are the means of one number.
func (a *averages) values() []*float64 {
	return []*float64{&a.prompt, &a.output, &a.declared, &a.slots, &a.busy, &a.answer, &a.timeout, &a.patience}
}

// averageOf is average of a fleet whose calls are of one kind, with the times of answers in order.
func averageOf(m *fleet.Model, f *fleet.Fleet) (averages, []float64) {
	p := &m.Provider
	sizes := sizesOf(&f.Workload)
	n := points(sizes)
	a := averages{charges: make([]float64, len(p.Limits)), counts: make([]float64, len(p.Limits))}
	answers := make([]float64, n)
	trip := (p.RoundTrip + p.Gateway.Latency).Seconds()
	for k := range n {
		next := point(k)
		size := sizes.Size(uint64(k), fleet.Luck{Prompt: next(), Output: next(), Reasoning: next()})
		first, each := unloaded(p, size, next(), next())
		whole := first + float64(size.Output)*each
		answers[k] = trip + whole
		a.prompt += float64(size.Prompt)
		a.output += float64(size.Output)
		a.declared += float64(size.MaxTokens)
		a.slots += whole * p.Crowded(int64(p.Capacity.Slots))
		a.busy += trip + whole*p.Crowded(int64(p.Capacity.Slots))
		a.answer += trip + whole
		if cutOff(f, trip+first+float64(size.Reasoning)*each, trip+whole, each, p.Capacity.Batching != nil) {
			a.timeout++
		}
		if law := f.Workload.Patience; law != nil && law.Sample(next()) < trip+whole {
			a.patience++
		}
		for i, l := range p.Limits {
			r := requestOf(size)
			a.charges[i] += float64(l.Counts(r)) / float64(n)
			a.counts[i] += float64(l.Ends(r, used(f, size))) / float64(n)
		}
	}
	for _, sum := range a.values() {
		*sum /= float64(n)
	}
	slices.Sort(answers)
	a.p95 = answers[n*95/100]
	return a, answers
}

// unloaded is the time to the first token of a request alone at the provider, and of
// each further one.
func unloaded(p *provider.Config, size fleet.Size, u, v float64) (first, each float64) {
	if b := p.Capacity.Batching; b != nil {
		step := b.Streams(1).Seconds()
		return b.Steps(int(size.Prompt-size.Cached)) * step, step
	}
	if law := p.Latency.FirstToken; law != nil {
		first = law.Sample(u)
	}
	first += float64(size.Prompt-size.Cached) / 1000 * p.Latency.PerThousand.Seconds()
	if law := p.Latency.TokensPerSecond; law != nil {
		each = 1 / law.Sample(v)
	}
	return first, each
}

// cutOff reports whether a client cuts its first attempt off whose first visible token and
// whose last come after so many seconds.
func cutOff(f *fleet.Fleet, first, last, each float64, batched bool) bool {
	c := &f.Client
	after := func(d time.Duration, seconds float64) bool { return d > 0 && seconds > d.Seconds() }
	for _, l := range c.Outer {
		if after(l.Timeout, last) {
			return true
		}
	}
	t := &c.Timeouts
	timer, span := t.BeforeFirstByte(1, true, true)
	reply := last
	if f.Workload.Stream {
		reply = first
		if after(t.Gap, each) && !batched {
			return true
		}
	}
	return timer != policy.NoTimer && after(span, reply) || after(t.Whole(1), last) || after(t.Call, last)
}

func requestOf(size fleet.Size) provider.Request {
	return provider.Request{Prompt: int(size.Prompt), Cached: int(size.Cached), MaxTokens: int(size.MaxTokens)}
}

// used is what an answer of this size uses, billed with its cache full.
func used(f *fleet.Fleet, size fleet.Size) provider.Used {
	u := cost.Usage{
		Prompt:    int(size.Prompt),
		Cached:    int(size.Cached),
		Output:    int(size.Output),
		Reasoning: int(size.Reasoning),
	}
	if c := &f.Workload.Cache; c.Writes {
		u.Written = int(c.Writable(size)) - u.Cached
	}
	return provider.Used{Output: int(size.Output), Nano: int64(f.Price.Bill(u)), Answered: true}
}

// meanRequest is a request of mean size, from the means of the laws.
func meanRequest(sizes fleet.Sizes) provider.Request {
	var drawn fleet.Drawn
	prompt := 0.0
	switch z := sizes.(type) {
	case fleet.Drawn:
		drawn = z
		prompt = mean(z.Prompt)
	case *fleet.Trace:
		drawn = z.Missing
		missing := mean(drawn.Prompt)
		for _, n := range z.Prompt {
			if n < 0 {
				prompt += missing
			} else {
				prompt += float64(n)
			}
		}
		if prompt /= float64(max(1, len(z.Prompt))); len(z.Prompt) == 0 {
			prompt = missing
		}
	case sampled:
		for _, size := range z {
			prompt += float64(size.Prompt) / float64(len(z))
			drawn.CachedShare += float64(size.Cached) / float64(len(z))
		}
		drawn.CachedShare /= prompt
		drawn.MaxTokens = z[0].MaxTokens
	default:
		return requestOf(sizes.Size(0, fleet.Luck{Prompt: 0.5, Output: 0.5, Reasoning: 0.5}))
	}
	r := provider.Request{Prompt: int(prompt + 0.5), MaxTokens: int(drawn.MaxTokens)}
	r.Cached = int(drawn.Cached(int32(r.Prompt)))
	if t, ok := sizes.(*fleet.Trace); ok {
		r.MaxTokens = meanRecorded(t.MaxTokens, r.MaxTokens)
		r.Cached = meanRecorded(t.Cached, r.Cached)
	}
	return r
}

// meanRecorded is the mean of what was recorded of calls, with a value for those of which it was not.
func meanRecorded(values []int32, missing int) int {
	sum := 0
	for _, n := range values {
		if n < 0 {
			n = int32(missing)
		}
		sum += int(n)
	}
	if len(values) == 0 {
		return missing
	}
	return int(float64(sum)/float64(len(values)) + 0.5)
}

// meanCharge is what requests count on average at admission. Only where the larger of two
// counts is the mean not that of a mean request:
//
//	E[max(prompt, max_tokens)] >= max(E[prompt], max_tokens)
func meanCharge(l *provider.Limit, sizes fleet.Sizes) float64 {
	if l.Charge != provider.MaxOrEstimate {
		return float64(l.Counts(meanRequest(sizes)))
	}
	sum := 0.0
	n := points(sizes)
	for k := range n {
		next := point(k)
		sum += float64(
			l.Counts(requestOf(sizes.Size(uint64(k), fleet.Luck{Prompt: next(), Output: next(), Reasoning: next()}))))
	}
	return sum / float64(n)
}

func mean(l law.Law) float64 {
	if l == nil {
		return 0
	}
	return l.Mean()
}

// AnswerTimes are the mean and the 95th percentile of the seconds from sending a call of the main fleet to the last
// token of its answer, alone at the provider.
func (s *Scenario) AnswerTimes() (mean, p95 float64) {
	a := average(&s.Model, 0)
	return a.answer, a.p95
}
