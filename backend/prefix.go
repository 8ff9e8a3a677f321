package backend

import (
	"slices"

	"stampede/sim"
)

// prefix is an entry of the cache that many calls share, by the number that their requests give it. A
// request reads of it what it holds, writes the rest, and keeps it for a lifetime from the instant at
// which the request was received. That counts once its answer has begun: of two requests at once before
// the first answer has begun both miss and both write.
type prefix struct {
	use         // that keeps it longest, of those that count by now
	coming uses // those that do not count yet
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
	for len(p.coming) > 0 && p.coming[0].counts <= now {
		u := p.coming[0]
		p.coming.remove(0)
		if u.until > p.until || u.until == p.until && u.tokens > p.tokens {
			p.use = u
		}
	}
}

// uses is a heap: the first counts before all others.
type uses []use

func (h *uses) add(u use) {
	*h = append(*h, u)
	h.up(len(*h) - 1)
}

func (h *uses) remove(i int) {
	last := len(*h) - 1
	(*h)[i] = (*h)[last]
	if *h = (*h)[:last]; i < last {
		h.up(i)
		h.down(i)
	}
}

func (h uses) up(i int) {
	for above := (i - 1) / 2; i > 0 && h[i].counts < h[above].counts; above = (i - 1) / 2 {
		h[i], h[above] = h[above], h[i]
		i = above
	}
}

func (h uses) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].counts < h[least].counts {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
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
		p.coming.add(u)
	}
}

// coolPrefix takes that back.
func (b *Backend) coolPrefix(r *Flight) {
	if p, u, ok := b.useOf(r); ok {
		if at := slices.Index(p.coming, u); at >= 0 {
			p.coming.remove(at)
		}
	}
}

// ForgetEntry forgets an entry that no more requests will share.
func (b *Backend) ForgetEntry(entry uint64) { delete(b.memory.prefixes, entry) }
