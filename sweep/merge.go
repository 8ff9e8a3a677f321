package sweep

import (
	"bytes"
	"container/heap"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stampede/internal/format"
)

// Merge joins the folders of the shards of one sweep into the folder that one
// machine would have written. A part must have all that its plan wants.
func Merge(dirs []string, to string) (err error) {
	var whole *Manifest
	var text []byte // of it
	var files []string
	seen := map[int]string{}
	for _, dir := range dirs {
		m, err := ReadManifest(dir)
		if err != nil {
			return err
		}
		if m.Shard == nil {
			return FolderErrorf("%s is not a part of a sweep (--shard)", dir)
		}
		shard := *m.Shard
		if other := seen[shard.Index]; other != "" {
			return FolderErrorf("%s and %s are both part %d of %d", other, dir, shard.Index, shard.Of)
		}
		if seen[shard.Index] = dir; shard.Of != len(dirs) {
			return FolderErrorf("%s is part %d of %d; found %d parts", dir, shard.Index, shard.Of, len(dirs))
		}
		path, clean, err := m.part(dir)
		if err != nil {
			return err
		}
		defer clean()
		files = append(files, path)
		m.Shard = nil
		own, err := m.Encode()
		if err != nil {
			return err
		}
		if whole == nil {
			whole, text = m, own
		}
		if bytes.Equal(own, text) {
			continue
		}
		differences, err := whole.Differences(m)
		if err != nil {
			return err
		}
		return FolderErrorf("%s belongs to another sweep than %s:\n  %s", dir, dirs[0],
			strings.Join(differences, "\n  "))
	}
	if err := free(to, "name another (--out)"); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	unlock, err := lockFolder(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := free(to, "name another (--out)"); err != nil { // nobody else filled it before it was locked
		return err
	}
	if err := mergeRows(files, filepath.Join(to, ResultsName)); err != nil {
		return err
	}
	return writeWhole(filepath.Join(to, ManifestName), text)
}

// part is the path of a part's rows in order, once it has all that it wants.
func (m *Manifest) part(dir string) (path string, clean func(), err error) {
	path, clean, err = Ordered(filepath.Join(dir, ResultsName))
	if err != nil {
		return "", nil, err
	}
	lacks, err := m.Lacks(path)
	if err == nil && lacks.Replications > 0 {
		err = FolderErrorf("%s, part %d of %d, is missing %s; continue it (--resume) first",
			dir, m.Shard.Index, m.Shard.Of, format.Plural(lacks.Replications, "replication"))
	}
	if err != nil {
		clean()
	}
	return path, clean, err
}

// fanIn is how many files are merged at a time; a process may have few open.
const fanIn = 128

// mergeRows joins files whose rows are in order into one: all at once, or, where they are many, in passes.
// Each file is read a line at a time.
func mergeRows(paths []string, to string) (err error) {
	var made []string // by the pass before
	defer func() { err = errors.Join(err, removeAll(made)) }()
	for first := true; first || len(paths) > 1; first = false {
		var next []string
		for some := range slices.Chunk(paths, fanIn) {
			name, err := mergeSome(some, to)
			if next = append(next, name); err != nil {
				return errors.Join(err, removeAll(next))
			}
		}
		if err := removeAll(made); err != nil {
			return err
		}
		paths, made = next, next
	}
	return replace(paths[0], to)
}

// mergeSome merges files into a new one beside the place it is for.
func mergeSome(paths []string, to string) (name string, err error) {
	var inputs lineHeap
	defer func() {
		for _, in := range inputs {
			in.file.Close()
		}
	}()
	var head []byte
	for _, path := range paths {
		in, err := openLines(path, 1<<15)
		if err != nil {
			return "", err
		}
		if head == nil {
			head = in.head
		}
		more, err := in.next()
		if inputs = append(inputs, in); err != nil {
			return "", err
		}
		if !bytes.Equal(head, in.head) {
			return "", FolderErrorf("%s has other columns than %s", path, paths[0])
		}
		if !more {
			in.file.Close()
			inputs = inputs[:len(inputs)-1]
		}
	}
	out, err := createRowFile(to, head)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	name = out.file.Name()
	heap.Init(&inputs)
	for len(inputs) > 0 {
		if err := out.write(inputs[0].row); err != nil {
			return name, err
		}
		more, err := inputs[0].next()
		if err != nil {
			return name, err
		}
		if more {
			heap.Fix(&inputs, 0)
		} else {
			heap.Pop(&inputs).(*lineReader).file.Close()
		}
	}
	return name, nil
}

// lineHeap is files by the row that each is at.
type lineHeap []*lineReader

func (h lineHeap) Len() int           { return len(h) }
func (h lineHeap) Less(i, j int) bool { return h[i].row.compare(h[j].row) < 0 }
func (h lineHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *lineHeap) Push(x any)        { *h = append(*h, x.(*lineReader)) }
func (h *lineHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
