package recommend

import (
	"encoding/binary"
	"iter"
	"slices"
)

// Size is the number of points of the space.
func (q *Question) Size() float64 {
	n := 1.0
	for _, a := range q.Axes {
		n *= float64(len(a.Values))
	}
	return n
}

// grid goes through all points; the last axis moves fastest.
func (q *Question) grid() iter.Seq[Point] {
	return func(yield func(Point) bool) {
		p := make(Point, len(q.Axes))
		for {
			if !yield(slices.Clone(p)) {
				return
			}
			k := len(p) - 1
			for ; k >= 0; k-- {
				if p[k]++; p[k] < len(q.Axes[k].Values) {
					break
				}
				p[k] = 0
			}
			if k < 0 {
				return
			}
		}
	}
}

// neighbours are the points that differ in one setting: one step up or down on an ordered axis, any
// other value on another.
func (q *Question) neighbours(p Point) (out []Point) {
	for k, a := range q.Axes {
		for v := range a.Values {
			if v != p[k] && (!a.Ordered || v == p[k]-1 || v == p[k]+1) {
				out = append(out, p.with(k, v))
			}
		}
	}
	return out
}

// with is the point with another value on an axis.
func (p Point) with(axis, value int) Point {
	out := slices.Clone(p)
	out[axis] = value
	return out
}

// Differences is in how many settings two points differ.
func (p Point) Differences(other Point) (n int) {
	for k := range p {
		if p[k] != other[k] {
			n++
		}
	}
	return n
}

// simpler orders points that are as good: by how many settings differ from the start, then by what
// the question says, then by their place in the grid.
func (q *Question) simpler(a, b Point) bool {
	if n, m := a.Differences(q.Start), b.Differences(q.Start); n != m {
		return n < m
	}
	if q.Less != nil {
		if less, more := q.Less(a, b), q.Less(b, a); less != more {
			return less
		}
	}
	return slices.Compare(a, b) < 0
}

// key is the point as a key of a map.
func (p Point) key() string {
	var out []byte
	for _, v := range p {
		out = binary.AppendUvarint(out, uint64(v))
	}
	return string(out)
}
