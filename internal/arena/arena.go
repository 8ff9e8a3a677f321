// Package arena holds values under small numbers that are given out again after use. Virtual
// time makes and ends millions of short lives; their memory stays dense and is never collected.
package arena

// Arena is values of one type. Number 0 is never given out. Pointers stay valid until Free,
// since blocks do not move.
type Arena[T any] struct {
	blocks []*[blockSize]T
	unused []uint32
	used   uint32
}

const (
	blockBits = 5 // in a small run the first block of each arena is most of its memory
	blockSize = 1 << blockBits
)

// Alloc gives out a value with its number. It holds what was left in it: the caller sets all
// of it.
func (a *Arena[T]) Alloc() (uint32, *T) {
	if n := len(a.unused); n > 0 {
		id := a.unused[n-1]
		a.unused = a.unused[:n-1]
		return id, a.At(id)
	}
	a.used++
	if int(a.used>>blockBits) >= len(a.blocks) {
		a.blocks = append(a.blocks, new([blockSize]T))
	}
	return a.used, a.At(a.used)
}

// At is the value under a number.
func (a *Arena[T]) At(id uint32) *T { return &a.blocks[id>>blockBits][id%blockSize] }

// Free takes a value back.
func (a *Arena[T]) Free(id uint32) { a.unused = append(a.unused, id) }

// Last is the largest number that was ever given out.
func (a *Arena[T]) Last() uint32 { return a.used }
