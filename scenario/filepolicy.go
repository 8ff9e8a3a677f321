package scenario

import (
	"fmt"
)

// The part of the scenario file that is the policy.

// Policy is what each client does.
type Policy struct {
	Name     string   `yaml:"name"`
	Preset   string   `yaml:"preset"`
	Retry    Retry    `yaml:"retry" none:"one attempt"`
	Outer    []Layer  `yaml:"outer_layers" none:"no outer layer"`
	Timeouts Timeouts `yaml:"timeouts" none:"no timer"`
	Deadline Deadline `yaml:"deadline" none:"no deadline"`
	Pool     Bound    `yaml:"max_connections" none:"no limit" unlimited:"no limit"`
	Gate     Gate     `yaml:"gate" none:"no limit"`
	Pace     Pace     `yaml:"pace" none:"no pacing"`
	Breaker  Breaker  `yaml:"breaker" none:"no breaker"`
	Throttle Throttle `yaml:"throttle" none:"no throttling"`
	Budget   Budget   `yaml:"budget" none:"no budget"`
	Hedge    Hedge    `yaml:"hedge" none:"no hedging"`
	Fallback Fallback `yaml:"fallback" none:"no fallback"`
	Route    Route    `yaml:"route" none:"at random, no cooldown"`
	Key      bool     `yaml:"idempotency_key"`
}

// Deadline is that of the request which the caller serves.
type Deadline struct {
	After Span   `yaml:"after" zero:"no"`
	From  Origin `yaml:"from"`
}

// Breaker stops sending.
type Breaker struct {
	InARow   int      `yaml:"consecutive_failures" none:"this rule is off"`
	Ratio    Share    `yaml:"ratio" none:"this rule is off"`
	Over     Over     `yaml:"window"`
	Minimum  Count    `yaml:"min_results" zero:"no"`
	Open     Span     `yaml:"open" zero:"no"`
	Probes   Count    `yaml:"probes" zero:"no"`
	Counts   []Class  `yaml:"counts_as_failure"`
	WhenOpen WhenOpen `yaml:"when_open"`
	Stops    Stops    `yaml:"stops"`
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
	K      Number `yaml:"k" none:"no throttling"`
	Window Span   `yaml:"window" zero:"no"`
}

// Budget bounds retries.
type Budget struct {
	Tokens *Tokens     `yaml:"tokens" none:"no token account"`
	Share  *RetryShare `yaml:"share" none:"no share"`
}

// Tokens is an account of which retries are paid.
type Tokens struct {
	Max           Number  `yaml:"max"`
	Start         *Number `yaml:"start"`
	PerCall       Number  `yaml:"per_call"`
	PerSuccess    Number  `yaml:"per_success"`
	PerFailure    Number  `yaml:"per_failure"`
	Retry         Number  `yaml:"retry"`
	TimeoutRetry  Number  `yaml:"timeout_retry" zero:"no"`
	ThrottleRetry Number  `yaml:"throttle_retry" zero:"no"`
	Refund        bool    `yaml:"refund"`
	Floor         Number  `yaml:"floor"`
}

// RetryShare is retries as a share of calls.
type RetryShare struct {
	Ratio   Share `yaml:"ratio"`
	Window  Span  `yaml:"window" zero:"no"`
	Reserve Count `yaml:"reserve" none:"no retry"`
}

// Hedge sends twice.
type Hedge struct {
	After    Span  `yaml:"after" none:"no fixed delay" zero:"no"`
	Quantile Share `yaml:"quantile" none:"no quantile"`
	Max      Count `yaml:"max" zero:"no"`
	Cancel   bool  `yaml:"cancel"`
}

// Fallback goes on to the next target.
type Fallback struct {
	On        bool `yaml:"on"`
	Cooldown  Span `yaml:"cooldown" none:"no cooldown"`
	SeenEvery Span `yaml:"cooldown_refresh" none:"at once"`
}

// Retry is whether and when a call is tried again.
type Retry struct {
	Attempts     Bound        `yaml:"attempts" none:"no bound" unlimited:"no bound" default:"1"`
	Deadline     Span         `yaml:"deadline" none:"no deadline" unlimited:"no deadline" zero:"no"`
	RetryOn      []RetryOn    `yaml:"retry_on" none:"nothing" default:"[408, 409, 429, 5xx, timeout, connection]"`
	NeverOn      []string     `yaml:"never_on" none:"no error code"`
	XShouldRetry Obey         `yaml:"x_should_retry"`
	Backoff      Backoff      `yaml:"backoff"`
	Throttled    *Backoff     `yaml:"throttled_backoff"`
	BrokenStream BrokenStream `yaml:"broken_stream"`
	RetryAfter   RetryAfter   `yaml:"retry_after" none:"ignored"`
}

// Backoff is the client's own wait.
type Backoff struct {
	None        *struct{}    `yaml:"none"`
	Constant    *Span        `yaml:"constant"`
	Window      *Span        `yaml:"window"`
	Exponential *Exponential `yaml:"exponential"`
	Power       *Power       `yaml:"power"`
	List        *List        `yaml:"list"`
	Law         *Law[Span]   `yaml:"law"`
}

// List is waits that are written out, alone or with a jitter.
type List struct {
	Waits  []Span `yaml:"waits"`
	Jitter Jitter `yaml:"jitter"`
}

// Power is a wait that grows by a power.
type Power struct {
	Base     Span   `yaml:"base"`
	Exponent Number `yaml:"exponent"`
	Plus     Span   `yaml:"plus" none:"nothing"`
	Cap      Span   `yaml:"cap" none:"no cap" unlimited:"no cap" zero:"no"`
	Jitter   Jitter `yaml:"jitter"`
}

// Exponential is a wait that grows.
type Exponential struct {
	Base   Span   `yaml:"base"`
	Factor Number `yaml:"factor" zero:"no"`
	Minus  Span   `yaml:"minus" none:"nothing"`
	Cap    Span   `yaml:"cap" none:"no cap" unlimited:"no cap" zero:"no"`
	Min    Span   `yaml:"min" none:"no minimum"`
	Jitter Jitter `yaml:"jitter"`
}

// Jitter spreads a wait.
type Jitter struct {
	None         *struct{} `yaml:"none"`
	Equal        *struct{} `yaml:"equal"`
	Full         *struct{} `yaml:"full"`
	Decorrelated *struct{} `yaml:"decorrelated"`
	Minus        *Share    `yaml:"minus"`
	Smooth       *struct{} `yaml:"smooth"`
	Plus         *Span     `yaml:"plus"`
	Around       *Share    `yaml:"around"`
	Stretch      *Share    `yaml:"stretch"`
	Beyond       *Span     `yaml:"beyond"`
	Growing      *Span     `yaml:"growing"`
}

// RetryAfter is what the client makes of Retry-After.
type RetryAfter struct {
	Obey           Obedience `yaml:"obey"`
	Limit          Span      `yaml:"limit" zero:"no"`
	Beyond         Beyond    `yaml:"beyond"`
	Plus           Addition  `yaml:"plus" none:"nothing"`
	Millis         bool      `yaml:"milliseconds"`
	Body           bool      `yaml:"body"`
	Exclusive      bool      `yaml:"limit_exclusive"`
	AtLeastBackoff bool      `yaml:"at_least_backoff"`
	Required       bool      `yaml:"required"`
	First          bool      `yaml:"overrides_status"`
	Zero           Reaction  `yaml:"zero"`
	Negative       Reaction  `yaml:"negative"`
	Past           Reaction  `yaml:"past"`
	Malformed      Reaction  `yaml:"malformed"`
	Overflow       Reaction  `yaml:"overflow"`
	Largest        Span      `yaml:"max_representable" unlimited:"no bound" zero:"no"`
	SkipsZeroMs    bool      `yaml:"skips_zero_milliseconds"`
	SkipsNegative  bool      `yaml:"skips_negative"`
}

// Addition is what is added to a wait that the server asks for: at most a time, a share of the wait,
// or the smaller of the two.
type Addition struct {
	Share Share `yaml:"share"`
	Max   Span  `yaml:"max" none:"any time" unlimited:"any time" zero:"no"`
}

// Timeouts are the timers of one attempt.
type Timeouts struct {
	Connect   Span        `yaml:"connect" none:"no timer" unlimited:"no timer" zero:"no"`
	Write     Span        `yaml:"write" none:"no timer" unlimited:"no timer" zero:"no"`
	Pool      Span        `yaml:"pool" none:"no timer" unlimited:"no timer" zero:"no"`
	FirstByte Span        `yaml:"first_byte" none:"no timer" unlimited:"no timer" zero:"no"`
	Gap       Span        `yaml:"gap" none:"no timer" unlimited:"no timer" zero:"no"`
	Call      Span        `yaml:"call" none:"no timer" unlimited:"no timer" zero:"no"`
	Attempt   EachTimeout `yaml:"attempt"`
	OS        Span        `yaml:"os" none:"no timer" unlimited:"no timer" zero:"no"`
}

// EachTimeout is one time, or a list of one for each attempt.
type EachTimeout []Timer

// Gate is what an instance may have under way.
type Gate struct {
	Semaphore Bound     `yaml:"semaphore" none:"no limit" unlimited:"no limit"`
	AIMD      *AIMD     `yaml:"aimd" none:"off"`
	Gradient  *Gradient `yaml:"gradient" none:"off"`
	Scope     GateScope `yaml:"scope"`
	Order     Order     `yaml:"order"`
	Waiting   Places    `yaml:"max_waiting" none:"no call waits" unlimited:"no bound" default:"unlimited"`
	Wait      Span      `yaml:"wait" none:"no bound" unlimited:"no bound" zero:"no"`
	Retriable bool      `yaml:"wait_retriable"`
	Held      Held      `yaml:"held"`
}

// AIMD is additive increase, multiplicative decrease.
type AIMD struct {
	Start  Number `yaml:"start" zero:"no"`
	Min    Number `yaml:"min" zero:"no"`
	Max    Number `yaml:"max" zero:"no"`
	Factor Number `yaml:"factor" zero:"no"`
	Slow   Span   `yaml:"slow" default:"5s" none:"no answer is too slow" zero:"no"`

	Cooldown  Span  `yaml:"cooldown" none:"no cooldown" zero:"no"`
	GrowAfter Count `yaml:"grow_after" zero:"no"`
	SlowStart bool  `yaml:"slow_start"`
}

// Gradient is Netflix's Gradient2.
type Gradient struct {
	Start     Number `yaml:"start" zero:"no"`
	Min       Number `yaml:"min" zero:"no"`
	Max       Number `yaml:"max" zero:"no"`
	Queue     Number `yaml:"queue" zero:"no"`
	Smoothing Number `yaml:"smoothing" zero:"no"`
	Tolerance Number `yaml:"tolerance" zero:"no"`
	Window    Count  `yaml:"window" zero:"no"`
}
