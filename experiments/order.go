package experiments

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
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

type lineHeap []keyed

func (h lineHeap) Len() int           { return len(h) }
func (h lineHeap) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }
func (h lineHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *lineHeap) Push(x any)        { *h = append(*h, x.(keyed)) }
func (h *lineHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// window is how far, in lines, a row may lie from its place for sorting to take
// bounded memory.
const window = 20_000

var errWindow = errors.New("rows lie further from their place than the window")

// sortRows merges the rows of result files into one file in order. Rows lie near
// their place, so a window of them is enough; where one does not, all are held. A
// row that stands twice is kept once when both agree.
func sortRows(from []string, to string) error {
	err := sortWithin(window, from, to)
	if errors.Is(err, errWindow) {
		err = sortWithin(math.MaxInt, from, to)
	}
	return err
}

func sortWithin(window int, from []string, to string) error {
	type input struct {
		lines *bufio.Reader
		heap  lineHeap
		ended bool
	}
	var head []byte
	var inputs []*input
	for _, path := range from {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		in := &input{lines: bufio.NewReaderSize(f, 1<<20)}
		first, err := in.lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: no header", path)
		}
		if head == nil {
			head = first
		} else if !bytes.Equal(head, first) {
			return fmt.Errorf("%s has other columns than %s", path, from[0])
		}
		inputs = append(inputs, in)
	}
	tmp, err := os.CreateTemp(filepath.Dir(to), "."+resultsName+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	out := bufio.NewWriterSize(tmp, 1<<20)
	if _, err := out.Write(head); err != nil {
		return errors.Join(err, tmp.Close())
	}
	last := keyed{point: -1}
	for {
		var least *input
		for _, in := range inputs {
			for !in.ended && len(in.heap) < window {
				line, err := in.lines.ReadBytes('\n')
				if err != nil { // a torn last line is dropped
					in.ended = true
					break
				}
				k, err := keyOf(line)
				if err != nil {
					return errors.Join(err, tmp.Close())
				}
				heap.Push(&in.heap, k)
			}
			if len(in.heap) > 0 && (least == nil || in.heap[0].compare(least.heap[0]) < 0) {
				least = in
			}
		}
		if least == nil {
			break
		}
		k := heap.Pop(&least.heap).(keyed)
		switch c := last.compare(k); {
		case c == 0 && bytes.Equal(last.line, k.line):
			continue
		case c == 0:
			return errors.Join(fmt.Errorf("point %d, replication %d stands twice with different results", k.point, k.replication), tmp.Close())
		case c > 0:
			return errors.Join(errWindow, tmp.Close())
		}
		if _, err := out.Write(k.line); err != nil {
			return errors.Join(err, tmp.Close())
		}
		last = k
	}
	if err := errors.Join(out.Flush(), tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), to)
}

// inOrder reports whether the rows of a file are in order of point and
// replication.
func inOrder(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	if _, err := lines.ReadSlice('\n'); err != nil {
		return true, nil // nothing but a torn header
	}
	last := keyed{point: -1}
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return true, nil
		}
		k, err := keyOf(line)
		if err != nil {
			return false, err
		}
		if last.compare(k) >= 0 {
			return false, nil
		}
		last = k
		last.line = nil
	}
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
		return k, fmt.Errorf("not a line of results: %.60q", line)
	}
	return k, nil
}
