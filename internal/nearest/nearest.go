// Package nearest finds the known name that a mistyped one probably means.
package nearest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest is the known name closest to what was found: by edit distance, with
// case ignored, and a common prefix counting as close. It is empty when nothing
// is near.
func Nearest(found string, known []string) string {
	if len(found) > 100 {
		return "" // no name is that long, and the comparison takes the product of both lengths
	}
	best, limit := "", 1 // accepts a distance below it: only a difference in case
	if len(found) > 2 {
		limit = 2 + len(found)/4
	}
	lower := strings.ToLower(found)
	for _, name := range known {
		candidate := strings.ToLower(name)
		d := levenshtein.ComputeDistance(lower, candidate)
		if len(lower) > 1 && (strings.HasPrefix(candidate, lower) || strings.HasSuffix(candidate, "/"+lower)) {
			d = 0
		}
		if d < limit {
			best, limit = name, d
		}
	}
	return best
}

// Unknown is the end of an error message about an unknown name: what was
// probably meant, or the names that contain it, or else what is allowed; at most
// twelve names.
func Unknown(found string, known []string) string {
	if name := Nearest(found, known); name != "" {
		return "did you mean " + quote(name) + "?" + " (known: " + List(known) + ")"
	}
	var with []string
	for _, name := range known {
		if len(found) > 2 && strings.Contains(strings.ToLower(name), strings.ToLower(found)) {
			with = append(with, name)
		}
	}
	if len(with) > 0 {
		return "known with it: " + List(with)
	}
	return "known: " + List(known)
}

// List writes at most twelve names in order.
func List(names []string) string {
	sorted := slices.Sorted(slices.Values(names))
	if len(sorted) > 12 {
		return strings.Join(sorted[:12], ", ") + ", ..."
	}
	return strings.Join(sorted, ", ")
}

func quote(s string) string { return `"` + s + `"` }
