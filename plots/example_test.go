package plots

import (
	"bytes"
	"fmt"
	"os"
)

// drawn draws a figure and says whether it is the golden image of the name.
func drawn(name string, f Figure) string {
	var out bytes.Buffer
	want, err := os.ReadFile("testdata/" + name + ".png")
	if err == nil {
		err = Write(f, &out, "png", Options{})
	}
	if err != nil {
		return err.Error()
	}
	if share, err := different(out.Bytes(), want); err != nil || share > tolerated {
		return "another image"
	}
	return "testdata/" + name + ".png"
}

func ExampleLines() {
	fmt.Println(drawn("lines", lines()))
	// Output: testdata/lines.png
}

func ExampleHeat() {
	fmt.Println(drawn("heat", heat()))
	// Output: testdata/heat.png
}

func ExampleScatter() {
	fmt.Println(drawn("scatter", scatter()))
	// Output: testdata/scatter.png
}

func ExampleBars() {
	fmt.Println(drawn("bars", bars()))
	// Output: testdata/bars.png
}

func ExampleQuantiles() {
	fmt.Println(drawn("quantiles", quantiles()))
	// Output: testdata/quantiles.png
}

func ExampleTimeline() {
	fmt.Println(drawn("timeline", timeline()))
	// Output: testdata/timeline.png
}

func ExampleHistograms() {
	fmt.Println(drawn("histograms", histograms()))
	// Output: testdata/histograms.png
}

func ExampleDots() {
	fmt.Println(drawn("dots", dots()))
	// Output: testdata/dots.png
}
