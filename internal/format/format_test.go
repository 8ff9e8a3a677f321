package format

import (
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{Span(10 * time.Minute), "10m"},
		{Span(2 * time.Hour), "2h"},
		{Span(90 * time.Second), "1m30s"},
		{Span(0), "0s"},
		{Period(time.Minute), "min"},
		{Period(720 * time.Hour), "month"},
		{Period(10 * time.Minute), "10m"},
		{Amount(500), "500"},
		{Amount(9999), "9999"},
		{Amount(200_000), "200k"},
		{Amount(1_500_000), "1.5M"},
		{Amount(1_234_567), "1234567"},
	} {
		if row.got != row.want {
			t.Errorf("%q, want %q", row.got, row.want)
		}
	}
}
