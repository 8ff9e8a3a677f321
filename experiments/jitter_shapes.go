package experiments

import (
	"fmt"
	"slices"
	"time"

	"stampede/fleet"
)

var jitterShapes = Experiment{
	Name:     "jitter-shapes",
	Question: "How concentrated are the retries of a thousand clients that failed at the same instant?",
	Claim: "The fullest 100 ms of the first retry receives all of them without jitter, about 810 with 0.5 s less up " +
		"to a quarter, and about 120 with full jitter over 1 s.",
	Source: "practitioners' claim, measured in virtual time; for equal and decorrelated jitter, which it leaves " +
		"open, the mean of the fullest of k bins of n/k requests: n/k and 1.163 (k = 5) or 1.867 (k = 20) standard " +
		"deviations; bands of 5 % are ours",
	Arms: []Arm{
		{"none", nil},
		{"minus", []string{"policy.retry.backoff={exponential: {base: 500ms, jitter: {minus: 25%}}}"}},
		{"full", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: full}}"}},
		{"equal", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: equal}}"}},
		{"decorrelated", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: decorrelated}}"}},
	},
	References: []Reference{
		exactly("peak_none", 1000, "requests"),
		within("peak_minus", 810, 770, 850, "requests"),
		within("peak_full", 120, 114, 126, "requests"),
		within("peak_equal", 214.7, 204, 225.5, "requests"),
		within("peak_decorrelated", 62.9, 59.7, 66, "requests"),
	},
	Pictures: []Picture{jitterPicture},
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for _, arm := range l.experiment.Arms {
			all, err := watch(l, arm.Name, comeback)
			if err != nil {
				return nil, err
			}
			var peaks Sample
			for _, b := range all {
				peaks.Values = append(peaks.Values, slices.Max(b.Values))
			}
			out["peak_"+arm.Name] = peaks
		}
		return out, nil
	},
}

// comeback counts the first retries by the tenth of a second in which they are sent.
func comeback() *bins {
	return &bins{width: 100 * time.Millisecond, attempt: func(b *bins, a *fleet.Attempt) {
		if a.Number == 2 {
			b.add(a.Sent, 1)
		}
	}}
}

var jitterPicture = Picture{
	Name:  "jitter-shapes",
	Title: "Full jitter cuts the peak of a thousand retries to about 120 per 100 ms",
	Subtitle: "Requests per 100 ms, and the peak, means of the runs; no limiter; base 1 s, and 0.5 s for " +
		"minus 25 %",
	X: "time, s", Y: "requests",
	content: func(l *lab, r *Result) (Content, error) {
		out := Histograms{}
		for _, arm := range []struct{ name, title string }{
			{"none", "no jitter"}, {"minus", "minus up to 25 %"}, {"equal", "equal jitter"},
			{"full", "full jitter"}, {"decorrelated", "decorrelated jitter"},
		} {
			observers, err := watch(l, arm.name, comeback)
			if err != nil {
				return nil, err
			}
			out.Width = observers[0].width
			h := Histogram{Name: fmt.Sprintf("%s, peak %.0f", arm.title, r.finding("peak_"+arm.name).Estimate.Mean)}
			for _, p := range overTime(observers, 3*time.Second+out.Width) {
				h.Values = append(h.Values, p.Mean)
			}
			out.Panels = append(out.Panels, h)
		}
		return out, nil
	},
}
