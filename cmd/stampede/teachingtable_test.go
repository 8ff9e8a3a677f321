package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stampede/explore"
	"stampede/explore/engine"
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
	"latency_p50_s":                         "half answered within, s",
	"latency_p95_s":                         "95 % answered within, s",
	"latency_all_mean_s":                    "until a call ends, mean, s",
	"makespan_s":                            "all done after, s",
	"recovery_s":                            "recovery, s",
	"collapsed":                             "never recovers, %",
	"goodput_per_min":                       "answers per minute",
	"usd_per_1000_answers":                  "USD per 1,000 answers",
	"usd_total":                             "USD in total",
	"usd_wasted":                            "USD wasted",
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

// scenes shows replication 0 of each policy of each address: what the page shows when it opens.
func (b *teachingLab) scenes(t *testing.T, metrics, addresses []string) string {
	t.Helper()
	byID := map[string]explore.Scene{}
	for _, s := range teachingScenes(t) {
		byID[s.ID] = s
	}
	var rows [][]string
	sliders := false
	for _, address := range addresses {
		scene, moved := openAddress(t, byID, address)
		label := ""
		for _, path := range slices.Sorted(maps.Keys(moved)) {
			name := or(sliderOf(scene, path).Label, path)
			label += ", " + name + " " + spaced(moved[path])
		}
		label = strings.TrimPrefix(label, ", ")
		sliders = sliders || label != ""
		for _, p := range scene.Policies {
			set := slices.Clone(p.Set)
			for _, path := range slices.Sorted(maps.Keys(moved)) {
				set = append(set, path+"="+moved[path])
			}
			values, price, provider := runScene(t, scene.Scenario, set)
			row, cells := []string{or(label, "as it opens"), p.Name}, map[string]float64{}
			for _, name := range metrics {
				value, ok := values[name]
				if !ok {
					value = math.NaN()
				}
				cells[name] = value
				if ok {
					row = append(row, grouped(format.Number(scale(name)*value)))
				} else {
					row = append(row, "none")
				}
			}
			name := strings.TrimPrefix(label+", "+p.Name, ", ")
			b.cells[name], b.prices[name], b.providers[name] = cells, price, provider
			rows = append(rows, row)
		}
	}
	head := append([]string{"slider", "policy"}, header(metrics)...)
	if !sliders {
		head = head[1:]
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	return markdownTable(head, rows)
}

// grouped writes 1322 as 1,322, as the page does.
func grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < 1000 {
		return number
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return format.Thousands(n) + fraction
}

// spaced puts a space between a number and its unit.
func spaced(value string) string {
	return regexp.MustCompile(`^([\d.]+)([a-z%]+)$`).ReplaceAllString(value, "$1 $2")
}

// runScene runs replication 0.
func runScene(t *testing.T, text string, set []string) (values map[string]float64, price, provider string) {
	t.Helper()
	var session engine.Session
	call := func(op string, into any) {
		args, err := json.Marshal(map[string]any{"document": text, "set": set, "replication": 0})
		if err != nil {
			t.Fatal(err)
		}
		reply, ok := session.Call(op, args)
		if !ok {
			t.Fatalf("%v: %s", set, reply.JSON)
		}
		if err := json.Unmarshal(reply.JSON, into); err != nil {
			t.Fatal(err)
		}
	}
	var loaded struct{ Price, Provider string }
	var ran struct{ Values map[string]float64 }
	call("load", &loaded)
	call("run", &ran)
	return ran.Values, loaded.Price, loaded.Provider
}

var (
	folderFlag  = regexp.MustCompile(`--out (\S+)`)
	settingFlag = regexp.MustCompile(`--set (?:'([^']*)'|(\S+))`)
	runsFirst   = regexp.MustCompile(`^stampede (run|sweep|check|experiment show)\b`)
)

// runs executes the commands of the blocks above: a row for each run, and for each point of a sweep.
func (b *teachingLab) runs(t *testing.T, metrics []string, above string) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	program(t, bin)
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	shell := func(line string) []byte {
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return out
	}
	var rows [][]string
	add := func(label, price string, estimates map[string]measure.Estimate) {
		row, cells := []string{"as it stands"}, map[string]float64{}
		if label != "" {
			row[0] = "`" + label + "`"
		}
		for _, name := range metrics {
			e := estimates[name]
			cells[name] = e.Mean
			row = append(row, estimateCell(e, scale(name)))
		}
		b.cells[label], b.prices[label] = cells, price
		rows = append(rows, row)
	}
	for _, block := range shellBlock.FindAllStringSubmatch(above, -1) {
		for _, line := range commandLines(block[1]) {
			m := runsFirst.FindStringSubmatch(line)
			switch {
			case m == nil: // another test runs it
			case m[1] == "run":
				estimates, price := estimatesOf(t, shell(line+" --json"))
				var set []string
				for _, s := range settingFlag.FindAllStringSubmatch(line, -1) {
					set = append(set, s[1]+s[2])
				}
				add(strings.Join(set, ", "), price, estimates)
			case m[1] == "sweep":
				shell(line + " --no-figures")
				for _, point := range pointsOf(t, filepath.Join(dir, folderFlag.FindStringSubmatch(line)[1])) {
					add(point.label, "", point.estimates)
				}
			default:
				b.printed += string(shell(line))
			}
		}
	}
	return markdownTable(append([]string{"settings"}, header(metrics)...), rows)
}

// estimateCell is a mean with its interval, where replications differ.
func estimateCell(e measure.Estimate, scale float64) string {
	switch {
	case e.N == 0:
		return "none"
	case e.Unseen > 0 || e.Half() == 0:
		return format.Number(scale * e.Mean)
	}
	return format.Number(scale*e.Mean) + " [" + format.Number(scale*e.Low) + ", " + format.Number(scale*e.High) + "]"
}

// estimatesOf reads what `stampede run --json` writes.
func estimatesOf(t *testing.T, text []byte) (estimates map[string]measure.Estimate, price string) {
	t.Helper()
	var printed struct {
		Price   string
		Metrics []struct {
			Name   string
			Mean   *float64
			CI95   []*float64
			N      int
			Unseen float64
		}
	}
	if err := json.Unmarshal(text, &printed); err != nil {
		t.Fatal(err)
	}
	estimates = map[string]measure.Estimate{}
	for _, m := range printed.Metrics {
		if m.Mean == nil {
			continue
		}
		e := measure.Estimate{Mean: *m.Mean, Low: *m.Mean, High: *m.Mean, N: m.N, Unseen: m.Unseen}
		if len(m.CI95) == 2 && m.CI95[0] != nil && m.CI95[1] != nil {
			e.Low, e.High = *m.CI95[0], *m.CI95[1]
		}
		estimates[m.Name] = e
	}
	return estimates, printed.Price
}

type sweptPoint struct {
	label     string
	estimates map[string]measure.Estimate
}

// pointsOf reads the results of a sweep: rows of point, replication, the values of the axes and all metrics.
func pointsOf(t *testing.T, folder string) (points []sweptPoint) {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head := rows[0]
	column := func(row []string, name string) float64 {
		x, err := strconv.ParseFloat(row[slices.Index(head, name)], 64)
		if err != nil {
			return math.NaN() // a run without a value
		}
		return x
	}
	byPoint := map[string][][]string{}
	for _, row := range rows[1:] {
		byPoint[row[0]] = append(byPoint[row[0]], row)
	}
	for i := range len(byPoint) {
		runs := byPoint[strconv.Itoa(i)]
		p := sweptPoint{estimates: map[string]measure.Estimate{}}
		random := column(runs[0], "random") == 1
		for axis := 2; head[axis] != measure.Metrics()[0].Name; axis++ {
			p.label += ", " + head[axis] + "=" + runs[0][axis]
		}
		p.label = strings.TrimPrefix(p.label, ", ")
		for _, m := range measure.Metrics() {
			var values []float64
			for _, row := range runs {
				values = append(values, column(row, m.Name))
			}
			p.estimates[m.Name] = m.Estimate(values, random, 0.95)
		}
		points = append(points, p)
	}
	return points
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
			source, _, _ = strings.Cut(strings.TrimSpace(source), ";")
			sources[name], _, _ = strings.Cut(source, ": ")
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
