package scenario

import (
	"bytes"
	"strings"
	"testing"

	"stampede/fleet"
	"stampede/policy"
)

// inputsSeen counts requests that were answered and the tokens of all.
type inputsSeen struct{ answered, tokens int }

func (e *inputsSeen) Attempt(*fleet.Attempt) {}
func (e *inputsSeen) Call(c *fleet.Call) {
	e.tokens += int(c.Size.Prompt)
	if c.Outcome == policy.Answered {
		e.answered++
	}
}

// Ten requests of 100 inputs of 30 tokens are 10 requests and 30,000 tokens. A limit of 8 requests in a window
// lets 8 of them through, one of 7,000 tokens 2: 7,000 / 3,000 = 2.3.
func TestInputsOfARequest(t *testing.T) {
	for limit, want := range map[string]int{"requests, limit: 8/day": 8, "input_tokens, limit: 7000/day": 2} {
		s, err := Read([]byte("workload: {burst: {calls: 10}, prompt_tokens: 30, inputs_per_request: 100, "+
			"output_tokens: 1}\nprovider: {limits: [{kind: fixed_window, resource: "+limit+"}]}\n"), "f", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var e inputsSeen
		if _, err = s.Model.Run(1, 0, &e); err != nil || e != (inputsSeen{want, 30_000}) {
			t.Errorf("%s: %+v, want %d answered of 30,000 tokens (%v)", limit, e, want, err)
		}
	}
	with := func(fields string) (*Scenario, error) {
		return Read([]byte(strings.Replace(base, "prompt_tokens: 100", fields, 1)), "f", Options{})
	}
	s, err := with("prompt_tokens: {uniform: {min: 10, max: 30}}\n  inputs_per_request: 50") // the mean is 20
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.Explain(&out)
	for _, want := range []string{"mean 1000.", "Each request carries 50 inputs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in %s", want, out.String())
		}
	}
	if _, err := with("inputs_per_request: 50"); err == nil || !strings.Contains(err.Error(),
		"workload.inputs_per_request: found 50 without prompt_tokens; want the length of an input") {
		t.Errorf("no length: %v", err)
	}
}
