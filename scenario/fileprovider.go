package scenario

// The part of the scenario file that is the provider.

// Provider is the API that is called.
type Provider struct {
	Name       string           `yaml:"name"`
	Preset     string           `yaml:"preset"`
	Dialect    Dialect          `yaml:"dialect"`
	RoundTrip  Span             `yaml:"round_trip" none:"no delay"`
	MaxRequest MaxRequest       `yaml:"max_request" none:"no bound" unlimited:"no bound"`
	Limits     []Limit          `yaml:"limits" none:"no limit"`
	Capacity   Capacity         `yaml:"capacity" none:"no bound"`
	Latency    Latency          `yaml:"latency" none:"at once"`
	Faults     []Fault          `yaml:"faults" none:"no fault"`
	RetryAfter ServerRetryAfter `yaml:"retry_after"`
	Gateway    Gateway          `yaml:"gateway" none:"no gateway"`
	Cancel     Cancel           `yaml:"cancel"`
	Replays    bool             `yaml:"replays_keys"`
	Bills      []Billed         `yaml:"bills" none:"answers only" default:"[abandoned, cut_stream, lost_reply]"`
}

// Capacity is how many requests generate at once, and how many may wait.
type Capacity struct {
	Slots      Bound     `yaml:"slots" none:"no bound" unlimited:"no bound"`
	Queue      Places    `yaml:"queue" none:"no queue" unlimited:"no bound"`
	Full       int       `yaml:"full_status"`
	RetryAfter Span      `yaml:"retry_after" none:"no Retry-After"`
	Batching   *Batching `yaml:"batching" none:"no batching"`
}

// Batching is a server that generates a token for each of its streams in every
// step.
type Batching struct {
	Step          Span  `yaml:"step"`
	PerStream     Span  `yaml:"per_stream" none:"nothing"`
	PromptPerStep Count `yaml:"prompt_per_step" unlimited:"no bound" zero:"no"`
}

// Gateway is a relay in front of the provider.
type Gateway struct {
	Latency         Span      `yaml:"latency" none:"nothing"`
	Retries         int       `yaml:"retries" none:"no retries"`
	Wait            Span      `yaml:"wait" none:"at once"`
	StripRetryAfter bool      `yaml:"strip_retry_after"`
	StripQuotas     bool      `yaml:"strip_quotas"`
	RetryAfter      Span      `yaml:"retry_after" none:"passed on"`
	Rewrite         []Rewrite `yaml:"rewrite" none:"nothing"`
	StripCodes      bool      `yaml:"strip_codes"`
	StripAdvice     bool      `yaml:"strip_x_should_retry"`

	Errors []GatewayError `yaml:"errors" none:"no error of its own"`
}

// Rewrite turns one status into another.
type Rewrite struct {
	From int    `yaml:"from"`
	To   int    `yaml:"to"`
	Code string `yaml:"code"`
}

// GatewayError is an error of the gateway's own.
type GatewayError struct {
	Share      Share  `yaml:"share" default:"100%" none:"no attempt"`
	Status     int    `yaml:"status"`
	Code       string `yaml:"code"`
	RetryAfter Span   `yaml:"retry_after" none:"no Retry-After"`
	After      Span   `yaml:"after" none:"at once"`
	Advice     Advice `yaml:"x_should_retry"`
}

// Limit is one limit.
type Limit struct {
	Name          string     `yaml:"name"`
	Resource      Resource   `yaml:"resource"`
	Limit         Rate       `yaml:"limit"`
	Kind          Kind       `yaml:"kind"`
	Keys          []string   `yaml:"keys"`
	Models        []string   `yaml:"models"`
	Hidden        bool       `yaml:"hidden"`
	Burst         Portion    `yaml:"burst" zero:"no"`
	EnforcedEvery Span       `yaml:"enforced_every" none:"only over its period"`
	ResetsAt      *TimeOfDay `yaml:"resets_at"`
	Growth        Share      `yaml:"growth" zero:"no"`
	Every         Span       `yaml:"every" zero:"no"`
	Prior         Rate       `yaml:"prior_rate"`
	Used          Portion    `yaml:"used" none:"nothing"`
	Charge        Charge     `yaml:"charge"`
	Settle        Settle     `yaml:"settle"`
	OutputFactor  int        `yaml:"output_factor"`
	Cached        Counts     `yaml:"cached"`
	Estimate      Number     `yaml:"estimate" zero:"no"`
	Tiers         []Raised   `yaml:"tiers" none:"the same amount all the time"`
	Balance       Portion    `yaml:"balance" zero:"no"`
	Counts        Counted    `yaml:"counts"`
	Rejected      Rejected   `yaml:"rejected"`
	XShouldRetry  Advice     `yaml:"x_should_retry"`
}

// Raised is a limit once so much was spent.
type Raised struct {
	Spent Portion `yaml:"spent" zero:"no"`
	Limit Rate    `yaml:"limit"`
	Burst Portion `yaml:"burst" zero:"no"`
}

// Latency is how long an answer takes.
type Latency struct {
	FirstToken      Law[Span]   `yaml:"first_token" none:"at once"`
	TokensPerSecond Law[Number] `yaml:"tokens_per_second" unlimited:"the whole answer at once"`
	PerPrompt       Span        `yaml:"first_token_per_1k_prompt" none:"nothing"`
	PerInFlight     Span        `yaml:"per_in_flight" none:"nothing"`
	ByUse           *ByUse      `yaml:"by_use" none:"latency follows no limit"`
	CallShare       Share       `yaml:"call_share" none:"nothing"`
}

// ByUse is a latency that follows the use of a limit.
type ByUse struct {
	Limit string `yaml:"limit"`
	Full  Number `yaml:"full"`
}

// SlowStart is a latency that comes back to the usual one after a fault.
type SlowStart struct {
	For  Span   `yaml:"for" zero:"no"`
	Slow Number `yaml:"slow"`
}

// Fault is something that goes wrong.
type Fault struct {
	At         Span         `yaml:"at"`
	For        Span         `yaml:"for" unlimited:"to the end" zero:"no"`
	Gap        Law[Span]    `yaml:"gap" none:"the fault is continuous"`
	Length     Law[Span]    `yaml:"length"`
	Share      Share        `yaml:"share" default:"100%" none:"no attempt"`
	First      int          `yaml:"first" zero:"no"`
	Of         FirstOf      `yaml:"of"`
	Counts     FaultCounts  `yaml:"counts"`
	Status     int          `yaml:"status"`
	Code       string       `yaml:"code"`
	RetryAfter Span         `yaml:"retry_after" none:"no Retry-After"`
	Header     string       `yaml:"retry_after_header"`
	Advice     Advice       `yaml:"x_should_retry"`
	After      Span         `yaml:"after" none:"at once"`
	Slow       Number       `yaml:"slow"`
	Hang       bool         `yaml:"hang"`
	LoseReply  LostReply    `yaml:"lose_reply"`
	CutAt      *Share       `yaml:"cut_at"`
	StallAt    *Share       `yaml:"stall_at"`
	Connection Connection   `yaml:"connection"`
	Limit      *LimitChange `yaml:"limit"`
	Start      *SlowStart   `yaml:"slow_start" none:"latency is as usual at once"`
}

// Connection is how a connection fails.
type Connection struct {
	Kind  Reach     `yaml:"kind"`
	After Law[Span] `yaml:"after" none:"as soon as it is known"`
}

// LimitChange is another shape for a limit.
type LimitChange struct {
	Resource Resource `yaml:"resource"`
	Limit    Rate     `yaml:"limit"`
	Burst    Portion  `yaml:"burst" zero:"no"`
	Name     string   `yaml:"name"`
	Keys     []string `yaml:"keys"`
	Models   []string `yaml:"models"`
}

// ServerRetryAfter is how Retry-After is sent.
type ServerRetryAfter struct {
	Send         Send `yaml:"send"`
	Round        Span `yaml:"round" none:"exact"`
	Milliseconds bool `yaml:"milliseconds"`
}

// Target is a further provider.
type Target struct {
	Provider Provider `yaml:"provider"`
	Price    *Price   `yaml:"price" none:"tokens cost nothing" own:"yes"`
	Quality  Share    `yaml:"quality" default:"100%" none:"its answers are worth nothing"`
}
