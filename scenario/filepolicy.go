package scenario

import (
	"fmt"
)

// The part of the scenario file that is the policy.

// Policy is what each client does.
type Policy struct {
	Name     string   `yaml:"name" jsonschema_description:"What tables and figures call it. Default that of the preset, with a note when something overrides it."`
	Preset   string   `yaml:"preset" jsonschema_description:"A policy by name and version; what follows overrides it. Default none."`
	Retry    Retry    `yaml:"retry" none:"one attempt" jsonschema_description:"Whether and when a call is tried again. Default none."`
	Inside   []Layer  `yaml:"inside" none:"no other loop" jsonschema_description:"Retry loops around this one, from the inside outwards: a framework, then a queue. Default none."`
	Timeouts Timeouts `yaml:"timeouts" none:"no timer" jsonschema_description:"The timers of one attempt. Default none."`
	Gate     Gate     `yaml:"gate" none:"no gate" jsonschema_description:"What an instance may have in flight. Default none."`
	Pace     Pace     `yaml:"pace" none:"no pacing" jsonschema_description:"How what an instance sends is spaced. Default not."`
	Breaker  Breaker  `yaml:"breaker" none:"no breaker" jsonschema_description:"Stops sending where too much fails. Default never."`
	Throttle Throttle `yaml:"throttle" none:"no throttling" jsonschema_description:"Refuses on the client's side what the provider would refuse (adaptive throttling). Default not."`
	Budget   Budget   `yaml:"budget" none:"no budget" jsonschema_description:"Bounds the retries of an instance. Default not."`
	Hedge    Hedge    `yaml:"hedge" none:"no hedge" jsonschema_description:"Sends an attempt a second time while the first is under way. Default not."`
	Fallback Fallback `yaml:"fallback" none:"no fallback" jsonschema_description:"Whether a call that found no answer goes on to the scenario's fallbacks. Default not."`
	Key      bool     `yaml:"idempotency_key" jsonschema_description:"Whether each attempt carries the key of its call, so that the call acts once. Default false."`
}

// Layer is a retry loop around others.
type Layer struct {
	Name    string `yaml:"name" jsonschema_description:"What it is, such as framework. Default its number."`
	Retry   Retry  `yaml:"retry" none:"one try" jsonschema_description:"Whether and when it tries again what is inside it. Default none."`
	Timeout Span   `yaml:"timeout" none:"no timer" unlimited:"no timer" zero:"no" jsonschema_description:"Of each of its tries, waits inside it included. Default none."`
}

// Pace spaces what an instance sends.
type Pace struct {
	Rate    PerTime `yaml:"rate" none:"no bucket" jsonschema_description:"A token bucket on the client's side: its rate, such as 8/s. Default none."`
	Burst   Number  `yaml:"burst" zero:"no" jsonschema_description:"With rate: so many at once. Default 1."`
	Headers bool    `yaml:"headers" jsonschema_description:"Sends what the provider's remaining and reset headers leave. Default false."`
	Reserve Share   `yaml:"reserve" none:"nothing" jsonschema_description:"With headers: the part of each limit that is left untouched. Default 0."`
	Cubic   bool    `yaml:"cubic" jsonschema_description:"The rate limiter of the AWS SDKs' adaptive mode. Default false."`
	Scope   Scope   `yaml:"scope" jsonschema_description:"One for each instance, or one for all. Default instance."`
}

// Breaker stops sending.
type Breaker struct {
	InARow   int      `yaml:"in_a_row" none:"not by this rule" jsonschema_description:"Opens after so many failures in a row. Default none."`
	Ratio    Share    `yaml:"ratio" none:"not by this rule" jsonschema_description:"Opens at this share of failures. Default none."`
	Over     Over     `yaml:"over" jsonschema_description:"Of ratio: among so many last results, such as 100, or those of a time, such as 30s. Default 100."`
	Minimum  Count    `yaml:"minimum" zero:"no" jsonschema_description:"Of ratio: fewer results never open it. Default 1, or all of a count."`
	Open     Span     `yaml:"open" zero:"no" jsonschema_description:"How long it stays open. Default 30s."`
	Probes   Count    `yaml:"probes" zero:"no" jsonschema_description:"Half-open: so many attempts at once, and so many successes close it. Default 1."`
	Counts   []Class  `yaml:"counts" jsonschema_description:"The classes of attempts that are failures: throttled (429), overloaded (503, 529), server_error (other 5xx), timeout, connection, terminal (other errors, such as 401). Every other result is a success. Default all but terminal."`
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
	K      Number `yaml:"k" none:"no throttling" jsonschema_description:"Refused with probability (requests - k accepts)/(requests + 1). Default none."`
	Window Span   `yaml:"window" zero:"no" jsonschema_description:"Over which requests and accepts are counted. Default 2m."`
}

// Budget bounds retries.
type Budget struct {
	Tokens *Tokens     `yaml:"tokens" none:"no account" jsonschema_description:"An account of which retries are paid. Default none."`
	Share  *RetryShare `yaml:"share" none:"no share" jsonschema_description:"Retries are at most a share of calls. Default none."`
}

// Tokens is an account of which retries are paid.
type Tokens struct {
	Max           Number  `yaml:"max" jsonschema_description:"What the account holds at most. Needed."`
	Start         *Number `yaml:"start" jsonschema_description:"What it holds when the run starts. Default full."`
	PerCall       Number  `yaml:"per_call" jsonschema_description:"Paid in with each first attempt. Default 0."`
	PerSuccess    Number  `yaml:"per_success" jsonschema_description:"Paid in with each success. Default 0."`
	PerFailure    Number  `yaml:"per_failure" jsonschema_description:"Taken out with each failure. Default 0."`
	Retry         Number  `yaml:"retry" jsonschema_description:"What a retry costs. Default 0."`
	TimeoutRetry  Number  `yaml:"timeout_retry" zero:"no" jsonschema_description:"What one after a timeout costs. Default as retry."`
	ThrottleRetry Number  `yaml:"throttle_retry" zero:"no" jsonschema_description:"What one after a 429 costs. Default as retry."`
	Refund        bool    `yaml:"refund" jsonschema_description:"Whether a retry that succeeds gets its cost back. Default false."`
	Floor         Number  `yaml:"floor" jsonschema_description:"A retry must leave so much; one that costs nothing needs more than that. Default 0."`
}

// RetryShare is retries as a share of calls.
type RetryShare struct {
	Ratio   Share `yaml:"ratio" jsonschema_description:"Retries to calls. Needed."`
	Window  Span  `yaml:"window" zero:"no" jsonschema_description:"Of the calls of this time. Default of what is in flight."`
	Reserve Count `yaml:"reserve" none:"none are" jsonschema_description:"So many retries are always allowed, in the window or at once. Default 0."`
}

// Hedge sends twice.
type Hedge struct {
	After    Span  `yaml:"after" none:"not after a time" zero:"no" jsonschema_description:"After this time. Default none."`
	Quantile Share `yaml:"quantile" none:"not after a quantile" jsonschema_description:"Or after this quantile of the instance's own answer times, such as 95%. Default none."`
	Most     Count `yaml:"most" zero:"no" jsonschema_description:"Additional attempts, 1 to 3. Default 1."`
	Cancel   bool  `yaml:"cancel" jsonschema_description:"Whether the losers are disconnected; else they run on and are billed. Default false."`
}

// Fallback goes on to the next target.
type Fallback struct {
	On        bool `yaml:"on" jsonschema_description:"Whether it does. Default false."`
	Cooldown  Span `yaml:"cooldown" none:"no cooldown" jsonschema_description:"For which calls keep away from a target that failed; a call that finds all of them in cooldown fails at once. Default none."`
	SeenEvery Span `yaml:"cooldown_seen_every" none:"at once" jsonschema_description:"The cycle in which the client learns of cooldowns, as from a cache: it acts on what stood there at the last multiple of this. Default at once."`
}

// Retry is whether and when a call is tried again.
type Retry struct {
	Attempts     Bound        `yaml:"attempts" none:"no bound" unlimited:"no bound" default:"1" jsonschema_description:"At most so many, the first included. Default 1."`
	Deadline     Span         `yaml:"deadline" none:"no deadline" unlimited:"no deadline" zero:"no" jsonschema_description:"No wait ends later than this after the call's start. Default none."`
	RetryOn      []RetryOn    `yaml:"retry_on" none:"nothing" default:"[408, 409, 429, 5xx, timeout, connection]" jsonschema_description:"Statuses and failures that are retried; stream is an error inside a stream. Default 408, 409, 429, 5xx, timeout, connection."`
	NeverOn      []string     `yaml:"never_on" none:"no code" jsonschema_description:"Error codes that are never retried. Default none."`
	XShouldRetry Obey         `yaml:"x_should_retry" jsonschema_description:"Whether the header x-should-retry is obeyed. Default obey."`
	Backoff      Backoff      `yaml:"backoff" jsonschema_description:"The client's own wait. Default none."`
	Throttled    *Backoff     `yaml:"throttled_backoff" jsonschema_description:"The client's own wait after a 429. Default as backoff."`
	BrokenStream BrokenStream `yaml:"broken_stream" jsonschema_description:"What becomes of a stream that breaks after its first token: stop, replay (it is shown again), regenerate (it is thrown away and asked again). Default stop."`
	RetryAfter   RetryAfter   `yaml:"retry_after" none:"ignored" jsonschema_description:"What the client makes of the server's Retry-After. Default ignore."`
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
	Base     Span   `yaml:"base" jsonschema_description:"Multiplies the retries made, to the exponent. Needed."`
	Exponent Number `yaml:"exponent" jsonschema_description:"To which the retries made are raised. Needed."`
	Plus     Span   `yaml:"plus" none:"nothing" jsonschema_description:"Added to each wait. Default none."`
	Cap      Span   `yaml:"cap" none:"no cap" unlimited:"no cap" zero:"no" jsonschema_description:"The highest ceiling. Default none."`
	Jitter   Jitter `yaml:"jitter" jsonschema_description:"How the wait is spread. Default full."`
}

// Exponential is a wait that grows.
type Exponential struct {
	Base   Span   `yaml:"base" jsonschema_description:"The ceiling of the first wait. Needed."`
	Factor Number `yaml:"factor" zero:"no" jsonschema_description:"Growth from wait to wait. Default 2."`
	Less   Span   `yaml:"less" none:"nothing" jsonschema_description:"Taken off each wait. Default nothing."`
	Cap    Span   `yaml:"cap" none:"no cap" unlimited:"no cap" zero:"no" jsonschema_description:"The highest ceiling. Default none."`
	Least  Span   `yaml:"least" none:"no least wait" jsonschema_description:"Of full jitter: the shortest wait. Default 0."`
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
	Obey           Obedience `yaml:"obey" jsonschema_description:"Whether the header is obeyed. Default ignore."`
	Limit          Span      `yaml:"limit" zero:"no" jsonschema_description:"With up_to: the longest wait obeyed. Default none."`
	Beyond         Beyond    `yaml:"beyond" jsonschema_description:"With up_to: what becomes of a longer one. Default discard."`
	Plus           Span      `yaml:"plus" none:"nothing" jsonschema_description:"Up to so much is added, uniformly. Default none."`
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
	Largest        Span      `yaml:"largest" unlimited:"any wait" zero:"no" jsonschema_description:"What the client's language can hold. Default unlimited."`
	SkipsZeroMs    bool      `yaml:"skips_zero_milliseconds" jsonschema_description:"Whether a retry-after-ms of 0 is passed over for the next header. Default false."`
	SkipsNegative  bool      `yaml:"skips_negative" jsonschema_description:"Whether a number below 0 is passed over for the next header. Default false."`
}

// Timeouts are the timers of one attempt.
type Timeouts struct {
	Connect   Span        `yaml:"connect" none:"no timer" unlimited:"no timer" zero:"no" jsonschema_description:"Until the connection stands. Default none."`
	FirstByte Span        `yaml:"first_byte" none:"no timer" unlimited:"no timer" zero:"no" jsonschema_description:"Until the first byte of the reply. Default none."`
	Gap       Span        `yaml:"gap" none:"no timer" unlimited:"no timer" zero:"no" jsonschema_description:"Of silence between chunks, and before the first byte where first_byte is not set (a read timeout). Default none."`
	Call      Span        `yaml:"call" none:"no timer" unlimited:"no timer" zero:"no" jsonschema_description:"The whole call at one provider, all attempts and waits. Default none."`
	Attempt   EachTimeout `yaml:"attempt" jsonschema_description:"The whole attempt; a list gives one for each attempt, the last for all later ones. Default none."`
}

// EachTimeout is one time, or a list of one for each attempt.
type EachTimeout []Timer

// Gate is what an instance may have under way.
type Gate struct {
	Semaphore Bound     `yaml:"semaphore" none:"no gate" unlimited:"no gate" jsonschema_description:"Attempts in flight at once. It lets go while a call waits to retry; a semaphore held during that wait is fleet.workers. Default none."`
	AIMD      *AIMD     `yaml:"aimd" none:"no such gate" jsonschema_description:"A bound that grows by one and shrinks by a factor (Netflix concurrency-limits). Default none."`
	Gradient  *Gradient `yaml:"gradient" none:"no such gate" jsonschema_description:"A bound that follows the answer times (Netflix concurrency-limits, Gradient2). Default none."`
	Scope     Scope     `yaml:"scope" jsonschema_description:"One gate for each instance, or one for all. Default instance."`
	Order     Order     `yaml:"order" jsonschema_description:"Who goes first of those that wait: fifo or lifo. Default fifo."`
	Room      Places    `yaml:"room" none:"nobody waits" unlimited:"all may wait" default:"unlimited" jsonschema_description:"Calls that may wait at the gate; more are shed. Default unlimited."`
}

// AIMD is additive increase, multiplicative decrease.
type AIMD struct {
	Start  Number `yaml:"start" zero:"no" jsonschema_description:"Default 20."`
	Min    Number `yaml:"min" zero:"no" jsonschema_description:"Default 20."`
	Max    Number `yaml:"max" zero:"no" jsonschema_description:"Default 200."`
	Factor Number `yaml:"factor" zero:"no" jsonschema_description:"On a drop. Default 0.9."`
	Slow   Span   `yaml:"slow" default:"5s" none:"no answer is too slow" zero:"no" jsonschema_description:"An answer slower than this counts as a drop. Default 5s."`
}

// Gradient is Netflix's Gradient2.
type Gradient struct {
	Start     Number `yaml:"start" zero:"no" jsonschema_description:"Default 20."`
	Min       Number `yaml:"min" zero:"no" jsonschema_description:"Default 20."`
	Max       Number `yaml:"max" zero:"no" jsonschema_description:"Default 200."`
	Queue     Number `yaml:"queue" zero:"no" jsonschema_description:"Default 4."`
	Smoothing Number `yaml:"smoothing" zero:"no" jsonschema_description:"Default 0.2."`
	Tolerance Number `yaml:"tolerance" zero:"no" jsonschema_description:"Default 1.5."`
	Window    Count  `yaml:"window" zero:"no" jsonschema_description:"Of the long-term average, in samples. Default 600."`
}
