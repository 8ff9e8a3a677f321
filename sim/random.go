package sim

// Key is a source of random numbers that has no state: a draw is a function of
// the key and of ids. Two policies run with one key meet the same arrivals,
// the same sizes and the same luck, whatever else they draw in between.
//
// The ids pass through the finaliser of SplitMix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014, with the
// constants of Stafford's variant 13), which is a bijection on 64 bits with
// full avalanche, after a multiplication that spreads neighbouring ids.
type Key uint64

// NewKey is the key of one replication of a seed.
func NewKey(seed uint64, replication int) Key {
	return Key(mix(mix(seed+golden) ^ (uint64(replication)+1)*golden))
}

// For is the key of one purpose. Different purposes give independent streams.
func (k Key) For(purpose uint64) Key { return Key(mix(uint64(k) ^ (purpose+1)*silver)) }

// Bits draws 64 uniform bits for the pair of ids.
func (k Key) Bits(a, b uint64) uint64 {
	return mix(mix(uint64(k)+a*golden) + b*silver)
}

// Uniform draws a number from the open interval (0, 1) for the pair of ids. It
// is a multiple of 2^-53, at least 2^-53 and at most 1-2^-53, so that logarithms
// and quantile functions need no guard.
func (k Key) Uniform(a, b uint64) float64 {
	return unit(k.Bits(a, b))
}

func unit(bits uint64) float64 { return (float64(bits>>12) + 0.5) * (1.0 / (1 << 52)) }

// Odd multipliers: 2^64 divided by the golden ratio, and by the plastic number.
const (
	golden = 0x9e3779b97f4a7c15
	silver = 0xc13fa9a902a6328f
)

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
