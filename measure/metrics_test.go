package measure

import (
	"bytes"
	"fmt"
	"os"
	"strings"
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
	for name, want := range map[string]Basis{"success_ratio": PerCall, "attempts_per_call": PerCall,
		"usd_per_1000_answers": PerCall, "gate_wait_s": PerCall,
		"goodput_per_min": PerTime, "attempts_per_s": PerTime, "peak_in_flight": PerTime, "quota_used_ratio": PerTime,
		"collapsed":  PerTime,
		"makespan_s": PerRun, "regret": PerRun, "measured_s": PerRun} {
		if got := Metrics()[Index(name)].Of; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	changes, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for old, now := range renamed {
		if row := fmt.Sprintf("| `%s` | `%s` |\n", old, now); !strings.Contains(string(changes), row) {
			t.Errorf("CHANGELOG.md has no row %s", row)
		}
		if Index(old) != -1 || Index(now) == -1 {
			t.Errorf("%s -> %s: the old name must be unknown and the new one known", old, now)
		}
		if _, err := Lookup(old); err == nil || !strings.Contains(err.Error(), `it is now called "`+now+`"`) {
			t.Errorf("Lookup(%q): %v; want the new name %s", old, err, now)
		}
	}
	if i, err := Lookup("answered"); err != nil || i != Index("answered") {
		t.Errorf("Lookup of answered: %d, %v", i, err)
	}
	if _, err := Lookup("answerd"); err == nil || !strings.Contains(err.Error(), `did you mean "answered"?`) {
		t.Errorf("Lookup of answerd: %v; want the nearest name", err)
	}
	if Index("nothing") != -1 {
		t.Error("Index finds what is not there")
	}
}

// docs/metrics.md is what the program prints.
func TestReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	Reference(&want)
	got, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/metrics.md is not current; run go generate ./measure")
	}
}

// A meaning is one plain phrase: a capital letter, no full stop, at most 110 characters.
func TestMeaningsArePlain(t *testing.T) {
	for _, m := range Metrics() {
		first := m.Meaning[:1]
		if first != strings.ToUpper(first) || strings.HasSuffix(m.Meaning, ".") || len(m.Meaning) > 110 {
			t.Errorf("%s: %q (%d)", m.Name, m.Meaning, len(m.Meaning))
		}
	}
}
