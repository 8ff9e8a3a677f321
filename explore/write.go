package explore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write writes the site to a folder, which is made where it is missing and must be empty. The files are
// written to a folder inside it first and moved when all are there, index.html last: what failed or was
// killed does not look like a site.
func (s Site) Write(dir string) (err error) {
	files, err := s.files()
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("the folder %s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	made, err := os.MkdirTemp(dir, ".site-*")
	if err != nil {
		return err
	}
	var moved []string
	defer func() {
		if err != nil {
			for _, path := range moved {
				err = errors.Join(err, os.RemoveAll(path))
			}
		}
		err = errors.Join(err, os.RemoveAll(made))
	}()
	for name, text := range files {
		path := filepath.Join(made, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(made)
	if err != nil {
		return err
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() != indexName {
			names = append(names, entry.Name())
		}
	}
	for _, name := range append(names, indexName) {
		path := filepath.Join(dir, name)
		if err := os.Rename(filepath.Join(made, name), path); err != nil {
			return err
		}
		moved = append(moved, path)
	}
	return nil
}
