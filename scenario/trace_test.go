package scenario

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"stampede/fleet"
)

func TestTraceMistakesAreExplained(t *testing.T) {
	columns := Columns{Time: "T", PromptTokens: "P", OutputTokens: "O"}
	for text, want := range map[string]string{
		"":        "the file is empty",
		"T,P,O\n": "no calls",
		"T,P,O\n1,5,0\n": "no calls; want a row for each call under the header; 1 rows of f.csv " +
			"have no output tokens",
		"T,P\n0,1\n":                        `no column "O" for output_tokens; known: P, T`,
		"t,P,O\n0,1,1\n":                    `no column "T" for time; did you mean "t"?`,
		"root:x:0:0:root:/root:/bin/bash\n": `no column "T" for time; the first line is not a list of column names`,
		"t,s3cr\x1bet\n":                    `no column "T" for time; the first line is not a list of column names`,
		"T,P,O,P\n0,1,1,2\n":                `the column "P" for prompt_tokens stands twice`,
		"T,P,O\n0,1\n":                      "wrong number of fields",
		"T,P,O\nyesterday,1,1\n":            `f.csv:2:1: time: found "yesterday"; want a date and time`,
		"T,P,O\n5,x,1\n":                    `f.csv:2:3: prompt_tokens: found "x"; want a whole number`,
		"T,P,O\n5,1,-1\n":                   `output_tokens: found "-1"`,
		"T,P,O\n-5,1,1\n":                   `time: found "-5"; want a time from 0`,
		"T,P,O\n5000000000,1,1\n": `found "5000000000"; too large for seconds; say the unit with ` +
			`time_unit: ms, us or ns`,
		"T,P,O\n1,1,1\n9e18,1,1\n":                `found "9e18"; want less than`,
		"T,P,O\n5,1,1\n2023-11-16 18:17:03,1,1\n": "want a time written like that of the first row",
		"T,P,O\n5,1," + strings.Repeat("9", 99): `found "` + strings.Repeat("9", 40) +
			`..."; want a whole number`,
		"T,P,O\n5,1,\"" + strings.Repeat("9\n", 1<<20): "a row of more than 1048576 bytes; is a quote not " +
			"closed?",
	} {
		_, _, err := ReadTrace(strings.NewReader(text), "f.csv", Trace{Columns: columns})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %.300v, want in it %q", text, err, want)
		}
	}
	two := Number(2)
	trace, notes, err := ReadTrace(
		strings.NewReader("T,P,O\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8"),
		"f.csv", Trace{Columns: columns, Speed: &two})
	if err != nil || len(trace.At) != 2 || trace.At[1] != 26*time.Millisecond || trace.Prompt[1] != 3180 ||
		trace.Output[0] != 10 ||
		len(notes) > 0 {
		t.Errorf("CRLF, 7 digits, no last line end, twice as fast: %+v, %v, %v", trace, notes, err)
	}
}

// The unit of plain numbers is said, or stands in the column's name, or follows from the size of a
// time since 1970; else it is seconds, which a note says. All these are 1.5 s apart, but for the last.
func TestUnitsOfTraceTimes(t *testing.T) {
	for _, c := range []struct {
		column      string
		unit        TimeUnit
		first, next string
		want        time.Duration
		note        string
	}{
		{"T", "s", "0", "1.5", 1500 * time.Millisecond, ""},
		{"T", "ms", "0", "1500", 1500 * time.Millisecond, ""},
		{"T", "us", "7", "1500007", 1500 * time.Millisecond, ""},
		{"T", "ns", "0", "1500000000", 1500 * time.Millisecond, ""},
		{"arrived_s", "", "2.25", "3.75", 1500 * time.Millisecond, ""},
		{"start_MS", "", "2000", "3500", 1500 * time.Millisecond, ""},
		{"arrival_time_us", "", "0", "1500000", 1500 * time.Millisecond, ""},
		{"request_start_ns", "", "1700000000000000001", "1700000001500000001", 1500 * time.Millisecond, ""},
		{"start_ms", "s", "2", "3.5", 1500 * time.Millisecond, ""},
		{"T", "", "1700000000.25", "1700000001.75", 1500 * time.Millisecond,
			"taken as seconds: 2 calls over 2s, 1.333/s"},
		{"T", "", "1700000000000", "1700000001500", 1500 * time.Millisecond, "taken as milliseconds since 1970"},
		{"T", "", "1700000000000000", "1700000001500000", 1500 * time.Millisecond, "taken as microseconds since 1970"},
		// Of a float64 neither end would be kept: its neighbours are 256 ns apart.
		{"T", "", "1700000000000000001", "1700000001500000001", 1500 * time.Millisecond,
			"taken as nanoseconds since 1970"},
		// Mooncake's trace, whose milliseconds nothing tells from seconds.
		{"timestamp", "", "0", "3536999", 3_536_999 * time.Second, "taken as seconds: 2 calls over 982h29m59s"},
	} {
		text := c.column + "\n" + c.first + "\n" + c.next + "\n"
		trace, notes, err := ReadTrace(strings.NewReader(text), "f.csv",
			Trace{Columns: Columns{Time: c.column}, TimeUnit: c.unit})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if all := strings.Join(notes, "; "); trace.At[1] != c.want || (all == "") != (c.note == "") ||
			!strings.Contains(all, c.note) {
			t.Errorf("%q in %q: %v, %q; want %v, %q", text, c.unit, trace.At[1], all, c.want, c.note)
		}
	}
}

// Rows of failures are no answers, unless they are said to be.
func TestRowsWithoutOutput(t *testing.T) {
	const text = "T_s,P,O\n0,9,0\n1,100,5\n2,,\n3,100,0\n4,100,7\n"
	columns := Columns{Time: "T_s", PromptTokens: "P", OutputTokens: "O"}
	trace, notes, err := ReadTrace(strings.NewReader(text), "f.csv", Trace{Columns: columns})
	if err != nil || !slices.Equal(trace.Output, []int32{5, 7}) ||
		!slices.Equal(trace.At, []time.Duration{0, 3 * time.Second}) {
		t.Errorf("%+v, %v; want the two answers", trace, err)
	}
	if len(notes) != 1 ||
		!strings.Contains(notes[0],
			"3 rows of f.csv have no output tokens, as failed requests have, and are left out") {
		t.Errorf("notes %q", notes)
	}
	trace, notes, err = ReadTrace(strings.NewReader(strings.Replace(text, "2,,", "2,1,0", 1)), "f.csv",
		Trace{Columns: columns, NoOutput: "keep"})
	if err != nil || !slices.Equal(trace.Output, []int32{0, 5, 0, 0, 7}) || len(notes) != 1 ||
		!strings.Contains(notes[0], "3 rows of f.csv") {
		t.Errorf("kept: %+v, %q, %v", trace, notes, err)
	}
}

// A size is either recorded or drawn: the same calls draw alike from a file and from rows, and a
// law for what is recorded is refused.
func TestTraceAndLawsOfSizes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("bare.csv", "at_s\n0\n1\n2\n")
	write("sized.csv", "at_s,p,o\n0,5,6\n1,7,8\n2,9,10\n")
	const law = "{exponential: {mean: 1000}}"
	read := func(workload string) (*Scenario, error) {
		return Read([]byte("workload: {"+workload+"}\n"), "f", Options{Dir: dir})
	}
	sizes := func(workload string) (out []fleet.Size) {
		s, err := read(workload)
		if err != nil {
			t.Fatalf("%s: %v", workload, err)
		}
		if _, err := s.Model.Run(1, 0, sizeLog{&out}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(out, func(a, b fleet.Size) int { return int(a.Prompt - b.Prompt) })
		return out
	}
	both := ", prompt_tokens: " + law + ", output_tokens: " + law
	file, rows := sizes("trace: {file: bare.csv, columns: {time: at_s}}"+both), sizes(
		"trace: {rows: [{}, {at: 1s}, {at: 2s}]}"+both)
	if !slices.Equal(file, rows) || file[0].Prompt == 0 || file[0] == file[2] {
		t.Errorf("drawn for a file %+v, for rows %+v", file, rows)
	}
	got := sizes("trace: {rows: [{prompt_tokens: 5, output_tokens: 0}, {prompt_tokens: 7}]}, output_tokens: 9")
	if got[0].Prompt != 5 || got[0].Output != 0 || got[1].Output != 9 {
		t.Errorf("drawn where a row does not say: %+v", got)
	}
	for workload, want := range map[string]string{
		"trace: {file: sized.csv, columns: {time: at_s, prompt_tokens: p}}" +
			both: "workload.prompt_tokens: found exponential(mean 1000), but the trace records the prompt_tokens of " +
			"its " +
			"calls",
		"trace: {rows: [{prompt_tokens: 5, output_tokens: 6}]}, output_tokens: 7": "workload.output_tokens: found " +
			"7, but the trace records the output_tokens",
		"trace: {rows: [{prompt_tokens: 5}]}, output_tokens: 7, prompt_tokens: 8": "workload.prompt_tokens: found 8",
		"trace: {rows: [{at: 1s}]}, output_tokens: 7": "workload.prompt_tokens: found " +
			"nothing",
		"trace: {rows: [{at: 1s}], columns: {time: t}}" + both: "columns, format, time_unit",
		"trace: {file: bare.csv, columns: {time: at_s}, speed: 0}" + both: "workload.trace.speed: found 0; " +
			"want a number above 0",
	} {
		if _, err := read(workload); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want in it %q", workload, err, want)
		}
	}
	for speed, want := range map[string]time.Duration{"0.001": 2000 * time.Second, "1e-9": 2_000_000_000 * time.Second,
		"4": 500 * time.Millisecond} {
		for _, trace := range []string{"file: bare.csv, columns: {time: at_s}", "rows: [{}, {at: 1s}, {at: 2s}]"} {
			s, err := read("trace: {" + trace + ", speed: " + speed + "}" + both)
			if err != nil || s.Model.Workload.Arrivals.(*fleet.Trace).At[2] != want {
				t.Errorf("%s at %s: %v, want the last at %v", trace, speed, err, want)
			}
		}
	}
}

type sizeLog struct{ to *[]fleet.Size }

func (sizeLog) Attempt(*fleet.Attempt) {}
func (l sizeLog) Call(c *fleet.Call)   { *l.to = append(*l.to, c.Size) }

// What is no regular file is refused unopened: a pipe that nobody writes to would wait for ever.
func TestInputsAreRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{pipe: "is a device or a pipe; want a file",
		"/dev/zero": "is a device or a pipe; want a file", dir: "is a folder; want a file"} {
		for what, read := range map[string]func() error{
			"scenario": func() error { _, err := ReadTemplate(path, Options{}); return err },
			"files":    func() error { _, err := (&Files{}).Read(path); return err },
			"trace": func() error {
				_, err := Read([]byte("workload: {trace: {file: "+path+"}, prompt_tokens: 1, output_tokens: 1}"), "f",
					Options{})
				return err
			},
			"price": func() error {
				_, err := Read([]byte(base), "f", Options{Set: []string{"price={model: x, file: " + path + "}"}})
				return err
			},
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %v, want in it %q", what, path, err, want)
			}
		}
	}
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, bytes.Repeat([]byte("# x\n"), maxScenario/4+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTemplate(large, Options{}); err == nil ||
		!strings.Contains(err.Error(), "has 4194308 bytes; want at most 4194304") {
		t.Errorf("a large scenario: %v", err)
	}
	log := filepath.Join(dir, "log.csv")
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(log, maxInput+1); err != nil { // a file of nothing, which takes no place
		t.Fatal(err)
	}
	if _, err := (&Files{}).Read(log); err == nil ||
		!strings.Contains(err.Error(), "want at most 268435456; a trace may be compressed with gzip") {
		t.Errorf("a large log: %v", err)
	}
}

// What a file records of each call reaches the simulation: max_tokens and cached tokens as they are,
// reasoning as a part of the output. What the workload says holds where no column is named.
func TestTraceSizesReachTheSimulation(t *testing.T) {
	dir := t.TempDir()
	const rows = "created_at,prompt_tokens,completion_tokens,max_tokens,cached_tokens,reasoning_tokens\n" +
		"2026-06-01 12:00:01,200,50,400,150,20\n2026-06-01 12:00:00,100,10,,,\n"
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	for workload, want := range map[string][2]fleet.Size{
		"trace: {file: f.csv}": {{Prompt: 100, Output: 10}, {Prompt: 200, Cached: 150, Output: 50, Reasoning: 20,
			MaxTokens: 400}},
		"trace: {file: f.csv}, max_tokens: 40, cached_share: 10%, reasoning_tokens: 5": {
			{Prompt: 100, Cached: 10, Output: 15, Reasoning: 5, MaxTokens: 40},
			{Prompt: 200, Cached: 20, Output: 40, Reasoning: 5, MaxTokens: 40}},
		// Nothing but what is named, as where time and sizes are named no other column is looked for.
		"trace: {file: f.csv, columns: {time: created_at, prompt_tokens: prompt_tokens, output_tokens: " +
			"completion_tokens}}": {{Prompt: 100, Output: 10}, {Prompt: 200, Output: 50}},
		"trace: {file: f.csv}, prompt_tokens: 7, output_tokens: 8": {
			{Prompt: 7, Output: 8}, {Prompt: 7, Cached: 7, Output: 8, Reasoning: 8, MaxTokens: 400}},
	} {
		s, err := Read([]byte("workload: {"+workload+"}\n"), "f", Options{Dir: dir})
		if err != nil {
			t.Errorf("%s: %v", workload, err)
			continue
		}
		sizes := s.Model.Workload.Sizes
		for k, want := range want {
			if got := sizes.Size(uint64(k), fleet.Luck{}); got != want {
				t.Errorf("%s: call %d is %+v, want %+v", workload, k, got, want)
			}
		}
	}
	for _, c := range []struct{ workload, want string }{
		{
			"trace: {file: f.csv, columns: {max_tokens: max_tokens}}, max_tokens: 5",
			`workload.max_tokens: found it, but the column "max_tokens" records it for each call`,
		},
		{
			"trace: {file: f.csv, columns: {cached: cached_tokens}}, cached_share: 5%",
			"workload.cached_share: found it",
		},
		{
			"trace: {file: f.csv, format: mooncake, columns: {time: created_at}}",
			"workload.prompt_tokens: found nothing, and in the file no column that the format mooncake has for it",
		},
		{
			"trace: {file: f.csv, format: azur}",
			`workload.trace.format: found "azur"; did you mean "azure"?`,
		},
		{
			"trace: {file: f.csv, from: noon}",
			`workload.trace.from: found "noon"; want a date and time such as`,
		},
		{
			"trace: {file: f.csv, time_zone: Berlin}",
			`workload.trace.time_zone: found "Berlin"; want a time zone such as`,
		},
		{
			"trace: {file: f.csv, where: success}",
			"workload.trace.where: found a value; want a mapping of columns to values",
		},
		{
			"trace: {file: f.csv, where: {a: {b: 1}}}",
			"workload.trace.where.a: found a mapping; want a value or a list of values",
		},
		{
			"trace: {file: f.csv, where: {status: []}}",
			"workload.trace.where.status: found an empty list; want a value or a list of values",
		},
		{"trace: {file: f.csv, repeat: 20M}", "f.csv: 2 calls, repeated 20000000 times, are more than 20000000"},
		{"trace: {file: f.csv, calls: 1, repeat: 2}", "f.csv: all calls come at one time"},
		{"trace: {rows: [{at: 0}], bad_rows: skip}, prompt_tokens: 1, output_tokens: 1", "are for a file"},
	} {
		_, err := Read([]byte("workload: {"+c.workload+"}\n"), "f", Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want in it %q", c.workload, err, c.want)
		}
	}
}

// Calls at 0, 1 and 5 s repeat after their mean gap of 2.5 s, that is every 7.5 s; between from and to, 2 s
// apart, those at 0 and 1 s repeat every 2 s. At double speed all of it takes half the time.
func TestTracesRepeat(t *testing.T) {
	seconds := func(at ...float64) (out []time.Duration) {
		for _, s := range at {
			out = append(out, time.Duration(s*1e9))
		}
		return out
	}
	const text = "at_s,prompt_tokens,output_tokens\n10,1,1\n11,2,1\n15,3,1\n"
	two := Number(2)
	for _, c := range []struct {
		name   string
		trace  Trace
		want   []time.Duration
		prompt []int32
	}{
		{
			"three times", Trace{Repeat: 3},
			seconds(0, 1, 5, 7.5, 8.5, 12.5, 15, 16, 20), []int32{1, 2, 3, 1, 2, 3, 1, 2, 3},
		},
		{
			"after a second", Trace{Repeat: 2, From: "1s"},
			seconds(0, 4, 8, 12), []int32{2, 3, 2, 3},
		},
		{"once", Trace{Repeat: 1}, seconds(0, 1, 5), []int32{1, 2, 3}},
		{
			"of a window", Trace{Repeat: 2, From: "0s", To: "2s"},
			seconds(0, 1, 2, 3), []int32{1, 2, 1, 2},
		},
		{
			"at double speed", Trace{Repeat: 2, From: "0s", To: "2s", Speed: &two},
			seconds(0, .5, 1, 1.5), []int32{1, 2, 1, 2},
		},
	} {
		c.trace.Columns = Columns{Time: "at_s"}
		got, _, err := ReadTrace(strings.NewReader(text), "f", c.trace)
		if err != nil || !slices.Equal(got.At, c.want) || !slices.Equal(got.Prompt, c.prompt) {
			t.Errorf("%s: %+v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

// A limit that charges max_tokens takes those that a file records, when it records them of every call.
func TestRecordedMaxTokensAreDeclared(t *testing.T) {
	dir := t.TempDir()
	for name, last := range map[string]string{"all.csv": "9", "some.csv": ""} {
		text := "at_s,prompt_tokens,output_tokens,max_tokens\n0,1,2,40\n1,1,2," + last + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Read([]byte("workload: {trace: {file: "+name+", columns: {time: at_s}}}\nprovider: {limits: "+
			"[{resource: tokens, limit: 1000/min, charge: prompt + max_tokens}]}\n"), "f", Options{Dir: dir})
		if last == "" {
			if err == nil || !strings.Contains(err.Error(), "charges max_tokens, but workload.max_tokens is not set") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		// (1 + 40 + 1 + 9)/2 = 25.5 are charged on average; the mean request has 1 + 25 (24.5 rounded up).
		if got := meanCharge(&s.Model.Provider.Limits[0], s.Model.Workload.Sizes); got != 26 {
			t.Errorf("a mean charge of %v, want 26", got)
		}
		if trace := s.Summary().Trace; !strings.HasPrefix(trace, "CSV; time from at_s (seconds)") {
			t.Errorf("check --json says %q", trace)
		}
	}
}

// Rows of failures with sizes that are drawn: the prompt only where none is recorded.
func TestFailuresWithDrawnSizes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte("at_s,p,o\n0,5,6\n1,7,0\n2,,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const columns = "workload: {trace: {file: f.csv, columns: {time: at_s, prompt_tokens: p, output_tokens: o}, "
	s, err := Read([]byte(columns+"no_output: draw}, prompt_tokens: 100, output_tokens: 200}"), "f", Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []fleet.Size{{Prompt: 5, Output: 6}, {Prompt: 7, Output: 200}, {Prompt: 100, Output: 200}} {
		if got := s.Model.Workload.Sizes.Size(uint64(k), fleet.Luck{}); got != want {
			t.Errorf("call %d is %+v, want %+v", k, got, want)
		}
	}
	_, err = Read([]byte(columns+"no_output: draw}, prompt_tokens: 100}"), "f", Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "workload.output_tokens: found nothing") {
		t.Errorf("without a law: %v", err)
	}
}

// Of logs whose rows are attempts, whose failures have another time, and of times in whole seconds, a
// note says so. The ten calls of BurstGPT's sample come at 0, 0, 0, 0, 0, 1, 3, 6, 13 and 13 s.
func TestNotesOnShapes(t *testing.T) {
	for file, want := range map[string]string{
		"litellm_spend.csv": "rows of litellm_spend.csv that failed have the time of the failure",
		"helicone.jsonl":    "a row of helicone.jsonl is an attempt, not a call",
		"burstgpt.csv": "the times of burstgpt.csv are whole seconds: 5 of 10 calls arrive at the time of the one " +
			"before",
	} {
		f, err := os.Open(filepath.Join("..", "internal", "trace", "testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		_, notes, err := ReadTrace(f, file, Trace{NoOutput: "draw"})
		f.Close()
		found := slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, want) })
		if err != nil || !found {
			t.Errorf("%s: %q, %v; want %q", file, notes, err, want)
		}
	}
}

// All that can be said of a file is written to the manifest and reads back.
func TestTraceReadsBack(t *testing.T) {
	dir := t.TempDir()
	const rows = "when,prompt_tokens,output_tokens,status,model\n2026-06-01 12:00:00,1,2,ok,a\n" +
		"2026-06-01 12:00:09,3,4,200,b\n2026-06-01 12:00:19,5,6,500,b\n2026-06-01 12:01:19,5,6,ok,b\n"
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Read([]byte("workload: {trace: {file: f.csv, columns: {time: when}, where: {status: success, "+
		"model: [a, b]}, time_zone: Europe/Berlin, from: 2026-06-01T10:00:00Z, to: 1m, repeat: 3, bad_rows: skip, "+
		"speed: 2}}"), "f",
		Options{Dir: dir, Set: []string{"workload.trace.where.model=b", "workload.trace.where.key=x",
			"workload.trace.where.key=null"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(text, "resolved", Options{Dir: dir})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	trace := s.Model.Workload.Arrivals.(*fleet.Trace)
	if !reflect.DeepEqual(s.Model, again.Model) || !slices.Equal(trace.Prompt, []int32{3, 3, 3}) {
		t.Errorf("%+v, then %+v from %s", trace, again.Model.Workload.Arrivals, text)
	}
}

// Fleets that replay the calls of one key each keep the order of the file when time 0 is the same date:
// calls of a at 1 and 4 s, of b at 2 and 3 s.
func TestTracesOfOneFileShareTheirStart(t *testing.T) {
	const text = "when,prompt_tokens,output_tokens,key\n2026-06-01 12:00:01,1,1,a\n2026-06-01 12:00:02,1,1,b\n" +
		"2026-06-01 12:00:03,1,1,b\n2026-06-01 12:00:04,1,1,a\n"
	for key, want := range map[string][]time.Duration{
		"a": {time.Second, 4 * time.Second},
		"b": {2 * time.Second, 3 * time.Second},
	} {
		got, _, err := ReadTrace(strings.NewReader(text), "f", Trace{Columns: Columns{Time: "when"},
			Where: Where{{Column: "key", Values: []string{key}}}, From: "2026-06-01T12:00:00Z"})
		if err != nil || !slices.Equal(got.At, want) {
			t.Errorf("key %s: %+v, %v; want %v", key, got, err, want)
		}
	}
}

// What was guessed, sorted, skipped or is not used is told, and check says what was read.
func TestTraceNotes(t *testing.T) {
	const text = "time;prompt_tokens;output_tokens;status;model\n2026-06-01 12:00:02;1;1;200;a\n" +
		"2026-06-01 12:00:00;2;2;500;b\nnoon;3;3;200;a\n2026-06-01 12:00:01;4;0;429;\n"
	calls, notes, err := ReadTrace(strings.NewReader(text), "f.csv", Trace{BadRows: "skip",
		From: "2026-06-01 11:00:00", Columns: Columns{Model: "model"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 rows of f.csv have no output tokens, as failed requests have, and are left out",
		"1 rows of f.csv have output tokens but no success in the column status, and are replayed",
		"the rows of f.csv are not in the order of their times (1 are earlier than the one before); they were sorted",
		`1 of 4 rows of f.csv cannot be read and are left out; the first: f.csv:4:1: time: found "noon"`,
		"times of f.csv without a zone are taken as UTC; set workload.trace.time_zone",
		"workload.trace.columns.model is read, but the simulation does not use it: all calls of a fleet have one " +
			"model, key and priority; workload.trace.where selects the calls of one (2 values: a, b)",
	} {
		if !slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
			t.Errorf("no note %q in %q", want, notes)
		}
	}
	if len(notes) != 6 {
		t.Errorf("%d notes %q", len(notes), notes)
	}
	const read = "CSV with semicolons; time from time (dates without a zone), prompt_tokens from prompt_tokens, " +
		"output_tokens from output_tokens, model from model, status from status; 4 rows, skipped 1 without output " +
		"tokens, 1 that cannot be read; from 2026-06-01 12:00:00 to 2026-06-01 12:00:02"
	if calls.Read != read {
		t.Errorf("read %q, want %q", calls.Read, read)
	}
}
