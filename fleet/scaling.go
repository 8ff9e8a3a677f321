package fleet

import (
	"fmt"
	"strings"
	"time"

	"stampede/backend"
	"stampede/internal/format"
	"stampede/sim"
)

// Scaling changes how many of its workers each instance has over time: by a schedule or by an
// autoscaler. The zero Scaling changes nothing. A worker that goes ends its call first.
type Scaling struct {
	Steps []WorkerStep // in order of time, the first at 0
	Auto  Autoscaler
}

// WorkerStep is how many workers each instance has from an instant on.
type WorkerStep struct {
	At    sim.Time
	Count int
}

// Autoscaler gives each instance workers in proportion to the queue, as the Horizontal Pod Autoscaler
// of Kubernetes does with the length of a queue (KEDA): each Every it wants
//
//	ceil(calls in the queue or at a worker / PerQueued), from Min to Max
//
// and has them after Delay, which a worker takes to start. What is more than any number wanted within
// Stabilization goes at once. Of a queue that instances share each counts its part. The zero
// Autoscaler does nothing.
type Autoscaler struct {
	Min, Max      int
	PerQueued     int
	Every         time.Duration
	Delay         time.Duration
	Stabilization time.Duration
}

// On reports whether the number of workers changes.
func (s *Scaling) On() bool { return len(s.Steps) > 0 || s.Auto.PerQueued > 0 }

// wants is how many workers an instance is to have that so many calls wait for or are at.
func (a *Autoscaler) wants(calls float64) int {
	n := a.Max
	if x := calls / float64(a.PerQueued); x < float64(n) {
		n = int(x)
		if float64(n) < x {
			n++
		}
	}
	return max(a.Min, n)
}

// Describe says what changes the number of workers; empty where nothing does.
func (s *Scaling) Describe() string {
	if a := &s.Auto; a.PerQueued > 0 {
		text := fmt.Sprintf("%d to %d, one for each %d calls in the queue or in progress, decided every %s",
			a.Min, a.Max, a.PerQueued, format.Duration(a.Every))
		if a.Delay > 0 {
			text += ", ready after " + format.Duration(a.Delay)
		}
		if a.Stabilization > 0 {
			text += ", fewer after " + format.Duration(a.Stabilization)
		}
		return text
	}
	var parts []string
	for _, step := range s.Steps {
		parts = append(parts, fmt.Sprintf("%d from %s", step.Count, format.Duration(step.At)))
	}
	return strings.Join(parts, ", ")
}

// crew is the workers of a fleet whose number changes.
type crew struct {
	wanted  []int32 // by instance: workers with a lower number are to be there
	here    []bool  // by worker: at a call, pausing or idle
	step    int     // the next of the schedule
	decided []int32 // by instance, of an autoscaler
	coming  sim.Ring[promise]
	recent  [][]int32 // by instance: what the autoscaler wanted last, in a ring
	tick    int       // the last decision, at tick times Every
	asleep  bool      // no decision would change anything until a call comes or goes
}

// promise is workers who are starting.
type promise struct{ instance, count int32 }

func newCrew(f *Fleet) *crew {
	if !f.Scaling.On() {
		return nil
	}
	return &crew{
		wanted: make([]int32, f.Instances), decided: make([]int32, f.Instances),
		here: make([]bool, f.Instances*f.Workers),
	}
}

// openCrew lets those workers begin who are there from the start.
func (r *run) openCrew(g *group) {
	if g.Scaling.Auto.PerQueued == 0 {
		r.takeStep(g)
		return
	}
	a := &g.Scaling.Auto
	for i := range g.crew.wanted {
		g.crew.decided[i] = int32(a.Min)
		if n := int(a.Stabilization / a.Every); n > 0 {
			g.crew.recent = append(g.crew.recent, make([]int32, n))
		}
		r.staff(g, int32(i), int32(a.Min))
	}
	r.loop.At(a.Every, backend.Event{Kind: scales, Of: uint16(g.index)})
}

// takeStep takes the next step of the schedule.
func (r *run) takeStep(g *group) {
	c, steps := g.crew, g.Scaling.Steps
	for i := range c.wanted {
		r.staff(g, int32(i), int32(steps[c.step].Count))
	}
	if c.step++; c.step < len(steps) {
		r.loop.At(steps[c.step].At, backend.Event{Kind: scales, Of: uint16(g.index)})
	}
}

// scale is the next step of the schedule, or a decision of the autoscaler.
func (r *run) scale(g *group) {
	a := &g.Scaling.Auto
	if a.PerQueued == 0 {
		r.takeStep(g)
		return
	}
	c, settled := g.crew, true
	tick := int(r.loop.Now() / a.Every)
	for i := range c.wanted {
		i := int32(i)
		want := int32(a.wants(g.load(i, r.Horizon > 0 && r.loop.Now() >= r.Horizon)))
		most := want // of those wanted lately
		if len(c.recent) > 0 {
			recent := c.recent[i]
			for skipped := max(c.tick+1, tick-len(recent)); skipped < tick; skipped++ { // when it was asleep
				recent[skipped%len(recent)] = recent[c.tick%len(recent)]
			}
			for _, n := range recent {
				most = max(most, n)
			}
			recent[tick%len(recent)] = want
		}
		was := c.decided[i]
		c.decided[i] = max(want, min(was, most))
		settled = settled && c.decided[i] == was && want == was
		if c.decided[i] < c.wanted[i] {
			r.staff(g, i, c.decided[i])
		}
		if c.decided[i] > was && a.Delay > 0 {
			c.coming.Push(promise{i, c.decided[i]})
			r.loop.At(r.loop.Now()+a.Delay, backend.Event{Kind: staffs, Of: uint16(g.index)})
		} else if c.decided[i] > was {
			r.staff(g, i, c.decided[i])
		}
	}
	c.tick = tick
	if c.asleep = settled; !settled {
		r.loop.At(r.loop.Now()+a.Every, backend.Event{Kind: scales, Of: uint16(g.index)})
	}
}

// moved hears that a call came or went: an autoscaler that slept decides at its next instant, which may
// be now.
func (r *run) moved(g *group) {
	c := g.crew
	if c == nil || !c.asleep {
		return
	}
	c.asleep = false
	every := g.Scaling.Auto.Every
	next := max(sim.Time(c.tick+1), (r.loop.Now()+every-1)/every)
	r.loop.At(next*every, backend.Event{Kind: scales, Of: uint16(g.index)})
}

// arriveWorkers lets workers begin who have started, as far as they are still wanted.
func (r *run) arriveWorkers(g *group) {
	p, _ := g.crew.coming.Pop()
	if n := min(p.count, g.crew.decided[p.instance]); n > g.crew.wanted[p.instance] {
		r.staff(g, p.instance, n)
	}
}

// load is how many calls wait for the workers of an instance or are at them. Of a batch, those that
// nobody has taken wait.
func (g *group) load(instance int32, over bool) float64 {
	line := g.lineOf(instance)
	calls := float64(line.waiting + line.busy)
	if g.Workload.Arrivals == nil && !over {
		calls += float64(g.Workload.Calls - g.next)
	}
	if g.Queue != PerInstance {
		calls /= float64(g.Instances)
	}
	return calls
}

// staff gives an instance so many workers. Those who are too many go when they are free.
func (r *run) staff(g *group, instance, count int32) {
	c := g.crew
	from := c.wanted[instance]
	c.wanted[instance] = count
	for w := uint32(instance)*uint32(g.Workers) + uint32(from); from < count; w, from = w+1, from+1 {
		if c.here[w] { // it was about to go
			continue
		}
		c.here[w] = true
		if g.Workload.Arrivals != nil {
			r.serve(g, w)
		} else {
			r.think(g, w)
		}
	}
}

// goes reports whether a free worker is one too many, and lets it go.
func (g *group) goes(worker uint32) bool {
	if g.crew == nil || int32(worker)%int32(g.Workers) < g.crew.wanted[g.instanceOf(worker)] {
		return false
	}
	g.crew.here[worker] = false
	return true
}
