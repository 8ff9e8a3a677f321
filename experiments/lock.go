package experiments

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// lockName is the file whose lock a folder's writer holds. The file stays: to remove it would let two
// writers lock two files of one name.
const lockName = ".lock"

// lockFolder makes the caller the only writer of a folder until it unlocks or its process ends, however
// that happens.
func lockFolder(dir string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	locked, err := lock.TryLock()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("the file system of the folder %s has no locks; name a folder on another: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock the folder %s: %w", dir, err)
	}
	if !locked {
		return nil, folderErrorf("another process writes to the folder %s; let it end, or name another folder", dir)
	}
	return lock.Unlock, nil
}
