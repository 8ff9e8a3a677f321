package arena

import "testing"

// Numbers start at 1, come back after use, the last freed first, and pointers stay where they
// were while the arena grows over many blocks.
func TestArena(t *testing.T) {
	var a Arena[int]
	first, p := a.Alloc()
	if *p = 7; first != 1 {
		t.Fatalf("the first number is %d; want 1", first)
	}
	for range 3 * firstSize {
		a.Alloc()
	}
	if a.At(first) != p || *p != 7 {
		t.Error("a value moved while the arena grew")
	}
	if a.Last() != 3*firstSize+1 {
		t.Errorf("the largest number is %d; want %d", a.Last(), 3*firstSize+1)
	}
	a.Free(5)
	a.Free(first)
	for _, want := range []uint32{first, 5, 3*firstSize + 2} {
		if id, _ := a.Alloc(); id != want {
			t.Errorf("number %d was given out; want %d", id, want)
		}
	}
}
