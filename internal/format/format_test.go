package format

import (
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{Duration(10 * time.Minute), "10m"},
		{Duration(2 * time.Hour), "2h"},
		{Duration(90 * time.Second), "1m30s"},
		{Duration(0), "0s"},
		{Period(time.Minute), "min"},
		{Period(720 * time.Hour), "month"},
		{Period(10 * time.Minute), "10m"},
		{PerTime(2.5, 2.5), "2.5/s"},
		{PerTime(0.1, 0.1), "0.1/s"},
		{PerTime(0, 0), "0/s"},
		{PerTime(2./60, 2./60), "2/min"},
		{PerTime(2./60, 1), "0.03333/s"},
		{PerTime(1./3600, 1./3600), "1/h"},
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

// 100 x 1e-6 is 9.999999999999999e-05 in binary, and 100 x 0.07 is 7.000000000000001.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0%", 1: "100%", 0.5: "50%", 0.07: "7%", 1e-6: "0.0001%", 1e-9: "0.0000001%", 0.999: "99.9%",
		1.0 / 3: "33.3333%",
	} {
		if got := Percent(share); got != want {
			t.Errorf("Percent(%v) = %s, want %s", share, got, want)
		}
	}
}
