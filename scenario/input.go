package scenario

import (
	"fmt"
	"os"
)

// Bounds on the files that are read, in bytes.
const (
	maxScenario = 4 << 20 // that of the YAML reader
	maxInput    = 256 << 20
)

// readInput reads a regular file of at most so many bytes. What is no regular file is not opened: a
// pipe or a device could keep silent, or never end.
func readInput(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil: // opening it says why
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; want a file", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a device or a pipe; want a file", path)
	case info.Size() > most:
		hint := ""
		if most == maxInput {
			hint = "; a trace may be compressed with gzip"
		}
		return nil, fmt.Errorf("%s has %d bytes; want at most %d%s", path, info.Size(), most, hint)
	}
	return os.ReadFile(path)
}
