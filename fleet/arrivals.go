package fleet

import (
	"fmt"
	"math"
	"slices"

	"stampede/internal/format"
	"stampede/law"
	"stampede/sim"
)

// Process is a process of arrivals, as a value: the instant of arrival k
// follows from the one before and one uniform number.
type Process interface {
	// Next is the instant of arrival k, counted from 0, after the one before at
	// last (0 before the first); false when there are no more.
	Next(k uint64, last sim.Time, u float64) (sim.Time, bool)
	Describe() string
}

// Burst is all calls at time 0.
type Burst struct{}

func (Burst) Next(uint64, sim.Time, float64) (sim.Time, bool) { return 0, true }
func (Burst) Describe() string                                { return "all at once" }

// Renewal is arrivals whose gaps are independent draws from a law of mean 1,
// stretched by a rate that may change over time: with L(t) the number of
// arrivals expected by time t, the next one after s comes at the t that solves
// L(t) - L(s) = gap. Exponential gaps make it a (non-homogeneous) Poisson
// process; a constant rate makes it a renewal process.
type Renewal struct {
	Gap  law.Law // of mean 1
	Rate Rate
}

// Rate is a rate of arrivals over time.
type Rate interface {
	At(t sim.Time) float64 // at an instant, in arrivals per second
	// Expected is the number of arrivals expected until an instant.
	Expected(t sim.Time) float64
	// After is the instant after s by which so many more are expected; false when they never are.
	After(s sim.Time, want float64) (sim.Time, bool)
	// Changes are the starts of the pieces until an instant, between which the rate goes in a straight
	// line, and the highest rate.
	Changes(end sim.Time) (at []sim.Time, peak float64)
	Describe() string
}

// When is the instant by which so many arrivals are expected; sim.Never if they are not.
func When(r Rate, n float64) sim.Time {
	if at, ok := r.After(0, n); ok {
		return at
	}
	return sim.Never
}

func (r Renewal) Next(_ uint64, last sim.Time, u float64) (sim.Time, bool) {
	return r.Rate.After(last, r.Gap.Sample(u))
}

// Describe names the rate and the process: the mean of the gaps follows from the rate.
func (r Renewal) Describe() string {
	gaps := fmt.Sprintf("gaps in proportion to %v", r.Gap)
	switch g := r.Gap.(type) {
	case law.Exponential:
		gaps = "Poisson"
	case law.Constant:
		gaps = "evenly spaced"
	case law.Gamma:
		gaps = fmt.Sprintf("gamma gaps of cv %.4g", 1/math.Sqrt(g.Alpha))
	case law.Weibull:
		gaps = fmt.Sprintf("Weibull gaps of shape %.4g", g.K)
	}
	return fmt.Sprintf("at %s, %s", r.Rate.Describe(), gaps)
}

// Profile is a rate of arrivals over time: pieces in order of their start, the
// first at 0. Each piece lasts until the next and the last forever.
type Profile []Piece

// Piece is a stretch of time in which the rate goes in a straight line from
// From to To, in arrivals per second. The last piece keeps the rate From.
type Piece struct {
	Start    sim.Time
	From, To float64
}

// Constant is a profile of one rate.
func Constant(rate float64) Profile { return Profile{{0, rate, rate}} }

// After implements Rate: it solves L(t) - L(s) = want for t.
func (p Profile) After(s sim.Time, want float64) (sim.Time, bool) {
	for i := range p {
		last := i == len(p)-1
		if !last && p[i+1].Start <= s {
			continue
		}
		begin := max(s, p[i].Start)
		rate, slope := p[i].From, 0.0
		if want == 0 {
			return begin, true
		}
		if !last {
			length := (p[i+1].Start - p[i].Start).Seconds()
			slope = (p[i].To - p[i].From) / length
			rate += slope * (begin - p[i].Start).Seconds()
			rest := (p[i+1].Start - begin).Seconds()
			if whole := rest * (rate + slope*rest/2); want > whole || whole == 0 {
				want -= whole
				continue
			}
		}
		// rate x + slope x^2 / 2 = want, in the form that does not cancel.
		x := 2 * want / (rate + math.Sqrt(max(0, rate*rate+2*slope*want)))
		if math.IsNaN(x) || math.IsInf(x, 1) { // a rate of 0 forever
			return 0, false
		}
		return begin + sim.Seconds(x), true
	}
	return 0, false
}

// Expected implements Rate: it is L(t).
func (p Profile) Expected(t sim.Time) (sum float64) {
	for i, piece := range p {
		if piece.Start >= t {
			break
		}
		end, to := t, piece.From
		if i+1 < len(p) {
			end = min(t, p[i+1].Start)
			to += (piece.To - piece.From) * float64(end-piece.Start) / float64(p[i+1].Start-piece.Start)
		}
		sum += (piece.From + to) / 2 * (end - piece.Start).Seconds()
	}
	return sum
}

// At implements Rate.
func (p Profile) At(t sim.Time) float64 {
	i := len(p) - 1
	for i > 0 && p[i].Start > t {
		i--
	}
	if i == len(p)-1 {
		return p[i].From
	}
	share := float64(t-p[i].Start) / float64(p[i+1].Start-p[i].Start)
	return p[i].From + share*(p[i].To-p[i].From)
}

// Changes implements Rate.
func (p Profile) Changes(end sim.Time) (at []sim.Time, peak float64) { return p.changes(0, end) }

func (p Profile) changes(from, to sim.Time) (at []sim.Time, peak float64) {
	for i, piece := range p {
		last := i == len(p)-1
		if piece.Start >= to || !last && p[i+1].Start <= from {
			continue
		}
		at = append(at, piece.Start)
		if peak = max(peak, piece.From); !last {
			peak = max(peak, piece.To)
		}
	}
	return at, peak
}

func (p Profile) Describe() string {
	largest := 0.0
	for _, piece := range p {
		largest = max(largest, piece.From, piece.To)
	}
	s := format.PerTime(p[0].From, largest)
	for i, piece := range p[1:] {
		if p[i].To != p[i].From {
			s += fmt.Sprintf(", in a line to %s at %v", format.PerTime(p[i].To, largest), piece.Start)
		}
		if piece.From != p[i].To {
			s += fmt.Sprintf(", from %v %s", piece.Start, format.PerTime(piece.From, largest))
		}
	}
	return s
}

// Trace replays recorded calls.
type Trace struct {
	Name string
	Read string     // how it was read, for people
	At   []sim.Time // not falling, from 0
	// Sizes of the recorded calls; where a size was not recorded it is negative, or
	// the slice is empty, and Missing draws instead.
	// Recorded reasoning is part of the output, drawn reasoning comes before it.
	Prompt, Output, MaxTokens, Cached, Reasoning []int32
	Missing                                      Drawn
}

// Next implements Process.
func (t *Trace) Next(k uint64, _ sim.Time, _ float64) (sim.Time, bool) {
	if k >= uint64(len(t.At)) {
		return 0, false
	}
	return t.At[k], true
}

// Before is how many of the calls come before an instant.
func (t *Trace) Before(at sim.Time) int {
	n, _ := slices.BinarySearch(t.At, at)
	return n
}

// Size implements Sizes.
func (t *Trace) Size(k uint64, luck Luck) Size {
	var prompt, answer int32
	if prompt = recorded(t.Prompt, k); prompt < 0 {
		prompt = tokens(t.Missing.Prompt.Sample(luck.Prompt))
	}
	if answer = recorded(t.Output, k); answer < 0 {
		answer = tokens(t.Missing.Output.Sample(luck.Output))
	}
	drawn := t.Missing
	if n := recorded(t.MaxTokens, k); n >= 0 {
		drawn.MaxTokens = n
	}
	reasoning := recorded(t.Reasoning, k)
	if reasoning >= 0 {
		drawn.Reasoning = nil
	}
	s := drawn.complete(prompt, answer, luck)
	if reasoning >= 0 {
		s.Reasoning = min(reasoning, s.Output)
	}
	if n := recorded(t.Cached, k); n >= 0 {
		s.Cached = min(n, s.Prompt)
	}
	return s
}

func recorded(sizes []int32, k uint64) int32 {
	if len(sizes) == 0 {
		return -1
	}
	return sizes[k]
}

func (t *Trace) Describe() string { return fmt.Sprintf("%d recorded calls of %s", len(t.At), t.Name) }
