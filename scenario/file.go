package scenario

import (
	"fmt"
	"time"

	"stampede/sim"
)

// File is a scenario as written. The tags name the fields and say what they
// mean; the JSON Schema and the checks are made from them.
type File struct {
	Name         string    `yaml:"name" jsonschema_description:"A short name for tables and figures. Default scenario."`
	Description  string    `yaml:"description" jsonschema_description:"What the scenario is about, in a sentence. Default none."`
	Seed         uint64    `yaml:"seed" default:"1" jsonschema_description:"The seed of all random numbers. Default 1."`
	Replications int       `yaml:"replications" default:"30" jsonschema_description:"Independent runs behind each interval. Default 30."`
	Horizon      Span      `yaml:"horizon" none:"calls start for ever" unlimited:"calls start for ever" zero:"no" jsonschema_description:"From here on no call starts; what is in flight drains. Default none."`
	StartsAt     TimeOfDay `yaml:"starts_at" jsonschema_description:"The time of day at which the run starts, for daily resets and for prices that depend on it (UTC). Default 00:00."`
	Warmup       Warmup    `yaml:"warmup" none:"all calls count" jsonschema_description:"The measured time begins here: calls that arrive before it are in no metric of calls, what happens before it in no rate and no peak. auto finds it from the calls of the measured fleets (MSER). Default none."`
	Collapse     *Collapse `yaml:"collapse" jsonschema_description:"What the metric collapsed means, in every arm of a sweep. Default: the answers per second do not come back to 90 % of those before the trigger."`
	EventBudget  Bound     `yaml:"event_budget" none:"no bound" unlimited:"no bound" default:"100M" jsonschema_description:"A run that handles more events fails instead of going on for ever. Default 100M."`
	Workload     Workload  `yaml:"workload" jsonschema_description:"When calls come and how large they are. Needed."`
	Fleet        Fleet     `yaml:"fleet" jsonschema_description:"Who makes the calls. Default one instance, and a worker for each call."`
	Provider     Provider  `yaml:"provider" jsonschema_description:"The API that is called. Default one that answers everything at once."`
	Policy       Policy    `yaml:"policy" none:"send once and wait for ever" jsonschema_description:"What each client does: retries, timeouts, gate. A preset by name, or a mapping. Default none."`
	Beside       []Beside  `yaml:"beside" none:"no other fleet" jsonschema_description:"Other fleets that call the same provider at the same time. Default none."`
	Measure      string    `yaml:"measure" jsonschema_description:"The name of the fleet whose numbers are wanted, or all. Default all."`
	Fallbacks    []Target  `yaml:"fallbacks" none:"no other provider" jsonschema_description:"Where a call goes that found no answer, one after the other; see policy.fallback. Default none."`
	Price        Price     `yaml:"price" none:"all is free" jsonschema_description:"What tokens cost: a model by name, or a mapping. Default none."`
	Sweep        Sweep     `yaml:"sweep" none:"nothing" jsonschema_description:"Paths with the values a sweep gives them; points and sample draw from the space instead. Default none."`
}

// Workload says when calls come and how large they are.
type Workload struct {
	Batch  *Batch  `yaml:"batch" jsonschema_description:"A queue of calls that workers fetch as they get free. One of batch, open, burst, closed and trace is needed. Default none."`
	Open   *Open   `yaml:"open" jsonschema_description:"Calls that arrive by themselves at a rate. One of batch, open, burst, closed and trace is needed. Default none."`
	Burst  *Burst  `yaml:"burst" jsonschema_description:"Calls that all arrive at time 0. One of batch, open, burst, closed and trace is needed. Default none."`
	Closed *Closed `yaml:"closed" jsonschema_description:"Users who think, ask, wait for the answer, and think again. One of batch, open, burst, closed and trace is needed. Default none."`
	Trace  *Trace  `yaml:"trace" jsonschema_description:"Recorded calls from a file. One of batch, open, burst, closed and trace is needed. Default none."`

	PromptTokens Law[Count] `yaml:"prompt_tokens" jsonschema_description:"Tokens of the prompt. Needed, but for a trace that has them."`
	OutputTokens Law[Count] `yaml:"output_tokens" jsonschema_description:"Tokens of the answer. Needed, but for a trace that has them."`
	MaxTokens    Count      `yaml:"max_tokens" none:"not declared" zero:"no" jsonschema_description:"The max_tokens each request declares; answers are cut there. Default not set."`
	Reasoning    Law[Count] `yaml:"reasoning_tokens" none:"no reasoning" jsonschema_description:"Tokens generated before the answer, billed and seen by nobody. Default none."`
	CachedShare  Share      `yaml:"cached_share" none:"nothing comes from the cache" jsonschema_description:"Part of each prompt that comes from the provider's cache. Default 0."`
	CacheLife    Span       `yaml:"cache_lifetime" unlimited:"it stays for ever" zero:"no" jsonschema_description:"How long the cached part lasts after the start of the last request of the same call that used it: a retry after that pays the whole prompt. Each call finds its own part there when it arrives; calls do not share one. Default unlimited."`
	CacheWrites  bool       `yaml:"cache_writes" jsonschema_description:"Whether what is not read from the cache is written to it, at the price of writing. Default false."`
	Stream       bool       `yaml:"stream" jsonschema_description:"Whether answers come token by token. Default false."`
	Patience     Law[Span]  `yaml:"patience" none:"nobody leaves" unlimited:"nobody leaves" jsonschema_description:"After so long a caller leaves. Default none."`
	Acts         bool       `yaml:"acts" jsonschema_description:"Whether each call does something in the world, so that doing it twice matters. Default false."`
	Redeliver    *Redeliver `yaml:"redeliver" none:"not delivered again" jsonschema_description:"A call that ended without an answer goes back to the queue. Default none."`
}

// Warmup is a time, or auto.
type Warmup struct {
	Span Span
	Auto bool
}

// ParseText implements strict.Texter.
func (w *Warmup) ParseText(text string) error {
	if text == "auto" {
		*w = Warmup{Auto: true}
		return nil
	}
	w.Auto = false
	if err := w.Span.ParseText(text); err != nil {
		return fmt.Errorf("%w; or auto", err)
	}
	return nil
}

func (w Warmup) String() string {
	if w.Auto {
		return "auto"
	}
	return w.Span.String()
}

// Collapse says which runs have collapsed: those that answer too little of what is
// offered in a window.
type Collapse struct {
	From  Span  `yaml:"from" jsonschema_description:"The window begins. Needed."`
	To    Span  `yaml:"to" jsonschema_description:"The window ends. Needed."`
	Below Share `yaml:"below" jsonschema_description:"Collapsed is a run that answers, in the window, less than this share of the calls that arrive in it. Needed."`
}

// Batch is a queue of calls.
type Batch struct {
	Calls Count `yaml:"calls" jsonschema_description:"Calls in the queue. Needed."`
}

// Burst is calls at time 0.
type Burst struct {
	Calls Count `yaml:"calls" jsonschema_description:"Calls at time 0. Needed."`
}

// Open is arrivals at a rate.
type Open struct {
	Rate    PerTime `yaml:"rate" jsonschema_description:"Mean rate of arrivals, such as 5/s, from time 0. Default 0/s, which needs a profile."`
	Profile []Step  `yaml:"profile" none:"no change" jsonschema_description:"Changes of the rate over time. Default none."`
	Gaps    Gaps    `yaml:"gaps" jsonschema_description:"The law of the gaps between arrivals. Default poisson."`
	Calls   Count   `yaml:"calls" unlimited:"until the horizon" zero:"no" jsonschema_description:"At most so many calls. Default unlimited; then a horizon is needed."`
}

// Step is a change of the rate.
type Step struct {
	At   Span    `yaml:"at" jsonschema_description:"When the change begins. Default 0."`
	Rate PerTime `yaml:"rate" jsonschema_description:"The new rate. Default 0/s."`
	Over Span    `yaml:"over" none:"at once" jsonschema_description:"The rate gets there in a straight line over this time. Default at once."`
	For  Span    `yaml:"for" unlimited:"it stays" zero:"no" jsonschema_description:"After so long the rate returns to what it was. Default unlimited."`
}

// Gaps is the law of the gaps between arrivals.
type Gaps struct {
	Poisson  *struct{} `yaml:"poisson"`
	Constant *struct{} `yaml:"constant"`
	Gamma    *Spread   `yaml:"gamma" jsonschema_description:"Gamma gaps with a coefficient of variation."`
	Weibull  *Spread   `yaml:"weibull" jsonschema_description:"Weibull gaps with a coefficient of variation."`
}

// Spread is a coefficient of variation.
type Spread struct {
	CV Number `yaml:"cv" jsonschema_description:"Coefficient of variation, 0.05 to 50; 1 is Poisson, above it is bursty. Needed."`
}

// Closed is users who think and ask.
type Closed struct {
	Think Law[Span] `yaml:"think" none:"no pause" jsonschema_description:"How long a user thinks before each call. Default none."`
	Calls Count     `yaml:"calls" unlimited:"until the horizon" zero:"no" jsonschema_description:"At most so many calls. Default unlimited; then a horizon is needed."`
}

// Trace is recorded calls.
type Trace struct {
	File     string     `yaml:"file" jsonschema_description:"A CSV file with a header, relative to the scenario. Default none: rows."`
	Columns  Columns    `yaml:"columns" jsonschema_description:"Which column holds what. Default TIMESTAMP for the time, and sizes are drawn."`
	TimeUnit TimeUnit   `yaml:"time_unit" jsonschema_description:"Of times that are plain numbers. Default the one that the column's name ends in, as in arrived_ms; else that of the time since 1970 that the first number can be; else s."`
	NoOutput NoOutput   `yaml:"no_output" jsonschema_description:"Rows of a file with no or 0 output tokens, as failed requests have: skip leaves them out, keep replays them as answers of 0 tokens. Default skip."`
	Rows     []TraceRow `yaml:"rows" jsonschema_description:"The calls themselves, instead of a file. Default none: a file."`
	Speed    *Number    `yaml:"speed" jsonschema_description:"Replays so many times faster. Default 1."`
	Calls    Count      `yaml:"calls" unlimited:"all" zero:"no" jsonschema_description:"Only the first so many. Default unlimited."`
}

// speed is how many times faster it is replayed.
func (t *Trace) speed() float64 {
	if t.Speed == nil {
		return 1
	}
	return float64(*t.Speed)
}

// replayed is when a call comes that was recorded at an instant.
func (t *Trace) replayed(at time.Duration) time.Duration {
	if t.Speed == nil {
		return at
	}
	return sim.Nanoseconds(float64(at) / t.speed())
}

// NoOutput is what becomes of rows without output tokens.
type NoOutput string

// Words implements strict.Words.
func (NoOutput) Words() []string { return []string{"keep", "skip"} }

// TraceRow is one recorded call.
type TraceRow struct {
	At     Span   `yaml:"at" jsonschema_description:"When it comes. Default 0."`
	Prompt *Count `yaml:"prompt_tokens" jsonschema_description:"Tokens of its prompt. Default drawn from workload.prompt_tokens."`
	Output *Count `yaml:"output_tokens" jsonschema_description:"Tokens of its answer. Default drawn from workload.output_tokens."`
}

// Columns names the columns of a trace.
type Columns struct {
	Time         string `yaml:"time" jsonschema_description:"Arrival: a date and time, or a number, see time_unit. Default TIMESTAMP."`
	PromptTokens string `yaml:"prompt_tokens" jsonschema_description:"Tokens of the prompt; without it they are drawn. Default none."`
	OutputTokens string `yaml:"output_tokens" jsonschema_description:"Tokens of the answer; without it they are drawn. Default none."`
}

// Redeliver gives failed calls back to the queue.
type Redeliver struct {
	Deliveries Bound `yaml:"deliveries" none:"no bound" unlimited:"no bound" jsonschema_description:"At most so many, the first included. Default unlimited."`
	After      Span  `yaml:"after" none:"at once" jsonschema_description:"Until the call is in the queue again. Default at once."`
	Visible    Span  `yaml:"visible_after" none:"no visibility timeout" zero:"no" jsonschema_description:"A visibility timeout instead: in the queue again so long after it was taken, or when it failed if that is later. Default none."`
}

// Fleet is who makes the calls.
type Fleet struct {
	Name      string `yaml:"name" jsonschema_description:"For measure and in tables. Default main, and beside-1 and so on."`
	Key       string `yaml:"key" none:"no key" jsonschema_description:"The key it calls under, for limits of some keys. Default none."`
	Priority  int    `yaml:"priority" jsonschema_description:"In the queue before the provider's slots, higher goes first. Default 0."`
	Instances int    `yaml:"instances" default:"1" jsonschema_description:"Client processes; the workers of one share its gate. Default 1."`
	Dealt     Dealt  `yaml:"dealt" jsonschema_description:"Which instance a call that comes by itself goes to: at_random, by a lot of its own, as independent clients have them; in_turn, one after the other. Default at_random."`
	Queue     Queue  `yaml:"queue" jsonschema_description:"Where calls that come by themselves wait for workers: shared, in one queue of all instances; per_instance, in that of the instance they were dealt to. Default shared."`
	Workers   Bound  `yaml:"workers" none:"each call brings its own" unlimited:"each call brings its own" jsonschema_description:"Calls each instance works on at once, the waits before their retries included: a semaphore around the whole call (async with sem, a thread pool) is this, and policy.gate is not. Default none."`
}

// Beside is another fleet that calls the same provider.
type Beside struct {
	Workload Workload `yaml:"workload" jsonschema_description:"When its calls come and how large they are. Needed."`
	Fleet    Fleet    `yaml:"fleet" jsonschema_description:"Who makes them. Default as of the scenario."`
	Policy   *Policy  `yaml:"policy" none:"send once and wait for ever" own:"yes" jsonschema_description:"What its clients do. Default the scenario's policy."`
	Price    *Price   `yaml:"price" none:"all is free" own:"yes" jsonschema_description:"What its tokens cost; the model also tells its limits. Default the scenario's price."`
}

// Price is what tokens cost.
type Price struct {
	Model     string   `yaml:"model" jsonschema_description:"A model by name, from the built-in list or the file. Default none."`
	File      string   `yaml:"file" jsonschema_description:"A price file of LiteLLM or genai-prices, relative to the scenario. Default the built-in list."`
	Input     *Dollars `yaml:"input" jsonschema_description:"Dollars per million tokens of prompt. Needed for a price of your own. Default that of the model."`
	Tier      Tier     `yaml:"tier" jsonschema_description:"How urgent: batch and flex are cheaper, priority is dearer. Default standard."`
	Cached    *Dollars `yaml:"cached" jsonschema_description:"Dollars per million tokens read from the cache. Default as input."`
	Written   *Dollars `yaml:"written" jsonschema_description:"Dollars per million tokens written to the cache. Default as input."`
	Output    *Dollars `yaml:"output" jsonschema_description:"Dollars per million tokens of answer. Needed for a price of your own. Default that of the model."`
	Reasoning *Dollars `yaml:"reasoning" jsonschema_description:"Dollars per million tokens of reasoning. Default as output."`
}
