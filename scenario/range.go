package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// numberRange is a range of numbers with a common unit behind them.
type numberRange struct {
	low, high float64
	unit      string
	whole     bool // the ends are written as whole numbers, so all values are
	log       bool
	n         int // values; 0 when not said
}

func parseRange(text string) (r numberRange, err error) {
	m, ok := splitRange(text)
	if !ok {
		return r, fmt.Errorf("found the range %q; want LOW..HIGH [lin|log] [N], such as 1..64 log 7 or 10s..60s lin 6",
			strings.TrimSpace(text))
	}
	low, err1 := strconv.ParseFloat(m.low, 64)
	high, err2 := strconv.ParseFloat(m.high, 64)
	if err1 != nil || err2 != nil || low >= high {
		return r, fmt.Errorf("found the range %q; want the low end below the high end", strings.TrimSpace(text))
	}
	if m.lowUnit != "" && m.lowUnit != m.highUnit {
		return r, fmt.Errorf("found the range %q; want one unit at both ends", strings.TrimSpace(text))
	}
	r = numberRange{
		low: low, high: high, unit: m.highUnit, log: m.scale == "log", whole: !strings.Contains(m.low+m.high, "."),
	}
	if r.log && low <= 0 {
		return r, fmt.Errorf("found the range %q; a log range needs a low end above 0", strings.TrimSpace(text))
	}
	if m.n != "" {
		r.n, err = strconv.Atoi(m.n)
		if err != nil || r.n < 2 || r.n > 10_000 {
			return r, fmt.Errorf("found %s values in the range %q; want 2 to 10,000", m.n, strings.TrimSpace(text))
		}
	} else if r.whole && m.scale == "" && high-low > 1000 {
		return r, fmt.Errorf("found the range %q of %g values; write how many, as in %s..%s%s lin 10",
			strings.TrimSpace(text), high-low+1, m.low, m.high, m.highUnit)
	}
	return r, nil
}

// rangeText is the parts of a range as they are written. Where low or high has no unit it is empty, as are a scale
// and a number of values that are not said.
type rangeText struct{ low, lowUnit, high, highUnit, scale, n string }

// splitRange finds the parts of LOW[UNIT]..HIGH[UNIT] [lin|log] [N].
func splitRange(text string) (m rangeText, ok bool) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return m, false
	}
	low, high, found := strings.Cut(words[0], "..")
	m.low, m.lowUnit = splitUnit(low)
	m.high, m.highUnit = splitUnit(high)
	words = words[1:]
	if len(words) > 0 && (words[0] == "lin" || words[0] == "log") {
		m.scale, words = words[0], words[1:]
	}
	if len(words) > 0 && strings.Trim(words[0], digits) == "" {
		m.n, words = words[0], words[1:]
	}
	return m, found && m.low != "" && m.high != "" && !strings.HasPrefix(m.lowUnit, ".") && len(words) == 0
}

const digits = "0123456789"

// splitUnit parts a number, digits and points up to the last digit, from the unit behind it.
func splitUnit(text string) (number, unit string) {
	number = text[:len(text)-len(strings.TrimLeft(text, digits+"."))]
	number = strings.TrimRight(number, ".")
	return number, text[len(number):]
}

// at is the value at the part u of the range, 0 to 1.
func (r numberRange) at(u float64) string {
	return r.label(r.scaled(u))
}

// scaled is the number at the part u of the range, on its scale.
func (r numberRange) scaled(u float64) float64 {
	if r.log {
		return r.low * math.Pow(r.high/r.low, u)
	}
	return r.low + (r.high-r.low)*u
}

// label writes a number of the range with its unit.
func (r numberRange) label(x float64) string {
	if r.whole {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64) + r.unit
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64) + r.unit
}

// sample is the value at the part u of the range when u is drawn uniformly from 0 to 1.
// Each whole number stands for all that rounds to it, from low - 1/2 to high + 1/2, so
// that the ends have their full weight: the same for all on a linear scale, and
// log((k+1/2) / (k-1/2)), which is nearly 1/k, on a logarithmic one.
func (r numberRange) sample(u float64) string {
	if !r.whole {
		return r.at(u)
	}
	wide := r
	wide.low, wide.high = r.low-0.5, r.high+0.5
	return r.label(min(max(math.Round(wide.scaled(u)), r.low), r.high))
}

// values lists the values of the range without repeats.
func (r numberRange) values() (out []string) {
	n := r.n
	if n == 0 {
		n = int(r.high-r.low) + 1
		if r.log {
			n = 7
		}
	}
	for i := range n {
		v := r.at(float64(i) / float64(n-1))
		if len(out) == 0 || out[len(out)-1] != v {
			out = append(out, v)
		}
	}
	return out
}

// Rounded lists values that people type, for a range that names no number of values and for one on a log scale:
// 1, 2 and 5 times powers of ten between the ends on a log scale, else steps of such a size; the ends are among
// them. Of another axis it is the axis itself.
func (a Axis) Rounded() Axis {
	r := a.span
	if r == nil || !r.log && len(a.Values) > 0 {
		return a
	}
	numbers := []float64{r.low}
	if r.log {
		for power := math.Floor(math.Log10(r.low)); math.Pow(10, power) < r.high; power++ {
			for _, m := range [...]float64{1, 2, 5} {
				numbers = append(numbers, m*math.Pow(10, power))
			}
		}
	} else {
		step := roundStep((r.high - r.low) / roundedSteps)
		for k := math.Floor(r.low / step); k*step < r.high; k++ {
			numbers = append(numbers, k*step)
		}
	}
	out := Axis{Path: a.Path}
	last := math.Inf(-1)
	for _, x := range append(numbers, r.high) {
		if x < r.low || x > r.high || x == last || r.whole && x != math.Trunc(x) {
			continue
		}
		last = x
		out.Values = append(out.Values, scalarValue(r.label(x)))
	}
	return out
}

// roundedSteps is how many steps a rounded range has, about.
const roundedSteps = 8

// roundStep is the nearest of 1, 2, 5 times a power of ten that is not above a step.
func roundStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range [...]float64{5, 2} {
		if m*power <= step {
			return m * power
		}
	}
	return power
}
