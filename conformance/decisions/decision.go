package decisions

import (
	"fmt"
	"time"

	"stampede/policy"
)

// MaxRequests is the number of requests of a call that are looked at.
const MaxRequests = 10

// Seeds is the number of calls that a client is measured with for each reply. Of so many uniform numbers the range
// is narrower than Spread of the whole about once in 100,000: n r^(n-1) - (n-1) r^n = 1.1e-5.
const (
	Seeds  = 64
	Spread = 0.8
)

// tolerance is the resolution of the timers: Node's wait at least 1 ms and whole milliseconds.
const tolerance = 0.002

// Decision is what a client makes of a reply that it gets to each of its requests.
type Decision struct {
	Requests [2]int       `json:"requests"` // of one call, fewest and most, counted up to MaxRequests
	Waits    [][2]float64 `json:"waits"`    // between its requests, shortest and longest, in seconds
}

// Measured is the decision of a client that waited so over many calls.
func Measured(calls [][]float64) Decision {
	var d Decision
	for i, waits := range calls {
		n := len(waits) + 1
		if i == 0 {
			d.Requests = [2]int{n, n}
		}
		d.Requests = [2]int{min(d.Requests[0], n), max(d.Requests[1], n)}
		for k, w := range waits {
			if k == len(d.Waits) {
				d.Waits = append(d.Waits, [2]float64{w, w})
			}
			d.Waits[k] = [2]float64{min(d.Waits[k][0], w), max(d.Waits[k][1], w)}
		}
	}
	return d
}

// Predicted is the decision of a policy.
func Predicted(c policy.Client, r Reply) Decision {
	return Measured([][]float64{waits(c, r, 0), waits(c, r, 1)})
}

// waits are those of a call whose uniform numbers are all u.
func waits(c policy.Client, r Reply, u float64) (out []float64) {
	now := time.Hour // dates may lie in the past
	start, last := now, time.Duration(0)
	for attempt := 1; attempt < MaxRequests; attempt++ {
		reply := r.At(now)
		d := c.Retry.Decide(&policy.Facts{
			Now: now, Start: start, Attempt: attempt, LastWait: last, Reply: &reply, U: u,
		})
		if !d.Again {
			break
		}
		out = append(out, d.Wait.Seconds())
		now, last = now+d.Wait, d.Wait
	}
	return out
}

// Same reports whether a client, measured with Seeds calls, decides as d.
func (d Decision) Same(measured Decision) bool {
	if d.Requests != measured.Requests {
		return false
	}
	for i, want := range d.Waits {
		got := measured.Waits[i]
		if got[0] < want[0]-tolerance || got[1] > want[1]+tolerance ||
			got[1]-got[0] < Spread*(want[1]-want[0])-tolerance {
			return false
		}
	}
	return true
}

// String says how many requests there are and the first waits.
func (d Decision) String() string {
	if len(d.Waits) == 0 {
		return "no retry"
	}
	const shown = 4
	text := d.requests() + ", waits"
	for i, w := range d.Waits {
		switch {
		case i == shown:
			return text + " ... s"
		case w[1]-w[0] > tolerance:
			text += fmt.Sprintf(" %.2f..%.2f", w[0], w[1])
		default:
			text += fmt.Sprintf(" %.4g", w[0])
		}
	}
	return text + " s"
}

func (d Decision) requests() string {
	text := fmt.Sprint(d.Requests[0])
	if d.Requests[1] > d.Requests[0] {
		text += fmt.Sprintf("..%d", d.Requests[1])
	}
	if d.Requests[1] == MaxRequests {
		text += " or more"
	}
	return text + " requests"
}
