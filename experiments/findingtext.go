package experiments

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"stampede/internal/format"
)

// minCell is the least width of a column of findings, maxKey the largest of their keys.
const (
	minCell = 12
	maxKey  = 30
)

// WriteText writes the findings for people, within so many columns.
func (r *Result) WriteText(w io.Writer, width int, colour bool) {
	more := ""
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return len(f.Values) > r.Replications }) {
		more = " or more"
	}
	wrapped := func(label, text string) {
		indent := utf8.RuneCountInString(label)
		fmt.Fprintln(w, label+format.Indent(format.Wrap(text, width-indent), indent))
	}
	wrapped(r.Experiment.Name+": ", r.Experiment.Question)
	wrapped("  claim  ", r.Experiment.Claim)
	fmt.Fprintf(w, "  seed %d, %s%s for each arm\n\n", r.Seed, format.Plural(r.Replications, "replication"), more)
	rows := [][4]string{{"finding", "reference", "measured [95 % interval]", "verdict"}}
	var notes []string
	for _, f := range r.Findings {
		rows = append(rows, [4]string{f.Key, f.words(), f.measured(), f.verdict(r.Seeds, &notes)})
	}
	limits := fitCells(rows, width)
	for i, row := range rows {
		code := ""
		if colour && i > 0 && r.Findings[i-1].Holds != nil {
			code = map[bool]string{true: "\x1b[32m", false: "\x1b[31m"}[*r.Findings[i-1].Holds]
		}
		writeCells(w, row, limits, code)
	}
	fmt.Fprintln(w)
	for i, n := range notes {
		wrapped(fmt.Sprintf("[%d] ", i+1), n)
	}
}

// fitCells are the widths of columns: as wide as their cells, but the widest give way until the
// rows fit.
func fitCells(rows [][4]string, width int) (limits [4]int) {
	total := 0
	for k := range limits {
		for _, row := range rows {
			limits[k] = max(limits[k], utf8.RuneCountInString(row[k]))
		}
		if k == 0 {
			limits[k] = min(limits[k], maxKey)
		}
		total += 2 + limits[k]
	}
	for total > width {
		widest := 1
		for k := 2; k < len(limits); k++ {
			if limits[k] > limits[widest] {
				widest = k
			}
		}
		if limits[widest] <= minCell {
			break
		}
		limits[widest]--
		total--
	}
	return limits
}

// writeCells writes a row, on as many lines as its cells need; the last cell in a colour.
func writeCells(w io.Writer, row [4]string, limits [4]int, code string) {
	var cells [4][]string
	lines := 0
	for k, text := range row {
		cells[k] = format.Wrap(text, limits[k])
		if k == 0 {
			cells[k] = breakKey(text, limits[k])
		}
		lines = max(lines, len(cells[k]))
	}
	for i := range lines {
		var line strings.Builder
		for k := range row {
			cell := ""
			if i < len(cells[k]) {
				cell = cells[k][i]
			}
			space := strings.Repeat(" ", max(0, limits[k]-utf8.RuneCountInString(cell)))
			if k == len(row)-1 && code != "" && cell != "" {
				cell = code + cell + "\x1b[0m"
			}
			line.WriteString("  " + cell + space)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// breakKey breaks a key behind its underscores.
func breakKey(key string, width int) (lines []string) {
	for len(key) > width {
		at := strings.LastIndex(key[:width], "_") + 1
		if at == 0 {
			break
		}
		lines, key = append(lines, key[:at]), key[at:]
	}
	return append(lines, key)
}
