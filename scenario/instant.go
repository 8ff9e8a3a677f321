package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"stampede/sim"
)

// TimeUnit is the unit of plain numbers that are instants.
type TimeUnit string

// Words implements strict.Words.
func (TimeUnit) Words() []string { return []string{"s", "ms", "us", "ns"} }

var unitOf = map[TimeUnit]time.Duration{
	"s":  time.Second,
	"ms": time.Millisecond,
	"us": time.Microsecond,
	"ns": time.Nanosecond,
}

// clock reads the instants of a column, all written like the first: dates with a time of day, or
// plain numbers of one unit.
type clock struct {
	layout string        // of dates
	unit   time.Duration // of plain numbers; 0 until it is known
	guess  string        // how the unit was found, when nobody said it
}

// newClock knows the unit that was said, or else the one that the column's name ends in.
func newClock(said TimeUnit, column string) clock {
	if said == "" {
		name := strings.ToLower(column)
		said = TimeUnit(name[strings.LastIndexByte(name, '_')+1:])
		if len(said) == len(name) {
			said = ""
		}
	}
	return clock{unit: unitOf[said]}
}

// layouts of instants; a fraction of a second is read after any of them.
var layouts = []string{time.DateTime, "2006-01-02 15:04:05Z07:00", time.RFC3339, "2006-01-02T15:04:05"}

// parse reads an instant in nanoseconds since any fixed one.
func (c *clock) parse(text string) (sim.Time, error) {
	text = strings.TrimSpace(text)
	if c.layout == "" {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return c.number(text, x)
		}
		if c.guess != "" {
			return 0, errLikeFirst
		}
	}
	for _, l := range layouts {
		if c.layout != "" && c.layout != l {
			continue
		}
		if t, err := time.Parse(l, text); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			c.layout = l
			return sim.Time(t.UnixNano()), nil
		}
	}
	if c.layout != "" {
		return 0, errLikeFirst
	}
	return 0, errors.New("want a date and time such as 2023-11-16 18:17:03.9799600, or seconds from 0")
}

var errLikeFirst = errors.New("want a time written like that of the first row")

// epochs are the ranges of numbers that can only be instants since 1970 in a unit, of the years 1973
// to 2096.
var epochs = []struct {
	low, high float64
	unit      time.Duration
	name      string
}{{1e11, 4e12, time.Millisecond, "milliseconds"}, {1e14, 4e15, time.Microsecond, "microseconds"}, {1e17, 4e18,
	time.Nanosecond, "nanoseconds"}}

// number reads a plain number. Its unit is guessed from the first one.
func (c *clock) number(text string, x float64) (sim.Time, error) {
	if !(x >= 0) {
		return 0, errors.New("want a time from 0")
	}
	if c.unit == 0 {
		c.unit, c.guess = time.Second, "seconds"
		for _, e := range epochs {
			if x >= e.low && x <= e.high {
				c.unit, c.guess = e.unit, e.name+" since 1970"
			}
		}
		if c.unit == time.Second && x >= 4e9 {
			return 0, errors.New("too large for seconds; say the unit with time_unit: ms, us or ns")
		}
	}
	const most = 1 << 62
	if x*float64(c.unit) >= most {
		return 0, fmt.Errorf("want less than %.0f", float64(most)/float64(c.unit))
	}
	// Exactly: a float64 of nanoseconds since 1970 is off by up to 128.
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	part, perr := strconv.ParseFloat("0."+fraction+"0", 64)
	if err != nil || perr != nil || strings.ContainsAny(fraction, "eE_") {
		return sim.Time(math.Round(x * float64(c.unit))), nil
	}
	return sim.Time(n)*c.unit + sim.Time(math.Round(part*float64(c.unit))), nil
}
