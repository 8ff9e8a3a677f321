package main

import (
	"math"
	"testing"
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
