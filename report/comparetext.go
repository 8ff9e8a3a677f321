package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/sweep"
)

// shown is how many points a report for people lists.
const shown = 40

// order lists the points: those that meet all goals, those that may, and the others, each with the best mean of
// the objective first.
func (c *Comparison) order() []*PointResult {
	var out []*PointResult
	for i := range c.Points {
		out = append(out, &c.Points[i])
	}
	better := measure.Metrics()[c.Metrics[c.Objective]].Better
	slices.SortStableFunc(out, func(a, b *PointResult) int {
		x, y := a.Estimates[c.Objective], b.Estimates[c.Objective]
		switch {
		case a.rank() != b.rank():
			return a.rank() - b.rank()
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
		{"(≤", "0 (≤9.5 %) no replication has any; with 95 % confidence at most 9.5 % of further replications do"},
		{"(≥", "1 (≥90.5 %) so in every replication; with 95 % confidence in at least 90.5 % of further replications"},
		{"[=]", "[=] the same in every replication; of 30 such, at most 9.5 % of further replications differ " +
			"(95 % confidence)"},
	} {
		if uses(form.mark) {
			lines = append(lines, form.words)
		}
	}
	return lines
}

// plusMinus writes a mean with its half-width, with as many digits as it takes to exclude 0 exactly
// where the interval does. A lopsided interval for which none do is written by its ends.
func plusMinus(e measure.Estimate) string {
	switch {
	case e.N == 0:
		return "n/a"
	case e.N == 1:
		return format.Number(e.Mean) + " ±?"
	case e.Unseen > 0 && e.Mean != 0:
		return format.Number(e.Mean) + " [=]"
	case e.Unseen > 0 || e.Half() == 0:
		return format.Number(e.Mean)
	}
	const most = 12 // digits
	for digits := 2; digits <= most; digits++ {
		mean, half := rounded(e.Mean, max(digits, 4)), rounded(e.Half(), digits)
		apart, decided := math.Abs(mean) > half, e.Low > 0 || e.High < 0
		if apart == decided || e.Low == 0 { // at 0 the values end: nothing is decided there
			return number(mean, digits) + " ±" + number(half, digits)
		}
	}
	return fmt.Sprintf("%s [%s, %s]", format.Number(e.Mean), format.Number(e.Low), format.Number(e.High))
}

// rounded is a number with so many digits; a whole number stays as it is.
func rounded(x float64, digits int) float64 {
	if x == math.Trunc(x) && digits > 2 {
		return x
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return y
}

// number writes a rounded number, with more digits than format.Number where it has them.
func number(x float64, digits int) string {
	if digits > 4 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return format.Number(x)
}

func (c *Comparison) title() string {
	m := c.Manifest
	kind, each := "sweep", " each"
	if len(m.Axes) == 0 {
		kind, each = "run", ""
	}
	points := format.Plural(m.Points, "point")
	s := fmt.Sprintf("%s of %s: %s, %s%s, seed %d", kind, m.Name, points, format.Plural(m.Replications, "replication"),
		each, m.Seed)
	if m.Search != nil {
		s = fmt.Sprintf("search of %s: %s, %d to %d replications each, seed %d", m.Name, points,
			slices.Min(m.Search.Replications), slices.Max(m.Search.Replications), m.Seed)
	}
	if m.Precision != nil {
		s = fmt.Sprintf("%s of %s: %s, replications until %s is known to ±%.3g %%, %d to %d, seed %d",
			kind, m.Name, points, m.Precision.Metric, 100*m.Precision.Rel, m.Replications, m.Precision.MaxReps, m.Seed)
	}
	return s
}

// single reports whether there is one point, which is compared with nothing.
func (c *Comparison) single() bool { return c.Manifest.Points == 1 }

// withoutComparison leaves out the marks, the number and the difference to the base, which say
// nothing of a single point.
func (t *table) withoutComparison() {
	cut := func(cells []string) []string { return cells[2 : len(cells)-1] }
	t.head, t.left = cut(t.head), t.left-2
	for _, lines := range [][][]string{t.above, t.rows} {
		for i := range lines {
			lines[i] = cut(lines[i])
		}
	}
}

func (c *Comparison) objective() string {
	m := measure.Metrics()[c.Metrics[c.Objective]]
	better := m.Better
	if better == measure.Neither {
		better = measure.Higher
	}
	text := fmt.Sprintf("%s (%s, %s is better)", m.Name, m.Unit, better)
	if len(c.Aims.Goals) > 0 {
		text = "goals, then " + text
	}
	return text
}

func (c *Comparison) baseName() string {
	for _, p := range c.Points {
		if p.Point == c.Base {
			return fmt.Sprintf("point %d (%s)", p.Point, strings.Join(p.Labels, ", "))
		}
	}
	return fmt.Sprintf("point %d", c.Base)
}

// WriteText writes the comparison for people, its conclusion first.
func (c *Comparison) WriteText(w io.Writer, l Layout) {
	c.WriteConclusion(w, l)
	fmt.Fprintln(w)
	c.WriteTables(w, l)
}

// WriteTables writes what the conclusion rests on.
func (c *Comparison) WriteTables(w io.Writer, l Layout) {
	l.wrapped(w, "", c.title())
	c.writeGoals(w, l)
	l.wrapped(w, "  policy    ", c.Manifest.Policy)
	l.wrapped(w, "  provider  ", c.Manifest.Provider)
	if !c.single() {
		l.wrapped(w, "  ordered by ", c.objective()+"; base is "+c.baseName())
	}
	if len(c.Axes) > 0 {
		l.wrapped(w, "  axes      ", strings.Join(c.shortAxes(), ", "))
	}
	fmt.Fprintln(w)
	points, left := c.fitted(l)
	if c.single() {
		points.withoutComparison()
	}
	points.text(w, l)
	if left := len(c.Points) - shown; left > 0 {
		fmt.Fprintf(w, "  and %d more points (--csv or --json list all)\n", left)
	}
	fmt.Fprintln(w)
	for _, line := range append(c.footnotes(), points.legend()...) {
		l.wrapped(w, "  ", line)
	}
	if len(left) > 0 {
		l.wrapped(w, "  ", "left out to fit the width: "+strings.Join(left, ", "))
	}
	if !l.Wide {
		l.wrapped(w, "  ", "stampede report --wide shows all metrics with intervals, --metrics A,B,C those named")
	}
	if t := c.sensitivityTable(!l.Wide); len(t.rows) > 0 {
		fmt.Fprintln(w)
		l.wrapped(w, "", "axes that matter, by their share of the variance between points")
		fmt.Fprintln(w)
		if !l.Wide && l.Width > 0 {
			t.cut(0, len(t.head), l.Width)
		}
		t.text(w, l)
	}
	if len(c.Warnings) > 0 {
		fmt.Fprintln(w)
	}
	l.notes(w, c.Warnings)
}

// footnotes explain the marks and the differences of the table of points.
func (c *Comparison) footnotes() []string {
	if c.single() {
		return []string{"± half-width of the 95 % interval"}
	}
	lines := []string{
		"± half-width of the 95 % interval; differences are paired by seed; ~ not significant",
		"* cannot be ruled out as the best (95 % confidence)",
		fmt.Sprintf("f on the Pareto frontier of cost, latency and success, among points that answer "+
			"at least %.0f %% of calls or as many as any", 100*measure.NearlyAll),
	}
	if len(c.Aims.Goals) > 0 {
		lines = append(lines, fmt.Sprintf("%s meets all goals, %s may meet them; %s", markMet, markOpen, goalRule))
	}
	if slices.ContainsFunc(c.Points, func(p PointResult) bool { return p.Few }) {
		lines = append(lines, fmt.Sprintf("%s fewer than %.0f %% of calls are answered; cost and latency cover "+
			"only those",
			markFew, 100*measure.NearlyAll))
	}
	return lines
}

// WriteMarkdown writes the comparison as a document.
func (c *Comparison) WriteMarkdown(w io.Writer) {
	fmt.Fprintf(w, "# %s\n\n", format.Markdown(c.title()))
	for _, line := range c.Conclusion.Lines {
		fmt.Fprintf(w, "- %s: %s\n", line.Label, format.Markdown(line.Text))
	}
	fmt.Fprintln(w)
	c.markdownGoals(w)
	fmt.Fprintf(w, "- policy: %s\n- provider: %s\n", format.Markdown(c.Manifest.Policy),
		format.Markdown(c.Manifest.Provider))
	if !c.single() {
		fmt.Fprintf(w, "- ordered by %s; base is %s\n", c.objective(), format.Markdown(c.baseName()))
	}
	fmt.Fprintln(w)
	points := c.pointTable(c.columnsOf(Layout{Wide: true}), spreads{true, true}, true)
	if c.single() {
		points.withoutComparison()
	}
	points.markdown(w)
	fmt.Fprintln(w)
	for _, line := range append(c.footnotes(), points.legend()...) {
		fmt.Fprintf(w, "- %s\n", format.Markdown(line))
	}
	if left := len(c.Points) - shown; left > 0 {
		fmt.Fprintf(w, "- %d more points are left out\n", left)
	}
	if t := c.sensitivityTable(false); len(t.rows) > 0 {
		fmt.Fprintf(w, "\n## Sensitivity\n\nShare of the variance between points that each axis explains.\n\n")
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
	if len(c.Aims.Goals) > 0 {
		head = append(head, "goals")
	}
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
			format.Cell(measure.JoinLimits(namesOf(p.Limits))), format.Cell(nameOf(mostRefused(p.Limits))),
			format.Cell(p.Reason))
		if len(c.Aims.Goals) > 0 {
			row = append(row, p.verdictWord())
		}
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
		Goals        *Goals            `json:"goals,omitempty"`
		Verdict      *measure.Verdict  `json:"verdict,omitempty"` // of all goals
		Few          bool              `json:"few_answered"`      // cost and latency cover only the calls answered
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
	type conclusion struct {
		Verdict   measure.Verdict `json:"verdict"`
		Met       int             `json:"points_met"`
		Undecided int             `json:"points_undecided"`
		Missed    int             `json:"points_missed"`
		Objective string          `json:"objective"`
	}
	out := struct {
		Goals       *conclusion     `json:"goals,omitempty"`
		Manifest    *sweep.Manifest `json:"manifest"`
		Objective   string          `json:"objective"`
		Base        int             `json:"base"`
		Best        []int           `json:"best"`
		Frontier    []int           `json:"frontier"`
		Points      []point         `json:"points"`
		Sensitivity []sensitivity   `json:"sensitivity"`
		Warnings    []string        `json:"warnings"`
		Conclusion  *Conclusion     `json:"conclusion"`
	}{
		Manifest: c.Manifest, Objective: measure.Metrics()[c.Metrics[c.Objective]].Name, Base: c.Base,
		Best: c.Best, Frontier: c.Frontier, Warnings: c.Warnings, Conclusion: c.Conclusion,
	}
	if c.judged() {
		out.Goals = &conclusion{c.Verdict(), c.verdicts[measure.Met], c.verdicts[measure.Undecided],
			c.verdicts[measure.Missed], c.Aims.Objective.String()}
	}
	for _, p := range c.Points {
		j := point{
			Goals:        p.Goals,
			Verdict:      p.Verdict,
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
				s.LowestAt,
				s.HighestAt,
				format.Finite(s.Lowest),
				format.Finite(s.Highest),
			},
		)
	}
	return format.JSON(out)
}
