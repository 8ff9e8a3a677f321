package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/strict"
	"stampede/sim"
)

// Sweep is a parameter sweep: every combination of the values of its axes, or a sample of the
// space they span.
type Sweep struct {
	Axes   []Axis
	Points Count  // of a sample; 0 means the whole grid
	Sample Sample // how a sample is taken; default halton
}

// Sample is a way to spread points over a space.
type Sample string

// Words implements strict.Words.
func (Sample) Words() []string { return []string{"halton", "latin_hypercube"} }

// Axis is a path of the scenario with the values it takes: a list, or a range.
type Axis struct {
	Path   string
	Values []Value
	span   *numberRange // instead of Values, for a range that a sample draws from
}

// Value is one value of an axis as it is written.
type Value struct {
	Label string
	node  *strict.Node
}

// Range writes the range that a sample draws from, empty for a list.
func (a Axis) Range() string {
	if a.span == nil {
		return ""
	}
	scale := "lin"
	if a.span.log {
		scale = "log"
	}
	return fmt.Sprintf("%g%s..%g%s %s", a.span.low, a.span.unit, a.span.high, a.span.unit, scale)
}

// AsAbove is the value that leaves what the scenario says.
const AsAbove = "as_above"

// UnmarshalNode implements strict.Unmarshaler: each field but points and sample
// is a path with its values. Settings over a sweep replace or add axes.
func (s *Sweep) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	if n.Kind != strict.Mapping {
		return n.Fail(path, "found %v; want a mapping of paths to lists of values", n.Kind)
	}
	for i, key := range n.Keys {
		item, at := n.Items[i], strict.Join(path, key.Name)
		switch key.Name {
		case "points":
			if err := d.Decode(item, &s.Points); err != nil {
				return err
			}
			continue
		case "sample":
			if err := d.Decode(item, &s.Sample); err != nil {
				return err
			}
			continue
		}
		var axis Axis
		var err error
		switch item.Kind {
		case strict.Sequence:
			axis = Axis{Path: key.Name}
			for _, v := range item.Items {
				axis.Values = append(axis.Values, Value{v.Flow(), v})
			}
		case strict.Scalar:
			axis, err = ParseAxis(key.Name + "=" + item.Text)
		default:
			err = errors.New("want a list of values or a range such as 1..64 log 7")
		}
		if err == nil && len(axis.Values) == 0 && axis.span == nil {
			err = errors.New("want at least one value")
		}
		if err != nil {
			return item.Fail(at, "%v", err)
		}
		s.Add(axis)
	}
	return nil
}

// Add adds an axis, or puts it in the place of the one on the same path.
func (s *Sweep) Add(a Axis) {
	if i := slices.IndexFunc(s.Axes, func(b Axis) bool { return b.Path == a.Path }); i >= 0 {
		s.Axes[i] = a
		return
	}
	s.Axes = append(s.Axes, a)
}

// ParseAxis reads PATH=A,B,C or PATH=LOW..HIGH [lin|log] [N]. Commas inside
// brackets and braces belong to the value.
func ParseAxis(text string) (Axis, error) {
	path, list, found := strings.Cut(text, "=")
	path = strings.TrimSpace(path)
	if !found || path == "" || strings.TrimSpace(list) == "" {
		return Axis{}, fmt.Errorf("found %q; want PATH=A,B,C or PATH=LOW..HIGH [lin|log] [N]", text)
	}
	a := Axis{Path: path}
	if strings.Contains(list, "..") && !strings.Contains(list, ",") {
		r, err := parseRange(list)
		if err != nil {
			return a, err
		}
		if r.n == 0 && !r.whole {
			a.span = &r
			return a, nil
		}
		for _, label := range r.values() {
			a.Values = append(a.Values, scalarValue(label))
		}
		a.span = &r
		return a, nil
	}
	for _, part := range SplitTop(list) {
		node, err := strict.Parse([]byte(part), "--vary "+path)
		if err != nil {
			return a, err
		}
		a.Values = append(a.Values, Value{node.Flow(), node})
	}
	return a, nil
}

func scalarValue(label string) Value {
	return Value{label, &strict.Node{Kind: strict.Scalar, Text: label}}
}

// SplitTop splits at commas outside brackets, braces and quotes. A quote opens where a value
// begins; elsewhere it is a letter.
func SplitTop(s string) (parts []string) {
	depth, from := 0, 0
	begins, escaped := true, false
	var quote rune
	for i, r := range s {
		if quote != 0 {
			switch {
			case escaped:
				escaped = false
			case r == '\\' && quote == '"':
				escaped = true
			case r == quote:
				quote, begins = 0, true // a doubled single quote opens again
			}
			continue
		}
		switch r {
		case '"', '\'':
			if begins {
				quote = r
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
		begins = strings.ContainsRune("{[,:= ", r)
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

// Size is the number of points.
func (s *Sweep) Size() int {
	if s.Points > 0 {
		return int(s.Points)
	}
	n := 1
	for _, a := range s.Axes {
		n *= len(a.Values)
	}
	return n
}

// Check reports a sweep that makes no sense.
func (s *Sweep) Check() error {
	if len(s.Axes) == 0 {
		return errors.New("nothing to vary; name an axis with --vary PATH=A,B,C or in the scenario under sweep")
	}
	size := 1.0
	for _, a := range s.Axes {
		switch top, _, _ := strings.Cut(a.Path, "."); top {
		case "seed", "replications", "name", "description", "sweep":
			return fmt.Errorf(
				"%s: points are compared on the same seeds and with the replications of --reps; it cannot be an axis",
				a.Path)
		}
		if a.span != nil && len(a.Values) == 0 && s.Points == 0 {
			return fmt.Errorf(
				"%s: the range has no number of values; write it behind the range, or sample the space with --points N",
				a.Path,
			)
		}
		size *= float64(max(1, len(a.Values)))
	}
	if s.Points > 0 && len(s.Axes) > maxSampledAxes {
		return fmt.Errorf("found %d axes; a sample has at most %d", len(s.Axes), maxSampledAxes)
	}
	if s.Points > 1_000_000 || (s.Points == 0 && size > 1_000_000) {
		return fmt.Errorf("%.4g points; want at most 1,000,000", max(size, float64(s.Points)))
	}
	return nil
}

// Warnings names axes whose values look mistyped, numbers that neither rise nor fall throughout or a
// value that is listed twice, and says what one should know of presets of providers among them.
func (s *Sweep) Warnings() (out []string) {
	for _, a := range s.Axes {
		var numbers []float64
		labels := map[string]bool{}
		for _, v := range a.Values {
			if labels[v.Label] {
				out = append(out, fmt.Sprintf("the axis %s has the value %s twice", a.Path, v.Label))
			}
			labels[v.Label] = true
			if preset, err := FindPreset("provider", v.Label); err == nil && strings.Contains(a.Path, "provider") {
				out = append(out, presetNotes(preset, preset.Provider, strings.TrimSuffix(a.Path, ".preset"))...)
			}
			if x, ok := numberOf(v.Label); ok {
				numbers = append(numbers, x)
			}
		}
		down := slices.Clone(numbers)
		slices.Reverse(down)
		if !slices.IsSorted(numbers) && !slices.IsSorted(down) {
			out = append(
				out,
				fmt.Sprintf("the values of the axis %s neither rise nor fall throughout: %s; is one mistyped?", a.Path,
					suggestLabels(a)),
			)
		}
	}
	return out
}

func suggestLabels(a Axis) string {
	var labels []string
	for _, v := range a.Values {
		labels = append(labels, v.Label)
	}
	return strings.Join(labels, ", ")
}

// numberOf reads a label as a number in its base unit, for ordering and for
// numeric axes of figures.
func numberOf(label string) (float64, bool) {
	var span Span
	if _, err := strconv.ParseFloat(label, 64); err != nil && span.ParseText(label) == nil && label != "none" {
		return span.quantity(), true
	}
	number, unit, per := strings.Cut(label, "/")
	if percent, ok := strings.CutSuffix(number, "%"); ok && !per {
		if x, err := strconv.ParseFloat(percent, 64); err == nil {
			return x / 100, true
		}
	}
	x, err := amount(number)
	if err != nil {
		return 0, false
	}
	if per {
		period, err := parsePeriod(unit)
		if err != nil {
			return 0, false
		}
		x /= period.Seconds()
	}
	return x, true
}

// NumberOf reads the label of a value as a number in its base unit (seconds,
// per second, 1) and reports whether it is one.
func NumberOf(label string) (float64, bool) { return numberOf(label) }

// Point is the values of point i, one for each axis. In a grid the last axis
// moves fastest; a sample is a Halton sequence or a Latin hypercube, each shuffled
// by the seed.
func (s *Sweep) Point(i int, seed uint64) []Value {
	out := make([]Value, len(s.Axes))
	if s.Points == 0 {
		for k := len(s.Axes) - 1; k >= 0; k-- {
			n := len(s.Axes[k].Values)
			out[k] = s.Axes[k].Values[i%n]
			i /= n
		}
		return out
	}
	for k, a := range s.Axes {
		key := sim.NewKey(seed, 0).For(uint64(k))
		u := halton(i, primes[k], key)
		if s.Sample == "latin_hypercube" {
			u = (float64(shuffled(i, int(s.Points), key)) + key.Uniform(uint64(i), 1)) / float64(s.Points)
		}
		if a.span != nil {
			out[k] = scalarValue(a.span.sample(u))
		} else {
			out[k] = a.Values[min(int(u*float64(len(a.Values))), len(a.Values)-1)]
		}
	}
	return out
}

// maxSampledAxes is how many axes a sample can have.
const maxSampledAxes = 256

// primes are the bases of the axes of a Halton sequence: no two axes share one.
var primes = func() (out []int) {
	for n := 2; len(out) < maxSampledAxes; n++ {
		if !slices.ContainsFunc(out, func(p int) bool { return n%p == 0 }) {
			out = append(out, n)
		}
	}
	return out
}()

// halton is element i of the van der Corput sequence in the base with the digits of
// each place permuted at random. Without that, axes of large bases rise together: of
// the bases 109 and 113 the first hundred elements are i/109 and i/113. The zeros in
// front of i are digits like others, so the first base^m elements still fall one each
// into the base^m parts of equal length (Owen, "A randomized Halton algorithm in R",
// arXiv 1706.02808, 2017).
func halton(i, base int, key sim.Key) float64 {
	x, part := 0.0, 1.0
	for place := uint64(0); part > 1e-9; place++ {
		part /= float64(base)
		x += part * float64(shuffled(i%base, base, key.For(place)))
		i /= base
	}
	return x + part/2 // the middle of what further digits would choose from
}

// shuffled is the place of i in a permutation of 0..n-1 that the key gives: a
// Feistel network over the next power of four, walked until it falls within n,
// so that no table of n is held.
func shuffled(i, n int, key sim.Key) int {
	half := 1
	for 1<<(2*half) < n {
		half++
	}
	mask := uint64(1)<<half - 1
	x := uint64(i)
	for {
		left, right := x>>half, x&mask
		for round := range uint64(4) {
			left, right = right, left^(key.Bits(right, 1000+round)&mask)
		}
		if x = left<<half | right; x < uint64(n) {
			return int(x)
		}
	}
}

// Labels are values that are named only.
func Labels(names []string) (out []Value) {
	for _, name := range names {
		out = append(out, scalarValue(name))
	}
	return out
}
