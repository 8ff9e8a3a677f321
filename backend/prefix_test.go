package backend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"stampede/sim"
)

// An entry is kept until the last instant of the uses that count, whatever the order in which they came, will count
// and are taken back: 1,000 uses in a random order, of which every third is taken back.
func TestUsesCountInTheOrderOfTheirTimes(t *testing.T) {
	lots := rand.New(rand.NewPCG(1, 1))
	var p prefix
	var left []use
	for i := range 1000 {
		u := use{
			counts: sim.Time(lots.IntN(500)),
			until:  sim.Time(1000 + lots.IntN(500)),
			tokens: lots.IntN(3),
		}
		p.coming.add(u)
		if left = append(left, u); i%3 == 2 {
			gone := lots.IntN(len(left))
			p.coming.remove(slices.Index(p.coming, left[gone]))
			left = slices.Delete(left, gone, gone+1)
		}
	}
	for now := range sim.Time(501) {
		p.advance(now)
		var want use
		for _, u := range left {
			if u.counts <= now && (u.until > want.until || u.until == want.until && u.tokens > want.tokens) {
				want = u
			}
		}
		if p.until != want.until || p.tokens != want.tokens {
			t.Fatalf("at %d: %d tokens until %d, want %d until %d", now, p.tokens, p.until, want.tokens, want.until)
		}
	}
	if len(p.coming) > 0 {
		t.Errorf("%d uses never counted", len(p.coming))
	}
}
