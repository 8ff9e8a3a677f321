package scenario

import (
	"fmt"
	"time"

	"stampede/internal/strict"
)

// The part of the scenario file that is several deployments and the route to them.

// Deployment is a further provider that serves the same calls. Its fields are those of [Provider],
// and what it does not say is as in provider; see [builder.deployment].
type Deployment struct {
	Name       string           `yaml:"name"`
	Copies     Count            `yaml:"copies" default:"1" zero:"no"`
	Weight     Number           `yaml:"weight" default:"1" zero:"no"`
	Price      *Price           `yaml:"price" none:"tokens cost nothing" own:"yes"`
	Quality    Share            `yaml:"quality" default:"100%" none:"its answers are worth nothing"`
	Standalone bool             `yaml:"standalone"`
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

	over []overlay // what is written of it, in order
}

// overlay is a part of a document, and the path that it is for.
type overlay struct {
	node *strict.Node
	path string
}

// UnmarshalNode implements strict.Unmarshaler: it keeps the node, which is decoded over the provider.
func (t *Deployment) UnmarshalNode(_ *strict.Decoder, n *strict.Node, path string) error {
	t.over = append(t.over[:len(t.over):len(t.over)], overlay{n, path})
	return nil
}

// Route is to which deployment an attempt goes.
type Route struct {
	By       RouteBy       `yaml:"by"`
	Cooldown RouteCooldown `yaml:"cooldown" none:"no cooldown"`
	AllAway  AllAway       `yaml:"all_away"`
	Switch   Switch        `yaml:"switch_on_retry"`
	AtOnce   bool          `yaml:"retry_at_once"`
	Scope    Scope         `yaml:"scope"`
}

// RouteCooldown keeps attempts away from a deployment.
type RouteCooldown struct {
	Failures     Count        `yaml:"failures" none:"this rule is off"`
	Share        Share        `yaml:"share" none:"this rule is off"`
	Over         Span         `yaml:"over" zero:"no"`
	Minimum      Count        `yaml:"minimum" zero:"no"`
	AtOnce       []Status     `yaml:"at_once" none:"no status"`
	Counts       []Class      `yaml:"counts_as_failure"`
	For          CooldownTime `yaml:"for" zero:"no"`
	SparesSingle bool         `yaml:"spares_single"`
}

// Status is a status, or a range of them.
type Status struct{ RetryOn }

// ParseText implements strict.Texter.
func (s *Status) ParseText(text string) error {
	if err := s.RetryOn.ParseText(text); err != nil || s.Failure != "" {
		return fmt.Errorf("want a status from 300 to 599, a range such as 502..599, or a class such as 5xx")
	}
	return nil
}

// CooldownTime is a time, or that of the Retry-After.
type CooldownTime struct {
	Span   Span
	Hinted bool
}

// ParseText implements strict.Texter.
func (c *CooldownTime) ParseText(text string) error {
	if text == "retry_after" {
		*c = CooldownTime{Hinted: true}
		return nil
	}
	c.Hinted = false
	if err := c.Span.ParseText(text); err != nil {
		return fmt.Errorf("%w; or retry_after", err)
	}
	return nil
}

func (c CooldownTime) String() string {
	if c.Hinted {
		return "retry_after"
	}
	return c.Span.String()
}

// How a cooldown is where the scenario does not say: as LiteLLM's.
const (
	cooldownFor     = 5 * time.Second
	cooldownOver    = time.Minute
	cooldownMinimum = 5
)
