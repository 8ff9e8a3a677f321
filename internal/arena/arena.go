// Package arena holds values under small numbers that are given out again after use. Virtual
// time makes and ends millions of short lives; their memory stays dense and is never collected.
package arena

import "math/bits"

// Arena is values of one type. Number 0 is never given out. Pointers stay valid until Free,
// since blocks do not move.
type Arena[T any] struct {
	blocks [][]T // the first two of the same size, each of the others as large as all before
	unused []uint32
	used   uint32
}

const (
	firstBits = 5 // in a small run the first block of each arena is most of its memory
	firstSize = 1 << firstBits
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
	if block(a.used) == len(a.blocks) {
		a.blocks = append(a.blocks, make([]T, max(firstSize, a.used)))
	}
	return a.used, a.At(a.used)
}

// At is the value under a number. Few blocks, found without a look into any of them, cost no
// line of memory but those of the value.
func (a *Arena[T]) At(id uint32) *T {
	block := a.blocks[block(id)]
	return &block[int(id)&(len(block)-1)]
}

// block is which one holds the value under a number: sizes are powers of two.
func block(id uint32) int { return bits.Len32(id >> firstBits) }

// Free takes a value back.
func (a *Arena[T]) Free(id uint32) { a.unused = append(a.unused, id) }

// Last is the largest number that was ever given out.
func (a *Arena[T]) Last() uint32 { return a.used }
