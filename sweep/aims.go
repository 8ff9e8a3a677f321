package sweep

import (
	"stampede/measure"
)

// setAims keeps goals and a stated objective, for reports.
func (m *Manifest) setAims(a measure.Aims) {
	for _, g := range a.Goals {
		m.Goals = append(m.Goals, g.String())
	}
	name := measure.Metrics()[a.Objective.Metric].Name
	switch {
	case a.Stated && a.Objective.Largest:
		m.Maximize = name
	case a.Stated:
		m.Minimize = name
	}
}

// Aims are the goals and the objective of the sweep.
func (m *Manifest) Aims() (measure.Aims, error) {
	base := measure.Aims{Objective: measure.DefaultObjective(m.Has("price"))}
	a, err := base.With(measure.AimFlags{Goals: m.Goals, Min: m.Minimize, Max: m.Maximize})
	if err != nil {
		return a, FolderErrorf("%s: %w", ManifestName, err)
	}
	return a, nil
}
