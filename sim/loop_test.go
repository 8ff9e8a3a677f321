package sim

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drain hands out everything that is left, as "event@instant" in seconds.
func drain(l *Loop[string]) string {
	var log []string
	for {
		e, ok := l.Next()
		if !ok {
			return strings.Join(log, " ")
		}
		log = append(log, e+"@"+l.Now().String())
	}
}

func TestEventsLeaveInOrderOfTimeThenScheduling(t *testing.T) {
	var l Loop[string]
	for _, e := range []struct {
		at   Time
		name string
	}{{3, "a"}, {1, "b"}, {3, "c"}, {2, "d"}, {1, "e"}, {3, "f"}} {
		l.At(e.at, e.name)
	}
	if got, want := drain(&l), "b@1ns e@1ns d@2ns a@3ns c@3ns f@3ns"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEventScheduledForNowComesAfterThoseOfNow(t *testing.T) {
	var l Loop[string]
	l.At(5, "first")
	l.At(5, "second")
	l.Next()
	l.At(5, "third")
	l.At(6, "last")
	if got, want := drain(&l), "second@5ns third@5ns last@6ns"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCancelledTimerNeverFires(t *testing.T) {
	var l Loop[string]
	a := l.Timer(1, "a")
	b := l.Timer(2, "b")
	l.Timer(3, "c")
	if !l.Cancel(a) || l.Cancel(a) {
		t.Error("cancelling a: want true once, then false")
	}
	if l.Pending() != 2 {
		t.Errorf("pending %d, want 2", l.Pending())
	}
	// The slot of a is used again; the old name must not reach the new timer.
	l.Timer(4, "d")
	if l.Cancel(a) {
		t.Error("a stale name cancelled another timer")
	}
	if l.Cancel(Timer{}) {
		t.Error("the zero timer was cancelled")
	}
	if got, want := drain(&l), "b@2ns c@3ns d@4ns"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if l.Cancel(b) {
		t.Error("a timer that fired was cancelled")
	}
}

func TestDeadTimersDoNotPileUp(t *testing.T) {
	var l Loop[int32]
	for i := range 1_000_000 {
		timer := l.Timer(Time(i)+Time(600*time.Second), 0)
		l.At(Time(i), 0)
		l.Next()
		l.Cancel(timer)
	}
	if l.queue.size > 4096 {
		t.Errorf("%d entries held for dead timers after a million, want at most 4096", l.queue.size)
	}
}

func TestSchedulingInThePastPanics(t *testing.T) {
	var l Loop[string]
	l.At(5, "now")
	l.Next()
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "scheduled at 4ns, before now, 5ns") {
			t.Errorf("panic %v, want one that names both instants", r)
		}
	}()
	l.At(4, "past")
}

func TestBudget(t *testing.T) {
	l := Loop[string]{Budget: 3}
	for range 3 {
		l.At(1, "x")
	}
	if drain(&l); l.Err() != nil {
		t.Errorf("three events within a budget of three: %v", l.Err())
	}
	l.At(2, "y")
	var spent *BudgetError
	if drain(&l); !errors.As(l.Err(), &spent) || spent.Pending != 1 {
		t.Errorf("fourth event: %v, want a BudgetError with one pending", l.Err())
	}
}

// What is scheduled beyond the end of time is held there, and the loop stops before it with an
// error. A timer that is called off is no event.
func TestTheEndOfTime(t *testing.T) {
	var l Loop[string]
	l.At(5, "a")
	l.Cancel(l.Timer(Never, "never"))
	if got := drain(&l); got != "a@5ns" || l.Err() != nil {
		t.Errorf("a cancelled timer: %s, %v", got, l.Err())
	}
	l.At(End-1, "b")
	l.At(l.Now()+End+End, "c") // the sum of three is still a Duration
	l.At(Never, "d")
	var end *EndError
	if got := drain(&l); got != "b@"+(End-1).String() || !errors.As(l.Err(), &end) || end.Pending != 2 {
		t.Errorf("%s, %v; want b, and an EndError with two pending", got, l.Err())
	}
	l.Next()
	if _, ok := l.Next(); ok || l.Err() == nil || l.Now() != End-1 {
		t.Errorf("after the end: an event, %v at %v", l.Err(), l.Now())
	}
}

func TestSpansAreHeld(t *testing.T) {
	for _, c := range []struct {
		of   float64
		want time.Duration
	}{
		{0, 0}, {1.5, 1500 * time.Millisecond}, {-3, 0}, {math.Inf(-1), 0},
		{2_305_843_009, 2_305_843_009 * time.Second}, // 2^61 ns are 2,305,843,009.21 s
		{2_305_843_010, End}, {1e300, End}, {math.Inf(1), End}, {math.NaN(), End},
	} {
		if got := Seconds(c.of); got != c.want {
			t.Errorf("%g s: %v, want %v", c.of, got, c.want)
		}
	}
	for _, c := range []struct{ t, d, want time.Duration }{{1, 2, 3}, {End - 1, 1, End}, {End, End, End},
		{Never, Never, End}} {
		if got := Plus(c.t, c.d); got != c.want {
			t.Errorf("%d + %d: %d, want %d", c.t, c.d, got, c.want)
		}
	}
}

// Peek names the instant of the next event and moves nothing: what is scheduled afterwards, even
// before that instant, leaves in order.
func TestPeek(t *testing.T) {
	peek := func(l *Loop[string]) string {
		at, ok := l.Peek()
		if !ok {
			return "none"
		}
		return at.String()
	}
	for _, c := range []struct {
		name string
		do   func(l *Loop[string])
		want string
		rest string
	}{
		{"an empty loop", func(*Loop[string]) {}, "none", ""},
		{"the earliest of three", func(l *Loop[string]) { l.At(7, "a"); l.At(3, "b"); l.At(500, "c") }, "3ns",
			"b@3ns a@7ns c@500ns"},
		{"a second event of the present instant", func(l *Loop[string]) {
			l.At(5, "a")
			l.At(5, "b")
			l.Next()
		}, "5ns", "b@5ns"},
		{"an earlier event after a look", func(l *Loop[string]) { l.At(1000, "a"); l.Peek(); l.At(20, "b") }, "20ns",
			"b@20ns a@1µs"},
		{"a cancelled timer before another event", func(l *Loop[string]) { l.Cancel(l.Timer(2, "a")); l.At(300, "b") },
			"300ns", "b@300ns"},
		{"cancelled timers alone", func(l *Loop[string]) { l.Cancel(l.Timer(2, "a")); l.Cancel(l.Timer(300, "b")) },
			"none", ""},
		{"a cancelled timer at the present instant", func(l *Loop[string]) {
			l.At(5, "a")
			timer := l.Timer(5, "b")
			l.At(6, "c")
			l.Next()
			l.Cancel(timer)
		}, "6ns", "c@6ns"},
		{"the end of time", func(l *Loop[string]) { l.At(Never, "a") }, "none", ""},
		{"a spent budget", func(l *Loop[string]) { l.Budget = 1; l.At(1, "a"); l.At(2, "b"); l.Next() }, "none", ""},
	} {
		var l Loop[string]
		c.do(&l)
		now := l.Now()
		if got := peek(&l); got != c.want || l.Now() != now || l.Err() != nil {
			t.Errorf("%s: %s at %v, %v; want %s at %v", c.name, got, l.Now(), l.Err(), c.want, now)
		}
		if rest := drain(&l); rest != c.rest {
			t.Errorf("%s: then %s, want %s", c.name, rest, c.rest)
		}
	}
}

// The order is that of a stable sort, whatever is pushed, popped, cancelled and looked at.
func TestOrderEqualsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			at Time
			id int
		}
		var l Loop[int]
		var model []entry
		timers := map[int]Timer{}
		for id := range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				event, ok := l.Next()
				if ok != (len(model) > 0) {
					t.Fatalf("Next says %v with %d pending", ok, len(model))
				}
				if ok {
					if model[0].id != event || model[0].at != l.Now() {
						t.Fatalf("got %d at %d, want %v", event, l.Now(), model[0])
					}
					model = model[1:]
				}
			case 1:
				victim := rapid.IntRange(0, id).Draw(t, "victim")
				at := slices.IndexFunc(model, func(e entry) bool { return e.id == victim })
				timer, isTimer := timers[victim]
				if got, want := l.Cancel(timer), isTimer && at >= 0; got != want {
					t.Fatalf("cancel %d says %v, want %v", victim, got, want)
				} else if want {
					model = slices.Delete(model, at, at+1)
				}
			default:
				gap := rapid.SampledFrom([]Time{0, 0, 1, 2, 7, 1 << 20, 1 << 40, 1 << 58}).Draw(t, "gap")
				at := l.Now() + gap
				if at >= End {
					continue
				}
				if rapid.Bool().Draw(t, "timer") {
					timers[id] = l.Timer(at, id)
				} else {
					l.At(at, id)
				}
				model = append(model, entry{at, id})
				slices.SortStableFunc(model, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
			}
			at, ok := l.Peek()
			if ok != (len(model) > 0) || ok && at != model[0].at {
				t.Fatalf("Peek says %d, %v; want the first of %v", at, ok, model)
			}
			if l.Pending() != len(model) {
				t.Fatalf("pending %d, want %d", l.Pending(), len(model))
			}
		}
	})
}

// Ahead is told of events before they are handed out, and changes nothing: the order is that of
// the same loop without it. Of 10,000 events at random instants it hears of most, and of none
// that was handed out before.
func TestAheadHearsOfEventsBeforeTheyAreHandedOut(t *testing.T) {
	key := NewKey(1, 0)
	order := func(ahead bool) (got []int, told int) {
		var l Loop[int]
		done := map[int]bool{}
		seen := map[int]bool{}
		if ahead {
			l.Ahead(func(e int) {
				seen[e] = true
				if done[e] {
					t.Fatalf("told of event %d after it was handed out", e)
				}
			})
		}
		for i := range 10_000 {
			l.At(Time(key.Uniform(uint64(i), 0)*1e9), i)
		}
		for {
			e, ok := l.Next()
			if !ok {
				return got, len(seen)
			}
			done[e] = true
			got = append(got, e)
		}
	}
	plain, _ := order(false)
	with, told := order(true)
	if !slices.Equal(plain, with) {
		t.Error("the order is another with Ahead")
	}
	if told < 5_000 {
		t.Errorf("Ahead heard of %d of 10,000 events; want most", told)
	}
}

// Twenty thousand events far ahead lie in many parts of few buckets; a share of them are timers that
// are cancelled. The others leave in the order of (instant, order of scheduling), whether the dead are
// swept out or skipped.
func TestLargeBucketsKeepTheirOrder(t *testing.T) {
	const n = 20_000
	key := NewKey(7, 0)
	for _, share := range []float64{0.3, 0.9} {
		var l Loop[int]
		type event struct {
			at Time
			id int
		}
		var want []event
		for i := range n {
			at := Time(time.Hour) + Time(key.Bits(uint64(i), 0)%1000)*Time(time.Millisecond)
			timer := l.Timer(at, i)
			if key.Uniform(uint64(i), 1) < share {
				l.Cancel(timer)
			} else {
				want = append(want, event{at, i})
			}
		}
		slices.SortStableFunc(want, func(a, b event) int { return cmp.Compare(a.at, b.at) })
		if at, ok := l.Peek(); !ok || at != want[0].at {
			t.Errorf("the first is at %v, want %v", at, want[0].at)
		}
		for _, w := range want {
			if got, ok := l.Next(); !ok || got != w.id || l.Now() != w.at {
				t.Fatalf("event %d at %v, want %d at %v", got, l.Now(), w.id, w.at)
			}
		}
		if _, ok := l.Next(); ok {
			t.Error("an event too many")
		}
	}
}
