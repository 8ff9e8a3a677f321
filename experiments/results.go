package experiments

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"stampede/scenario"
)

// Row is a line of results.csv: one replication of one point, or the reason why
// a point, or one of its replications, could not be played.
type Row struct {
	Point       int
	Replication int // -1 for a point that could not be built
	Labels      []string
	Values      []float64 // by the registry; nil with a reason
	Reason      string
}

// header is the first line of results.csv.
func header(axes []string) []byte {
	line := []byte("point,replication")
	for _, a := range axes {
		line = appendField(append(line, ','), a)
	}
	for _, m := range registry {
		line = append(append(line, ','), m.Name...)
	}
	return append(line, ",error\n"...)
}

// append writes a row: numbers in the shortest form that reads back the same,
// nothing for a value that is not there.
func (r *Row) append(line []byte) []byte {
	line = strconv.AppendInt(line, int64(r.Point), 10)
	line = append(line, ',')
	if r.Replication >= 0 {
		line = strconv.AppendInt(line, int64(r.Replication), 10)
	}
	for _, l := range r.Labels {
		line = appendField(append(line, ','), l)
	}
	for i := range registry {
		line = append(line, ',')
		if r.Values != nil && !math.IsNaN(r.Values[i]) {
			line = strconv.AppendFloat(line, r.Values[i], 'g', -1, 64)
		}
	}
	line = append(line, ',')
	if r.Reason != "" {
		line = appendField(line, string(bytes.Join(bytes.Fields([]byte(r.Reason)), []byte(" "))))
	}
	return append(line, '\n')
}

// results is results.csv under way. Rows are appended whole and at once, in the
// order in which they finish, so that whatever happens only the last line can be
// torn; finish puts them in order.
type results struct {
	path string
	file *os.File
}

// createResults begins a new file.
func createResults(dir string, axes []string) (*results, error) {
	path := filepath.Join(dir, resultsName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(header(axes))
	return &results{path: path, file: f}, err
}

// resumeResults goes on with a file: a torn last line is cut off, the rows that are
// there are put in order, and each is reported.
func resumeResults(dir string, axes []string, each func(*Row) error) (*results, error) {
	path := filepath.Join(dir, resultsName)
	whole, err := wholeLines(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && whole == 0) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return createResults(dir, axes)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Truncate(path, whole); err != nil {
		return nil, err
	}
	all := make([]int, len(registry)) // read every value, so that a damaged row is found now
	for i := range all {
		all[i] = i
	}
	if err := errors.Join(sortRows([]string{path}, path), readRows(path, axes, all, each)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	return &results{path: path, file: f}, err
}

// wholeLines is the length of a file up to its last line end.
func wholeLines(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	buffer := make([]byte, 4096)
	for end := size; end > 0; {
		from := max(0, end-int64(len(buffer)))
		n, err := f.ReadAt(buffer[:end-from], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buffer[:n], '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		end = from
	}
	return 0, nil
}

// finish closes the file and puts its rows in order of point and replication.
// Rows lie near their place, so a window of them is enough, and the file is
// replaced as a whole.
func (r *results) finish() error {
	if err := r.file.Close(); err != nil {
		return err
	}
	return sortRows([]string{r.path}, r.path)
}

// readRows reads the rows of a results file, in the order in which they stand,
// with the values of some metrics: Values[i] is that of metrics[i]. The row is only
// valid during the call.
func readRows(path string, axes []string, metrics []int, each func(*Row) error) error {
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
	r := &rowReader{path: path, file: f, lines: bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), 1<<20), number: 1,
		place: make([]int, len(registry)), values: make([]float64, len(metrics)), row: Row{Labels: make([]string, len(axes))}}
	for i := range r.place {
		r.place[i] = slices.Index(metrics, i)
	}
	if first, err := r.lines.ReadSlice('\n'); err != nil || !bytes.Equal(first, header(axes)) {
		return nil, errors.Join(fmt.Errorf("%s: its columns are not those of its manifest and of this version of the program", path), f.Close())
	}
	return r, nil
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
		return nil, fmt.Errorf("%s:%d: %w", r.path, r.number, err)
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
		if string(field) != r.Labels[i] {
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
	field, _ = nextField(line)
	if r.Reason = string(field); r.Reason != "" {
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

// WriteRun writes the folder of a single scenario's run: a manifest and a row
// for each replication, like a sweep of one point.
func WriteRun(dir string, t *scenario.Template, runs []Run) error {
	plan := Plan{Template: t, Reps: len(runs)}
	plan.Template.Sweep = scenario.Sweep{}
	m, err := plan.Manifest()
	if err != nil {
		return err
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	if err := writeWhole(filepath.Join(dir, manifestName), text); err != nil {
		return err
	}
	r, err := createResults(dir, nil)
	if err != nil {
		return err
	}
	for _, run := range runs {
		row := Row{Replication: run.Replication, Values: run.Values}
		if _, err := r.file.Write(row.append(nil)); err != nil {
			return errors.Join(err, r.file.Close())
		}
	}
	return r.finish()
}
