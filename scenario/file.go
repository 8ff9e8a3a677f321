package scenario

import (
	"fmt"
)

// File is a scenario as written. The tags name the fields and say what they
// mean; the JSON Schema and the checks are made from them.
type File struct {
	Name         string    `yaml:"name" jsonschema_description:"A short name for tables and figures."`
	Description  string    `yaml:"description" jsonschema_description:"What the scenario is about, in a sentence."`
	Seed         uint64    `yaml:"seed" zero:"keep" jsonschema_description:"The seed of all random numbers. Default 1."`
	Replications int       `yaml:"replications" jsonschema_description:"Independent runs behind each interval. Default 30."`
	Horizon      Span      `yaml:"horizon" jsonschema_description:"From here on no call starts; what is in flight drains. Default none."`
	StartsAt     TimeOfDay `yaml:"starts_at" jsonschema_description:"The time of day at which the run starts, for daily resets. Default 00:00."`
	Warmup       Warmup    `yaml:"warmup" jsonschema_description:"Calls that come before this are left out of the metrics; auto finds it from the data (MSER). Default none."`
	EventBudget  Bound     `yaml:"event_budget" zero:"keep" jsonschema_description:"A run that handles more events fails instead of going on for ever; none for no bound. Default 100M."`
	Workload     Workload  `yaml:"workload" jsonschema_description:"When calls come and how large they are."`
	Fleet        Fleet     `yaml:"fleet" jsonschema_description:"Who makes the calls."`
	Provider     Provider  `yaml:"provider" jsonschema_description:"The API that is called."`
	Policy       Policy    `yaml:"policy" jsonschema_description:"What each client does: retries, timeouts, gate. A preset by name, or a mapping."`
	Beside       []Beside  `yaml:"beside" jsonschema_description:"Other fleets that call the same provider at the same time."`
	Measure      string    `yaml:"measure" jsonschema_description:"The name of the fleet whose numbers are wanted, or all. Default all."`
	Fallbacks    []Target  `yaml:"fallbacks" jsonschema_description:"Where a call goes that found no answer, one after the other; see policy.fallback."`
	Price        Price     `yaml:"price" jsonschema_description:"What tokens cost: a model by name, or a mapping."`
	Sweep        Sweep     `yaml:"sweep" jsonschema_description:"Paths with the values a sweep gives them; points and sample draw from the space instead."`
}

// Workload says when calls come and how large they are.
type Workload struct {
	Batch  *Batch  `yaml:"batch" jsonschema_description:"A queue of calls that workers fetch as they get free."`
	Open   *Open   `yaml:"open" jsonschema_description:"Calls that arrive by themselves at a rate."`
	Burst  *Burst  `yaml:"burst" jsonschema_description:"Calls that all arrive at time 0."`
	Closed *Closed `yaml:"closed" jsonschema_description:"Users who think, ask, wait for the answer, and think again."`
	Trace  *Trace  `yaml:"trace" jsonschema_description:"Recorded calls from a file."`

	PromptTokens Law[Count] `yaml:"prompt_tokens" jsonschema_description:"Tokens of the prompt."`
	OutputTokens Law[Count] `yaml:"output_tokens" jsonschema_description:"Tokens of the answer."`
	MaxTokens    Count      `yaml:"max_tokens" jsonschema_description:"The max_tokens each request declares; answers are cut there. Default not set."`
	Reasoning    Law[Count] `yaml:"reasoning_tokens" jsonschema_description:"Tokens generated before the answer, billed and seen by nobody. Default none."`
	CachedShare  Share      `yaml:"cached_share" jsonschema_description:"Part of each prompt that comes from the provider's cache. Default 0."`
	CacheLife    Span       `yaml:"cache_lifetime" jsonschema_description:"The cached part is lost so long after the start of the last request that used it: a retry after that pays the whole prompt. Default for ever."`
	CacheWrites  bool       `yaml:"cache_writes" jsonschema_description:"Whether what is not read from the cache is written to it, at the price of writing. Default false."`
	Stream       bool       `yaml:"stream" jsonschema_description:"Whether answers come token by token. Default false."`
	Patience     Law[Span]  `yaml:"patience" jsonschema_description:"After so long a caller leaves. Default never."`
	Acts         bool       `yaml:"acts" jsonschema_description:"Whether each call does something in the world, so that doing it twice matters. Default false."`
	Redeliver    *Redeliver `yaml:"redeliver" jsonschema_description:"A call that ended without an answer goes back to the queue."`
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

// Batch is a queue of calls.
type Batch struct {
	Calls Count `yaml:"calls" jsonschema_description:"Calls in the queue."`
}

// Burst is calls at time 0.
type Burst struct {
	Calls Count `yaml:"calls" jsonschema_description:"Calls at time 0."`
}

// Open is arrivals at a rate.
type Open struct {
	Rate    PerTime `yaml:"rate" jsonschema_description:"Mean rate of arrivals, such as 5/s, from time 0."`
	Profile []Step  `yaml:"profile" jsonschema_description:"Changes of the rate over time."`
	Gaps    Gaps    `yaml:"gaps" jsonschema_description:"The law of the gaps between arrivals. Default poisson."`
	Calls   Count   `yaml:"calls" jsonschema_description:"At most so many calls. Default no bound; then a horizon is needed."`
}

// Step is a change of the rate.
type Step struct {
	At   Span    `yaml:"at" jsonschema_description:"When the change begins."`
	Rate PerTime `yaml:"rate" jsonschema_description:"The new rate."`
	Over Span    `yaml:"over" jsonschema_description:"The rate gets there in a straight line over this time. Default at once."`
	For  Span    `yaml:"for" jsonschema_description:"After so long the rate returns to what it was. Default it stays."`
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
	CV Number `yaml:"cv" jsonschema_description:"Coefficient of variation, 0.05 to 50; 1 is Poisson, above it is bursty."`
}

// Closed is users who think and ask.
type Closed struct {
	Think Law[Span] `yaml:"think" jsonschema_description:"How long a user thinks before each call."`
	Calls Count     `yaml:"calls" jsonschema_description:"At most so many calls. Default no bound; then a horizon is needed."`
}

// Trace is recorded calls.
type Trace struct {
	File    string     `yaml:"file" jsonschema_description:"A CSV file with a header, relative to the scenario."`
	Columns Columns    `yaml:"columns" jsonschema_description:"Which column holds what."`
	Rows    []TraceRow `yaml:"rows" jsonschema_description:"The calls themselves, instead of a file."`
	Speed   Number     `yaml:"speed" jsonschema_description:"Replays so many times faster. Default 1."`
	Calls   Count      `yaml:"calls" jsonschema_description:"Only the first so many. Default all."`
}

// TraceRow is one recorded call.
type TraceRow struct {
	At     Span  `yaml:"at" jsonschema_description:"When it comes. Default 0."`
	Prompt Count `yaml:"prompt_tokens" jsonschema_description:"Tokens of its prompt."`
	Output Count `yaml:"output_tokens" jsonschema_description:"Tokens of its answer."`
}

// Columns names the columns of a trace.
type Columns struct {
	Time         string `yaml:"time" jsonschema_description:"Arrival: a date and time, or seconds. Default TIMESTAMP."`
	PromptTokens string `yaml:"prompt_tokens" jsonschema_description:"Tokens of the prompt; without it they are drawn."`
	OutputTokens string `yaml:"output_tokens" jsonschema_description:"Tokens of the answer; without it they are drawn."`
}

// Redeliver gives failed calls back to the queue.
type Redeliver struct {
	Deliveries Bound `yaml:"deliveries" jsonschema_description:"At most so many, the first included, or none for no bound."`
	After      Span  `yaml:"after" jsonschema_description:"Until the call is in the queue again. Default at once."`
	Visible    Span  `yaml:"visible_after" jsonschema_description:"A visibility timeout instead: in the queue again so long after it was taken, or when it failed if that is later."`
}

// Fleet is who makes the calls.
type Fleet struct {
	Name      string `yaml:"name" jsonschema_description:"For measure and in tables. Default main, and beside-1 and so on."`
	Key       string `yaml:"key" jsonschema_description:"The key it calls under, for limits of some keys. Default none."`
	Priority  int    `yaml:"priority" jsonschema_description:"In the queue before the provider's slots, higher goes first. Default 0."`
	Instances int    `yaml:"instances" jsonschema_description:"Client processes; the workers of one share its gate. Default 1."`
	Workers   Bound  `yaml:"workers" jsonschema_description:"Calls each instance works on at once; none means that each call brings its own. Default none."`
}

// Beside is another fleet that calls the same provider.
type Beside struct {
	Workload Workload `yaml:"workload" jsonschema_description:"When its calls come and how large they are."`
	Fleet    Fleet    `yaml:"fleet" jsonschema_description:"Who makes them."`
	Policy   *Policy  `yaml:"policy" jsonschema_description:"What its clients do. Default the scenario's policy."`
	Price    *Price   `yaml:"price" jsonschema_description:"What its tokens cost; the model also tells its limits. Default the scenario's price."`
}

// Provider is the API that is called.
type Provider struct {
	Preset     string           `yaml:"preset" jsonschema_description:"A provider by name; what follows overrides it."`
	Dialect    Dialect          `yaml:"dialect" jsonschema_description:"Whose statuses, error codes and headers it sends. Default plain, which says everything exactly."`
	RoundTrip  Span             `yaml:"round_trip" jsonschema_description:"Network time there and back. Default none."`
	Limits     []Limit          `yaml:"limits" jsonschema_description:"What refuses requests with 429."`
	Capacity   Capacity         `yaml:"capacity" jsonschema_description:"How many requests generate at once, and how many may wait. Default all at once."`
	Latency    Latency          `yaml:"latency" jsonschema_description:"How long an answer takes."`
	Faults     []Fault          `yaml:"faults" jsonschema_description:"What goes wrong, when, and for how many attempts."`
	RetryAfter ServerRetryAfter `yaml:"retry_after" jsonschema_description:"How the Retry-After of a 429 is sent. Default exact."`
	Gateway    Gateway          `yaml:"gateway" jsonschema_description:"A relay in front of the provider. Default none."`
	Cancel     Cancel           `yaml:"cancel" jsonschema_description:"What becomes of an attempt whose client has gone. Default keeps_generating."`
	Replays    bool             `yaml:"replays_keys" jsonschema_description:"Whether a request under an idempotency key whose work was done before gets that answer again, at once and unbilled. Default false: it acts no second time, but generates and bills anew."`
	Bills      []Billed         `yaml:"bills" jsonschema_description:"What is billed besides answers: abandoned work, cut_stream, lost_reply, timeout_408 (prompt and answer), content_filter (prompt). Default the first three."`
}

// Capacity is how many requests generate at once, and how many may wait.
type Capacity struct {
	Slots      Bound     `yaml:"slots" jsonschema_description:"Requests that generate at once."`
	Queue      *Bound    `yaml:"queue" jsonschema_description:"Places to wait for a slot, higher priority first, then first in, first out; none for no bound. Default no place at all."`
	Full       int       `yaml:"full" jsonschema_description:"The status when there is no place: 429, 503 or 529. Default that of the dialect."`
	RetryAfter Span      `yaml:"retry_after" jsonschema_description:"The wait that a refusal for want of a place asks for, sent as the provider sends it. Default none."`
	Batching   *Batching `yaml:"batching" jsonschema_description:"The requests at once share a batch, as in vLLM; this then gives the latency."`
}

// Batching is a server that generates a token for each of its streams in every
// step.
type Batching struct {
	Step          Span  `yaml:"step" jsonschema_description:"A step without streams."`
	PerStream     Span  `yaml:"per_stream" jsonschema_description:"What each stream adds to a step. Default nothing."`
	PromptPerStep Count `yaml:"prompt_per_step" jsonschema_description:"Tokens of a prompt that are read in one step. Default all."`
}

// Gateway is a relay in front of the provider.
type Gateway struct {
	Latency         Span      `yaml:"latency" jsonschema_description:"Added to the round trip. Default none."`
	Retries         int       `yaml:"retries" jsonschema_description:"How often the gateway itself tries a refused request again. Default 0."`
	Wait            Span      `yaml:"wait" jsonschema_description:"Before each of those. Default none."`
	StripRetryAfter bool      `yaml:"strip_retry_after" jsonschema_description:"Whether the header is taken out. Default false."`
	StripQuotas     bool      `yaml:"strip_quotas" jsonschema_description:"Whether the headers that say how much is left are taken out. Default false."`
	RetryAfter      Span      `yaml:"retry_after" jsonschema_description:"Said in place of every wait that the provider asks for. Default passed on."`
	Rewrite         []Rewrite `yaml:"rewrite" jsonschema_description:"Statuses that are turned into others."`
}

// Rewrite turns one status into another.
type Rewrite struct {
	From int `yaml:"from" jsonschema_description:"The provider's status."`
	To   int `yaml:"to" jsonschema_description:"What the client gets."`
}

// Limit is one limit.
type Limit struct {
	Resource      Resource   `yaml:"resource" jsonschema_description:"What is counted."`
	Limit         Rate       `yaml:"limit" jsonschema_description:"An amount per time, such as 500/min; for concurrency a number, for dollars such as $10/10m."`
	Kind          Kind       `yaml:"kind" jsonschema_description:"token_bucket refills continuously; leaky_bucket drains continuously and takes any request while it is not over the brim; fixed_window counts anew each period; sliding_window holds over any span of the period; ramp limits growth, over a short span acceleration. Default token_bucket."`
	Keys          []string   `yaml:"keys" jsonschema_description:"Counts only requests under these keys. Default all."`
	Models        []string   `yaml:"models" jsonschema_description:"Counts only requests to these models. Default all."`
	Hidden        bool       `yaml:"hidden" jsonschema_description:"Whether the headers keep silent about it. Default false."`
	Burst         Portion    `yaml:"burst" jsonschema_description:"Of a bucket: at most so much at once. Default the amount."`
	EnforcedEvery Span       `yaml:"enforced_every" jsonschema_description:"Enforces the limit in slices of this: 60/min as 1/s. Default not."`
	ResetsAt      *TimeOfDay `yaml:"resets_at" jsonschema_description:"Of a fixed window: the time of day of its reset, see starts_at. Default when the run starts."`
	Growth        Share      `yaml:"growth" jsonschema_description:"Of a ramp: the growth allowed in each span. Default 50%."`
	Every         Span       `yaml:"every" jsonschema_description:"Of a ramp: that span. Default 15m."`
	Used          Portion    `yaml:"used" jsonschema_description:"Counted already when the run starts. Default 0."`
	Charge        Charge     `yaml:"charge" jsonschema_description:"What a request counts when it is admitted. Default prompt + max_tokens for tokens, prompt for input_tokens, as_produced for output_tokens."`
	Settle        Settle     `yaml:"settle" jsonschema_description:"What happens when the true usage is known. Default refund."`
	OutputFactor  int        `yaml:"output_factor" jsonschema_description:"With multiply_output: how often a token of output counts."`
	Cached        Counts     `yaml:"cached" jsonschema_description:"Whether cached tokens of the prompt count; released counts them until the request has ended. Default count."`
	Estimate      Number     `yaml:"estimate" jsonschema_description:"Of charges that estimate the prompt: estimate over truth. Default 1."`
	Rejected      Rejected   `yaml:"rejected" jsonschema_description:"Whether refused requests count: free, to_zero (what is there), into_debt (down to minus the burst). Default free."`
}

// Latency is how long an answer takes.
type Latency struct {
	FirstToken      Law[Span]   `yaml:"first_token" jsonschema_description:"Until the first token. Default 0."`
	TokensPerSecond Law[Number] `yaml:"tokens_per_second" jsonschema_description:"Speed of the answer. Default all at once."`
	PerInFlight     Span        `yaml:"per_in_flight" jsonschema_description:"Added to the first token for each other request at the provider when this one is taken up: a server that slows down under load. Default none."`
	CallShare       Share       `yaml:"call_share" jsonschema_description:"Part of the variance that belongs to the call and meets each of its attempts again. Default 0."`
}

// Fault is something that goes wrong.
type Fault struct {
	At         Span         `yaml:"at" jsonschema_description:"When it begins. Default 0."`
	For        Span         `yaml:"for" jsonschema_description:"How long it lasts. Default to the end."`
	Gap        Law[Span]    `yaml:"gap" jsonschema_description:"With length, the fault comes and goes: time from the end of one to the start of the next."`
	Length     Law[Span]    `yaml:"length" jsonschema_description:"How long it holds each time."`
	Share      Share        `yaml:"share" zero:"keep" jsonschema_description:"Of the attempts. Default 100%."`
	Status     int          `yaml:"status" jsonschema_description:"Answers with this HTTP status."`
	Code       string       `yaml:"code" jsonschema_description:"Error code that goes with the status; with cut_at, the stream ends in an error event with it."`
	RetryAfter Span         `yaml:"retry_after" jsonschema_description:"Retry-After that goes with the status. Default absent."`
	Header     string       `yaml:"retry_after_header" jsonschema_description:"Instead of retry_after: the header word for word, such as soon, -1, nan, or a date, which is then one that has passed."`
	After      Span         `yaml:"after" jsonschema_description:"Time until the status is sent. Default at once."`
	Slow       Number       `yaml:"slow" jsonschema_description:"Multiplies the latency."`
	Hang       bool         `yaml:"hang" jsonschema_description:"Accepts the request and never answers."`
	LoseReply  bool         `yaml:"lose_reply" jsonschema_description:"Does the work, bills it, and loses the reply."`
	CutAt      *Share       `yaml:"cut_at" jsonschema_description:"Breaks the connection after this part of the answer, which is billed; without stream nothing of it was sent yet, not even the status."`
	Connection Connection   `yaml:"connection" jsonschema_description:"Refuses the connection, or lets it go unanswered."`
	Limit      *LimitChange `yaml:"limit" jsonschema_description:"Gives a limit another shape."`
}

// LimitChange is another shape for a limit.
type LimitChange struct {
	Resource Resource `yaml:"resource" jsonschema_description:"Of the limit that changes."`
	Limit    Rate     `yaml:"limit" jsonschema_description:"The new amount per time."`
	Burst    Portion  `yaml:"burst" jsonschema_description:"The new burst. Default the amount."`
	Keys     []string `yaml:"keys" jsonschema_description:"Of the limit that changes, where several on the resource are for some keys."`
	Models   []string `yaml:"models" jsonschema_description:"Likewise."`
}

// ServerRetryAfter is how Retry-After is sent.
type ServerRetryAfter struct {
	Send         Send `yaml:"send" jsonschema_description:"How a 429 carries the wait; a date loses the fraction of its second, and few clients read it in the body. Default in_seconds."`
	Round        Span `yaml:"round" jsonschema_description:"Rounds up to a multiple of this. Default exact."`
	Milliseconds bool `yaml:"milliseconds" jsonschema_description:"Whether retry-after-ms goes along, in whole milliseconds. Default false."`
}

// Policy is what each client does.
type Policy struct {
	Preset   string   `yaml:"preset" jsonschema_description:"A policy by name and version; what follows overrides it."`
	Retry    Retry    `yaml:"retry" jsonschema_description:"Whether and when a call is tried again."`
	Inside   []Layer  `yaml:"inside" jsonschema_description:"Retry loops around this one, from the inside outwards: a framework, then a queue."`
	Timeouts Timeouts `yaml:"timeouts" jsonschema_description:"The timers of one attempt."`
	Gate     Gate     `yaml:"gate" jsonschema_description:"What an instance may have in flight."`
	Pace     Pace     `yaml:"pace" jsonschema_description:"How what an instance sends is spaced. Default not."`
	Breaker  Breaker  `yaml:"breaker" jsonschema_description:"Stops sending where too much fails. Default never."`
	Throttle Throttle `yaml:"throttle" jsonschema_description:"Refuses on the client's side what the provider would refuse (adaptive throttling). Default not."`
	Budget   Budget   `yaml:"budget" jsonschema_description:"Bounds the retries of an instance. Default not."`
	Hedge    Hedge    `yaml:"hedge" jsonschema_description:"Sends an attempt a second time while the first is under way. Default not."`
	Fallback Fallback `yaml:"fallback" jsonschema_description:"Whether a call that found no answer goes on to the scenario's fallbacks. Default not."`
	Key      bool     `yaml:"idempotency_key" jsonschema_description:"Whether each attempt carries the key of its call, so that the call acts once. Default false."`
}

// Target is a further provider.
type Target struct {
	Provider Provider `yaml:"provider" jsonschema_description:"The API that is called then."`
	Price    *Price   `yaml:"price" jsonschema_description:"What tokens cost there. Default as the scenario's."`
}

// Layer is a retry loop around others.
type Layer struct {
	Name    string `yaml:"name" jsonschema_description:"What it is, such as framework."`
	Retry   Retry  `yaml:"retry" jsonschema_description:"Whether and when it tries again what is inside it."`
	Timeout Span   `yaml:"timeout" jsonschema_description:"Of each of its tries, waits inside it included. Default none."`
}

// Pace spaces what an instance sends.
type Pace struct {
	Rate    PerTime `yaml:"rate" jsonschema_description:"A token bucket on the client's side: its rate, such as 8/s."`
	Burst   Number  `yaml:"burst" jsonschema_description:"With rate: so many at once. Default 1."`
	Headers bool    `yaml:"headers" jsonschema_description:"Sends what the provider's remaining and reset headers leave."`
	Reserve Share   `yaml:"reserve" jsonschema_description:"With headers: the part of each limit that is left untouched. Default 0."`
	Cubic   bool    `yaml:"cubic" jsonschema_description:"The rate limiter of the AWS SDKs' adaptive mode."`
	Scope   Scope   `yaml:"scope" jsonschema_description:"One for each instance, or one for all. Default instance."`
}

// Breaker stops sending.
type Breaker struct {
	InARow   int      `yaml:"in_a_row" jsonschema_description:"Opens after so many failures in a row."`
	Ratio    Share    `yaml:"ratio" jsonschema_description:"Opens at this share of failures."`
	Over     Over     `yaml:"over" jsonschema_description:"Of ratio: among so many last results, such as 100, or those of a time, such as 30s. Default 100."`
	Minimum  Count    `yaml:"minimum" jsonschema_description:"Of ratio: fewer results never open it. Default 1, or all of a count."`
	Open     Span     `yaml:"open" jsonschema_description:"How long it stays open. Default 30s."`
	Probes   Count    `yaml:"probes" jsonschema_description:"Half-open: so many attempts at once, and so many successes close it. Default 1."`
	WhenOpen WhenOpen `yaml:"when_open" jsonschema_description:"What becomes of a call that meets it: fail, wait, or fall_back to the next target. Default fail."`
}

// Over is a number of results, or a time.
type Over struct {
	Count  Count
	Window Span
}

// ParseText implements strict.Texter.
func (o *Over) ParseText(text string) error {
	*o = Over{}
	if err := o.Count.ParseText(text); err == nil && o.Count > 0 {
		return nil
	}
	o.Count = 0
	if err := o.Window.ParseText(text); err != nil || o.Window == 0 {
		return fmt.Errorf("want a number of results, such as 100, or a time, such as 30s")
	}
	return nil
}

func (o Over) String() string {
	if o.Window > 0 {
		return o.Window.String()
	}
	return o.Count.String()
}

// Throttle is adaptive throttling.
type Throttle struct {
	K      Number `yaml:"k" jsonschema_description:"Refused with probability (requests - k accepts)/(requests + 1)."`
	Window Span   `yaml:"window" jsonschema_description:"Over which requests and accepts are counted. Default 2m."`
}

// Budget bounds retries.
type Budget struct {
	Tokens *Tokens     `yaml:"tokens" jsonschema_description:"An account of which retries are paid."`
	Share  *RetryShare `yaml:"share" jsonschema_description:"Retries are at most a share of calls."`
}

// Tokens is an account of which retries are paid.
type Tokens struct {
	Max           Number  `yaml:"max" jsonschema_description:"What the account holds at most."`
	Start         *Number `yaml:"start" jsonschema_description:"What it holds when the run starts. Default full."`
	PerCall       Number  `yaml:"per_call" jsonschema_description:"Paid in with each first attempt. Default 0."`
	PerSuccess    Number  `yaml:"per_success" jsonschema_description:"Paid in with each success. Default 0."`
	PerFailure    Number  `yaml:"per_failure" jsonschema_description:"Taken out with each failure. Default 0."`
	Retry         Number  `yaml:"retry" jsonschema_description:"What a retry costs. Default 0."`
	TimeoutRetry  Number  `yaml:"timeout_retry" jsonschema_description:"What one after a timeout costs. Default as retry."`
	ThrottleRetry Number  `yaml:"throttle_retry" jsonschema_description:"What one after a 429 costs. Default as retry."`
	Refund        bool    `yaml:"refund" jsonschema_description:"Whether a retry that succeeds gets its cost back. Default false."`
	Floor         Number  `yaml:"floor" jsonschema_description:"A retry must leave so much; one that costs nothing needs more than that. Default 0."`
}

// RetryShare is retries as a share of calls.
type RetryShare struct {
	Ratio   Share `yaml:"ratio" jsonschema_description:"Retries to calls."`
	Window  Span  `yaml:"window" jsonschema_description:"Of the calls of this time. Default of what is in flight."`
	Reserve Count `yaml:"reserve" jsonschema_description:"So many retries are always allowed, in the window or at once. Default 0."`
}

// Hedge sends twice.
type Hedge struct {
	After    Span  `yaml:"after" jsonschema_description:"After this time."`
	Quantile Share `yaml:"quantile" jsonschema_description:"Or after this quantile of the instance's own answer times, such as 95%."`
	Most     Count `yaml:"most" jsonschema_description:"Additional attempts, 1 to 3. Default 1."`
	Cancel   bool  `yaml:"cancel" jsonschema_description:"Whether the losers are disconnected; else they run on and are billed. Default false."`
}

// Fallback goes on to the next target.
type Fallback struct {
	On        bool `yaml:"on" jsonschema_description:"Whether it does. Default false."`
	Cooldown  Span `yaml:"cooldown" jsonschema_description:"For which calls keep away from a target that failed. Default none."`
	SeenEvery Span `yaml:"cooldown_seen_every" jsonschema_description:"The cycle in which the client learns of cooldowns, as from a cache: it acts on what stood there at the last multiple of this. Default at once."`
}

// Retry is whether and when a call is tried again.
type Retry struct {
	Attempts     Bound        `yaml:"attempts" zero:"keep" jsonschema_description:"At most so many, the first included, or none for no bound. Default 1."`
	Deadline     Span         `yaml:"deadline" jsonschema_description:"No wait ends later than this after the call's start. Default none."`
	RetryOn      []RetryOn    `yaml:"retry_on" jsonschema_description:"Statuses and failures that are retried; stream is an error inside a stream. Default 408, 409, 429, 5xx, timeout, connection."`
	NeverOn      []string     `yaml:"never_on" jsonschema_description:"Error codes that are never retried. Default none."`
	XShouldRetry Obey         `yaml:"x_should_retry" jsonschema_description:"Whether the header x-should-retry is obeyed. Default obey."`
	Backoff      Backoff      `yaml:"backoff" jsonschema_description:"The client's own wait. Default none."`
	Throttled    *Backoff     `yaml:"throttled_backoff" jsonschema_description:"The client's own wait after a 429. Default as backoff."`
	BrokenStream BrokenStream `yaml:"broken_stream" jsonschema_description:"What becomes of a stream that breaks after its first token: stop, replay (it is shown again), regenerate (it is thrown away and asked again). Default stop."`
	RetryAfter   RetryAfter   `yaml:"retry_after" jsonschema_description:"What the client makes of the server's Retry-After. Default ignore."`
}

// Backoff is the client's own wait.
type Backoff struct {
	None        *struct{}    `yaml:"none" jsonschema_description:"No wait."`
	Constant    *Span        `yaml:"constant" jsonschema_description:"Always the same wait."`
	Window      *Span        `yaml:"window" jsonschema_description:"One attempt in each window of this length, at a uniform instant of it."`
	Exponential *Exponential `yaml:"exponential" jsonschema_description:"A wait that grows by a factor."`
	Power       *Power       `yaml:"power" jsonschema_description:"A wait that grows by a power of the retries made."`
}

// Power is a wait that grows by a power.
type Power struct {
	Base     Span   `yaml:"base" jsonschema_description:"Multiplies the retries made, to the exponent."`
	Exponent Number `yaml:"exponent" jsonschema_description:"To which the retries made are raised."`
	Plus     Span   `yaml:"plus" jsonschema_description:"Added to each wait. Default none."`
	Cap      Span   `yaml:"cap" jsonschema_description:"The highest ceiling. Default none."`
	Jitter   Jitter `yaml:"jitter" jsonschema_description:"How the wait is spread. Default full."`
}

// Exponential is a wait that grows.
type Exponential struct {
	Base   Span   `yaml:"base" jsonschema_description:"The ceiling of the first wait."`
	Factor Number `yaml:"factor" jsonschema_description:"Growth from wait to wait. Default 2."`
	Less   Span   `yaml:"less" jsonschema_description:"Taken off each wait. Default nothing."`
	Cap    Span   `yaml:"cap" jsonschema_description:"The highest ceiling. Default none."`
	Least  Span   `yaml:"least" jsonschema_description:"Of full jitter: the shortest wait. Default 0."`
	Jitter Jitter `yaml:"jitter" jsonschema_description:"How the wait is spread below its ceiling. Default full."`
}

// Jitter spreads a wait.
type Jitter struct {
	None         *struct{} `yaml:"none"`
	Equal        *struct{} `yaml:"equal"`
	Full         *struct{} `yaml:"full"`
	Decorrelated *struct{} `yaml:"decorrelated"`
	Minus        *Share    `yaml:"minus" jsonschema_description:"Takes off up to this share."`
	Smooth       *struct{} `yaml:"smooth"`
	Plus         *Span     `yaml:"plus" jsonschema_description:"Adds up to this much, before the cap."`
	Around       *Share    `yaml:"around" jsonschema_description:"Takes off or adds up to this share."`
	Stretch      *Share    `yaml:"stretch" jsonschema_description:"Adds up to this share, before the cap."`
	Beyond       *Span     `yaml:"beyond" jsonschema_description:"Adds up to this much, after the cap."`
	Growing      *Span     `yaml:"growing" jsonschema_description:"Adds up to this much for each retry made and the next."`
}

// RetryAfter is what the client makes of Retry-After.
type RetryAfter struct {
	Obey           Obedience `yaml:"obey" jsonschema_description:"Whether the header is obeyed."`
	Limit          Span      `yaml:"limit" jsonschema_description:"With up_to: the longest wait obeyed."`
	Beyond         Beyond    `yaml:"beyond" jsonschema_description:"With up_to: what becomes of a longer one. Default discard."`
	Plus           Span      `yaml:"plus" jsonschema_description:"Up to so much is added, uniformly. Default none."`
	Millis         bool      `yaml:"milliseconds" jsonschema_description:"Whether retry-after-ms is read first. Default false."`
	Body           bool      `yaml:"body" jsonschema_description:"Whether the wait in the body is read where no header holds one. Default false."`
	Below          bool      `yaml:"below_limit" jsonschema_description:"Whether a wait of exactly the limit is too long as well. Default false."`
	AtLeastBackoff bool      `yaml:"at_least_backoff" jsonschema_description:"Whether the longer of the wish and the backoff is waited. Default false."`
	First          bool      `yaml:"before_status" jsonschema_description:"With give_up: whether a wait beyond the limit ends the call whatever the status and x-should-retry say. Default false."`
	Zero           Reaction  `yaml:"zero" jsonschema_description:"On a wait of 0. Default backoff."`
	Negative       Reaction  `yaml:"negative" jsonschema_description:"On a wait below 0. Default backoff."`
	Past           Reaction  `yaml:"past" jsonschema_description:"On a date that has passed. Default backoff."`
	Garbage        Reaction  `yaml:"garbage" jsonschema_description:"On what cannot be read. Default backoff."`
	Overflow       Reaction  `yaml:"overflow" jsonschema_description:"On a wait beyond largest, or infinite. Default backoff."`
	Largest        Span      `yaml:"largest" jsonschema_description:"What the client's language can hold. Default no bound."`
	SkipsZeroMs    bool      `yaml:"skips_zero_milliseconds" jsonschema_description:"Whether a retry-after-ms of 0 is passed over for the next header. Default false."`
	SkipsNegative  bool      `yaml:"skips_negative" jsonschema_description:"Whether a number below 0 is passed over for the next header. Default false."`
}

// Timeouts are the timers of one attempt.
type Timeouts struct {
	Connect   Span        `yaml:"connect" jsonschema_description:"Until the connection stands. Default none."`
	FirstByte Span        `yaml:"first_byte" jsonschema_description:"Until the first byte of the reply. Default none."`
	Gap       Span        `yaml:"gap" jsonschema_description:"Of silence, before the first byte and between chunks (a read timeout). Default none."`
	Call      Span        `yaml:"call" jsonschema_description:"The whole call at one provider, all attempts and waits. Default none."`
	Attempt   EachTimeout `yaml:"attempt" jsonschema_description:"The whole attempt; a list gives one for each attempt, the last for all later ones. Default none."`
}

// EachTimeout is one time, or a list of one for each attempt.
type EachTimeout []Span

// Gate is what an instance may have under way.
type Gate struct {
	Semaphore Bound     `yaml:"semaphore" jsonschema_description:"Attempts in flight at once. Default none."`
	AIMD      *AIMD     `yaml:"aimd" jsonschema_description:"A bound that grows by one and shrinks by a factor (Netflix concurrency-limits)."`
	Gradient  *Gradient `yaml:"gradient" jsonschema_description:"A bound that follows the answer times (Netflix concurrency-limits, Gradient2)."`
	Scope     Scope     `yaml:"scope" jsonschema_description:"One gate for each instance, or one for all. Default instance."`
	Order     Order     `yaml:"order" jsonschema_description:"Who goes first of those that wait: fifo or lifo. Default fifo."`
	Room      Bound     `yaml:"room" jsonschema_description:"Calls that may wait at the gate; more are shed. Default no bound."`
}

// AIMD is additive increase, multiplicative decrease.
type AIMD struct {
	Start  Number `yaml:"start" jsonschema_description:"Default 20."`
	Min    Number `yaml:"min" jsonschema_description:"Default 20."`
	Max    Number `yaml:"max" jsonschema_description:"Default 200."`
	Factor Number `yaml:"factor" jsonschema_description:"On a drop. Default 0.9."`
	Slow   Span   `yaml:"slow" jsonschema_description:"An answer slower than this counts as a drop. Default 5s."`
}

// Gradient is Netflix's Gradient2.
type Gradient struct {
	Start     Number `yaml:"start" jsonschema_description:"Default 20."`
	Min       Number `yaml:"min" jsonschema_description:"Default 20."`
	Max       Number `yaml:"max" jsonschema_description:"Default 200."`
	Queue     Number `yaml:"queue" jsonschema_description:"Default 4."`
	Smoothing Number `yaml:"smoothing" jsonschema_description:"Default 0.2."`
	Tolerance Number `yaml:"tolerance" jsonschema_description:"Default 1.5."`
	Window    Count  `yaml:"window" jsonschema_description:"Of the long-term average, in samples. Default 600."`
}

// Price is what tokens cost.
type Price struct {
	Model     string   `yaml:"model" jsonschema_description:"A model by name, from the built-in list or the file."`
	File      string   `yaml:"file" jsonschema_description:"A price file of LiteLLM or genai-prices, relative to the scenario."`
	Input     *Dollars `yaml:"input" jsonschema_description:"Dollars per million tokens of prompt."`
	Tier      Tier     `yaml:"tier" jsonschema_description:"How urgent: batch and flex are cheaper, priority is dearer. Default standard."`
	Cached    *Dollars `yaml:"cached" jsonschema_description:"Dollars per million tokens read from the cache. Default as input."`
	Written   *Dollars `yaml:"written" jsonschema_description:"Dollars per million tokens written to the cache. Default as input."`
	Output    *Dollars `yaml:"output" jsonschema_description:"Dollars per million tokens of answer."`
	Reasoning *Dollars `yaml:"reasoning" jsonschema_description:"Dollars per million tokens of reasoning. Default as output."`
}
