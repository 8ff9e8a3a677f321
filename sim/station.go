package sim

// Station is c parallel servers before a queue: first in, first out among jobs of
// one rank unless LastFirst, lower ranks first. A job in service is not interrupted. The station
// keeps no time and no jobs in service: the model decides how long service takes
// and calls Depart when it ends.
//
// No server idles while a job waits: Arrive starts a job whenever a server is
// free, and Depart passes the freed server straight on.
type Station[J any] struct {
	Servers int // at least 0; 0 refuses or queues everything
	Room    int // places in the queue, of all ranks together; negative means no bound, 0 no queue at all
	// LastFirst serves the jobs of one rank last in, first out.
	LastFirst bool

	busy      int
	waiting   int
	cancelled int       // of those waiting, jobs that left
	queues    []Ring[J] // by rank
}

// Admission is what a station did with an arriving job.
type Admission int

const (
	Started Admission = iota // a server took it
	Queued                   // it waits
	Refused                  // no server free and no room
)

// Arrive offers a job of a rank, from 0.
func (s *Station[J]) Arrive(job J, rank int) Admission {
	switch {
	case s.busy < s.Servers:
		s.busy++
		return Started
	case s.Room < 0 || s.waiting-s.cancelled < s.Room:
		for len(s.queues) <= rank {
			s.queues = append(s.queues, Ring[J]{})
		}
		s.queues[rank].Push(job)
		s.waiting++
		return Queued
	default:
		return Refused
	}
}

// Depart ends one service. When a job waits and a server is free, that job
// starts and is returned.
func (s *Station[J]) Depart() (next J, started bool) {
	s.Withdraw()
	return s.Next()
}

// Withdraw ends one service and starts none.
func (s *Station[J]) Withdraw() {
	if s.busy == 0 {
		panic("sim: departure from a station with no job in service")
	}
	s.busy--
}

// Leave makes room in the queue for a job that waits there no more. Its place is
// kept until its turn, which must be answered with SkipCancelled.
func (s *Station[J]) Leave() { s.cancelled++ }

// SkipCancelled ends the service of a job that had left the queue before its turn.
func (s *Station[J]) SkipCancelled() {
	s.cancelled--
	s.Withdraw()
}

// Next starts a waiting job when a server is free, as after Servers has grown.
func (s *Station[J]) Next() (next J, started bool) {
	if s.busy >= s.Servers || s.waiting == 0 {
		return next, false
	}
	for i := range s.queues {
		if s.LastFirst {
			next, started = s.queues[i].PopBack()
		} else {
			next, started = s.queues[i].Pop()
		}
		if started {
			s.busy++
			s.waiting--
			break
		}
	}
	return next, started
}

// Busy is the number of jobs in service.
func (s *Station[J]) Busy() int { return s.busy }

// Waiting is the number of jobs in the queue, without those that left.
func (s *Station[J]) Waiting() int { return s.waiting - s.cancelled }
