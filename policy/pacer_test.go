package policy

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"stampede/wire"
)

// tokensOf is what an attempt with such a prompt and max_tokens needs.
func tokensOf(prompt, declared float64) Need {
	return Need{1, prompt + declared, prompt, declared}
}

// goes lists when attempts go that all ask at once.
func goes(p Pacer, needs ...Need) (at []time.Duration) {
	client := Client{Pacer: p}
	m := NewInstances(&client, 1, 1, nil).At(0)
	now := time.Duration(0)
	for _, need := range needs {
		if m.Admit(now, &Request{Need: need}).Action == Go {
			at = append(at, now)
		}
	}
	for _, wait, ok := m.FirstAtPacer(now); ok; _, wait, ok = m.FirstAtPacer(now) {
		if now += wait; wait == 0 {
			m.NextAtPacer()
			at = append(at, now)
		}
	}
	return at
}

// A pacer of 2/s with a burst of 2 sends two at once and then one each 500 ms.
func TestPaceBucket(t *testing.T) {
	at := goes(Pacer{Bucket: PaceBucket{Rate: 2, Burst: 2}}, slices.Repeat([]Need{{1}}, 4)...)
	if want := []time.Duration{0, 0, 500 * ms, s}; !slices.Equal(at, want) {
		t.Errorf("sent at %v, want %v", at, want)
	}
}

// The bucket of ten of TestPaceHeaders, of which one comes back each 6 s, before attempts that wait 6 s at most:
// what would wait longer takes no room, so that 6 s later there is room for one.
func TestLongestWaitForHeaders(t *testing.T) {
	client := Client{Pacer: Pacer{Headers: PaceHeaders{On: true}, Wait: 6 * s}}
	m := NewInstances(&client, 1, 1, nil).At(0)
	var q wire.Quotas
	q[wire.RequestQuota] = wire.Quota{Limit: 10, Remaining: 2, Reset: 48 * s}
	m.Done(0, &Ended{Reply: &wire.Reply{Status: 200, Quotas: q}})
	for i, c := range []struct {
		now  time.Duration
		want string
	}{{0, "go"}, {0, "go"}, {0, "wait pacer 6s"}, {0, "queue pacer"}, {0, "queue pacer"}, {6 * s, "wait pacer 6s"}} {
		r := Request{Need: Need{1}}
		if got := m.Admit(c.now, &r); got.text() != c.want || r.Paced != (got.Action != Queue) {
			t.Errorf("attempt %d: %s, paced %v; want %s", i+1, got.text(), r.Paced, c.want)
		}
	}
}

// Attempts of 100 tokens before a bucket of 50/s with a burst of 250: two at once and then, with 50
// left, one after 1 s and one each 2 s, so that T seconds see floor((250 + 50 T)/100) of them.
func TestPaceTokens(t *testing.T) {
	at := goes(Pacer{Tokens: PaceTokens{Rate: 50, Burst: 250}}, slices.Repeat([]Need{tokensOf(60, 40)}, 6)...)
	if want := []time.Duration{0, 0, s, 3 * s, 5 * s, 7 * s}; !slices.Equal(at, want) {
		t.Errorf("sent at %v, want %v", at, want)
	}
	for after := time.Duration(0); after < 8*s; after += s {
		sent := 0
		for _, at := range at {
			if at <= after {
				sent++
			}
		}
		if want := int(math.Floor((250 + 50*after.Seconds()) / 100)); sent != want {
			t.Errorf("%d sent by %v, want %d", sent, after, want)
		}
	}
}

// One request a second and 10 tokens a second, of each at most 1 and 40 at once. After the first, of 40
// tokens, the second waits 3 s for 30; those of 1 token behind it, which could go by their tokens, still
// go one a second: while the second waits the bucket of requests gets one, not three.
func TestPaceTokensBesideRequests(t *testing.T) {
	p := Pacer{Bucket: PaceBucket{Rate: 1, Burst: 1}, Tokens: PaceTokens{Rate: 10, Burst: 40}}
	at := goes(p, tokensOf(40, 0), tokensOf(30, 0), tokensOf(1, 0), tokensOf(1, 0), tokensOf(39, 0))
	// At 3, 4 and 5 s there are 0, 9 and 18 tokens left: 21 more take 2.1 s.
	if want := []time.Duration{0, 3 * s, 4 * s, 5 * s, 7100 * ms}; !slices.Equal(at, want) {
		t.Errorf("sent at %v, want %v", at, want)
	}
}

// An attempt of 300 tokens before a bucket of 10/s that holds 100 goes when that is full, and those behind
// it when 200 tokens of debt are paid, and their own.
func TestPaceMoreTokensThanTheBucketHolds(t *testing.T) {
	at := goes(Pacer{Tokens: PaceTokens{Rate: 10, Burst: 100}}, tokensOf(50, 0), tokensOf(300, 0), tokensOf(10, 0))
	if want := []time.Duration{0, 5 * s, 26 * s}; !slices.Equal(at, want) {
		t.Errorf("sent at %v, want %v", at, want)
	}
}

// A bucket of 10 tokens a second and 100 at once, before attempts of a prompt of 40, max_tokens 60 and
// an output of 10. The first goes at once; the second asks at 2 s, when the reply to the first is there, and
// waits for what is missing, by estimate:
//
//	prompt + max_tokens    has 0 + 20 of 100         80
//	  and answered         50 of 100 come back       30
//	  and refused          100 come back              0
//	  and timed out        nobody knows              80
//	prompt                 has 60 + 20 of 40          0
//	  and answered         10 more are taken          0
//	prompt + mean_output   as max_tokens before the first answer, then 40 + 10
//	                       has 0 + 20 of 50          30
//	  and answered         50 of 100 come back        0
//	  and refused          as max_tokens still        0
//
// A third that asks then as well: 100, or 40, or 50 more.
func TestSettleTokens(t *testing.T) {
	answer, refusal, silence := wire.Reply{Status: 200}, wire.Reply{Status: 429}, wire.Reply{Failure: wire.Timeout}
	for _, c := range []struct {
		estimate      Estimate
		settle        bool
		reply         wire.Reply
		second, third int // tokens that are missing, of which 10 a second come
	}{
		{PromptPlusMax, false, answer, 80, 180},
		{PromptPlusMax, true, answer, 30, 130},
		{PromptPlusMax, true, refusal, 0, 100},
		{PromptPlusMax, true, silence, 80, 180},
		{PromptAlone, false, answer, 0, 0}, // 80 - 40 - 40
		{PromptAlone, true, answer, 0, 10}, // 70 - 40 - 40
		{PromptPlusMean, false, answer, 30, 80},
		{PromptPlusMean, true, answer, 0, 30}, // 70 - 50 - 50
		{PromptPlusMean, true, refusal, 0, 100},
	} {
		client := Client{Pacer: Pacer{
			Tokens: PaceTokens{Rate: 10, Burst: 100, Estimate: c.estimate, Settle: c.settle},
		}}
		m := NewInstances(&client, 1, 1, nil).At(0)
		r := Request{Need: tokensOf(40, 60)}
		if a := m.Admit(0, &r); a.Action != Go {
			t.Errorf("%v: the first: %s", client.Pacer.Describe(), a.text())
		}
		used := Usage{}
		if c.reply.Class() == wire.OK {
			used = Usage{Prompt: 40, Output: 10}
		}
		m.Done(2*s, &Ended{Took: r.Need[wire.TokenQuota], Used: used, Reply: &c.reply})
		for i, missing := range []int{c.second, c.third} {
			r = Request{Need: tokensOf(40, 60)}
			goes := m.Admit(2*s, &r).Action == Go
			_, wait, _ := m.FirstAtPacer(2 * s)
			if !goes && i > 0 && c.second > 0 { // behind the second
				m.NextAtPacer()
				_, wait, _ = m.FirstAtPacer(2 * s)
			}
			if goes != (missing == 0) || wait != time.Duration(missing)*100*ms {
				t.Errorf("%v, %v: number %d goes %v, waits %v; want %v", client.Pacer.Describe(), c.reply.Class(), i+2,
					goes, wait, time.Duration(missing)*100*ms)
			}
		}
	}
}

// A full bucket stays full, whatever comes back.
func TestSettledTokensStayInTheBucket(t *testing.T) {
	p := Pacer{Tokens: PaceTokens{Rate: 10, Burst: 100, Settle: true}}
	var state PacerState
	state.join(&p, 0, &Request{Need: tokensOf(50, 0)})
	state.tokens.done(&p.Tokens, 10*s, 50, &wire.Reply{Status: 429}, Usage{})
	if state.tokens.level.tokens != 100 {
		t.Errorf("%g tokens in a bucket of 100", state.tokens.level.tokens)
	}
}

// The rate from 8/s between 1 and 10, up by 1/s each second at most, down to a half at most each 2 s.
func TestPaceAIMD(t *testing.T) {
	p := Pacer{Bucket: PaceBucket{Rate: 8, Burst: 1}, AIMD: PaceAIMD{Min: 1, Max: 10, Add: 1, Every: s, Cut: 0.5,
		Cooldown: 2 * s}}
	var state PacerState
	state.join(&p, 0, &Request{})
	var got string
	for _, reply := range []struct {
		at     time.Duration
		status int
	}{
		{500 * ms, 200}, // too soon to grow
		{s, 200},
		{1500 * ms, 200},
		{2 * s, 200},
		{3 * s, 200}, // not beyond Max
		{3 * s, 429},
		{4 * s, 503}, // too soon after the last cut
		{4 * s, 200}, // a second after it
		{4 * s, 500}, // neither an answer nor a refusal
		{5 * s, 529},
		{7 * s, 429},
		{9 * s, 429}, // not below Min
	} {
		state.Done(&p, reply.at, 0, &wire.Reply{Status: reply.status})
		got += fmt.Sprintf(" %g", state.bucket.rate)
	}
	if want := " 8 9 9 10 10 5 5 6 6 3 1.5 1"; got != want {
		t.Errorf("%s, want%s", got, want)
	}
	// What is missing comes at the new rate: one a second.
	state.join(&p, 20*s, &Request{})
	if wait := state.until(&p, 20*s, 0); wait != s {
		t.Errorf("at 1/s: wait %v", wait)
	}
}

// Slow start, growth after three successes and a cooldown of 10 s, from a limit of 4, by hand. Cuts are
// to a half, rounded down.
func TestAIMDAsToolsHaveIt(t *testing.T) {
	const ok, dropped = false, true
	type end struct {
		at       time.Duration
		inFlight int
		dropped  bool
		limit    int // then
	}
	plain := AIMD{Start: 4, Min: 1, Max: 100, Factor: 0.5}
	for _, c := range []struct {
		name string
		set  func(*AIMD)
		ends []end
	}{
		{"each success, each drop", func(*AIMD) {}, []end{
			{s, 4, ok, 5}, {s, 5, ok, 6}, {s, 6, dropped, 3}, {s, 6, dropped, 1}, {s, 6, dropped, 1}}},
		{"growth after three successes of a limit that is used", func(a *AIMD) { a.GrowAfter = 3 }, []end{
			{s, 4, ok, 4}, {s, 4, ok, 4}, {s, 1, ok, 4}, {s, 2, ok, 5}, {s, 5, ok, 5}, {s, 5, dropped, 2},
			{s, 2, ok, 2}, {s, 2, ok, 2}, {s, 2, ok, 3}}},
		{"a cut begins the count anew", func(a *AIMD) { a.GrowAfter = 2 }, []end{
			{s, 4, ok, 4}, {s, 4, dropped, 2}, {s, 2, ok, 2}, {s, 2, ok, 3}}},
		{"slow start until the first cut", func(a *AIMD) { a.GrowAfter, a.SlowStart = 3, true }, []end{
			{s, 4, ok, 5}, {s, 5, ok, 6}, {s, 6, ok, 7}, {s, 7, dropped, 3},
			{s, 3, ok, 3}, {s, 3, ok, 3}, {s, 3, ok, 4}}},
		{"cooldown: its last instant is over", func(a *AIMD) { a.Cooldown = 10 * s }, []end{
			{s, 4, dropped, 2}, {2 * s, 4, dropped, 2}, {2 * s, 2, ok, 3}, {11*s - 1, 3, dropped, 3},
			{11 * s, 3, dropped, 1}}},
		{"a slow answer is a drop and cools down like one", func(a *AIMD) { a.Slow, a.Cooldown = 500*ms, 10*s }, []end{
			{s, 4, ok, 2}, {2 * s, 4, ok, 2}}},
	} {
		g := Gate{AIMD: plain}
		c.set(&g.AIMD)
		var state GateState
		state.Limit(&g)
		for i, e := range c.ends {
			state.Done(&g, e.at, e.inFlight, s, e.dropped)
			if got := state.Limit(&g); got != e.limit {
				t.Errorf("%s: limit %d after end %d, want %d", c.name, got, i+1, e.limit)
				break
			}
		}
	}
}
