package scenario

import (
	"errors"
	"slices"
	"time"

	"stampede/internal/strict"
	"stampede/internal/trace"
)

// Format is a known shape of a file of calls.
type Format string

// Words implements strict.Words.
func (Format) Words() []string { return trace.Formats() }

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

// BadRows is what becomes of rows that cannot be read.
type BadRows string

// Words implements strict.Words.
func (BadRows) Words() []string { return []string{"fail", "skip"} }

// TimeZone is the zone of times that have none.
type TimeZone string

// Moment is a date and time, or a time since the first call of a trace.
type Moment string

// ParseText implements strict.Texter.
func (m *Moment) ParseText(text string) error {
	var s Span
	if s.ParseText(text) != nil {
		if _, _, err := trace.Date(text); err != nil {
			return errMoment
		}
	}
	*m = Moment(text)
	return nil
}

func (m Moment) moment() (out trace.Moment) {
	if m == "" {
		return out
	}
	var s Span
	if s.ParseText(string(m)) == nil {
		return trace.Moment{Set: true, Since: time.Duration(s)}
	}
	out.Set = true
	out.At, out.Zoned, _ = trace.Date(string(m))
	return out
}

// Where is values of columns.
type Where []trace.Condition

// UnmarshalNode implements strict.Unmarshaler: a mapping of columns to a value or a list of values.
func (w *Where) UnmarshalNode(_ *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind != strict.Mapping {
		return n.Fail(path, "found %v; want a mapping of columns to values, such as {status: success}", n.Kind)
	}
	if !n.Reaches() {
		*w = nil
	}
	for i, key := range n.Keys {
		c := trace.Condition{Column: key.Name}
		switch item := n.Items[i]; item.Kind {
		case strict.Scalar:
			c.Values = []string{item.Text}
		case strict.Sequence:
			if len(item.Items) == 0 {
				return item.Fail(strict.Join(path, key.Name), "found an empty list; want a value or a list of values")
			}
			for _, one := range item.Items {
				if one.Kind != strict.Scalar {
					return one.Fail(strict.Join(path, key.Name), "found %v; want a value", one.Kind)
				}
				c.Values = append(c.Values, one.Text)
			}
		case strict.Null:
		default:
			return item.Fail(strict.Join(path, key.Name), "found %v; want a value or a list of values", item.Kind)
		}
		same := func(other trace.Condition) bool { return other.Column == c.Column }
		if *w = slices.DeleteFunc(slices.Clone(*w), same); c.Values != nil {
			*w = append(*w, c)
		}
	}
	return nil
}

// Mapping writes the conditions as they are read.
func (w Where) Mapping() (keys []string, values []any) {
	for _, c := range w {
		keys, values = append(keys, c.Column), append(values, c.Values)
	}
	return keys, values
}

var errMoment = errors.New(
	"want a date and time such as 2026-06-01T12:00:00Z, or a time since the first call such as 10m")
