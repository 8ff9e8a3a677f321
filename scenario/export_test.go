package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is exported of each example, with settings of several kinds over it, reads as the same scenario.
func TestExportReadsAsTheSameScenario(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d examples, %v; want 20 or more", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Dir: "../examples"}
		template, err := NewTemplate(data, file, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range [][]string{
			nil,
			{"seed=77", "price=gpt-4o"},
			{"policy=openai-python@2.46", "policy.retry.attempts=7"},
			{"policy.timeouts.attempt=9s", "provider.latency={first_token: 2s}"},
			{"provider.limits+=[{resource: concurrency, limit: 5}]"},
		} {
			over, err := template.Over(set...)
			if err != nil {
				continue // not every setting fits every example
			}
			text, err := template.Export(set, over.Base)
			if err != nil {
				t.Fatalf("%s with %v: %v", file, set, err)
			}
			want, err := over.Base.Resolved()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Read([]byte(text), file, o)
			if err != nil {
				t.Errorf("%s with %v: %v\n%s", file, set, err, text)
				continue
			}
			if got, err := again.Resolved(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s with %v reads as another scenario (%v)\n%s", file, set, err, text)
			}
		}
	}
}
