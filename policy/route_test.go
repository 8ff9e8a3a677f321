package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stampede/wire"
)

// router is a route at work in a script of steps: "u 0.3" sets the uniform number of what follows;
// "send" chooses a deployment for a call, "retry b" for one whose last attempt went to b; "fail b 429"
// ends an attempt there with a status, "fail b 429 12" with a Retry-After in seconds as well; "ok b"
// ends it with an answer. "9s" goes to that instant.
type router struct {
	*Instance
	now time.Duration
	u   float64
}

func newRouter(r Route, weights ...float64) router {
	return router{Instance: NewInstances(&Client{Route: r}, 1, len(weights), weights).At(0)}
}

func (r *router) do(step string) string {
	f := strings.Fields(step)
	if at, err := time.ParseDuration(f[0]); err == nil {
		r.now = at
		return ""
	}
	switch f[0] {
	case "u":
		fmt.Sscan(f[1], &r.u)
	case "send", "retry":
		q := Request{Target: NoTarget, RouteU: r.u}
		if f[0] == "retry" {
			q.Target = f[1][0] - 'a'
		}
		switch a := r.Admit(r.now, &q); a.Action {
		case Go:
			r.SentTo(r.now, q.Target, &Need{1})
			return string('a' + rune(q.Target))
		case Wait:
			return fmt.Sprintf("wait %v %v", a.By, a.Wait)
		default:
			return fmt.Sprintf("%v %v %v", a.Action, a.By, a.Outcome())
		}
	case "fail", "ok":
		reply := wire.Reply{Status: 200}
		if f[0] == "fail" {
			fmt.Sscan(f[2], &reply.Status)
		}
		if len(f) > 3 {
			reply.RetryAfter = wire.Hint{Form: wire.Seconds}
			fmt.Sscan(f[3], &reply.RetryAfter.Value)
		}
		r.Done(r.now, &Ended{Target: f[1][0] - 'a', Reply: &reply})
	}
	return ""
}

// Each line is a step, with what comes of it after a colon.
func TestRoute(t *testing.T) {
	even := []float64{1, 1, 1}
	one := Cooldown{Failures: 1, Over: time.Minute, For: 5 * time.Second}
	three := Cooldown{Failures: 3, Over: time.Minute, For: 5 * time.Second}
	half := Cooldown{Share: 0.5, Over: time.Minute, Minimum: 5, For: 5 * time.Second}
	for _, c := range []struct {
		name    string
		route   Route
		weights []float64
		script  string
	}{
		// 0.25, 0.5 and 0.25 of the numbers.
		{"random in proportion to weights", Route{}, []float64{1, 2, 1},
			"u 0.24; send: a; u 0.26; send: b; u 0.74; send: b; u 0.76; send: c"},
		{"random without one that rests", Route{Cooldown: one}, []float64{1, 2, 1},
			"u 0.3; send: b; fail b 500; u 0.49; send: a; u 0.51; send: c"},
		{"each in turn", Route{By: RouteRoundRobin}, []float64{5, 1, 1}, "send: a; send: b; send: c; send: a"},
		{"one that rests loses its turn", Route{By: RouteRoundRobin, Cooldown: one}, even,
			"send: a; fail a 503; send: b; send: c; send: b; send: c; 5s; send: a; send: b"},
		// The sequence that nginx's authors give for 5, 1, 1.
		{"smooth weighted round robin", Route{By: RouteWeighted}, []float64{5, 1, 1},
			"send: a; send: a; send: b; send: a; send: c; send: a; send: a; send: a; send: a; send: b"},
		{"the fewest in flight", Route{By: RouteLeastBusy}, even,
			"u 0.1; send: a; u 0.4; send: b; u 0.6; send: c; u 0.4; send: b; ok c; u 0.1; send: c; ok b; ok b; " +
				"send: b"},
		// 1 of weight 2 is half as busy as 1 of weight 1; 2 of weight 2 are a tie with it.
		{"the fewest in flight per weight", Route{By: RouteLeastBusy}, []float64{1, 2},
			"u 0; send: a; send: b; send: b; send: a; send: b"},
		{"the first of the list", Route{By: RouteFirst, Cooldown: one}, even,
			"send: a; send: a; fail a 500; send: b; fail b 500; send: c; 5s; send: a"},

		{"the third failure in a minute", Route{By: RouteFirst, Cooldown: three}, even,
			"send: a; send: a; send: a; send: a; fail a 500; 30s; fail a 429; 59s; send: a; fail a 503; send: b; " +
				"63.999999999s; send: b; 64s; send: a"},
		{"the first is a minute ago", Route{By: RouteFirst, Cooldown: three}, even,
			"send: a; send: a; send: a; fail a 500; 30s; fail a 500; 60s; fail a 500; send: a"},
		{"answers between do not matter", Route{By: RouteFirst, Cooldown: three}, even,
			"send: a; send: a; send: a; send: a; send: a; fail a 500; ok a; fail a 500; ok a; fail a 500; send: b"},
		{"a bad request is no failure", Route{By: RouteFirst, Cooldown: one}, even, "send: a; fail a 400; send: a"},
		{"what it counts stays counted", Route{By: RouteFirst, Cooldown: three}, even,
			"send: a; send: a; send: a; fail a 500; fail a 500; fail a 500; send: b; 5s; send: a; fail a 500; send: b"},
		{"a failure of an attempt that was under way extends it", Route{By: RouteFirst, Cooldown: one}, even,
			"send: a; send: a; fail a 500; 3s; fail a 500; 7s; send: b; 8s; send: a"},
		{"the share applies from the minimum on", Route{By: RouteFirst, Cooldown: half}, even,
			"send: a; send: a; send: a; send: a; send: a; fail a 500; fail a 500; fail a 500; fail a 500; send: a; " +
				"fail a 500; send: b"},
		{"at least the share", Route{By: RouteFirst, Cooldown: half}, even,
			"send: a; send: a; send: a; send: a; send: a; send: a; ok a; ok a; ok a; fail a 500; fail a 500; " +
				"send: a; " +
				"fail a 500; send: b"},
		{"an answer starts no cooldown", Route{By: RouteFirst, Cooldown: half}, even,
			"send: a; send: a; send: a; send: a; send: a; fail a 500; fail a 500; fail a 500; fail a 500; ok a; " +
				"send: a"},
		{"a status at once", Route{By: RouteFirst, Cooldown: Cooldown{Share: 0.5, Over: time.Minute, Minimum: 5,
			AtOnce: []Statuses{{401, 401}, {429, 429}}, For: 5 * time.Second}}, even,
			"send: a; fail a 500; send: a; fail a 429; send: b; fail b 401; send: c"},
		{"as long as Retry-After says", Route{By: RouteFirst, Cooldown: Cooldown{Failures: 1, Over: time.Minute,
			For: 5 * time.Second, Hinted: true}}, even,
			"send: a; fail a 429 12; 11s; send: b; 12s; send: a; fail a 429; 16s; send: b; 17s; send: a"},
		{"Retry-After is ignored where a time is set", Route{By: RouteFirst, Cooldown: one}, even,
			"send: a; fail a 429 12; 5s; send: a"},
		{"the only one rests as well", Route{Cooldown: one}, []float64{1},
			"send: a; fail a 500; send: pass_on route shed; 5s; send: a"},

		{"all away: the call fails", Route{By: RouteFirst, Cooldown: one}, []float64{1, 1},
			"send: a; send: a; fail a 500; send: b; 2s; fail b 500; send: pass_on route shed; 5s; send: a"},
		{"all away: it waits for the first to end", Route{By: RouteFirst, Cooldown: one, AllAway: AwayWaits},
			[]float64{1, 1},
			"send: a; send: a; fail a 500; send: b; 2s; fail b 500; send: wait route 3s; 4s; fail a 500; " +
				"send: wait route 3s; 7s; send: b"},
		{"all away: the first gets it", Route{By: RouteRoundRobin, Cooldown: one, AllAway: AwayFirst}, []float64{1, 1},
			"send: a; fail a 500; send: b; fail b 500; send: a; send: a"},

		{"a retry goes by the rule", Route{By: RouteFirst}, even, "retry a: a; retry b: a"},
		{"a retry goes elsewhere", Route{By: RouteFirst, Retry: RetryOther}, even, "retry a: b; retry b: a"},
		{"unless there is nothing else", Route{By: RouteFirst, Retry: RetryOther, Cooldown: one}, []float64{1, 1},
			"send: a; fail a 500; retry a: b; retry b: b"},
		{"a retry stays", Route{By: RouteFirst, Retry: RetryStays, Cooldown: one}, even,
			"retry c: c; fail c 500; retry c: a"},
	} {
		r := newRouter(c.route, c.weights...)
		for i, line := range strings.Split(c.script, "; ") {
			step, want, _ := strings.Cut(line, ": ")
			if got := r.do(step); got != want {
				t.Errorf("%s: step %d, %s: %q, want %q", c.name, i+1, step, got, want)
				break
			}
		}
	}
}

// A weighted route is exact: of 400 attempts, those of weights 5, 2 and 1 get 250, 100 and 50.
func TestRouteWeighted(t *testing.T) {
	r := newRouter(Route{By: RouteWeighted}, 5, 2, 1)
	counts := map[string]int{}
	for range 400 {
		counts[r.do("send")]++
	}
	if counts["a"] != 250 || counts["b"] != 100 || counts["c"] != 50 {
		t.Errorf("%v, want 250, 100, 50", counts)
	}
}

// The most quota: what replies say remains, less what was sent since. Of 10 requests that a window
// allows, a has 4 left and b 3, so that a is used less; after one more to a they are a tie, which
// the number breaks.
func TestRouteMostQuota(t *testing.T) {
	r := newRouter(Route{By: RouteMostQuota}, 1, 1)
	for _, step := range []string{"u 0.1", "send", "u 0.9", "send"} {
		r.do(step)
	}
	for target, left := range []int64{4, 3} {
		reply := wire.Reply{Status: 200}
		reply.Quotas[wire.RequestQuota] = wire.Quota{Limit: 10, Remaining: left, Reset: time.Hour}
		r.Done(0, &Ended{Target: uint8(target), Reply: &reply})
	}
	for i, want := range []string{"a", "b", "a", "b"} {
		if got := r.do("send"); got != want {
			t.Errorf("attempt %d goes to %s, want %s", i+1, got, want)
		}
	}
}

// A router of one instance knows nothing of another's failures; one for all does.
func TestRouteScope(t *testing.T) {
	for _, scope := range []Scope{PerInstance, ForAll} {
		c := Client{Route: Route{By: RouteFirst, Scope: scope,
			Cooldown: Cooldown{Failures: 1, Over: time.Minute, For: time.Second}}}
		both := NewInstances(&c, 2, 2, []float64{1, 1})
		q := Request{Target: NoTarget}
		both.At(0).Admit(0, &q)
		both.At(0).SentTo(0, q.Target, &Need{1})
		both.At(0).Done(0, &Ended{Target: q.Target, Reply: &wire.Reply{Status: 500}})
		q = Request{Target: NoTarget}
		if both.At(1).Admit(0, &q); (q.Target == 1) != (scope == ForAll) {
			t.Errorf("scope %v: the other instance sends to deployment %d", scope, q.Target)
		}
	}
}

// A deployment whose breaker is open gets nothing while another's is closed; when all are open the
// breaker decides.
func TestRouteAroundBreakers(t *testing.T) {
	c := Client{Route: Route{By: RouteFirst}, Breaker: Breaker{InARow: 1, Open: 9 * time.Second}}
	m := NewInstances(&c, 1, 2, []float64{1, 1}).At(0)
	for i, want := range []uint8{0, 1} {
		q := Request{Target: NoTarget}
		a := m.Admit(0, &q)
		if a.Action != Go || q.Target != want {
			t.Fatalf("attempt %d: %v to %d, want go to %d", i+1, a.Action, q.Target, want)
		}
		m.SentTo(0, q.Target, &Need{1})
		m.Done(0, &Ended{Target: q.Target, Generation: a.Generation, Reply: &wire.Reply{Status: 500}})
	}
	if a := m.Admit(0, &Request{Target: NoTarget}); a.Outcome() != BreakerOpen || a.Action != Refuse {
		t.Errorf("with both open: %v, %v", a.Action, a.Outcome())
	}
}

// Retries are sent at once while one of several is available, and never where there is one only.
func TestRouteRetriesAtOnce(t *testing.T) {
	rule := Route{By: RouteFirst, RetryAtOnce: true,
		Cooldown: Cooldown{Failures: 1, Over: time.Minute, For: 5 * time.Second}}
	r := newRouter(rule, 1, 1)
	for i, c := range []struct {
		step string
		want bool
	}{{"fail a 500", true}, {"fail b 500", false}, {"5s", true}} {
		r.do("send")
		r.do(c.step)
		if got := r.RetriesAtOnce(r.now, 0); got != c.want {
			t.Errorf("step %d: %v, want %v", i+1, got, c.want)
		}
	}
	if alone := newRouter(rule, 1); alone.RetriesAtOnce(0, 0) {
		t.Error("the only deployment is tried again at once")
	}
}

// What is spared is never away: a single deployment, of a router that spares those.
func TestRouteSparesSingle(t *testing.T) {
	c := Client{Route: Route{Cooldown: Cooldown{Failures: 1, Over: time.Minute, For: time.Second, SparesSingle: true}}}
	if m := NewInstances(&c, 2, 1, []float64{1}); !m.At(0).Stateless() {
		t.Error("a router with nothing to choose remembers something")
	}
	if m := NewInstances(&c, 2, 2, []float64{1, 1}); m.At(0).Stateless() {
		t.Error("a router of two deployments remembers nothing")
	}
}
