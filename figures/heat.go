package figures

import (
	"math"
	"slices"

	"stampede/plots"
)

func (d *Drawing) heat() (plots.Figure, error) {
	if d.byAxis < 0 || d.c.Manifest.Sample != "" {
		return nil, nil
	}
	x, _ := d.values(d.xAxis)
	y, _ := d.values(d.byAxis)
	if len(x) < 2 || len(y) < 2 || len(x)*len(y) > 400 {
		return nil, nil
	}
	points, fixed := d.slice()
	f := &plots.Heat{
		Title:    d.title(label(d.Y)),
		Value:    label(d.Y),
		Subtitle: d.subtitle(fixed),
		X:        short(d.c.Axes, d.xAxis),
		Y:        short(d.c.Axes, d.byAxis),
		NamesX:   x,
		NamesY:   y,
	}
	for range y {
		row := make([]plots.Point, len(x))
		for i := range row {
			row[i].Y = math.NaN()
		}
		f.Cells = append(f.Cells, row)
	}
	for _, p := range points {
		f.Cells[slices.Index(y, p.Labels[d.byAxis])][slices.Index(x, p.Labels[d.xAxis])] = d.at(p, d.Y)
	}
	return f, nil
}
