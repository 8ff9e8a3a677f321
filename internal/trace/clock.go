package trace

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// unitOf are the units of plain numbers, by the ends of names of columns.
var unitOf = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "seconds": time.Second,
	"ms": time.Millisecond,
	"us": time.Microsecond,
	"ns": time.Nanosecond,
}

var unitWords = map[time.Duration]string{
	time.Second: "seconds", time.Millisecond: "milliseconds", time.Microsecond: "microseconds",
	time.Nanosecond: "nanoseconds",
}

// Date reads a date with a time of day; zoned says whether it has a zone.
func Date(text string) (at time.Time, zoned bool, err error) {
	c := clock{zone: time.UTC}
	for i := range layouts {
		if d, ok := c.date(&layouts[i], text); ok {
			return time.Unix(0, int64(d)).UTC(), c.zoned, nil
		}
	}
	return time.Time{}, false, errors.New("want a date and time such as 2026-06-01T12:00:00Z")
}

// Zone reads a time zone: a name such as Europe/Berlin, UTC, or an offset such as +02:00.
func Zone(text string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", text); err == nil {
		_, offset := t.Zone()
		return time.FixedZone(text, offset), nil
	}
	if zone, err := time.LoadLocation(text); err == nil && text != "" && text != "Local" {
		return zone, nil
	}
	return nil, errors.New("want a time zone such as Europe/Berlin, UTC or +02:00")
}

// clock reads the instants of a column: dates with a time of day, or plain numbers of one unit.
type clock struct {
	zone   *time.Location // of dates without one
	layout *layout        // of the last date
	unit   time.Duration  // of plain numbers; 0 until it is known
	guess  string         // how the unit was found, when nobody said it
	naive  bool           // dates without a zone were read
	zoned  bool           // dates with a zone were read
	plain  bool           // numbers were read
}

// newClock knows the unit that was said, or that of the format, or the one that the column's name ends in.
func newClock(o Options, p *plan) clock {
	c := clock{zone: o.Zone, unit: o.Unit}
	if c.zone == nil {
		c.zone = time.UTC
	}
	name := p.columns[p.of[Time]]
	if c.unit == 0 && o.Columns[Time] == "" {
		c.unit = p.format.unit
	}
	if c.unit == 0 {
		if i := strings.LastIndexByte(name, '_'); i >= 0 {
			c.unit = unitOf[strings.ToLower(name[i+1:])]
		}
	}
	return c
}

// words name the unit.
func (c *clock) words() string {
	if c.layout != nil {
		return "dates"
	}
	return unitWords[c.unit]
}

// layout is a way to write an instant; a fraction of a second is read after any second.
type layout struct {
	text  string
	naive bool
}

// The portal of Azure writes months first; nginx's access log is the one with slashes and a colon.
var layouts = []layout{
	{time.DateTime, true},
	{"2006-01-02 15:04:05Z07:00", false},
	{time.RFC3339, false},
	{"2006-01-02T15:04:05", true},
	{"2006-01-02 15:04:05Z0700", false},
	{"2006-01-02 15:04:05Z07", false},
	{"2006-01-02T15:04:05Z0700", false},
	{"2006-01-02T15:04:05Z07", false},
	{"2006-01-02 15:04:05 Z07:00", false},
	{"2006-01-02 15:04:05 Z0700", false},
	{"2006-01-02 15:04:05 UTC", false},
	{"2006-01-02 15:04:05 -0700 UTC", false},
	{"1/2/2006, 3:04:05 PM", true},
	{"1/2/2006 3:04:05 PM", true},
	{"02/Jan/2006:15:04:05 -0700", false},
	{"2006/01/02 15:04:05", true},
}

// parse reads an instant in nanoseconds since any fixed one.
func (c *clock) parse(text string) (time.Duration, error) {
	if c.layout != nil {
		if at, ok := c.date(c.layout, text); ok {
			return at, nil
		}
	}
	text = strings.TrimSpace(text)
	if c.layout == nil {
		if at, ok := c.whole(text); ok {
			return at, nil
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return c.number(text, x)
		}
		if c.plain {
			return 0, errLikeFirst
		}
	}
	for i := range layouts {
		if at, ok := c.date(&layouts[i], text); ok {
			c.layout = &layouts[i]
			return at, nil
		}
	}
	if c.layout != nil {
		return 0, errLikeFirst
	}
	return 0, errors.New("want a date and time such as 2023-11-16 18:17:03.9799600, or seconds from 0")
}

var errLikeFirst = errors.New("want a time written like that of the first row")

func (c *clock) date(l *layout, text string) (time.Duration, bool) {
	t, err := time.ParseInLocation(l.text, text, c.zone)
	if err != nil || t.Year() < 1970 || t.Year() >= 2200 {
		return 0, false
	}
	if l.naive {
		c.naive = true
	} else {
		c.zoned = true
	}
	return time.Duration(t.UnixNano()), true
}

// whole reads a number of digits alone, when the unit is known.
func (c *clock) whole(text string) (time.Duration, bool) {
	if c.unit == 0 || len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	n := int64(0)
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = 10*n + int64(d)
	}
	c.plain = true
	return time.Duration(n) * c.unit, n < mostTime/int64(c.unit)
}

// mostTime is the end of time, in nanoseconds.
const mostTime = 1 << 62

// epochs are the ranges of numbers that can only be instants since 1970 in a unit, of the years 1973
// to 2096.
var epochs = []struct {
	low, high float64
	unit      time.Duration
}{{1e11, 4e12, time.Millisecond}, {1e14, 4e15, time.Microsecond}, {1e17, 4e18, time.Nanosecond}}

// number reads a plain number. Its unit is guessed from the first one.
func (c *clock) number(text string, x float64) (time.Duration, error) {
	if !(x >= 0) {
		return 0, errors.New("want a time from 0")
	}
	c.plain = true
	if c.unit == 0 {
		c.unit, c.guess = time.Second, "seconds"
		for _, e := range epochs {
			if x >= e.low && x <= e.high {
				c.unit, c.guess = e.unit, unitWords[e.unit]+" since 1970"
			}
		}
		if c.unit == time.Second && x >= 4e9 {
			c.unit = 0
			return 0, errors.New("too large for seconds; say the unit with time_unit: ms, us or ns")
		}
	}
	if x*float64(c.unit) >= mostTime {
		return 0, fmt.Errorf("want less than %.0f", float64(mostTime)/float64(c.unit))
	}
	// Exactly: a float64 of nanoseconds since 1970 is off by up to 128.
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	part, perr := strconv.ParseFloat("0."+fraction+"0", 64)
	if err != nil || perr != nil || strings.ContainsAny(fraction, "eE_") {
		return time.Duration(math.Round(x * float64(c.unit))), nil
	}
	return time.Duration(n)*c.unit + time.Duration(math.Round(part*float64(c.unit))), nil
}
