package fleet

import (
	"fmt"
	"math"

	"stampede/internal/format"
	"stampede/sim"
)

// Cycle is a rate that repeats, such as that of a day: the profile Of from 0 to Period, again and
// again. The run begins at Start of it. With L the expected arrivals of the profile and N those of a
// whole period, those until t are
//
//	N floor((t + Start) / Period) + L((t + Start) mod Period) - L(Start)
type Cycle struct {
	Of            Profile
	Period, Start sim.Time
}

// locate is where in its period an instant is, and how many periods have ended by then.
func (c Cycle) locate(t sim.Time) (into sim.Time, periods int64) {
	t = min(t, sim.End) + c.Start
	return t % c.Period, int64(t / c.Period)
}

// After implements Rate.
func (c Cycle) After(s sim.Time, want float64) (sim.Time, bool) {
	into, _ := c.locate(s)
	if at, ok := c.Of.After(into, want); ok && at <= c.Period {
		return s + at - into, true
	}
	each := c.Of.Expected(c.Period)
	if !(each > 0) {
		return 0, false
	}
	want = max(0, want-(each-c.Of.Expected(into)))
	periods := math.Floor(want / each)
	if periods >= float64(sim.End/c.Period) {
		return sim.End, true
	}
	at, _ := c.Of.After(0, max(0, want-periods*each))
	return s - into + c.Period + sim.Time(periods)*c.Period + min(at, c.Period), true
}

// Expected implements Rate.
func (c Cycle) Expected(t sim.Time) float64 {
	into, periods := c.locate(t)
	return float64(periods)*c.Of.Expected(c.Period) + c.Of.Expected(into) - c.Of.Expected(c.Start)
}

// At implements Rate.
func (c Cycle) At(t sim.Time) float64 {
	into, _ := c.locate(t)
	return c.Of.At(into)
}

// Changes implements Rate. Of a run of many periods it gives those of the first ones, since the rest
// is the same.
func (c Cycle) Changes(end sim.Time) (at []sim.Time, peak float64) {
	const enough = 100
	for begin := -c.Start; begin < end && len(at) < enough; begin += c.Period {
		starts, highest := c.Of.changes(max(0, -begin), min(c.Period, end-begin))
		for _, start := range starts {
			at = append(at, max(0, begin+start))
		}
		peak = max(peak, highest)
	}
	return at, peak
}

// Describe tells the mean and the extremes.
func (c Cycle) Describe() string {
	low, high := c.Of[0], c.Of[0]
	for _, p := range c.Of {
		if p.From < low.From {
			low = p
		}
		if p.From > high.From {
			high = p
		}
	}
	return fmt.Sprintf("%s on average over each %s, from %s at %s to %s at %s",
		format.PerTime(c.Of.Expected(c.Period)/c.Period.Seconds(), high.From), format.Duration(c.Period),
		format.PerTime(low.From, high.From), format.Duration(low.Start),
		format.PerTime(high.From, high.From), format.Duration(high.Start))
}
