package experiments

import "fmt"

// Picture is a figure of an experiment's findings, where looking beats reading: lines over an
// axis of numbers, or dots over one of names.
type Picture struct {
	Name     string // of the file, without ending
	Title    string
	Subtitle string // the limiter and the policy
	X, Y     string // labels with units; no X where the places have names
	Heading  string // of the legend
	Places   []string
	Curves   []Curve
}

// Curve is one line, or one kind of dots.
type Curve struct {
	Name      string
	Reference bool      // what the references expect in place of what was measured
	At        []float64 // on the axis of numbers; without it the places in order
	Keys      []string  // of the findings
}

// Values are the findings of a curve, with their intervals; those of a reference have none.
func (r *Result) Values(t Curve) (out []Estimate) {
	for _, key := range t.Keys {
		f := r.finding(key)
		e := f.Estimate
		if t.Reference {
			e = Estimate{N: 1, Mean: f.Expected, Low: f.Expected, High: f.Expected}
		}
		out = append(out, e)
	}
	return out
}

func (r *Result) finding(key string) Finding {
	for _, f := range r.Findings {
		if f.Key == key {
			return f
		}
	}
	panic(fmt.Sprintf("experiments: %s has no finding %s to draw", r.Experiment.Name, key))
}

// beside is a curve of what was measured and one of what the references expect.
func beside(keys ...string) []Curve {
	return []Curve{{Name: "measured, 95 % interval", Keys: keys}, {Name: "published", Reference: true, Keys: keys}}
}

// writerPictures are those of aws-backoff: a line for each backoff over the clients.
func writerPictures() []Picture {
	writes := Picture{Name: "aws-backoff-writes", Title: "Writes until every client has written", Subtitle: "Clients write one row only if nobody else has; base 10 ms (5 ms decorrelated), cap 2 s", X: "clients", Y: "writes", Heading: "backoff"}
	times := writes
	times.Name, times.Title, times.Y = "aws-backoff-time", "Time until every client has written", "time, ms"
	for _, w := range writers {
		a, b := Curve{Name: w.kind}, Curve{Name: w.kind}
		for _, n := range []int{50, 100, 190} {
			a.At, b.At = append(a.At, float64(n)), append(b.At, float64(n))
			a.Keys, b.Keys = append(a.Keys, fmt.Sprintf("calls_%s_%d", w.kind, n)), append(b.Keys, fmt.Sprintf("completion_ms_%s_%d", w.kind, n))
		}
		writes.Curves, times.Curves = append(writes.Curves, a), append(times.Curves, b)
	}
	return []Picture{writes, times}
}
