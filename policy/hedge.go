package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"stampede/internal/format"
	"stampede/sim"
)

// Hedge sends an attempt a second time while the first is still under way; the first
// answer counts. The zero Hedge does not.
type Hedge struct {
	After    time.Duration // fixed delay
	Quantile float64       // or a running quantile of this instance's times to an answer, 0..1
	Max      int           // additional attempts of one try; 0 means 1
	Cancel   bool          // the losers are disconnected; else they are left to run, and are billed in full
}

// On reports whether anything is hedged.
func (h Hedge) On() bool { return h.After > 0 || h.Quantile > 0 }

// MaxAttempts is how many additional attempts a try can have.
func (h Hedge) MaxAttempts() int { return min(MaxHedges, max(1, h.Max)) }

// MaxHedges bounds the additional attempts of a try.
const MaxHedges = 3

// Describe names the hedge; empty without one.
func (h Hedge) Describe() string {
	if !h.On() {
		return ""
	}
	s := fmt.Sprintf("hedged after %v", h.After)
	if h.Quantile > 0 {
		s = fmt.Sprintf("hedged after p%s", strings.TrimSuffix(format.Percent(h.Quantile), "%"))
	}
	if h.Cancel {
		s += ", losers cancelled"
	}
	return s
}

// HedgeState is the running quantile of a hedge at work, by the P-square algorithm
// of Jain and Chlamtac (Communications of the ACM 28, 1985): five markers, whatever the number
// of samples.
type HedgeState struct {
	n        int
	height   [5]float64
	position [5]float64
	desired  [5]float64
}

// Add takes in the time from the start of a try to its answer. The time of a winning
// hedge by itself would be too short: slower attempts are cut off.
func (s *HedgeState) Add(h *Hedge, took time.Duration) {
	if h.Quantile <= 0 {
		return
	}
	x := took.Seconds()
	if s.n < 5 {
		s.height[s.n] = x
		if s.n++; s.n == 5 {
			slices.Sort(s.height[:])
			p := h.Quantile
			s.position = [5]float64{1, 2, 3, 4, 5}
			s.desired = [5]float64{1, 1 + 2*p, 1 + 4*p, 3 + 2*p, 5}
		}
		return
	}
	s.n++
	k := 0
	switch {
	case x < s.height[0]:
		s.height[0] = x
	case x >= s.height[4]:
		s.height[4], k = x, 3
	default:
		for k = 0; x >= s.height[k+1]; k++ {
		}
	}
	for i := k + 1; i < 5; i++ {
		s.position[i]++
	}
	p := h.Quantile
	for i, step := range [5]float64{0, p / 2, p, (1 + p) / 2, 1} {
		s.desired[i] += step
	}
	for i := 1; i < 4; i++ {
		d := s.desired[i] - s.position[i]
		if (d >= 1 && s.position[i+1]-s.position[i] > 1) || (d <= -1 && s.position[i-1]-s.position[i] < -1) {
			step := 1.0
			if d < 0 {
				step = -1
			}
			if y := s.parabolic(i, step); s.height[i-1] < y && y < s.height[i+1] {
				s.height[i] = y
			} else {
				j := i + int(step)
				s.height[i] += step * (s.height[j] - s.height[i]) / (s.position[j] - s.position[i])
			}
			s.position[i] += step
		}
	}
}

func (s *HedgeState) parabolic(i int, d float64) float64 {
	q, n := &s.height, &s.position
	above := (n[i] - n[i-1] + d) * (q[i+1] - q[i]) / (n[i+1] - n[i])
	below := (n[i+1] - n[i] - d) * (q[i] - q[i-1]) / (n[i] - n[i-1])
	return q[i] + d/(n[i+1]-n[i-1])*(above+below)
}

// Delay is the time after which an attempt is hedged; false while too little is known.
func (s *HedgeState) Delay(h *Hedge) (time.Duration, bool) {
	if h.Quantile <= 0 {
		return h.After, true
	}
	const minSamples = 20 // answers before the quantile is trusted
	if s.n < minSamples {
		return 0, false
	}
	return sim.Seconds(s.height[2]), true
}
