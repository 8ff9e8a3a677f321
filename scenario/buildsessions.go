package scenario

import (
	"fmt"

	"stampede/fleet"
	"stampede/law"
)

// sessions reads a workload of sessions into the model, and the law of their first prompts into the sizes.
func (b *builder) sessions(w *Workload, horizon Span, out *fleet.Workload, sizes *fleet.Drawn) error {
	const at = "workload.sessions"
	s := w.Sessions
	switch {
	case (s.Rate > 0) == (s.Users > 0):
		return b.errorf(at, "found rate %v and users %d; want one of them, such as rate: 2/min or users: 60", s.Rate,
			s.Users)
	case s.Users > 10_000_000:
		return b.errorf(at+".users", "found %d; want at most 10M", s.Users)
	case s.Count == 0 && horizon == 0:
		return b.errorf(at, "found neither count nor a horizon; want one, or the run would never end")
	case s.Context > maxTokens || s.Context > 0 && s.Context <= w.MaxTokens:
		return b.errorf(at+".context", "found %d with max_tokens %d; want more than max_tokens and at most 1G",
			s.Context, w.MaxTokens)
	}
	out.Sessions = &fleet.Sessions{
		Count:         uint64(s.Count),
		Context:       int32(s.Context),
		EndsOnFailure: s.EndsOnFailure,
	}
	if out.Arrivals = fleet.Process(fleet.Users(s.Users)); s.Users == 0 {
		out.Arrivals = fleet.Renewal{Gap: law.Exponential{Beta: 1}, Rate: fleet.Constant(float64(s.Rate))}
	}
	var err error
	for _, part := range []struct {
		name string
		read func() (law.Law, error)
		to   *law.Law
		need string
	}{
		{"turns", s.Turns.build, &out.Sessions.Turns, "the number of calls of a session, or a law"},
		{"prompt_starts", s.PromptStarts.build, &sizes.Prompt, "the tokens of the first prompt, or a law"},
		{"prompt_grows", s.PromptGrows.build, &out.Sessions.Grows, ""},
		{"think", s.Think.build, &out.Think, ""},
	} {
		var read law.Law
		if read, err = part.read(); err != nil {
			return b.errorf(at+"."+part.name, "%v", err)
		}
		switch {
		case read != nil && *part.to != nil:
			return b.errorf("workload.prompt_tokens", "found %v and sessions.prompt_starts %v; want one of them",
				*part.to, read)
		case read != nil:
			*part.to = read
		case *part.to == nil && part.need != "":
			return b.errorf(at+"."+part.name, "found nothing; want %s", part.need)
		}
	}
	if turns, ok := out.Sessions.Turns.(law.Constant); ok && turns < 1 {
		return b.errorf(at+".turns", "found %v; want at least 1", turns)
	}
	return nil
}

// sampled are the sizes of turns of sessions, for averages.
type sampled []fleet.Size

// Size implements fleet.Sizes.
func (z sampled) Size(k uint64, _ fleet.Luck) fleet.Size { return z[k%uint64(len(z))] }

// sizesOf are the sizes of the calls of a workload: of sessions a sample of their turns.
func sizesOf(w *fleet.Workload) fleet.Sizes {
	if w.Sessions == nil {
		return w.Sizes
	}
	sizes, _ := w.SampleTurns(latticePoints)
	return sampled(sizes)
}

// turnsPerSession is how many calls a session has on average, where all are answered.
func turnsPerSession(w *fleet.Workload) float64 {
	sizes, sessions := w.SampleTurns(latticePoints)
	return float64(len(sizes)) / float64(sessions)
}

// explainSessions says how sessions begin and go on.
func explainSessions(m *fleet.Fleet, s *Sessions, workers string) string {
	count := "Sessions"
	if s.Count > 0 {
		count = fmt.Sprintf("At most %d sessions", s.Count)
	}
	how := fmt.Sprintf("arriving %s", m.Workload.Arrivals.Describe())
	if s.Users > 0 {
		how = fmt.Sprintf("of %d users, who begin another when theirs ends", s.Users)
	}
	think := "without a pause"
	if m.Workload.Think != nil {
		think = fmt.Sprintf("a pause of %v seconds between them", m.Workload.Think)
	}
	grows := "what was said"
	if m.Workload.Sessions.Grows != nil {
		grows += fmt.Sprintf(" and %v tokens", m.Workload.Sessions.Grows)
	}
	text := fmt.Sprintf("%s %s, each of %v turns, %s; %s. A prompt grows by %s from turn to turn.", count, how,
		m.Workload.Sessions.Turns, think, workers, grows)
	if s.Context > 0 {
		text += fmt.Sprintf(" A session ends where its prompt and max_tokens exceed %d tokens.", s.Context)
	}
	if s.EndsOnFailure {
		text += " A session ends with a turn that is not answered."
	}
	return text
}
