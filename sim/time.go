package sim

import "time"

// Time is an instant: the duration since the start of the run. It is never
// negative.
type Time = time.Duration

// End is the end of time, some 73 years after the start. Instants and durations
// from scenarios or laws are capped at it, so that the sum of three of
// them is still a Duration. A [Loop] that reaches it stops with an [EndError].
const End Time = 1 << 61

// Never is an instant that no run reaches.
const Never Time = 1<<63 - 1

// Seconds is a duration of s seconds, limited to 0..[End]; NaN is End.
func Seconds(s float64) time.Duration { return Nanoseconds(s * 1e9) }

// Nanoseconds is a duration of ns nanoseconds, fractions dropped, limited to 0..[End]; NaN is End.
func Nanoseconds(ns float64) time.Duration {
	if ns < float64(End) {
		return time.Duration(max(0, ns))
	}
	return End
}

// Plus is the instant d after t, at most [End]. Neither may be negative.
func Plus(t Time, d time.Duration) Time { return min(min(t, End)+min(d, End), End) }
