package recommend

import (
	"context"
	"slices"
)

// simplifyRounds bounds how often the pick gives way to one that differs less from the start.
const simplifyRounds = 12

// simplify takes back what the pick changes for nothing: it races each point that has one setting more as the scenario
// has it, if a glance finds it as good. The climb may not have come to it, or have left it out for a twin.
func (s *search) simplify(ctx context.Context) error {
	r := s.race
	for range simplifyRounds {
		if r == nil || r.best == nil {
			return nil
		}
		joined, err := r.joinSimpler(ctx, r.simplest(&Answer{}))
		if err != nil || !joined {
			return err
		}
		if r.over() {
			continue
		}
		if err := r.narrow(ctx); err != nil {
			return err
		}
	}
	return nil
}

// joinSimpler lets those join the race that differ from the start in one setting less than the pick and are as good at
// a glance.
func (r *race) joinSimpler(ctx context.Context, pick *candidate) (joined bool, err error) {
	var simpler []*candidate
	for k, v := range r.q.Start {
		if c := r.visit(pick.point.with(k, v)); len(c.rows) == 0 { // else it was raced, or is the pick
			simpler = append(simpler, c)
		}
	}
	n := len(pick.rows)
	if len(simpler) == 0 || !r.affords(len(simpler)*n, 1) {
		return false, nil
	}
	look := min(n, mergeFrom)
	rows := func(c *candidate) *[]Row { return &c.rows }
	r.spent += cost(simpler, look)
	if err := r.play(ctx, simpler, look, fresh, rows); err != nil {
		return false, err
	}
	matters := r.indifference(pick)
	simpler = slices.DeleteFunc(simpler, func(c *candidate) bool {
		c.standing = standing{breaks: noConstraint}
		return !(r.violation(c.rows) <= 0) || !(r.difference(c, pick) <= matters)
	})
	if len(simpler) == 0 {
		return false, nil
	}
	r.spent += cost(simpler, n)
	if err := r.play(ctx, simpler, n, fresh, rows); err != nil {
		return false, err
	}
	r.left = append(r.left, simpler...)
	r.raced += len(simpler)
	r.level = r.levelOf(r.raced)
	if back := r.drop(); len(back) > 0 {
		_, err = r.wave(ctx, back, n)
	}
	return true, err
}
