package sim

import "fmt"

// Loop is the virtual clock: events of type E, handed out in the order of
// (instant, order of scheduling). The zero Loop stands at time 0 with no
// budget. It ends at [End]. E should be a small value without pointers; one of 8 bytes makes an
// entry of 24.
type Loop[E any] struct {
	// Budget bounds the number of events handed out; 0 means no bound. When it
	// is spent Next returns false and Err the reason.
	Budget uint64

	queue  queue[E]
	now    Time
	events uint64
	timers timers
	err    error
}

// Ahead calls f with events that are among the next to be handed out, several at a time. What
// they name lies anywhere in memory: where f reads it, the waits for memory overlap, which
// otherwise take longer than the loop itself. It must change nothing, and may be told of an event
// that is cancelled, of one more than once, and of others never.
func (l *Loop[E]) Ahead(f func(E)) { l.queue.ahead = f }

// Now is the instant of the event last handed out.
func (l *Loop[E]) Now() Time { return l.now }

// Events is the number of events handed out so far.
func (l *Loop[E]) Events() uint64 { return l.events }

// Pending is the number of events still to come.
func (l *Loop[E]) Pending() int { return l.queue.size - l.timers.dead }

// More reports whether more events may come at this instant; false is certain.
func (l *Loop[E]) More() bool { return l.queue.head < len(l.queue.now) }

// Err is nil unless Next stopped because the budget was spent or time was up.
func (l *Loop[E]) Err() error { return l.err }

// At schedules an event, at [End] if t is later. An instant before now is a
// fault of the model and panics.
func (l *Loop[E]) At(t Time, event E) {
	l.queue.push(item[E]{at: l.hold(t), event: event})
}

// Timer schedules an event that Cancel can call off until it is handed out.
func (l *Loop[E]) Timer(t Time, event E) Timer {
	timer := l.timers.arm()
	l.queue.push(item[E]{at: l.hold(t), timer: timer, event: event})
	return timer
}

// Cancel calls a timer off and reports whether it was still to come. The zero
// Timer and one that fired are no error. The entry dies lazily: it is skipped
// when its instant comes, or swept out once the dead are the majority, so that
// cancelled timers never hold more memory than living events.
func (l *Loop[E]) Cancel(timer Timer) bool {
	if !l.timers.disarm(timer) {
		return false
	}
	l.timers.dead++
	if l.timers.dead > 1024 && l.timers.dead > l.queue.size/2 {
		l.queue.drop(l.timers.stale)
		l.timers.dead = 0
	}
	return true
}

// Next hands out the earliest event and moves the clock to its instant. It
// answers false when nothing is left, the budget is spent or time is up.
func (l *Loop[E]) Next() (event E, ok bool) {
	for l.queue.size > 0 {
		if l.Budget != 0 && l.events >= l.Budget && l.Pending() > 0 {
			l.err = &BudgetError{l.Budget, l.now, l.Pending()}
			return event, false
		}
		it := l.queue.pop()
		if it.timer.slot != 0 && !l.timers.disarm(it.timer) {
			l.timers.dead--
			continue
		}
		if it.at >= End {
			l.err = &EndError{l.Pending() + 1}
			return event, false
		}
		l.now = it.at
		l.events++
		return it.event, true
	}
	l.queue.last = l.now // the last ones skipped may have been dead and later than now
	return event, false
}

// Peek is the instant of the event that Next would hand out, and false when it would hand
// out none. The clock stays where it is, so that an earlier event may still be scheduled.
func (l *Loop[E]) Peek() (Time, bool) {
	at := l.queue.earliest(l.timers.stale)
	return at, at < End && (l.Budget == 0 || l.events < l.Budget)
}

func (l *Loop[E]) hold(t Time) Time {
	if t < l.now {
		panic(fmt.Sprintf("sim: event scheduled at %v, before now, %v", t, l.now))
	}
	return min(t, End)
}

// Timer names a cancellable event. The zero Timer names none.
type Timer struct{ slot, generation uint32 }

// timers gives each armed timer a slot and each use of the slot a generation,
// so that a stale name can do no harm. Slot 0 is never given out.
type timers struct {
	generation []uint32
	free       []uint32
	dead       int // cancelled, still in the queue
}

func (t *timers) arm() Timer {
	if n := len(t.free); n > 0 {
		slot := t.free[n-1]
		t.free = t.free[:n-1]
		return Timer{slot, t.generation[slot]}
	}
	if len(t.generation) == 0 {
		t.generation = append(t.generation, 0)
	}
	t.generation = append(t.generation, 0)
	return Timer{slot: uint32(len(t.generation) - 1)}
}

func (t *timers) stale(name Timer) bool {
	return name.slot != 0 && t.generation[name.slot] != name.generation
}

// disarm ends a timer and reports whether it was armed.
func (t *timers) disarm(name Timer) bool {
	if name.slot == 0 || t.stale(name) {
		return false
	}
	t.generation[name.slot]++
	t.free = append(t.free, name.slot)
	return true
}
