package dialect

import (
	"net/http"
	"testing"
)

// Every status that a provider can be told to send has the reason phrase of net/http.
func TestStatusTextsAreThoseOfHTTP(t *testing.T) {
	for status := 200; status < 600; status++ {
		want := http.StatusText(status)
		if status < 400 || unsent[status] {
			want = statusTexts[status] // or none: it is no refusal of an LLM API
		}
		if got := statusText(status); got != want || got != "" && got != http.StatusText(status) {
			t.Errorf("%d is %q; net/http says %q", status, got, http.StatusText(status))
		}
	}
}

// unsent are statuses that no LLM API sends.
var unsent = map[int]bool{416: true, 417: true, 418: true, 506: true, 508: true, 510: true}
