package cost

import (
	"fmt"
	"math/bits"
	"strconv"
	"time"
)

// Hourly is what capacity costs that is paid by the hour, whatever it serves: provisioned throughput
// or GPUs, in nano-dollars per hour.
type Hourly int64

// MaxPerHour is the highest such price, in US dollars: more is in the wrong unit.
const MaxPerHour = 10_000_000

// PerHour is a price of so many US dollars an hour.
func PerHour(dollars float64) Hourly { return Hourly(dollars*1e9 + 0.5) }

// Over is the price of a time, rounded down to a nano-dollar and held at MaxMoney.
func (h Hourly) Over(d time.Duration) Money {
	high, low := bits.Mul64(uint64(h), uint64(max(0, d)))
	if high >= uint64(time.Hour) {
		return MaxMoney
	}
	nano, _ := bits.Div64(high, low, uint64(time.Hour))
	return Money(min(nano, uint64(MaxMoney)))
}

// String writes dollars an hour.
func (h Hourly) String() string {
	return fmt.Sprintf("$%s per hour", strconv.FormatFloat(float64(h)/1e9, 'f', -1, 64))
}
