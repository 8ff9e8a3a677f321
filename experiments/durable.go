package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// writeWhole writes a file that comes to be whole or not at all, and stays when the power fails.
func writeWhole(path string, text []byte) error {
	tmp, err := os.OpenFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err := tmp.Write(text); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return replace(tmp.Name(), path)
}

// replace puts a finished file in the place of another; it stays there when the power fails.
func replace(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// syncFolder makes the names in a folder stay when the power fails, where the system can.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" { // which has no such call
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // some file systems cannot
	}
	return errors.Join(err, f.Close())
}
