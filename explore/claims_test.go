package explore

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"stampede/explore/engine"
	"stampede/fleet"
	"stampede/measure"
	"stampede/policy"
	"stampede/sim"
)

// seeds is on how many seeds the statements of a scene are looked at.
const seeds = 10

// outcome is one run of a policy of a scene.
type outcome struct {
	t     *testing.T
	name  string
	run   measure.Run
	sent  map[int64]int // attempts by tenth of a second
	late  [2]int        // of the calls that arrived after 40 s: all, answered
	calls int
}

func (o *outcome) Attempt(a *fleet.Attempt) { o.sent[int64(a.Sent/(sim.Time(1e8)))]++ }

func (o *outcome) Call(c *fleet.Call) {
	o.calls++
	if c.Arrived.Seconds() >= 40 {
		o.late[0]++
		if c.Outcome == policy.Answered {
			o.late[1]++
		}
	}
}

// is holds a metric to a range, ends included.
func (o *outcome) is(name string, low, high float64) {
	o.t.Helper()
	o.holds(name, o.value(name), low, high)
}

func (o *outcome) holds(what string, x, low, high float64) {
	o.t.Helper()
	if !(x >= low && x <= high) {
		o.t.Errorf("%s: %s is %v; want %v to %v", o.name, what, x, low, high)
	}
}

func (o *outcome) value(name string) float64 { return o.run.Values[metric(name)] }

// wave is the largest number of attempts in a tenth of a second from a time on.
func (o *outcome) wave(from float64) (largest float64) {
	for tenth, n := range o.sent {
		if float64(tenth) >= 10*from {
			largest = max(largest, float64(n))
		}
	}
	return largest
}

// claims are what the texts of the scenes state, for the policies of one seed. Where nothing is random the
// numbers are exact; the reasons stand beside them.
var claims = map[string]func(p []*outcome){
	"herd": func(p []*outcome) {
		// Each of 8 waves gets the 20 of the burst; attempts: 300 + 280 + ... + 160.
		p[0].is("answered", 8*20, 8*20)
		p[0].is("attempts", 8*300-20*28, 8*300-20*28)
		p[0].holds("the wave at 7 s", p[0].wave(5), 300-3*20, 300-3*20)
		for _, jittered := range p[1:] {
			jittered.is("answered", 290, 300)
			jittered.is("attempts", 1150, 1450)
			jittered.holds("the largest wave", jittered.wave(5), 1, 60)
		}
		// Full jitter spreads over the whole wait, equal jitter over half of it.
		p[2].holds("the largest wave", p[2].wave(5), 1, p[1].wave(5))
	},
	"retry-after": func(p []*outcome) {
		// The window admits 100; all other attempts within it are refused.
		p[0].is("answered", 100, 100)
		p[0].is("attempts", 300+2*200, 300+2*200)
		p[1].is("answered", 300, 300)
		p[1].is("attempts", 300+200+100, 300+200+100)
		p[1].is("makespan_s", 2*120+3, 2*120+3.1) // the latency is 3 s
		p[2].is("answered", 100, 100)
		p[2].is("attempts", 300+7*200, 300+7*200)
		p[2].is("makespan_s", 3, 35)
	},
	"gate": func(p []*outcome) {
		none, sixteen, eight, four := p[0], p[1], p[2], p[3]
		eight.is("answered", 400, 400)
		eight.is("attempts", 400, 400)
		eight.is("makespan_s", 14.8-1e-6, 14.8+1e-6) // 50 rounds of 0.296 s
		four.is("answered", 400, 400)
		four.is("makespan_s", 29.6-1e-6, 29.6+1e-6) // 100 rounds
		none.holds("failed", 400-none.value("answered"), 165, 185)
		none.is("makespan_s", 8, 10)
		sixteen.holds("failed", 400-sixteen.value("answered"), 165, 185)
	},
	"timeout": func(p []*outcome) {
		for i, timeout := range []float64{5, 10, 30} {
			expected := 13.13 / (1 - exceeds(timeout, 4, 11.691))
			p[i].is("usd_per_1000_answers", 0.85*expected, 1.15*expected)
			p[i].is("answered", 500, 500)
		}
	},
	"storm": func(p []*outcome) {
		for i, o := range p {
			low, high := 0.9, 1.0
			if i == 0 {
				low, high = 0, 0.1
			}
			o.holds("answered of the calls after 40 s", float64(o.late[1])/float64(o.late[0]), low, high)
			o.holds("calls", float64(o.calls), 950, 1250)
		}
	},
	"tiers": func(p []*outcome) {
		build, launch, grow, gated := p[0], p[1], p[2], p[3]
		build.holds("failed", 600-build.value("answered"), 200, 280)
		launch.is("answered", 600, 600)
		launch.is("makespan_s", 110, 185)
		grow.is("makespan_s", launch.value("makespan_s"), launch.value("makespan_s"))
		gated.is("answered", 600, 600)
		gated.is("makespan_s", 385, 540)
	},
	"agent-cache": func(p []*outcome) {
		none, minutes, hour := p[0], p[1], p[2]
		cost := minutes.value("usd_per_1000_answers")
		none.is("usd_per_1000_answers", 3*cost, 6*cost)
		hour.is("usd_per_1000_answers", 0.85*cost, 1.15*cost)
		hour.is("cache_hit_ratio", minutes.value("cache_hit_ratio"), 1)
	},
	"sandbox": func(p []*outcome) {
		p[0].is("answered", 790, 800)
		p[0].is("makespan_s", 9*60, 11.5*60)
		p[1].is("answered", 180, 240)
		p[2].is("answered", 35, 70)
	},
}

// exceeds is P(X > t) of a lognormal law with this median and 95th percentile.
func exceeds(t, p50, p95 float64) float64 {
	const z95 = 1.6448536269514722
	z := math.Log(t/p50) / (math.Log(p95/p50) / z95)
	return math.Erfc(z/math.Sqrt2) / 2
}

func TestWhatTheScenesSay(t *testing.T) {
	for id, scene := range allScenes(t) {
		claim, ok := claims[id]
		if !ok {
			t.Errorf("%s: no test of what it says", id)
			continue
		}
		t.Run(id, func(t *testing.T) {
			for seed := 1; seed <= seeds; seed++ {
				var outcomes []*outcome
				for _, p := range scene.Policies {
					s := with(t, scene, append(p.Set[:len(p.Set):len(p.Set)], fmt.Sprintf("seed=%d", seed))...)
					o := &outcome{t: t, name: fmt.Sprintf("%s, seed %d", p.Name, seed), sent: map[int64]int{}}
					run, err := measure.Replicator{Listen: func(int) fleet.Listener { return o }}.One(s, 0, 0)
					if err != nil {
						t.Fatal(err)
					}
					o.run = run
					outcomes = append(outcomes, o)
				}
				claim(outcomes)
			}
		})
	}
}

// The means that the texts state, over the seeds.
func TestMeansThatTheScenesSay(t *testing.T) {
	for _, c := range []struct {
		scene        string
		policy       int
		metric       string
		said, within float64
	}{
		{"herd", 1, "attempts", 1300, 65},
		{"herd", 2, "attempts", 1300, 65},
		{"gate", 0, "answered", 400 - 175, 5},
		{"gate", 0, "makespan_s", 9, 0.5},
		{"tiers", 0, "answered", 600 - 240, 10},
		{"agent-cache", 0, "usd_per_1000_answers", 110, 5},
		{"agent-cache", 1, "usd_per_1000_answers", 30, 1.5},
		{"agent-cache", 1, "cache_hit_ratio", 0.88, 0.01},
		{"agent-cache", 2, "cache_hit_ratio", 0.92, 0.01},
		{"sandbox", 0, "makespan_s", 600, 30},
		{"sandbox", 1, "answered", 210, 10},
		{"sandbox", 2, "answered", 50, 5},
	} {
		scene, mean := allScenes(t)[c.scene], 0.0
		for seed := 1; seed <= seeds; seed++ {
			set := scene.Policies[c.policy].Set
			s := with(t, scene, append(set[:len(set):len(set)], fmt.Sprintf("seed=%d", seed))...)
			run, err := measure.Replicator{}.One(s, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			mean += run.Values[metric(c.metric)] / seeds
		}
		if math.Abs(mean-c.said) > c.within {
			t.Errorf("%s, policy %d: mean %s is %.4g; the text says %v", c.scene, c.policy, c.metric, mean, c.said)
		}
	}
}

// A spike of 5 s leaves three runs in four collapsed, as in the experiment metastable-spike: 0.715 to 0.785 there;
// 40 runs give that share within 0.14, two standard errors.
func TestStormOfFiveSeconds(t *testing.T) {
	scene := allScenes(t)["storm"]
	const runs = 40
	collapsed := 0.0
	for seed := range runs {
		s := with(t, scene, "workload.open.profile.0.for=5s", fmt.Sprintf("seed=%d", seed+1))
		run, err := measure.Replicator{}.One(s, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		collapsed += run.Values[metric("collapsed")] / runs
	}
	if collapsed < 0.75-0.14 || collapsed > 0.75+0.14 {
		t.Errorf("%v of the runs collapse; want 0.75 within 0.14", collapsed)
	}
}

// The quota of Build is enough for 600 questions in 6.4 minutes: it admits a minute's tokens at once, and each
// question is charged the larger of max_tokens and its prompt, whose law is lognormal.
func TestQuotaOfBuild(t *testing.T) {
	const declared, perMinute = 4096.0, 450_000.0
	mu, sigma := math.Log(3000), math.Log(4)/1.6448536269514722
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	z := (math.Log(declared) - mu) / sigma
	charge := declared*below(z) + math.Exp(mu+sigma*sigma/2)*below(sigma-z)
	if minutes := 600*charge/perMinute - 1; math.Abs(minutes-6.4) > 0.05 {
		t.Errorf("the quota needs %.2f minutes; the text says 6.4", minutes)
	}
}

// The curve of the timeout scene has the closed form beside it: 13.13 / (1 - p).
func TestCurveOfTheTimeout(t *testing.T) {
	scene := allScenes(t)["timeout"]
	c := scene.Curve
	args, err := json.Marshal(map[string]any{
		"document": scene.Scenario, "set": scene.Policies[0].Set, "path": c.Path, "values": c.Values,
		"metric": c.Metric, "closed": c.Closed,
	})
	if err != nil {
		t.Fatal(err)
	}
	var session engine.Session
	reply, ok := session.Call("curve", args)
	if !ok {
		t.Fatalf("refused: %s", reply.JSON)
	}
	var out struct{ Y, Closed []float64 }
	if err := json.Unmarshal(reply.JSON, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Y) != len(c.Values) || len(out.Closed) != len(c.Values) {
		t.Fatalf("%d and %d values of %d", len(out.Y), len(out.Closed), len(c.Values))
	}
	for i, text := range c.Values {
		var timeout float64
		if _, err := fmt.Sscanf(text, "%fs", &timeout); err != nil {
			t.Fatal(err)
		}
		want := 13.13 / (1 - exceeds(timeout, 4, 11.691))
		if math.Abs(out.Closed[i]/want-1) > 0.001 || math.Abs(out.Y[i]/want-1) > 0.15 {
			t.Errorf("timeout %s: %.2f in the run, %.2f by the form; want %.2f", text, out.Y[i], out.Closed[i], want)
		}
	}
}
