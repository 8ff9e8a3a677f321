package fleet

import (
	"slices"

	"stampede/backend"
	"stampede/internal/words"
	"stampede/law"
	"stampede/policy"
	"stampede/sim"
)

// Sessions are conversations, such as those of agents: calls that follow each other, each with all that
// came before in its prompt,
//
//	prompt of the next turn = prompt of this one + what was said in its answer + Grows,
//
// with Workload.Think from the end of a turn to the next. Workload.Arrivals are the instants at which
// sessions begin with a turn, whose prompt the workload's sizes draw. Of [Users] each has one session
// at a time, thinks before its first turn too, and begins another when it ends. Reasoning is not said.
type Sessions struct {
	Count         uint64  // at most so many sessions; 0 means no bound
	Turns         law.Law // of a session, rounded, at least 1
	Grows         law.Law // tokens; nil means 0
	Context       int32   // that prompt and max_tokens must fit into; 0 means no limit
	EndsOnFailure bool    // a session ends with a turn that is not answered, else it goes on
}

// Users is a closed population: so many sessions begin at time 0, and one whenever one ends.
type Users uint64

// Next implements Process.
func (u Users) Next(k uint64, _ sim.Time, _ float64) (sim.Time, bool) { return 0, k < uint64(u) }
func (u Users) Describe() string                                      { return "one for each user" }

// users is how many there are; 0 where sessions begin by themselves.
func (w *Workload) users() uint64 {
	u, _ := w.Arrivals.(Users)
	return uint64(u)
}

// HasSessions reports whether any fleet has.
func (m *Model) HasSessions() bool {
	return slices.ContainsFunc(m.Fleets(), func(f *Fleet) bool { return f.Workload.Sessions != nil })
}

// Bounded reports whether the workload ends by itself.
func (w *Workload) Bounded() bool { return w.Calls > 0 || w.Sessions != nil && w.Sessions.Count > 0 }

// drawn reports whether sizes are drawn, as those of turns are.
func (w *Workload) drawn() bool {
	_, ok := w.Sizes.(Drawn)
	return ok
}

// SessionEnd is why a session ended with a call.
type SessionEnd uint8

const (
	GoesOn   SessionEnd = iota // or the run has ended
	Finished                   // it has had all its turns
	Failed
	OutOfContext
	SessionEnds = iota
)

// SessionEndWords are the words of ends and what they mean.
var SessionEndWords = words.Glossary[SessionEnd]{
	GoesOn:       {"", "it goes on"},
	Finished:     {"finished", "all its turns had been taken"},
	Failed:       {"failed", "a turn was not answered"},
	OutOfContext: {"out_of_context", "its next prompt would not have fit into the context"},
}

// String is the word for an end.
func (e SessionEnd) String() string { return SessionEndWords.Word(e) }

// Meaning is what it means.
func (e SessionEnd) Meaning() string { return SessionEndWords.Meaning(e) }

// session is one that has not ended.
type session struct {
	number      uint64 // counts in its fleet; of a user's sessions by the number of users
	turn, turns int32  // that it has taken or takes, and wants
	before      int32  // prompt of the turn before
	prompt      int32  // of this turn, or of the next
	instance    int32
}

// newSession is a session with uniform numbers for its turns and its first prompt.
func (w *Workload) newSession(number uint64, turns, start float64) session {
	s := session{
		number: number,
		turns:  tokens(w.Sessions.Turns.Sample(turns)),
		prompt: tokens(w.Sizes.(Drawn).Prompt.Sample(start)),
	}
	if room := w.room(); s.prompt > room {
		s.prompt = room // it is cut there
	}
	return s
}

// room is the longest prompt.
func (w *Workload) room() int32 {
	if context := w.Sessions.Context; context > 0 {
		return max(1, context-w.Sizes.(Drawn).MaxTokens)
	}
	return 1e9
}

// sizeOf is the size of the turn of a session.
func (w *Workload) sizeOf(s *session, luck Luck) Size {
	d := w.Sizes.(Drawn)
	size := d.complete(s.prompt, tokens(d.Output.Sample(luck.Output)), luck)
	if w.Cache.Scope == OfSession {
		size.Cached = w.Cache.holds(s.before)
	}
	return size
}

// follow makes the prompt of the next turn of a session from this one, answered or not, and a uniform number.
func (w *Workload) follow(s *session, size Size, answered bool, grows float64) SessionEnd {
	switch {
	case !answered && w.Sessions.EndsOnFailure:
		return Failed
	case s.turn >= s.turns:
		return Finished
	}
	next := int64(size.Prompt)
	if answered {
		next += int64(size.Output - size.Reasoning)
	}
	if law := w.Sessions.Grows; law != nil {
		next += int64(whole(law.Sample(grows)))
	}
	if next > int64(w.room()) {
		return OutOfContext
	}
	s.before, s.prompt = size.Prompt, int32(next)
	return GoesOn
}

// SampleTurns is the sizes of so many turns or a few more, in order, of sessions in which every turn is answered, and
// how many sessions they are of. A session that has as many by itself is cut.
func (w *Workload) SampleTurns(n int) (sizes []Size, sessions int) {
	key := sim.NewKey(0, 0)
	purpose := func(p uint64) sim.Key { return key.For(p) }
	turns, prompts, outputs := purpose(forTurns), purpose(forPrompts), purpose(forOutputs)
	reasoning, growth := purpose(forReasoning), purpose(forGrowth)
	for len(sizes) < n {
		k := uint64(sessions)
		s := w.newSession(k, turns.Uniform(k, 0), prompts.Uniform(k, 0))
		for end := GoesOn; end == GoesOn && len(sizes) < 2*n; {
			s.turn++
			t := uint64(s.turn)
			size := w.sizeOf(&s, Luck{Output: outputs.Uniform(k, t), Reasoning: reasoning.Uniform(k, t)})
			sizes = append(sizes, size)
			end = w.follow(&s, size, true, growth.Uniform(k, t))
		}
		sessions++
	}
	return sizes, sessions
}

// beginSession begins a session: at once where it arrives by itself, else after its user has thought.
func (r *run) beginSession(g *group, number uint64) {
	id, s := r.sessions.Alloc()
	g.opened++
	*s = g.Workload.newSession(number, g.turns.Uniform(number, 0), g.prompts.Uniform(number, 0))
	if g.dealt() {
		s.instance = g.deal(number)
	}
	if g.Workload.users() > 0 {
		r.thinkOfTurn(g, id, s)
	} else {
		r.takeTurn(g, id)
	}
}

// thinkOfTurn lets a session pause before its next turn. At the horizon none begins.
func (r *run) thinkOfTurn(g *group, id uint32, s *session) {
	at := r.loop.Now()
	if law := g.Workload.Think; law != nil {
		at += sim.Seconds(law.Sample(g.thinking.Uniform(s.number, uint64(s.turn))))
	}
	if r.Horizon > 0 && at >= r.Horizon {
		g.cut++
		r.forgetSession(g, id)
		return
	}
	r.loop.At(at, backend.Event{Kind: turn, Of: uint16(g.index), ID: id})
}

// takeTurn opens the next call of a session.
func (r *run) takeTurn(g *group, id uint32) {
	s := r.sessions.At(id)
	s.turn++
	c := r.newCall(g, id)
	c.instance = s.instance
	if g.Workers > 0 {
		r.enqueue(c)
	} else {
		r.begin(c)
	}
}

// endTurn is the end of a call of a session: what follows is its next turn, or the next session of its user.
func (r *run) endTurn(g *group, c *call, record *Call) {
	id := r.extras.At(c.extra).session
	s := r.sessions.At(id)
	if record.Outcome == policy.Unfinished {
		r.forgetSession(g, id)
		return
	}
	answered := record.Outcome == policy.Answered
	end := g.Workload.follow(s, c.size, answered, g.growth.Uniform(s.number, uint64(s.turn)))
	if record.SessionEnd = end; end == GoesOn {
		r.thinkOfTurn(g, id, s)
		return
	}
	number := s.number
	r.forgetSession(g, id)
	if users := g.Workload.users(); users > 0 && g.opens() {
		r.beginSession(g, number+users)
	}
}

// opens reports whether another session of a fleet may begin.
func (g *group) opens() bool {
	return g.Workload.Sessions.Count == 0 || g.opened < g.Workload.Sessions.Count
}

// forgetSession forgets a session that has ended, and what of it providers have in their caches.
func (r *run) forgetSession(g *group, id uint32) {
	if g.Workload.Cache.Scope == OfSession {
		for _, b := range r.backends {
			b.ForgetEntry(r.sessions.At(id).entry(g))
		}
	}
	r.sessions.Free(id)
}

// entry is the number of the entry of a session in the cache.
func (s *session) entry(g *group) uint64 { return s.number + 1 | uint64(g.index)<<tenantBits }
