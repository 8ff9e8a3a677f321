package sweep

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
)

// ReadRows reads the rows of a results file, in the order in which they stand,
// with the values of some metrics: Values[i] is that of metrics[i]. The row is only
// valid during the call.
func ReadRows(path string, axes []string, metrics []int, each func(*Row) error) error {
	rows, err := openRows(path, axes, metrics)
	if err != nil {
		return err
	}
	defer rows.file.Close()
	for {
		row, err := rows.next()
		if row == nil || err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// rowReader reads the whole lines that a results file has when it is opened.
type rowReader struct {
	path   string
	file   *os.File
	lines  *bufio.Reader
	number int   // of the line
	place  []int // of each metric in Values, or -1
	values []float64
	row    Row
}

func openRows(path string, axes []string, metrics []int) (*rowReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	lines := bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), int(min(info.Size(), 1<<20)))
	r := &rowReader{path: path, file: f, lines: lines, number: 1,
		place: make(
			[]int,
			len(measure.Metrics()),
		), values: make([]float64, len(metrics)), row: Row{Labels: make([]string, len(axes))},
	}
	for i := range r.place {
		r.place[i] = slices.Index(metrics, i)
	}
	if first, err := r.lines.ReadSlice('\n'); err != nil || !bytes.Equal(first, Header(axes)) {
		return nil, errors.Join(wrongColumns(path, string(first)), f.Close())
	}
	return r, nil
}

// wrongColumns is the error for a results file with another first line than its manifest and this
// version of the program give.
func wrongColumns(path, head string) error {
	if changes := measure.Renamed(strings.Split(head, ",")); len(changes) > 0 {
		return FolderErrorf("%s: another version of the program wrote it (%s); run the sweep again", path,
			strings.Join(changes, ", "))
	}
	return FolderErrorf("%s: its columns are not those of its manifest and of this version of the program", path)
}

// next is the next row, valid until the one after, or nil at the end; a torn last
// line is dropped.
func (r *rowReader) next() (*Row, error) {
	line, err := r.lines.ReadSlice('\n')
	if err == io.EOF {
		return nil, nil
	}
	r.number++
	r.row.Values = r.values
	if err == nil {
		err = r.row.parse(line[:len(line)-1], r.place)
	}
	if err != nil {
		return nil, FolderErrorf("%s:%d: %w", r.path, r.number, err)
	}
	return &r.row, nil
}

var errColumns = errors.New("a wrong number of columns")

func (r *Row) parse(line []byte, place []int) error {
	field, line := nextField(line)
	var err error
	if r.Point, err = strconv.Atoi(string(field)); err != nil {
		return err
	}
	field, line = nextField(line)
	if r.Replication = -1; len(field) > 0 {
		if r.Replication, err = strconv.Atoi(string(field)); err != nil {
			return err
		}
	}
	for i := range r.Labels {
		if line == nil {
			return errColumns
		}
		field, line = nextField(line)
		if field = format.CellText(field); string(field) != r.Labels[i] {
			r.Labels[i] = string(field)
		}
	}
	for i := range place {
		if line == nil {
			return errColumns
		}
		at := place[i]
		if at < 0 { // not asked for: only its end is looked for
			if end := bytes.IndexByte(line, ','); end >= 0 {
				line = line[end+1:]
				continue
			}
			return errColumns
		}
		field, line = nextField(line)
		if r.Values[at] = math.NaN(); len(field) > 0 {
			if r.Values[at], err = strconv.ParseFloat(string(field), 64); err != nil {
				return err
			}
		}
	}
	if line == nil {
		return errColumns
	}
	field, line = nextField(line)
	if field = format.CellText(field); string(field) != r.Limits {
		r.Limits = string(field)
	}
	if line == nil {
		return errColumns
	}
	field, _ = nextField(line)
	if r.Reason = string(format.CellText(field)); r.Reason != "" {
		r.Values = nil
	}
	return nil
}

// nextField splits the first field off a line of CSV; the rest is nil behind the
// last field.
func nextField(line []byte) (field, rest []byte) {
	if len(line) == 0 || line[0] != '"' {
		field, rest, found := bytes.Cut(line, []byte(","))
		if !found {
			return field, nil
		}
		if rest == nil {
			rest = []byte{}
		}
		return field, rest
	}
	var out []byte
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			out = append(out, line[i])
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			out = append(out, '"')
			i++
			continue
		}
		if i+1 >= len(line) {
			return out, nil
		}
		return out, line[i+2:]
	}
	return out, nil
}

var ErrEnough = errors.New("enough")
