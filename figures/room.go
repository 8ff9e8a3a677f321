package figures

import (
	"fmt"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/plots"
	"stampede/report"
)

// room is how far each setting of the recommended point can move. It needs the folder of a search that recommended one.
func (d *Drawing) room() (plots.Figure, error) {
	s := d.c.Manifest.Search
	if s == nil || s.Recommended == nil {
		return nil, nil
	}
	i := slices.IndexFunc(d.c.Points, func(p report.PointResult) bool { return p.Point == *s.Recommended })
	if i < 0 {
		return nil, nil
	}
	pick := &d.c.Points[i]
	f := &plots.Room{
		Title:    d.title("how far each recommended setting can move"),
		Subtitle: d.subtitle(""),
	}
	if len(d.c.Aims.Goals) > 0 {
		var goals []string
		for _, g := range d.c.Aims.Goals {
			goals = append(goals, g.String())
		}
		f.Subtitle = "Goals: " + strings.Join(goals, ", ") + "; below each value, " +
			measure.Metrics()[d.c.Aims.Objective.Metric].Name
	}
	for k := range d.c.Axes {
		row := plots.RoomRow{Name: short(d.c.Axes, k)}
		values, _ := d.values(k)
		for _, value := range values {
			at := slices.IndexFunc(d.c.Points, func(p report.PointResult) bool {
				return p.Reason == "" && p.Labels[k] == value && differsOnlyIn(k, p.Labels, pick.Labels)
			})
			if at < 0 {
				continue
			}
			p := &d.c.Points[at]
			row.Values = append(row.Values, plots.RoomValue{
				Name: value, State: roomState(p), Picked: p == pick, Effect: d.effect(p),
			})
		}
		if len(row.Values) > 1 {
			f.Rows = append(f.Rows, row)
		}
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}

func differsOnlyIn(axis int, a, b []string) bool {
	for k := range a {
		if k != axis && a[k] != b[k] {
			return false
		}
	}
	return true
}

func roomState(p *report.PointResult) plots.RoomState {
	if p.Verdict == nil {
		return plots.Keeps
	}
	return map[measure.Verdict]plots.RoomState{
		measure.Met: plots.Keeps, measure.Missed: plots.Breaks, measure.Undecided: plots.Open,
	}[*p.Verdict]
}

// effect is the objective at a point.
func (d *Drawing) effect(p *report.PointResult) string {
	metric := d.metric(measure.Metrics()[d.c.Aims.Objective.Metric].Name)
	if metric < 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", p.Estimates[metric].Mean)
}
