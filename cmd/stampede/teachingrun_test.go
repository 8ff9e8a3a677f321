package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stampede/internal/format"
	"stampede/measure"
)

var (
	folderFlag  = regexp.MustCompile(`--out (\S+)`)
	settingFlag = regexp.MustCompile(`--set (?:'([^']*)'|(\S+))`)
	runsFirst   = regexp.MustCompile(`^stampede (run|sweep|check|experiment show)\b`)
)

// runs executes the commands of the blocks above: a row for each run, and for each point of a sweep.
func (b *teachingLab) runs(t *testing.T, metrics []string, above string) string {
	t.Helper()
	_, dir, bin := workplace(t)
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
