package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// in16 is a text in UTF-16 with its mark.
func in16(text string, order binary.ByteOrder) string {
	var b bytes.Buffer
	_ = binary.Write(&b, order, utf16.Encode([]rune("\ufeff"+text)))
	return b.String()
}

const commas = "at_ms,prompt_tokens,completion_tokens\n0,5,7\n1500,6,8\n"

// The same two calls, 1.5 s apart, in every layout.
func TestLayouts(t *testing.T) {
	with := func(separator string) string { return strings.ReplaceAll(commas, ",", separator) }
	const one, two = `{"at_ms": 0, "usage": {"prompt_tokens": 5, "completion_tokens": 7, "tags": [1, {"a": 2}]}}`,
		`{"usage": {"completion_tokens": 8.0, "prompt_tokens": 6}, "at_ms": 1500, "more": null}`
	for layout, text := range map[string]string{
		"CSV":                 commas,
		"CSV gzip":            zipped(commas),
		"CSV UTF-16":          in16(commas, binary.LittleEndian),
		"CSV gzip UTF-16":     zipped(in16(commas, binary.BigEndian)),
		"TSV":                 "\ufeff" + with("\t"),
		"CSV with semicolons": strings.ReplaceAll(with(";"), "\n", "\r\n"),
		"a table with bars":   with("|"),
		"JSON lines":          one + "\n\n" + two + "\n",
		"JSON":                "[" + one + ",\n" + two + "]",
		"JSON gzip":           zipped(`{"meta": [{"a": 1}], "data": {"rows": [` + one + "," + two + "]}}"),
	} {
		got, err := Read([]byte(text), "f", Options{Columns: [Fields]string{Time: "at_ms"}})
		if err != nil {
			t.Errorf("%s: %v", layout, err)
			continue
		}
		if got.Read.Layout != layout || !slices.Equal(got.At, []time.Duration{0, 1500 * time.Millisecond}) ||
			!slices.Equal(got.Values[Prompt], []int32{5, 6}) || !slices.Equal(got.Values[Output], []int32{7, 8}) {
			t.Errorf("%s: %+v", layout, got)
		}
	}
}

// Instants in the ways that logs write them are 2026-06-01 12:00:00.25 UTC, all in one file.
func TestDates(t *testing.T) {
	want := time.Duration(time.Date(2026, 6, 1, 12, 0, 0, 250_000_000, time.UTC).UnixNano())
	var text strings.Builder
	dates := []string{"2026-06-01 12:00:00.25", "2026-06-01T12:00:00.250000", "2026-06-01T12:00:00.25Z",
		"2026-06-01 14:00:00.25+02", "2026-06-01 14:00:00.25+02:00", "2026-06-01T14:00:00.25+0200",
		"2026-06-01 12:00:00.25 UTC", "2026-06-01 12:00:00.25 +0000 UTC", "2026-06-01 12:00:00,250",
		`6/1/2026, 12:00:00.250 PM`, "01/Jun/2026:12:00:00.25 +0000", "2026/06/01 12:00:00.25"}
	text.WriteString("time\tn\n")
	for _, date := range dates {
		text.WriteString(date + "\t1\n")
	}
	got, err := Read([]byte(text.String()), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range got.At {
		if at != want {
			t.Errorf("%s is %v, want %v", dates[i], time.Unix(0, int64(at)).UTC(), time.Unix(0, int64(want)).UTC())
		}
	}
	if !got.Read.Naive || !got.Read.Zoned || got.Read.Unit != "dates" {
		t.Errorf("%+v", got.Read)
	}
}

// On 2026-10-25 Berlin leaves summer time: 02:30 by the clock comes an hour after 01:30, and 03:30 two
// hours after 02:30. The zone is of times without one.
func TestZones(t *testing.T) {
	const text = "time;n\n2026-10-25 01:30:00;1\n2026-10-25 03:30:00;1\n2026-10-25T00:00:00Z;1\n"
	berlin, err := Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	east, err := Zone("+02:00")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		zone *time.Location
		want [3]time.Duration // since the first
	}{
		// 00:00 UTC is 02:00 in Berlin; 01:30 and 03:30 there are 23:30 and 02:30 UTC.
		{berlin, [3]time.Duration{0, 30 * time.Minute, 3 * time.Hour}},
		{east, [3]time.Duration{0, 30 * time.Minute, 2 * time.Hour}},
		{nil, [3]time.Duration{0, 90 * time.Minute, 210 * time.Minute}},
	} {
		got, err := Read([]byte(text), "f", Options{Zone: c.zone})
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range got.At {
			if at-got.At[0] != c.want[i] {
				t.Errorf("in %v: %v, want %v", c.zone, at-got.At[0], c.want[i])
			}
		}
	}
	for _, bad := range []string{"", "Local", "Berlin", "2", "+2"} {
		if _, err := Zone(bad); err == nil {
			t.Errorf("the zone %q is taken", bad)
		}
	}
}

const mixed = "start_s,prompt_tokens,output_tokens,model,status,priority\n" +
	"30,3,30,b,success,2\n10,1,10,a,ok,-1\n20,2,20,a,503,0\n40,4,40,c,200,1\n10,5,50,b,,7\n"

// Rows are sorted by time, those of one time in the order of the file, and selected.
func TestSortedAndSelected(t *testing.T) {
	where := func(column string, values ...string) []Condition { return []Condition{{column, values}} }
	date := time.Unix(20, 0).UTC()
	for _, c := range []struct {
		name string
		o    Options
		want []int32 // prompts
	}{
		{"all", Options{}, []int32{1, 5, 2, 3, 4}},
		{"two", Options{Calls: 2}, []int32{1, 5}},
		{"success", Options{Where: where("status", "success")}, []int32{1, 5, 3, 4}},
		{"failure", Options{Where: where("status", "failure")}, []int32{2}},
		{"a status", Options{Where: where("status", "503", "200")}, []int32{2, 4}},
		{"models", Options{Where: where("model", "a", "c")}, []int32{1, 2, 4}},
		{"a column", Options{Where: where("priority", "7")}, []int32{5}},
		{"from a span", Options{From: Moment{Set: true, Since: 10 * time.Second}}, []int32{2, 3, 4}},
		{"before a span", Options{To: Moment{Set: true, Since: 20 * time.Second}}, []int32{1, 5, 2}},
		{"from an instant", Options{From: Moment{Set: true, At: date, Zoned: true}}, []int32{2, 3, 4}},
		{"one from an instant", Options{From: Moment{Set: true, At: date, Zoned: true}, Calls: 1}, []int32{2}},
		{
			"both of two",
			Options{Where: append(where("model", "b"), where("status", "success")...)}, []int32{5, 3},
		},
		{
			"a date without zone",
			Options{From: Moment{Set: true, At: date}, Zone: time.FixedZone("", 10)}, []int32{1, 5, 2, 3, 4},
		},
		{
			"a zone for that date",
			Options{To: Moment{Set: true, At: date}, Zone: time.FixedZone("", -10)}, []int32{1, 5, 2},
		},
	} {
		got, err := Read([]byte(mixed), "f", c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(got.Values[Prompt], c.want) || !slices.IsSorted(got.At) {
			t.Errorf("%s: prompts %v at %v, want %v", c.name, got.Values[Prompt], got.At, c.want)
		}
	}
	named := [Fields]string{Model: "model", Priority: "priority", Status: "status"}
	got, err := Read([]byte(mixed), "f", Options{Columns: named})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Values[Model], []int32{1, 0, 1, 0, 2}) ||
		!slices.Equal(got.Names[Model], []string{"b", "a", "c"}) ||
		!slices.Equal(got.Values[Priority], []int32{-1, 7, 0, 2, 1}) || got.Read.Failed != 1 || got.Read.Unsorted != 2 {
		t.Errorf("%+v", got)
	}
}

// Where not all rows are wanted, those after them are looked at only to see whether they are sorted.
func TestFirstCalls(t *testing.T) {
	var sorted, reversed strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&sorted, "%d,%d,1\n", i, i)
		fmt.Fprintf(&reversed, "%d,%d,1\n", 999-i, 999-i)
	}
	const header = "time_s,prompt_tokens,output_tokens\n"
	for text, rows := range map[string]int{sorted.String() + "x,y,z\n": 3, "0,0,1\n1,1,1\n2,2,1\nx,y,z\n": 3,
		reversed.String(): 1000} {
		got, err := Read([]byte(header+text), "f", Options{Calls: 3})
		if err != nil || !slices.Equal(got.Values[Prompt], []int32{0, 1, 2}) || got.Read.Rows != rows {
			t.Errorf("%.20q: %v, %v", text, got, err)
		}
	}
}

// Bad rows end the reading, with their place, or are left out and counted.
func TestBadRows(t *testing.T) {
	const header = "time_s,prompt_tokens,output_tokens\n"
	line := func(at, prompt, output string) string {
		return fmt.Sprintf(`{"time_s": %s, "prompt_tokens": %s, "output_tokens": %s}`+"\n", at, prompt, output)
	}
	good := line("1", "2", "3")
	for _, c := range []struct{ text, want string }{
		{header + "1,2,3\n2,x,4\n3,4,5\n", `f:3:3: prompt_tokens: found "x"; want a whole number from 0`},
		{header + "1,2,3\n2,4\n3,4,5\n", `f: record on line 3: wrong number of fields`},
		{header + "1,2,3\n2,1,4.5\n3,4,5\n", `f:3:5: output_tokens: found "4.5"; want a whole number from 0`},
		{header + "1,2,3\n2,,4\n3,4,5\n", `f:3:3: prompt_tokens: found ""; want a whole number from 0`},
		{header + "1,2,3\n,2,4\n3,4,5\n", `f:3:1: time: found ""; want a time written like`},
		{
			good + line("2", `"many"`, "4") + good,
			`f:2:32: prompt_tokens: found "many"; want a whole number from 0`,
		},
		{
			good + line("2", "oops", "4") + good,
			`f: line 2: no valid JSON: invalid character 'o' at start of value`,
		},
		{
			good + good + `{"time_s": 3, "prom`,
			`f: line 3: no valid JSON: unexpected EOF`,
		},
		{
			"[" + good + "," + good + `{"time_s": 3, "`,
			`f: line 3, column 1: no valid JSON: invalid character '{' after array`,
		},
		{
			"[" + good + "," + line("-4", "1", "1") + "," + good + "]",
			`f:2:13: time: found "-4"; want a time from 0`,
		},
	} {
		if _, err := Read([]byte(c.text), "f", Options{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
		got, err := Read([]byte(c.text), "f", Options{SkipBad: true})
		if err != nil || got.Len() != 2 || got.Read.Bad != 1 ||
			!strings.HasPrefix(got.Read.FirstBad.Error(), c.want) {
			t.Errorf("%q: %+v, %v; want two calls and a bad row", c.text, got, err)
		}
	}
	// Nothing, a dash and null are no number of tokens where there need not be one; 8.0 is 8.
	got, err := Read([]byte("time_s\tprompt_tokens\toutput_tokens\tmax_tokens\n"+
		"1\t5.0\t8.0\tnull\n2\t\t\t\n3\t1\t-\tNone\n4\t1\t1\t0\n5\t1\t1\t9\n"), "f", Options{})
	if err != nil || got.Read.NoOutput != 2 || !slices.Equal(got.Values[Output], []int32{8, 1, 1}) ||
		!slices.Equal(got.Values[MaxTokens], []int32{-1, -1, 9}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Mistakes say what was found, what is known and what is near.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{
			"when,b\n1,2\n",
			Options{}, "f: no column for time; name it with columns: {time: ...}; known: b, when",
		},
		{
			"ts,b\n1,2\n",
			Options{Where: []Condition{{"stats", nil}}}, `f: no column "stats" for where; known: b, ts`,
		},
		{
			"ts,bb\n1,2\n",
			Options{Columns: [Fields]string{Prompt: "bbb"}}, `f: no column "bbb" for prompt_tokens; did you mean "bb"?`,
		},
		{
			`{"s3cr et": 1}`, Options{},
			"f: no column for time; name it with columns: {time: ...}; the file holds no objects",
		},
		{"root:x:0:0\n", Options{}, "f: no column for time; name it with columns: {time: ...}; the first line is not"},
		{"ts,ts\n1,2\n", Options{}, `f: the column "ts" for time stands twice; want each name once`},
		{"ts,c\n1,2\n", Options{Format: "azur"}, `f: no format "azur"; did you mean "azure"?`},
		{
			"ts,d\n1,2\n",
			Options{Format: "azure"}, `f: no column for time; name it with columns: {time: ...}; known: d, ts`,
		},
		{
			`{"input_lens": [1], "output_lens": [2]}`,
			Options{}, "f: no column for time; newer versions write start_times with --save-detailed",
		},
		{
			`{"input_lens": [1, 2], "output_lens": [2, 3], "start_times": [1]}`,
			Options{}, `f: the array "start_times" is shorter than the others`,
		},
		{
			`{"ts": 1} x`,
			Options{}, "f: line 1, column 11: no valid JSON: invalid character 'x' at start of value",
		},
		{
			`{"ts": `,
			Options{}, "f: line 1, column 8: no valid JSON: unexpected EOF",
		},
		{"\x1f\x8bxxxxxxxxxxxx", Options{}, "f: the file begins like gzip, but gzip: invalid header"},
		{
			"ts,prompt\n5,1\n6,1\n",
			Options{To: Moment{Set: true}}, "f: no calls between from and to; the file has 2, from 5 s to 6 s",
		},
		{
			`127.0.0.1 - - [01/Jun/2026] "POST /v1" 200` + "\n", Options{},
			"f: the first line is not a list of column names (parse error on line 1, column 29: ",
		},
		{
			"ts,model\n5,a\n",
			Options{Where: []Condition{{"model", []string{"b"}}}},
			"f: no calls; want a row for each call under the header; 1 rows of f do not meet the conditions of where" +
				`; model: found no "b"; known: a`,
		},
		{
			"ts,prompt,output,state\n5,1,1,success\n6,1,1,429\n",
			Options{Columns: [Fields]string{Status: "state"}, Where: []Condition{{"status", []string{"succes"}}}},
			"f: no calls; want a row for each call under the header; 2 rows of f do not meet the conditions of where" +
				`; state: found no "succes"; did you mean "success"? (known: 429, failure, success)`,
		},
	} {
		if _, err := Read([]byte(c.text), "f", c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Spans of older conventions have no name of an operation, but that of a system; others are no calls.
func TestOlderSpans(t *testing.T) {
	span := func(attributes string) string {
		return `{"startTimeUnixNano": 1780315200000000000, "attributes": [` + attributes + `]}`
	}
	const system = `{"value": {"stringValue": "openai"}, "key": "gen_ai.system"}, `
	text := `{"resourceSpans": [{"scopeSpans": [{"spans": [` +
		span(`{"key": "http.request.method", "value": {}}`) + "," +
		span(system+`{"key": "gen_ai.usage.prompt_tokens", "value": {"intValue": "3"}}, `+
			`{"key": "gen_ai.usage.completion_tokens", "value": {"intValue": 4}}`) + "]}]}]}"
	got, err := Read([]byte(text), "f", Options{})
	if err != nil || got.Len() != 1 || got.Read.Others != 1 || got.Read.NoOutput != 0 || got.Values[Prompt][0] != 3 ||
		got.Values[Output][0] != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Parts that are counted beside the whole are added to it: 100 + 900 cached tokens, 20 + 30 of reasoning.
func TestPartsAndWholes(t *testing.T) {
	const text = `{"traceId": "t", "type": "GENERATION", "level": "DEFAULT", "startTime": "2026-06-01T12:00:00Z", ` +
		`"usageDetails": {"input": 100, "input_cached_tokens": 900, "output": 20, "output_reasoning_tokens": 30}}`
	got, err := Read([]byte(text), "f", Options{})
	if err != nil || got.Values[Prompt][0] != 1000 || got.Values[Cached][0] != 900 || got.Values[Output][0] != 50 ||
		got.Values[Reasoning][0] != 30 {
		t.Errorf("%+v, %v", got, err)
	}
	// JSON in the cells of a table.
	const table = "traceId,type,level,startTime,usageDetails\nt,GENERATION,DEFAULT,2026-06-01T12:00:00Z," +
		`"{""input"": 7, ""output"": 8}"` + "\n"
	got, err = Read([]byte(table), "f", Options{})
	if err != nil || got.Values[Prompt][0] != 7 || got.Values[Output][0] != 8 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Rows without output tokens are left out, are answers of 0 tokens, or are calls whose sizes are not known.
func TestRowsWithoutOutput(t *testing.T) {
	const text = "time_s,prompt_tokens,output_tokens\n1,5,6\n2,7,0\n3,,\n4,0,0\n"
	for empty, want := range [][2][]int32{
		Skip: {{5}, {6}},
		Keep: {{5, 7, 0, 0}, {6, 0, 0, 0}},
		Draw: {{5, 7, -1, -1}, {6, -1, -1, -1}},
	} {
		got, err := Read([]byte(text), "f", Options{Empty: Empty(empty)})
		if err != nil || !slices.Equal(got.Values[Prompt], want[0]) || !slices.Equal(got.Values[Output], want[1]) ||
			got.Read.NoOutput != 3 {
			t.Errorf("%d: %+v, %v; want %v", empty, got, err, want)
		}
	}
}

// Memory follows the calls of a file, not the length of its rows, also where the program collects seldom: 3 times
// 2^18 rows are collected three times on the way.
func TestLongFilesAreCollected(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	text := []byte("ts,prompt,output\n" + strings.Repeat("5,1,1\n", 3*rowsOfGarbage))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read(text, "f", Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.NumGC - before.NumGC; got != 3 {
		t.Errorf("%d collections, want 3", got)
	}
}
