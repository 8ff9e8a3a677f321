package sim

import "math/bits"

// queue is a monotone priority queue, a radix heap after Ahuja, Mehlhorn,
// Orlin and Tarjan, "Faster algorithms for the shortest path problem", J. ACM
// 37 (1990): nothing may be pushed before the instant last popped.
//
// An item lies in the bucket named by the highest digit in which its instant
// differs from the last popped one and by the value of that digit; the bucket
// now holds that very instant. When now is empty, the next bucket in order is
// dealt out around its own minimum and each of its items moves to a lower
// level: a few moves in an item's life. Items of one instant are always
// together and are always appended in order, so equals leave first in, first
// out.
//
// A bucket that was dealt out gives its memory back to a pool by size, so that
// memory follows the number of pending items and a steady state allocates
// nothing. Of a large bucket all but the last part is in full parts of the
// largest size, so that no bucket is copied to grow beyond it.
type queue[E any] struct {
	last    Time // the instant last popped
	now     []item[E]
	head    int // consumed prefix of now
	size    int // items pending, dead timers included
	ahead   func(E)
	levels  uint16
	filled  [levels]uint16 // bit d: bucket d of the level holds items
	buckets [levels * digits][]item[E]
	full    [levels * digits][][]item[E] // the parts of a bucket before its last
	pool    [64][][]item[E]              // empty slices of capacity 2^i
}

const (
	digitBits = 4
	digits    = 1 << digitBits
	levels    = 64 / digitBits
	fewItems  = 64   // of a bucket whose items will all be handed out soon
	manyItems = 4096 // what so many events name does not fit into the nearest caches
	largest   = 4096 // maximum capacity of a part
	smallest  = 16   // minimum capacity of a bucket; one of this size is never given back
)

// item is an event with its instant and, when it can be cancelled, the timer that owns it.
type item[E any] struct {
	at    Time
	timer Timer
	event E
}

func (q *queue[E]) push(it item[E]) {
	q.size++
	*q.place(it.at) = it
}

// place makes room for an item at that instant.
func (q *queue[E]) place(at Time) *item[E] {
	to, index := &q.now, -1
	if differ := uint64(at ^ q.last); differ != 0 {
		level := uint(bits.Len64(differ)-1) / digitBits
		digit := uint(at) >> (level * digitBits % 64) % digits
		q.filled[level] |= 1 << digit
		q.levels |= 1 << level
		index = int(level*digits + digit)
		to = &q.buckets[index]
	}
	if len(*to) == cap(*to) {
		q.grow(to, index)
	}
	*to = (*to)[:len(*to)+1]
	return &(*to)[len(*to)-1]
}

// grow makes room in a full bucket: in now, whose index is negative, by moving up what is not
// consumed, when that is less than half, in a part of the largest size by beginning another, and
// else by doubling.
func (q *queue[E]) grow(bucket *[]item[E], index int) {
	switch {
	case index < 0 && q.head > len(q.now)/2:
		q.now = q.now[:copy(q.now, q.now[q.head:])]
		q.head = 0
	case index >= 0 && cap(*bucket) == largest:
		q.full[index] = append(q.full[index], *bucket)
		*bucket = q.take(largest)
	default:
		roomy := append(q.take(max(smallest, 2*cap(*bucket))), *bucket...)
		q.release(*bucket)
		*bucket = roomy
	}
}

// take gives out the memory for so many items.
func (q *queue[E]) take(room int) []item[E] {
	class := &q.pool[bits.TrailingZeros(uint(room))]
	if n := len(*class); n > 0 {
		part := (*class)[n-1]
		*class = (*class)[:n-1]
		return part
	}
	return make([]item[E], 0, room)
}

// release gives the memory of a part to the pool.
func (q *queue[E]) release(part []item[E]) {
	if c := cap(part); c > 0 {
		class := &q.pool[bits.TrailingZeros(uint(c))]
		*class = append(*class, part[:0])
	}
}

// pop removes the earliest item, which is valid until the next is placed. The queue must not be empty.
func (q *queue[E]) pop() *item[E] {
	if q.size--; q.head == len(q.now) {
		return q.advance()
	}
	q.head++
	return &q.now[q.head-1]
}

// advance pops the first of the next bucket in order, when now is empty.
func (q *queue[E]) advance() *item[E] {
	q.now, q.head = q.now[:0], 0
	level := bits.TrailingZeros16(q.levels)
	digit := bits.TrailingZeros16(q.filled[level])
	if q.filled[level] &^= 1 << digit; q.filled[level] == 0 {
		q.levels &^= 1 << level
	}
	index := level*digits + digit
	bucket, items := &q.buckets[index], q.buckets[index]
	if len(items) == 1 && len(q.full[index]) == 0 {
		q.last = items[0].at
		*bucket = items[:0]
		return &items[0]
	}
	q.deal(items, q.full[index])
	q.full[index] = q.full[index][:0]
	if *bucket = items[:0]; cap(items) > smallest {
		*bucket = nil
		q.release(items)
	}
	q.head = 1
	return &q.now[0]
}

// deal places the items of a bucket anew around their minimum, first those of its full parts.
// All of them go to lower levels, so the bucket is not written to while it is read.
func (q *queue[E]) deal(items []item[E], full [][]item[E]) {
	q.last = least(items)
	for _, part := range full {
		q.last = min(q.last, least(part))
	}
	if q.ahead != nil && len(full) == 0 && len(items) <= fewItems && q.size > manyItems {
		for i := range items {
			q.ahead(items[i].event)
		}
	}
	for _, part := range full {
		for i := range part {
			*q.place(part[i].at) = part[i]
		}
		q.release(part)
	}
	for i := range items {
		*q.place(items[i].at) = items[i]
	}
}

func least[E any](items []item[E]) Time {
	at := Never
	for i := range items {
		at = min(at, items[i].at)
	}
	return at
}

// earliest is the least instant of an item whose timer is not dead; Never without one.
// Unlike pop it deals nothing out.
func (q *queue[E]) earliest(dead func(Timer) bool) Time {
	at := Never
	look := func(items []item[E]) {
		for i := range items {
			if !dead(items[i].timer) {
				at = min(at, items[i].at)
			}
		}
	}
	look(q.now[q.head:])
	for i := 0; i < len(q.buckets) && at == Never; i++ {
		for _, part := range q.full[i] {
			look(part)
		}
		look(q.buckets[i])
	}
	return at
}

// drop removes every item whose timer is dead, keeping the order of the others.
func (q *queue[E]) drop(dead func(Timer) bool) {
	keep := func(items []item[E]) []item[E] {
		kept := items[:0]
		for _, it := range items {
			if !dead(it.timer) {
				kept = append(kept, it)
			}
		}
		q.size += len(kept)
		return kept
	}
	q.size = 0
	q.now = q.now[:copy(q.now, keep(q.now[q.head:]))]
	q.head = 0
	for i := range q.buckets {
		before := q.size
		for p, part := range q.full[i] {
			q.full[i][p] = keep(part)
		}
		if q.buckets[i] = keep(q.buckets[i]); q.size == before {
			level := i / digits
			if q.filled[level] &^= 1 << (i % digits); q.filled[level] == 0 {
				q.levels &^= 1 << level
			}
		}
	}
}
