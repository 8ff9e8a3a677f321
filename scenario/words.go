package scenario

import (
	"reflect"
	"slices"

	"stampede/cost"
	"stampede/dialect"
	"stampede/fleet"
	"stampede/internal/strict"
	"stampede/internal/words"
	"stampede/policy"
	"stampede/provider"
	"stampede/wire"
)

// Vocabularies.
type (
	Resource     string
	Kind         string
	Charge       string
	Settle       string
	Cancel       string
	Reach        string
	Origin       string
	LostReply    string
	FirstOf      string
	Counted      string
	FaultCounts  string
	Advice       string
	Send         string
	Obey         string
	Obedience    string
	Beyond       string
	Counts       string
	Rejected     string
	Dialect      string
	Billed       string
	Tier         string
	Scope        string
	GateScope    string
	CacheScope   string
	Dispatch     string
	Queue        string
	Order        string
	Held         string
	Estimate     string
	WhenOpen     string
	Stops        string
	Reaction     string
	BrokenStream string
	Class        string
	RouteBy      string
	AllAway      string
	Switch       string
)

// Words implements strict.Words for each vocabulary. The table of words stands beside the type
// that they are read into.
func (Resource) Words() []string     { return provider.ResourceWords.Names() }
func (Kind) Words() []string         { return provider.KindWords.Names(provider.Balance) }
func (Charge) Words() []string       { return provider.ChargeWords.Names() }
func (Settle) Words() []string       { return provider.SettleWords.Names() }
func (Counts) Words() []string       { return provider.CachedWords.Names() }
func (Rejected) Words() []string     { return provider.RejectedWords.Names() }
func (Cancel) Words() []string       { return provider.CancelRuleWords.Names() }
func (Send) Words() []string         { return provider.WritingWords.Names() }
func (Reach) Words() []string        { return provider.ReachabilityWords.Names(provider.Reachable) }
func (Origin) Words() []string       { return policy.OriginWords.Names() }
func (Counted) Words() []string      { return provider.CountedWords.Names() }
func (FirstOf) Words() []string      { return provider.FirstOfWords.Names() }
func (WhenOpen) Words() []string     { return policy.WhenOpenWords.Names() }
func (Stops) Words() []string        { return policy.StopsWords.Names() }
func (RouteBy) Words() []string      { return policy.RouteWords.Table().Names() }
func (AllAway) Words() []string      { return policy.AllAwayWords.Names() }
func (Switch) Words() []string       { return policy.RetryRouteWords.Names() }
func (Reaction) Words() []string     { return policy.ReactionWords.Names() }
func (BrokenStream) Words() []string { return policy.BrokenWords.Names() }
func (Obedience) Words() []string    { return policy.ObedienceWords.Names() }
func (Beyond) Words() []string       { return policy.BeyondWords.Names() }
func (Class) Words() []string        { return wire.ClassWords.Table().Names(wire.OK, wire.Cancelled) }
func (Dispatch) Words() []string     { return fleet.DealingWords.Names() }
func (Queue) Words() []string        { return fleet.QueueingWords.Names() }
func (Tier) Words() []string         { return cost.TierWords.Names() }
func (Scope) Words() []string        { return policy.ScopeWords.Names(policy.ForFleets) }
func (GateScope) Words() []string    { return policy.ScopeWords.Names() }
func (CacheScope) Words() []string   { return fleet.CacheScopeWords.Names(fleet.OfCall) }
func (Order) Words() []string        { return policy.OrderWords.Names() }
func (Held) Words() []string         { return policy.HeldWords.Names() }
func (Estimate) Words() []string     { return policy.EstimateWords.Names() }
func (Dialect) Words() []string      { return dialect.Names() }

// Vocabularies of the file alone, which stand for one or more truths.
func (Obey) Words() []string { return []string{"obey", "ignore"} }
func (FaultCounts) Words() []string {
	return []string{"true", "false", "attempts", "admitted", "answered"}
}
func (LostReply) Words() []string { return []string{"true", "false", "reset", "silent"} }
func (Advice) Words() []string    { return []string{"true", "false"} }
func (Billed) Words() []string {
	return []string{"abandoned", "cut_stream", "lost_reply", "timeout_408", "content_filter"}
}

// valueOf is that of a word that was checked; without one the zero value.
func valueOf[T ~uint8, W ~string](of words.Table[T], word W) T {
	v, _ := of.Parse(string(word))
	return v
}

// OneOf implements strict.OneOf: exactly one field is set.
func (Gaps) OneOf()    {}
func (Backoff) OneOf() {}
func (Jitter) OneOf()  {}

// A choice without parameters may be written as its name alone.

// UnmarshalNode implements strict.Unmarshaler.
func (g *Gaps) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	return choose(d, n, reflect.ValueOf(g).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler.
func (b *Backoff) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	return choose(d, n, reflect.ValueOf(b).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler.
func (j *Jitter) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	return choose(d, n, reflect.ValueOf(j).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: the waits alone are a list without jitter.
func (l *List) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	switch n.Kind {
	case strict.Sequence:
		*l = List{}
		return d.Into(n, reflect.ValueOf(&l.Waits).Elem(), path)
	case strict.Scalar:
		return n.Fail(path, "found %q; want a list of times, such as [4s, 8s, 16s]", n.Text)
	}
	return d.Plain(n, reflect.ValueOf(l).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: a time alone is the most that is added.
func (a *Addition) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*a = Addition{}
		return d.Into(n, reflect.ValueOf(&a.Max).Elem(), path)
	}
	return d.Plain(n, reflect.ValueOf(a).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: a time alone counts from the arrival of the call.
func (c *Deadline) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*c = Deadline{}
		return d.Into(n, reflect.ValueOf(&c.After).Elem(), path)
	}
	return d.Plain(n, reflect.ValueOf(c).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: a kind alone fails as soon as it can.
func (c *Connection) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*c = Connection{}
		return d.Into(n, reflect.ValueOf(&c.Kind).Elem(), path)
	}
	return d.Plain(n, reflect.ValueOf(c).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: ignore and in_full stand for a
// mapping with obey.
func (r *RetryAfter) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*r = RetryAfter{}
		return d.Into(n, reflect.ValueOf(&r.Obey).Elem(), path)
	}
	return d.Plain(n, reflect.ValueOf(r).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: a kind of arrival that is set as a whole
// takes the place of another.
func (w *Workload) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Reaches() {
		for _, kind := range []string{"batch", "open", "burst", "closed", "trace", "uniform", "sessions"} {
			if part := n.Field(kind); part != nil && part.Kind == strict.Mapping && !part.Reaches() {
				w.Batch, w.Open, w.Burst, w.Closed, w.Trace, w.Uniform, w.Sessions = nil, nil, nil, nil, nil, nil, nil
			}
		}
	}
	return d.Plain(n, reflect.ValueOf(w).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: a profile of numbers is one by hour.
func (o *Open) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	isMapping := func(n *strict.Node) bool { return n.Kind != strict.Scalar }
	if p := n.Field("profile"); p != nil && len(p.Items) > 0 && p.Kind == strict.Sequence &&
		!slices.ContainsFunc(p.Items, isMapping) {
		renamed := *n
		renamed.Keys = slices.Clone(n.Keys)
		for i := range renamed.Keys {
			if renamed.Keys[i].Name == "profile" {
				renamed.Keys[i].Name = "by_hour"
			}
		}
		n, o.Profile = &renamed, nil
	}
	return d.Plain(n, reflect.ValueOf(o).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler.
func (e *EachTimeout) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*e = EachTimeout{0}
		return d.Into(n, reflect.ValueOf(*e).Index(0), path)
	}
	return d.Plain(n, reflect.ValueOf(e).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: a name stands for a mapping with
// model.
func (p *Price) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind == strict.Scalar {
		*p = Price{Model: n.Text}
		return nil
	}
	return d.Plain(n, reflect.ValueOf(p).Elem(), path)
}

// UnmarshalNode implements strict.Unmarshaler: what another fleet inherits has no parts that
// a setting could reach.
func (b *OtherFleet) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	for _, inherited := range []struct {
		field string
		own   bool
	}{{"policy", b.Policy != nil}, {"price", b.Price != nil}} {
		part := n.Field(inherited.field)
		if part != nil && part.Reaches() && !inherited.own && part.Field("preset") == nil &&
			part.Field("model") == nil {
			return part.Fail(strict.Join(path, inherited.field),
				"found a part of the %s, but this fleet has the scenario's; write the fleet a %s of its own first",
				inherited.field, inherited.field)
		}
	}
	return d.Plain(n, reflect.ValueOf(b).Elem(), path)
}

// choose reads a one-of struct; a choice that has no parameters may be written
// as its name.
func choose(d *strict.Decoder, n *strict.Node, v reflect.Value, path string) error {
	if n.Kind != strict.Scalar {
		return d.Plain(n, v, path)
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get("yaml") == n.Text && f.Type == reflect.TypeFor[*struct{}]() {
			v.SetZero()
			v.Field(i).Set(reflect.ValueOf(&struct{}{}))
			return nil
		}
	}
	return n.Fail(path, "found %q; %s", n.Text, allowedChoices(n.Text, v.Type()))
}
