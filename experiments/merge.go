package experiments

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
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
			return folderErrorf("%s is not a part of a sweep (--shard)", dir)
		}
		shard := *m.Shard
		if other := seen[shard.Index]; other != "" {
			return folderErrorf("%s and %s are both part %d of %d", other, dir, shard.Index, shard.Of)
		}
		if seen[shard.Index] = dir; shard.Of != len(dirs) {
			return folderErrorf("%s is part %d of %d; found %d parts", dir, shard.Index, shard.Of, len(dirs))
		}
		path, clean, err := m.part(dir)
		if err != nil {
			return err
		}
		defer clean()
		files = append(files, path)
		m.Shard = nil
		own, err := m.encode()
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
		return folderErrorf("%s is of another sweep than %s:\n  %s", dir, dirs[0], strings.Join(differences, "\n  "))
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
	if err := mergeRows(files, filepath.Join(to, resultsName)); err != nil {
		return err
	}
	return writeWhole(filepath.Join(to, manifestName), text)
}

// part is the path of a part's rows in order, once it has all that it wants.
func (m *Manifest) part(dir string) (path string, clean func(), err error) {
	path, clean, err = ordered(filepath.Join(dir, resultsName))
	if err != nil {
		return "", nil, err
	}
	lacks, err := m.lacks(path)
	if err == nil && lacks.replications > 0 {
		err = folderErrorf("%s, part %d of %d, lacks %d replications; go on with it (--resume) first", dir, m.Shard.Index, m.Shard.Of, lacks.replications)
	}
	if err != nil {
		clean()
	}
	return path, clean, err
}
