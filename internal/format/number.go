package format

import (
	"fmt"
	"math"
	"strconv"
)

// Number writes a number with four significant digits, a whole number below ten
// million in full.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "n/a"
	case math.IsInf(x, 0):
		return "unbounded"
	case x == math.Trunc(x) && math.Abs(x) < 1e7:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if a := math.Abs(rounded); a >= 1e-4 && a < 1e7 {
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// Finite is a number for JSON, which has neither NaN nor infinities: nil stands for them.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Plural counts things by a noun that takes an s.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Thousands writes a whole number with commas between the thousands: 5,760.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	digits := s
	if n < 0 {
		digits = s[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n < 0 {
		return "-" + digits
	}
	return digits
}
