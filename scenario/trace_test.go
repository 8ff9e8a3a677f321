package scenario

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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
		"T,P,O\n5,1,1\n4,1,1\n":             `f.csv:3:1: time: found "4", earlier than the row before`,
		"T,P,O\n5,x,1\n":                    `f.csv:2:3: prompt_tokens: found "x"; want a whole number`,
		"T,P,O\n5,1,-1\n":                   `output_tokens: found "-1"`,
		"T,P,O\n-5,1,1\n":                   `time: found "-5"; want a time from 0`,
		"T,P,O\n5000000000,1,1\n": `found "5000000000"; too large for seconds; say the unit with ` +
			`time_unit: ms, us or ns`,
		"T,P,O\n1,1,1\n9e18,1,1\n":                `found "9e18"; want less than`,
		"T,P,O\n5,1,1\n2023-11-16 18:17:03,1,1\n": "want a time written like that of the first row",
		"T,P,O\n5,1," + strings.Repeat("9", 99): `found "` + strings.Repeat("9", 40) +
			`..."; want a whole number`,
		"T,P,O\n5,1,\"" + strings.Repeat("9\n", maxRowBytes): "a row of more than 1048576 bytes; is a quote not " +
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
		"trace: {rows: [{at: 1s}], columns: {time: t}}" + both: "columns, time_unit and " +
			"no_output are for a file",
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
}
