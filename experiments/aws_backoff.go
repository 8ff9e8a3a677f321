package experiments

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"stampede/policy"
	"stampede/sim"
)

var awsBackoff = Experiment{
	Name: "aws-backoff",
	Question: "How many writes and how much time do clients need under optimistic concurrency control, by backoff " +
		"and jitter?",
	Claim: "Exponential backoff alone saves few writes and takes many times as long. Jitter saves half of the " +
		"writes or more, and full jitter is near the best in both.",
	Source: "M. Brooker, \"Exponential backoff and jitter\", AWS architecture blog, 2015, its simulation repeated; " +
		"bands of 2 % for writes and 5 % for time are ours",
	Arms:       writerArms(),
	References: writerReferences(),
	Pictures:   writerPictures(),
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for _, w := range writers {
			s, err := l.arm(w.kind)
			if err != nil {
				return nil, err
			}
			for n := range w.figures {
				var writes, completion []float64
				if err := l.ctx.Err(); err != nil {
					return nil, err
				}
				for r := range s.Replications {
					calls, end := optimistic(n, s.Model.Client.Retry.Backoff, sim.NewKey(s.Seed, r))
					writes, completion = append(writes, calls), append(completion, end.Seconds()*1000)
				}
				out[fmt.Sprintf("calls_%s_%d", w.kind, n)] = Sample{Values: writes}
				out[fmt.Sprintf("completion_ms_%s_%d", w.kind, n)] = Sample{Values: completion}
			}
		}
		return out, nil
	},
}

// writerPictures are those of aws-backoff: a line for each backoff over the clients.
func writerPictures() []Picture {
	over := func(key string) func(*lab, *Result) (Content, error) {
		return func(_ *lab, r *Result) (Content, error) {
			out := Curves{Heading: "backoff", LogY: key == "completion_ms"}
			for _, w := range writers {
				points := r.measured([]float64{50, 100, 190}, fmt.Sprintf("%s_%s_50", key, w.kind),
					fmt.Sprintf("%s_%s_100", key, w.kind), fmt.Sprintf("%s_%s_190", key, w.kind))
				out.Curves = append(out.Curves, Curve{Name: w.kind, Points: points})
			}
			return out, nil
		}
	}
	const subtitle = "No limiter; clients write one row if nobody else has; base 10 ms (5 ms decorrelated), cap 2 s"
	return []Picture{
		{
			Name:     "aws-backoff-writes",
			Title:    "Jitter halves the writes of competing clients",
			Subtitle: subtitle,
			X:        "clients",
			Y:        "writes until every client has written",
			content:  over("calls"),
		},
		{
			Name:     "aws-backoff-time",
			Title:    "Without jitter, exponential backoff takes about ten times as long",
			Subtitle: "Time until every client has written. " + subtitle,
			X:        "clients",
			Y:        "time, ms",
			content:  over("completion_ms"),
		},
	}
}

// writers are the published figures of aws-backoff: writes, and the time until the last of
// them, in ms.
var writers = []struct {
	kind    string
	backoff string
	figures map[int][2]float64
}{
	{"none", "none", map[int][2]float64{50: {690, 1141}, 100: {2421, 2030}, 190: {8012, 3541}}},
	{
		"exponential",
		"{exponential: {base: 10ms, cap: 2s, jitter: none}}",
		map[int][2]float64{50: {623, 36239}, 100: {1856, 63146}, 190: {5171, 101392}},
	},
	{
		"equal",
		"{exponential: {base: 10ms, cap: 2s, jitter: equal}}",
		map[int][2]float64{50: {348, 4307}, 100: {812, 6759}, 190: {1759, 9413}},
	},
	{
		"full",
		"{exponential: {base: 10ms, cap: 2s, jitter: full}}",
		map[int][2]float64{50: {333, 2891}, 100: {796, 4831}, 190: {1771, 7312}},
	},
	{
		"decorrelated",
		"{exponential: {base: 5ms, cap: 2s, jitter: decorrelated}}",
		map[int][2]float64{50: {375, 2166}, 100: {1001, 4674}, 190: {2433, 7920}},
	},
}

func writerArms() (arms []Arm) {
	for _, w := range writers {
		arms = append(arms, Arm{w.kind, []string{"policy.retry.backoff=" + w.backoff}})
	}
	return arms
}

func writerReferences() (out []Reference) {
	for _, n := range []int{50, 100, 190} {
		for _, w := range writers {
			f := w.figures[n]
			out = append(out, within(fmt.Sprintf("calls_%s_%d", w.kind, n), f[0], 0.98*f[0], 1.02*f[0], "writes"),
				within(fmt.Sprintf("completion_ms_%s_%d", w.kind, n), f[1], 0.95*f[1], 1.05*f[1], "ms"))
		}
	}
	return out
}

// step is where a client of the optimistic world is.
type step struct {
	kind   uint32 // reads, writes, or its answer has come
	client uint32
}

const (
	reads uint32 = iota
	versioned
	wrote
	answered
)

// optimistic is the world of aws-backoff: n clients read the version of one row and write if it
// is unchanged, over a network whose legs take |N(10, 2)| ms, and back off after a write that
// failed. It returns the writes that were tried and when the last client had succeeded.
func optimistic(n int, b policy.Backoff, key sim.Key) (writes float64, end sim.Time) {
	normal := distuv.Normal{Mu: 10, Sigma: 2}
	var loop sim.Loop[step]
	type client struct {
		seen, version uint64 // of the row: what it read, and what stood there when it asked
		draws         uint64
		tries         int
		last          time.Duration
		ok            bool
	}
	clients := make([]client, n)
	leg := func(i uint32) time.Duration {
		c := &clients[i]
		c.draws++
		return time.Duration(math.Abs(normal.Quantile(key.Uniform(uint64(i), c.draws))) * float64(time.Millisecond))
	}
	row := uint64(0)
	for i := range uint32(n) {
		loop.At(leg(i), step{reads, i})
	}
	for {
		e, more := loop.Next()
		if !more {
			return writes, end
		}
		c := &clients[e.client]
		now := loop.Now()
		switch e.kind {
		case reads: // at the server
			c.version = row
			loop.At(now+leg(e.client), step{versioned, e.client})
		case versioned: // at the client
			c.seen = c.version
			loop.At(now+leg(e.client), step{wrote, e.client})
		case wrote: // at the server
			writes++
			if c.ok = row == c.seen; c.ok {
				row++
			}
			loop.At(now+leg(e.client), step{answered, e.client})
		case answered: // at the client
			if c.ok {
				end = now
				continue
			}
			c.draws++
			c.last = b.Wait(c.tries, c.last, key.Uniform(uint64(e.client), c.draws))
			c.tries++
			loop.At(now+c.last+leg(e.client), step{reads, e.client})
		}
	}
}
