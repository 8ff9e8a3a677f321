package engine

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"stampede/explore/replay"
	"stampede/fleet"
	"stampede/internal/format"
	"stampede/measure"
	"stampede/policy"
	"stampede/wire"
)

// ran is the answer to run.
type ran struct {
	Replication int                  `json:"replication"`
	Values      map[string]float64   `json:"values"` // a metric without a value is absent
	Shown       map[string]string    `json:"shown"`
	Estimates   map[string]estimated `json:"estimates"` // from two replications on
	Few         *few                 `json:"few"`       // null where nearly all calls are answered, or none
	Goals       []judged             `json:"goals"`
	Verdict     string               `json:"verdict"` // empty without goals
	End         float64              `json:"end"`     // seconds
	Until       float64              `json:"until"`   // until then the replay is of all calls
	Calls       int                  `json:"calls"`
	Attempts    int                  `json:"attempts"`
	Clipped     bool                 `json:"clipped"` // the replay is not all of it
	Events      uint64               `json:"events"`
	Limits      []limit              `json:"limits"`
	Slots       int                  `json:"slots"`
	Outcomes    []string             `json:"outcomes"`
	Classes     []string             `json:"classes"`
}

type estimated struct {
	Mean     float64  `json:"mean"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	N        int      `json:"n"`
	Text     string   `json:"text"`
	Interval string   `json:"interval"`
}

// few says that few calls are answered.
type few struct {
	Note    string   `json:"note"`
	Metrics []string `json:"metrics"` // those that cover only the calls that were answered
}

type judged struct {
	Goal    string `json:"goal"`
	Verdict string `json:"verdict"`
}

// limit is a replay.Limit under the name that tables give it.
type limit struct {
	Name   string  `json:"name"`
	Amount int64   `json:"amount"`
	Unit   string  `json:"unit"`
	Rate   float64 `json:"rate"`
	Window float64 `json:"window"`
	Offset float64 `json:"offset"`
}

// run runs a replication. Estimates and verdicts are over all replications that have run.
func (s *Session) run(a arguments) (any, map[string][]byte, error) {
	l, err := s.open(a.Document, a.Set)
	if err != nil {
		return nil, nil, err
	}
	r := measure.Replicator{}
	if a.Replay {
		s.recorder.Reset(&l.Model)
		r.Listen = func(int) fleet.Listener { return &s.recorder }
	}
	one, err := r.One(l.Scenario, l.warmup, a.Replication)
	if err != nil {
		return nil, nil, explain(err)
	}
	l.add(one)
	out := ran{
		Replication: a.Replication, Values: map[string]float64{}, Shown: map[string]string{},
		Estimates: map[string]estimated{}, Events: one.Summary.Events, End: one.Summary.End.Seconds(),
		Outcomes: policy.OutcomeWords.Table(), Classes: wire.ClassWords.Table(), Goals: []judged{}, Limits: []limit{},
	}
	answered := measure.EstimateOf(measure.Column(l.runs, measure.Index("success_ratio")), 0.95).Mean
	if measure.FewAnswered(answered) {
		out.Few = &few{Note: measure.SurvivorsOnly(answered)}
	}
	random := l.Model.Random()
	for i, m := range measure.Metrics() {
		if x := one.Values[i]; !math.IsNaN(x) && !math.IsInf(x, 0) {
			out.Values[m.Name], out.Shown[m.Name] = x, format.Number(x)
		}
		if out.Few != nil && measure.OfSurvivors(m.Name) {
			out.Few.Metrics = append(out.Few.Metrics, m.Name)
		}
		if len(l.runs) == 1 {
			continue // while a slider moves nothing else is asked for
		}
		e := m.Estimate(measure.Column(l.runs, i), random, 0.95)
		if e.N > 0 && !math.IsInf(e.Mean, 0) {
			out.Estimates[m.Name] = estimated{
				Mean: e.Mean, Low: format.Finite(e.Low), High: format.Finite(e.High), N: e.N,
				Text: format.Number(e.Mean), Interval: measure.Interval(e, random),
			}
		}
	}
	if results := l.aims.Judge(l.runs, random); len(results) > 0 {
		for _, g := range results {
			out.Goals = append(out.Goals, judged{g.Goal.String(), g.Verdict.String()})
		}
		out.Verdict = measure.Together(results).String()
	}
	if !a.Replay {
		return out, nil, nil
	}
	p := s.recorder.Replay()
	out.Calls, out.Attempts, out.Clipped, out.Slots = len(p.Calls), len(p.Attempts), p.Clipped, p.Slots
	if out.Until = out.End; p.Clipped {
		out.Until = p.Until
	}
	for i, name := range measure.LimitNames(&l.Model) {
		l := &p.Limits[i]
		out.Limits = append(out.Limits, limit{name, l.Amount, l.Unit, l.Rate, l.Window, l.Offset})
	}
	return out, s.arrays(p), nil
}

// add keeps the run of a replication, in order.
func (l *loaded) add(run measure.Run) {
	at := 0
	for at < len(l.runs) && l.runs[at].Replication < run.Replication {
		at++
	}
	if at < len(l.runs) && l.runs[at].Replication == run.Replication {
		return
	}
	l.runs = append(l.runs[:at], append([]measure.Run{run}, l.runs[at:]...)...)
}

// arrays writes a replay as arrays of float64, little-endian, in the memory of those before:
//
//	calls     arrived, ended, outcome, useful dollars, wasted dollars
//	attempts  call, sent, received, ended, class, limit
//	levels    time, limit, share left
func (s *Session) arrays(p *replay.Replay) map[string][]byte {
	calls, attempts := s.calls.of(5*len(p.Calls)), s.attempts.of(6*len(p.Attempts))
	levels := s.levels.of(3 * len(p.Levels))
	for i := range p.Calls {
		c := &p.Calls[i]
		calls.put(5*i, &[6]float64{c.Arrived, c.Ended, float64(c.Outcome), c.Useful, c.Waste}, 5)
	}
	for i := range p.Attempts {
		a := &p.Attempts[i]
		row := [6]float64{float64(a.Call), a.Sent, a.Received, a.Ended, float64(a.Class), float64(a.Limit)}
		attempts.put(6*i, &row, len(row))
	}
	for i := range p.Levels {
		l := &p.Levels[i]
		levels.put(3*i, &[6]float64{l.At, float64(l.Limit), l.Left}, 3)
	}
	return map[string][]byte{"calls": calls, "attempts": attempts, "levels": levels}
}

// floats are float64 in little-endian order.
type floats []byte

// of makes it so many.
func (f *floats) of(n int) floats {
	*f = slices.Grow((*f)[:0], 8*n)[:8*n]
	return *f
}

// put writes the first of some numbers.
func (f floats) put(at int, x *[6]float64, n int) {
	to := f[8*at:][:8*n]
	for i := range n {
		binary.LittleEndian.PutUint64(to[8*i:], math.Float64bits(x[i]))
	}
}

// csv writes the attempts of a replication as `stampede run --attempts` does.
func (s *Session) csv(a arguments) (any, map[string][]byte, error) {
	l, err := s.open(a.Document, a.Set)
	if err != nil {
		return nil, nil, err
	}
	var text bytes.Buffer
	rows := measure.CSV{Model: &l.Model, Attempts: &text}
	rows.WriteHeaders()
	r := measure.Replicator{Listen: rows.Of}
	if _, err := r.One(l.Scenario, l.warmup, a.Replication); err != nil {
		return nil, nil, explain(err)
	}
	return struct{}{}, map[string][]byte{"text": text.Bytes()}, rows.Err()
}
