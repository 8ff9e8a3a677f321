package scenario

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A date of a Retry-After is what net/http takes for one.
func TestDatesAreThoseOfHTTP(t *testing.T) {
	forms := []string{http.TimeFormat, time.RFC850, time.ANSIC, time.RFC3339, time.RFC1123Z}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-1e10, 1e10).Draw(t, "at"), 0).UTC()
		text := []byte(at.Format(rapid.SampledFrom(forms).Draw(t, "form")))
		if rapid.Bool().Draw(t, "damaged") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
		}
		if _, err := http.ParseTime(string(text)); isDate(string(text)) != (err == nil) {
			t.Fatalf("%q: %v; net/http: %v", text, isDate(string(text)), err)
		}
	})
}
