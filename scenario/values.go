package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"stampede/cost"
	"stampede/internal/format"
	"stampede/sim"
)

// Span is a length of time with its unit, such as 45s, 500ms or 2d. It is held at [sim.End].
type Span time.Duration

const spanAllowed = "want a time with its unit, such as 500ms, 45s, 10m, 24h or 2d"

// ParseText implements strict.Texter.
func (s *Span) ParseText(text string) error {
	if text == "0" {
		*s = 0
		return nil
	}
	if text == "" {
		return errors.New(spanAllowed)
	}
	days := time.Duration(0)
	rest := text
	if before, after, found := strings.Cut(text, "d"); found && !strings.ContainsAny(before, "hmsu") {
		n, err := strconv.ParseFloat(before, 64)
		if err != nil || !(n >= 0) {
			return errors.New(spanAllowed)
		}
		days, rest = sim.Seconds(n*24*3600), after
	}
	var d time.Duration
	if rest != "" {
		var err error
		if d, err = time.ParseDuration(rest); err != nil || (d < 0 && days > 0) {
			return errors.New(spanAllowed)
		}
	}
	if d < 0 {
		return errors.New("a time cannot be negative; " + spanAllowed)
	}
	*s = Span(sim.Plus(days, d))
	return nil
}

func (s Span) String() string { return shortDuration(time.Duration(s)) }

// shortDuration writes a span as people do: 10m, not 10m0s.
func shortDuration(d time.Duration) string { return format.Duration(d) }

// Seconds is the span in seconds.
func (s Span) Seconds() float64 { return time.Duration(s).Seconds() }

func (s Span) quantity() float64 { return time.Duration(s).Seconds() }

// Timer is a time after which something is cut off, or none.
type Timer time.Duration

// ParseText implements strict.Texter.
func (t *Timer) ParseText(text string) error {
	var s Span
	if text != "none" && text != "unlimited" {
		if err := s.ParseText(text); err != nil {
			return fmt.Errorf("%w, or none", err)
		}
		if s == 0 {
			return errors.New("want more than 0, or none")
		}
	}
	*t = Timer(s)
	return nil
}

func (t Timer) String() string {
	if t == 0 {
		return "none"
	}
	return shortDuration(time.Duration(t))
}

// TimeOfDay is a time of day in UTC, such as 08:30. It may be written with the offset of another zone, such
// as 00:00-08:00, midnight Pacific standard time.
type TimeOfDay time.Duration

// ParseText implements strict.Texter.
func (t *TimeOfDay) ParseText(text string) error {
	clock, err := time.Parse("15:04", text)
	if err != nil {
		if clock, err = time.Parse("15:04Z07:00", text); err != nil {
			return errors.New("want a time of day, such as 08:30, or with an offset from UTC, such as 00:00-08:00")
		}
		clock = clock.UTC()
	}
	*t = TimeOfDay(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
	return nil
}

func (t TimeOfDay) String() string {
	d := time.Duration(t)
	return fmt.Sprintf("%02d:%02d", d/time.Hour, d%time.Hour/time.Minute)
}

// Count is a whole number, such as 2000, 30k or 1.5M.
type Count int64

const countAllowed = "want a whole number, such as 2000, 30k or 1.5M"

// ParseText implements strict.Texter.
func (c *Count) ParseText(text string) error {
	n, err := amount(text)
	if err != nil || n != math.Trunc(n) || n < 0 || n > 1e15 {
		return errors.New(countAllowed)
	}
	*c = Count(n)
	return nil
}

func (c Count) String() string    { return strconv.FormatInt(int64(c), 10) }
func (c Count) quantity() float64 { return float64(c) }

// ParseAmount reads a number with an optional k, M or G, such as 1.5 or 30k.
func ParseAmount(text string) (float64, error) { return amount(text) }

// amount reads a number with an optional k, M or G.
func amount(text string) (float64, error) {
	scale := 1.0
	if n := len(text); n > 0 {
		switch text[n-1] {
		case 'k', 'K':
			scale = 1e3
		case 'M':
			scale = 1e6
		case 'G', 'B':
			scale = 1e9
		}
		if scale > 1 {
			text = text[:n-1]
		}
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, errors.New("not a number")
	}
	if whole := math.Round(x * scale); scale > 1 && math.Abs(x*scale-whole) < 1e-9*math.Abs(whole) {
		return whole, nil // 1.1k is 1100 although 1.1 is not a binary number
	}
	return x * scale, nil
}

// Number is a plain number from 0.
type Number float64

// ParseText implements strict.Texter.
func (n *Number) ParseText(text string) error {
	x, err := amount(text)
	if err != nil || x < 0 {
		return errors.New("want a number from 0, such as 60 or 2.5")
	}
	*n = Number(x)
	return nil
}

func (n Number) String() string    { return strconv.FormatFloat(float64(n), 'g', -1, 64) }
func (n Number) quantity() float64 { return float64(n) }

// Share is a part of a whole, written 0.05 or 5%.
type Share float64

// ParseText implements strict.Texter.
func (s *Share) ParseText(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return errors.New("want a share from 0 to 1, such as 0.05 or 5%")
	}
	*s = Share(x)
	return nil
}

// Exact implements strict's exact form: it reads back as the same share.
func (s Share) Exact() string {
	percent := shortest(100*float64(s), func(text string) bool {
		var back Share
		return back.ParseText(text+"%") == nil && back == s
	})
	if percent != "" {
		return percent + "%"
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64)
}

func (s Share) String() string { return strconv.FormatFloat(100*float64(s), 'g', 6, 64) + "%" }

// Bound is a whole number from 1; 0 is no bound, written none or unlimited.
type Bound int64

// ParseText implements strict.Texter.
func (b *Bound) ParseText(text string) error {
	var c Count
	if err := c.ParseText(text); err != nil || c < 1 {
		return errors.New("want a whole number from 1")
	}
	*b = Bound(c)
	return nil
}

func (b Bound) String() string {
	if b == 0 {
		return "unlimited"
	}
	return strconv.FormatInt(int64(b), 10)
}

// Places is how many may wait: a whole number from 1, 0 for none, and negative for any number.
type Places int64

const unlimitedPlaces Places = -1

// ParseText implements strict.Texter.
func (p *Places) ParseText(text string) error { return (*Bound)(p).ParseText(text) }

// SetUnlimited implements strict.Unlimiter.
func (p *Places) SetUnlimited() { *p = unlimitedPlaces }

func (p Places) String() string {
	switch {
	case p < 0:
		return "unlimited"
	case p == 0:
		return "none"
	}
	return strconv.FormatInt(int64(p), 10)
}

// Rate is an amount per period, such as 500/min, 200k/min, 8/s or $10/10m. Without
// a period it is a level, as of a limit on concurrency.
type Rate struct {
	Amount  int64         // of dollars, in billionths
	Period  time.Duration // 0 for a level
	Dollars bool
}

const rateAllowed = "want a whole amount per time, such as 500/min, 200k/min, 8/s, 10/10s or 1000/day; of dollars, " +
	"such as $10/10m"

// ParseText implements strict.Texter.
func (r *Rate) ParseText(text string) error {
	number, unit, per := strings.Cut(text, "/")
	if dollars, ok := strings.CutPrefix(number, "$"); ok {
		x, err := amount(strings.TrimSpace(dollars))
		if err != nil || !(x >= 1e-6 && x <= 1e9) {
			return errors.New(rateAllowed)
		}
		*r = Rate{Amount: int64(math.Round(x * 1e9)), Dollars: true}
	} else {
		var c Count
		if err := c.ParseText(strings.TrimSpace(number)); err != nil || c < 1 {
			return errors.New(rateAllowed)
		}
		*r = Rate{Amount: int64(c)}
	}
	if !per {
		return nil
	}
	period, err := parsePeriod(strings.TrimSpace(unit))
	r.Period = period
	return err
}

// Portion is an amount of what a limit counts, such as 30k, or of dollars, such as $5.
type Portion struct {
	Amount  int64 // of dollars, in billionths
	Dollars bool
}

// ParseText implements strict.Texter.
func (p *Portion) ParseText(text string) error {
	var r Rate
	if err := r.ParseText(text); err != nil && text != "0" || r.Period != 0 {
		return errors.New("want a whole number, such as 30k, or dollars, such as $5")
	}
	*p = Portion{r.Amount, r.Dollars}
	return nil
}

func (p Portion) String() string {
	if p.Amount == 0 {
		return "0"
	}
	return Rate{Amount: p.Amount, Dollars: p.Dollars}.String()
}

func parsePeriod(unit string) (time.Duration, error) {
	switch unit {
	case "s", "sec", "second":
		return time.Second, nil
	case "m", "min", "minute":
		return time.Minute, nil
	case "h", "hour":
		return time.Hour, nil
	case "d", "day":
		return 24 * time.Hour, nil
	case "month": // of thirty days
		return 30 * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(unit)
	if err != nil || d <= 0 {
		return 0, errors.New(rateAllowed)
	}
	return min(d, sim.End), nil
}

func (r Rate) String() string {
	s := fmt.Sprint(r.Amount)
	if r.Dollars {
		s = "$" + strconv.FormatFloat(float64(r.Amount)/1e9, 'f', -1, 64)
	}
	if r.Period == 0 {
		return s
	}
	return s + "/" + format.Period(r.Period)
}

// PerTime is a rate of arrivals, such as 2.5/s or 90/min.
type PerTime float64 // per second

// ParseText implements strict.Texter.
func (p *PerTime) ParseText(text string) error {
	number, unit, per := strings.Cut(text, "/")
	x, err := amount(strings.TrimSpace(number))
	if err != nil || x < 0 || !per {
		return errors.New("want a rate of arrivals, such as 2.5/s or 90/min")
	}
	period, err := parsePeriod(strings.TrimSpace(unit))
	if err != nil {
		return errors.New("want a rate of arrivals, such as 2.5/s or 90/min")
	}
	*p = PerTime(x / period.Seconds())
	return nil
}

// String writes the rate exactly, by the unit in which its number is shortest: 20/h, not
// 0.005555555555555556/s.
func (p PerTime) String() string {
	best, unit := strconv.FormatFloat(float64(p), 'g', -1, 64), "/s"
	for _, per := range []struct {
		name   string
		period time.Duration
	}{{"/min", time.Minute}, {"/h", time.Hour}, {"/day", 24 * time.Hour}} {
		number := shortest(float64(p)*per.period.Seconds(), func(text string) bool {
			var back PerTime
			return back.ParseText(text+per.name) == nil && back == p
		})
		if number != "" && len(number) < len(best) {
			best, unit = number, per.name
		}
	}
	return best + unit
}

// shortest writes a number that may have lost its last bit, as short as reads back exactly; empty
// when it does not.
func shortest(x float64, exact func(text string) bool) string {
	for _, digits := range []int{15, -1} {
		if text := strconv.FormatFloat(x, 'g', digits, 64); exact(text) {
			return text
		}
	}
	return ""
}

// Hourly is a price in US dollars an hour, such as 98 or $2.50.
type Hourly float64

// ParseText implements strict.Texter.
func (h *Hourly) ParseText(text string) error {
	x, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(x >= 0 && x <= cost.MaxPerHour) {
		return errors.New("want dollars per hour from 0 to 10 million, such as 98")
	}
	*h = Hourly(x)
	return nil
}

func (h Hourly) String() string { return strconv.FormatFloat(float64(h), 'g', -1, 64) }

// Dollars is a price in US dollars, such as 0.15 or $0.15.
type Dollars float64

// ParseText implements strict.Texter.
func (d *Dollars) ParseText(text string) error {
	x, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(x >= 0 && x <= cost.MaxPerMillion) {
		return errors.New("want dollars per million tokens from 0 to 10,000, such as 0.15")
	}
	*d = Dollars(x)
	return nil
}

func (d Dollars) String() string { return strconv.FormatFloat(float64(d), 'g', -1, 64) }
