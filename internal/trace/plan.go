package trace

import (
	"fmt"
	"slices"
	"strings"

	"stampede/internal/nearest"
)

// plan is what is read of a file: its rows, and which of their columns.
type plan struct {
	rows    rows
	src     *source
	format  *format
	columns []string    // the wanted ones, each once
	of      [Fields]int // the column of each field, -1 without one
	where   []condition
	// complete says that time and both sizes are named or given, so that nothing else is looked for.
	complete bool
}

// condition is a condition on a column. Of the status, success and failure stand for their values.
type condition struct {
	column int
	values []string
	not    bool
	status bool
	apart  bool     // a row that does not meet it is no call
	others []string // of rows that did not meet it, the first few values
}

// maxOthers is how many values an error about a condition lists.
const maxOthers = 12

// note keeps a value that did not meet the condition.
func (c *condition) note(cell string) {
	const longest = 40 // bytes; longer values are texts, which nobody selects by
	if len(c.others) < maxOthers && cell != "" && len(cell) <= longest && !slices.Contains(c.others, cell) {
		c.others = append(c.others, strings.Clone(cell))
	}
}

// unmet is the end of an error about conditions that no row met: what the columns hold instead.
func (p *plan) unmet() (text string) {
	for _, c := range p.where {
		if c.apart || len(c.others) == 0 || len(c.values) == 0 {
			continue
		}
		known := c.others
		if c.status {
			known = append([]string{"success", "failure"}, known...)
			slices.Sort(known)
			known = slices.Compact(known)
		}
		text += fmt.Sprintf("; %s: found no %q; %s", p.columns[c.column], c.values[0],
			nearest.Unknown(c.values[0], known))
	}
	return text
}

// newPlan finds the columns of a file: those that are named, else those of its format, else those with
// usual names. Where time and both sizes are named or given, nothing else is looked for.
func newPlan(src *source, o Options) (*plan, error) {
	p := &plan{src: src, format: &format{}}
	if err := p.open(o); err != nil {
		return nil, err
	}
	names := p.rows.names()
	named := func(f Field) bool { return o.Columns[f] != "" || o.Given[f] }
	timeNamed := o.Columns[Time] != "" || slices.Contains(names, "TIMESTAMP")
	p.complete = o.Format == "" && timeNamed && named(Prompt) && named(Output)
	if p.complete {
		p.format = &format{}
	}
	for f := range Fields {
		name := o.Columns[f]
		switch {
		case name != "":
			if err := p.has(names, name, f); err != nil {
				return nil, err
			}
		case f == Time && p.complete:
			name = "TIMESTAMP"
		case o.Given[f], p.complete, f >= Model && f <= Priority: // nothing is looked for
		default:
			name = p.find(names, f)
			if err := p.once(name, f); f <= Reasoning && err != nil {
				return nil, err
			}
		}
		p.of[f] = -1
		if name != "" {
			p.of[f] = p.want(name)
		}
	}
	if p.of[Time] < 0 {
		return nil, fmt.Errorf("no column for time; %sname it with columns: {time: ...}; %s", p.format.noTime,
			p.known("", names))
	}
	for _, r := range p.format.only {
		if hasColumn(p.rows, names, r.column) && !(r.otherwise && len(p.where) > 0) {
			p.where = append(p.where, condition{column: p.want(r.column), values: r.values, not: r.not, apart: true})
		}
	}
	return p, p.conditions(o.Where, names)
}

// open finds how the file is written, and its format.
func (p *plan) open(o Options) error {
	if o.Format != "" {
		if p.format = formatNamed(o.Format); p.format == nil {
			return fmt.Errorf("no format %q; %s", o.Format, nearest.Unknown(o.Format, Formats()))
		}
	}
	text := strings.TrimLeft(string(p.src.head[:min(len(p.src.head), 4096)]), " \t\r\n")
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		t, err := newTable(p.src)
		if err != nil {
			return err
		}
		if p.rows = t; o.Format == "" {
			if f := recognised(t.header); f != nil && f.rowsAt == nil && !f.arrays {
				p.format = f
			}
		}
		return nil
	}
	d, err := newDocument(p.src)
	if err != nil {
		return err
	}
	p.rows = d
	hasTime := func(names []string) bool {
		if o.Columns[Time] != "" {
			return hasPath(names, o.Columns[Time])
		}
		return byUsualName(topLevel(names), Time) != ""
	}
	// Without times at the top, the rows are those of the first list with times.
	for _, at := range d.lists {
		inside := &document{known: d.known, rowsAt: []string{at}}
		if !hasTime(d.known) && hasTime(inside.names()) {
			d.rowsAt = inside.rowsAt
			break
		}
	}
	if o.Format == "" {
		for _, names := range [][]string{d.known, d.names()} {
			if f := recognised(names); f != nil {
				p.format = f
				break
			}
		}
	}
	if p.format.rowsAt != nil {
		d.rowsAt = p.format.rowsAt
	}
	d.arrays = p.format.arrays
	return nil
}

// topLevel are the names without a path.
func topLevel(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(name, ".") })
}

// want is the place of a column among the wanted ones.
func (p *plan) want(name string) int {
	if i := slices.Index(p.columns, name); i >= 0 {
		return i
	}
	p.columns = append(p.columns, name)
	return len(p.columns) - 1
}

// find is the column of a field by its format, or else by its usual names.
func (p *plan) find(names []string, f Field) string {
	for _, name := range p.format.columns[f] {
		if hasColumn(p.rows, names, name) {
			return name
		}
	}
	if p.format.name != "" && (p.format.columns[f] != nil || f > Time) {
		return ""
	}
	if f == Time && slices.Contains(names, "TIMESTAMP") {
		return "TIMESTAMP"
	}
	return byUsualName(names, f)
}

// hasColumn says whether a file has a column. What JSON a cell of a table holds is not known before.
func hasColumn(r rows, names []string, name string) bool {
	if t, ok := r.(*table); ok {
		at, _ := t.column(name)
		return at >= 0
	}
	return hasPath(names, name)
}

// has refuses a column that is not there, or stands twice.
func (p *plan) has(names []string, name string, f Field) error {
	if !hasColumn(p.rows, names, name) {
		if len(names) >= 1000 {
			return nil // not all names are known
		}
		return fmt.Errorf("no column %q for %s; %s", name, f, p.known(name, names))
	}
	return p.once(name, f)
}

// once refuses a column that stands twice.
func (p *plan) once(name string, f Field) error {
	if t, ok := p.rows.(*table); ok {
		if at, _ := t.column(name); at >= 0 && slices.Contains(t.header[at+1:], t.header[at]) {
			return fmt.Errorf("the column %q for %s stands twice; want each name once", name, f)
		}
	}
	return nil
}

// known is the end of an error about a column that is not there. What a file holds that is no table of
// named columns is not shown: it may be anything.
func (p *plan) known(name string, names []string) string {
	if _, ok := p.rows.(*document); ok && !listed(names) {
		return "the file holds no objects with such columns"
	}
	if !listed(names) {
		return "the first line is not a list of column names"
	}
	return nearest.Unknown(name, names)
}

// conditions finds the columns of conditions.
func (p *plan) conditions(where []Condition, names []string) error {
	for _, w := range where {
		c := condition{column: -1, values: w.Values}
		if i := slices.Index(fieldWords[:], w.Column); i >= 0 {
			f := Field(i)
			if c.status = f == Status; p.of[f] >= 0 {
				c.column = p.of[f]
			} else if name := p.find(names, f); name != "" {
				c.column = p.want(name)
				if f == Status {
					p.of[f] = c.column
				}
			}
		}
		if c.column < 0 {
			if !hasColumn(p.rows, names, w.Column) {
				return fmt.Errorf("no column %q for where; %s", w.Column, p.known(w.Column, names))
			}
			c.column = p.want(w.Column)
		}
		p.where = append(p.where, c)
	}
	return nil
}

// met says whether a row meets a condition.
func (c *condition) met(cell string, f *format) bool {
	found := slices.Contains(c.values, cell)
	if c.status && !found {
		word := "failure"
		if f.isSuccess(cell) {
			word = "success"
		}
		found = slices.Contains(c.values, word)
	}
	return found != c.not
}

var successes = []string{"success", "succeeded", "ok", "OK", "true", "True", "answered", "completed", "complete",
	"none", "None", "null", "-"}

// isSuccess says whether the status of a row means an answer: a word for it, an HTTP status 2xx, or
// no error.
func (f *format) isSuccess(status string) bool {
	if f.success != nil {
		return slices.Contains(f.success, status)
	}
	return status == "" || len(status) == 3 && status[0] == '2' || slices.Contains(successes, status) ||
		strings.EqualFold(status, "success")
}
