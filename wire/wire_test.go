package wire

import (
	"math"
	"testing"
	"time"
)

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		reply Reply
		want  string
	}{
		{Reply{Status: 200}, "ok"}, {Reply{Status: 429}, "throttled"}, {Reply{Status: 503},
			"overloaded"}, {Reply{Status: 529}, "overloaded"},
		{Reply{Status: 500}, "server_error"}, {Reply{Status: 504}, "server_error"}, {Reply{Status: 400},
			"terminal"}, {Reply{Status: 408}, "terminal"},
		{Reply{Failure: Timeout}, "timeout"}, {Reply{Failure: Connection}, "connection"},
	} {
		if got := c.reply.Class().String(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.reply, got, c.want)
		}
	}
}

func TestHintWait(t *testing.T) {
	for _, c := range []struct {
		hint Hint
		want time.Duration
		ok   bool
	}{
		{After(1500 * time.Millisecond), 1500 * time.Millisecond, true},
		{Hint{Seconds, 0.148199999}, 148199999, true},
		{Hint{Seconds, -1}, -time.Second, true},
		{Hint{Seconds, 1e12}, math.MaxInt64, true},
		{Hint{Seconds, -1e12}, math.MinInt64, true},
		{Hint{Seconds, math.NaN()}, 0, false}, {Hint{Seconds, math.Inf(1)}, 0, false}, {Hint{Form: Garbage}, 0,
			false}, {Hint{}, 0, false},
	} {
		if got, ok := c.hint.Wait(0); got != c.want || ok != c.ok {
			t.Errorf("%+v: %v %v, want %v %v", c.hint, got, ok, c.want, c.ok)
		}
	}
	// A date counts from the beginning of the run, in whole seconds.
	for _, c := range []struct{ until, now, want time.Duration }{
		{90 * time.Second, 60 * time.Second, 30 * time.Second},
		{90*time.Second + 999*time.Millisecond, 60500 * time.Millisecond, 29500 * time.Millisecond},
		{30 * time.Second, 60 * time.Second, -30 * time.Second},
	} {
		if got, ok := At(c.until).Wait(c.now); got != c.want || !ok {
			t.Errorf("at %v, until %v: %v %v, want %v", c.now, c.until, got, ok, c.want)
		}
	}
	if got, _ := (Hint{Date, -1e12}).Wait(time.Second); got != math.MinInt64 {
		t.Errorf("a date long past: %v, want the shortest wait", got)
	}
	// A wait survives the way through the header to the nanosecond, up to months.
	for d := time.Duration(1); d < 90*24*time.Hour; d = d*3 + 1 {
		if got, _ := After(d).Wait(0); got != d {
			t.Errorf("%v becomes %v", d, got)
		}
	}
}
