package fleet

import (
	"stampede/backend"
	"stampede/sim"
)

// A client process takes Fleet.PerRequest for each request that it sends and for each reply that it
// handles, one at a time and in the order in which they come, as an event loop does: a server with a
// constant service time. Of such a server only the instant counts at which it is free.

// pass is when the process of an instance has done what comes to it now.
func (g *group) pass(instance int32, now sim.Time) sim.Time {
	free := &g.free[instance]
	*free = max(*free, now) + g.PerRequest
	return *free
}

// departed is the moment at which an attempt that waited for its process is sent: its timers start.
func (r *run) departed(a *attempt) {
	c := r.calls.At(a.call)
	g := r.group(c)
	expiry, layer := r.expiry(g, c)
	r.startTimer(c, g, a, a.flight.Reach(), expiry, layer)
}

// reaches is the moment at which a reply comes to a process, which handles it when it gets to it. The
// attempt is not cut off any more: its reply is there.
func (r *run) reaches(a *attempt) {
	g := &r.groups[a.Fleet]
	if g.free == nil {
		r.replied(a)
		return
	}
	r.loop.Cancel(a.timer)
	a.heard = true
	a.until = g.pass(int32(a.Instance), r.loop.Now())
	a.timer = r.loop.Timer(a.until, backend.Event{Kind: handled, ID: a.self})
}
