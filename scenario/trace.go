package scenario

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"stampede/fleet"
	"stampede/internal/nearest"
	"stampede/sim"
)

// ReadTrace reads recorded calls from CSV with a header: arrival times, sped up by t.Speed, from
// the first at 0, and token counts where columns for them are named. Times must not fall; see clock
// for how they are written. Rows without output tokens are left out unless t says otherwise. It
// reads at most t.Calls calls, all for 0. The name is that of the file, for errors. Notes say what
// was guessed and what was left out.
func ReadTrace(r io.Reader, name string, t Trace) (trace *fleet.Trace, notes []string, err error) {
	limited := &rowLimit{r: r}
	rows := csv.NewReader(limited)
	rows.ReuseRecord = true
	limited.left = maxRowBytes
	header, err := rows.Read()
	if err == io.EOF {
		return nil, nil, fmt.Errorf("%s: the file is empty; want a header and a row for each call", name)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	in := traceReader{rows: rows, name: name, trace: t}
	if err := in.find(header); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &fleet.Trace{Name: name}
	for t.Calls == 0 || len(out.At) < int(t.Calls) {
		limited.left = maxRowBytes
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = in.add(row, out)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s%w", in.place(err), err)
		}
	}
	if len(out.At) == 0 {
		return nil, nil, fmt.Errorf("%s: no calls; want a row for each call under the header%s", name, in.leftOut())
	}
	return out, in.notes(out), nil
}

// Bounds on a trace.
const (
	maxRowBytes = 1 << 20
	maxRows     = 20_000_000
)

// rowLimit ends a row that grows too long, such as one whose quote is not closed.
type rowLimit struct {
	r    io.Reader
	left int
}

func (l *rowLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("a row of more than %d bytes; is a quote not closed?", maxRowBytes)
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}

// traceReader reads the rows of a trace.
type traceReader struct {
	rows    *csv.Reader
	name    string
	trace   Trace
	columns [3]int // of the time, the prompt and the output; -1 when not named
	clock   clock
	began   sim.Time
	last    sim.Time
	failed  int // rows without output tokens
}

const (
	timeColumn = iota
	promptColumn
	outputColumn
)

var columnWords = [...]string{"time", "prompt_tokens", "output_tokens"}

// find finds the named columns in the header.
func (in *traceReader) find(header []string) error {
	c := in.trace.Columns
	if c.Time == "" {
		c.Time = "TIMESTAMP"
	}
	for i, column := range []string{c.Time, c.PromptTokens, c.OutputTokens} {
		in.columns[i] = slices.Index(header, column)
		switch {
		case column == "":
			in.columns[i] = -1
		case in.columns[i] < 0:
			return fmt.Errorf("no column %q for %s; %s", column, columnWords[i], knownColumns(column, header))
		case slices.Contains(header[in.columns[i]+1:], column):
			return fmt.Errorf("the column %q for %s stands twice; want each name once", column, columnWords[i])
		}
	}
	in.clock = newClock(in.trace.TimeUnit, c.Time)
	return nil
}

// knownColumns is the end of an error about a column that is not there. The first line of a file
// that is no table is not shown: it may be anything.
func knownColumns(column string, header []string) string {
	for _, name := range header {
		if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_-. ()[]") != "" ||
			len(name) > 40 {
			return "the first line is not a list of column names"
		}
	}
	if len(header) < 2 {
		return "the first line is not a list of column names"
	}
	return nearest.Unknown(column, header)
}

// fieldError is a mistake in a field of a row.
type fieldError struct {
	column int
	error
}

// place is where an error was found, for the front of its message.
func (in *traceReader) place(err error) string {
	var field fieldError
	if !errors.As(err, &field) {
		return in.name + ": "
	}
	line, at := in.rows.FieldPos(in.columns[field.column])
	return fmt.Sprintf("%s:%d:%d: %s: ", in.name, line, at, columnWords[field.column])
}

// add takes in a row.
func (in *traceReader) add(row []string, out *fleet.Trace) error {
	if len(out.At) == maxRows {
		return fmt.Errorf("more than %d calls; set workload.trace.calls to read fewer", maxRows)
	}
	output, err := in.tokens(row, outputColumn, in.trace.NoOutput != "keep")
	if err != nil {
		return err
	}
	if in.columns[outputColumn] >= 0 && output == 0 {
		in.failed++
		if in.trace.NoOutput != "keep" {
			return nil
		}
	}
	prompt, err := in.tokens(row, promptColumn, false)
	if err != nil {
		return err
	}
	text := row[in.columns[timeColumn]]
	at, err := in.clock.parse(text)
	if err != nil {
		return fieldError{timeColumn, fmt.Errorf("found %s; %w", quoted(text), err)}
	}
	if len(out.At) == 0 {
		in.began, in.last = at, at
	}
	if at < in.last {
		return fieldError{
			timeColumn,
			fmt.Errorf("found %s, earlier than the row before; want times that do not fall", quoted(text)),
		}
	}
	in.last = at
	out.At = append(out.At, in.trace.replayed(at-in.began))
	if in.columns[promptColumn] >= 0 {
		out.Prompt = append(out.Prompt, prompt)
	}
	if in.columns[outputColumn] >= 0 {
		out.Output = append(out.Output, output)
	}
	return nil
}

// tokens reads a number of tokens; 0 without a column.
func (in *traceReader) tokens(row []string, column int, mayBeEmpty bool) (int32, error) {
	i := in.columns[column]
	if i < 0 {
		return 0, nil
	}
	text := strings.TrimSpace(row[i])
	if mayBeEmpty && text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > maxTokens {
		return 0, fieldError{column, fmt.Errorf("found %s; want a whole number from 0", quoted(row[i]))}
	}
	return int32(n), nil
}

// maxTokens is the largest size of a call.
const maxTokens = 1e9

// quoted quotes a field of a file, or its beginning.
func quoted(text string) string {
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return strconv.Quote(text)
}

// notes say what was guessed and what was left out.
func (in *traceReader) notes(out *fleet.Trace) (notes []string) {
	if in.clock.guess != "" {
		span := in.last - in.began
		notes = append(
			notes,
			fmt.Sprintf(
				"the times of %s are taken as %s: %d calls over %v, %s/s; set workload.trace.time_unit if they are "+
					"in another unit",
				in.name,
				in.clock.guess,
				len(out.At),
				Span(span.Round(time.Second)),
				number(float64(len(out.At))/max(span.Seconds(), 1e-9)),
			),
		)
	}
	if in.failed > 0 {
		if in.trace.NoOutput == "keep" {
			notes = append(
				notes,
				fmt.Sprintf(
					"%d rows of %s have no output tokens, as failed requests have, and are replayed as answers of 0 "+
						"tokens",
					in.failed,
					in.name,
				),
			)
		} else {
			notes = append(notes, strings.TrimPrefix(in.leftOut(), "; ")+
				"; workload.trace.no_output: keep replays them as answers of 0 tokens")
		}
	}
	return notes
}

func (in *traceReader) leftOut() string {
	if in.failed == 0 {
		return ""
	}
	return fmt.Sprintf("; %d rows of %s have no output tokens, as failed requests have, and are left out", in.failed,
		in.name)
}
