package trace

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// made is a call or an attempt behind the samples.
type made struct {
	at             time.Duration
	prompt, output int32
	answered       bool
	first          bool // attempt of its call
}

// truth reads the calls or the attempts behind the samples, sorted by time.
func truth(t *testing.T, file, at, outcome, answered string) (out []made) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cell := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	for _, row := range rows[1:] {
		seconds, _ := strconv.ParseFloat(cell(row, at), 64)
		prompt, _ := strconv.Atoi(cell(row, "prompt_tokens"))
		output, _ := strconv.Atoi(cell(row, "output_tokens"))
		m := made{time.Duration(seconds * 1e9), int32(prompt), int32(output), cell(row, outcome) == answered, true}
		if slices.Contains(rows[0], "attempt") {
			m.first = cell(row, "attempt") == "1"
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b made) int { return int(a.at - b.at) })
	return out
}

// Each sample holds the same calls, as far as its shape tells them: those that were answered, or the
// attempts that were; of Mooncake, Qwen and Vidur all, since these traces know no failures.
func TestFormats(t *testing.T) {
	calls := truth(t, "stampede_calls.csv", "arrived_s", "outcome", "answered")
	attempts := truth(t, "stampede_attempts.csv", "sent_s", "class", "ok")
	answered := func(m made) bool { return m.answered }
	all := func(made) bool { return true }
	epoch := time.Duration(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	for _, c := range []struct {
		file, format string
		of           []made
		with         func(made) bool
		zero         time.Duration
		resolution   time.Duration // of the times of the shape
		maxTokens    int32
		noOutput     int // rows of failures
		others       int // rows that are no calls
	}{
		{"stampede_calls.csv", "", calls, all, 0, time.Microsecond, 1024, 0, 0},
		{"burstgpt.csv", "burstgpt", calls, answered, 0, time.Second, 0, 3, 0},
		{"mooncake.jsonl", "mooncake", calls, all, 0, time.Millisecond, 0, 0, 0},
		{"qwen.jsonl", "qwen", calls, all, 0, time.Millisecond, 0, 0, 0},
		{"vidur.csv", "vidur", calls, all, 0, time.Microsecond, 0, 0, 0},
		{"blis.csv", "blis", calls, answered, 0, time.Microsecond, 0, 3, 0},
		{"litellm_spend.csv", "litellm_spend", calls, answered, epoch, time.Microsecond, 0, 3, 0},
		{"openrouter_activity.csv", "openrouter_activity", attempts, answered, epoch, time.Millisecond, 0, 0, 0},
		{"langfuse.jsonl", "langfuse", calls, answered, epoch, time.Millisecond, 1024, 3, 0},
		{"helicone.jsonl", "helicone", attempts, answered, epoch, time.Millisecond, 0, 7, 0},
		{"vllm_bench.json", "vllm_bench", attempts, func(m made) bool { return m.answered && m.first },
			1000 * time.Second, time.Microsecond, 0, 4, 0},
		{"guidellm.json", "guidellm", calls, answered, epoch, time.Microsecond, 0, 3, 0},
		{"aiperf.jsonl", "aiperf", attempts, answered, epoch, time.Microsecond, 0, 7, 0},
		{"otlp.jsonl", "otlp", calls, answered, epoch, time.Microsecond, 1024, 3, 14},
	} {
		t.Run(c.file, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			for _, format := range []string{"", c.format} {
				got, err := Read(data, c.file, Options{Format: format})
				if err != nil {
					t.Fatal(err)
				}
				var want []made
				for _, m := range c.of {
					if c.with(m) {
						want = append(want, m)
					}
				}
				if got.Len() != len(want) || got.Read.Format != c.format || got.Read.NoOutput != c.noOutput ||
					got.Read.Others != c.others {
					t.Fatalf("%d calls, %+v; want %d, %d rows of failures, %d others", got.Len(), got.Read,
						len(want), c.noOutput, c.others)
				}
				for i, m := range want {
					if d := got.At[i] - c.zero - m.at; d.Abs() > c.resolution || got.Values[Prompt][i] != m.prompt ||
						got.Values[Output][i] != m.output {
						t.Errorf("call %d at %v: %d, %d tokens; want %+v", i, got.At[i]-c.zero, got.Values[Prompt][i],
							got.Values[Output][i], m)
					}
					if c.maxTokens != 0 && got.Values[MaxTokens][i] != c.maxTokens {
						t.Errorf("call %d: max_tokens %d, want %d", i, got.Values[MaxTokens][i], c.maxTokens)
					}
				}
			}
		})
	}
}

// The Azure traces are recognised as they are published.
func TestAzure(t *testing.T) {
	data, err := os.ReadFile("../../examples/azure2023/conv-2min.csv")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(data, "conv", Options{})
	if err != nil || got.Len() != 456 || got.Read.Format != "azure" || !got.Read.Naive {
		t.Errorf("%d calls, %+v, %v", got.Len(), got.Read, err)
	}
}
