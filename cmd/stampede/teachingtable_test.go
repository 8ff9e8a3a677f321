package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"stampede/internal/format"
	"stampede/measure"
)

// teachingLab makes the tables of a section.
type teachingLab struct {
	*lesson
	all      []*lesson
	findings map[string]finding
}

// fill returns the text of the section with its tables made anew.
func (b *teachingLab) fill(t *testing.T) string {
	t.Helper()
	at := 0
	var out strings.Builder
	for _, m := range teachingBlock.FindAllStringSubmatchIndex(b.text, -1) {
		kind, arguments := b.text[m[2]:m[3]], strings.TrimPrefix(b.text[m[4]:m[5]], ":")
		first, rest, _ := strings.Cut(arguments, "\n")
		metrics := strings.Fields(first)
		var table string
		switch kind {
		case "plan":
			table = b.plan()
		case "predict":
			table = "> " + strings.Join(format.Wrap(b.scene.Predict, 116), "\n> ") + "\n"
		case "scenes":
			table = b.scenes(t, metrics, strings.Fields(rest))
		case "runs":
			table = b.runs(t, metrics, b.text[at:m[0]])
		case "findings":
			table = b.catalogue(t, strings.Fields(rest))
		}
		out.WriteString(b.text[at:m[6]] + table)
		at = m[7]
	}
	return out.String() + b.text[at:]
}

// headers are the names that the page has for metrics, with their units; other metrics keep their names.
var headers = map[string]string{
	"answered":                              "answered, calls",
	"success_ratio":                         "answered, %",
	"attempts":                              "attempts",
	"attempts_per_call":                     "attempts per call",
	"attempts_throttled":                    "refused (429), attempts",
	"attempts_overloaded":                   "overloaded (503), attempts",
	"attempts_timeout":                      "timed out, attempts",
	"latency_p50_s":                         "median latency, s",
	"latency_p95_s":                         "p95 latency, s",
	"latency_all_mean_s":                    "until a call ends, mean, s",
	"makespan_s":                            "makespan, s",
	"recovery_s":                            "recovery, s",
	"collapsed":                             "never recovers, %",
	"goodput_per_min":                       "answers per minute",
	"usd_per_1000_answers":                  "per 1,000 answers, USD",
	"usd_total":                             "in total, USD",
	"usd_wasted":                            "wasted, in total, USD",
	"cache_hit_ratio":                       "read from the cache, % of prompt tokens",
	"peak_in_flight":                        "most at the provider at once",
	"peak_arrivals_after_trigger_per_100ms": "most requests in 100 ms after the outage",
}

func header(metrics []string) (cells []string) {
	for _, name := range metrics {
		unit := ""
		if i := measure.Index(name); i >= 0 {
			unit = ", " + measure.Metrics()[i].Unit
		}
		cells = append(cells, or(headers[name], "`"+name+"`"+unit))
	}
	return cells
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// scale is 100 for shares, which are written in percent.
func scale(metric string) float64 {
	if strings.Contains(headers[metric], ", %") {
		return 100
	}
	return 1
}

func markdownTable(head []string, rows [][]string) string {
	var out strings.Builder
	line := func(cells []string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	out.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return out.String()
}

// plan lists the sections that have minutes.
func (b *teachingLab) plan() string {
	var rows [][]string
	begin := 0
	for _, l := range b.all {
		m := minutesHeading.FindStringSubmatch(l.heading)
		if m == nil {
			continue
		}
		minutes, _ := strconv.Atoi(m[2])
		address := ""
		if l.scene.ID != "" {
			address = "`#v=1&s=" + l.scene.ID + "`"
		}
		rows = append(rows, []string{fmt.Sprintf("%d to %d", begin, begin+minutes), m[1], address})
		begin += minutes
	}
	return markdownTable([]string{"minutes", "section", "address"}, rows)
}

// finding is a row of docs/validation.md.
type finding struct{ experiment, name, reference, measured, verdict, source string }

func catalogueFindings(t *testing.T) map[string]finding {
	t.Helper()
	found, sources := map[string]finding{}, map[string]string{}
	text := document(t, "docs/validation.md")
	_, list, _ := strings.Cut(text, "\nSources:\n")
	for line := range strings.Lines(list) {
		if name, source, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": "); ok {
			if end := strings.IndexAny(source, ",;:"); end > 0 {
				source = source[:end] // what kind of source it is
			}
			sources[name] = strings.TrimSpace(source)
		}
	}
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | "); len(cells) == 5 {
			f := finding{strings.TrimSpace(cells[0]), cells[1], cells[2], cells[3], strings.TrimSpace(cells[4]), ""}
			f.source = sources[f.experiment]
			found[f.experiment+"/"+f.name] = f
		}
	}
	return found
}

// catalogue copies rows of the catalogue.
func (b *teachingLab) catalogue(t *testing.T, names []string) string {
	t.Helper()
	var rows [][]string
	for _, name := range names {
		f, ok := b.findings[name]
		if !ok {
			t.Errorf("docs/validation.md has no finding %s", name)
			continue
		}
		verdict, _, _ := strings.Cut(f.verdict, " [")
		rows = append(rows, []string{f.experiment, f.name, f.reference, f.measured, verdict, f.source})
	}
	head := []string{"experiment", "finding", "reference", "measured [95 % interval]", "verdict", "source"}
	return markdownTable(head, rows)
}
