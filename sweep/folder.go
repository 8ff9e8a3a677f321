package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// A folder of results has one writer, and what is finished in it stays when the power fails.

// FolderError is a folder that cannot be used as asked.
type FolderError struct{ error }

func FolderErrorf(format string, args ...any) error { return FolderError{fmt.Errorf(format, args...)} }

// free is the error of a folder that holds something already, with what to do then.
func free(dir, instead string) error {
	used, err := inUse(dir)
	if err == nil && used {
		err = FolderErrorf("the folder %s is not empty; %s", dir, instead)
	}
	return err
}

// inUse reports whether a folder holds anything; what a kill left half-written
// and the lock have names that begin with a dot and do not count.
func inUse(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }), nil
}

// lockName is the file whose lock a folder's writer holds. The file stays: to remove it would let two
// writers lock two files of one name.
const lockName = ".lock"

// lockFolder makes the caller the only writer of a folder until it unlocks or its process ends, however
// that happens.
func lockFolder(dir string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	locked, err := lock.TryLock()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("the file system of the folder %s does not support locks; name a folder on another "+
			"one: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock the folder %s: %w", dir, err)
	}
	if !locked {
		return nil, FolderErrorf("another process is writing to the folder %s; wait for it to end, or name "+
			"another folder", dir)
	}
	return lock.Unlock, nil
}

// writeWhole writes a file as a whole or not at all; it survives a power failure.
func writeWhole(path string, text []byte) error {
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	tmp, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
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
