package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stampede/measure"
	"stampede/scenario"
)

// Search says that the points of a folder are those that a search played, each with as many replications as the search
// needed of it.
type Search struct {
	Replications []int `json:"replications"`          // of each point
	Recommended  *int  `json:"recommended,omitempty"` // the point to ship; nil when none is known to meet the goals
}

// lacks is how many replications a point lacks.
func (s *Search) lacks(point int, have Replications) int {
	if have.broken || point >= len(s.Replications) {
		return 0
	}
	return max(0, s.Replications[point]-len(have.values))
}

// SearchFolder is the folder of a search under way. Points are numbered as they come.
type SearchFolder struct {
	dir     string
	plan    *Plan
	results *results
	unlock  func() error
	search  Search
	number  map[string]int
}

// ScenarioAxis is the axis on which a search of several scenarios puts their names.
const ScenarioAxis = "scenario"

// NewSearchFolder makes the folder of a search over the axes of a plan, whose template holds them.
func NewSearchFolder(dir string, p *Plan) (*SearchFolder, error) {
	if err := free(dir, "name another (--out)"); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f := &SearchFolder{dir: dir, plan: p, number: map[string]int{}}
	var err error
	if f.unlock, err = lockFolder(dir); err != nil {
		return nil, err
	}
	if f.results, err = createResults(dir, p.Axes()); err != nil {
		return nil, errors.Join(err, f.unlock())
	}
	return f, nil
}

// Add writes a replication of the point with these labels, and returns its number.
func (f *SearchFolder) Add(labels []string, replication int, values []float64, limits []string, failed error) error {
	row := Row{Point: f.Point(labels), Replication: replication, Labels: labels, Values: values,
		Limits: measure.JoinLimits(limits)}
	if failed != nil {
		row.Values, row.Reason = nil, firstLine(failed)
	}
	f.search.Replications[row.Point]++
	_, err := f.results.file.Write(row.Append(nil))
	return err
}

// Point is the number of the point with these labels.
func (f *SearchFolder) Point(labels []string) int {
	key := fmt.Sprintf("%q", labels)
	n, ok := f.number[key]
	if !ok {
		n = len(f.number)
		f.number[key] = n
		f.search.Replications = append(f.search.Replications, 0)
	}
	return n
}

// Finish puts the rows in order and writes the manifest. The base is the scenario as it stands.
func (f *SearchFolder) Finish(base, recommended []string) (err error) {
	defer func() { err = errors.Join(err, f.unlock()) }()
	if len(f.number) == 0 {
		return errors.Join(f.results.stop(), os.Remove(f.results.path))
	}
	if err := f.results.finish(); err != nil {
		return err
	}
	played := func(labels []string) (int, bool) {
		n, ok := f.number[fmt.Sprintf("%q", labels)]
		return n, ok
	}
	f.plan.search = &f.search
	if n, ok := played(recommended); ok {
		f.search.Recommended = &n
	}
	m, err := f.plan.Manifest()
	if err != nil {
		return err
	}
	if n, ok := played(base); ok {
		m.Base = n
	}
	text, err := m.Encode()
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(f.dir, ManifestName), text)
}

// WithScenarios is the plan with the axis of the scenarios' names before its own.
func (p *Plan) WithScenarios(names []string) *Plan {
	out := *p
	t := *p.Template
	axis := scenario.Axis{Path: ScenarioAxis, Values: scenario.Labels(names)}
	t.Sweep.Axes = append([]scenario.Axis{axis}, t.Sweep.Axes...)
	out.Template = &t
	return &out
}
