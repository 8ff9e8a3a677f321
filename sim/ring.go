package sim

// Ring is a first-in, first-out queue that reuses its memory. The zero Ring is
// empty.
type Ring[T any] struct {
	items []T // length is a power of two
	head  int
	size  int
}

// Len is the number of items waiting.
func (r *Ring[T]) Len() int { return r.size }

// Push adds an item at the back.
func (r *Ring[T]) Push(item T) {
	if r.size == len(r.items) {
		grown := make([]T, max(8, 2*len(r.items)))
		n := copy(grown, r.items[r.head:])
		copy(grown[n:], r.items[:r.head])
		r.items, r.head = grown, 0
	}
	r.items[(r.head+r.size)&(len(r.items)-1)] = item
	r.size++
}

// Pop takes the item at the front and reports whether there was one.
func (r *Ring[T]) Pop() (item T, ok bool) {
	if r.size == 0 {
		return item, false
	}
	item = r.items[r.head]
	r.head = (r.head + 1) & (len(r.items) - 1)
	r.size--
	return item, true
}

// PopBack takes the item at the back and reports whether there was one.
func (r *Ring[T]) PopBack() (item T, ok bool) {
	if r.size == 0 {
		return item, false
	}
	r.size--
	return r.items[(r.head+r.size)&(len(r.items)-1)], true
}

// At is item i from the front, 0 <= i < Len. The pointer is valid until the next
// Push.
func (r *Ring[T]) At(i int) *T { return &r.items[(r.head+i)&(len(r.items)-1)] }
