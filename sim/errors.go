package sim

import "fmt"

// BudgetError says that a run was stopped because it handed out as many events
// as it was allowed to.
type BudgetError struct {
	Budget  uint64
	Now     Time
	Pending int
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("event budget spent: %d events handled by %v of virtual time with %d pending; "+
		"raise event_budget, or find what never ends", e.Budget, e.Now, e.Pending)
}

// EndError reports a run that was stopped because it reached the end of time.
type EndError struct {
	Pending int
}

func (e *EndError) Error() string {
	return fmt.Sprintf("the run reached the end of virtual time, %d years, with %d events pending; "+
		"look for a wait, a duration or a distribution of durations that is far too long",
		int(End.Hours()/24/365), e.Pending)
}
