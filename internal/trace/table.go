package trace

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// rows are the rows of a file.
type rows interface {
	// layout names how they are written.
	layout() string
	// names lists the columns.
	names() []string
	// each hands on the cells of every row, one for each column, or why a row cannot be read.
	each(columns []string, add func(row *row, err error) error) error
}

// row is one row: a cell for each wanted column, empty where it has none.
type row struct {
	cells []string
	place func(column int) (line, at int) // of a cell
}

// rowError is a mistake that ends a row but not the file.
type rowError struct{ error }

// table is text with a separator.
type table struct {
	src    *source
	comma  rune
	header []string
}

var separators = []struct {
	comma rune
	name  string
}{{',', "CSV"}, {'\t', "TSV"}, {';', "CSV with semicolons"}, {'|', "a table with bars"}}

// newTable reads the header. Its separator is the most frequent one.
func newTable(src *source) (*table, error) {
	line, _, _ := bytes.Cut(src.head, []byte("\n"))
	t, most := &table{src: src, comma: ','}, 0
	for _, s := range separators {
		if n := bytes.Count(line, []byte(string(s.comma))); n > most {
			t.comma, most = s.comma, n
		}
	}
	in, _, err := t.open()
	if err != nil {
		return nil, err
	}
	header, err := in.Read()
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("the first line is not a list of column names (%w); want a table, JSON or JSON "+
			"lines", wrong)
	}
	t.header = slices.Clone(header)
	return t, err
}

func (t *table) open() (*csv.Reader, *rowLimit, error) {
	text, err := t.src.text()
	if err != nil {
		return nil, nil, err
	}
	limited := &rowLimit{r: text, left: maxRowBytes}
	in := csv.NewReader(limited)
	in.ReuseRecord, in.Comma = true, t.comma
	return in, limited, nil
}

func (t *table) layout() string {
	for _, s := range separators {
		if s.comma == t.comma {
			return s.name
		}
	}
	return "CSV"
}

func (t *table) names() []string { return t.header }

// column is where a column is, and what of its JSON is wanted, if anything.
func (t *table) column(name string) (at int, inside string) {
	if at = slices.Index(t.header, name); at >= 0 {
		return at, ""
	}
	for i, c := range name {
		if c == '.' {
			if at = slices.Index(t.header, name[:i]); at >= 0 {
				return at, name[i+1:]
			}
		}
	}
	return -1, ""
}

func (t *table) each(columns []string, add func(*row, error) error) error {
	in, limited, err := t.open()
	if err != nil {
		return err
	}
	if _, err = in.Read(); err != nil {
		return err
	}
	at, inside := make([]int, len(columns)), make([]string, len(columns))
	for i, name := range columns {
		at[i], inside[i] = t.column(name)
	}
	r := &row{cells: make([]string, len(columns))}
	r.place = func(column int) (int, int) { return in.FieldPos(at[column]) }
	json := newWalker(nil)
	for {
		limited.left = maxRowBytes
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if err := t.refused(r, err, limited.over, add); err != nil {
				return err
			}
			continue
		}
		for i, from := range at {
			switch {
			case from < 0:
				r.cells[i] = ""
			case inside[i] == "":
				r.cells[i] = record[from]
			default:
				r.cells[i] = json.inside(record[from], inside[i])
			}
		}
		if err := add(r, nil); err != nil {
			return err
		}
	}
}

// refused hands on that a row cannot be read, after which the next may be, unless the file ends or the
// row does not.
func (t *table) refused(r *row, err error, endless bool, add func(*row, error) error) error {
	var parse *csv.ParseError
	torn := errors.Is(err, io.ErrUnexpectedEOF)
	if endless || !torn && !errors.As(err, &parse) {
		return err
	}
	if err := add(r, rowError{err}); err != nil || !torn {
		return err
	}
	return errEnough
}

// rowLimit ends a row that grows too long, such as one whose quote is not closed.
type rowLimit struct {
	r    io.Reader
	left int
	over bool
}

func (l *rowLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		l.over = true
		return 0, fmt.Errorf("a row of more than %d bytes; is a quote not closed?", maxRowBytes)
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}

// listed says whether a header is a list of names. One that is not may be anything, and is not shown.
func listed(header []string) bool {
	for _, name := range header {
		if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_-. ()[]@/") != "" ||
			len(name) > 80 {
			return false
		}
	}
	return len(header) > 1
}
