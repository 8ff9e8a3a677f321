package engine

import (
	"fmt"
	"math"
	"slices"

	"stampede/cost"
	"stampede/fleet"
	"stampede/internal/format"
	"stampede/internal/nearest"
	"stampede/law"
	"stampede/measure"
)

// curve runs one replication for each value of a field.
func (s *Session) curve(a arguments) (any, map[string][]byte, error) {
	metric, err := measure.Lookup(a.Metric)
	if err != nil {
		return nil, nil, fmt.Errorf("metric: %w", err)
	}
	form := closedForms[a.Closed]
	if a.Closed != "" && form == nil {
		return nil, nil, fmt.Errorf("closed: no form %q; %s", a.Closed, nearest.Unknown(a.Closed, closedNames()))
	}
	var out struct {
		Y      []*float64 `json:"y"`
		Closed []*float64 `json:"closed"`
	}
	for _, value := range a.Values {
		one := Session{document: s.document, template: s.template}
		l, err := one.open(a.Document, append(slices.Clone(a.Set), a.Path+"="+value))
		if err != nil {
			return nil, nil, err
		}
		run, err := measure.Replicator{}.One(l.Scenario, l.warmup, a.Replication)
		if err != nil {
			return nil, nil, explain(err)
		}
		out.Y = append(out.Y, format.Finite(run.Values[metric]))
		expected := math.NaN()
		if form != nil {
			expected = form(&l.Model)
		}
		out.Closed = append(out.Closed, format.Finite(expected))
	}
	return out, nil, nil
}

// closedForms are what theory says of a model, by name.
var closedForms = map[string]func(*fleet.Model) float64{
	"billed_by_timeout": billedByTimeout,
}

func closedNames() (names []string) {
	for name := range closedForms {
		names = append(names, name)
	}
	return names
}

// billedByTimeout is the cost of 1,000 answers, in dollars, of clients whose n-th attempt is cut off after t_n and
// goes on at the provider, which bills it:
//
//	1000 c (1 + p_1 + p_1 p_2 + ...) / (1 - p_1 p_2 ... p_N)
//
// with c the price of an attempt and p_n = P(L > t_n) of the latency L. With one timeout for all attempts this is
// 1000 c / (1-p), however many there are. It assumes that each attempt draws its latency anew, that the latency is
// that of the first token, and that nothing else fails; it is NaN where the model says otherwise.
func billedByTimeout(m *fleet.Model) float64 {
	latency, client := m.Provider.Latency, &m.Client
	sizes, drawn := m.Workload.Sizes.(fleet.Drawn)
	if latency.FirstToken == nil || latency.CallShare > 0 || len(client.Timeouts.Attempt) == 0 || !drawn {
		return math.NaN()
	}
	attempt := m.Price.Bill(cost.Usage{
		Prompt: int(math.Round(sizes.Prompt.Mean())), Output: int(math.Round(sizes.Output.Mean())),
	}).Dollars()
	attempts := m.MaxAttempts()
	if attempts == 0 || attempts > maxSeries {
		attempts = maxSeries // unbounded
	}
	billed, all, p := 0.0, 1.0, 0.0
	for n := range attempts {
		billed += all
		if n < len(client.Timeouts.Attempt) { // later attempts have the last timeout
			p = 0
			if t := client.Timeouts.Attempt[n]; t != 0 {
				p = survival(latency.FirstToken, t.Seconds())
			}
		}
		all *= p
	}
	return 1000 * attempt * billed / (1 - all)
}

// maxSeries is how many terms of the series of attempts are added.
const maxSeries = 1_000

// survival is P(X > x), from the quantile function at the middles of equal parts of (0, 1).
func survival(l law.Law, x float64) float64 {
	const parts = 20_000
	beyond := 0
	for i := range parts {
		if l.Sample((float64(i)+0.5)/parts) > x {
			beyond++
		}
	}
	return float64(beyond) / parts
}
