package plots

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "draw the golden images anew; look at them before they are committed")

// golden compares a figure with its image in testdata. Letters and lines may
// differ in their outer shades between machines, so a few pixels in a thousand
// may be off by more than a little.
func golden(t *testing.T, name string, f Figure) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(f, &out, "png", Options{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name+".png")
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if share, err := different(out.Bytes(), want); err != nil || share > tolerated {
		t.Errorf("%s: %.2g %% of the pixels differ from the golden image, %v", name, 100*share, err)
	}
	for _, format := range []string{"svg", "pdf"} {
		var text bytes.Buffer
		if err := Write(f, &text, format, Options{}); err != nil || text.Len() < 1000 {
			t.Errorf("%s as %s: %d bytes, %v", name, format, text.Len(), err)
		}
	}
}

// Names hold what people write; a figure of them is XML all the same.
func TestNamesInSVG(t *testing.T) {
	var out bytes.Buffer
	name := "a \x1b[31mred\x00 <b> & \"c\" \xff \ufffe"
	f := &Bars{Title: name, Subtitle: name, X: name, Names: []string{name}, Parts: []Part{{name, []float64{1}}}}
	if err := Write(f, &out, "svg", Options{}); err != nil {
		t.Fatal(err)
	}
	text := xml.NewDecoder(&out)
	for {
		if _, err := text.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// tolerated is the share of pixels that may differ.
const tolerated = 0.003

// different is the share of pixels in which two PNG differ by more than a little.
func different(a, b []byte) (float64, error) {
	var images [2]image.Image
	for i, data := range [][]byte{a, b} {
		var err error
		if images[i], err = png.Decode(bytes.NewReader(data)); err != nil {
			return 1, err
		}
	}
	if images[0].Bounds() != images[1].Bounds() {
		return 1, nil
	}
	size := images[0].Bounds()
	n := 0
	for y := range size.Dy() {
		for x := range size.Dx() {
			r0, g0, b0, _ := images[0].At(x, y).RGBA()
			r1, g1, b1, _ := images[1].At(x, y).RGBA()
			if far(r0, r1) || far(g0, g1) || far(b0, b1) {
				n++
			}
		}
	}
	return float64(n) / float64(size.Dx()*size.Dy()), nil
}

func far(a, b uint32) bool { return max(a, b)-min(a, b) > 0x3000 }

func lines() *Lines {
	f := &Lines{
		Title:     "Throughput over gate size",
		Subtitle:  "Limiter: token bucket of 500/min; policy: full jitter, cap 20 s",
		X:         "gate, requests",
		Y:         "answers per minute",
		LogX:      true,
		Heading:   "policy",
		Bound:     []Point{{X: 1, Y: 95}, {X: 64, Y: 95}},
		BoundName: "bound",
	}
	for i, name := range []string{"full", "equal", "none"} {
		s := Series{Name: name}
		for x := 1.0; x <= 64; x *= 2 {
			y := 90 * x / (x + 2 + float64(i))
			s.Points = append(s.Points, Point{x, y, y - 3, y + 4})
		}
		f.Series = append(f.Series, s)
	}
	f.Series[2].Points[3].Y = math.NaN()
	return f
}

func TestLines(t *testing.T) { golden(t, "lines", lines()) }

func TestLinesOfNamesBeyondTwelveSeries(t *testing.T) {
	f := &Lines{Title: "Fifteen series", X: "jitter", Y: "latency, s", Names: []string{"none", "equal", "full"}}
	for i := range 15 {
		y := float64(i + 1)
		f.Series = append(
			f.Series,
			Series{
				Name:   fmt.Sprintf("policy %d", i),
				Points: []Point{{0, y, y, y}, {1, y + 1, y + 0.5, y + 1.5}, {2, y / 2, y / 2, y / 2}},
			},
		)
	}
	golden(t, "many", f)
}

func heat() *Heat {
	f := &Heat{
		Title:    "Success ratio",
		Value:    "success ratio, share",
		Subtitle: "Limiter: 8 requests at once",
		X:        "gate",
		Y:        "jitter",
		NamesX:   []string{"4", "8", "16"},
		NamesY:   []string{"none", "full"},
	}
	for j := range 2 {
		row := []Point{}
		for i := range 3 {
			v := 1 - 0.3*float64(i) - 0.1*float64(j)
			row = append(row, Point{Y: v, Low: v - 0.01, High: v + 0.01})
		}
		f.Cells = append(f.Cells, row)
	}
	f.Cells[1][2].Y = math.NaN()
	return f
}

func TestHeat(t *testing.T) { golden(t, "heat", heat()) }

func scatter() *Scatter {
	f := &Scatter{
		Title:      "Cost, latency and success",
		Subtitle:   "Limiter: token bucket of 500/min",
		X:          "cost per 1,000 answers, USD",
		Y:          "latency p95, s",
		ShadeName:  "success ratio",
		BestName:   "on the Pareto frontier",
		HollowName: "under 99 % answered",
	}
	for i := range 8 {
		x, y := 10+float64(i), 40/float64(i+1)
		f.Spots = append(
			f.Spots,
			Spot{
				Name:   fmt.Sprintf("policy %d", i),
				X:      Point{Y: x, Low: x - 0.4, High: x + 0.4},
				Y:      Point{Y: y, Low: y - 1, High: y + 1},
				Best:   i < 3,
				Shade:  float64(i) / 7,
				Hollow: i > 2 && i < 6,
			},
		)
	}
	return f
}

func TestScatter(t *testing.T) { golden(t, "scatter", scatter()) }

func bars() *Bars {
	return &Bars{
		Title:    "Cost of 1,000 answers",
		Subtitle: "Provider finishes and bills what the client gives up",
		X:        "USD",
		Names:    []string{"8 s", "15 s", "30 s", "60 s", "none"},
		Parts: []Part{
			{"useful", []float64{13, 13, 13, 13, 13}},
			{"wasted: timeout", []float64{6, 3, 1, 0.2, 0}},
			{"wasted: abandoned", []float64{0, 0.5, 1, 2, 3}},
		},
		Whole: []Point{
			{Y: 19, Low: 18.5, High: 19.5},
			{Y: 16.5, Low: 16, High: 17},
			{Y: 15, Low: 14.6, High: 15.4},
			{Y: 15.2, Low: 15, High: 15.4},
			{Y: 16, Low: 15, High: 17},
		},
	}
}

func TestBars(t *testing.T) { golden(t, "bars", bars()) }

func quantiles() *Quantiles {
	f := &Quantiles{Title: "Latency", Subtitle: "answered calls", Y: "latency, s"}
	for i := range 2 {
		s := Series{Name: fmt.Sprintf("policy %d", i)}
		for _, p := range []float64{0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999} {
			y := -math.Log(1-p) * float64(i+1)
			s.Points = append(s.Points, Point{p, y, 0.9 * y, 1.1 * y})
		}
		f.Series = append(f.Series, s)
	}
	return f
}

func TestQuantiles(t *testing.T) { golden(t, "quantiles", quantiles()) }

func timeline() *Timeline {
	f := &Timeline{
		Title:    "One run",
		Subtitle: "Limiter: token bucket of 500/min",
		X:        "time, s",
		End:      100,
		Shaded:   []Span{{"fault: status 503", 40, 60}},
	}
	var a, b, c []float64
	for i := range 100 {
		x := 10 + 3*math.Sin(float64(i)/5)
		a, b, c = append(a, x), append(b, x/2), append(c, 20-x)
	}
	f.Panels = []Panel{
		{"per second", 1, []Steps{{Name: "attempts", Values: a}, {Name: "answers", Ink: Green, Values: b}}},
		{"at once", 1, []Steps{{Name: "in flight", Ink: Blue, Values: c}}},
	}
	return f
}

func TestTimeline(t *testing.T) { golden(t, "timeline", timeline()) }

func dots() *Dots {
	f := &Dots{
		Title:    "When each client comes back",
		Subtitle: "Waves without jitter",
		X:        "time, s",
		Kinds:    []string{"refused", "answered"},
		Panels:   []DotPanel{{Y: "client", At: make([][][2]float64, 2)}},
	}
	for c := range 100 {
		for k, at := range []float64{0, 1, 3, 7, 15} {
			kind := 0
			if c/20 == k {
				kind = 1
			}
			if c/20 >= k {
				f.Panels[0].At[kind] = append(f.Panels[0].At[kind], [2]float64{at, float64(c)})
			}
		}
	}
	return f
}

func TestDots(t *testing.T) { golden(t, "dots", dots()) }

// Two herds of one limiter, and the legend beside the first.
func TestDotsInPanels(t *testing.T) {
	f := dots()
	f.Panels[0].Name = "No jitter"
	spread := DotPanel{Name: "Full jitter", Y: "client", At: make([][][2]float64, 2)}
	for c := range 100 {
		spread.At[min(c%5, 1)] = append(spread.At[min(c%5, 1)], [2]float64{float64(c*37%100) / 10, float64(c)})
	}
	f.Panels, f.Shaded = append(f.Panels, spread), []Span{{"outage", 0, 2}}
	golden(t, "herds", f)
}

func histograms() *Histograms {
	return &Histograms{
		Title:    "When each client comes back",
		Subtitle: "Requests per 100 ms",
		X:        "time, s",
		Y:        "requests",
		Width:    0.1,
		Panels: []Histogram{
			{"none", []float64{0, 0, 0, 0, 0, 100}}, {"full", []float64{20, 18, 22, 20, 20}}, {"empty", nil},
		},
	}
}

func TestHistograms(t *testing.T) { golden(t, "histograms", histograms()) }

// Where theory says what is expected, points and dashes stand beside each other.
func panels() *Panels {
	f := &Panels{
		Title:    "Where more workers stop helping",
		Subtitle: "Two tiers; bands are 95 % intervals",
		X:        "workers", LogX: true,
		Series:   []string{"small: knee at 4", "large: no knee up to 16"},
		Panels:   []LinePanel{{Y: "answers per minute"}, {Y: "share answered"}, {Y: "USD per 1,000 answers"}},
		Marks:    []Mark{{Series: 0, X: 4}},
		PartName: "wasted part", RingName: "under 99 % answered",
	}
	f.Panels[1].Rules = []Rule{{Name: "goal 99 %", At: 0.99}}
	for tier, most := range []float64{40, 400} {
		var goodput, success, cost, wasted []Point
		var ringed []bool
		for x := 1.0; x <= 16; x *= 2 {
			y := min(10*x, most)
			goodput = append(goodput, Point{x, y, y - 2, y + 2})
			s := y / (10 * x)
			success = append(success, Point{x, s, s - 0.02, min(1, s+0.02)})
			cost = append(cost, Point{x, 2 / s, 2/s - 0.1, 2/s + 0.1})
			wasted = append(wasted, Point{X: x, Y: 2/s - 2})
			ringed = append(ringed, s < 0.99)
		}
		goodput[4-3*tier].Y = math.NaN()
		f.Panels[0].Series = append(f.Panels[0].Series, goodput)
		f.Panels[1].Series = append(f.Panels[1].Series, success)
		f.Panels[2].Series = append(f.Panels[2].Series, cost)
		f.Panels[2].Parts = append(f.Panels[2].Parts, wasted)
		f.Panels[2].Ringed = append(f.Panels[2].Ringed, ringed)
	}
	return f
}

func TestPanels(t *testing.T) { golden(t, "panels", panels()) }

func TestLinesBesideTheory(t *testing.T) {
	f := &Lines{
		Title:        "Cost over the timeout",
		Subtitle:     "No limiter",
		X:            "timeout, s",
		Y:            "cost, USD",
		ExpectedName: "closed form",
		Shaded:       []Span{{"outage", 4, 6}},
	}
	for i := range 2 {
		s := Series{Name: fmt.Sprintf("policy %d", i)}
		for x := 1.0; x <= 10; x++ {
			y := float64(i+1) * (1 + 3/x)
			s.Expected = append(s.Expected, Point{X: x, Y: y})
			if int(x)%3 == 1 {
				s.Points = append(s.Points, Point{x, y * 1.02, y * 0.96, y * 1.08})
			}
		}
		f.Series = append(f.Series, s)
	}
	golden(t, "theory", f)
}

// Points over names, beside each other, and a quantity over several decades.
func TestLinesOfDotsOnALogAxis(t *testing.T) {
	f := &Lines{
		Title:    "Time until all have written",
		Subtitle: "No limiter",
		Y:        "time, ms",
		Names:    []string{"none", "full", "equal"},
		Dots:     true,
		LogY:     true,
	}
	for i := range 2 {
		s := Series{Name: fmt.Sprintf("clients %d", 50*(i+1))}
		for x, y := range []float64{100_000, 3000, 5000} {
			y *= float64(i + 1)
			s.Points = append(s.Points, Point{float64(x), y, y / 1.3, y * 1.3})
		}
		f.Series = append(f.Series, s)
	}
	golden(t, "decades", f)
}

// What is empty or has no value is drawn all the same.
func TestEmptyFigures(t *testing.T) {
	nan := math.NaN()
	for _, f := range []Figure{
		&Lines{Series: []Series{{Name: "a"}, {Name: "b", Points: []Point{{1, nan, nan, nan}}}}},
		&Heat{NamesX: []string{"a"}, NamesY: []string{"b"}, Cells: [][]Point{{{Y: nan}}}},
		&Scatter{}, &Bars{Names: []string{"a"}, Parts: []Part{{"p", []float64{nan}}}}, &Quantiles{},
		&Timeline{End: 1, Panels: []Panel{{Width: 1}}}, &Dots{}, &Histograms{},
		&Panels{}, &Panels{Series: []string{"a"}, Panels: []LinePanel{{Series: [][]Point{{{1, nan, nan, nan}}}}}},
		&Lines{Series: []Series{{Name: "one", Points: []Point{{1, 5, math.Inf(-1), math.Inf(1)}}}}},
	} {
		if err := Write(f, &bytes.Buffer{}, "png", Options{}); err != nil {
			t.Errorf("%T: %v", f, err)
		}
	}
	if err := Write(&Dots{}, &bytes.Buffer{}, "gif", Options{}); err == nil {
		t.Error("gif is not a format")
	}
}

func TestSaveLeavesNothingHalfWritten(t *testing.T) {
	dir := t.TempDir()
	if err := Save(lines(), filepath.Join(dir, "a.jpeg"), Options{}); err == nil {
		t.Error("jpeg is not a format")
	}
	if err := Save(lines(), filepath.Join(dir, "a.svg"), Options{}); err != nil {
		t.Error(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "a.svg" {
		t.Errorf("%v, %v; want a.svg alone", files, err)
	}
}

// An axis whose values differ by rounding alone has room and a few ticks, like
// any other.
func TestAxesOfNearlyEqualValues(t *testing.T) {
	for _, c := range [][2]float64{
		{0.01125, 0.011250000000000001}, {0, 0}, {5, 5}, {0, 1e-300}, {1e15, 1e15 + 0.125}, {-1, 1}, {3, 4},
	} {
		low, high := around(c[0], c[1])
		if n := len(ticks{}.Ticks(low, high)); n < 2 || n > 12 || !(low < high) {
			t.Errorf("%v: from %v to %v, %d ticks", c, low, high, n)
		}
	}
	x := Point{Y: 0.01125, Low: 0.01125, High: 0.011250000000000001}
	f := &Scatter{Spots: []Spot{{X: x, Y: x}, {X: Point{Y: 0.011250000000000001}, Y: x}}}
	if err := Write(f, &bytes.Buffer{}, "png", Options{}); err != nil {
		t.Error(err)
	}
}

// BenchmarkFigure draws each kind of figure as PNG.
func BenchmarkFigure(b *testing.B) {
	for _, f := range []Figure{lines(), heat(), scatter(), bars(), quantiles(), timeline(), dots(), histograms()} {
		b.Run(fmt.Sprintf("%T", f)[7:], func(b *testing.B) {
			for b.Loop() {
				if err := Write(f, &bytes.Buffer{}, "png", Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Text in SVG is outlines: nothing depends on a font of the reader's machine. Title and subtitle stand
// beside it as text, and the options of a call count.
func TestSVGNeedsNoFont(t *testing.T) {
	var out bytes.Buffer
	if err := Write(lines(), &out, "svg", Options{Title: "A & B", Width: 25.4, Height: 14.3}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Contains(text, "<text") || strings.Contains(text, "font-family") {
		t.Error("the figure has text that needs a font")
	}
	if !strings.Contains(text, "<title>A &amp; B</title>") || !strings.Contains(text, "<desc>") {
		t.Error("the figure has no title and description")
	}
	// 25.4 cm are 720 points of 1/72 inch, 14.3 cm are 405.35.
	if !strings.Contains(text, `width="720pt"`) {
		t.Errorf("size: %.200s", text)
	}
}

// Values in a heat map have as many digits as tell them apart.
func TestDistinct(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   []string
	}{
		{[]float64{0.9996, 0.9998, 0.5}, []string{"0.9996", "0.9998", "0.5"}},
		{[]float64{1999, 1982, 805}, []string{"1999", "1982", "805"}},
		{[]float64{0.1, 0.2}, []string{"0.1", "0.2"}},
		{[]float64{1.5e6, 2.5e6}, []string{"1.5M", "2.5M"}},
	} {
		write := distinct(c.values)
		for i, v := range c.values {
			if got := write(v); got != c.want[i] {
				t.Errorf("%v: %q, want %q", v, got, c.want[i])
			}
		}
	}
}

// A value in a heat map has the decimals of its half-width, which has two significant digits: enough to tell
// values apart whose intervals do not overlap.
func TestDecimalsOfTheHalfWidth(t *testing.T) {
	for _, c := range []struct {
		values, halves []float64
		want           []string
	}{
		{[]float64{1998.77, 495.367}, []float64{2.2, 4.94}, []string{"1998.8 ±2.2", "495.4 ±4.9"}},
		{[]float64{1998.77, 805.2}, []float64{22.4, 5}, []string{"1999 ±22", "805.2 ±5.0"}},
		{[]float64{0.98765, 0.5}, []float64{0.0123, 0}, []string{"0.988 ±0.012", "0.5"}},
		{[]float64{0.98765, 12.4}, []float64{0.0997, 152}, []string{"0.99 ±0.10", "12 ±150"}},
		{[]float64{100.31, 100.34}, []float64{2.2, 2.2}, []string{"100.3 ±2.2", "100.3 ±2.2"}},
		{[]float64{100.31, 100.34}, []float64{0.01, 0.01}, []string{"100.310 ±0.010", "100.340 ±0.010"}},
		{[]float64{2.5e6, 0.5}, []float64{3e4, 1e-9}, []string{"2.5M ±30k", "0.5 ±1e-09"}},
	} {
		write := withHalf(c.values)
		for i, v := range c.values {
			got := strings.ReplaceAll(write(Point{Y: v, Low: v - c.halves[i], High: v + c.halves[i]}), "\n", " ")
			if got != c.want[i] {
				t.Errorf("%g ±%g: %q, want %q", v, c.halves[i], got, c.want[i])
			}
		}
	}
}

// A long name of a legend is cut in its middle, but different names stay different.
func TestNamesStayDifferent(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"abcdefghijk", "short"}, []string{"abc…hijk", "short"}}, // 8 letters: 3, the mark and 4
		{[]string{"abcdefghijk", "abcxxxxhijk"}, []string{"abcd…ghijk", "abcx…xhijk"}},
		{[]string{"abcdefghijk", "abcdefghijk"}, []string{"abc…hijk", "abc…hijk"}},
		{nil, nil},
	} {
		if got := shortenAll(c.names, 8); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}

// A row of the table cuts the name, not the values.
func TestRowKeepsItsValues(t *testing.T) {
	s := Spot{Name: "semaphore 16, jitter decorrelated", Values: "1.50 USD, p95 12 s"}
	for most, want := range map[int]string{
		60: "semaphore 16, jitter decorrelated: 1.50 USD, p95 12 s",
		40: "semaphore 16, jitte…: 1.50 USD, p95 12 s", // 33 letters less 2 at a time: 19, the mark, and 20 of values
	} {
		if got := s.row(func(text string) bool { return utf8.RuneCountInString(text) <= most }); got != want {
			t.Errorf("%d letters: %q, want %q", most, got, want)
		}
	}
}

// Numbers of spots that lie on each other share a place.
func TestRuns(t *testing.T) {
	for want, numbers := range map[string][]int{"1": {1}, "1-3": {1, 2, 3}, "1, 3-4": {1, 3, 4}, "": nil} {
		if got := runs(numbers); got != want {
			t.Errorf("%v: %q, want %q", numbers, got, want)
		}
	}
}

// A stretch of time is shaded where it lies in the time shown, whatever the plot has drawn before.
func TestSpansAreShaded(t *testing.T) {
	for _, c := range []struct {
		name string
		span Span
		want bool
	}{
		{"with an end", Span{"", 40, 60}, true},
		{"without an end", Span{"", 40, 0}, true},
		{"cut by the beginning", Span{"", 10, 60}, true},
		{"before the time shown", Span{"", 10, 20}, false},
		{"after it", Span{"", 100, 120}, false},
	} {
		p := newPlot("", "")
		if err := spans(p, []Span{c.span}, 30, 100, 0, 1); err != nil {
			t.Fatal(err)
		}
		if shaded := p.X.Max >= p.X.Min; shaded != c.want {
			t.Errorf("%s: shaded %v, want %v", c.name, shaded, c.want)
		}
		if c.want && p.X.Min < 30 {
			t.Errorf("%s: shaded from %v, before the time shown", c.name, p.X.Min)
		}
	}
}
