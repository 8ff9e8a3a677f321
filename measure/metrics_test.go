package measure

import (
	"testing"
)

func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics() {
		if m.Name == "" || m.Unit == "" || m.Meaning == "" || seen[m.Name] {
			t.Errorf("%q: name, unit and meaning are needed, each name once", m.Name)
		}
		seen[m.Name] = true
		if Metrics()[Index(m.Name)].Name != m.Name {
			t.Errorf("Index does not find %s", m.Name)
		}
	}
	for name, want := range map[string]Basis{"success_ratio": PerCall, "attempts_per_call": PerCall, "usd_per_1000_answers": PerCall, "gate_wait_s": PerCall,
		"goodput_per_min": PerTime, "attempts_per_s": PerTime, "peak_in_flight": PerTime, "quota_used_ratio": PerTime, "collapsed": PerTime,
		"makespan_s": PerRun, "regret": PerRun, "measured_s": PerRun} {
		if got := Metrics()[Index(name)].Of; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if Index("nothing") != -1 {
		t.Error("Index finds what is not there")
	}
}
