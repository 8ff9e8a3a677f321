package trace

import (
	"fmt"
	"time"
)

// Report is what was read, for people.
type Report struct {
	Layout   string // CSV, JSON lines, ...; with gzip or UTF-16
	Format   string // a known shape, empty without one
	Tries    bool   // its rows are attempts
	Late     bool   // its rows of failures have the time at which they failed
	Columns  [Fields]string
	Rows     int           // that were looked at
	NoOutput int           // rows without output tokens
	Failed   int           // rows that are calls, with a status that is no success
	Others   int           // rows that are no calls, such as spans of HTTP
	Unmet    int           // rows that do not meet the conditions
	Bad      int           // rows that cannot be read
	FirstBad error         // why the first of them cannot
	Outside  int           // calls before From or after To
	Unsorted int           // rows earlier than the one before
	Unit     string        // of times: "dates", or the unit of plain numbers
	Guess    string        // how the unit was found, when nobody said it
	Naive    bool          // some dates have no zone
	Zoned    bool          // some dates have one
	Start    time.Duration // From, or the first call
	First    time.Duration
	Last     time.Duration
	Window   time.Duration // from From to To, where both are set
	// Ties are calls at the time of the one before, where all times are whole seconds and columns were
	// found.
	Ties int
}

// none says why there are no calls, for the end of an error.
func (r *Report) none(name string) (text string) {
	for _, c := range []struct {
		n    int
		what string
	}{
		{r.NoOutput, "have no output tokens, as failed requests have, and are left out"},
		{r.Unmet, "do not meet the conditions of where"},
		{r.Others, "are no calls"},
		{r.Bad, "cannot be read"},
	} {
		if c.n > 0 {
			text += fmt.Sprintf("; %d rows of %s %s", c.n, name, c.what)
		}
	}
	if r.FirstBad != nil {
		text += fmt.Sprintf("; the first: %v", r.FirstBad)
	}
	return text
}

// when writes an instant of the file.
func (r *Report) when(at time.Duration) string {
	if r.Dated(at) {
		return time.Unix(0, int64(at)).UTC().Format("2006-01-02 15:04:05")
	}
	return fmt.Sprintf("%g s", at.Seconds())
}

// Dated says whether an instant is one since 1970, and no plain number from the zero of another clock.
func (r *Report) Dated(at time.Duration) bool {
	return r.Naive || r.Zoned || at > 300_000_000*time.Second
}

// Span writes the first and the last instant.
func (r *Report) Span() (from, to string) { return r.when(r.First), r.when(r.Last) }
