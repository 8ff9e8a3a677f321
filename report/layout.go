package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"stampede/internal/format"
)

// Layout says how a text for people is laid out.
type Layout struct {
	Width  int  // columns of the terminal; 0 sets no bound
	Wide   bool // print all there is, wider than the terminal if need be
	Colour bool
}

// Colours are used where a reader looks for a verdict, and nowhere else.
const (
	green = "\x1b[32m"
	red   = "\x1b[31m"
	bold  = "\x1b[1m"
	plain = "\x1b[0m"
)

// paint colours a text.
func (l Layout) paint(code, text string) string {
	if !l.Colour || code == "" || text == "" {
		return text
	}
	return code + text + plain
}

// wrapped writes a text behind a label, its further lines under the first one.
func (l Layout) wrapped(w io.Writer, label, text string) {
	indent := len([]rune(label))
	lines := []string{text}
	if l.Width > 0 {
		lines = format.Wrap(text, max(l.Width-indent, 20))
	}
	fmt.Fprintln(w, label+format.Indent(lines, indent))
}

// notes writes numbered footnotes.
func (l Layout) notes(w io.Writer, texts []string) {
	for i, text := range texts {
		l.wrapped(w, fmt.Sprintf("[%d] ", i+1), text)
	}
}

// table is rows of cells under a head.
type table struct {
	above [][]string // the first lines of headings that take several
	head  []string
	rows  [][]string
	left  int                          // how many columns are aligned to the left
	code  func(column, row int) string // the colour of a cell; nil for none
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// lines are the headings and the rows.
func (t *table) lines() [][]string { return slices.Concat(t.above, [][]string{t.head}, t.rows) }

// widths are those of the columns.
func (t *table) widths() []int {
	width := make([]int, len(t.head))
	for _, row := range t.lines() {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	return width
}

// total is the width of the table as text.
func (t *table) total() (sum int) {
	for _, w := range t.widths() {
		sum += 2 + w
	}
	return sum
}

// text writes the table in columns, the first ones to the left and numbers to the right.
func (t *table) text(w io.Writer, l Layout) {
	width := t.widths()
	heads := len(t.above) + 1
	for k, row := range t.lines() {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", width[i]-len([]rune(cell)))
			switch {
			case k < heads:
				cell = l.paint(bold, cell)
			case t.code != nil:
				cell = l.paint(t.code(i, k-heads), cell)
			}
			if i < t.left {
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
		out := make([]string, len(cells))
		for i, cell := range cells {
			out[i] = format.Markdown(cell)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(out, " | "))
	}
	line(t.head)
	fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		line(row)
	}
}

// name gives headings to columns.
func (t *table) name(from int, names []string) { copy(t.head[from:], names) }

// headLines is how many lines a heading takes at most.
const headLines = 3

// foldHead breaks headings that are wider than their cells into lines.
func (t *table) foldHead() {
	t.above = nil
	folded := make([][]string, len(t.head))
	most := 1
	for i, name := range t.head {
		folded[i] = fold(name, t.cells(i))
		most = max(most, len(folded[i]))
	}
	for k := range most {
		line := make([]string, len(t.head))
		for i, parts := range folded {
			if at := k - (most - len(parts)); at >= 0 {
				line[i] = parts[at]
			}
		}
		t.above = append(t.above, line)
	}
	t.above, t.head = t.above[:most-1], t.above[most-1]
}

// cells is the width of a column without its heading.
func (t *table) cells(column int) (width int) {
	for _, row := range t.rows {
		width = max(width, len([]rune(row[column])))
	}
	return width
}

// fold breaks a name behind underscores and spaces into at most headLines lines, as narrow as that
// allows and no narrower than the width.
func fold(name string, width int) (lines []string) {
	words := strings.FieldsFunc(strings.NewReplacer("_", "_\x00", " ", " \x00").Replace(name),
		func(r rune) bool { return r == 0 })
	for ; ; width++ {
		lines = []string{""}
		for _, word := range words {
			last := &lines[len(lines)-1]
			if *last != "" && len([]rune(strings.TrimRight(*last+word, " _"))) > width {
				lines = append(lines, "")
				last = &lines[len(lines)-1]
			}
			*last += word
		}
		fits := len(lines) <= headLines
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " _")
			fits = fits && (len([]rune(lines[i])) <= width)
		}
		if fits || len(words) < 2 {
			return lines
		}
	}
}

// cut shortens columns until the table fits or they are short: first headings down to their cells,
// then the widest.
func (t *table) cut(from, n, width int) {
	const short = 4
	limit := t.widths()[from : from+n]
	over := t.total() - width
	shrink := func(least func(i int) int) {
		for over > 0 {
			widest := -1
			for i := range limit {
				if limit[i] > least(i) && (widest < 0 || limit[i] > limit[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				return
			}
			limit[widest]--
			over--
		}
	}
	shrink(func(i int) int { return max(short, t.cells(from+i)) })
	shrink(func(int) int { return short })
	for i := range limit {
		t.shorten(from+i, limit[i])
	}
	for _, row := range t.lines() {
		for i := range limit {
			row[from+i] = format.Cut(row[from+i], limit[i])
		}
	}
}

// shorten leaves out the beginning that all values of a column share, where a cut at their end
// would make two of them look the same.
func (t *table) shorten(column, width int) {
	values, cut := map[string]bool{}, map[string]bool{}
	for _, row := range t.rows {
		values[row[column]] = true
		cut[format.Cut(row[column], width)] = true
	}
	if len(cut) == len(values) {
		return
	}
	shared := []rune(t.rows[0][column])
	for value := range values {
		n := 0
		for _, r := range value {
			if n == len(shared) || shared[n] != r {
				break
			}
			n++
		}
		shared = shared[:n]
	}
	if len(shared) < 2 {
		return
	}
	for _, row := range t.rows {
		row[column] = "…" + string([]rune(row[column])[len(shared):])
	}
}
