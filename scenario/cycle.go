package scenario

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"stampede/fleet"
	"stampede/sim"
)

// Level is how much traffic an hour or a day has: a number relative to the others, or a rate.
type Level struct {
	Size float64 // per second where it is a rate
	Rate bool
}

// ParseText implements strict.Texter.
func (l *Level) ParseText(text string) error {
	var rate PerTime
	if err := rate.ParseText(text); err == nil {
		*l = Level{float64(rate), true}
		return nil
	}
	x, err := amount(text)
	if err != nil || !(x >= 0 && x <= 1e15) {
		return errors.New("want a number from 0, such as 120, or a rate such as 2/s")
	}
	*l = Level{Size: x}
	return nil
}

func (l Level) String() string {
	if l.Rate {
		return PerTime(l.Size).String()
	}
	return strconv.FormatFloat(l.Size, 'g', -1, 64)
}

const hour, day = time.Hour, 24 * time.Hour

// cycle is the rate that repeats each day, or each week where days or the hours of a week differ.
func (b *builder) cycle(o *Open) (fleet.Rate, error) {
	const at = "workload.open."
	hours, days := o.ByHour, o.ByDay
	switch n := len(hours); {
	case len(o.Profile) > 0:
		return nil, b.errorf(at+"profile", "found changes of the rate and a rate by hour or day; want one of them")
	case n != 0 && n != 24 && n != 168:
		return nil, b.errorf(at+"by_hour", "found %d numbers; want 24, for the hours of a day, or 168, of a week", n)
	case len(days) != 0 && len(days) != 7:
		return nil, b.errorf(at+"by_day", "found %d numbers; want 7, for the days of a week", len(days))
	case n == 168 && len(days) > 0:
		return nil, b.errorf(at+"by_day", "found days beside the 168 hours of a week; want one of them")
	case slices.ContainsFunc(days, func(l Level) bool { return l.Rate }):
		return nil, b.errorf(at+"by_day", "found a rate; want numbers relative to each other, such as 1.2")
	}
	rates := slices.ContainsFunc(hours, func(l Level) bool { return l.Rate })
	switch {
	case rates && slices.ContainsFunc(hours, func(l Level) bool { return !l.Rate }):
		return nil, b.errorf(at+"by_hour", "found rates and plain numbers; want all of one sort")
	case rates && o.Rate > 0:
		return nil, b.errorf(at+"rate", "found %v beside the rates of the hours; want one of them", o.Rate)
	case !rates && o.Rate == 0:
		return nil, b.errorf(at+"rate", "found nothing; want the mean rate, such as 5/s, since hours and days are "+
			"relative to it")
	}
	if len(hours) == 0 {
		hours = slices.Repeat([]Level{{Size: 1}}, 24)
	}
	each := slices.Repeat(hours, max(1, len(days)))
	for i := range each {
		if len(days) > 0 {
			each[i].Size *= days[i/24].Size
		}
	}
	scale, over := float64(o.Rate)*float64(len(each)), total(each)
	if rates {
		scale, over = 1, 1
		if len(days) > 0 {
			scale, over = 7, total(days)
		}
	}
	c := fleet.Cycle{Period: time.Duration(len(each)) * hour, Start: time.Duration(b.startsAt)}
	for i, l := range each {
		rate := l.Size * scale / over
		if n := len(c.Of); n > 0 && c.Of[n-1].From == rate {
			continue
		}
		c.Of = append(c.Of, fleet.Piece{Start: sim.Time(i) * hour, From: rate, To: rate})
	}
	if sum := c.Of.Expected(c.Period); !(sum > 0) || sum > 1e300 {
		return nil, b.errorf(at+"by_hour", "found a rate that stays 0; want at least one number above 0")
	}
	return c, nil
}

func total(of []Level) (sum float64) {
	for _, l := range of {
		sum += l.Size
	}
	return sum
}
