package cost

import (
	"fmt"
	"slices"
	"time"
)

// condition is when a price holds: from a day on, to the end of another, in some hours of each day.
// The zero condition always holds.
type condition struct {
	from, until string // days such as 2026-09-01; empty is without a bound
	hours       []hours
}

// hours are a part of the day, in time since midnight UTC. Those whose end is not after their
// start go over midnight.
type hours struct{ start, end time.Duration }

// holds reports whether the price holds on a day at a time of it.
func (c *condition) holds(day string, at time.Duration) bool {
	if c.from > day || c.until != "" && day > c.until {
		return false
	}
	return len(c.hours) == 0 || slices.ContainsFunc(c.hours, func(h hours) bool {
		if h.start < h.end {
			return h.start <= at && at < h.end
		}
		return at >= h.start || at < h.end
	})
}

// period is a part of the day, from its start in time since midnight UTC to the next one's,
// and which of the prices holds in it.
type period struct {
	start time.Duration
	index int
}

// inForce is which price holds on a day at a time of it. Conditions are tried from the last
// to the first; when none holds it is the first (the schema of genai-prices).
func inForce(list []condition, day string, at time.Duration) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].holds(day, at) {
			return i
		}
	}
	return 0
}

// periods divide a day by which of the prices holds. They also tell the one that holds for the
// largest part of the day, the later one of two that hold equally long, and how long it does.
func periods(list []condition, day string) (out []period, longest int, held time.Duration) {
	starts := []time.Duration{0, 24 * time.Hour}
	for _, c := range list {
		for _, h := range c.hours {
			starts = append(starts, h.start, h.end)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	of := make([]time.Duration, len(list))
	for i, start := range starts[:len(starts)-1] {
		k := inForce(list, day, start)
		if of[k] += starts[i+1] - start; of[k] >= held {
			longest, held = k, of[k]
		}
		out = append(out, period{start, k})
	}
	return out, longest, held
}

// timeOfDay reads a time such as 16:30:00Z, or with another offset, or without one for UTC, or
// without seconds, as the time since midnight UTC.
func timeOfDay(text string) (time.Duration, error) {
	var err error
	for _, layout := range []string{"15:04:05Z07:00", "15:04:05", "15:04"} {
		var t time.Time
		if t, err = time.Parse(layout, text); err == nil {
			t = t.UTC()
			return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
				time.Duration(t.Second())*time.Second, nil
		}
	}
	return 0, err
}

// partOfDay says that a price holds for a part of the day only.
func partOfDay(model string, held time.Duration) string {
	return fmt.Sprintf("the price of %s depends on the time of day; this one holds for %.3g of 24 hours. "+
		"starts_at takes the one in force at its time (UTC)", model, held.Hours())
}
