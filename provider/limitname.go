package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stampede/internal/format"
	"stampede/wire"
)

// The names of limits, in tables, records, notes and errors.

// NameLimits gives each limit that has no name one made of its resource, amount
// and kind, such as "tokens 200k/min, fixed window". Where two would be the same
// the later one is numbered. It reports names that were given and cannot stand.
func NameLimits(limits []Limit) error {
	taken := []string{Slots, Oversize, GatewayErrors} // other refusals have these names
	for i, l := range limits {
		if l.Name == "" {
			continue
		}
		if err := checkName(i, l.Name); err != nil {
			return err
		}
		if slices.Contains(taken, l.Name) {
			switch l.Name {
			case Slots:
				return fmt.Errorf("limit %d is named %q, the name of the capacity; want another", i, l.Name)
			case Oversize:
				return fmt.Errorf("limit %d is named %q, the name of the bound on the size of requests; want another",
					i, l.Name)
			case GatewayErrors:
				return fmt.Errorf("limit %d is named %q, the name of a gateway's own errors; want another", i, l.Name)
			}
			first := slices.IndexFunc(limits, func(m Limit) bool { return m.Name == l.Name })
			return fmt.Errorf("limits %d and %d are both named %q; want a name of its own for each", first, i, l.Name)
		}
		taken = append(taken, l.Name)
	}
	for i := range limits {
		l := &limits[i]
		if l.Name != "" {
			continue
		}
		l.Name = l.madeName()
		for n := 2; slices.Contains(taken, l.Name); n++ {
			l.Name = fmt.Sprintf("%s #%d", l.madeName(), n)
		}
		taken = append(taken, l.Name)
	}
	return nil
}

// listNames quotes the names of limits.
func listNames(limits []Limit) string {
	var names []string
	for _, l := range limits {
		names = append(names, strconv.Quote(l.Name))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Slots is the name under which refusals for want of a place before the capacity
// are counted beside those of the limits.
const Slots = "slots"

// GatewayErrors is the name under which a gateway's own errors are counted beside the refusals of the limits.
const GatewayErrors = "gateway_errors"

// RefusedBy names what a verdict's Limit stands for; empty for NoLimit.
func (c *Config) RefusedBy(limit int8) string {
	switch limit {
	case NoLimit:
		return ""
	case NoSlot:
		return Slots
	case TooLong:
		return Oversize
	case OfGateway:
		return GatewayErrors
	}
	return c.Limits[limit].Name
}

const longestName = 60

func checkName(i int, name string) error {
	if utf8.RuneCountInString(name) > longestName || strings.TrimSpace(name) != name ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf(
			"found the name %q of limit %d; want up to %d printable characters without blanks at its ends", name, i,
			longestName)
	}
	return nil
}

// madeName is the name of a limit that was given none.
func (l Limit) madeName() string {
	s := ""
	switch l.Resource {
	case Concurrency:
		s = format.Amount(l.Amount) + " at once"
	case TokensInFlight:
		s = format.Amount(l.Amount) + " tokens in flight"
	case EnqueuedTokens:
		s = format.Amount(l.Amount) + " enqueued tokens"
	case Dollars:
		if l.Kind == Balance {
			s = dollars(l.Amount) + " balance"
			break
		}
		s = dollars(l.Amount) + "/" + format.Period(l.Period)
	default:
		s = fmt.Sprintf("%s %s/%s", strings.ReplaceAll(l.Resource.String(), "_", " "), format.Amount(l.Amount),
			format.Period(l.Period))
	}
	if len(l.Keys) > 0 {
		s += " under " + strings.Join(l.Keys, ", ")
	}
	if len(l.Models) > 0 {
		s += " to " + strings.Join(l.Models, ", ")
	}
	if l.Kind != TokenBucket && l.Kind != Balance && !l.Resource.Held() {
		s += ", " + l.Kind.String()
	}
	return s
}

// label is the name of the limit, or the one that it would be given.
func (l Limit) label() string { return cmp.Or(l.Name, l.madeName()) }

// Describe writes the limit with its name, kind, burst and rules.
func (l Limit) Describe() string {
	s := l.madeName()
	if strings.HasPrefix(l.Name, s) {
		s = l.Name
	} else if l.Name != "" {
		s = l.Name + ": " + s
	}
	if l.Resource.Held() {
		return s + l.advice()
	}
	if l.Kind == TokenBucket {
		s += ", " + l.Kind.String()
	}
	if l.Quantum > 0 {
		s += ", enforced every " + format.Duration(l.Quantum)
	} else if b := l.burst(); b != l.Amount {
		s += ", burst " + amountOf(l.Resource, b)
	}
	for _, t := range l.Tiers {
		s += fmt.Sprintf(", %s/%s after %s spent", amountOf(l.Resource, t.Amount), format.Period(l.Period),
			dollars(t.Spent))
	}
	switch l.Counted {
	case CountAttempts:
		s += ", failed attempts count"
	case CountAnswered:
		s += ", only answered requests count, at their end"
	}
	switch l.Rejected {
	case ToZero:
		s += ", refused requests use up the limit, never below zero"
	case IntoDebt:
		s += ", refused requests count in full"
	}
	return s + l.advice()
}

// advice says which x-should-retry its refusals have.
func (l Limit) advice() string {
	if l.Advice == wire.NoAdvice {
		return ""
	}
	return fmt.Sprintf(", refuses with x-should-retry %v", l.Advice)
}

func amountOf(r Resource, n int64) string {
	if r == Dollars {
		return dollars(n)
	}
	return format.Amount(n)
}

func dollars(nano int64) string { return "$" + strconv.FormatFloat(float64(nano)/1e9, 'f', -1, 64) }
