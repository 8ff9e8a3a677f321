package browser

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The benchmarks measure the page in Chromium without a GPU. Each reports the load of the machine beside its
// numbers (load: processes that want a core, mean of a minute), without which they say little:
//
//	go test ./browser -run '^$' -bench . -benchtime 10x

// reportLoad adds the load of the machine to a benchmark.
func reportLoad(b *testing.B) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return // not Linux
	}
	load, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(load, "load")
}

// herdOf is the address of the herd with so many calls a policy.
func herdOf(calls string) string {
	return sceneAddress("herd") + "&workload.burst.calls=" + calls
}

// BenchmarkReady is the time from a reload until the first runs are shown.
func BenchmarkReady(b *testing.B) {
	p := openExplorer(b, sceneAddress("herd"))
	var times []float64
	for b.Loop() {
		p.do(chromedp.Reload())
		p.settle()
		p.wait(`document.querySelector("#waiting").hidden`)
		times = append(times, eval[float64](p.tab,
			`Math.max(...recorded.asked.filter((c) => c.args.replay).map((c) => c.at))`))
	}
	report(b, times, "ms/ready")
}

// BenchmarkSlider is the time from an event of a slider until numbers and pictures of three policies of 1,000 calls are
// shown, frame included. The curves follow in the frame after.
func BenchmarkSlider(b *testing.B) {
	p := openExplorer(b, herdOf("1000"))
	p.pause()
	p.rest()
	var times []float64
	for b.Loop() {
		times = append(times, eval[float64](p.tab, `(async () => {
			const slider = document.querySelector(%s)
			const from = performance.now()
			slider.value = String((Number(slider.value) + 7) %% Number(slider.max))
			slider.dispatchEvent(new Event("input", {bubbles: true}))
			const panes = document.querySelector("#panes") // it says by an attribute when it shows the answer
			await new Promise((done) => new MutationObserver(() => {
				if (panes.getAttribute("aria-busy") === "false") done()
			}).observe(panes, {attributes: true}))
			await new Promise(requestAnimationFrame)
			return performance.now() - from
		})()`, capSlider))
	}
	report(b, times, "ms/slider")
}

// BenchmarkFrames plays three policies and counts frames.
func BenchmarkFrames(b *testing.B) {
	for _, calls := range []string{"1000", "5000"} {
		b.Run("calls="+calls, func(b *testing.B) {
			p := openExplorer(b, herdOf(calls))
			eval[bool](p.tab, `new Promise((done) => {
				const filled = () => document.querySelector("#filling").textContent === ""
				const wait = () => filled() ? done(true) : setTimeout(wait, 50)
				setTimeout(wait, 1000)
			})`)
			var rates []float64
			for b.Loop() {
				p.keys("#again", kb.Enter)
				rates = append(rates, eval[float64](p.tab, `new Promise((done) => {
					let frames = 0
					const from = performance.now()
					const frame = () => {
						const took = performance.now() - from
						if (took < 2000) {
							frames++
							requestAnimationFrame(frame)
						} else {
							done(frames / took * 1000)
						}
					}
					requestAnimationFrame(frame)
				})`))
			}
			report(b, rates, "frames/s")
		})
	}
}

// BenchmarkMemory is what three engines and the page's own objects hold with three policies of 1,000 calls, after
// runs of many seeds with their replications. The few objects of the workers' scripts are not in it.
func BenchmarkMemory(b *testing.B) {
	p := openExplorer(b, herdOf("1000"))
	var engines, heaps []float64
	for b.Loop() {
		p.keys("#next-seed", kb.Enter)
		p.settle()
		p.rest()
		engines = append(engines, eval[float64](p.tab, `recorded.memory()`)/1e6)
		eval[bool](p.tab, `(recorded.asked.length = 0, true)`)
		if _, err := chromedp.Call(p.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			b.Fatal(err)
		}
		usage, err := chromedp.Call(p.ctx, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			b.Fatal(err)
		}
		heaps = append(heaps, (usage.UsedSize+usage.BackingStorageSize)/1e6)
	}
	report(b, engines, "MB/engines")
	report(b, heaps, "MB/page")
}

// report adds the median and the worst of what was measured.
func report(b *testing.B, values []float64, unit string) {
	b.Helper()
	slices.Sort(values)
	b.ReportMetric(values[len(values)/2], unit)
	b.ReportMetric(values[0], "min-"+unit)
	b.ReportMetric(values[len(values)-1], "max-"+unit)
	b.ReportMetric(0, "ns/op")
	reportLoad(b)
}
