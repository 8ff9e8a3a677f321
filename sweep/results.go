package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"stampede/measure"
	"stampede/scenario"
)

// Row is a line of results.csv: one replication of one point, or the reason why
// a point, or one of its replications, could not be run.
type Row struct {
	Point       int
	Replication int // -1 for a point that could not be built
	Labels      []string
	Values      []float64 // by the registry; nil with a reason
	Limits      string    // the names of its limits
	Reason      string
}

// Header is the first line of results.csv.
func Header(axes []string) []byte {
	line := []byte("point,replication")
	for _, a := range axes {
		line = measure.AppendField(append(line, ','), a)
	}
	for _, m := range measure.Metrics() {
		line = append(append(line, ','), m.Name...)
	}
	return append(line, ",limits,error\n"...)
}

// Append writes a row: numbers in the shortest form that reads back the same,
// nothing for a value that is not there.
func (r *Row) Append(line []byte) []byte {
	line = strconv.AppendInt(line, int64(r.Point), 10)
	line = append(line, ',')
	if r.Replication >= 0 {
		line = strconv.AppendInt(line, int64(r.Replication), 10)
	}
	for _, l := range r.Labels {
		line = measure.AppendField(append(line, ','), l)
	}
	for i := range measure.Metrics() {
		line = append(line, ',')
		if r.Values != nil && !math.IsNaN(r.Values[i]) {
			line = strconv.AppendFloat(line, r.Values[i], 'g', -1, 64)
		}
	}
	line = append(measure.AppendField(append(line, ','), r.Limits), ',')
	if r.Reason != "" {
		line = measure.AppendField(line, string(bytes.Join(bytes.Fields([]byte(r.Reason)), []byte(" "))))
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
	path := filepath.Join(dir, ResultsName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(Header(axes))
	return &results{path: path, file: f}, err
}

// resumeResults continues a file: a torn last line is cut off, rows that say why something failed are
// dropped, since it is tried again, the others are put in order, and each is reported.
func resumeResults(dir string, axes []string, each func(*Row) error) (*results, error) {
	path := filepath.Join(dir, ResultsName)
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
	all := make([]int, len(measure.Metrics())) // read every value, so that a damaged row is found now
	for i := range all {
		all[i] = i
	}
	if err := sortRows(path, path, succeeded); err != nil {
		return nil, err
	}
	if err := ReadRows(path, axes, all, each); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	return &results{path: path, file: f}, err
}

// succeeded reports whether a line has no reason, which is its last field.
func succeeded(line []byte) bool { return bytes.HasSuffix(line, []byte(",\n")) }

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

// finish puts the rows in order of point and replication; the file is replaced as a whole and survives a
// power failure.
func (r *results) finish() error {
	written, err := r.file.Stat()
	if err := errors.Join(err, r.file.Close()); err != nil {
		return err
	}
	if here, err := os.Stat(r.path); err != nil {
		return err
	} else if !os.SameFile(written, here) {
		return fmt.Errorf("%s was replaced while it was written", r.path)
	}
	return sortRows(r.path, r.path, nil)
}

// stop closes the file as it is; what is written survives a power failure.
func (r *results) stop() error { return errors.Join(r.file.Sync(), r.file.Close()) }

// WriteRun writes the folder of a single scenario's run: a manifest and a row
// for each replication, like a sweep of one point.
func WriteRun(dir string, t *scenario.Template, aims measure.Aims, runs []measure.Run) (err error) {
	single := *t
	single.Sweep = scenario.Sweep{}
	m, err := (&Plan{Template: &single, Reps: len(runs), Aims: aims}).Manifest()
	if err != nil {
		return err
	}
	text, err := m.Encode()
	if err != nil {
		return err
	}
	unlock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := free(dir, "name another (--out)"); err != nil {
		return err
	}
	if err := writeWhole(filepath.Join(dir, ManifestName), text); err != nil {
		return err
	}
	r, err := createResults(dir, nil)
	if err != nil {
		return err
	}
	limits := measure.JoinLimits(measure.LimitNames(&t.Base.Model))
	for _, run := range runs {
		row := Row{Replication: run.Replication, Values: run.Values, Limits: limits}
		if _, err := r.file.Write(row.Append(nil)); err != nil {
			return errors.Join(err, r.file.Close())
		}
	}
	return r.finish()
}
