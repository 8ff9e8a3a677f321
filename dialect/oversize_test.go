package dialect

import "testing"

// A request that is too large is refused for good and without a wait, by every provider with an error of the
// client.
func TestOversized(t *testing.T) {
	for d, want := range map[Dialect]Refusal{
		Anthropic: {Status: 413, Code: "request_too_large", Silent: true},
		Gemini:    {Status: 400, Code: "INVALID_ARGUMENT", Silent: true},
		OpenAI:    {Status: 413, Silent: true},
	} {
		if got := *d.Refuses(Oversize); got != want {
			t.Errorf("%v: %+v, want %+v", d, got, want)
		}
	}
	for d := range count {
		if r := d.Refuses(Oversize); r.Status < 400 || r.Status > 499 || r.Status == 429 || !r.Silent {
			t.Errorf("%v refuses with %+v", d, r)
		}
	}
}
