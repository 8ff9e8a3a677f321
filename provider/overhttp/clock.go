package overhttp

import (
	"sync"
	"time"

	"stampede/backend"
	"stampede/sim"
)

// clock plays the loop of a backend on the wall clock: a timer waits for the next event. It holds no
// goroutine, so nothing has to be closed.
type clock struct {
	mu     sync.Mutex
	start  time.Time
	loop   sim.Loop[backend.Event]
	handle func(backend.Event)
	timer  *time.Timer // for the next event
	next   sim.Time    // its instant; 0 once it has fired
}

// do does something now, after all that is due.
func (c *clock) do(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := max(time.Since(c.start), c.loop.Now())
	c.handOut(now)
	c.moveTo(now)
	f()
	c.handOut(now)
	c.await(now)
}

// handOut hands out the events that are due.
func (c *clock) handOut(now sim.Time) {
	for at, ok := c.loop.Peek(); ok && at <= now; at, ok = c.loop.Peek() {
		e, _ := c.loop.Next()
		c.handle(e)
	}
}

// moveTo moves the loop to now: it stands at its last event, so it gets one that is nobody's.
func (c *clock) moveTo(now sim.Time) {
	if now > c.loop.Now() {
		c.loop.At(now, backend.Event{Kind: backend.Kinds})
		c.loop.Next()
	}
}

// await sets the timer for the next event.
func (c *clock) await(now sim.Time) {
	next, ok := c.loop.Peek()
	switch {
	case !ok:
		next = 0 // whatever the timer still waits for is not due then
	case c.timer == nil:
		c.timer = time.AfterFunc(next-now, func() { c.do(func() { c.next = 0 }) })
	case next != c.next:
		c.timer.Reset(next - now)
	}
	c.next = next
}

// at is the instant of the loop on the wall clock.
func (c *clock) at(t sim.Time) time.Time { return c.start.Add(t) }
