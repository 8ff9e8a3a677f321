package scenario

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"stampede/fleet"
	"stampede/sim"
)

// within fails when a reader takes more than its bounds: a gigabyte allocated in all, and a time that
// no input below the limits on size comes near to.
func within(t *testing.T, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	read()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 1024 || took > time.Minute {
		t.Fatalf("allocated %d MB in %v", mb, took)
	}
}

// fieldPaths lists the paths of all fields of a type, of lists that of their first item.
func fieldPaths(t reflect.Type, path string, depth int) (out []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case depth == 0:
	case t.Kind() == reflect.Slice:
		return append(fieldPaths(t.Elem(), path+".0", depth-1), path)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != "" {
				out = append(out, fieldPaths(t.Field(i).Type, path+"."+name, depth-1)...)
			}
		}
	}
	return append(out, path)
}

// hostile are values at the edges of what fields can hold, and beyond.
var hostile = []string{
	"none", "unlimited", "null", "auto", "true", "{}", "[]", "[1, 1]", "{a: 1}", "x", "0", "1", "2", "3", "-1", "0.5",
	"1e-9", "1e9", "1e18", "1e300", "64k",
	"0%", "5%", "100%", "1ns", "1ms", "1s", "30s", "1h", "50000h", "2000000h", "0/s", "1/s", "500/min", "9e9/s",
	"1/2000000h", "$1/s", "1000000/1ns",
	"{exponential: {mean: 1s}}", "{exponential: {mean: 2000000h}}", "{exponential: {mean: 9}}",
	"{uniform: {min: 0, max: 9}}", "{gamma: {mean: 9, cv: 50}}",
	"{lognormal: {p50: 1ms, p95: 2000000h}}", "{lognormal: {p50: 1, p95: 1e12}}", "{weibull: {mean: 5, cv: 50}}",
	"{empirical: [0, 1e9]}",
	"429", "503", "5xx", "hang", "openai", "anthropic", "to_zero", "into_debt", "stops", "fixed_window",
	"sliding_window", "ramp", "leaky_bucket",
	"concurrency", "tokens", "output_tokens", "dollars", "refused", "unreachable", "wait", "fall_back", "full",
	"decorrelated", "smooth", "lifo", "all",
	"gpt-4o-mini", "claude-sonnet-4-5", "openai-build", "vllm-one-gpu", "no-retry", "own-the-loop", "openai-python",
	"[{status: 503}]", "[{status: 400, x_should_retry: true}]",
	"[{hang: true}]", "[{lose_reply: true}]", "[{cut_at: 50%}]",
	"[{connection: tls}]", "[{connection: {kind: dns, after: {exponential: {mean: 9s}}}}]",
	"[{lose_reply: silent}]", "[{stall_at: 50%}]",
	"[{first: 2, status: 429}]", "[{first: 3, of: run, status: 200, code: overloaded}]",
	"[{limit: {resource: requests, limit: 1/h}, at: 1s, for: 1s}]",
	"[{status: 429, gap: 1ms, length: 1ms}]", "[{resource: concurrency, limit: 1}]",
	"[{resource: output_tokens, limit: 1/h, kind: fixed_window}]",
	"[{resource: dollars, balance: $1}]", "[{resource: tokens_in_flight, limit: 500}]", "attempts", "answered",
	"[{resource: enqueued_tokens, limit: 1}]", "[{resource: tokens, limit: 1k/s, counts: answered}]",
	"[{resource: requests, limit: 1/s, counts: attempts, tiers: [{spent: $0.001, limit: 3/s}]}]",
	"{per_hour: 98}", "{input: 1, output: 2, long_prompts: [{above: 10, output: 9}]}",
	"[{status: 503, for: 1s, slow_start: {for: 2000000h, slow: 1000}, counts: true}]",
	"{first_token_per_1k_prompt: 2000000h}", "00:00-08:00",
}

// Whatever the text, the settings over it and the axis, reading ends with one error, or with a
// scenario that explains itself and runs until it is done, its budget
// is spent or time ends.
func FuzzRead(f *testing.F) {
	f.Add(base, "", "", []byte{})
	f.Add(base, "policy.gate.semaphore=8\nprovider.limits.0.limit=300/min\nfleet={workers: 3}",
		"policy.retry.attempts=1..8", []byte{})
	f.Add(base, "policy.retry.backoff={exponential: {base: 1s, jitter: full}}",
		"provider.limits.0.limit=100/min..900/min log 3", []byte{})
	f.Add(
		"horizon: 9s\nworkload: {open: {rate: 1/s, gaps: {gamma: {cv: 2}}, profile: [{at: 1s, rate: 2/s, over: "+
			"1s}]}, prompt_tokens: 1, output_tokens: {mixture: [{weight: 1, law: 2}]}}",
		"",
		"workload.open.rate=1/s,2/s",
		[]byte{},
	)
	f.Add(
		"workload: {trace: {rows: [{at: 1s}, {at: 2000000h, prompt_tokens: 9}], speed: 0.1}, prompt_tokens: 1, "+
			"output_tokens: 1, patience: {exponential: {mean: 1000000h}}}",
		"seed=3",
		"",
		[]byte{},
	)
	f.Add(
		base,
		"provider.faults=[{status: 503, retry_after_header: 1e10}]\npolicy={retry: {attempts: none, retry_after: "+
			"{obey: in_full, plus: 2000000h}}}",
		"policy.hedge.after=2000000h,none",
		[]byte{},
	)
	f.Add(base, "provider.gateway={latency: 2000000h, retries: 9, wait: 2000000h}\nprovider.round_trip=2000000h",
		"provider.faults=[{status: 500, gap: 1ms, length: 1ms, after: 2000000h}],[]", []byte{})
	f.Add(base+"x: &a [1]\ny: [*a, *a, !!str abc]", "name=\x1b[31mred\x1b[0m\nfleet.key=\"a\\nb\"",
		"fleet.key=\"a\\nb\",c", []byte{})
	f.Add(strings.Repeat("[", 200), "a="+strings.Repeat("{a: ", 200), "a="+strings.Repeat("- ", 200), []byte{})
	for _, name := range EmbeddedNames() {
		text, _ := Embedded(name)
		f.Add(string(text), "", "", []byte{})
	}
	paths := fieldPaths(reflect.TypeFor[File](), "", 9)
	luck := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var picks []byte
		for range 10 {
			picks = binary.LittleEndian.AppendUint64(picks, luck.Uint64())
		}
		f.Add(everything, "", "", picks)
	}
	f.Fuzz(func(t *testing.T, text, set, vary string, picks []byte) {
		within(t, func() {
			var settings []string
			if set != "" {
				settings = strings.Split(set, "\n")
			}
			read := func() (*Template, error) {
				return NewTemplate([]byte(text), "f", Options{Dir: "/nowhere", Set: settings})
			}
			tpl, err := read()
			if err != nil {
				_ = err.Error()
				return
			}
			for ; len(picks) >= 3 && len(settings) < 20; picks = picks[3:] { // those that check are kept
				path := paths[int(binary.LittleEndian.Uint16(picks))%len(paths)]
				settings = append(settings, strings.TrimPrefix(path, ".")+"="+hostile[int(picks[2])%len(hostile)])
				if other, err := read(); err == nil {
					tpl = other
				} else {
					settings = settings[:len(settings)-1]
				}
			}
			explainAndRun(t, tpl.Base)
			axis, err := ParseAxis(vary)
			if err != nil {
				return
			}
			tpl.Sweep.Add(axis)
			if tpl.Sweep.Check() != nil || tpl.CheckPath(axis) != nil {
				return
			}
			tpl.Sweep.Warnings()
			for i := range min(3, tpl.Sweep.Size()) {
				if s, err := tpl.With(tpl.Sweep.Axes, tpl.Sweep.Point(i, 1)); err == nil {
					explainAndRun(t, s)
				}
			}
		})
	})
}

func explainAndRun(t *testing.T, s *Scenario) {
	s.Explain(io.Discard)
	if _, err := s.Resolved(); err != nil {
		t.Fatal(err)
	}
	for _, g := range s.Model.Fleets() {
		if g.Instances > 100 || g.Workers > 100 {
			return
		}
	}
	s.Model.Budget = 2000
	var spent *sim.BudgetError
	var end *sim.EndError
	if _, err := s.Model.Run(s.Seed, 0, fleet.Listeners{}); err != nil && !errors.As(err, &spent) &&
		!errors.As(err, &end) {
		t.Fatal(err)
	}
}

// Whatever the text, a trace is read or refused, and its times do not fall.
func FuzzReadTrace(f *testing.F) {
	f.Add("T,P,O\n0,1,1\n1.5,2,3\n", "", 1.0)
	f.Add("T,P,O\r\n2023-11-16 18:17:03.9799600,4808,10", "", 1.0)
	f.Add("T,P,O\n1700000000000000001,1,1\n1700000001500000001,0,0\n", "", 0.1)
	f.Add("T,P,O\n3000000000,1,1\n3e9,1,1\n", "s", 1e-9)
	f.Add("T,P,O,P\n0,1,\"1\n", "ms", 1.0)
	f.Add("root:x:0:0:root:/root:/bin/bash\n", "us", 1.0)
	f.Fuzz(func(t *testing.T, text, unit string, speed float64) {
		if _, ok := unitOf[TimeUnit(unit)]; !ok {
			unit = ""
		}
		if !(speed > 0) {
			speed = 1
		}
		faster := Number(speed)
		within(t, func() {
			trace, _, err := ReadTrace(strings.NewReader(text), "f", Trace{
				Columns: Columns{
					Time:         "T",
					PromptTokens: "P",
					OutputTokens: "O",
				}, TimeUnit: TimeUnit(unit), Speed: &faster})
			if err != nil {
				return
			}
			for i, at := range trace.At {
				if at < 0 || at > sim.End || i > 0 && at < trace.At[i-1] || trace.Prompt[i] < 0 ||
					trace.Output[i] <= 0 {
					t.Fatalf("row %d: at %v, %d and %d tokens", i, at, trace.Prompt[i], trace.Output[i])
				}
			}
		})
	})
}
