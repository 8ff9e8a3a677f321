package scenario

import (
	"fmt"
	"slices"
	"testing"
)

// A 0 has the unit of a time where it is one; a count and a share have none.
func TestZerosOfTimesHaveAUnit(t *testing.T) {
	const text = `
workload: {burst: {calls: 5}, prompt_tokens: 1, output_tokens: 1}
provider: {latency: {first_token: 0}, faults: [{share: 0, status: 500}]}
policy: {retry: {attempts: 2, backoff: {exponential: {base: 1s}}}}
fleet: {per_request: 0}
`
	template, err := NewTemplate([]byte(text), "test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range template.Numbers() {
		if n.Number == 0 {
			got = append(got, fmt.Sprintf("%s: %s in %q", n.Path, n.Text, n.Unit))
		}
	}
	want := []string{`provider.latency.first_token: 0 in "s"`, `provider.faults.0.share: 0 in ""`,
		`fleet.per_request: 0 in "s"`}
	if !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}
