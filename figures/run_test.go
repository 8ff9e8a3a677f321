package figures

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"stampede/plots"
	"stampede/report"
	"stampede/sweep"
)

// Instants that no run has, as a damaged file can hold them, are none, and few bins hold what is far
// behind the last call.
func TestInstantsOfDamagedRecords(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "1.5": 1.5, "2305843009": 2_305_843_009,
		"": math.NaN(), "x": math.NaN(), "-1": math.NaN(), "NaN": math.NaN(), "Inf": math.NaN(), "1e300": math.NaN()} {
		if got := (record{"sent_s": text}).seconds("sent_s"); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	b := bins{width: 0.001}
	for _, at := range []float64{0, 2_305_843_009, math.NaN()} {
		b.add(at, 1)
	}
	b.spread(0.0005, 2_305_843_009)
	if len(b.values) > maxBins+1 || b.values[0] != 1.0005 {
		t.Errorf("%d bins, the first %v; want at most %d, and 1.0005", len(b.values), b.values[0], maxBins+1)
	}
}

// Whatever stands in the records of a run's folder, its figures are made or refused, and have few bins.
func FuzzRecords(f *testing.F) {
	f.Add("fleet,call,arrived_s,ended_s,outcome\n0,0,0,1.5,answered\n",
		"fleet,call,sent_s,ended_s,class\n0,0,0,1.5,ok\n")
	f.Add("fleet,call,arrived_s,ended_s,outcome\n0,0,0,0.001,answered\n",
		"fleet,call,sent_s,ended_s,class\n0,0,-1,2e9,throttled\n0,1e300,Inf,NaN,\n")
	f.Add("arrived_s,ended_s\n0,\n", "0")
	f.Add("ended_s,ended_s\n1e-300,1e-300\n", "sent_s\n\"1\n")
	dir := f.TempDir()
	d := Drawing{Dir: dir, c: &report.Comparison{Manifest: &sweep.Manifest{Scenario: json.RawMessage(`{}`)}}}
	f.Fuzz(func(t *testing.T, calls, attempts string) {
		for name, text := range map[string]string{CallsName: calls, AttemptsName: attempts} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, build := range []func() (plots.Figure, error){d.timeline, d.herd} {
			figure, err := build()
			timeline, ok := figure.(*plots.Timeline)
			if err != nil || !ok {
				continue
			}
			for _, panel := range timeline.Panels {
				for _, steps := range panel.Steps {
					if len(steps.Values) > maxBins+1 {
						t.Fatalf("%d bins of %g s up to %g s", len(steps.Values), panel.Width, timeline.End)
					}
				}
			}
		}
	})
}
