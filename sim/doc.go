// Package sim is the simulation kernel: a loop of events in virtual time, keyed random numbers, a
// station of servers, and statistics. It knows nothing of clients, providers or money.
//
// It has five concepts. A [Loop] hands out events in the order of their
// instants, and those of one instant in the order in which they were
// scheduled. A [Timer] is an event that can be cancelled. A [Key] turns ids
// into random numbers, so that a draw depends on what it is for and never on
// what was drawn before. A [Station] is c servers and a queue. Statistics
// ([Moments], [Level], [Quantiles]) summarise what happened.
//
// A model is a loop around Next and a switch over its own event type:
//
//	for {
//		event, ok := loop.Next()
//		if !ok {
//			return loop.Err()
//		}
//		switch event.Kind { ... }
//	}
//
// Nothing here reads a wall clock, starts a goroutine or ranges over a map.
package sim
