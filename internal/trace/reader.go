package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errEnough ends the reading before the end of the file.
var errEnough = errors.New("enough calls")

// lookahead is how many rows after the last wanted call are looked at to see whether rows are sorted.
const lookahead = 100

// reader turns rows into calls.
type reader struct {
	plan   *plan
	o      Options
	name   string
	clock  clock
	out    *Calls
	last   time.Duration
	places [Fields]map[string]int32 // of the names
	ahead  int                      // rows after the last wanted call
	wanted Report                   // of the rows before them
}

func newReader(p *plan, o Options, name string) *reader {
	in := &reader{plan: p, o: o, name: name, out: &Calls{}, clock: newClock(o, p)}
	read := &in.out.Read
	read.Layout, read.Format = p.rows.layout()+p.src.packing(), p.format.name
	read.Tries, read.Late = p.format.tries, p.format.late
	for f, column := range p.of {
		if column >= 0 {
			read.Columns[f] = p.columns[column]
		}
	}
	in.reserve()
	return in
}

// reserve makes room for about as many calls as the file has lines.
func (in *reader) reserve() {
	src := in.plan.src
	n := bytes.Count(src.head, []byte("\n"))
	if !src.zip {
		n = int(float64(n) / float64(len(src.head)) * float64(len(src.data)) * 1.02)
	}
	if n = min(n, MaxCalls); in.o.Calls > 0 {
		n = min(n, in.o.Calls+lookahead)
	}
	in.out.At = make([]time.Duration, 0, n)
	for f, column := range in.plan.of {
		if column >= 0 && Field(f) != Time && (Field(f).number() || in.o.Columns[f] != "") {
			in.out.Values[f] = make([]int32, 0, n)
		}
	}
}

// fieldError is a mistake in a cell.
type fieldError struct {
	field Field
	error
}

// rowSaid is the reason to stop at a row, as it is told.
type rowSaid struct{ error }

// rowsOfGarbage are the rows after which memory is collected. A program that simulates collects seldom, and the
// rows of a long file would take more memory than its calls.
const rowsOfGarbage = 1 << 18

// add takes in a row.
func (in *reader) add(r *row, err error) error {
	enough := in.o.Calls > 0 && len(in.out.At) >= in.o.Calls && !in.o.From.Set && !in.o.To.Set &&
		in.out.Read.Unsorted == 0
	if enough {
		if in.ahead == 0 {
			in.wanted = in.out.Read
		}
		if in.ahead++; in.ahead > lookahead {
			return errEnough
		}
	}
	if err == nil {
		err = in.call(r.cells)
	}
	if in.out.Read.Rows++; in.out.Read.Rows%rowsOfGarbage == 0 {
		runtime.GC()
	}
	if err == nil {
		return nil
	}
	if enough {
		return errEnough // none of these rows is wanted
	}
	var field fieldError
	var bad rowError
	switch {
	case errors.As(err, &field):
		line, at := r.place(in.plan.of[field.field])
		err = fmt.Errorf("%s:%d:%d: %s: %w", in.name, line, at, field.field, field.error)
	case errors.As(err, &bad):
		err = fmt.Errorf("%s: %w", in.name, bad.error)
	default:
		return rowSaid{fmt.Errorf("%s: %w", in.name, err)}
	}
	if !in.o.SkipBad {
		return rowSaid{err}
	}
	if in.out.Read.Bad++; in.out.Read.FirstBad == nil {
		in.out.Read.FirstBad = err
	}
	return nil
}

// call reads the cells of a row.
func (in *reader) call(cells []string) error {
	read := &in.out.Read
	for i := range in.plan.where {
		if c := &in.plan.where[i]; !c.met(cells[c.column], in.plan.format) {
			if c.apart {
				read.Others++
			} else {
				read.Unmet++
				c.note(cells[c.column])
			}
			return nil
		}
	}
	if len(in.out.At) == MaxCalls {
		return fmt.Errorf("more than %d calls; set workload.trace.calls to read fewer", MaxCalls)
	}
	var sizes [Fields]int32
	for _, f := range [...]Field{Output, Prompt, MaxTokens, Cached, Reasoning, Priority} {
		column := in.plan.of[f]
		if column < 0 {
			continue
		}
		if f == Prompt && in.plan.of[Output] >= 0 && sizes[Output] <= 0 {
			if in.o.Empty == Draw {
				sizes[f] = -1
			}
			if text := strings.TrimSpace(cells[column]); text == "" || text == "0" {
				continue
			}
		}
		n, err := in.number(cells[column], f)
		if err != nil {
			return err
		}
		if f == Output && n == 0 {
			read.NoOutput++
			switch in.o.Empty {
			case Skip:
				return nil
			case Draw:
				n = -1
			}
		}
		sizes[f] = n
	}
	text := cells[in.plan.of[Time]]
	at, err := in.clock.parse(text)
	if err != nil {
		return fieldError{Time, fmt.Errorf("found %s; %w", quoted(text), err)}
	}
	if len(in.out.At) > 0 && at < in.last {
		read.Unsorted++
	}
	in.last = at
	in.out.At = push(in.out.At, at)
	if column := in.plan.of[Status]; column >= 0 && !in.plan.format.isSuccess(cells[column]) {
		read.Failed++
	}
	in.complete(&sizes)
	for f := Prompt; f < Fields; f++ {
		if in.plan.of[f] < 0 || !f.number() && in.o.Columns[f] == "" {
			continue
		}
		if !f.number() {
			sizes[f] = in.place(f, cells[in.plan.of[f]])
		}
		in.out.Values[f] = push(in.out.Values[f], sizes[f])
	}
	return nil
}

// push appends to a list that doubles when it is full. Growth by a quarter, that of append, would leave four times
// the list behind as garbage.
func push[T any](list []T, value T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(1024, len(list)))
	}
	return append(list, value)
}

// complete makes the parts parts of the whole.
func (in *reader) complete(sizes *[Fields]int32) {
	whole := func(whole, part Field, apart bool) {
		if in.plan.of[whole] < 0 || in.plan.of[part] < 0 || sizes[part] < 0 || sizes[whole] < 0 {
			return
		}
		if apart {
			sizes[whole] = min(sizes[whole]+sizes[part], maxSize)
		}
		sizes[part] = min(sizes[part], sizes[whole])
	}
	whole(Prompt, Cached, in.plan.format.cachedApart)
	whole(Output, Reasoning, in.plan.format.reasoningApart)
	if sizes[MaxTokens] == 0 {
		sizes[MaxTokens] = -1
	}
}

// place is the index of a name.
func (in *reader) place(f Field, name string) int32 {
	if name == "" {
		return -1
	}
	if in.places[f] == nil {
		in.places[f] = map[string]int32{}
	}
	i, ok := in.places[f][name]
	if !ok {
		i = int32(len(in.out.Names[f]))
		name = strings.Clone(name)
		in.places[f][name] = i
		in.out.Names[f] = append(in.out.Names[f], name)
	}
	return i
}

// number reads a whole number. Output tokens that are not there are 0, other parts -1; a prompt is
// always there.
func (in *reader) number(text string, f Field) (int32, error) {
	if n, ok := digits(text); ok {
		return n, nil
	}
	text = strings.TrimSpace(text)
	if f != Prompt {
		switch text {
		case "", "-", "null", "NULL", "None", "none", "NaN", "nan", "N/A", "\\N":
			if f == Output {
				return 0, nil
			}
			return -1, nil
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if lowest := -maxSize; err != nil || x != math.Trunc(x) || x > maxSize || x < lowest || x < 0 && f != Priority ||
		strings.ContainsAny(text, "xXpP_") {
		return 0, fieldError{f, fmt.Errorf("found %s; want a whole number from 0", quoted(text))}
	}
	return int32(x), nil
}

// digits reads a number of up to nine digits.
func digits(text string) (n int32, ok bool) {
	if len(text) == 0 || len(text) > 9 {
		return 0, false
	}
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = 10*n + int32(d)
	}
	return n, true
}

// quoted quotes a cell, or its beginning.
func quoted(text string) string {
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return strconv.Quote(text)
}
