package trace

import (
	"os"
	"testing"
	"time"
)

// The first dozen rows of logs that stand in the order in which their loggers wrote them, mostly that of
// the ends: the counts and sums were taken from the rows by hand. Twelve calls lie between 0.040987 and
// 1.673330 s; BurstGPT and Mooncake list the first twelve that arrived, of which one failed.
func TestLogsInTheOrderOfTheirLoggers(t *testing.T) {
	const seconds = float64(time.Second)
	for _, c := range []struct {
		format         string
		file           string
		calls          int
		noOutput       int
		prompt, output int64
		span           float64 // seconds
	}{
		{"aiperf", "aiperf.jsonl", 12, 0, 20_965, 1020, 1.632343},
		{"helicone", "helicone.jsonl", 12, 0, 20_965, 1020, 1.633},
		{"langfuse", "langfuse.jsonl", 12, 0, 20_965, 1020, 1.633},
		{"litellm_spend", "litellm_spend.csv", 12, 0, 20_965, 1020, 1.632343},
		{"otlp", "otlp.jsonl", 12, 0, 20_965, 1020, 1.632343},
		{"burstgpt", "burstgpt.csv", 11, 1, 19_666, 1463, 1},
		{"mooncake", "mooncake.jsonl", 12, 0, 21_091, 2487, 1.42},
		{"vllm_bench", "vllm_bench.json", 11, 1, 19_666, 1463, 1.419581},
		{"openrouter_activity", "openrouter_activity.csv", 12, 0, 23_055, 3785, 5.907},
	} {
		data, err := os.ReadFile("testdata/logs/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"", c.format} {
			got, err := Read(data, c.file, Options{Format: format})
			if err != nil {
				t.Errorf("%s: %v", c.file, err)
				continue
			}
			prompt, output := int64(0), int64(0)
			for i := range got.Len() {
				prompt += int64(got.Values[Prompt][i])
				output += int64(got.Values[Output][i])
			}
			span := float64(got.At[got.Len()-1]-got.At[0]) / seconds
			if got.Len() != c.calls || got.Read.NoOutput != c.noOutput || got.Read.Format != c.format ||
				prompt != c.prompt || output != c.output || span < c.span-2e-6 || span > c.span+2e-6 {
				t.Errorf("%s as %s: %d calls, %d failed, %d and %d tokens within %.6f s; want %+v",
					c.file, got.Read.Format, got.Len(), got.Read.NoOutput, prompt, output, span, c)
			}
		}
	}
}
