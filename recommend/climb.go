package recommend

import "context"

const (
	climbRounds    = 12
	climbLooks     = 18    // of the best points get all replications of the climb
	climbExpands   = 6     // of these have their neighbours visited
	climbPlays     = fresh // replications
	raceCandidates = 80    // of the best points are raced
)

// climb goes from the best points to their neighbours until it knows those of all of them.
func (s *search) climb(ctx context.Context) error {
	for range climbRounds {
		best := s.promising(s.visited)
		if err := s.try(ctx, best[:min(climbLooks, len(best))], climbPlays); err != nil {
			return err
		}
		best = s.promising(s.visited)
		var next []*candidate
		for _, c := range best[:min(climbExpands, len(best))] {
			if c.expanded || len(c.tried) < climbPlays {
				continue
			}
			c.expanded = true
			for _, p := range s.q.neighbours(c.point) {
				next = append(next, s.visit(p))
			}
		}
		if len(next) == 0 {
			return nil
		}
		if err := s.try(ctx, unique(next), climbPlays); err != nil {
			return err
		}
	}
	return nil
}

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
