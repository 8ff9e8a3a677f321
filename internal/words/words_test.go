package words

import (
	"slices"
	"testing"
)

type fruit uint8

// Each word reads back as its value; a value without a word cannot be written.
func TestTable(t *testing.T) {
	fruits := Table[fruit]{"", "apple", "pear"}
	for v := fruit(1); int(v) < len(fruits); v++ {
		if got, ok := fruits.Parse(fruits.Word(v)); got != v || !ok {
			t.Errorf("%q reads as %d, %v; want %d", fruits.Word(v), got, ok, v)
		}
	}
	for _, word := range []string{"", "Apple", "plum"} {
		if v, ok := fruits.Parse(word); ok || v != 0 {
			t.Errorf("%q reads as %d; want nothing", word, v)
		}
	}
	if got := fruits.Names(2); !slices.Equal(got, []string{"apple"}) {
		t.Errorf("without pear: %v", got)
	}
}
