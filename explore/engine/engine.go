// Package engine answers what the explorer's page asks of the simulator, as plain values and as arrays of numbers.
//
// A [Session] is one policy of the page: it holds a scenario, a document with settings over it, and the
// replications of it that have run. It knows nothing of JavaScript; package wasm carries its calls there and
// back. It computes no metric of its own: all numbers are those of package measure, as `stampede run` prints them.
//
//	load    reads a scenario and says what is in it
//	run     runs one replication; with a replay of it, as arrays
//	curve   runs one replication for each value of a field
//	export  writes the scenario as a document that gives the same numbers
//	csv     writes the attempts of a replication
//	animate draws the replications of several policies as a GIF
package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"stampede/explore/replay"
	"stampede/internal/nearest"
	"stampede/internal/strict"
	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
)

// MaxEvents is how many events a run of the page may take, some seconds in a browser.
const MaxEvents = 2_000_000

// maxReplication is the largest number of a replication.
const maxReplication = 1000

// Session answers calls, one at a time. The zero value is ready.
type Session struct {
	document string
	template *scenario.Template // of the document
	set      []string
	loaded   *loaded // with the settings over it
	recorder replay.Recorder

	calls, attempts, levels floats // of the last replay
}

// loaded is a scenario with the replications that have run.
type loaded struct {
	*scenario.Scenario
	aims   measure.Aims
	warmup sim.Time
	runs   []measure.Run // by replication
}

// Answer is the answer to a call. Its buffers are valid until the next call.
type Answer struct {
	Value   any               // a plain value: see plain
	Buffers map[string][]byte // arrays of float64, little-endian, or text, by name
}

// Refusal is why a call was refused.
type Refusal struct {
	Text     string    `json:"text"`
	Mistakes []Mistake `json:"mistakes,omitempty"`
}

// Mistake is one mistake in a scenario. Line and Column, from 1, are places in the document; 0 where the mistake
// is in a setting.
type Mistake struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Path   string `json:"path"`
	Text   string `json:"text"`
}

// arguments are those of all calls.
type arguments struct {
	Document    string   `json:"document"`
	Set         []string `json:"set"`
	Name        string   `json:"name"` // of the file that an export becomes
	Replication int      `json:"replication"`
	Replay      bool     `json:"replay"`
	Path        string   `json:"path"` // of a curve
	Values      []string `json:"values"`
	Metric      string   `json:"metric"`
	Closed      string   `json:"closed"`

	// Of an animation:
	Title    string  `json:"title"`
	Policies []shown `json:"policies"`
	Width    int     `json:"width"`
	FPS      int     `json:"fps"`
	Seconds  float64 `json:"seconds"`
	Speed    float64 `json:"speed"` // without seconds: virtual seconds in a second of playing
	Dark     bool    `json:"dark"`
}

// calls are by name.
var calls = map[string]func(*Session, arguments) (any, map[string][]byte, error){
	"load":    (*Session).load,
	"run":     (*Session).run,
	"curve":   (*Session).curve,
	"export":  (*Session).export,
	"csv":     (*Session).csv,
	"animate": (*Session).animate,
}

// Answer answers a call; its arguments are a plain value. Where it is refused the answer is a [Refusal]. A panic of
// the simulator is the caller's to handle: the session is of no use after it.
func (s *Session) Answer(op string, args any) (answer Answer, ok bool) {
	result, buffers, err := func() (any, map[string][]byte, error) {
		call, known := calls[op]
		if !known {
			var names []string
			for name := range calls {
				names = append(names, name)
			}
			slices.Sort(names)
			return nil, nil, fmt.Errorf("no call %q; %s", op, nearest.Unknown(op, names))
		}
		var a arguments
		if err := fill(reflect.ValueOf(&a).Elem(), args, op); err != nil {
			return nil, nil, err
		}
		if a.Replication < 0 || a.Replication > maxReplication {
			return nil, nil, fmt.Errorf("replication: found %d; want 0 to %d", a.Replication, maxReplication)
		}
		return call(s, a)
	}()
	if err != nil {
		result, buffers = refusal(err), nil
	}
	return Answer{plain(reflect.ValueOf(result)), buffers}, err == nil
}

// refusal lists the mistakes of an error.
func refusal(err error) Refusal {
	r := Refusal{Text: err.Error()}
	var all strict.Errors
	all.Add(err)
	for _, err := range all {
		var e *strict.Error
		if !errors.As(err, &e) {
			continue
		}
		m := Mistake{Path: e.Path, Text: e.Error()}
		file, line, column := e.Place()
		if file == documentName {
			m.Line, m.Column = line, column
		}
		r.Mistakes = append(r.Mistakes, m)
	}
	return r
}

// documentName is what errors call the document.
const documentName = "scenario"

// open reads a document with settings over it, or returns the one at hand when that is the same.
func (s *Session) open(document string, set []string) (*loaded, error) {
	if s.template == nil || s.document != document {
		o := scenario.Options{Day: time.Now().UTC().Format(time.DateOnly)}
		t, err := scenario.NewTemplate([]byte(document), documentName, o)
		if err != nil {
			return nil, err
		}
		s.document, s.template, s.loaded = document, t, nil
	}
	if s.loaded != nil && slices.Equal(s.set, set) {
		return s.loaded, nil
	}
	t, err := s.template.Over(set...)
	if err != nil {
		return nil, err
	}
	l := &loaded{Scenario: t.Base}
	if l.aims, err = measure.AimsOf(t.Base, measure.AimFlags{}); err != nil {
		return nil, err
	}
	if l.EventBudget == 0 || int(l.EventBudget) > MaxEvents {
		l.Model.Budget = MaxEvents
	}
	if l.warmup, err = measure.WarmupOf(context.Background(), l.Scenario); err != nil {
		return nil, explain(err)
	}
	s.set, s.loaded = slices.Clone(set), l
	return l, nil
}

// explain says where a run that is too long for the page can be run.
func explain(err error) error {
	var spent *sim.BudgetError
	if errors.As(err, &spent) {
		return fmt.Errorf("more than %d events in one run: too many for the page; use the command line", MaxEvents)
	}
	return err
}
