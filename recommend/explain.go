package recommend

import "context"

// explained is how many replications those points have that the pick is compared with.
const explained = 20

// explain compares the pick with all that differ from it in one setting, with the start, and with the points that
// were to be tried.
func (s *search) explain(ctx context.Context, a *Answer) error {
	if a.Pick == nil {
		return nil
	}
	pick := s.visit(a.Pick)
	var moves, others []*candidate
	for k, axis := range s.q.Axes {
		for v := range axis.Values {
			if v != a.Pick[k] {
				moves = append(moves, s.visit(a.Pick.with(k, v)))
				a.Moves = append(a.Moves, Move{Axis: k, Value: v})
			}
		}
	}
	for _, p := range append([]Point{s.q.Start}, s.q.Also...) {
		others = append(others, s.visit(p))
	}
	all := unique(append(append([]*candidate{pick}, moves...), others...))
	a.Further = cost(all, explained)
	if err := s.play(ctx, all, explained, fresh, func(c *candidate) *[]Row { return &c.rows }); err != nil {
		a.Moves, a.Further = nil, 0
		return err
	}
	for i, c := range moves {
		a.Moves[i].Comparison = s.compare(c, pick)
	}
	a.Start = s.compare(others[0], pick)
	for _, c := range others[1:] {
		a.Compared = append(a.Compared, s.compare(c, pick))
	}
	return nil
}

// compare holds a candidate against the pick on the replications that both have.
func (s *search) compare(c, pick *candidate) Comparison {
	n := min(len(c.rows), len(pick.rows))
	own, its := c.rows[:n], pick.rows[:n]
	differences := make([]float64, n)
	for i := range differences {
		differences[i] = own[i][0] - its[i][0]
	}
	m, _ := s.metricOf(0)
	return Comparison{
		Point:        c.point,
		Replications: n,
		Same:         bits(own) == bits(its),
		Difference:   m.Difference(differences, true, s.q.Confidence),
		Objective:    m.Estimate(column(own, 0), true, s.q.Confidence),
		Goals:        s.results(own),
	}
}
