package sweep

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
)

// A search gives points as many replications as each needs, from any number on. Its folder says which are there, so
// that one that is lost is missed.
func TestSearchFolder(t *testing.T) {
	template := testkit.Template(t, testkit.Small)
	axis, err := scenario.ParseAxis("policy.gate.semaphore=1,2,3")
	if err != nil {
		t.Fatal(err)
	}
	template.Sweep = scenario.Sweep{Axes: []scenario.Axis{axis}}
	dir := filepath.Join(t.TempDir(), "found")
	f, err := NewSearchFolder(dir, &Plan{Template: template, Reps: 4})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(measure.Metrics()))
	for _, row := range []struct {
		label       string
		replication int
		err         error
	}{{"2", 4, nil}, {"1", 4, nil}, {"2", 5, nil}, {"3", 4, errors.New("broken")}, {"2", 6, nil}} {
		v := values
		if row.err != nil {
			v = nil
		}
		if err := f.Add([]string{row.label}, row.replication, v, nil, row.err); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Finish([]string{"1"}, []string{"2"}); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	if want := (&Search{Replications: []int{3, 1, 1}, Recommended: &zero}); !reflect.DeepEqual(m.Search, want) ||
		m.Points != 3 || m.Base != 1 {
		t.Errorf("search %+v of %d points, base %d; want %+v of 3, base 1", m.Search, m.Points, m.Base, want)
	}
	lacks := func() Shortfall {
		t.Helper()
		l, err := m.Lacks(filepath.Join(dir, ResultsName))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := lacks(); l != (Shortfall{}) {
		t.Errorf("lacks %+v; want nothing", l)
	}
	m.Search.Replications = []int{5, 1, 1, 2}
	m.Points = 4
	if l := lacks(); l != (Shortfall{2, 4}) {
		t.Errorf("lacks %+v; want two replications of the first point and two of a fourth", l)
	}
	if _, err := NewSearchFolder(dir, &Plan{Template: template}); err == nil ||
		!strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder in use: %v", err)
	}
}
