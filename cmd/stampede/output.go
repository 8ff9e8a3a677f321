package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// output is a file that is written completely or not at all: it is written under a temporary name and
// renamed by commit. A pipe or a device is written to directly.
type output struct {
	*os.File
	path string // where the file goes; empty when it is written to directly
}

// create opens an output; it must not be one of the files that are read.
func create(flag, path string, inputs []string) (*output, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	if err == nil {
		for _, input := range inputs {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return nil, usage("%s: %s is read by this run; want another file", flag, path)
			}
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, usage("%s: %s is a folder; want a file", flag, path)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &output{File: f}, err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return nil, usage("%s: there is no folder %s to write %s in", flag, filepath.Dir(path), filepath.Base(path))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write in the folder %s: %w", flag, filepath.Dir(path), errors.Unwrap(err))
	}
	return &output{f, path}, nil
}

func (o *output) commit() error {
	if o.path == "" {
		return o.Close()
	}
	if err := o.Chmod(0o644); err != nil {
		return errors.Join(err, o.discard())
	}
	if err := errors.Join(o.Sync(), o.Close()); err != nil {
		return errors.Join(err, os.Remove(o.Name()))
	}
	return os.Rename(o.Name(), o.path)
}

func (o *output) discard() error {
	err := o.Close()
	if o.path != "" {
		err = errors.Join(err, os.Remove(o.Name()))
	}
	return err
}

// wantEmpty refuses a folder that holds anything.
func wantEmpty(flag, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return usage("%s: the folder %s is not empty; name another", flag, dir)
	}
	return nil
}
