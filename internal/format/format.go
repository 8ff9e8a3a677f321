// Package format writes durations, periods, amounts and percentages for people.
package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration drops the zero units that time.Duration writes: 10m, not 10m0s.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Period names the time of a rate: min, of 500/min. A month has thirty days.
func Period(d time.Duration) string {
	switch d {
	case time.Second:
		return "s"
	case time.Minute:
		return "min"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	case 30 * 24 * time.Hour:
		return "month"
	}
	return Duration(d)
}

// PerTime writes a rate per second with four digits, by the first of second, minute and hour in which the largest
// of the rates beside it is at least 0.1: 2/min, not 0.03333/s.
func PerTime(perSecond, largest float64) string {
	switch {
	case largest == 0 || largest >= 0.1:
		return fmt.Sprintf("%.4g/s", perSecond)
	case 60*largest >= 0.1:
		return fmt.Sprintf("%.4g/min", 60*perSecond)
	}
	return fmt.Sprintf("%.4g/h", 3600*perSecond)
}

// Amount writes 200000 as 200k.
func Amount(n int64) string {
	switch {
	case n >= 1e6 && n%1e5 == 0:
		return fmt.Sprintf("%gM", float64(n)/1e6)
	case n >= 1e4 && n%100 == 0:
		return fmt.Sprintf("%gk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// Percent writes a share from 0 to 1 as a percentage with up to six significant
// digits and without an exponent: 0.0001%, not 9.999999999999999e-05%.
func Percent(share float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(100*share, 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64) + "%"
}
