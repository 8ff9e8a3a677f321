package backend

import (
	"cmp"
	"slices"

	"stampede/sim"
)

// prefix is an entry of the cache that many calls share, by the number that their requests give it. A
// request reads of it what it holds, writes the rest, and keeps it for a lifetime from the instant at
// which the request was received. That counts once its answer has begun: of two requests at once before
// the first answer has begun both miss and both write.
type prefix struct {
	use          // that keeps it longest, of those that count by now
	coming []use // those that do not count yet, in the order in which they will
}

// use is what a request does to an entry.
type use struct {
	counts sim.Time // from when on
	until  sim.Time // it keeps the entry; at that instant the entry is gone
	tokens int      // of the prompt are in it
}

// recallPrefix finds how much of the prompt of a request is in the entry that it shares. An entry is known
// from its first request on.
func (b *Backend) recallPrefix(r *Flight, now sim.Time) {
	r.Cached = 0
	if r.cached == 0 {
		return
	}
	p := b.memory.prefixes[r.Entry]
	if p == nil {
		if b.memory.prefixes == nil {
			b.memory.prefixes = map[uint64]*prefix{}
		}
		p = &prefix{}
		b.memory.prefixes[r.Entry] = p
	}
	p.advance(now)
	if now < p.until {
		r.Cached = min(r.cached, p.tokens)
	}
}

// advance lets the uses count whose time has come.
func (p *prefix) advance(now sim.Time) {
	n := 0
	for ; n < len(p.coming) && p.coming[n].counts <= now; n++ {
		if u := p.coming[n]; u.until >= p.until {
			p.use = u
		}
	}
	p.coming = slices.Delete(p.coming, 0, n)
}

// useOf is what a request does to its entry; false for nothing.
func (b *Backend) useOf(r *Flight) (p *prefix, u use, ok bool) {
	if r.cached > 0 && !r.replayed {
		p = b.memory.prefixes[r.Entry]
	}
	u = use{counts: r.first, until: sim.Never, tokens: r.cached}
	if r.Lifetime > 0 {
		u.until = sim.Plus(r.Admitted, r.Lifetime)
	}
	return p, u, p != nil
}

// warmPrefix takes note of an answer whose first token is to come.
func (b *Backend) warmPrefix(r *Flight) {
	if p, u, ok := b.useOf(r); ok {
		p.advance(b.loop.Now())
		at, _ := slices.BinarySearchFunc(p.coming, u.counts+1, func(v use, end sim.Time) int {
			return cmp.Compare(v.counts, end)
		})
		p.coming = slices.Insert(p.coming, at, u)
	}
}

// coolPrefix takes that back.
func (b *Backend) coolPrefix(r *Flight) {
	if p, u, ok := b.useOf(r); ok {
		if at := slices.Index(p.coming, u); at >= 0 {
			p.coming = slices.Delete(p.coming, at, at+1)
		}
	}
}

// ForgetEntry forgets an entry that no more requests will share.
func (b *Backend) ForgetEntry(entry uint64) { delete(b.memory.prefixes, entry) }
