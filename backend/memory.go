package backend

import "stampede/sim"

// memory is what a provider remembers beyond one request: the prompts in its cache, by call or by
// the entry that calls share, and the idempotency keys under which work was done.
type memory struct {
	prompts  map[uint64]prompt
	prefixes map[uint64]*prefix
	keys     map[uint64]struct{}
}

// prompt is the entry of a call in the cache. It lives for its lifetime from the start of the
// last request that read or wrote it; a request counts once its answer has begun.
type prompt struct {
	used   sim.Time // start of the last request known to have used it
	using  sim.Time // start of a request that uses it
	usedAt sim.Time // when that begins to be known
}

// recall finds how much of the prompt of a request is in the cache now.
func (b *Backend) recall(r *Flight, now sim.Time) {
	if r.Relay == 0 {
		r.cached = r.Cached
	}
	if r.Entry > 0 {
		b.recallPrefix(r, now)
		return
	}
	if r.Cached = r.cached; r.Lifetime > 0 && now-b.prompt(r).used >= r.Lifetime {
		r.Cached = 0
	}
}

// prompt is the entry of a request, with what is known by now.
func (b *Backend) prompt(r *Flight) prompt {
	p, known := b.memory.prompts[r.Call]
	switch {
	case !known:
		return prompt{used: r.Warm, usedAt: sim.Never}
	case p.usedAt <= b.loop.Now():
		return prompt{used: p.using, usedAt: sim.Never}
	}
	return p
}

// warm takes note of an answer whose first token is to come.
func (b *Backend) warm(r *Flight) {
	if r.Entry > 0 {
		b.warmPrefix(r)
		return
	}
	if r.Lifetime == 0 || r.gone {
		return
	}
	p := b.prompt(r)
	if b.memory.prompts == nil {
		b.memory.prompts = map[uint64]prompt{}
	}
	b.memory.prompts[r.Call] = prompt{used: p.used, using: r.Admitted, usedAt: r.first}
}

// cool takes that back.
func (b *Backend) cool(r *Flight) {
	if r.Entry > 0 {
		b.coolPrefix(r)
		return
	}
	if p, known := b.memory.prompts[r.Call]; known && p.using == r.Admitted && p.usedAt == r.first {
		p.usedAt = sim.Never
		b.memory.prompts[r.Call] = p
	}
}

// remember takes note of work that is done under a key.
func (b *Backend) remember(key uint64) {
	if key == 0 || !b.config.ReplaysKeys {
		return
	}
	if b.memory.keys == nil {
		b.memory.keys = map[uint64]struct{}{}
	}
	b.memory.keys[key] = struct{}{}
}

func (b *Backend) remembers(key uint64) bool {
	if key == 0 {
		return false
	}
	_, known := b.memory.keys[key]
	return known
}

// Forget forgets a call that will send no more requests, and its key.
func (b *Backend) Forget(call, key uint64) {
	delete(b.memory.prompts, call)
	delete(b.memory.keys, key)
}
