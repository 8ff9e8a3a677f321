package sweep

import (
	"errors"
	"math"

	"stampede/measure"
)

// Precision asks for further replications of a point until the relative
// half-width of the 95 % interval of a metric is small enough.
type Precision struct {
	Metric  string  `json:"metric"`
	Rel     float64 `json:"relative_half_width"`
	MaxReps int     `json:"max_replications"`
}

// PrecisionReps is how many replications a sweep for a precision should begin with: intervals
// from fewer assume normality, and may be narrow by chance.
const PrecisionReps = 10

// reached reports whether the values of a point's first replications need no more.
func (p Precision) reached(values []float64, random bool) bool {
	if p.Metric == "" || len(values) >= p.MaxReps {
		return true
	}
	e := measure.Metrics()[measure.Index(p.Metric)].Estimate(values, random, 0.95)
	return e.N == 0 || p.Known(e)
}

// Known reports whether a mean is known well enough. That all replications have the same value by
// chance is no certainty. Where the value is 0, nothing is known relative to it; else a part
// e.Unseen of the replications may lie one event away, or as far as the value is large.
func (p Precision) Known(e measure.Estimate) bool {
	half := e.Half()
	switch {
	case e.N < 2:
		return false
	case e.Unseen > 0 && e.Mean == 0:
		return false
	case e.Unseen > 0 && measure.Metrics()[measure.Index(p.Metric)].Kind() == measure.Count:
		half = e.Unseen
	case e.Unseen > 0:
		half = e.Unseen * math.Abs(e.Mean)
	}
	return half <= p.Rel*math.Abs(e.Mean)
}

// Wants lists the replications that a point of the plan lacks, in order; none when it is done. It is the
// one rule by which a sweep ends, goes on, is merged and is called incomplete. The decision to go on rests on
// the first replications of the point alone, so it does not depend on the order in which they finish.
func (p *Plan) Wants(have Replications) []int { return have.lack(p.Reps, p.Precision) }

func (m *Manifest) wants(have Replications) []int {
	if m.Precision == nil {
		return have.lack(m.Replications, Precision{})
	}
	return have.lack(m.Replications, *m.Precision)
}

// Replications is what is known of a point: the value of the precision's metric by replication, NaN where
// there is none. One that failed is there, too.
type Replications struct {
	values map[int]float64
	broken bool // the point cannot be built: no replication can come
	random bool // randomness affects it
}

func (r Replications) lack(reps int, p Precision) (missing []int) {
	if r.broken {
		return nil
	}
	values := make([]float64, 0, len(r.values))
	for wave := reps; ; wave = min(p.MaxReps, wave+max(1, wave/2)) {
		for i := len(values); i < wave; i++ {
			v, ok := r.values[i]
			if !ok {
				missing = append(missing, i)
			}
			values = append(values, v)
		}
		if len(missing) > 0 || p.reached(values, r.random) {
			return missing
		}
	}
}

// pointReader reads the rows of a results file point after point, so that memory does not grow with it. The
// rows must be in order.
type pointReader struct {
	rows *rowReader // of one metric, and of whether randomness affects it; nil at the end
	row  *Row       // read and not yet passed on
}

// openPoints reads a file of results; the values are those of the metric, if any.
func openPoints(path string, axes []string, metric string) (*pointReader, error) {
	rows, err := openRows(path, axes, []int{measure.Index(metric), measure.Index("random")})
	return &pointReader{rows: rows}, err
}

// next is the number of the next point that has rows; ok is false at the end.
func (r *pointReader) next() (point int, ok bool, err error) {
	if r.row == nil && r.rows != nil {
		if r.row, err = r.rows.next(); r.row == nil {
			return 0, false, errors.Join(err, r.close())
		}
	}
	if r.row == nil {
		return 0, false, nil
	}
	return r.row.Point, true, nil
}

// of is what is known of a point. The points must be asked for in order; rows of those that are not asked for
// are passed over.
func (r *pointReader) of(point int) (Replications, error) {
	have := Replications{values: map[int]float64{}}
	for {
		at, ok, err := r.next()
		if err != nil || !ok || at > point {
			return have, err
		}
		if at == point {
			switch {
			case r.row.Replication < 0:
				have.broken = true
			case r.row.Values == nil:
				have.values[r.row.Replication] = math.NaN()
			default:
				have.values[r.row.Replication] = r.row.Values[0]
				have.random = have.random || r.row.Values[1] == 1
			}
		}
		r.row = nil
	}
}

func (r *pointReader) close() error {
	if r.rows == nil {
		return nil
	}
	err := r.rows.file.Close()
	r.rows = nil
	return err
}

// Shortfall is what a folder lacks.
type Shortfall struct{ Points, Replications int }

// Lacks compares rows, which are in order, with what the manifest wants. Rows of points that it does not have
// are an error.
func (m *Manifest) Lacks(path string) (lacks Shortfall, err error) {
	metric := ""
	if m.Precision != nil {
		metric = m.Precision.Metric
	}
	rows, err := openPoints(path, m.AxisPaths(), metric)
	if err != nil {
		return lacks, err
	}
	defer func() { err = errors.Join(err, rows.close()) }()
	for i := range m.Points {
		if m.Shard != nil && !m.Shard.has(i) {
			continue
		}
		at, ok, err := rows.next()
		if err != nil {
			return lacks, err
		}
		if ok && at < i {
			return lacks, m.stranger(path, at)
		}
		if !ok || at > i { // no row
			lacks.Points++
			lacks.Replications += m.Replications
			continue
		}
		have, err := rows.of(i)
		if err != nil {
			return lacks, err
		}
		if missing := m.wants(have); len(missing) > 0 {
			lacks.Points++
			lacks.Replications += len(missing)
		}
	}
	at, ok, err := rows.next()
	if err == nil && ok {
		err = m.stranger(path, at)
	}
	return lacks, err
}

// stranger is the error of a row of a point that the manifest does not have.
func (m *Manifest) stranger(path string, point int) error {
	if m.Shard != nil {
		return FolderErrorf("%s holds point %d, which is not of part %d of %d", path, point, m.Shard.Index, m.Shard.Of)
	}
	return FolderErrorf("%s holds point %d; its manifest has the points 0 to %d", path, point, m.Points-1)
}

// AxisPaths names the axes in order.
func (m *Manifest) AxisPaths() (names []string) {
	for _, a := range m.Axes {
		names = append(names, a.Path)
	}
	return names
}
