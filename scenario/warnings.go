package scenario

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/provider"
)

// Warnings are the settings that are allowed but probably a mistake. To find some of them takes an
// integral over the sizes of requests, far longer than to build the scenario: a sweep, which builds
// thousands, asks for those of its base alone.
func (s *Scenario) Warnings() []string {
	w := slices.Clone(s.warnings)
	w.ofModel(&s.Model)
	return w
}

type warnings []string

func (w *warnings) add(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// once adds a text, if there is one, that is not there yet.
func (w *warnings) once(text string) {
	if text != "" && !slices.Contains(*w, text) {
		*w = append(*w, text)
	}
}

// ofModel adds those about what is run.
func (w *warnings) ofModel(m *fleet.Model) {
	for i, f := range m.Provider.Faults {
		if e, ok := f.Effect.(provider.Reject); ok && e.Wait > 0 && m.Provider.RetryAfter.As == provider.NotAtAll {
			w.add("provider.faults.%d.retry_after is not sent: provider.retry_after.send is never", i)
		}
	}
	for i, f := range m.Fleets() {
		whose := ""
		if i > 0 {
			whose = " of " + f.Name
		}
		sold := otherVendor(&m.Provider, f.Price)
		for _, to := range slices.Concat(f.Deployments, f.Fallbacks) {
			sold = cmp.Or(sold, otherVendor(m.Providers()[to.Provider], to.Price))
		}
		w.once(sold)
		kinds := ofKinds(f)
		ofEach := func(note func(of *fleet.Fleet, whose string) string) {
			for k := range kinds {
				w.once(note(&kinds[k], whose+ofKind(f, k)))
			}
		}
		for k := range kinds {
			w.refused(m, &kinds[k], m.Provider.Tenants[i], whose+ofKind(f, k))
		}
		if m.Deployed == 0 {
			w.herd(m, f, m.Provider.Tenants[i], whose)
			w.once(settleNote(m, i, whose))
		}
		fails := false // whether anything can, at any deployment
		for _, one := range alone(m) {
			ofEach(func(of *fleet.Fleet, whose string) string {
				fails = fails || failureNote(&one, of, m.Provider.Tenants[i], whose) == ""
				return hangNote(&one, of, whose)
			})
		}
		ofEach(func(of *fleet.Fleet, whose string) string { return oversizeNote(m, of, whose) })
		ofEach(func(of *fleet.Fleet, whose string) string { return deliveryNote(m, of, whose) })
		if !fails {
			w.once(failureNote(m, &kinds[0], m.Provider.Tenants[i], whose))
		}
		ofEach(cacheNote)
		for _, text := range slices.Concat(routeNotes(m, f, whose), idleNotes(f, whose)) {
			w.once(text)
		}
		ofEach(func(of *fleet.Fleet, whose string) string { return gapNote(m, of, whose) })
	}
	w.once(memoryNote(m))
}

// refused adds the limits that never admit an average request.
func (w *warnings) refused(m *fleet.Model, f *fleet.Fleet, tenant provider.Tenant, whose string) {
	mean := meanRequest(sizesOf(&f.Workload))
	for _, l := range m.Provider.Limits {
		if !l.Covers(tenant) || l.Overflows() {
			continue
		}
		if charge, holds := l.Counts(mean), l.MaxAtOnce(); charge > holds {
			w.add("an average request%s is charged %d at the limit %s, which never admits more than %d at once: "+
				"such requests are always refused", whose, charge, l.Name, holds)
		}
	}
}

// gapNote notes steps of a batch that are longer than a timeout of silence.
func gapNote(m *fleet.Model, f *fleet.Fleet, whose string) string {
	b, gap := m.Provider.Capacity.Batching, f.Client.Timeouts.Gap
	if b == nil || gap == 0 || gap >= b.Streams(m.Provider.Capacity.Slots) || !f.Workload.Stream {
		return ""
	}
	return fmt.Sprintf("a step of the batch can take %v; the gap timeout%s of %v does not apply to tokens of a batch",
		b.Streams(m.Provider.Capacity.Slots), whose, gap)
}

// herd warns when more calls start at once than the limits admit while they retry:
//
//	answered <= supply within the horizon / mean charge
func (w *warnings) herd(m *fleet.Model, f *fleet.Fleet, tenant provider.Tenant, whose string) {
	at := float64(f.Workers * f.Instances)
	_, burst := f.Workload.Arrivals.(fleet.Burst)
	if f.Workload.Think != nil || (f.Workload.Arrivals != nil && !burst) {
		return // they do not ask at once
	}
	if calls := float64(f.Workload.Calls); calls > 0 && (at == 0 || at > calls) {
		at = calls
	}
	horizon, bounded := f.Client.MaxDuration(0)
	if !bounded || f.Client.Gate.On() || f.Client.Pacer.On() || f.Workload.Redelivery.Deliveries != 0 {
		return
	}
	for i, l := range m.Provider.Limits {
		if l.Period == 0 || l.Resource == provider.Dollars || !l.Covers(tenant) {
			continue
		}
		each := max(1, meanChargeOf(&l, f))
		through := float64(m.Provider.Supply(i).Within(0, horizon, 0)) / each
		if through < 0.9*at {
			w.add(
				"%s calls%s start at once and retry for at most %v, in which %s admits %s of them: the others "+
					"give up unless the server asks for longer waits",
				number(at), whose, shortDuration(horizon.Round(time.Millisecond)), l.Name,
				number(math.Floor(through)),
			)
			return
		}
	}
}
