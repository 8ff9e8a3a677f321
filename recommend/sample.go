package recommend

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"stampede/scenario"
)

// sampled is how many points of a space are sampled, and of how many all are.
const sampled = 400

// sample visits all points of a small space; of a large one a Halton sequence, the start, and the points
// that are to be tried in any case. Each gets one replication.
func (s *search) sample(ctx context.Context) error {
	n := sampled
	if s.q.Budget > 0 {
		n = min(n, max(1, s.q.Budget/2))
	}
	if s.whole = s.q.Size() <= float64(n); s.whole {
		for p := range s.q.grid() {
			s.visit(p)
		}
	} else {
		s.visit(slices.Clone(s.q.Start))
		for _, p := range s.q.Also {
			s.visit(slices.Clone(p))
		}
		points, err := s.q.halton(n)
		if err != nil {
			return err
		}
		for _, p := range points {
			s.visit(p)
		}
	}
	return s.try(ctx, s.visited, 1)
}

// halton spreads n points over the space.
func (q *Question) halton(n int) (points []Point, err error) {
	sweep := scenario.Sweep{Points: scenario.Count(n)}
	for _, a := range q.Axes {
		axis := scenario.Axis{Path: a.Path}
		for v := range a.Values {
			axis.Values = append(axis.Values, scenario.Value{Label: strconv.Itoa(v)})
		}
		sweep.Axes = append(sweep.Axes, axis)
	}
	if err := sweep.Check(); err != nil {
		return nil, err
	}
	for i := range n {
		p := make(Point, len(q.Axes))
		for k, v := range sweep.Point(i, 0) {
			if p[k], err = strconv.Atoi(v.Label); err != nil {
				return nil, fmt.Errorf("sample: %w", err)
			}
		}
		points = append(points, p)
	}
	return points, nil
}
