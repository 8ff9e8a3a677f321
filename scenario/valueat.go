package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"stampede/internal/strict"
)

// ValueAt is the value at a path as a file has it, presets resolved. A field that has its default is not there.
func (s *Scenario) ValueAt(path string) (string, error) {
	text, err := s.Resolved()
	if err != nil {
		return "", err
	}
	node, err := strict.Parse(text, s.Name)
	if err != nil {
		return "", err
	}
	for _, name := range strings.Split(path, ".") {
		if i, err := strconv.Atoi(name); err == nil && node.Kind == strict.Sequence && i >= 0 && i < len(node.Items) {
			node = node.Items[i]
		} else if node = node.Field(name); node == nil {
			return "", fmt.Errorf("%s: the scenario does not set it", path)
		}
	}
	return node.Flow(), nil
}
