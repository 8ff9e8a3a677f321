//go:build unix

package trace

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// generated is a file of so many calls, about 20 a second.
func generated(layout string, n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	var b strings.Builder
	if strings.HasPrefix(layout, "CSV") {
		b.WriteString("TIMESTAMP,ContextTokens,GeneratedTokens\n")
	}
	for i := range n {
		at = at.Add(time.Duration(r.ExpFloat64() * 50e6))
		prompt, output := r.IntN(8000)+1, r.IntN(900)+1
		stamp := at
		if layout == "CSV unsorted" {
			stamp = at.Add(time.Duration(r.ExpFloat64() * 10e9))
		}
		switch layout {
		case "JSON lines":
			fmt.Fprintf(&b, `{"timestamp": %d, "input_length": %d, "output_length": %d, "hash_ids": [%d, %d, %d]}`+"\n",
				stamp.UnixMilli(), prompt, output, i, i+1, i+2)
		case "CSV wide":
			fmt.Fprintf(&b, "%s,%d,%d,chatcmpl-%d,gpt-4o-mini,0.00%d,success\n",
				stamp.Format("2006-01-02 15:04:05.000000"), prompt, output, i, prompt)
		default:
			fmt.Fprintf(&b, "%s,%d,%d\n", stamp.Format("2006-01-02 15:04:05.0000000"), prompt, output)
		}
	}
	text := b.String()
	if layout == "CSV wide" {
		text = strings.Replace(text, "Tokens\n", "Tokens,id,model,cost,status\n", 1)
	}
	return []byte(text)
}

// cpu is the time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRead reads two million calls: rows per second of processor time, and what is allocated on
// the way, in bytes per row.
func BenchmarkRead(b *testing.B) {
	const n = 2_000_000
	for _, layout := range []string{"CSV", "CSV wide", "CSV unsorted", "JSON lines"} {
		b.Run(strings.ReplaceAll(layout, " ", "-"), func(b *testing.B) {
			data := generated(layout, n)
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := cpu()
			for b.Loop() {
				got, err := Read(data, "f", Options{})
				if err != nil || got.Len() != n {
					b.Fatal(got.Len(), err)
				}
			}
			used := cpu() - began
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(n)*float64(b.N)/used.Seconds(), "rows/cpu-s")
			b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/n, "B/row")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N)/n, "allocs/row")
		})
	}
}
