package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/internal/strict"
	"stampede/policy"
	"stampede/provider"
	"stampede/wire"
)

// maxDeployments is how many deployments there may be, the provider and its further keys included.
const maxDeployments = 48

// deployment decodes one over a copy of the provider: a mapping is merged into what the provider
// has, a list replaces it. A preset, or standalone, begins anew.
func (b *builder) deployment(t *Deployment, base *Provider) error {
	over := t.over
	v := reflect.ValueOf(t).Elem()
	strict.Reset(v)
	from := *base // what null restores
	inherit(v, reflect.ValueOf(clone(from)))
	t.Name, t.over = "", over
	for _, w := range over {
		named := w.node
		if w.node.Kind != strict.Scalar {
			named = w.node.Field("preset")
			if alone := w.node.Field("standalone"); alone != nil && alone.Text == "true" {
				from = defaultProvider()
				inherit(v, reflect.ValueOf(from))
			}
		}
		if named != nil {
			if named.Kind != strict.Scalar {
				return named.Fail(strict.Join(w.path, "preset"), "found %v; want the name of a provider", named.Kind)
			}
			preset, err := FindPreset("provider", named.Text)
			if err != nil {
				return named.Fail(w.path, "%v", err)
			}
			from = defaultProvider()
			if err := b.d.Plain(preset.node.Field("provider"), reflect.ValueOf(&from).Elem(), w.path); err != nil {
				return err
			}
			from.Preset = named.Text
			inherit(v, reflect.ValueOf(clone(from)))
		}
		if w.node.Kind == strict.Scalar {
			continue
		}
		if inside := w.node.Field("provider"); inside != nil { // as a fallback has it
			return inside.Fail(strict.Join(w.path, "provider"),
				"unknown field; a deployment has the fields of a provider itself, such as preset, limits, latency")
		}
		if err := b.d.Plain(w.node, v, w.path); err != nil {
			return err
		}
		for i, key := range w.node.Keys {
			at := slices.Index(strict.Names(reflect.TypeFor[Provider]()), key.Name)
			if w.node.Items[i].Kind == strict.Null && at >= 0 {
				name := reflect.TypeFor[Provider]().Field(at).Name
				v.FieldByName(name).Set(reflect.ValueOf(clone(from)).Field(at))
			}
		}
	}
	return nil
}

func defaultProvider() (p Provider) {
	strict.Reset(reflect.ValueOf(&p).Elem())
	return p
}

// inherit sets the fields that two structs have both, those of a [Provider] and of a [Deployment].
func inherit(to, from reflect.Value) {
	for i := range from.NumField() {
		if f := to.FieldByName(from.Type().Field(i).Name); f.IsValid() {
			f.Set(from.Field(i))
		}
	}
}

// provider is what the deployment is without its copies, weight, quality and price.
func (t *Deployment) provider() (p Provider) {
	inherit(reflect.ValueOf(&p).Elem(), reflect.ValueOf(*t))
	return p
}

// clone copies a value of the file with all that it points to.
func clone[T any](value T) T {
	var deep func(v reflect.Value)
	deep = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				to := reflect.New(v.Type().Elem())
				to.Elem().Set(v.Elem())
				v.Set(to)
				deep(to.Elem())
			}
		case reflect.Slice:
			if !v.IsNil() {
				v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
			}
			for i := range v.Len() {
				deep(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Field(i).CanSet() {
					deep(v.Field(i))
				}
			}
		}
	}
	deep(reflect.ValueOf(&value).Elem())
	return value
}

// deployments builds the further keys of the provider and the other deployments.
func (b *builder) deployments(f *File, m *fleet.Model, tenants []provider.Tenant) error {
	var errs strict.Errors
	if f.Keys > maxDeployments {
		return b.errorf("keys", "found %d; want at most %d", f.Keys, maxDeployments)
	}
	add := func(config provider.Config, name string, weight, quality float64, price *cost.Price) {
		config.Name = name
		m.Others = append(m.Others, config)
		m.Deployed++
		for _, fl := range m.Fleets() {
			to := fleet.Target{Provider: m.Deployed, Price: fl.Price, Weight: weight, Quality: quality}
			if price != nil {
				to.Price = writing(*price, &fl.Workload)
			}
			fl.Deployments = append(fl.Deployments, to)
		}
	}
	for k := 2; k <= int(f.Keys); k++ {
		add(m.Provider, fmt.Sprintf("key %d", k), 1, 1, nil)
		m.SameLuck++
	}
	names := []string{m.Provider.Name}
	for i := range f.Deployments {
		t, path := &f.Deployments[i], fmt.Sprintf("deployments.%d", i)
		if err := b.deployment(t, &f.Provider); err != nil {
			errs.Add(err)
			continue
		}
		t.Name = oneLine(t.Name)
		if t.Name != "" && slices.Contains(names, t.Name) {
			errs.Add(b.errorf(path+".name", "found %q; want a name of its own", t.Name))
		}
		names = append(names, t.Name)
		p := t.provider()
		config, err := b.provider(path, &p, tenants)
		errs.Add(err)
		var price *cost.Price
		if t.Price != nil {
			own, err := b.priceAt(path+".price", t.Price)
			errs.Add(err)
			price = &own
		}
		if t.Copies > maxDeployments || 1+m.Deployed+int(t.Copies) > maxDeployments {
			errs.Add(b.errorf(path+".copies", "found %d deployments or more in all; want at most %d",
				1+m.Deployed+int(t.Copies), maxDeployments))
			continue
		}
		for copy := range int(t.Copies) {
			name := t.Name
			if name == "" {
				name = fmt.Sprintf("deployment %d", m.Deployed+2)
			} else if t.Copies > 1 {
				name = fmt.Sprintf("%s %d", t.Name, copy+1)
			}
			add(config, name, float64(t.Weight), float64(t.Quality), price)
		}
	}
	return errs.Join()
}

// route reads to which deployment attempts go.
func (b *builder) route(r *Route) (out policy.Route, err error) {
	out = policy.Route{
		By: valueOf(policy.RouteWords.Table(), r.By), AllAway: valueOf(policy.AllAwayWords, r.AllAway),
		Retry: valueOf(policy.RetryRouteWords, r.Switch), RetryAtOnce: r.AtOnce,
		Scope: valueOf(policy.ScopeWords, r.Scope),
	}
	c := r.Cooldown
	if c.Failures == 0 && c.Share == 0 && len(c.AtOnce) == 0 {
		if !reflect.ValueOf(c).IsZero() {
			return out, b.errorf("policy.route.cooldown", "found no rule; want failures, share or at_once")
		}
		return out, nil
	}
	out.Cooldown = policy.Cooldown{
		Failures: int(c.Failures), Share: float64(c.Share), Minimum: int(c.Minimum),
		Over: time.Duration(c.Over), For: time.Duration(c.For.Span), Hinted: c.For.Hinted,
		SparesSingle: c.SparesSingle,
	}
	if out.Cooldown.For == 0 {
		out.Cooldown.For = cooldownFor
	}
	if out.Cooldown.Over == 0 {
		out.Cooldown.Over = cooldownOver
	}
	if out.Cooldown.Minimum == 0 && c.Share > 0 {
		out.Cooldown.Minimum = cooldownMinimum
	}
	for _, s := range c.AtOnce {
		out.Cooldown.AtOnce = append(out.Cooldown.AtOnce, s.Statuses)
	}
	if c.Counts != nil && len(c.Counts) == 0 {
		return out, b.errorf("policy.route.cooldown.counts_as_failure",
			"found an empty list; want at least one class")
	}
	for _, class := range c.Counts {
		out.Cooldown.Counts |= policy.ClassesOf(valueOf(wire.ClassWords.Table(), class))
	}
	return out, nil
}
