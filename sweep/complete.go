package sweep

import (
	"errors"
	"math"
	"slices"

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
func (p *Plan) Wants(have Replications) []int { return have.lack(p.ending()) }

// ending is when a point of a sweep is done.
type ending struct {
	reps      int // at first
	precision Precision
	abort     measure.Abort // looks at nothing when no point ends early
	goals     []int         // the metrics that it looks at
}

func (p *Plan) ending() ending {
	return endingOf(p.Reps, p.Precision, p.Abort, p.Aims.Goals)
}

func (m *Manifest) ending() (ending, error) {
	aims, err := m.Aims()
	if m.Precision == nil {
		return endingOf(m.Replications, Precision{}, m.Abort, aims.Goals), err
	}
	return endingOf(m.Replications, *m.Precision, m.Abort, aims.Goals), err
}

func endingOf(reps int, p Precision, abort bool, goals []measure.Goal) ending {
	e := ending{reps: reps, precision: p}
	if !abort {
		return e
	}
	e.abort = measure.NewAbort(goals, max(reps, p.MaxReps))
	for _, g := range goals {
		e.goals = append(e.goals, g.Metric)
	}
	return e
}

// AbortRule is the rule by which points ended early; empty when none could.
func (m *Manifest) AbortRule() string {
	e, err := m.ending()
	if err != nil || !m.Abort {
		return ""
	}
	return e.abort.String()
}

// Replications is what is known of a point: the value of the precision's metric by replication, NaN where
// there is none. One that failed is there, too.
type Replications struct {
	values map[int]float64
	broken bool              // the point cannot be built: no replication can come
	random bool              // randomness affects it
	goals  map[int][]float64 // the values of the goals' metrics, where points can end early; none of one that failed
}

func (r Replications) lack(e ending) (missing []int) {
	if r.broken {
		return nil
	}
	p := e.precision
	values := make([]float64, 0, len(r.values))
	for wave := e.reps; ; wave = min(p.MaxReps, wave+max(1, wave/2)) {
		for len(values) < wave {
			for i, to := len(values), e.abort.Next(len(values), wave); i < to; i++ {
				v, ok := r.values[i]
				if !ok {
					missing = append(missing, i)
				}
				values = append(values, v)
			}
			if len(missing) > 0 || r.hopeless(e, len(values)) {
				return missing
			}
		}
		if p.reached(values, r.random) {
			return nil
		}
	}
}

// hopeless reports whether the first n replications show that a goal cannot be met. Those that failed say
// nothing, and a point that has any goes on.
func (r Replications) hopeless(e ending, n int) bool {
	if len(e.goals) == 0 {
		return false
	}
	_, is := e.abort.Hopeless(func(goal int) (values []float64) {
		for i := range n {
			v, ok := r.goals[i]
			if !ok {
				return nil
			}
			values = append(values, v[goal])
		}
		return values
	}, r.random)
	return is
}

// pointReader reads the rows of a results file point after point, so that memory does not grow with it. The
// rows must be in order.
type pointReader struct {
	rows *rowReader // of one metric, of whether randomness affects it, and of goals; nil at the end
	row  *Row       // read and not yet passed on

	goals []int // places of the goals' metrics in the values of a row
}

// openPoints reads a file of results, with what tells whether a point is done.
func openPoints(path string, axes []string, e ending) (*pointReader, error) {
	metrics := []int{measure.Index(e.precision.Metric), measure.Index("random")}
	var goals []int
	for _, m := range e.goals {
		if !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
		goals = append(goals, slices.Index(metrics, m))
	}
	rows, err := openRows(path, axes, metrics)
	return &pointReader{rows: rows, goals: goals}, err
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
	have := Replications{values: map[int]float64{}, goals: map[int][]float64{}}
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
				if len(r.goals) > 0 {
					have.goals[r.row.Replication] = valuesOf(r.row.Values, r.goals)
				}
			}
		}
		r.row = nil
	}
}

// valuesOf are the values at places.
func valuesOf(values []float64, places []int) (out []float64) {
	for _, at := range places {
		out = append(out, values[at])
	}
	return out
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
	end, err := m.ending()
	if err != nil {
		return lacks, err
	}
	rows, err := openPoints(path, m.AxisPaths(), end)
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
			if lacks.Replications += m.Replications; m.Search != nil {
				lacks.Replications += m.Search.lacks(i, Replications{}) - m.Replications
			}
			continue
		}
		have, err := rows.of(i)
		if err != nil {
			return lacks, err
		}
		missing := 0
		if m.Search != nil {
			missing = m.Search.lacks(i, have)
		} else {
			missing = len(have.lack(end))
		}
		if missing > 0 {
			lacks.Points++
			lacks.Replications += missing
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
