package scenario

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stampede/fleet"
	"stampede/internal/strict"
	"stampede/policy"
	"stampede/provider"
)

// rich has a value at every field that takes none or unlimited, as far as one scenario can.
const rich = `name: rich
horizon: 100s
warmup: 5s
event_budget: 5M
workload:
  open: {rate: 5/s, calls: 50, profile: [{at: 1s, rate: 2/s, over: 3s, for: 9s}]}
  prompt_tokens: 100
  output_tokens: 50
  max_tokens: 80
  reasoning_tokens: 5
  cached_share: 50%
  cache_lifetime: 5m
  patience: 60s
  redeliver: {deliveries: 3, after: 2s}
fleet: {workers: 2, key: k}
provider:
  round_trip: 100ms
  max_request: {bytes: 32MB}
  limits: [{resource: requests, limit: 500/min, enforced_every: 1s, used: 3}]
  capacity: {slots: 4, queue: 5, retry_after: 3s}
  latency: {first_token: 1s, tokens_per_second: 50, per_in_flight: 1ms, call_share: 10%}
  faults: [{status: 503, at: 1s, for: 2s, share: 50%, retry_after: 5s, after: 1s}]
  retry_after: {round: 1s}
  gateway: {latency: 1s, retries: 2, wait: 1s, retry_after: 9s, rewrite: [{from: 503, to: 500}],
    errors: [{share: 9%, status: 502, retry_after: 1s, after: 1s}]}
  bills: [timeout_408]
policy:
  retry:
    attempts: 3
    deadline: 60s
    retry_on: [429]
    never_on: [x]
    backoff: {exponential: {base: 1s, minus: 100ms, cap: 9s, min: 10ms}}
    throttled_backoff: {power: {base: 1s, exponent: 2, plus: 1s, cap: 9s}}
    retry_after: {obey: up_to, limit: 60s, plus: 1s, max_representable: 2h}
  outer_layers: [{name: framework, timeout: 5m, retry: {attempts: 2, deadline: 9m, retry_on: [429], never_on: [y],
    retry_after: {obey: in_full, plus: 1s, max_representable: 3h}}}]
  deadline: {after: 99s}
  timeouts: {connect: 5s, write: 10m, pool: 9m, first_byte: 20s, gap: 10s, call: 90s, attempt: 30s, os: 15m}
  max_connections: 20
  gate: {aimd: {slow: 3s}, max_waiting: 12}
  pace: {headers: true, reserve: 10%}
  breaker: {consecutive_failures: 5, ratio: 50%}
  throttle: {k: 2}
  budget: {tokens: {max: 10, retry: 1}, share: {ratio: 20%, reserve: 3}}
  hedge: {after: 1s}
  fallback: {on: true, cooldown: 1m, cooldown_refresh: 10s}
  route: {by: least_busy, cooldown: {failures: 3, share: 50%, at_once: [429], for: 9s}}
deployments: [{name: eu, price: gpt-4o, quality: 90%}]
other_fleets: [{fleet: {name: other, workers: 1}, workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1},
  policy: no-retry, price: gpt-4o}]
fallbacks: [{provider: {}, price: gpt-4o, quality: 80%}]
price: gpt-4o-mini
`

// walk visits the fields of a type with their paths. Lists are entered at their first item; what a
// fleet beside, a deployment and a further provider repeat is left out.
func walk(t reflect.Type, path string, seen []reflect.Type, visit func(at string, field reflect.StructField)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice {
			path += ".0"
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || slices.Contains(seen, t) {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		at := strings.TrimPrefix(path+"."+field.Tag.Get("yaml"), ".")
		_, repeated := reflect.TypeFor[Provider]().FieldByName(field.Name)
		if field.Tag.Get("yaml") == "" || t == reflect.TypeFor[Deployment]() && repeated {
			continue
		}
		visit(at, field)
		if !strings.HasPrefix(at, "other_fleets.0.workload") && !strings.HasPrefix(at, "other_fleets.0.fleet") &&
			at != "other_fleets.0.policy" &&
			at != "fallbacks.0.provider" {
			walk(field.Type, at, append(seen, t), visit)
		}
	}
}

// None switches a thing off and unlimited sets no bound, at every field that takes the word: that
// is what the field has when it is left out, which null restores, but for those whose default
// is another value; of these it is said what the word gives.
func TestNoneAndUnlimited(t *testing.T) {
	paths := map[string][]string{}
	walk(reflect.TypeFor[File](), "", nil, func(at string, field reflect.StructField) {
		if words := strict.WordsOf(field); len(words) > 0 {
			paths[at] = words
		}
	})
	const kinds = "workload.mix=[{share: 40%, max_tokens: 90, reasoning_tokens: 7, cached_share: 10%, patience: 30s, " +
		"timeouts: {connect: 4s, write: 1m, pool: 2m, first_byte: 9s, gap: 8s, call: 70s, os: 20m}}, {}]"
	const autoscaled = "fleet.workers={min: 1, max: 9, per_queued: 5, delay: 1m, stabilization: 5m}"
	// What has to be there before the field can be set.
	before := []struct{ at, set string }{ // at a path, or below one that ends in a point
		{"policy", "policy.fallback.on=false"}, {"policy", "fallbacks=none"},
		{"policy.fallback", "fallbacks=none"},
		{"fallbacks", "policy.fallback=none"},
		{"workload.closed.", "workload.redeliver=none"}, {"workload.closed.", "workload.closed={think: 1s, calls: 5}"},
		{"workload.open.by_hour", "workload.open={rate: 1/s, by_hour: " + numbers(12, "1", 12, "2") + "}"},
		{"workload.open.by_day", "workload.open={rate: 1/s, by_day: [1, 2, 3, 4, 5, 6, 7]}"},
		{"workload.closed.every", "workload.closed={every: 1s, calls: 5}"},
		{"workload.burst.every", "workload.burst={calls: 3, every: 1m}"},
		{"workload.burst.times", "workload.burst={calls: 3, every: 1m, times: 2}"},
		{"workload.trace.", "workload.trace={rows: [{at: 1s}, {at: 2s}], calls: 1}"},
		{"workload.cached_share", "workload.cache_lifetime=unlimited"},
		{"workload.sessions.", "workload.open=null"},
		{"workload.sessions.",
			"workload.sessions={rate: 5/s, count: 50, turns: 3, prompt_grows: 9, think: 1s, context: 900}"},
		{"workload.cache", "workload.cached_share=0"}, {"workload.cache", "workload.cache_lifetime=unlimited"},
		{"workload.cache", "workload.cache={prefix: 60}"},
		{"workload.cache.", "workload.cached_share=0"}, {"workload.cache.", "workload.cache_lifetime=unlimited"},
		{"workload.cache.", "workload.cache={prefix: 60, lifetime: 9m, minimum: 50}"},
		{"workload.redeliver.visible_after", "workload.redeliver={deliveries: 3, visible_after: 30s}"},
		{"workload.mix", kinds}, {"workload.mix.", kinds},
		{"fleet.per_request", "fleet.per_request=1ms"},
		{"fleet.workers", "workload.redeliver=none"}, {"fleet.workers.", "workload.redeliver=none"},
		{"fleet.workers.schedule", "fleet.workers=[{at: 0, count: 1}, {at: 1s, count: 2}]"},
		{"fleet.workers.schedule.", "fleet.workers=[{at: 0, count: 1}, {at: 1s, count: 2}]"},
		{"fleet.workers.min", autoscaled}, {"fleet.workers.delay", autoscaled},
		{"fleet.workers.stabilization", autoscaled},
		{"provider.max_request.tokens", "provider.max_request={tokens: 900k}"},
		{"provider.capacity.slots", "provider.capacity={slots: 4}"},
		{"provider.capacity.batching.", "provider.latency=null"},
		{"provider.capacity.batching.", "provider.capacity.batching={step: 1ms, per_stream: 1ms, prompt_per_step: 9}"},
		{"provider.faults.0.gap", "provider.faults.0={status: 503}"},
		{"provider.faults.0.connection.after", "provider.faults.0={connection: {kind: dns, after: 5s}}"},
		{"provider.faults.0.slow_start", "provider.faults.0={status: 503, for: 1m, slow_start: {for: 2m, slow: 5}}"},
		{"provider.limits.0.tiers", "provider.limits=[{resource: requests, limit: 9/min, tiers: " +
			"[{spent: $5, limit: 12/min}]}]"},
		{"provider.latency.first_token_per_1k_prompt", "provider.latency.first_token_per_1k_prompt=6ms"},
		{"provider.latency.by_use", "provider.limits.0.name=a"},
		{"provider.latency.by_use", "provider.latency.by_use={limit: a, full: 3}"},
		{"policy.pace.rate", "policy.pace={rate: 5/s}"},
		{"policy.pace.wait", "policy.pace={rate: 5/s, wait: 5s}"},
		{"policy.pace.tokens", "policy.pace={tokens: 9k/min}"},
		{"policy.pace.aimd", "policy.pace={rate: 5/s, aimd: {add: 1/s}}"},
		{"policy.pace.aimd.", "policy.pace={rate: 5/s, aimd: {add: 1/s, every: 5s, max: 9/s, cooldown: 5s}}"},
		{"policy.gate.semaphore", "policy.gate={semaphore: 4}"},
		{"policy.gate.wait", "policy.gate={semaphore: 4, wait: 5s}"},
		{"policy.gate.aimd.cooldown", "policy.gate={aimd: {cooldown: 5s}}"},
		{"policy.gate.gradient", "policy.gate={gradient: {}}"},
		{"policy.gate.aimd", "policy.gate.max_waiting=null"},
		{"policy.hedge.quantile", "policy.hedge={quantile: 95%}"},
		{"policy.fallback.cooldown", "policy.fallback.cooldown_refresh=none"},
	}
	kind := func(s *Scenario) *fleet.Kind { return &s.Model.Workload.Kinds[0] }
	drawn := func(s *Scenario) fleet.Drawn { return kind(s).Sizes.(fleet.Drawn) }
	timer := func(of func(policy.Timeouts) time.Duration) func(*Scenario) bool {
		return func(s *Scenario) bool { return of(kind(s).Client.Timeouts) == 0 }
	}
	own := map[string]func(*Scenario) bool{ // fields whose default is not what the word says
		"event_budget none":      func(s *Scenario) bool { return s.Model.Budget == 0 },
		"event_budget unlimited": func(s *Scenario) bool { return s.Model.Budget == 0 },
		"policy.retry.attempts":  func(s *Scenario) bool { return s.Model.Client.Retry.Attempts == 0 },
		"policy.outer_layers.0.retry.attempts": func(s *Scenario) bool {
			return s.Model.Client.Outer[0].Retry.Attempts == 0
		},
		"workload.mix.0.max_tokens":       func(s *Scenario) bool { return drawn(s).MaxTokens == 0 },
		"workload.mix.0.reasoning_tokens": func(s *Scenario) bool { return drawn(s).Reasoning == nil },
		"workload.mix.0.cached_share":     func(s *Scenario) bool { return drawn(s).CachedShare == 0 },
		"workload.mix.0.patience":         func(s *Scenario) bool { return kind(s).Patience == nil },

		"workload.mix.0.timeouts.connect":    timer(func(t policy.Timeouts) time.Duration { return t.Connect }),
		"workload.mix.0.timeouts.write":      timer(func(t policy.Timeouts) time.Duration { return t.Write }),
		"workload.mix.0.timeouts.pool":       timer(func(t policy.Timeouts) time.Duration { return t.Pool }),
		"workload.mix.0.timeouts.first_byte": timer(func(t policy.Timeouts) time.Duration { return t.FirstByte }),
		"workload.mix.0.timeouts.gap":        timer(func(t policy.Timeouts) time.Duration { return t.Gap }),
		"workload.mix.0.timeouts.call":       timer(func(t policy.Timeouts) time.Duration { return t.Call }),
		"workload.mix.0.timeouts.os":         timer(func(t policy.Timeouts) time.Duration { return t.OS }),

		"retry_on none": func(s *Scenario) bool {
			c := s.Model.Client.Retry.Classify
			return c.Statuses == nil && !c.Timeouts && !c.Connections
		},
		"policy.outer_layers.0.retry.retry_on none": func(s *Scenario) bool {
			return s.Model.Client.Outer[0].Retry.Classify.Statuses == nil
		},
		"workload.cache.lifetime": func(s *Scenario) bool { return s.Model.Workload.Cache.Lifetime == 0 },
		"provider.bills none": func(s *Scenario) bool {
			b := s.Model.Provider.Billing
			return b.AbandonedFree && b.CutFree && b.LostFree && !b.TimeoutBilled
		},
		"provider.faults.0.share none": func(s *Scenario) bool { return s.Model.Provider.Faults[0].Share == 0 },
		"provider.gateway.errors.0.share none": func(s *Scenario) bool {
			return s.Model.Provider.Gateway.Errors[0].Share == 0
		},
		"policy.gate.max_waiting none": func(s *Scenario) bool {
			return s.Model.Client.Gate.Room == policy.NoRoom
		},
		"policy.pace.aimd.every none":       func(s *Scenario) bool { return s.Model.Client.Pacer.AIMD.Every == 0 },
		"policy.gate.aimd.slow none":        func(s *Scenario) bool { return s.Model.Client.Gate.AIMD.Slow == 0 },
		"provider.capacity.queue unlimited": func(s *Scenario) bool { return s.Model.Provider.Capacity.Queue == -1 },
		"other_fleets.0.policy none": func(s *Scenario) bool {
			return reflect.DeepEqual(s.Model.Beside[0].Client, sendOnce)
		},
		"other_fleets.0.price none": func(s *Scenario) bool {
			return s.Model.Beside[0].Price.Model == "no price"
		},
		"deployments.0.price none": func(s *Scenario) bool {
			return s.Model.Deployments[0].Price.Model == "no price"
		},
		"deployments.0.quality none": func(s *Scenario) bool { return s.Model.Deployments[0].Quality == 0 },
		"fallbacks.0.quality none":   func(s *Scenario) bool { return s.Model.Fallbacks[0].Quality == 0 },
		"fallbacks.0.price none": func(s *Scenario) bool {
			return s.Model.Fallbacks[0].Price.Model == "no price"
		},
	}
	var idle []string // paths at which nothing was set
	for path, words := range paths {
		var sets []string
		for _, b := range before {
			if path == b.at || strings.HasSuffix(b.at, ".") && strings.HasPrefix(path, b.at) {
				sets = append(sets, b.set)
			}
		}
		if at, _, ok := strings.Cut(path, ".exponential."); ok {
			sets = append(sets, at+"={exponential: {base: 1s, minus: 100ms, cap: 9s, min: 10ms}}")
		}
		if at, _, ok := strings.Cut(path, ".power."); ok {
			sets = append(sets, at+"={power: {base: 1s, exponent: 2, plus: 1s, cap: 9s}}")
		}
		if at, ok := strings.CutSuffix(path, ".per_hour"); ok && at != "other_fleets.0.price" {
			sets = append(sets, at+"={input: 1, output: 2, per_hour: 98}") // other fleets do not pay it
		}
		if at, ok := strings.CutSuffix(path, ".long_prompts"); ok {
			sets = append(sets, at+"={input: 1, output: 2, long_prompts: [{above: 200k, input: 3}]}")
		}
		read := func(more ...string) *Scenario {
			s, err := Read([]byte(rich), "rich", Options{Set: append(sets[:len(sets):len(sets)], more...)})
			if err != nil {
				t.Errorf("%v: %v", more, err)
				return nil
			}
			return s
		}
		unset := read(path + "=null")
		with, err := Read([]byte(rich), "rich", Options{Set: sets})
		if err == nil && unset != nil && reflect.DeepEqual(with.Model, unset.Model) {
			idle = append(idle, path)
		}
		for _, word := range words {
			s := read(path + "=" + word)
			if s == nil || unset == nil {
				continue
			}
			check := own[path+" "+word]
			if check == nil {
				check = own[path]
			}
			if check == nil && strings.HasSuffix(path, "retry.retry_on") {
				check = own["retry_on none"]
			}
			if same := reflect.DeepEqual(s.Model, unset.Model); check == nil && !same {
				t.Errorf("%s: %s is not what the field has when it is left out", path, word)
			} else if check != nil && (same || !check(s)) {
				t.Errorf("%s: %s does not give what it says", path, word)
			}
		}
	}
	slices.Sort(idle) // goals, the warm-up, what is uncertain and the sweep are in no model
	if want := []string{
		"goals",
		"other_fleets.0.price.per_hour", "provider.capacity.batching", "provider.faults.0.gap", "sweep", "uncertain",
		"warmup",
	}; !slices.Equal(idle, want) {
		t.Errorf("nothing is taken away at %v, want that of %v only", idle, want)
	}
	if len(paths) < 80 {
		t.Errorf("%d fields take a word; the walk misses some", len(paths))
	}
}

// sendOnce is a client that only sends.
var sendOnce = func() policy.Client {
	s, err := Read([]byte("workload: {burst: {calls: 1}, prompt_tokens: 1, output_tokens: 1}"), "f", Options{})
	if err != nil {
		panic(err)
	}
	return s.Model.Client
}()

// Said by hand, since these were once taken for something else.
func TestNoneOfWhatWasMistaken(t *testing.T) {
	for set, want := range map[string]func(*Scenario) bool{
		"workload.patience=none": func(s *Scenario) bool {
			return s.Model.Workload.Patience == nil
		},
		"workload.patience=unlimited": func(s *Scenario) bool {
			return s.Model.Workload.Patience == nil
		},
		"workload.patience=0s": func(s *Scenario) bool {
			return s.Model.Workload.Patience.Mean() == 0
		},
		"provider.capacity={slots: 4, queue: none}": func(s *Scenario) bool {
			return s.Model.Provider.Capacity.Queue == 0
		},
		"provider.capacity={slots: 4}": func(s *Scenario) bool {
			return s.Model.Provider.Capacity.Queue == 0
		},
		"provider.capacity={slots: 4, queue: unlimited}": func(s *Scenario) bool {
			return s.Model.Provider.Capacity.Queue < 0
		},
		"policy.timeouts=none": func(s *Scenario) bool {
			return s.Model.Client.Timeouts.Describe() == ""
		},
		"policy.timeouts.attempt=none": func(s *Scenario) bool {
			return s.Model.Client.Timeouts.Whole(1) == 0
		},
		"policy.timeouts.attempt=[2s, none]": func(s *Scenario) bool {
			return s.Model.Client.Timeouts.Whole(1) == 2*time.Second && s.Model.Client.Timeouts.Whole(2) == 0
		},
		"policy.timeouts.attempt=unlimited": func(s *Scenario) bool { return s.Model.Client.Timeouts.Whole(1) == 0 },
		"policy.retry.retry_after=none": func(s *Scenario) bool {
			return s.Model.Client.Retry.RetryAfter == policy.RetryAfter{}
		},
		"policy.retry=none": func(s *Scenario) bool { return s.Model.Client.Retry.Attempts == 1 },
		"policy=none": func(s *Scenario) bool {
			return reflect.DeepEqual(s.Model.Client, sendOnce)
		},
		"price=none":                    func(s *Scenario) bool { return s.Model.Price.Model == "no price" },
		"workload.open.calls=unlimited": func(s *Scenario) bool { return s.Model.Workload.Calls == 0 },
	} {
		text := rich
		if strings.HasPrefix(set, "policy=") {
			text = strings.Replace(text, "fallbacks: [{provider: {}, price: gpt-4o, quality: 80%}]\n", "", 1)
		}
		if s, err := Read([]byte(text), "rich", Options{Set: []string{set}}); err != nil || !want(s) {
			t.Errorf("%s: does not give what it says: %v", set, err)
		}
	}
	for set, want := range map[string]string{
		"workload.cache_lifetime=none": `workload.cache_lifetime: found "none"; want a time with its unit, such as ` +
			`500ms, 45s, 10m, 24h or 2d, or unlimited`,
		"provider.faults.0.for=none": `found "none"; want a time`,
		"policy.retry.deadline=0s":   `policy.retry.deadline: found "0s"; want more than 0, none or unlimited`,
		"policy.timeouts.attempt=soon": `policy.timeouts.attempt: found "soon"; want a time with its unit, such as ` +
			`500ms, 45s, 10m, 24h or 2d, or none`,
		"policy.timeouts.attempt=0s":   `policy.timeouts.attempt: found "0s"; want more than 0, or none`,
		"policy.timeouts.attempt=[0s]": `policy.timeouts.attempt.0: found "0s"; want more than 0, or none`,
		"policy.breaker.open=none":     `policy.breaker.open: found "none"; want a time`,
		"policy.throttle.window=0s":    `policy.throttle.window: found "0s"; want more than 0`,
		"provider.limits.0.limit=none": `found "none"; want a whole amount per time`,
		"workload.prompt_tokens=none":  `found "none"; want a whole number`,
	} {
		if _, err := Read([]byte(rich), "rich", Options{Set: []string{set}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want in it %q", set, err, want)
		}
	}
}

// Every word of every vocabulary is read, is written back as itself, and stands in the text of its
// field; a word that is not in the table is refused.
func TestVocabulariesReadBack(t *testing.T) {
	fields := 0
	walk(reflect.TypeFor[File](), "", nil, func(at string, field reflect.StructField) {
		kind := field.Type
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		vocabulary, ok := reflect.Zero(kind).Interface().(strict.Words)
		if !ok {
			return
		}
		fields++
		read := func(word string) (string, error) {
			v := reflect.New(kind)
			node, err := strict.Parse([]byte(strconv.Quote(word)), "word")
			if err == nil {
				err = strict.NewDecoder().Decode(node, v.Interface())
			}
			if err != nil {
				return "", err
			}
			text, err := strict.Encode(v.Elem().Interface())
			return string(text), err
		}
		doc, err := FindField(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range vocabulary.Words() {
			if got, err := read(word); got != strconv.Quote(word) {
				t.Errorf("%s: %q reads back as %s, %v", at, word, got, err)
			}
			if !strings.Contains(doc.Value, word) {
				t.Errorf("%s: no %q in %q", at, word, doc.Value)
			}
			if _, err := read(word + "x"); err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q: %v; want an error that names %s", at, word+"x", err, word)
			}
		}
	})
	if fields < 25 {
		t.Errorf("%d fields have a vocabulary; the walk misses some", fields)
	}
}

// Every kind of limit can be written in a scenario and is that of the model.
func TestKindsOfLimits(t *testing.T) {
	for _, word := range provider.KindWords.Names(provider.Balance) { // that has a field of its own
		s, err := Read([]byte(rich), "rich", Options{Set: []string{
			"provider.limits=[{resource: requests, limit: 500/min, kind: " + word + "}]"}})
		if err != nil {
			t.Errorf("%s: %v", word, err)
		} else if got := provider.KindWords.Word(s.Model.Provider.Limits[0].Kind); got != word {
			t.Errorf("%s is read as %s", word, got)
		}
	}
}

// A time of day is one of UTC; with the offset of a zone it is that instant there. A quota of the day that begins at
// midnight Pacific, in a run from noon UTC, has 4 of its hours behind it.
func TestTimeOfDay(t *testing.T) {
	for text, want := range map[string]string{
		"08:30": "08:30", "08:30Z": "08:30", "00:00-08:00": "08:00", "00:00-07:00": "07:00", "23:30+01:00": "22:30",
		"01:00+05:30": "19:30",
	} {
		var at TimeOfDay
		if err := at.ParseText(text); err != nil || at.String() != want {
			t.Errorf("%s is %v, %v; want %s", text, at, err, want)
		}
	}
	for _, text := range []string{"8", "24:00", "08:30 PST", "08:30-8"} {
		if err := new(TimeOfDay).ParseText(text); err == nil {
			t.Errorf("%q is read as a time of day", text)
		}
	}
	s, err := Read([]byte(rich), "rich", Options{Set: []string{"starts_at=12:00",
		"provider.limits=[{resource: requests, limit: 20/day, kind: fixed_window, resets_at: 00:00-08:00}]"}})
	if err != nil || s.Model.Provider.Limits[0].Offset != 4*time.Hour {
		t.Errorf("%v, %v, want an offset of 4h", s, err)
	}
}

// Every jitter of the policy is a field of the scenario's that takes its parameter, and no other
// is; what is written comes back as the jitter of the model.
func TestJitters(t *testing.T) {
	takes := map[policy.Parameter]reflect.Type{
		policy.TakesNothing: reflect.TypeFor[*struct{}](),
		policy.TakesShare:   reflect.TypeFor[*Share](),
		policy.TakesSpan:    reflect.TypeFor[*Span](),
	}
	of := reflect.TypeFor[Jitter]()
	if n := len(policy.JitterWords.Names()); of.NumField() != n {
		t.Errorf("%d fields for %d jitters", of.NumField(), n)
	}
	for i := range of.NumField() {
		word := of.Field(i).Tag.Get("yaml")
		want, ok := policy.JitterWords.Parse(word)
		if !ok || of.Field(i).Type != takes[want.Takes()] {
			t.Errorf("%s is a %v, want a jitter with a %v", word, of.Field(i).Type, takes[want.Takes()])
			continue
		}
		set := word
		if want.Takes() != policy.TakesNothing {
			set = "{" + word + ": " + docOf(of, word).Example + "}"
		}
		s, err := Read([]byte(rich), "rich", Options{Set: []string{"policy.retry.backoff.exponential.jitter=" + set}})
		if err != nil {
			t.Errorf("%s: %v", word, err)
			continue
		}
		b := s.Model.Client.Retry.Backoff
		if b.Jitter != want || (b.Share > 0) != (want.Takes() == policy.TakesShare) ||
			(b.Plus > 0) != (want.Takes() == policy.TakesSpan) {
			t.Errorf("%s gives %v with share %v and span %v", word, b.Jitter, b.Share, b.Plus)
		}
	}
}

// Every growth of a wait is a kind of the scenario's backoff, whose example gives it.
func TestGrowths(t *testing.T) {
	for _, word := range policy.GrowthWords.Names() {
		value := docOf(reflect.TypeFor[Backoff](), word).Example
		s, err := Read([]byte(rich), "rich", Options{Set: []string{
			"policy.retry.backoff={" + word + ": " + value + "}"}})
		if err != nil {
			t.Errorf("%s: %v", word, err)
		} else if got := s.Model.Client.Retry.Backoff.Growth.String(); got != word {
			t.Errorf("%s: %s gives %s", word, value, got)
		}
	}
}
