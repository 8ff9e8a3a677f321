package policy

import (
	"fmt"
	"time"
)

// Throttle refuses attempts on the client's side, as adaptive throttling does (B.
// Beyer et al., "Site Reliability Engineering", O'Reilly 2016, chapter 21): with
// requests and accepts those of the last Window, an attempt is refused with
// probability
//
//	max(0, (requests - K accepts) / (requests + 1))
//
// Refused attempts count as requests, and requests count when they are sent, not when
// their replies come. The zero Throttle refuses nothing.
type Throttle struct {
	K      float64
	Window time.Duration
}

// On reports whether anything is refused.
func (t Throttle) On() bool { return t.K > 0 }

// Describe names the throttle; empty without one.
func (t Throttle) Describe() string {
	if !t.On() {
		return ""
	}
	return fmt.Sprintf("adaptive throttling K %g over %v", t.K, t.Window)
}

// ThrottleState is a throttle at work.
type ThrottleState struct{ requests, accepts instants }

// Ask reports whether an attempt may be sent, at the uniform number u.
func (s *ThrottleState) Ask(t *Throttle, now time.Duration, u float64) bool {
	requests, accepts := float64(s.requests.count(now, t.Window)), float64(s.accepts.count(now, t.Window))
	s.requests.add(now, t.Window)
	return u >= (requests-t.K*accepts)/(requests+1)
}

// Done records an attempt that ended, accepted by the provider or not.
func (s *ThrottleState) Done(t *Throttle, now time.Duration, accepted bool) {
	if accepted {
		s.accepts.add(now, t.Window)
	}
}
