package trace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Whatever a file holds, it is either refused with a reason or read as calls that are sorted, with all
// values of a field or none, whose parts are not larger than the whole.
func FuzzRead(f *testing.F) {
	samples, err := filepath.Glob("testdata/*.*")
	if err != nil || len(samples) < 10 {
		f.Fatal(samples, err)
	}
	for _, path := range samples {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(0), "", "")
		f.Add(data, uint8(1), "", "success")
	}
	f.Add([]byte(commas), uint8(2), "at_ms", "")
	f.Add([]byte(mixed), uint8(7), "start_s", "a")
	f.Add([]byte(zipped(commas)), uint8(0), "", "")
	f.Fuzz(func(t *testing.T, data []byte, flags uint8, column, status string) {
		o := Options{SkipBad: flags&1 != 0, Empty: Empty(flags % 3), Calls: int(flags >> 4)}
		if flags&4 != 0 {
			o.To = Moment{Set: true, Since: 5e9}
		}
		if flags&8 != 0 {
			o.Format = Formats()[int(flags>>4)%len(formats)]
		}
		o.Columns[Time] = column
		if status != "" {
			o.Where = []Condition{{"status", []string{status}}}
		}
		got, err := Read(data, "f", o)
		if (err == nil) == (got == nil) {
			t.Fatalf("%v and %v", got, err)
		}
		if err != nil {
			return
		}
		if got.Len() == 0 || !slices.IsSorted(got.At) || got.At[0] < 0 || o.Calls > 0 && got.Len() > o.Calls {
			t.Fatalf("%+v", got)
		}
		for field, values := range got.Values {
			if values != nil && len(values) != got.Len() {
				t.Fatalf("%v has %d values for %d calls", Field(field), len(values), got.Len())
			}
		}
		for _, pair := range [][2]Field{{Prompt, Cached}, {Output, Reasoning}} {
			if whole, part := got.Values[pair[0]], got.Values[pair[1]]; whole != nil && part != nil {
				for i := range whole {
					if part[i] > max(0, whole[i]) {
						t.Fatalf("call %d has %d %v of %d %v", i, part[i], pair[1], whole[i], pair[0])
					}
				}
			}
		}
	})
}
