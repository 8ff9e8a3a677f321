package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/sweep"
)

// shown is how many points a report for people lists.
const shown = 40

// table is rows of cells under a head.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// text writes the table in columns, the first ones to the left and numbers to
// the right.
func (t *table) text(w io.Writer, left int) {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", width[i]-len([]rune(cell)))
			if i < left {
				line.WriteString("  " + cell + space)
			} else {
				line.WriteString("  " + space + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

func (t *table) markdown(w io.Writer) {
	line := func(cells []string) {
		for i := range cells {
			cells[i] = format.Markdown(cells[i])
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	line(slices.Clone(t.head))
	fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		line(slices.Clone(row))
	}
}

// order lists the points, the best mean of the objective first.
func (c *Comparison) order() []*PointResult {
	var out []*PointResult
	for i := range c.Points {
		out = append(out, &c.Points[i])
	}
	better := measure.Metrics()[c.Metrics[c.Objective]].Better
	slices.SortStableFunc(out, func(a, b *PointResult) int {
		x, y := a.Estimates[c.Objective], b.Estimates[c.Objective]
		switch {
		case x.N == 0 || y.N == 0:
			return boolInt(x.N == 0) - boolInt(y.N == 0)
		case x.Mean == y.Mean:
			return 0
		case (x.Mean < y.Mean) == (better == measure.Lower):
			return -1
		}
		return 1
	})
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *Comparison) pointTable() *table {
	t := &table{head: append([]string{"", "#"}, c.shortAxes()...)}
	for _, m := range c.Metrics {
		t.head = append(t.head, measure.Metrics()[m].Name)
	}
	refused := slices.ContainsFunc(c.Points, func(p PointResult) bool { return most(p.Limits) != nil })
	if refused {
		t.head = append(t.head, "refused most by")
	}
	t.head = append(t.head, "vs base")
	for i, p := range c.order() {
		if i >= shown {
			break
		}
		mark := ""
		if slices.Contains(c.Best, p.Point) {
			mark += "*"
		}
		if slices.Contains(c.Frontier, p.Point) {
			mark += "f"
		}
		if p.Few {
			mark += markFew
		}
		cells := append([]string{mark, strconv.Itoa(p.Point)}, p.Labels...)
		for i, e := range p.Estimates {
			cell := meanCell(e)
			collapsed := slices.Index(c.Metrics, measure.Index("collapsed"))
			if c.Metrics[i] == measure.Index("recovery_s") && e.N == 0 && !c.isControl(*p) && collapsed >= 0 &&
				p.Estimates[collapsed].Mean == 1 {
				cell = "never"
			}
			cells = append(cells, cell)
		}
		d := p.Diffs[c.Objective]
		verdict := string(d.Verdict)
		switch {
		case d.Verdict == IsBase:
		case d.N > 1:
			sign := ""
			if d.Mean > 0 {
				sign = "+"
			}
			verdict = sign + plusMinus(d.Estimate) + " " + verdict
		case p.N == 0:
			verdict = ""
		}
		if refused {
			cells = append(cells, refusedMost(p.Limits))
		}
		t.add(append(cells, verdict)...)
	}
	return t
}

// shortAxes names axes by the last parts that tell them apart.
func (c *Comparison) shortAxes() []string { return sweep.ShortNames(c.Axes) }

// meanCell writes a mean with its half-width, or how far a value goes that all replications share.
func meanCell(e measure.Estimate) string {
	switch {
	case e.Unseen == 0:
		return plusMinus(e)
	case e.Mean == 0:
		return "0 (≤" + measure.AtMostPart(e.Unseen) + ")"
	case e.High == 1 && e.Low < 1:
		return "1 (≥" + measure.AtLeastPart(e.Unseen) + ")"
	}
	return format.Number(e.Mean) + " [=]"
}

// legend explains the forms of cells that a table has.
func (t *table) legend() (lines []string) {
	uses := func(mark string) bool {
		return slices.ContainsFunc(t.rows, func(row []string) bool {
			return slices.ContainsFunc(row, func(cell string) bool { return strings.Contains(cell, mark) })
		})
	}
	for _, form := range []struct{ mark, words string }{
		{"±?", "±? one replication gives no interval"},
		{"(≤", "0 (≤9.5 %) no replication has any; with 95 % confidence at most 9.5 % of others do"},
		{"(≥", "1 (≥90.5 %) so in every replication; with 95 % confidence in at least 90.5 % of others"},
		{"[=]", "[=] the same in every replication; of 30 such, at most 9.5 % of others differ (95 % confidence)"},
	} {
		if uses(form.mark) {
			lines = append(lines, form.words)
		}
	}
	return lines
}

// plusMinus writes a mean with its half-width.
func plusMinus(e measure.Estimate) string {
	switch {
	case e.N == 0:
		return "n/a"
	case e.N == 1:
		return format.Number(e.Mean) + " ±?"
	case e.Half() == 0:
		return format.Number(e.Mean)
	}
	half, _ := strconv.ParseFloat(strconv.FormatFloat(e.Half(), 'g', 2, 64), 64)
	return format.Number(e.Mean) + " ±" + format.Number(half)
}

func (c *Comparison) sensitivityTable() *table {
	t := &table{head: []string{"axis", "metric", "share", "least at", "most at"}}
	sorted := slices.Clone(c.Sensitivity)
	slices.SortStableFunc(sorted, func(a, b Sensitivity) int {
		switch {
		case a.Metric != b.Metric:
			return a.Metric - b.Metric
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	short := c.shortAxes()
	for _, s := range sorted {
		if s.AtLeast == s.AtMost {
			continue
		}
		t.add(short[slices.Index(c.Axes, s.Axis)], measure.Metrics()[c.Metrics[s.Metric]].Name,
			fmt.Sprintf("%.0f %%", 100*s.Share), fmt.Sprintf("%s (%s)", format.Number(s.AtLeast), s.Least),
			fmt.Sprintf("%s (%s)", format.Number(s.AtMost), s.Most))
	}
	return t
}

func (c *Comparison) title() string {
	m := c.Manifest
	s := fmt.Sprintf("sweep of %s: %d points, %d replications each, seed %d", m.Name, m.Points, m.Replications, m.Seed)
	if m.Precision != nil {
		s = fmt.Sprintf("sweep of %s: %d points, replications until %s is known to ±%.3g %%, %d to %d, seed %d",
			m.Name, m.Points, m.Precision.Metric, 100*m.Precision.Rel, m.Replications, m.Precision.MaxReps, m.Seed)
	}
	return s
}

func (c *Comparison) objective() string {
	m := measure.Metrics()[c.Metrics[c.Objective]]
	return fmt.Sprintf(
		"%s (%s, %s is better)",
		m.Name,
		m.Unit,
		map[measure.Direction]string{measure.Lower: "lower", measure.Higher: "higher", measure.Neither: "higher"}[m.Better],
	)
}

func (c *Comparison) baseName() string {
	for _, p := range c.Points {
		if p.Point == c.Base {
			return fmt.Sprintf("point %d (%s)", p.Point, strings.Join(p.Labels, ", "))
		}
	}
	return fmt.Sprintf("point %d", c.Base)
}

// WriteText writes the comparison for people.
func (c *Comparison) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s\n  policy    %s\n  provider  %s\n", c.title(), c.Manifest.Policy, c.Manifest.Provider)
	fmt.Fprintf(w, "  ordered by %s; base is %s\n\n", c.objective(), c.baseName())
	points := c.pointTable()
	points.text(w, 2+len(c.Axes))
	if left := len(c.Points) - shown; left > 0 {
		fmt.Fprintf(w, "  and %d more points (--csv or --json list all)\n", left)
	}
	fmt.Fprintf(w, "\n  mean ±half-width of the 95 %% interval; differences are paired by seed, ~ is undecided\n")
	fmt.Fprintf(w,
		"  * may be the best (95 %%)   f on means, no other point is better in cost, latency and success at once\n")
	fmt.Fprintf(w, "    (f among the points that answer %.0f %% of calls, or as many as any)\n", 100*nearlyAll)
	if slices.ContainsFunc(c.Points, func(p PointResult) bool { return p.Few }) {
		fmt.Fprintf(w, "  %s under %.0f %% of calls are answered: cost and latency are of those\n", markFew,
			100*nearlyAll)
	}
	for _, line := range points.legend() {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if t := c.sensitivityTable(); len(t.rows) > 0 {
		fmt.Fprintf(w, "\nwhat each axis does: its share of the variance between points\n\n")
		t.text(w, 2)
	}
	if len(c.Warnings) > 0 {
		fmt.Fprintln(w)
	}
	for i, text := range c.Warnings {
		fmt.Fprintf(w, "[%d] %s\n", i+1, text)
	}
}

// WriteMarkdown writes the comparison as a document.
func (c *Comparison) WriteMarkdown(w io.Writer) {
	fmt.Fprintf(w, "# %s\n\n- policy: %s\n- provider: %s\n- ordered by %s; base is %s\n\n", format.Markdown(c.title()),
		format.Markdown(c.Manifest.Policy), format.Markdown(c.Manifest.Provider), c.objective(),
		format.Markdown(c.baseName()))
	points := c.pointTable()
	points.markdown(w)
	fmt.Fprintf(
		w,
		"\nMean ±half-width of the 95 %% interval; differences are paired by seed, ~ is undecided. `*` may be the best (95 %%); `f` on means, no other point is better in cost, latency and success at once, among those that answer %.0f %% of calls or as many as any.\n",
		100*nearlyAll,
	)
	for _, line := range points.legend() {
		fmt.Fprintf(w, "%s.\n", line)
	}
	if left := len(c.Points) - shown; left > 0 {
		fmt.Fprintf(w, "%d more points are left out.\n", left)
	}
	if t := c.sensitivityTable(); len(t.rows) > 0 {
		fmt.Fprintf(w, "\n## What each axis does\n\nShare of the variance between points.\n\n")
		t.markdown(w)
	}
	if len(c.Warnings) > 0 {
		fmt.Fprintf(w, "\n## Notes\n\n")
		for i, text := range c.Warnings {
			fmt.Fprintf(w, "%d. %s\n", i+1, format.Markdown(text))
		}
	}
}

// WriteCSV writes every point: for each metric mean, interval, paired difference
// with its interval, and verdict.
func (c *Comparison) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := append([]string{"point"}, c.Axes...)
	head = append(head, "replications", "may_be_best", "on_frontier", "limits", "refused_most_by", "error")
	for _, m := range c.Metrics {
		n := measure.Metrics()[m].Name
		head = append(head, n, n+"_low", n+"_high", n+"_diff", n+"_diff_low", n+"_diff_high", n+"_verdict")
	}
	if err := out.Write(head); err != nil {
		return err
	}
	number := func(x float64) string {
		if format.Finite(x) == nil {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	for _, p := range c.Points {
		row := []string{strconv.Itoa(p.Point)}
		for _, label := range p.Labels {
			row = append(row, format.Cell(label))
		}
		row = append(row, strconv.Itoa(p.N), strconv.FormatBool(slices.Contains(c.Best, p.Point)),
			strconv.FormatBool(slices.Contains(c.Frontier, p.Point)),
			format.Cell(measure.JoinLimits(namesOf(p.Limits))), format.Cell(nameOf(most(p.Limits))),
			format.Cell(p.Reason))
		for i, e := range p.Estimates {
			d := p.Diffs[i]
			row = append(row, number(e.Mean), number(e.Low), number(e.High), number(d.Mean), number(d.Low),
				number(d.High), string(d.Verdict))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// MarshalJSON writes the comparison for machines.
func (c *Comparison) MarshalJSON() ([]byte, error) {
	type estimate struct {
		Metric  string        `json:"metric"`
		Of      measure.Basis `json:"of"`
		Mean    *float64      `json:"mean"`
		CI95    [2]*float64   `json:"ci95"`
		Unseen  float64       `json:"unseen,omitempty"`
		Diff    *float64      `json:"diff"`
		DiffCI  [2]*float64   `json:"diff_ci95"`
		Verdict Verdict       `json:"verdict"`
	}
	type point struct {
		Point        int               `json:"point"`
		Values       map[string]string `json:"values"`
		Replications int               `json:"replications"`
		MayBeBest    bool              `json:"may_be_best"`
		OnFrontier   bool              `json:"on_frontier"`
		Few          bool              `json:"few_answered"` // cost and latency are of survivors
		Error        string            `json:"error,omitempty"`
		Metrics      []estimate        `json:"metrics"`
		Limits       []LimitValue      `json:"limits"`
	}
	type sensitivity struct {
		Axis    string   `json:"axis"`
		Metric  string   `json:"metric"`
		Share   float64  `json:"share_of_variance"`
		Least   string   `json:"least_at"`
		Most    string   `json:"most_at"`
		AtLeast *float64 `json:"least"`
		AtMost  *float64 `json:"most"`
	}
	out := struct {
		Manifest    *sweep.Manifest `json:"manifest"`
		Objective   string          `json:"objective"`
		Base        int             `json:"base"`
		Best        []int           `json:"best"`
		Frontier    []int           `json:"frontier"`
		Points      []point         `json:"points"`
		Sensitivity []sensitivity   `json:"sensitivity"`
		Warnings    []string        `json:"warnings"`
	}{Manifest: c.Manifest, Objective: measure.Metrics()[c.Metrics[c.Objective]].Name, Base: c.Base, Best: c.Best, Frontier: c.Frontier, Warnings: c.Warnings}
	for _, p := range c.Points {
		j := point{
			Point:        p.Point,
			Values:       map[string]string{},
			Replications: p.N,
			MayBeBest:    slices.Contains(c.Best, p.Point),
			OnFrontier:   slices.Contains(c.Frontier, p.Point),
			Few:          p.Few,
			Error:        p.Reason,
			Limits:       p.Limits,
		}
		for k, label := range p.Labels {
			j.Values[c.Axes[k]] = label
		}
		for i, e := range p.Estimates {
			d := p.Diffs[i]
			j.Metrics = append(
				j.Metrics,
				estimate{
					measure.Metrics()[c.Metrics[i]].Name,
					measure.Metrics()[c.Metrics[i]].Of,
					format.Finite(e.Mean),
					[2]*float64{format.Finite(e.Low), format.Finite(e.High)},
					e.Unseen,
					format.Finite(d.Mean),
					[2]*float64{format.Finite(d.Low), format.Finite(d.High)},
					d.Verdict,
				},
			)
		}
		out.Points = append(out.Points, j)
	}
	for _, s := range c.Sensitivity {
		out.Sensitivity = append(
			out.Sensitivity,
			sensitivity{
				s.Axis,
				measure.Metrics()[c.Metrics[s.Metric]].Name,
				s.Share,
				s.Least,
				s.Most,
				format.Finite(s.AtLeast),
				format.Finite(s.AtMost),
			},
		)
	}
	return json.Marshal(out)
}
