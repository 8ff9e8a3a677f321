package scenario

import (
	"bytes"
	"strings"
	"testing"
)

// Ten million calls at 700 bytes are 7 GB, whoever keeps them; one million are no reason for a note.
func TestNoteOnMemory(t *testing.T) {
	const text = `name: t
workload: {WORKLOAD, prompt_tokens: 1, output_tokens: 1}
fleet: {instances: 10, workers: 1M}
policy: no-retry
price: gpt-4o-mini
`
	const note = "10M calls are in progress at once: a replication takes about 7 GB of memory"
	for workload, want := range map[string]string{
		"burst: {calls: 10M}":                 note,
		"burst: {calls: 1M}":                  "",
		"batch: {calls: 1G}":                  note,
		"batch: {calls: 1M}":                  "",
		"closed: {think: 1s, calls: 100M}":    note,
		"open: {rate: 1/s, calls: 100M}":      "",
		"trace: {rows: [{at: 0s}, {at: 1s}]}": "",
	} {
		s, err := Read([]byte(strings.Replace(text, "WORKLOAD", workload, 1)), "t", Options{})
		if err != nil {
			t.Errorf("%s: %v", workload, err)
			continue
		}
		notes := strings.Join(s.Warnings(), "; ")
		if strings.Contains(notes, "GB of memory") != (want != "") || !strings.Contains(notes, want) {
			t.Errorf("%s: %q, want %q", workload, notes, want)
		}
	}
}

// Notes are there where what they say is true, and nowhere else. The answers take 1 s and 50
// tokens at 50 a second, 2 s in all, but for the round trip.
func TestNotes(t *testing.T) {
	const text = `name: t
workload: {batch: {calls: 10}, prompt_tokens: 100, output_tokens: 50}
fleet: {workers: 2}
provider: {latency: {first_token: 1s, tokens_per_second: 50}}
policy: {retry: {attempts: 3, backoff: {constant: 4s}}}
price: gpt-4o-mini
`
	const hang, nothing, twice = "can hang and no timeout or patience ends them", NothingFails,
		"would deliver the call again meanwhile"
	const ignored, idle = "have no effect: retry_after.obey is ignore", "the breaker stops nothing"
	const stopsRetries = "policy.breaker={consecutive_failures: 3, stops: retries}"
	const copies = "an answer can take 2s, with visible_after"
	// The limit admits 3k/(100 + 200) = 10 calls a minute.
	keeps := func(set ...string) []string {
		return append([]string{"workload.max_tokens=200",
			"provider.limits=[{resource: tokens, limit: 3k/min, charge: prompt + max_tokens, settle: none}]"}, set...)
	}
	const settles = "policy.pace.settle gives back tokens that"
	for _, c := range []struct {
		set  []string
		note string
		want bool
	}{
		{keeps("policy.pace={tokens: 3k/min, settle: true}"), settles, true}, // 3k/(100 + 50) = 20
		{keeps("policy.pace={tokens: 3k/min}"), settles, false},
		{keeps("policy.pace={tokens: 1k/min, settle: true}"), settles, false}, // 6.7
		{keeps("policy.pace={tokens: 1k/min, settle: true}", "fleet.instances=2"), settles, true},
		{keeps("policy.pace={tokens: 1k/min, settle: true, scope: all}", "fleet.instances=2"), settles, false},
		{keeps("policy.pace={tokens: 3k/min, settle: true}", "provider.limits.0.settle=refund"), settles, false},
		{[]string{"provider.faults=[{hang: true, share: 1%}]"}, hang, true},
		{[]string{"deployments=[{faults: [{hang: true}]}]"}, hang, true},
		{[]string{"provider.faults=[{lose_reply: silent}]"}, hang, true},
		{[]string{"provider.faults=[{lose_reply: reset}]"}, hang, false},
		{[]string{"provider.faults=[{stall_at: 40%}]", "policy.timeouts.first_byte=9s"}, hang, false}, // of one piece
		{[]string{"provider.faults=[{stall_at: 40%}]", "workload.stream=true", "policy.timeouts.first_byte=9s"},
			hang, true},
		{[]string{"provider.faults=[{stall_at: 40%}]", "workload.stream=true", "policy.timeouts.gap=9s"}, hang, false},
		{[]string{"provider.faults=[{hang: true}]", "policy.deadline=30s"}, hang, false},
		{[]string{"provider.gateway={errors: [{share: 1%, status: 502}]}"}, nothing, false},
		{nil, nothing, true}, {[]string{"keys=2"}, nothing, true},
		{[]string{"provider.max_request=399B"}, nothing, false},
		{[]string{"provider.max_request=399B"}, "100% of the requests are larger than provider.max_request allows " +
			"(prompts of up to 99 tokens)", true},
		{[]string{"provider.max_request=400B"}, "larger than provider.max_request", false}, // 4 x 100 tokens
		{[]string{"deployments=[{limits: [{resource: requests, limit: 1/s}]}]"}, nothing, false},
		{[]string{"keys=2", "policy.pace.headers=true"}, "it paces to the quota of one of them", true},
		{[]string{"policy.pace.headers=true"}, "it paces to the quota of one of them", false},
		{[]string{"deployments=[{weight: 2}]", "policy.route.by=first"}, "have no effect with route.by first", true},
		{[]string{"deployments=[{weight: 2}]", "policy.route.by=least_busy"}, "have no effect with route.by", false},
		{[]string{"keys=2", "policy.route.by=most_quota"}, "no deployment has a limit, so route.by most_quota", true},
		{[]string{"keys=2", "policy.route.by=most_quota", "provider.limits=[{resource: requests, limit: 9/s}]"},
			"no deployment has a limit", false},
		{[]string{"policy.route.by=round_robin"}, "chooses from one deployment", true},
		{[]string{"policy.route.cooldown.failures=3"}, "chooses from one deployment", false},
		{[]string{"policy.route.by=round_robin", "keys=2"}, "chooses from one deployment", false},
		{[]string{"policy.route.cooldown={failures: 3, minimum: 5}"}, "minimum has no effect without share", true},
		{[]string{"policy.route.cooldown={failures: 3, share: 50%, minimum: 5}"}, "minimum has no effect", false},
		{[]string{"policy.route.cooldown={failures: 3}"}, "minimum has no effect", false},
		{[]string{"provider.faults=[{connection: unreachable}]"}, hang, true},
		{[]string{"provider.faults=[{connection: unreachable}]", "policy.timeouts.connect=5s"}, hang, false},
		{[]string{"provider.faults=[{hang: true}]", "policy.timeouts.connect=5s"}, hang, true}, // the connection stands
		{[]string{"provider.faults=[{connection: unreachable}]", "policy.timeouts.os=15m"}, hang, false},
		{[]string{"provider.faults=[{hang: true}]", "policy.timeouts.os=15m"}, hang, true}, // it is acknowledged
		{[]string{"provider.faults=[{hang: true}]", "policy.timeouts.call=5m"}, hang, false},
		{[]string{"provider.faults=[{hang: true}]", "policy.timeouts.gap=5m"}, hang, false},
		{[]string{"provider.faults=[{hang: true}]", "workload.patience=5m"}, hang, false},
		{[]string{"provider.faults=[{hang: true}]", "policy.outer_layers=[{timeout: 5m}]"}, hang, false},
		{[]string{"provider.faults=[{hang: true}]", "policy.outer_layers=[{retry: {attempts: 2}}]"}, hang, true},
		{[]string{"policy.timeouts.pool=10m"}, "policy.timeouts.pool has no effect", true},
		{[]string{"policy.timeouts.pool=10m", "policy.max_connections=100"}, "policy.timeouts.pool has no", false},
		{nil, nothing, true},
		{[]string{"policy=no-retry"}, nothing, false},
		{[]string{"provider.faults=[{status: 503, share: 1%}]"}, nothing, false},
		{[]string{"provider.limits=[{resource: requests, limit: 500/min}]"}, nothing, false},
		{[]string{"provider.capacity={slots: 4}"}, nothing, false},
		{[]string{"provider.capacity={slots: 4, queue: unlimited}"}, nothing, true},
		// a queue may outlast any timer
		{[]string{"provider.capacity={slots: 4, queue: unlimited}", "policy.timeouts.attempt=1h"}, nothing, false},
		{[]string{"policy.timeouts.attempt=2001ms"}, nothing, true},
		{[]string{"policy.timeouts.attempt=1999ms"}, nothing, false},
		{[]string{"policy.timeouts.attempt=2001ms", "provider.round_trip=10ms"}, nothing, false},
		// 100 tokens of prompt at 20 ms per 1,000 are 2 ms.
		{[]string{"policy.timeouts.attempt=2001ms", "provider.latency.first_token_per_1k_prompt=20ms"}, nothing, false},
		{[]string{"policy.timeouts.attempt=2003ms", "provider.latency.first_token_per_1k_prompt=20ms"}, nothing, true},
		{[]string{"policy.retry.retry_after={at_least_backoff: true}"}, ignored, true},
		{[]string{"policy.retry.retry_after={plus: {share: 10%}}"}, ignored, true},
		{[]string{"policy.retry.retry_after={obey: in_full, at_least_backoff: true}"}, ignored, false},
		{[]string{stopsRetries, "policy.retry.attempts=1"}, idle, true},
		{[]string{stopsRetries, "policy.retry.attempts=1", "policy.hedge={after: 1s}"}, idle, false},
		{[]string{stopsRetries}, idle, false},
		{[]string{"policy.timeouts.attempt=1h", "provider.latency.first_token={exponential: {mean: 1s}}"}, nothing,
			true},
		{[]string{"policy.timeouts.attempt=1m", "provider.latency.first_token={exponential: {mean: 10s}}"}, nothing,
			false},
		// Three tries of 2 s and two waits of 4 s are 14 s.
		{[]string{"workload.redeliver={visible_after: 13s, deliveries: 3}"}, twice, true},
		{[]string{"workload.redeliver={visible_after: 14s, deliveries: 3}"}, twice, false},
		{[]string{"workload.redeliver={visible_after: 1h, deliveries: 3}", "policy.retry.attempts=unlimited"}, twice,
			true},
		{[]string{"workload.redeliver={after: 1s, deliveries: 3}"}, twice, false},
		{[]string{"workload.redeliver={visible_after: 13s, while_working: true}"}, twice, false},
		// An answer takes 2 s: ceil(2/0.6) = 4 copies, but there are 2 workers; ceil(2/1.9) = 2.
		{[]string{"workload.redeliver={visible_after: 600ms, while_working: true}"}, copies + " 600ms: other workers " +
			"get the call meanwhile, up to 2 work on it at once", true},
		{[]string{"workload.redeliver={visible_after: 600ms, while_working: true}", "fleet.workers=9"},
			copies + " 600ms: other workers get the call meanwhile, up to 4 work on it at once", true},
		{[]string{"workload.redeliver={visible_after: 1900ms, while_working: true}"}, copies, true},
		{[]string{"workload.redeliver={visible_after: 1s, while_working: true, deliveries: 1}"}, copies, false},
		{[]string{"workload.redeliver={visible_after: 2s, while_working: true}"}, copies, false},
		{[]string{"workload.redeliver={visible_after: 1s, while_working: true}", "fleet.workers=1"}, copies, false},
	} {
		s, err := Read([]byte(text), "t", Options{Set: c.set})
		if err != nil {
			t.Errorf("%v: %v", c.set, err)
			continue
		}
		if notes := strings.Join(s.Warnings(), "; "); strings.Contains(notes, c.note) != c.want {
			t.Errorf("%v: the notes are %q; want one with %q: %v", c.set, notes, c.note, c.want)
		}
	}
}

// What is explained says what is so.
func TestExplainsInWords(t *testing.T) {
	const (
		open  = "workload={prompt_tokens: 9, output_tokens: 9, max_tokens: 9, open: {rate: 2/s, calls: 9"
		limit = "provider.limits=[{resource: tokens, limit: 9k/min, charge: prompt, settle: "
	)
	for set, want := range map[string]string{
		limit + "none}]":                    "charged prompt at admission, nothing is given back.",
		limit + "refund}]":                  "charged prompt at admission, settlement: refund.",
		open + "}}":                         "arriving at 2/s, Poisson;",
		open + ", gaps: constant}}":         "arriving at 2/s, evenly spaced;",
		open + ", gaps: {gamma: {cv: 3}}}}": "arriving at 2/s, gamma gaps of cv 3;",

		"workload.redeliver={deliveries: unlimited}": "goes back to the queue after 0s, without limit.",
		"workload.redeliver={deliveries: 4, visible_after: 1000s}": "back in the queue 16m40s after it was taken, " +
			"at most 4 deliveries.",
		"workload.cache={prefix: 100, write: true}": "The first 100 tokens of the prompts are shared by all calls of " +
			"the fleet: the first writes them to the provider's cache, billed at the price for writing, others read " +
			"them there, for 5m after its last use.",
		"workload.cache={prefix: 100, scope: key, lifetime: unlimited}": "shared by all calls under its key: the " +
			"first writes them to the provider's cache, others read them there, without end.",
		"workload.cache={prefix: 1M}": "and the cache a prefix of 1000000: " +
			"shorter prompts do not use it",
		"workload.redeliver={deliveries: 2, after: 1s}": "A call that is not answered by then is a dead letter.",
		"workload.redeliver={visible_after: 30s, while_working: true}": "is delivered again 30s after each delivery, " +
			"even while it is worked on, without limit; the first answer ends it.",
		"workload.redeliver=sqs":                               "is delivered again 30s after each delivery",
		"workload.redeliver={preset: sqs, visible_after: 90s}": "is delivered again 1m30s after each delivery",
		"workload.redeliver=celery@5.6": "A call that fails is acknowledged: it is not delivered " +
			"again.",
		"workload.redeliver=celery": "is delivered again 1h after each delivery, even while",
		"policy.gate.semaphore=8": "Calls that wait to retry do not count at the gate; for a semaphore held during " +
			"that wait use policy.gate.held: call.",
		"policy.gate={semaphore: 8, held: call, wait: 600s, wait_retriable: true}": "gate 8, held by calls, " +
			"waits at most 10m0s and then retries.",
		"policy.gate={aimd: {min: 1, grow_after: 10, slow_start: true, cooldown: 5s}}": "gate AIMD 1..200 from 20, " +
			"+1 after 10 successes, slow start, cut by 10% at most every 5s.",
		// 100 + 80 tokens at once, of which 100 + 50 are used when settled.
		"policy.route.cooldown={failures: 1, over: 10s}": "cooldown 5s after 1 failure in 10s",
		"policy.pace={tokens: 9k/min, burst: 900}": "pacer of 9000 tokens/min                     " +
			"50 calls/min after a burst of 5",
		"policy.pace={tokens: 9k/min, burst: 900, settle: true}": "pacer of 9000 tokens/min                     " +
			"60 calls/min after a burst of 5",
		"policy.pace={rate: 2/s}": "pacer of 2/s                                 120 calls/min",

		"policy.pace={rate: 8/s, tokens: 150k/min, settle: true, wait: 45s}": "paced at 8/s, burst 1, and at " +
			"150000 tokens/min, burst 150000, estimate prompt + max_tokens, settled, waits at most 45s.",
		"policy.pace={aimd: {start: 2/s, max: 20/s, add: 0.5/s, cut: 30%, cooldown: 5s}}": "paced at 2/s, burst 1, " +
			"AIMD from 0.2/s to 20/s: +0.5/s every 1s, -30% when refused at most every 5s.",
		"policy.retry={attempts: 6, backoff: {constant: 1s}}":        "Retry-After: 1s, 1s, 1s, 1s, 1s.",
		"policy.retry={attempts: 7, backoff: {constant: 1s}}":        "Retry-After: 1s, 1s, 1s, 1s, 1s, ....",
		"policy.retry={attempts: 5, backoff: {list: [4s, 8s, 16s]}}": "without Retry-After: 4s, 8s, 16s, 16s.",
		"policy.retry={attempts: 4, backoff: {law: {uniform: {min: 1s, max: 3s}}}}": "at most 4 times; its backoff " +
			"takes at most 9s in total.",
		"policy.retry={attempts: 4, backoff: {law: {exponential: {mean: 1s}}}}": "at most 4 times, with no limit on " +
			"time.",
		"policy.retry.retry_after={obey: in_full, at_least_backoff: true}": "A Retry-After that is shorter than the " +
			"backoff is not obeyed: the longer of the two is waited.",
		"provider.faults=[{first: 1, status: 429}]": "Fault: status 429 for the first attempt of each call.",
		"provider.faults=[{first: 2, status: 429}]": "Fault: status 429 for the first 2 attempts of each call.",
		"provider.faults=[{first: 3, of: run, share: 50%, status: 200, code: x}]": "Fault: status 200 with the error " +
			"x in its body for 50% of the first 3 attempts of the run.",
		"provider.faults=[{status: 503, counts: true, for: 10s, slow_start: {for: 1m, slow: 5}}]": "status 503 that " +
			"counts at the limits from 0s for 10s, then latency times 5, falling to 1 over 1m0s.",
		"provider.faults=[{status: 503, counts: attempts}]": "status 503 that counts at the limits",
		"provider.faults=[{status: 503, counts: answered}]": "status 503 that counts at no limit",
		"provider.limits=[{resource: requests, limit: 20/day, counts: attempts}]": "requests 20/day, token bucket, " +
			"failed attempts count",
		"provider.limits=[{resource: tokens, limit: 9k/min, counts: answered}]": "only answered requests count, at " +
			"their end",
		"provider.limits=[{resource: tokens_in_flight, limit: 200k}]": "200k tokens in flight",
		"provider.limits=[{resource: requests, limit: 6/min, tiers: [{spent: $20, limit: 12/min}]}]": "requests " +
			"6/min, token bucket, 12/min after $20 spent",
		// 100 tokens of prompt and 50 of answer at $0.15 and $0.60 per million are 45 millionths of a dollar.
		"provider.limits=[{resource: dollars, balance: $0.009}]": "200 calls in all",
		"provider.latency={first_token_per_1k_prompt: 6ms}": "Each 1,000 tokens of the prompt that are not cached " +
			"add 6ms to it.",
		"provider={limits: [{name: a, resource: requests, limit: 9/min}], latency: {by_use: {limit: a, full: 3}}}": "" +
			"An answer takes up to 3 times as long as \"a\" is used up.",
		"price={input: 1, output: 2, long_prompts: [{above: 200k, output: 3}]}": "own price: $1 in, $1 cached, $2 " +
			"out per million tokens; prompts above 200,000: $1 in, $1 cached, $3 out (the scenario).",
		"price={per_hour: 0}":     "no price.",
		"price={per_hour: 98}":    "capacity: $98 per hour (the scenario).",
		"policy.retry.attempts=4": "own-the-loop with changes: 4 attempts",
		"policy.retry.attempts=6": "own-the-loop: 6 attempts",
		"policy.name=mine":        "mine: 6 attempts",
	} {
		s, err := Read([]byte(base), "t", Options{Set: []string{set}})
		if err != nil {
			t.Errorf("%s: %v", set, err)
			continue
		}
		var out bytes.Buffer
		s.Explain(&out)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: the explanation lacks %q:\n%s", set, want, out.String())
		}
	}
	for name, want := range map[string]string{"sqs": "30s, 30s, 30s, 30s, 30s, ...; without end",
		"own-the-loop": "; in all 0s..15.5s"} {
		p, err := FindPreset("policy", name)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := p.Explain(&out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: lacks %q: %v\n%s", name, want, err, out.String())
		}
	}
	// One version is the version; of several one has to be said.
	for name, want := range map[string]bool{"instructor": true, "instructor@1.8": true, "openai-python": false} {
		if _, err := FindPreset("policy", name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Four turns of 100, 130, 160 and 190 tokens of prompt and 10 of answer.
func TestExplainsSessions(t *testing.T) {
	for set, wants := range map[string][]string{
		"rate: 2/min, count: 50}": {
			"At most 50 sessions arriving at 2/min, Poisson, each of 4 turns, a pause of 5 seconds between " +
				"them; 2 workers. A prompt grows by what was said and 20 tokens from turn to turn.",
			"Prompts: 100 tokens at the start of a session, mean 145.",
			"at the peak of 8 calls/min", // 2 x 4
			"arrivals need 8.",
		},
		"users: 30, count: 50}": {
			"At most 50 sessions of 30 users, who begin another when theirs ends, each of 4 turns",
			"30 users, 5 s a turn", // answers take no time
		},
		"users: 3, count: 50, context: 1k, ends_on_failure: true}": {
			"A session ends where its prompt and max_tokens exceed 1000 tokens. A session ends with a turn that is " +
				"not answered.",
		},
		"users: 3, count: 50}, cache: {minimum: 1024}": {
			"kept for 5m after its last use. Prompts of less than 1024 tokens are not cached.",
		},
		"users: 3, count: 50}, cache: {write: true}": {
			"Each turn reads the prompt of the turn before from the provider's cache and writes what it adds to it, " +
				"billed at the price for writing; kept for 5m after its last use.",
		},
		"users: 3, count: 50}, cache: {prefix: 50}": {
			"Each turn reads the first 50 tokens of the prompt of the turn before from the provider's cache",
		},
	} {
		set = "workload={output_tokens: 10, sessions: {turns: 4, prompt_starts: 100, prompt_grows: 20, think: 5s, " +
			set + "}"
		s, err := Read([]byte(base), "t", Options{Set: []string{set}})
		if err != nil {
			t.Errorf("%s: %v", set, err)
			continue
		}
		var out bytes.Buffer
		s.Explain(&out)
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: the explanation lacks %q:\n%s", set, want, out.String())
			}
		}
	}
}
