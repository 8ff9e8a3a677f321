package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"stampede/internal/testkit"
	"stampede/sweep"
)

func TestFoldHeadings(t *testing.T) {
	for _, c := range []struct {
		name  string
		width int
		want  []string
	}{
		{"calls", 3, []string{"calls"}},
		{"success_ratio", 20, []string{"success_ratio"}},
		{"success_ratio", 6, []string{"success", "ratio"}},
		{"usd_per_1000_answers", 6, []string{"usd_per", "1000", "answers"}}, // three lines at most
		{"answered vs base", 17, []string{"answered vs base"}},
	} {
		if got := fold(c.name, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%s in %d: %q, want %q", c.name, c.width, got, c.want)
		}
	}
}

// Headings give way before cells, and the widest cells before others.
func TestCutColumns(t *testing.T) {
	table := table{head: []string{"", "a long heading", "b"}, left: 3}
	table.add("*", "none", "openai-python")
	table.cut(1, 2, 20) // columns of 1, 4 and 9 with two spaces each
	var out bytes.Buffer
	table.text(&out, Layout{})
	if want := "     a l…  b\n  *  none  openai-p…\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

// Values that would look the same when cut lose what all of them begin with instead.
func TestCutValuesDiffer(t *testing.T) {
	for _, c := range []struct{ values, want []string }{
		{[]string{"openai-tier-4-gpt-4o", "openai-tier-5-gpt-4o"}, []string{"…4-gp…", "…5-gp…"}},
		{[]string{"as_above", "own-the-loop"}, []string{"as_ab…", "own-t…"}},
		{[]string{"openai-python", "openai-go"}, []string{"…pyth…", "…go"}},
		{[]string{"long-value", "long-value"}, []string{"long-…", "long-…"}},
	} {
		table := &table{head: []string{"x"}}
		for _, v := range c.values {
			table.rows = append(table.rows, []string{v})
		}
		table.cut(0, 1, table.total()-table.cells(0)+6)
		var got []string
		for _, row := range table.rows {
			got = append(got, row[0])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q cut to 6 columns: %q, want %q", c.values, got, c.want)
		}
	}
}

// The report of a sweep: every line fits, wide shows what is left out, and colour changes nothing
// but the colour of headings and verdicts.
func TestReportFitsTheTerminal(t *testing.T) {
	dir := t.TempDir() + "/s"
	_, err := sweepFolder(t, dir, func(s *sweep.Sweep) { s.Plan.Template = testkit.Template(t, testkit.Small) })
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := func(l Layout) string {
		var out bytes.Buffer
		c.WriteText(&out, l)
		return out.String()
	}
	for _, width := range []int{60, 80, 120} {
		for line := range strings.Lines(text(Layout{Width: width})) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns, want at most %d: %s", n, width, line)
			}
		}
	}
	narrow := text(Layout{Width: 80})
	for _, name := range []string{"success", "latency", "vs base"} {
		if !strings.Contains(narrow, name) {
			t.Errorf("no %s in\n%s", name, narrow)
		}
	}
	wide := text(Layout{Width: 80, Wide: true})
	if strings.Contains(narrow, "goodput_per_min") || !strings.Contains(wide, "goodput_per_min") {
		t.Errorf("goodput_per_min belongs to the wide table alone\n%s", narrow)
	}
	coloured := text(Layout{Width: 80, Colour: true})
	if coloured == narrow || regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(coloured, "") != narrow {
		t.Errorf("colour changes the text:\n%q", coloured)
	}
	for _, m := range regexp.MustCompile("\x1b\\[3[12]m([^\x1b]*)\x1b").FindAllStringSubmatch(coloured, -1) {
		if !strings.HasSuffix(m[1], " better") && !strings.HasSuffix(m[1], " worse") {
			t.Errorf("%q is coloured; want verdicts only", m[1])
		}
	}
}
