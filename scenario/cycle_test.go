package scenario

import (
	"reflect"
	"strings"
	"testing"

	"stampede/fleet"
)

// numbers writes a list of so many of one number and so many of another.
func numbers(n int, a string, m int, b string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(a+", ", n)+strings.Repeat(b+", ", m), ", ") + "]"
}

func TestRateByHourAndDay(t *testing.T) {
	const week = 7 * day
	for _, c := range []struct {
		open, startsAt string
		want           fleet.Cycle
	}{
		// The mean of 1 and 3 is 2: 12/s are 6/s and 18/s.
		{"{rate: 12/s, profile: " + numbers(12, "1", 12, "3") + "}", "00:00",
			fleet.Cycle{Of: fleet.Profile{{From: 6, To: 6}, {Start: 12 * hour, From: 18, To: 18}}, Period: day}},
		{"{rate: 12/s, by_hour: " + numbers(12, "100", 12, "300") + "}", "06:30",
			fleet.Cycle{Of: fleet.Profile{{From: 6, To: 6}, {Start: 12 * hour, From: 18, To: 18}}, Period: day,
				Start: 13 * hour / 2}},
		// Five days of 7 have all: 7/s of 5/s on average.
		{"{rate: 5/s, by_day: [1, 1, 1, 1, 1, 0, 0]}", "00:00",
			fleet.Cycle{Of: fleet.Profile{{From: 7, To: 7}, {Start: 5 * day}}, Period: week}},
		// Rates as they are, of a week that has twice as much on its first day: 7/4 and 7/8 of the mean.
		{"{by_hour: " + numbers(24, "8/s", 0, "") + ", by_day: [2, 1, 1, 1, 1, 1, 1]}", "00:00",
			fleet.Cycle{Of: fleet.Profile{{From: 14, To: 14}, {Start: day, From: 7, To: 7}}, Period: week}},
		{"{profile: " + numbers(48, "60/min", 120, "0/s") + "}", "00:00",
			fleet.Cycle{Of: fleet.Profile{{From: 1, To: 1}, {Start: 2 * day}}, Period: week}},
	} {
		s, err := Read([]byte("horizon: 60s\nstarts_at: "+c.startsAt+"\nworkload: {prompt_tokens: 1, "+
			"output_tokens: 1, open: "+c.open+"}\n"), "f", Options{})
		if err != nil {
			t.Errorf("%s: %v", c.open, err)
		} else if got := s.Model.Workload.Arrivals.(fleet.Renewal).Rate; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.open, got, c.want)
		}
	}
	const one = "by_day: [1, 1, 1, 1, 1, 1, 1]"
	for _, c := range [][2]string{
		{"rate: 1/s, profile: [1, 2]", "by_hour: found 2 numbers; want 24"},
		{"rate: 1/s, by_day: [1, 2]", "by_day: found 2 numbers; want 7"},
		{"profile: " + numbers(12, "1", 12, "2"), "rate: found nothing; want the mean rate"},
		{"profile: " + numbers(12, "1/s", 12, "2"), "by_hour: found rates and plain numbers"},
		{"rate: 1/s, by_hour: " + numbers(24, "0", 0, ""), "by_hour: found a rate that stays 0"},
		{"rate: 1/s, by_hour: " + numbers(24, "1/s", 0, ""), "rate: found 1/s beside the rates of the hours"},
		{"rate: 1/s, profile: [{at: 1s, rate: 2/s}], " + one, "profile: found changes of the rate"},
		{"rate: 1/s, by_hour: " + numbers(168, "1", 0, "") + ", " + one, "by_day: found days beside"},
		{"rate: 1/s, by_day: [1/s, 1, 1, 1, 1, 1, 1]", "by_day: found a rate; want numbers"},
		{"rate: 1/s, by_hour: [a]", "by_hour.0: found \"a\"; want a number from 0"},
	} {
		_, err := Read([]byte("horizon: 60s\nworkload: {prompt_tokens: 1, output_tokens: 1, open: {"+c[0]+"}}\n"), "f",
			Options{})
		if err == nil || !strings.Contains(err.Error(), "workload.open."+c[1]) {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
}
