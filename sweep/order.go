package sweep

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// keyed is a line with its place in the order.
type keyed struct {
	point, replication int
	line               []byte
}

func (a keyed) compare(b keyed) int {
	return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(a.replication, b.replication))
}

// keyOf reads the first two fields of a line.
func keyOf(line []byte) (keyed, error) {
	point, rest, _ := bytes.Cut(line, []byte(","))
	replication, _, found := bytes.Cut(rest, []byte(","))
	k := keyed{replication: -1, line: line}
	var err error
	if k.point, err = strconv.Atoi(string(point)); err == nil && len(replication) > 0 {
		k.replication, err = strconv.Atoi(string(replication))
	}
	if err != nil || !found {
		return k, FolderErrorf("not a line of results: %.60q", line)
	}
	return k, nil
}

// lineReader reads the whole lines of a results file; a torn last line is dropped.
type lineReader struct {
	path string
	file *os.File
	text *bufio.Reader
	long []byte // a line longer than the buffer
	head []byte // the first line
	row  keyed  // the row read last
}

func openLines(path string, buffer int) (*lineReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &lineReader{path: path, file: f, text: bufio.NewReaderSize(f, buffer)}
	line, err := r.line()
	if err == io.EOF {
		err = FolderErrorf("%s: no header", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.head = bytes.Clone(line)
	return r, nil
}

// line is the next line with its end, valid until the one after, or io.EOF.
func (r *lineReader) line() ([]byte, error) {
	part, err := r.text.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return part, err
	}
	r.long = append(r.long[:0], part...)
	for err == bufio.ErrBufferFull {
		part, err = r.text.ReadSlice('\n')
		r.long = append(r.long, part...)
	}
	return r.long, err
}

// next reads the next row into r.row; more is false at the end.
func (r *lineReader) next() (more bool, err error) {
	line, err := r.line()
	if err == io.EOF {
		return false, nil
	}
	if err == nil {
		r.row, err = keyOf(line)
	}
	return err == nil, err
}

// inOrder reports whether the rows of a file are in order of point and
// replication.
func inOrder(path string) (bool, error) {
	r, err := openLines(path, 1<<16)
	if err != nil {
		return false, err
	}
	defer r.file.Close()
	for last := (keyed{point: -1}); ; last = r.row {
		more, err := r.next()
		if err != nil || !more {
			return true, err
		}
		if last.compare(r.row) >= 0 {
			return false, nil
		}
	}
}

// Ordered is the path of the folder's results in order: those of a sweep that
// was stopped are put in order in a temporary file, which clean removes.
func Ordered(path string) (in string, clean func(), err error) {
	ok, err := inOrder(path)
	if err != nil || ok {
		return path, func() {}, err
	}
	dir, err := os.MkdirTemp("", "stampede")
	if err != nil {
		return "", nil, err
	}
	clean = func() { os.RemoveAll(dir) }
	in = filepath.Join(dir, ResultsName)
	if err := sortRows(path, in, nil); err != nil {
		clean()
		return "", nil, err
	}
	return in, clean, nil
}

// rowFile is a file of rows in order under way, beside the place it is for.
type rowFile struct {
	file *os.File
	text *bufio.Writer
	last keyed
}

func createRowFile(to string, head []byte) (*rowFile, error) {
	f, err := os.CreateTemp(filepath.Dir(to), "."+ResultsName+".*")
	if err != nil {
		return nil, err
	}
	out := &rowFile{file: f, text: bufio.NewWriterSize(f, 1<<18), last: keyed{point: -1}}
	_, err = out.text.Write(head)
	return out, errors.Join(err, f.Chmod(0o644))
}

// write appends a row. One that appears twice is kept once when both agree.
func (f *rowFile) write(k keyed) error {
	switch c := f.last.compare(k); {
	case c == 0 && bytes.Equal(f.last.line, k.line):
		return nil
	case c == 0:
		return FolderErrorf("point %d, replication %d appears twice with different results", k.point, k.replication)
	case c > 0:
		return FolderErrorf("point %d, replication %d comes after point %d, replication %d",
			k.point, k.replication, f.last.point, f.last.replication)
	}
	f.last = keyed{k.point, k.replication, append(f.last.line[:0], k.line...)}
	_, err := f.text.Write(k.line)
	return err
}

func (f *rowFile) close() error { return errors.Join(f.text.Flush(), f.file.Close()) }

// sortRows writes the rows of a file that keep (nil for all) lets through to a file, or in the place of the
// same one, in order of point and replication.
func sortRows(from, to string, keep func(line []byte) bool) (err error) {
	runs, err := sortedRuns(from, to, keep)
	defer func() { err = errors.Join(err, removeAll(runs)) }()
	if err != nil {
		return err
	}
	if len(runs) == 1 {
		return replace(runs[0], to)
	}
	return mergeRows(runs, to)
}

// window is how many rows are held while a file is sorted. Rows of a sweep lie within a few thousand of their
// place, so that one run is all there is.
const window = 20_000

// sortedRuns writes a file as sorted runs by replacement selection: of the rows held the least one that fits
// behind the last goes to the run, and what comes too late for it begins the next.
func sortedRuns(from, to string, keep func(line []byte) bool) (runs []string, err error) {
	in, err := openLines(from, 1<<18)
	if err != nil {
		return nil, err
	}
	defer in.file.Close()
	var out *rowFile
	defer func() {
		if out != nil {
			err = errors.Join(err, out.close())
		}
	}()
	begin := func() (err error) {
		if out != nil {
			if err := out.close(); err != nil {
				return err
			}
		}
		if out, err = createRowFile(to, in.head); err == nil {
			runs = append(runs, out.file.Name())
		}
		return err
	}
	if err := begin(); err != nil {
		return runs, err
	}
	var held runHeap
	for more := true; ; {
		for more && len(held) < window {
			if more, err = in.next(); err != nil {
				return runs, err
			}
			if !more || keep != nil && !keep(in.row.line) {
				continue
			}
			r := runRow{len(runs), keyed{in.row.point, in.row.replication, bytes.Clone(in.row.line)}}
			if out.last.compare(r.keyed) > 0 {
				r.run++
			}
			heap.Push(&held, r)
		}
		if len(held) == 0 {
			return runs, nil
		}
		if held[0].run > len(runs) {
			if err := begin(); err != nil {
				return runs, err
			}
		}
		if err := out.write(heap.Pop(&held).(runRow).keyed); err != nil {
			return runs, err
		}
	}
}

// runRow is a row with the number of its run, from 1.
type runRow struct {
	run int
	keyed
}

type runHeap []runRow

func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].run, h[j].run), h[i].compare(h[j].keyed)) < 0
}
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)   { *h = append(*h, x.(runRow)) }
func (h *runHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// removeAll removes files; one that is gone already was put in its place.
func removeAll(paths []string) (err error) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if e := os.Remove(path); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}
