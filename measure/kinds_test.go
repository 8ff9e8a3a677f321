package measure

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"testing"

	"stampede/scenario"
)

// Calls of two kinds, 1 s and 3 s long, over one connection: the file of calls names the kind of each and says how
// long it waited for the connection, and the metrics of kinds count the same. Without kinds and a pool the file has
// neither column.
func TestKindsAndPoolInRecords(t *testing.T) {
	const text = `{workload: {burst: {calls: 20}, prompt_tokens: 1, mix: [
			{name: "short, quick", share: 40%, output_tokens: 10}, {name: long, output_tokens: 30}]},
		provider: {latency: {tokens_per_second: 10}}, policy: {max_connections: 1}, price: gpt-4o-mini}`
	for _, plain := range []bool{false, true} {
		options := scenario.Options{}
		if plain {
			options.Set = []string{"workload.mix=none", "workload.output_tokens=10", "policy=none"}
		}
		s, err := scenario.Read([]byte(text), "kinds", options)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		records := &CSV{Model: &s.Model, Calls: &file}
		records.WriteHeaders()
		if _, err := s.Model.Run(1, 0, records.Of(0)); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		kind, waited := slices.Index(rows[0], "kind"), slices.Index(rows[0], "pool_wait_s")
		if plain {
			if kind >= 0 || waited >= 0 {
				t.Errorf("columns %v without kinds and a pool", rows[0])
			}
			continue
		}
		latency, now, calls := slices.Index(rows[0], "latency_s"), 0, map[string]int{}
		for _, row := range rows[1:] { // in the order in which they end, one after the other
			calls[row[kind]]++
			if want := fmt.Sprint(now); row[waited] != want {
				t.Errorf("call %s waited %s s, want %s", row[2], row[waited], want)
			}
			if now += map[string]int{"short, quick": 1, "long": 3}[row[kind]]; row[latency] != fmt.Sprint(now) {
				t.Errorf("call %s of kind %s ended after %s s, want %d", row[2], row[kind], row[latency], now)
			}
		}
		tally := NewTally(s, 0)
		if _, err := s.Model.Run(1, 0, tally); err != nil {
			t.Fatal(err)
		}
		for k, name := range KindNames(s) {
			if got := tally.Values()[Index(KindMetric(k, "answered"))]; got != float64(calls[name]) || got == 0 {
				t.Errorf("%g calls of kind %s are answered, want %d", got, name, calls[name])
			}
		}
	}
}
