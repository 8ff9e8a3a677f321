package fleet

// arena holds values under small numbers that are given out again after use.
// Number 0 is never given out. Pointers stay valid until free, since blocks do
// not move.
type arena[T any] struct {
	blocks [][]T
	unused []uint32
	used   uint32
}

const (
	blockBits = 7
	blockSize = 1 << blockBits
)

// alloc gives out a zero value.
func (a *arena[T]) alloc() (uint32, *T) {
	if n := len(a.unused); n > 0 {
		id := a.unused[n-1]
		a.unused = a.unused[:n-1]
		return id, a.at(id)
	}
	a.used++
	if int(a.used>>blockBits) >= len(a.blocks) {
		a.blocks = append(a.blocks, make([]T, blockSize))
	}
	return a.used, a.at(a.used)
}

func (a *arena[T]) at(id uint32) *T { return &a.blocks[id>>blockBits][id&(blockSize-1)] }

// free takes a value back and clears it.
func (a *arena[T]) free(id uint32) {
	var zero T
	*a.at(id) = zero
	a.unused = append(a.unused, id)
}
