package scenario

// The part of the scenario file that is the provider.

// Provider is the API that is called.
type Provider struct {
	Name       string           `yaml:"name" jsonschema_description:"What tables and figures call it. Default that of the preset, with a note when something overrides it."`
	Preset     string           `yaml:"preset" jsonschema_description:"A provider by name; what follows overrides it. Default none."`
	Dialect    Dialect          `yaml:"dialect" jsonschema_description:"Whose statuses, error codes and headers it sends. Default plain, which says everything exactly."`
	RoundTrip  Span             `yaml:"round_trip" none:"no time" jsonschema_description:"Network time there and back. Default none."`
	Limits     []Limit          `yaml:"limits" none:"no limit" jsonschema_description:"What refuses requests with 429. Default none."`
	Capacity   Capacity         `yaml:"capacity" none:"all at once" jsonschema_description:"How many requests generate at once, and how many may wait. Default all at once."`
	Latency    Latency          `yaml:"latency" none:"at once" jsonschema_description:"How long an answer takes. Default none: at once."`
	Faults     []Fault          `yaml:"faults" none:"no fault" jsonschema_description:"What goes wrong, when, and for how many attempts. Default none."`
	RetryAfter ServerRetryAfter `yaml:"retry_after" jsonschema_description:"How the Retry-After of a 429 is sent. Default exact."`
	Gateway    Gateway          `yaml:"gateway" none:"no gateway" jsonschema_description:"A relay in front of the provider. Default none."`
	Cancel     Cancel           `yaml:"cancel" jsonschema_description:"What becomes of an attempt whose client has gone. Default keeps_generating."`
	Replays    bool             `yaml:"replays_keys" jsonschema_description:"Whether a request under an idempotency key whose work was done before gets that answer again, at once and unbilled. Default false: it acts no second time, but generates and bills anew."`
	Bills      []Billed         `yaml:"bills" none:"answers only" default:"[abandoned, cut_stream, lost_reply]" jsonschema_description:"What is billed besides answers: abandoned work, cut_stream, lost_reply, timeout_408 (prompt and answer), content_filter (prompt). Default the first three."`
}

// Capacity is how many requests generate at once, and how many may wait.
type Capacity struct {
	Slots      Bound     `yaml:"slots" none:"all at once" unlimited:"all at once" jsonschema_description:"Requests that generate at once. Default none."`
	Queue      Places    `yaml:"queue" none:"no place" unlimited:"all may wait" jsonschema_description:"Places to wait for a slot, higher priority first, then first in, first out. Default none."`
	Full       int       `yaml:"full" jsonschema_description:"The status when there is no place: 429, 503 or 529. Default that of the dialect."`
	RetryAfter Span      `yaml:"retry_after" none:"not said" jsonschema_description:"The wait that a refusal for want of a place asks for, sent as the provider sends it. Default none."`
	Batching   *Batching `yaml:"batching" none:"no batch" jsonschema_description:"The requests at once share a batch, as in vLLM; this then gives the latency. Default none."`
}

// Batching is a server that generates a token for each of its streams in every
// step.
type Batching struct {
	Step          Span  `yaml:"step" jsonschema_description:"A step without streams. Needed."`
	PerStream     Span  `yaml:"per_stream" none:"nothing" jsonschema_description:"What each stream adds to a step. Default nothing."`
	PromptPerStep Count `yaml:"prompt_per_step" unlimited:"all" zero:"no" jsonschema_description:"Tokens of a prompt that are read in one step. Default unlimited."`
}

// Gateway is a relay in front of the provider.
type Gateway struct {
	Latency         Span      `yaml:"latency" none:"nothing" jsonschema_description:"Added to the round trip. Default none."`
	Retries         int       `yaml:"retries" none:"not at all" jsonschema_description:"How often the gateway itself tries a refused request again. Default 0."`
	Wait            Span      `yaml:"wait" none:"at once" jsonschema_description:"Before each of those. Default none."`
	StripRetryAfter bool      `yaml:"strip_retry_after" jsonschema_description:"Whether the header is taken out. Default false."`
	StripQuotas     bool      `yaml:"strip_quotas" jsonschema_description:"Whether the headers that say how much is left are taken out. Default false."`
	RetryAfter      Span      `yaml:"retry_after" none:"passed on" jsonschema_description:"Said in place of every wait that the provider asks for. Default passed on."`
	Rewrite         []Rewrite `yaml:"rewrite" none:"nothing" jsonschema_description:"Statuses that are turned into others. Default none."`
}

// Rewrite turns one status into another.
type Rewrite struct {
	From int `yaml:"from" jsonschema_description:"The provider's status. Needed."`
	To   int `yaml:"to" jsonschema_description:"What the client gets. Needed."`
}

// Limit is one limit.
type Limit struct {
	Name          string     `yaml:"name" jsonschema_description:"What tables, records and notes call it; unique within the provider. Default made of its resource, amount and kind, such as requests 500/min."`
	Resource      Resource   `yaml:"resource" jsonschema_description:"What is counted. Needed."`
	Limit         Rate       `yaml:"limit" jsonschema_description:"An amount per time, such as 500/min; for concurrency a number, for dollars such as $10/10m. Needed."`
	Kind          Kind       `yaml:"kind" jsonschema_description:"token_bucket refills continuously; leaky_bucket drains continuously and takes any request while it is not over the brim; fixed_window counts anew each period; sliding_window holds over any span of the period; ramp limits growth, over a short span acceleration. Default token_bucket."`
	Keys          []string   `yaml:"keys" jsonschema_description:"Counts only requests under these keys. Default all."`
	Models        []string   `yaml:"models" jsonschema_description:"Counts only requests to these models. Default all."`
	Hidden        bool       `yaml:"hidden" jsonschema_description:"Whether the headers keep silent about it. Default false."`
	Burst         Portion    `yaml:"burst" zero:"no" jsonschema_description:"Of a bucket: at most so much at once. Default the amount."`
	EnforcedEvery Span       `yaml:"enforced_every" none:"not in slices" jsonschema_description:"Enforces the limit in slices besides its period: 60/min every 1s as 1 in each second, 10/min as 1 in 6 s. Of a bucket, its burst is such a slice. Default not."`
	ResetsAt      *TimeOfDay `yaml:"resets_at" jsonschema_description:"Of a fixed window: the time of day of its reset, see starts_at. Default when the run starts."`
	Growth        Share      `yaml:"growth" zero:"no" jsonschema_description:"Of a ramp: the growth allowed in each span. Default 50%."`
	Every         Span       `yaml:"every" zero:"no" jsonschema_description:"Of a ramp: that span. Default 15m."`
	Before        Rate       `yaml:"before" jsonschema_description:"Of a ramp: the rate of the traffic before the run. Default the rate at which an open workload starts; for other workloads none: the ramp starts at its limit."`
	Used          Portion    `yaml:"used" none:"nothing" jsonschema_description:"Counted already when the run starts. Default 0."`
	Charge        Charge     `yaml:"charge" jsonschema_description:"What a request counts when it is admitted. as_produced counts the output, and the prompt of a limit on tokens, once the answer is there. Default prompt + max_tokens for tokens, prompt for input_tokens, as_produced for output_tokens."`
	Settle        Settle     `yaml:"settle" jsonschema_description:"What happens when the true usage is known: refund gives back what was not used and takes no more than was charged; true_usage counts prompt and output, whatever was charged; multiply_output likewise, with each token of output counted output_factor times; none keeps the charge. Default refund."`
	OutputFactor  int        `yaml:"output_factor" jsonschema_description:"With multiply_output: how often a token of output counts. Default none."`
	Cached        Counts     `yaml:"cached" jsonschema_description:"Whether cached tokens of the prompt count; released counts them until the request has ended. Default count."`
	Estimate      Number     `yaml:"estimate" zero:"no" jsonschema_description:"Of charges that estimate the prompt: estimate over truth. Default 1."`
	Rejected      Rejected   `yaml:"rejected" jsonschema_description:"Whether refused requests count: free, to_zero (what is there), into_debt (down to minus the burst). Default free."`
}

// Latency is how long an answer takes.
type Latency struct {
	FirstToken      Law[Span]   `yaml:"first_token" none:"at once" jsonschema_description:"Until the first token. Default 0."`
	TokensPerSecond Law[Number] `yaml:"tokens_per_second" unlimited:"all at once" jsonschema_description:"Speed of the answer. Default unlimited."`
	PerInFlight     Span        `yaml:"per_in_flight" none:"nothing" jsonschema_description:"Added to the first token for each other request at the provider when this one is taken up: a server that slows down under load. Default none."`
	CallShare       Share       `yaml:"call_share" none:"nothing" jsonschema_description:"Part of the variance that belongs to the call and meets each of its attempts again. Default 0."`
}

// Fault is something that goes wrong.
type Fault struct {
	At         Span         `yaml:"at" jsonschema_description:"When it begins. Default 0."`
	For        Span         `yaml:"for" unlimited:"to the end" zero:"no" jsonschema_description:"How long it lasts. Default unlimited."`
	Gap        Law[Span]    `yaml:"gap" none:"it holds all the time" jsonschema_description:"With length, the fault comes and goes: time from the end of one to the start of the next. Default none."`
	Length     Law[Span]    `yaml:"length" jsonschema_description:"How long it holds each time. Default none."`
	Share      Share        `yaml:"share" default:"100%" none:"no attempt" jsonschema_description:"Of the attempts. Default 100%."`
	Status     int          `yaml:"status" jsonschema_description:"Answers with this HTTP status. Default none."`
	Code       string       `yaml:"code" jsonschema_description:"Error code that goes with the status; with cut_at, the stream ends in an error event with it. Default none."`
	RetryAfter Span         `yaml:"retry_after" none:"absent" jsonschema_description:"The wait that the status asks for, sent as provider.retry_after says. Default none."`
	Header     string       `yaml:"retry_after_header" jsonschema_description:"Instead of retry_after: the header word for word, such as soon, -1, nan, or a date, which is then one that has passed. Default none."`
	After      Span         `yaml:"after" none:"at once" jsonschema_description:"Time until the status is sent. Default at once."`
	Slow       Number       `yaml:"slow" jsonschema_description:"Multiplies the latency. Default none."`
	Hang       bool         `yaml:"hang" jsonschema_description:"Accepts the request and never answers. Default false."`
	LoseReply  bool         `yaml:"lose_reply" jsonschema_description:"Does the work, bills it, and loses the reply. Default false."`
	CutAt      *Share       `yaml:"cut_at" jsonschema_description:"Breaks the connection after this part of the answer, which is billed; before the first token, and always without stream, nothing was sent yet, not even the status. Default none."`
	Connection Connection   `yaml:"connection" jsonschema_description:"Refuses the connection, or lets it go unanswered. Default none."`
	Limit      *LimitChange `yaml:"limit" jsonschema_description:"Gives a limit another shape. Default none."`
}

// LimitChange is another shape for a limit.
type LimitChange struct {
	Resource Resource `yaml:"resource" jsonschema_description:"Of the limit that changes. Needed."`
	Limit    Rate     `yaml:"limit" jsonschema_description:"The new amount per time. Needed."`
	Burst    Portion  `yaml:"burst" zero:"no" jsonschema_description:"The new burst. Default the amount."`
	Name     string   `yaml:"name" jsonschema_description:"Of the limit that changes, where several are on the resource; check lists the names. Default none."`
	Keys     []string `yaml:"keys" jsonschema_description:"Of the limit that changes, where several on the resource are for some keys. Default none."`
	Models   []string `yaml:"models" jsonschema_description:"Likewise. Default none."`
}

// ServerRetryAfter is how Retry-After is sent.
type ServerRetryAfter struct {
	Send         Send `yaml:"send" jsonschema_description:"How a refusal carries the wait; a date loses the fraction of its second, and few clients read it in the body. Default in_seconds."`
	Round        Span `yaml:"round" none:"exact" jsonschema_description:"Rounds up to a multiple of this. Default exact."`
	Milliseconds bool `yaml:"milliseconds" jsonschema_description:"Whether retry-after-ms goes along, in whole milliseconds. Default false."`
}

// Target is a further provider.
type Target struct {
	Provider Provider `yaml:"provider" jsonschema_description:"The API that is called then. Needed."`
	Price    *Price   `yaml:"price" none:"all is free" own:"yes" jsonschema_description:"What tokens cost there. Default as the scenario's."`
}
