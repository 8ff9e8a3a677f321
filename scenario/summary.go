package scenario

import (
	"errors"

	"stampede/fleet"
	"stampede/internal/format"
	"stampede/internal/strict"
)

// Summary is what check says of a scenario, for programs. [Scenario.Explain] says it for people.
type Summary struct {
	Scenario     string    `json:"scenario"`
	Description  string    `json:"description,omitempty"`
	Seed         uint64    `json:"seed"`
	Replications int       `json:"replications"`
	Trace        string    `json:"trace,omitempty"` // how the file of a trace was read
	Policy       string    `json:"policy"`
	Provider     string    `json:"provider"`
	Price        string    `json:"price"`
	MaxRates     []MaxRate `json:"max_rates"`
	Conclusions  []string  `json:"conclusions"`
	Warnings     []string  `json:"warnings"`
}

// MaxRate is the rate of calls that a limit, the capacity of the provider, the workers or a gate can
// sustain on average.
type MaxRate struct {
	Of           string   `json:"of"`
	CallsPerMin  *float64 `json:"calls_per_min"` // null when it is not bounded
	InOtherWords string   `json:"in_other_words"`
}

// Summary sums the scenario up.
func (s *Scenario) Summary() Summary {
	m := &s.Model
	sum := Summary{
		Scenario: s.Name, Description: s.Description, Seed: s.Seed, Replications: s.Replications,
		Policy: m.Client.Describe(), Provider: s.DescribeProvider(), Price: m.Price.String(),
		MaxRates: []MaxRate{}, Warnings: append([]string{}, s.Warnings()...),
	}
	if t, ok := m.Workload.Arrivals.(*fleet.Trace); ok {
		sum.Trace = t.Read
	}
	fleets := make([]averages, 1+len(m.Beside))
	for i := range fleets {
		fleets[i] = average(m, i)
	}
	parts := s.allParts(fleets)
	for _, p := range parts {
		sum.MaxRates = append(sum.MaxRates, MaxRate{p.what, format.Finite(60 * p.rate), p.explain(m.Workload.Calls)})
	}
	sum.Conclusions = append([]string{outlasts(&m.Fleet, fleets[0])}, s.binds(parts, fleets[0])...)
	return sum
}

// Mistake is one mistake of a scenario.
type Mistake struct {
	File    string `json:"file,omitempty"` // or a setting, such as --set seed=x
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"` // of the field
	Message string `json:"message"`
}

// Mistakes are those that an error of [Read] or [ReadTemplate] is made of.
func Mistakes(err error) []Mistake {
	all := []error{err}
	var several strict.Errors
	if errors.As(err, &several) {
		all = several
	}
	var out []Mistake
	for _, err := range all {
		m := Mistake{Message: err.Error()}
		var at *strict.Error
		if errors.As(err, &at) {
			m.File, m.Line, m.Column = at.Place()
			m.Path, m.Message = at.Path, at.Message
		}
		out = append(out, m)
	}
	return out
}
