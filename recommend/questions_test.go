package recommend

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"stampede/measure"
	"stampede/scenario"
)

// question is one that the search has to answer right: the point it picks has to keep the goals and be
// within 1 % of the best, both by the means of truthRuns replications of another seed.
type question struct {
	name      string
	scenario  func(t testing.TB) []byte
	best      string // the metric
	goals     []string
	budget    int     // of the search
	mean      int     // replications of the search at most, on average
	bestKnown float64 // objective of the best point by the truth, from TestTruth
}

var questions = []question{
	{
		name:      "cheapest of 192",
		scenario:  embedded,
		best:      "usd_per_1000_answers",
		goals:     []string{"success_ratio>=99%", "latency_p95_s<=45", "attempts_per_call<=1.5"},
		mean:      900,
		bestKnown: 0.430024,
	},
	{
		name:      "fastest of 192",
		scenario:  embedded,
		best:      "latency_p95_s",
		goals:     []string{"success_ratio>=99%"},
		mean:      1500,
		bestKnown: 40.859268,
	},
	{
		name:      "fastest of 10,080",
		scenario:  spikeAndOutage,
		best:      "latency_p95_s",
		goals:     []string{"success_ratio>=99%", "attempts_per_call<=1.5", "usd_per_1000_answers<=0.45"},
		budget:    5000,
		mean:      5000,
		bestKnown: 18.980632,
	},
}

func embedded(t testing.TB) []byte {
	text, ok := scenario.Embedded(scenario.Default)
	if !ok {
		t.Fatal("no embedded scenario")
	}
	return text
}

func spikeAndOutage(t testing.TB) []byte {
	text, err := os.ReadFile("testdata/spike-and-outage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const (
	truthSeed = 1000
	truthRuns = 200
)

// asked is the question with its player under a seed.
func (x *question) asked(t testing.TB, seed int) (Question, *Simulator) {
	t.Helper()
	template, err := scenario.NewTemplate(x.scenario(t), x.name, scenario.Options{
		Set: []string{"seed=" + strconv.Itoa(seed)},
	})
	if err != nil {
		t.Fatal(err)
	}
	q := asked(t, template, x.best, x.goals...)
	q.Budget = x.budget
	if err := q.check(); err != nil {
		t.Fatal(err)
	}
	return q, NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, 0)
}

// The three questions: right for at least 19 of 20 seeds. The normal run asks them under one seed, since a seed takes
// seconds; STAMPEDE_SEEDS=20 asks under all. The climb was chosen by what it does under the seeds 1 to 40 and
// 101 to 140 of the third question: of these it is right under 76. Under 20 others, 41 to 60, it was then right
// under 19, with 4,810 replications on average. The picks that are wrong are worse by 1.3 to 1.5 %.
func TestQuestions(t *testing.T) {
	seeds, _ := strconv.Atoi(os.Getenv("STAMPEDE_SEEDS"))
	if testing.Short() {
		t.Skip("its three searches take ten seconds of CPU time")
	}
	for _, x := range questions {
		t.Run(x.name, func(t *testing.T) {
			judge := newSearch(x.truth(t))
			right, replications, most, ruled := 0, 0, 0, 0
			for seed := 1; seed <= max(1, seeds); seed++ {
				q, player := x.asked(t, seed)
				s := newSearch(&q, player)
				if err := s.run(t.Context()); err != nil {
					t.Fatal(err)
				}
				a := s.answer()
				c := judge.visit(a.Pick)
				if err := judge.play(t.Context(), []*candidate{c}, truthRuns, 0, rowsOf); err != nil {
					t.Fatal(err)
				}
				violation, cost := judge.violation(c.rows), judge.meanObjective(c.rows)
				good := a.Feasible == measure.Met && violation <= 0 && cost <= 1.01*x.bestKnown
				if good {
					right++
				}
				if a.Stopped == ByRule {
					ruled++
				}
				replications += a.Replications
				most = max(most, a.Replications)
				climbed := 0
				for _, c := range s.visited {
					climbed += len(c.tried)
				}
				t.Logf("seed %d: %v %v, truth %.4f (%+.2f %%), violation %.2f; within %.2f %% by %v", seed, good,
					a.Pick, cost, 100*(cost/x.bestKnown-1), violation, 100*a.Delta, a.Stopped)
				t.Logf("%d tied, %d twins; %d replications, %d of them to climb",
					len(a.Ties), len(a.Twins), a.Replications, climbed)
			}
			n := max(1, seeds)
			t.Logf("%d of %d right; %d by rule; %d replications on average, %d at most",
				right, n, ruled, replications/n, most)
			if right < n-n/20 {
				t.Errorf("%d of %d right; want %d", right, n, n-n/20)
			}
			if replications/n > x.mean {
				t.Errorf("%d replications on average; want at most %d", replications/n, x.mean)
			}
		})
	}
}

func rowsOf(c *candidate) *[]Row { return &c.rows }

// truth is the question under a seed of its own.
func (x *question) truth(t testing.TB) (*Question, Player) {
	q, player := x.asked(t, truthSeed)
	return &q, player
}

// What is best by the truth: all points have 4 replications, the best 1,200 of them 20, and the best 60 of
// these all. STAMPEDE_TRUTH=1 computes what the table states, in minutes.
func TestTruth(t *testing.T) {
	if os.Getenv("STAMPEDE_TRUTH") == "" {
		t.Skip("STAMPEDE_TRUTH=1 computes it")
	}
	for _, x := range questions {
		s := newSearch(x.truth(t))
		for p := range s.q.grid() {
			s.visit(p)
		}
		best := s.visited
		for _, stage := range []struct{ points, replications int }{{len(best), 4}, {1200, 20}, {60, truthRuns}} {
			best = best[:min(stage.points, len(best))]
			if err := s.play(t.Context(), best, stage.replications, 0, rowsOf); err != nil {
				t.Fatal(err)
			}
			for _, c := range best {
				c.tried = c.rows
			}
			best = s.promising(best, 0)
		}
		best = slices.DeleteFunc(best, func(c *candidate) bool { return s.violation(c.rows) > 0 })
		found := s.meanObjective(best[0].rows)
		good := 0
		for _, c := range best {
			if s.meanObjective(c.rows) <= 1.01*found {
				good++
			}
		}
		fmt.Printf("%s: best %v with %.6f; %d feasible, %d good\n", x.name, best[0].point, found, len(best), good)
		if math.Abs(found-x.bestKnown) > 1e-4*found {
			t.Errorf("%s: the best has %.6f; the table says %.6f", x.name, found, x.bestKnown)
		}
	}
}
