package scenario

import (
	"fmt"
	"time"

	"stampede/sim"
)

// File is a scenario as written. The tags name the fields, their defaults and their words for nothing
// and for everything; fields.yaml documents them. The JSON Schema and the checks are made from both.
type File struct {
	Name         string       `yaml:"name"`
	Description  string       `yaml:"description"`
	Seed         uint64       `yaml:"seed" default:"1"`
	Replications int          `yaml:"replications" default:"30"`
	Horizon      Span         `yaml:"horizon" none:"no time limit" unlimited:"no time limit" zero:"no"`
	StartsAt     TimeOfDay    `yaml:"starts_at"`
	Warmup       Warmup       `yaml:"warmup" none:"all calls count"`
	Collapse     *Collapse    `yaml:"collapse"`
	EventBudget  Bound        `yaml:"event_budget" none:"no bound" unlimited:"no bound" default:"100M"`
	Workload     Workload     `yaml:"workload"`
	Fleet        Fleet        `yaml:"fleet"`
	Provider     Provider     `yaml:"provider"`
	Keys         Count        `yaml:"keys" zero:"no"`
	Deployments  []Deployment `yaml:"deployments" none:"no other deployment"`
	Policy       Policy       `yaml:"policy" none:"one attempt, no timeout"`
	OtherFleets  []OtherFleet `yaml:"other_fleets" none:"no other fleet"`
	Measure      string       `yaml:"measure"`
	Fallbacks    []Target     `yaml:"fallbacks" none:"no other provider"`
	Price        Price        `yaml:"price" none:"tokens cost nothing"`
	Goals        []string     `yaml:"goals" none:"no goal"`
	Minimize     string       `yaml:"minimize"`
	Maximize     string       `yaml:"maximize"`
	Uncertain    Uncertain    `yaml:"uncertain" none:"everything is known"`
	Sweep        Sweep        `yaml:"sweep" none:"nothing"`
}

// Workload says when calls come and how large they are.
type Workload struct {
	Batch    *Batch    `yaml:"batch"`
	Open     *Open     `yaml:"open"`
	Burst    *Burst    `yaml:"burst"`
	Closed   *Closed   `yaml:"closed"`
	Trace    *Trace    `yaml:"trace"`
	Uniform  *Uniform  `yaml:"uniform"`
	Sessions *Sessions `yaml:"sessions"`

	Mix          []CallKind `yaml:"mix" none:"all calls are alike"`
	PromptTokens Law[Count] `yaml:"prompt_tokens"`
	Inputs       Bound      `yaml:"inputs_per_request" default:"1"`
	OutputTokens Law[Count] `yaml:"output_tokens"`
	MaxTokens    Count      `yaml:"max_tokens" none:"not declared" zero:"no"`
	Reasoning    Law[Count] `yaml:"reasoning_tokens" none:"no reasoning"`
	CachedShare  Share      `yaml:"cached_share" none:"nothing comes from the cache"`
	CacheLife    Span       `yaml:"cache_lifetime" unlimited:"it never expires" zero:"no"`
	CacheWrites  bool       `yaml:"cache_writes"`
	Cache        *Cache     `yaml:"cache" none:"calls share nothing"`
	Stream       bool       `yaml:"stream"`
	Patience     Law[Span]  `yaml:"patience" none:"callers never leave" unlimited:"callers never leave"`
	Acts         bool       `yaml:"side_effects"`
	Redeliver    *Redeliver `yaml:"redeliver" none:"no redelivery"`
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

// Collapse defines when a run has collapsed: it answers too few of the calls that arrive in a window.
type Collapse struct {
	From  Span  `yaml:"from"`
	To    Span  `yaml:"to"`
	Below Share `yaml:"below"`
}

// Batch is a queue of calls.
type Batch struct {
	Calls Count `yaml:"calls"`
}

// Burst is calls at time 0, and again after each period.
type Burst struct {
	Calls Count `yaml:"calls"`
	Every Span  `yaml:"every" none:"once, at time 0" zero:"no"`
	Times Bound `yaml:"times" unlimited:"until the horizon"`
}

// Uniform is calls at random instants of a span.
type Uniform struct {
	Calls Count `yaml:"calls"`
	Over  Span  `yaml:"over" zero:"no"`
}

// Open is arrivals at a rate.
type Open struct {
	Rate    PerTime `yaml:"rate"`
	Profile []Step  `yaml:"profile" none:"no change"`
	ByHour  []Level `yaml:"by_hour" none:"the same at every hour"`
	ByDay   []Level `yaml:"by_day" none:"the same on every day"`
	Gaps    Gaps    `yaml:"gaps"`
	Calls   Count   `yaml:"calls" unlimited:"until the horizon" zero:"no"`
}

// Step is a change of the rate.
type Step struct {
	At   Span    `yaml:"at"`
	Rate PerTime `yaml:"rate"`
	Over Span    `yaml:"over" none:"at once"`
	For  Span    `yaml:"for" unlimited:"the change is permanent" zero:"no"`
}

// Gaps is the law of the gaps between arrivals.
type Gaps struct {
	Poisson  *struct{} `yaml:"poisson"`
	Constant *struct{} `yaml:"constant"`
	Gamma    *Spread   `yaml:"gamma"`
	Weibull  *Spread   `yaml:"weibull"`
}

// Spread is a coefficient of variation.
type Spread struct {
	CV Number `yaml:"cv"`
}

// Closed is users who think, make a call, and think again.
type Closed struct {
	Think Law[Span] `yaml:"think" none:"no pause"`
	Every Law[Span] `yaml:"every" none:"the next call does not wait for the start of the last"`
	Calls Count     `yaml:"calls" unlimited:"until the horizon" zero:"no"`
}

// Trace is recorded calls.
type Trace struct {
	File     string     `yaml:"file"`
	Columns  Columns    `yaml:"columns"`
	TimeUnit TimeUnit   `yaml:"time_unit"`
	NoOutput NoOutput   `yaml:"no_output"`
	Rows     []TraceRow `yaml:"rows"`
	Speed    *Number    `yaml:"speed"`
	Calls    Count      `yaml:"calls" unlimited:"no bound" zero:"no"`
	Format   Format     `yaml:"format"`
	TimeZone TimeZone   `yaml:"time_zone"`
	Where    Where      `yaml:"where"`
	From     Moment     `yaml:"from"`
	To       Moment     `yaml:"to"`
	Repeat   Count      `yaml:"repeat" zero:"no"`
	BadRows  BadRows    `yaml:"bad_rows"`
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
		return min(at, sim.End)
	}
	return sim.Nanoseconds(float64(at) / t.speed())
}

// NoOutput is what becomes of rows without output tokens.
type NoOutput string

// Words implements strict.Words.
func (NoOutput) Words() []string { return []string{"draw", "keep", "skip"} }

// TraceRow is one recorded call.
type TraceRow struct {
	At     Span   `yaml:"at"`
	Prompt *Count `yaml:"prompt_tokens"`
	Output *Count `yaml:"output_tokens"`
}

// Columns names the columns of a trace.
type Columns struct {
	Time         string `yaml:"time"`
	PromptTokens string `yaml:"prompt_tokens"`
	OutputTokens string `yaml:"output_tokens"`
	MaxTokens    string `yaml:"max_tokens"`
	Cached       string `yaml:"cached"`
	Reasoning    string `yaml:"reasoning"`
	Model        string `yaml:"model"`
	Key          string `yaml:"key"`
	Session      string `yaml:"session"`
	Priority     string `yaml:"priority"`
	Status       string `yaml:"status"`
}

// Redeliver gives failed calls back to the queue.
type Redeliver struct {
	Preset     string `yaml:"preset"`
	Deliveries Bound  `yaml:"deliveries" none:"no bound" unlimited:"no bound"`
	After      Span   `yaml:"after" none:"at once"`
	Visible    Span   `yaml:"visible_after" none:"no visibility timeout" zero:"no"`
	Working    bool   `yaml:"while_working"`
	Failed     bool   `yaml:"failed" default:"true"`
}

// Fleet is who makes the calls.
type Fleet struct {
	Name       string   `yaml:"name"`
	Key        string   `yaml:"key" none:"no key"`
	Priority   int      `yaml:"priority"`
	Instances  int      `yaml:"instances" default:"1"`
	Dispatch   Dispatch `yaml:"dispatch"`
	Queue      Queue    `yaml:"queue"`
	PerRequest Span     `yaml:"per_request" none:"no time"`
	Workers    Workers  `yaml:"workers" none:"one worker per call" unlimited:"one worker per call"`
}

// OtherFleet is another fleet that calls the same provider.
type OtherFleet struct {
	Workload Workload `yaml:"workload"`
	Fleet    Fleet    `yaml:"fleet"`
	Policy   *Policy  `yaml:"policy" none:"one attempt, no timeout" own:"yes"`
	Price    *Price   `yaml:"price" none:"tokens cost nothing" own:"yes"`
}

// Price is what tokens cost.
type Price struct {
	Model     string   `yaml:"model"`
	File      string   `yaml:"file"`
	Input     *Dollars `yaml:"input"`
	Tier      Tier     `yaml:"tier"`
	Cached    *Dollars `yaml:"cached"`
	Written   *Dollars `yaml:"written"`
	Output    *Dollars `yaml:"output"`
	Reasoning *Dollars `yaml:"reasoning"`
	Long      []Long   `yaml:"long_prompts" none:"one price for all lengths"`
	PerHour   *Hourly  `yaml:"per_hour" none:"no capacity by the hour"`
}

// Long is what the tokens of requests with longer prompts cost.
type Long struct {
	Above     Count    `yaml:"above" zero:"no"`
	Input     *Dollars `yaml:"input"`
	Cached    *Dollars `yaml:"cached"`
	Written   *Dollars `yaml:"written"`
	Output    *Dollars `yaml:"output"`
	Reasoning *Dollars `yaml:"reasoning"`
}
