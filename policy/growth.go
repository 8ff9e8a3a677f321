package policy

import (
	"fmt"
	"math"
	"strings"

	"stampede/internal/words"
)

// Growth is how the ceiling of a wait grows from retry to retry.
type Growth uint8

const (
	Exponential Growth = iota // by Factor; a Factor of 1 is a constant wait
	PowerLaw                  // with the Exponent-th power of the retries made
	Listed                    // as List says; its last holds for all later retries
)

// growths has a row for each: a new one is a constant, a row and its formula in the comment of
// [Backoff].
var growths = [...]growth{
	Exponential: {
		word: "exponential",
		wait: func(b *Backoff, i int) float64 { return float64(b.Base) * power(b.Factor, i) },
		text: func(b *Backoff) string {
			switch {
			case b.Jitter == Decorrelated: // the jitter makes it grow
				return fmt.Sprintf("decorrelated %v", b.Base)
			case b.Factor == 1:
				return fmt.Sprintf("constant %v", b.Base)
			}
			return fmt.Sprintf("exponential %v x%g", b.Base, b.Factor)
		},
	},
	PowerLaw: {
		word: "power",
		wait: func(b *Backoff, i int) float64 { return float64(b.Base) * math.Pow(float64(i), b.Exponent) },
		text: func(b *Backoff) string { return fmt.Sprintf("power %v i^%g", b.Base, b.Exponent) },
	},
	Listed: {
		word: "list",
		wait: func(b *Backoff, i int) float64 {
			if len(b.List) == 0 {
				return 0
			}
			return float64(b.List[min(i, len(b.List)-1)])
		},
		text: func(b *Backoff) string {
			var all []string
			for _, d := range b.List {
				all = append(all, d.String())
			}
			return "list " + strings.Join(all, ", ")
		},
	},
}

// growth is what is known of one.
type growth struct {
	word string
	wait func(b *Backoff, i int) float64 // before retry i, from 0, in nanoseconds
	text func(b *Backoff) string         // how the name of a backoff begins
}

// power is factor^i. Of 2, which most clients have, it is exact and so the very bits of math.Pow.
func power(factor float64, i int) float64 {
	if factor == 2 && 0 <= i && i < 63 {
		return float64(int64(1) << i)
	}
	return math.Pow(factor, float64(i))
}

// GrowthWords are the words of growths.
var GrowthWords = func() (all words.Table[Growth]) {
	for _, g := range growths {
		all = append(all, g.word)
	}
	return all
}()

// String is the word for a growth.
func (g Growth) String() string { return GrowthWords.Word(g) }

// constant reports whether the ceiling stays the same.
func (b *Backoff) constant() bool {
	return b.Growth == Exponential && b.Factor == 1 && b.Jitter != Decorrelated
}
