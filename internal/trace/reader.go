package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errEnough ends the reading before the end of the file.
var errEnough = errors.New("enough calls")

// lookahead is how many rows after the last wanted call are looked at to see whether rows are sorted.
const lookahead = 100

// Report is what was read, for people.
type Report struct {
	Layout   string // CSV, JSON lines, ...; with gzip or UTF-16
	Format   string // a known shape, empty without one
	Tries    bool   // its rows are attempts
	Columns  [Fields]string
	Rows     int           // that were looked at
	NoOutput int           // rows without output tokens
	Failed   int           // rows that are calls, with a status that is no success
	Others   int           // rows that are no calls, such as spans of HTTP
	Unmet    int           // rows that do not meet the conditions
	Bad      int           // rows that cannot be read
	FirstBad error         // why the first of them cannot
	Outside  int           // calls before From or after To
	Unsorted int           // rows earlier than the one before
	Unit     string        // of times: "dates", or the unit of plain numbers
	Guess    string        // how the unit was found, when nobody said it
	Naive    bool          // some dates have no zone
	Zoned    bool          // some dates have one
	Start    time.Duration // From, or the first call
	First    time.Duration
	Last     time.Duration
	Window   time.Duration // from From to To, where both are set
	// Ties are calls at the time of the one before, where all times are whole seconds and columns were
	// found.
	Ties int
}

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
	read.Tries = p.format.tries
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
	in.out.Read.Rows++
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
	in.out.At = append(in.out.At, at)
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
		in.out.Values[f] = append(in.out.Values[f], sizes[f])
	}
	return nil
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

// none says why there are no calls.
func (in *reader) none() string {
	read, text := &in.out.Read, ""
	if _, ok := in.plan.rows.(*table); ok {
		text = " under the header"
	}
	for _, c := range []struct {
		n    int
		what string
	}{
		{read.NoOutput, "have no output tokens, as failed requests have, and are left out"},
		{read.Unmet, "do not meet the conditions of where"},
		{read.Others, "are no calls"},
		{read.Bad, "cannot be read"},
	} {
		if c.n > 0 {
			text += fmt.Sprintf("; %d rows of %s %s", c.n, in.name, c.what)
		}
	}
	if read.FirstBad != nil {
		text += fmt.Sprintf("; the first: %v", read.FirstBad)
	}
	return text
}

// finish sorts the calls and cuts them to what is wanted.
func (in *reader) finish() (*Calls, error) {
	c := in.out
	if in.ahead > 0 && c.Read.Unsorted == 0 {
		c.Read = in.wanted
	}
	if c.Read.Unsorted > 0 {
		type call struct {
			at time.Duration
			i  int32
		}
		calls := make([]call, len(c.At))
		for i, at := range c.At {
			calls[i] = call{at, int32(i)}
		}
		slices.SortFunc(calls, func(a, b call) int {
			if a.at != b.at {
				return int(min(1, max(-1, a.at-b.at)))
			}
			return int(a.i - b.i)
		})
		indices := make([]int32, len(calls))
		for i, call := range calls {
			indices[i] = call.i
		}
		c.order(indices)
	}
	from, to := 0, len(c.At)
	first := c.At[0]
	c.Read.Start = first
	if in.o.From.Set {
		c.Read.Start = in.instant(in.o.From, first)
		from, _ = slices.BinarySearch(c.At, c.Read.Start)
	}
	if in.o.To.Set {
		to, _ = slices.BinarySearch(c.At, in.instant(in.o.To, first))
	}
	if from >= to {
		return nil, fmt.Errorf("%s: no calls between from and to; the file has %d, from %s to %s", in.name, len(c.At),
			c.Read.when(first), c.Read.when(c.At[len(c.At)-1]))
	}
	if in.o.From.Set && in.o.To.Set {
		c.Read.Window = in.instant(in.o.To, first) - c.Read.Start
	}
	c.Read.Outside = len(c.At) - (to - from)
	if in.o.Calls > 0 {
		to = min(to, from+in.o.Calls)
	}
	c.cut(from, to)
	c.Read.First, c.Read.Last = c.At[0], c.At[len(c.At)-1]
	for _, f := range []Field{MaxTokens, Cached, Reasoning} {
		if c.Values[f] != nil && slices.Max(c.Values[f]) < 0 && in.o.Columns[f] == "" {
			c.Values[f], c.Read.Columns[f] = nil, "" // a column of the format without values
		}
	}
	if !in.plan.complete {
		c.Read.Ties = ties(c.At)
	}
	c.Read.Unit, c.Read.Guess = in.clock.words(), in.clock.guess
	c.Read.Naive, c.Read.Zoned = in.clock.naive, in.clock.zoned
	return c, nil
}

// ties counts the calls at the time of the one before, where all times are whole seconds.
func ties(at []time.Duration) (n int) {
	for i := range at {
		if at[i]%time.Second != 0 {
			return 0
		}
		if i > 0 && at[i] == at[i-1] {
			n++
		}
	}
	return n
}

// instant is a moment on the clock of the file.
func (in *reader) instant(m Moment, first time.Duration) time.Duration {
	if m.At.IsZero() {
		return first + m.Since
	}
	at := m.At
	if !m.Zoned {
		at = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(),
			in.clock.zone)
	}
	return time.Duration(at.UnixNano())
}

// when writes an instant of the file.
func (r *Report) when(at time.Duration) string {
	if r.Dated(at) {
		return time.Unix(0, int64(at)).UTC().Format("2006-01-02 15:04:05")
	}
	return fmt.Sprintf("%g s", at.Seconds())
}

// Dated says whether an instant is one since 1970, and no plain number from the zero of another clock.
func (r *Report) Dated(at time.Duration) bool {
	return r.Naive || r.Zoned || at > 300_000_000*time.Second
}

// Span writes the first and the last instant.
func (r *Report) Span() (from, to string) { return r.when(r.First), r.when(r.Last) }
