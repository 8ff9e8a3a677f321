package recommend

import (
	"context"
	"slices"
)

const (
	climbRounds    = 12
	climbLooks     = 18    // of the best points get all replications of the climb
	climbDoubts    = 12    // of those that are better and not surely infeasible do so, too
	climbExpands   = 6     // of the best have their neighbours visited
	climbPlays     = fresh // replications
	climbAgain     = 2     // times more points get all replications at the end
	climbLast      = 120   // of the best points, and of those with doubt, do so each time
	climbNiches    = 30    // values of axes whose best point has its neighbours glanced at in a round
	raceCandidates = 80    // of the best points are raced
)

// climb goes from the best points to their neighbours until it knows those of all of them. So that it does not
// end at the first summit, it also goes on, with a single replication each, from the best point of each value
// of each axis: with three attempts the best backoff is another than with six, and between them is a valley.
// At the end those that may be among the best to be raced get all replications, since one alone misleads; of a
// space that is known as a whole the race takes a good part anyway.
func (s *search) climb(ctx context.Context) error {
	if err := s.ascend(ctx); err != nil || s.whole {
		return err
	}
	for range climbAgain {
		if err := s.look(ctx, climbLast, climbLast); err != nil {
			return err
		}
	}
	return nil
}

// look gives the best points, and the best of those that are not surely infeasible, all replications of the climb.
func (s *search) look(ctx context.Context, best, doubtful int) error {
	looks := slices.Concat(first(s.promising(s.visited, 0), best), first(s.promising(s.visited, 1), doubtful))
	return s.try(ctx, unique(looks), climbPlays)
}

// ascend visits neighbours until there are no new ones.
func (s *search) ascend(ctx context.Context) error {
	for range climbRounds {
		if err := s.look(ctx, climbLooks, climbDoubts); err != nil {
			return err
		}
		best := s.promising(s.visited, 0)
		next := s.expand(slices.Concat(first(best, climbExpands), s.leaders(best)))
		if len(next) == 0 {
			return nil
		}
		if err := s.try(ctx, next, 1); err != nil {
			return err
		}
	}
	return nil
}

// expand visits the neighbours of candidates.
func (s *search) expand(candidates []*candidate) (next []*candidate) {
	for _, c := range candidates {
		if c.expanded {
			continue
		}
		c.expanded = true
		for _, p := range s.q.neighbours(c.point) {
			next = append(next, s.visit(p))
		}
	}
	return unique(next)
}

// leaders are the best candidates of the values of axes, where candidates are in order.
func (s *search) leaders(candidates []*candidate) (leaders []*candidate) {
	led := map[[2]int]bool{} // axes and values
	for _, c := range candidates {
		leads := false
		for k, v := range c.point {
			leads = leads || !led[[2]int{k, v}]
			led[[2]int{k, v}] = true
		}
		if leads && len(leaders) < climbNiches {
			leaders = append(leaders, c)
		}
	}
	return leaders
}

func first(candidates []*candidate, n int) []*candidate { return candidates[:min(n, len(candidates))] }

// unique leaves out repeats.
func unique(candidates []*candidate) (out []*candidate) {
	seen := map[*candidate]bool{}
	for _, c := range candidates {
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}
