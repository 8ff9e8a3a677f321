package scenario

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"stampede/policy"
	"stampede/wire"
)

const routed = `
workload: {batch: {calls: 10}, prompt_tokens: 100, output_tokens: 10, max_tokens: 20}
fleet: {workers: 1}
provider:
  name: us
  round_trip: 50ms
  limits: [{resource: requests, limit: 600/min}, {resource: tokens, limit: 90k/min}]
  capacity: {slots: 4, batching: {step: 10ms, per_stream: 1ms}}
  faults: [{status: 503, at: 1m, for: 1m}]
price: gpt-4o
`

// A deployment takes over what it does not set. The model's other providers and weights in words.
func TestDeployments(t *testing.T) {
	for _, c := range []struct{ name, more, want string }{
		{"keys are the provider again", "keys: 3", "key 2 50ms 600 90000 4 1 faults, 1; key 3 50ms 600 90000 4 1 " +
			"faults, 1"},
		{"nothing of its own", "deployments: [{}]", "deployment 2 50ms 600 90000 4 1 faults, 1"},
		{"a list is replaced, a mapping merged", "deployments: [{name: eu, weight: 2.5, faults: none, " +
			"round_trip: 90ms, " +
			"limits: [{resource: requests, limit: 60/min}], capacity: {slots: 9}}]", "eu 90ms 60 9 0 faults, 2.5"},
		{"an item of a list", "deployments: [{limits: {1: {limit: 30k/min}}}]",
			"deployment 2 50ms 600 30000 4 1 faults, 1"},
		{"copies", "deployments: [{name: eu, copies: 2, weight: 3}, {name: asia}]",
			"eu 1 50ms 600 90000 4 1 faults, 3; eu 2 50ms 600 90000 4 1 faults, 3; asia 50ms 600 90000 4 1 faults, 1"},
		{"nothing of the provider's", "deployments: [{standalone: true, round_trip: 5ms}]",
			"deployment 2 5ms 0 0 faults, 1"},
		{"of a preset", "deployments: [{name: mini, preset: openai-build-gpt-4o-mini, faults: none, limits: none}]",
			"mini 60ms 0 0 faults, 1"},
		{"null is as in provider", "deployments: [{preset: local-stub, limits: null, name: x, capacity: {slots: 8}}]",
			"x"},
	} {
		s, err := Read([]byte(routed+c.more), "routed", Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for i, p := range s.Model.Others {
			text := fmt.Sprintf("%s %v", p.Name, p.RoundTrip)
			for _, l := range p.Limits {
				text += fmt.Sprintf(" %d", l.Amount)
			}
			got = append(got, fmt.Sprintf("%s %d %d faults, %v", text, p.Capacity.Slots, len(p.Faults),
				s.Model.Deployments[i].Weight))
		}
		if got := strings.Join(got, "; "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		resolved, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(resolved, "again", Options{})
		if err != nil {
			t.Errorf("%s: %v in %s", c.name, err, resolved)
			continue
		}
		if twice, _ := again.Resolved(); !bytes.Equal(twice, resolved) || !reflect.DeepEqual(s.Model, again.Model) {
			t.Errorf("%s: resolved it is another scenario:\n%s\n%s", c.name, resolved, twice)
		}
	}
}

// A change of the provider reaches its deployments, and a setting reaches into one, without changing
// the provider.
func TestSettingsOfDeployments(t *testing.T) {
	s, err := Read([]byte("deployments: [{name: eu, price: gpt-4o-mini}]\n"+routed), "routed", Options{Set: []string{
		"deployments.0.limits.0.limit=60/min", "provider.round_trip=70ms", "deployments.0.capacity.batching.step=99ms",
	}})
	if err != nil {
		t.Fatal(err)
	}
	own, eu := s.Model.Provider, s.Model.Others[0]
	if eu.Limits[0].Amount != 60 || own.Limits[0].Amount != 600 {
		t.Errorf("limits of %d and %d, want 60 and 600", eu.Limits[0].Amount, own.Limits[0].Amount)
	}
	if eu.RoundTrip != 70*time.Millisecond {
		t.Errorf("round trip %v, want that of the provider, 70ms", eu.RoundTrip)
	}
	step, changed := own.Capacity.Batching.Step, eu.Capacity.Batching.Step
	if step != 10*time.Millisecond || changed != 99*time.Millisecond {
		t.Errorf("steps of %v and %v, want 10ms and 99ms", step, changed)
	}
	if got := s.Model.Deployments[0].Price.Model; got != "gpt-4o-mini" {
		t.Errorf("price of %s", got)
	}
}

// The route as it is written and as it is run.
func TestRouteFields(t *testing.T) {
	for text, want := range map[string]policy.Route{
		"{by: least_busy}": {By: policy.RouteLeastBusy},
		"{by: round_robin, cooldown: {failures: 3, over: 1m, for: 5s}, all_away: wait, switch_on_retry: true}": {
			By: policy.RouteRoundRobin, AllAway: policy.AwayWaits, Retry: policy.RetryOther,
			Cooldown: policy.Cooldown{Failures: 3, Over: time.Minute, For: 5 * time.Second}},
		"{cooldown: {failures: 3, over: 1m, minimum: 5, for: 5s}}": {
			Cooldown: policy.Cooldown{Failures: 3, Over: time.Minute, Minimum: 5, For: 5 * time.Second}},
		"{cooldown: {share: 50%, over: 30s, minimum: 9, for: retry_after, at_once: [429, 5xx]}, all_away: first, " +
			"switch_on_retry: false, scope: all}": {
			AllAway: policy.AwayFirst, Retry: policy.RetryStays, Scope: policy.ForAll,
			Cooldown: policy.Cooldown{Share: 0.5, Over: 30 * time.Second, Minimum: 9, For: 5 * time.Second,
				Hinted: true,
				AtOnce: []policy.Statuses{{From: 429, To: 429}, {From: 500, To: 599}}}},
	} {
		s, err := Read([]byte(routed+"keys: 2\npolicy: {route: "+text+"}\n"), "routed", Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if !reflect.DeepEqual(s.Model.Client.Route, want) {
			t.Errorf("%s: %+v, want %+v", text, s.Model.Client.Route, want)
		}
	}
}

func TestMistakesInDeployments(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"keys: 0", `keys: found "0"; want more than 0`},
		{"keys: 49", "keys: found 49; want at most 48"},
		{"deployments: [{copies: 48}]",
			"deployments.0.copies: found 49 deployments or more in all; want at most 48"},
		{"deployments: [{preset: [a]}]", "deployments.0.preset: found a list; want the name of a provider"},
		{"deployments: [{provider: local-stub}]", "deployments.0.provider: unknown field; a deployment has the fields"},
		{"deployments: [7]", `deployments.0: found "7"; no such provider`},
		{"deployments: [[]]", "deployments.0: found a list; want a mapping"},
		{"deployments: [{weight: 0}]", `deployments.0.weight: found "0"; want more than 0`},
		{"deployments: [{wieght: 2}]", `deployments.0.wieght: unknown field; did you mean "weight"?`},
		{"deployments: [{name: us}]", `deployments.0.name: found "us"; want a name of its own`},
		{"deployments: [{preset: lokal}]", `deployments.0: found "lokal"; no such provider`},
		{"deployments: [{limits: [{resource: requests, limit: 5}]}]", "deployments.0.limits.0.limit: found 5"},
		{"policy: {route: {cooldown: {for: 5s}}}",
			"policy.route.cooldown: found no rule; want failures, share or at_once"},
		{"policy: {route: {cooldown: {failures: 1, for: soon}}}",
			`policy.route.cooldown.for: found "soon"; want a time`},
		{"policy: {route: {by: least_bussy}}", `policy.route.by: found "least_bussy"; did you mean "least_busy"?`},
		{"policy: {route: {cooldown: {failures: 1, at_once: [timeout]}}}", "policy.route.cooldown.at_once.0"},
		{"policy: {route: {switch_on_retry: yes}}", `policy.route.switch_on_retry: found "yes"`},
		{"policy: {route: {cooldown: {share: 1, counts_as_failure: []}}}",
			"policy.route.cooldown.counts_as_failure"},
	} {
		_, err := Read([]byte(routed+c.text+"\n"), "routed", Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	_, err := Read([]byte("provider: {keys: 3}\n"), "f", Options{})
	if want := "provider.keys: unknown field; keys stands beside provider"; !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// LiteLLM's cooldowns by version (docs of its Router, router_utils/cooldown_handlers.py): a 429 at once; more than half
// of the results of a minute, before 1.81 of one result and since then of five; never a single deployment.
func TestLiteLLMCooldowns(t *testing.T) {
	for _, c := range []struct {
		preset   string
		statuses []int // of attempts at the first deployment
		rests    bool
	}{
		{"litellm-router@1.50", []int{500}, true}, {"litellm-router@1.104", []int{500}, false},
		{"litellm-router@1.50", []int{200, 500}, false}, {"litellm-router@1.50", []int{200, 500, 500}, true},
		{"litellm-router@1.104", []int{500, 500, 500, 500}, false},
		{"litellm-router@1.104", []int{500, 500, 500, 500, 500}, true},
		{"litellm-router@1.104", []int{200, 200, 200, 500, 500, 500}, false},
		{"litellm-router@1.104", []int{200, 200, 200, 500, 500, 500, 500}, true},
		{"litellm-router@1.104", []int{429}, true}, {"litellm-router@1.50", []int{429}, true},
		{"litellm-router", []int{401}, true}, {"litellm-router", []int{400, 400, 400, 400, 400}, false},
		{"litellm-router-least-busy", []int{429}, true}, {"litellm-router-usage-based", []int{503, 503}, false},
	} {
		client := clientOf(t, c.preset)
		client.Route.By = policy.RouteFirst
		m := policy.NewInstances(&client, 1, 2, []float64{1, 1}).At(0)
		for _, status := range c.statuses {
			m.SentTo(0, 0, &policy.Need{1})
			m.Done(0, &policy.Ended{Reply: &wire.Reply{Status: status}})
		}
		for at, want := range map[time.Duration]bool{0: c.rests, 5 * time.Second: false} {
			q := policy.Request{Target: policy.NoTarget}
			if m.Admit(at, &q); (q.Target == 1) != want {
				t.Errorf("%s after %v: deployment %d at %v, want the first to rest: %v", c.preset, c.statuses, q.Target,
					at, want)
			}
		}
		if alone := policy.NewInstances(&client, 1, 1, []float64{1}).At(0); !alone.Stateless() {
			t.Errorf("%s: a single deployment may rest", c.preset)
		}
	}
}

// What check says of deployments. Together 600 + 2 x 60 requests a minute; a gate of 4 before answers of 2 s lets 120
// calls a minute through.
func TestExplainDeployments(t *testing.T) {
	const text = `
workload: {open: {rate: 10/s, calls: 7200}, prompt_tokens: 100, output_tokens: 10}
provider: {name: us, limits: [{resource: requests, limit: 600/min}], latency: {first_token: 2s}}
deployments: [{name: eu, copies: 2, weight: 0.1, limits: [{resource: requests, limit: 60/min}], price: gpt-4o}]
fallbacks: [{provider: {name: reserve, limits: [{resource: requests, limit: 30/min}]}, price: gpt-4o-mini}]
policy: {gate: {semaphore: 4}, route: {by: least_busy}, fallback: {on: true}}
`
	s, err := Read([]byte(text), "routed", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.Explain(&out)
	said := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"us; requests 600/min, token bucket; 2 further deployments.",
		"Deployment: eu 1; requests 60/min, token bucket; weight 0.1; gpt-4o:",
		"In all 3 deployments; attempts are routed to the one with the fewest attempts in flight.",
		"Fallback: reserve; requests 30/min, token bucket; gpt-4o-mini:",
		"routed to the one with", "3 deployments together 720 calls/min", "gate of 4 120 calls/min",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A deployment says its latency and its faults where they are not those of the provider.
func TestExplainUnlikeDeployments(t *testing.T) {
	const text = `
workload: {open: {rate: 10/s, calls: 7200}, prompt_tokens: 100, output_tokens: 10}
provider: {name: us, latency: {first_token: 2s}, faults: [{status: 503, share: 1%}]}
deployments:
  - {name: eu, latency: {first_token: 500ms}, round_trip: 90ms, faults: [{status: 529, share: 5%}]}
  - {name: asia, round_trip: 180ms}
`
	s, err := Read([]byte(text), "routed", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.Explain(&out)
	said := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"Deployment: eu; no limits; faults: 1. First token after 0.5 s, with the rest of the answer at once; round " +
			"trip 90ms. Fault: status 529 for 5% of attempts.",
		"Deployment: asia; no limits; faults: 1; round trip 180ms. In all",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
