package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/internal/nearest"
	"stampede/internal/strict"
	"stampede/policy"
	"stampede/provider"
)

// builder turns a file into a model and checks what depends on several fields.
type builder struct {
	d        *strict.Decoder
	options  Options
	startsAt TimeOfDay
	at       string // the path of the fleet at hand, empty or such as other_fleets.0.
	// undeclared are the fleets whose requests do not say their max_tokens.
	undeclared []int
	// partial says that a part of the file could not be read: what joins parts is not looked at.
	partial  bool
	warnings warnings
	files    []string
}

// build makes the model, or finds what is wrong with the file, part by part. What joins parts is
// looked at only when they are sound.
func (b *builder) build(f *File) (m fleet.Model, err error) {
	var errs strict.Errors
	sound := func() bool { return !b.partial && len(errs) == 0 }
	b.startsAt = f.StartsAt
	if f.Replications < 1 || f.Replications > 100_000 {
		errs.Add(b.errorf("replications", "found %d; want 1 to 100,000", f.Replications))
	}
	m = fleet.Model{Horizon: time.Duration(f.Horizon), Budget: uint64(f.EventBudget)}
	main := OtherFleet{f.Workload, f.Fleet, &f.Policy, &f.Price}
	if main.Fleet.Name == "" {
		main.Fleet.Name = "main"
	}
	m.Fleet, err = b.fleet(&main, f.Horizon)
	errs.Add(err)
	tenants := []provider.Tenant{{Key: f.Fleet.Key, Model: m.Price.Model, Priority: f.Fleet.Priority}}
	names := []string{m.Name}
	for i, beside := range f.OtherFleets {
		b.at = fmt.Sprintf("other_fleets.%d.", i)
		if beside.Policy == nil {
			own := f.Policy
			own.Fallback = Fallback{} // the fallbacks are those of the main fleet
			if own.Breaker.WhenOpen == "fall_back" {
				own.Breaker.WhenOpen = "fail"
			}
			beside.Policy = &own
		} else if beside.Policy.Fallback.On {
			errs.Add(b.errorf("policy.fallback.on", "found true; the scenario's fallbacks are those of its main fleet"))
		}
		if beside.Price == nil {
			own := f.Price
			own.PerHour = nil // what is paid by the hour serves all fleets
			beside.Price = &own
		} else if beside.Price.PerHour != nil {
			errs.Add(b.errorf("price.per_hour", "found %v; what serves all fleets is paid at the price of the main one",
				*beside.Price.PerHour))
		}
		if beside.Fleet.Name == "" {
			beside.Fleet.Name = fmt.Sprintf("other-%d", i+1)
		}
		other, err := b.fleet(&beside, f.Horizon)
		errs.Add(b.ofItsOwn(err, &f.OtherFleets[i]))
		if slices.Contains(names, other.Name) || other.Name == All {
			errs.Add(b.errorf("fleet.name", "found %q; want a name of its own", other.Name))
		}
		names = append(names, other.Name)
		m.Beside = append(m.Beside, other)
		tenants = append(tenants,
			provider.Tenant{Key: beside.Fleet.Key, Model: other.Price.Model, Priority: beside.Fleet.Priority})
	}
	b.at = ""
	errs.Add(b.collapse(f))
	if sound() && f.Measure != "" && f.Measure != All && !slices.Contains(names, f.Measure) {
		errs.Add(
			b.errorf("measure", "found %q; no such fleet; %s", f.Measure,
				nearest.Unknown(f.Measure, append(names, All))),
		)
	}
	if len(tenants) > maxFleets {
		return m, b.errorf("other_fleets", "found %d fleets; want at most %d in all", len(tenants), maxFleets)
	}
	if b.partial = b.partial || len(errs) > 0; !b.partial {
		b.undeclared = undeclared(f, m.Fleets())
		for _, i := range b.undeclared {
			errs.Add(b.paceDeclares(i, m.Fleets()[i]))
		}
	}
	if m.Provider, err = b.provider("provider", &f.Provider, tenants); err == nil {
		err = b.deployments(f, &m, tenants) // which would repeat what is wrong with the provider
	}
	errs.Add(err)
	if sound() {
		b.warm(&m, f.Provider.Limits)
	}
	b.undeclared = slices.DeleteFunc(b.undeclared, func(i int) bool { return i > 0 }) // only the main fleet falls back
	for i, target := range f.Fallbacks {
		path := fmt.Sprintf("fallbacks.%d", i)
		other, err := b.provider(path+".provider", &target.Provider, tenants)
		errs.Add(err)
		m.Others = append(m.Others, other)
		price := m.Price
		price.Hourly = 0 // paid already
		if target.Price != nil {
			price, err = b.priceAt(path+".price", target.Price)
			errs.Add(err)
			price = writing(price, &m.Workload)
		}
		m.Fallbacks = append(m.Fallbacks, fleet.Target{
			Provider: m.Deployed + i + 1, Price: price, Quality: float64(target.Quality),
		})
	}
	if sound() && m.Client.Fallback.On != (len(f.Fallbacks) > 0) {
		errs.Add(
			b.errorf("policy.fallback.on",
				"found %v with %d fallbacks; policy.fallback.on and fallbacks require each other",
				m.Client.Fallback.On, len(f.Fallbacks)),
		)
	}
	if len(f.Fallbacks) > 8 {
		errs.Add(b.errorf("fallbacks", "found %d; want at most 8", len(f.Fallbacks)))
	}
	if sound() {
		if err := m.Check(); err != nil {
			errs.Add(b.errorf("", "%v", err))
		}
	}
	return m, errs.Join()
}

// ofItsOwn leaves out the mistakes of a policy and a price that a fleet has from the scenario,
// which have been told.
func (b *builder) ofItsOwn(err error, f *OtherFleet) error {
	var all, own strict.Errors
	all.Add(err)
	for _, err := range all {
		var e *strict.Error
		if errors.As(err, &e) &&
			(f.Policy == nil && strings.HasPrefix(e.Path, b.at+"policy") ||
				f.Price == nil && strings.HasPrefix(e.Path, b.at+"price")) {
			continue
		}
		own.Add(err)
	}
	return own.Join()
}

// collapse checks the window and the level of a collapse.
func (b *builder) collapse(f *File) error {
	c := f.Collapse
	switch {
	case c == nil:
		return nil
	case c.To <= c.From:
		return b.errorf("collapse.to", "found %v; want a time after collapse.from, %v", c.To, c.From)
	case f.Horizon > 0 && c.To > f.Horizon:
		return b.errorf("collapse.to", "found %v; want at most the horizon, %v: no call arrives after it", c.To,
			f.Horizon)
	case !(c.Below > 0 && c.Below <= 1):
		return b.errorf("collapse.below", "found %v; want more than 0%% and at most 100%%", c.Below)
	}
	return nil
}

// All is what Measure says when the numbers of all fleets together are wanted.
const All = "all"

// maxFleets is how many fleets may call one provider.
const maxFleets = 64

// undeclared are the fleets, by number, whose requests do not all say their max_tokens.
func undeclared(f *File, fleets []*fleet.Fleet) (out []int) {
	for i, w := range f.workloads() {
		if undeclares(w, &fleets[i].Workload) {
			out = append(out, i)
		}
	}
	return out
}

// errorf is a mistake at a path of the fleet at hand.
func (b *builder) errorf(path, format string, args ...any) error {
	return b.d.Errorf(strings.TrimSuffix(b.at+path, "."), format, args...)
}

// fleet builds one fleet.
func (b *builder) fleet(f *OtherFleet, horizon Span) (out fleet.Fleet, err error) {
	if f.Fleet.Instances < 1 || f.Fleet.Instances > 1_000_000 {
		return out, b.errorf("fleet.instances", "found %d; want 1 to 1,000,000", f.Fleet.Instances)
	}
	out = fleet.Fleet{
		Name: oneLine(f.Fleet.Name), Instances: f.Fleet.Instances, PerRequest: time.Duration(f.Fleet.PerRequest),
	}
	if out.Workers, out.Scaling, err = b.workers(&f.Fleet.Workers, f.Fleet.Instances); err != nil {
		return out, err
	}
	if out.Workers > 10_000_000/f.Fleet.Instances {
		return out, b.errorf("fleet.workers", "found %d x %d workers; want at most 10,000,000", f.Fleet.Instances,
			out.Workers)
	}
	if f.Workload.Closed != nil && out.Scaling.Auto.PerQueued > 0 {
		return out, b.errorf("fleet.workers", "found an autoscaler, but a closed workload has no queue; "+
			"want a schedule of workers")
	}
	var errs strict.Errors
	if out.Workload, err = b.workload(&f.Workload, Bound(out.Workers), horizon); err == nil {
		err = b.deal(&f.Fleet, &out)
	}
	errs.Add(err)
	out.Client, err = b.client(f.Policy)
	errs.Add(err)
	if len(errs) == 0 {
		errs.Add(b.mix(f, &out))
		g := &out.Client.Gate
		if g.Order == policy.ByPriority && g.Scope != policy.ForFleets && len(f.Workload.Mix) == 0 {
			errs.Add(b.errorf("policy.gate.order", "found priority, but all calls have the same; "+
				"want scope: fleets, or kinds of calls (workload.mix)"))
		}
	}
	out.Price, err = b.price(f.Price)
	errs.Add(err)
	out.Price = writing(out.Price, &out.Workload)
	return out, errs.Join()
}

// writing is the price where prompts are written to a cache that lasts as long as the workload says.
func writing(p cost.Price, w *fleet.Workload) cost.Price {
	if !w.Cache.Writes {
		return p
	}
	return p.Writing(w.Cache.Lifetime)
}

// deal reads how calls come to instances.
func (b *builder) deal(f *Fleet, out *fleet.Fleet) error {
	out.Queue, out.Dealt = valueOf(fleet.QueueingWords, f.Queue), valueOf(fleet.DealingWords, f.Dispatch)
	if out.Queue == fleet.PerInstance {
		if out.Workload.Arrivals == nil || out.Workers == 0 {
			return b.errorf("fleet.queue",
				"found per_instance; it requires workers and an open, burst, uniform, trace or sessions workload")
		}
	}
	switch {
	case f.Dispatch == "":
	case out.Workload.Arrivals == nil:
		return b.errorf("fleet.dispatch",
			"found %s; workers take the calls of this workload from a queue, so that none are dispatched", f.Dispatch)
	case out.Workers > 0 && out.Queue == fleet.Shared:
		return b.errorf("fleet.dispatch",
			"found %s, but workers take calls from one queue of all instances; want fleet.queue per_instance as well",
			f.Dispatch)
	}
	return nil
}

func (b *builder) price(p *Price) (cost.Price, error) { return b.priceAt("price", p) }

func (b *builder) priceAt(path string, p *Price) (out cost.Price, err error) {
	if out, err = b.tokenPrice(path, p); err == nil && p.PerHour != nil {
		out.Hourly = cost.PerHour(float64(*p.PerHour))
	}
	return out, err
}

func (b *builder) tokenPrice(path string, p *Price) (out cost.Price, err error) {
	if p.Input != nil || p.Output != nil || p.Cached != nil || p.Written != nil || p.Reasoning != nil {
		if p.Input == nil || p.Output == nil {
			return out, b.errorf(path, "found a part of a price; want input and output, in dollars per million tokens")
		}
		if p.File != "" {
			return out, b.errorf(path, "found a file and a price; want one of them")
		}
		if p.Tier != "" {
			return out, b.errorf(path+".tier", "found %s with a price of your own, which has no tiers",
				p.Tier)
		}
		out = cost.Price{Model: p.Model, Source: "the scenario"}
		if p.Model == "" {
			out.Model = ownPrice
		}
		quote := cost.Quote{
			Input:     (*float64)(p.Input),
			Cached:    (*float64)(p.Cached),
			Written:   (*float64)(p.Written),
			Output:    (*float64)(p.Output),
			Reasoning: (*float64)(p.Reasoning),
		}
		for i, l := range p.Long {
			at := fmt.Sprintf("%s.long_prompts.%d", path, i)
			switch {
			case l.Above == 0 || l.Above > 1e9:
				return out, b.errorf(at+".above", "found %v; want a length of prompts, such as 200k", l.Above)
			case i > 0 && l.Above <= p.Long[i-1].Above:
				return out, b.errorf(at+".above", "found %v; want more than the %v before it", l.Above,
					p.Long[i-1].Above)
			case l.Input == nil && l.Output == nil:
				return out, b.errorf(at, "found no price; want input, output or both")
			}
			quote.Long = append(quote.Long, cost.LongQuote{Above: int(l.Above), Quote: cost.Quote{
				Input:     (*float64)(l.Input),
				Cached:    (*float64)(l.Cached),
				Written:   (*float64)(l.Written),
				Output:    (*float64)(l.Output),
				Reasoning: (*float64)(l.Reasoning),
			}})
		}
		if err := out.Set(quote); err != nil {
			return out, b.errorf(path, "%v", err)
		}
		return out, nil
	}
	if len(p.Long) > 0 {
		return out, b.errorf(path+".long_prompts", "requires input and output; models of a price list have their own")
	}
	if p.Model == "" {
		if p.Tier != "" {
			return out, b.errorf(path+".model", "found a tier without a model; want the model it is sold for")
		}
		if p.File != "" {
			return out, b.errorf(path+".model", "found nothing; want a model of the file")
		}
		if p.PerHour != nil && *p.PerHour > 0 {
			return cost.Price{Model: byHour, Source: "the scenario"}, nil
		}
		b.warnings.add("no price is set: every attempt costs nothing")
		return cost.Price{Model: unpriced}, nil
	}
	book := b.options.Prices
	if p.File != "" {
		where := b.options.path(p.File)
		if book, err = b.options.Files.Prices(where, p.File, b.options.Day); err != nil {
			return out, b.errorf(path+".file", "%v", err)
		}
		b.files = append(b.files, where)
	}
	tier, _ := cost.FindTier(string(p.Tier)) // empty is standard
	if out, err = book.Price(p.Model, tier); err == nil && b.startsAt > 0 {
		out, err = book.PriceAt(p.Model, tier, time.Duration(b.startsAt))
	}
	if err != nil {
		return out, b.errorf(path, "%v", err)
	}
	if out.OnDay != "" {
		b.options.Files.dated(out)
	}
	b.warnings.once(out.Note)
	return out, nil
}
