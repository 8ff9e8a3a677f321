package fleet

import (
	"reflect"
	"slices"

	"stampede/law"
	"stampede/policy"
	"stampede/provider"
)

// Random reports whether replications of the model can differ: whether any of its laws is
// more than a constant, or a fault, a gateway, a backoff, a throttle or a route draws lots. Where it is
// false, what one replication shows is certain; where it is true, what none of them shows may still
// happen. What draws in a way that is not known here counts as random.
func (m *Model) Random() bool {
	for _, f := range m.Fleets() {
		if f.dealt() && f.Dealt == AtRandom {
			return true
		}
		if slices.ContainsFunc(f.Workload.Kinds, func(k Kind) bool { return k.Share > 0 && k.Share < 1 }) {
			return true
		}
		if f.Routed() > 1 && f.Client.Route.Draws() {
			return true
		}
	}
	return draws(reflect.ValueOf(m))
}

var given = reflect.TypeFor[law.Law]()

// draws looks for chance in a value and all that it holds.
func draws(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case law.Constant:
			return false
		case Uniform:
			return true
		case policy.Retry:
			if x.Attempts == 1 {
				return false // it never waits
			}
		case policy.Backoff:
			return x.Jitter != policy.NoJitter || x.Window > 0
		case policy.RetryAfter:
			return x.Plus > 0
		case policy.Throttle:
			return x.On()
		case provider.Fault:
			if x.Share > 0 && x.Share < 1 {
				return true
			}
		case provider.GatewayError:
			if x.Share > 0 && x.Share < 1 {
				return true
			}
		}
	}
	if v.Kind() != reflect.Interface && v.Type().Implements(given) {
		return true
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return draws(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if draws(v.Field(i)) {
				return true
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if draws(v.MapIndex(key)) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Struct, reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Array:
			for i := range v.Len() {
				if draws(v.Index(i)) {
					return true
				}
			}
		}
	}
	return false
}
