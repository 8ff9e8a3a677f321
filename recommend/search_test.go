package recommend

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"stampede/measure"
)

// world is a player whose means are known: a row is the means of its point with noise that all points have in
// common and with noise of its own.
type world struct {
	seed        int
	means       func(Point) []float64
	common, own float64 // standard deviations
	played      int
	twin        func(Point) Point // whose luck a point has; nil for its own
	spoil       func(Ask, Row)    // changes a row; may be nil
}

func (w *world) Play(ctx context.Context, asks []Ask) ([]Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var rows []Row
	for _, a := range asks {
		w.played++
		luck := a.Point
		if w.twin != nil {
			luck = w.twin(luck)
		}
		var row Row
		for i, m := range w.means(luck) {
			row = append(row, m+w.common*normal(w.seed, a.Replication, i)+w.own*normal(w.seed, a.Replication, i, luck))
		}
		if w.spoil != nil {
			w.spoil(a, row)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// normal is a standard normal number that follows from a key.
func normal(key ...any) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, key...)
	x := h.Sum64() // FNV mixes its last bytes badly
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return distuv.UnitNormal.Quantile((float64(x>>11) + 0.5) / (1 << 53))
}

// line is an axis of so many values.
func line(path string, n int, ordered bool) Axis {
	a := Axis{Path: path, Ordered: ordered}
	for v := range n {
		a.Values = append(a.Values, fmt.Sprint(v))
	}
	return a
}

func objective(name string) measure.Objective { return measure.Objective{Metric: measure.Index(name)} }

func goal(t testing.TB, text string) Constraint {
	t.Helper()
	g, err := measure.ParseGoal(text)
	if err != nil {
		t.Fatal(err)
	}
	return Constraint{Goal: g}
}

func ask(t testing.TB, q Question, p Player) *Answer {
	t.Helper()
	a, err := Search(t.Context(), q, p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A candidate with one row is compared as if it had all. The luck of replications 0 to 3 is +3, -1, -1, -1 for the
// objective and -0.6, 0.2, 0.2, 0.2 points for the success, the same for both. The means of the one with one row are
// 10 and 99.1 %, so its row is 13 and 98.5 %: that is worse than the means of the other, 11 and 99.2 %, and would
// break the goal.
func TestFirstRowIsComparedFairly(t *testing.T) {
	q := &Question{
		Axes: []Axis{line("x", 2, true)}, Start: Point{0}, Objective: objective("latency_p95_s"),
		Constraints: []Constraint{goal(t, "success_ratio>=99%")},
	}
	s := newSearch(q, nil)
	looked, glanced := s.visit(Point{0}), s.visit(Point{1})
	looked.tried = []Row{{14, 0.986}, {10, 0.994}, {10, 0.994}, {10, 0.994}}
	glanced.tried = []Row{{13, 0.985}}
	if got := s.promising(s.visited, 0); got[0] != glanced {
		t.Errorf("%v is best; want %v", got[0].point, glanced.point)
	}
}

// Of k normal means on a line, in random order, with a known best, the pick is within what does not matter in at
// least 95 % of 500 races. Steps of 0.2 to 2 % around an indifference of 1 %: of the smaller ones many are as good.
// That none of 500 fails has a probability of exp(-25) where 5 % do, so few failures are what a race by
// Bonferroni's inequality gives; 500 x 5 % = 25 are the most that its statement allows.
func TestPickIsWithinIndifference(t *testing.T) {
	const races = 500
	failed, replications := 0, 0
	for race := range races {
		k := 20 + race%60
		step := []float64{0.002, 0.005, 0.01, 0.02}[race%4]
		w := &world{seed: race, common: 0.1, own: []float64{0.01, 0.03}[race/4%2], means: func(p Point) []float64 {
			return []float64{1 + step*float64((p[0]*7+race)%k)}
		}}
		for k%7 == 0 { // the order has to be one
			k++
		}
		a := ask(t, Question{
			Axes: []Axis{line("x", k, false)}, Start: Point{0}, Objective: objective("latency_p95_s"),
		}, w)
		replications += a.Replications
		if got := w.means(a.Pick)[0]; got > 1.01+1e-9 {
			failed++
		}
		if a.Feasible != measure.Met || a.Stopped == ByRule && a.Delta > 0.01+1e-9 {
			t.Errorf("race %d: %v, stopped by %v, within %.4f", race, a.Feasible, a.Stopped, a.Delta)
		}
	}
	t.Logf("%d of %d races failed; %d replications on average", failed, races, replications/races)
	if failed > races/20 {
		t.Errorf("%d of %d picks are worse than the best by more than 1 %%; want at most 25", failed, races)
	}
}

// In random small spaces of which some point keeps the goals by more than their tolerance, none is never said to.
// Where no point comes closer to a goal than its tolerance, none is, or it is undecided.
func TestNoneIsTrue(t *testing.T) {
	const spaces = 200
	none, feasible := 0, 0
	for space := range spaces {
		var q Question
		for k := range 2 + space%3 {
			q.Axes = append(q.Axes, line(fmt.Sprint("axis", k), 2+(space/3+k)%4, k%2 == 0))
		}
		q.Start = make(Point, len(q.Axes))
		q.Objective = objective("usd_per_1000_answers")
		q.Constraints = []Constraint{goal(t, "success_ratio>=99%"), goal(t, "latency_p95_s<=20")}
		if space%5 == 0 {
			q.Budget = 100 + space
		}
		w := &world{seed: space, common: 0.002, own: 0.003, means: func(p Point) []float64 {
			cost, success, latency := 1.0, 0.988+0.002*normal(space, "level"), 20+normal(space, "height")
			for k, v := range p {
				cost += 0.1 * normal(space, k, v, "cost")
				success += 0.005 * normal(space, k, v, "success")
				latency += 2 * normal(space, k, v, "latency")
			}
			return []float64{cost, success, latency}
		}}
		best, close := math.Inf(1), false
		for p := range q.grid() {
			m := w.means(p)
			if m[1] >= 0.991 && m[2] <= 19.8 {
				best = min(best, m[0])
			}
			close = close || m[1] >= 0.989 && m[2] <= 20.2
		}
		a := ask(t, q, w)
		switch {
		case a.Feasible == measure.Missed && !math.IsInf(best, 1):
			t.Errorf("space %d: none is said to keep the goals; one does, at %.3f", space, best)
		case a.Feasible == measure.Met && !close:
			t.Errorf("space %d: %v is said to keep the goals; its means are %.4v", space, a.Pick, w.means(a.Pick))
		case a.Feasible == measure.Met && a.Stopped == ByRule && q.Budget == 0:
			feasible++
			if got := w.means(a.Pick)[0]; got > best+0.01*math.Abs(got) {
				t.Errorf("space %d: %v costs %.4f; the best %.4f", space, a.Pick, got, best)
			}
		case a.Feasible == measure.Missed:
			none++
		}
	}
	t.Logf("%d spaces with a pick, %d with none", feasible, none)
	if feasible < spaces/4 || none < spaces/10 {
		t.Errorf("%d spaces with a pick and %d with none; the test wants both", feasible, none)
	}
}

// Of points that give the same numbers the one with the fewest differences from the start stands for all, and
// the level of the tests is not spent on twins. NaN equals NaN.
func TestTwins(t *testing.T) {
	w := &world{common: 0.1, own: 0.02,
		means: func(p Point) []float64 { return []float64{1 + 0.05*float64(p[0]), math.NaN()} },
		twin:  func(p Point) Point { return Point{p[0], 0} }, // the second axis changes nothing
	}
	q := Question{
		Axes:      []Axis{line("x", 6, true), line("idle", 5, true)},
		Start:     Point{3, 2},
		Objective: objective("latency_p95_s"),
		Within:    0.001,
	}
	a := ask(t, q, w)
	if want := (Point{0, 2}); !reflect.DeepEqual(a.Pick, want) {
		t.Errorf("picked %v; want %v, the twin that is nearest to the start", a.Pick, want)
	}
	if len(a.Twins) != 4 || len(a.Ties) != 0 || a.Stopped != ByRule {
		t.Errorf("twins %v, ties %v, stopped by %v; want 4 twins", a.Twins, a.Ties, a.Stopped)
	}
	for _, m := range a.Moves {
		if m.Same != (m.Axis == 1) {
			t.Errorf("move to %v: same %v", m.Point, m.Same)
		}
	}
}

// In a space too large to visit, where two of three axes change nothing, the pick keeps the start's values on them.
func TestPickKeepsWhatIsIdle(t *testing.T) {
	for seed := range 20 {
		w := &world{seed: seed, common: 0.1, own: 0.02,
			means: func(p Point) []float64 { return []float64{1 + 0.05*float64(p[0])} },
			twin:  func(p Point) Point { return Point{p[0], 0, 0} },
		}
		a := ask(t, Question{
			Axes:      []Axis{line("x", 12, true), line("idle", 30, true), line("also idle", 30, false)},
			Start:     Point{8, 21, 17},
			Objective: objective("latency_p95_s"),
			Within:    0.001,
		}, w)
		if want := (Point{0, 21, 17}); !reflect.DeepEqual(a.Pick, want) {
			t.Errorf("seed %d: picked %v; want %v", seed, a.Pick, want)
		}
		if slices.ContainsFunc(a.Twins, func(p Point) bool { return reflect.DeepEqual(p, a.Pick) }) {
			t.Errorf("seed %d: %v is a twin of itself", seed, a.Pick)
		}
	}
}

// A point that lacks a value in one replication breaks the goal on it, and one that lacks the objective is out.
func TestMissingValues(t *testing.T) {
	for _, row := range []struct {
		lacks string
		of    int
	}{{"the objective", 0}, {"the value of a goal", 1}} {
		w := &world{own: 0.01, means: func(p Point) []float64 { return []float64{1 + float64(p[0]), 0.5} },
			spoil: func(a Ask, r Row) {
				if a.Point[0] == 0 && a.Replication == 5 {
					r[row.of] = math.NaN()
				}
			}}
		a := ask(t, Question{
			Axes:        []Axis{line("x", 5, true)},
			Start:       Point{4},
			Objective:   objective("latency_p95_s"),
			Constraints: []Constraint{goal(t, "success_ratio>=40%")},
		}, w)
		if !reflect.DeepEqual(a.Pick, Point{1}) || a.Feasible != measure.Met {
			t.Errorf("%s lacks in a replication of point 0: picked %v, %v; want 1, met", row.lacks, a.Pick, a.Feasible)
		}
	}
}

// Ties are named by the simplest: fewest differences from the start, then by what the question says. The largest
// can be asked for. Costs are 1.000, 1.002, ... 1.006 within 1 %, and then 1.1.
func TestSimplestTie(t *testing.T) {
	for _, largest := range []bool{false, true} {
		w := &world{common: 0.2, own: 1e-4, means: func(p Point) []float64 {
			x := 1 + 0.002*float64(p[0])
			if p[0] > 3 {
				x = 1.1
			}
			if largest {
				x = 10 - x
			}
			return []float64{x}
		}}
		q := Question{
			Axes:      []Axis{line("x", 6, true)},
			Start:     Point{5},
			Objective: measure.Objective{Metric: measure.Index("goodput_per_min"), Largest: largest},
			Within:    0.01,
			Less:      func(a, b Point) bool { return a[0] == 2 && b[0] != 2 },
		}
		if largest {
			q.Within = 0.001 // of 9
		}
		a := ask(t, q, w)
		if !reflect.DeepEqual(a.Pick, Point{2}) || len(a.Ties) != 3 {
			t.Errorf("largest %v: picked %v, tied with %v; want 2 and three others", largest, a.Pick, a.Ties)
		}
		q.Start = Point{1}
		if a := ask(t, q, w); !reflect.DeepEqual(a.Pick, Point{1}) {
			t.Errorf("largest %v: picked %v; want 1, the start", largest, a.Pick)
		}
	}
}

// What binds is the goal that rules out better points; a move that breaks it is said to.
func TestBinding(t *testing.T) {
	w := &world{common: 0.01, own: 0.001, means: func(p Point) []float64 {
		return []float64{1 + 0.1*float64(p[0]), 0.95 + 0.02*float64(p[0]), 10}
	}}
	a := ask(t, Question{
		Axes:        []Axis{line("x", 5, true)},
		Start:       Point{0},
		Also:        []Point{{3}},
		Objective:   objective("usd_per_1000_answers"),
		Constraints: []Constraint{goal(t, "success_ratio>=98%"), goal(t, "latency_p95_s<=20")},
	}, w)
	if !reflect.DeepEqual(a.Pick, Point{2}) || a.Feasible != measure.Met || a.Stopped != ByRule {
		t.Fatalf("picked %v, %v, by %v; want 2", a.Pick, a.Feasible, a.Stopped)
	}
	// Points 0 and 1 answer 95 and 97 %; 0 costs 1.0 instead of 1.2, 16.7 % less.
	if len(a.Binding) != 1 || a.Binding[0].Constraint != 0 || a.Binding[0].Points != 2 ||
		math.Abs(a.Binding[0].Gain-0.2/1.2) > 0.01 || !reflect.DeepEqual(a.Binding[0].Best, Point{0}) {
		t.Errorf("binding %+v", a.Binding)
	}
	for _, m := range a.Moves {
		want := [...]measure.Verdict{measure.Missed, measure.Missed, 0, measure.Met, measure.Met}[m.Value]
		if m.Verdict() != want {
			t.Errorf("move to %d: %v; want %v", m.Value, m.Verdict(), want)
		}
		if d := m.Difference; math.Abs(d.Mean-0.1*float64(m.Value-2)) > 0.003 || d.Low > d.Mean || d.High < d.Mean {
			t.Errorf("move to %d: difference %+v", m.Value, d)
		}
	}
	if a.Start.Verdict() != measure.Missed || len(a.Compared) != 1 || a.Compared[0].Verdict() != measure.Met {
		t.Errorf("start %+v, compared %+v", a.Start, a.Compared)
	}
	if g := a.Goals[0]; math.Abs(g.Margin-0.01) > 0.005 || g.Errors < 1 {
		t.Errorf("margin %+v", g)
	}
}

// Out of budget, what is proven is said with whom it comes from: here a point that is 5 % better and of which it
// is open whether it keeps the goal, which it does to the digit.
func TestBudgetEndsRace(t *testing.T) {
	w := &world{common: 0.01, own: 0.01, means: func(p Point) []float64 {
		return []float64{1 + 0.05*float64(p[0]), []float64{0.99, 0.9999, 0.9999}[p[0]]}
	}}
	a := ask(t, Question{
		Axes:        []Axis{line("x", 3, true)},
		Start:       Point{2},
		Objective:   objective("usd_per_1000_answers"),
		Constraints: []Constraint{goal(t, "success_ratio>=99%")},
		Budget:      600,
	}, w)
	if a.Replications > 600 || a.Stopped != ByBudget || a.Feasible != measure.Met {
		t.Fatalf("%d replications, stopped by %v, %v", a.Replications, a.Stopped, a.Feasible)
	}
	if !reflect.DeepEqual(a.Pick, Point{1}) || !reflect.DeepEqual(a.From, Point{0}) ||
		a.Delta < 0.03 || a.Delta > 0.08 {
		t.Errorf("picked %v, within %.3f because of %v; want 1 and 5 %% because of 0", a.Pick, a.Delta, a.From)
	}
	if len(a.Open) != 1 || !reflect.DeepEqual(a.Open[0].Point, Point{0}) || a.Open[0].Constraint != 0 {
		t.Errorf("open %+v; want point 0 for its success", a.Open)
	}
}

// A race of all points covers the whole space, and a large one is refused.
func TestThorough(t *testing.T) {
	w := &world{common: 0.1, own: 0.02, means: func(p Point) []float64 {
		return []float64{1 + 0.02*math.Abs(float64(p[0]-17)) + 0.02*math.Abs(float64(p[1]-3))}
	}}
	q := Question{
		Axes:      []Axis{line("x", 30, true), line("y", 30, true)},
		Start:     Point{0, 0},
		Objective: objective("latency_p95_s"),
		Thorough:  true,
	}
	if a := ask(t, q, w); !reflect.DeepEqual(a.Pick, Point{17, 3}) || a.Raced != 900 || !a.Whole {
		t.Errorf("picked %v of %d; want 17, 3 of 900", a.Pick, a.Raced)
	}
	q.Thorough = false
	if a := ask(t, q, w); !reflect.DeepEqual(a.Pick, Point{17, 3}) || a.Raced != raceCandidates || a.Whole {
		t.Errorf("the climb led to %v", a.Pick)
	}
	q.Thorough, q.Axes = true, []Axis{line("x", 1000, true), line("y", 1000, true)}
	if _, err := Search(t.Context(), q, w); err == nil || !strings.Contains(err.Error(), "at most 200000") {
		t.Errorf("a race of a million points: %v", err)
	}
}

// The best point lies beyond a valley: with one number of attempts only the longest wait keeps the goal, with others
// short ones are better than long ones. The climb from the best points of the sample alone ends at 1.2.
func TestClimbCrossesValley(t *testing.T) {
	found := 0
	for seed := range 10 {
		w := &world{seed: seed, common: 0.002, own: 0.004, means: func(p Point) []float64 {
			attempts, wait, rest := p[0], p[1], 0
			for k, best := range []int{2, 5, 1, 3} {
				rest += max(best-p[2+k], p[2+k]-best)
			}
			cost, success := 1.2+0.05*float64(wait)+0.1*float64(rest), 1.0
			if attempts == 1 {
				cost -= 0.38
				success = 0.995 - 0.05*float64(7-wait)
			}
			return []float64{cost, success}
		}}
		a := ask(t, Question{
			Axes: []Axis{
				line("attempts", 9, true), line("wait", 8, true), line("a", 5, true), line("b", 7, true),
				line("c", 4, true), line("d", 5, true),
			},
			Start:       make(Point, 6),
			Objective:   objective("usd_per_1000_answers"),
			Constraints: []Constraint{goal(t, "success_ratio>=99%")},
			Budget:      8000,
		}, w)
		if w.means(a.Pick)[0] < 1.18 { // 1.17 is the best
			found++
		}
	}
	if found < 9 {
		t.Errorf("the best point was found in %d of 10 searches; want 9", found)
	}
}

// stopping is a player whose context ends after some replications.
type stopping struct {
	Player
	left   int
	cancel func()
}

func (s *stopping) Play(ctx context.Context, asks []Ask) ([]Row, error) {
	if s.left -= len(asks); s.left < 0 {
		s.cancel()
		return nil, ctx.Err()
	}
	return s.Player.Play(ctx, asks)
}

// An interrupt at any moment leaves an answer of what is known.
func TestInterruptKeepsAnswer(t *testing.T) {
	for after := 0; after < 600; after += 20 {
		ctx, cancel := context.WithCancel(t.Context())
		w := &world{common: 0.1, own: 0.02, means: func(p Point) []float64 { return []float64{1 + 0.01*float64(p[0])} }}
		a, err := Search(ctx, Question{
			Axes: []Axis{line("x", 50, true)}, Start: Point{0}, Objective: objective("latency_p95_s"),
		}, &stopping{w, after, cancel})
		if err != context.Canceled || a == nil || a.Stopped != ByInterrupt && a.Moves != nil {
			t.Fatalf("after %d replications: %+v, %v", after, a, err)
		}
		if after >= 50 && (len(a.Pick) != 1 || a.Pick[0] > 25 || len(a.Estimates) != 1) {
			t.Errorf("after %d replications: picked %v", after, a.Pick)
		}
		if a.Replications > after {
			t.Errorf("after %d replications: says %d", after, a.Replications)
		}
	}
}
