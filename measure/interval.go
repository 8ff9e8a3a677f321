package measure

import (
	"fmt"
	"strconv"

	"stampede/internal/format"
)

// Interval writes what is known of a mean: its interval, or [?] of one replication, or of a value that all
// replications share how far that goes. A value that follows from the scenario needs none.
func Interval(e Estimate, random bool) string {
	switch {
	case e.N == 0:
		return ""
	case e.N == 1:
		return "[?]"
	case e.Unseen > 0 && e.Mean == 0:
		return fmt.Sprintf("0 of %d, at most %s", e.N, AtMostPart(e.Unseen))
	case e.Unseen > 0 && e.High == 1 && e.Low < 1:
		return fmt.Sprintf("%d of %d, at least %s", e.N, e.N, AtLeastPart(e.Unseen))
	case e.Unseen > 0 || e.Half() == 0 && !random:
		return "[=]"
	case e.Half() == 0:
		return ""
	}
	return "[" + format.Number(e.Low) + ", " + format.Number(e.High) + "]"
}

// AtMostPart and AtLeastPart write a bound on the part of the replications that differ, and on
// the part that do not.
func AtMostPart(q float64) string { return strconv.FormatFloat(percent(q), 'g', 4, 64) + " %" }

func AtLeastPart(q float64) string { return strconv.FormatFloat(100-percent(q), 'g', 8, 64) + " %" }

// percent is a share in percent with two significant digits.
func percent(q float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(100*q, 'g', 2, 64), 64)
	return rounded
}
