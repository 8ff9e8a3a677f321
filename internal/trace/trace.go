// Package trace reads recorded calls from the files that people have: tables (CSV, TSV, with
// semicolons), JSON and JSON lines, compressed or not, in UTF-8 or UTF-16, in the shapes of known
// traces, logs and benchmarks.
//
// Reading takes four steps, a file each:
//
//	source.go   bytes of a file         -> text in UTF-8
//	table.go    text of a table         -> rows of cells, one for each wanted column
//	json.go     text of JSON            -> the same, by walker.go
//	reader.go   rows                    -> calls, put in order by order.go
//
// Which columns are wanted is found before, from names that the caller gives, from a known shape
// (formats.go) or from the usual names (names.go).
package trace

import (
	"errors"
	"fmt"
	"time"
)

// Field is what a column of a trace can be.
type Field int

// Fields of a call.
const (
	Time Field = iota // of the arrival
	Prompt
	Output
	MaxTokens
	Cached    // tokens of the prompt that were read from a cache
	Reasoning // tokens of the output
	Model
	Key
	Session
	Priority
	Status
	Fields // how many there are
)

var fieldWords = [Fields]string{"time", "prompt_tokens", "output_tokens", "max_tokens", "cached", "reasoning",
	"model", "key", "session", "priority", "status"}

func (f Field) String() string { return fieldWords[f] }

// number says whether a column holds whole numbers.
func (f Field) number() bool { return f >= Prompt && f <= Reasoning || f == Priority }

// Options say how a file is read.
type Options struct {
	Format  string         // one of [Formats]; empty finds it
	Columns [Fields]string // by name; a dot reaches into JSON
	Given   [Fields]bool   // fields that the caller has values for, so that no column is looked for
	Unit    time.Duration  // of times that are plain numbers; 0 finds it
	Zone    *time.Location // of times without a zone; nil means UTC
	Where   []Condition    // all hold for the rows that are read
	From    Moment         // of the first call
	To      Moment         // the end: calls before it
	SkipBad bool           // leaves rows out that cannot be read
	Empty   Empty          // what becomes of rows without output tokens
	Calls   int            // the first so many only; 0 means all
}

// Empty is what becomes of rows without output tokens, as failed requests have.
type Empty int

// Skip leaves them out, Keep reads them as answers of 0 tokens, Draw as calls whose sizes are not known.
const (
	Skip Empty = iota
	Keep
	Draw
)

// Condition is values of a column, one of which a row has.
type Condition struct {
	Column string // a field, or the name of a column
	Values []string
}

// Moment is an instant, or a span since the first call. The zero Moment is none.
type Moment struct {
	Set   bool
	At    time.Time
	Zoned bool          // At is an instant, else a date and time in the zone of the trace
	Since time.Duration // when At is zero
}

// Calls are what a file holds, in order of arrival.
type Calls struct {
	At []time.Duration // since 1970, or since the zero of the file's own clock
	// Values of each field but Time, -1 where a call has none; nil where no column was read. Of text
	// they are places in Names.
	Values [Fields][]int32
	Names  [Fields][]string
	Read   Report
}

// Len is the number of calls.
func (c *Calls) Len() int { return len(c.At) }

// Bounds on a trace.
const (
	maxRowBytes = 1 << 20
	// MaxCalls is the largest number of calls.
	MaxCalls = 20_000_000
	maxSize  = 1e9 // of a call, in tokens
)

// Read reads the calls of a file. The name is for errors.
func Read(data []byte, name string, o Options) (*Calls, error) {
	src, err := open(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p, err := newPlan(src, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in := newReader(p, o, name)
	if err := p.rows.each(p.columns, in.add); err != nil && err != errEnough {
		var said rowSaid
		if errors.As(err, &said) {
			return nil, said.error
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(in.out.At) == 0 {
		header := ""
		if _, ok := p.rows.(*table); ok {
			header = " under the header"
		}
		return nil, fmt.Errorf("%s: no calls; want a row for each call%s%s%s", name, header, in.out.Read.none(name),
			p.unmet())
	}
	return in.finish()
}
