package figures

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"stampede/plots"
	"stampede/scenario"
)

// Files of a run's folder, besides those of a sweep's: the records of its first
// replication.
const (
	CallsName    = "calls.csv"
	AttemptsName = "attempts.csv"
)

// record is a row of such a file: seconds and words by column.
type record map[string]string

// longestRun is the end of virtual time, in seconds.
const longestRun = (1 << 61) / 1e9

// seconds is an instant of a run; NaN where there is none.
func (r record) seconds(column string) float64 {
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil || !(x >= 0 && x <= longestRun) {
		return math.NaN()
	}
	return x
}

// readRecords reads the records of a run's folder; it reports false when the
// folder has none.
func readRecords(path string, each func(record)) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	rows := csv.NewReader(f)
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	head = append([]string(nil), head...)
	r := record{}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return true, fmt.Errorf("%s: %w", path, err)
		}
		for i, name := range head {
			r[name] = row[i]
		}
		each(r)
	}
}

// shaded are the faults that last for a time, and the trigger of the arrivals.
func (d *Drawing) shaded() ([]plots.Span, error) {
	file, err := scenario.ParseFile(d.c.Manifest.Scenario, manifestSource(d.Dir))
	if err != nil {
		return nil, err
	}
	var out []plots.Span
	for _, f := range file.Provider.Faults {
		if f.At > 0 || f.For > 0 {
			out = append(out, plots.Span{
				Name:  "fault: " + f.Words(),
				Start: f.At.Seconds(), End: (f.At + f.For).Seconds() * float64(sign(f.For)),
			})
		}
	}
	if o := file.Workload.Open; o != nil {
		for _, step := range o.Profile {
			if step.For > 0 {
				out = append(out, plots.Span{
					Name: "rate " + step.Rate.String(), Start: step.At.Seconds(), End: (step.At + step.For).Seconds(),
				})
			}
		}
	}
	return out, nil
}

// sign is 0 for a fault without end, so that its end is 0, and else 1.
func sign(s scenario.Span) int {
	if s == 0 {
		return 0
	}
	return 1
}

func manifestSource(dir string) string { return filepath.Join(dir, "manifest.json") }

// maxBins is far more than a figure of a run shows; attempts that outlive the last call by more are
// left out.
const maxBins = 1000

// bins counts, or averages, over time.
type bins struct {
	width  float64
	values []float64
}

func (b *bins) add(t, x float64) {
	if !(t/b.width <= maxBins) { // nor when there is no instant
		return
	}
	i := int(t / b.width)
	for len(b.values) <= i {
		b.values = append(b.values, 0)
	}
	b.values[i] += x
}

// spread adds the time from start to end that falls in each bin.
func (b *bins) spread(start, end float64) {
	if math.IsNaN(start) || math.IsNaN(end) {
		return
	}
	end = math.Min(end, (maxBins+1)*b.width)
	for t := start; t < end; {
		next := math.Min(end, (math.Floor(t/b.width)+1)*b.width)
		if next <= t {
			break
		}
		b.add(t, next-t)
		t = next
	}
}

// per divides by the width of a bin: counts become rates, times averages.
func (b *bins) per() []float64 {
	for i := range b.values {
		b.values[i] /= b.width
	}
	return b.values
}

func (d *Drawing) timeline() (plots.Figure, error) {
	end := 0.0
	found, err := readRecords(filepath.Join(d.Dir, CallsName), func(r record) {
		if t := r.seconds("ended_s"); t > end {
			end = t
		}
	})
	if err != nil || !found || end == 0 {
		return nil, err
	}
	width := niceWidth(end / 150)
	var arrivals, answers, sent, refused, inFlight, waiting bins
	for _, b := range []*bins{&arrivals, &answers, &sent, &refused, &inFlight, &waiting} {
		b.width = width
	}
	if _, err := readRecords(filepath.Join(d.Dir, CallsName), func(r record) {
		arrivals.add(r.seconds("arrived_s"), 1)
		if r["outcome"] == "answered" {
			answers.add(r.seconds("ended_s"), 1)
		}
		waiting.spread(r.seconds("arrived_s"), r.seconds("ended_s"))
	}); err != nil {
		return nil, err
	}
	if _, err := readRecords(filepath.Join(d.Dir, AttemptsName), func(r record) {
		sent.add(r.seconds("sent_s"), 1)
		if class := r["class"]; class == "throttled" || class == "overloaded" {
			refused.add(r.seconds("ended_s"), 1)
		}
		inFlight.spread(r.seconds("sent_s"), r.seconds("ended_s"))
	}); err != nil {
		return nil, err
	}
	shaded, err := d.shaded()
	if err != nil {
		return nil, err
	}
	return &plots.Timeline{
		Title: d.title("one run, first replication"), Subtitle: d.subtitle(""), X: "time, s", End: end, Shaded: shaded,
		Panels: []plots.Panel{
			{
				Y:     "per second",
				Width: width,
				Steps: []plots.Steps{
					{Name: "attempts", Ink: sentInk, Values: sent.per()},
					{Name: "refused", Ink: refusedInk, Values: refused.per()},
					{Name: "calls arrive", Ink: arrivedInk, Values: arrivals.per()},
					{Name: "answers", Ink: answeredInk, Values: answers.per()},
				},
			},
			{
				Y:     "at once, mean",
				Width: width,
				Steps: []plots.Steps{
					{Name: "attempts in flight", Ink: sentInk, Values: inFlight.per()},
					{Name: "calls in progress", Ink: waitingInk, Values: waiting.per()},
				},
			},
		},
	}, nil
}

// niceWidth rounds up to 1, 2 or 5 times a power of ten.
func niceWidth(x float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if x <= m*scale {
			return m * scale
		}
	}
	return 10 * scale
}

// mostActors is how many calls the herd picture shows at the most.
const mostActors = 400

func (d *Drawing) herd() (plots.Figure, error) {
	kinds := []string{"refused", "cut off", "other error", "answered"}
	at := make([][][2]float64, len(kinds))
	calls := 0.0
	if _, err := readRecords(filepath.Join(d.Dir, CallsName), func(r record) {
		if r["fleet"] == "0" {
			calls++
		}
	}); err != nil {
		return nil, err
	}
	each := math.Max(1, math.Ceil(calls/mostActors)) // calls from one that is shown to the next
	found, err := readRecords(filepath.Join(d.Dir, AttemptsName), func(r record) {
		call := r.seconds("call")
		if math.Mod(call, each) != 0 || r["fleet"] != "0" { // numbers are those of a fleet: the main one
			return
		}
		kind := 2
		switch r["class"] {
		case "throttled", "overloaded":
			kind = 0
		case "timeout":
			kind = 1
		case "ok":
			kind = 3
		}
		at[kind] = append(at[kind], [2]float64{r.seconds("sent_s"), call})
	})
	if err != nil || !found {
		return nil, err
	}
	shaded, err := d.shaded()
	if err != nil {
		return nil, err
	}
	f := &plots.Dots{
		Title:    d.title("when each call's attempts are sent"),
		Subtitle: d.subtitle(""),
		X:        "time, s",
		Kinds:    kinds,
		Inks:     []plots.Ink{refusedInk, cutOffInk, failedInk, answeredInk},
		Panels:   []plots.DotPanel{{Y: "call", At: at}},
		Shaded:   shaded,
	}
	if from, to, ok := d.zoom(shaded); ok {
		f.From, f.To = from, to
		f.Subtitle += "; zoomed to the trigger (--whole shows all)"
	}
	if each > 1 {
		f.Subtitle += fmt.Sprintf("; every %.0f%s call drawn", each, ordinal(each))
	}
	return f, nil
}

// ordinal is the ending of a whole number that counts places: 3rd, 11th.
func ordinal(n float64) string {
	last, teens := int(math.Mod(n, 10)), int(math.Mod(n, 100))
	if teens < 11 || teens > 13 {
		switch last {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// zoom is the stretch of time around the first trigger that ends: as long before it as it lasts, and four
// times as long after it.
func (d *Drawing) zoom(shaded []plots.Span) (from, to float64, ok bool) {
	if d.Whole {
		return 0, 0, false
	}
	for _, s := range shaded {
		if length := s.End - s.Start; s.Start > 0 && length > 0 {
			return math.Max(0, s.Start-length), s.End + 4*length, true
		}
	}
	return 0, 0, false
}
