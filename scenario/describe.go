package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"stampede/dialect"
	"stampede/provider"
)

// The names of providers and amounts in tables, figures and explanations.

// DescribeProvider names the provider with every limit and its kind.
func (s *Scenario) DescribeProvider() string {
	text := describeProvider(s.Model.Provider)
	if n := s.Model.Deployed; n > 0 {
		text += "; " + plural(n, "further deployment")
	}
	return text
}

func describeProvider(p provider.Config) string {
	var parts []string
	if p.Name != "" {
		parts = append(parts, p.Name)
	}
	if p.MaxRequest.Prompt > 0 {
		parts = append(parts, fmt.Sprintf("%s, else %d", p.MaxRequest.Describe(), p.Oversized().Status))
	}
	for _, l := range p.Limits {
		parts = append(parts, l.Describe())
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
	if g := p.Gateway.Describe(); g != "" {
		parts = append(parts, "a gateway that "+g)
	}
	if n := len(p.Faults); n > 0 {
		parts = append(parts, fmt.Sprintf("faults: %d", n))
	}
	return strings.Join(parts, "; ")
}

// full is the status of a provider without a place.
func full(p provider.Config) int {
	if p.Capacity.Full != 0 {
		return p.Capacity.Full
	}
	return p.Dialect.Refuses(dialect.AtCapacity).Status
}

func under(key string) string {
	if key == "" {
		return ""
	}
	return " under the key " + key
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
