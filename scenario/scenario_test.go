package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/cost"
	"stampede/fleet"
	"stampede/internal/strict"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

const base = `name: t
workload:
  batch: {calls: 10}
  prompt_tokens: 100
  output_tokens: 50
  max_tokens: 80
fleet: {workers: 2}
provider:
  limits:
    - {resource: requests, limit: 500/min}
policy: own-the-loop
price: gpt-4o-mini
`

func TestMistakesAreExplained(t *testing.T) {
	for _, c := range []struct {
		name      string
		old, with string // replaced in base
		want      []string
	}{
		{"unknown field", "max_tokens: 80", "max_tokns: 80",
			[]string{"f.yaml:6:3: workload.max_tokns: unknown field", `did you mean "max_tokens"?`,
				"   6 |   max_tokns: 80\n     |   ^"}},
		{"unknown section", "fleet:", "fleat:", []string{"f.yaml:7:1: fleat: unknown field", `did you mean "fleet"?`}},
		{"field twice", "prompt_tokens: 100", "prompt_tokens: 100\n  prompt_tokens: 5",
			[]string{"f.yaml:5:3: ", "prompt_tokens"}},
		{"not YAML", "{calls: 10}", "{calls: 10", []string{"f.yaml:", "not YAML"}},
		{"list for a mapping", "fleet: {workers: 2}", "fleet: [2]",
			[]string{"f.yaml:7:8: fleet: found a list; want a mapping of dispatch, instances, key, name, " +
				"per_request, priority, " +
				"queue, workers"}},
		{"no unit", "policy: own-the-loop", "policy: {retry: {deadline: 45}}",
			[]string{`policy.retry.deadline: found "45"; want a time with its unit`}},
		{"negative", "calls: 10", "calls: -3", []string{`workload.batch.calls: found "-3"; want a whole number`}},
		{"half a call", "calls: 10", "calls: 2.5", []string{`found "2.5"; want a whole number`}},
		{"nothing to do", "calls: 10", "calls: 0", []string{"workload.batch.calls: found 0; want 1 to 1G"}},
		{"two kinds of arrival", "batch: {calls: 10}", "batch: {calls: 10}\n  burst: {calls: 10}",
			[]string{"f.yaml:", "workload: found 2 kinds of arrival [batch burst]; want exactly one"}},
		{"no kind of arrival", "  batch: {calls: 10}\n", "", []string{"found 0 kinds of arrival"}},
		{"no end", "batch: {calls: 10}", "open: {rate: 5/s}",
			[]string{"workload.open: found neither calls nor a horizon"}},
		{"bursts without an end", "batch: {calls: 10}", "burst: {calls: 10, every: 1m}",
			[]string{"workload.burst: found neither times nor a horizon"}},
		{"times of one burst", "batch: {calls: 10}", "burst: {calls: 10, times: 3}",
			[]string{"workload.burst.times: found 3 without every"}},
		{"a span of nothing", "batch: {calls: 10}", "uniform: {calls: 10}",
			[]string{"workload.uniform.over: found nothing; want the time in which the calls arrive"}},
		{"two pauses", "batch: {calls: 10}", "closed: {calls: 10, think: 1s, every: 2s}",
			[]string{"workload.closed: found think and every; want one of them"}},
		{"schedule without a start", "workers: 2", "workers: [{at: 5s, count: 2}]",
			[]string{"fleet.workers.schedule.0.at: found 5s; want 0"}},
		{"schedule out of order", "workers: 2", "workers: [{count: 2}, {at: 9s, count: 3}, {at: 5s, count: 2}]",
			[]string{"fleet.workers.schedule: found 5s after 9s; want times that rise"}},
		{"schedule of nobody", "workers: 2", "workers: [{count: 0}]",
			[]string{"fleet.workers.schedule: found no worker at any time"}},
		{"autoscaler in part", "workers: 2", "workers: {min: 1, max: 3}",
			[]string{"fleet.workers: found a part of an autoscaler; want max and per_queued"}},
		{"bounds of an autoscaler", "workers: 2", "workers: {min: 5, max: 3, per_queued: 1}",
			[]string{"fleet.workers.min: found 5; want at most max, 3"}},
		{"number and autoscaler", "workers: 2", "workers: {count: 5, max: 3, per_queued: 1}",
			[]string{"fleet.workers: found more than one of count, schedule and the bounds of an autoscaler"}},
		{"autoscaler of users", "batch: {calls: 10}\n  prompt_tokens: 100\n  output_tokens: 50\n  max_tokens: 80\n" +
			"fleet: {workers: 2}", "closed: {calls: 9}\n  prompt_tokens: 100\n  output_tokens: 50\n" +
			"fleet: {workers: {max: 3, per_queued: 1}}",
			[]string{"fleet.workers: found an autoscaler, but a closed workload has no queue"}},
		{"no workers", "fleet: {workers: 2}", "fleet: {instances: 2}",
			[]string{"fleet.workers: found none; want the number of workers"}},
		{"queues of a batch", "fleet: {workers: 2}", "fleet: {workers: 2, queue: per_instance}",
			[]string{"fleet.queue: found per_instance; it requires workers and an open, burst, uniform, trace or "}},
		{"a batch dealt", "fleet: {workers: 2}", "fleet: {workers: 2, dispatch: round_robin}",
			[]string{"fleet.dispatch: found round_robin; workers take the calls of this workload"}},
		{"no prompt", "  prompt_tokens: 100\n", "", []string{"workload.prompt_tokens: found nothing"}},
		{"law without parameters", "prompt_tokens: 100", "prompt_tokens: {lognormal: {p50: 9}}",
			[]string{"f.yaml:4:18: workload.prompt_tokens: a lognormal distribution needs p50 and p95"}},
		{"two laws", "prompt_tokens: 100", "prompt_tokens: {constant: 1, exponential: {mean: 2}}",
			[]string{"found 2 fields; want exactly one of constant, empirical"}},
		{"rate without time", "500/min", "500", []string{"provider.limits.0.limit: found 500; want a whole amount " +
			"per time"}},
		{"rate of nothing", "500/min", "500/fortnight",
			[]string{`found "500/fortnight"; want a whole amount per time`}},
		{"unknown resource", "resource: requests", "resource: request",
			[]string{`provider.limits.0.resource: found "request"; did you mean "requests"?`}},
		{"two limits of one name", "    - {resource: requests, limit: 500/min}",
			"    - {name: quota, resource: requests, limit: 500/min}\n    - {name: quota, resource: tokens, limit: " +
				"9k/min}", []string{`provider.limits: limits 0 and 1 are both named "quota"`}},
		{"limit with the capacity's name", "limit: 500/min}", "limit: 500/min, name: slots}",
			[]string{`provider.limits: limit 0 is named "slots", the name of the capacity`}},
		{"name that does not print", "limit: 500/min}", "limit: 500/min, name: \"a\\tb\"}",
			[]string{`provider.limits: found the name "a\tb" of limit 0; want up to 60 printable characters`}},
		{"kind of limit", "limit: 500/min}", "limit: 500/min, kind: leaky_bukket}",
			[]string{`provider.limits.0.kind: found "leaky_bukket"; did you mean "leaky_bucket"?`, "sliding_window"}},
		{"dollars of requests", "limit: 500/min}", "limit: $5/min}",
			[]string{"provider.limits.0.limit: found $5/min of requests; dollars, and only they, are written such " +
				"as $10/10m"}},
		{"dollars without the sign", "{resource: requests, limit: 500/min}", "{resource: dollars, limit: 500/min}",
			[]string{"provider.limits.0.limit: found 500/min of dollars"}},
		{"used of dollars", "{resource: requests, limit: 500/min}", "{resource: dollars, limit: $5/min, used: 3}",
			[]string{"provider.limits.0.used: found 3 of dollars; dollars, and only they, are written such as $5"}},
		{"charge of dollars", "{resource: requests, limit: 500/min}",
			"{resource: dollars, limit: $5/min, charge: prompt}", []string{"one on dollars what is billed"}},
		{"kind of concurrency", "{resource: requests, limit: 500/min}",
			"{resource: concurrency, limit: 8, kind: ramp}", []string{"a limit on concurrency has a number"}},
		{"what a ramp has used", "limit: 500/min}", "limit: 500/min, kind: ramp, used: 5}",
			[]string{"provider.limits.0.used: a ramp starts from a rate; want prior_rate"}},
		{"rate before a ramp", "limit: 500/min}", "limit: 500/min, kind: ramp, prior_rate: 500}",
			[]string{"provider.limits.0.prior_rate: found 500; want a rate such as 500k/min"}},
		{"before no ramp", "limit: 500/min}", "limit: 500/min, prior_rate: 5/s}",
			[]string{"growth, every and prior_rate require kind: ramp"}},
		{"limit of a key nobody has", "limit: 500/min}", "limit: 500/min, keys: [blue]}",
			[]string{`provider.limits.0.keys: found "blue"; no fleet uses this key`}},
		{"limit of a model nobody calls", "limit: 500/min}", "limit: 500/min, models: [blue]}",
			[]string{`provider.limits.0.models: found [blue]; no fleet calls any of them`}},
		{"dialect", "  limits:", "  dialect: antropic\n  limits:",
			[]string{`provider.dialect: found "antropic"; did you mean "anthropic"?`}},
		{"what is billed", "  limits:", "  bills: [abandonned]\n  limits:",
			[]string{`provider.bills.0: found "abandonned"; did you mean "abandoned"?`}},
		{"batch without slots", "  limits:", "  capacity: {batching: {step: 10ms}}\n  limits:",
			[]string{"provider.capacity.slots: found none; queue, full_status and batching require a number of slots"}},
		{"batch without a step", "  limits:", "  capacity: {slots: 8, batching: {per_stream: 10ms}}\n  limits:",
			[]string{"provider.capacity.batching: found a step of 0s; want a time such as 12ms"}},
		{"two latencies", "  limits:", "  capacity: {slots: 8, batching: {step: 10ms}}\n  latency: {first_token: " +
			"1s}\n  limits:", []string{"provider.latency: found latency and capacity.batching"}},
		{"measure nobody", "name:", "measure: onlin\nother_fleets:\n  - {fleet: {name: online, workers: 1}, " +
			"workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1}}\nname:",
			[]string{`measure: found "onlin"; no such fleet; did you mean "online"?`}},
		{"two fleets of one name", "name:", "other_fleets:\n  - {fleet: {name: main, workers: 1}, workload: {batch: " +
			"{calls: 1}, prompt_tokens: 1, output_tokens: 1}}\nname:",
			[]string{`other_fleets.0.fleet.name: found "main"; want a name of its own`}},
		{"mistake in a fleet beside", "name:", "other_fleets:\n  - {fleet: {workers: 1}, workload: {batch: {calls: " +
			"1}, output_tokens: 1}}\nname:", []string{"other_fleets.0.workload.prompt_tokens: found nothing"}},
		{"tier that is not sold", "price: gpt-4o-mini", "price: {model: gpt-4o-mini, tier: flex}",
			[]string{"price: no flex price for model \"gpt-4o-mini\"", "sold as batch, priority, standard"}},
		{"two kinds of gate", "policy: own-the-loop", "policy: {preset: own-the-loop, gate: {semaphore: 8, aimd: {}}}",
			[]string{"policy.gate: found 2 kinds of gate; want one of semaphore, aimd, gradient"}},
		{"order of no gate", "policy: own-the-loop", "policy: {gate: {order: lifo}}",
			[]string{"policy.gate.order: found it without a gate; want one of semaphore, aimd, gradient"}},
		{"wait at no gate", "policy: own-the-loop", "policy: {gate: {wait: 600s}}",
			[]string{"policy.gate.wait: found it without a gate; want one of semaphore, aimd, gradient"}},
		{"wait for no pacer", "policy: own-the-loop", "policy: {pace: {wait: 45s}}",
			[]string{"policy.pace.wait: found it alone, where it has no effect; want one of rate, aimd, tokens, "}},
		{"workers of an empty list", "fleet: {workers: 2}", "fleet: {workers: []}",
			[]string{"fleet.workers: found an empty list; want {at: 0, count: N} as its first entry"}},
		{"retriable wait without end", "policy: own-the-loop", "policy: {gate: {semaphore: 4, wait_retriable: true}}",
			[]string{"policy.gate.wait_retriable: found it alone, where it has no effect; want policy.gate.wait"}},
		{"slow start of what always starts slowly", "policy: own-the-loop",
			"policy: {gate: {aimd: {slow_start: true}}}",
			[]string{"policy.gate.aimd.slow_start: found it alone, where it has no effect; want grow_after from 2"}},
		{"bounds of a gate", "policy: own-the-loop", "policy: {gate: {aimd: {start: 5}}}",
			[]string{"policy.gate.aimd: found start 5 between min 20 and max 200"}},
		{"two pacers", "policy: own-the-loop", "policy: {pace: {rate: 5/s, headers: true}}",
			[]string{"policy.pace: found 2 kinds; want one of rate or tokens, headers, cubic"}},
		{"tokens and headers", "policy: own-the-loop", "policy: {pace: {tokens: 5k/min, headers: true}}",
			[]string{"policy.pace: found 2 kinds; want one of rate or tokens, headers, cubic"}},
		{"tokens of no time", "policy: own-the-loop", "policy: {pace: {tokens: 150k}}",
			[]string{"policy.pace.tokens: found 150000; want tokens per time, such as 150k/min"}},
		{"settled requests", "policy: own-the-loop", "policy: {pace: {rate: 5/s, settle: true}}",
			[]string{"policy.pace.settle: found it alone, where it has no effect; want tokens as well"}},
		{"two bursts of tokens", "policy: own-the-loop",
			"policy: {pace: {tokens: 5k/min, burst: 10, tokens_burst: 20}}",
			[]string{"policy.pace.tokens_burst: found 20 and burst 10, of which both are of tokens"}},
		{"two rates to start with", "policy: own-the-loop",
			"policy: {pace: {rate: 5/s, aimd: {start: 4/s, add: 1/s}}}",
			[]string{"policy.pace.aimd.start: found 4/s and policy.pace.rate 5/s; want one of them"}},
		{"a rate that never grows", "policy: own-the-loop", "policy: {pace: {rate: 5/s, aimd: {}}}",
			[]string{"policy.pace.aimd.add: found nothing; want what is added, such as 0.5/s"}},
		{"a start beyond the maximum", "policy: own-the-loop",
			"policy: {pace: {rate: 5/s, aimd: {add: 1/s, max: 4/s}}}",
			[]string{"policy.pace.aimd: found start 5/s between min 30/min and max 4/s"}},
		{"pacing by max_tokens that nobody sets", base[strings.Index(base, "  max_tokens"):],
			"fleet: {workers: 2}\npolicy: {pace: {tokens: 5k/min}}",
			[]string{"policy.pace.estimate: counts max_tokens, but workload.max_tokens is not set"}},

		{"reserve of no headers", "policy: own-the-loop", "policy: {pace: {rate: 5/s, reserve: 5%}}",
			[]string{"policy.pace.reserve: found it alone, where it has no effect; want headers as well"}},
		{"breaker without a rule", "policy: own-the-loop", "policy: {breaker: {open: 5s}}",
			[]string{"policy.breaker: found no rule; want consecutive_failures or ratio"}},
		{"minimum beyond the count", "policy: own-the-loop",
			"policy: {breaker: {ratio: 50%, window: 10, min_results: 20}}",
			[]string{"policy.breaker.min_results: found 20; want at most the 10 results it looks at"}},
		{"over what", "policy: own-the-loop", "policy: {breaker: {ratio: 50%, window: many}}",
			[]string{`policy.breaker.window: found "many"; want a number of results, such as 100, or a time, such ` +
				`as 30s`}},
		{"when open", "policy: own-the-loop", "policy: {breaker: {consecutive_failures: 5, when_open: fallback}}",
			[]string{`policy.breaker.when_open: found "fallback"; did you mean "fall_back"?`}},
		{"account that costs nothing", "policy: own-the-loop", "policy: {budget: {tokens: {max: 5}}}",
			[]string{"policy.budget.tokens: found an account that nothing is taken from"}},
		{"share of nothing", "policy: own-the-loop", "policy: {budget: {share: {reserve: 5}}}",
			[]string{"policy.budget.share.ratio: found nothing; want a share such as 20%"}},
		{"two hedges", "policy: own-the-loop", "policy: {hedge: {after: 1s, quantile: 95%}}",
			[]string{"policy.hedge: found after and quantile; want one of them"}},
		{"too many hedges", "policy: own-the-loop", "policy: {hedge: {after: 1s, max: 9}}",
			[]string{"policy.hedge.max: found 9; want 1 to 3"}},
		{"collapse without an end", "name:", "collapse: {from: 30s, below: 50%}\nname:",
			[]string{"collapse.to: found 0s; want a time after collapse.from, 30s"}},
		{"collapse beyond the horizon", "name:", "horizon: 1m\ncollapse: {from: 30s, to: 61s, below: 50%}\nname:",
			[]string{"collapse.to: found 1m1s; want at most the horizon, 1m: no call arrives after it"}},
		{"collapse below nothing", "name:", "collapse: {from: 30s, to: 60s}\nname:",
			[]string{"collapse.below: found 0%; want more than 0% and at most 100%"}},
		{"fallback to nobody", "policy: own-the-loop", "policy: {fallback: {on: true}}",
			[]string{"policy.fallback.on: found true with 0 fallbacks"}},
		{"fallbacks that nobody uses", "price: gpt-4o-mini", "price: gpt-4o-mini\nfallbacks: [{provider: local-stub}]",
			[]string{"policy.fallback.on: found false with 1 fallbacks"}},
		{"mistake in a fallback", "price: gpt-4o-mini",
			"price: gpt-4o-mini\nfallbacks: [{provider: {limits: [{resource: requests, limit: 5}]}}]",
			[]string{"fallbacks.0.provider.limits.0.limit: found 5"}},
		{"cooldown of no fallback", "policy: own-the-loop", "policy: {fallback: {cooldown: 5s}}",
			[]string{"policy.fallback.cooldown: found it alone, where it has no effect; want policy.fallback.on as " +
				"well"}},
		{"window of no throttle", "policy: own-the-loop", "policy: {throttle: {window: 5s}}",
			[]string{"policy.throttle.window: found it alone, where it has no effect; want policy.throttle.k as well"}},
		{"breaker that looks at nothing", "policy: own-the-loop",
			"policy: {breaker: {consecutive_failures: 5, window: 30s}}",
			[]string{"policy.breaker.window: found it alone"}},
		{"class of attempts", "policy: own-the-loop",
			"policy: {breaker: {consecutive_failures: 5, counts_as_failure: [terminl]}}",
			[]string{`policy.breaker.counts_as_failure.0: found "terminl"; did you mean "terminal"?`}},
		{"counts of no breaker", "policy: own-the-loop", "policy: {breaker: {counts_as_failure: [terminal]}}",
			[]string{"policy.breaker: found no rule; want consecutive_failures or ratio"}},
		{"minimum of nothing", "policy: own-the-loop", "policy: {breaker: {consecutive_failures: 5, min_results: 3}}",
			[]string{"policy.breaker.min_results: found it alone"}},
		{"cycle of no cooldown", "policy: own-the-loop",
			"fallbacks: [{provider: local-stub}]\npolicy: {fallback: {on: true, cooldown_refresh: 10s}}",
			[]string{"policy.fallback.cooldown_refresh: found it alone, where it has no effect; want " +
				"policy.fallback.cooldown as well"}},
		{"fall back to nobody", "policy: own-the-loop",
			"policy: {breaker: {consecutive_failures: 5, when_open: fall_back}}",
			[]string{"policy.breaker.when_open: found it alone, where it has no effect; want policy.fallback.on to " +
				"fall back as well"}},
		{"fallback of a fleet beside", "name:", "other_fleets:\n  - {fleet: {workers: 1}, policy: {fallback: {on: " +
			"true}}, workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1}}\nname:",
			[]string{"other_fleets.0.policy.fallback.on: found true; the scenario's fallbacks are those of its main " +
				"fleet"}},
		{"header beside a wait", "  limits:", "  faults: [{status: 429, retry_after: 5s, retry_after_header: " +
			"soon}]\n  limits:", []string{"provider.faults.0.retry_after_header: found both it and retry_after"}},
		{"header of no status", "  limits:", "  faults: [{hang: true, retry_after_header: soon}]\n  limits:",
			[]string{"require status"}},
		{"priority of one fleet", "policy: own-the-loop", "policy: {gate: {semaphore: 2, order: priority}}",
			[]string{"policy.gate.order: found priority, but all calls have the same; want scope: fleets, or kinds"}},
		{"adaptive for all fleets", "policy: own-the-loop", "policy: {gate: {aimd: {}, scope: fleets}}",
			[]string{"policy.gate.scope: found fleets with an adaptive limit; want a semaphore"}},
		{"pace for all fleets", "policy: own-the-loop", "policy: {pace: {rate: 1/s, scope: fleets}}",
			[]string{`policy.pace.scope: found "fleets"; known: all, instance`}},
		{"size without a unit", "  limits:", "  max_request: 32\n  limits:",
			[]string{`provider.max_request: found "32"; want a size such as 32MB, 20MiB or 500kB`}},
		{"size in two units", "  limits:", "  max_request: {bytes: 32MB, tokens: 200k}\n  limits:",
			[]string{"provider.max_request: found bytes and tokens; want one of them"}},
		{"no size", "  limits:", "  max_request: {status: 413}\n  limits:",
			[]string{"provider.max_request: found no size; want bytes, such as 32MB, or tokens"}},
		{"status of a server", "  limits:", "  max_request: {tokens: 9, status: 500}\n  limits:",
			[]string{"provider.max_request.status: found 500; want the status of an error of the client"}},
		{"less than a token", "  limits:", "  max_request: 3B\n  limits:",
			[]string{"provider.max_request: found 3B at 4 bytes per token, less than a token; want more"}},
		{"layer", "policy: own-the-loop", "policy: {outer_layers: [{retry: {attempts: 0}}]}",
			[]string{"policy.outer_layers.0.retry.attempts: found \"0\""}},
		{"layer's backoff", "policy: own-the-loop",
			"policy: {outer_layers: [{retry: {backoff: {exponential: {cap: 5s}}}}]}",
			[]string{"policy.outer_layers.0.retry.backoff.exponential.base: found nothing"}},
		{"power of nothing", "policy: own-the-loop", "policy: {retry: {backoff: {power: {base: 1s}}}}",
			[]string{"policy.retry.backoff.power: found base 1s and exponent 0"}},
		{"while working, never visible", "batch: {calls: 10}",
			"batch: {calls: 10}\n  redeliver: {while_working: true}",
			[]string{"workload.redeliver.while_working: found it alone; want visible_after as well, such as 30s"}},
		{"while working for one who leaves", "batch: {calls: 10}",
			"batch: {calls: 10}\n  patience: 5s\n  redeliver: {while_working: true, visible_after: 5s}",
			[]string{"workload.redeliver.while_working: found it beside workload.patience"}},
		{"turns while working", "batch: {calls: 10}", "sessions: {users: 3, turns: 3, count: 9}\n  " +
			"redeliver: {while_working: true, visible_after: 5s}",
			[]string{"workload.redeliver.while_working: found it beside workload.sessions, whose turns follow each"}},
		{"failures are dropped", "batch: {calls: 10}", "batch: {calls: 10}\n  redeliver: {failed: false}",
			[]string{"workload.redeliver.failed: found false, so that nothing is delivered again"}},
		{"unknown queue", "batch: {calls: 10}", "batch: {calls: 10}\n  redeliver: sqss",
			[]string{"workload.redeliver: found \"sqss\"; no such queue; did you mean \"sqs\"?"}},
		{"list of nothing", "policy: own-the-loop", "policy: {retry: {backoff: {list: []}}}",
			[]string{"policy.retry.backoff.list: found no wait; want one for each retry, such as [4s, 8s, 16s]"}},
		{"list of one value", "policy: own-the-loop", "policy: {retry: {backoff: {list: 4s}}}",
			[]string{"policy.retry.backoff.list: found \"4s\"; want a list of times, such as [4s, 8s, 16s]"}},
		{"jitter of its own", "policy: own-the-loop",
			"policy: {retry: {backoff: {list: {waits: [4s], jitter: decorrelated}}}}",
			[]string{"policy.retry.backoff.list.jitter: found decorrelated, which makes waits of its own"}},
		{"law without a mean", "policy: own-the-loop",
			"policy: {retry: {backoff: {law: {exponential: {mean: 0s}}}}}",
			[]string{"policy.retry.backoff.law: an exponential distribution needs a mean above 0"}},
		{"share above all", "policy: own-the-loop", "policy: {retry: {retry_after: {plus: {share: 110%}}}}",
			[]string{"policy.retry.retry_after.plus.share: found \"110%\"; want a share from 0 to 1"}},
		{"give up first", "policy: own-the-loop", "policy: {retry: {retry_after: {obey: up_to, limit: 5s, " +
			"overrides_status: true}}}",
			[]string{"policy.retry.retry_after.overrides_status: requires beyond: give_up"}},
		{"required but ignored", "policy: own-the-loop", "policy: {retry: {retry_after: {obey: ignore, " +
			"required: true}}}",
			[]string{"policy.retry.retry_after.required: requires obey: in_full or up_to"}},
		{"range of statuses", "policy: own-the-loop", "policy: {retry: {retry_on: [599..500]}}",
			[]string{"a range such as 502..599"}},
		{"tier of no model", "price: gpt-4o-mini", "price: {tier: batch}",
			[]string{"price.model: found a tier without a model"}},
		{"tier of one's own price", "price: gpt-4o-mini", "price: {input: 1, output: 2, tier: batch}",
			[]string{"price.tier: found batch with a price of your own"}},
		{"life of no cache", "  prompt_tokens:", "  cache_lifetime: 5m\n  prompt_tokens:",
			[]string{"workload.cache_lifetime: found 5m without cached_share"}},
		{"sessions of nobody", "batch: {calls: 10}", "sessions: {turns: 3, count: 9}",
			[]string{"workload.sessions: found rate 0/s and users 0; want one of them"}},
		{"sessions of users at a rate", "batch: {calls: 10}", "sessions: {rate: 1/s, users: 3, turns: 3, count: 9}",
			[]string{"workload.sessions: found rate 1/s and users 3; want one of them"}},
		{"sessions without end", "batch: {calls: 10}", "sessions: {users: 3, turns: 3}",
			[]string{"workload.sessions: found neither count nor a horizon"}},
		{"sessions without turns", "batch: {calls: 10}", "sessions: {users: 3, count: 9}",
			[]string{"workload.sessions.turns: found nothing; want the number of calls of a session, or a law"}},
		{"sessions of no turn", "batch: {calls: 10}", "sessions: {users: 3, count: 9, turns: 0}",
			[]string{"workload.sessions.turns: found 0; want at least 1"}},
		{"sessions with two first prompts", "batch: {calls: 10}",
			"sessions: {users: 3, count: 9, turns: 3, prompt_starts: 8k}",
			[]string{"workload.prompt_tokens: found ", "and sessions.prompt_starts 8000; want one of them"}},
		{"context within max_tokens", "batch: {calls: 10}", "sessions: {users: 3, count: 9, turns: 3, context: 80}",
			[]string{"workload.sessions.context: found 80 with max_tokens 80"}},
		{"cache of no session", "  prompt_tokens:", "  cache: {scope: session}\n  prompt_tokens:",
			[]string{"workload.cache.scope: found session; it requires a workload of sessions"}},
		{"cache of another length", "batch: {calls: 10}",
			"sessions: {users: 3, count: 9, turns: 3}\n  cache: {scope: fleet}",
			[]string{"workload.cache.prefix: found 0; want the tokens that prompts share"}},
		{"cache of too little", "  prompt_tokens:", "  cache: {prefix: 90, minimum: 1024}\n  prompt_tokens:",
			[]string{"workload.cache.minimum: found 1024 with a prefix of 90"}},
		{"two caches", "  prompt_tokens:", "  cached_share: 50%\n  cache: {prefix: 100}\n  prompt_tokens:",
			[]string{"workload.cache: found cached_share, cache_lifetime or cache_writes beside it"}},
		{"cache of nothing", "  prompt_tokens:", "  cache: {lifetime: 5m}\n  prompt_tokens:",
			[]string{"workload.cache.prefix: found 0; want the tokens that prompts share"}},
		{"cache of another scope", "  prompt_tokens:", "  cache: {prefix: 100, scope: keys}\n  prompt_tokens:",
			[]string{"workload.cache.scope: found \"keys\"", "key"}},
		{"burst of a window", "limit: 500/min}", "limit: 500/min, kind: fixed_window, burst: 5}",
			[]string{"provider.limits.0.burst: requires a bucket"}},
		{"factor without rule", "{resource: requests, limit: 500/min}",
			"{resource: tokens, limit: 500/min, output_factor: 5}",
			[]string{"output_factor and settle: multiply_output require each other"}},
		{"output charged at admission", "{resource: requests, limit: 500/min}",
			"{resource: output_tokens, limit: 500/min, charge: prompt}",
			[]string{"a limit on output tokens counts as_produced"}},
		{"queue without slots", "  limits:", "  capacity: {queue: 5}\n  limits:",
			[]string{"provider.capacity.slots: found none"}},
		{"full with another status", "  limits:", "  capacity: {slots: 5, full_status: 500}\n  limits:",
			[]string{"provider.capacity.full_status: found 500; want 429, 503 or 529"}},
		{"gateway of answers", "  limits:", "  gateway: {rewrite: [{from: 529, to: 200}]}\n  limits:",
			[]string{"provider.gateway.rewrite.0: found 529 to 200"}},
		{"gateway error without status", "  limits:", "  gateway: {errors: [{share: 1%}]}\n  limits:",
			[]string{"provider.gateway.errors.0.status: found none; want an error status from 300 to 599"}},
		{"limit with the name of a gateway's errors", "limit: 500/min}", "limit: 500/min, name: gateway_errors}",
			[]string{`limit 0 is named "gateway_errors", the name of a gateway's own errors; want another`}},
		{"gateway with two wishes", "  limits:", "  gateway: {strip_retry_after: true, retry_after: 59s}\n  limits:",
			[]string{"provider.gateway.retry_after: found 59s and strip_retry_after; want one of them"}},
		{"Retry-After in another form", "  limits:", "  retry_after: {send: in_second}\n  limits:",
			[]string{"provider.retry_after.send: found \"in_second\"", "as_date, in_body, in_seconds, never"}},
		{"rejected", "limit: 500/min}", "limit: 500/min, rejected: yes}",
			[]string{`rejected: found "yes"; known: free, into_debt, to_zero`}},
		{"slices longer than the period", "limit: 500/min}", "limit: 500/min, enforced_every: 2m}",
			[]string{"longer than its period"}},
		{"reserve of nothing", "resource: requests, limit: 500/min}\n",
			"resource: tokens, limit: 500/min}\n  faults: []\n", nil},
		{"unknown preset", "own-the-loop", "own-the-lop",
			[]string{`policy: found "own-the-lop"; no such policy; did you mean "own-the-loop"?`}},
		{"preset without version", "own-the-loop", "openai-python",
			[]string{"its behaviour depends on the version", "openai-python@1.47 .. 2.51"}},
		{"version before the first", "own-the-loop", "openai-python@0.27",
			[]string{"no rule is known for version 0.27"}},
		{"preset of one version", "policy: own-the-loop", "policy: tenacity@8.0",
			[]string{`found "tenacity@8.0"; no rule is known for version 8.0 (known: tenacity@9.1)`}},
		{"version of none", "own-the-loop", "own-the-loop@2", []string{"own-the-loop has no versions"}},
		{"provider as policy", "own-the-loop", "local-stub", []string{"no such policy"}},
		{"unknown jitter", "policy: own-the-loop",
			"policy: {retry: {backoff: {exponential: {base: 1s, jitter: fulll}}}}",
			[]string{`jitter: found "fulll"; did you mean "full"?`}},
		{"cap below base", "policy: own-the-loop", "policy: {retry: {backoff: {exponential: {base: 10s, cap: 1s}}}}",
			[]string{"cap: found 1s; want at least the base, 10s"}},
		{"up_to without limit", "policy: own-the-loop", "policy: {retry: {retry_after: {obey: up_to}}}",
			[]string{"retry_after.limit: found nothing; up_to needs a limit"}},
		{"status of success", "  limits:", "  faults: [{status: 200}]\n  limits:",
			[]string{"provider.faults.0.code: found none; an error in the body of status 200 requires a code"}},
		{"status of nothing", "  limits:", "  faults: [{status: 204, code: x}]\n  limits:",
			[]string{"provider.faults.0.status: found 204; want an error status from 300 to 599, or 200 with a code"}},
		{"answers charged at admission", "  limits:", "  limits:\n" +
			"    - {resource: tokens, limit: 5k/min, counts: answered, charge: prompt}",
			[]string{"counts answers and charges prompt at admission; allowed is as_produced"}},
		{"tokens in flight per minute", "  limits:", "  limits:\n" +
			"    - {resource: tokens_in_flight, limit: 5k/min}",
			[]string{"limit: found 5000/min; want a number of tokens at once, such as 200k"}},
		{"enqueued tokens of a kind", "  limits:", "  limits:\n" +
			"    - {resource: enqueued_tokens, limit: 5k, kind: ramp}",
			[]string{"a limit on enqueued_tokens has a number and, where wanted, a name"}},
		{"latency by an unknown limit", "  limits:", "  latency: {by_use: {limit: requsts, full: 3}}\n  limits:\n" +
			"    - {name: requests, resource: requests, limit: 60/min}",
			[]string{`latency.by_use.limit: found "requsts"; no limit has this name; did you mean "requests"?`}},
		{"latency that shrinks with use", "  limits:", "  latency: {by_use: {limit: r, full: 0.5}}\n  limits:\n" +
			"    - {name: r, resource: requests, limit: 60/min}",
			[]string{"latency.by_use.full: found 0.5; want a factor from 1 to 1000"}},
		{"a slow start after nothing", "  limits:",
			"  faults: [{status: 503, slow_start: {for: 5s, slow: 2}}]\n  limits:",
			[]string{"provider.faults.0.slow_start: requires a fault that ends; want for, or gap and length"}},
		{"a fast start", "  limits:", "  faults: [{status: 503, for: 5s, slow_start: {for: 5s, slow: 0.5}}]\n  limits:",
			[]string{"provider.faults.0.slow_start: found 0.5 times for 5s; want a factor from 1 to 1000 and a time"}},
		{"a balance of requests", "  limits:", "  limits:\n    - {resource: requests, balance: 500}",
			[]string{"balance: found 500 of requests; want dollars, such as {resource: dollars, balance: $20}"}},
		{"a balance per day", "  limits:", "  limits:\n    - {resource: dollars, balance: $5, limit: $5/day}",
			[]string{"a balance has an amount and, where wanted, a name, keys, models and used"}},
		{"a tier after tokens", "  limits:", "  limits:\n" +
			"    - {resource: requests, limit: 5/min, tiers: [{spent: 5, limit: 9/min}]}",
			[]string{"tiers.0.spent: found 5; want dollars, such as $5"}},
		{"a tier of another time", "  limits:", "  limits:\n" +
			"    - {resource: requests, limit: 5/min, tiers: [{spent: $5, limit: 9/h}]}",
			[]string{"tiers.0.limit: found 9/hour; want an amount in the time of the limit, 5/min"}},
		{"tiers out of order", "  limits:", "  limits:\n" +
			"    - {resource: requests, limit: 5/min, tiers: [{spent: $5, limit: 9/min}, {spent: $4, limit: 10/min}]}",
			[]string{"tiers.1.spent: found $4; want more than the $5 before it"}},
		{"a fault at a balance", "  limits:", "  faults: [{limit: {resource: dollars, limit: $1/h}}]\n  limits:\n" +
			"    - {resource: dollars, balance: $5}",
			[]string{"a fault changes the limit $5 balance, which follows what is spent"}},
		{"attempts that are free", "  limits:", "  limits:\n" +
			"    - {resource: requests, limit: 5k/min, counts: attempts, rejected: free}",
			[]string{"rejected: found free and counts: attempts; want to_zero or into_debt"}},
		{"a hang that counts", "  limits:", "  faults: [{hang: true, counts: true}]\n  limits:",
			[]string{"provider.faults.0.counts: requires status"}},
		{"a fault that counts somewhat", "  limits:", "  faults: [{status: 500, counts: attempt}]\n  limits:",
			[]string{`provider.faults.0.counts: found "attempt"; did you mean "attempts"?`}},
		{"the first no attempts", "  limits:", "  faults: [{status: 500, first: 0}]\n  limits:",
			[]string{`provider.faults.0.first: found "0"; want more than 0`}},
		{"first attempts of nobody", "  limits:", "  faults: [{status: 500, of: run}]\n  limits:",
			[]string{"provider.faults.0.of: says whose first attempts are affected; want first as well"}},
		{"whose first attempts", "  limits:", "  faults: [{status: 500, first: 2, of: runs}]\n  limits:",
			[]string{`provider.faults.0.of: found "runs"; did you mean "run"?`}},
		{"advice without a status", "  limits:", "  faults: [{hang: true, x_should_retry: false}]\n  limits:",
			[]string{"provider.faults.0: code, retry_after, retry_after_header, x_should_retry and after require",
				"status"}},
		{"advice of another kind", "  limits:", "  faults: [{status: 503, x_should_retry: no}]\n  limits:",
			[]string{`provider.faults.0.x_should_retry: found "no"; known: false, true`}},
		{"fault without effect", "  limits:", "  faults: [{at: 5s}]\n  limits:",
			[]string{"provider.faults.0: found 0 effects; want exactly one of connection, cut_at"}},
		{"deadline without a time", "policy: own-the-loop", "policy: {deadline: {from: start}}",
			[]string{"policy.deadline.from: found it alone, where it has no effect; want policy.deadline.after"}},
		{"deadline from another instant", "policy: own-the-loop", "policy: {deadline: {after: 9s, from: arival}}",
			[]string{`policy.deadline.from: found "arival"; did you mean "arrival"?`}},
		{"connection of no kind", "  limits:", "  faults: [{connection: {after: 5s}}]\n  limits:",
			[]string{"provider.faults.0.connection.kind: found none; want one of dns, refused, reset, tls"}},
		{"connection of another kind", "  limits:", "  faults: [{connection: {kind: dsn}}]\n  limits:",
			[]string{`provider.faults.0.connection.kind: found "dsn"; known: dns, refused, reset, tls, unreachable`}},
		{"silence that is known", "  limits:", "  faults: [{connection: {kind: unreachable, after: 5s}}]\n  limits:",
			[]string{"provider.faults.0.connection.after: found it of unreachable, which has no reply"}},
		{"a reply lost somehow", "  limits:", "  faults: [{lose_reply: silently}]\n  limits:",
			[]string{`provider.faults.0.lose_reply: found "silently"; did you mean "silent"?`}},
		{"stalled and cut", "  limits:", "  faults: [{stall_at: 40%, cut_at: 40%}]\n  limits:",
			[]string{"provider.faults.0: found 2 effects; want exactly one of connection, cut_at"}},
		{"gap without length", "  limits:", "  faults: [{status: 500, gap: 5m}]\n  limits:",
			[]string{"provider.faults.0: a recurring fault needs gap and length, and no for"}},
		{"share above one", "  limits:", "  faults: [{status: 500, share: 5}]\n  limits:",
			[]string{`provider.faults.0.share: found "5"; want a share from 0 to 1`}},
		{"unknown model", "gpt-4o-mini", "gpt-4o-minni", []string{`price: no price for model "gpt-4o-minni"`,
			`did you mean "gpt-4o-mini"?`}},
		{"capacity paid twice", "price: gpt-4o-mini",
			"price: gpt-4o-mini\nother_fleets: [{price: {per_hour: 3}, workload: {burst: {calls: 1}, " +
				"prompt_tokens: 1, output_tokens: 1, max_tokens: 1}}]",
			[]string{"other_fleets.0.price.per_hour: found 3; what serves all fleets is paid at the price of"}},
		{"capacity per minute", "price: gpt-4o-mini", "price: {per_hour: 98/min}",
			[]string{`price.per_hour: found "98/min"; want dollars per hour from 0 to 10 million, such as 98`}},
		{"long prompts of a model", "price: gpt-4o-mini",
			"price: {model: gpt-4o-mini, long_prompts: [{above: 200k, input: 4}]}",
			[]string{"price.long_prompts: requires input and output; models of a price list have their own"}},
		{"long prompts out of order", "price: gpt-4o-mini",
			"price: {input: 1, output: 2, long_prompts: [{above: 200k, input: 4}, {above: 128k, input: 3}]}",
			[]string{"price.long_prompts.1.above: found 128000; want more than the 200000 before it"}},
		{"half a price", "price: gpt-4o-mini", "price: {input: 3}", []string{"price: found a part of a price"}},
		{"merge key", "fleet: {workers: 2}", "fleet: {<<: {workers: 2}}", []string{"merge keys are not supported"}},
		{"second document", "price: gpt-4o-mini", "price: gpt-4o-mini\n---\nname: u", []string{"a second document"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(base, c.old) {
				t.Fatalf("the base does not hold %q", c.old)
			}
			_, err := Read([]byte(strings.Replace(base, c.old, c.with, 1)), "f.yaml", Options{})
			if c.want == nil {
				if err != nil {
					t.Errorf("want no error, got %v", err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want in it %q", err, want)
				}
			}
		})
	}
}

// All mistakes of a file are told at once, in the order of its lines, ten at most; none that only
// follows from another.
func TestAllMistakesAreTold(t *testing.T) {
	for _, c := range []struct {
		name, text string
		set        []string
		want       []string // one for each mistake, in this order
	}{
		{"of every kind", `name: t
horizn: 5s
workload:
  batch: {calls: -1}
  prompt_tokens: many
  output_tokens: 50
fleet: {workers: 0}
provider:
  limits: [{resource: requests, limit: 500}, {resource: request, limit: 5/min}]
  faults: [{status: 200}, {hang: maybe}]
policy: {retry: {backoff: {exponential: {cap: 5s}}}, hedge: {max: 2}, gate: {semaphore: 4, aimd: {}}}
price: gpt-4o-minni
`, nil, []string{
			"f:2:1: horizn: unknown field", "f:4:18: workload.batch.calls: found \"-1\"",
			"f:5:18: workload.prompt_tokens: found \"many\"", "f:7:18: fleet.workers: found \"0\"",
			"f:9:57: provider.limits.1.resource: found \"request\"", "f:10:34: provider.faults.1.hang: found \"maybe\"",
			"policy.retry.backoff.exponential.base: found nothing", "policy.hedge: found neither after nor quantile",
			"policy.gate: found 2 kinds of gate", "price: no price for model",
		}},
		{"of parts that can be read", strings.Replace(strings.Replace(base, "{resource: requests, limit: 500/min}",
			"{resource: requests, limit: 500}\n    - {resource: dollars, limit: 5/min}", 1), "calls: 10", "calls: 0",
			1), nil,
			[]string{"workload.batch.calls: found 0", "provider.limits.0.limit: found 500",
				"provider.limits.1.limit: found 5/min of dollars"}},
		{"in settings too", base, []string{"policy.gate.semafore=4", "fleet.workers=-1", "seed=x"},
			[]string{"--set policy.gate.semafore=4: ", "--set fleet.workers=-1: ", "--set seed=x: "}},
		{"not of what joins parts", strings.Replace(base, "max_tokens: 80", "max_tokens: lots", 1) +
			"fallbacks: [{provider: local-stubb}]\nmeasure: nobody\n",
			[]string{"provider.limits.0={resource: tokens, limit: 5k/min}"},
			[]string{"workload.max_tokens: found \"lots\"", "fallbacks.0.provider: found \"local-stubb\""}},
		{"once, though a fleet beside inherits", "other_fleets: [{workload: {batch: {calls: 1}, prompt_tokens: 1, " +
			"output_tokens: 1}, fleet: {workers: 1}}]\n" + strings.Replace(base, "policy: own-the-loop",
			"policy: {hedge: {max: 2}}", 1), nil,
			[]string{"policy.hedge: found neither"}},
	} {
		_, err := Read([]byte(c.text), "f", Options{Set: c.set})
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		rest := err.Error()
		for _, want := range c.want {
			at := strings.Index(rest, want)
			if at < 0 {
				t.Errorf("%s: %q is not told, or not in its place:\n%s", c.name, want, err)
				continue
			}
			rest = rest[at+len(want):]
		}
		told := 1
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			told = len(many.Unwrap())
		}
		if told != len(c.want) {
			t.Errorf("%s: %d mistakes, want %d:\n%s", c.name, told, len(c.want), err)
		}
	}
	var lines []string
	for i := range 13 {
		lines = append(lines, fmt.Sprintf("field%d: 1", i))
	}
	_, err := Read([]byte(strings.Join(lines, "\n")+"\n"+base), "f", Options{})
	if text := err.Error(); !strings.Contains(text, "field9:") || strings.Contains(text, "field10: unknown") ||
		!strings.HasSuffix(text, "\nand 3 more mistakes") {
		t.Errorf("of 13 mistakes: %s", text)
	}
}

func TestSettingsOverlayTheFile(t *testing.T) {
	read := func(set ...string) (*Scenario, error) { return Read([]byte(base), "f.yaml", Options{Set: set}) }
	for _, c := range []struct {
		set  string
		want func(*Scenario) bool
	}{
		{"policy.gate.semaphore=4", func(s *Scenario) bool {
			return s.Model.Client.Gate.Semaphore == 4 && s.Model.Client.Retry.Attempts == 6
		}},
		{"policy.gate.semaphore=none", func(s *Scenario) bool { return s.Model.Client.Gate.Semaphore == 0 }},
		{"policy=openai-python@2.46", func(s *Scenario) bool {
			return s.Model.Client.Retry.Attempts == 3 && s.Model.Client.Retry.Deadline == 0
		}},
		{"policy.retry.backoff.exponential.cap=5s", func(s *Scenario) bool {
			b := s.Model.Client.Retry.Backoff
			return b.Cap == 5*time.Second && b.Base == 500*time.Millisecond
		}},
		{"policy.retry.backoff=none",
			func(s *Scenario) bool { return !s.Model.Client.Retry.Backoff.On() }},
		{"policy.retry.backoff.constant=2s", func(s *Scenario) bool {
			return s.Model.Client.Retry.Backoff.Describe() == "constant 2s without jitter"
		}},
		{"policy.retry.backoff={list: [4s, 8s, 16s]}", func(s *Scenario) bool {
			return s.Model.Client.Retry.Backoff.Describe() == "list 4s, 8s, 16s without jitter"
		}},
		{"policy.retry.backoff={list: {waits: [4s, 8s], jitter: {minus: 25%}}}", func(s *Scenario) bool {
			return s.Model.Client.Retry.Backoff.Describe() == "list 4s, 8s minus up to 25%"
		}},
		{"policy.retry.backoff={law: {exponential: {mean: 2s}}}", func(s *Scenario) bool {
			return s.Model.Client.Retry.Backoff.Law == law.Exponential{Beta: 2}
		}},
		{"policy.retry.retry_after={obey: in_full, plus: {share: 10%, max: 5s}}", func(s *Scenario) bool {
			return s.Model.Client.Retry.RetryAfter.Describe() == "Retry-After in full plus up to 10% of it, at most 5s"
		}},
		{"policy.retry.retry_after={obey: in_full, plus: 5s}", func(s *Scenario) bool {
			return s.Model.Client.Retry.RetryAfter.Describe() == "Retry-After in full plus up to 5s"
		}},
		{"provider.limits.0.limit=90/min", func(s *Scenario) bool { return s.Model.Provider.Limits[0].Amount == 90 }},
		{"provider.limits=[]", func(s *Scenario) bool { return len(s.Model.Provider.Limits) == 0 }},
		{"workload.output_tokens={exponential: {mean: 30}}",
			func(s *Scenario) bool { return s.Workload.OutputTokens.Exponential != nil }},
		{"workload.output_tokens.exponential.mean=30",
			func(s *Scenario) bool { return s.Workload.OutputTokens.Exponential.Mean == 30 }},
		{"policy.retry.attempts=none", func(s *Scenario) bool { return s.Model.Client.Retry.Attempts == 0 }},
	} {
		s, err := read(c.set)
		if err != nil || !c.want(s) {
			t.Errorf("--set %s: %v", c.set, err)
		}
	}
	for set, want := range map[string]string{
		"policy.gate.semafore=4": `--set policy.gate.semafore=4: policy.gate.semafore: unknown field; did you ` +
			`mean "semaphore"?`,
		"policy.gate.semaphore=-1": `--set policy.gate.semaphore=-1: policy.gate.semaphore: found "-1"; want a ` +
			`whole number from 1, none or`,
		"provider.limits.7.burst=1": `the list has the items 0 to 0`,
		"deployments={eu: {}}":      `deployments.eu: found "eu" in place of a list`,
		"policy..x=1":               "has an empty part",
		"policy":                    "want PATH=VALUE",
		"seed=[":                    "not YAML",
		"seed=":                     `seed: found ""; want a whole number`,
	} {
		if _, err := read(set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %s: got %v, want in it %q", set, err, want)
		}
	}
}

// A mapping or a list that is set replaces what is there; += merges a mapping and adds to a list;
// a path reaches inside; null leaves a field as if it had not been written.
func TestSettingsReplaceMergeAndUnset(t *testing.T) {
	text := strings.Replace(base, "policy: own-the-loop",
		"policy: {preset: own-the-loop, breaker: {consecutive_failures: 5, open: 9s}}", 1)
	const s = time.Second
	client := func(of func(policy.Client) bool) func(*Scenario) bool {
		return func(s *Scenario) bool { return of(s.Model.Client) }
	}
	for _, c := range []struct {
		set  []string
		want func(*Scenario) bool
	}{
		{[]string{"policy.breaker={ratio: 50%}"}, client(func(c policy.Client) bool {
			return c.Breaker.InARow == 0 && c.Breaker.Ratio == 0.5 && c.Breaker.Open == 30*s
		})},
		{[]string{"policy.breaker+={ratio: 50%}"}, client(func(c policy.Client) bool {
			return c.Breaker.InARow == 5 && c.Breaker.Ratio == 0.5 && c.Breaker.Open == 9*s
		})},
		{[]string{"policy.breaker.ratio=50%"}, client(func(c policy.Client) bool {
			return c.Breaker.InARow == 5 &&
				c.Breaker.Ratio == 0.5
		})},
		{[]string{"policy.breaker.open=null"}, client(func(c policy.Client) bool {
			return c.Breaker.InARow == 5 &&
				c.Breaker.Open == 30*s
		})},
		{[]string{"policy.breaker=null"}, client(func(c policy.Client) bool {
			return !c.Breaker.On() &&
				c.Retry.Attempts == 6
		})},
		{[]string{"policy={retry: {attempts: 2}}"}, client(func(c policy.Client) bool {
			return c.Retry.Attempts == 2 && c.Retry.Deadline == 0 && !c.Breaker.On() && c.Name == ""
		})},
		{[]string{"policy+={retry: {attempts: 2}}"},
			client(func(c policy.Client) bool {
				return c.Retry.Attempts == 2 && c.Retry.Deadline == 45*s &&
					c.Breaker.On()
			})},
		{[]string{"policy.retry.backoff={exponential: {base: 1s}}"},
			client(func(c policy.Client) bool { return c.Retry.Backoff.Base == s && c.Retry.Backoff.Cap == 0 })},
		{[]string{"policy.retry.backoff+={exponential: {base: 1s}}"},
			client(func(c policy.Client) bool { return c.Retry.Backoff.Base == s && c.Retry.Backoff.Cap == 20*s })},
		{[]string{"policy.retry.attempts=null"}, client(func(c policy.Client) bool { return c.Retry.Attempts == 1 })},
		{[]string{"policy=null"}, client(func(c policy.Client) bool { return reflect.DeepEqual(c, sendOnce) })},
		{[]string{"policy.breaker+={ratio: 50%}", "policy.breaker={consecutive_failures: 3}"},
			client(func(c policy.Client) bool { return c.Breaker.InARow == 3 && c.Breaker.Ratio == 0 })},
		{[]string{"workload.open={rate: 5/s, calls: 9}"},
			func(s *Scenario) bool { return s.Model.Workload.Arrivals != nil && s.Model.Workload.Calls == 9 }},
		{[]string{"workload={burst: {calls: 3}, prompt_tokens: 1, output_tokens: 1, max_tokens: 5}"},
			func(s *Scenario) bool { return s.Model.Workload.Calls == 3 && s.Workload.Batch == nil }},
		{[]string{"provider.limits=[{resource: concurrency, limit: 5}]"}, func(s *Scenario) bool {
			return len(s.Model.Provider.Limits) == 1 && s.Model.Provider.Limits[0].Amount == 5
		}},
		{[]string{"provider.limits+=[{resource: concurrency, limit: 5}]"}, func(s *Scenario) bool {
			return len(s.Model.Provider.Limits) == 2 && s.Model.Provider.Limits[1].Amount == 5
		}},
		{[]string{"provider.limits+=[{resource: concurrency, limit: 5}]", "provider.limits.1.limit=6"},
			func(s *Scenario) bool { return s.Model.Provider.Limits[1].Amount == 6 }},
		{[]string{"provider.limits.0={resource: concurrency, limit: 5}"},
			func(s *Scenario) bool { return s.Model.Provider.Limits[0].Period == 0 }},
		{[]string{"provider.limits=null"}, func(s *Scenario) bool { return len(s.Model.Provider.Limits) == 0 }},
		{[]string{"workload.output_tokens=null", "workload.output_tokens={exponential: {mean: 30}}"},
			func(s *Scenario) bool { return s.Workload.OutputTokens.Exponential != nil }},
	} {
		s, err := Read([]byte(text), "f.yaml", Options{Set: c.set})
		if err != nil || !c.want(s) {
			t.Errorf("--set %v: not what was set; %v", c.set, err)
		}
	}
	// The values of an axis are set in the same way.
	tpl, err := NewTemplate([]byte(text), "f.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	axis, err := ParseAxis("policy.breaker={ratio: 50%},null")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []policy.Breaker{{Ratio: 0.5, Count: 100, Minimum: 100, Open: 30 * s}, {}} {
		if s, err := tpl.With([]Axis{axis}, axis.Values[i:i+1]); err != nil || s.Model.Client.Breaker != want {
			t.Errorf("%s: %+v, want %+v; %v", axis.Values[i].Label, s.Model.Client.Breaker, want, err)
		}
	}
	// An axis that reaches into what another sets is set after it, in whatever order they stand.
	part, _ := ParseAxis("policy.retry.attempts=9")
	whole, _ := ParseAxis("policy={retry: {deadline: 7s}}")
	for _, axes := range [][]Axis{{part, whole}, {whole, part}} {
		s, err := tpl.With(axes, []Value{axes[0].Values[0], axes[1].Values[0]})
		if err != nil || s.Model.Client.Retry.Attempts != 9 || s.Model.Client.Retry.Deadline != 7*time.Second {
			t.Errorf("axes %s, %s: %v; %v", axes[0].Path, axes[1].Path, s.Model.Client.Describe(), err)
		}
	}
	for set, want := range map[string]string{
		"workload.open.rate=5/s": "workload: found 2 kinds of arrival [batch open]; want exactly one of batch, " +
			"burst, closed, open, " +
			"sessions, trace, uniform; null unsets one",
		"workload.batch=null": "found 0 kinds of arrival",
	} {
		if _, err := Read([]byte(text), "f.yaml", Options{Set: []string{set}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("--set %s: %v, want in it %q", set, err, want)
		}
	}
	if _, err := Read([]byte("policy:\n"+text), "f.yaml", Options{}); err == nil {
		t.Error("a field with nothing behind it is read; want null written out")
	}
}

func TestDefaults(t *testing.T) {
	s, err := Read([]byte("workload: {burst: {calls: 1}, prompt_tokens: 1, output_tokens: 1}\n"), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := s.Model
	if s.Seed != 1 || s.Replications != 30 || m.Instances != 1 || m.Workers != 0 || m.Budget != 100_000_000 ||
		m.Client.Retry.Attempts != 1 ||
		m.Provider.Cancel != provider.Keeps ||
		m.Provider.RetryAfter != (provider.RetryAfter{}) {
		t.Errorf("defaults are not as documented: %+v", m)
	}
	if len(s.Warnings()) != 1 || !strings.Contains(s.Warnings()[0], "no price") {
		t.Errorf("warnings %q, want one about the price", s.Warnings())
	}
}

// A ramp starts from the traffic before the run: as given, else that of an open workload
// at its start, 5/s of 100 + 80 tokens for 15 min; else from its limit, with a note.
func TestRampStarts(t *testing.T) {
	for _, c := range []struct {
		name, workload, limit string
		before                int64
		notes                 int
	}{
		{"open", "open: {rate: 5/s, calls: 9, profile: [{at: 1m, rate: 50/s}]}", "resource: requests, limit: 1/s",
			4500, 0},
		{"open, of tokens", "open: {rate: 5/s, calls: 9}", "resource: tokens, limit: 1k/min", 810_000, 0},
		{"given", "open: {rate: 5/s, calls: 9}", "resource: requests, limit: 1/s, prior_rate: 40/min", 600, 0},
		{"given, and each minute", "burst: {calls: 1}",
			"resource: requests, limit: 1/s, every: 1m, prior_rate: 40/min", 40, 0},
		{"not known", "burst: {calls: 1}", "resource: requests, limit: 1/s", 0, 1},
	} {
		file := "workload: {" + c.workload + ", prompt_tokens: 100, output_tokens: 50, max_tokens: 80}\n" +
			"provider: {limits: [{kind: ramp, " + c.limit + "}]}\nprice: gpt-4o-mini\n"
		s, err := Read([]byte(file), "f", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Model.Provider.Limits[0].Before; got != c.before || len(s.Warnings()) != c.notes {
			t.Errorf("%s: %d before the run, notes %q; want %d, %d notes", c.name, got, s.Warnings(), c.before, c.notes)
		}
	}
}

func TestDealing(t *testing.T) {
	for _, c := range []struct {
		fleet, mistake string
		dealt          fleet.Dealing
		queue          fleet.Queueing
	}{
		{fleet: "{instances: 3}"},
		{fleet: "{instances: 3, dispatch: round_robin}", dealt: fleet.InTurn},
		{fleet: "{instances: 3, workers: 2}"},
		{fleet: "{instances: 3, workers: 2, queue: per_instance}", queue: fleet.PerInstance},
		{fleet: "{instances: 3, workers: 2, queue: per_instance, dispatch: round_robin}", dealt: fleet.InTurn,
			queue: fleet.PerInstance},
		{fleet: "{instances: 3, workers: 2, dispatch: round_robin}",
			mistake: "fleet.dispatch: found round_robin, but workers take calls from one queue of all instances; " +
				"want fleet.queue per_instance as well"},
		{fleet: "{instances: 3, queue: per_instance}",
			mistake: "fleet.queue: found per_instance; it requires workers and an open, burst, " +
				"uniform, trace or sessions workload"},
	} {
		file := "workload: {open: {rate: 5/s, calls: 9}, prompt_tokens: 1, output_tokens: 1}\nfleet: " + c.fleet + "\n"
		s, err := Read([]byte(file), "f", Options{})
		switch {
		case c.mistake != "":
			if err == nil || !strings.Contains(err.Error(), c.mistake) {
				t.Errorf("%s: got %v, want in it %q", c.fleet, err, c.mistake)
			}
		case err != nil:
			t.Errorf("%s: %v", c.fleet, err)
		case s.Model.Dealt != c.dealt || s.Model.Queue != c.queue:
			t.Errorf("%s: dealt %v, queue %v; want %v, %v", c.fleet, s.Model.Dealt, s.Model.Queue, c.dealt, c.queue)
		}
	}
}

func TestValues(t *testing.T) {
	span := func(s string) any { var v Span; return report(v.ParseText(s), &v) }
	count := func(s string) any { var v Count; return report(v.ParseText(s), &v) }
	number := func(s string) any { var v Number; return report(v.ParseText(s), &v) }
	share := func(s string) any { var v Share; return report(v.ParseText(s), &v) }
	rate := func(s string) any { var v Rate; return report(v.ParseText(s), &v) }
	size := func(s string) any { var v Bytes; return report(v.ParseText(s), &v) }
	per := func(s string) any { var v PerTime; return report(v.ParseText(s), &v) }
	for _, c := range []struct {
		got  any
		want any
	}{
		{span("45s"), Span(45 * time.Second)}, {span("1.5s"), Span(1500 * time.Millisecond)}, {span("2d"),
			Span(48 * time.Hour)},
		{span("36500d"), Span(sim.End)}, {span("1e9d9h"), Span(sim.End)}, {span("100000d2500000h"), Span(sim.End)},
		{span("1d-1h"), nil},
		{span("1d12h"), Span(36 * time.Hour)}, {span("0"), Span(0)}, {span("none"), nil}, {span("45"), nil},
		{span("-1s"), nil}, {span("s"), nil}, {span(""), nil},
		{count("30k"), Count(30_000)}, {count("1.1k"), Count(1100)}, {count("1.5M"), Count(1_500_000)},
		{count("2_000"), Count(2000)}, {count("k"), nil}, {count("1e999"), nil},
		{share("5%"), Share(0.05)}, {share("0.05"), Share(0.05)}, {share("105%"), nil}, {share("NaN"), nil},
		{rate("500/min"), Rate{Amount: 500, Period: time.Minute}}, {rate("200k/min"),
			Rate{Amount: 200_000, Period: time.Minute}}, {rate("8/s"), Rate{Amount: 8, Period: time.Second}},
		{rate("10/10s"), Rate{Amount: 10, Period: 10 * time.Second}}, {rate("8"), Rate{Amount: 8}}, {rate("$10/10m"),
			Rate{10_000_000_000, 10 * time.Minute, true}}, {rate("$0.5/day"), Rate{500_000_000, 24 * time.Hour, true}},
		{rate("$/day"), nil}, {rate("0/s"), nil}, {rate("5/x"), nil},
		{size("32MB"), Bytes(32_000_000)}, {size("20MiB"), Bytes(20_971_520)}, {size("1.5kB"), Bytes(1500)},
		{size("7B"), Bytes(7)}, {size("32"), nil}, {size("32M"), nil}, {size("-1MB"), nil}, {size("MB"), nil},
		{count("0.0001k"), nil}, {count("0.001k"), Count(1)}, {number("1e-7"), Number(1e-7)}, {number("0.0000001"),
			Number(1e-7)}, {per("1e-7/s"), PerTime(1e-7)},
		{per("2.5/s"), PerTime(2.5)}, {per("90/min"), PerTime(1.5)}, {per("90"), nil},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// What a value is written as reads back as the same value, to the last bit, and as people wrote it
// where that is exact.
func TestValuesReadBack(t *testing.T) {
	for text, want := range map[string]string{"20/h": "20/h", "2.5/s": "2.5/s", "90/min": "90/min", "1/min": "1/min",
		"7/day": "7/day", "1000/day": "1000/day", "0/s": "0/s", "100/3s": "2000/min"} {
		var p PerTime
		if err := p.ParseText(text); err != nil || p.String() != want {
			t.Errorf("%s is written %s, want %s; %v", text, p, want, err)
		}
	}
	for text, want := range map[string]string{"5%": "5%", "0.07": "7%", "0.123456789": "12.3456789%", "1": "100%",
		"0": "0%"} {
		var s Share
		if err := s.ParseText(text); err != nil || s.Exact() != want {
			t.Errorf("%s is written %s, want %s; %v", text, s.Exact(), want, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := PerTime(rapid.Float64Range(0, 1e6).Draw(t, "rate"))
		s := Share(rapid.Float64Range(0, 1).Draw(t, "share"))
		n := Number(rapid.Float64Range(0, 1e12).Draw(t, "number"))
		d := Dollars(rapid.Float64Range(0, 1e4).Draw(t, "dollars"))
		span := Span(rapid.Int64Range(0, 1<<61).Draw(t, "span"))
		r := Rate{
			Amount: rapid.Int64Range(1, 1e15).Draw(t, "amount"),
			Period: time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "period")),
		}
		money := Rate{Amount: rapid.Int64Range(1000, 1e15).Draw(t, "nano"), Period: time.Hour, Dollars: true}
		var p2 PerTime
		var s2 Share
		var n2 Number
		var d2 Dollars
		var span2 Span
		var r2, money2 Rate
		for _, err := range []error{p2.ParseText(p.String()), s2.ParseText(s.Exact()), n2.ParseText(n.String()),
			d2.ParseText(d.String()),
			span2.ParseText(span.String()), r2.ParseText(r.String()), money2.ParseText(money.String())} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if p != p2 || s != s2 || n != n2 || d != d2 || span != span2 || r != r2 || money != money2 {
			t.Fatalf("%v %v, %v %v, %v %v, %v %v, %v %v, %v %v, %v %v", p, p2, s.Exact(), s2.Exact(), n, n2, d, d2,
				span, span2, r, r2, money, money2)
		}
	})
}

func report[T any](err error, v *T) any {
	if err != nil {
		return nil
	}
	return *v
}

func TestProfiles(t *testing.T) {
	const s = time.Second
	for yaml, want := range map[string]fleet.Rate{
		"{rate: 40/s}": fleet.Profile{{Start: 0, From: 40, To: 40}},
		"{rate: 40/s, profile: [{at: 20s, rate: 80/s, for: 5s}]}": fleet.Profile{{Start: 0, From: 40, To: 40},
			{Start: 20 * s, From: 80, To: 80}, {Start: 25 * s, From: 40, To: 40}},
		"{rate: 1/s, profile: [{at: 10s, rate: 3/s, over: 10s}]}": fleet.Profile{{Start: 0, From: 1, To: 1},
			{Start: 10 * s, From: 1, To: 3}, {Start: 20 * s, From: 3, To: 3}},
		"{profile: [{at: 0s, rate: 2/s}, {at: 5s, rate: 4/s}]}": fleet.Profile{{Start: 0, From: 2, To: 2},
			{Start: 5 * s, From: 4, To: 4}},
		"{rate: 1/s, profile: [{at: 5s, rate: 9/s, over: 2s, for: 4s}]}": fleet.Profile{{Start: 0, From: 1, To: 1},
			{Start: 5 * s, From: 1, To: 9}, {Start: 7 * s, From: 9, To: 9},
			{Start: 9 * s, From: 1, To: 1}},
	} {
		sc, err := Read([]byte("horizon: 60s\nworkload:\n  prompt_tokens: 1\n  output_tokens: 1\n  open: "+yaml+"\n"),
			"f", Options{})
		if err != nil {
			t.Errorf("%s: %v", yaml, err)
			continue
		}
		if got := sc.Model.Workload.Arrivals.(fleet.Renewal).Rate; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", yaml, got.Describe(), want.Describe())
		}
	}
}

// The rule sets of openai-python by version: the range of the first two waits
// and what becomes of a Retry-After, from the table of the SDK's versions.
func TestOpenAIPythonVersions(t *testing.T) {
	const ms = time.Millisecond
	for version, want := range map[string]struct {
		first, second time.Duration
		limit         time.Duration
		beyond        policy.Beyond
	}{
		"1.0": {1000 * ms, 2000 * ms, 60 * time.Second, policy.Discard}, "1.46.1": {1000 * ms, 2000 * ms,
			60 * time.Second, policy.Discard},
		"1.47": {500 * ms, 1000 * ms, 60 * time.Second, policy.Discard}, "2.46": {500 * ms, 1000 * ms, 60 * time.Second,
			policy.Discard},
		"2.51.9": {500 * ms, 1000 * ms, 60 * time.Second, policy.Discard}, "2.52": {500 * ms, 1000 * ms,
			120 * time.Second,
			policy.GiveUp},
		"3.3.1": {500 * ms, 1000 * ms, 120 * time.Second, policy.GiveUp},
	} {
		s, err := Read([]byte(base), "f", Options{Set: []string{"policy=openai-python@" + version}})
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		r := s.Model.Client.Retry
		low, first := r.Backoff.Range(0)
		_, second := r.Backoff.Range(1)
		if first != want.first || low != want.first*3/4 || second != want.second || r.RetryAfter.Limit != want.limit ||
			r.RetryAfter.Beyond != want.beyond ||
			r.Attempts != 3 {
			t.Errorf("%s: %v", version, r.Describe())
		}
	}
}

// The rules written by hand retry what their listings retry, and nothing else.
func TestPresetsWrittenByHand(t *testing.T) {
	status := func(n int) wire.Reply { return wire.Reply{Status: n} }
	timeout, connection := wire.Reply{Failure: wire.Timeout}, wire.Reply{Failure: wire.Connection}
	for name, c := range map[string]struct {
		retried, not []wire.Reply
		timeouts     policy.Timeouts
	}{
		"own-the-loop": {[]wire.Reply{status(429), status(500), status(529), timeout, connection},
			[]wire.Reply{status(400), status(408), status(409)},
			policy.Timeouts{Connect: 5 * time.Second, Gap: time.Minute}},
		"full-jitter-5": {[]wire.Reply{status(408), status(429), status(500), status(502), status(503), status(504)},
			[]wire.Reply{status(400), status(409), status(501), status(520), status(529), timeout, connection},
			policy.Timeouts{}},
	} {
		s, err := Read([]byte(base), "f", Options{Set: []string{"policy=" + name}})
		if err != nil {
			t.Fatal(err)
		}
		client := s.Model.Client
		for want, replies := range map[bool][]wire.Reply{true: c.retried, false: c.not} {
			for _, r := range replies {
				if client.Retry.Classify.Retryable(&r) != want {
					t.Errorf("%s: retries %d, failure %d: %v, want %v", name, r.Status, r.Failure, !want, want)
				}
			}
		}
		if !reflect.DeepEqual(client.Timeouts, c.timeouts) {
			t.Errorf("%s: %v, want %v", name, client.Timeouts.Describe(), c.timeouts.Describe())
		}
	}
}

func TestEmbeddedScenariosReadAndExplain(t *testing.T) {
	for _, name := range EmbeddedNames() {
		text, _ := Embedded(name)
		s, err := Read(text, name, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var out bytes.Buffer
		s.Explain(&out)
		for _, part := range []string{"Workload", "Provider", "Policy", "Price",
			"Throughput that each part allows, on average"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: the explanation lacks %q", name, part)
			}
		}
	}
}

// What check says of each part and of what binds, by hand. Every scenario has prompts of 1,000
// tokens, answers of 500, first tokens after 1 s and then 100 a second: 6 s in all.
func TestWhatBinds(t *testing.T) {
	const day = "provider: {limits: [{resource: requests, limit: 150/day, kind: %s}]}"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"windows give their amount when they begin: 50 tomorrow", "workload: {batch: {calls: 200}}\n" +
			fmt.Sprintf(day, "fixed_window"),
			[]string{"Bound by: requests 150/day, fixed window, 150 calls/day: 24h for 200 calls."}},
		{"likewise any day", "workload: {batch: {calls: 200}}\n" + fmt.Sprintf(day, "sliding_window"),
			[]string{"Bound by: requests 150/day, sliding window, 150 calls/day: 24h for 200 calls."}},
		{"a bucket refills: 50 at 150 a day", "workload: {batch: {calls: 200}}\n" + fmt.Sprintf(day, "token_bucket"),
			[]string{"Bound by: requests 150/day, 150 calls/day: 8h for 200 calls."}},
		// (300 x 500 - 8,000) / 8,000 a minute.
		{"output tokens", "workload: {batch: {calls: 300}}\nprovider: {limits: [{resource: output_tokens, limit: " +
			"8k/min}]}",
			[]string{"Bound by: output tokens 8000/min, 16 calls/min: 17m45s for 300 calls.",
				"Workers needed: 2 for the 16.9 calls/min"}},
		// ln 4096/3000 = 0.31140, sigma = ln 4 / 1.64485 = 0.84281, d = 0.36948:
		// E[max] = 4096 N(d) + 3000 exp(sigma^2/2) N(sigma - d) = 2638.3 + 2918.5 = 5,556.8; 450,000 of that are 80.98,
		// 80.99 without the last 1/32,762 of the law.
		{"the mean of the larger, and a spike of two minutes beyond it",
			"workload: {open: {rate: 77/min, profile: [{at: 5m, for: 2m, rate: 231/min}]}, prompt_tokens: " +
				"{lognormal: {p50: 3k, p95: 12k}}, max_tokens: 4096}\nhorizon: 20m\n" +
				"provider: {limits: [{resource: requests, limit: 500/min}, {resource: tokens, limit: 450k/min, " +
				"charge: 'max(max_tokens, estimate)', settle: none}]}",
			[]string{"tokens 450k/min                              80.99 calls/min after a burst of 80",
				"Bound by: tokens 450k/min, 80.99 calls/min; the spike from 5m to 7m needs 231.",
				"Workers needed: 24 at the peak of 231 calls/min, 6 s each (Little's law); 30 are configured."}},
		{"arrivals that a bucket follows", "workload: {open: {rate: 77/min}}\nhorizon: 20m\nprovider: {limits: " +
			"[{resource: requests, limit: 80/min}]}",
			[]string{"Bound by: nothing; the tightest is requests 80/min, 80 calls/min; arrivals need 77.",
				"Workers needed: 8 at the peak of 77"}},
		{"and those that it does not", "workload: {open: {rate: 90/min}}\nhorizon: 20m\nprovider: {limits: " +
			"[{resource: requests, limit: 80/min}]}",
			[]string{"Bound by: requests 80/min, 80 calls/min; arrivals need 90."}},
		// An answer is 0.0001 x 1,000 + 0.0009 x 500 = $0.55: 909 for $500 a month.
		{"a month's dollars are told by the month and last for the run",
			"workload: {batch: {calls: 900}}\nprovider: {limits: [{resource: dollars, limit: $500/720h}]}\nprice: " +
				"{input: 100, output: 900}",
			[]string{"$500/month                                   909.1 calls/month after a burst of 909, 0s for " +
				"900 calls", "Bound by: 30 workers, 6 s a call, 300 calls/min: 3m for 900 calls."}},
		{"or do not", "workload: {open: {rate: 60/min}}\nhorizon: 20m\nprovider: {limits: [{resource: dollars, " +
			"limit: $500/720h, kind: fixed_window}]}\nprice: {input: 100, output: 900}",
			[]string{"Bound by: $500/month, fixed window, 909.1 calls/month; arrivals need 1200 calls in 20m."}},
		// Windows of 15 minutes: 150, 225, 338, 507, 761 (rounded up), 1,981 of them, then 19 of 1,142 or 77 a minute.
		{"a ramp grows window by window", "workload: {batch: {calls: 2000}}\nprovider: {limits: [{resource: " +
			"requests, limit: 10/min, kind: ramp, growth: 50%, every: 15m}]}",
			[]string{"10 calls/min at first, then up to 50% more every 15m, 1h15m for 2000 calls"}},
		// Of 1,155 in 15 minutes a ramp allows half more, 115.5 a minute, however long it lasts.
		{"a ramp grows with the traffic that there is, a spike is more",
			"workload: {open: {rate: 77/min, profile: [{at: 1h, for: 2m, rate: 231/min}]}}\nhorizon: 2h\nprovider: " +
				"{limits: [{resource: requests, limit: 100/min, kind: ramp, growth: 50%, every: 15m}]}",
			[]string{"Bound by: requests 100/min, ramp, 115.5 calls/min; the spike from 1h to 1h2m needs 231."}},
		// 5 bursts of 30 in 5 minutes are 30 a minute; the bucket has 10 and 10 a minute: 60 for 150 calls.
		{"bursts", "workload: {burst: {calls: 30, every: 1m, times: 5}}\nprovider: {limits: [{resource: requests, " +
			"limit: 10/min}]}",
			[]string{"Bound by: requests 10/min, 10 calls/min; arrivals need 30.",
				"Workers needed: 30, one for each call of a burst; 30 are configured."}},
		{"calls over a span", "workload: {uniform: {calls: 100, over: 20s}}\nprovider: {limits: [{resource: " +
			"requests, limit: 60/min}]}",
			[]string{"Bound by: requests 60/min, 60 calls/min; arrivals need 100 calls in 20s."}},
		{"calls paced from start to start: the larger of 6 s and 20 s", "workload: {closed: {calls: 90, every: 20s}}",
			[]string{"Bound by: 30 workers, 20 s a call, 90 calls/min: 1m for 90 calls."}},
		// 50 ms to send and 50 ms to handle a reply.
		{"a client process", "workload: {batch: {calls: 90}}\nfleet: {per_request: 50ms, workers: 1000}",
			[]string{"A client process takes 50ms for each request and again for each reply.",
				"Bound by: 1 client process, 100ms a request, 600 calls/min: 9s for 90 calls."}},
		{"what others take", "workload: {open: {rate: 70/min}}\nhorizon: 20m\nprovider: {limits: [{resource: " +
			"requests, limit: 80/min}]}\n" +
			"other_fleets: [{workload: {open: {rate: 20/min}, prompt_tokens: 10, output_tokens: 10}, fleet: {name: " +
			"other, workers: 5}}]",
			[]string{"Bound by: requests 80/min, 80 calls/min; arrivals need 70 in addition to 20 of other fleets."}},
		// Answers uniform over 0..1,000 tokens end after 1..11 s; those of 501 or more, 49.95 %, after 6 s. A
		// caller leaves within that with a probability of 6/36,000.
		{"timeouts", "workload: {batch: {calls: 9}, output_tokens: {uniform: {min: 0, max: 1000}}, patience: " +
			"{exponential: {mean: 10h}}}\nprovider: {}\npolicy: {timeouts: {attempt: 6s}}",
			[]string{"takes 6 s on average; 95 % take at most 10.5 s; 49.9% of the attempts exceed their timeouts; " +
				"under 0.1% of the callers leave earlier."}},
		// Of a stream only the first token waits for first_byte.
		{"timeouts of streams", "workload: {batch: {calls: 9}, stream: true, patience: 5s}\nprovider: {latency: " +
			"{first_token: {uniform: {min: 0s, max: 4s}}}}\npolicy: {timeouts: {first_byte: 3s, gap: 11ms}}",
			[]string{"25% of the attempts exceed their timeouts; 100% of the callers leave earlier."}},
		{"a gap between tokens", "workload: {batch: {calls: 9}, stream: true}\nprovider: {}\npolicy: {timeouts: " +
			"{gap: 9ms}}", []string{"100% of the attempts exceed their timeouts."}},
		{"32 slots answer 320 calls a minute, for which 54 workers are needed that pause 4 s after 6 s",
			"workload: {batch: null, closed: {think: 4s}}\nhorizon: 10m\nprovider: {capacity: {slots: 32, queue: " +
				"unlimited}}",
			[]string{"Workers needed: 54 for the 320 calls/min that the other parts allow, 10 s each (Little's " +
				"law); 30 are configured.", "Bound by: 30 workers, 10 s a call, 180 calls/min."}},
		{"nothing takes time and nothing limits", "workload: {batch: {calls: 9}}\nprovider: {latency: {first_token: " +
			"0s, tokens_per_second: unlimited}}", []string{"Bound by: nothing."}},
		{"reasoning comes before the first token",
			"workload: {batch: {calls: 9}, stream: true, reasoning_tokens: 500}\nprovider: {}\npolicy: {timeouts: " +
				"{first_byte: 5s}}",
			[]string{"takes 11 s on average", "100% of the attempts exceed their timeouts."}},
	} {
		base := "name: t\nworkload: {prompt_tokens: 1000, output_tokens: 500}\nfleet: {workers: 30}\nprovider: " +
			"{latency: {first_token: 1s, tokens_per_second: 100}}\nprice: gpt-4o-mini\n"
		s := merged(t, base, c.text)
		var out bytes.Buffer
		s.Explain(&out)
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: want %q in\n%s", c.name, want,
					out.String()[strings.Index(out.String(), "Throughput that"):])
			}
		}
	}
}

// merged reads a document with the fields of another over it.
func merged(t *testing.T, base, over string) *Scenario {
	t.Helper()
	var documents [2]*strict.Node
	for i, text := range []string{base, over} {
		node, err := strict.Parse([]byte(text), "f")
		if err != nil {
			t.Fatal(err)
		}
		documents[i] = node
	}
	s, err := read(documents[0], documents[1:], Options{Prices: cost.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Rows, duration and mean rate of the recording in the repository are those of its file, and its token
// quantiles those of order statistics interpolated linearly, 377.5 and 458.5 rounded to even. Those of
// the whole traces of Azure agree with the published statistics, to the digits printed, where
// AZURE_TRACES names the folder that holds them.
func TestAzureTraces(t *testing.T) {
	const excerpt = "../examples/azure2023/conv-2min.csv"
	for _, c := range []struct {
		file           string
		rows           int
		duration       float64
		rate           float64
		prompt, output [7]int32 // p5, 25, 50, 75, 95, 99, max
	}{
		{excerpt, 456, 120, 3.80, [7]int32{120, 378, 994, 1108, 2557, 4086, 4107},
			[7]int32{38, 109, 217, 403, 458, 582, 652}},
		{"AzureLLMInferenceTrace_code.csv", 8819, 3436, 2.57, [7]int32{75, 578, 1469, 2744, 7303, 7436, 7437},
			[7]int32{6, 9, 13, 24, 90, 251, 1899}},
		{"AzureLLMInferenceTrace_conv.csv", 19366, 3502, 5.53, [7]int32{181, 396, 1020, 1189, 4083, 4142, 14050},
			[7]int32{41, 85, 129, 395, 451, 601, 1000}},
	} {
		path := c.file
		if path != excerpt {
			folder := os.Getenv("AZURE_TRACES")
			if folder == "" {
				continue
			}
			path = filepath.Join(folder, path)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		trace, _, err := ReadTrace(f, c.file,
			Trace{Columns: Columns{Time: "TIMESTAMP", PromptTokens: "ContextTokens", OutputTokens: "GeneratedTokens"}})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		n := len(trace.At)
		duration := trace.At[n-1].Seconds()
		if n != c.rows || int(duration+0.5) != int(c.duration) || abs(float64(n)/duration-c.rate) > 0.005 {
			t.Errorf("%s: %d rows in %.1f s, %.3f/s; want %d in %g s, %g/s", c.file, n, duration, float64(n)/duration,
				c.rows, c.duration, c.rate)
		}
		if got := quantiles(trace.Prompt); got != c.prompt {
			t.Errorf("%s: prompt quantiles %v, want %v", c.file, got, c.prompt)
		}
		if got := quantiles(trace.Output); got != c.output {
			t.Errorf("%s: output quantiles %v, want %v", c.file, got, c.output)
		}
	}
}

// Times of centuries, wherever people or laws can write one, are held at the end of time: the run
// ends, with an error when it comes there.
func TestTimesBeyondTheEndOfTime(t *testing.T) {
	const outage = "provider.faults=[{status: 503}]"
	for name, c := range map[string]struct {
		set  []string
		ends bool // by itself, before the end of time
	}{
		"backoff without a cap before an outage without end": {set: []string{outage,
			"policy={retry: {attempts: none, backoff: {exponential: {base: 1s}}}}"}},
		"a power of a backoff": {set: []string{outage,
			"policy={retry: {attempts: none, backoff: {power: {base: 1000h, exponent: 9}}}}"}},
		"decorrelated jitter": {set: []string{outage,
			"policy={retry: {attempts: none, backoff: {exponential: {base: 1s, jitter: decorrelated}}}}"}},
		"smooth jitter": {set: []string{outage,
			"policy={retry: {attempts: none, backoff: {exponential: {base: 1s, jitter: smooth}}}}"}},
		"jitter of centuries": {set: []string{outage,
			"policy={retry: {attempts: none, backoff: {exponential: {base: 1s, cap: 9s, jitter: {growing: " +
				"2000000h}}}}}"}},
		"jitter of centuries beyond the cap": {set: []string{outage,
			"policy={retry: {attempts: none, backoff: {exponential: {base: 1s, cap: 9s, jitter: {beyond: " +
				"2000000h}}}}}"}},
		"windows of centuries": {set: []string{outage,
			"policy={retry: {attempts: none, backoff: {window: 2000000h}}}"}},
		"a Retry-After of centuries": {set: []string{`provider.faults=[{status: 503, retry_after_header: "1e10"}]`,
			"policy={retry: {attempts: none, retry_after: {obey: in_full}}}"}},
		"a Retry-After and an addition of centuries": {set: []string{`provider.faults=[{status: 503, ` +
			`retry_after_header: "1e300"}]`,
			"policy={retry: {attempts: none, retry_after: {obey: in_full, plus: 2000000h}}}"}},
		"an outage that answers after centuries": {set: []string{"provider.faults=[{status: 503, after: 2000000h}]"}},
		"round trips of centuries":               {set: []string{"provider.round_trip=2000000h"}},
		"a gateway of centuries": {set: []string{outage, "provider.round_trip=2000000h",
			"provider.gateway={latency: 2000000h, retries: 9, wait: 2000000h}"}},
		"a refused connection after centuries": {set: []string{"provider.round_trip=2000000h",
			"provider.faults=[{connection: refused}]"}},
		"a first token after centuries": {set: []string{"provider.latency.first_token={lognormal: {p50: 1h, p95: " +
			"2000000h}}",
			"workload.batch.calls=1000"}},
		"a million tokens, one in twelve days": {set: []string{"provider.latency.tokens_per_second=0.000001",
			"workload.output_tokens=1M",
			"workload.max_tokens=1M"}},
		"steps of centuries": {set: []string{"provider.capacity={slots: 9, batching: {step: 2000000h, " +
			"per_stream: 2000000h}}"}},
		"thinking for centuries": {set: []string{"workload+={closed: {think: {exponential: {mean: 2000000h}}, " +
			"calls: 99}}"}},
		"arrivals centuries apart": {set: []string{"workload+={open: {rate: 1/2000000h, calls: 99}}"}},
		"rows of a trace":          {set: []string{"workload+={trace: {rows: [{at: 1s}, {at: 2000000h}]}}"}},
		"redelivery after centuries": {set: []string{outage,
			"workload.redeliver={after: 2000000h, deliveries: 9}"}},
		"a visibility timeout of centuries": {set: []string{outage,
			"workload.redeliver={visible_after: 2000000h, deliveries: 9}"}},
		"pacing by centuries": {set: []string{"policy.pace={rate: 1/2000000h, burst: 1}"}},
		"a breaker that holds for centuries": {set: []string{outage,
			"policy.breaker={consecutive_failures: 1, open: 2000000h, when_open: wait}"}},
		"a limit per 200 years": {set: []string{"provider.limits=[{resource: requests, limit: 2/1800000h}]",
			"policy={retry: {attempts: none, retry_after: {obey: in_full}}}"}},

		"patience of centuries":  {set: []string{"workload.patience={exponential: {mean: 1000000h}}"}, ends: true},
		"hedges after centuries": {set: []string{"policy.hedge={after: 2000000h}"}, ends: true},
		"timeouts of centuries": {set: []string{"policy.timeouts={attempt: 2000000h, call: 2000000h, connect: " +
			"2000000h, gap: 2000000h, " +
			"first_byte: 2000000h}"}, ends: true},
		"a cooldown of centuries": {set: []string{outage,
			"policy.fallback={on: true, cooldown: 2000000h, cooldown_refresh: 2000000h}",
			"fallbacks=[{provider: {}}]"}, ends: true},
		"a fault between centuries": {set: []string{"provider.faults=[{status: 503, gap: 2000000h, length: " +
			"2000000h}]"}, ends: true},
		"a fault after centuries": {set: []string{"provider.faults=[{status: 503, at: 2000000h, for: 2000000h}]"},
			ends: true},
		"a cache for centuries": {set: []string{"workload.cached_share=50%", "workload.cache_lifetime=2000000h"},
			ends: true},
		"a budget over centuries": {set: []string{outage, "policy.budget={share: {ratio: 20%, window: 2000000h}}"},
			ends: true},
		"throttling over centuries": {set: []string{outage, "policy.throttle={k: 2, window: 2000000h}"}, ends: true},
		"a deadline after centuries": {set: []string{outage,
			"policy={retry: {attempts: none, deadline: 2000000h, backoff: {exponential: {base: 1s}}}}"}},
		"rounding of Retry-After":   {set: []string{outage, "provider.retry_after={round: 2000000h}"}, ends: true},
		"a horizon after centuries": {set: []string{"horizon=2000000h"}, ends: true},
		"arrivals after the horizon": {set: []string{"horizon=1h", "workload+={open: {rate: 1/2000000h}}"},
			ends: true},
		"a step after centuries": {set: []string{"workload+={open: {rate: 1/s, calls: 9, profile: [{at: 2000000h, " +
			"rate: 2/s, over: " +
			"2000000h}]}}"}, ends: true},
		"a profile that falls to 0/s": {set: []string{"workload+={open: {rate: 1/s, calls: 9, profile: [{at: 1h, " +
			"rate: 0/s}]}}"}, ends: true},
	} {
		text := strings.Replace(base, "policy: own-the-loop", "policy: {retry: {attempts: 1}}", 1)
		if strings.Contains(strings.Join(c.set, " "), "workload+={") {
			text = strings.Replace(text, "  batch: {calls: 10}\n", "", 1)
		}
		s, err := Read([]byte(text), "f", Options{Set: c.set})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s.Explain(&bytes.Buffer{})
		_, err = s.Model.Run(1, 0, fleet.Listeners{})
		var end *sim.EndError
		if (err == nil) != c.ends || err != nil && !errors.As(err, &end) {
			t.Errorf("%s: %v, want the end of time: %v", name, err, !c.ends)
		}
	}
}

// everything is a scenario with all that a client can decide.
var everything = func() string {
	text := base + `other_fleets:
  - {fleet: {name: other, key: k, priority: -2, workers: 3}, workload: {open: {rate: 1/s, calls: 9}, prompt_tokens: 10,
      reasoning_tokens: 5, output_tokens: 10, cached_share: 50%, cache_lifetime: 5m, cache_writes: true,
      side_effects: true, redeliver: {visible_after: 30s, deliveries: 3}},
      price: {input: 1, output: 2, written: 3, reasoning: 4}}
fallbacks: [{provider: azure-ptu-gpt-4o, price: gpt-4o}, {provider: {dialect: anthropic, capacity: {slots: 4,
  queue: unlimited, retry_after: 3s}, bills: []}}]
`
	text = strings.Replace(text, "max_tokens: 80", "max_tokens: 80\n  stream: true", 1)
	text = strings.Replace(text, "policy: own-the-loop", `policy:
  retry:
    attempts: 7
    retry_on: [429, 502..599, stream]
    backoff: {exponential: {base: 1s, minus: 500ms, cap: 9s, min: 100ms, jitter: {around: 10%}}}
    throttled_backoff: {power: {base: 500ms, exponent: 1.5, plus: 1s, jitter: {growing: 1s}}}
    broken_stream: replay
    retry_after: {obey: up_to, limit: 60s, limit_exclusive: true, beyond: give_up, overrides_status: true,
      at_least_backoff: true, body: true, milliseconds: true, zero: at_once, negative: 1ms, past: at_once,
      malformed: 1ms, overflow: at_once, max_representable: 2h, skips_zero_milliseconds: true, skips_negative: true}
  outer_layers: [{name: framework, timeout: 5m, retry: {attempts: 3, backoff: {exponential: {base: 1s,
    jitter: smooth}}}}]
  gate: {gradient: {start: 9, min: 3, max: 50, queue: 2, smoothing: 0.5, tolerance: 2, window: 90}, scope: all,
    order: lifo, max_waiting: 12}
  pace: {headers: true, reserve: 10%, scope: all}
  breaker: {consecutive_failures: 5, ratio: 50%, window: 30s, min_results: 20, open: 10s, probes: 2,
    counts_as_failure: [terminal, throttled], when_open: fall_back}
  throttle: {k: 1.5, window: 1m}
  budget: {tokens: {max: 10, start: 0, per_call: 0.1, retry: 1, timeout_retry: 2, throttle_retry: 3, refund: true,
    floor: 1}, share: {ratio: 20%, window: 10s, reserve: 3}}
  hedge: {quantile: 95%, max: 2, cancel: true}
  fallback: {on: true, cooldown: 1m, cooldown_refresh: 10s}
  idempotency_key: true`, 1)
	return text
}()

// What a scenario resolves to reads back as the same scenario, zeros whose
// default is another value included.
// A scenario with everything a client can decide reads back as what it was.
func TestResolvedClientsReadBack(t *testing.T) {
	text := everything
	s, err := Read([]byte(text), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(resolved, "resolved", Options{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, resolved)
	}
	if !reflect.DeepEqual(s.Model, again.Model) {
		t.Errorf("read back as\n%+v, was\n%+v", again.Model, s.Model)
	}
	var out bytes.Buffer
	s.Explain(&out)
	for _, want := range []string{"inside framework", "gate gradient 3..50 for all, last first, 12 wait",
		"paced by the provider's counters less 10%, for all",
		"breaker at 5 in a row or 50% of 30s, at least 20, open 10s, counts throttled, terminal",
		"adaptive throttling K 1.5", "retry budget of 10 tokens", "hedged after p95, losers cancelled",
		"fallback, cooldown 1m0s seen every 10s", "at most 189 times (7 x 3 x 3 with hedges x 3 targets)",
		"Fallback: azure-ptu-gpt-4o", "Other fleet: other"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the explanation lacks %q:\n%s", want, out.String())
		}
	}
}

// An empty list is not one that is not there: nothing is billed, or what is billed by
// default.
func TestResolvedKeepsEmptyLists(t *testing.T) {
	s, err := Read([]byte(base), "f", Options{Set: []string{"provider.bills=[]"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(text, "resolved", Options{})
	if err != nil || !again.Model.Provider.Billing.AbandonedFree {
		t.Errorf("read back as %+v, %v", again.Model.Provider.Billing, err)
	}
}

func TestResolvedReadsBack(t *testing.T) {
	for _, set := range []string{"policy.outer_layers=[{retry: {attempts: none}}]",
		"policy.gate={semaphore: 4, scope: fleets, order: priority}", "provider.max_request=20MiB",
		"fallbacks=none",
		"workload.open={rate: 20/h, calls: 5}", "policy.retry.backoff.exponential.cap=null",
		"policy.gate={aimd: {slow: none}}", "provider.faults=[{status: 500, share: 12.3456789%}]",
		"policy={name: mine, retry: {attempts: 3}}", "seed=0", "policy.retry.attempts=none", "event_budget=none",
		"provider.faults=[{share: 0%, status: 500}]",
		"policy=openai-python@2.46", "policy.timeouts.attempt=[2s, none]", "warmup=auto",
		"policy.retry.retry_on=[429, 5xx, timeout]"} {
		s, err := Read([]byte(base), "f", Options{Set: []string{set}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(text, "resolved", Options{})
		if err != nil {
			t.Fatalf("%s: %v in %s", set, err, text)
		}
		if twice, _ := again.Resolved(); !bytes.Equal(text, twice) || !reflect.DeepEqual(s.Model, again.Model) {
			t.Errorf("%s: reads back as another scenario:\n%s\n%s", set, text, twice)
		}
	}
}

// A fleet beside that has the scenario's policy has no parts of its own to set.
func TestSettingsOfAFleetBeside(t *testing.T) {
	text := []byte(
		"other_fleets:\n  - {fleet: {name: other, workers: 1}, workload: {batch: {calls: 1}, prompt_tokens: 1, " +
			"output_tokens: 1}}\n" + base,
	)
	for set, want := range map[string]string{
		"other_fleets.0.policy.retry.attempts=5":  "found a part of the policy, but this fleet has the scenario's",
		"other_fleets.0.price.tier=batch":         "found a part of the price, but this fleet has the scenario's",
		"other_fleets.0.policy=no-retry":          "",
		"other_fleets.0.fleet.workers=3":          "",
		"other_fleets.0.price=gpt-4o":             "",
		"other_fleets.0.workload.batch.calls=100": "",
	} {
		if _, err := Read(text, "f", Options{Set: []string{set}}); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// The preset of vLLM is what an 8B model can do on a GPU of 24 GB, 165 TFLOP/s and 1,008 GB/s:
// no more sequences of 576 tokens than its memory holds, no step shorter than reading the
// weights and the keys and values takes, no prompts faster than half of its peak. An answer
// alone comes at 1/20.1 ms, 73 at once at 73/27.3 ms.
func TestSpeedOfVLLM(t *testing.T) {
	s, err := Read(
		[]byte(
			strings.Replace(base, "  limits:\n    - {resource: requests, limit: 500/min}", "  preset: vllm-one-gpu",
				1),
		),
		"f",
		Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	const (
		parameters, weights  = 8.03e9, 2 * 8.03e9   // bytes
		cachePerToken        = 2 * 32 * 8 * 128 * 2 // keys and values, 32 layers of 8 heads of 128, in 2 bytes
		memory, peak, stream = 24e9, 165e12, 1008e9
		tokens               = 576 // of a sequence
	)
	capacity := s.Model.Provider.Capacity
	b := capacity.Batching
	if most := (0.9*memory - weights) / (cachePerToken * tokens); capacity.Slots != int(most) {
		t.Errorf("%d sequences, want %d", capacity.Slots, int(most))
	}
	if got, least := b.Step.Seconds(), weights/stream; got < least || got > 1.3*least {
		t.Errorf("a step of %.3g s, want %.3g s to 1.3 times as long", got, least)
	}
	if got, least := b.PerStream.Seconds(), cachePerToken*tokens/stream; got < least || got > 1.4*least {
		t.Errorf("%.3g s a stream, want %.3g s to 1.4 times as long", got, least)
	}
	flops := 2 * parameters * float64(b.PerStep) / b.Step.Seconds()
	if share := flops / peak; share < 0.4 || share > 0.5 {
		t.Errorf("prompts take %.2f of the peak, want 0.4 to 0.5", share)
	}
	for _, c := range []struct{ streams, perSecond float64 }{{1, 49.75}, {73, 2674}} {
		if got := c.streams / b.Streams(int(c.streams)).Seconds(); abs(got/c.perSecond-1) > 0.001 {
			t.Errorf("%g streams: %.4g tokens/s, want %.4g", c.streams, got, c.perSecond)
		}
	}
}

// The note on those who ask at once counts those who do: of a batch no more than its calls,
// and of callers who think first or come one by one nobody. With 10/min, a burst of 10 and
// waits of 3 s together, ten of them get through.
func TestNoteOnAHerd(t *testing.T) {
	const text = `
name: t
workload: {WORKLOAD, prompt_tokens: 1, output_tokens: 1}
fleet: {workers: 1000}
provider: {limits: [{resource: requests, limit: 10/min}]}
policy: {retry: {attempts: 3, backoff: {exponential: {base: 1s}}}}
price: gpt-4o-mini
`
	for workload, want := range map[string]string{
		"batch: {calls: 5}":                "",
		"batch: {calls: 100}":              "100 calls start at once and retry for at most 3s",
		"batch: {calls: 100k}":             "1000 calls start at once and retry for at most 3s",
		"burst: {calls: 100}":              "100 calls start at once and retry for at most 3s",
		"closed: {think: 1m, calls: 1000}": "",
		"open: {rate: 1/min, calls: 1000}": "",
	} {
		s, err := Read([]byte(strings.Replace(text, "WORKLOAD", workload, 1)), "t", Options{})
		if err != nil {
			t.Errorf("%s: %v", workload, err)
			continue
		}
		notes := strings.Join(s.Warnings(), "; ")
		if strings.Contains(notes, "start at once") != (want != "") || !strings.Contains(notes, want) {
			t.Errorf("%s: %q, want %q", workload, notes, want)
		}
	}
}

// Trap 3: a control without its trigger is the same scenario but for that. What lasts for a time
// goes, of the main fleet and of those beside; what lasts to the end stays, and so does the seed.
func TestControlLeavesOutTheTriggerAlone(t *testing.T) {
	tpl, err := NewTemplate([]byte(`
name: control
seed: 7
horizon: 60s
workload: {open: {rate: 4/s, profile: [{at: 10s, for: 5s, rate: 40/s}, {at: 30s, rate: 5/s}]}, prompt_tokens: 1,
  output_tokens: 1}
provider: {faults: [{status: 503, at: 20s, for: 5s}, {share: 1%, status: 500}]}
policy: no-retry
price: gpt-4o-mini
other_fleets: [{fleet: {name: other}, workload: {open: {rate: 4/s, profile: [{at: 10s, for: 5s, rate: 40/s}]},
  prompt_tokens: 1, output_tokens: 1}, policy: no-retry}]
`), "control", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tpl.WithoutTrigger(tpl.Base)
	if err != nil {
		t.Fatal(err)
	}
	if _, left := s.Trigger(); left || s.Seed != 7 || len(s.Model.Provider.Faults) != 1 ||
		len(s.Workload.Open.Profile) != 1 {
		t.Errorf("a trigger is left: %v; seed %d, faults %v, profile %v", left, s.Seed, s.Provider.Faults,
			s.Workload.Open.Profile)
	}
}
