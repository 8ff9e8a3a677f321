package fleet

import (
	"slices"
	"time"

	"stampede/provider"
	"stampede/sim"
)

// backend is a provider at work.
type backend struct {
	*provider.Provider
	config    *provider.Config
	index     uint32
	hop       time.Duration // half a round trip
	roomFrees bool          // a completion can make room for a request
	mark      sim.Timer     // marked
	second    bin           // of requests, a second wide
	tenth     bin           // and a tenth of one
	spends    bool          // it has a limit on dollars
}

// bin counts what arrives within one stretch of time.
type bin struct {
	number int64 // of stretches of its width
	n      int32
}

// place is the place of what arrives now among all that arrived within the same stretch, from 1.
func (b *bin) place(now sim.Time, width time.Duration) int32 {
	if number := int64(now / width); number != b.number {
		*b = bin{number: number}
	}
	b.n++
	return b.n
}

func newBackend(c *provider.Config, index uint32, key sim.Key) (backend, error) {
	p, err := provider.New(*c, key)
	if err != nil {
		return backend{}, err
	}
	return backend{
		spends: p.Spends(), Provider: p, config: c, index: index, hop: (c.RoundTrip + c.Gateway.Latency) / 2,
		roomFrees: c.Capacity.Slots > 0 ||
			slices.ContainsFunc(
				c.Limits,
				func(l provider.Limit) bool { return l.Settle != provider.Keep || l.Resource == provider.Concurrency },
			),
	}, nil
}

// backend is the provider that an attempt goes to.
func (r *run) backend(a *attempt) *backend { return &r.backends[a.backend] }
