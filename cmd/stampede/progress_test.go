package main

import (
	"bytes"
	"testing"
	"time"
)

// The clock is the argument: no test of it waits.
func TestProgress(t *testing.T) {
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what    string
		first   int
		count   count
		elapsed time.Duration
		want    string
	}{
		// 120 took 10 s; the other 5,640 take 47 times as long, 470 s.
		{"half an estimate", 0, count{done: 120, total: 5760}, 10 * time.Second,
			"120 of 5,760 replications, 8 min left"},
		// Of the 1,000 that are done 900 were before: 100 took 20 s, so do the other 60 take 12 s.
		{"a resumed sweep", 900, count{done: 1000, total: 1060}, 20 * time.Second,
			"1,000 of 1,060 replications, 12 s left"},
		{"nothing done yet", 0, count{total: 8}, 30 * time.Second, "0 of 8 replications, 30 s so far"},
		{"a total that may grow", 0, count{done: 10, total: 20, atLeast: true}, 60 * time.Second,
			"10 of at least 20 replications, at least 60 s left"},
		{"hours", 0, count{done: 1, total: 131}, time.Minute, "1 of 131 replications, 2 h 10 min left"},
		{"days", 0, count{done: 1, total: 1 + 3*24}, time.Hour, "1 of 73 replications, 3 days left"},
		{"the end", 0, count{done: 5, total: 5}, time.Minute, "5 of 5 replications, 0 s left"},
	} {
		var out bytes.Buffer
		p := progress{to: &out, what: "replications", began: began, first: c.first, count: c.count}
		p.show(began.Add(c.elapsed))
		if out.String() != c.want+"\n" {
			t.Errorf("%s: %q, want %q", c.what, &out, c.want)
		}
	}
}

// On a terminal one line is drawn again and again, not before the first second, and taken away.
func TestProgressOnATerminal(t *testing.T) {
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	p := &progress{to: &out, terminal: true, width: 31, what: "replications", began: began, count: count{total: 4}}
	p.add()
	p.show(began.Add(999 * time.Millisecond))
	if out.Len() > 0 {
		t.Errorf("drawn before the first second: %q", &out)
	}
	p.show(began.Add(time.Second))
	p.set(2, 4)
	p.show(began.Add(2 * time.Second))
	p.erase()
	p.erase()
	const want = "\r1 of 4 replications, 3 s left\x1b[K\r2 of 4 replications, 2 s left\x1b[K\r\x1b[K"
	if out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	out.Reset()
	p.width = 21 // a line as wide as the terminal would break
	p.show(began.Add(2 * time.Second))
	if want := "\r2 of 4 replications…\x1b[K"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

// A command that ends soon says nothing.
func TestProgressEnds(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(printable{to: &out}, count{total: 3}, "replications")
	p.add()
	p.end()
	p.end()
	if out.Len() > 0 {
		t.Errorf("%q", &out)
	}
}
