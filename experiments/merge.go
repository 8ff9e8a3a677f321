package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Merge joins the folders of the shards of one sweep into the folder that one
// machine would have written.
func Merge(dirs []string, to string) error {
	var whole *Manifest
	var files []string
	seen := map[int]string{}
	for _, dir := range dirs {
		m, err := ReadManifest(dir)
		if err != nil {
			return err
		}
		if m.Shard == nil {
			return fmt.Errorf("%s is not a part of a sweep (--shard)", dir)
		}
		shard := *m.Shard
		m.Shard = nil
		if whole == nil {
			whole = m
		} else if differences, err := whole.Differences(m); err != nil {
			return err
		} else if len(differences) > 0 {
			return fmt.Errorf("%s is of another sweep than %s:\n  %s", dir, dirs[0], strings.Join(differences, "\n  "))
		}
		if other := seen[shard.Index]; other != "" {
			return fmt.Errorf("%s and %s are both part %d of %d", other, dir, shard.Index, shard.Of)
		}
		if seen[shard.Index] = dir; shard.Of != len(dirs) {
			return fmt.Errorf("%s is part %d of %d; found %d parts", dir, shard.Index, shard.Of, len(dirs))
		}
		path := filepath.Join(dir, resultsName)
		if missing, err := whole.missing(path, shard); err != nil {
			return err
		} else if missing > 0 {
			return fmt.Errorf("%s, part %d of %d, lacks %d replications; go on with it (--resume) first", dir, shard.Index, shard.Of, missing)
		}
		files = append(files, path)
	}
	if used, err := inUse(to); err != nil {
		return err
	} else if used {
		return fmt.Errorf("the folder %s is not empty; name another (--out)", to)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	text, err := whole.encode()
	if err != nil {
		return err
	}
	if err := sortRows(files, filepath.Join(to, resultsName)); err != nil {
		return err
	}
	return writeWhole(filepath.Join(to, manifestName), text)
}

// missing counts the replications that a part does not have. A point that could
// not be built has none to come.
func (m *Manifest) missing(path string, shard Shard) (int, error) {
	var axes []string
	for _, a := range m.Axes {
		axes = append(axes, a.Path)
	}
	have := map[int]int{}
	if err := readRows(path, axes, nil, func(r *Row) error {
		if have[r.Point]++; r.Replication < 0 {
			have[r.Point] = m.Replications
		}
		return nil
	}); err != nil {
		return 0, err
	}
	missing := 0
	for i := range m.Points {
		if shard.has(i) {
			missing += max(0, m.Replications-have[i])
		}
	}
	return missing, nil
}
