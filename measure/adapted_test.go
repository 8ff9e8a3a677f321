package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"stampede/internal/testkit"
)

// A call each other second from 1 s on, answered after a second, and failed at once at 3 s; so another comes at
// 4 s, which fails, and one at 5 s.
const adapting = `
name: adapting
replications: 1
horizon: 10s
workload: {closed: {think: 1s}, prompt_tokens: 1, output_tokens: 1}
fleet: {workers: 1}
provider:
  latency: {first_token: 1s}
  faults: [{at: 3s, for: 1500ms, status: 503}]
policy:
  retry: {attempts: 1}
  gate: {aimd: {start: 4, min: 1, max: 8, factor: 0.5, slow: none}}
  pace: {rate: 4/s, aimd: {add: 1/s, cut: 50%}}
`

// A limit of 4 that falls to 2 at 3 s and to 1 at 4 s. One in flight is half of it from then on, so that it is 2
// at 6 s and 3 at 8 s: 12 + 2 + 2 + 4 + 6 = 26 in 10 s. The rate of 4/s, first used at 1 s, is 5/s from 2 s, 2.5
// from 3 s, 1.25 from 4 s, 2.25 from 6 s and 3.25 from 8 s: 8 + 5 + 2.5 + 2.5 + 4.5 + 6.5 = 29. After a warm-up of
// 5 s they are 1 + 4 + 6 and 1.25 + 4.5 + 6.5 in 5 s, after one of 7 s 2 + 6 and 2.25 + 6.5 in 3 s.
func TestAdaptedOverTime(t *testing.T) {
	metrics := []string{"gate_limit_mean", "gate_limit_min", "pace_rate_mean", "pace_rate_min"}
	for _, c := range []struct {
		set  []string
		want [4]float64
	}{
		{nil, [4]float64{2.6, 1, 2.9, 1.25}},
		{[]string{"fleet.instances=3"}, [4]float64{2.6, 1, 2.9, 1.25}},
		{[]string{"warmup=5s"}, [4]float64{11.0 / 5, 1, 12.25 / 5, 1.25}},
		{[]string{"warmup=7s"}, [4]float64{8.0 / 3, 2, 8.75 / 3, 2.25}},
		{[]string{"policy.gate={semaphore: 4}", "policy.pace={rate: 4/s}"},
			[4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}},
	} {
		got := valuesOf(t, adapting, c.set, metrics...)
		for i, name := range metrics {
			same := math.IsNaN(got[i][0]) && math.IsNaN(c.want[i])
			if !same && !(math.Abs(got[i][0]-c.want[i]) < 1e-9) {
				t.Errorf("%v: %s %g, want %g", c.set, name, got[i][0], c.want[i])
			}
		}
	}
}

// The timeline has the same as counters, one for each instance. A bucket that two share lends the second call a
// quarter of a second; the first answer, at 2 s, adds to its rate and the other, at 2.25 s, does not.
func TestTimelineOfWhatIsAdapted(t *testing.T) {
	limits := " 4@0s 2@3s 1@4s 2@6s 3@8s"
	for set, want := range map[string]map[string]string{
		"policy.pace=none":      {"gate limit of 0": limits, "gate limit of 1": limits},
		"policy.pace.scope=all": {"pace rate of all instances of 0": " 4@0s 5@2s 2.5@3s"},
	} {
		s := testkit.Template(t, adapting, "fleet.instances=2", set).Base
		trace := NewTrace(s)
		if _, err := s.Model.Run(1, 0, trace); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := trace.Write(&out); err != nil {
			t.Fatal(err)
		}
		var file struct{ TraceEvents []traceEvent }
		if err := json.Unmarshal(out.Bytes(), &file); err != nil {
			t.Fatal(err)
		}
		curves := map[string]string{}
		for _, e := range file.TraceEvents {
			if e.Ph == "C" {
				curves[fmt.Sprintf("%s of %d", e.Name, e.Pid)] += fmt.Sprintf(" %v@%vs", e.Args["value"], e.Ts/1e6)
			}
		}
		for name, want := range want {
			if got := curves[name]; !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s:%s, want%s", set, name, got, want)
			}
		}
	}
}
