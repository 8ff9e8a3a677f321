package experiments

import (
	"fmt"
	"math"
	"time"

	"stampede/fleet"
	"stampede/measure"
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"

	"gonum.org/v1/gonum/stat/distuv"
)

var windowOrExponential = Experiment{
	Name:     "window-or-exponential",
	Question: "Is it better to back off, or to try once at a random instant of each window?",
	Claim:    "Ten thousand clients before 50/s are through after 220 s, close to the optimum of 200 s, with one attempt in each window of 20 s, and after 477 s with exponential backoff, which also asks more often.",
	Source:   "published simulation; the first attempts are Poisson within twenty seconds here, uniform there",
	Arms:     []Arm{{"exponential", nil}, {"window", []string{"policy.retry.backoff={window: 20s}"}}},
	References: []Reference{
		within("completion_exponential_s", 477, 472, 482, "s").of("exponential", "makespan_s"),
		within("completion_window_s", 219.8, 218.8, 220.8, "s").of("window", "makespan_s"),
		printed("attempts_exponential", 6.49, 2, "attempts").of("exponential", "attempts_per_call"),
		printed("attempts_window", 5.51, 2, "attempts").of("window", "attempts_per_call"),
	},
}

var metastableSpike = Experiment{
	Name:     "metastable-spike",
	Question: "What does a spike of five seconds leave behind in a server that slows down under load?",
	Claim: "With three attempts at once three runs in four do not recover: they answer nothing from 60 to 79 s, " +
		"long after the spike; with a backoff longer than the spike every run recovers, and without the spike none falls.",
	Source: "published simulation, its code run 1,000 times: 1 s + 10 ms for each request in flight, a network " +
		"exponential of mean 0.1 s a leg (100 ms a leg here), backoff uniform on 0..20 s, then 0..40 s; " +
		"bands: 99 % of a share of 1,000 runs, 1 calls/s for the rates with backoff, 2 calls/s for the control",
	Arms: []Arm{
		{"immediate", nil},
		{"backoff", []string{"policy.retry.backoff={exponential: {base: 20s, factor: 2, jitter: full}}"}},
		{"control", []string{"workload.open.profile=[]"}},
	},
	References: []Reference{
		within("collapsed_share_immediate", 0.75, 0.715, 0.785, "share").differs(0.06, constantLegs),
		within("answers_per_s_immediate_60_79", 10, 8.5, 11.5, "calls/s").differs(2.5, constantLegs),
		within("answers_per_s_backoff_30_40", 48.6, 47.6, 49.6, "calls/s"),
		within("answers_per_s_backoff_40_60", 43.9, 42.9, 44.9, "calls/s"),
		within("answers_per_s_backoff_60_79", 40.1, 39.1, 41.1, "calls/s"),
		within("answers_per_s_control_60_79", 40, 38, 42, "calls/s"),
	},
	Pictures: []Picture{spikePicture},
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for _, span := range []struct {
			arm      string
			from, to int // seconds
		}{
			{"immediate", 60, 79},
			{"backoff", 30, 40}, {"backoff", 40, 60}, {"backoff", 60, 79},
			{"control", 60, 79},
		} {
			from, to := time.Duration(span.from)*time.Second, time.Duration(span.to)*time.Second
			rate, err := l.count(span.arm, counter{attempt: func(c *counter, a *fleet.Attempt) {
				if a.Class() == wire.OK && a.Ended >= from && a.Ended < to {
					c.n += 1 / (to - from).Seconds()
				}
			}})
			if err != nil {
				return nil, err
			}
			out[fmt.Sprintf("answers_per_s_%s_%d_%d", span.arm, span.from, span.to)] = rate
			if span.arm == "immediate" {
				collapsed := make([]float64, len(rate.Values))
				for i, r := range rate.Values {
					collapsed[i] = measure.Indicator(r < 4) // a tenth of what is asked
				}
				out["collapsed_share_immediate"] = Sample{Values: collapsed}
			}
		}
		return out, nil
	},
}

const constantLegs = "the legs of the network take 100 ms each here, where the source draws them from an exponential law"

// writers are the published figures of aws-backoff: writes, and the time until the last of
// them, in ms.
var writers = []struct {
	kind    string
	backoff string
	figures map[int][2]float64
}{
	{"none", "none", map[int][2]float64{50: {690, 1141}, 100: {2421, 2030}, 190: {8012, 3541}}},
	{"exponential", "{exponential: {base: 10ms, cap: 2s, jitter: none}}", map[int][2]float64{50: {623, 36239}, 100: {1856, 63146}, 190: {5171, 101392}}},
	{"equal", "{exponential: {base: 10ms, cap: 2s, jitter: equal}}", map[int][2]float64{50: {348, 4307}, 100: {812, 6759}, 190: {1759, 9413}}},
	{"full", "{exponential: {base: 10ms, cap: 2s, jitter: full}}", map[int][2]float64{50: {333, 2891}, 100: {796, 4831}, 190: {1771, 7312}}},
	{"decorrelated", "{exponential: {base: 5ms, cap: 2s, jitter: decorrelated}}", map[int][2]float64{50: {375, 2166}, 100: {1001, 4674}, 190: {2433, 7920}}},
}

var awsBackoff = Experiment{
	Name:       "aws-backoff",
	Question:   "How many writes and how much time do clients need that write only what nobody else has changed?",
	Claim:      "Exponential backoff alone saves little and takes many times as long; jitter saves half of the writes and more, and full jitter is near the best of those with jitter in both.",
	Source:     "M. Brooker, \"Exponential backoff and jitter\", AWS architecture blog, 2015, run again; bands of 2 % for the writes and 5 % for the time",
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
