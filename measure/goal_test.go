package measure

import (
	"math"
	"strings"
	"testing"

	"stampede/scenario"
)

// Each unit of the registry has its ways to write a bound; 99 % is 0.99 to the last bit, which 99 x 0.01 is not.
func TestParseGoal(t *testing.T) {
	for _, c := range []struct {
		text    string
		atLeast bool
		bound   float64
		written string // as String writes it
	}{
		{"success_ratio>=99%", true, 0.99, "success_ratio>=99%"},
		{" success_ratio >= 0.99 ", true, 0.99, "success_ratio>=99%"},
		{"throttled_ratio<=7%", false, 0.07, "throttled_ratio<=7%"},
		{"success_ratio>=99.95 %", true, 0.9995, "success_ratio>=99.95%"},
		{"success_ratio>=100%", true, 1, "success_ratio>=100%"},
		{"latency_p95_s<=20", false, 20, "latency_p95_s<=20s"},
		{"latency_p95_s<=20s", false, 20, "latency_p95_s<=20s"},
		{"latency_p95_s<=1.5 s", false, 1.5, "latency_p95_s<=1.5s"},
		{"first_token_p95_s<=800ms", false, 0.8, "first_token_p95_s<=0.8s"},
		{"makespan_s<=10min", false, 600, "makespan_s<=600s"},
		{"makespan_s<=10m", false, 600, "makespan_s<=600s"},
		{"makespan_s<=1h30min", false, 5400, "makespan_s<=5400s"},
		{"usd_per_1000_answers<=$0.45", false, 0.45, "usd_per_1000_answers<=$0.45"},
		{"usd_total<=0.45", false, 0.45, "usd_total<=$0.45"},
		{"goodput_per_min>=900", true, 900, "goodput_per_min>=900"},
		{"goodput_per_min>=900/min", true, 900, "goodput_per_min>=900"},
		{"goodput_per_min>=15/s", true, 900, "goodput_per_min>=900"}, // 15 x 60
		{"goodput_per_min>=1.2k", true, 1200, "goodput_per_min>=1200"},
		{"pace_rate_mean<=8/s", false, 8, "pace_rate_mean<=8"},
		{"pace_rate_mean<=480/min", false, 8, "pace_rate_mean<=8"}, // 480 / 60
		{"regret<=1.25", false, 1.25, "regret<=1.25"},
		{"dead_letters<=0", false, 0, "dead_letters<=0"},
		{"answered>=2k", true, 2000, "answered>=2000"},
		{"attempts_per_call<=1.5", false, 1.5, "attempts_per_call<=1.5"},
	} {
		g, err := ParseGoal(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if g.AtLeast != c.atLeast || g.Bound != c.bound || g.String() != c.written {
			t.Errorf("%s: got %+v, written %v; want at least %v, bound %v, written %s", c.text, g, g, c.atLeast,
				c.bound, c.written)
		}
		if again, err := ParseGoal(g.String()); err != nil || again != g {
			t.Errorf("%s is read back as %+v, %v", g, again, err)
		}
	}
}

func TestParseGoalRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"success_ratio>99%", "want METRIC>=BOUND or METRIC<=BOUND"},
		{"success_ratio=99%", "want METRIC>=BOUND or METRIC<=BOUND"},
		{"succes_ratio>=99%", `no metric "succes_ratio"; did you mean "success_ratio"`},
		{"never_came<=0", `it is now called "not_started"`},
		{"success_ratio>=101%", "want a share from 0% to 100%, such as 99% or 0.99"},
		{"success_ratio>=99", "want a share from 0% to 100%, such as 99% or 0.99"},
		{"latency_p95_s<=20 days", "such as 20s, 500ms, 2min, 1h or 20"},
		{"latency_p95_s<=-1", "want a bound from 0"},
		{"latency_p95_s<=NaN", "such as 20s"},
		{"usd_total<=$", "such as $0.45 or 0.45"},
		{"usd_total<=45%", "such as $0.45 or 0.45"},
		{"goodput_per_min>=9/fortnight", "such as 900, 900/min or 15/s"},
		{"random<=0", "random is 0 or 1 by the scenario"},
	} {
		if g, err := ParseGoal(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want an error with %q", c.text, g, err, c.want)
		}
	}
}

// Every metric can be bounded, or says why not; an unknown unit would leave a goal without an example.
func TestEveryUnitHasABound(t *testing.T) {
	for _, m := range Metrics() {
		if m.Unit == zeroOrOne {
			continue
		}
		example, _, _ := strings.Cut(strings.ReplaceAll(boundExamples[m.Unit], " or ", ", "), ",")
		if _, err := ParseGoal(m.Name + "<=" + example); example == "" || err != nil {
			t.Errorf("%s: unit %q has the example %q: %v", m.Name, m.Unit, example, err)
		}
	}
}

func goalOf(t *testing.T, text string) Goal {
	t.Helper()
	g, err := ParseGoal(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The verdict is that of the 95 % interval. For n = 4 values with standard deviation s the half-width is
// t(3, 0.975) s/2 = 3.182 s/2; of 18, 19, 19, 20 s is 0.8165 and the interval 19 +- 1.299.
func TestGoalVerdict(t *testing.T) {
	nan := math.NaN()
	four := []float64{18, 19, 19, 20}
	for _, c := range []struct {
		goal   string
		values []float64
		fixed  bool // nothing is random
		want   Verdict
	}{
		{"latency_p95_s<=20.3", four, false, Met},
		{"latency_p95_s<=20.29", four, false, Undecided},
		{"latency_p95_s<=17.71", four, false, Undecided},
		{"latency_p95_s<=17.7", four, false, Missed},
		{"latency_p95_s>=17.7", four, false, Met},
		{"latency_p95_s>=17.71", four, false, Undecided},
		{"latency_p95_s>=20.3", four, false, Missed},
		{"latency_p95_s<=20", []float64{18}, false, Undecided}, // one replication has no interval
		{"latency_p95_s<=20", []float64{18}, true, Met},        // but nothing is random
		{"latency_p95_s<=20", []float64{20}, true, Met},        // the bound itself keeps it
		{"latency_p95_s<=20", []float64{21}, true, Missed},
		{"latency_p95_s<=20", []float64{nan, nan}, false, Missed},
		{"latency_p95_s>=1", nil, false, Missed},
		{"recovery_s<=60", []float64{1, 1, 1, nan}, false, Missed}, // one never recovers
		{"success_ratio>=99%", []float64{1, 1, 1, 1}, false, Met},  // all have it, however few they are
		{"success_ratio>=99%", []float64{0.98, 0.98, 0.98}, false, Missed},
		{"dead_letters<=0", []float64{0, 0, 0}, false, Met},
		// None of 10 collapses: with 95 % confidence at most 1 - 0.05^(1/10) = 25.9 % do.
		{"collapsed<=26%", make([]float64, 10), false, Met},
		{"collapsed<=25%", make([]float64, 10), false, Undecided},
	} {
		r := goalOf(t, c.goal).Of(c.values, !c.fixed)
		if r.Verdict != c.want {
			t.Errorf("%s of %v: got %v, interval %v to %v; want %v", c.goal, c.values, r.Verdict, r.Estimate.Low,
				r.Estimate.High, c.want)
		}
	}
	met, open, missed := GoalResult{Verdict: Met}, GoalResult{}, GoalResult{Verdict: Missed}
	for _, c := range []struct {
		all  []GoalResult
		want Verdict
	}{{nil, Met}, {[]GoalResult{met, met}, Met}, {[]GoalResult{met, open}, Undecided},
		{[]GoalResult{open, missed, met}, Missed}} {
		if got := Together(c.all); got != c.want {
			t.Errorf("together of %v: got %v, want %v", c.all, got, c.want)
		}
	}
}

const aimed = `name: aimed
workload: {batch: {calls: 10}, prompt_tokens: 100, output_tokens: 10}
fleet: {workers: 1}
`

// Flags replace goals on the same metric in the same direction; others stay, in order.
func TestAims(t *testing.T) {
	for _, c := range []struct {
		file  string
		flags AimFlags
		want  string // goals, objective
	}{
		{"", AimFlags{}, "highest goodput_per_min by default"},
		{"price: {input: 1, output: 2}\n", AimFlags{}, "lowest usd_per_1000_answers by default"},
		{"goals: [success_ratio>=99%, latency_p95_s<=20s]\nminimize: attempts\n", AimFlags{},
			"success_ratio>=99%, latency_p95_s<=20s, lowest attempts"},
		{"goals: [success_ratio>=99%, latency_p95_s<=20s]\nmaximize: answered\n",
			AimFlags{Goals: []string{"success_ratio>=95%", "success_ratio<=97%"}, Min: "makespan_s"},
			"latency_p95_s<=20s, success_ratio>=95%, success_ratio<=97%, lowest makespan_s"},
		{"", AimFlags{Goals: []string{"attempts<=3"}, Max: "answered"}, "attempts<=3, highest answered"},
	} {
		s, err := scenario.Read([]byte(aimed+c.file), "aimed.yaml", scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := AimsOf(s, c.flags)
		if err != nil {
			t.Errorf("%s %v: %v", c.file, c.flags, err)
			continue
		}
		var got []string
		for _, g := range a.Goals {
			got = append(got, g.String())
		}
		got = append(got, a.Objective.String())
		text := strings.Join(got, ", ")
		if !a.Stated {
			text += " by default"
		}
		if text != c.want {
			t.Errorf("%s %v: got %s, want %s", c.file, c.flags, text, c.want)
		}
	}
}

// A mistake of a scenario says where it stands; one of a flag names the flag.
func TestAimsRefuse(t *testing.T) {
	for _, c := range []struct {
		file  string
		flags AimFlags
		want  string
	}{
		{"goals:\n  - success_ratio>=99%\n  - latency_p95<=20s\n", AimFlags{},
			`aimed.yaml:6:5: goals.1: found "latency_p95<=20s"; no metric "latency_p95"; did you mean ` +
				`"latency_p95_s"?`},
		{"goals: [success_ratio>=99%, success_ratio>=98%]\n", AimFlags{},
			"aimed.yaml:4:29: goals.1: found success_ratio>=98% beside success_ratio>=99%; want one of them"},
		{"goals: [success_ratio>=99%, success_ratio<=98%]\n", AimFlags{}, "no value meets both"},
		{"minimize: usd\n", AimFlags{}, "aimed.yaml:4:11: minimize: no metric"},
		{"minimize: attempts\nmaximize: answered\n", AimFlags{}, "maximize: stands beside minimize; want one of them"},
		{"", AimFlags{Goals: []string{"attempt<=3"}}, `--goal: found "attempt<=3"; no metric "attempt"; did you mean`},
		{"", AimFlags{Goals: []string{"attempts<=3", "attempts<=4"}}, "--goal: found attempts<=4 beside attempts<=3"},
		{"goals: [attempts>=9]\n", AimFlags{Goals: []string{"attempts<=3"}}, "no value meets both"},
		{"", AimFlags{Max: "goodput"}, `--max: no metric "goodput"; did you mean`},
		{"", AimFlags{Min: "attempts", Max: "answered"}, "found --min and --max"},
	} {
		s, err := scenario.Read([]byte(aimed+c.file), "aimed.yaml", scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := AimsOf(s, c.flags); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: got %v; want an error with %q", c.file, c.flags, err, c.want)
		}
	}
}
