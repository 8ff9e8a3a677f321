package scenario

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"stampede/fleet"
)

func TestWorkers(t *testing.T) {
	const s, m = time.Second, time.Minute
	for _, c := range []struct {
		workers string
		most    int
		want    fleet.Scaling
		says    string
	}{
		{"7", 7, fleet.Scaling{}, "7 workers take calls"},
		{"1", 1, fleet.Scaling{}, "1 worker takes calls as it becomes free"},
		{"{count: 7}", 7, fleet.Scaling{}, "7 workers take calls"},
		{"[{count: 2}, {at: 10m, count: 9}, {at: 1h, count: 0}]", 9,
			fleet.Scaling{Steps: []fleet.WorkerStep{{Count: 2}, {At: 10 * m, Count: 9}, {At: 60 * m}}},
			"Workers of each instance: 2 from 0s, 9 from 10m, 0 from 1h."},
		{"{min: 1, max: 9, per_queued: 5, delay: 45s}", 9,
			fleet.Scaling{Auto: fleet.Autoscaler{Min: 1, Max: 9, PerQueued: 5, Every: 30 * s, Delay: 45 * s}},
			"at most 9 workers take calls"},
		{"{max: 9, per_queued: 5, every: 15s, stabilization: 5m}", 9,
			fleet.Scaling{Auto: fleet.Autoscaler{Max: 9, PerQueued: 5, Every: 15 * s, Stabilization: 5 * m}},
			"Workers of each instance: 0 to 9, one for each 5 calls in the queue or in progress, decided every 15s, " +
				"fewer after 5m."},
	} {
		sc, err := Read([]byte(strings.Replace(base, "workers: 2", "workers: "+c.workers, 1)), "f", Options{})
		if err != nil {
			t.Errorf("%s: %v", c.workers, err)
			continue
		}
		if got := sc.Model; got.Workers != c.most || !reflect.DeepEqual(got.Scaling, c.want) {
			t.Errorf("%s: %d, %+v; want %d, %+v", c.workers, got.Workers, got.Scaling, c.most, c.want)
		}
		var out bytes.Buffer
		sc.Explain(&out)
		if !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: want %q in %s", c.workers, c.says, out.String())
		}
	}
	// A part that is set reaches inside; a number or a list replaces all.
	text := strings.Replace(base, "workers: 2", "workers: {min: 1, max: 9, per_queued: 5}", 1)
	for set, want := range map[string]int{"fleet.workers.max=20": 20, "fleet.workers=3": 3,
		"fleet.workers=[{count: 4}]": 4} {
		sc, err := Read([]byte(text), "f", Options{Set: []string{set}})
		if err != nil || sc.Model.Workers != want || (sc.Model.Scaling.Auto.Min == 1) != (want == 20) {
			t.Errorf("%s: %v, want at most %d", set, err, want)
		}
	}
}
