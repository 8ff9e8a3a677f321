package figures

import (
	"fmt"
	"slices"

	"stampede/experiments"
	"stampede/plots"
)

// OfPicture is a picture as a figure.
func OfPicture(p experiments.Picture, content experiments.Content) plots.Figure {
	switch of := content.(type) {
	case experiments.Curves:
		f := &plots.Lines{
			Title: p.Title, Subtitle: p.Subtitle, X: p.X, Y: p.Y, LogY: of.LogY,
			Names: of.Places, Dots: of.Places != nil, Heading: of.Heading,
			Bound: pointsOf(of.Bound), BoundName: of.BoundBy, ExpectedName: of.Expected,
		}
		for _, curve := range of.Curves {
			f.Series = append(f.Series, plots.Series{
				Name: curve.Name, Points: pointsOf(curve.Points), Expected: pointsOf(curve.Expected),
			})
		}
		if slices.ContainsFunc(f.Series, func(s plots.Series) bool {
			return slices.ContainsFunc(s.Points, func(p plots.Point) bool { return p.High > p.Low })
		}) {
			f.Subtitle += "; 95 % intervals"
		}
		for _, s := range of.Shaded {
			f.Shaded = append(f.Shaded, plots.Span(s))
		}
		return f
	case experiments.Histograms:
		f := &plots.Histograms{Title: p.Title, Subtitle: p.Subtitle, X: p.X, Y: p.Y, Width: of.Width.Seconds()}
		for _, h := range of.Panels {
			f.Panels = append(f.Panels, plots.Histogram(h))
		}
		return f
	case experiments.Herds:
		f := &plots.Dots{
			Title: p.Title, Subtitle: p.Subtitle, X: p.X,
			Kinds: []string{"refused", "answered"}, Inks: []plots.Ink{refusedInk, answeredInk},
		}
		for _, h := range of.Panels {
			at := [][][2]float64{h.Refused, h.Answered}
			f.Panels = append(f.Panels, plots.DotPanel{Name: h.Name, Y: p.Y, At: at})
		}
		return f
	}
	panic(fmt.Sprintf("no figure for %T", content))
}

func pointsOf(points []experiments.Point) (out []plots.Point) {
	for _, p := range points {
		out = append(out, plots.Point{X: p.X, Y: p.Mean, Low: p.Low, High: p.High})
	}
	return out
}
