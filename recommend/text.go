package recommend

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/sweep"
)

// Text writes an answer for people, within a width.
type Text struct {
	*Task
	*Answer
	Presets []Preset // compared on the same luck
	Client  string   // whose settings alone were searched; empty for any
	Own     *Own     // the best loop of one's own beside them
	Code    string   // the settings in the words of the client
	Grown   []*Grown // written by themselves; part of the JSON
	Width   int
}

// Write writes the recommendation first, then what is proven, why, how far each setting can move, what others give on
// the same luck and what could not be decided.
func (t *Text) Write(w io.Writer) error {
	out := &sheet{w: w, width: t.Width}
	t.verdict(out)
	if t.Pick == nil {
		return out.err
	}
	t.settings(out)
	t.gives(out)
	t.proof(out)
	t.why(out)
	t.room(out)
	t.sameLuck(out)
	t.own(out)
	t.open(out)
	t.notes(out)
	if t.Code != "" && out.err == nil {
		_, out.err = fmt.Fprintf(w, "\n%s", t.Code)
	}
	return out.err
}

// Own is the best of a space in which everything can be set, held against the pick of a client.
type Own struct {
	*Task
	*Answer
	Comparison
}

// own says what the client costs against a loop of one's own.
func (t *Text) own(out *sheet) {
	o := t.Own
	if o == nil || o.Pick == nil {
		return
	}
	metric := t.Aims.Objective.Metric
	out.line("")
	out.line("With a retry loop of your own")
	if set := o.Settings(o.Pick); o.Feasible == measure.Met && len(set) > 0 {
		out.say(2, "%s", strings.Join(set, ", "))
	} else if o.Feasible == measure.Met {
		out.say(2, "The scenario as it stands.")
	}
	loss := o.Difference
	switch {
	case o.Feasible == measure.Missed:
		out.say(2, "None can meet the goals either.")
	case o.Feasible == measure.Undecided:
		out.say(2, "Whether one meets the goals is undecided.")
	case t.Feasible != measure.Met:
		out.say(2, "It meets the goals, with %s %s; %s cannot.", measure.Metrics()[metric].Name,
			quantity(metric, o.Objective.Mean), t.Client)
	case o.Same || loss.Low <= 0 && loss.High >= 0:
		out.say(2, "It would be no better: %s %s.", measure.Metrics()[metric].Name, quantity(metric, o.Objective.Mean))
	case t.better(o.Comparison):
		out.say(2, "%s %s: better by %s [%s, %s]. That is what %s costs.", measure.Metrics()[metric].Name,
			quantity(metric, o.Objective.Mean), quantity(metric, math.Abs(loss.Mean)),
			bare(metric, min(math.Abs(loss.Low), math.Abs(loss.High))),
			bare(metric, max(math.Abs(loss.Low), math.Abs(loss.High))), t.Client)
	default:
		out.say(2, "The best that was found is no better: %s %s.", measure.Metrics()[metric].Name,
			quantity(metric, o.Objective.Mean))
	}
}

// sheet wraps lines to a width and keeps the first error.
type sheet struct {
	w     io.Writer
	width int
	err   error
}

// say writes a paragraph; further lines are indented.
func (s *sheet) say(indent int, text string, args ...any) {
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	lines := format.Wrap(text, max(30, s.width-indent-2))
	for i, line := range lines {
		pad := indent
		if i > 0 {
			pad += 2
		}
		s.line(strings.Repeat(" ", pad) + line)
	}
}

func (s *sheet) line(text string) {
	if s.err == nil {
		_, s.err = fmt.Fprintln(s.w, strings.TrimRight(text, " "))
	}
}

// table writes rows; the columns are as wide as they need. Where they do not fit, the last is put on lines of its own.
func (s *sheet) table(indent int, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	last, all := len(widths)-1, indent
	for _, w := range widths {
		all += w + 2
	}
	fold := s.width > 0 && all-2 > s.width
	for _, row := range rows {
		rest := ""
		if fold && len(row) == len(widths) {
			row, rest = row[:last], strings.TrimSpace(row[last])
		}
		text := strings.Repeat(" ", indent)
		for i, cell := range row {
			text += cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+2)
		}
		s.line(text)
		if rest != "" {
			s.say(indent+4, "%s", rest)
		}
	}
}

// verdict says whether there is a recommendation.
func (t *Text) verdict(out *sheet) {
	what := t.Aims.Objective.String()
	if goals := goalsText(t.Aims.Goals); goals != "" {
		what += " with " + goals
	}
	name := t.Templates[0].Base.Name
	for _, other := range t.Templates[1:] {
		name += " and " + other.Base.Name
	}
	out.say(0, "%s: %s", name, what)
	out.line("")
	switch {
	case t.Pick == nil:
		out.say(0, "Nothing is known yet: the search was stopped before the first replication ended.")
	case t.Feasible == measure.Met && t.Client == "" && t.Pick.Differences(t.Question.Start) == 0:
		out.say(0, "Recommended: the scenario as it stands")
	case t.Feasible == measure.Met && t.Client != "":
		out.say(0, "Recommended for %s", t.Client)
	case t.Feasible == measure.Met:
		out.say(0, "Recommended")
	case t.Feasible == measure.Missed:
		out.say(0, "None can: no setting of this space meets the goals. The one that comes closest:")
	default:
		out.say(0, "Undecided: of no setting is it known that it meets the goals. The one that comes closest:")
	}
}

func goalsText(goals []measure.Goal) string {
	var texts []string
	for _, g := range goals {
		texts = append(texts, g.String())
	}
	return strings.Join(texts, ", ")
}

// settings lists the values of the pick.
func (t *Text) settings(out *sheet) {
	var rows [][]string
	for k, a := range t.Question.Axes {
		was := "as it stands"
		if s := t.Question.Start[k]; t.Pick[k] != s {
			was = "was " + a.Values[s]
		}
		rows = append(rows, []string{a.Path, a.Values[t.Pick[k]], was})
	}
	widest := 0
	for _, row := range rows {
		widest = max(widest, len(row[0])+len(row[1])+len(row[2])+6)
	}
	if widest <= t.Width {
		out.table(2, rows)
		return
	}
	for _, row := range rows {
		out.say(2, "%s  %s  (%s)", row[0], row[1], row[2])
	}
}

// gives says what the pick gives, costs and wastes.
func (t *Text) gives(out *sheet) {
	out.line("")
	var rows [][]string
	seen := map[int]bool{}
	row := func(metric int, e measure.Estimate, what string) {
		if e.N == 0 && what == "" {
			return
		}
		seen[metric] = true
		rows = append(rows, []string{measure.Metrics()[metric].Name, estimateText(metric, e), what})
	}
	objective := t.Aims.Objective
	for j, c := range t.Question.Constraints {
		what := fmt.Sprintf("%s %v", c.Goal, t.Goals[j].Verdict)
		if len(t.Templates) > 1 {
			what += " in " + t.Templates[c.Scenario].Base.Name
		}
		row(c.Goal.Metric, t.Goals[j].Estimate, what+marginText(t.Goals[j]))
	}
	if !seen[objective.Metric] {
		what := "the lowest found"
		switch {
		case t.Feasible != measure.Met:
			what = " " // others that miss the goals may be better
		case objective.Largest:
			what = "the highest found"
		}
		row(objective.Metric, t.Estimates[0], what)
	}
	for _, name := range shown {
		if metric := measure.Index(name); !seen[metric] && name != "usd_total" && name != "usd_wasted" {
			row(metric, t.Shown(t.Answer, name), "")
		}
	}
	if total, wasted := t.Shown(t.Answer, "usd_total").Mean, t.Shown(t.Answer, "usd_wasted").Mean; total > 0 {
		rows = append(rows, []string{"usd_wasted", format.Number(100*wasted/total) + " %", "of all that is billed"})
	}
	out.table(2, rows)
	keep, of := t.KeepGoals(t.Answer)
	switch uncertain := t.Player.Draw != nil; {
	case len(t.Aims.Goals) == 0:
	case uncertain:
		out.say(2, "The goals are met in %d of %d replications, of which each draws what is uncertain.", keep, of)
	case keep < of:
		out.say(2, "Of its replications %d of %d meet the goals; the means are what counts.", keep, of)
	}
}

// marginText is how far a mean is from the bound, where that is near.
func marginText(r Result) string {
	const near = 4 // standard errors
	if r.N < 2 || math.IsInf(r.Errors, 0) || math.IsNaN(r.Errors) || math.Abs(r.Errors) > near {
		return ""
	}
	return fmt.Sprintf(", by %.1f standard errors", r.Errors)
}

// estimateText writes a mean with its interval in the unit of the metric.
func estimateText(metric int, e measure.Estimate) string {
	text := quantity(metric, e.Mean)
	if e.N < 2 || e.Half() == 0 || e.Unseen > 0 || math.IsInf(e.Half(), 0) || math.IsNaN(e.Half()) {
		return text
	}
	return text + " [" + bare(metric, e.Low) + ", " + bare(metric, e.High) + "]"
}

// quantity writes a value in the unit of the metric.
func quantity(metric int, x float64) string {
	switch unit := measure.Metrics()[metric].Unit; {
	case math.IsNaN(x):
		return "n/a"
	case unit == "share":
		return bare(metric, x) + " %"
	case unit == "USD":
		return "$" + bare(metric, x)
	case unit == "s":
		return bare(metric, x) + " s"
	default:
		return bare(metric, x)
	}
}

func bare(metric int, x float64) string {
	if measure.Metrics()[metric].Unit == "share" {
		x *= 100
	}
	return format.Number(x)
}

// percent writes a share of the objective.
func percent(share float64) string {
	switch x := 100 * math.Abs(share); {
	case x >= 0.1 && x < 1000:
		return fmt.Sprintf("%.1f %%", x)
	case x < 0.1:
		return fmt.Sprintf("%.1g %%", max(x, 0.001))
	default:
		return format.Number(x) + " %"
	}
}

// proof says what is known of the pick.
func (t *Text) proof(out *sheet) {
	out.line("")
	out.line("What is proven")
	among := fmt.Sprintf("of the %s best settings found among %s", format.Thousands(t.Raced), spaceText(t.Space))
	if t.Whole && float64(t.Raced) >= t.Space {
		among = fmt.Sprintf("of all %s settings", spaceText(t.Space))
	} else if t.Whole {
		among = fmt.Sprintf("of the %s best of all %s settings", format.Thousands(t.Raced), spaceText(t.Space))
	}
	confidence := fmt.Sprintf("%g %%", 100*t.Confidence)
	switch {
	case t.Raced == 0:
		out.say(2, "Nothing: the search was stopped before the race.")
	case t.Raced == 1 && t.Space > 1:
		out.say(2, "Nothing: a single setting was raced.")
	case t.Feasible == measure.Met && t.Delta <= 0:
		out.say(2, "With %s confidence, %s none that meets the goals is better.", confidence, among)
	case t.Feasible == measure.Met:
		out.say(2, "With %s confidence, %s none that meets the goals is better by more than %s.", confidence, among,
			percent(t.Delta))
	case t.Feasible == measure.Missed && t.Whole:
		out.say(2, "With %s confidence, each of all %s settings misses a goal.", confidence, spaceText(t.Space))
	case t.Feasible == measure.Missed:
		out.say(2, "With %s confidence, %s each misses a goal.", confidence, among)
	default:
		out.say(2, "Nothing: %s none surely meets the goals, and not all surely miss one.", among)
	}
	how := map[Stop]string{ByRule: "", ByBudget: " The budget ended the search.",
		ByInterrupt: " The search was interrupted."}[t.Stopped]
	out.say(2, "%s replications to find it and %s to explain it.%s", format.Thousands(t.Replications),
		format.Thousands(t.Further), how)
	if n := len(t.Ties) + len(t.Twins); n > 0 && t.Feasible == measure.Met {
		same := ""
		switch twins := len(t.Twins); {
		case twins == n:
			same = ", with the same numbers"
		case twins > 0:
			same = fmt.Sprintf(", %s with the same numbers", format.Thousands(twins))
		}
		out.say(2, "%s as good%s: the recommended one differs least from the scenario.", others(n), same)
	}
}

func others(n int) string {
	if n == 1 {
		return "1 other setting is"
	}
	return format.Thousands(n) + " other settings are"
}

func spaceText(size float64) string {
	if size < 1e9 {
		return format.Thousands(int(size))
	}
	return fmt.Sprintf("%.3g", size)
}

// why names the goals that bind.
func (t *Text) why(out *sheet) {
	if t.Raced == 0 {
		return
	}
	out.line("")
	out.line("Why")
	if len(t.Aims.Goals) > 0 && len(t.Binding) == 0 {
		out.say(2, "No goal binds: of those that were raced none misses one.")
	}
	if len(t.Aims.Goals) == 0 {
		out.say(2, "No goal is set, so the objective alone decides; set one with --goal, such as "+
			"--goal 'success_ratio>=99%%'.")
	}
	if e := t.Shown(t.Answer, "success_ratio"); e.Mean < 0.9995 && !t.bounds("success_ratio") {
		out.say(2, "No goal bounds success_ratio: %s of the calls are not answered.",
			quantity(measure.Index("success_ratio"), 1-e.Mean))
	}
	for _, b := range t.Binding {
		text := fmt.Sprintf("%s binds: %d of the raced settings miss it", t.goalText(b.Constraint), b.Points)
		if b.Gain > t.Question.Within && t.Feasible == measure.Met {
			text += fmt.Sprintf("; without it %s would be %s better", t.pointText(b.Best), percent(b.Gain))
		} else if t.Feasible == measure.Met {
			text += fmt.Sprintf("; without it none of them would be better by %s", percent(t.Question.Within))
		}
		out.say(2, "%s.", text)
	}
	if idle := t.idle(); len(idle) > 0 {
		out.say(2, "Changes nothing here: %s.", strings.Join(idle, ", "))
	}
}

// bounds reports whether a goal is set on a metric.
func (t *Text) bounds(name string) bool {
	return slices.ContainsFunc(t.Aims.Goals, func(g measure.Goal) bool { return g.Metric == measure.Index(name) })
}

// idle are the settings of which every value gives the same.
func (t *Text) idle() (names []string) {
	short := t.shortNames()
	for k := range t.Question.Axes {
		moves := t.movesOf(k)
		if len(moves) > 0 && !slices.ContainsFunc(moves, func(m Move) bool { return !m.Same }) {
			names = append(names, short[k])
		}
	}
	return names
}

func (t *Text) movesOf(axis int) (moves []Move) {
	for _, m := range t.Moves {
		if m.Axis == axis {
			moves = append(moves, m)
		}
	}
	return moves
}

func (t *Text) goalText(constraint int) string {
	c := t.Question.Constraints[constraint]
	if len(t.Templates) > 1 {
		return c.Goal.String() + " in " + t.Templates[c.Scenario].Base.Name
	}
	return c.Goal.String()
}

func (t *Text) shortNames() []string {
	var paths []string
	for _, a := range t.Question.Axes {
		paths = append(paths, a.Path)
	}
	return sweep.ShortNames(paths)
}

// pointText names a point by what differs from the pick.
func (t *Text) pointText(p Point) string {
	var parts []string
	short := t.shortNames()
	for k, a := range t.Question.Axes {
		if p[k] != t.Pick[k] {
			parts = append(parts, short[k]+" "+a.Values[p[k]])
		}
	}
	const most = 4
	if len(parts) > most {
		return fmt.Sprintf("%s and %d other changes", strings.Join(parts[:most-1], ", "), len(parts)-most+1)
	}
	return strings.Join(parts, ", ")
}
