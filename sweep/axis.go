package sweep

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/nearest"
	"stampede/scenario"
)

// ShortNames shortens dotted paths to their last parts that still tell them
// apart: at least two with a name, so that the axis retry.attempts is not taken for the
// metric attempts beside it.
func ShortNames(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		parts := strings.Split(p, ".")
		out[i] = p
		named := 0
		for n := 1; n <= len(parts); n++ {
			if _, err := strconv.Atoi(parts[len(parts)-n]); err == nil {
				continue // an index says nothing without the name before it
			}
			if named++; named < 2 {
				continue
			}
			tail := strings.Join(parts[len(parts)-n:], ".")
			same := 0
			for _, q := range paths {
				if q == tail || strings.HasSuffix(q, "."+tail) {
					same++
				}
			}
			if out[i] = tail; same == 1 {
				break
			}
		}
	}
	return out
}

// FindAxis finds the axis that has the name, or, alone, ends in it.
func FindAxis(axes []string, name string) (int, error) {
	if i := slices.Index(axes, name); i >= 0 {
		return i, nil
	}
	var ends []string
	for _, axis := range axes {
		if strings.HasSuffix(axis, "."+name) {
			ends = append(ends, axis)
		}
	}
	switch len(ends) {
	case 0:
		return -1, fmt.Errorf("found the axis %q; %s", name, nearest.Unknown(name, axes))
	case 1:
		return slices.Index(axes, ends[0]), nil
	}
	return -1, fmt.Errorf("found the axis %q, the end of several; want one of %s", name, nearest.List(ends))
}

// FindPoint finds a point of the manifest's folder by its number, or
// by values as in "policy=own-the-loop,policy.gate.semaphore=8": the first point
// that has them all.
func (m *Manifest) FindPoint(dir, text string) (int, error) {
	if text == "" {
		return m.Base, nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n < 0 || n >= m.Points {
			return 0, fmt.Errorf("found point %d; the sweep has the points 0 to %d", n, m.Points-1)
		}
		return n, nil
	}
	axes := m.AxisPaths()
	if len(axes) == 0 {
		return 0, fmt.Errorf("found %q; the folder holds one scenario without axes, which is point 0", text)
	}
	want := make([]string, len(axes))
	for _, pair := range scenario.SplitTop(text) {
		name, value, found := strings.Cut(pair, "=")
		if !found { // a value of the first axis
			name, value = axes[0], pair
		}
		i, err := FindAxis(axes, name)
		if err != nil {
			return 0, err
		}
		want[i] = value
	}
	point := -1
	err := ReadRows(filepath.Join(dir, ResultsName), axes, nil, func(r *Row) error {
		for i, w := range want {
			if w != "" && r.Labels[i] != w {
				return nil
			}
		}
		point = r.Point
		return ErrEnough
	})
	if err != nil && !errors.Is(err, ErrEnough) {
		return 0, err
	}
	if point < 0 {
		return 0, fmt.Errorf("found %q; no point has these values", text)
	}
	return point, nil
}
